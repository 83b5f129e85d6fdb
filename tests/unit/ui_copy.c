/* The history of a pane: moving, scrolling, selecting, gathering rows as they come; over a session made of
 * known rows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ui/copy.h"

enum { ROWS = 4, COLS = 20, KEPT_FROM = 10, TOP = 100 };

/* Rows 10..99 are history ("line 10" ...), 100..103 the screen ("line 100" ...). */
struct session {
	struct cell_table *table;
	struct screen screen;
	struct row *pointers[ROWS];
	struct row rows[TOP + ROWS];
	uint64_t here_from; /* history rows below are not here yet */
};

static void write_row(struct session *s, struct row *r, const char *text)
{
	row_init(r, COLS, 0);
	for (int i = 0; text[i] && i < COLS; i++)
		r->cells[i].glyph = (uint32_t)(unsigned char)text[i];
	(void)s;
}

static void session_init(struct session *s)
{
	char text[COLS];

	*s = (struct session){.table = table_create(), .here_from = KEPT_FROM};
	for (int i = KEPT_FROM; i < TOP + ROWS; i++) {
		snprintf(text, sizeof(text), "line %d", i);
		write_row(s, &s->rows[i], text);
	}
	for (int i = 0; i < ROWS; i++)
		s->pointers[i] = &s->rows[TOP + i];
	s->screen = (struct screen){.rows = ROWS,
	    .cols = COLS,
	    .row = s->pointers,
	    .top = TOP,
	    .history_first = KEPT_FROM,
	    .table = s->table,
	    .cursor = {.row = 3, .col = 8, .visible = true}};
}

static void session_finish(struct session *s)
{
	for (int i = KEPT_FROM; i < TOP + ROWS; i++)
		row_finish(&s->rows[i]);
	table_destroy(s->table);
}

static const struct row *history(void *context, uint64_t number)
{
	struct session *s = context;

	return number >= s->here_from && number < TOP ? &s->rows[number] : NULL;
}

static struct copy *look(struct session *s)
{
	session_init(s);
	return copy_create(&s->screen, ROWS, COLS, history, s);
}

static void done(struct session *s, struct copy *c)
{
	copy_destroy(c);
	session_finish(s);
}

#define assert_cursor(c, at_row, at_col)                                                                     \
	do {                                                                                                 \
		assert_int_equal(copy_cursor(c).row, at_row);                                                \
		assert_int_equal(copy_cursor(c).col, at_col);                                                \
	} while (0)

static uint64_t first_shown(const struct copy *c)
{
	uint64_t first, end;

	copy_shown(c, &first, &end);
	assert_int_equal(end - first, ROWS);
	return first;
}

static void test_begins_where_the_program_is(void **state)
{
	struct session s;
	struct copy *c = look(&s);

	(void)state;
	assert_cursor(c, 103, 8);
	assert_int_equal(first_shown(c), TOP);
	assert_true(copy_at_bottom(c));
	assert_null(copy_selection(c));
	done(&s, c);
}

/* The program goes on; what is looked at stands still. */
static void test_the_screen_is_frozen(void **state)
{
	struct session s;
	struct copy *c = look(&s);
	struct pane_view v = {0};

	(void)state;
	s.rows[TOP].cells[0].glyph = 'X';
	copy_view(c, &v);
	assert_true(v.scrolled);
	assert_int_equal(v.screen->row[0]->cells[0].glyph, 'l');
	done(&s, c);
}

static void test_moving(void **state)
{
	struct session s;
	struct copy *c = look(&s);

	(void)state;
	assert_true(copy_do(c, COPY_UP));
	assert_cursor(c, 102, 7); /* "line 102" ends at column 7 */
	assert_true(copy_do(c, COPY_LINE_START));
	assert_cursor(c, 102, 0);
	assert_false(copy_do(c, COPY_LINE_START)); /* already there */
	assert_true(copy_do(c, COPY_LEFT));        /* over the border of rows */
	assert_cursor(c, 101, 7);
	assert_true(copy_do(c, COPY_RIGHT));
	assert_cursor(c, 102, 0);
	assert_true(copy_do(c, COPY_WORD_NEXT));
	assert_cursor(c, 102, 5);
	assert_true(copy_do(c, COPY_WORD_END));
	assert_cursor(c, 102, 7);
	assert_true(copy_do(c, COPY_WORD_BACK));
	assert_cursor(c, 102, 5);
	assert_true(copy_do(c, COPY_TOP));
	assert_cursor(c, 100, 0);
	assert_true(copy_do(c, COPY_BOTTOM));
	assert_cursor(c, 103, 0);
	assert_false(copy_do(c, COPY_DOWN));
	done(&s, c);
}

