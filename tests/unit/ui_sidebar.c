/* Sidebar and bottom line: which item stands where, and the words of the summary.  Their looks are golden
 * frames. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "outer.h"
#include "ui/compose.h"
#include "ui/sidebar.h"
#include "ui/statusline.h"

enum { ITEMS = 30, ROWS = 24 };

static void fill(struct sidebar_item *items, size_t count, const char *(*group)(size_t i))
{
	for (size_t i = 0; i < count; i++)
		items[i] = (struct sidebar_item){.number = (int)i + 1,
		    .name = "name",
		    .agent = "agent",
		    .state = STATE_IDLE,
		    .group = group ? group(i) : NULL};
}

static const char *every_seventh(size_t i)
{
	static const char *const names[] = {"one", "two", "three", "four", "five"};

	return names[i / 7];
}

/* With every number of items and rows, grouped or not: the item asked for is in view, and found by its row.
 */
static void the_chosen_item_is_in_view(void **state)
{
	struct sidebar_item items[ITEMS];

	(void)state;
	for (size_t count = 1; count <= ITEMS; count++) {
		for (int rows = 5; rows <= ROWS; rows++) {
			for (size_t at = 0; at < count; at++) {
				struct sidebar b = {
				    .items = items, .count = count, .cursor = at, .top = (at * 7) % count};
				bool seen = false;

				fill(items, count, count % 2 ? every_seventh : NULL);
				b.top = sidebar_follow(&b, rows);
				for (int row = 0; row < rows; row++)
					seen |= sidebar_hit(&b, rows, row) == (int)at;
				if (!seen)
					fail_msg("%zu items, %d rows: item %zu is not in view from %zu",
					    count, rows, at, b.top);
			}
		}
	}
}

static void everything_is_in_view_if_it_fits(void **state)
{
	struct sidebar_item items[ITEMS];
	struct sidebar b = {.items = items, .count = 10, .cursor = 10, .top = 5};

	(void)state;
	fill(items, 10, NULL);
	assert_int_equal(sidebar_follow(&b, 21), 0);
	b.top = 0;
	assert_int_equal(sidebar_hit(&b, 21, 0), -1); /* the title */
	assert_int_equal(sidebar_hit(&b, 21, 1), 0);
	assert_int_equal(sidebar_hit(&b, 21, 2), 0); /* two rows each */
	assert_int_equal(sidebar_hit(&b, 21, 20), 9);
	assert_int_equal(sidebar_hit(&b, 20, 10), 9); /* one row each: not enough for two */
	assert_int_equal(sidebar_hit(&b, 20, 11), -1);
	/* the last row is that of the ended ones: the items have one less */
	assert_false(sidebar_hits_fold(&b, 22, 21));
	b.ended = 3;
	assert_true(sidebar_hits_fold(&b, 22, 21));
	assert_false(sidebar_hits_fold(&b, 22, 20));
	assert_int_equal(sidebar_hit(&b, 22, 21), -1);
	assert_int_equal(sidebar_hit(&b, 22, 20), 9);
	assert_int_equal(sidebar_hit(&b, 21, 10), 9); /* one row each now */
}

static void the_focused_item_is_followed(void **state)
{
	struct sidebar_item items[ITEMS];
	struct sidebar b = {.items = items, .count = ITEMS, .cursor = ITEMS};

	(void)state;
	fill(items, ITEMS, NULL);
	assert_int_equal(sidebar_follow(&b, 10), 0);
	items[20].focused = true;
	b.top = sidebar_follow(&b, 10);
	assert_int_equal(b.top, 13); /* nine rows, one of them says what is missing */
	items[20].focused = false;
	items[15].focused = true;
	assert_int_equal(sidebar_follow(&b, 10), 13); /* in view: nothing moves */
}

/* --- the one-line form --- */

static const struct sidebar_item line_items[] = {
    {.number = 3, .name = "docs", .state = STATE_IDLE},
    {.number = 2, .name = "web", .state = STATE_WORKING},
    {.number = 10, .name = "api", .state = STATE_NEEDS_INPUT},
    {.number = 4, .name = "a-name-of-more-than-twenty-columns", .state = STATE_UNKNOWN},
};

static const struct sidebar_item word_items[] = {
    {.number = 2, .name = "web", .state = STATE_WORKING, .word = "working"},
    {.number = 10, .name = "api", .state = STATE_NEEDS_INPUT, .word = "needs you"},
};

static void assert_line_of(const struct sidebar_item *of, struct surface *s, struct display *d,
    struct outer *o, int columns, size_t count, const char *want)
{
	AUTO_BUF out = BUF_INIT, have = BUF_INIT;

	surface_fill(s, 0, 0, 1, 60, ROLE_TEXT);
	assert_int_equal(sidebar_line(s, 0, 0, columns, of, count), utf8_columns(want, strlen(want)));
	display_frame(d, &out);
	outer_feed(o, out.data, out.len);
	for (int x = 0; x < 60; x++)
		buf_adds(&have, outer_at(o, 0, x)->text);
	while (have.len > 0 && have.data[have.len - 1] == ' ')
		buf_truncate(&have, have.len - 1);
	assert_string_equal(have.data, want);
}

