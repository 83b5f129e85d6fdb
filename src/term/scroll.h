/* scroll: margins, moving rows inside them, and what leaves the top of the main screen for history. */
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

/*
 * The screen is about to be cleared as a whole: its text enters history first, so that no line is lost.  Not
 * inside of a synchronized update: there it is the first half of a program's next frame.
 */
void scroll_keep_screen(struct term *t);
/* CSI 3 J, RIS: history is dropped, or kept with a mark, as was asked for at creation. */
void scroll_clear_history(struct term *t);

uint64_t scroll_top(const struct term *t); /* stable number of the screen's first row */
/* Pushes one row; for those who rearrange the screen.  Nothing comes of it in a quiet feed. */
struct row;
void scroll_push(struct term *t, const struct row *r);

#endif
