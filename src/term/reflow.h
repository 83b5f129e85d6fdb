/*
 * reflow: rows of one width become rows of another: lines of text are broken anew where they wrapped.  Pure.
 *
 * A line is a row and those that it is continued in (ROW_WRAPPED).  What trails behind its text, erased cells
 * with a background, is no text: it is cut rather than wrapped, and goes on to the edge when the edge moves
 * away from it.
 */
#ifndef HANDLER_TERM_REFLOW_H
#define HANDLER_TERM_REFLOW_H

#include "cell/row.h"

/* A place that is carried along: where a cursor is. */
struct reflow_place {
	int row, col;
	bool wrap_pending;
};

struct reflow {
	struct row **row; /* new ones */
	int count, room;
};

/* Appends what `count` rows become in `cols` columns; the places, in terms of the rows given, become those of
 * the result. */
void reflow_rows(struct reflow *out, struct row *const *rows, int count, int cols, uint64_t version,
    struct reflow_place *places, int place_count);
void reflow_finish(struct reflow *r); /* frees the rows that are still there, too */

#endif
