/* Rows: wide cells stay whole, the packed form is the row, and bytes that are no packed row are refused. */
#include "tests/unit/cell_random.h"

static void erase_leaves_no_halves(void **state)
{
	struct random random = {1};
	struct cell_table *t = table_create();

	(void)state;
	for (int round = 0; round < 2000; round++) {
		int cols = 2 + random_below(&random, 30), from = random_below(&random, cols + 4) - 2;
		int to = random_below(&random, cols + 4) - 2;
		uint32_t style = random_style(&random, t);
		struct row r;

		row_init(&r, cols, 0);
		random_fill(&random, &r, t);
		row_erase(&r, from, to, style);
		assert_row_sound(&r);
		for (int i = from < 0 ? 0 : from; i < to && i < cols; i++) {
			assert_int_equal(r.cells[i].glyph, 0);
			assert_int_equal(r.cells[i].style, style);
		}
		row_finish(&r);
	}
	table_destroy(t);
}

static void erased_halves_keep_their_style(void **state)
{
	struct row r;

	(void)state;
	row_init(&r, 6, 0);
	put_glyph(&r, 0, 0x4e00 | GLYPH_WIDE, 7);
	put_glyph(&r, 3, 0x4e00 | GLYPH_WIDE, 8);
	row_erase(&r, 1, 4, 9);
	assert_int_equal(r.cells[0].glyph, 0);
	assert_int_equal(r.cells[0].style, 7);
	assert_int_equal(r.cells[3].style, 9);
	assert_int_equal(r.cells[4].glyph, 0);
	assert_int_equal(r.cells[4].style, 8);
	row_finish(&r);
}

static void resize_leaves_no_halves(void **state)
{
	struct random random = {2};
	struct cell_table *t = table_create();

	(void)state;
	for (int round = 0; round < 2000; round++) {
		int old = 2 + random_below(&random, 30), cols = 2 + random_below(&random, 30);
		struct row r;

		row_init(&r, old, 0);
		random_fill(&random, &r, t);
		row_resize(&r, cols);
		assert_int_equal(r.cols, cols);
		assert_row_sound(&r);
		for (int i = old; i < cols; i++)
			assert_int_equal(r.cells[i].glyph | r.cells[i].style, 0);
		row_finish(&r);
	}
	table_destroy(t);
}

static void text_of_a_row(void **state)
{
	struct cell_table *t = table_create();
	const uint32_t acute[] = {'e', 0x301};
	AUTO_BUF text = BUF_INIT;
	struct row r;

	(void)state;
	row_init(&r, 10, 0);
	put_glyph(&r, 0, 'a', 0);
	put_glyph(&r, 2, 0x4e00 | GLYPH_WIDE, 0);
	put_glyph(&r, 4, table_cluster(t, acute, 2), 0);
	put_glyph(&r, 5, ' ', 0);
	row_text(&r, t, 0, 10, true, &text);
	assert_string_equal(text.data, "a \xe4\xb8\x80"
				       "e\xcc\x81");
	buf_clear(&text);
	row_text(&r, t, 0, 10, false, &text);
	assert_string_equal(text.data, "a \xe4\xb8\x80"
				       "e\xcc\x81     ");
	buf_clear(&text);
	row_text(&r, t, -3, 1, false, &text);
	row_text(&r, t, 8, 90, true, &text);
	assert_string_equal(text.data, "a");
	assert_int_equal(row_used(&r), 6);
	assert_int_equal(row_text_end(&r), 5);
	r.flags = ROW_WRAPPED;
	assert_int_equal(row_text_end(&r), 6);
	row_finish(&r);
	table_destroy(t);
}

