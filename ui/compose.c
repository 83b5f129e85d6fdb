/*
 * compose: see compose.h.
 *
 * For each row of the content the canvas keeps a key of all that it was drawn from: which row, its version,
 * the viewport, what lies over it.  A row whose key is the same is not drawn again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/compose.h"

enum { TITLE_TEXT_MIN = 12 /* columns that the harness and its like have to leave for the text */ };

struct canvas {
	struct display *display;
	struct surface *surface;
	struct rect at;
	int view_row, view_col; /* the session's cell that is shown first, on the live screen */
	uint64_t *key;          /* by row of the content; 0: draw it */
};

/* --- states --- */

static const struct state_look looks[STATE_COUNT] = {
    [STATE_STARTING] = {"◌", '~', ROLE_WORKING, "starting"},
    [STATE_WORKING] = {"●", '*', ROLE_WORKING, "working"},
    [STATE_NEEDS_INPUT] = {"!", '!', ROLE_NEEDS, "needs you"},
    [STATE_DONE] = {"✓", '+', ROLE_DONE, "done"},
    [STATE_IDLE] = {"○", '.', ROLE_IDLE, "idle"},
    [STATE_LIMITED] = {"%", '%', ROLE_NEEDS, "limited"},
    [STATE_UNKNOWN] = {"?", '?', ROLE_IDLE, "unknown"},
    [STATE_SUSPENDED] = {"‖", '=', ROLE_ENDED, "suspended"},
    [STATE_STOPPED] = {"×", 'x', ROLE_ENDED, "stopped"},
    [STATE_EXITED] = {"×", 'x', ROLE_ENDED, "exited"},
    [STATE_FAILED] = {"×", 'x', ROLE_ERROR, "failed"},
    [STATE_CRASHED] = {"×", 'x', ROLE_ERROR, "crashed"},
    [STATE_LOST] = {"×", 'x', ROLE_ERROR, "lost"},
};

const struct state_look *state_look(enum session_state state)
{
	return &looks[state < STATE_COUNT ? state : STATE_UNKNOWN];
}

/* --- life --- */

struct canvas *canvas_create(struct display *d, struct rect at)
{
	struct canvas *c = mem_zalloc(1, sizeof(*c));

	c->display = d;
	c->at = at;
	c->surface = surface_create(d, at.row, at.col, at.rows, at.cols);
	c->key = mem_zalloc((size_t)surface_rows(c->surface), sizeof(*c->key));
	return c;
}

void canvas_destroy(struct canvas *c)
{
	if (!c)
		return;
	surface_destroy(c->surface);
	free(c->key);
	free(c);
}

void canvas_forget(struct canvas *c)
{
	memset(c->key, 0, (size_t)surface_rows(c->surface) * sizeof(*c->key));
}

struct rect canvas_content(const struct canvas *c)
{
	int rows = surface_rows(c->surface) - 1;

	return (struct rect){
	    surface_row(c->surface) + 1, surface_col(c->surface), rows, surface_cols(c->surface)};
}

/* --- the title line --- */

/* A part at the right of the title: the important ones first. */
struct piece {
	const char *text;
	enum theme_role role;
	bool wanted;
};

static int columns_of(const char *text)
{
	return utf8_columns(text, strlen(text));
}

static bool is_text(const char *s)
{
	return s && *s;
}

/* Marker, number, state and name; returns the columns used. */
static int title_left(struct surface *s, const struct pane_title *t, int cols)
{
	const struct state_look *look = state_look(t->state);
	enum theme_role role = t->focused ? ROLE_TITLE_FOCUSED : ROLE_TITLE;
	int used = surface_text(s, 0, 0, cols, t->focused ? "▌" : " ", ROLE_BORDER_FOCUSED);
	char number[16];

	if (t->number > 0) {
		snprintf(number, sizeof(number), "%d ", t->number);
		used += surface_text(s, 0, used, cols - used, number, t->focused ? role : ROLE_DIM);
		used += surface_text(s, 0, used, cols - used, t->word ? t->word : look->symbol, look->role);
		used++;
	}
	if (is_text(t->name))
		used += surface_text(s, 0, used, cols - used, t->name, role);
	return used;
}

