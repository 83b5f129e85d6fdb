/* Rows of one width as lines of another: known ones, and for random text and widths what must hold of all. */
#include "tests/unit/cell_random.h"

#include <limits.h>
#include <stdlib.h>

#include "cell/rebreak.h"

enum { FIRST = 1000, ROWS_MAX = 600, CELLS_MAX = 1200 };

struct page {
	struct cell_table *table;
	struct row row[ROWS_MAX];
	int rows;
	uint64_t looked; /* how often a row was asked for */
	struct rebreak lines;
};

static const struct row *get_row(void *context, uint64_t number)
{
	struct page *p = context;

	p->looked++;
	return number < FIRST || number - FIRST >= (uint64_t)p->rows ? NULL : &p->row[number - FIRST];
}

static struct page *page_create(void)
{
	struct page *p = mem_zalloc(1, sizeof(*p));

	p->table = table_create();
	p->lines = (struct rebreak){
	    .source = {.get = get_row, .context = p, .table = p->table, .first = FIRST, .end = FIRST},
	    .width = 10,
	    .unbroken = UINT64_MAX};
	return p;
}

static void page_destroy(struct page *p)
{
	for (int i = 0; i < p->rows; i++)
		row_finish(&p->row[i]);
	table_destroy(p->table);
	free(p);
}

static struct row *add_row(struct page *p, int cols, bool wrapped)
{
	struct row *r = &p->row[p->rows++];

	assert_true(p->rows <= ROWS_MAX);
	row_init(r, cols, 0);
	r->flags = wrapped ? ROW_WRAPPED : 0;
	p->lines.source.end = FIRST + (uint64_t)p->rows;
	return r;
}

/* "W" is a wide character; "\\" at the end: the text goes on in the next row. */
static void add_text(struct page *p, int cols, const char *text)
{
	size_t len = strlen(text);
	bool wrapped = len > 0 && text[len - 1] == '\\';
	struct row *r = add_row(p, cols, wrapped);
	int col = 0;

	for (size_t i = 0; i < len - wrapped; i++) {
		bool wide = text[i] == 'W';

		put_glyph(r, col, wide ? 0x4e00 | GLYPH_WIDE : (uint32_t)(unsigned char)text[i], 0);
		col += wide ? 2 : 1;
	}
}

