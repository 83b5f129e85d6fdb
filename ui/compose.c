/*
 * compose: see compose.h.
 *
 * For each row of the content the canvas keeps a key of all that it was drawn from: which row, its version,
 * the viewport, what lies over it.  A row whose key is the same is not drawn again.
 * Of history a row of the content shows a line (cell/rebreak.h), which is made of pieces of rows; of the live
 * screen it shows one row, through the viewport.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cell/rebreak.h"
#include "ui/compose.h"

enum { SPANS_MAX = 64 /* over one row of the content; further hits are not marked */ };

struct canvas {
	struct display *display;
	struct surface *surface;
	struct rect at;
	int view_row, view_col; /* the session's cell that is shown first, on the live screen */
	uint64_t *key;          /* by row of the content; 0: draw it */
};

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

void canvas_title(struct canvas *c, const struct pane_title *t)
{
	compose_title(c->surface, t);
}

/* --- rows of the content --- */

/* The lines of a view, from the first one on. */
struct walk {
	struct rebreak lines;
	struct visual line;
	bool beyond; /* below the last one */
};

/* What a row of the content shows. */
struct shown_row {
	uint64_t number;       /* stable, of the first row; meaningless if it is beyond the session */
	const struct row *row; /* the only one or the first; NULL: not here, or beyond the session */
	bool beyond;           /* below the session's last row */
	bool first_beyond;
};

static uint64_t mix(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 31;
}

static const struct row *row_at(void *context, uint64_t number)
{
	const struct pane_view *v = context;
	const struct screen *s = v->screen;

	if (number >= s->top)
		return number < s->top + (uint64_t)s->rows ? s->row[number - s->top] : NULL;
	return v->history ? v->history(v->context, number) : NULL;
}

static struct walk walk_begin(const struct pane_view *v)
{
	const struct screen *s = v->screen;
	struct walk w = {.lines = {.source = {.get = row_at,
				       .context = (void *)v,
				       .table = s->table,
				       .first = s->history_first,
				       .end = s->top + (uint64_t)s->rows},
			     .width = v->width,
			     .unbroken = s->cols == v->width ? s->top : UINT64_MAX}};

	w.line = visual_from(&w.lines, v->first);
	return w;
}

static void walk_on(struct walk *w)
{
	w->beyond = w->beyond || visual_forward(&w->lines, &w->line, 1) == 0;
}

static struct shown_row row_of_screen(const struct canvas *c, const struct pane_view *v, int y)
{
	const struct screen *s = v->screen;
	int at = c->view_row + y;
	struct shown_row r = {
	    .number = s->top + (uint64_t)at, .beyond = at >= s->rows, .first_beyond = at == s->rows};

	r.row = r.beyond ? NULL : s->row[at];
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
	int from, to; /* columns of the line */
	enum theme_role role;
};

/* What lies over a row of the content, in the order in which it is drawn. */
struct spans {
	struct span span[SPANS_MAX];
	int count;
};

/* Columns [from, to) of a piece's row, as far as they are in the piece. */
static void add_span(struct spans *s, const struct visual_piece *p, int from, int to, enum theme_role role)
{
	if (from < p->from)
		from = p->from;
	if (to > p->from + p->columns)
		to = p->from + p->columns;
	if (from < to && s->count < SPANS_MAX)
		s->span[s->count++] = (struct span){p->at + from - p->from, p->at + to - p->from, role};
}

static void add_spans(
    struct spans *s, const struct pane_view *v, const struct walk *w, const struct visual_piece *p)
{
	int from, to, end = p->from + p->columns;

