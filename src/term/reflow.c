/* reflow: see reflow.h. */
#include "term/reflow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/grid.h"

/* One line on its way from old rows to new ones. */
struct line {
	struct reflow *out;
	struct row *const *rows; /* all of them; the line is [first, last] */
	int first, last, cols;
	uint64_t version;
	struct row *row; /* the new one that is being filled */
	int col;
	struct reflow_place *places, *moved;
	int place_count;
};

static struct row *append(struct reflow *out, int cols, uint64_t version)
{
	if (out->count == out->room) {
		out->room = out->room ? 2 * out->room : 64;
		out->row = mem_realloc(out->row, (size_t)out->room, sizeof(struct row *));
	}
	return out->row[out->count++] = row_new(cols, version);
}

static void next_row(struct line *l)
{
	l->row->flags |= ROW_WRAPPED;
	l->row = append(l->out, l->cols, l->version);
	l->col = 0;
}

/* Columns of text: up to the last cell that something was written to. */
static int text_columns(const struct row *r)
{
	int n = r->cols;

	while (n > 0 && r->cells[n - 1].glyph == 0)
		n--;
	return n;
}

/* Whether the last column was left blank because a wide character had no room there. */
static bool is_spacer(const struct row *r, const struct row *next)
{
	return r->cells[r->cols - 1].glyph == 0 && next->cells[0].glyph & GLYPH_WIDE;
}

static int columns_of(const struct line *l, int i)
{
	const struct row *r = l->rows[i];

	if (i == l->last)
		return text_columns(r);
	return is_spacer(r, l->rows[i + 1]) ? r->cols - 1 : r->cols;
}

/* The places at column [from, to) of old row i are now at l->col. */
static void move_places(struct line *l, int i, int from, int to)
{
	for (int k = 0; k < l->place_count; k++) {
		struct reflow_place *p = &l->places[k];
		int col = p->col + p->wrap_pending;

		if (p->row == i && col >= from && col < to)
			l->moved[k] = (struct reflow_place){l->out->count - 1, l->col + col - from, false};
	}
}

static void emit(struct line *l, int i, int col)
{
	const struct cell *c = &l->rows[i]->cells[col];
	int width = c->glyph & GLYPH_WIDE ? 2 : 1;

	if (c->glyph & GLYPH_TAIL)
		return;
	if (l->col + width > l->cols)
		next_row(l);
	move_places(l, i, col, col + width);
	memcpy(&l->row->cells[l->col], c, (size_t)width * sizeof(*c));
	l->col += width;
}

/* Erased cells with a background, behind the text of the line. */
static void emit_trail(struct line *l, int from)
{
	const struct row *r = l->rows[l->last];
	struct cell edge = r->cells[r->cols - 1];
	int to = l->col;

	for (int col = from; col < r->cols && to < l->cols; col++)
		l->row->cells[to++] = r->cells[col];
	if (edge.glyph == 0 && edge.style != 0)
		cells_fill(&l->row->cells[to], l->cols - to, edge);
}

static void reflow_line(struct line *l)
{
	int columns = 0;

	l->row = append(l->out, l->cols, l->version);
	l->row->flags = l->rows[l->first]->flags & (uint16_t)~ROW_WRAPPED;
	l->col = 0;
	for (int i = l->first; i <= l->last; i++) {
		columns = columns_of(l, i);
		for (int col = 0; col < columns; col++)
			emit(l, i, col);
		move_places(l, i, columns, l->rows[i]->cols + 1);
	}
	emit_trail(l, columns);
}

/* A place below all rows stays as far below them. */
static void move_below(struct line *l, int count)
{
	for (int k = 0; k < l->place_count; k++) {
		const struct reflow_place *p = &l->places[k];

		if (p->row >= count)
			l->moved[k] =
			    (struct reflow_place){l->out->count + p->row - count, p->col, p->wrap_pending};
	}
}

/* What lies beyond the last column is at it, with a wrap pending if it is the place right behind the text. */
static void settle(struct reflow_place *p, const struct reflow *out, int cols)
{
	const struct row *r = p->row < out->count ? out->row[p->row] : NULL;

	if (p->col < cols)
		return;
	p->wrap_pending = r && p->col == cols && r->cells[cols - 1].glyph != 0;
	p->col = cols - 1;
}

void reflow_rows(struct reflow *out, struct row *const *rows, int count, int cols, uint64_t version,
    struct reflow_place *places, int place_count)
{
	struct reflow_place *moved = mem_zalloc((size_t)place_count, sizeof(*moved));
	struct line l = {
	    .out = out,
	    .rows = rows,
	    .cols = cols,
	    .version = version,
	    .places = places,
	    .moved = moved,
	    .place_count = place_count,
	};

	for (int i = 0; i < count; i = l.last + 1) {
		l.first = l.last = i;
		while (l.last + 1 < count && rows[l.last]->flags & ROW_WRAPPED)
			l.last++;
		reflow_line(&l);
	}
	move_below(&l, count);
	for (int k = 0; k < place_count; k++) {
		settle(&moved[k], out, cols);
		places[k] = moved[k];
	}
	free(moved);
}

void reflow_finish(struct reflow *r)
{
	for (int i = 0; i < r->count; i++)
		row_free(r->row[i]);
	free(r->row);
	*r = (struct reflow){0};
}
