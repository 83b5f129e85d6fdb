/* Layouts: known trees, and properties of random ones. */
#include <stdlib.h>

#include "cell_random.h"

#include "ui/layout.h"

static const struct rect screen = {0, 0, 50, 200};

static struct layout *arranged(int pane, struct rect area)
{
	struct layout *l = layout_create(pane);

	layout_arrange(l, area);
	return l;
}

static void assert_rect(const struct layout *l, int pane, int row, int col, int rows, int cols)
{
	struct rect r;

	assert_true(layout_rect(l, pane, &r));
	if (r.row != row || r.col != col || r.rows != rows || r.cols != cols)
		fail_msg("pane %d is at %d,%d size %dx%d", pane, r.row, r.col, r.rows, r.cols);
}

/* --- properties --- */

/* Every cell of the area belongs to exactly one pane or divider; nothing lies outside. */
static void assert_covers(const struct layout *l, struct rect area)
{
	int panes[LAYOUT_PANES_MAX], count = layout_panes(l, panes, LAYOUT_PANES_MAX);
	struct divider dividers[LAYOUT_PANES_MAX];
	int lines = layout_dividers(l, dividers, LAYOUT_PANES_MAX);
	uint8_t *seen = mem_zalloc((size_t)area.rows * (size_t)area.cols, 1);
	int cells = 0;

	for (int i = 0; i < count + lines; i++) {
		struct rect r;

		if (i < count)
			assert_true(layout_rect(l, panes[i], &r));
		else
			r = dividers[i - count].at;
		assert_true(r.rows >= 0 && r.cols >= 0);
		for (int y = r.row; y < r.row + r.rows; y++) {
			for (int x = r.col; x < r.col + r.cols; x++) {
				assert_in_range(y, area.row, area.row + area.rows - 1);
				assert_in_range(x, area.col, area.col + area.cols - 1);
				assert_int_equal(seen[(y - area.row) * area.cols + x - area.col]++, 0);
				assert_int_equal(layout_pane_at(l, y, x), i < count ? panes[i] : 0);
				cells++;
			}
		}
	}
	for (int i = count; i < count + lines; i++) {
		const struct divider *d = &dividers[i - count];

		assert_int_equal(d->vertical ? d->at.cols : d->at.rows, 1);
		assert_true(layout_has(l, d->pane));
	}
	assert_int_equal(cells, area.rows * area.cols);
	free(seen);
}

static void assert_minimums(const struct layout *l)
{
	int panes[LAYOUT_PANES_MAX], count = layout_panes(l, panes, LAYOUT_PANES_MAX);

	for (int i = 0; i < count; i++) {
		struct rect r;

		assert_true(layout_rect(l, panes[i], &r));
		assert_true(r.rows >= LAYOUT_MIN_ROWS + 1);
		assert_true(r.cols >= LAYOUT_MIN_COLS);
	}
}

static void assert_same(const struct layout *a, const struct layout *b)
{
	int panes[LAYOUT_PANES_MAX], others[LAYOUT_PANES_MAX],
	    count = layout_panes(a, panes, LAYOUT_PANES_MAX);

	assert_int_equal(layout_panes(b, others, LAYOUT_PANES_MAX), count);
	for (int i = 0; i < count; i++) {
		struct rect r;

		assert_int_equal(panes[i], others[i]);
		assert_true(layout_rect(a, panes[i], &r));
		assert_rect(b, panes[i], r.row, r.col, r.rows, r.cols);
	}
}

static void check_round_trip(const struct layout *l, struct rect area)
{
	struct json *j = layout_to_json(l), *again;
	char *text = json_print(j, false);
	struct err err = ERR_INIT;
	struct layout *read, *copy = layout_copy(l);

	again = json_parse(text, strlen(text), "layout", &err);
	assert_non_null(again);
	read = layout_from_json(again, &err);
	assert_non_null(read);
	layout_arrange(read, area);
	assert_same(l, read);
	assert_same(l, copy);
	json_free(j);
	json_free(again);
	free(text);
	layout_destroy(read);
	layout_destroy(copy);
}

static int any_pane(struct random *r, const struct layout *l)
{
	int panes[LAYOUT_PANES_MAX], count = layout_panes(l, panes, LAYOUT_PANES_MAX);

	return panes[random_below(r, count)];
}

