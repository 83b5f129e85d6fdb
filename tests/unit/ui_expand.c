/* From the private language to bytes: what each capability changes, what is cheapest, and that no input does
 * harm. */
#include "cell_random.h"
#include "outer.h"

#include "ui/expand.h"
#include "ui/widths.h"

struct fixture {
	struct expand *expand;
	struct cell_table *table;
	uint32_t glyphs[64];
	struct expand_handles handles;
	struct outer_caps caps;
	struct expand_cursor cursor;
};

static const struct outer_caps full_caps = {
    .depth = DEPTH_TRUE,
    .sync = true,
    .graphemes = true,
    .scroll_region = true,
    .margins = true,
    .styled_underline = true,
    .underline_color = true,
    .strike = true,
    .overline = true,
    .hyperlinks = true,
    .cursor_shape = true,
    .cursor_color = true,
};

static void frame(struct fixture *f, const char *data, struct buf *out)
{
	struct expand_frame frame = {.data = data, .len = strlen(data), .cursor = f->cursor};

	expand_frame(f->expand, &f->handles, &frame, out);
}

static int setup(void **state)
{
	struct fixture *f = mem_zalloc(1, sizeof(*f));
	AUTO_BUF out = BUF_INIT;

	f->expand = expand_create(10, 40);
	f->table = table_create();
	f->handles = (struct expand_handles){.table = f->table, .glyphs = f->glyphs, .glyph_count = 1};
	f->caps = full_caps;
	f->caps.sync = false;
	expand_set_caps(f->expand, &f->caps);
	f->cursor.row = -1;
	frame(f, "\033[8;8H.", &out); /* from here on pen, place and cursor are known */
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	expand_destroy(f->expand);
	table_destroy(f->table);
	free(f);
	return 0;
}

static void set_caps(struct fixture *f, struct outer_caps caps)
{
	caps.sync = false;
	f->caps = caps;
	expand_set_caps(f->expand, &caps);
}

static void assert_bytes(struct fixture *f, const char *data, const char *want)
{
	AUTO_BUF out = BUF_INIT;

	frame(f, data, &out);
	assert_string_equal(out.data, want);
}

static uint32_t handle(struct fixture *f, struct style s)
{
	return table_style(f->table, &s);
}

/* "X" at the origin in a style, and what is sent for it; the pen is the default one before. */
static void assert_styled(struct fixture *f, struct style s, const char *sgr)
{
	AUTO_FREE char *data = mem_printf("\033[1;1H\033_%u\033\\X\033_0\033\\\033[2;1Hy", handle(f, s));
	AUTO_FREE char *want = mem_printf("\033[H%sX\r\n%sy", sgr, *sgr ? "\033[m" : "");

	assert_bytes(f, data, want);
}

/* Puts a glyph into the table of glyphs, and its character into text as UTF-8. */
static void add_glyph(struct fixture *f, struct buf *text, uint32_t glyph)
{
	f->glyphs[f->handles.glyph_count] = glyph;
	buf_add_utf8(text, expand_glyph_char((uint32_t)f->handles.glyph_count++));
}

/* --- handles --- */

static void handles_map_both_ways(void **state)
{
	(void)state;
	assert_int_equal(expand_glyph_char(0), 0xF0000);
	assert_int_equal(expand_glyph_char(65533), 0xFFFFD); /* the last character of plane 15 */
	assert_int_equal(expand_glyph_char(65534), 0x100000);
	assert_int_equal(expand_glyph_char(EXPAND_GLYPHS_MAX - 1), 0x10FFFD);
	for (uint32_t i = 0; i < EXPAND_GLYPHS_MAX; i += 13)
		assert_int_equal(expand_glyph_index(expand_glyph_char(i)), i);
	assert_int_equal(expand_glyph_index(0xFFFFE), -1);
	assert_int_equal(expand_glyph_index('a'), -1);
	assert_int_equal(expand_glyph_index(0x10FFFE), -1);
}

/* --- styles --- */

static void truecolor(void **state)
{
	struct fixture *f = *state;

	assert_styled(f, (struct style){.fg = COLOR_RGB(1, 2, 3)}, "\033[38;2;1;2;3m");
	assert_styled(f, (struct style){.bg = COLOR_INDEX(200)}, "\033[48;5;200m");
	assert_styled(f, (struct style){.fg = COLOR_INDEX(1), .bg = COLOR_INDEX(15)}, "\033[31;107m");
	assert_styled(f, (struct style){.attrs = ATTR_BOLD | ATTR_ITALIC | ATTR_STRIKE | ATTR_OVERLINE},
	    "\033[1;3;9;53m");
	assert_styled(f, (struct style){.attrs = ATTR_PROTECTED}, "");
}