static void line_text(const struct page *p, const struct visual *v, struct buf *out)
{
	struct visual_piece piece = visual_piece(&p->lines, v);

	do {
		row_text(
		    &p->row[piece.row - FIRST], p->table, piece.from, piece.from + piece.columns, false, out);
	} while (visual_next_piece(&p->lines, v, &piece));
	while (!v->goes_on && out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* All lines, each ended by "|" or, where it goes on, "+". */
static void assert_lines(struct page *p, int width, const char *want)
{
	AUTO_BUF text = BUF_INIT;
	struct visual v;

	p->lines.width = width;
	v = visual_from(&p->lines, (struct position){FIRST, 0});
	do {
		AUTO_BUF line = BUF_INIT;

		line_text(p, &v, &line);
		buf_printf(&text, "%s%c", line.data ? line.data : "", v.goes_on ? '+' : '|');
	} while (visual_forward(&p->lines, &v, 1));
	assert_string_equal(text.data, want);
}

static void wrapped_rows_are_one_line(void **state)
{
	struct page *p = page_create();

	(void)state;
	add_text(p, 6, "abcdef\\");
	add_text(p, 6, "ghij");
	add_text(p, 6, "");
	add_text(p, 6, "end  ");
	assert_lines(p, 6, "abcdef+ghij||end|");
	assert_lines(p, 4, "abcd+efgh+ij||end|");
	assert_lines(p, 2, "ab+cd+ef+gh+ij||en+d|");
	assert_lines(p, 80, "abcdefghij||end|");
	assert_int_equal(visual_count(&p->lines, FIRST + 1), 1);
	p->lines.width = 3;
	assert_int_equal(visual_count(&p->lines, FIRST + 1), 4);
	page_destroy(p);
}

static void wide_characters_are_whole(void **state)
{
	struct page *p = page_create();

	(void)state;
	add_text(p, 7, "aWWW\\"); /* all seven columns */
	add_text(p, 7, "Wab\\"); /* packed: four of its columns are in use, and a blank before the wide one */
	p->row[1].cells[4].glyph = ' ';
	p->row[1].cells[5].glyph = ' ';
	add_text(p, 7, "W");
	assert_lines(p, 7, "a一一一+一ab  +一|");
	assert_lines(p, 4, "a一+一一+一ab+  一|");     /* no room for the second one in column 3 */
	assert_lines(p, 1, "a+一+一+一+一+ab+  +一|"); /* two columns are the least */
	page_destroy(p);
}

static void what_trails_is_no_text(void **state)
{
	const struct style red = {.bg = COLOR_INDEX(1)};
	struct page *p = page_create();
	struct visual_piece piece;
	struct visual v;
	struct row *r;

	(void)state;
	r = add_row(p, 20, false);
	row_erase(r, 0, 20, table_style(p->table, &red));
	r->cells[0].glyph = 'x';
	p->lines.width = 8;
	assert_int_equal(visual_count(&p->lines, FIRST), 1);
	v = visual_at(&p->lines, (struct position){FIRST, 0});
	piece = visual_piece(&p->lines, &v);
	assert_int_equal(v.columns, 1);
	assert_int_equal(piece.columns, 8); /* shown as far as there is room */
	assert_int_equal(visual_column(&p->lines, &v, (struct position){FIRST, 5}), 5);
	assert_int_equal(visual_column(&p->lines, &v, (struct position){FIRST, 19}), 7);
	page_destroy(p);
}

static void a_mark_and_a_page_join_nothing(void **state)
{
	struct page *p = page_create();

	(void)state;
	add_text(p, 4, "abcd\\");
	add_text(p, 4, "page");
	p->row[1].flags |= ROW_SEEN;
	add_text(p, 4, "efgh\\");
	add_text(p, 4, "mark");
	p->row[3].flags |= ROW_MARK;
	assert_lines(p, 8, "abcd|page|efgh|mark|");
	assert_lines(p, 3, "abc+d|pag+e|efg+h|mar+k|");
	page_destroy(p);
}

static void rows_of_the_screen_are_lines_as_they_are(void **state)
{
	struct page *p = page_create();

	(void)state;
	add_text(p, 8, "abcdefgh\\");
	add_text(p, 4, "ijkl\\"); /* the screen begins here, four columns wide */
	add_text(p, 4, "a\\");
	add_text(p, 4, "b");
	p->lines.unbroken = FIRST + 1;
	assert_lines(p, 4, "abcd+efgh|ijkl|a|b|");
	page_destroy(p);
}

static void a_row_that_is_not_there_is_a_line(void **state)
{
	struct page *p = page_create();
	struct visual v;

	(void)state;
	add_text(p, 4, "abcd\\");
	p->lines.source.end += 2; /* they have not come yet */
	v = visual_at(&p->lines, (struct position){FIRST + 2, 3});
	assert_int_equal(v.from.row, FIRST + 2);
	assert_int_equal(visual_back(&p->lines, &v, 5), 2);
	assert_int_equal(v.from.row, FIRST);
	assert_int_equal(visual_forward(&p->lines, &v, 5), 2);
	page_destroy(p);
}

/* A text without end: wherever one begins, few rows are looked at, and lines begin at the same places. */
static void a_text_without_end_is_cut(void **state)
{
	struct page *p = page_create();
	struct visual v;
	int count = 0;

	(void)state;
	for (int i = 0; i < ROWS_MAX; i++)
		add_row(p, 7, i + 1 < ROWS_MAX);
	for (int i = 0; i < ROWS_MAX; i++)
		for (int col = 0; col < 7; col++)
			p->row[i].cells[col].glyph = 'x';
	p->lines.width = 5;
	v = visual_from(&p->lines, (struct position){FIRST, 0});
	do {
		struct visual same;

		p->looked = 0;
		same = visual_at(&p->lines, v.from);
		assert_int_equal(position_compare(same.from, v.from), 0);
		assert_int_equal(position_compare(same.next, v.next), 0);
		assert_true(p->looked < 40 * REBREAK_ROWS);
		count++;
	} while (visual_forward(&p->lines, &v, 1));
	assert_true(count >= ROWS_MAX * 7 / 5 && count <= ROWS_MAX * 7 / 5 + ROWS_MAX / REBREAK_ROWS + 1);
	page_destroy(p);
}

/* --- any text, any width --- */

/* The cells of a logical line, and where each one is. */
struct flow {
	struct cell cell[CELLS_MAX];
	struct position at[CELLS_MAX];
	int count;
};

/* Lays random cells into rows of `cols`, as an emulator does; ends in a character, so that all of it is text.
 */
static void add_line(struct page *p, struct random *r, int cols, int cells)
{
	struct row *row = add_row(p, cols, false);
	int col = 0;

	for (int i = 0; i < cells; i++) {
		uint32_t glyph = i + 1 < cells ? random_glyph(r, p->table) : 'e';
		int columns = glyph & GLYPH_WIDE ? 2 : 1;

		if (glyph == 0)
			glyph = ' ';
		if (col + columns > cols) {
			row->flags |= ROW_WRAPPED;
			if (random_below(r, 2))
				row_resize(row, row_used(row)); /* as it comes out of history */
			row = add_row(p, cols, false);
			col = 0;
		}
		put_glyph(row, col, glyph, random_style(r, p->table));
		row->cells[col].style = random_style(r, p->table);
		if (columns == 2)
			row->cells[col + 1].style = row->cells[col].style;
		col += columns;
	}
}

static void random_page(struct page *p, struct random *r)
{
	for (int lines = 1 + random_below(r, 8); lines > 0; lines--)
		add_line(p, r, 2 + random_below(r, 40), random_below(r, 100));
}

/* The text by the rows themselves: what rebreak has to lay out. */
static void flow_of_rows(const struct page *p, struct flow *f)
{
	f->count = 0;
	for (int i = 0; i < p->rows; i++) {
		const struct row *r = &p->row[i];
		int end = row_text_end(r);

		for (int col = 0; col < end; col++) {
			f->at[f->count] = (struct position){FIRST + (uint64_t)i, col};
			f->cell[f->count++] = r->cells[col];
			assert_true(f->count < CELLS_MAX);
		}
	}
}

/* The text of all lines; each is within the width and begins and ends with whole characters. */
static void flow_of_lines(const struct page *p, struct flow *f)
{
	struct visual v = visual_from(&p->lines, (struct position){FIRST, 0});

	f->count = 0;
	do {
		struct visual_piece piece = visual_piece(&p->lines, &v);
		int columns = 0;

		do {
			const struct row *r = &p->row[piece.row - FIRST];

			assert_int_equal(piece.at, columns);
			for (int i = 0; i < piece.columns && columns + i < v.columns; i++) {
				f->at[f->count] = (struct position){piece.row, piece.from + i};
				f->cell[f->count++] = r->cells[piece.from + i];
			}
			columns += piece.columns;
		} while (visual_next_piece(&p->lines, &v, &piece));
		assert_true(columns <= p->lines.width && v.columns <= columns);
		assert_false(v.columns > 0 && f->cell[f->count - v.columns].glyph & GLYPH_TAIL);
		assert_false(v.columns > 0 && f->cell[f->count - 1].glyph & GLYPH_WIDE);
	} while (visual_forward(&p->lines, &v, 1));
}

static void assert_same_flow(const struct flow *a, const struct flow *b)
{
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->cell, b->cell, (size_t)a->count * sizeof(*a->cell));
	for (int i = 0; i < a->count; i++)
		assert_int_equal(position_compare(a->at[i], b->at[i]), 0);
}

static void text_and_styles_stay(void **state)
{
	struct flow *want = mem_zalloc(1, sizeof(*want)), *got = mem_zalloc(1, sizeof(*got));

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct random r = {seed};
		struct page *p = page_create();

		random_page(p, &r);
		flow_of_rows(p, want);
		for (int i = 0; i < 4; i++) {
			p->lines.width = 2 + random_below(&r, 60);
			flow_of_lines(p, got);
			assert_same_flow(want, got);
		}
		page_destroy(p);
	}
	free(want);
	free(got);
}

