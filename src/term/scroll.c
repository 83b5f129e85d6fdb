/* scroll: see scroll.h.  What enters history is xterm's and tmux's choice: also from a region with a bottom
 * margin, and by SU. */
#include "term/scroll.h"

#include <string.h>

#include "term/past.h"
#include "term/sgr.h"
#include "term/state.h"

/* --- margins --- */

void margins_reset(struct term *t)
{
	t->top = t->left = 0;
	t->bottom = t->rows - 1;
	t->right = t->cols - 1;
}

bool margins_set_rows(struct term *t, int top, int bottom)
{
	if (bottom >= t->rows)
		bottom = t->rows - 1;
	if (top < 0 || top >= bottom)
		return false;
	t->top = top;
	t->bottom = bottom;
	return true;
}

bool margins_set_columns(struct term *t, int left, int right)
{
	if (right >= t->cols)
		right = t->cols - 1;
	if (left < 0 || left >= right)
		return false;
	t->left = left;
	t->right = right;
	return true;
}

bool margins_hold_cursor(const struct term *t)
{
	return t->row >= t->top && t->row <= t->bottom && t->col >= t->left && t->col <= t->right;
}

static bool full_width(const struct term *t)
{
	return t->left == 0 && t->right == t->cols - 1;
}

/* --- moving rows --- */

/* The row above `row` is no longer continued by the one that stands there. */
static void break_above(struct term *t, int row)
{
	if (row > 0 && t->grid->row[row - 1]->flags & ROW_WRAPPED)
		touch(t, row - 1)->flags &= (uint16_t)~ROW_WRAPPED;
}

/* Both margins cut through the row; the columns between them are about to change. */
static struct row *open_columns(struct term *t, int row)
{
	struct row *r = touch(t, row);

	row_cut(r, t->left);
	row_cut(r, t->right + 1);
	r->flags &= (uint16_t)~ROW_WRAPPED;
	return r;
}

static void copy_columns(struct term *t, int to, int from)
{
	struct row *target = open_columns(t, to), *source = open_columns(t, from);

	memcpy(&target->cells[t->left], &source->cells[t->left],
	    (size_t)(t->right - t->left + 1) * sizeof(struct cell));
}

static void blank_columns(struct term *t, int row)
{
	struct row *r = open_columns(t, row);

	cells_fill(&r->cells[t->left], t->right - t->left + 1, (struct cell){.style = pen_blank(t)});
}

void scroll_up(struct term *t, int from, int count, bool keep)
{
	int end = t->bottom + 1;

	count = least(count, end - from);
	if (count <= 0)
		return;
	if (!full_width(t)) {
		for (int i = from; i < end - count; i++)
			copy_columns(t, i, i + count);
		for (int i = end - count; i < end; i++)
			blank_columns(t, i);
		return;
	}
	break_above(t, from);
	for (int i = 0; keep && from == 0 && !on_alternate(t) && i < count; i++)
		past_push(t, t->grid->row[i]);
	grid_rotate(t->grid, from, end, count);
	for (int i = end - count; i < end; i++)
		row_blank(t->grid->row[i], pen_blank(t), t->clock);
}

void scroll_down(struct term *t, int from, int count)
{
	int end = t->bottom + 1;

	count = least(count, end - from);
	if (count <= 0)
		return;
	if (!full_width(t)) {
		for (int i = end - 1; i >= from + count; i--)
			copy_columns(t, i, i - count);
		for (int i = from; i < from + count; i++)
			blank_columns(t, i);
		return;
	}
	break_above(t, from);
	break_above(t, end - count);
	grid_rotate(t->grid, from, end, -count);
	for (int i = from; i < from + count; i++)
		row_blank(t->grid->row[i], pen_blank(t), t->clock);
}
