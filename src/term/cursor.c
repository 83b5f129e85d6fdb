/* cursor: see cursor.h.  Margins and origin mode after DEC STD 070; reverse wrap after xterm. */
#include "term/cursor.h"

#include <string.h>

#include "base/mem.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

enum { TAB_WIDTH = 8 };

void cursor_set(struct term *t, int row, int col)
{
	t->row = clamp(row, 0, t->rows - 1);
	t->col = clamp(col, 0, t->cols - 1);
	t->wrap_pending = false;
}

void cursor_address(struct term *t, int row, int col)
{
	if (mode(t, MODE_ORIGIN))
		cursor_set(
		    t, clamp(row + t->top, t->top, t->bottom), clamp(col + t->left, t->left, t->right));
	else
		cursor_set(t, row, col);
}

void cursor_up(struct term *t, int count)
{
	int limit = t->row >= t->top ? t->top : 0;

	cursor_set(t, most(t->row - count, limit), t->col);
}

void cursor_down(struct term *t, int count)
{
	int limit = t->row <= t->bottom ? t->bottom : t->rows - 1;

	cursor_set(t, least(t->row + count, limit), t->col);
}

void cursor_right(struct term *t, int count)
{
	int limit = t->col <= t->right ? t->right : t->cols - 1;

	cursor_set(t, t->row, least(t->col + count, limit));
}

/*
 * To the end of the row above.  Mode 45 goes only where the text went on from there; mode 1045 anywhere, and
 * from the top to the bottom.
 */
static bool wrap_back(struct term *t)
{
	int top = t->row >= t->top ? t->top : 0;
	int bottom = t->row >= t->top && t->row <= t->bottom ? t->bottom : t->rows - 1;

	if (!mode(t, MODE_AUTOWRAP))
		return false;
	if (mode(t, MODE_EXTENDED_WRAP)) {
		t->row = t->row > top ? t->row - 1 : bottom;
	} else if (mode(t, MODE_REVERSE_WRAP) && t->row > top &&
		   t->grid->row[t->row - 1]->flags & ROW_WRAPPED) {
		t->row--;
	} else {
		return false;
	}
	t->col = t->right;
	return true;
}

void cursor_left(struct term *t, int count)
{
	bool wraps = mode(t, MODE_AUTOWRAP) && (mode(t, MODE_REVERSE_WRAP) || mode(t, MODE_EXTENDED_WRAP));

	if (!wraps) {
		cursor_set(t, t->row, most(t->col - count, t->col >= t->left ? t->left : 0));
		return;
	}
	if (t->wrap_pending)
		count--;
	t->wrap_pending = false;
	count = least(count, t->rows * t->cols);
	while (count > 0) {
		int limit = t->col >= t->left ? t->left : 0, step = least(count, t->col - limit);

		t->col -= step;
		count -= step;
		if (count > 0 && !wrap_back(t))
			return;
		count--;
	}
}

void cursor_return(struct term *t)
{
	bool before = t->col < t->left && !mode(t, MODE_ORIGIN);

	cursor_set(t, t->row, before ? 0 : t->left);
}

void cursor_index(struct term *t)
{
	if (t->row != t->bottom)
		cursor_set(t, t->row + 1, t->col);
	else if (margins_hold_cursor(t))
		scroll_up(t, t->top, 1, true);
	t->wrap_pending = false;
}

void cursor_reverse_index(struct term *t)
{
	if (t->row != t->top)
		cursor_set(t, t->row - 1, t->col);
	else if (margins_hold_cursor(t))
		scroll_down(t, t->top, 1);
	t->wrap_pending = false;
}

/* --- tabs --- */

void cursor_tab(struct term *t, int count)
{
	int limit = t->col <= t->right ? t->right : t->cols - 1, col = t->col;

	for (; count > 0 && col < limit; count--) {
		do {
			col++;
		} while (col < limit && !t->tabs[col]);
	}
	cursor_set(t, t->row, col);
}

void cursor_backtab(struct term *t, int count)
{
	int limit = mode(t, MODE_ORIGIN) ? t->left : 0, col = t->col;

	for (; count > 0 && col > limit; count--) {
		do {
			col--;
		} while (col > limit && !t->tabs[col]);
	}
	cursor_set(t, t->row, col);
}

static void default_stops(struct term *t, int from)
{
	for (int col = from; col < t->cols; col++)
		t->tabs[col] = col % TAB_WIDTH == 0;
}

void tabs_reset(struct term *t)
{
	t->tabs = mem_realloc(t->tabs, (size_t)t->cols, 1);
	default_stops(t, 0);
}

void tabs_clear(struct term *t)
{
	memset(t->tabs, 0, (size_t)t->cols);
}

void tabs_resize(struct term *t, int old_cols)
{
	t->tabs = mem_realloc(t->tabs, (size_t)t->cols, 1);
	default_stops(t, least(old_cols, t->cols));
}

/* --- DECSC, DECRC --- */

void cursor_save(struct term *t)
{
	t->saved[on_alternate(t)] = (struct saved_cursor){
	    .row = t->row,
	    .col = t->col,
	    .wrap_pending = t->wrap_pending,
	    .origin = mode(t, MODE_ORIGIN),
	    .pen = t->pen,
	    .charsets = t->charsets,
	};
}

void cursor_restore(struct term *t)
{
	const struct saved_cursor *s = &t->saved[on_alternate(t)];
	int row = s->row;

	t->modes = s->origin ? t->modes | 1ull << MODE_ORIGIN : t->modes & ~(1ull << MODE_ORIGIN);
	if (s->origin)
		row = clamp(row, t->top, t->bottom);
	cursor_set(t, row, s->col);
	t->wrap_pending = s->wrap_pending && s->col == t->col;
	pen_set(t, &s->pen);
	t->charsets = s->charsets;
	charset_update(t);
}

void cursor_save_reset(struct term *t)
{
	memset(t->saved, 0, sizeof(t->saved));
}
