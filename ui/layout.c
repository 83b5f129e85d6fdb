/*
 * layout: see layout.h.  Here: a layout's life, looking at it, splitting, removing, the way to a neighbour.
 *
 * The tree itself is in layout_tree.c, moving borders by hand in layout_borders.c, the named arrangements in
 * layout_kinds.c, JSON in layout_json.c.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/layout_private.h"

/* --- life and looking --- */

struct layout *layout_create(int pane)
{
	struct layout *l = mem_zalloc(1, sizeof(*l));

	l->root = node_create(NODE_PANE, pane);
	return l;
}

void layout_destroy(struct layout *l)
{
	if (!l)
		return;
	node_destroy(l->root);
	free(l);
}

struct layout *layout_copy(const struct layout *l)
{
	struct layout *copy = mem_zalloc(1, sizeof(*copy));

	copy->root = node_copy(l->root);
	copy->area = l->area;
	return copy;
}

void layout_arrange(struct layout *l, struct rect area)
{
	l->area = area;
	node_arrange(l->root, area);
}

void layout_again(struct layout *l)
{
	node_arrange(l->root, l->area);
}

int layout_panes(const struct layout *l, int *panes, int max)
{
	int count = 0;

	node_panes(l->root, panes, max, &count);
	return count;
}

bool layout_has(const struct layout *l, int pane)
{
	return node_find(l->root, pane) != NULL;
}

bool layout_rect(const struct layout *l, int pane, struct rect *out)
{
	const struct node *n = node_find(l->root, pane);

	if (n)
		*out = n->at;
	return n != NULL;
}

static const struct node *node_at(const struct node *n, int row, int col)
{
	if (!rect_has(&n->at, row, col))
		return NULL;
	if (n->kind == NODE_PANE)
		return n;
	for (int i = 0; i < n->count; i++) {
		const struct node *found = node_at(n->child[i], row, col);

		if (found)
			return found;
	}
	return NULL;
}

int layout_pane_at(const struct layout *l, int row, int col)
{
	const struct node *n = node_at(l->root, row, col);

	return n ? n->pane : 0;
}

/* --- splitting and removing --- */

static bool can_split(const struct layout *l, const struct node *n, enum node_kind along)
{
	int whole = extent(&n->at, along), min = node_min_extent(n, along);

	return whole >= 2 * min + 1 && layout_panes(l, NULL, 0) < LAYOUT_PANES_MAX;
}

/* Gives n a container of its own in its place. */
static struct node *wrap(struct layout *l, struct node *n, enum node_kind kind)
{
	struct node *container = node_create(kind, 0);

	container->at = n->at;
	node_replace(l, n, container);
	node_insert(container, 0, n);
	return container;
}

bool layout_split(struct layout *l, int pane, bool right, int new_pane)
{
	enum node_kind along = right ? NODE_COLUMNS : NODE_ROWS;
	struct node *n = node_find(l->root, pane), *parent, *new_node;
	double half;

	if (!n || layout_has(l, new_pane) || !can_split(l, n, along))
		return false;
	parent = n->parent && n->parent->kind == along ? n->parent : wrap(l, n, along);
	node_shares_from_sizes(parent);
	half = (n->share - 1) / 2;
	new_node = node_create(NODE_PANE, new_pane);
	n->share = half;
	new_node->share = half;
	node_insert(parent, node_index(n) + 1, new_node);
	layout_again(l);
	return true;
}

/* A child of its parent's own kind: its children become the parent's. */
static void flatten(struct node *n)
{
	struct node *parent = n->parent;
	int at;

	if (!parent || n->kind == NODE_PANE || n->kind != parent->kind)
		return;
	at = node_index(n);
	node_shares_from_sizes(parent);
	node_shares_from_sizes(n);
	node_take(parent, at);
	while (n->count > 0)
		node_insert(parent, at, node_take(n, n->count - 1));
	node_destroy(n);
}

