/*
 * page_moved: whether a part of the screen was scrolled, how far, and which rows and columns it is
 * (page_moved in page.h).  Knows one page and one frame: what was seen before them is seen.c's.
 *
 * A movement is looked for in this order.  Each row that was rewritten and stands elsewhere on the page votes
 * for a distance; where whole rows do not (something beside them stayed), pieces of rows do.  Then each row
 * is judged for that distance by its cells, the longest stretch of moved rows is taken, the columns that
 * stayed are taken off, and the stretch is determined again by the text between them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "term/letters.h"
#include "term/page_private.h"

enum {
	PIECE = 16,        /* columns of a piece of a row */
	VOTES_OF_ROWS = 2, /* rows that must agree on a distance */
	VOTES_OF_PIECES = 3,
	LEAST_HEIGHT = 4, /* rows of a part that counts as scrolled, and a third of the screen */
};

/* --- how far --- */

/* votes[lines + f->rows] counts the rows that would have moved up by so many lines. */
static int elected(const int *votes, const struct page *p, const struct frame *f, int least)
{
	int best = 0, most = least - 1;

	for (int lines = 1; lines < p->rows || lines < f->rows; lines++) {
		if (lines < p->rows && votes[f->rows + lines] > most) {
			most = votes[f->rows + lines];
			best = lines;
		}
		if (lines < f->rows && votes[f->rows - lines] > most) {
			most = votes[f->rows - lines];
			best = -lines;
		}
	}
	return best;
}

static int lines_by_rows(const struct page *p, const struct frame *f, int *votes)
{
	for (int i = 0; i < f->rows; i++) {
		if (f->origin[i] >= 0)
			votes[f->origin[i] - i + f->rows]++;
	}
	return elected(votes, p, f, VOTES_OF_ROWS);
}

static int lines_by_pieces(const struct page *p, const struct frame *f, int *votes)
{
	for (int from = 0; from < f->cols; from += PIECE) {
		struct places before;
		bool known;

		places_init(&before, p->rows);
		for (int i = 0; i < p->rows; i++) {
			if (i >= f->rows || f->rewritten[i])
				places_add(
				    &before, letters_of(&p->row[i].row, f->table, from, from + PIECE), i);
		}
		for (int i = 0; i < f->rows; i++) {
			int origin = f->rewritten[i]
					 ? places_find(&before,
					       letters_of(f->row[i], f->table, from, from + PIECE), &known)
					 : -1;

			if (origin >= 0)
				votes[origin - i + f->rows]++;
		}
		free(before.place);
	}
	return elected(votes, p, f, VOTES_OF_PIECES);
}

/* --- which rows --- */

static bool has_glyph(const struct row *r, int col, uint32_t glyph)
{
	return r && col < r->cols && r->cells[col].glyph == glyph;
}

/* How a row of the frame stands to a distance. */
enum verdict { MOVED, STAYED, EITHER, NEITHER };

/* By cells: what is beside the part that moves does not matter much. */
static enum verdict judge_cells(const struct page *p, const struct frame *f, int i, int lines)
{
	const struct row *now = f->row[i], *here = page_row_at(p, i), *there = page_row_at(p, i + lines);
	int moved = 0, stayed = 0, fresh = 0, missing = 0;

	for (int col = 0; col < f->cols; col++) {
		uint32_t glyph = now->cells[col].glyph;
		bool as_here = has_glyph(here, col, glyph), as_there = has_glyph(there, col, glyph);

		if (!page_is_ink(&now->cells[col])) {
			missing += there && col < there->cols && page_is_ink(&there->cells[col]) && !as_here;
			continue;
		}
		moved += as_there && !as_here;
		stayed += as_here && !as_there;
		fresh += !as_here && !as_there;
	}
	if (moved > 0 && stayed > moved && here && page_rows_count(here, now))
		return STAYED; /* a number that comes to what stood in its place a row below moved nothing */
	if (moved > 0 && fresh + missing <= moved)
		return MOVED;
	if (moved + fresh + missing == 0)
		return stayed > 0 ? STAYED : EITHER;
	return NEITHER;
}

/* With the same letters; a row without any (a line, a blank one) with the same ink. */
static bool says_the_same(const struct frame *f, const struct row *a, const struct row *b, uint64_t letters,
    const struct movement *m)
{
	if (letters != 0 || letters_of(b, f->table, m->left, m->right) != 0)
		return letters_of(b, f->table, m->left, m->right) == letters;
	for (int col = m->left; col < m->right && col < a->cols; col++) {
		bool ink = page_is_ink(&a->cells[col]);

		if (ink != page_is_ink(&b->cells[col]) || (ink && !has_glyph(b, col, a->cells[col].glyph)))
			return false;
	}
	return true;
}

