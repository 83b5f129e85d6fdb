/*
 * layout: see layout.h.
 *
 * Each node has a share of its parent, in any unit.  Shares stay as they are when the area changes, so that
 * going back to a former size gives the former picture; they become the sizes in cells when something is
 * moved by hand. A container has at least two children, none of its own kind.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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

/* --- nodes --- */

static struct node *node_create(enum node_kind kind, int pane)
{
	struct node *n = mem_zalloc(1, sizeof(*n));

	n->kind = kind;
	n->pane = pane;
	n->share = 1;
	return n;
}

static void node_destroy(struct node *n)
{
	if (!n)
		return;
	for (int i = 0; i < n->count; i++)
		node_destroy(n->child[i]);
	free(n->child);
	free(n);
}

static void node_insert(struct node *n, int at, struct node *child)
{
	n->child = mem_realloc(n->child, (size_t)n->count + 1, sizeof(struct node *));
	memmove(&n->child[at + 1], &n->child[at], (size_t)(n->count - at) * sizeof(struct node *));
	n->child[at] = child;
	n->count++;
	child->parent = n;
}

static struct node *node_copy(const struct node *n)
{
	struct node *copy = node_create(n->kind, n->pane);

	copy->share = n->share;
	copy->at = n->at;
	for (int i = 0; i < n->count; i++)
		node_insert(copy, i, node_copy(n->child[i]));
	return copy;
}

static int node_index(const struct node *n)
{
	int i = 0;

	while (n->parent->child[i] != n)
		i++;
	return i;
}

static struct node *node_take(struct node *parent, int at)
{
	struct node *n = parent->child[at];

	parent->count--;
	memmove(
	    &parent->child[at], &parent->child[at + 1], (size_t)(parent->count - at) * sizeof(struct node *));
	n->parent = NULL;
	return n;
}

static struct node *node_find(struct node *n, int pane)
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

static struct node *first_pane(struct node *n)
{
	while (n->kind != NODE_PANE)
		n = n->child[0];
	return n;
}

static void node_panes(const struct node *n, int *panes, int max, int *count)
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
static void node_replace(struct layout *l, struct node *n, struct node *with)
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

static int extent(const struct rect *r, enum node_kind along)
{
	return along == NODE_COLUMNS ? r->cols : r->rows;
}

