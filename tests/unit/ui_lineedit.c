/* The line editor: keys and text in, text and cursor out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cell_random.h"
#include "outer.h"
#include "ui/display.h"
#include "ui/lineedit.h"

/* Presses keys by name ("C-a", "Left"), separated by blanks; 'text' is typed. */
static enum lineedit_result press(struct lineedit *e, const char *names)
{
	AUTO_FREE char *copy = mem_strdup(names);
	char *save = NULL;
	enum lineedit_result result = LINEEDIT_IGNORED;

	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		struct key k;

		if (!key_parse(name, &k))
			fail_msg("no such key: %s", name);
		result = lineedit_key(e, &k);
	}
	return result;
}

static void type(struct lineedit *e, const char *text)
{
	struct text_cluster c;
	size_t len = strlen(text);

	for (; cluster_next(text, len, &c); text += c.bytes, len -= c.bytes) {
		for (size_t i = 0; i < c.count; i++) {
			struct key k = key_from_char(c.cps[i]);

			lineedit_key(e, &k);
		}
	}
}

/* The text with a '|' at the cursor. */
static void assert_state(const struct lineedit *e, const char *want)
{
	AUTO_BUF have = BUF_INIT;

	buf_add(&have, lineedit_text(e), lineedit_cursor(e));
	buf_addc(&have, '|');
	buf_adds(&have, lineedit_text(e) + lineedit_cursor(e));
	assert_string_equal(have.data, want);
}

/* Starts at `from` (with its '|'), presses, ends at `to`. */
static void check(bool multiline, const char *from, const char *keys, const char *to)
{
	struct lineedit *e = lineedit_create(multiline);
	AUTO_FREE char *text = mem_strdup(from);
	char *bar = strchr(text, '|');

	memmove(bar, bar + 1, strlen(bar));
	lineedit_set(e, text);
	lineedit_set_cursor(e, (size_t)(bar - text));
	press(e, keys);
	assert_state(e, to);
	lineedit_destroy(e);
}

static void moving(void **state)
{
	(void)state;
	check(false, "abc|", "Left", "ab|c");
	check(false, "abc|", "C-b C-b", "a|bc");
	check(false, "|abc", "Left", "|abc");
	check(false, "|abc", "Right C-f", "ab|c");
	check(false, "abc|", "C-a", "|abc");
	check(false, "|abc", "C-e", "abc|");
	check(false, "ab|c", "Home", "|abc");
	check(false, "ab|c", "End", "abc|");
	check(false, "one two-three|", "M-b", "one two-|three");
	check(false, "one two-three|", "M-b M-b C-Left", "|one two-three");
	check(false, "|one two-three", "M-f", "one| two-three");
	check(false, "|one two-three", "C-Right C-Right", "one two|-three");
}

static void deleting(void **state)
{
	(void)state;
	check(false, "abc|", "BSpace", "ab|");
	check(false, "|abc", "BSpace", "|abc");
	check(false, "a|bc", "DC", "a|c");
	check(false, "a|bc", "C-d C-d", "a|");
	check(false, "abc|", "DC", "abc|");
	check(false, "one /usr/bin|", "C-w", "one |");
	check(false, "one /usr/bin  |", "C-w", "one |");
	check(false, "one /usr/bin|", "M-BSpace", "one /usr/|");
	check(false, "on|e two", "M-d", "on| two");
	check(false, "on|e two", "C-k", "on|");
	check(false, "on|e two", "C-u", "|e two");
}

static void killed_text_comes_back(void **state)
{
	(void)state;
	check(false, "one two|", "C-w C-a C-y", "two|one ");
	check(false, "one two three|", "C-w C-w C-y", "one two three|"); /* two kills in a row are one */
	check(false, "one two three|", "C-w Left C-w C-y", "one two| ");
	check(false, "|one two", "M-d M-d C-y", "one two|");
	check(false, "|abc", "C-y", "|abc");
}

static void transposing(void **state)
{
	(void)state;
	check(false, "abc|", "C-t", "acb|");
	check(false, "a|bc", "C-t", "ba|c");
	check(false, "|abc", "C-t", "|abc");
	check(false, "日|x", "C-t", "x日|");
}