/* Of each place the line and the column, and back; and each line is found from all its places. */
static void places_are_found_again(void **state)
{
	struct flow *f = mem_zalloc(1, sizeof(*f));

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct random r = {seed};
		struct page *p = page_create();

		random_page(p, &r);
		flow_of_rows(p, f);
		p->lines.width = 2 + random_below(&r, 60);
		for (int i = 0; i < f->count; i++) {
			struct visual v = visual_at(&p->lines, f->at[i]);
			int column = visual_column(&p->lines, &v, f->at[i]);
			struct position back = visual_position(&p->lines, &v, column);
			int head = f->cell[i].glyph & GLYPH_TAIL ? i - 1 : i;

			assert_true(position_compare(v.from, f->at[i]) <= 0);
			assert_true(position_compare(f->at[i], v.next) < 0);
			assert_true(column >= 0 && column < v.columns);
			assert_int_equal(position_compare(back, f->at[head]), 0);
		}
		page_destroy(p);
	}
	free(f);
}

static int list_lines(const struct page *p, struct position *out)
{
	struct visual v = visual_from(&p->lines, (struct position){FIRST, 0});
	int n = 0;

	do
		out[n++] = v.from;
	while (n < CELLS_MAX && visual_forward(&p->lines, &v, 1));
	return n;
}

