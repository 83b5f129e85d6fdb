/* capture: see capture.h. */
#include "client/capture.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

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

static struct json *row_json(const struct row *r, uint64_t number, const struct cell_table *t)
{
	struct json *j = json_new_object();
	json_set_number(j, "number", (double)number);
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

/* The row of a number: of the screen, or unpacked from history into *scratch.  NULL: not kept. */
static const struct row *row_at(
    const struct screen *s, const struct history *h, uint64_t number, struct row *scratch)
{
	size_t len;
	const void *packed;
	if (number >= s->top)
		return number - s->top < (uint64_t)s->rows ? s->row[number - s->top] : NULL;
	packed = h ? history_packed(h, number, &len) : NULL;
	if (!packed)
		return NULL;
	int used = row_packed_used(packed, len);
	row_resize(scratch, used > s->cols ? used : s->cols); /* the screen may have been wider */
	return row_unpack(packed, len, s->table, scratch) == 0 ? scratch : NULL;
}

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

struct json *capture(const struct screen *s, const struct history *h, uint64_t from, uint64_t end,
    enum capture_format format, bool trim)
{
	struct json *j = head(s, h);
	struct json *lines = format == CAPTURE_JSON ? json_set(j, "lines", json_new_array()) : NULL;
	AUTO_BUF text = BUF_INIT;
	size_t size = 0;
	uint64_t last = s->top + (uint64_t)s->rows, number;
	if (end > last)
		end = last;
	if (trim)
		end = trimmed_end(s, end);
	struct row scratch;
	row_init(&scratch, s->cols, 0);
	for (number = from; number < end && text.len + size < CAPTURE_BYTES; number++) {
		const struct row *r = row_at(s, h, number, &scratch);
		if (!r)
			continue;
		if (lines) {
			json_append(lines, row_json(r, number, s->table));
			size += 128 + (size_t)row_used(r) * 8;
			continue;
		}
		if (format == CAPTURE_ANSI)
			capture_row_ansi(r, s->table, &text);
		else
			row_text(r, s->table, 0, r->cols, true, &text);
		buf_addc(&text, '\n');
	}
	row_finish(&scratch);
	if (!lines)
		json_set_string(j, "text", text.data);
	if (number < end)
		json_set_number(j, "next", (double)number);
	return j;
}

char *capture_nothing_left(const struct record *r)
{
	const struct json *keys = json_get(json_get(r->session, "settings"), "transcript");
	const char *key = json_string(json_first(keys), NULL);

	if (key)
		return mem_printf(
		    "nothing has left this screen yet; %s in %s itself shows what was said before", key,
		    r->harness_title);
	return mem_printf(
	    "nothing has left this screen yet; %s may show what was said before itself", r->harness_title);
}
