/* row: the cells of one line of a screen, and their packed form for history. */
#ifndef HANDLER_CELL_ROW_H
#define HANDLER_CELL_ROW_H

#include "cell/cell.h"

enum row_flag {
	ROW_WRAPPED = 1 << 0,     /* the text goes on in the next row (autowrap, not a line feed) */
	ROW_PROMPT = 1 << 1,      /* OSC 133;A */
	ROW_OUTPUT = 1 << 2,      /* OSC 133;C */
	ROW_MARK = 1 << 3,        /* a line put in by us (cleared here, output lost here) */
	ROW_DOUBLE_WIDTH = 1 << 4,/* DECDWL, DECDHL: kept, drawn as text */
};

struct row {
	struct cell *cells; /* cols of them */
	uint64_t version;   /* of the screen's clock when it last changed */
	int cols;
	uint16_t flags;
	uint16_t spare;
};

/* A row of blank cells in `style` (its background; 0: default). */
void row_init(struct row *r, int cols, uint32_t style);
void row_finish(struct row *r);
/* Truncates or extends with blanks in the default style; a wide head whose tail is cut becomes blank. */
void row_resize(struct row *r, int cols);
/* Blanks [from, to) in `style`; halves of wide cells at both borders become blanks in their own style. */
void row_erase(struct row *r, int from, int to, uint32_t style);
/* The number of columns up to the last one that is not a default blank. */
int row_used(const struct row *r);
/* Columns [from, to) as UTF-8, appended; trailing blanks dropped if trim. */
void row_text(const struct row *r, const struct cell_table *t, int from, int to, bool trim, struct buf *out);

/*
 * Packed: a header (columns used u16, flags u16, bytes of text u32, runs u16), the text as UTF-8 with one NUL-free
 * cluster a cell, then style runs by value (length in columns, struct style with the link as URI reference omitted),
 * so that a packed row needs no table.  Read only by row_unpack.  Written little endian.
 * row_unpack checks every bound: -1 if the bytes are not a packed row.  Cells beyond cols are dropped, missing ones blank.
 */
void row_pack(const struct row *r, const struct cell_table *t, struct buf *out);
int row_unpack(const void *data, size_t len, struct cell_table *t, struct row *out);
/* The text alone, without a table: for search.  Returns -1 if the bytes are not a packed row. */
int row_packed_text(const void *data, size_t len, const char **text, size_t *text_len, uint16_t *flags);

#endif
