/* Search over history and screen: case, expressions, wrapped rows, wide cells, both directions, slices. */
#include "tests/unit/cell_random.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "cell/search.h"

enum { COLS = 10, SCREEN_ROWS = 3 };

/* All rows but the last SCREEN_ROWS are in history. */
struct world {
	struct cell_table *table;
	struct history *history;
	struct row rows[SCREEN_ROWS], *row[SCREEN_ROWS];
	struct screen screen;
};

static bool is_mark(uint32_t cp)
{
	return cp >= 0x300 && cp < 0x370;
}

/* A mark joins the character before it. */
static void put_mark(struct row *r, struct cell_table *t, int col, uint32_t mark)
{
	uint32_t cps[] = {r->cells[col].glyph & GLYPH_VALUE, mark};

	r->cells[col].glyph = table_cluster(t, cps, 2) | (r->cells[col].glyph & GLYPH_WIDE);
}

static void put_text(struct row *r, struct cell_table *t, const char *text)
{
	size_t len = strlen(text);
	int col = 0, before = 0;
	uint32_t cp;

	if (len > 0 && text[len - 1] == '\\') {
		r->flags = ROW_WRAPPED;
		len--;
	}
	for (size_t i = 0; i < len;) {
		i += (size_t)utf8_decode(text + i, len - i, &cp, NULL);
		if (is_mark(cp)) {
			put_mark(r, t, before, cp);
			continue;
		}
		before = col;
		put_glyph(r, col, cp >= 0x4e00 && cp < 0xa000 ? cp | GLYPH_WIDE : cp, 0);
		col += cp >= 0x4e00 && cp < 0xa000 ? 2 : 1;
	}
}

static struct world *world_of(const char *const *lines)
{
	struct world *w = mem_zalloc(1, sizeof(*w));
	int count = 0;

	w->table = table_create();
	w->history = history_create(-1, NULL, 1000, NULL);
	while (lines[count])
		count++;
	for (int i = 0; i < count - SCREEN_ROWS; i++) {
		struct row r;

		row_init(&r, COLS, 0);
		put_text(&r, w->table, lines[i]);
		history_append(w->history, &r, w->table);
		row_finish(&r);
	}
	for (int i = 0; i < SCREEN_ROWS; i++) {
		w->row[i] = &w->rows[i];
		row_init(w->row[i], COLS, 0);
		put_text(w->row[i], w->table, lines[count - SCREEN_ROWS + i]);
	}
	w->screen = (struct screen){.rows = SCREEN_ROWS,
	    .cols = COLS,
	    .row = w->row,
	    .top = history_end(w->history),
	    .table = w->table};
	return w;
}

static void world_destroy(struct world *w)
{
	for (int i = 0; i < SCREEN_ROWS; i++)
		row_finish(&w->rows[i]);
	history_destroy(w->history);
	table_destroy(w->table);
	free(w);
}

struct hit {
	int row, col, to_row, to_col;
};

/* All matches one way, in slices of `budget` rows. */
static void assert_finds(struct world *w, const char *pattern, unsigned flags, bool forward, unsigned budget,
    const struct hit *want, size_t count)
{
	struct search *s = search_create(pattern, flags, NULL);
	struct search_match m;
	size_t found = 0;
	int calls = 0;

	assert_non_null(s);
	search_start(s, forward ? (struct position){0, -1} : (struct position){1000, 0}, forward);
	for (;;) {
		enum search_result result = search_step(s, w->history, &w->screen, budget, &m);

		assert_true(++calls < 1000);
		if (result == SEARCH_END)
			break;
		if (result == SEARCH_MORE)
			continue;
		assert_true(found < count);
		const struct hit *h = &want[forward ? found : count - 1 - found];
		assert_int_equal(m.from.row, h->row);
		assert_int_equal(m.from.col, h->col);
		assert_int_equal(m.to.row, h->to_row);
		assert_int_equal(m.to.col, h->to_col);
		found++;
	}
	assert_int_equal(found, count);
	search_destroy(s);
}

static void assert_all(
    struct world *w, const char *pattern, unsigned flags, const struct hit *want, size_t count)
{
	for (unsigned budget = 1; budget <= 100; budget *= 10) {
		assert_finds(w, pattern, flags, true, budget, want, count);
		assert_finds(w, pattern, flags, false, budget, want, count);
	}
}

#define ASSERT_ALL(w, pattern, flags, ...)                                                                   \
	do {                                                                                                 \
		static const struct hit want[] = {__VA_ARGS__};                                              \
		assert_all(w, pattern, flags, want, COUNT_OF(want));                                         \
	} while (0)

