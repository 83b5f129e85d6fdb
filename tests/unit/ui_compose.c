/* Composing panes: places under the mouse, the viewport, what is drawn again, dividers; and the parts it
 * rests on. */
#include <stdlib.h>

#include "cell_random.h"
#include "outer.h"

#include "ui/cluster.h"
#include "ui/compose.h"
#include "ui/popup.h"
#include "ui/scroll.h"

static const struct outer_caps caps = {.depth = DEPTH_TRUE, .graphemes = true};

struct fixture {
	struct display *display;
	struct outer outer;
	struct cell_table *table;
	struct row rows[40], *order[40];
	struct screen screen;
};

static void open_fixture(struct fixture *f, int rows, int cols)
{
	*f = (struct fixture){.display = display_create(20, 60, NULL), .table = table_create()};
	display_set_caps(f->display, &caps);
	outer_reset(&f->outer, 20, 60);
	f->screen = (struct screen){.rows = rows,
	    .cols = cols,
	    .row = f->order,
	    .top = 1000,
	    .version = 1,
	    .table = f->table,
	    .cursor = {.visible = true}};
	for (int i = 0; i < rows; i++) {
		row_init(&f->rows[i], cols, 0);
		f->rows[i].cells[0].glyph = 'a' + (uint32_t)i % 26;
		f->rows[i].version = 1;
		f->order[i] = &f->rows[i];
	}
}

static void close_fixture(struct fixture *f)
{
	for (int i = 0; i < f->screen.rows; i++)
		row_finish(&f->rows[i]);
	display_destroy(f->display);
	table_destroy(f->table);
	outer_finish(&f->outer);
}

static void show(struct fixture *f)
{
	AUTO_BUF out = BUF_INIT;

	display_frame(f->display, &out);
	outer_feed(&f->outer, out.data, out.len);
}

static void assert_text(struct fixture *f, int row, int col, const char *want)
{
	AUTO_BUF have = BUF_INIT;

	for (int x = col; have.len < strlen(want) && x < f->outer.cols; x++)
		buf_adds(&have, outer_at(&f->outer, row, x)->text);
	assert_string_equal(have.data, want);
}

/* --- what is drawn again --- */

static void only_changed_rows_are_drawn(void **state)
{
	struct pane_view v = {0};
	struct fixture f;
	struct canvas *c;

	(void)state;
	open_fixture(&f, 10, 40);
	v.screen = &f.screen;
	c = canvas_create(f.display, (struct rect){0, 0, 11, 40});
	canvas_draw(c, &v);
	show(&f);
	assert_text(&f, 4, 0, "d");
	f.rows[3].cells[0].glyph = 'X'; /* without a new version: not looked at */
	f.rows[5].cells[0].glyph = 'Y';
	f.rows[5].version = ++f.screen.version;
	canvas_draw(c, &v);
	show(&f);
	assert_text(&f, 4, 0, "d");
	assert_text(&f, 6, 0, "Y");
	canvas_forget(c);
	canvas_draw(c, &v);
	show(&f);
	assert_text(&f, 4, 0, "X");
	/* a scroll moves the pointers and leaves the versions */
	f.order[2] = &f.rows[5];
	f.order[5] = &f.rows[2];
	canvas_draw(c, &v);
	show(&f);
	assert_text(&f, 3, 0, "Y");
	assert_text(&f, 6, 0, "c");
	canvas_destroy(c);
	close_fixture(&f);
}

/* Reverse video, a palette, another screen: everything looks different without a row having changed. */
static void what_changes_every_row_is_seen(void **state)
{
	struct palette palette = {.fg = COLOR_RGB(1, 2, 3)};
	struct pane_view v = {0};
	struct fixture f;
	struct canvas *c;

	(void)state;
	open_fixture(&f, 10, 40);
	v.screen = &f.screen;
	c = canvas_create(f.display, (struct rect){0, 0, 11, 40});
	canvas_draw(c, &v);
	show(&f);
	f.screen.palette = &palette;
	canvas_draw(c, &v);
	show(&f);
	assert_int_equal(outer_at(&f.outer, 4, 0)->style.fg, COLOR_RGB(1, 2, 3));
	f.screen.modes = SCREEN_REVERSED;
	canvas_draw(c, &v);
	show(&f);
	assert_int_equal(outer_at(&f.outer, 4, 5)->style.attrs, ATTR_REVERSE);
	v.dim = true;
	canvas_draw(c, &v);
	show(&f);
	assert_int_equal(outer_at(&f.outer, 4, 0)->style.attrs, ATTR_REVERSE | ATTR_DIM);
	canvas_destroy(c);
	close_fixture(&f);
}