/* Into another table, so that no handle can have slipped through. */
static void assert_packs(const struct row *r, const struct cell_table *t, struct cell_table *other)
{
	AUTO_BUF packed = BUF_INIT, want = BUF_INIT;
	const char *text;
	size_t len;
	uint16_t flags;
	struct row back;

	row_pack(r, t, &packed);
	assert_true(packed.len <= ROW_PACKED_MAX);
	row_init(&back, r->cols, 5);
	assert_int_equal(row_unpack(packed.data, packed.len, other, &back), 0);
	assert_row_sound(&back);
	assert_row_same(t, r, other, &back);
	row_finish(&back);
	assert_int_equal(row_packed_text(packed.data, packed.len, &text, &len, &flags), 0);
	row_text(r, t, 0, row_used(r), false, &want);
	assert_int_equal(len, want.len);
	assert_memory_equal(text, want.data, len);
	assert_int_equal(flags, r->flags);
	assert_int_equal(row_packed_used(packed.data, packed.len), row_used(r));
	for (int col = 0; col < row_used(r); col++) {
		AUTO_BUF before = BUF_INIT;
		int head = r->cells[col].glyph & GLYPH_TAIL ? col - 1 : col;

		row_text(r, t, 0, head, false, &before);
		assert_int_equal(row_packed_offset(packed.data, packed.len, col), before.len);
		assert_int_equal(row_packed_column(packed.data, packed.len, before.len), head);
	}
	assert_int_equal(row_packed_column(packed.data, packed.len, len), row_used(r));
	assert_int_equal(row_packed_offset(packed.data, packed.len, row_used(r)), len);
}

static void packed_rows_come_back(void **state)
{
	struct random random = {3};
	struct cell_table *t = table_create(), *other = table_create();

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct row r;

		row_init(&r, 1 + random_below(&random, 90), 0);
		if (round % 3 == 0) {
			for (int i = random_below(&random, r.cols + 1) - 1; i >= 0; i--)
				r.cells[i].glyph = ' ' + (uint32_t)random_below(&random, 95);
		} else {
			random_fill(&random, &r, t);
		}
		assert_packs(&r, t, other);
		row_finish(&r);
	}
	table_destroy(t);
	table_destroy(other);
}

static void plain_text_costs_little(void **state)
{
	struct cell_table *t = table_create();
	AUTO_BUF packed = BUF_INIT;
	struct row r = row_of("a line of text");

	(void)state;
	row_pack(&r, t, &packed);
	assert_int_equal(packed.len, 14 + 14);
	row_finish(&r);
	table_destroy(t);
}

/* Every cell another colour, link and cluster: more than a packed row may take. */
static void too_much_is_simplified(void **state)
{
	struct cell_table *t = table_create();
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	AUTO_BUF packed = BUF_INIT;
	char uri[CELL_LINK_BYTES_MAX + 1];
	struct row r, back;

	(void)state;
	memset(uri, 'a', sizeof(uri));
	uri[CELL_LINK_BYTES_MAX] = '\0';
	row_init(&r, 2000, 0);
	for (int i = 0; i < 1990; i += 2) {
		struct style s = {.fg = COLOR_RGB(i, i >> 8, 1), .bg = COLOR_RGB(i, i >> 8, 2)};

		uri[0] = (char)('a' + i % 26);
		uri[1] = (char)('a' + i / 26 % 26);
		uri[2] = (char)('a' + i / 676);
		s.link = table_link(t, NULL, uri);
		for (uint32_t k = 0; k < CELL_CLUSTER_CODE_POINTS; k++)
			cps[k] = k ? 0x10300 + k : 0x20000 + (uint32_t)i;
		put_glyph(
		    &r, i, table_cluster(t, cps, CELL_CLUSTER_CODE_POINTS) | GLYPH_WIDE, table_style(t, &s));
	}
	row_pack(&r, t, &packed);
	assert_true(packed.len <= ROW_PACKED_MAX);
	row_init(&back, 2000, 0);
	assert_int_equal(row_unpack(packed.data, packed.len, t, &back), 0);
	assert_row_sound(&back);
	assert_int_equal(back.cells[0].glyph, 0x20000 | GLYPH_WIDE);
	assert_int_equal(back.cells[1988].glyph, (0x20000 + 1988) | GLYPH_WIDE);
	row_finish(&r);
	row_finish(&back);
	table_destroy(t);
}

