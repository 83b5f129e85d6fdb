/* cell_random: reproducible random rows for property tests.  A failing test prints its seed by failing at a
 * fixed one. */
#ifndef HANDLER_CELL_RANDOM_H
#define HANDLER_CELL_RANDOM_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "cell/row.h"

struct random {
	uint64_t state;
};

/* splitmix64 */
static inline uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0..n-1 */
static inline int random_below(struct random *r, int n)
{
	return (int)(random_next(r) % (uint64_t)n);
}

static inline color_t random_color(struct random *r)
{
	switch (random_below(r, 3)) {
	case 0:
		return COLOR_DEFAULT;
	case 1:
		return COLOR_INDEX(random_below(r, 256));
	default:
		return COLOR_RGB(random_below(r, 256), random_below(r, 256), random_below(r, 256));
	}
}

static inline uint32_t random_style(struct random *r, struct cell_table *t)
{
	struct style s = {.fg = random_color(r), .bg = random_color(r)};
	char uri[64], id[16];

	if (random_below(r, 3) == 0)
		return 0;
	if (random_below(r, 4) == 0) {
		s.attrs = (uint16_t)random_below(r, 512);
		s.underline = (uint8_t)random_below(r, 6);
		s.underline_color = random_color(r);
	}
	if (random_below(r, 8) == 0) {
		snprintf(uri, sizeof(uri), "https://example.org/%d", random_below(r, 20));
		snprintf(id, sizeof(id), "i%d", random_below(r, 3));
		s.link = table_link(t, id, uri);
	}
	return table_style(t, &s);
}

/* A glyph with what cell.h allows: blank, ASCII, other narrow ones, wide ones, clusters. */
static inline uint32_t random_glyph(struct random *r, struct cell_table *t)
{
	static const uint32_t wide[] = {0x4e00, 0x3042, 0xac00, 0x1f600, 0xff21};
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	int count;

	switch (random_below(r, 10)) {
	case 0:
		return 0;
	case 1:
		return 0xe9;
	case 2:
		return wide[random_below(r, 5)] | GLYPH_WIDE;
	case 3:
		cps[0] = 'e';
		count = 2 + random_below(r, 4);
		for (int i = 1; i < count; i++)
			cps[i] = 0x300 + (uint32_t)random_below(r, 16);
		return table_cluster(t, cps, (size_t)count);
	case 4:
		cps[0] = 0x1f469;
		cps[1] = 0x200d;
		cps[2] = 0x1f4bb;
		return table_cluster(t, cps, 3) | GLYPH_WIDE;
	default:
		return ' ' + (uint32_t)random_below(r, 95);
	}
}

/* Writes a glyph the way an emulator does: what it covers is erased first. */
static inline void put_glyph(struct row *row, int col, uint32_t glyph, uint32_t style)
{
	int columns = glyph & GLYPH_WIDE ? 2 : 1;

	if (col + columns > row->cols)
		return;
	row_erase(row, col, col + columns, style);
	row->cells[col].glyph = glyph;
	if (columns == 2)
		row->cells[col + 1].glyph = GLYPH_TAIL;
}

static inline void random_fill(struct random *r, struct row *row, struct cell_table *t)
{
	uint32_t style = random_style(r, t);

	for (int col = 0; col < row->cols; col++) {
		if (random_below(r, 5) == 0)
			style = random_style(r, t);
		put_glyph(row, col, random_glyph(r, t), style);
	}
	row->flags = (uint16_t)random_below(r, 32);
}

static inline void assert_row_sound(const struct row *r)
{
	for (int i = 0; i < r->cols; i++) {
		uint32_t glyph = r->cells[i].glyph;

		if (glyph & GLYPH_TAIL) {
			assert_int_equal(glyph, GLYPH_TAIL);
			assert_true(i > 0 && r->cells[i - 1].glyph & GLYPH_WIDE);
		}
		if (glyph & GLYPH_WIDE)
			assert_true(i + 1 < r->cols && r->cells[i + 1].glyph == GLYPH_TAIL);
	}
}

static inline void assert_string_same(const char *a, const char *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a)
		assert_string_equal(a, b);
}

static inline void assert_style_same(
    const struct cell_table *at, uint32_t a, const struct cell_table *bt, uint32_t b)
{
	struct style x = *table_style_value(at, a), y = *table_style_value(bt, b);

	assert_string_same(table_link_uri(at, x.link), table_link_uri(bt, y.link));
	if (table_link_id(at, x.link))
		assert_string_same(table_link_id(at, x.link), table_link_id(bt, y.link));
	x.link = y.link = 0;
	assert_memory_equal(&x, &y, sizeof(x));
}

/* Equal in what the handles stand for. */
static inline void assert_cell_same(
    const struct cell_table *at, struct cell a, const struct cell_table *bt, struct cell b)
{
	uint32_t x[CELL_CLUSTER_CODE_POINTS], y[CELL_CLUSTER_CODE_POINTS];
	size_t n = table_glyph(at, a.glyph, x), m = table_glyph(bt, b.glyph, y);

	assert_int_equal(a.glyph & (GLYPH_WIDE | GLYPH_TAIL), b.glyph & (GLYPH_WIDE | GLYPH_TAIL));
	assert_int_equal(n, m);
	assert_memory_equal(x, y, n * sizeof(*x));
	assert_style_same(at, a.style, bt, b.style);
}

static inline void assert_row_same(
    const struct cell_table *at, const struct row *a, const struct cell_table *bt, const struct row *b)
{
	assert_int_equal(a->cols, b->cols);
	assert_int_equal(a->flags, b->flags);
	for (int i = 0; i < a->cols; i++)
		assert_cell_same(at, a->cells[i], bt, b->cells[i]);
}

/* A row of text in the default style; the caller finishes it. */
static inline struct row row_of(const char *ascii)
{
	struct row r;

	row_init(&r, (int)strlen(ascii), 0);
	for (int i = 0; i < r.cols; i++)
		r.cells[i].glyph = (unsigned char)ascii[i];
	return r;
}

#endif
