/* rect: see rect.h.  VT420 and VT510 programmer manuals; xterm ctlseqs for what they leave open. */
#include "term/rect.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/erase.h"
#include "term/reply.h"
#include "term/sgr.h"
#include "term/state.h"

struct rect {
	int top, left, bottom, right; /* inclusive */
};

/* Four parameters from number i on: counted from 1, from the margins in origin mode, clipped.  false: nothing
 * is left. */
static bool rect_read(const struct term *t, const struct sequence *s, int i, struct rect *r)
{
	bool origin = mode(t, MODE_ORIGIN);
	int top = origin ? t->top : 0, left = origin ? t->left : 0;
	int bottom = origin ? t->bottom : t->rows - 1, right = origin ? t->right : t->cols - 1;

	r->top = top + sequence_count(s, i) - 1;
	r->left = left + sequence_count(s, i + 1) - 1;
	r->bottom = sequence_value(s, i + 2, 0) > 0 ? least(top + s->value[i + 2] - 1, bottom) : bottom;
	r->right = sequence_value(s, i + 3, 0) > 0 ? least(left + s->value[i + 3] - 1, right) : right;
	return r->top <= r->bottom && r->left <= r->right;
}

static struct row *open_row(struct term *t, int row, const struct rect *r)
{
	struct row *line = touch(t, row);

	row_cut(line, r->left);
	row_cut(line, r->right + 1);
	if (r->right == t->cols - 1)
		line->flags &= (uint16_t)~ROW_WRAPPED;
	return line;
}

/* --- DECCRA --- */

/*
 * Copies between rows that may be one and the same, or overlap: the order is the caller's.  Of a wide
 * character only half of which is copied a blank arrives.
 */
static void copy_row(struct term *t, const struct rect *from, int from_row, const struct rect *to, int to_row)
{
	struct cell copy[SCREEN_MAX_COLS];
	int width = to->right - to->left + 1;
	size_t size = (size_t)width * sizeof(struct cell);

	memcpy(copy, &t->grid->row[from_row]->cells[from->left], size);
	if (copy[0].glyph & GLYPH_TAIL)
		copy[0].glyph = 0;
	if (copy[width - 1].glyph & GLYPH_WIDE)
		copy[width - 1].glyph = 0;
	memcpy(&open_row(t, to_row, to)->cells[to->left], copy, size);
}

void csi_copy_area(struct term *t, const struct sequence *s)
{
	bool origin = mode(t, MODE_ORIGIN);
	struct rect from, to;
	int height;

	if (!rect_read(t, s, 0, &from))
		return;
	to.top = (origin ? t->top : 0) + sequence_count(s, 5) - 1;
	to.left = (origin ? t->left : 0) + sequence_count(s, 6) - 1;
	to.bottom = least(to.top + from.bottom - from.top, origin ? t->bottom : t->rows - 1);
	to.right = least(to.left + from.right - from.left, origin ? t->right : t->cols - 1);
	height = to.bottom - to.top + 1;
	if (to.right < to.left)
		return;
	for (int i = 0; i < height; i++) {
		int k = to.top > from.top ? height - 1 - i : i;

		copy_row(t, &from, from.top + k, &to, to.top + k);
	}
}

/* --- filling and erasing --- */

void csi_fill_area(struct term *t, const struct sequence *s)
{
	int c = sequence_value(s, 0, ' ');
	struct cell cell = {.style = pen_style(t)};
	struct rect r;

	if (!((c >= 0x20 && c <= 0x7e) || (c >= 0xa0 && c <= 0xff)) || !rect_read(t, s, 1, &r))
		return;
	cell.glyph = (uint32_t)c;
	for (int row = r.top; row <= r.bottom; row++)
		cells_fill(&open_row(t, row, &r)->cells[r.left], r.right - r.left + 1, cell);
}

void csi_erase_area(struct term *t, const struct sequence *s)
{
	struct rect r;

	if (!rect_read(t, s, 0, &r))
		return;
	for (int row = r.top; row <= r.bottom; row++)
		erase_columns(t, row, r.left, r.right + 1, ERASE_AREA);
}

void csi_selective_erase_area(struct term *t, const struct sequence *s)
{
	struct rect r;

	if (!rect_read(t, s, 0, &r))
		return;
	for (int row = r.top; row <= r.bottom; row++)
		erase_columns(t, row, r.left, r.right + 1, ERASE_AREA_SELECTIVE);
}

/* --- attributes --- */

enum { EXTENT_RECTANGLE = 2 };

