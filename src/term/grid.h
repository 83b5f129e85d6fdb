/*
 * grid: the rows of one screen buffer, from the top.
 *
 * A row that moves keeps its object, its cells and its version; only pointers move.  So a scroll costs one
 * blank row and a few bytes, whatever is in the others.  Knows nothing of cursor, margins, history or styles.
 */
#ifndef HANDLER_TERM_GRID_H
#define HANDLER_TERM_GRID_H

#include "cell/row.h"

struct grid {
	int rows, cols; /* 0 x 0: not made yet */
	struct row **row;
};

void grid_init(struct grid *g, int rows, int cols, uint64_t version);
void grid_finish(struct grid *g);

/*
 * Moves rows [top, bottom) up by count (down if negative), |count| <= bottom - top.  The rows pushed out come
 * back at the other end, still with what they held: the caller makes them blank.
 */
void grid_rotate(struct grid *g, int top, int bottom, int count);

/* Takes in or gives away rows at the bottom; cols of every row.  Rows that are touched get the version. */
void grid_resize(struct grid *g, int rows, int cols, uint64_t version);

struct row *row_new(int cols, uint64_t version); /* blank; row_free takes it */
void row_free(struct row *r);
void row_blank(struct row *r, uint32_t style, uint64_t version); /* all cells, and the flags */

/* No wide character may reach over the left border of column col: both halves of one that does become blank.
 */
static inline void row_cut(struct row *r, int col)
{
	if (col > 0 && col < r->cols && r->cells[col].glyph & GLYPH_TAIL) {
		r->cells[col - 1].glyph = 0;
		r->cells[col].glyph = 0;
	}
}

static inline void cells_fill(struct cell *cells, int count, struct cell value)
{
	for (int i = 0; i < count; i++)
		cells[i] = value;
}

#endif
