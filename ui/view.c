/* view: see view.h. */
#include "ui/view.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

static void set_session(struct pane *p, const char *session)
{
	snprintf(p->session, sizeof(p->session), "%s", session);
}

static struct pane *add_pane(struct view *v, int id, const char *session)
{
	struct pane *p = &v->panes[v->count++];

	p->id = id;
	set_session(p, session);
	if (v->next_id <= id)
		v->next_id = id + 1;
	return p;
}

struct view *view_create(const char *name, const char *repository, const char *session)
{
	struct view *v = mem_zalloc(1, sizeof(*v));

	v->name = mem_strdup(name);
	v->repository = mem_strdup(repository);
	v->next_id = 1;
	v->focus = add_pane(v, 1, session)->id;
	v->layout = layout_create(v->focus);
	v->used = clock_now();
	return v;
}

void view_destroy(struct view *v)
{
	if (!v)
		return;
	layout_destroy(v->layout);
	free(v->name);
	free(v->repository);
	free(v);
}

struct view *view_copy(const struct view *v)
{
	struct view *copy = mem_alloc(sizeof(*copy));

	*copy = *v;
	copy->name = mem_strdup(v->name);
	copy->repository = mem_strdup(v->repository);
	copy->layout = layout_copy(v->layout);
	return copy;
}

static size_t index_of(const struct view *v, int id)
{
	size_t i = 0;

	while (i < v->count && v->panes[i].id != id)
		i++;
	return i;
}

struct pane *view_pane(struct view *v, int id)
{
	size_t i = index_of(v, id);

	return i < v->count ? &v->panes[i] : NULL;
}

const char *view_session(const struct view *v, int pane)
{
	size_t i = index_of(v, pane);

	return i < v->count ? v->panes[i].session : "";
}

const char *view_focused(const struct view *v)
{
	return view_session(v, v->focus);
}

int view_find(const struct view *v, const char *session)
{
	if (strcmp(view_focused(v), session) == 0)
		return v->focus;
	for (size_t i = 0; i < v->count; i++)
		if (strcmp(v->panes[i].session, session) == 0)
			return v->panes[i].id;
	return 0;
}

bool view_set_focus(struct view *v, int pane)
{
	if (pane == v->focus || index_of(v, pane) == v->count)
		return false;
	v->last = v->focus;
	v->focus = pane;
	return true;
}

void view_put(struct view *v, int pane, const char *session)
{
	struct pane *p = view_pane(v, pane);

	if (p)
		set_session(p, session);
}

int view_split(struct view *v, int pane, bool right, const char *session)
{
	int id = v->next_id;

	if (v->count == VIEW_PANES_MAX || !layout_split(v->layout, pane, right, id))
		return 0;
	add_pane(v, id, session);
	view_set_focus(v, id);
	v->zoomed = false;
	return id;
}

/* The pane that takes the focus when `pane` goes: the one before, else a neighbour. */
static int heir(const struct view *v, int pane)
{
	if (v->last && v->last != pane && index_of(v, v->last) < v->count)
		return v->last;
	return layout_next(v->layout, pane, 1);
}

bool view_close(struct view *v, int pane)
{
	size_t i = index_of(v, pane);

	if (v->count <= 1 || i == v->count)
		return false;
	int next = heir(v, pane);

	if (!layout_remove(v->layout, pane))
		return false;
	memmove(&v->panes[i], &v->panes[i + 1], (v->count - i - 1) * sizeof(v->panes[0]));
	v->count--;
	if (v->focus == pane) {
		v->focus = next;
		v->zoomed = false;
	}
	if (v->last == pane || v->last == v->focus)
		v->last = 0;
	return true;
}

bool view_swap(struct view *v, int a, int b)
{
	return a != b && layout_swap(v->layout, a, b);
}

void view_fill(struct view *v, const char *const *sessions, size_t count, enum layout_kind kind)
{
	v->count = 0;
	v->last = 0;
	v->zoomed = false;
	v->kind = kind;
	for (size_t i = 0; i < count && i < VIEW_PANES_MAX; i++)
		add_pane(v, v->next_id, sessions[i]);
	layout_destroy(v->layout);
	v->focus = v->panes[0].id;
	v->layout = layout_create(v->focus);
	/* A roomy place to build in: the real area may be too small while it is put together. */
	layout_arrange(
	    v->layout, (struct rect){0, 0, LAYOUT_AUTO_ROWS * 4 * VIEW_PANES_MAX, LAYOUT_AUTO_COLS * 4});
	for (size_t i = 1; i < v->count; i++) {
		layout_split(v->layout, v->panes[i - 1].id, false, v->panes[i].id);
		layout_equalize(v->layout);
	}
	layout_set_kind(v->layout, kind);
}

size_t view_prune(struct view *v, bool (*exists)(const char *session, void *user), void *user)
{
	int gone[VIEW_PANES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < v->count; i++)
		if (!exists(v->panes[i].session, user))
			gone[count++] = v->panes[i].id;
	if (count == v->count)
		return 0;
	for (size_t i = 0; i < count; i++)
		view_close(v, gone[i]);
	return v->count;
}

