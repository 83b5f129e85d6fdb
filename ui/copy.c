/* copy: see copy.h. */
#include "ui/copy.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/bindings.h"

struct copy {
	struct screen screen; /* frozen: its rows are ours */
	struct row *rows_of_screen;
	copy_history *history;
	void *context;
	int rows, cols; /* of the pane's content */
	uint64_t first; /* number of the first row shown */
	struct position cursor;
	int wish; /* the column that moving up and down tries to keep */
	bool selecting;
	struct selection selection;
};

/* --- the tables of keys --- */

static const struct {
	const char *both, *vi, *emacs, *help;
} actions[COPY_ACTION_COUNT] = {
#define X(id, both, vi, emacs, help) [id] = {both, vi, emacs, help},
    COPY_ACTIONS(X)
#undef X
};

static bool named_in(const char *keys, const struct key *k)
{
	char name[KEY_NAME_MAX];
	struct chord c;

	for (keys += strspn(keys, " "); *keys; keys += strspn(keys, " ")) {
		size_t len = strcspn(keys, " ");

		snprintf(name, sizeof(name), "%.*s", (int)len, keys);
		if (chord_parse(name, &c) && chord_matches(&c, k))
			return true;
		keys += len;
	}
	return false;
}

/* A table's own keys come before those that both have. */
enum copy_action copy_action_of(const struct key *k, bool vi)
{
	for (int i = 0; i < COPY_ACTION_COUNT; i++)
		if (named_in(vi ? actions[i].vi : actions[i].emacs, k))
			return (enum copy_action)i;
	for (int i = 0; i < COPY_ACTION_COUNT; i++)
		if (named_in(actions[i].both, k))
			return (enum copy_action)i;
	return COPY_NO_ACTION;
}

void copy_action_keys(enum copy_action a, bool vi, struct buf *out)
{
	const char *own = vi ? actions[a].vi : actions[a].emacs;

	buf_printf(out, "%s%s%s", actions[a].both, *own && *actions[a].both ? " " : "", own);
}

const char *copy_action_help(enum copy_action a)
{
	return actions[a].help;
}

void copy_actions_print(struct buf *out)
{
	buf_printf(out, ".Bd -literal\n  %-14s %-8s %-12s %s\n", "both", "vi", "emacs", "does");
	for (int i = 0; i < COPY_ACTION_COUNT; i++)
		buf_printf(out, "  %-14s %-8s %-12s %s\n", actions[i].both, actions[i].vi, actions[i].emacs,
		    actions[i].help);
	buf_adds(out, ".Ed\n");
}

/* --- the frozen screen --- */

static void freeze(struct copy *c, const struct screen *s)
{
	c->screen = *s;
	c->screen.palette = NULL;
	c->rows_of_screen = mem_zalloc((size_t)s->rows, sizeof(struct row));
	c->screen.row = mem_zalloc((size_t)s->rows, sizeof(struct row *));
	for (int i = 0; i < s->rows; i++) {
		const struct row *from = s->row[i];
		struct row *to = &c->rows_of_screen[i];

		row_init(to, from->cols, 0);
		memcpy(to->cells, from->cells, (size_t)from->cols * sizeof(struct cell));
		to->flags = from->flags;
		to->version = from->version;
		c->screen.row[i] = to;
	}
}

static uint64_t end_of(const struct copy *c)
{
	return c->screen.top + (uint64_t)c->screen.rows;
}

static uint64_t oldest(const struct copy *c)
{
	return c->screen.history_first;
}

/* The largest `first` at which the newest row is in view. */
static uint64_t bottom_first(const struct copy *c)
{
	uint64_t end = end_of(c), rows = (uint64_t)c->rows;

	return end > oldest(c) + rows ? end - rows : oldest(c);
}

