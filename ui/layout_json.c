/*
 * layout_json: a layout as JSON and back.
 *
 * Owns: the form that layout.h describes, and what of it is refused: any JSON gives a tree that keeps the
 * rules of layout_private.h, or an error.  Must not know: areas and sizes in cells.
 */
#include "base/mem.h"
#include "ui/layout_private.h"

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
