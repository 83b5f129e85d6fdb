/*
 * copy: see copy.h.  What is shown, moved over and selected are lines of the pane's width (cell/rebreak.h);
 * where they are is kept as places in rows, so that nothing has to be carried along when the width changes.
 */
#include "ui/copy.h"

#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"

struct copy {
	struct frozen frozen;
	int rows, cols;        /* of the pane's content */
	struct position first; /* in the first line shown: lines begin elsewhere at another width */
	struct position cursor;
	int wish; /* the column of its line that moving up and down tries to keep */
	bool selecting;
	struct selection selection;
};

/* --- rows --- */

static uint64_t end_of(const struct copy *c)
{
	return frozen_end(&c->frozen);
}

static uint64_t oldest(const struct copy *c)
{
	return c->frozen.screen.history_first;
}

static const struct row *row_at(const struct copy *c, uint64_t number)
{
	return frozen_row(&c->frozen, number);
}

static const struct row *source_row(void *context, uint64_t number)
{
	return row_at(context, number);
}

struct row_source copy_source(const struct copy *c)
{
	return (struct row_source){.get = source_row,
	    .context = (void *)c,
	    .table = c->frozen.screen.table,
	    .first = oldest(c),
	    .end = end_of(c)};
}

/* --- lines --- */

struct rebreak copy_lines(const struct copy *c)
{
	return (struct rebreak){.source = copy_source(c),
	    .width = c->cols,
	    .unbroken = c->frozen.screen.cols == c->cols ? c->frozen.screen.top : UINT64_MAX};
}

static struct visual line_at(const struct copy *c, struct position p)
{
	struct rebreak b = copy_lines(c);

	return visual_at(&b, p);
}

/* Down if positive; returns by how many lines. */
static int by_lines(const struct copy *c, struct visual *v, int by)
{
	struct rebreak b = copy_lines(c);

	return by < 0 ? -visual_back(&b, v, -by) : visual_forward(&b, v, by);
}

static bool is_above(const struct visual *a, const struct visual *b)
{
	return position_compare(a->from, b->from) < 0;
}

static struct visual first_line(const struct copy *c)
{
	return line_at(c, c->first);
}

static struct visual last_line(const struct copy *c)
{
	struct visual v = first_line(c);

	by_lines(c, &v, c->rows - 1);
	return v;
}

/* The first line shown when the newest one is in view. */
static struct visual bottom_line(const struct copy *c)
{
	struct visual v = line_at(c, (struct position){end_of(c) - 1, INT_MAX});

	by_lines(c, &v, 1 - c->rows);
	return v;
}

struct copy *copy_create(
    const struct screen *screen, int rows, int cols, frozen_history *history, void *context)
{
	struct copy *c = mem_zalloc(1, sizeof(*c));

	frozen_init(&c->frozen, screen, history, context);
	c->rows = rows > 0 ? rows : 1;
	c->cols = cols > 0 ? cols : 1;
	c->first = bottom_line(c).from;
	copy_move_to(c, (struct position){screen->top + (uint64_t)screen->cursor.row, screen->cursor.col});
	return c;
}

void copy_destroy(struct copy *c)
{
	if (!c)
		return;
	frozen_finish(&c->frozen);
	free(c);
}

void copy_mark_cells(const struct copy *c)
{
	frozen_mark_cells(&c->frozen);
}

/* --- moving --- */

static void keep_in_range(struct copy *c)
{
	struct visual bottom;

	if (c->cursor.row < oldest(c))
		c->cursor.row = oldest(c);
	if (c->cursor.row >= end_of(c))
		c->cursor.row = end_of(c) - 1;
	if (c->first.row < oldest(c))
		c->first = (struct position){oldest(c), 0};
	bottom = bottom_line(c);
	if (position_compare(c->first, bottom.from) > 0)
		c->first = bottom.from;
}

static void keep_in_view(struct copy *c)
{
	struct visual first, last, line;

	keep_in_range(c);
	first = first_line(c);
	last = last_line(c);
	line = line_at(c, c->cursor);
	if (is_above(&last, &line))
		by_lines(c, &line, 1 - c->rows);
	else if (!is_above(&line, &first))
		return;
	c->first = line.from;
}

/* Whole lines and blocks are of what is shown. */
static void fit_selection(struct copy *c)
{
	struct rebreak b = copy_lines(c);

	visual_fit_selection(&b, &c->selection, c->cursor);
}

