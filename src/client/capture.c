/* capture: see capture.h. */
#include "client/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cell/rebreak.h"

static void add_color(struct json *j, const char *key, color_t c)
{
	char text[16];
	if (COLOR_IS_INDEX(c)) {
		json_set_number(j, key, COLOR_VALUE(c));
	} else if (COLOR_IS_RGB(c)) {
		snprintf(text, sizeof text, "#%06x", (unsigned)COLOR_VALUE(c));
		json_set_string(j, key, text);
	}
}

static struct json *style_json(const struct style *s, const struct cell_table *t)
{
	static const struct {
		uint16_t attr;
		const char *name;
	} attrs[] = {{ATTR_BOLD, "bold"}, {ATTR_DIM, "dim"}, {ATTR_ITALIC, "italic"}, {ATTR_BLINK, "blink"},
	    {ATTR_REVERSE, "reverse"}, {ATTR_CONCEAL, "conceal"}, {ATTR_STRIKE, "strike"},
	    {ATTR_OVERLINE, "overline"}};
	static const char *const underlines[] = {NULL, "single", "double", "curly", "dotted", "dashed"};
	struct json *j = json_new_object();
	add_color(j, "fg", s->fg);
	add_color(j, "bg", s->bg);
	add_color(j, "underline_color", s->underline_color);
	for (size_t i = 0; i < COUNT_OF(attrs); i++)
		if (s->attrs & attrs[i].attr)
			json_set_bool(j, attrs[i].name, true);
	if (s->underline && s->underline < COUNT_OF(underlines))
		json_set_string(j, "underline", underlines[s->underline]);
	const char *uri = table_link_uri(t, s->link);
	if (uri)
		json_set_string(j, "link", uri);
	return j;
}

/* The end of the run of cells with one style that begins at col. */
static int run_end(const struct row *r, int col, int used)
{
	int end = col + 1;
	while (end < used && r->cells[end].style == r->cells[col].style)
		end++;
	return end;
}

static struct json *row_json(const struct row *r, struct position from, const struct cell_table *t)
{
	struct json *j = json_new_object();
	json_set_number(j, "number", (double)from.row);
	json_set_number(j, "column", from.col);
	json_set_bool(j, "wrapped", r->flags & ROW_WRAPPED);
	struct json *runs = json_set(j, "runs", json_new_array());
	int used = row_used(r);
	for (int col = 0, end; col < used; col = end) {
		AUTO_BUF text = BUF_INIT;
		end = run_end(r, col, used);
		row_text(r, t, col, end, false, &text);
		struct json *run = json_append(runs, json_new_object());
		json_set_string(run, "text", text.data);
		json_set_number(run, "columns", end - col);
		json_set(run, "style", style_json(table_style_value(t, r->cells[col].style), t));
	}
	return j;
}

void capture_row_ansi(const struct row *r, const struct cell_table *t, struct buf *out)
{
	int used = row_used(r);
	bool styled = false;
	for (int col = 0, end; col < used; col = end) {
		char sgr[STYLE_SGR_MAX];
		end = run_end(r, col, used);
		style_sgr(table_style_value(t, r->cells[col].style), sgr);
		bool plain = !*sgr; /* a style may be nothing but a link */
		if (!plain)
			buf_printf(out, "\033[0;%sm", sgr);
		else if (styled)
			buf_adds(out, "\033[0m");
		styled = !plain;
		row_text(r, t, col, end, false, out);
	}
	if (styled)
		buf_adds(out, "\033[0m");
}

/* --- lines --- */

enum { UNPACKED = 4 /* rows at once: breaking lines looks at neighbours again and again */ };

/* Rows of history as they are unpacked, and the screen's. */
struct rows {
	const struct screen *screen;
	const struct history *history;
	const struct capture_page *page; /* instead of the screen, or NULL */
	struct row row[UNPACKED];
	uint64_t number[UNPACKED];
};