static void change(struct random *r, struct layout *l, int *next)
{
	int pane = any_pane(r, l), count = layout_panes(l, NULL, 0);

	switch (random_below(r, 10)) {
	case 0:
	case 1:
	case 2:
		if (layout_split(l, pane, random_below(r, 2), *next)) {
			assert_int_equal(layout_panes(l, NULL, 0), count + 1);
			assert_true(layout_has(l, *next));
			(*next)++;
		}
		break;
	case 3:
		assert_int_equal(layout_remove(l, pane), count > 1);
		assert_int_equal(layout_has(l, pane), count == 1);
		break;
	case 4:
		layout_swap(l, pane, any_pane(r, l));
		break;
	case 5:
	case 6:
		layout_resize(l, pane, (enum direction)random_below(r, 4), 1 + random_below(r, 9));
		break;
	case 7:
		layout_drag(
		    l, random_below(r, 50), random_below(r, 200), random_below(r, 50), random_below(r, 200));
		break;
	case 8:
		if (random_below(r, 3) == 0)
			layout_equalize(l);
		break;
	default:
		layout_replace(l, pane, (*next)++);
		break;
	}
}

static void random_layouts_cover_their_area(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct random r = {seed};
		struct layout *l = arranged(1, screen);
		int next = 2;

		for (int i = 0; i < 80; i++) {
			change(&r, l, &next);
			assert_covers(l, screen);
			assert_minimums(l); /* by hand nothing gets smaller */
			check_round_trip(l, screen);
		}
		layout_destroy(l);
	}
}

/* A smaller terminal, down to nothing, and back: the same picture as before. */
static void resizing_and_going_back_restores(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct random r = {seed};
		struct layout *l = arranged(1, screen), *before;
		int next = 2;

		for (int i = 0; i < 12; i++)
			change(&r, l, &next);
		before = layout_copy(l);
		for (int i = 0; i < 20; i++) {
			struct rect area = {random_below(&r, 5), random_below(&r, 30), random_below(&r, 60),
			    random_below(&r, 240)};

			layout_arrange(l, area);
			assert_covers(l, area);
		}
		layout_arrange(l, screen);
		assert_same(l, before);
		layout_destroy(l);
		layout_destroy(before);
	}
}

static void every_kind_covers_and_is_comfortable_up_to_its_capacity(void **state)
{
	(void)state;
	for (int rows = 11; rows < 90; rows += 7) {
		for (int cols = 60; cols < 420; cols += 31) {
			for (int kind = 0; kind < LAYOUT_KINDS; kind++) {
				struct rect area = {1, 3, rows, cols};
				int capacity = layout_capacity((enum layout_kind)kind, area, 12), panes[12];
				struct layout *l = arranged(1, area);

				for (int i = 2; i <= capacity; i++) { /* room to build it */
					layout_arrange(l, (struct rect){0, 0, 1000, 2000});
					assert_true(layout_split(l, i - 1, true, i));
					layout_equalize(l);
				}
				layout_arrange(l, area);
				layout_set_kind(l, (enum layout_kind)kind);
				assert_covers(l, area);
				assert_int_equal(layout_panes(l, panes, 12), capacity);
				for (int i = 0; i < capacity && capacity > 1; i++) {
					struct rect r;

					assert_int_equal(panes[i], i + 1);
					assert_true(layout_rect(l, panes[i], &r));
					assert_true(
					    r.rows >= LAYOUT_AUTO_ROWS + 1 && r.cols >= LAYOUT_AUTO_COLS);
				}
				layout_destroy(l);
			}
		}
	}
}

/* --- known trees --- */

static void a_split_halves(void **state)
{
	struct layout *l = arranged(1, screen);

	(void)state;
	assert_true(layout_split(l, 1, true, 2));
	assert_rect(l, 1, 0, 0, 50, 100);
	assert_rect(l, 2, 0, 101, 50, 99);
	assert_true(layout_split(l, 2, false, 3));
	assert_rect(l, 2, 0, 101, 25, 99);
	assert_rect(l, 3, 26, 101, 24, 99);
	assert_true(layout_split(l, 1, true, 4)); /* in the same columns: only the room of 1 is divided */
	assert_rect(l, 1, 0, 0, 50, 50);
	assert_rect(l, 4, 0, 51, 50, 49);
	assert_rect(l, 2, 0, 101, 25, 99);
	assert_false(layout_split(l, 9, true, 5)); /* no such pane */
	assert_false(layout_split(l, 1, true, 4)); /* is there already */
	layout_destroy(l);
}

static void a_split_needs_room(void **state)
{
	struct layout *l = arranged(1, (struct rect){0, 0, 13, 41});

	(void)state;
	assert_true(layout_split(l, 1, true, 2)); /* 20 + 1 + 20 */
	assert_rect(l, 2, 0, 21, 13, 20);
	assert_false(layout_split(l, 2, true, 3));
	assert_true(layout_split(l, 2, false, 3)); /* 6 + 1 + 6: a title and five rows each */
	assert_false(layout_split(l, 3, false, 4));
	assert_int_equal(layout_panes(l, NULL, 0), 3);
	layout_destroy(l);
}

