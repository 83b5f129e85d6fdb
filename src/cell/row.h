/* row: the cells of one line of a screen, and their packed form for history. */
#ifndef HANDLER_CELL_ROW_H
#define HANDLER_CELL_ROW_H

#include "cell/cell.h"

enum row_flag {
	ROW_WRAPPED = 1 << 0,      /* the text goes on in the next row (autowrap, not a line feed) */
	ROW_PROMPT = 1 << 1,       /* OSC 133;A */
	ROW_OUTPUT = 1 << 2,       /* OSC 133;C */
	ROW_MARK = 1 << 3,         /* a line put in by us (cleared here, output lost here) */
	ROW_DOUBLE_WIDTH = 1 << 4, /* DECDWL, DECDHL: kept, drawn as text */
	ROW_SEEN = 1 << 5,         /* of a page on the alternate screen, from where it was seen to leave */
	ROW_GAP = 1 << 6,          /* with ROW_SEEN: rows before it may have passed unseen */
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
/*
 * Where the row's text ends: without trailing blanks; in a row whose text goes on in the next one
 * (ROW_WRAPPED) blanks that were typed belong to the text, and only columns never written (before a wide cell
 * that did not fit) do not.
 */
int row_text_end(const struct row *r);
/* Columns [from, to) as UTF-8, appended; trailing blanks dropped if trim. */
void row_text(const struct row *r, const struct cell_table *t, int from, int to, bool trim, struct buf *out);

/*
 * Packed: the row's value in at most ROW_PACKED_MAX bytes, little endian, with no reference to a table:
 *
 *     columns in use u16, flags u16, bytes of text u32, layouts u16, bytes of runs u16, links u16
 *     text: the cells' text as UTF-8; a blank is a space, a tail is nothing
 *     layouts: cells u16, kind u8, code points of each u8; none if every cell is one code point in one column
 *     runs: columns u16, fields u8, those fields of struct style that are not 0; none if all is default
 *     links: length of id u16, of URI u16, id, URI
 *
 * Read only by row_unpack and the functions after it, which check every bound and return -1 if the bytes
 * are not a packed row.  What is too much for ROW_PACKED_MAX is simplified: first the links go, then styles
 * and clusters.  A link without an id gets one when it is unpacked, so that equal ones are one link.
 */
enum { ROW_PACKED_MAX = 32768, ROW_PACKED_LINKS_MAX = 64 };
void row_pack(const struct row *r, const struct cell_table *t, struct buf *out);
/* Cells beyond out->cols are dropped, missing ones blank.  After -1 the row is blank. */
int row_unpack(const void *data, size_t len, struct cell_table *t, struct row *out);
/* Adds flags to a packed row. */
void row_packed_add_flags(void *data, size_t len, uint16_t flags);
/* The text alone, without a table: for search. */
int row_packed_text(const void *data, size_t len, const char **text, size_t *text_len, uint16_t *flags);
/* The column of the cell that holds the byte at `offset` of that text; the columns in use for its end. */
int row_packed_column(const void *data, size_t len, size_t offset);
/* The byte of that text where the cell at column `col` begins; the text's length beyond the last. */
size_t row_packed_offset(const void *data, size_t len, int col);
/* The columns in use. */
int row_packed_used(const void *data, size_t len);

#endif
