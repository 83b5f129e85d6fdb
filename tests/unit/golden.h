/*
 * golden: what a strict little terminal (outer.h) shows, as text with styles, compared with a file in
 * tests/golden. GOLDEN=write in the environment makes the files anew; read the difference before it is
 * committed.
 *
 *     |text of a row|          one line a row, its right end marked
 *     row from-to style        what is not plain, columns included
 *     cursor row,column        or "cursor hidden"
 */
#ifndef HANDLER_TESTS_GOLDEN_H
#define HANDLER_TESTS_GOLDEN_H

#include "base/path.h"
#include "outer.h"

static inline void golden_color(struct buf *out, const char *name, color_t c)
{
	if (COLOR_IS_INDEX(c))
		buf_printf(out, " %s=%u", name, COLOR_VALUE(c));
	else if (COLOR_IS_RGB(c))
		buf_printf(out, " %s=#%06x", name, COLOR_VALUE(c));
}

static inline void golden_style(struct buf *out, const struct outer_cell *c)
{
	static const char *const attrs[] = {
	    "bold", "dim", "italic", "blink", "reverse", "conceal", "strike", "overline", "protected"};
	static const char *const lines[] = {"", " underline", " double", " curly", " dotted", " dashed"};

	golden_color(out, "fg", c->style.fg);
	golden_color(out, "bg", c->style.bg);
	for (size_t i = 0; i < COUNT_OF(attrs); i++) {
		if (c->style.attrs >> i & 1)
			buf_printf(out, " %s", attrs[i]);
	}
	buf_adds(out, lines[c->style.underline]);
	golden_color(out, "line", c->style.underline_color);
	if (c->uri[0])
		buf_printf(out, " link=%s", c->uri);
}

/* Blanks show no colour of text: so that a frame says what is seen, not how it came to be. */
static inline struct outer_cell golden_seen(const struct outer_cell *c)
{
	struct outer_cell seen = *c;

	if (strcmp(c->text, " ") == 0 && !(c->style.attrs & ATTR_REVERSE) && !c->style.underline) {
		seen.style.fg = COLOR_DEFAULT;
		seen.style.attrs &= ATTR_STRIKE | ATTR_OVERLINE;
	}
	return seen;
}

static inline void golden_runs(struct buf *out, const struct outer *o, int row)
{
	struct buf before = BUF_INIT, now = BUF_INIT;
	int start = 0;

	for (int col = 0; col <= o->cols; col++) {
		struct outer_cell c = {0};

		if (col < o->cols)
			c = golden_seen(outer_at(o, row, col));
		buf_clear(&now);
		golden_style(&now, &c);
		if (col > 0 && col < o->cols && strcmp(now.data, before.data) == 0)
			continue;
		if (before.len > 0)
			buf_printf(out, "%d %d-%d%s\n", row, start, col - 1, before.data);
		start = col;
		buf_clear(&before);
		buf_add(&before, now.data, now.len);
	}
	buf_free(&before);
	buf_free(&now);
}

static inline void golden_render(struct buf *out, const struct outer *o)
{
	for (int row = 0; row < o->rows; row++) {
		buf_addc(out, '|');
		for (int col = 0; col < o->cols; col++)
			buf_adds(out, outer_at(o, row, col)->text);
		buf_adds(out, "|\n");
	}
	for (int row = 0; row < o->rows; row++)
		golden_runs(out, o, row);
	if (o->cursor_visible)
		buf_printf(out, "cursor %d,%d\n", o->row, o->col);
	else
		buf_adds(out, "cursor hidden\n");
}

static inline void golden_check(const struct outer *o, const char *name)
{
	AUTO_FREE char *path = mem_printf("tests/golden/%s.frame", name), *want = NULL;
	const char *mode = getenv("GOLDEN");
	AUTO_BUF have = BUF_INIT;
	struct err err = ERR_INIT;

	golden_render(&have, o);
	if (mode && strcmp(mode, "write") == 0) {
		assert_int_equal(path_write_file(path, have.data, have.len, 0644, &err), 0);
		return;
	}
	if (path_read_file(path, 1 << 20, &want, NULL, &err) < 0)
		fail_msg("%s", err.message);
	if (strcmp(have.data, want) != 0) {
		fprintf(stderr, "%s differs; it is now:\n%s", path, have.data);
		fail();
	}
}

#endif
