/* grid: see grid.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/grid.h"

struct row *row_new(int cols, uint64_t version)
{
	struct row *r = mem_alloc(sizeof(*r));

	row_init(r, cols, 0);
	r->version = version;
	return r;
}

void row_free(struct row *r)
{
	if (!r)
		return;
	row_finish(r);
	free(r);
}

void row_blank(struct row *r, uint32_t style, uint64_t version)
{
	if (style == 0)
		memset(r->cells, 0, (size_t)r->cols * sizeof(*r->cells));
	else
		cells_fill(r->cells, r->cols, (struct cell){.style = style});
	r->flags = 0;
	r->version = version;
}

void grid_init(struct grid *g, int rows, int cols, uint64_t version)
{
	*g = (struct grid){.rows = rows, .cols = cols};
	g->row = mem_alloc((size_t)rows * sizeof(*g->row));
	for (int i = 0; i < rows; i++)
		g->row[i] = row_new(cols, version);
}

void grid_finish(struct grid *g)
{
	for (int i = 0; i < g->rows; i++)
		row_free(g->row[i]);
	free(g->row);
	*g = (struct grid){0};
}

static void reverse(struct row **row, int from, int to)
{
	while (from < --to) {
		struct row *r = row[from];

		row[from++] = row[to];
		row[to] = r;
	}
}

void grid_rotate(struct grid *g, int top, int bottom, int count)
{
	struct row *r;

	if (count == 1) {
		r = g->row[top];
		memmove(&g->row[top], &g->row[top + 1], (size_t)(bottom - top - 1) * sizeof(r));
		g->row[bottom - 1] = r;
	} else if (count == -1) {
		r = g->row[bottom - 1];
		memmove(&g->row[top + 1], &g->row[top], (size_t)(bottom - top - 1) * sizeof(r));
		g->row[top] = r;
	} else {
		int middle = count > 0 ? top + count : bottom + count;

		reverse(g->row, top, middle);
		reverse(g->row, middle, bottom);
		reverse(g->row, top, bottom);
	}
}

void grid_resize(struct grid *g, int rows, int cols, uint64_t version)
{
	for (int i = rows; i < g->rows; i++)
		row_free(g->row[i]);
	g->row = mem_realloc(g->row, (size_t)rows, sizeof(*g->row));
	for (int i = 0; i < rows && i < g->rows; i++) {
		if (g->row[i]->cols != cols) {
			row_resize(g->row[i], cols);
			g->row[i]->flags &= (uint16_t)~ROW_WRAPPED;
			g->row[i]->version = version;
		}
	}
	for (int i = g->rows; i < rows; i++)
		g->row[i] = row_new(cols, version);
	g->rows = rows;
	g->cols = cols;
}