static const char *const lines[] = {"the error", "no Error", "wrapped er\\", "ror here",
    "\xe4\xb8\xad\xe6\x96\x87 x", "aaaa", "", "\xc3\x84rger \xce\xa3\xce\x91\xcf\x82",
    "ERROR \xd0\x96\xd0\xb6", "last error", NULL};

static void case_is_smart(void **state)
{
	struct world *w = world_of(lines);

	(void)state;
	ASSERT_ALL(w, "error", 0, {0, 4, 0, 8}, {1, 3, 1, 7}, {2, 8, 3, 2}, {8, 0, 8, 4}, {9, 5, 9, 9});
	ASSERT_ALL(w, "Error", 0, {1, 3, 1, 7});
	ASSERT_ALL(w, "error", SEARCH_EXACT_CASE, {0, 4, 0, 8}, {2, 8, 3, 2}, {9, 5, 9, 9});
	ASSERT_ALL(w, "\xc3\xa4rger", 0, {7, 0, 7, 4});
	ASSERT_ALL(w, "\xcf\x83\xce\xb1\xcf\x83", 0, {7, 6, 7, 8});
	ASSERT_ALL(w, "\xd0\xb6", 0, {8, 6, 8, 6}, {8, 7, 8, 7});
	assert_all(w, "nothing", 0, NULL, 0);
	world_destroy(w);
}

static void expressions(void **state)
{
	struct world *w = world_of(lines);

	(void)state;
	ASSERT_ALL(w, "^(the|last)", SEARCH_REGEX, {0, 0, 0, 2}, {9, 0, 9, 3});
	ASSERT_ALL(w, "r+o[a-z]$", SEARCH_REGEX, {0, 5, 0, 8}, {1, 4, 1, 7}, {9, 6, 9, 9});
	ASSERT_ALL(w, "x*$", SEARCH_REGEX, {4, 5, 4, 5});
	ASSERT_ALL(w, "d er.or", SEARCH_REGEX, {2, 6, 3, 2});
	ASSERT_ALL(w, "aa", SEARCH_REGEX, {5, 0, 5, 1}, {5, 2, 5, 3});
	world_destroy(w);
}

static void columns_of_wide_cells(void **state)
{
	struct world *w = world_of(lines);

	(void)state;
	ASSERT_ALL(w, "\xe6\x96\x87", 0, {4, 2, 4, 3});
	ASSERT_ALL(w, " x", 0, {4, 4, 4, 5});
	ASSERT_ALL(w, "aa", 0, {5, 0, 5, 1}, {5, 2, 5, 3});
	world_destroy(w);
}

/* A match of a part of what a cell shows is the whole cell, and the next one is in another cell. */
static void parts_of_clusters(void **state)
{
	static const char *const rows[] = {
	    "ae\xcc\x81z", "\xe4\xb8\xad\xcc\x81z", "", "ae\xcc\x81z", "\xe4\xb8\xad\xcc\x81z", NULL};
	struct world *w = world_of(rows);

	(void)state;
	ASSERT_ALL(w, "e", 0, {0, 1, 0, 1}, {3, 1, 3, 1});
	ASSERT_ALL(w, "\xcc\x81", 0, {0, 1, 0, 1}, {1, 0, 1, 1}, {3, 1, 3, 1}, {4, 0, 4, 1});
	ASSERT_ALL(w, "ae", 0, {0, 0, 0, 1}, {3, 0, 3, 1});
	ASSERT_ALL(w, "\xe4\xb8\xad", 0, {1, 0, 1, 1}, {4, 0, 4, 1});
	ASSERT_ALL(w, "\xcc\x81z", 0, {0, 1, 0, 2}, {1, 0, 1, 2}, {3, 1, 3, 2}, {4, 0, 4, 2});
	world_destroy(w);
}

/* Columns that a wide character left free at the end of a wrapped row are before what follows. */
static void starts_behind_the_text_of_a_wrapped_row(void **state)
{
	static const char *const rows[] = {"123456789\\", "err", "", "123456789\\", "err", NULL};
	struct world *w = world_of(rows);
	struct search *s = search_create("err", 0, NULL);
	struct search_match m;

	(void)state;
	for (uint64_t row = 0; row <= 3; row += 3) {
		search_start(s, (struct position){row, COLS - 1}, true);
		assert_int_equal(search_step(s, w->history, &w->screen, 100, &m), SEARCH_FOUND);
		assert_int_equal(m.from.row, row + 1);
		assert_int_equal(m.from.col, 0);
	}
	search_destroy(s);
	world_destroy(w);
}