static int title_right(struct surface *s, const struct pane_title *t, int from, int cols)
{
	const struct piece pieces[] = {
	    {" INPUT TO ALL ", ROLE_WARNING, t->input_all},
	    {t->badge, t->badge_role, is_text(t->badge)},
	    {"no sandbox", ROLE_DIM, t->unconfined},
	    {"zoomed", ROLE_DIM, t->zoomed},
	    {t->harness, ROLE_DIM, is_text(t->harness)},
	};
	int end = cols - 1;

	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		int width = pieces[i].wanted ? columns_of(pieces[i].text) : 0;
		int keep = i >= 2 && is_text(t->text) ? TITLE_TEXT_MIN : 0;

		if (!pieces[i].wanted || end - width < from + 2 + keep)
			continue;
		end -= width;
		surface_text(s, 0, end, width, pieces[i].text, pieces[i].role);
		end -= 2;
	}
	return end;
}

void canvas_title(struct canvas *c, const struct pane_title *t)
{
	struct surface *s = c->surface;
	const struct state_look *look = state_look(t->state);
	int cols = surface_cols(s), left, right;

	surface_fill(s, 0, 0, 1, cols, ROLE_TITLE);
	left = title_left(s, t, cols);
	right = title_right(s, t, left, cols);
	if (is_text(t->text) && right > left + 2)
		surface_text(s, 0, left + 2, right - left - 2, t->text,
		    state_waits(t->state) && !state_ended(t->state) ? look->role : ROLE_DIM);
}

/* --- rows of the content --- */

/* What a row of the content shows. */
struct shown_row {
	uint64_t number;       /* stable; meaningless if it is beyond the session */
	const struct row *row; /* NULL: not here, or beyond the session */
	bool beyond;           /* below the session's last row */
};

static uint64_t mix(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 31;
}

static struct shown_row row_of_view(const struct canvas *c, const struct pane_view *v, int y)
{
	const struct screen *s = v->screen;
	struct shown_row r = {
	    .number = v->scrolled ? v->first + (uint64_t)y : s->top + (uint64_t)(c->view_row + y)};

	if (r.number >= s->top + (uint64_t)s->rows)
		r.beyond = true;
	else if (r.number >= s->top)
		r.row = s->row[r.number - s->top];
	else if (v->history)
		r.row = v->history(v->context, r.number);
	return r;
}

/* The columns of a row that a match covers. */
static bool match_columns(const struct search_match *m, uint64_t number, int cols, int *from, int *to)
{
	if (number < m->from.row || number > m->to.row)
		return false;
	*from = number == m->from.row ? m->from.col : 0;
	*to = number == m->to.row ? m->to.col + 1 : cols;
	return *from < *to;
}

struct span {
	int from, to;
	enum theme_role role;
};

enum { SPANS_MAX = 64 /* in one row; further hits are not marked */ };

static void add_span(struct span *spans, int *count, int from, int to, enum theme_role role)
{
	if (*count < SPANS_MAX)
		spans[(*count)++] = (struct span){from, to, role};
}

/* What lies over a row, in the order in which it is drawn. */
static int spans_of(const struct pane_view *v, const struct shown_row *r, struct span *spans)
{
	int count = 0, from, to, cols = r->row ? r->row->cols : v->screen->cols;

	for (size_t i = 0; i < v->match_count; i++) {
		if (match_columns(&v->matches[i], r->number, cols, &from, &to))
			add_span(spans, &count, from, to, ROLE_MATCH);
	}
	if (v->current && match_columns(v->current, r->number, cols, &from, &to))
		add_span(spans, &count, from, to, ROLE_MATCH_CURRENT);
	if (v->selection && select_columns(v->selection, r->number, r->row, cols, &from, &to))
		add_span(spans, &count, from, to, ROLE_SELECTION);
	return count;
}

static uint64_t palette_key(const struct palette *p)
{
	uint64_t h = 1;

	if (!p)
		return 0;
	h = mix(mix(h, p->fg), p->bg);
	for (int i = 0; i < 256; i++)
		h = mix(h, p->index[i]);
	return h;
}

static uint64_t row_key(const struct shown_row *r, const struct span *spans, int count, uint64_t common)
{
	uint64_t h = mix(common, r->number);

	h = mix(h, (uintptr_t)r->row);
	h = mix(h, r->row ? r->row->version : 0);
	h = mix(h, (uint64_t)r->beyond);
	for (int i = 0; i < count; i++)
		h = mix(
		    h, (uint64_t)spans[i].from << 32 | (uint64_t)spans[i].to << 8 | (uint64_t)spans[i].role);
	return h | 1;
}

