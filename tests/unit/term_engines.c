/*
 * The two engines: what both know they do alike (engines.h), and what libvterm's can be given is anything.
 */
#include "term_random.h"

#include "engines.h"

enum { ROUNDS = 300, STEPS = 120 };

/* --- the common subset (engines.h) --- */

static void pair_compare(struct pair *p)
{
	AUTO_BUF native = BUF_INIT;
	AUTO_BUF other = BUF_INIT;

	if (!pair_agrees(p, &native, &other))
		fail_msg("native:\n%s\nlibvterm:\n%s\nafter:\n%s", native.data, other.data, p->fed.data);
}

static void both_engines_agree_where_they_can(void **state)
{
	struct random r = {0x5eed};

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct pair p;

		pair_init(&p, 2 + (int)below(&r, 12), 4 + (int)below(&r, 40));
		for (int i = 0; i < STEPS; i++) {
			step(&r, &p);
			pair_compare(&p);
			if (below(&r, 40) == 0)
				pair_resize(&r, &p);
		}
		pair_finish(&p);
	}
}

/* --- anything into libvterm's engine --- */

static struct term *saved_and_loaded(struct term *t, struct history *h, enum term_engine engine)
{
	struct term_options o = {
	    .engine = engine, .history = h, .rows = 1, .cols = 2, .version = "handler(0.0.0)"};
	AUTO_BUF saved = BUF_INIT;
	struct term *loaded;

	term_save(t, &saved);
	loaded = term_load(&o, saved.data, saved.len, NULL);
	assert_non_null(loaded);
	buf_add(term_replies(loaded), term_replies(t)->data, term_replies(t)->len);
	term_destroy(t);
	return loaded;
}

static void drop_events(struct term *t)
{
	struct term_event e;

	while (term_next_event(t, &e))
		term_event_finish(&e);
}

/* The first lines that differ, of two descriptions. */
static void compare(const struct buf *a, const struct buf *b, const char *output)
{
	size_t at = 0, start;

	while (at < a->len && at < b->len && a->data[at] == b->data[at])
		at++;
	if (at == a->len && at == b->len)
		return;
	for (start = at; start > 0 && a->data[start - 1] != '\n';)
		start--;
	print_error("%s\n", output);
	fail_msg("whole, at byte %zu of a line:\n%.400s\nin pieces:\n%.400s", at - start, a->data + start,
	    b->data + start);
}

/* Cut anywhere, and with libvterm made anew from what was saved in between, the end is the same. */
static void libvterm_has_no_state_of_its_own(void **state)
{
	struct random r = {0xabcdef};

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct history *ha, *hb;
		int rows = 1 + (int)below(&r, 12), cols = 2 + (int)below(&r, 30);
		struct term *a = make_engine(TERM_LIBVTERM, rows, cols, &ha);
		struct term *b = make_engine(TERM_LIBVTERM, rows, cols, &hb);
		AUTO_BUF text = BUF_INIT;
		AUTO_BUF da = BUF_INIT;
		AUTO_BUF db = BUF_INIT;

		while (text.len < 2000)
			add_random(&r, &text);
		term_feed(a, text.data, text.len, 0);
		for (size_t at = 0, n; at < text.len; at += n) {
			n = 1 + below(&r, round % 2 ? 3 : 100);
			n = n < text.len - at ? n : text.len - at;
			term_feed(b, text.data + at, n, 0);
			if (below(&r, 10) == 0)
				b = saved_and_loaded(b, hb, TERM_LIBVTERM);
		}
		drop_events(a);
		drop_events(b);
		describe(a, ha, &da);
		describe(b, hb, &db);
		compare(&da, &db, text.data);
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
	struct term *t = make_engine(TERM_LIBVTERM, 24, 80, &h);

	(void)state;
	for (size_t fed = 0; fed < 500000;) {
		AUTO_BUF text = BUF_INIT;

		while (text.len < 200)
			add_random(&r, &text);
		term_feed(t, text.data, text.len, below(&r, 20) == 0 ? below(&r, 4) : 0);
		fed += text.len;
		check_invariants(t);
		if (below(&r, 8) == 0)
			term_resize(t, (int)below(&r, 40), (int)below(&r, 120));
		if (below(&r, 50) == 0)
			t = saved_and_loaded(t, h, below(&r, 4) ? TERM_LIBVTERM : TERM_NATIVE);
		if (below(&r, 100) == 0)
			term_reset_modes(t);
		if (below(&r, 100) == 0)
			term_mark(t, "a \xe4\xb8\x80 mark");
		check_invariants(t);
		assert_true(term_replies(t)->len <= TERM_REPLIES_MAX);
		buf_consume(term_replies(t), term_replies(t)->len);
	}
	term_destroy(t);
	history_destroy(h);
}

