/* Selection: columns, text over wrapped rows and wide cells, words and their motions. */
#include "tests/unit/cell_random.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "cell/select.h"

enum { COLS = 12, FIRST = 100 };

/* Rows from a text with one line each: "\\" at the end: goes on in the next row.  Numbers begin at FIRST. */
struct page {
	struct cell_table *table;
	struct row row[16];
	int rows;
	struct row_source source;
};

static const struct row *get_row(void *context, uint64_t number)
{
	const struct page *p = context;

	return number < FIRST || number - FIRST >= (uint64_t)p->rows ? NULL : &p->row[number - FIRST];
}

static void put_text(struct row *r, const char *text)
{
	size_t len = strlen(text);
	int col = 0;
	uint32_t cp;

	for (size_t i = 0; i < len;) {
		i += (size_t)utf8_decode(text + i, len - i, &cp, NULL);
		put_glyph(r, col, cp >= 0x4e00 && cp < 0xa000 ? cp | GLYPH_WIDE : cp, 0);
		col += cp >= 0x4e00 && cp < 0xa000 ? 2 : 1;
	}
}

static struct page *page_of(const char *const *lines)
{
	struct page *p = mem_zalloc(1, sizeof(*p));

	p->table = table_create();
	for (; lines[p->rows]; p->rows++) {
		AUTO_FREE char *text = mem_strdup(lines[p->rows]);
		struct row *r = &p->row[p->rows];
		size_t len = strlen(text);

		row_init(r, COLS, 0);
		if (len > 0 && text[len - 1] == '\\') {
			r->flags = ROW_WRAPPED;
			text[len - 1] = '\0';
		}
		put_text(r, text);
	}
	p->source = (struct row_source){.get = get_row,
	    .context = p,
	    .table = p->table,
	    .first = FIRST,
	    .end = FIRST + (uint64_t)p->rows};
	return p;
}

static void page_destroy(struct page *p)
{
	for (int i = 0; i < p->rows; i++)
		row_finish(&p->row[i]);
	table_destroy(p->table);
	free(p);
}

static struct position at(int row, int col)
{
	return (struct position){.row = FIRST + (uint64_t)row, .col = col};
}

static void assert_selects(
    struct page *p, enum select_kind kind, struct position from, struct position to, const char *want)
{
	AUTO_BUF text = BUF_INIT;
	struct selection s;

	select_start(&s, kind, from, &p->source);
	select_extend(&s, to, &p->source);
	select_text(&s, &p->source, &text);
	assert_string_equal(text.data, want);
	/* The same the other way round. */
	buf_clear(&text);
	select_start(&s, kind, to, &p->source);
	select_extend(&s, from, &p->source);
	select_text(&s, &p->source, &text);
	assert_string_equal(text.data, want);
}

static const char *const lines[] = {
    "hello world", "", "one two thr\\", "ee four", "\xe4\xb8\xad\xe6\x96\x87 text", "a  b  ", NULL};

static void characters(void **state)
{
	struct page *p = page_of(lines);

	(void)state;
	assert_selects(p, SELECT_CHARACTERS, at(0, 0), at(0, 4), "hello");
	assert_selects(p, SELECT_CHARACTERS, at(0, 6), at(0, 6), "w");
	assert_selects(p, SELECT_CHARACTERS, at(0, 6), at(0, 11), "world");
	assert_selects(p, SELECT_CHARACTERS, at(0, 6), at(3, 1), "world\n\none two three");
	assert_selects(p, SELECT_CHARACTERS, at(5, 0), at(5, 1), "a ");
	assert_selects(p, SELECT_CHARACTERS, at(5, 1), at(5, 11), "  b");
	assert_selects(p, SELECT_CHARACTERS, at(1, 3), at(1, 9), "");
	page_destroy(p);
}

static void wide_cells_are_whole(void **state)
{
	struct page *p = page_of(lines);

	(void)state;
	assert_selects(p, SELECT_CHARACTERS, at(4, 1), at(4, 2), "\xe4\xb8\xad\xe6\x96\x87");
	assert_selects(p, SELECT_CHARACTERS, at(4, 3), at(4, 5), "\xe6\x96\x87 t");
	assert_selects(p, SELECT_BLOCK, at(4, 1), at(5, 1), "\xe4\xb8\xad\n");
	page_destroy(p);
}

static void lines_are_whole_and_joined(void **state)
{
	struct page *p = page_of(lines);

	(void)state;
	assert_selects(p, SELECT_LINES, at(0, 7), at(0, 2), "hello world");
	assert_selects(p, SELECT_LINES, at(2, 7), at(3, 2), "one two three four");
	assert_selects(p, SELECT_LINES, at(4, 7), at(5, 9), "\xe4\xb8\xad\xe6\x96\x87 text\na  b");
	page_destroy(p);
}

static void blocks_are_rectangles(void **state)
{
	struct page *p = page_of(lines);

	(void)state;
	assert_selects(p, SELECT_BLOCK, at(0, 6), at(3, 8), "wor\n\no t\nr");
	assert_selects(p, SELECT_BLOCK, at(0, 8), at(3, 6), "wor\n\no t\nr");
	page_destroy(p);
}

