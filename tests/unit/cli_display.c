/*
 * From a program's output to the outer terminal and back: an emulator for the program, canvas, display and
 * expand, and an emulator in the place of the outer terminal, which must show the pane as the first one has
 * it, cell by cell.
 */
#include "term_random.h"

#include "base/unicode.h"

#include "ui/cluster.h"
#include "ui/compose.h"

static const struct outer_caps full_caps = {
    .depth = DEPTH_TRUE,
    .sync = true,
    .graphemes = true,
    .margins = true,
    .scroll_region = true,
    .styled_underline = true,
    .underline_color = true,
    .strike = true,
    .overline = true,
    .hyperlinks = true,
    .cursor_shape = true,
    .cursor_color = true,
};

struct pair {
	struct display *display;
	struct canvas *canvas;
	struct term *inner, *outer;
	int rows, cols;
};

static struct term *new_term(int rows, int cols)
{
	struct term_options o = {.rows = rows, .cols = cols, .version = "handler(0.0.0)"};
	struct term *t = term_create(&o, NULL);

	assert_non_null(t);
	return t;
}

/* A pane with a margin around it, so that what is drawn outside would be seen. */
static void open_pane(struct pair *p, int rows, int cols)
{
	struct rect content;

	p->rows = rows;
	p->cols = cols;
	p->canvas = canvas_create(p->display, (struct rect){1, 3, rows - 2, cols - 5});
	content = canvas_content(p->canvas);
	if (p->inner)
		term_resize(p->inner, content.rows, content.cols);
	else
		p->inner = new_term(content.rows, content.cols);
	if (p->outer)
		term_resize(p->outer, rows, cols);
	else
		p->outer = new_term(rows, cols);
}

static void open_pair(struct pair *p, int rows, int cols, const struct outer_caps *caps)
{
	*p = (struct pair){.display = display_create(rows, cols, NULL)};
	assert_non_null(p->display);
	display_set_caps(p->display, caps);
	open_pane(p, rows, cols);
	term_feed(p->outer, "\033[?1049h\033[?2027h", 16, 0);
}

static void close_pair(struct pair *p)
{
	canvas_destroy(p->canvas);
	display_destroy(p->display);
	term_destroy(p->inner);
	term_destroy(p->outer);
}

static void resize_pair(struct pair *p, int rows, int cols)
{
	canvas_destroy(p->canvas);
	display_resize(p->display, rows, cols);
	open_pane(p, rows, cols);
}

/* --- what should be seen --- */

/*
 * What acts on the terminal or the order of text is left out, and what keeps two cells apart; a mark alone
 * gets a blank to stand on.
 */
static void text_of(const struct cell_table *t, uint32_t glyph, struct buf *out)
{
	static const uint32_t dropped[] = {0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d,
	    0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0x61c, 0x200c};
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count = table_glyph(t, glyph, cps), shown = 0;

	for (size_t i = 0; i < count; i++) {
		bool hidden = cps[i] < 0x20 || (cps[i] >= 0x7f && cps[i] < 0xa0);

		for (size_t k = 0; k < COUNT_OF(dropped); k++)
			hidden |= cps[i] == dropped[k];
		if (hidden)
			continue;
		if (shown++ == 0 && unicode_width(cps[i]) == 0)
			buf_addc(out, ' ');
		buf_add_utf8(out, cps[i]);
	}
	if (count > 0 && shown == 0)
		buf_add_utf8(out, UTF8_REPLACEMENT);
	if (count == 0 && !(glyph & GLYPH_TAIL))
		buf_addc(out, ' ');
}

static color_t through(const struct palette *p, color_t c, color_t fallback)
{
	if (c == COLOR_DEFAULT)
		return fallback;
	if (COLOR_IS_INDEX(c) && p->index[COLOR_VALUE(c)] != COLOR_DEFAULT)
		return p->index[COLOR_VALUE(c)];
	return c;
}

/* A style as far as it can be seen: on a blank not the colour of the text, without an underline not its
 * colour. */
static struct style style_of(const struct screen *s, const struct cell *c, bool blank)
{
	struct style v = *table_style_value(s->table, c->style);