static void clusters_are_one(void **state)
{
	(void)state;
	check(false, "a👩‍💻|", "BSpace", "a|");
	check(false, "a👩‍💻|", "Left", "a|👩‍💻");
	check(false, "|🇩🇪🇫🇷", "Right", "🇩🇪|🇫🇷");
	check(false, "e\xcc\x81|x", "BSpace", "|x"); /* e and U+0301 */
	check(false, "|👍🏽b", "DC", "|b");
}

static void undoing(void **state)
{
	struct lineedit *e = lineedit_create(false);

	(void)state;
	type(e, "one two");
	press(e, "C-w");
	assert_state(e, "one |");
	press(e, "C-_");
	assert_state(e, "one two|");
	press(e, "C-_"); /* a word at a time */
	assert_state(e, "one |");
	press(e, "C-_ C-_ C-_");
	assert_state(e, "|");
	assert_int_equal(press(e, "C-_"), LINEEDIT_MOVED);
	lineedit_destroy(e);
}

static void what_is_left_to_the_caller(void **state)
{
	struct lineedit *e = lineedit_create(false);

	(void)state;
	assert_int_equal(press(e, "Enter"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "Escape"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "Tab"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "Up"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "S-Enter"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "C-d"), LINEEDIT_IGNORED); /* nothing to delete: leave */
	assert_int_equal(press(e, "C-x"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "M-x"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "F5"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "x"), LINEEDIT_CHANGED);
	assert_int_equal(press(e, "Left"), LINEEDIT_MOVED);
	lineedit_destroy(e);
}

static void releases_do_nothing(void **state)
{
	struct lineedit *e = lineedit_create(false);
	struct key k = key_from_char('a');

	(void)state;
	k.event = KEY_RELEASE;
	assert_int_equal(lineedit_key(e, &k), LINEEDIT_IGNORED);
	k.event = KEY_REPEAT;
	assert_int_equal(lineedit_key(e, &k), LINEEDIT_CHANGED);
	assert_state(e, "a|");
	lineedit_destroy(e);
}

