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
	struct place cursor;
	int wish; /* the column that moving up and down tries to keep */
	enum copy_selection kind;
	struct place anchor;
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

uint64_t copy_end(const struct copy *c)
{
	return c->screen.top + (uint64_t)c->screen.rows;
}

uint64_t copy_first(const struct copy *c)
{
	return c->screen.history_first;
}

/* The largest `first` at which the newest row is in view. */
static uint64_t bottom_first(const struct copy *c)
{
	uint64_t end = copy_end(c), rows = (uint64_t)c->rows;

	return end > copy_first(c) + rows ? end - rows : copy_first(c);
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
	c->cursor = (struct place){screen->top + (uint64_t)screen->cursor.row, screen->cursor.col};
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

const struct row *copy_row(const struct copy *c, uint64_t number)
{
	if (number >= c->screen.top)
		return number < copy_end(c) ? c->screen.row[number - c->screen.top] : NULL;
	return number >= copy_first(c) && c->history ? c->history(c->context, number) : NULL;
}

/* --- moving --- */

static void keep_in_range(struct copy *c)
{
	uint64_t oldest = copy_first(c), end = copy_end(c);

	if (c->cursor.row < oldest)
		c->cursor.row = oldest;
	if (c->cursor.row >= end)
		c->cursor.row = end - 1;
	if (c->first > bottom_first(c))
		c->first = bottom_first(c);
	if (c->first < oldest)
		c->first = oldest;
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
	const struct row *r = copy_row(c, number);
	int used = r ? row_used(r) : 0;

	return used > 0 ? used - 1 : 0;
}

/* Never on the second half of a wide cell. */
static int whole_cell(const struct copy *c, struct place p)
{
	const struct row *r = copy_row(c, p.row);

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

void copy_move_to(struct copy *c, struct place p)
{
	c->cursor = p;
	c->wish = p.col;
	keep_in_view(c);
}

static bool move_rows(struct copy *c, int64_t by)
{
	uint64_t old = c->cursor.row, oldest = copy_first(c), newest = copy_end(c) - 1;

	if (by < 0)
		c->cursor.row = old - oldest > (uint64_t)-by ? old - (uint64_t)-by : oldest;
	else
		c->cursor.row = newest - old > (uint64_t)by ? old + (uint64_t)by : newest;
	settle(c);
	return c->cursor.row != old;
}

static uint64_t shifted(const struct copy *c, int64_t by)
{
	uint64_t oldest = copy_first(c), bottom = bottom_first(c);

	if (by < 0)
		return c->first - oldest > (uint64_t)-by ? c->first - (uint64_t)-by : oldest;
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

static bool wraps(const struct copy *c, uint64_t number)
{
	const struct row *r = copy_row(c, number);

	return r && r->flags & ROW_WRAPPED;
}

/* One column; over the border of rows, as tmux does. */
static bool step_left(struct copy *c)
{
	if (c->cursor.col > 0)
		return to_col(c, c->cursor.col - 1);
	if (c->cursor.row == copy_first(c))
		return false;
	c->cursor.row--;
	c->wish = INT32_MAX;
	settle(c);
	c->wish = c->cursor.col;
	return true;
}

static int cell_cols(const struct copy *c, struct place p)
{
	const struct row *r = copy_row(c, p.row);

	return r && p.col < r->cols && r->cells[p.col].glyph & GLYPH_WIDE ? 2 : 1;
}

static bool step_right(struct copy *c)
{
	int next = c->cursor.col + cell_cols(c, c->cursor);

	if (next <= last_col(c, c->cursor.row))
		return to_col(c, next);
	if (c->cursor.row + 1 >= copy_end(c))
		return false;
	c->cursor.row++;
	return to_col(c, 0) || true;
}

/* --- words: runs of letters and digits, runs of other signs, blanks (vi's small words) --- */

enum class { CLASS_BLANK, CLASS_SIGN, CLASS_WORD };

static enum class class_of_character(uint32_t cp) {
	if (cp == 0 || cp == ' ') return CLASS_BLANK;
	if (cp == '_' || cp >= 0x80 || (cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
	    (cp >= 'a' && cp <= 'z')) return CLASS_WORD;
	return CLASS_SIGN;
}

static enum class class_at(const struct copy *c, struct place p) {
	const struct row *r = copy_row(c, p.row); uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	if (!r || p.col >= r->cols) return CLASS_BLANK;
	return class_of_character(table_glyph(c->screen.table, r->cells[p.col].glyph, cps) ? cps[0] : 0);
}

/* One cell on or back, over row ends.  *edge: a row that does not go on in the next was left.  false: at the
 * end. */
static bool advance(const struct copy *c, struct place *p, int by, bool *edge)
{
	*edge = false;
	if (by > 0 && p->col + cell_cols(c, *p) <= last_col(c, p->row)) {
		p->col += cell_cols(c, *p);
		return true;
	}
	if (by < 0 && p->col > 0) {
		p->col = whole_cell(c, (struct place){p->row, p->col - 1});
		return true;
	}
	if (by > 0 ? p->row + 1 >= copy_end(c) : p->row == copy_first(c))
		return false;
	*edge = !wraps(c, by > 0 ? p->row : p->row - 1);
	p->row += by > 0 ? 1 : UINT64_MAX;
	p->col = by > 0 ? 0 : last_col(c, p->row);
	return copy_row(c, p->row) != NULL;
}

static bool go(struct copy *c, struct place p)
{
	bool moved = p.row != c->cursor.row || p.col != c->cursor.col;

	copy_move_to(c, p);
	return moved;
}

static bool do_word_next(struct copy *c, int unused)
{
	(void)unused;
	struct place p = c->cursor;
	enum class start = class_at(c, p);
	bool edge = false;

	while (advance(c, &p, 1, &edge)) {
		enum class now = class_at(c, p);

		if (now != CLASS_BLANK && (now != start || edge))
			return go(c, p);
		if (now == CLASS_BLANK || edge)
			start = CLASS_BLANK;
	}
	return go(c, p);
}

/* The last place of the run of one class that p is in, in a direction. */
static struct place run_end(const struct copy *c, struct place p, int by)
{
	enum class class = class_at(c, p);
	struct place next = p;
	bool edge;

	while (advance(c, &next, by, &edge) && !edge && class_at(c, next) == class)
		p = next;
	return p;
}

static bool do_word_far(struct copy *c, int by)
{
	struct place p = c->cursor;
	bool edge;

	do {
		if (!advance(c, &p, by, &edge))
			return go(c, p);
	} while (class_at(c, p) == CLASS_BLANK);
	return go(c, run_end(c, p, by));
}

static bool do_line_text(struct copy *c, int unused)
{
	(void)unused;
	struct place p = {c->cursor.row, 0};
	int last = last_col(c, p.row);

	while (p.col < last && class_at(c, p) == CLASS_BLANK)
		p.col++;
	return go(c, p);
}

/* --- selecting --- */

enum copy_selection copy_selecting(const struct copy *c)
{
	return c->kind;
}

/* The same kind once more ends it; another one changes it. */
static bool do_begin(struct copy *c, int kind)
{
	if (c->kind == SELECT_NONE)
		c->anchor = c->cursor;
	c->kind = c->kind == (enum copy_selection)kind ? SELECT_NONE : (enum copy_selection)kind;
	return true;
}

static bool do_other_end(struct copy *c, int unused)
{
	struct place anchor = c->anchor;

	(void)unused;
	if (c->kind == SELECT_NONE)
		return false;
	c->anchor = c->cursor;
	copy_move_to(c, anchor);
	return true;
}

void copy_select(struct copy *c, enum copy_selection kind, struct place from, struct place to)
{
	c->kind = kind;
	c->anchor = from;
	copy_move_to(c, to);
}

void copy_select_word(struct copy *c, struct place p)
{
	copy_select(c, SELECT_CHARACTERS, run_end(c, p, -1), run_end(c, p, 1));
}

void copy_select_line(struct copy *c, struct place p)
{
	struct place from = {p.row, 0}, to = p;

	while (from.row > copy_first(c) && wraps(c, from.row - 1))
		from.row--;
	while (to.row + 1 < copy_end(c) && wraps(c, to.row))
		to.row++;
	to.col = last_col(c, to.row);
	copy_select(c, SELECT_CHARACTERS, from, to);
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
	return go(c, (struct place){copy_first(c), 0});
}

static bool do_newest(struct copy *c, int unused)
{
	(void)unused;
	return go(c, (struct place){copy_end(c) - 1, 0});
}

/* The top, middle (1) or bottom (2) row of the pane. */
static bool do_pane_row(struct copy *c, int halves)
{
	uint64_t number = c->first + (uint64_t)((c->rows - 1) * halves / 2);

	return go(c, (struct place){number < copy_end(c) ? number : copy_end(c) - 1, 0});
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
    [COPY_WORD_NEXT] = {do_word_next, 0},
    [COPY_WORD_END] = {do_word_far, 1},
    [COPY_WORD_BACK] = {do_word_far, -1},
    [COPY_SELECT] = {do_begin, SELECT_CHARACTERS},
    [COPY_SELECT_LINES] = {do_begin, SELECT_LINES},
    [COPY_SELECT_BLOCK] = {do_begin, SELECT_RECTANGLE},
    [COPY_OTHER_END] = {do_other_end, 0},
};

bool copy_do(struct copy *c, enum copy_action a)
{
	return a >= 0 && a < COPY_ACTION_COUNT && doers[a].function &&
	       doers[a].function(c, doers[a].argument);
}

/* --- showing --- */

struct place copy_cursor(const struct copy *c)
{
	return c->cursor;
}

static bool before(struct place a, struct place b)
{
	return a.row < b.row || (a.row == b.row && a.col < b.col);
}

/* Both ends in order; of lines the whole ones. */
static void selected(const struct copy *c, struct place *from, struct place *to)
{
	*from = before(c->anchor, c->cursor) ? c->anchor : c->cursor;
	*to = before(c->anchor, c->cursor) ? c->cursor : c->anchor;
	if (c->kind == SELECT_LINES) {
		from->col = 0;
		to->col = INT32_MAX;
	}
	if (c->kind == SELECT_RECTANGLE && from->col > to->col) {
		int col = from->col;

		from->col = to->col;
		to->col = col;
	}
}

void copy_view(const struct copy *c, struct pane_view *v)
{
	v->screen = &c->screen;
	v->scrolled = true;
	v->first = c->first;
	v->history = c->history;
	v->context = c->context;
	v->copy_cursor = &c->cursor;
	v->selection =
	    (struct selection){.active = c->kind != SELECT_NONE, .block = c->kind == SELECT_RECTANGLE};
	if (v->selection.active)
		selected(c, &v->selection.from, &v->selection.to);
}

void copy_position(const struct copy *c, uint64_t *above, uint64_t *total)
{
	*above = bottom_first(c) - c->first;
	*total = bottom_first(c) - copy_first(c);
}

/* A page above and below what is shown is wanted too, so that scrolling finds it there. */
bool copy_wanted(const struct copy *c, uint64_t *from, uint32_t *count)
{
	uint64_t rows = (uint64_t)c->rows, oldest = copy_first(c);
	uint64_t low = c->first > oldest + rows ? c->first - rows : oldest;
	uint64_t high = c->first + 2 * rows < c->screen.top ? c->first + 2 * rows : c->screen.top;

	while (low < high && copy_row(c, low))
		low++;
	while (low < high && copy_row(c, high - 1))
		high--;
	*from = low;
	*count = (uint32_t)(high - low);
	return low < high;
}

/* --- gathering the text --- */

bool copy_gather_begin(const struct copy *c, struct copy_gather *g)
{
	*g = (struct copy_gather){.kind = c->kind, .text = BUF_INIT};
	if (c->kind == SELECT_NONE)
		return false;
	selected(c, &g->from, &g->to);
	g->next = g->from.row;
	return true;
}

static void gather_row(const struct copy *c, struct copy_gather *g, const struct row *r)
{
	bool block = g->kind == SELECT_RECTANGLE;
	int from = block || g->next == g->from.row ? g->from.col : 0;
	int to = block || g->next == g->to.row ? g->to.col : INT32_MAX - 1;
	bool joins = !block && r->flags & ROW_WRAPPED && g->next != g->to.row;

	to = to < r->cols ? to + 1 : r->cols;
	if (to < r->cols && r->cells[to].glyph & GLYPH_TAIL)
		to++; /* the other half of a wide cell */
	if (g->next != g->from.row && !g->joined)
		buf_addc(&g->text, '\n');
	if (from < to)
		row_text(r, c->screen.table, from, to, !joins, &g->text);
	g->joined = joins;
	g->next++;
}

bool copy_gather(const struct copy *c, struct copy_gather *g, uint64_t *missing)
{
	for (; g->next <= g->to.row; copy_gather_skip(g)) {
		const struct row *r;

		while (g->next <= g->to.row && (r = copy_row(c, g->next)))
			gather_row(c, g, r);
		if (g->next > g->to.row)
			break;
		if (g->next >= copy_first(c)) {
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
