/*
 * display_surface: surfaces: their life, their place in the stack, a line of cells put into one.
 *
 * Owns: the windows, and that no half of a wide glyph stays beside what is put.  Must not know: what the
 * cells show (display_cells.c, display_text.c), how surfaces become a frame (display_frame.c).
 */
#include <stdlib.h>

#include "ui/display_private.h"

/* --- surfaces --- */

/* Cuts [*from, *from + *count) to the screen; what is wholly outside becomes one cell at the border. */
static void fit(int *from, int *count, int limit)
{
	if (clip(from, count, limit))
		return;
	*count = 1;
	*from = *from < limit ? *from : limit - 1;
}

struct surface *surface_create(struct display *d, int row, int col, int rows, int cols)
{
	struct surface *s = mem_zalloc(1, sizeof(*s));
	locale_t former = enter(d);

	fit(&row, &rows, d->curses_rows);
	fit(&col, &cols, d->curses_cols);
	*s = (struct surface){.display = d, .row = row, .col = col, .rows = rows, .cols = cols};
	set_term(d->screen);
	s->window = newwin(rows, cols, row, col);
	if (!s->window)
		mem_exhausted((size_t)rows * (size_t)cols * sizeof(cchar_t));
	leaveok(s->window, TRUE);
	s->before = mem_zalloc((size_t)rows, sizeof(*s->before));
	s->now = mem_zalloc((size_t)rows, sizeof(*s->now));
	d->stack = mem_realloc(d->stack, d->stack_count + 1, sizeof(struct surface *));
	d->stack[d->stack_count++] = s;
	d->restacked = true;
	leave(former);
	return s;
}

void surface_free(struct surface *s)
{
	delwin(s->window);
	free(s->before);
	free(s->now);
	free(s);
}

/* Takes a surface out of the stack. */
static void unstack(struct surface *s)
{
	struct display *d = s->display;
	size_t i = 0;

	while (d->stack[i] != s)
		i++;
	d->stack_count--;
	memmove(&d->stack[i], &d->stack[i + 1], (d->stack_count - i) * sizeof(struct surface *));
	d->restacked = true;
}

void surface_destroy(struct surface *s)
{
	locale_t former;

	if (!s)
		return;
	former = enter(s->display);
	set_term(s->display->screen);
	unstack(s);
	surface_free(s);
	leave(former);
}

void surface_raise(struct surface *s)
{
	unstack(s);
	s->display->stack[s->display->stack_count++] = s;
}

int surface_rows(const struct surface *s)
{
	return s->rows;
}

int surface_cols(const struct surface *s)
{
	return s->cols;
}

int surface_row(const struct surface *s)
{
	return s->row;
}

int surface_col(const struct surface *s)
{
	return s->col;
}

/* --- putting cells into a surface --- */

static void put_one(struct surface *s, int row, int col, const cchar_t *c)
{
	mvwadd_wchnstr(s->window, row, col, c, 1);
}

static void blank_one(struct surface *s, int row, int col)
{
	cchar_t c;

	mvwin_wch(s->window, row, col, &c);
	c = display_cell_in(s->display, cell_style(&c));
	put_one(s, row, col, &c);
}

static bool tail_at(struct surface *s, int row, int col)
{
	cchar_t c;

	if (col < 0 || col >= s->cols)
		return false;
	mvwin_wch(s->window, row, col, &c);
	return is_tail(&c);
}

static bool same_cell(const cchar_t *a, const cchar_t *b)
{
	return a->chars[0] == b->chars[0] && cell_style(a) == cell_style(b);
}

/* Leaves the cells at both ends alone that are there already: what is not touched curses need not look at. */
static void put_changed(struct surface *s, int row, int col, int count)
{
	const cchar_t *now = s->display->line, *old = s->display->line_old;
	int first = 0;

	mvwin_wchnstr(s->window, row, col, s->display->line_old, count);
	while (first < count && same_cell(&now[first], &old[first]))
		first++;
	while (count > first && same_cell(&now[count - 1], &old[count - 1]))
		count--;
	if (first < count)
		mvwadd_wchnstr(s->window, row, col + first, now + first, count - first);
}

/* The first `count` cells of display->line; what they cut in half becomes blank. */
void surface_put_line(struct surface *s, int row, int col, int count)
{
	if (count <= 0)
		return;
	if (col > 0 && tail_at(s, row, col))
		blank_one(s, row, col - 1);
	if (tail_at(s, row, col + count))
		blank_one(s, row, col + count);
	put_changed(s, row, col, count);
}