/* What crashes, hangs or corrupts libvterm 0.1.4 or 0.3.3 when it is given to it as it is. */
static void known_defects_are_out_of_reach(void **state)
{
	static const char *const inputs[] = {
	    "caf\xe9\rX",
	    "x\xff\xfe\xe2\x82\r\n",
	    "\033[b",
	    "\033[1000000b",
	    "\033[38:2:59:66:97;48:2:36:40:59;58:2:224:175:104;4:3m",
	    "\033[1;2;3;4;5;6;7;8;9;0;1;2;3;4;5;6;7;8;9;0;1;2;3;4;5;6;7;8;9;0;1;2;3;4;5H",
	    "\033[8r\v",
	    "\0337\033[3;4H\0337",
	    "\0338\033H",
	    "\033#6xxxxxxxxxx\033#3yyyyyyyyyyy",
	    "\033]99999999999999999999;x\007",
	    "\033]2;abc",
	    "\033\\",
	    "\xc2\x80x\xc2\x9fy\xc2\x85z",
	    "\033'[31m",
	    "\033Pq#0~\033\\",
	    "\033_Gi=1;AAAA\033\\",
	    "\033[?4m",
	    "\033[58;5;1mx",
	    "\033N\xe4\xb8\x80x",
	    "\033O\xc3\xa9",
	    "\033[99999;99999r",
	    "\033[?69h\033[99999;99999s\033[3;2s",
	    "\033[99999999999999999999C",
	};
	static const int sizes[][2] = {{24, 80}, {1, 2}, {2, 2}, {8, 8}, {100, 200}, {1, 80}, {24, 2}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(inputs) * COUNT_OF(sizes); i++) {
		struct history *h;
		struct term *t = make_engine(TERM_LIBVTERM, 24, 80, &h);

		term_feed(t, "\033[24;80H\0337\033[5;20r", 17, 0);
		for (size_t k = 0; k < COUNT_OF(inputs); k++) {
			const char *input = inputs[(i + k * k) % COUNT_OF(inputs)];

			term_feed(t, input, strlen(input), 0);
			if (k % 3 == 0)
				term_resize(t, sizes[(i + k) % COUNT_OF(sizes)][0],
				    sizes[(i + k) % COUNT_OF(sizes)][1]);
			check_invariants(t);
		}
		term_destroy(t);
		history_destroy(h);
	}
}

/* Marks without end after one character: nothing grows. */
static void marks_are_bounded(void **state)
{
	struct history *h;
	struct term *t = make_engine(TERM_LIBVTERM, 4, 10, &h);

	(void)state;
	term_feed(t, "a", 1, 0);
	for (int i = 0; i < 100000; i++)
		term_feed(t, "\xcc\x81\xcc\x88", 4, 0);
	check_invariants(t);
	assert_int_equal(term_screen(t)->cursor.col, 1);
	assert_true(table_cluster_count(term_screen(t)->table) <= CELL_CLUSTER_CODE_POINTS);
	term_destroy(t);
	history_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(both_engines_agree_where_they_can),
	    cmocka_unit_test(libvterm_has_no_state_of_its_own),
	    cmocka_unit_test(nothing_breaks_the_screen),
	    cmocka_unit_test(known_defects_are_out_of_reach),
	    cmocka_unit_test(marks_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