struct copy *copy_create(
    const struct screen *screen, int rows, int cols, copy_history *history, void *context)
{
	struct copy *c = mem_zalloc(1, sizeof(*c));

	freeze(c, screen);
	c->history = history;
	c->context = context;
	c->rows = rows > 0 ? rows : 1;
	c->cols = cols > 0 ? cols : 1;
	c->first = bottom_first(c);
	c->cursor = (struct position){screen->top + (uint64_t)screen->cursor.row, screen->cursor.col};
	c->wish = c->cursor.col;
	copy_move_to(c, c->cursor);
	return c;
}

void copy_destroy(struct copy *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->screen.rows; i++)
		row_finish(&c->rows_of_screen[i]);
	free(c->rows_of_screen);
	free(c->screen.row);
	free(c);
}

void copy_mark_cells(const struct copy *c)
{
	for (int i = 0; i < c->screen.rows; i++)
		table_mark_cells(
		    c->screen.table, c->rows_of_screen[i].cells, (size_t)c->rows_of_screen[i].cols);
}

static const struct row *row_at(const struct copy *c, uint64_t number)
{
	if (number >= c->screen.top)
		return number < end_of(c) ? c->screen.row[number - c->screen.top] : NULL;
	return number >= oldest(c) && c->history ? c->history(c->context, number) : NULL;
}

/* --- moving --- */

static void keep_in_range(struct copy *c)
{
	uint64_t first = oldest(c), end = end_of(c);

	if (c->cursor.row < first)
		c->cursor.row = first;
	if (c->cursor.row >= end)
		c->cursor.row = end - 1;
	if (c->first > bottom_first(c))
		c->first = bottom_first(c);
	if (c->first < first)
		c->first = first;
}

static void keep_in_view(struct copy *c)
{
	keep_in_range(c);
	if (c->cursor.row < c->first)
		c->first = c->cursor.row;
	if (c->cursor.row >= c->first + (uint64_t)c->rows)
		c->first = c->cursor.row - (uint64_t)c->rows + 1;
}

void copy_resize(struct copy *c, int rows, int cols)
{
	bool bottom = copy_at_bottom(c);

	c->rows = rows > 0 ? rows : 1;
	c->cols = cols > 0 ? cols : 1;
	if (bottom)
		c->first = bottom_first(c);
	keep_in_view(c);
}

void copy_set_first(struct copy *c, uint64_t first)
{
	if (first <= c->screen.history_first || first > c->screen.top)
		return;
	c->screen.history_first = first;
	keep_in_view(c);
}

bool copy_at_bottom(const struct copy *c)
{
	return c->first >= bottom_first(c);
}

/* Columns that hold something: the cursor goes to the last of them, or stays at 0. */
static int last_col(const struct copy *c, uint64_t number)
{
	const struct row *r = row_at(c, number);
	int used = r ? row_used(r) : 0;

	return used > 0 ? used - 1 : 0;
}

/* Never on the second half of a wide cell. */
static int whole_cell(const struct copy *c, struct position p)
{
	const struct row *r = row_at(c, p.row);

	if (r && p.col > 0 && p.col < r->cols && r->cells[p.col].glyph & GLYPH_TAIL)
		return p.col - 1;
	return p.col;
}

static void settle(struct copy *c)
{
	int last;

	keep_in_view(c);
	last = last_col(c, c->cursor.row);
	c->cursor.col = c->wish < last ? c->wish : last;
	if (c->cursor.col < 0)
		c->cursor.col = 0;
	c->cursor.col = whole_cell(c, c->cursor);
}

void copy_move_to(struct copy *c, struct position p)
{
	c->cursor = p;
	c->wish = p.col;
	keep_in_view(c);
}

static bool move_rows(struct copy *c, int64_t by)
{
	uint64_t old = c->cursor.row, first = oldest(c), newest = end_of(c) - 1;

	if (by < 0)
		c->cursor.row = old - first > (uint64_t)-by ? old - (uint64_t)-by : first;
	else
		c->cursor.row = newest - old > (uint64_t)by ? old + (uint64_t)by : newest;
	settle(c);
	return c->cursor.row != old;
}