/* Down and up in steps of any size pass each line once; the logical lines' counts add up. */
static void steps_walk_over_all_lines(void **state)
{
	struct position *line = mem_zalloc(CELLS_MAX, sizeof(*line));

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct random r = {seed};
		struct page *p = page_create();
		int count, sum = 0;

		random_page(p, &r);
		p->lines.width = 2 + random_below(&r, 60);
		count = list_lines(p, line);
		for (int i = 0; i < p->rows; i++) {
			if (i == 0 || !(p->row[i - 1].flags & ROW_WRAPPED))
				sum += visual_count(&p->lines, FIRST + (uint64_t)i);
		}
		assert_int_equal(sum, count);
		for (int i = 0; i < 40; i++) {
			int from = random_below(&r, count), by = random_below(&r, count + 2);
			struct visual v = visual_at(&p->lines, line[from]);
			int down = from + by < count ? by : count - 1 - from, up = by < from ? by : from;

			assert_int_equal(position_compare(v.from, line[from]), 0);
			assert_int_equal(visual_forward(&p->lines, &v, by), down);
			assert_int_equal(position_compare(v.from, line[from + down]), 0);
			v = visual_at(&p->lines, line[from]);
			assert_int_equal(visual_back(&p->lines, &v, by), up);
			assert_int_equal(position_compare(v.from, line[from - up]), 0);
		}
		page_destroy(p);
	}
	free(line);
}

static void going_back_gives_the_same_lines(void **state)
{
	struct position *before = mem_zalloc(CELLS_MAX, sizeof(*before));
	struct position *after = mem_zalloc(CELLS_MAX, sizeof(*after));

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct random r = {seed};
		struct page *p = page_create();
		int width = 2 + random_below(&r, 60), count;

		random_page(p, &r);
		p->lines.width = width;
		count = list_lines(p, before);
		p->lines.width = 2 + random_below(&r, 60);
		list_lines(p, after);
		p->lines.width = width;
		assert_int_equal(list_lines(p, after), count);
		for (int i = 0; i < count; i++)
			assert_int_equal(position_compare(after[i], before[i]), 0);
		page_destroy(p);
	}
	free(before);
	free(after);
}