static void starts_from_a_position(void **state)
{
	struct world *w = world_of(lines);
	struct search *s = search_create("error", 0, NULL);
	struct search_match m;

	(void)state;
	/* On a match: the next and the last one are others. */
	search_start(s, (struct position){1, 3}, true);
	assert_int_equal(search_step(s, w->history, &w->screen, 100, &m), SEARCH_FOUND);
	assert_int_equal(m.from.row, 2);
	search_start(s, (struct position){1, 3}, false);
	assert_int_equal(search_step(s, w->history, &w->screen, 100, &m), SEARCH_FOUND);
	assert_int_equal(m.from.row, 0);
	/* In the second row of a wrapped line. */
	search_start(s, (struct position){3, 1}, false);
	assert_int_equal(search_step(s, w->history, &w->screen, 100, &m), SEARCH_FOUND);
	assert_int_equal(m.from.row, 2);
	search_start(s, (struct position){3, 1}, true);
	assert_int_equal(search_step(s, w->history, &w->screen, 100, &m), SEARCH_FOUND);
	assert_int_equal(m.from.row, 8);
	search_destroy(s);
	world_destroy(w);
}

static void long_lines_are_cut(void **state)
{
	const char *rows[301];
	struct world *w;

	(void)state;
	for (int i = 0; i < 300; i++)
		rows[i] = "aaaaaaaaaa\\";
	rows[299] = "the end";
	rows[300] = NULL;
	w = world_of(rows);
	ASSERT_ALL(w, "the end", 0, {299, 0, 299, 6});
	world_destroy(w);
}

static const struct row *get_screen_row(void *context, uint64_t number)
{
	const struct screen *s = context;

	return number < s->top || number >= s->top + (uint64_t)s->rows ? NULL : s->row[number - s->top];
}

static void all_matches_of_a_page(void **state)
{
	struct world *w = world_of(lines);
	struct row_source source = {
	    .get = get_screen_row, .context = &w->screen, .table = w->table, .first = 0, .end = 10};
	struct search *s = search_create("err", 0, NULL);
	struct search_match m[4];

	(void)state;
	assert_int_equal(search_matches(s, &source, 7, 10, m, 4), 2);
	assert_int_equal(m[0].from.row, 8);
	assert_int_equal(m[0].to.col, 2);
	assert_int_equal(m[1].from.row, 9);
	assert_int_equal(m[1].from.col, 5);
	assert_int_equal(search_matches(s, &source, 7, 9, m, 4), 1);
	assert_int_equal(search_matches(s, &source, 7, 10, m, 1), 1);
	search_destroy(s);
	world_destroy(w);
}

static void faulty_patterns_are_refused(void **state)
{
	struct err err = ERR_INIT;
	char longest[SEARCH_PATTERN_MAX + 2];

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[SEARCH_PATTERN_MAX + 1] = '\0';
	assert_null(search_create("", 0, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_null(search_create(longest, 0, &err));
	assert_null(search_create("\xff", 0, &err));
	assert_null(search_create("(", SEARCH_REGEX, &err));
	assert_null(search_create("((a{200}){200}){200}", SEARCH_REGEX, &err));
	assert_null(search_create("a{1,20000}", SEARCH_REGEX, &err));
	search_destroy(search_create("a{1,20}", SEARCH_REGEX, &err));
	search_destroy(NULL);
}

/* Folding never changes how long a character is, else positions would move. */
static void folding_keeps_lengths(void **state)
{
	char a[UTF8_MAX], b[UTF8_MAX];

	(void)state;
	for (uint32_t cp = 0; cp < 0x11000; cp++) {
		assert_int_equal(utf8_encode(cp, a), utf8_encode(search_fold(cp), b));
		if (cp != 0x3c2)
			assert_int_equal(search_fold(search_fold(cp)), search_fold(cp));
	}
	assert_int_equal(search_fold(0x178), 0xff);
	assert_int_equal(search_fold(0x160), 0x161);
	assert_int_equal(search_fold(0x161), 0x161);
	assert_int_equal(search_fold(0x388), 0x3ad);
	assert_int_equal(search_fold(0x40c), 0x45c);
	assert_int_equal(search_fold(0x130), 0x130);
	assert_int_equal(search_fold(0xd7), 0xd7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(case_is_smart),
	    cmocka_unit_test(expressions),
	    cmocka_unit_test(columns_of_wide_cells),
	    cmocka_unit_test(parts_of_clusters),
	    cmocka_unit_test(starts_behind_the_text_of_a_wrapped_row),
	    cmocka_unit_test(starts_from_a_position),
	    cmocka_unit_test(long_lines_are_cut),
	    cmocka_unit_test(all_matches_of_a_page),
	    cmocka_unit_test(faulty_patterns_are_refused),
	    cmocka_unit_test(folding_keeps_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