static uint64_t shifted(const struct copy *c, int64_t by)
{
	uint64_t first = oldest(c), bottom = bottom_first(c);

	if (by < 0)
		return c->first - first > (uint64_t)-by ? c->first - (uint64_t)-by : first;
	return c->first + (uint64_t)by < bottom ? c->first + (uint64_t)by : bottom;
}

/* The view and the cursor together, so that the cursor keeps its place in the pane. */
bool copy_scroll(struct copy *c, int rows)
{
	uint64_t to = shifted(c, rows);
	int64_t moved = (int64_t)(to - c->first);

	c->first = to;
	c->cursor.row += (uint64_t)moved;
	settle(c);
	return moved != 0;
}

/* A page moves the view; where there is nothing left to scroll the cursor goes to the end. */
static bool page(struct copy *c, int rows)
{
	return copy_scroll(c, rows) || move_rows(c, rows);
}

/* The view alone: the cursor stays on its row as long as that is shown. */
static bool slide(struct copy *c, int rows)
{
	uint64_t to = shifted(c, rows);
	bool moved = to != c->first;

	c->first = to;
	if (c->cursor.row < to)
		c->cursor.row = to;
	if (c->cursor.row >= to + (uint64_t)c->rows)
		c->cursor.row = to + (uint64_t)c->rows - 1;
	settle(c);
	return moved;
}

static bool to_col(struct copy *c, int col)
{
	int old = c->cursor.col;

	c->wish = col;
	settle(c);
	return c->cursor.col != old;
}

/* One column; over the border of rows, as tmux does. */
static bool step_left(struct copy *c)
{
	if (c->cursor.col > 0)
		return to_col(c, c->cursor.col - 1);
	if (c->cursor.row == oldest(c))
		return false;
	c->cursor.row--;
	c->wish = INT32_MAX;
	settle(c);
	c->wish = c->cursor.col;
	return true;
}

static int cell_cols(const struct copy *c, struct position p)
{
	const struct row *r = row_at(c, p.row);

	return r && p.col < r->cols && r->cells[p.col].glyph & GLYPH_WIDE ? 2 : 1;
}

static bool step_right(struct copy *c)
{
	int next = c->cursor.col + cell_cols(c, c->cursor);

	if (next <= last_col(c, c->cursor.row))
		return to_col(c, next);
	if (c->cursor.row + 1 >= end_of(c))
		return false;
	c->cursor.row++;
	return to_col(c, 0) || true;
}

static bool go(struct copy *c, struct position p)
{
	bool moved = position_compare(p, c->cursor) != 0;

	copy_move_to(c, p);
	return moved;
}

/* To where one of the functions of cell/select.h leads. */
static bool by_word(struct copy *c, bool (*step)(struct position *at, const struct row_source *source))
{
	struct row_source source = copy_source(c);
	struct position p = c->cursor;

	return step(&p, &source) && go(c, p);
}

/* --- selecting --- */

const struct selection *copy_selection(const struct copy *c)
{
	return c->selecting ? &c->selection : NULL;
}

static void follow(struct copy *c)
{
	struct row_source source = copy_source(c);

	if (c->selecting)
		select_extend(&c->selection, c->cursor, &source);
}

void copy_select(struct copy *c, enum select_kind kind, struct position at)
{
	struct row_source source = copy_source(c);

	c->selecting = true;
	select_start(&c->selection, kind, at, &source);
	copy_move_to(c, at);
	follow(c);
}

void copy_extend(struct copy *c, struct position to)
{
	copy_move_to(c, to);
	follow(c);
}

/* The same kind once more ends it; another one changes it. */
static bool do_select(struct copy *c, int kind)
{
	struct row_source source = copy_source(c);

	if (!c->selecting)
		copy_select(c, (enum select_kind)kind, c->cursor);
	else if (c->selection.kind == (enum select_kind)kind)
		c->selecting = false;
	else
		select_change(&c->selection, (enum select_kind)kind, c->cursor, &source);
	return true;
}

