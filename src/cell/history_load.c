/*
 * history_load: the file of a history: its header, and what of its blocks counts when it is opened.
 *
 * Everything in it is doubted: it may be a file of something else, or of a machine that lost power.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cell/history_private.h"

/* The start of the file.  Little endian, like all that is in it. */
struct file_header {
	char magic[8];
	uint32_t version;
	uint32_t block_size;
	uint64_t end; /* of the history, where no block says so */
};
static const char file_magic[8] = "handlerH";

int history_write_header(struct history *h)
{
	struct file_header header = {
	    .version = htole32(FILE_VERSION),
	    .block_size = htole32(BLOCK_SIZE),
	    .end = htole64(h->end),
	};

	if (h->file.fd < 0)
		return 0;
	memcpy(header.magic, file_magic, sizeof(file_magic));
	return pwrite(h->file.fd, &header, sizeof(header), 0) == sizeof(header) ? 0 : errno ? errno : EIO;
}

/* How many of the block's rows lie where their offsets may lie; *bytes is where the last of them ends. */
static uint32_t sound_rows(struct history *h, const struct block *b, uint32_t *bytes)
{
	AUTO_FREE uint8_t *index = mem_alloc(2 * (size_t)b->rows);
	uint32_t at = ROWS_START;

	*bytes = ROWS_START;
	if (b->rows == 0 || blocks_read(&h->file, b->number, BLOCK_SIZE - 2 * (size_t)b->rows, index,
				2 * (size_t)b->rows) != 0)
		return 0;
	for (uint32_t i = 0; i < b->rows; i++) {
		const uint8_t *offset = index + 2 * (size_t)(b->rows - 1 - i);
		uint32_t end = i + 1 < b->rows ? (uint32_t)(offset[-2] | offset[-1] << 8) : b->bytes;

		if (i == 0 && (offset[0] | offset[1] << 8) != ROWS_START)
			return 0;
		if (end < at + PACKED_ROW_MIN || end > b->bytes)
			return i;
		*bytes = at = end;
	}
	return b->rows;
}

/* Takes up block `number` of the file if there are rows in it. */
static void load_block(struct history *h, uint32_t number)
{
	struct block b = {.number = number};
	struct block_header header;
	uint64_t committed;
	uint32_t rows, bytes;

	if (blocks_read(&h->file, number, 0, &header, sizeof(header)) != 0 ||
	    le32toh(header.magic) != BLOCK_MAGIC) {
		blocks_note_free(&h->file, number);
		return;
	}
	committed = le64toh(header.committed);
	b.first = le64toh(header.first);
	b.sequence = le64toh(header.sequence);
	b.rows = (uint32_t)committed;
	b.bytes = (uint32_t)(committed >> 32);
	rows = b.rows;
	if (b.bytes < ROWS_START || b.bytes > BLOCK_SIZE || b.rows > (BLOCK_SIZE - b.bytes) / 2 ||
	    b.first >> 62)
		b.rows = 0;
	b.rows = sound_rows(h, &b, &bytes);
	b.bytes = bytes;
	h->damaged += b.rows != rows;
	if (b.rows > 0)
		*history_list_add(h) = b;
	else
		blocks_note_free(&h->file, number);
	if (b.sequence >= h->sequence && b.rows > 0)
		h->sequence = b.sequence + 1;
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Of two blocks that claim the same rows the one that was begun later is right. */
static void drop_overlaps(struct history *h)
{
	for (size_t i = 1; i < h->count;) {
		struct block *a = &h->block[i - 1], *b = &h->block[i];
		size_t loser = a->sequence < b->sequence ? i - 1 : i;

		if (b->first >= block_end(a)) {
			i++;
			continue;
		}
		h->damaged += a->sequence != b->sequence; /* else a copy of what was to begin anew */
		if (!h->readonly)
			blocks_give(&h->file, h->block[loser].number);
		memmove(&h->block[loser], &h->block[loser + 1], (h->count - loser - 1) * sizeof(*h->block));
		h->count--;
		i = i > 1 ? i - 1 : 1;
	}
}

static int load_header(struct history *h, const char *name, struct err *err)
{
	struct file_header header = {.version = 0};
	ssize_t n = pread(h->file.fd, &header, sizeof(header), 0);

	if (n < 0)
		return err_sys(err, errno, "The history file %s cannot be read", name);
	if (n < (ssize_t)sizeof(header) || memcmp(header.magic, file_magic, sizeof(file_magic)) != 0)
		return err_set(err, ERR_INVALID, "%s is not a history file, or it is damaged.", name);
	if (le32toh(header.version) != FILE_VERSION || le32toh(header.block_size) != BLOCK_SIZE)
		return err_set(err, ERR_INVALID,
		    "The history file %s was written by another version of handler (format %u).", name,
		    (unsigned)le32toh(header.version));
	h->end = le64toh(header.end);
	return 0;
}

/* Finds every row that was appended and not dropped. */
int history_load(struct history *h, const char *name, struct err *err)
{
	int error;

	if (load_header(h, name, err) != 0)
		return -1;
	error = blocks_load(&h->file);
	if (error)
		return err_sys(err, error, "The history file %s cannot be read", name);
	for (uint32_t i = h->file.count; i > 0; i--)
		load_block(h, i - 1);
	if (h->count > 1)
		qsort(h->block, h->count, sizeof(*h->block), compare_blocks);
	drop_overlaps(h);
	h->first = h->end;
	if (h->count > 0) {
		h->first = h->block[0].first;
		h->end = block_end(&h->block[h->count - 1]);
	}
	return 0;
}
