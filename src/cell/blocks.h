/*
 * blocks: a file of equal blocks that are taken, written through a mapping, read, and given back.  Knows
 * nothing of what is in a block but its first four bytes, which are 0 in one that is free.  Used by history.c
 * only.
 *
 * A block's space is allocated before it is mapped, so that a full disk is an error and not a SIGBUS.
 */
#ifndef HANDLER_CELL_BLOCKS_H
#define HANDLER_CELL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK_SIZE = 65536, BLOCKS_HEADER_SIZE = 4096 };

struct blocks {
	int fd;         /* -1: not open */
	uint32_t count; /* blocks that the file has */
	uint32_t *freed;
	uint32_t freed_count, freed_room;
};

#define BLOCKS_INIT                                                                                          \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

/* Takes over the descriptor.  blocks_load counts what is there. */
void blocks_init(struct blocks *b, int fd);
int blocks_load(struct blocks *b); /* 0 or an errno */
void blocks_close(struct blocks *b);

/* These five return 0 or an errno. */
int blocks_take(struct blocks *b, uint32_t *block);
int blocks_map(struct blocks *b, uint32_t block, void **mapping);
int blocks_read(const struct blocks *b, uint32_t block, size_t offset, void *data, size_t len);
/* All of it.  A process that is killed in between leaves a free block, or all. */
int blocks_write(struct blocks *b, uint32_t block, const void *data);
int blocks_clear(struct blocks *b); /* no block is left, nor the space */

void blocks_unmap(void *mapping); /* NULL is fine */
/* The block is free for the next blocks_take, and seen to be free by those who open the file later. */
void blocks_give(struct blocks *b, uint32_t block);
/* The same for a block found to be free when the file was opened. */
void blocks_note_free(struct blocks *b, uint32_t block);

#endif
