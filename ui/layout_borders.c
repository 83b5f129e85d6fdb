/*
 * layout_borders: the borders between panes: moving them by keys or the mouse, making all equal, where the
 * dividers lie.
 *
 * Owns: who gives and who gets when a border moves.  Must not know: how panes come and go.
 */
#include "ui/layout_private.h"

/* --- moving borders --- */

/* Takes up to `cells` from the children beginning at `at`, going by `step`; returns how many it got. */
static int take_cells(struct node *n, int at, int step, int cells)
{
	int got = 0;

	for (; at >= 0 && at < n->count && got < cells; at += step) {
		int spare = (int)n->child[at]->share - node_min_extent(n->child[at], n->kind);
		int part = spare < cells - got ? spare : cells - got;

		if (part <= 0)
			continue;
		n->child[at]->share -= part;
		got += part;
	}
	return got;
}

/* Moves the border behind child `at`; positive: to the right or down. */
static bool move_border(struct layout *l, struct node *n, int at, int cells)
{
	int got;

	node_shares_from_sizes(n);
	if (cells > 0) {
		got = take_cells(n, at + 1, 1, cells);
		n->child[at]->share += got;
	} else {
		got = take_cells(n, at, -1, -cells);
		n->child[at + 1]->share += got;
	}
	layout_again(l);
	return got > 0;
}

bool layout_resize(struct layout *l, int pane, enum direction d, int cells)
{
	enum node_kind along = d == DIR_LEFT || d == DIR_RIGHT ? NODE_COLUMNS : NODE_ROWS;
	struct node *n = node_find(l->root, pane);
	int at;

	while (n && n->parent && n->parent->kind != along)
		n = n->parent;
	if (!n || !n->parent)
		return false;
	at = node_index(n);
	if (at == n->parent->count - 1)
		at--;
	return move_border(l, n->parent, at, d == DIR_LEFT || d == DIR_UP ? -cells : cells);
}

/* Panes beside each other along a direction, where there are most of them: its weight when all are to be
 * equal. */
static int panes_along(const struct node *n, enum node_kind along)
{
	int sum = 0, most = 1;

	if (n->kind == NODE_PANE)
		return 1;
	for (int i = 0; i < n->count; i++) {
		int panes = panes_along(n->child[i], along);

		sum += panes;
		most = panes > most ? panes : most;
	}
	return n->kind == along ? sum : most;
}

static void equalize(struct node *n)
{
	for (int i = 0; i < n->count; i++) {
		n->child[i]->share = panes_along(n->child[i], n->kind);
		equalize(n->child[i]);
	}
}

void layout_equalize(struct layout *l)
{
	equalize(l->root);
	layout_again(l);
}

/* --- dividers --- */

static bool divider_behind(const struct node *n, int at, struct rect *out)
{
	const struct rect *a = &n->child[at]->at, *b = &n->child[at + 1]->at;

	if (n->kind == NODE_COLUMNS)
		*out = (struct rect){a->row, a->col + a->cols, a->rows, b->col - (a->col + a->cols)};
	else
		*out = (struct rect){a->row + a->rows, a->col, b->row - (a->row + a->rows), a->cols};
	return out->rows > 0 && out->cols > 0;
}

static struct node *first_pane(struct node *n)
{
	while (n->kind != NODE_PANE)
		n = n->child[0];
	return n;
}

static void node_dividers(struct node *n, struct divider *out, int max, int *count)
{
	for (int i = 0; i < n->count; i++) {
		struct divider d = {.vertical = n->kind == NODE_COLUMNS};

		if (i + 1 < n->count && divider_behind(n, i, &d.at)) {
			d.pane = first_pane(n->child[i])->pane;
			if (*count < max)
				out[*count] = d;
			(*count)++;
		}
		node_dividers(n->child[i], out, max, count);
	}
}

int layout_dividers(const struct layout *l, struct divider *out, int max)
{
	int count = 0;

	node_dividers(l->root, out, max, &count);
	return count;
}

static bool drag(struct layout *l, struct node *n, int row, int col, int rows, int cols)
{
	for (int i = 0; i < n->count; i++) {
		struct rect at;

		if (i + 1 < n->count && divider_behind(n, i, &at) && rect_has(&at, row, col))
			return move_border(l, n, i, n->kind == NODE_COLUMNS ? cols : rows);
		if (rect_has(&n->child[i]->at, row, col))
			return drag(l, n->child[i], row, col, rows, cols);
	}
	return false;
}

bool layout_drag(struct layout *l, int row, int col, int to_row, int to_col)
{
	return drag(l, l->root, row, col, to_row - row, to_col - col);
}
