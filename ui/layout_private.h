/*
 * layout_private: the tree that a layout is, for layout*.c alone.
 *
 * Each node has a share of its parent, in any unit.  Shares stay as they are when the area changes, so that
 * going back to a former size gives the former picture; they become the sizes in cells when something is
 * moved by hand. A container has at least two children, none of its own kind.
 */
#ifndef HANDLER_UI_LAYOUT_PRIVATE_H
#define HANDLER_UI_LAYOUT_PRIVATE_H

#include "ui/layout.h"

enum node_kind { NODE_PANE, NODE_COLUMNS, NODE_ROWS };

struct node {
	enum node_kind kind;
	int pane; /* NODE_PANE only */
	struct node *parent;
	struct node **child;
	int count;
	double share;
	struct rect at;
};

struct layout {
	struct node *root;
	struct rect area;
};

static inline int extent(const struct rect *r, enum node_kind along)
{
	return along == NODE_COLUMNS ? r->cols : r->rows;
}

static inline bool rect_has(const struct rect *r, int row, int col)
{
	return row >= r->row && row < r->row + r->rows && col >= r->col && col < r->col + r->cols;
}

/* layout_tree.c */
struct node *node_create(enum node_kind kind, int pane);
void node_destroy(struct node *n);
struct node *node_copy(const struct node *n);
int node_index(const struct node *n); /* among its parent's children */
void node_insert(struct node *n, int at, struct node *child);
struct node *node_take(struct node *parent, int at); /* it belongs to the caller then */
void node_replace(struct layout *l, struct node *n, struct node *with);
struct node *node_find(struct node *n, int pane);
void node_panes(const struct node *n, int *panes, int max, int *count); /* adds to *count */
int node_min_extent(const struct node *n, enum node_kind along);
void node_arrange(struct node *n, struct rect at);
void node_shares_from_sizes(struct node *n);
/* layout.c */
void layout_again(struct layout *l); /* arranges it in the area that it has */

#endif