static void controls_never_get_in(void **state)
{
	struct cell_table *t = table_create();
	AUTO_BUF packed = BUF_INIT;
	struct row r, back;

	(void)state;
	row_init(&r, 4, 0);
	r.cells[0].glyph = 0x1b;
	r.cells[1].glyph = 0x9b;
	r.cells[2].glyph = 0xd800;
	r.cells[3].glyph = GLYPH_TAIL; /* a tail without a head */
	row_pack(&r, t, &packed);
	row_init(&back, 4, 0);
	assert_int_equal(row_unpack(packed.data, packed.len, t, &back), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(back.cells[i].glyph, 0xfffd);
	assert_int_equal(back.cells[3].glyph, 0);
	row_finish(&r);
	row_finish(&back);
	table_destroy(t);
}

static void unpacking_fits_the_row(void **state)
{
	struct random random = {4};
	struct cell_table *t = table_create();

	(void)state;
	for (int round = 0; round < 500; round++) {
		AUTO_BUF packed = BUF_INIT;
		struct row r, back;

		row_init(&r, 40, 0);
		random_fill(&random, &r, t);
		row_pack(&r, t, &packed);
		row_init(&back, 1 + random_below(&random, 80), 3);
		assert_int_equal(row_unpack(packed.data, packed.len, t, &back), 0);
		assert_row_sound(&back);
		row_resize(&r, back.cols);
		assert_row_same(t, &r, t, &back);
		row_finish(&r);
		row_finish(&back);
	}
	table_destroy(t);
}

/* Whatever the bytes are: a row that is sound, or a refusal and a blank row. */
static void assert_survives(const char *data, size_t len, struct cell_table *t)
{
	AUTO_FREE char *copy = mem_alloc(len); /* its end is where reading must end */
	const char *text;
	size_t text_len;
	uint16_t flags;
	struct row r;

	memcpy(copy, data, len);
	row_init(&r, 50, 0);
	if (row_unpack(copy, len, t, &r) != 0)
		assert_int_equal(row_used(&r), 0);
	assert_row_sound(&r);
	row_finish(&r);
	if (row_packed_text(copy, len, &text, &text_len, &flags) == 0)
		assert_true(text >= copy && text + text_len <= copy + len);
	row_packed_column(copy, len, 7);
	row_packed_offset(copy, len, 7);
}

static void damaged_rows_are_refused(void **state)
{
	struct random random = {5};
	struct cell_table *t = table_create();

	(void)state;
	for (int round = 0; round < 3000; round++) {
		AUTO_BUF packed = BUF_INIT;
		struct row r;

		row_init(&r, 1 + random_below(&random, 50), 0);
		random_fill(&random, &r, t);
		row_pack(&r, t, &packed);
		row_finish(&r);
		for (size_t len = 0; round < 50 && len < packed.len; len++)
			assert_survives(packed.data, len, t);
		for (int i = random_below(&random, 8); i >= 0; i--)
			packed.data[random_below(&random, (int)packed.len)] =
			    (char)random_below(&random, 256);
		assert_survives(packed.data, packed.len, t);
		if (table_full(t))
			table_sweep(t);
	}
	table_destroy(t);
}

/* A packed row ends with its links: what a table would not take is none. */
static void links_that_no_row_has_are_refused(void **state)
{
	struct cell_table *t = table_create();
	struct style style = {.link = table_link(t, "id", "http://a")};
	AUTO_BUF packed = BUF_INIT;
	struct row r = row_of("text");

	(void)state;
	for (int i = 0; i < r.cols; i++)
		r.cells[i].style = table_style(t, &style);
	row_pack(&r, t, &packed);
	assert_int_equal(row_unpack(packed.data, packed.len, t, &r), 0);
	assert_string_equal(table_link_uri(t, table_style_value(t, r.cells[0].style)->link), "http://a");
	packed.data[packed.len - 1] = '\0';
	assert_int_equal(row_unpack(packed.data, packed.len, t, &r), -1);
	packed.data[packed.len - 1] = '\x7f';
	assert_int_equal(row_unpack(packed.data, packed.len, t, &r), -1);
	row_finish(&r);
	table_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(erase_leaves_no_halves),
	    cmocka_unit_test(erased_halves_keep_their_style),
	    cmocka_unit_test(resize_leaves_no_halves),
	    cmocka_unit_test(text_of_a_row),
	    cmocka_unit_test(packed_rows_come_back),
	    cmocka_unit_test(plain_text_costs_little),
	    cmocka_unit_test(too_much_is_simplified),
	    cmocka_unit_test(controls_never_get_in),
	    cmocka_unit_test(unpacking_fits_the_row),
	    cmocka_unit_test(damaged_rows_are_refused),
	    cmocka_unit_test(links_that_no_row_has_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