static void assert_line(
    struct surface *s, struct display *d, struct outer *o, int columns, size_t count, const char *want)
{
	assert_line_of(line_items, s, d, o, columns, count, want);
}

static void one_line(void **state)
{
	static const struct outer_caps caps = {.depth = DEPTH_TRUE, .graphemes = true};
	struct display *d = display_create(5, 60, NULL);
	struct surface *s = surface_create(d, 0, 0, 5, 60);
	struct outer o = {0};

	(void)state;
	display_set_caps(d, &caps);
	outer_reset(&o, 5, 60);
	assert_line(s, d, &o, 60, 3, "10!api 2*web 3.docs");
	assert_line(s, d, &o, 19, 3, "10!api 2*web 3.docs");
	assert_line(s, d, &o, 18, 3, "10!api 2*web +1");
	assert_line(s, d, &o, 60, 4, "10!api 2*web 3.docs 4?a-name-of-more-than…");
	assert_line(s, d, &o, 3, 3, "+3");
	assert_line(s, d, &o, 60, 0, "");
	assert_line_of(word_items, s, d, &o, 60, 2, "10 api (needs you) 2 web (working)");
	assert_int_equal(sidebar_line_columns(word_items, 2), 34);
	assert_int_equal(sidebar_line_hit(word_items, 2, 60, 17), 1);
	assert_int_equal(sidebar_line_hit(word_items, 2, 60, 19), 0);
	assert_int_equal(sidebar_line_columns(line_items, 3), 19);
	assert_int_equal(sidebar_line_hit(line_items, 3, 60, 0), 2);
	assert_int_equal(sidebar_line_hit(line_items, 3, 60, 5), 2);
	assert_int_equal(sidebar_line_hit(line_items, 3, 60, 6), -1);
	assert_int_equal(sidebar_line_hit(line_items, 3, 60, 7), 1);
	assert_int_equal(sidebar_line_hit(line_items, 3, 18, 14), -1); /* that one has no room */
	display_destroy(d);
	outer_finish(&o);
}

static void hits_of_the_bottom_line(void **state)
{
	static const struct statusline_key keys[] = {{"C-b ?", NULL}};
	struct statusline m = {.mode = "COPY", .items = line_items, .count = 3, .keys = keys, .key_count = 1};

	(void)state;
	assert_int_equal(statusline_hit(&m, 80, 2), -1);
	assert_int_equal(statusline_hit(&m, 80, 7), 2); /* after " COPY " and a blank */
	assert_int_equal(statusline_hit(&m, 80, 79), -1);
	m.message = "said";
	assert_int_equal(statusline_hit(&m, 80, 7), -1);
}

static void summaries(void **state)
{
	static const struct {
		enum session_state states[5];
		const char *want;
	} table[] = {
	    {{STATE_IDLE, STATE_WORKING, STATE_IDLE, STATE_EXITED, STATE_STOPPED}, ""},
	    {{STATE_NEEDS_INPUT, STATE_IDLE, STATE_IDLE, STATE_IDLE, STATE_IDLE}, "1 needs you"},
	    {{STATE_NEEDS_INPUT, STATE_NEEDS_INPUT, STATE_DONE, STATE_IDLE, STATE_IDLE},
		"2 need you, 1 done"},
	    {{STATE_DONE, STATE_LIMITED, STATE_CRASHED, STATE_LOST, STATE_FAILED},
		"1 done, 1 limited, 3 failed"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct sidebar_item items[5] = {0};
		AUTO_BUF out = BUF_INIT;

		for (int k = 0; k < 5; k++)
			items[k].state = table[i].states[k];
		sidebar_summary(items, 5, &out);
		assert_string_equal(out.data, table[i].want);
	}
}

/* Never by colour alone: no two kinds of state have the same sign, and each sign takes one column. */
static void states_differ_in_shape(void **state)
{
	(void)state;
	for (int a = 0; a < STATE_COUNT; a++) {
		const struct state_look *x = state_look((enum session_state)a);

		assert_int_equal(utf8_columns(x->symbol, strlen(x->symbol)), 1);
		assert_true(x->word[0]);
		for (int b = a + 1; b < STATE_COUNT; b++) {
			const struct state_look *y = state_look((enum session_state)b);
			bool both_ended =
			    state_ended((enum session_state)a) && state_ended((enum session_state)b);

			assert_int_equal(strcmp(x->symbol, y->symbol) == 0, both_ended);
			assert_int_equal(x->letter == y->letter, both_ended);
		}
	}
	assert_string_equal(state_look((enum session_state)99)->word, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_chosen_item_is_in_view),
	    cmocka_unit_test(everything_is_in_view_if_it_fits),
	    cmocka_unit_test(the_focused_item_is_followed),
	    cmocka_unit_test(one_line),
	    cmocka_unit_test(hits_of_the_bottom_line),
	    cmocka_unit_test(summaries),
	    cmocka_unit_test(states_differ_in_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