static void words_grow_by_words(void **state)
{
	struct page *p = page_of(lines);

	(void)state;
	assert_selects(p, SELECT_WORDS, at(0, 2), at(0, 2), "hello");
	assert_selects(p, SELECT_WORDS, at(0, 2), at(0, 8), "hello world");
	assert_selects(p, SELECT_WORDS, at(2, 5), at(2, 9), "two three");
	assert_selects(p, SELECT_WORDS, at(3, 0), at(3, 0), "three");
	assert_selects(p, SELECT_WORDS, at(4, 1), at(4, 1), "\xe4\xb8\xad\xe6\x96\x87");
	page_destroy(p);
}

static void changing_the_kind_keeps_the_anchor(void **state)
{
	struct page *p = page_of(lines);
	AUTO_BUF text = BUF_INIT;
	struct selection s;

	(void)state;
	select_start(&s, SELECT_CHARACTERS, at(0, 6), NULL);
	select_extend(&s, at(0, 8), NULL);
	select_change(&s, SELECT_LINES, at(0, 8), NULL);
	select_text(&s, &p->source, &text);
	assert_string_equal(text.data, "hello world");
	select_change(&s, SELECT_CHARACTERS, at(0, 8), NULL);
	buf_clear(&text);
	select_text(&s, &p->source, &text);
	assert_string_equal(text.data, "wor");
	page_destroy(p);
}

static void columns_of_rows(void **state)
{
	struct selection s;
	int from = -1, to = -1;

	(void)state;
	select_start(&s, SELECT_CHARACTERS, at(1, 5), NULL);
	select_extend(&s, at(3, 2), NULL);
	assert_false(select_columns(&s, FIRST, NULL, COLS, &from, &to));
	assert_true(select_columns(&s, FIRST + 1, NULL, COLS, &from, &to));
	assert_int_equal(from, 5);
	assert_int_equal(to, COLS);
	assert_true(select_columns(&s, FIRST + 2, NULL, COLS, &from, &to));
	assert_int_equal(from, 0);
	assert_int_equal(to, COLS);
	assert_true(select_columns(&s, FIRST + 3, NULL, COLS, &from, &to));
	assert_int_equal(from, 0);
	assert_int_equal(to, 3);
	assert_false(select_columns(&s, FIRST + 4, NULL, COLS, &from, &to));
	select_change(&s, SELECT_BLOCK, at(3, 2), NULL);
	assert_true(select_columns(&s, FIRST + 1, NULL, COLS, &from, &to));
	assert_int_equal(from, 2);
	assert_int_equal(to, 6);
	/* A pane narrower than the block. */
	assert_false(select_columns(&s, FIRST + 1, NULL, 2, &from, &to));
}

static void rows_that_are_gone_are_empty(void **state)
{
	struct page *p = page_of(lines);

	(void)state;
	assert_selects(p, SELECT_CHARACTERS, (struct position){.row = 3, .col = 4}, at(0, 4), "hello");
	assert_selects(p, SELECT_CHARACTERS, at(5, 0), at(90, 4), "a  b");
	page_destroy(p);
}

static void paths_and_urls_are_words(void **state)
{
	static const char *const urls[] = {
	    "(src/a.c:7)", "x='~/b-c_d'", "\xe2\x94\x82text\xe2\x94\x82", NULL};
	struct page *p = page_of(urls);

	(void)state;
	assert_selects(p, SELECT_WORDS, at(0, 4), at(0, 4), "src/a.c:7");
	assert_selects(p, SELECT_WORDS, at(0, 0), at(0, 0), "(");
	assert_selects(p, SELECT_WORDS, at(1, 5), at(1, 5), "~/b-c_d");
	assert_selects(p, SELECT_WORDS, at(2, 3), at(2, 3), "text");
	page_destroy(p);
}

static void motions_go_from_word_to_word(void **state)
{
	static const struct {
		int row, col;
	} starts[] = {{0, 0}, {0, 6}, {2, 0}, {2, 4}, {2, 8}, {3, 3}, {4, 0}, {4, 5}, {5, 0}, {5, 3}},
	  ends[] = {{0, 4}, {0, 10}, {2, 2}, {2, 6}, {3, 1}, {3, 6}, {4, 2}, {4, 8}, {5, 0}, {5, 3}};
	struct page *p = page_of(lines);
	struct position pos = at(0, 0);

	(void)state;
	for (size_t i = 1; i < COUNT_OF(starts); i++) {
		assert_true(select_next_word(&pos, &p->source));
		assert_int_equal(position_compare(pos, at(starts[i].row, starts[i].col)), 0);
	}
	assert_false(select_next_word(&pos, &p->source));
	for (size_t i = COUNT_OF(starts) - 1; i > 0; i--) {
		assert_true(select_previous_word(&pos, &p->source));
		assert_int_equal(position_compare(pos, at(starts[i - 1].row, starts[i - 1].col)), 0);
	}
	assert_false(select_previous_word(&pos, &p->source));
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		assert_true(select_word_end(&pos, &p->source));
		assert_int_equal(position_compare(pos, at(ends[i].row, ends[i].col)), 0);
	}
	assert_false(select_word_end(&pos, &p->source));
	page_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(characters),
	    cmocka_unit_test(wide_cells_are_whole),
	    cmocka_unit_test(lines_are_whole_and_joined),
	    cmocka_unit_test(blocks_are_rectangles),
	    cmocka_unit_test(words_grow_by_words),
	    cmocka_unit_test(changing_the_kind_keeps_the_anchor),
	    cmocka_unit_test(columns_of_rows),
	    cmocka_unit_test(rows_that_are_gone_are_empty),
	    cmocka_unit_test(paths_and_urls_are_words),
	    cmocka_unit_test(motions_go_from_word_to_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