void copy_resize(struct copy *c, int rows, int cols)
{
	bool bottom = copy_at_bottom(c);

	c->rows = rows > 0 ? rows : 1;
	c->cols = cols > 0 ? cols : 1;
	if (bottom)
		c->first = bottom_line(c).from;
	keep_in_view(c);
	if (c->selecting)
		fit_selection(c);
}

void copy_set_first(struct copy *c, uint64_t first)
{
	if (first <= c->frozen.screen.history_first || first > c->frozen.screen.top)
		return;
	c->frozen.screen.history_first = first;
	keep_in_view(c);
}

bool copy_at_bottom(const struct copy *c)
{
	return position_compare(c->first, bottom_line(c).from) >= 0;
}

/* The column of the last cell of a line that holds something; 0: none. */
static int last_col(const struct copy *c, const struct visual *v)
{
	struct rebreak b = copy_lines(c);
	struct visual_piece p = visual_piece(&b, v);
	const struct row *r;
	int used;

	while (visual_next_piece(&b, v, &p))
		;
	r = row_at(c, p.row);
	used = (r ? row_used(r) : 0) - p.from;
	if (used > p.columns)
		used = p.columns;
	return p.at + used > 0 ? p.at + used - 1 : 0;
}

/* The cursor goes to its wish in a line, or to the last cell that holds something. */
static void settle(struct copy *c, const struct visual *v)
{
	struct rebreak b = copy_lines(c);
	int last = last_col(c, v);

	c->cursor = visual_position(&b, v, c->wish < last ? c->wish : last);
	keep_in_view(c);
}

static int column_of(const struct copy *c, struct position p)
{
	struct rebreak b = copy_lines(c);
	struct visual v = visual_at(&b, p);

	return visual_column(&b, &v, p);
}

void copy_move_to(struct copy *c, struct position p)
{
	c->cursor = p;
	keep_in_view(c);
	c->wish = column_of(c, c->cursor);
}

static bool move_lines(struct copy *c, int by)
{
	struct visual v = line_at(c, c->cursor);
	int moved = by_lines(c, &v, by);

	settle(c, &v);
	return moved != 0;
}

/* Moves the view, at most to its ends; returns by how many lines. */
static int shift(struct copy *c, int by)
{
	struct visual v = first_line(c), bottom = bottom_line(c);
	int moved = by < 0 ? by_lines(c, &v, by) : 0;

	while (moved < by && is_above(&v, &bottom))
		moved += by_lines(c, &v, 1);
	c->first = v.from;
	return moved;
}

/* The view and the cursor together, so that the cursor keeps its place in the pane. */
bool copy_scroll(struct copy *c, int rows)
{
	struct visual v = line_at(c, c->cursor);
	int moved = shift(c, rows);

	by_lines(c, &v, moved);
	settle(c, &v);
	return moved != 0;
}

/* A page moves the view; where there is nothing left to scroll the cursor goes to the end. */
static bool page(struct copy *c, int rows)
{
	return copy_scroll(c, rows) || move_lines(c, rows);
}

/* The view alone: the cursor stays on its line as long as that is shown. */
static bool slide(struct copy *c, int rows)
{
	bool moved = shift(c, rows) != 0;
	struct visual first = first_line(c), last = last_line(c), line = line_at(c, c->cursor);

	if (is_above(&line, &first))
		line = first;
	if (is_above(&last, &line))
		line = last;
	settle(c, &line);
	return moved;
}

static bool to_col(struct copy *c, const struct visual *v, int col)
{
	struct position old = c->cursor;

	c->wish = col;
	settle(c, v);
	return position_compare(c->cursor, old) != 0;
}

/* One column; over the border of lines, as tmux does. */
static bool step_left(struct copy *c)
{
	struct visual v = line_at(c, c->cursor);
	int col = column_of(c, c->cursor);

	if (col > 0)
		return to_col(c, &v, col - 1);
	if (by_lines(c, &v, -1) == 0)
		return false;
	return to_col(c, &v, last_col(c, &v)) || true;
}

static int cell_cols(const struct copy *c, struct position p)
{
	const struct row *r = row_at(c, p.row);

	return r && p.col < r->cols && r->cells[p.col].glyph & GLYPH_WIDE ? 2 : 1;
}

