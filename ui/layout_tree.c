/*
 * layout_tree: the nodes of a layout, and how the room of each is divided among its children.
 *
 * Owns: the parent's and the children's pointers, minimum sizes, rounding.  Must not know: what may be split
 * or moved (layout.c, layout_borders.c), the named arrangements (layout_kinds.c), JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/layout_private.h"

/* --- nodes --- */

struct node *node_create(enum node_kind kind, int pane)
{
	struct node *n = mem_zalloc(1, sizeof(*n));

	n->kind = kind;
	n->pane = pane;
	n->share = 1;
	return n;
}

void node_destroy(struct node *n)
{
	if (!n)
		return;
	for (int i = 0; i < n->count; i++)
		node_destroy(n->child[i]);
	free(n->child);
	free(n);
}

void node_insert(struct node *n, int at, struct node *child)
{
	n->child = mem_realloc(n->child, (size_t)n->count + 1, sizeof(struct node *));
	memmove(&n->child[at + 1], &n->child[at], (size_t)(n->count - at) * sizeof(struct node *));
	n->child[at] = child;
	n->count++;
	child->parent = n;
}

struct node *node_copy(const struct node *n)
{
	struct node *copy = node_create(n->kind, n->pane);

	copy->share = n->share;
	copy->at = n->at;
	for (int i = 0; i < n->count; i++)
		node_insert(copy, i, node_copy(n->child[i]));
	return copy;
}

int node_index(const struct node *n)
{
	int i = 0;

	while (n->parent->child[i] != n)
		i++;
	return i;
}

struct node *node_take(struct node *parent, int at)
{
	struct node *n = parent->child[at];

	parent->count--;
	memmove(
	    &parent->child[at], &parent->child[at + 1], (size_t)(parent->count - at) * sizeof(struct node *));
	n->parent = NULL;
	return n;
}

struct node *node_find(struct node *n, int pane)
{
	if (n->kind == NODE_PANE)
		return n->pane == pane ? n : NULL;
	for (int i = 0; i < n->count; i++) {
		struct node *found = node_find(n->child[i], pane);

		if (found)
			return found;
	}
	return NULL;
}

void node_panes(const struct node *n, int *panes, int max, int *count)
{
	if (n->kind == NODE_PANE) {
		if (*count < max)
			panes[*count] = n->pane;
		(*count)++;
	}
	for (int i = 0; i < n->count; i++)
		node_panes(n->child[i], panes, max, count);
}

/* Puts `with` in the place of n, which then belongs to nobody. */
void node_replace(struct layout *l, struct node *n, struct node *with)
{
	with->share = n->share;
	with->parent = n->parent;
	if (n->parent)
		n->parent->child[node_index(n)] = with;
	else
		l->root = with;
	n->parent = NULL;
}

/* --- sizes --- */

/* The smallest extent along a direction in which all panes below have their minimum. */
int node_min_extent(const struct node *n, enum node_kind along)
{
	int sum = n->count - 1, most = 0;

	if (n->kind == NODE_PANE)
		return along == NODE_COLUMNS ? LAYOUT_MIN_COLS : LAYOUT_MIN_ROWS + 1;
	for (int i = 0; i < n->count; i++) {
		int min = node_min_extent(n->child[i], along);

		sum += min;
		most = min > most ? min : most;
	}
	return n->kind == along ? sum : most;
}

/* Divides `room` cells by the children's shares; what is lost by rounding goes to the first ones. */
static void divide(const struct node *n, int room, int *size)
{
	double sum = 0, before = 0;
	int given = 0;

	for (int i = 0; i < n->count; i++)
		sum += n->child[i]->share;
	for (int i = 0; i < n->count; i++) {
		before += n->child[i]->share;
		size[i] = (int)(room * before / sum + 0.5) - given;
		given += size[i];
	}
}

/* Takes from those above their minimum, the one with most to spare first, for those below. */
static void keep_minimums(const struct node *n, int *size)
{
	for (int i = 0; i < n->count; i++) {
		int min = node_min_extent(n->child[i], n->kind);

		while (size[i] < min) {
			int giver = -1, most = 0;

			for (int k = 0; k < n->count; k++) {
				int spare = size[k] - node_min_extent(n->child[k], n->kind);

				if (spare > most) {
					most = spare;
					giver = k;
				}
			}
			if (giver < 0)
				return;
			size[giver]--;
			size[i]++;
		}
	}
}

static struct rect slice(const struct rect *r, enum node_kind along, int from, int size)
{
	if (along == NODE_COLUMNS)
		return (struct rect){r->row, r->col + from, r->rows, size};
	return (struct rect){r->row + from, r->col, size, r->cols};
}

void node_arrange(struct node *n, struct rect at)
{
	int size[LAYOUT_PANES_MAX], whole, room, from = 0;

	n->at = at;
	if (n->kind == NODE_PANE)
		return;
	whole = extent(&at, n->kind);
	room = whole - (n->count - 1);
	divide(n, room > 0 ? room : 0, size);
	if (whole >= node_min_extent(n, n->kind))
		keep_minimums(n, size);
	for (int i = 0; i < n->count; i++) {
		node_arrange(n->child[i], slice(&at, n->kind, from, size[i]));
		from += size[i];
		if (i + 1 < n->count && from < whole)
			from++;
	}
}

/* From here on the sizes are what was seen, not what was once asked for. */
void node_shares_from_sizes(struct node *n)
{
	for (int i = 0; i < n->count; i++) {
		int size = extent(&n->child[i]->at, n->kind);

		n->child[i]->share = size > 0 ? size : 0.5;
	}
}
