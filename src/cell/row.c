/* row: cells of one line and the invariant of wide cells.  See row.h; the packed form is in pack.c and
 * pack_read.c. */
#include "cell/row.h"

#include <stdlib.h>

#include "base/mem.h"

static void fill(struct cell *cells, int count, uint32_t style)
{
	for (int i = 0; i < count; i++)
		cells[i] = (struct cell){.glyph = 0, .style = style};
}

void row_init(struct row *r, int cols, uint32_t style)
{
	*r = (struct row){.cells = mem_alloc((size_t)cols * sizeof(*r->cells)), .cols = cols};
	fill(r->cells, cols, style);
}

void row_finish(struct row *r)
{
	free(r->cells);
	*r = (struct row){0};
}

void row_resize(struct row *r, int cols)
{
	int old = r->cols;

	if (cols == old)
		return;
	if (cols < old && cols > 0 && r->cells[cols - 1].glyph & GLYPH_WIDE)
		r->cells[cols - 1].glyph = 0;
	r->cells = mem_realloc(r->cells, (size_t)cols, sizeof(*r->cells));
	r->cols = cols;
	if (cols > old)
		fill(r->cells + old, cols - old, 0);
}

void row_erase(struct row *r, int from, int to, uint32_t style)
{
	if (from < 0)
		from = 0;
	if (to > r->cols)
		to = r->cols;
	if (from >= to)
		return;
	if (r->cells[from].glyph & GLYPH_TAIL && from > 0)
		r->cells[from - 1].glyph = 0;
	if (to < r->cols && r->cells[to].glyph & GLYPH_TAIL)
		r->cells[to].glyph = 0;
	fill(r->cells + from, to - from, style);
}

static uint32_t bits(const struct cell *c)
{
	return c->glyph | c->style;
}

/* Four at a time: most of a row of text is what is behind it. */
int row_used(const struct row *r)
{
	int used = r->cols;

	while (used >= 4 && (bits(&r->cells[used - 1]) | bits(&r->cells[used - 2]) |
				bits(&r->cells[used - 3]) | bits(&r->cells[used - 4])) == 0)
		used -= 4;
	while (used > 0 && bits(&r->cells[used - 1]) == 0)
		used--;
	return used;
}

static bool is_blank(const struct cell *c)
{
	return c->glyph == 0 || c->glyph == ' ';
}

int row_text_end(const struct row *r)
{
	bool wrapped = r->flags & ROW_WRAPPED;
	int end = r->cols;

	while (end > 0 && (wrapped ? r->cells[end - 1].glyph == 0 : is_blank(&r->cells[end - 1])))
		end--;
	return end;
}

void row_text(const struct row *r, const struct cell_table *t, int from, int to, bool trim, struct buf *out)
{
	if (from < 0)
		from = 0;
	if (to > r->cols)
		to = r->cols;
	while (trim && to > from && is_blank(&r->cells[to - 1]))
		to--;
	if (to <= from)
		return;
	for (int i = from; i < to; i++) {
		uint32_t glyph = r->cells[i].glyph;

		if (glyph >= 0x80) {
			table_glyph_utf8(t, glyph, out);
			continue;
		}
		if (out->cap < out->len + 2)
			buf_reserve(out, (size_t)(to - i) + 1);
		out->data[out->len++] = glyph ? (char)glyph : ' ';
	}
	buf_reserve(out, 1);
	out->data[out->len] = '\0';
}