/* By the text between the columns that move. */
static enum verdict judge_text(const struct page *p, const struct frame *f, int i, const struct movement *m)
{
	const struct row *here = page_row_at(p, i), *there = page_row_at(p, i + m->lines);
	uint64_t now = letters_of(f->row[i], f->table, m->left, m->right);
	bool stayed = here && says_the_same(f, f->row[i], here, now, m);
	bool moved = there && says_the_same(f, f->row[i], there, now, m);

	if (moved) /* rows without text are alike everywhere */
		return stayed || now == 0 ? EITHER : MOVED;
	return stayed ? STAYED : NEITHER;
}

/* What a row that stayed costs a stretch.  By cells it may be one whose text is all in what is beside. */
enum { STAYED_BY_TEXT = -3, STAYED_BY_CELLS = -1 };

/* The stretch of rows [*first, *last] that speaks most for having moved; false: none does. */
static bool best_stretch(const enum verdict *verdict, int rows, int stayed, int *first, int *last)
{
	const int gains[] = {[MOVED] = 2, [STAYED] = stayed, [EITHER] = 0, [NEITHER] = -1};
	int best = 0, sum = 0, start = 0;

	for (int i = 0; i < rows; i++) {
		if (sum <= 0) {
			sum = 0;
			start = i;
		}
		sum += gains[verdict[i]];
		if (verdict[i] == MOVED && sum > best) {
			best = sum;
			*first = start;
			*last = i;
		}
	}
	while (best > 0 && verdict[*first] != MOVED)
		(*first)++;
	return best > 0;
}

/* --- which columns --- */

/* A line between the part that moves and what is beside it. */
static bool is_line(const struct frame *f, int col, int first, int last)
{
	uint32_t glyph = f->row[first]->cells[col].glyph;

	for (int i = first; i <= last; i++) {
		if (f->row[i]->cells[col].glyph != glyph)
			return false;
	}
	return page_is_ink(&f->row[first]->cells[col]);
}

/*
 * What stayed left or right of what moved is cut off: from the first column on where something stands still
 * that would have moved with the rows.
 */
static void find_columns(const struct page *p, const struct frame *f, int first, int last, struct movement *m)
{
	int *moved = mem_zalloc((size_t)f->cols, sizeof(*moved)),
	    *stayed = mem_zalloc((size_t)f->cols, sizeof(*stayed));
	int leftmost = f->cols, rightmost = -1;

	for (int i = first; i <= last; i++) {
		const struct row *here = page_row_at(p, i), *there = page_row_at(p, i + m->lines);

		for (int col = 0; col < f->cols; col++) {
			uint32_t glyph = f->row[i]->cells[col].glyph;
			bool as_here = has_glyph(here, col, glyph), as_there = has_glyph(there, col, glyph);

			if (!page_is_ink(&f->row[i]->cells[col]))
				continue;
			moved[col] += as_there && !as_here;
			stayed[col] += as_here && !as_there;
		}
	}
	for (int col = 0; col < f->cols; col++) {
		if (moved[col] <= stayed[col])
			continue;
		leftmost = leftmost < col ? leftmost : col;
		rightmost = col;
	}
	m->left_most = leftmost;
	m->right_least = rightmost + 1;
	for (m->right = rightmost + 1; m->right < f->cols && stayed[m->right] == 0;)
		m->right++;
	for (m->left = leftmost; m->left > 0 && stayed[m->left - 1] == 0;)
		m->left--;
	for (int col = m->right - 1; m->right < f->cols && col > rightmost; col--) {
		if (is_line(f, col, first, last))
			m->right = col;
	}
	for (int col = m->left; m->left > 0 && col < leftmost; col++) {
		if (is_line(f, col, first, last))
			m->left = col + 1;
	}
	free(moved);
	free(stayed);
}

/* --- the scrolled part --- */

/* Rows above the stretch belong to it as long as they did not stay where they were. */
static int top_of(const struct page *p, const struct frame *f, const enum verdict *verdict, int first,
    const struct movement *m)
{
	int top = first;

	while (top > 0) {
		const struct row *now = f->row[top - 1], *here = page_row_at(p, top - 1);
		const struct row *there = page_row_at(p, top - 1 + m->lines);
		bool changed_on_its_way = verdict[top - 1] == NEITHER && there &&
					  page_rows_similar(now, there, m->left, m->right) &&
					  !(here && page_rows_similar(now, here, m->left, m->right));

		if (verdict[top - 1] != MOVED && verdict[top - 1] != EITHER && !changed_on_its_way)
			break;
		top--;
	}
	return top;
}

/* From its top down to the first row below it that stayed: text may have come to where there was none. */
static bool is_large(const struct frame *f, const enum verdict *verdict, const struct movement *m)
{
	int end = m->bottom_most;

	while (m->lines > 0 && end < f->rows && verdict[end] != STAYED)
		end++;
	return end - m->top >= LEAST_HEIGHT && (end - m->top) * 3 >= f->rows;
}