/* The column that was meant comes back on a line that is long enough. */
static void test_the_column_is_kept(void **state)
{
	struct session s;
	struct copy *c;

	(void)state;
	session_init(&s);
	row_erase(&s.rows[102], 4, COLS, 0);
	c = copy_create(&s.screen, ROWS, COLS, history, &s);
	copy_move_to(c, (struct position){103, 7});
	copy_do(c, COPY_UP);
	assert_cursor(c, 102, 3);
	copy_do(c, COPY_UP);
	assert_cursor(c, 101, 7);
	done(&s, c);
}

static void test_scrolling(void **state)
{
	struct session s;
	struct copy *c = look(&s);
	uint64_t below, total;

	(void)state;
	assert_true(copy_do(c, COPY_PAGE_UP));
	assert_int_equal(first_shown(c), TOP - (ROWS - 1));
	assert_false(copy_at_bottom(c));
	assert_true(copy_do(c, COPY_FIRST));
	assert_int_equal(first_shown(c), KEPT_FROM);
	assert_cursor(c, KEPT_FROM, 0);
	assert_false(copy_do(c, COPY_FIRST));
	assert_false(copy_do(c, COPY_PAGE_UP)); /* nothing older */
	copy_place(c, &below, &total);
	assert_int_equal(below, TOP - KEPT_FROM);
	assert_int_equal(total, TOP - KEPT_FROM);
	assert_true(copy_do(c, COPY_HALF_DOWN));
	assert_int_equal(first_shown(c), KEPT_FROM + ROWS / 2);
	assert_true(copy_do(c, COPY_SCROLL_DOWN)); /* the cursor stays as long as it is in view */
	assert_int_equal(first_shown(c), KEPT_FROM + ROWS / 2 + 1);
	assert_cursor(c, KEPT_FROM + ROWS / 2 + 1, 0);
	assert_true(copy_do(c, COPY_LAST));
	assert_true(copy_at_bottom(c));
	assert_false(copy_scroll(c, 3));
	assert_true(copy_scroll(c, -3));
	assert_int_equal(first_shown(c), TOP - 3);
	done(&s, c);
}

static void test_rows_that_go_move_the_view(void **state)
{
	struct session s;
	struct copy *c = look(&s);

	(void)state;
	copy_do(c, COPY_FIRST);
	copy_set_first(c, 50);
	assert_int_equal(first_shown(c), 50);
	assert_cursor(c, 50, 0);
	done(&s, c);
}

static void test_a_smaller_pane_keeps_the_cursor_in_view(void **state)
{
	struct session s;
	struct copy *c = look(&s);
	uint64_t first, end;

	(void)state;
	copy_resize(c, 2, COLS);
	copy_shown(c, &first, &end);
	assert_int_equal(first, TOP + 2);
	assert_int_equal(end, TOP + ROWS);
	copy_resize(c, 10, COLS);
	copy_shown(c, &first, &end);
	assert_int_equal(end, TOP + ROWS);
	assert_int_equal(first, TOP + ROWS - 10);
	done(&s, c);
}

static void test_what_is_missing_is_asked_for(void **state)
{
	struct session s;
	struct copy *c = look(&s);
	uint64_t from;
	uint32_t count;

	(void)state;
	s.here_from = TOP;
	assert_true(copy_wanted(c, &from, &count));
	assert_int_equal(from, TOP - 8 * ROWS); /* all that a wider screen may take back */
	assert_int_equal(count, 8 * ROWS);
	copy_do(c, COPY_FIRST);
	assert_true(copy_wanted(c, &from, &count));
	assert_int_equal(from, KEPT_FROM);
	assert_int_equal(count, 2 * ROWS);
	s.here_from = KEPT_FROM;
	assert_false(copy_wanted(c, &from, &count));
	done(&s, c);
}

/* --- selecting and gathering --- */