/* What is the same for all rows of a view. */
static uint64_t common_key(const struct canvas *c, const struct pane_view *v)
{
	const struct screen *s = v->screen;
	uint64_t h = mix((uintptr_t)s, (uint64_t)s->cols << 32 | (uint64_t)s->rows);

	h = mix(h, (uint64_t)c->view_col << 8 | (uint64_t)v->dim << 1 | (s->modes & SCREEN_REVERSED ? 1 : 0));
	return mix(h, palette_key(s->palette));
}

static struct cell_look look_of(const struct pane_view *v)
{
	return (struct cell_look){
	    .table = v->screen->table,
	    .palette = v->screen->palette,
	    .overlay = ROLE_NONE,
	    .reversed = v->screen->modes & SCREEN_REVERSED,
	    .dim = v->dim,
	};
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Marks at the borders: the session's text goes on there. */
static void draw_edges(struct canvas *c, const struct pane_view *v, const struct shown_row *r, int y)
{
	int cols = surface_cols(c->surface), used = r->row ? row_used(r->row) : 0;

	if (v->screen->cols > c->view_col + cols && used > c->view_col + cols - 1)
		surface_text(c->surface, y + 1, cols - 1, 1, "›", ROLE_FILL);
	if (c->view_col > 0 && used > 0)
		surface_text(c->surface, y + 1, 0, 1, "‹", ROLE_FILL);
}

/* Right of the session's last column: its border, and nothing. */
static void draw_right(struct canvas *c, int y, int from)
{
	int cols = surface_cols(c->surface);

	if (from >= cols)
		return;
	surface_fill(c->surface, y + 1, from, 1, cols - from, ROLE_FILL);
	surface_text(c->surface, y + 1, from, 1, "│", ROLE_FILL);
}

/* Below the session's last row: its border, then nothing. */
static void draw_below(struct canvas *c, const struct pane_view *v, int y, bool first)
{
	int cols = surface_cols(c->surface), width = v->screen->cols - c->view_col;

	surface_fill(c->surface, y + 1, 0, 1, cols, ROLE_FILL);
	if (!first)
		return;
	surface_hline(c->surface, y + 1, 0, smaller(width, cols), ROLE_FILL);
	if (width < cols)
		surface_text(c->surface, y + 1, width, 1, "╯", ROLE_FILL);
}

static void draw_spans(struct canvas *c, const struct pane_view *v, const struct shown_row *r, int y,
    const struct span *spans, int count)
{
	struct cell_look look = look_of(v);
	int width = smaller(surface_cols(c->surface), v->screen->cols - c->view_col);

	for (int i = 0; i < count; i++) {
		int from = spans[i].from > c->view_col ? spans[i].from : c->view_col;
		int to = smaller(spans[i].to, c->view_col + width);

		look.overlay = spans[i].role;
		if (to > from)
			surface_cells(c->surface, y + 1, from - c->view_col, r->row->cells, r->row->cols,
			    from, to - from, &look);
	}
}

static void draw_row(struct canvas *c, const struct pane_view *v, const struct shown_row *r, int y,
    const struct span *spans, int count)
{
	struct cell_look look = look_of(v);
	int width = smaller(surface_cols(c->surface), v->screen->cols - c->view_col);

	if (!r->row) {
		surface_fill(c->surface, y + 1, 0, 1, width, ROLE_FILL);
	} else {
		surface_cells(c->surface, y + 1, 0, r->row->cells, r->row->cols, c->view_col, width, &look);
		draw_spans(c, v, r, y, spans, count);
		draw_edges(c, v, r, y);
	}
	draw_right(c, y, width);
}

static void draw_message(struct canvas *c, const char *message)
{
	int rows = surface_rows(c->surface), cols = surface_cols(c->surface), width = columns_of(message);
	uint64_t key = 1;

	for (const char *p = message; *p; p++)
		key = mix(key, (unsigned char)*p);
	if (rows < 2 || c->key[0] == (key | 1))
		return;
	canvas_forget(c);
	c->key[0] = key | 1;
	surface_fill(c->surface, 1, 0, rows - 1, cols, ROLE_TEXT);
	surface_text(
	    c->surface, 1 + (rows - 1) / 2, width < cols ? (cols - width) / 2 : 0, cols, message, ROLE_DIM);
}

/* --- the viewport --- */

static int follow(int at, int origin, int room, int size)
{
	/* the border columns may hold marks: keep clear of them where there is more beyond */
	int margin = room > 2 ? 1 : 0;

	if (at < origin + margin)
		origin = at - margin;
	if (at > origin + room - 1 - margin)
		origin = at - (room - 1 - margin);
	if (origin > size - room)
		origin = size - room;
	return origin > 0 ? origin : 0;
}

void viewport_follow(const struct screen *s, int rows, int cols, int *row, int *col)
{
	*row = s->rows > rows ? follow(s->cursor.row, *row, rows, s->rows) : 0;
	*col = s->cols > cols ? follow(s->cursor.col, *col, cols, s->cols) : 0;
}

static void update_viewport(struct canvas *c, const struct pane_view *v)
{
	int rows = surface_rows(c->surface) - 1, cols = surface_cols(c->surface);

	if (!v->scrolled && !v->copy_cursor) {
		viewport_follow(v->screen, rows, cols, &c->view_row, &c->view_col);
		return;
	}
	if (v->copy_cursor)
		c->view_col = v->screen->cols > cols
				  ? follow(v->copy_cursor->col, c->view_col, cols, v->screen->cols)
				  : 0;
}

void canvas_draw(struct canvas *c, const struct pane_view *v)
{
	struct span spans[SPANS_MAX];
	uint64_t common;

	if (!v->screen) {
		draw_message(c, v->message ? v->message : "");
		return;
	}
	update_viewport(c, v);
	common = common_key(c, v);
	for (int y = 0; y < surface_rows(c->surface) - 1; y++) {
		struct shown_row r = row_of_view(c, v, y);
		int count = spans_of(v, &r, spans);
		uint64_t key = row_key(&r, spans, count, common);

		if (c->key[y] == key)
			continue;
		c->key[y] = key;
		if (r.beyond)
			draw_below(c, v, y, r.number == v->screen->top + (uint64_t)v->screen->rows);
		else
			draw_row(c, v, &r, y, spans, count);
	}
}

/* --- places --- */

static bool to_screen(const struct canvas *c, int row, int col, int *out_row, int *out_col)
{
	struct rect content = canvas_content(c);

	*out_row = content.row + row;
	*out_col = content.col + col;
	return row >= 0 && row < content.rows && col >= 0 && col < content.cols;
}

static uint64_t first_number(const struct canvas *c, const struct pane_view *v)
{
	return v->scrolled ? v->first : v->screen->top + (uint64_t)c->view_row;
}

bool canvas_cursor(const struct canvas *c, const struct pane_view *v, int *row, int *col)
{
	const struct cursor *cursor;
	uint64_t first;

	if (!v->screen)
		return false;
	first = first_number(c, v);
	if (v->copy_cursor) {
		if (v->copy_cursor->row < first || v->copy_cursor->row - first > INT32_MAX)
			return false;
		return to_screen(
		    c, (int)(v->copy_cursor->row - first), v->copy_cursor->col - c->view_col, row, col);
	}
	cursor = &v->screen->cursor;
	if (v->scrolled || !cursor->visible)
		return false;
	return to_screen(c, cursor->row - c->view_row, cursor->col - c->view_col, row, col);
}

static int clamped(int n, int limit)
{
	return n < 0 ? 0 : n >= limit ? limit - 1 : n;
}

bool canvas_place(
    const struct canvas *c, const struct pane_view *v, int row, int col, bool clamp, struct position *out)
{
	struct rect content = canvas_content(c);
	const struct screen *s = v->screen;
	uint64_t last;

	row -= content.row;
	col -= content.col;
	if (!s || content.rows < 1)
		return false;
	if (clamp) {
		row = clamped(row, content.rows);
		col = clamped(col, content.cols);
	} else if (row < 0 || row >= content.rows || col < 0 || col >= content.cols) {
		return false;
	}
	*out = (struct position){.row = first_number(c, v) + (uint64_t)row, .col = col + c->view_col};
	last = s->top + (uint64_t)s->rows - 1;
	if (!clamp)
		return out->row <= last && out->col < s->cols;
	out->row = out->row > last ? last : out->row;
	out->col = clamped(out->col, s->cols);
	return true;
}

/* --- the big number --- */

static const uint8_t digits[10][5] = {
    {7, 5, 5, 5, 7},
    {2, 6, 2, 2, 7},
    {7, 1, 7, 4, 7},
    {7, 1, 7, 1, 7},
    {5, 5, 7, 1, 1},
    {7, 4, 7, 1, 7},
    {7, 4, 7, 5, 7},
    {7, 1, 1, 1, 1},
    {7, 5, 7, 5, 7},
    {7, 5, 7, 1, 7},
};

enum { DIGIT_ROWS = 5, DIGIT_COLS = 8 /* three blocks of two columns and a gap */ };

static void draw_digit(struct surface *s, int row, int col, int digit, enum theme_role role)
{
	for (int y = 0; y < DIGIT_ROWS; y++) {
		for (int x = 0; x < 3; x++) {
			if (digits[digit][y] >> (2 - x) & 1)
				surface_text(s, row + y, col + 2 * x, 2, "██", role);
		}
	}
}

void canvas_number(struct canvas *c, int number, bool focused)
{
	enum theme_role role = focused ? ROLE_TITLE_FOCUSED : ROLE_TITLE;
	int rows = surface_rows(c->surface) - 1, cols = surface_cols(c->surface), len, width;
	char text[16];

	len = snprintf(text, sizeof(text), "%d", number < 0 ? 0 : number);
	width = len * DIGIT_COLS - 2;
	canvas_forget(c);
	if (rows < DIGIT_ROWS || cols < width) {
		surface_text(c->surface, 1 + rows / 2, (cols - len) / 2, len, text, role);
		return;
	}
	for (int i = 0; i < len; i++)
		draw_digit(c->surface, 1 + (rows - DIGIT_ROWS) / 2, (cols - width) / 2 + i * DIGIT_COLS,
		    text[i] - '0', role);
}

/* --- dividers --- */

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, VERTICAL = 16, HORIZONTAL = 32 };