	if (s->palette) {
		v.fg = through(s->palette, v.fg, s->palette->fg);
		v.bg = through(s->palette, v.bg, s->palette->bg);
		v.underline_color = through(s->palette, v.underline_color, COLOR_DEFAULT);
	}
	if (s->modes & SCREEN_REVERSED)
		v.attrs ^= ATTR_REVERSE;
	v.attrs &= (uint16_t)~ATTR_PROTECTED;
	if (v.underline == UNDERLINE_NONE)
		v.underline_color = COLOR_DEFAULT;
	if (blank) {
		v.attrs &= ATTR_REVERSE | ATTR_STRIKE | ATTR_OVERLINE;
		if (!v.attrs && v.underline == UNDERLINE_NONE)
			v.fg = COLOR_DEFAULT;
	}
	v.link = 0;
	return v;
}

static const char *uri_of(const struct screen *s, const struct cell *c)
{
	const char *uri = table_link_uri(s->table, table_style_value(s->table, c->style)->link);

	return uri ? uri : "";
}

/* A wide or narrow cluster that belongs to what stands before it, alone in its cell, cannot be shown. */
static bool cannot_stand_alone(const struct cell_table *t, uint32_t glyph)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	struct grapheme g = {0};

	if (table_glyph(t, glyph, cps) == 0 || unicode_width(cps[0]) <= 0)
		return false;
	grapheme_break(&g, 'a');
	return !grapheme_break(&g, cps[0]);
}

/* The text that should be seen in a cell of the pane. */
static void wanted_text(const struct screen *s, const struct row *row, int x, struct buf *out)
{
	const struct cell *c = &row->cells[x];

	if (cannot_stand_alone(s->table, c->glyph))
		buf_add_utf8(out, UTF8_REPLACEMENT);
	else if (c->glyph & GLYPH_TAIL && x > 0 && cannot_stand_alone(s->table, row->cells[x - 1].glyph))
		buf_addc(out, ' ');
	else
		text_of(s->table, c->glyph, out);
}

static void assert_cell(
    const struct screen *want, const struct row *row, int x, const struct screen *have, const struct cell *h)
{
	const struct cell *w = &row->cells[x];
	AUTO_BUF wanted = BUF_INIT, shown = BUF_INIT;
	struct style a, b;

	wanted_text(want, row, x, &wanted);
	text_of(have->table, h->glyph, &shown);
	a = style_of(want, w, strcmp(wanted.data, " ") == 0);
	b = style_of(have, h, strcmp(shown.data, " ") == 0);
	if (strcmp(wanted.data, shown.data) != 0 || memcmp(&a, &b, sizeof(a)) != 0 ||
	    strcmp(uri_of(want, w), uri_of(have, h)) != 0)
		fail_msg("column %d: [%s] should be [%s]; fg %x %x bg %x %x attrs %x %x underline %d %d", x,
		    shown.data, wanted.data, b.fg, a.fg, b.bg, a.bg, b.attrs, a.attrs, b.underline,
		    a.underline);
}

/* Everything outside the pane is blank. */
static void assert_outside(const struct screen *have, const struct cell *h)
{
	AUTO_BUF shown = BUF_INIT;

	text_of(have->table, h->glyph, &shown);
	assert_string_equal(shown.data, " ");
	assert_int_equal(table_style_value(have->table, h->style)->bg, COLOR_DEFAULT);
}

static void assert_same(struct pair *p)
{
	const struct screen *want = term_screen(p->inner), *have = term_screen(p->outer);
	struct rect at = canvas_content(p->canvas);

	for (int y = 0; y < p->rows; y++) {
		for (int x = 0; x < p->cols; x++) {
			bool inside =
			    y >= at.row && y < at.row + at.rows && x >= at.col && x < at.col + at.cols;

			if (inside)
				assert_cell(
				    want, want->row[y - at.row], x - at.col, have, &have->row[y]->cells[x]);
			else
				assert_outside(have, &have->row[y]->cells[x]);
		}
	}
}

static void check_frame(struct pair *p)
{
	struct pane_view v = {.screen = term_screen(p->inner)};
	const struct cursor *cursor = &term_screen(p->outer)->cursor;
	AUTO_BUF out = BUF_INIT;
	int row, col;
	bool visible;

	canvas_draw(p->canvas, &v);
	visible = canvas_cursor(p->canvas, &v, &row, &col);
	display_cursor(p->display, visible ? row : -1, col, v.screen->cursor.shape, v.screen->cursor.blink,
	    COLOR_DEFAULT);
	display_frame(p->display, &out);
	term_feed(p->outer, out.data, out.len, 0);
	assert_same(p);
	cursor = &term_screen(p->outer)->cursor;
	assert_int_equal(cursor->visible, visible);
	if (visible) {
		assert_int_equal(cursor->row, row);
		assert_int_equal(cursor->col, col);
	}
	assert_false(term_screen(p->outer)->modes & SCREEN_SYNCHRONIZED);
	assert_int_equal(term_replies(p->outer)->len, 0); /* nothing that we send is a question */
}