static void removing_gives_the_room_to_a_neighbour(void **state)
{
	struct layout *l = arranged(1, screen);

	(void)state;
	assert_false(layout_remove(l, 1));
	layout_split(l, 1, true, 2);
	layout_split(l, 2, false, 3);
	assert_true(layout_remove(l, 2));
	assert_rect(l, 3, 0, 101, 50, 99);
	assert_true(layout_remove(l, 1));
	assert_rect(l, 3, 0, 0, 50, 200);
	layout_destroy(l);
}

/* Columns in rows in columns: when the rows go, the inner columns become the outer ones'. */
static void removing_flattens(void **state)
{
	struct layout *l = arranged(1, screen);
	struct json *j;
	char *text;

	(void)state;
	layout_split(l, 1, true, 2);
	layout_split(l, 2, false, 3);
	layout_split(l, 3, true, 4);
	assert_true(layout_remove(l, 2));
	assert_rect(l, 1, 0, 0, 50, 100);
	assert_rect(l, 3, 0, 101, 50, 49);
	assert_rect(l, 4, 0, 151, 50, 49);
	j = layout_to_json(l);
	text = json_print(j, false);
	assert_string_equal(
	    text, "{\"columns\":[{\"pane\":1},{\"pane\":3},{\"pane\":4}],\"sizes\":[100,49,49]}");
	free(text);
	json_free(j);
	layout_destroy(l);
}

/*
 *   1 | 2
 *   1 | 3
 *   1 | 4 | 5
 */
static struct layout *five(void)
{
	struct layout *l = arranged(1, screen);

	layout_split(l, 1, true, 2);
	layout_split(l, 2, false, 3);
	layout_split(l, 3, false, 4);
	layout_split(l, 4, true, 5);
	return l;
}

static void neighbours(void **state)
{
	static const struct {
		int from;
		enum direction d;
		int to;
	} table[] = {
	    {1, DIR_RIGHT, 2}, /* its middle is row 25, of which 2 has the last */
	    {2, DIR_LEFT, 1},
	    {2, DIR_DOWN, 3},
	    {3, DIR_UP, 2},
	    {3, DIR_DOWN, 4}, /* its middle is nearer to 4 */
	    {5, DIR_UP, 3},
	    {4, DIR_RIGHT, 5},
	    {5, DIR_RIGHT, 1}, /* around */
	    {1, DIR_LEFT, 2},
	    {2, DIR_UP, 4},
	    {1, DIR_UP, 1},
	};
	struct layout *l = five();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		int to = layout_neighbour(l, table[i].from, table[i].d);

		if (to != table[i].to)
			fail_msg("from %d in direction %d: %d instead of %d", table[i].from, table[i].d, to,
			    table[i].to);
	}
	assert_int_equal(layout_next(l, 1, 1), 2);
	assert_int_equal(layout_next(l, 5, 1), 1);
	assert_int_equal(layout_next(l, 1, -1), 5);
	layout_destroy(l);
}

static void resizing_moves_the_border(void **state)
{
	struct layout *l = five();

	(void)state;
	assert_true(layout_resize(l, 1, DIR_RIGHT, 5));
	assert_rect(l, 1, 0, 0, 50, 105);
	assert_rect(l, 2, 0, 106, 25, 94);
	assert_true(layout_resize(l, 3, DIR_LEFT, 5)); /* the last column: its left border */
	assert_rect(l, 1, 0, 0, 50, 100);
	assert_true(layout_resize(l, 5, DIR_UP, 2));
	assert_rect(l, 3, 26, 101, 10, 99);
	assert_rect(l, 5, 37, 151, 13, 49);
	assert_true(layout_resize(l, 1, DIR_RIGHT, 1000)); /* as far as it goes */
	assert_minimums(l);
	assert_false(layout_resize(l, 1, DIR_RIGHT, 1));
	assert_false(layout_resize(l, 1, DIR_DOWN, 1)); /* no such border */
	layout_destroy(l);
}

static void dragging_moves_the_divider(void **state)
{
	struct layout *l = five();

	(void)state;
	assert_true(layout_drag(l, 10, 100, 12, 90));
	assert_rect(l, 1, 0, 0, 50, 90);
	assert_true(layout_drag(l, 25, 150, 20, 3));
	assert_rect(l, 2, 0, 91, 20, 109);
	assert_false(layout_drag(l, 3, 3, 9, 9)); /* not on a divider */
	layout_destroy(l);
}