/* Enough rows with text say so, and most of those that are there. */
static bool is_believed(const struct frame *f, const enum verdict *verdict, int first, int last)
{
	int moved = 0, text = 0;

	for (int i = first; i <= last; i++) {
		moved += verdict[i] == MOVED;
		text += f->text[i] != 0 && verdict[i] != EITHER;
	}
	return moved >= VOTES_OF_ROWS && moved * 5 >= text * 3;
}

void movement_set_bottom(struct movement *m, const struct page *p, const struct frame *f, int bottom)
{
	m->before = bottom < p->rows ? bottom : p->rows;
	m->bottom = bottom < f->rows ? bottom : f->rows;
}

/* The stretch that moved by the text between m's columns. */
static bool find_by_text(const struct page *p, const struct frame *f, enum verdict *verdict,
    const struct movement *m, int *first, int *last)
{
	for (int i = 0; i < f->rows; i++)
		verdict[i] = judge_text(p, f, i, m);
	return best_stretch(verdict, f->rows, STAYED_BY_TEXT, first, last) &&
	       is_believed(f, verdict, *first, *last);
}

/* The columns that moved before are those that move now, if nothing speaks against it. */
static void prefer_columns(struct movement *m, const struct movement *before)
{
	if (before->left > m->left && before->left <= m->left_most)
		m->left = before->left;
	if (before->right < m->right && before->right >= m->right_least)
		m->right = before->right;
}

static bool find_stretch(const struct page *p, const struct frame *f, enum verdict *verdict,
    struct movement *m, int *first, int *last)
{
	struct movement before = *m;

	if (before.right == 0 || !find_by_text(p, f, verdict, m, first, last)) {
		before.right = before.left = 0;
		for (int i = 0; i < f->rows; i++)
			verdict[i] = judge_cells(p, f, i, m->lines);
		if (!best_stretch(verdict, f->rows, STAYED_BY_CELLS, first, last))
			return false;
	}
	find_columns(p, f, *first, *last, m);
	if (before.right > 0)
		prefer_columns(m, &before);
	return m->left < m->right && find_by_text(p, f, verdict, m, first, last);
}

static void find_top(
    const struct page *p, const struct frame *f, const enum verdict *verdict, int first, struct movement *m)
{
	m->top = top_of(p, f, verdict, first, m);
	m->top_most = first;
	if (m->lines > 0)
		return;
	m->top = m->top + m->lines > 0 ? m->top + m->lines : 0;
	m->top_most += m->lines;
}

/*
 * Rows that are equal before and after, below those that surely moved, may belong to the part.  They do if
 * they have text, or if below what came with an upward movement something else is new.
 */
static void find_bottom(
    const struct page *p, const struct frame *f, const enum verdict *verdict, int last, struct movement *m)
{
	int most = last, came = m->lines > 0 ? m->lines : 0;

	while (last + 1 < f->rows && verdict[last + 1] == EITHER &&
	       letters_of(f->row[last + 1], f->table, m->left, m->right) != 0)
		last++;
	for (most = last; most + 1 < f->rows && verdict[most + 1] == EITHER;)
		most++;
	while (last < most && last + came + 1 < f->rows && verdict[last + came + 1] == NEITHER)
		last++;
	movement_set_bottom(m, p, f, most + came + 1);
	m->bottom_most = m->bottom;
	movement_set_bottom(m, p, f, last + came + 1);
}

static bool find_part(const struct page *p, const struct frame *f, enum verdict *verdict, struct movement *m)
{
	int first, last;

	if (!find_stretch(p, f, verdict, m, &first, &last))
		return false;
	find_top(p, f, verdict, first, m);
	find_bottom(p, f, verdict, last, m);
	m->rows = 0;
	for (int i = first; i <= last; i++)
		m->rows += verdict[i] == MOVED;
	return is_large(f, verdict, m);
}

bool page_moved(const struct page *p, const struct frame *f, int left, int right, struct movement *out)
{
	static int (*const elections[])(const struct page *p, const struct frame *f, int *votes) = {
	    lines_by_rows, lines_by_pieces};
	enum verdict *verdict;
	int *votes, tried = 0;
	bool moved = false;

	*out = (struct movement){0};
	if (p->rows == 0 || p->cols != f->cols || f->rewrites < VOTES_OF_ROWS)
		return false;
	verdict = mem_alloc((size_t)f->rows * sizeof(*verdict));
	votes = mem_zalloc((size_t)p->rows + (size_t)f->rows + 1, sizeof(*votes));
	for (size_t i = 0; i < COUNT_OF(elections); i++) {
		int lines = elections[i](p, f, votes);
		struct movement m = {.lines = lines, .left = left, .right = right};

		if (lines == 0 || lines == tried || !find_part(p, f, verdict, &m))
			continue;
		tried = lines;
		moved = true;
		if (m.rows > out->rows)
			*out = m;
	}
	free(verdict);
	free(votes);
	return moved;
}