static void a_message_instead_of_a_screen(void **state)
{
	struct pane_view v = {.message = "starting ..."};
	struct fixture f;
	struct canvas *c;

	(void)state;
	open_fixture(&f, 10, 40);
	c = canvas_create(f.display, (struct rect){0, 0, 11, 40});
	canvas_draw(c, &v);
	show(&f);
	assert_text(&f, 6, 14, "starting ...");
	v.screen = &f.screen;
	canvas_draw(c, &v);
	show(&f);
	assert_text(&f, 6, 0, "f                         ");
	canvas_destroy(c);
	close_fixture(&f);
}

/* --- places --- */

static void places_on_the_live_screen(void **state)
{
	struct position p;
	struct pane_view v = {0};
	struct fixture f;
	struct canvas *c;
	int row, col;

	(void)state;
	open_fixture(&f, 10, 30);
	v.screen = &f.screen;
	c = canvas_create(f.display, (struct rect){2, 5, 12, 40});
	canvas_draw(c, &v);
	assert_true(canvas_place(c, &v, 3, 5, false, &p)); /* below the title line */
	assert_int_equal(p.row, 1000);
	assert_int_equal(p.col, 0);
	assert_false(canvas_place(c, &v, 2, 5, false, &p));  /* the title */
	assert_false(canvas_place(c, &v, 13, 5, false, &p)); /* below the session's ten rows */
	assert_false(canvas_place(c, &v, 3, 36, false, &p)); /* right of its columns */
	assert_true(canvas_place(c, &v, 19, 59, true, &p));
	assert_int_equal(p.row, 1009);
	assert_int_equal(p.col, 29);
	assert_true(canvas_place(c, &v, 0, 0, true, &p));
	assert_int_equal(p.row, 1000);
	f.screen.cursor.row = 4;
	f.screen.cursor.col = 7;
	assert_true(canvas_cursor(c, &v, &row, &col));
	assert_int_equal(row, 3 + 4);
	assert_int_equal(col, 5 + 7);
	f.screen.cursor.visible = false;
	assert_false(canvas_cursor(c, &v, &row, &col));
	canvas_destroy(c);
	close_fixture(&f);
}

static void places_in_history(void **state)
{
	struct position p, cursor = {995, 3};
	struct pane_view v = {.scrolled = true, .first = {990, 0}, .width = 30, .copy_cursor = &cursor};
	struct fixture f;
	struct canvas *c;
	int row, col;

	(void)state;
	open_fixture(&f, 10, 30);
	v.screen = &f.screen;
	c = canvas_create(f.display, (struct rect){0, 0, 13, 30});
	canvas_draw(c, &v); /* ten rows that are not here, then two of the screen */
	show(&f);
	assert_text(&f, 11, 0, "a");
	assert_true(canvas_place(c, &v, 6, 2, false, &p));
	assert_int_equal(p.row, 995);
	assert_true(canvas_cursor(c, &v, &row, &col));
	assert_int_equal(row, 6);
	assert_int_equal(col, 3);
	cursor.row = 900;
	assert_false(canvas_cursor(c, &v, &row, &col));
	cursor.row = 1005;
	assert_false(canvas_cursor(c, &v, &row, &col));
	v.copy_cursor = NULL; /* the program's cursor is not in history */
	assert_false(canvas_cursor(c, &v, &row, &col));
	canvas_destroy(c);
	close_fixture(&f);
}

static void the_viewport_follows_the_cursor(void **state)
{
	struct screen s = {.rows = 50, .cols = 120};
	int row = 0, col = 0;

	(void)state;
	viewport_follow(&s, 20, 60, &row, &col);
	assert_int_equal(row, 0);
	assert_int_equal(col, 0);
	s.cursor.row = 30;
	s.cursor.col = 58;
	viewport_follow(&s, 20, 60, &row, &col);
	assert_int_equal(row, 12); /* the row below it is still in view */
	assert_int_equal(col, 0);
	s.cursor.col = 59; /* under the mark at the border */
	viewport_follow(&s, 20, 60, &row, &col);
	assert_int_equal(col, 1);
	s.cursor.row = 49;
	s.cursor.col = 119;
	viewport_follow(&s, 20, 60, &row, &col);
	assert_int_equal(row, 30);
	assert_int_equal(col, 60);
	viewport_follow(&s, 60, 130, &row, &col);
	assert_int_equal(row, 0);
	assert_int_equal(col, 0);
}