static char *selected(struct copy *c)
{
	struct copy_gather g;
	uint64_t missing;

	assert_true(copy_gather_begin(c, &g));
	assert_true(copy_gather(c, &g, &missing));
	return buf_steal(&g.text);
}

#define assert_selected(c, expected)                                                                         \
	do {                                                                                                 \
		char *text_ = selected(c);                                                                   \
		assert_string_equal(text_, expected);                                                        \
		free(text_);                                                                                 \
	} while (0)

static void test_characters(void **state)
{
	struct session s;
	struct copy *c = look(&s);
	struct copy_gather g;

	(void)state;
	assert_false(copy_gather_begin(c, &g));
	copy_move_to(c, (struct position){99, 5});
	copy_do(c, COPY_SELECT);
	assert_selected(c, "9");
	copy_do(c, COPY_DOWN);
	copy_do(c, COPY_LINE_START);
	copy_do(c, COPY_RIGHT);
	assert_selected(c, "99\nli");
	copy_do(c, COPY_OTHER_END);
	assert_cursor(c, 99, 5);
	copy_do(c, COPY_LEFT);
	assert_selected(c, " 99\nli");
	copy_do(c, COPY_SELECT); /* ends it */
	assert_null(copy_selection(c));
	done(&s, c);
}

static void test_lines_and_rectangles(void **state)
{
	struct session s;
	struct copy *c = look(&s);

	(void)state;
	copy_move_to(c, (struct position){98, 3});
	copy_do(c, COPY_SELECT_LINES);
	copy_do(c, COPY_DOWN);
	assert_selected(c, "line 98\nline 99");
	copy_do(c, COPY_SELECT_BLOCK); /* another kind from the same place */
	copy_do(c, COPY_RIGHT);
	copy_do(c, COPY_RIGHT);
	assert_selected(c, "e 9\ne 9");
	done(&s, c);
}

static void test_wrapped_lines_are_one(void **state)
{
	struct session s;
	struct copy *c = look(&s);

	(void)state;
	s.rows[98].flags |= ROW_WRAPPED;
	copy_select(c, SELECT_CHARACTERS, (struct position){98, 0});
	copy_extend(c, (struct position){100, 3});
	/* the blanks at the end of a wrapped row belong to the text */
	assert_selected(c, "line 98             line 99\nline");
	done(&s, c);
}

static void test_words_by_double_click(void **state)
{
	struct session s;
	struct copy *c = look(&s);

	(void)state;
	copy_select(c, SELECT_WORDS, (struct position){101, 6});
	assert_selected(c, "101");
	copy_select(c, SELECT_LINES, (struct position){101, 6});
	assert_selected(c, "line 101");
	done(&s, c);
}

/* A long selection: its rows come bit by bit, and one never comes. */
static void test_gathering_waits_for_rows(void **state)
{
	struct session s;
	struct copy *c = look(&s);
	struct copy_gather g;
	uint64_t missing;

	(void)state;
	copy_select(c, SELECT_LINES, (struct position){97, 0});
	copy_extend(c, (struct position){100, 0});
	s.here_from = 99;
	assert_true(copy_gather_begin(c, &g));
	assert_false(copy_gather(c, &g, &missing));
	assert_int_equal(missing, 97);
	copy_gather_skip(&g); /* dropped from the history meanwhile */
	assert_false(copy_gather(c, &g, &missing));
	assert_int_equal(missing, 98);
	s.here_from = 98;
	assert_true(copy_gather(c, &g, &missing));
	assert_string_equal(g.text.data, "\nline 98\nline 99\nline 100");
	buf_free(&g.text);
	done(&s, c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_begins_where_the_program_is),
	    cmocka_unit_test(test_the_screen_is_frozen),
	    cmocka_unit_test(test_moving),
	    cmocka_unit_test(test_the_column_is_kept),
	    cmocka_unit_test(test_scrolling),
	    cmocka_unit_test(test_rows_that_go_move_the_view),
	    cmocka_unit_test(test_a_smaller_pane_keeps_the_cursor_in_view),
	    cmocka_unit_test(test_what_is_missing_is_asked_for),
	    cmocka_unit_test(test_characters),
	    cmocka_unit_test(test_lines_and_rectangles),
	    cmocka_unit_test(test_wrapped_lines_are_one),
	    cmocka_unit_test(test_words_by_double_click),
	    cmocka_unit_test(test_gathering_waits_for_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