	for (size_t i = 0; i < v->match_count; i++) {
		if (match_columns(&v->matches[i], p->row, end, &from, &to))
			add_span(s, p, from, to, ROLE_MATCH);
	}
	if (v->current && match_columns(v->current, p->row, end, &from, &to))
		add_span(s, p, from, to, ROLE_MATCH_CURRENT);
	if (v->selection && visual_selected(&w->lines, v->selection, &w->line, p, &from, &to))
		add_span(s, p, from, to, ROLE_SELECTION);
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

static uint64_t row_key(const struct shown_row *r, uint64_t common)
{
	uint64_t h = mix(common, r->number);

	h = mix(h, (uintptr_t)r->row);
	h = mix(h, r->row ? r->row->version : 0);
	return mix(h, (uint64_t)r->beyond) | 1;
}

/* The key of a line of history, and what lies over it. */
static uint64_t line_key(
    const struct walk *w, const struct pane_view *v, uint64_t common, struct spans *spans)
{
	struct visual_piece p = visual_piece(&w->lines, &w->line);
	uint64_t h = common;

	spans->count = 0;
	do {
		const struct row *r = row_at((void *)v, p.row);

		h = mix(mix(h, p.row), (uintptr_t)r);
		h = mix(mix(h, r ? r->version : 0), (uint64_t)p.from << 32 | (uint64_t)p.columns);
		add_spans(spans, v, w, &p);
	} while (visual_next_piece(&w->lines, &w->line, &p));
	for (int i = 0; i < spans->count; i++) {
		const struct span *s = &spans->span[i];

		h = mix(h, (uint64_t)s->from << 32 | (uint64_t)s->to << 8 | (uint64_t)s->role);
	}
	return h | 1;
}

/* What is the same for all rows of a view. */
static uint64_t common_key(const struct canvas *c, const struct pane_view *v)
{
	const struct screen *s = v->screen;
	uint64_t h = mix((uintptr_t)s, (uint64_t)s->cols << 32 | (uint64_t)s->rows);

	h = mix(h, v->scrolled ? (uint64_t)v->width + 1 : 0);
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

/* Columns of the pane that the session has something for. */
static int shown_cols(const struct canvas *c, const struct pane_view *v)
{
	return smaller(surface_cols(c->surface), v->scrolled ? v->width : v->screen->cols - c->view_col);
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
	int cols = surface_cols(c->surface), width = v->scrolled ? v->width : v->screen->cols - c->view_col;

	surface_fill(c->surface, y + 1, 0, 1, cols, ROLE_FILL);
	if (!first)
		return;
	surface_hline(c->surface, y + 1, 0, smaller(width, cols), ROLE_FILL);
	if (width < cols)
		surface_text(c->surface, y + 1, width, 1, "╯", ROLE_FILL);
}

static void draw_row(struct canvas *c, const struct pane_view *v, const struct shown_row *r, int y)
{
	struct cell_look look = look_of(v);
	int width = shown_cols(c, v);

	surface_cells(c->surface, y + 1, 0, r->row->cells, r->row->cols, c->view_col, width, &look);
	draw_edges(c, v, r, y);
	draw_right(c, y, width);
}

/* The columns [from, to) of a line: the rest of the width that no row has is blank. */
static void draw_pieces(
    struct canvas *c, const struct walk *w, const struct pane_view *v, int y, struct span part)
{
	struct visual_piece p = visual_piece(&w->lines, &w->line);
	struct cell_look look = look_of(v);
	bool more;

	look.overlay = part.role;
	do {
		const struct row *r = row_at((void *)v, p.row);
		int from = part.from > p.at ? part.from : p.at, skip = from - p.at, end = p.at + p.columns;
		struct visual_piece piece = p;

		more = visual_next_piece(&w->lines, &w->line, &p);
		end = more ? smaller(end, part.to) : part.to;
		if (from < end)
			surface_cells(c->surface, y + 1, from, r ? r->cells : NULL,
			    r ? piece.from + piece.columns : 0, piece.from + skip, end - from, &look);
	} while (more);
}

static void draw_line(
    struct canvas *c, const struct walk *w, const struct pane_view *v, int y, const struct spans *spans)
{
	int width = shown_cols(c, v);
	bool here = row_at((void *)v, w->line.from.row) != NULL;

	if (here)
		draw_pieces(c, w, v, y, (struct span){0, width, ROLE_NONE});
	else
		surface_fill(c->surface, y + 1, 0, 1, width, ROLE_FILL);
	for (int i = 0; here && i < spans->count; i++) {
		struct span s = spans->span[i];

		s.to = smaller(s.to, width);
		draw_pieces(c, w, v, y, s);
	}
	draw_right(c, y, width);
}

static void draw_message(struct canvas *c, const char *message)
{
	int rows = surface_rows(c->surface), cols = surface_cols(c->surface),
	    width = utf8_columns(message, strlen(message));
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

	if (v->scrolled)
		c->view_col = 0;
	else
		viewport_follow(v->screen, rows, cols, &c->view_row, &c->view_col);
}

static void draw_history(struct canvas *c, const struct pane_view *v, uint64_t common)
{
	struct walk w = walk_begin(v);
	bool was_beyond = false;
	struct spans spans;

	for (int y = 0; y < surface_rows(c->surface) - 1; y++, walk_on(&w)) {
		uint64_t key =
		    w.beyond ? mix(common, was_beyond ? 2 : 1) | 1 : line_key(&w, v, common, &spans);

		if (c->key[y] != key && w.beyond)
			draw_below(c, v, y, !was_beyond);
		else if (c->key[y] != key)
			draw_line(c, &w, v, y, &spans);
		c->key[y] = key;
		was_beyond = w.beyond;
	}
}

static void draw_live(struct canvas *c, const struct pane_view *v, uint64_t common)
{
	for (int y = 0; y < surface_rows(c->surface) - 1; y++) {
		struct shown_row r = row_of_screen(c, v, y);
		uint64_t key = row_key(&r, common);

		if (c->key[y] == key)
			continue;
		c->key[y] = key;
		if (r.beyond)
			draw_below(c, v, y, r.first_beyond);
		else
			draw_row(c, v, &r, y);
	}
}

void canvas_draw(struct canvas *c, const struct pane_view *v)
{
	if (!v->screen) {
		draw_message(c, v->message ? v->message : "");
		return;
	}
	update_viewport(c, v);
	if (v->scrolled)
		draw_history(c, v, common_key(c, v));
	else
		draw_live(c, v, common_key(c, v));
}

/* --- places --- */

static bool to_screen(const struct canvas *c, int row, int col, int *out_row, int *out_col)
{
	struct rect content = canvas_content(c);

	*out_row = content.row + row;
	*out_col = content.col + col;
	return row >= 0 && row < content.rows && col >= 0 && col < content.cols;
}

/* The line of the view that shows a place, and in which row of the content. */
static bool find_line(
    const struct canvas *c, const struct pane_view *v, struct position at, struct walk *w, int *y)
{
	*w = walk_begin(v);
	if (position_compare(at, v->first) < 0)
		return false;
	for (*y = 0; *y < surface_rows(c->surface) - 1 && !w->beyond; ++*y, walk_on(w)) {
		if (position_compare(at, w->line.next) < 0)
			return true;
	}
	return false;
}

bool canvas_cursor(const struct canvas *c, const struct pane_view *v, int *row, int *col)
{
	const struct cursor *cursor;
	struct walk w;
	int y;

	if (!v->screen)
		return false;
	if (v->copy_cursor)
		return find_line(c, v, *v->copy_cursor, &w, &y) &&
		       to_screen(c, y, visual_column(&w.lines, &w.line, *v->copy_cursor), row, col);
	cursor = &v->screen->cursor;
	if (v->scrolled || !cursor->visible)
		return false;
	return to_screen(c, cursor->row - c->view_row, cursor->col - c->view_col, row, col);
}

static int clamped(int n, int limit)
{
	return n < 0 ? 0 : n >= limit ? limit - 1 : n;
}

static bool place_in_history(const struct pane_view *v, int row, int col, bool clamp, struct position *out)
{
	struct walk w = walk_begin(v);

	while (row-- > 0)
		walk_on(&w);
	if (!clamp && (w.beyond || col >= v->width))
		return false;
	*out = visual_position(&w.lines, &w.line, clamped(col, v->width));
	return true;
}

bool canvas_place(
    const struct canvas *c, const struct pane_view *v, int row, int col, bool clamp, struct position *out)
{
	struct rect content = canvas_content(c);
	const struct screen *s = v->screen;

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
	if (v->scrolled)
		return place_in_history(v, row, col, clamp, out);
	row += c->view_row;
	col += c->view_col;
	if (!clamp && (row >= s->rows || col >= s->cols))
		return false;
	*out =
	    (struct position){.row = s->top + (uint64_t)clamped(row, s->rows), .col = clamped(col, s->cols)};
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