static const struct row *unpacked(struct rows *rows, uint64_t number)
{
	struct row *r = &rows->row[number % UNPACKED];
	size_t len;
	const void *packed = rows->history ? history_packed(rows->history, number, &len) : NULL;
	if (!packed)
		return NULL;
	if (rows->number[number % UNPACKED] == number)
		return r;
	row_resize(r, row_packed_used(packed, len));
	if (row_unpack(packed, len, rows->screen->table, r) < 0)
		return NULL;
	rows->number[number % UNPACKED] = number;
	return r;
}

/* NULL: not kept. */
static const struct row *row_at(void *context, uint64_t number)
{
	struct rows *rows = context;
	const struct screen *s = rows->screen;
	const struct capture_page *page = rows->page;
	if (number >= s->top && page)
		return number - s->top < (uint64_t)page->rows
			   ? page->row(page->context, (int)(number - s->top))
			   : NULL;
	if (number >= s->top)
		return number - s->top < (uint64_t)s->rows ? s->row[number - s->top] : NULL;
	return unpacked(rows, number);
}

/* Lines as wide as the screen, whose own rows are lines as they are. */
static void begin_lines(
    struct rebreak *b, struct rows *rows, const struct screen *s, const struct history *h, uint64_t end)
{
	*rows = (struct rows){.screen = s, .history = h};
	for (int i = 0; i < UNPACKED; i++)
		rows->number[i] = UINT64_MAX;
	*b = (struct rebreak){.source = {.get = row_at,
				  .context = rows,
				  .table = s->table,
				  .first = h && history_first(h) < s->top ? history_first(h) : s->top,
				  .end = end},
	    .width = s->cols,
	    .unbroken = s->top};
}

static void end_lines(struct rows *rows)
{
	for (int i = 0; i < UNPACKED; i++)
		row_finish(&rows->row[i]);
}

/* A line as a row of its own. */
static void copy_line(const struct rebreak *b, const struct visual *v, struct row *out)
{
	struct visual_piece p = visual_piece(b, v);
	const struct row *r;
	row_resize(out, 0);
	do {
		r = row_at(b->source.context, p.row);
		if (!r)
			break;
		row_resize(out, p.at + p.columns);
		if (p.columns > 0)
			memcpy(out->cells + p.at, r->cells + p.from, (size_t)p.columns * sizeof(*r->cells));
	} while (visual_next_piece(b, v, &p));
	out->flags = v->goes_on || (r && r->flags & ROW_WRAPPED) ? ROW_WRAPPED : 0;
}

struct position capture_begin(const struct screen *s, const struct history *h, int64_t lines)
{
	struct rebreak b;
	struct rows rows;
	begin_lines(&b, &rows, s, h, s->top + (uint64_t)s->rows);
	struct visual v = visual_from(&b, (struct position){lines < 0 ? b.source.first : s->top, 0});
	if (lines > 0)
		visual_back(&b, &v, lines < INT32_MAX ? (int)lines : INT32_MAX);
	end_lines(&rows);
	return v.from;
}

/* --- */

static uint64_t trimmed_end(const struct screen *s, uint64_t end)
{
	while (end > s->top && row_used(s->row[end - s->top - 1]) == 0)
		end--;
	return end;
}

static struct json *head(const struct screen *s, const struct history *h)
{
	struct json *j = json_new_object();
	json_set_number(j, "version", 1);
	json_set_number(j, "rows", s->rows);
	json_set_number(j, "cols", s->cols);
	struct json *cursor = json_set(j, "cursor", json_new_object());
	json_set_number(cursor, "row", s->cursor.row);
	json_set_number(cursor, "col", s->cursor.col);
	json_set_bool(cursor, "visible", s->cursor.visible);
	json_set_bool(j, "alternate", s->modes & SCREEN_ALTERNATE);
	json_set_bool(j, "mouse", s->modes & SCREEN_MOUSE);
	json_set_bool(j, "bracketed_paste", s->modes & SCREEN_BRACKETED_PASTE);
	json_set_number(j, "first", (double)(h ? history_first(h) : s->top));
	json_set_number(j, "top", (double)s->top);
	return j;
}

/* What is captured. */
struct capturing {
	const struct screen *screen;
	struct rows rows;
	struct rebreak b;
	enum capture_format format;
	bool pages; /* only what is ROW_SEEN */
	bool gaps;
	struct json *lines; /* CAPTURE_JSON, else text */
	struct buf text;
	size_t size; /* about, of `lines` */
};