void csi_attribute_extent(struct term *t, const struct sequence *s)
{
	int extent = sequence_value(s, 0, 0);

	if (extent <= EXTENT_RECTANGLE)
		t->attribute_extent = (uint8_t)extent;
}

/* DECRARA: the attributes named are turned round. */
static void reverse(struct style *style, const struct sequence *s, int from)
{
	static const uint16_t bits[] = {
	    [1] = ATTR_BOLD, [5] = ATTR_BLINK, [7] = ATTR_REVERSE, [8] = ATTR_CONCEAL};
	int n = sequence_value(s, from, 0);

	do {
		if (n == 0)
			style->attrs ^= ATTR_BOLD | ATTR_BLINK | ATTR_REVERSE;
		if (n == 0 || n == 4)
			style->underline = style->underline ? UNDERLINE_NONE : UNDERLINE_SINGLE;
		if (n < (int)COUNT_OF(bits))
			style->attrs ^= bits[n];
		n = sequence_value(s, ++from, 0);
	} while (from < s->count);
}

static void change(struct style *style, const struct sequence *s, int from)
{
	static const struct sequence none = {.count = 1};

	if (from < s->count)
		sgr_apply(style, s, from);
	else
		sgr_apply(style, &none, 0);
}

typedef void (*style_change)(struct style *style, const struct sequence *s, int from);

/* A wide character is changed where its first column is. */
static void change_columns(
    struct term *t, int row, int from, int to, const struct sequence *s, style_change apply)
{
	struct row *r = touch(t, row);

	for (int col = from; col < to; col++) {
		struct cell *cell = &r->cells[col];
		struct style style = *table_style_value(t->table, cell->style);

		if (cell->glyph & GLYPH_TAIL)
			continue;
		apply(&style, s, 4);
		cell->style = table_style(t->table, &style);
		if (cell->glyph & GLYPH_WIDE)
			cell[1].style = cell->style;
	}
}

/* DECSACE: a rectangle, or all that is between its corners as text runs. */
static void change_area(struct term *t, const struct sequence *s, style_change apply)
{
	struct rect r;

	if (!rect_read(t, s, 0, &r))
		return;
	for (int row = r.top; row <= r.bottom; row++) {
		bool whole = t->attribute_extent != EXTENT_RECTANGLE;
		int from = whole && row > r.top ? 0 : r.left;
		int to = whole && row < r.bottom ? t->cols : r.right + 1;

		change_columns(t, row, from, to, s, apply);
	}
}

void csi_change_attributes(struct term *t, const struct sequence *s)
{
	change_area(t, s, change);
}

void csi_reverse_attributes(struct term *t, const struct sequence *s)
{
	change_area(t, s, reverse);
}

/* --- checksums --- */

#ifdef HANDLER_TEST
enum { SUM_POSITIVE = 1, SUM_NO_ATTRIBUTES = 2, SUM_BLANKS = 4 };

static unsigned cell_sum(const struct term *t, const struct cell *c)
{
	const struct style *style = table_style_value(t->table, c->style);
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	unsigned sum = 0;

	for (size_t n = table_glyph(t->table, c->glyph, cps), i = 0; i < n; i++)
		sum += cps[i];
	if (c->glyph == 0 && t->checksum_flags & SUM_BLANKS)
		sum += ' ';
	if (t->checksum_flags & SUM_NO_ATTRIBUTES)
		return sum;
	sum += style->attrs & ATTR_PROTECTED ? 0x04 : 0;
	sum += style->attrs & ATTR_CONCEAL ? 0x08 : 0;
	sum += style->underline ? 0x10 : 0;
	sum += style->attrs & ATTR_REVERSE ? 0x20 : 0;
	sum += style->attrs & ATTR_BLINK ? 0x40 : 0;
	sum += style->attrs & ATTR_BOLD ? 0x80 : 0;
	return sum;
}

void csi_checksum(struct term *t, const struct sequence *s)
{
	unsigned sum = 0;
	struct rect r;

	if (rect_read(t, s, 2, &r)) {
		for (int row = r.top; row <= r.bottom; row++) {
			for (int col = r.left; col <= r.right; col++)
				sum += cell_sum(t, &t->grid->row[row]->cells[col]);
		}
	}
	if (!(t->checksum_flags & SUM_POSITIVE))
		sum = 0u - sum;
	reply_dcs(t, "%d!~%04X", sequence_value(s, 0, 0), sum & 0xffff);
}

void csi_checksum_flags(struct term *t, const struct sequence *s)
{
	t->checksum_flags = (uint8_t)sequence_value(s, 0, 0);
}
#endif
