/* The table of handles: interning, links, limits, and collection that keeps numbers. */
#include "tests/unit/cell_random.h"

static struct style rgb_style(int i)
{
	return (struct style){.fg = COLOR_RGB(i >> 16, i >> 8, i)};
}

static void default_style_is_zero(void **state)
{
	struct cell_table *t = table_create();
	struct style s = {0};

	(void)state;
	assert_int_equal(table_style(t, &s), 0);
	s = rgb_style(1);
	assert_int_not_equal(table_style(t, &s), 0);
	s = (struct style){0};
	assert_int_equal(table_style(t, &s), 0);
	assert_int_equal(table_style_count(t), 1);
	table_destroy(t);
	table_destroy(NULL);
}

static void equal_values_share_a_handle(void **state)
{
	struct cell_table *t = table_create();
	uint32_t first[2000];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2000; i++) {
			struct style s = rgb_style(i * 77);
			uint32_t h = table_style(t, &s);

			if (round == 0)
				first[i] = h;
			assert_int_equal(h, first[i]);
			assert_int_equal(table_style_value(t, h)->fg, s.fg);
		}
	}
	assert_int_equal(table_style_count(t), 2000);
	table_destroy(t);
}

static void full_table_gives_the_default(void **state)
{
	struct cell_table *t = table_create_limited(64, 64, 64);
	struct style s;
	bool said = false;

	(void)state;
	for (int i = 0; i < 63; i++) {
		assert_int_equal(table_full(t), i >= 56);
		s = rgb_style(i);
		assert_int_not_equal(table_style(t, &s), 0);
	}
	s = rgb_style(100);
	assert_int_equal(table_style(t, &s), 0);
	s = rgb_style(62);
	assert_int_not_equal(table_style(t, &s), 0);
	/* Everything is in use: a sweep helps nobody, until enough was refused to try again. */
	for (uint32_t h = 1; h < 64; h++)
		table_mark_style(t, h);
	table_sweep(t);
	assert_false(table_full(t));
	for (int i = 0; i < 64 && !said; i++) {
		s = rgb_style(1000 + i);
		assert_int_equal(table_style(t, &s), 0);
		said = table_full(t);
	}
	assert_true(said);
	table_destroy(t);
}

/* A table of which little is in use asks to be collected long before it is full, one that is in use later. */
static void grown_table_asks_to_be_collected(void **state)
{
	struct cell_table *t = table_create();
	int asked = 0, again = 0;

	(void)state;
	for (; !table_full(t); asked++)
		table_style(t, &(struct style){.fg = COLOR_RGB(asked >> 8, asked, 0)});
	assert_true(asked < CELL_STYLES_MAX / 8);
	for (uint32_t h = 1; h <= (uint32_t)asked; h++)
		table_mark_style(t, h);
	table_sweep(t);
	assert_int_equal(table_style_count(t), asked);
	for (; !table_full(t); again++)
		table_style(t, &(struct style){.fg = COLOR_RGB(again >> 8, again, 1)});
	assert_int_equal(table_style_count(t), 4 * asked);
	table_sweep(t);
	assert_int_equal(table_style_count(t), 0);
	table_destroy(t);
}

static void sweep_keeps_handles_in_use(void **state)
{
	struct cell_table *t = table_create();
	uint32_t handle[1000], generation = table_generation(t);
	struct style s;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		s = rgb_style(i + 1);
		handle[i] = table_style(t, &s);
		if (i % 3 == 0)
			table_mark_style(t, handle[i]);
	}
	table_sweep(t);
	assert_int_equal(table_generation(t), generation + 1);
	assert_int_equal(table_style_count(t), 334);
	for (int i = 0; i < 1000; i += 3) {
		s = rgb_style(i + 1);
		assert_int_equal(table_style_value(t, handle[i])->fg, s.fg);
		assert_int_equal(table_style(t, &s), handle[i]);
	}
	/* The others come back under any free number, never under one in use. */
	for (int i = 1; i < 1000; i += 3) {
		s = rgb_style(i + 1);
		assert_int_equal(table_style_value(t, table_style(t, &s))->fg, s.fg);
	}
	for (int i = 0; i < 1000; i += 3) {
		s = rgb_style(i + 1);
		assert_int_equal(table_style(t, &s), handle[i]);
	}
	assert_int_equal(table_style_count(t), 667);
	/* Marks do not outlive a sweep. */
	table_sweep(t);
	assert_int_equal(table_style_count(t), 0);
	table_destroy(t);
}