static void pasting(void **state)
{
	static const struct {
		bool multiline;
		const char *text, *want;
	} table[] = {
	    {false, "one\ntwo\n", "one two|"},
	    {false, "a\tb\x1b[31m\x07", "a b[31m|"},
	    {false,
		"a\xc2\x9b"
		"b\xff",
		"ab\xef\xbf\xbd|"},
	    {true, "one\r\ntwo\rthree\n", "one\ntwo\nthree\n|"},
	    {true, "\tx", "    x|"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct lineedit *e = lineedit_create(table[i].multiline);

		assert_int_equal(lineedit_insert(e, table[i].text, strlen(table[i].text)), LINEEDIT_CHANGED);
		assert_state(e, table[i].want);
		press(e, "C-_"); /* in one piece */
		assert_state(e, "|");
		lineedit_destroy(e);
	}
}

static void there_is_a_limit(void **state)
{
	struct lineedit *e = lineedit_create(true);
	char *much = mem_alloc(LINEEDIT_MAX_BYTES);

	(void)state;
	memset(much, 'x', LINEEDIT_MAX_BYTES);
	assert_int_equal(lineedit_insert(e, much, LINEEDIT_MAX_BYTES), LINEEDIT_CHANGED);
	assert_int_equal(lineedit_insert(e, "y", 1), LINEEDIT_MOVED);
	assert_int_equal(lineedit_length(e), LINEEDIT_MAX_BYTES);
	free(much);
	lineedit_destroy(e);
}

static void several_lines(void **state)
{
	(void)state;
	check(true, "one|", "S-Enter", "one\n|");
	check(true, "one|two", "M-Enter", "one\n|two");
	check(true, "one|two", "C-j", "one\n|two");
	check(true, "one\ntw|o", "C-a", "one\n|two");
	check(true, "on|e\ntwo", "C-e", "one|\ntwo");
	check(true, "one|\ntwo", "C-k", "one|two"); /* at the end of a line: the line end */
	check(true, "one\n|two", "BSpace", "one|two");
	check(true, "one\n|two", "Left", "one|\ntwo");
	check(true, "one\ntw|o", "C-u", "one\n|o");
	check(true, "one\nsecond\nthr|ee", "Up", "one\nsec|ond\nthree");
	check(true, "one\nsecond\nthree|", "Up Up", "one|\nsecond\nthree");
	check(true, "one\nsecond\nthree|", "Up Up Down Down",
	    "one\nsecond\nthree|"); /* the column is remembered */
}

static void up_leaves_at_the_first_line(void **state)
{
	struct lineedit *e = lineedit_create(true);

	(void)state;
	lineedit_set(e, "one\ntwo");
	assert_int_equal(press(e, "Up"), LINEEDIT_MOVED);
	assert_int_equal(press(e, "Up"), LINEEDIT_IGNORED);
	assert_int_equal(press(e, "Down"), LINEEDIT_MOVED);
	assert_int_equal(press(e, "Down"), LINEEDIT_IGNORED);
	lineedit_destroy(e);
}

static void completion_replaces_a_part(void **state)
{
	struct lineedit *e = lineedit_create(false);

	(void)state;
	lineedit_set(e, "cd sr x");
	lineedit_replace(e, 3, 5, "src/");
	assert_state(e, "cd src/| x");
	lineedit_replace(e, 9, 100, "?"); /* outside: nothing */
	assert_state(e, "cd src/| x");
	lineedit_set_cursor(e, 1000);
	assert_state(e, "cd src/ x|");
	lineedit_destroy(e);
}

/* --- drawing --- */

struct screen_of {
	struct display *display;
	struct surface *surface;
	struct outer outer;
};

static void open_screen(struct screen_of *s)
{
	static const struct outer_caps caps = {.depth = DEPTH_TRUE, .graphemes = true};

	*s = (struct screen_of){.display = display_create(6, 24, NULL)};
	display_set_caps(s->display, &caps);
	s->surface = surface_create(s->display, 0, 0, 6, 24);
	outer_reset(&s->outer, 6, 24);
}

static void close_screen(struct screen_of *s)
{
	display_destroy(s->display);
	outer_finish(&s->outer);
}

static void assert_row(struct screen_of *s, int row, const char *want)
{
	AUTO_BUF out = BUF_INIT, have = BUF_INIT;

	display_frame(s->display, &out);
	outer_feed(&s->outer, out.data, out.len);
	for (int x = 0; x < 10; x++)
		buf_adds(&have, outer_at(&s->outer, row, x)->text);
	assert_string_equal(have.data, want);
}

static void one_line_scrolls_sideways(void **state)
{
	struct lineedit *e = lineedit_create(false);
	struct screen_of s;
	int row, col;

	(void)state;
	open_screen(&s);
	lineedit_set(e, "abcdefghijklmnop");
	lineedit_draw(e, s.surface, 1, 0, 1, 10, NULL, ROLE_TEXT, &row, &col);
	assert_row(&s, 1, "‹ijklmnop ");
	assert_int_equal(row, 1);
	assert_int_equal(col, 9);
	press(e, "C-a");
	lineedit_draw(e, s.surface, 1, 0, 1, 10, NULL, ROLE_TEXT, &row, &col);
	assert_row(&s, 1, "abcdefghi›");
	assert_int_equal(col, 0);
	lineedit_click(e, 0, 3);
	assert_state(e, "abc|defghijklmnop");
	lineedit_set(e, "");
	lineedit_draw(e, s.surface, 1, 0, 1, 10, "a hint", ROLE_TEXT, &row, &col);
	assert_row(&s, 1, "a hint    ");
	lineedit_destroy(e);
	close_screen(&s);
}

static void wide_text_is_not_cut_in_half(void **state)
{
	struct lineedit *e = lineedit_create(false);
	struct screen_of s;
	int row, col;

	(void)state;
	open_screen(&s);
	lineedit_set(e, "日本語日本語日");
	lineedit_draw(e, s.surface, 0, 0, 1, 10, NULL, ROLE_TEXT, &row, &col);
	assert_row(&s, 0, "‹日本語日 "); /* the half before it is blank */
	assert_int_equal(col, 9);
	lineedit_destroy(e);
	close_screen(&s);
}

static void several_lines_wrap_and_scroll(void **state)
{
	struct lineedit *e = lineedit_create(true);
	struct screen_of s;
	int row, col;

	(void)state;
	open_screen(&s);
	lineedit_set(e, "some words to wrap\nabcdefghijkl\n");
	assert_int_equal(lineedit_height(e, 10), 5);
	lineedit_draw(e, s.surface, 0, 0, 6, 10, NULL, ROLE_TEXT, &row, &col);
	assert_row(&s, 0, "some words");
	assert_row(&s, 1, "to wrap   ");
	assert_row(&s, 2, "abcdefghij"); /* a word longer than the line is cut */
	assert_row(&s, 3, "kl        ");
	assert_int_equal(row, 4);
	assert_int_equal(col, 0);
	lineedit_click(e, 3, 1);
	assert_state(e, "some words to wrap\nabcdefghijk|l\n");
	lineedit_draw(e, s.surface, 0, 0, 2, 10, NULL, ROLE_TEXT, &row, &col);
	assert_row(&s, 1, "kl        ");
	assert_int_equal(row, 1);
	lineedit_set(e, "0123456789"); /* a full line: the cursor has a place of its own */
	assert_int_equal(lineedit_height(e, 10), 2);
	lineedit_destroy(e);
	close_screen(&s);
}

/* Any keys: the text stays well-formed and without controls, the cursor at a border and where it is drawn. */
static void random_keys_keep_the_invariants(void **state)
{
	static const char *const names[] = {"Left", "Right", "Up", "Down", "Home", "End", "BSpace", "DC",
	    "C-w", "C-k", "C-u", "C-y", "C-t", "C-_", "M-b", "M-f", "M-d", "M-BSpace", "S-Enter", "a", "b",
	    "Space", "-"};
	static const char *const texts[] = {
	    "日本", "👩‍💻", "é", "e\xcc\x81", "🇩🇪", "\xcc\x81", "\xe2\x80\x8d", "\n", "word "};
	struct screen_of s;

	(void)state;
	open_screen(&s);
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct random r = {seed};
		struct lineedit *e = lineedit_create(seed % 2);

		for (int i = 0; i < 150; i++) {
			const char *text = texts[random_below(&r, COUNT_OF(texts))];
			int row, col;

			if (random_below(&r, 4) == 0)
				lineedit_insert(e, text, strlen(text));
			else
				press(e, names[random_below(&r, COUNT_OF(names))]);
			assert_true(utf8_valid(lineedit_text(e), lineedit_length(e), NULL));
			assert_true(lineedit_cursor(e) <= lineedit_length(e));
			assert_true(((unsigned char)lineedit_text(e)[lineedit_cursor(e)] & 0xc0) != 0x80);
			if (seed % 2 == 0)
				assert_null(strchr(lineedit_text(e), '\n'));
			lineedit_draw(e, s.surface, 1, 2, 3, 12, NULL, ROLE_TEXT, &row, &col);
			assert_in_range(row, 1, 3);
			assert_in_range(col, 2, 13);
		}
		lineedit_destroy(e);
	}
	close_screen(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(moving),
	    cmocka_unit_test(deleting),
	    cmocka_unit_test(killed_text_comes_back),
	    cmocka_unit_test(transposing),
	    cmocka_unit_test(clusters_are_one),
	    cmocka_unit_test(undoing),
	    cmocka_unit_test(what_is_left_to_the_caller),
	    cmocka_unit_test(releases_do_nothing),
	    cmocka_unit_test(pasting),
	    cmocka_unit_test(there_is_a_limit),
	    cmocka_unit_test(several_lines),
	    cmocka_unit_test(up_leaves_at_the_first_line),
	    cmocka_unit_test(completion_replaces_a_part),
	    cmocka_unit_test(one_line_scrolls_sideways),
	    cmocka_unit_test(wide_text_is_not_cut_in_half),
	    cmocka_unit_test(several_lines_wrap_and_scroll),
	    cmocka_unit_test(random_keys_keep_the_invariants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