static void underlines(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;
	struct style s = {.underline = UNDERLINE_CURLY, .underline_color = COLOR_RGB(255, 0, 9)};

	assert_styled(f, s, "\033[4:3;58:2::255:0:9m");
	s.underline_color = COLOR_INDEX(9);
	s.underline = UNDERLINE_DOUBLE;
	assert_styled(f, s, "\033[4:2;58:5:9m");
	caps.underline_color = false;
	set_caps(f, caps);
	assert_styled(f, s, "\033[4:2m");
	caps.styled_underline = false;
	set_caps(f, caps);
	assert_styled(f, s, "\033[4m");
}

static void fewer_colours(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;
	struct style orange = {.fg = COLOR_RGB(255, 135, 0), .bg = COLOR_INDEX(21)};

	caps.depth = DEPTH_256;
	set_caps(f, caps);
	assert_styled(f, orange, "\033[38;5;208;48;5;21m"); /* 208 is exactly #ff8700 */
	caps.depth = DEPTH_16;
	set_caps(f, caps);
	assert_styled(f, (struct style){.fg = COLOR_RGB(250, 10, 10)}, "\033[91m");
	caps.depth = DEPTH_MONO;
	set_caps(f, caps);
	assert_styled(f,
	    (struct style){.fg = COLOR_RGB(250, 10, 10), .bg = COLOR_INDEX(3), .attrs = ATTR_BOLD},
	    "\033[1m");
}

/* Two colours that fall on the same one of 16: text stays to be read. */
static void text_stays_readable_with_16_colours(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;

	caps.depth = DEPTH_16;
	set_caps(f, caps);
	assert_styled(
	    f, (struct style){.fg = COLOR_RGB(20, 20, 20), .bg = COLOR_RGB(5, 5, 5)}, "\033[97;40m");
	assert_styled(f, (struct style){.fg = COLOR_RGB(250, 250, 250), .bg = COLOR_RGB(255, 255, 255)},
	    "\033[30;107m");
	/* the program asked for it */
	assert_styled(f, (struct style){.fg = COLOR_INDEX(1), .bg = COLOR_INDEX(1)}, "\033[31;41m");
}

static void what_the_terminal_lacks_is_left_out(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;
	struct style s = {.attrs = ATTR_STRIKE | ATTR_OVERLINE | ATTR_BOLD,
	    .link = table_link(f->table, "a", "https://example.org/")};

	caps.strike = caps.overline = caps.hyperlinks = false;
	set_caps(f, caps);
	assert_styled(f, s, "\033[1m");
}

