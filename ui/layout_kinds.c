/*
 * layout_kinds: the named arrangements (columns, rows, tiled, a main pane), and how many panes fit into one.
 *
 * Owns: the names, the shape of each kind.  Must not know: what the layout was before; only its panes in
 * reading order and its area.
 */
#include <string.h>

#include "ui/layout_private.h"

static const char *const kind_names[LAYOUT_KINDS] = {
    [LAYOUT_COLUMNS] = "columns",
    [LAYOUT_ROWS] = "rows",
    [LAYOUT_TILED] = "tiled",
    [LAYOUT_MAIN_LEFT] = "main-left",
    [LAYOUT_MAIN_TOP] = "main-top",
};

const char *layout_kind_name(enum layout_kind kind)
{
	return kind < LAYOUT_KINDS ? kind_names[kind] : "?";
}

enum layout_kind layout_kind_from_name(const char *name)
{
	int kind = 0;

	while (kind < LAYOUT_KINDS && strcmp(kind_names[kind], name) != 0)
		kind++;
	return (enum layout_kind)kind;
}

/* A container of panes; one pane is itself. */
static struct node *line_of(enum node_kind kind, const int *panes, int count)
{
	struct node *n;

	if (count == 1)
		return node_create(NODE_PANE, panes[0]);
	n = node_create(kind, 0);
	for (int i = 0; i < count; i++)
		node_insert(n, i, node_create(NODE_PANE, panes[i]));
	return n;
}

/* As many columns as rows or one more, unless they would get too narrow. */
static struct node *tiled(const int *panes, int count, int cols)
{
	int most = (cols + 1) / (LAYOUT_AUTO_COLS + 1), columns = 1, rows;
	struct node *n;

	while (columns * columns < count)
		columns++;
	if (columns > most)
		columns = most > 1 ? most : 1;
	rows = (count + columns - 1) / columns;
	if (rows == 1)
		return line_of(NODE_COLUMNS, panes, count);
	if (columns == 1)
		return line_of(NODE_ROWS, panes, count);
	n = node_create(NODE_ROWS, 0);
	for (int i = 0; i < rows; i++) {
		int first = i * columns, left = count - first;

		node_insert(n, i, line_of(NODE_COLUMNS, panes + first, left < columns ? left : columns));
	}
	return n;
}

/* The first pane takes three fifths, the others share the rest. */
static struct node *with_main(enum node_kind kind, const int *panes, int count)
{
	struct node *n, *others;

	if (count < 3)
		return line_of(kind, panes, count);
	others = line_of(kind == NODE_COLUMNS ? NODE_ROWS : NODE_COLUMNS, panes + 1, count - 1);
	n = node_create(kind, 0);
	node_insert(n, 0, node_create(NODE_PANE, panes[0]));
	node_insert(n, 1, others);
	n->child[0]->share = 3;
	n->child[1]->share = 2;
	return n;
}

static struct node *arrangement(enum layout_kind kind, const int *panes, int count, const struct rect *area)
{
	switch (kind) {
	case LAYOUT_ROWS:
		return line_of(NODE_ROWS, panes, count);
	case LAYOUT_TILED:
		return tiled(panes, count, area->cols);
	case LAYOUT_MAIN_LEFT:
		return with_main(NODE_COLUMNS, panes, count);
	case LAYOUT_MAIN_TOP:
		return with_main(NODE_ROWS, panes, count);
	default:
		return line_of(NODE_COLUMNS, panes, count);
	}
}

void layout_set_kind(struct layout *l, enum layout_kind kind)
{
	int panes[LAYOUT_PANES_MAX], count = layout_panes(l, panes, LAYOUT_PANES_MAX);

	node_destroy(l->root);
	l->root = arrangement(kind, panes, count, &l->area);
	layout_again(l);
}

static bool all_comfortable(const struct node *n)
{
	if (n->kind == NODE_PANE)
		return n->at.rows > LAYOUT_AUTO_ROWS && n->at.cols >= LAYOUT_AUTO_COLS;
	for (int i = 0; i < n->count; i++) {
		if (!all_comfortable(n->child[i]))
			return false;
	}
	return true;
}

int layout_capacity(enum layout_kind kind, struct rect area, int count)
{
	int panes[LAYOUT_PANES_MAX];

	if (count > LAYOUT_PANES_MAX)
		count = LAYOUT_PANES_MAX;
	for (int i = 0; i < count; i++)
		panes[i] = i + 1;
	for (; count > 1; count--) {
		struct node *n = arrangement(kind, panes, count, &area);
		bool fits;

		node_arrange(n, area);
		fits = all_comfortable(n);
		node_destroy(n);
		if (fits)
			break;
	}
	return count > 1 ? count : 1;
}