/* Any sizes, any cursor: it is in view, and the viewport within the session. */
static void the_viewport_always_shows_the_cursor(void **state)
{
	struct random r = {1};
	int row = 0, col = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct screen s = {.rows = 1 + random_below(&r, 60), .cols = 2 + random_below(&r, 200)};
		int rows = 1 + random_below(&r, 60), cols = 1 + random_below(&r, 200);

		s.cursor.row = random_below(&r, s.rows);
		s.cursor.col = random_below(&r, s.cols);
		viewport_follow(&s, rows, cols, &row, &col);
		assert_true(row >= 0 && col >= 0);
		assert_in_range(s.cursor.row, row, row + rows - 1);
		assert_in_range(s.cursor.col, col, col + cols - 1);
		assert_true(row == 0 || row + rows <= s.rows);
		assert_true(col == 0 || col + cols <= s.cols);
	}
}

/* --- dividers --- */

static void dividers_join(void **state)
{
	struct rect area = {0, 0, 20, 60};
	struct layout *l = layout_create(1);
	struct surface *s;
	struct fixture f;
	struct rect r;

	(void)state;
	open_fixture(&f, 1, 2);
	s = surface_create(f.display, 0, 0, 20, 60);
	layout_arrange(l, area);
	layout_split(l, 1, false, 2);
	layout_split(l, 1, true, 3);
	layout_split(l, 2, true, 4);
	layout_rect(l, 2, &r);
	compose_dividers(s, l, area, 4);
	show(&f);
	assert_text(&f, 0, 30, "│");
	assert_text(&f, r.row - 1, 29, "─┼─"); /* both above and below */
	assert_int_equal(
	    outer_at(&f.outer, r.row - 1, 40)->style.fg, theme_style(ROLE_BORDER_FOCUSED, true, false)->fg);
	assert_int_equal(
	    outer_at(&f.outer, r.row - 1, 10)->style.fg, theme_style(ROLE_BORDER, true, false)->fg);
	layout_remove(l, 3);
	surface_clear(s, ROLE_TEXT);
	compose_dividers(s, l, area, 4);
	show(&f);
	assert_text(&f, r.row - 1, 29, "─┬─");
	layout_destroy(l);
	close_fixture(&f);
}

/* --- popups --- */

static int lines_of(const char *text, int cols)
{
	return popup_text(NULL, 0, 0, 100, cols, text, ROLE_TEXT);
}

static void text_is_broken_at_blanks(void **state)
{
	struct surface *s;
	struct fixture f;

	(void)state;
	assert_int_equal(lines_of("", 10), 0);
	assert_int_equal(lines_of("one two", 10), 1);
	assert_int_equal(lines_of("one two three", 7), 2);
	assert_int_equal(lines_of("one\ntwo\n\nthree", 10), 4);
	assert_int_equal(lines_of("abcdefghijklmno", 5), 3);
	assert_int_equal(lines_of("日本語", 1), 3); /* wider than the line: one each */
	open_fixture(&f, 1, 2);
	s = popup_create(f.display, 4, 20);
	assert_int_equal(surface_rows(s), 6);
	assert_int_equal(popup_rows(s), 4);
	assert_int_equal(popup_cols(s), 20);
	popup_frame(s, "Title", NULL, 0);
	assert_int_equal(popup_text(s, 1, 2, 4, 20, "a text of several words to break", ROLE_TEXT), 2);
	show(&f);
	assert_text(&f, surface_row(s) + 1, surface_col(s), "│ a text of several    │");
	assert_text(&f, surface_row(s) + 2, surface_col(s), "│ words to break       │");
	surface_destroy(s);
	s = popup_create(f.display, 100, 1000); /* as large as the screen at most */
	assert_int_equal(surface_rows(s), 20);
	assert_int_equal(surface_cols(s), 60);
	surface_destroy(s);
	close_fixture(&f);
}

/* --- movement --- */

static void movements_are_found(void **state)
{
	static const struct {
		uint64_t before[9], now[9];
		bool moved;
		struct scroll_guess want;
	} table[] = {
	    /* up by one, the last two rows stay */
	    {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 3, 4, 5, 6, 7, 20, 8, 9}, true, {0, 7, 1}},
	    /* down by two below a row that stays */
	    {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 20, 21, 2, 3, 4, 5, 6, 7}, true, {1, 8, -2}},
	    /* up by three, one row of them changed on the way */
	    {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {4, 5, 30, 7, 8, 9, 20, 21, 22}, true, {0, 9, 3}},
	    /* the same picture */
	    {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, false, {0, 0, 0}},
	    /* another one */
	    {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {11, 12, 13, 14, 15, 16, 17, 18, 19}, false, {0, 0, 0}},
	    /* blank rows prove nothing */
	    {{1, 0, 0, 0, 0, 0, 0, 0, 9}, {2, 0, 0, 0, 0, 0, 0, 9, 0}, false, {0, 0, 0}},
	    /* two rows that changed places are no movement */
	    {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 1, 3, 4, 5, 6, 7, 8, 9}, false, {0, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct scroll_guess guess = {0};

		if (scroll_guess(table[i].before, table[i].now, 9, &guess) != table[i].moved)
			fail_msg("picture %zu", i);
		if (memcmp(&guess, &table[i].want, sizeof(guess)) != 0)
			fail_msg("picture %zu: rows %d..+%d by %d", i, guess.first, guess.rows, guess.lines);
	}
}