/* From one style to the next by what differs, or anew if that is shorter. */
static void changes_are_minimal(void **state)
{
	static const struct {
		struct style from, to;
		const char *sgr;
	} table[] = {
	    {{.attrs = ATTR_BOLD}, {.attrs = ATTR_BOLD, .fg = COLOR_INDEX(2)}, "\033[32m"},
	    {{.attrs = ATTR_BOLD | ATTR_ITALIC, .fg = COLOR_RGB(9, 9, 9)},
		{.attrs = ATTR_ITALIC, .fg = COLOR_RGB(9, 9, 9)}, "\033[22m"},
	    {{.attrs = ATTR_BOLD | ATTR_DIM, .bg = COLOR_INDEX(100)},
		{.attrs = ATTR_DIM, .bg = COLOR_INDEX(100)}, "\033[22;2m"},
	    {{.attrs = ATTR_BOLD | ATTR_ITALIC, .fg = COLOR_INDEX(2)}, {.attrs = ATTR_REVERSE}, "\033[0;7m"},
	    {{.attrs = ATTR_BOLD, .fg = COLOR_INDEX(2)}, {.fg = COLOR_INDEX(2)}, "\033[22m"},
	    {{.underline = UNDERLINE_CURLY}, {.underline = UNDERLINE_SINGLE}, "\033[4m"},
	    {{.fg = COLOR_INDEX(2)}, {.fg = COLOR_INDEX(3)}, "\033[33m"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		AUTO_FREE char *first = mem_printf("\033[1;1H\033_%u\033\\X", handle(f, table[i].from));
		AUTO_FREE char *second = mem_printf("\033_%u\033\\Y", handle(f, table[i].to));
		AUTO_FREE char *want = mem_printf("%sY", table[i].sgr);
		AUTO_BUF out = BUF_INIT;

		frame(f, first, &out);
		assert_bytes(f, second, want);
	}
}

/* Blanks show nothing of the text's colour: no change of pen for them. */
static void blanks_keep_the_pen(void **state)
{
	struct fixture *f = *state;
	AUTO_FREE char *data = mem_printf("\033[1;1H\033_%u\033\\ab\033_0\033\\ \033_%u\033\\cd",
	    handle(f, (struct style){.fg = COLOR_INDEX(1)}), handle(f, (struct style){.fg = COLOR_INDEX(2)}));

	assert_bytes(f, data, "\033[H\033[31mab \033[32mcd");
}

/* --- links --- */

static void links_open_and_close(void **state)
{
	struct fixture *f = *state;
	uint32_t a = table_link(f->table, "a", "https://example.org/a"),
		 b = table_link(f->table, "b", "file:///b c");
	AUTO_FREE char *data = mem_printf("\033[1;1H\033_%u\033\\xy\033_%u\033\\z\033_0\033\\.",
	    handle(f, (struct style){.link = a}), handle(f, (struct style){.link = b}));
	AUTO_FREE char *want = mem_printf("\033[H\033]8;id=h%x;https://example.org/a\033\\xy"
					  "\033]8;id=h%x;file:///b%%20c\033\\z\033]8;;\033\\.",
	    a, b);
	AUTO_FREE char *last = mem_printf("\033_%u\033\\x", handle(f, (struct style){.link = a}));
	AUTO_FREE char *want_last = mem_printf("\033]8;id=h%x;https://example.org/a\033\\x\033]8;;\033\\", a);

	assert_bytes(f, data, want);
	assert_bytes(f, last, want_last); /* none stays open behind a frame */
}

/* --- moving --- */

static void moves_are_the_cheapest(void **state)
{
	static const struct {
		const char *to, *want;
	} table[] = {
	    {"\033[3;7H", "\033[3;7H"}, {"\033[3;9H", "\033[C"}, /* from column 8, after the X */
	    {"\033[3;16H", "\033[6C"}, {"\033[3;15H", "\b\b"}, {"\033[3;2H", "\033[2G"}, {"\033[3;1H", "\r"},
	    {"\033[4;1H", "\r\n"}, {"\033[5;2H", "\033[B"}, {"\033[1;1H", "\033[H"}, {"\033[9;1H", "\033[9H"},
	    {"\033[9;40H", "\033[38C"},
	    {"\033[10;1H", "\033[10H"}, /* after the last column the place is unknown */
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		AUTO_FREE char *data = mem_printf("%sX", table[i].to),
			       *want = mem_printf("%sX", table[i].want);

		assert_bytes(f, data, want);
	}
}

static void nothing_is_sent_for_a_move_alone(void **state)
{
	struct fixture *f = *state;

	assert_bytes(f, "\033[3;3H\033_5\033\\\033[4;4H", "");
}

static void the_cursor_goes_where_it_belongs(void **state)
{
	struct fixture *f = *state;

	f->cursor = (struct expand_cursor){.row = 4, .col = 2};
	assert_bytes(f, "\033[3;3HX", "\033[3;3HX\033[5;3H\033[?25h");
	assert_bytes(f, "\033[5;3HX", "X\b");
	assert_bytes(f, "", "");
	f->cursor.row = 77; /* outside: hidden */
	assert_bytes(f, "", "\033[?25l");
}

/* --- blanks --- */

static void blanks_to_the_border_are_erased(void **state)
{
	struct fixture *f = *state;

	assert_bytes(f, "\033[2;36Hx    ", "\033[2;36Hx\033[K");
	assert_bytes(f, "\033[4;38Hx  ", "\033[4;38Hx  "); /* shorter as they are */
	assert_bytes(f, "\033[2;1Hx            y", "\033[2Hx\033[12X\033[12Cy");
	assert_bytes(f, "\033[7;1Hx         y", "\033[7Hx         y");
}

/* With another background an erase depends on "bce": blanks are written. */
static void coloured_blanks_are_written(void **state)
{
	struct fixture *f = *state;
	AUTO_FREE char *data = mem_printf("\033[2;30H\033_%u\033\\           \033_0\033\\\033[3;1H          ",
	    handle(f, (struct style){.bg = COLOR_INDEX(4)}));

	assert_bytes(f, data, "\033[2;30H\033[44m           \033[m\033[3H\033[10X");
}

static void a_blank_with_a_line_is_not_erased(void **state)
{
	struct fixture *f = *state;
	AUTO_FREE char *data = mem_printf(
	    "\033[2;37H\033_%u\033\\    ", handle(f, (struct style){.underline = UNDERLINE_SINGLE}));

	assert_bytes(f, data, "\033[2;37H\033[4m    ");
}

/* --- glyphs --- */

static void clusters_are_sent_whole(void **state)
{
	static const uint32_t family[] = {0x1f468, 0x200d, 0x1f469, 0x200d, 0x1f467};
	struct fixture *f = *state;
	AUTO_BUF text = BUF_INIT;

	buf_adds(&text, "\033[1;1H");
	add_glyph(f, &text, table_cluster(f->table, family, 5) | GLYPH_WIDE);
	buf_add_utf8(&text, EXPAND_TAIL);
	add_glyph(f, &text, 0x65e5 | GLYPH_WIDE);
	buf_add_utf8(&text, EXPAND_TAIL);
	buf_adds(&text, "x─");
	assert_bytes(f, text.data, "\033[H👨‍👩‍👧日x─");
}

/* The classes that are doubted of a terminal that says nothing. */
static uint32_t doubts(void)
{
	struct widths nothing;

	widths_init(&nothing);
	return widths_doubtful(&nothing, false);
}

/*
 * Without mode 2027 the terminal may have its own opinion: it is told where to go on, and what it leaves out
 * of a cluster is blank.
 */
static void the_place_after_a_cluster_is_told(void **state)
{
	static const uint32_t family[] = {0x1f468, 0x200d, 0x1f469};
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;
	AUTO_BUF text = BUF_INIT;

	caps.doubtful = doubts();
	set_caps(f, caps);
	buf_adds(&text, "\033[2;1H");
	add_glyph(f, &text, table_cluster(f->table, family, 3) | GLYPH_WIDE);
	buf_add_utf8(&text, EXPAND_TAIL);
	add_glyph(f, &text, 0x65e5 | GLYPH_WIDE);
	buf_add_utf8(&text, EXPAND_TAIL);
	buf_adds(&text, "x");
	assert_bytes(f, text.data, "\033[2;2H \r👨‍👩\033[3G日x");
}

/* An icon of one column; boxes where the terminal gives them two columns. */
static void narrow_glyphs_are_doubted_too(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;
	AUTO_BUF text = BUF_INIT;

	caps.doubtful = doubts();
	set_caps(f, caps);
	buf_adds(&text, "\033[2;1H");
	add_glyph(f, &text, 0xf09b);
	buf_adds(&text, "x─y");
	assert_bytes(f, text.data, "\033[2H\uf09b\033[2Gx─y");
	caps.doubtful = 1u << WIDTH_BOX;
	set_caps(f, caps);
	assert_bytes(f, "\033[3;1H┌─┐│┃█╭╯╱▀x", "\r\n+-+||#++/#x");
}

/* At the border: the tail is blank, the cluster in front of it, and the next row is reached absolutely. */
static void a_doubted_cluster_at_the_border(void **state)
{
	static const uint32_t family[] = {0x1f468, 0x200d, 0x1f469};
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;
	AUTO_BUF text = BUF_INIT;

	caps.doubtful = 1u << WIDTH_ZWJ;
	set_caps(f, caps);
	buf_adds(&text, "\033[2;39H");
	add_glyph(f, &text, table_cluster(f->table, family, 3) | GLYPH_WIDE);
	buf_add_utf8(&text, EXPAND_TAIL);
	buf_adds(&text, "\033[3;1Hx");
	assert_bytes(f, text.data, "\033[2;40H \033[2;39H👨‍👩\033[3Hx");
}

/* What turns out to be as we count needs no new picture; what does not, does. */
static void only_new_doubts_need_a_new_picture(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;

	caps.doubtful = doubts();
	assert_true(expand_set_caps(f->expand, &caps));
	caps.doubtful &= ~(1u << WIDTH_ZWJ);
	assert_false(expand_set_caps(f->expand, &caps));
	caps.doubtful |= 1u << WIDTH_BOX;
	assert_true(expand_set_caps(f->expand, &caps));
}

/* Nothing that a pane shows can act on the outer terminal or turn its text around. */
static void controls_do_not_pass(void **state)
{
	static const uint32_t bad[] = {0x1b, 0x07, 0x7f, 0x9b, 0x202e, 0x2066, 0x200e, 0x2028};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		const uint32_t cps[] = {'a', bad[i]};
		AUTO_BUF text = BUF_INIT, want = BUF_INIT;

		f->handles.glyph_count = 1;
		buf_printf(&text, "\033[%zu;1H", i + 1);
		add_glyph(f, &text, bad[i]);
		add_glyph(f, &text, table_cluster(f->table, cps, 2));
		buf_adds(&want, i ? "\r\n" : "\033[H");
		buf_adds(&want, "\xef\xbf\xbd"
				"a");
		assert_bytes(f, text.data, want.data);
	}
}