static bool do_other_end(struct copy *c, int unused)
{
	struct position end = c->cursor;

	(void)unused;
	if (!c->selecting)
		return false;
	struct position anchor = c->selection.anchor;

	copy_select(c, c->selection.kind, end);
	copy_extend(c, anchor);
	return true;
}

/* --- doing --- */

static bool do_rows(struct copy *c, int by)
{
	return move_rows(c, by);
}

static bool do_page(struct copy *c, int by)
{
	return page(c, by * (c->rows > 1 ? c->rows - 1 : 1));
}

static bool do_half(struct copy *c, int by)
{
	return page(c, by * (c->rows > 1 ? c->rows / 2 : 1));
}

static bool do_slide(struct copy *c, int by)
{
	return slide(c, by);
}

static bool do_step(struct copy *c, int by)
{
	return by < 0 ? step_left(c) : step_right(c);
}

static bool do_oldest(struct copy *c, int unused)
{
	(void)unused;
	return go(c, (struct position){oldest(c), 0});
}

static bool do_newest(struct copy *c, int unused)
{
	(void)unused;
	return go(c, (struct position){end_of(c) - 1, 0});
}

/* The top, middle (1) or bottom (2) row of the pane. */
static bool do_pane_row(struct copy *c, int halves)
{
	uint64_t number = c->first + (uint64_t)((c->rows - 1) * halves / 2);

	return go(c, (struct position){number < end_of(c) ? number : end_of(c) - 1, 0});
}

static bool do_line_start(struct copy *c, int unused)
{
	(void)unused;
	return to_col(c, 0);
}

static bool do_line_end(struct copy *c, int unused)
{
	(void)unused;
	return to_col(c, last_col(c, c->cursor.row));
}

static bool do_word(struct copy *c, int which)
{
	static bool (*const steps[])(struct position *, const struct row_source *) = {
	    select_next_word, select_word_end, select_previous_word};

	return by_word(c, steps[which]);
}

static bool do_line_text(struct copy *c, int unused)
{
	const struct row *r = row_at(c, c->cursor.row);
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	int col = 0, last = last_col(c, c->cursor.row);

	(void)unused;
	while (
	    r && col < last && (table_glyph(c->screen.table, r->cells[col].glyph, cps) == 0 || cps[0] == ' '))
		col++;
	return to_col(c, col);
}

static const struct {
	bool (*function)(struct copy *c, int argument);
	int argument;
} doers[COPY_ACTION_COUNT] = {
    [COPY_UP] = {do_rows, -1},
    [COPY_DOWN] = {do_rows, 1},
    [COPY_LEFT] = {do_step, -1},
    [COPY_RIGHT] = {do_step, 1},
    [COPY_PAGE_UP] = {do_page, -1},
    [COPY_PAGE_DOWN] = {do_page, 1},
    [COPY_HALF_UP] = {do_half, -1},
    [COPY_HALF_DOWN] = {do_half, 1},
    [COPY_SCROLL_UP] = {do_slide, -1},
    [COPY_SCROLL_DOWN] = {do_slide, 1},
    [COPY_FIRST] = {do_oldest, 0},
    [COPY_LAST] = {do_newest, 0},
    [COPY_TOP] = {do_pane_row, 0},
    [COPY_MIDDLE] = {do_pane_row, 1},
    [COPY_BOTTOM] = {do_pane_row, 2},
    [COPY_LINE_START] = {do_line_start, 0},
    [COPY_LINE_TEXT] = {do_line_text, 0},
    [COPY_LINE_END] = {do_line_end, 0},
    [COPY_WORD_NEXT] = {do_word, 0},
    [COPY_WORD_END] = {do_word, 1},
    [COPY_WORD_BACK] = {do_word, 2},
    [COPY_SELECT] = {do_select, SELECT_CHARACTERS},
    [COPY_SELECT_LINES] = {do_select, SELECT_LINES},
    [COPY_SELECT_BLOCK] = {do_select, SELECT_BLOCK},
    [COPY_OTHER_END] = {do_other_end, 0},
};

