/* edit: see edit.h.  ECMA-48 8.3.64 (ICH), 8.3.26 (DCH), 8.3.67 (IL), 8.3.32 (DL); VT420 manual for columns.
 */
#include "term/edit.h"

#include <string.h>

#include "term/cursor.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

static void fill(struct term *t, struct row *r, int col, int count)
{
	cells_fill(&r->cells[col], count, (struct cell){.style = pen_blank(t)});
	if (t->right == t->cols - 1)
		r->flags &= (uint16_t)~ROW_WRAPPED;
}

void edit_open(struct term *t, struct row *r, int col, int count)
{
	int end = t->right + 1;

	count = least(count, end - col);
	row_cut(r, col);
	row_cut(r, end);
	row_cut(r, end - count);
	memmove(&r->cells[col + count], &r->cells[col], (size_t)(end - col - count) * sizeof(*r->cells));
	fill(t, r, col, count);
}

void edit_close(struct term *t, struct row *r, int col, int count)
{
	int end = t->right + 1;

	count = least(count, end - col);
	row_cut(r, col);
	row_cut(r, end);
	row_cut(r, col + count);
	memmove(&r->cells[col], &r->cells[col + count], (size_t)(end - col - count) * sizeof(*r->cells));
	fill(t, r, end - count, count);
}

void edit_insert_characters(struct term *t, int count)
{
	if (t->col >= t->left && t->col <= t->right)
		edit_open(t, touch(t, t->row), t->col, count);
	t->wrap_pending = false;
}

void edit_delete_characters(struct term *t, int count)
{
	if (t->col >= t->left && t->col <= t->right)
		edit_close(t, touch(t, t->row), t->col, count);
	t->wrap_pending = false;
}

void edit_insert_lines(struct term *t, int count)
{
	if (!margins_hold_cursor(t))
		return;
	scroll_down(t, t->row, count);
	cursor_set(t, t->row, t->left);
}

void edit_delete_lines(struct term *t, int count)
{
	if (!margins_hold_cursor(t))
		return;
	scroll_up(t, t->row, count, false);
	cursor_set(t, t->row, t->left);
}

static void open_rows(struct term *t, int col, int count)
{
	for (int row = t->top; row <= t->bottom; row++)
		edit_open(t, touch(t, row), col, count);
}

static void close_rows(struct term *t, int col, int count)
{
	for (int row = t->top; row <= t->bottom; row++)
		edit_close(t, touch(t, row), col, count);
}

void edit_insert_columns(struct term *t, int count)
{
	if (margins_hold_cursor(t))
		open_rows(t, t->col, count);
	t->wrap_pending = false;
}

void edit_delete_columns(struct term *t, int count)
{
	if (margins_hold_cursor(t))
		close_rows(t, t->col, count);
	t->wrap_pending = false;
}

void edit_shift_left(struct term *t, int count)
{
	if (margins_hold_cursor(t))
		close_rows(t, t->left, count);
	t->wrap_pending = false;
}

void edit_shift_right(struct term *t, int count)
{
	if (margins_hold_cursor(t))
		open_rows(t, t->left, count);
	t->wrap_pending = false;
}

void edit_back_index(struct term *t)
{
	if (t->col == t->left && margins_hold_cursor(t))
		open_rows(t, t->left, 1);
	else if (t->col > 0 && t->col != t->left)
		cursor_set(t, t->row, t->col - 1);
}

void edit_forward_index(struct term *t)
{
	if (t->col == t->right && margins_hold_cursor(t))
		close_rows(t, t->left, 1);
	else if (t->col < t->cols - 1 && t->col != t->right)
		cursor_set(t, t->row, t->col + 1);
}