static bool same_layout(const struct layout *a, const struct layout *b)
{
	struct json *ja = layout_to_json(a), *jb = layout_to_json(b);
	AUTO_FREE char *ta = json_print(ja, false), *tb = json_print(jb, false);
	bool same = strcmp(ta, tb) == 0;

	json_free(ja);
	json_free(jb);
	return same;
}

bool view_equal(const struct view *a, const struct view *b)
{
	if (a->count != b->count || a->focus != b->focus || a->last != b->last || a->zoomed != b->zoomed ||
	    a->kind != b->kind || strcmp(a->name, b->name) != 0)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->panes[i].id != b->panes[i].id || strcmp(a->panes[i].session, b->panes[i].session) != 0)
			return false;
	return same_layout(a->layout, b->layout);
}

/* --- JSON --- */

struct json *view_to_json(const struct view *v)
{
	struct json *root = json_new_object();
	char used[32];

	clock_rfc3339(v->used, used);
	json_set_number(root, "version", 1);
	json_set_string(root, "name", v->name);
	if (v->repository)
		json_set_string(root, "repository", v->repository);
	json_set_string(root, "used", used);
	json_set_number(root, "focus", v->focus);
	json_set_number(root, "last", v->last);
	json_set_bool(root, "zoomed", v->zoomed);
	json_set_string(root, "kind", layout_kind_name(v->kind));
	struct json *panes = json_set(root, "panes", json_new_array());

	for (size_t i = 0; i < v->count; i++) {
		struct json *p = json_append(panes, json_new_object());

		json_set_number(p, "id", v->panes[i].id);
		json_set_string(p, "session", v->panes[i].session);
	}
	json_set(root, "layout", layout_to_json(v->layout));
	return root;
}

static enum layout_kind kind_from_name(const char *name)
{
	int kind = 0;

	while (kind < LAYOUT_KINDS && strcmp(layout_kind_name(kind), name) != 0)
		kind++;
	return kind < LAYOUT_KINDS ? (enum layout_kind)kind : LAYOUT_COLUMNS;
}

static int read_pane(
    struct view *v, const struct json *root, const struct json *n, const char *file, struct err *err)
{
	int64_t id = json_get_int(n, "id", 0);
	const char *session = json_get_string(n, "session", "");

	if (id < 1 || id > INT32_MAX / 2 || index_of(v, (int)id) < v->count)
		return json_error(
		    root, n, file, err, "a pane's id must be a number above 0 that no other pane has");
	if (strlen(session) != SESSION_ID_LENGTH)
		return json_error(
		    root, n, file, err, "a pane's session must be an id of %d characters", SESSION_ID_LENGTH);
	if (v->count == VIEW_PANES_MAX)
		return json_error(root, n, file, err, "a view has %d panes at most", VIEW_PANES_MAX);
	add_pane(v, (int)id, session);
	return 0;
}

static int read_panes(struct view *v, const struct json *root, const char *file, struct err *err)
{
	for (const struct json *n = json_first(json_get(root, "panes")); n; n = json_next(n))
		if (read_pane(v, root, n, file, err) < 0)
			return -1;
	if (v->count == 0)
		return err_set(err, ERR_INVALID, "%s: a view has at least one pane", file);
	return 0;
}

static int read_layout(struct view *v, const struct json *root, const char *file, struct err *err)
{
	int ids[VIEW_PANES_MAX + 1];

	v->layout = layout_from_json(json_get(root, "layout"), err);
	if (!v->layout)
		return err_prefix(err, "%s", file);
	int count = layout_panes(v->layout, ids, VIEW_PANES_MAX + 1);
	bool same = count == (int)v->count;

	for (int i = 0; same && i < count; i++)
		same = index_of(v, ids[i]) < v->count;
	return same ? 0
		    : err_set(
			  err, ERR_INVALID, "%s: the layout does not hold the panes that are listed", file);
}

static void read_rest(struct view *v, const struct json *root)
{
	v->repository = mem_strdup(json_get_string(root, "repository", NULL));
	v->used = clock_parse_rfc3339(json_get_string(root, "used", ""));
	v->zoomed = json_get_bool(root, "zoomed", false);
	v->kind = kind_from_name(json_get_string(root, "kind", ""));
	v->focus = (int)json_get_int(root, "focus", 0);
	v->last = (int)json_get_int(root, "last", 0);
	if (index_of(v, v->focus) == v->count)
		v->focus = v->panes[0].id;
	if (index_of(v, v->last) == v->count || v->last == v->focus)
		v->last = 0;
}

struct view *view_from_json(const struct json *root, const char *file, struct err *err)
{
	const char *name = json_get_string(root, "name", "");

	if (!*name) {
		err_set(err, ERR_INVALID, "%s: a view has a name", file);
		return NULL;
	}
	struct view *v = mem_zalloc(1, sizeof(*v));

	v->name = mem_strdup(name);
	v->next_id = 1;
	if (read_panes(v, root, file, err) < 0 || read_layout(v, root, file, err) < 0) {
		view_destroy(v);
		return NULL;
	}
	read_rest(v, root);
	return v;
}
