/* screens: see screens.h. */
#include "term/screens.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/cursor.h"
#include "term/past.h"
#include "term/reflow.h"
#include "term/reply.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

enum { PULL_MAX = 4096 /* rows of one line that are taken back from history to be broken anew */ };

void screens_show(struct term *t, bool alternate)
{
	if (alternate == on_alternate(t))
		return;
	if (!alternate)
		seen_leave(t, false);
	if (alternate && t->alternate.rows == 0)
		grid_init(&t->alternate, t->rows, t->cols, t->clock);
	t->grid = alternate ? &t->alternate : &t->main;
	t->last.joinable = false;
	cursor_set(t, t->row, t->col);
	keyboard_update(t);
}

static int used_rows(const struct grid *g)
{
	int used = g->rows;

	while (used > 0 && row_used(g->row[used - 1]) == 0)
		used--;
	return used;
}

void screens_below(struct term *t)
{
	int used = used_rows(t->grid);

	margins_reset(t);
	if (used == t->rows) {
		scroll_up(t, 0, 1, true);
		used--;
	}
	cursor_set(t, used, 0);
}

void screens_leave(struct term *t)
{
	int used = used_rows(&t->alternate), from, to;
	bool gap = t->seen.gap;

	if (!on_alternate(t))
		return;
	seen_text_on_page(t, &from, &to);
	seen_leave(t, true);
	screens_show(t, false);
	pen_set(t, &(struct style){0});
	for (int i = 0; i < used; i++) {
		struct row *r;

		screens_below(t);
		r = touch(t, t->row);
		memcpy(r->cells, t->alternate.row[i]->cells, (size_t)t->cols * sizeof(*r->cells));
		r->flags = t->alternate.row[i]->flags;
		if (i >= from && i < to)
			r->flags |= gap && i == from ? ROW_SEEN | ROW_GAP : ROW_SEEN;
		if (row_used(r) == 0) /* an empty row between others is one, too */
			r->cells[0].glyph = ' ';
	}
	screens_below(t);
}

/* --- resizing --- */

/* The rows of the main screen on their way to another size. */
struct stack {
	struct row **row;
	int count, room;
};

static void stack_insert(struct stack *s, int at, struct row *const *rows, int count)
{
	if (s->count + count > s->room) {
		s->room = 2 * s->room + count;
		s->row = mem_realloc(s->row, (size_t)s->room, sizeof(*s->row));
	}
	memmove(&s->row[at + count], &s->row[at], (size_t)(s->count - at) * sizeof(*rows));
	memcpy(&s->row[at], rows, (size_t)count * sizeof(*rows));
	s->count += count;
}

static void stack_free(struct stack *s)
{
	for (int i = 0; i < s->count; i++)
		row_free(s->row[i]);
	free(s->row);
	*s = (struct stack){0};
}

/* Takes back the newest line of history and puts it on top. */
static void pull_line(struct term *t, struct stack *s)
{
	int pulled = 0;

	do {
		struct row *r = past_pull(t);

		stack_insert(s, 0, &r, 1);
	} while (++pulled < PULL_MAX && past_newest_is_wrapped(t));
}

/* Gives the rows another width; the places go along. */
static void rewrap(struct term *t, struct stack *s, int cols, struct reflow_place *places, int count)
{
	struct reflow flow = {0};

	reflow_rows(&flow, s->row, s->count, cols, t->clock, places, count);
	stack_free(s);
	*s = (struct stack){flow.row, flow.count, flow.room};
}

static void shift(struct reflow_place *places, int count, int by)
{
	for (int i = 0; i < count; i++)
		places[i].row += by;
}

/* Takes lines back until there are as many rows as wanted, or more. */
static void pull_until(
    struct term *t, struct stack *s, int wanted, int cols, struct reflow_place *places, int count)
{
	while (s->count < wanted && past_may_pull(t)) {
		struct stack line = {0};

		pull_line(t, &line);
		rewrap(t, &line, cols, NULL, 0);
		stack_insert(s, 0, line.row, line.count);
		shift(places, count, line.count);
		free(line.row);
	}
}

/* What is too much enters history, down to the row of the cursor; below it, it is lost. */
static void push_excess(struct term *t, struct stack *s, int rows, struct reflow_place *places, int count)
{
	int excess = clamp(s->count - rows, 0, places[count - 1].row);

	for (int i = 0; i < excess; i++) {
		past_push(t, s->row[i]);
		row_free(s->row[i]);
	}
	s->count -= excess;
	memmove(&s->row[0], &s->row[excess], (size_t)s->count * sizeof(*s->row));
	shift(places, count, -excess);
	while (s->count > rows)
		row_free(s->row[--s->count]);
}

/* The last place is the one that has to stay on the screen. */
static void resize_main(struct term *t, int rows, int cols, struct reflow_place *places, int count)
{
	struct grid *g = &t->main;
	int used = most(used_rows(g), places[count - 1].row + 1), blank = g->rows - used;
	struct stack s = {0};

	stack_insert(&s, 0, g->row, used);
	for (int i = used; i < g->rows; i++)
		row_free(g->row[i]);
	if (cols != g->cols) {
		if (past_newest_is_wrapped(t)) {
			pull_line(t, &s);
			shift(places, count, s.count - used);
		}
		rewrap(t, &s, cols, places, count);
	}
	pull_until(t, &s, rows - blank, cols, places, count);
	push_excess(t, &s, rows, places, count);
	while (s.count < rows)
		stack_insert(&s, s.count, &(struct row *){row_new(cols, t->clock)}, 1);
	free(g->row);
	*g = (struct grid){.rows = rows, .cols = cols, .row = s.row};
}

void screens_resize(struct term *t, int rows, int cols)
{
	struct saved_cursor *saved = &t->saved[0];
	struct reflow_place places[2] = {
	    {least(saved->row, t->rows - 1), least(saved->col, t->cols - 1), saved->wrap_pending},
	    {t->row, t->col, t->wrap_pending},
	};
	int old_cols = t->cols;

	if (t->alternate.rows > 0)
		grid_resize(&t->alternate, rows, cols, t->clock);
	resize_main(t, rows, cols, places, on_alternate(t) ? 1 : 2);
	t->rows = rows;
	t->cols = cols;
	saved->row = most(places[0].row, 0);
	saved->col = places[0].col;
	saved->wrap_pending = places[0].wrap_pending;
	cursor_set(t, places[1].row, places[1].col);
	t->wrap_pending = !on_alternate(t) && places[1].wrap_pending;
	t->last.joinable = false;
	margins_reset(t);
	tabs_resize(t, old_cols);
}
