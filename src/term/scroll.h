/* scroll: margins, and moving rows inside them. */
#ifndef HANDLER_TERM_SCROLL_H
#define HANDLER_TERM_SCROLL_H

#include <stdbool.h>
#include <stdint.h>

struct term;

/* The whole screen again. */
void margins_reset(struct term *t);
/* DECSTBM and DECSLRM, 0-based and inclusive; false if they do not fit (then nothing changes). */
bool margins_set_rows(struct term *t, int top, int bottom);
bool margins_set_columns(struct term *t, int left, int right);
bool margins_hold_cursor(const struct term *t); /* the cursor is inside of all four */

/*
 * Rows [from, bottom margin] move up by count, between the left and right margins.  What leaves the first row
 * of the main screen enters history if `keep`, and the rows are whole.
 */
void scroll_up(struct term *t, int from, int count, bool keep);
void scroll_down(struct term *t, int from, int count);

#endif