/* A container with one child left is that child. */
static void collapse(struct layout *l, struct node *n)
{
	struct node *child;

	if (n->count != 1)
		return;
	child = node_take(n, 0);
	child->at = n->at;
	node_replace(l, n, child);
	node_destroy(n);
	node_arrange(child, child->at);
	flatten(child);
}

bool layout_remove(struct layout *l, int pane)
{
	struct node *n = node_find(l->root, pane), *parent;
	int at;

	if (!n || !n->parent)
		return false;
	parent = n->parent;
	node_shares_from_sizes(parent);
	at = node_index(n);
	parent->child[at > 0 ? at - 1 : 1]->share += n->share + 1;
	node_destroy(node_take(parent, at));
	collapse(l, parent);
	layout_again(l);
	return true;
}

bool layout_swap(struct layout *l, int a, int b)
{
	struct node *x = node_find(l->root, a), *y = node_find(l->root, b);

	if (!x || !y)
		return false;
	x->pane = b;
	y->pane = a;
	return x != y;
}

void layout_replace(struct layout *l, int pane, int new_pane)
{
	struct node *n = node_find(l->root, pane);

	if (n)
		n->pane = new_pane;
}

/* --- going around --- */

int layout_next(const struct layout *l, int pane, int step)
{
	int panes[LAYOUT_PANES_MAX], count = layout_panes(l, panes, LAYOUT_PANES_MAX);

	for (int i = 0; i < count; i++) {
		if (panes[i] == pane)
			return panes[((i + step) % count + count) % count];
	}
	return pane;
}

/* How far the middle of one span lies outside another; 0: inside. */
static int distance(int from, int size, int other, int other_size)
{
	int middle = from + size / 2;

	if (middle < other)
		return other - middle;
	return middle >= other + other_size ? middle - (other + other_size - 1) : 0;
}

/* Where the neighbour in a direction begins (right, down) or ends (left, up), without wrapping around. */
static int edge_of(const struct rect *r, enum direction d)
{
	switch (d) {
	case DIR_LEFT:
		return r->col - 1;
	case DIR_RIGHT:
		return r->col + r->cols + 1;
	case DIR_UP:
		return r->row - 1;
	default:
		return r->row + r->rows + 1;
	}
}

static bool begins_at(const struct rect *r, enum direction d, int edge)
{
	switch (d) {
	case DIR_LEFT:
		return r->col + r->cols == edge;
	case DIR_RIGHT:
		return r->col == edge;
	case DIR_UP:
		return r->row + r->rows == edge;
	default:
		return r->row == edge;
	}
}

/* The edge of the area that one comes in at when going out at the other. */
static int opposite_edge(const struct rect *area, enum direction d)
{
	switch (d) {
	case DIR_LEFT:
		return area->col + area->cols;
	case DIR_RIGHT:
		return area->col;
	case DIR_UP:
		return area->row + area->rows;
	default:
		return area->row;
	}
}

static int nearest_at(const struct layout *l, const struct rect *from, enum direction d, int edge)
{
	int panes[LAYOUT_PANES_MAX], count = layout_panes(l, panes, LAYOUT_PANES_MAX), best = 0, least = 0;

	for (int i = 0; i < count; i++) {
		struct rect r;
		int away;

		if (!layout_rect(l, panes[i], &r) || !begins_at(&r, d, edge))
			continue;
		if (d == DIR_LEFT || d == DIR_RIGHT)
			away = distance(from->row, from->rows, r.row, r.rows);
		else
			away = distance(from->col, from->cols, r.col, r.cols);
		if (!best || away < least) {
			best = panes[i];
			least = away;
		}
	}
	return best;
}

int layout_neighbour(const struct layout *l, int pane, enum direction d)
{
	struct rect r;
	int found;

	if (!layout_rect(l, pane, &r))
		return pane;
	found = nearest_at(l, &r, d, edge_of(&r, d));
	if (!found)
		found = nearest_at(l, &r, d, opposite_edge(&l->area, d));
	return found ? found : pane;
}