/* The smallest extent along a direction in which all panes below have their minimum. */
static int min_extent(const struct node *n, enum node_kind along)
{
	int sum = n->count - 1, most = 0;

	if (n->kind == NODE_PANE)
		return along == NODE_COLUMNS ? LAYOUT_MIN_COLS : LAYOUT_MIN_ROWS + 1;
	for (int i = 0; i < n->count; i++) {
		int min = min_extent(n->child[i], along);

		sum += min;
		most = min > most ? min : most;
	}
	return n->kind == along ? sum : most;
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
		int min = min_extent(n->child[i], n->kind);

		while (size[i] < min) {
			int giver = -1, most = 0;

			for (int k = 0; k < n->count; k++) {
				int spare = size[k] - min_extent(n->child[k], n->kind);

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

static void arrange(struct node *n, struct rect at)
{
	int size[LAYOUT_PANES_MAX], whole, room, from = 0;

	n->at = at;
	if (n->kind == NODE_PANE)
		return;
	whole = extent(&at, n->kind);
	room = whole - (n->count - 1);
	divide(n, room > 0 ? room : 0, size);
	if (whole >= min_extent(n, n->kind))
		keep_minimums(n, size);
	for (int i = 0; i < n->count; i++) {
		arrange(n->child[i], slice(&at, n->kind, from, size[i]));
		from += size[i];
		if (i + 1 < n->count && from < whole)
			from++;
	}
}

void layout_arrange(struct layout *l, struct rect area)
{
	l->area = area;
	arrange(l->root, area);
}

static void again(struct layout *l)
{
	arrange(l->root, l->area);
}

/* From here on the sizes are what was seen, not what was once asked for. */
static void shares_from_sizes(struct node *n)
{
	for (int i = 0; i < n->count; i++) {
		int size = extent(&n->child[i]->at, n->kind);

		n->child[i]->share = size > 0 ? size : 0.5;
	}
}

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

static bool rect_has(const struct rect *r, int row, int col)
{
	return row >= r->row && row < r->row + r->rows && col >= r->col && col < r->col + r->cols;
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
	int whole = extent(&n->at, along), min = min_extent(n, along);

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
	shares_from_sizes(parent);
	half = (n->share - 1) / 2;
	new_node = node_create(NODE_PANE, new_pane);
	n->share = half;
	new_node->share = half;
	node_insert(parent, node_index(n) + 1, new_node);
	again(l);
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
	shares_from_sizes(parent);
	shares_from_sizes(n);
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
	arrange(child, child->at);
	flatten(child);
}

bool layout_remove(struct layout *l, int pane)
{
	struct node *n = node_find(l->root, pane), *parent;
	int at;

	if (!n || !n->parent)
		return false;
	parent = n->parent;
	shares_from_sizes(parent);
	at = node_index(n);
	parent->child[at > 0 ? at - 1 : 1]->share += n->share + 1;
	node_destroy(node_take(parent, at));
	collapse(l, parent);
	again(l);
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

/* --- moving borders --- */

/* Takes up to `cells` from the children beginning at `at`, going by `step`; returns how many it got. */
static int take_cells(struct node *n, int at, int step, int cells)
{
	int got = 0;

	for (; at >= 0 && at < n->count && got < cells; at += step) {
		int spare = (int)n->child[at]->share - min_extent(n->child[at], n->kind);
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

	shares_from_sizes(n);
	if (cells > 0) {
		got = take_cells(n, at + 1, 1, cells);
		n->child[at]->share += got;
	} else {
		got = take_cells(n, at, -1, -cells);
		n->child[at + 1]->share += got;
	}
	again(l);
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
	again(l);
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

/* --- arrangements --- */

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
	again(l);
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

		arrange(n, area);
		fits = all_comfortable(n);
		node_destroy(n);
		if (fits)
			break;
	}
	return count > 1 ? count : 1;
}

/* --- JSON --- */

static struct json *node_to_json(const struct node *n)
{
	struct json *object = json_new_object(), *children, *sizes;

	if (n->kind == NODE_PANE) {
		json_set_number(object, "pane", n->pane);
		return object;
	}
	children = json_set(object, n->kind == NODE_COLUMNS ? "columns" : "rows", json_new_array());
	sizes = json_set(object, "sizes", json_new_array());
	for (int i = 0; i < n->count; i++) {
		json_append(children, node_to_json(n->child[i]));
		json_append(sizes, json_new_number(n->child[i]->share));
	}
	return object;
}

struct json *layout_to_json(const struct layout *l)
{
	return node_to_json(l->root);
}

/* What has been read so far, to find ids that come twice. */
struct reading {
	int panes[LAYOUT_PANES_MAX], count;
	struct err *err;
};

static struct node *read_node(const struct json *j, struct reading *r);

static struct node *refuse(struct reading *r, const char *why)
{
	err_set(r->err, ERR_INVALID, "The layout is not valid: %s.", why);
	return NULL;
}

static struct node *read_pane(const struct json *j, struct reading *r)
{
	int64_t id = json_int(j, 0);

	if (id <= 0 || id > INT32_MAX)
		return refuse(r, "a pane is not a positive number");
	if (r->count == LAYOUT_PANES_MAX)
		return refuse(r, "too many panes");
	for (int i = 0; i < r->count; i++) {
		if (r->panes[i] == id)
			return refuse(r, "a pane comes twice");
	}
	r->panes[r->count++] = (int)id;
	return node_create(NODE_PANE, (int)id);
}

static struct node *read_children(struct node *n, const struct json *j, struct reading *r)
{
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		struct node *child = read_node(c, r);

		if (!child)
			return NULL;
		node_insert(n, n->count, child);
		if (child->kind == n->kind)
			return refuse(r, "columns directly in columns, or rows in rows");
	}
	return n->count >= 2 ? n : refuse(r, "columns or rows of less than two");
}

static struct node *read_sizes(struct node *n, const struct json *j, struct reading *r)
{
	const struct json *size = json_first(j);

	if (!j)
		return n;
	for (int i = 0; i < n->count; i++) {
		n->child[i]->share = json_number(size, 0);
		if (!(n->child[i]->share > 0 && n->child[i]->share < 1e6))
			return refuse(r, "a size is not a positive number, or missing");
		size = json_next(size);
	}
	return size ? refuse(r, "more sizes than panes") : n;
}

static struct node *read_container(
    enum node_kind kind, const struct json *children, const struct json *object, struct reading *r)
{
	struct node *n = node_create(kind, 0);

	if (read_children(n, children, r) && read_sizes(n, json_get(object, "sizes"), r))
		return n;
	node_destroy(n);
	return NULL;
}

static struct node *read_node(const struct json *j, struct reading *r)
{
	const struct json *pane = json_get(j, "pane"), *columns = json_get(j, "columns"),
			  *rows = json_get(j, "rows");

	if (pane)
		return read_pane(pane, r);
	if (columns)
		return read_container(NODE_COLUMNS, columns, j, r);
	if (rows)
		return read_container(NODE_ROWS, rows, j, r);
	return refuse(r, "neither pane nor columns nor rows");
}

struct layout *layout_from_json(const struct json *j, struct err *err)
{
	struct reading r = {.err = err};
	struct node *root = read_node(j, &r);
	struct layout *l;

	if (!root)
		return NULL;
	l = mem_zalloc(1, sizeof(*l));
	l->root = root;
	return l;
}
