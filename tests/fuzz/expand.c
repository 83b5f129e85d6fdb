/*
 * expand: what curses may write, and what it never would, turned into bytes of the outer terminal.  A strict
 * terminal understands every byte and every move, and its cursor ends where it belongs; a frame that changes
 * nothing sends nothing.  That the picture is right too is tested where there is one: ui_display.
 *
 * 0xFF and f ROW COL SHAPE: the frame ends, with the cursor there.  s ROW ROWS COL COLS LINES: a scroll
 * before it.  c BITS: other capabilities.  r ROWS COLS: another size.  F: what is known of the terminal is
 * forgotten. g INDEX: the glyph with this handle.  S HANDLE: a style.  h ROW COL: CUP.
 */
#include "base/mem.h"
#include "fuzz.h"

/* tests/unit/outer.h is written for cmocka. */
#define fail()                     fuzz_fail(__FILE__, __LINE__, "the terminal understands it")
#define assert_true(c)             CHECK(c)
#define assert_false(c)            CHECK(!(c))
#define assert_non_null(p)         CHECK((p) != NULL)
#define assert_int_equal(a, b)     CHECK((a) == (b))
#define assert_int_not_equal(a, b) CHECK((a) != (b))
#define assert_string_equal(a, b)  CHECK(strcmp((a), (b)) == 0)
#include "../unit/outer.h"
#include "ui/expand.h"
#include "ui/widths.h"

enum { STYLES = 24, GLYPHS = 8, SCROLLS = 4 };

struct state {
	struct cell_table *table;
	uint32_t style[STYLES], glyph[GLYPHS];
	struct expand_handles handles;
	struct expand *expand;
	struct outer outer;
	struct expand_scroll scroll[SCROLLS];
	size_t scrolls;
	struct buf language;
	int rows, cols;
};

static void make_styles(struct state *s)
{
	for (uint32_t i = 1; i < STYLES; i++) {
		struct style style = {.fg = i % 3 ? COLOR_RGB(i, 2 * i, 3) : COLOR_INDEX(i),
		    .bg = i % 4 ? COLOR_DEFAULT : COLOR_RGB(9, i, i)};

		style.attrs = (uint16_t)(i * 37 % 256);
		style.underline = (uint8_t)(i % 6);
		style.underline_color = i % 5 ? COLOR_DEFAULT : COLOR_INDEX(i);
		style.link = i % 7 ? 0 : table_link(s->table, NULL, "http://example.org/a");
		s->style[i] = table_style(s->table, &style);
	}
}

static void make_glyphs(struct state *s)
{
	static const uint32_t accent[] = {'e', 0x301}, family[] = {0x1f468, 0x200d, 0x1f469};

	s->glyph[1] = 0xe9;
	s->glyph[2] = 0x4e00 | GLYPH_WIDE;
	s->glyph[3] = table_cluster(s->table, accent, 2);
	s->glyph[4] = table_cluster(s->table, family, 3) | GLYPH_WIDE;
	s->glyph[5] = 0x202e; /* turns text round: never sent */
	s->glyph[6] = 0xf123;
	s->glyph[7] = 0x1f600 | GLYPH_WIDE;
}

/* What the terminal gives a number of columns of its own when mode 2027 is not there: the family, and the
 * icon. */
static bool is_settled(const struct text_cluster *c)
{
	return c->cps[0] != 0xf123 && (c->count == 1 || c->cps[1] != 0x200d);
}

static void set_caps(struct state *s, unsigned bits)
{
	struct widths unknown;
	struct outer_caps caps;

	widths_init(&unknown);
	caps = (struct outer_caps){.depth = (uint8_t)(bits % 4),
	    .sync = bits & 4,
	    .doubtful = bits & 8 ? 0 : widths_doubtful(&unknown, false),
	    .scroll_region = bits & 16,
	    .margins = bits & 32,
	    .hyperlinks = bits & 64};

	caps.styled_underline = caps.underline_color = caps.strike = caps.overline = bits & 128;
	caps.cursor_shape = caps.cursor_color = true;
	expand_set_caps(s->expand, &caps);
	s->outer.settled = is_settled;
	s->outer.unsettled_columns = caps.doubtful ? (int)(1 + bits / 4 % 8) : 0;
}

