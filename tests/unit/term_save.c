/* A terminal that was saved and loaded goes on as if nothing had been; damaged bytes are refused or harmless.
 */
#include "term_random.h"

static struct term *load(const struct buf *saved, struct history *h)
{
	struct term_options o = {.rows = 24, .cols = 80, .history = h, .version = "handler(0.0.0)"};
	struct err err = ERR_INIT;
	struct term *t = term_load(&o, saved->data, saved->len, &err);

	if (!t)
		fail_msg("%s", err.message);
	return t;
}

/* Moves what save leaves out to the terminal that goes on. */
static struct term *replaced(struct term *old, struct history *h, struct buf *events)
{
	AUTO_BUF saved = BUF_INIT;
	struct term_event e;
	struct term *t;

	term_save(old, &saved);
	t = load(&saved, h);
	buf_add(term_replies(t), term_replies(old)->data, term_replies(old)->len);
	while (term_next_event(old, &e)) {
		buf_printf(events, "%d", e.type);
		term_event_finish(&e);
	}
	term_destroy(old);
	return t;
}

static void drop_events(struct term *t)
{
	struct term_event e;

	while (term_next_event(t, &e))
		term_event_finish(&e);
}

static void saving_changes_nothing(void **state)
{
	struct random r = {0xabcdef};

	(void)state;
	for (int round = 0; round < 150; round++) {
		struct history *ha, *hb;
		int rows = 1 + (int)below(&r, 12), cols = 2 + (int)below(&r, 30);
		struct term *a = make(rows, cols, &ha), *b = make(rows, cols, &hb);
		AUTO_BUF events = BUF_INIT;
		AUTO_BUF da = BUF_INIT;
		AUTO_BUF db = BUF_INIT;

		for (int piece = 0; piece < 12; piece++) {
			AUTO_BUF text = BUF_INIT;
			size_t cut;

			while (text.len < 150)
				add_random(&r, &text);
			cut = below(&r, (uint32_t)text.len);
			term_feed(a, text.data, text.len, 0);
			term_feed(b, text.data, cut, 0);
			b = replaced(b, hb, &events);
			term_feed(b, text.data + cut, text.len - cut, 0);
			if (below(&r, 4) == 0) {
				rows = 1 + (int)below(&r, 12);
				cols = 2 + (int)below(&r, 30);
				term_resize(a, rows, cols);
				term_resize(b, rows, cols);
			}
			check_invariants(b);
		}
		drop_events(a);
		drop_events(b);
		describe(a, ha, &da);
		describe(b, hb, &db);
		if (da.len != db.len || memcmp(da.data, db.data, da.len) != 0)
			fail_msg("round %d:\n%s\nsaved and loaded:\n%s", round, da.data, db.data);
		term_destroy(a);
		term_destroy(b);
		history_destroy(ha);
		history_destroy(hb);
	}
}

static void damage(struct random *r, struct buf *b)
{
	switch (below(r, 4)) {
	case 0:
		buf_truncate(b, below(r, (uint32_t)b->len));
		break;
	case 1:
		b->data[below(r, (uint32_t)b->len)] = (char)next(r);
		break;
	case 2:
		memset(b->data + below(r, (uint32_t)b->len), 0xff, 1);
		break;
	default:
		for (uint32_t n = below(r, 20); n > 0; n--)
			b->data[below(r, (uint32_t)b->len)] ^= (char)(1 << below(r, 8));
	}
}

static void damaged_bytes_are_harmless(void **state)
{
	struct random r = {0x5eed};
	struct history *h;
	struct term *t = make(10, 30, &h);
	AUTO_BUF text = BUF_INIT;
	AUTO_BUF saved = BUF_INIT;
	int loaded = 0;

	(void)state;
	while (text.len < 3000)
		add_random(&r, &text);
	term_feed(t, text.data, text.len, 0);
	term_feed(t, "\033]2;half", 8, 0);
	term_save(t, &saved);
	for (int round = 0; round < 3000; round++) {
		struct term_options o = {.rows = 5, .cols = 5};
		AUTO_BUF copy = BUF_INIT;
		struct term *u;

		buf_add(&copy, saved.data, saved.len);
		damage(&r, &copy);
		u = term_load(&o, copy.data, copy.len, NULL);
		if (!u)
			continue;
		loaded++;
		check_invariants(u);
		term_feed(u, text.data, 500, 0);
		term_resize(u, 7, 7);
		check_invariants(u);
		term_destroy(u);
	}
	assert_true(loaded > 100);
	term_destroy(t);
	history_destroy(h);
}

static void what_is_no_terminal_is_refused(void **state)
{
	struct term_options o = {.rows = 5, .cols = 5};
	struct err err = ERR_INIT;

	(void)state;
	assert_null(term_load(&o, "", 0, &err));
	assert_int_equal(err.code, ERR_FAILED);
	assert_null(term_load(&o, "something else", 14, &err));
}

/* A form that a later version of the program has made is refused as a whole: half of a screen is none. */
static void later_forms_are_refused(void **state)
{
	struct history *h;
	struct term *t = make(3, 10, &h);
	struct term_options o = {.rows = 3, .cols = 10, .history = h};
	struct err err = ERR_INIT;
	AUTO_BUF saved = BUF_INIT;

	(void)state;
	term_save(t, &saved);
	assert_int_equal(term_can_load(saved.data, saved.len, NULL), 0);
	saved.data[4]++; /* the version, after the magic number */
	assert_int_equal(term_can_load(saved.data, saved.len, &err), -1);
	assert_non_null(strstr(err.message, "form 2"));
	assert_null(term_load(&o, saved.data, saved.len, NULL));
	assert_int_equal(term_can_load(saved.data, 3, NULL), -1);
	term_destroy(t);
	history_destroy(h);
}

/* A field of a later version is passed over. */
static void unknown_fields_are_skipped(void **state)
{
	static const unsigned char later[] = {0xff, 0x7f, 3, 0, 0, 0, 'x', 'y', 'z'};
	struct history *h;
	struct term *t = make(3, 10, &h), *u;
	AUTO_BUF saved = BUF_INIT;

	(void)state;
	term_feed(t, "hello", 5, 0);
	term_save(t, &saved);
	buf_add(&saved, later, sizeof(later));
	u = load(&saved, h);
	assert_int_equal(term_screen(u)->row[0]->cells[4].glyph, 'o');
	term_destroy(t);
	term_destroy(u);
	history_destroy(h);
}

/* What is fetched by its number goes on where it was. */
static void history_goes_on(void **state)
{
	struct history *h;
	struct term *t = make(2, 10, &h);
	AUTO_BUF events = BUF_INIT;

	(void)state;
	term_feed(t, "1\r\n2\r\n3\r\n4", 10, 0);
	t = replaced(t, h, &events);
	assert_int_equal(term_screen(t)->top, 2);
	term_feed(t, "\r\n5", 3, 0);
	assert_int_equal(term_screen(t)->top, 3);
	term_resize(t, 4, 10);
	assert_int_equal(term_screen(t)->top, 1);
	assert_int_equal(term_screen(t)->row[0]->cells[0].glyph, '2');
	term_destroy(t);
	history_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(saving_changes_nothing),
	    cmocka_unit_test(damaged_bytes_are_harmless),
	    cmocka_unit_test(what_is_no_terminal_is_refused),
	    cmocka_unit_test(later_forms_are_refused),
	    cmocka_unit_test(unknown_fields_are_skipped),
	    cmocka_unit_test(history_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
