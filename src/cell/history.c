/*
 * history: packed rows in blocks.  See history.h; the file below is blocks.h's.
 *
 * A block: a header, packed rows from the front, and the 16-bit offset of each from the end backwards.  What
 * counts is what the header's last member says, and that is stored last: a process that is killed between two
 * instructions leaves whole rows only.  The newest block is mapped.  When it is full, a copy of it takes its
 * place in the list and the mapped one begins anew: pages that stay mapped need no faults, which would cost
 * more than the copy.  Other blocks are read into a small cache when they are asked for, so that the rows of
 * long ago are in nobody's address space.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cell/history_private.h"

/* --- inside a block --- */

static uint16_t row_offset(const uint8_t *data, uint32_t i)
{
	const uint8_t *at = data + BLOCK_SIZE - 2 * (size_t)(i + 1);

	return (uint16_t)(at[0] | at[1] << 8);
}

static void set_row_offset(uint8_t *data, uint32_t i, uint32_t offset)
{
	uint8_t *at = data + BLOCK_SIZE - 2 * (size_t)(i + 1);

	at[0] = (uint8_t)offset;
	at[1] = (uint8_t)(offset >> 8);
}

/* Makes what was written before it count. */
static void commit(uint8_t *data, uint32_t bytes, uint32_t rows)
{
	struct block_header *header = (struct block_header *)(void *)data;

	__atomic_store_n(&header->committed, htole64((uint64_t)bytes << 32 | rows), __ATOMIC_RELEASE);
}

static bool has_room(const struct block *b, size_t len)
{
	return b->bytes + len + 2 * ((size_t)b->rows + 1) <= BLOCK_SIZE;
}

/* --- the cache of blocks that are not mapped --- */

static struct blocks *blocks_of(struct history *h, const struct block *b)
{
	return b->in_memory ? &h->memory : &h->file;
}

static void cache_forget(struct cache *c, const struct block *b)
{
	for (int i = 0; i < CACHED_BLOCKS; i++) {
		if (c->entry[i].number == b->number && c->entry[i].in_memory == b->in_memory)
			c->entry[i].valid = false;
	}
}

static void cache_release(struct cache *c)
{
	for (int i = 0; i < CACHED_BLOCKS; i++) {
		free(c->entry[i].data);
		c->entry[i].data = NULL;
		c->entry[i].valid = false;
	}
}

static int cache_slot(const struct cache *c, const struct block *b, bool *hit)
{
	int oldest = 0;

	for (int i = 0; i < CACHED_BLOCKS; i++) {
		*hit = c->entry[i].valid && c->entry[i].number == b->number &&
		       c->entry[i].in_memory == b->in_memory;
		if (*hit)
			return i;
		if (c->entry[i].used < c->entry[oldest].used)
			oldest = i;
	}
	return oldest;
}

/* The bytes of a block, NULL if they cannot be read. */
static const uint8_t *block_data(const struct history *h, const struct block *b)
{
	struct cache *c = h->cache;
	bool hit;
	int i;

	if (h->newest && b == &h->block[h->count - 1])
		return h->newest;
	i = cache_slot(c, b, &hit);
	c->entry[i].used = ++c->clock;
	if (hit)
		return c->entry[i].data;
	if (!c->entry[i].data)
		c->entry[i].data = mem_alloc(BLOCK_SIZE);
	c->entry[i].valid = false;
	if (blocks_read(b->in_memory ? &h->memory : &h->file, b->number, 0, c->entry[i].data, BLOCK_SIZE) !=
	    0)
		return NULL;
	c->entry[i].valid = true;
	c->entry[i].number = b->number;
	c->entry[i].in_memory = b->in_memory;
	return c->entry[i].data;
}

/* --- the list of blocks --- */

struct block *history_list_add(struct history *h)
{
	if (h->count == h->room) {
		h->room = h->room ? 2 * h->room : 16;
		h->block = mem_realloc(h->block, h->room, sizeof(*h->block));
	}
	return &h->block[h->count++];
}

static void drop_block(struct history *h, size_t i)
{
	if (i == h->count - 1) {
		blocks_unmap(h->newest);
		h->newest = NULL;
	}
	cache_forget(h->cache, &h->block[i]);
	blocks_give(blocks_of(h, &h->block[i]), h->block[i].number);
	memmove(&h->block[i], &h->block[i + 1], (h->count - i - 1) * sizeof(*h->block));
	h->count--;
}