/* Two cells whose code points would be one cluster: U+200C keeps them apart (UAX 29: GB6, GB9, GB9b, GB12).
 */
static void neighbours_stay_two_clusters(void **state)
{
	static const struct {
		uint32_t first, second;
		bool apart;
	} table[] = {
	    {0x1f1e9 | GLYPH_WIDE, 0x1f1ea | GLYPH_WIDE, true}, /* regional indicators */
	    {0x1100 | GLYPH_WIDE, 0xac00 | GLYPH_WIDE, true},   /* Hangul L and LV */
	    {0x600, 'x', true},                                 /* prepended */
	    {0x600, ' ', true},
	    {0x65e5 | GLYPH_WIDE, 0x672c | GLYPH_WIDE, false},
	    {0xe9, 'x', false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		AUTO_BUF text = BUF_INIT, out = BUF_INIT;

		f->handles.glyph_count = 1;
		buf_printf(&text, "\033[%zu;1H", i + 1);
		add_glyph(f, &text, table[i].first);
		if (table[i].first & GLYPH_WIDE)
			buf_add_utf8(&text, EXPAND_TAIL);
		if (table[i].second < 0x80)
			buf_addc(&text, (char)table[i].second);
		else
			add_glyph(f, &text, table[i].second);
		frame(f, text.data, &out);
		assert_int_equal(strstr(out.data, "\u200c") != NULL, table[i].apart);
	}
}

static void what_cannot_stand_alone(void **state)
{
	struct fixture *f = *state;
	AUTO_BUF text = BUF_INIT;

	buf_adds(&text, "\033[1;1Ha");
	add_glyph(f, &text, 0x301);                /* a mark: on a blank */
	add_glyph(f, &text, 0x1f3fd | GLYPH_WIDE); /* a skin tone would join what stands before it */
	buf_add_utf8(&text, EXPAND_TAIL);
	buf_adds(&text, "b");
	assert_bytes(f, text.data, "\033[Ha \u0301\ufffd b");
}

/* --- scrolling --- */

static void assert_scroll(struct fixture *f, struct expand_scroll s, const char *want)
{
	struct expand_frame frame = {.data = "", .scrolls = &s, .scroll_count = 1, .cursor = f->cursor};
	AUTO_BUF out = BUF_INIT;

	assert_int_equal(expand_can_scroll(f->expand, &s), *want != '\0');
	expand_frame(f->expand, &f->handles, &frame, &out);
	assert_string_equal(out.data, want);
}

static void scrolls(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = full_caps;

	assert_scroll(f, (struct expand_scroll){0, 0, 10, 40, 1}, "\033[10H\n");
	assert_scroll(f, (struct expand_scroll){2, 0, 5, 40, -3}, "\033[3;7r\033[3H\033M\033M\033M\033[r");
	assert_scroll(f, (struct expand_scroll){2, 5, 5, 20, 1},
	    "\033[?69h\033[6;25s\033[3;7r\033[7;6H\n\033[r\033[?69l");
	assert_scroll(f, (struct expand_scroll){2, 0, 5, 40, 5}, ""); /* nothing would be left */
	assert_scroll(f, (struct expand_scroll){2, 5, 5, 1, 1}, "");  /* left margin = right margin */
	assert_scroll(f, (struct expand_scroll){2, 5, 5, 0, 1}, "");
	assert_scroll(f, (struct expand_scroll){8, 0, 5, 40, 1}, ""); /* outside */
	assert_scroll(f, (struct expand_scroll){2, 0, 5, 40, 0}, "");
	caps.margins = false;
	set_caps(f, caps);
	assert_scroll(f, (struct expand_scroll){2, 5, 5, 20, 1}, "");
	caps.scroll_region = false;
	set_caps(f, caps);
	assert_scroll(f, (struct expand_scroll){0, 0, 10, 40, 1}, "");
}

/* Blanks that come in have the pen's background where there is "bce". */
static void a_scroll_needs_the_default_background(void **state)
{
	struct fixture *f = *state;
	AUTO_FREE char *data =
	    mem_printf("\033[1;1H\033_%u\033\\x", handle(f, (struct style){.bg = COLOR_INDEX(4)}));

	assert_bytes(f, data, "\033[H\033[44mx");
	assert_scroll(f, (struct expand_scroll){0, 0, 10, 40, 2}, "\033[m\033[10H\n\n");
}

/* --- the frame --- */

static void a_long_frame_is_synchronized(void **state)
{
	struct fixture *f = *state;

	f->caps.sync = true;
	expand_set_caps(f->expand, &f->caps);
	assert_bytes(f, "\033[1;1Ha text that is long enough for it",
	    "\033[?2026h\033[Ha text that is long enough for it\033[?2026l");
	assert_bytes(f, "\033[3;1Ha short one", "\033[3Ha short one");
}

static void without_2026_a_long_frame_hides_the_cursor(void **state)
{
	struct fixture *f = *state;
	AUTO_BUF data = BUF_INIT, out = BUF_INIT;

	f->cursor = (struct expand_cursor){.row = 0, .col = 0};
	frame(f, "", &out);
	for (int row = 1; row <= 9; row++)
		buf_printf(&data, "\033[%d;1Ha line of thirty columns, it is", row);
	buf_clear(&out);
	frame(f, data.data, &out);
	assert_memory_equal(out.data, "\033[?25l", 6);
	assert_string_equal(out.data + out.len - 6, "\033[?25h");
}

static void leaving_restores(void **state)
{
	struct fixture *f = *state;
	AUTO_BUF out = BUF_INIT;
	bool shape, color;

	expand_sent(f->expand, &shape, &color);
	assert_false(shape || color);
	f->cursor = (struct expand_cursor){.row = 0, .col = 0, .shape = CURSOR_BAR, .color = COLOR_INDEX(1)};
	frame(f, "", &out);
	assert_string_equal(out.data, "\033[H\033[6 q\033]12;#cd0000\033\\\033[?25h");
	expand_sent(f->expand, &shape, &color);
	assert_true(shape && color);
	buf_clear(&out);
	expand_leave(f->expand, &out);
	assert_string_equal(out.data, "\033[m\033[0 q\033]112\033\\\033[?25h");
}

static void draw_styled(struct fixture *f, struct style style)
{
	AUTO_FREE char *data = mem_printf("\033[1;1H\033_%u\033\\x", (unsigned)table_style(f->table, &style));
	AUTO_BUF out = BUF_INIT;

	frame(f, data, &out);
}

static void caps_that_change_the_picture_are_told(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = f->caps;

	caps.margins = !caps.margins;
	caps.cell_width = 7;
	assert_false(expand_set_caps(f->expand, &caps));
	caps.depth = DEPTH_256;
	caps.strike = !caps.strike;
	assert_false(expand_set_caps(f->expand, &caps)); /* nothing is coloured or struck out */
	draw_styled(f, (struct style){.fg = COLOR_RGB(1, 2, 3)});
	caps.strike = !caps.strike;
	assert_false(expand_set_caps(f->expand, &caps));
	caps.depth = DEPTH_TRUE;
	assert_true(expand_set_caps(f->expand, &caps));
	assert_false(expand_set_caps(f->expand, &caps));
}

/* Each thing that is drawn makes the capability matter that it is sent by, and no other. */
static void only_what_was_drawn_is_drawn_again(void **state)
{
	static const struct {
		struct style style;
		size_t flag; /* of outer_caps */
	} cases[] = {
	    {{.attrs = ATTR_STRIKE}, offsetof(struct outer_caps, strike)},
	    {{.attrs = ATTR_OVERLINE}, offsetof(struct outer_caps, overline)},
	    {{.underline = UNDERLINE_CURLY}, offsetof(struct outer_caps, styled_underline)},
	    {{.underline = UNDERLINE_SINGLE, .underline_color = COLOR_INDEX(1)},
		offsetof(struct outer_caps, underline_color)},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (size_t k = 0; k < COUNT_OF(cases); k++) {
			struct fixture *f;

			teardown(state);
			setup(state);
			f = *state;
			draw_styled(f, cases[i].style);
			struct outer_caps caps = f->caps;
			bool *flag = (bool *)((char *)&caps + cases[k].flag);

			*flag = !*flag;
			assert_int_equal(expand_set_caps(f->expand, &caps), i == k);
		}
	}
}

/* The first 16 colours are the same on every terminal that has colours. */
static void few_colors_are_sent_alike_at_every_depth(void **state)
{
	struct fixture *f = *state;
	struct outer_caps caps = f->caps;

	draw_styled(f, (struct style){.fg = COLOR_INDEX(9)});
	caps.depth = DEPTH_16;
	assert_false(expand_set_caps(f->expand, &caps));
	caps.depth = DEPTH_MONO;
	assert_true(expand_set_caps(f->expand, &caps));
}

/* Any bytes at all: what comes out is understood by the strict terminal, and nothing is outside of it. */
static void random_input_does_no_harm(void **state)
{
	static const char *const pieces[] = {"\033[", "\033_", "\033\\", "H", "J", "G", "C", ";", "?25l",
	    "\033", "ab", "  ", "           ", "\xf3\xb0\x80\x80", "\xf3\xb0\x80\x81", "\xf3\xb0\x80\x82",
	    "─", "\xff", "\xf3", "12", "7", "999999999999", "é", "\n", "\r"};
	struct fixture *f = *state;
	struct outer o = {0};

	outer_reset(&o, 10, 40);
	o.row = 7; /* as setup has left it */
	o.col = 8;
	o.unknown = false;
	f->glyphs[1] = 0x65e5 | GLYPH_WIDE;
	f->glyphs[2] = 0x301;
	f->handles.glyph_count = 3;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct random r = {seed};
		AUTO_BUF data = BUF_INIT, out = BUF_INIT;

		for (int i = random_below(&r, 60); i > 0; i--) {
			buf_adds(&data, pieces[random_below(&r, COUNT_OF(pieces))]);
			if (random_below(&r, 6) == 0)
				buf_printf(&data, "\033[%d;%dH", random_below(&r, 14), random_below(&r, 50));
			if (random_below(&r, 6) == 0)
				buf_printf(&data, "\033_%u\033\\", random_style(&r, f->table));
		}
		frame(f, data.data, &out);
		outer_feed(&o, out.data, out.len);
	}
	outer_finish(&o);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(handles_map_both_ways),
	    TEST(truecolor),
	    TEST(underlines),
	    TEST(fewer_colours),
	    TEST(text_stays_readable_with_16_colours),
	    TEST(what_the_terminal_lacks_is_left_out),
	    TEST(changes_are_minimal),
	    TEST(blanks_keep_the_pen),
	    TEST(links_open_and_close),
	    TEST(moves_are_the_cheapest),
	    TEST(nothing_is_sent_for_a_move_alone),
	    TEST(the_cursor_goes_where_it_belongs),
	    TEST(blanks_to_the_border_are_erased),
	    TEST(coloured_blanks_are_written),
	    TEST(a_blank_with_a_line_is_not_erased),
	    TEST(clusters_are_sent_whole),
	    TEST(the_place_after_a_cluster_is_told),
	    TEST(narrow_glyphs_are_doubted_too),
	    TEST(a_doubted_cluster_at_the_border),
	    TEST(only_new_doubts_need_a_new_picture),
	    TEST(controls_do_not_pass),
	    TEST(neighbours_stay_two_clusters),
	    TEST(what_cannot_stand_alone),
	    TEST(scrolls),
	    TEST(a_scroll_needs_the_default_background),
	    TEST(a_long_frame_is_synchronized),
	    TEST(without_2026_a_long_frame_hides_the_cursor),
	    TEST(leaving_restores),
	    TEST(caps_that_change_the_picture_are_told),
	    TEST(only_what_was_drawn_is_drawn_again),
	    TEST(few_colors_are_sent_alike_at_every_depth),
	    TEST(random_input_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