static void clusters_keep_their_code_points(void **state)
{
	struct cell_table *t = table_create_limited(64, 4, 64);
	const uint32_t acute[] = {'e', 0x301},
		       many[20] = {'a', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	uint32_t glyph = table_cluster(t, acute, 2), out[CELL_CLUSTER_CODE_POINTS], other;
	struct cell cell = {.glyph = glyph};
	AUTO_BUF text = BUF_INIT;

	(void)state;
	assert_true(glyph & GLYPH_CLUSTER && !(glyph & GLYPH_WIDE));
	assert_int_equal(table_cluster(t, acute, 2), glyph);
	assert_int_equal(table_glyph(t, glyph | GLYPH_WIDE, out), 2);
	assert_memory_equal(out, acute, sizeof(acute));
	assert_int_equal(table_cluster(t, acute, 1), 'e');
	other = table_cluster(t, many, 20);
	assert_int_equal(table_glyph(t, other, out), CELL_CLUSTER_CODE_POINTS);
	assert_memory_equal(out, many, sizeof(out));
	assert_int_equal(table_cluster(t, many, 3) & GLYPH_CLUSTER, GLYPH_CLUSTER);
	assert_int_equal(table_cluster(t, many, 4), 'a'); /* full: 0 is taken from the start */
	assert_true(table_full(t));
	table_glyph_utf8(t, glyph, &text);
	table_glyph_utf8(t, 0, &text);
	table_glyph_utf8(t, GLYPH_TAIL, &text);
	table_glyph_utf8(t, 0x4e00 | GLYPH_WIDE, &text);
	assert_string_equal(text.data, "e\xcc\x81 \xe4\xb8\x80");
	table_mark_cells(t, &cell, 1);
	table_sweep(t);
	assert_int_equal(table_cluster_count(t), 1);
	assert_int_equal(table_glyph(t, glyph, out), 2);
	assert_int_equal(table_glyph(t, other, out), 0);
	table_destroy(t);
}

static void links_with_an_id_are_one(void **state)
{
	struct cell_table *t = table_create();
	uint32_t a = table_link(t, "x", "https://a"), anonymous = table_link(t, NULL, "https://a");

	(void)state;
	assert_int_not_equal(a, 0);
	assert_int_equal(table_link(t, "x", "https://a"), a);
	assert_int_not_equal(table_link(t, "y", "https://a"), a);
	assert_int_not_equal(table_link(t, "x", "https://b"), a);
	assert_int_not_equal(anonymous, a);
	assert_int_not_equal(table_link(t, NULL, "https://a"), anonymous);
	assert_string_equal(table_link_uri(t, a), "https://a");
	assert_string_equal(table_link_id(t, a), "x");
	assert_null(table_link_id(t, anonymous));
	assert_null(table_link_uri(t, 0));
	assert_null(table_link_uri(t, 4000000000u));
	table_destroy(t);
}

static void bad_links_are_none(void **state)
{
	struct cell_table *t = table_create();
	char uri[CELL_LINK_BYTES_MAX + 2];

	(void)state;
	memset(uri, 'a', sizeof(uri));
	uri[CELL_LINK_BYTES_MAX + 1] = '\0';
	assert_int_equal(table_link(t, NULL, uri), 0);
	uri[CELL_LINK_BYTES_MAX] = '\0';
	assert_int_not_equal(table_link(t, NULL, uri), 0);
	assert_int_equal(table_link(t, NULL, ""), 0);
	assert_int_equal(table_link(t, NULL, "https://a\033]0;x\a"), 0);
	assert_int_equal(table_link(t, NULL, "https://\xc3\xa4"), 0);
	/* An id that cannot be kept counts as none. */
	assert_null(table_link_id(t, table_link(t, uri, "https://a")));
	assert_null(table_link_id(t, table_link(t, "a\n", "https://a")));
	table_destroy(t);
}

static void links_live_with_their_styles(void **state)
{
	struct cell_table *t = table_create();
	uint32_t kept = table_link(t, "a", "https://a"), gone = table_link(t, "b", "https://b");
	uint32_t pen = table_link(t, "c", "https://c");
	struct style s = {.link = kept};
	uint32_t style = table_style(t, &s);

	(void)state;
	table_mark_style(t, style);
	table_mark_link(t, pen);
	table_sweep(t);
	assert_string_equal(table_link_uri(t, kept), "https://a");
	assert_string_equal(table_link_uri(t, pen), "https://c");
	assert_null(table_link_uri(t, gone));
	assert_int_equal(table_link_count(t), 2);
	table_destroy(t);
}

static void many_links_stop_at_the_limit(void **state)
{
	struct cell_table *t = table_create();

	(void)state;
	for (int i = 1; i < CELL_LINKS_MAX; i++)
		assert_int_not_equal(table_link(t, NULL, "https://a"), 0);
	assert_int_equal(table_link(t, NULL, "https://a"), 0);
	assert_true(table_full(t));
	table_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(default_style_is_zero),
	    cmocka_unit_test(equal_values_share_a_handle),
	    cmocka_unit_test(full_table_gives_the_default),
	    cmocka_unit_test(grown_table_asks_to_be_collected),
	    cmocka_unit_test(sweep_keeps_handles_in_use),
	    cmocka_unit_test(clusters_keep_their_code_points),
	    cmocka_unit_test(links_with_an_id_are_one),
	    cmocka_unit_test(bad_links_are_none),
	    cmocka_unit_test(links_live_with_their_styles),
	    cmocka_unit_test(many_links_stop_at_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