/* The last block that begins at or before the row; NULL if there is none. */
static const struct block *find_block(const struct history *h, uint64_t row)
{
	size_t low = 0, high = h->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (h->block[middle].first <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &h->block[low - 1] : NULL;
}

/* The oldest rows go, block by block; `first` is exact. */
static void drop_old(struct history *h)
{
	uint64_t keep = h->end > h->limit ? h->end - h->limit : 0;

	while (h->count > 1 && (block_end(&h->block[0]) <= keep || h->count > h->block_limit))
		drop_block(h, 0);
	if (h->first < keep)
		h->first = keep;
	if (h->count > 0 && h->first < h->block[0].first)
		h->first = h->block[0].first;
}

/* --- opening --- */

static struct history *history_new(uint64_t limit_rows)
{
	struct history *h = mem_zalloc(1, sizeof(*h));

	h->limit = limit_rows < 1 ? 1 : limit_rows > HISTORY_MAX_ROWS ? HISTORY_MAX_ROWS : limit_rows;
	h->block_limit = BLOCKS_MIN + (size_t)(h->limit * ROW_BYTES_MAX / BLOCK_SIZE);
	h->cache = mem_zalloc(1, sizeof(*h->cache));
	h->sequence = 1;
	blocks_init(&h->file, -1);
	blocks_init(&h->memory, -1);
	buf_init(&h->scratch);
	return h;
}

static int open_memory(struct history *h)
{
	int fd = memfd_create("history", MFD_CLOEXEC);

	if (fd < 0)
		return errno;
	blocks_init(&h->memory, fd);
	return 0;
}

static int open_file(struct history *h, int dirfd, const char *name, struct err *err)
{
	int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), error;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return err_sys(err, error, "The history file %s cannot be opened", name);
	}
	blocks_init(&h->file, fd);
	if (st.st_size > 0)
		return history_load(h, name, err);
	error = history_write_header(h);
	return error ? err_sys(err, error, "The history file %s cannot be written", name) : 0;
}

struct history *history_create(int dirfd, const char *name, uint64_t limit_rows, struct err *err)
{
	struct history *h = history_new(limit_rows);
	int failed;

	if (dirfd != -1) {
		failed = open_file(h, dirfd, name, err);
	} else {
		failed = open_memory(h);
		if (failed)
			err_sys(err, failed, "There is no memory for history");
	}
	if (failed) {
		history_destroy(h);
		return NULL;
	}
	drop_old(h);
	return h;
}

struct history *history_open_readonly(int dirfd, const char *name, struct err *err)
{
	struct history *h = history_new(HISTORY_MAX_ROWS);
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	h->readonly = true;
	if (fd < 0) {
		err_sys(err, errno, "The history file %s cannot be opened", name);
		history_destroy(h);
		return NULL;
	}
	blocks_init(&h->file, fd);
	if (history_load(h, name, err) != 0) {
		history_destroy(h);
		return NULL;
	}
	return h;
}

void history_destroy(struct history *h)
{
	if (!h)
		return;
	blocks_unmap(h->newest);
	blocks_close(&h->file);
	blocks_close(&h->memory);
	cache_release(h->cache);
	free(h->cache);
	free(h->block);
	buf_free(&h->scratch);
	free(h);
}

uint64_t history_first(const struct history *h)
{
	return h->first;
}

uint64_t history_end(const struct history *h)
{
	return h->end;
}

int history_descriptor(const struct history *h)
{
	return h->file.fd;
}

void history_failed(struct history *h, int error)
{
	if (!h->error)
		h->error = error;
}

int history_error(const struct history *h)
{
	return h->error;
}

uint32_t history_damaged(const struct history *h)
{
	return h->damaged;
}

/* --- appending --- */

/* The mapped block `number` becomes the newest, for rows from h->end on.  Without its magic number it counts
 * as free until it says whose rows it has. */
static void list_newest(struct history *h, uint32_t number, bool in_memory)
{
	struct block_header *header = (struct block_header *)(void *)h->newest;

	__atomic_store_n(&header->magic, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&header->committed, htole64((uint64_t)ROWS_START << 32), __ATOMIC_RELEASE);
	header->first = htole64(h->end);
	header->sequence = htole64(h->sequence);
	__atomic_store_n(&header->magic, htole32(BLOCK_MAGIC), __ATOMIC_RELEASE);
	*history_list_add(h) = (struct block){.first = h->end,
	    .sequence = h->sequence,
	    .bytes = ROWS_START,
	    .number = number,
	    .in_memory = in_memory};
	h->sequence++;
	cache_release(h->cache);
}

static int begin_block(struct history *h, struct blocks *blocks)
{
	uint32_t number;
	void *mapping;
	int error = blocks_take(blocks, &number);

	if (error)
		return error;
	error = blocks_map(blocks, number, &mapping);
	if (error) {
		blocks_give(blocks, number);
		return error;
	}
	blocks_unmap(h->newest);
	h->newest = mapping;
	list_newest(h, number, blocks == &h->memory);
	return 0;
}

/*
 * Puts the newest block, which is full, elsewhere, and goes on in the one that is mapped.  Between the copy
 * and its new beginning both have the same rows, of which one is taken when the file is opened.
 */