/* Whatever is guessed lies within the rows. */
static void guesses_are_sound(void **state)
{
	struct random r = {3};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t before[30], now[30];
		int rows = 1 + random_below(&r, 30), kinds = 2 + random_below(&r, 40),
		    by = random_below(&r, 11) - 5;
		struct scroll_guess g;

		for (int y = 0; y < rows; y++)
			before[y] = (uint64_t)random_below(&r, kinds);
		for (int y = 0; y < rows; y++) {
			int from = y + by;
			bool kept = random_below(&r, 8) && from >= 0 && from < rows;

			now[y] = kept ? before[from] : (uint64_t)random_below(&r, kinds);
		}
		if (!scroll_guess(before, now, rows, &g))
			continue;
		assert_true(g.first >= 0 && g.rows > 0 && g.first + g.rows <= rows);
		assert_true(g.lines != 0 && abs(g.lines) < g.rows);
	}
}

/* --- theme --- */

static void overlays_are_seen_on_any_text(void **state)
{
	struct style reversed = {.fg = COLOR_INDEX(2), .attrs = ATTR_REVERSE}, plain = {0}, merged;

	(void)state;
	for (int mono = 0; mono < 2; mono++) {
		for (int dark = 0; dark < 2; dark++) {
			static const enum theme_role roles[] = {
			    ROLE_SELECTION, ROLE_MATCH, ROLE_MATCH_CURRENT};

			for (size_t i = 0; i < COUNT_OF(roles); i++) {
				const struct style *over = theme_style(roles[i], dark, mono);

				merged = theme_merge(&plain, over);
				assert_memory_not_equal(&merged, &plain, sizeof(plain));
				merged = theme_merge(&reversed, over);
				assert_memory_not_equal(&merged, &reversed, sizeof(plain));
			}
		}
	}
	merged = theme_merge(&reversed, theme_style(ROLE_SELECTION, true, false));
	assert_int_equal(merged.attrs, 0); /* reverse on top of reverse */
	assert_int_equal(merged.fg, COLOR_INDEX(2));
}

static void mono_has_no_colour(void **state)
{
	(void)state;
	for (int role = 0; role < ROLE_COUNT; role++) {
		const struct style *s = theme_style((enum theme_role)role, true, true);

		assert_int_equal(s->fg, COLOR_DEFAULT);
		assert_int_equal(s->bg, COLOR_DEFAULT);

		assert_memory_equal(theme_role_name((enum theme_role)role), "ROLE_", 5);
	}
}

/* --- clusters --- */

static void clusters(void **state)
{
	static const char text[] = "a\xcc\x81"
				   "👩‍💻"
				   "日\n🇩🇪x\xff";
	static const size_t borders[] = {0, 3, 14, 17, 18, 26, 27, 28};
	struct text_cluster c;
	size_t at = 0, i = 0;

	(void)state;
	for (; cluster_next(text + at, sizeof(text) - 1 - at, &c); at += c.bytes) {
		assert_int_equal(at, borders[i++]);
		if (at > 0)
			assert_int_equal(cluster_before(text, at), borders[i - 2]);
	}
	assert_int_equal(at, sizeof(text) - 1);
	assert_int_equal(cluster_before(text, 0), 0);
	assert_true(cluster_next("日", 3, &c));
	assert_int_equal(c.width, 2);
	assert_true(cluster_next("\xe6\x97", 2, &c)); /* cut off */
	assert_int_equal(c.cps[0], UTF8_REPLACEMENT);
	assert_false(cluster_next("", 0, &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_changed_rows_are_drawn),
	    cmocka_unit_test(what_changes_every_row_is_seen),
	    cmocka_unit_test(a_message_instead_of_a_screen),
	    cmocka_unit_test(places_on_the_live_screen),
	    cmocka_unit_test(places_in_history),
	    cmocka_unit_test(the_viewport_follows_the_cursor),
	    cmocka_unit_test(the_viewport_always_shows_the_cursor),
	    cmocka_unit_test(dividers_join),
	    cmocka_unit_test(text_is_broken_at_blanks),
	    cmocka_unit_test(movements_are_found),
	    cmocka_unit_test(guesses_are_sound),
	    cmocka_unit_test(overlays_are_seen_on_any_text),
	    cmocka_unit_test(mono_has_no_colour),
	    cmocka_unit_test(clusters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
