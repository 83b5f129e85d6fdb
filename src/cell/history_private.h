/* history_private: the state of a history, for history.c, and history_load.c, which makes it from a file. */
#ifndef HANDLER_CELL_HISTORY_PRIVATE_H
#define HANDLER_CELL_HISTORY_PRIVATE_H

#include "cell/blocks.h"
#include "cell/history.h"

enum {
	BLOCK_MAGIC = 0x314b4c42, /* "BLK1" */
	FILE_VERSION = 1,
	ROW_BYTES_MAX =
	    1024, /* per row of the limit: what the blocks may hold together, so that wide rows have an end */
	BLOCKS_MIN = 4,
	CACHED_BLOCKS = 2,
	PACKED_ROW_MIN = 14, /* row.h: the header of a packed row */
};

struct block_header {
	uint32_t magic;
	uint32_t spare;
	uint64_t first;     /* number of the first row */
	uint64_t sequence;  /* of two blocks with the same rows the later one counts */
	uint64_t committed; /* bytes in use, header included, << 32 | rows */
};

enum { ROWS_START = sizeof(struct block_header) };

/* What is known of a block without looking into it. */
struct block {
	uint64_t first, sequence;
	uint32_t rows, bytes;
	uint32_t number;
	bool in_memory; /* of history.memory, not history.file */
};

static inline uint64_t block_end(const struct block *b)
{
	return b->first + b->rows;
}

struct cache {
	struct {
		bool valid, in_memory;
		uint32_t number;
		uint64_t used; /* clock of the last use */
		uint8_t *data;
	} entry[CACHED_BLOCKS];
	uint64_t clock;
};

struct history {
	struct blocks file, memory; /* memory: for those without a file, and for what a file could not take */
	bool readonly;
	uint64_t limit; /* rows */
	size_t block_limit;
	uint64_t first, end;
	uint64_t sequence;
	struct block *block; /* block[0..count), oldest first */
	size_t count, room;
	uint8_t *newest; /* the mapping of the last one, or NULL */
	struct cache *cache;
	struct buf scratch;
	int error;
	uint32_t damaged;
};

struct block *history_list_add(struct history *h); /* room for one more, at the end of the list */

/* history_load.c */
int history_write_header(struct history *h); /* of the file; 0 or an errno; nothing without one */
/* Finds every row that was appended and not dropped.  -1 with err: it cannot be read, or is no history. */
int history_load(struct history *h, const char *name, struct err *err);

#endif