static int recycle_newest(struct history *h, struct blocks *blocks)
{
	struct block *b = h->count > 0 ? &h->block[h->count - 1] : NULL;
	uint32_t copy, number;
	int error;

	if (!b || !h->newest || blocks_of(h, b) != blocks)
		return begin_block(h, blocks);
	error = blocks_take(blocks, &copy);
	if (error)
		return error;
	error = blocks_write(blocks, copy, h->newest);
	if (error) {
		blocks_give(blocks, copy);
		return error;
	}
	number = b->number;
	b->number = copy;
	list_newest(h, number, b->in_memory);
	return 0;
}

/* A block for rows from h->end on: in the file if it has one that can take it, else in memory. */
static int begin_block_somewhere(struct history *h)
{
	int error = h->file.fd >= 0 ? recycle_newest(h, &h->file) : ENOENT;

	if (error == 0)
		return 0;
	if (h->file.fd >= 0)
		history_failed(h, error);
	if (h->memory.fd < 0 && open_memory(h) != 0)
		return -1;
	return recycle_newest(h, &h->memory) == 0 ? 0 : -1;
}

/* The newest block mapped, with room for `len` bytes and ending where the next row belongs; NULL if there can
 * be none. */
static struct block *block_to_append(struct history *h, size_t len)
{
	struct block *b = h->count > 0 ? &h->block[h->count - 1] : NULL;

	if (b && block_end(b) == h->end && has_room(b, len)) {
		void *mapping;

		if (h->newest)
			return b;
		if (blocks_map(blocks_of(h, b), b->number, &mapping) == 0) {
			h->newest = mapping;
			return b;
		}
	}
	return begin_block_somewhere(h) == 0 ? &h->block[h->count - 1] : NULL;
}

uint64_t history_append(struct history *h, const struct row *r, const struct cell_table *t)
{
	buf_clear(&h->scratch);
	row_pack(r, t, &h->scratch);
	return history_append_packed(h, h->scratch.data, h->scratch.len);
}

uint64_t history_append_packed(struct history *h, const void *packed, size_t len)
{
	struct block *b;

	if (h->readonly)
		return h->end;
	b = block_to_append(h, len);
	if (b) {
		memcpy(h->newest + b->bytes, packed, len);
		set_row_offset(h->newest, b->rows, b->bytes);
		b->bytes += (uint32_t)len;
		b->rows++;
		commit(h->newest, b->bytes, b->rows);
	}
	h->end++;
	if (b && b->rows == 1)
		drop_old(h);
	else if (h->end - h->first > h->limit)
		h->first = h->end - h->limit;
	return h->end - 1;
}

/* --- dropping --- */

/* Shortens the last block to the rows before `end`, of which there are some. */
static void shorten_last(struct history *h, uint64_t end)
{
	struct block *b = &h->block[h->count - 1];
	void *mapping;

	if (!h->newest && blocks_map(blocks_of(h, b), b->number, &mapping) == 0)
		h->newest = mapping;
	if (!h->newest) {
		drop_block(h, h->count - 1);
		return;
	}
	b->rows = (uint32_t)(end - b->first);
	b->bytes = row_offset(h->newest, b->rows);
	commit(h->newest, b->bytes, b->rows);
}

void history_truncate(struct history *h, uint64_t end)
{
	if (h->readonly || end >= h->end)
		return;
	while (h->count > 0 && h->block[h->count - 1].first >= end)
		drop_block(h, h->count - 1);
	if (h->count > 0 && block_end(&h->block[h->count - 1]) > end)
		shorten_last(h, end);
	h->end = end;
	if (h->first > end)
		h->first = end;
	history_write_header(h);
}

void history_clear(struct history *h)
{
	if (h->readonly)
		return;
	blocks_unmap(h->newest);
	h->newest = NULL;
	cache_release(h->cache);
	h->count = 0;
	h->first = h->end;
	history_write_header(h);
	if (h->file.fd >= 0)
		blocks_clear(&h->file);
	if (h->memory.fd >= 0)
		blocks_clear(&h->memory);
}

/* --- reading --- */

const void *history_packed(const struct history *h, uint64_t number, size_t *len)
{
	const struct block *b = number >= h->first && number < h->end ? find_block(h, number) : NULL;
	const uint8_t *data;
	uint32_t i, start, end;

	if (!b || number >= block_end(b))
		return NULL;
	data = block_data(h, b);
	if (!data)
		return NULL;
	i = (uint32_t)(number - b->first);
	start = row_offset(data, i);
	end = i + 1 < b->rows ? row_offset(data, i + 1) : b->bytes;
	if (start < ROWS_START || end < start || end > b->bytes)
		return NULL;
	*len = end - start;
	return data + start;
}

int history_row(const struct history *h, uint64_t number, struct cell_table *t, struct row *out)
{
	size_t len;
	const void *packed = history_packed(h, number, &len);

	return packed ? row_unpack(packed, len, t, out) : -1;
}

uint16_t history_flags(const struct history *h, uint64_t number)
{
	size_t len, text_len;
	const void *packed = history_packed(h, number, &len);
	const char *text;
	uint16_t flags;

	return packed && row_packed_text(packed, len, &text, &text_len, &flags) == 0 ? flags : 0;
}
