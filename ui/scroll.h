/* scroll: finding out, from hashes of its rows before and now, that a part of a rectangle has moved up or
 * down.  Pure. */
#ifndef HANDLER_UI_SCROLL_H
#define HANDLER_UI_SCROLL_H

#include <stdbool.h>
#include <stdint.h>

/* Rows [first, first + rows) moved up by `lines` (down if negative); abs(lines) < rows. */
struct scroll_guess {
	int first, rows, lines;
};

enum { SCROLL_MIN_ROWS = 3 /* as many rows must be found again for it to be a movement */ };

/* A hash of 0 is a blank or unknown row: it proves nothing.  false: nothing has moved. */
bool scroll_guess(const uint64_t *before, const uint64_t *now, int rows, struct scroll_guess *out);

#endif