static void add_line(struct capturing *c, const struct row *r, struct position from)
{
	const struct cell_table *t = c->screen->table;
	if (c->format == CAPTURE_JSON) {
		json_append(c->lines, row_json(r, from, t));
		c->size += 128 + (size_t)row_used(r) * 8;
		return;
	}
	if (c->format == CAPTURE_ANSI)
		capture_row_ansi(r, t, &c->text);
	else
		row_text(r, t, 0, r->cols, true, &c->text);
	buf_addc(&c->text, '\n');
}

/* Returns where to go on; its row is the end's, or behind it, if that was all. */
static struct position add_lines(struct capturing *c, struct position from)
{
	struct row line;
	row_init(&line, 0, 0);
	while (from.row < c->b.source.end && (c->text.len + c->size < CAPTURE_BYTES || from.col > 0)) {
		struct visual v = visual_from(&c->b, from);
		const struct row *r = row_at(&c->rows, from.row);
		if (r && (!c->pages || r->flags & ROW_SEEN)) {
			c->gaps = c->gaps || r->flags & ROW_GAP;
			copy_line(&c->b, &v, &line);
			add_line(c, &line, from);
		}
		from = v.next;
	}
	row_finish(&line);
	return from;
}

static struct json *finish_capture(struct capturing *c, const struct history *h, struct position next)
{
	struct json *j = head(c->screen, h);
	if (c->lines)
		json_set(j, "lines", c->lines);
	else
		json_set_string(j, "text", c->text.data);
	if (next.row < c->b.source.end)
		json_set_number(j, "next", (double)next.row);
	if (c->pages)
		json_set_bool(j, "gaps", c->gaps);
	end_lines(&c->rows);
	buf_free(&c->text);
	return j;
}

static void begin_capture(struct capturing *c, const struct screen *s, const struct history *h, uint64_t end,
    enum capture_format format)
{
	*c = (struct capturing){
	    .screen = s, .format = format, .lines = format == CAPTURE_JSON ? json_new_array() : NULL};
	buf_init(&c->text);
	begin_lines(&c->b, &c->rows, s, h, end);
}

static uint64_t least_number(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct json *capture_pages(const struct screen *s, const struct history *h, const struct capture_page *page,
    struct position from, uint64_t end, enum capture_format format)
{
	struct capturing c;
	begin_capture(&c, s, h, least_number(end, s->top + (uint64_t)(page ? page->rows : s->rows)), format);
	c.pages = true;
	c.rows.page = page;
	if (page)
		c.b.unbroken = UINT64_MAX;
	if (from.row < c.b.source.first)
		from = (struct position){c.b.source.first, 0};
	return finish_capture(&c, h, add_lines(&c, from));
}

struct json *capture(const struct screen *s, const struct history *h, struct position from, uint64_t end,
    enum capture_format format, bool trim)
{
	struct capturing c;
	end = least_number(end, s->top + (uint64_t)s->rows);
	begin_capture(&c, s, h, trim ? trimmed_end(s, end) : end, format);
	return finish_capture(&c, h, add_lines(&c, from));
}

/* The program's own key for what was said before, or NULL. */
static const char *transcript_key(const struct record *r)
{
	const struct json *keys = json_get(json_get(r->session, "settings"), "transcript");
	return json_string(json_first(keys), NULL);
}

char *capture_may_miss(const struct record *r)
{
	const char *key = transcript_key(r);
	if (key)
		return mem_printf("rows that passed unseen may be missing; %s in %s itself shows them", key,
		    r->harness_title);
	return mem_printf(
	    "rows that passed unseen may be missing; %s may show them itself", r->harness_title);
}

char *capture_nothing_left(const struct record *r)
{
	const char *key = transcript_key(r);
	if (key)
		return mem_printf(
		    "nothing has left this screen yet; %s in %s itself shows what was said before", key,
		    r->harness_title);
	return mem_printf(
	    "nothing has left this screen yet; %s may show what was said before itself", r->harness_title);
}