static bool step_right(struct copy *c)
{
	struct visual v = line_at(c, c->cursor);
	int next = column_of(c, c->cursor) + cell_cols(c, c->cursor);

	if (next <= last_col(c, &v))
		return to_col(c, &v, next);
	return by_lines(c, &v, 1) != 0 && (to_col(c, &v, 0) || true);
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

	if (!c->selecting)
		return;
	select_extend(&c->selection, c->cursor, &source);
	fit_selection(c);
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

	if (!c->selecting) {
		copy_select(c, (enum select_kind)kind, c->cursor);
	} else if (c->selection.kind == (enum select_kind)kind) {
		c->selecting = false;
	} else {
		select_change(&c->selection, (enum select_kind)kind, c->cursor, &source);
		fit_selection(c);
	}
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
	return move_lines(c, by);
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
	return go(c, line_at(c, (struct position){end_of(c) - 1, INT_MAX}).from);
}

/* The top, middle (1) or bottom (2) line of the pane. */
static bool do_pane_row(struct copy *c, int halves)
{
	struct visual v = first_line(c);

	by_lines(c, &v, (c->rows - 1) * halves / 2);
	return go(c, v.from);
}

static bool do_line_start(struct copy *c, int unused)
{
	struct visual v = line_at(c, c->cursor);

	(void)unused;
	return to_col(c, &v, 0);
}

static bool do_line_end(struct copy *c, int unused)
{
	struct visual v = line_at(c, c->cursor);

	(void)unused;
	return to_col(c, &v, last_col(c, &v));
}

static bool do_word(struct copy *c, int which)
{
	static bool (*const steps[])(struct position *, const struct row_source *) = {
	    select_next_word, select_word_end, select_previous_word};

	return by_word(c, steps[which]);
}

static bool is_blank(const struct copy *c, struct position p)
{
	const struct row *r = row_at(c, p.row);
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	return !r || p.col >= r->cols ||
	       table_glyph(c->frozen.screen.table, r->cells[p.col].glyph, cps) == 0 || cps[0] == ' ';
}

static bool do_line_text(struct copy *c, int unused)
{
	struct rebreak b = copy_lines(c);
	struct visual v = line_at(c, c->cursor);
	int col = 0, last = last_col(c, &v);

	(void)unused;
	while (col < last && is_blank(c, visual_position(&b, &v, col)))
		col++;
	return to_col(c, &v, col);
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
	v->screen = &c->frozen.screen;
	v->scrolled = true;
	v->first = first_line(c).from;
	v->width = c->cols;
	v->history = source_row;
	v->context = (void *)c;
	v->copy_cursor = &c->cursor;
	v->selection = copy_selection(c);
}

void copy_place(const struct copy *c, uint64_t *below, uint64_t *total)
{
	uint64_t bottom = bottom_line(c).from.row;

	*below = bottom - first_line(c).from.row;
	*total = bottom - oldest(c);
}

/*
 * A page above and below what is shown is wanted too, so that scrolling finds it there; and if it is not
 * known where the line begins that would come first there, as many rows as it may have.  At the bottom all
 * rows that are to be kept are wanted.
 */
bool copy_wanted(struct copy *c, uint64_t *from, uint32_t *count)
{
	struct visual above = first_line(c), below = above;
	uint64_t low, high;

	frozen_keep(&c->frozen);
	by_lines(c, &above, -c->rows);
	low = above.from.row;
	if (low > oldest(c) && row_at(c, low) && !row_at(c, low - 1))
		low = low > oldest(c) + REBREAK_ROWS ? low - REBREAK_ROWS : oldest(c);
	if (copy_at_bottom(c) && low > c->frozen.kept_from)
		low = c->frozen.kept_from;
	high = by_lines(c, &below, 2 * c->rows) < 2 * c->rows ? end_of(c) : below.from.row;
	if (high > c->frozen.screen.top)
		high = c->frozen.screen.top;
	while (low < high && row_at(c, low))
		low++;
	while (low < high && row_at(c, high - 1))
		high--;
	*from = low;
	*count = (uint32_t)(high - low);
	return low < high;
}

void copy_shown(const struct copy *c, uint64_t *first, uint64_t *end)
{
	*first = first_line(c).from.row;
	*end = last_line(c).to.row + 1;
}

uint64_t copy_top(const struct copy *c)
{
	return c->frozen.screen.top;
}