static const char *const line_chars[16] = {
    " ",
    "│",
    "│",
    "│",
    "─",
    "╯",
    "╮",
    "┤",
    "─",
    "╰",
    "╭",
    "├",
    "─",
    "┴",
    "┬",
    "┼",
};

static uint8_t grid_at(const uint8_t *grid, const struct rect *area, int row, int col)
{
	if (row < 0 || row >= area->rows || col < 0 || col >= area->cols)
		return 0;
	return grid[row * area->cols + col];
}

/* Which sides of a cell of a line are joined to others: its own direction, and lines that end at it. */
static int joints(const uint8_t *grid, const struct rect *area, int row, int col)
{
	uint8_t self = grid_at(grid, area, row, col);
	int joined = 0;

	if ((self | grid_at(grid, area, row - 1, col)) & VERTICAL)
		joined |= UP;
	if ((self | grid_at(grid, area, row + 1, col)) & VERTICAL)
		joined |= DOWN;
	if ((self | grid_at(grid, area, row, col - 1)) & HORIZONTAL)
		joined |= LEFT;
	if ((self | grid_at(grid, area, row, col + 1)) & HORIZONTAL)
		joined |= RIGHT;
	return joined;
}

static void mark_divider(uint8_t *grid, const struct rect *area, const struct divider *d)
{
	for (int y = d->at.row - area->row; y < d->at.row - area->row + d->at.rows; y++) {
		for (int x = d->at.col - area->col; x < d->at.col - area->col + d->at.cols; x++) {
			if (y >= 0 && y < area->rows && x >= 0 && x < area->cols)
				grid[y * area->cols + x] |= d->vertical ? VERTICAL : HORIZONTAL;
		}
	}
}

static bool touches(const struct rect *pane, int row, int col)
{
	return row >= pane->row - 1 && row <= pane->row + pane->rows && col >= pane->col - 1 &&
	       col <= pane->col + pane->cols;
}

void compose_dividers(struct surface *s, const struct layout *l, struct rect area, int focused)
{
	struct divider dividers[LAYOUT_PANES_MAX];
	int count = layout_dividers(l, dividers, LAYOUT_PANES_MAX);
	uint8_t *grid = mem_zalloc((size_t)area.rows * (size_t)area.cols + 1, 1);
	struct rect pane;
	bool any = layout_rect(l, focused, &pane);

	for (int i = 0; i < count && i < LAYOUT_PANES_MAX; i++)
		mark_divider(grid, &area, &dividers[i]);
	for (int y = 0; y < area.rows; y++) {
		for (int x = 0; x < area.cols; x++) {
			bool focus = any && touches(&pane, area.row + y, area.col + x);

			if (grid_at(grid, &area, y, x))
				surface_text(s, y, x, 1, line_chars[joints(grid, &area, y, x)],
				    focus ? ROLE_BORDER_FOCUSED : ROLE_BORDER);
		}
	}
	free(grid);
}