bool copy_do(struct copy *c, enum copy_action a)
{
	bool known = a >= 0 && a < COPY_ACTION_COUNT && doers[a].function;

	if (!known || !doers[a].function(c, doers[a].argument))
		return false;
	if (a != COPY_SELECT && a != COPY_SELECT_LINES && a != COPY_SELECT_BLOCK)
		follow(c);
	return true;
}

/* --- showing --- */

struct position copy_cursor(const struct copy *c)
{
	return c->cursor;
}

void copy_view(const struct copy *c, struct pane_view *v)
{
	v->screen = &c->screen;
	v->scrolled = true;
	v->first = c->first;
	v->history = c->history;
	v->context = c->context;
	v->copy_cursor = &c->cursor;
	v->selection = copy_selection(c);
}

void copy_place(const struct copy *c, uint64_t *below, uint64_t *total)
{
	*below = bottom_first(c) - c->first;
	*total = bottom_first(c) - oldest(c);
}

/* A page above and below what is shown is wanted too, so that scrolling finds it there. */
bool copy_wanted(const struct copy *c, uint64_t *from, uint32_t *count)
{
	uint64_t rows = (uint64_t)c->rows, first = oldest(c);
	uint64_t low = c->first > first + rows ? c->first - rows : first;
	uint64_t high = c->first + 2 * rows < c->screen.top ? c->first + 2 * rows : c->screen.top;

	while (low < high && row_at(c, low))
		low++;
	while (low < high && row_at(c, high - 1))
		high--;
	*from = low;
	*count = (uint32_t)(high - low);
	return low < high;
}

static const struct row *source_row(void *context, uint64_t number)
{
	return row_at(context, number);
}

struct row_source copy_source(const struct copy *c)
{
	return (struct row_source){.get = source_row,
	    .context = (void *)c,
	    .table = c->screen.table,
	    .first = oldest(c),
	    .end = end_of(c)};
}

void copy_shown(const struct copy *c, uint64_t *first, uint64_t *end)
{
	*first = c->first;
	*end = c->first + (uint64_t)c->rows < end_of(c) ? c->first + (uint64_t)c->rows : end_of(c);
}

uint64_t copy_top(const struct copy *c)
{
	return c->screen.top;
}

/* --- gathering the text --- */

bool copy_gather_begin(const struct copy *c, struct copy_gather *g)
{
	*g = (struct copy_gather){.text = BUF_INIT};
	if (!c->selecting)
		return false;
	g->selection = c->selection;
	g->next = g->selection.from.row;
	return true;
}

static void gather_row(const struct copy *c, struct copy_gather *g, const struct row *r)
{
	const struct selection *s = &g->selection;
	bool joins = s->kind != SELECT_BLOCK && r->flags & ROW_WRAPPED && g->next != s->to.row;
	int from, to;

	if (g->next != s->from.row && !g->joined)
		buf_addc(&g->text, '\n');
	if (select_columns(s, g->next, r, r->cols, &from, &to))
		row_text(r, c->screen.table, from, to < r->cols ? to : r->cols, !joins, &g->text);
	g->joined = joins;
	g->next++;
}

bool copy_gather(const struct copy *c, struct copy_gather *g, uint64_t *missing)
{
	while (g->next <= g->selection.to.row) {
		const struct row *r = row_at(c, g->next);

		if (r) {
			gather_row(c, g, r);
		} else if (g->next < oldest(c) || g->next >= end_of(c)) {
			copy_gather_skip(g); /* dropped in the meantime */
		} else {
			*missing = g->next;
			return false;
		}
	}
	return true;
}

void copy_gather_skip(struct copy_gather *g)
{
	g->next++;
	g->joined = false;
}