static void equal_sizes_count_panes(void **state)
{
	struct layout *l = five();

	(void)state;
	layout_equalize(l); /* three panes side by side at the most: 198 columns */
	assert_rect(l, 1, 0, 0, 50, 66);
	assert_rect(l, 4, 34, 67, 16, 66);
	assert_rect(l, 5, 34, 134, 16, 66);
	assert_rect(l, 2, 0, 67, 16, 133);
	layout_destroy(l);
}

static void kinds(void **state)
{
	struct layout *l = five();

	(void)state;
	layout_set_kind(l, LAYOUT_COLUMNS);
	assert_rect(l, 1, 0, 0, 50, 39);
	assert_rect(l, 5, 0, 161, 50, 39);
	layout_set_kind(l, LAYOUT_ROWS);
	assert_rect(l, 1, 0, 0, 9, 200);
	layout_set_kind(l, LAYOUT_TILED); /* 200 columns hold three of 60 */
	assert_rect(l, 1, 0, 0, 25, 66);
	assert_rect(l, 4, 26, 0, 24, 100);
	layout_set_kind(l, LAYOUT_MAIN_LEFT);
	assert_rect(l, 1, 0, 0, 50, 119);
	assert_rect(l, 2, 0, 120, 12, 80);
	layout_set_kind(l, LAYOUT_MAIN_TOP);
	assert_rect(l, 1, 0, 0, 29, 200);
	assert_string_equal(layout_kind_name(LAYOUT_MAIN_TOP), "main-top");
	assert_int_equal(layout_kind_from_name("tiled"), LAYOUT_TILED);
	assert_int_equal(layout_kind_from_name("?"), LAYOUT_KINDS);
	layout_destroy(l);
}

static void capacity(void **state)
{
	(void)state;
	assert_int_equal(layout_capacity(LAYOUT_COLUMNS, (struct rect){0, 0, 24, 80}, 3), 1);
	assert_int_equal(layout_capacity(LAYOUT_COLUMNS, (struct rect){0, 0, 24, 121}, 3), 2);
	assert_int_equal(layout_capacity(LAYOUT_ROWS, (struct rect){0, 0, 24, 80}, 3), 2);
	assert_int_equal(layout_capacity(LAYOUT_ROWS, (struct rect){0, 0, 22, 80}, 3), 1);
	assert_int_equal(layout_capacity(LAYOUT_TILED, (struct rect){0, 0, 50, 200}, 12), 12);
	assert_int_equal(layout_capacity(LAYOUT_TILED, (struct rect){0, 0, 3, 10}, 5), 1);
}

static void faulty_json_is_refused(void **state)
{
	static const char *const texts[] = {
	    "{}",
	    "[]",
	    "1",
	    "{\"pane\": 0}",
	    "{\"pane\": \"a\"}",
	    "{\"columns\": []}",
	    "{\"columns\": [{\"pane\": 1}]}",
	    "{\"columns\": [{\"pane\": 1}, {\"pane\": 1}]}",
	    "{\"columns\": [{\"pane\": 1}, {\"columns\": [{\"pane\": 2}, {\"pane\": 3}]}]}",
	    "{\"columns\": [{\"pane\": 1}, {\"pane\": 2}], \"sizes\": [1]}",
	    "{\"columns\": [{\"pane\": 1}, {\"pane\": 2}], \"sizes\": [1, 0]}",
	    "{\"columns\": [{\"pane\": 1}, {\"pane\": 2}], \"sizes\": [1, 2, 3]}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct err err = ERR_INIT;
		struct json *j = json_parse(texts[i], strlen(texts[i]), "layout", &err);

		assert_non_null(j);
		assert_null(layout_from_json(j, &err));
		assert_int_equal(err.code, ERR_INVALID);
		json_free(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_layouts_cover_their_area),
	    cmocka_unit_test(resizing_and_going_back_restores),
	    cmocka_unit_test(every_kind_covers_and_is_comfortable_up_to_its_capacity),
	    cmocka_unit_test(a_split_halves),
	    cmocka_unit_test(a_split_needs_room),
	    cmocka_unit_test(removing_gives_the_room_to_a_neighbour),
	    cmocka_unit_test(removing_flattens),
	    cmocka_unit_test(neighbours),
	    cmocka_unit_test(resizing_moves_the_border),
	    cmocka_unit_test(dragging_moves_the_divider),
	    cmocka_unit_test(equal_sizes_count_panes),
	    cmocka_unit_test(kinds),
	    cmocka_unit_test(capacity),
	    cmocka_unit_test(faulty_json_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
