/*
 * Properties of the emulator under random output: how it is cut does not matter, nothing breaks the
 * invariants of the screen, and nothing grows without bound.
 */
#include "term_random.h"

static void output_may_be_cut_anywhere(void **state)
{
	struct random r = {0x1234567};

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct history *ha, *hb;
		int rows = 1 + (int)below(&r, 12), cols = 2 + (int)below(&r, 30);
		struct term *a = make(rows, cols, &ha), *b = make(rows, cols, &hb);
		AUTO_BUF text = BUF_INIT;
		AUTO_BUF da = BUF_INIT;
		AUTO_BUF db = BUF_INIT;
		size_t at = 0;

		while (text.len < 2000)
			add_random(&r, &text);
		term_feed(a, text.data, text.len, 0);
		while (at < text.len) {
			size_t n = 1 + below(&r, round % 2 ? 3 : 300);

			n = n < text.len - at ? n : text.len - at;
			term_feed(b, text.data + at, n, 0);
			at += n;
		}
		describe(a, ha, &da);
		describe(b, hb, &db);
		if (da.len != db.len || memcmp(da.data, db.data, da.len) != 0)
			fail_msg("round %d: output was\n%s\nwhole:\n%s\nin pieces:\n%s", round, text.data,
			    da.data, db.data);
		term_destroy(a);
		term_destroy(b);
		history_destroy(ha);
		history_destroy(hb);
	}
}

static void nothing_breaks_the_screen(void **state)
{
	struct random r = {0xfeedface};
	struct history *h;
	struct term *t = make(24, 80, &h);
	size_t fed = 0;

	(void)state;
	while (fed < 1000000) {
		AUTO_BUF text = BUF_INIT;

		while (text.len < 200)
			add_random(&r, &text);
		term_feed(t, text.data, text.len, below(&r, 20) == 0 ? below(&r, 4) : 0);
		fed += text.len;
		check_invariants(t);
		if (below(&r, 8) == 0) {
			term_resize(t, (int)below(&r, 40), (int)below(&r, 120));
			check_invariants(t);
		}
		if (below(&r, 100) == 0)
			term_reset_modes(t);
		if (below(&r, 100) == 0)
			term_mark(t, "a \xe4\xb8\x80 mark");
		assert_true(term_replies(t)->len <= TERM_REPLIES_MAX);
	}
	term_destroy(t);
	history_destroy(h);
}

/* The same program on a new screen gives the same again: nothing is remembered that should not be. */
static void a_full_reset_forgets(void **state)
{
	struct random r = {99};

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct history *ha, *hb;
		struct term *a = make(8, 20, &ha), *b = make(8, 20, &hb);
		AUTO_BUF before = BUF_INIT;
		AUTO_BUF after = BUF_INIT;
		struct term_event e;

		while (before.len < 600)
			add_random(&r, &before);
		buf_adds(&before, "\033\\\033c");
		while (after.len < 600)
			add_random(&r, &after);
		term_feed(a, before.data, before.len, 0);
		buf_consume(term_replies(a), term_replies(a)->len);
		while (term_next_event(a, &e))
			term_event_finish(&e);
		term_feed(a, after.data, after.len, TERM_NO_HISTORY);
		term_feed(b, after.data, after.len, TERM_NO_HISTORY);
		for (int i = 0; i < 8; i++) {
			AUTO_BUF x = BUF_INIT;
			AUTO_BUF y = BUF_INIT;

			row_text(term_screen(a)->row[i], term_screen(a)->table, 0, 20, false, &x);
			row_text(term_screen(b)->row[i], term_screen(b)->table, 0, 20, false, &y);
			if (strcmp(x.data, y.data) != 0)
				fail_msg("round %d, row %d: %s, but on a new screen %s, after\n%s\n---\n%s",
				    round, i, x.data, y.data, before.data, after.data);
		}
		term_destroy(a);
		term_destroy(b);
		history_destroy(ha);
		history_destroy(hb);
	}
}

static void replies_are_bounded(void **state)
{
	struct history *h;
	struct term *t = make(24, 80, &h);

	(void)state;
	for (int i = 0; i < 100000; i++)
		term_feed(t, "\033[c\033[6n", 7, 0);
	assert_true(term_replies(t)->len <= TERM_REPLIES_MAX);
	assert_true(term_replies(t)->len > TERM_REPLIES_MAX - 64);
	term_destroy(t);
	history_destroy(h);
}

static void events_are_bounded_and_the_newest_stay(void **state)
{
	struct history *h;
	struct term *t = make(24, 80, &h);
	struct term_event e;
	int count = 0, last = -1;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		char text[64];

		snprintf(text, sizeof(text), "\033]133;D;%d\a\033]2;t%d\a", i, i);
		term_feed(t, text, strlen(text), 0);
	}
	while (term_next_event(t, &e)) {
		count++;
		if (e.type == TERM_PROMPT)
			last = e.value;
		if (e.type == TERM_TITLE)
			assert_string_equal(e.text, "t9999");
		term_event_finish(&e);
	}
	assert_true(count <= TERM_EVENTS_MAX);
	assert_int_equal(last, 9999);
	term_destroy(t);
	history_destroy(h);
}

