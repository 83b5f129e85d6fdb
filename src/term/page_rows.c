/*
 * page_rows: two rows held against each other, as a reader would; what stands still at the bottom of page and
 * frame; and whether text went on below what moved.  What moved is page_moved.c's.
 */
#include "term/letters.h"
#include "term/page_private.h"

enum {
	FOOT_LEAST = 2,
	GAP = 4, /* blank rows between a text and what stands below it */
};

/* --- two rows --- */

bool page_rows_similar(const struct row *a, const struct row *b, int from, int to)
{
	int ink = 0, same = 0;

	for (int col = from; col < to && col < a->cols; col++) {
		bool on_a = page_is_ink(&a->cells[col]), on_b = col < b->cols && page_is_ink(&b->cells[col]);

		ink += on_a || on_b;
		same += on_a && on_b && a->cells[col].glyph == b->cells[col].glyph;
	}
	return ink > 0 && same * 5 >= ink * 3;
}

/* What words are made of: neither digits nor the stars and dots that some spinners turn through. */
static bool is_of_word(uint32_t glyph)
{
	if (glyph < 0xc0)
		return (glyph | 0x20) - 'a' <= 'z' - 'a';
	return glyph & GLYPH_CLUSTER || letters_has(glyph & GLYPH_VALUE);
}

/* The next one from *col on; 0: there is none. */
static uint32_t next_of_word(const struct row *r, int *col)
{
	while (*col < r->cols) {
		uint32_t glyph = r->cells[(*col)++].glyph;

		if (!(glyph & GLYPH_TAIL) && is_of_word(glyph))
			return glyph;
	}
	return 0;
}

bool page_rows_count(const struct row *a, const struct row *b)
{
	int at_a = 0, at_b = 0;
	uint32_t of_a, of_b;
	bool any = false;

	while ((of_a = next_of_word(a, &at_a)) == (of_b = next_of_word(b, &at_b)) && of_a != 0)
		any = true;
	return any && of_a == of_b;
}

/* --- what stays --- */

static bool has_ink(const struct row *r)
{
	for (int col = 0; col < r->cols; col++) {
		if (page_is_ink(&r->cells[col]))
			return true;
	}
	return false;
}

bool page_went_on(const struct page *p, const struct frame *f, const struct movement *m)
{
	for (int i = m->before; i < m->before + GAP && i < p->rows; i++) {
		if (has_ink(&p->row[i].row))
			return true;
	}
	for (int i = m->bottom - m->lines; i < m->bottom + GAP && i < f->rows; i++) {
		if (i >= 0 && f->rewritten[i] && f->text[i] != 0 && f->origin[i] < 0)
			return true;
	}
	return m->before + GAP >= p->rows;
}

/* Rows that end at `before` and `now` and are the same, but for some; how many there are. */
static int same_rows(const struct page *p, const struct frame *f, int before, int now)
{
	int best = 0, sum = 0, same = 0;

	for (int n = 1; n <= before && n <= now; n++) {
		const struct page_row *old = &p->row[before - n];
		const struct row *r = f->row[now - n];

		if (!has_ink(r) && !has_ink(&old->row))
			continue;
		sum += old->text == f->text[now - n] && has_ink(r) == has_ink(&old->row) ? 2 : -2;
		if (sum > best) {
			best = sum;
			same = n;
		}
	}
	return same;
}

int page_fixed_rows(const struct page *p, const struct frame *f)
{
	return same_rows(p, f, p->rows, f->rows);
}

int page_ink_end(const struct page *p)
{
	int end = p->rows;

	while (end > 0 && !has_ink(&p->row[end - 1].row))
		end--;
	return end;
}

int frame_ink_end(const struct frame *f)
{
	int end = f->rows;

	while (end > 0 && !has_ink(f->row[end - 1]))
		end--;
	return end;
}

static bool is_new_text(const struct page *p, const struct frame *f, int i)
{
	const struct row *old = page_row_at(p, i);

	return f->rewritten[i] && f->text[i] != 0 && f->origin[i] < 0 &&
	       !(old && (page_rows_similar(f->row[i], old, 0, f->cols) || page_rows_count(old, f->row[i])));
}

int page_foot_rows(const struct page *p, const struct frame *f)
{
	int end = frame_ink_end(f), foot = same_rows(p, f, page_ink_end(p), end);

	for (int i = 0; foot >= FOOT_LEAST && i < end - foot; i++) {
		if (is_new_text(p, f, i))
			return foot;
	}
	return -1;
}
