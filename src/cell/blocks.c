/* blocks: see blocks.h. */
#include "cell/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static off_t block_offset(uint32_t block)
{
	return BLOCKS_HEADER_SIZE + (off_t)block * BLOCK_SIZE;
}

void blocks_init(struct blocks *b, int fd)
{
	*b = (struct blocks){.fd = fd};
}

int blocks_load(struct blocks *b)
{
	struct stat st;

	if (fstat(b->fd, &st) != 0)
		return errno;
	b->count =
	    st.st_size > BLOCKS_HEADER_SIZE ? (uint32_t)((st.st_size - BLOCKS_HEADER_SIZE) / BLOCK_SIZE) : 0;
	return 0;
}

void blocks_close(struct blocks *b)
{
	if (b->fd >= 0)
		close(b->fd);
	free(b->freed);
	*b = (struct blocks)BLOCKS_INIT;
}

int blocks_take(struct blocks *b, uint32_t *block)
{
	int error;

	if (b->freed_count > 0) {
		*block = b->freed[--b->freed_count];
		return 0;
	}
	do
		error = posix_fallocate(b->fd, block_offset(b->count), BLOCK_SIZE);
	while (error == EINTR);
	if (error == 0)
		*block = b->count++;
	return error;
}

int blocks_map(struct blocks *b, uint32_t block, void **mapping)
{
	void *p = mmap(NULL, BLOCK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, block_offset(block));

	if (p == MAP_FAILED)
		return errno;
	*mapping = p;
	return 0;
}

void blocks_unmap(void *mapping)
{
	if (mapping)
		munmap(mapping, BLOCK_SIZE);
}

int blocks_read(const struct blocks *b, uint32_t block, size_t offset, void *data, size_t len)
{
	char *to = data;

	while (len > 0) {
		ssize_t n = pread(b->fd, to, len, block_offset(block) + (off_t)offset);

		if (n == 0)
			return EIO;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			to += n;
			offset += (size_t)n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int write_part(const struct blocks *b, uint32_t block, const char *data, size_t from, size_t end)
{
	while (from < end) {
		ssize_t n = pwrite(b->fd, data + from, end - from, block_offset(block) + (off_t)from);

		if (n == 0)
			return EIO;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0)
			from += (size_t)n;
	}
	return 0;
}

/* The first page comes last, and is not cut by a signal: before it the block is a free one. */
int blocks_write(struct blocks *b, uint32_t block, const void *data)
{
	enum { PAGE = 4096 };
	int error = write_part(b, block, data, PAGE, BLOCK_SIZE);

	return error ? error : write_part(b, block, data, 0, PAGE);
}

int blocks_clear(struct blocks *b)
{
	b->count = b->freed_count = 0;
	return ftruncate(b->fd, BLOCKS_HEADER_SIZE) == 0 ? 0 : errno;
}

void blocks_note_free(struct blocks *b, uint32_t block)
{
	if (b->freed_count == b->freed_room) {
		b->freed_room = b->freed_room ? 2 * b->freed_room : 16;
		b->freed = mem_realloc(b->freed, b->freed_room, sizeof(*b->freed));
	}
	b->freed[b->freed_count++] = block;
}

void blocks_give(struct blocks *b, uint32_t block)
{
	static const uint32_t zero;

	/* A block that cannot be marked is not used again: found later, its rows could come back. */
	if (pwrite(b->fd, &zero, sizeof(zero), block_offset(block)) == sizeof(zero))
		blocks_note_free(b, block);
}