static void init(struct state *s)
{
	*s = (struct state){.table = table_create(), .rows = 6, .cols = 20, .language = BUF_INIT};
	make_styles(s);
	make_glyphs(s);
	s->handles = (struct expand_handles){.table = s->table, .glyphs = s->glyph, .glyph_count = GLYPHS};
	s->expand = expand_create(s->rows, s->cols);
	set_caps(s, 0xff);
	outer_reset(&s->outer, s->rows, s->cols);
}

static void finish(struct state *s)
{
	expand_destroy(s->expand);
	outer_finish(&s->outer);
	buf_free(&s->language);
	table_destroy(s->table);
}

static void end_frame(struct state *s, struct source *in)
{
	struct expand_frame f = {.data = s->language.data,
	    .len = s->language.len,
	    .scrolls = s->scroll,
	    .scroll_count = s->scrolls};
	AUTO_BUF out = BUF_INIT;
	bool changed;

	f.cursor.row = source_range(in, -1, 40);
	f.cursor.col = source_range(in, 0, 90);
	f.cursor.shape = (uint8_t)source_range(in, 0, 4);
	f.cursor.blink = f.cursor.shape & 1;
	f.cursor.color = f.cursor.shape == 2 ? COLOR_RGB(1, 2, 3) : COLOR_DEFAULT;
	changed = expand_frame(s->expand, &s->handles, &f, &out);
	CHECK(changed == (out.len > 0));
	outer_feed(&s->outer, out.data, out.len);
	if (f.cursor.row >= 0 && f.cursor.row < s->rows && f.cursor.col < s->cols)
		CHECK(
		    s->outer.row == f.cursor.row && s->outer.col == f.cursor.col && s->outer.cursor_visible);
	f.data = "";
	f.len = f.scroll_count = 0;
	buf_clear(&out);
	CHECK(!expand_frame(s->expand, &s->handles, &f, &out)); /* nothing changed: nothing is sent */
	buf_clear(&s->language);
	s->scrolls = 0;
}

static void add_scroll(struct state *s, struct source *in)
{
	struct expand_scroll scroll = {.row = source_range(in, 0, 40)};

	scroll.rows = source_range(in, 0, 40);
	scroll.col = source_range(in, 0, 90);
	scroll.cols = source_range(in, 0, 90);
	scroll.lines = source_range(in, -20, 20);
	if (s->scrolls < SCROLLS)
		s->scroll[s->scrolls++] = scroll;
}

static void resize(struct state *s, struct source *in)
{
	s->rows = source_range(in, 1, 40);
	s->cols = source_range(in, 2, 90);
	expand_resize(s->expand, s->rows, s->cols);
	outer_reset(&s->outer, s->rows, s->cols);
}

static void operate(struct state *s, struct source *in, int operation)
{
	int row;

	switch (operation) {
	case 'f':
		end_frame(s, in);
		break;
	case 's':
		add_scroll(s, in);
		break;
	case 'c':
		set_caps(s, source_u8(in));
		break;
	case 'r':
		resize(s, in);
		break;
	case 'F':
		expand_forget(s->expand);
		break;
	case 'g':
		buf_add_utf8(&s->language, expand_glyph_char(source_u8(in) % (GLYPHS + 1)));
		break;
	case 'S':
		buf_printf(&s->language, "\033_%u\033\\", (unsigned)s->style[source_u8(in) % STYLES]);
		break;
	case 'h':
		row = source_range(in, 0, 50);
		buf_printf(&s->language, "\033[%d;%dH", row, source_range(in, 0, 100));
		break;
	default:
		buf_addc(&s->language, (char)operation);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source in = source_of(data, size), none = source_of(data, 0);
	struct state s;
	AUTO_BUF left = BUF_INIT;

	init(&s);
	for (int operation = 0; operation >= 0; operation = source_operation(&in)) {
		size_t len;
		const char *text;

		if (operation)
			operate(&s, &in, operation);
		text = source_text(&in, &len);
		buf_add(&s.language, text, len);
	}
	end_frame(&s, &none);
	expand_leave(s.expand, &left);
	finish(&s);
	return 0;
}