static void run(uint64_t seed, const struct outer_caps *caps)
{
	struct random r = {seed * 7919 + 1};
	struct pair p;

	open_pair(&p, 24, 70, caps);
	for (int i = 0; i < 60; i++) {
		AUTO_BUF output = BUF_INIT;

		for (uint32_t n = below(&r, 12); n > 0; n--)
			add_random(&r, &output);
		term_feed(p.inner, output.data, output.len, 0);
		if (below(&r, 12) == 0)
			resize_pair(&p, 8 + (int)below(&r, 30), 12 + (int)below(&r, 90));
		if (below(&r, 12) == 0)
			display_invalidate(p.display);
		check_frame(&p);
	}
	close_pair(&p);
}

static void random_programs_are_shown_as_they_are(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++)
		run(seed, &full_caps);
}

static void also_without_scrolling_and_synchronized_updates(void **state)
{
	struct outer_caps caps = full_caps;

	(void)state;
	caps.sync = caps.margins = caps.scroll_region = false;
	for (uint64_t seed = 100; seed <= 130; seed++)
		run(seed, &caps);
}

/* --- lines that scroll, as agents and logs do --- */

static void feed_lines(struct pair *p, struct random *r, int count)
{
	for (int i = 0; i < count; i++) {
		AUTO_BUF line = BUF_INIT;

		buf_printf(&line, "\r\n\033[3%um%x %x %x\033[m", below(r, 8), next(r), next(r), next(r));
		term_feed(p->inner, line.data, line.len, 0);
	}
}

static void scrolling_output_is_scrolled(void **state)
{
	struct random r = {5};
	struct pair p;

	(void)state;
	open_pair(&p, 30, 80, &full_caps);
	for (int i = 0; i < 200; i++) {
		feed_lines(&p, &r, 1 + (int)below(&r, 9));
		if (below(&r, 10) == 0)
			term_feed(p.inner, "\033[5;20r\033[20;1H", 14, 0);
		if (below(&r, 10) == 0)
			term_feed(p.inner, "\033[r\033[999H", 9, 0);
		check_frame(&p);
	}
	close_pair(&p);
}

/*
 * An agent at work: its whole screen is painted again thirty times a second, and all that changes is the
 * spinner, and now and then a line that moves the rest up.  What is sent is a small part of what was painted.
 */
static void a_spinner_costs_little(void **state)
{
	struct random r = {9};
	struct pair p;
	size_t in = 0, sent = 0;
	char lines[40][100];

	(void)state;
	open_pair(&p, 34, 105, &full_caps);
	for (int i = 0; i < 40; i++)
		snprintf(lines[i], sizeof(lines[i]), "%x %x %x %x %x %x %x", next(&r), next(&r), next(&r),
		    next(&r), next(&r), next(&r), next(&r));
	for (int i = 0; i < 100; i++) {
		struct pane_view v;
		AUTO_BUF paint = BUF_INIT, out = BUF_INIT;

		if (i % 10 == 9) {
			memmove(lines[0], lines[1], sizeof(lines[0]) * 25);
			snprintf(lines[25], sizeof(lines[25]), "%x %x %x %x %x", next(&r), next(&r), next(&r),
			    next(&r), next(&r));
		}
		buf_adds(&paint, "\033[?25l\033[H");
		for (int y = 0; y < 26; y++)
			buf_printf(&paint, "\033[2K\033[38;5;%dm%s\033[m\r\n", 16 + lines[y][3], lines[y]);
		buf_printf(&paint, "\033[2K%d Working (%d s)\033[?25h", i % 8, i / 10);
		term_feed(p.inner, paint.data, paint.len, 0);
		v = (struct pane_view){.screen = term_screen(p.inner)};
		canvas_draw(p.canvas, &v);
		display_frame(p.display, &out);
		term_feed(p.outer, out.data, out.len, 0);
		assert_same(&p);
		if (i > 0) {
			in += paint.len;
			sent += out.len;
		}
	}
	if (sent * 50 >= in)
		fail_msg("%zu of %zu bytes", sent, in);
	close_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_programs_are_shown_as_they_are),
	    cmocka_unit_test(also_without_scrolling_and_synchronized_updates),
	    cmocka_unit_test(scrolling_output_is_scrolled),
	    cmocka_unit_test(a_spinner_costs_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