/* Rows of the width itself are lines as they are. */
static void the_own_width_changes_nothing(void **state)
{
	struct position *line = mem_zalloc(CELLS_MAX, sizeof(*line));

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct random r = {seed};
		struct page *p = page_create();
		int cols = 2 + random_below(&r, 40);

		for (int i = 0; i < 5; i++)
			add_line(p, &r, cols, random_below(&r, 100));
		p->lines.width = cols;
		assert_int_equal(list_lines(p, line), p->rows);
		for (int i = 0; i < p->rows; i++) {
			assert_int_equal(line[i].row, FIRST + i);
			assert_int_equal(line[i].col, 0);
		}
		page_destroy(p);
	}
	free(line);
}

/* --- selections --- */

static void selected_text(struct page *p, const struct selection *s, struct buf *out)
{
	struct visual v = visual_from(&p->lines, (struct position){FIRST, 0});

	do {
		struct visual_piece piece = visual_piece(&p->lines, &v);
		int from, to;

		do {
			if (visual_selected(&p->lines, s, &v, &piece, &from, &to))
				row_text(&p->row[piece.row - FIRST], p->table, from, to, false, out);
		} while (visual_next_piece(&p->lines, &v, &piece));
		buf_addc(out, '|');
	} while (visual_forward(&p->lines, &v, 1));
}

static void assert_selected(
    struct page *p, enum select_kind kind, struct position from, struct position to, const char *want)
{
	AUTO_BUF text = BUF_INIT;
	struct selection s;

	select_start(&s, kind, from, &p->lines.source);
	select_extend(&s, to, &p->lines.source);
	visual_fit_selection(&p->lines, &s, to);
	selected_text(p, &s, &text);
	assert_string_equal(text.data, want);
}

static void selections_are_of_what_is_shown(void **state)
{
	struct page *p = page_create();

	(void)state;
	add_text(p, 6, "abcdef\\");
	add_text(p, 6, "ghijkl\\");
	add_text(p, 6, "mn");
	p->lines.width = 4; /* abcd efgh ijkl mn */
	assert_selected(
	    p, SELECT_CHARACTERS, (struct position){FIRST, 5}, (struct position){FIRST + 1, 3}, "|fgh|ij||");
	assert_selected(
	    p, SELECT_LINES, (struct position){FIRST, 5}, (struct position){FIRST + 1, 0}, "|efgh|||");
	assert_selected(
	    p, SELECT_LINES, (struct position){FIRST + 1, 2}, (struct position){FIRST, 5}, "|efgh|ijkl||");
	/* from f, the second of its line, to k, the third of the next */
	assert_selected(
	    p, SELECT_BLOCK, (struct position){FIRST, 5}, (struct position){FIRST + 1, 4}, "|fg|jk||");
	assert_selected(
	    p, SELECT_BLOCK, (struct position){FIRST, 1}, (struct position){FIRST + 2, 0}, "ab|ef|ij|mn|");
	page_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wrapped_rows_are_one_line),
	    cmocka_unit_test(wide_characters_are_whole),
	    cmocka_unit_test(what_trails_is_no_text),
	    cmocka_unit_test(a_mark_and_a_page_join_nothing),
	    cmocka_unit_test(rows_of_the_screen_are_lines_as_they_are),
	    cmocka_unit_test(a_row_that_is_not_there_is_a_line),
	    cmocka_unit_test(a_text_without_end_is_cut),
	    cmocka_unit_test(text_and_styles_stay),
	    cmocka_unit_test(places_are_found_again),
	    cmocka_unit_test(steps_walk_over_all_lines),
	    cmocka_unit_test(going_back_gives_the_same_lines),
	    cmocka_unit_test(the_own_width_changes_nothing),
	    cmocka_unit_test(selections_are_of_what_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
