/* copy_gather: the selected text of the history (copy.h), row by row as they come; of a block line by line,
 * as they are shown. */
#include "ui/copy.h"

static const struct row *row_at(const struct rebreak *b, uint64_t number)
{
	if (number < b->source.first || number >= b->source.end)
		return NULL;
	return b->source.get(b->source.context, number);
}

bool copy_gather_begin(const struct copy *c, struct copy_gather *g)
{
	const struct selection *s = copy_selection(c);

	*g = (struct copy_gather){.text = BUF_INIT};
	if (!s)
		return false;
	g->selection = *s;
	g->next = s->from.row;
	return true;
}

static void gather_row(const struct rebreak *b, struct copy_gather *g, const struct row *r)
{
	const struct selection *s = &g->selection;
	bool joins = r->flags & ROW_WRAPPED && g->next != s->to.row;
	int from, to;

	if (g->next != s->from.row && !g->joined)
		buf_addc(&g->text, '\n');
	if (select_columns(s, g->next, r, r->cols, &from, &to))
		row_text(r, b->source.table, from, to < r->cols ? to : r->cols, !joins, &g->text);
	g->joined = joins;
	g->next++;
}

/* What a block has of one line. */
static void gather_line(const struct rebreak *b, struct copy_gather *g, const struct visual *v)
{
	struct visual_piece p = visual_piece(b, v);
	size_t start = g->text.len;
	int from, to;

	do {
		const struct row *r = row_at(b, p.row);

		if (r && visual_selected(b, &g->selection, v, &p, &from, &to))
			row_text(r, b->source.table, from, to, false, &g->text);
	} while (visual_next_piece(b, v, &p));
	while (g->text.len > start && g->text.data[g->text.len - 1] == ' ')
		g->text.data[--g->text.len] = '\0';
}

/* The lines of a block that begin in the row g->next, or for the first row lead to the selection. */
static void gather_block(const struct rebreak *b, struct copy_gather *g)
{
	const struct selection *s = &g->selection;
	bool first = g->next == s->from.row;
	struct visual v = visual_at(b, first ? s->from : (struct position){g->next, 0});

	if (!first && v.from.row < g->next)
		visual_forward(b, &v, 1);
	for (; v.from.row <= g->next && position_compare(v.from, s->to) <= 0; visual_forward(b, &v, 1)) {
		if (position_compare(v.from, s->from) > 0)
			buf_addc(&g->text, '\n');
		gather_line(b, g, &v);
		if (v.next.row >= b->source.end)
			break;
	}
	g->next++;
}

/* Whether all rows that have to do with how the row g->next is broken are here. */
static bool line_is_here(const struct rebreak *b, const struct copy_gather *g, uint64_t *missing)
{
	uint64_t n = g->next;

	while (n > b->source.first && g->next - n < 2 * REBREAK_ROWS && row_at(b, n)) {
		n--;
		if (row_at(b, n) && !(row_at(b, n)->flags & ROW_WRAPPED))
			break;
	}
	while (row_at(b, n) && n + 1 < b->source.end && n < g->next + 2 * REBREAK_ROWS &&
	       (n < g->next || row_at(b, n)->flags & ROW_WRAPPED))
		n++;
	*missing = n;
	return row_at(b, n) != NULL;
}

bool copy_gather(const struct copy *c, struct copy_gather *g, uint64_t *missing)
{
	struct rebreak b = copy_lines(c);
	bool block = g->selection.kind == SELECT_BLOCK;

	while (g->next <= g->selection.to.row) {
		const struct row *r = row_at(&b, g->next);

		if (r && block && !line_is_here(&b, g, missing))
			return false;
		if (r && block) {
			gather_block(&b, g);
		} else if (r) {
			gather_row(&b, g, r);
		} else if (g->next < b.source.first || g->next >= b.source.end) {
			copy_gather_skip(g); /* dropped in the meantime */
		} else {
			*missing = g->next;
			return false;
		}
	}
	return true;
}

void copy_gather_skip(struct copy_gather *g)
{
	g->next++;
	g->joined = false;
}