/* Far more styles, clusters and links than the table holds: what is shown is always right. */
static void the_table_is_collected(void **state)
{
	struct history *h;
	struct term *t = make(4, 20, &h);

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char text[128];

		snprintf(text, sizeof(text), "\033[38;2;%d;%d;%dm\033]8;;http://x/%d\ae\xcc\x81\033]8;;\a",
		    i >> 16, i >> 8 & 255, i & 255, i);
		term_feed(t, text, strlen(text), 0);
		if (i % 1000 == 0) {
			const struct screen *s = term_screen(t);
			const struct cell *c =
			    &s->row[s->cursor.row]->cells[s->cursor.col - !s->cursor.wrap_pending];
			const struct style *style = table_style_value(s->table, c->style);
			char uri[32];

			snprintf(uri, sizeof(uri), "http://x/%d", i);
			assert_int_equal(style->fg, COLOR_RGB(i >> 16, i >> 8, i));
			assert_string_equal(table_link_uri(s->table, style->link), uri);
		}
	}
	assert_true(table_style_count(term_screen(t)->table) < CELL_STYLES_MAX);
	term_destroy(t);
	history_destroy(h);
}

static void a_string_that_never_ends_is_swallowed(void **state)
{
	struct history *h;
	struct term *t = make(4, 20, &h);
	char *block = mem_alloc(1 << 16);

	(void)state;
	memset(block, 'x', 1 << 16);
	term_feed(t, "\033]2;", 4, 0);
	for (int i = 0; i < 100; i++)
		term_feed(t, block, 1 << 16, 0);
	term_feed(t, "\aok", 3, 0);
	assert_string_equal(term_title(t), "");
	assert_int_equal(term_screen(t)->row[0]->cells[0].glyph, 'o');
	free(block);
	term_destroy(t);
	history_destroy(h);
}

static void a_title_is_cut(void **state)
{
	struct history *h;
	struct term *t = make(4, 20, &h);
	AUTO_BUF text = BUF_INIT;

	(void)state;
	buf_adds(&text, "\033]2;");
	for (int i = 0; i < 2000; i++)
		buf_adds(&text, "\xe4\xb8\x80");
	buf_adds(&text, "\a");
	term_feed(t, text.data, text.len, 0);
	assert_true(strlen(term_title(t)) <= TERM_TITLE_MAX);
	assert_true(strlen(term_title(t)) > TERM_TITLE_MAX - 4);
	assert_true(utf8_valid(term_title(t), strlen(term_title(t)), NULL));
	term_destroy(t);
	history_destroy(h);
}

/* A row that did not change keeps its object and its version, also when it moves. */
static void versions_tell_what_changed(void **state)
{
	struct history *h;
	struct term *t = make(5, 20, &h);
	const struct screen *s;
	struct row *second, *third;
	uint64_t version, before;

	(void)state;
	term_feed(t, "a\r\nb\r\nc\r\nd\r\ne", 13, 0);
	s = term_screen(t);
	version = s->version;
	second = s->row[1];
	third = s->row[2];
	before = second->version;
	assert_true(before <= version);
	term_feed(t, "\r\nf", 3, 0);
	s = term_screen(t);
	assert_ptr_equal(s->row[0], second);
	assert_ptr_equal(s->row[1], third);
	assert_int_equal(second->version, before);
	assert_true(s->row[4]->version > version);
	assert_int_equal(s->top, 1);
	term_destroy(t);
	history_destroy(h);
}

/* Also of a row that only ceases to go on in the one below it. */
static void versions_tell_of_the_row_above(void **state)
{
	static const char *const breaks[] = {"\033[L", "\033[M", "\033[2H\033[J"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(breaks); i++) {
		struct history *h;
		struct term *t = make(5, 10, &h);
		uint64_t version;

		term_feed(t, "0123456789abc", 13, 0);
		assert_true(term_screen(t)->row[0]->flags & ROW_WRAPPED);
		version = term_screen(t)->version;
		term_feed(t, breaks[i], strlen(breaks[i]), 0);
		if (!(term_screen(t)->row[0]->flags & ROW_WRAPPED))
			assert_true(term_screen(t)->row[0]->version > version);
		else
			fail_msg("break %zu breaks nothing", i);
		term_destroy(t);
		history_destroy(h);
	}
}

static void without_history_rows_are_counted(void **state)
{
	struct term_options o = {.rows = 3, .cols = 10};
	struct term *t = term_create(&o, NULL);

	(void)state;
	term_feed(t, "1\r\n2\r\n3\r\n4\r\n5", 13, 0);
	assert_int_equal(term_screen(t)->top, 2);
	assert_int_equal(term_screen(t)->history_first, 2);
	term_resize(t, 2, 5);
	term_resize(t, 6, 12);
	check_invariants(t);
	term_destroy(t);
}

static void sizes_are_clamped(void **state)
{
	struct term_options o = {.rows = 0, .cols = 100000};
	struct term *t = term_create(&o, NULL);

	(void)state;
	assert_int_equal(term_screen(t)->rows, SCREEN_MIN_ROWS);
	assert_int_equal(term_screen(t)->cols, SCREEN_MAX_COLS);
	term_resize(t, -5, 1);
	assert_int_equal(term_screen(t)->rows, SCREEN_MIN_ROWS);
	assert_int_equal(term_screen(t)->cols, SCREEN_MIN_COLS);
	term_feed(t, "\xe4\xb8\x80\xe4\xb8\x80\033[200b\033[?7l\xe4\xb8\x80", 21, 0);
	check_invariants(t);
	term_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(output_may_be_cut_anywhere),
	    cmocka_unit_test(nothing_breaks_the_screen),
	    cmocka_unit_test(a_full_reset_forgets),
	    cmocka_unit_test(replies_are_bounded),
	    cmocka_unit_test(events_are_bounded_and_the_newest_stay),
	    cmocka_unit_test(the_table_is_collected),
	    cmocka_unit_test(a_string_that_never_ends_is_swallowed),
	    cmocka_unit_test(a_title_is_cut),
	    cmocka_unit_test(versions_tell_what_changed),
	    cmocka_unit_test(versions_tell_of_the_row_above),
	    cmocka_unit_test(without_history_rows_are_counted),
	    cmocka_unit_test(sizes_are_clamped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
