/* views: see views.h. */
#include "ui/views.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"

void views_init(struct views *v)
{
	*v = (struct views){0};
}

void views_finish(struct views *v)
{
	for (size_t i = 0; i < v->count; i++)
		view_destroy(v->items[i]);
	free(v->items);
	view_destroy(v->before);
	*v = (struct views){0};
}

static size_t index_named(const struct views *v, const char *name)
{
	size_t i = 0;

	while (i < v->count && strcmp(v->items[i]->name, name) != 0)
		i++;
	return i;
}

struct view *views_named(const struct views *v, const char *name)
{
	size_t i = index_named(v, name);

	return i < v->count ? v->items[i] : NULL;
}

void views_add(struct views *v, struct view *view)
{
	size_t i = index_named(v, view->name);

	if (i == v->count) {
		v->items = mem_realloc(v->items, v->count + 1, sizeof(struct view *));
		v->items[v->count++] = view;
		return;
	}
	if (v->current == v->items[i])
		v->current = view;
	if (view->next_id < v->items[i]->next_id)
		view->next_id = v->items[i]->next_id; /* ids are never used again */
	view_destroy(v->items[i]);
	v->items[i] = view;
}

void views_remove(struct views *v, struct view *view)
{
	size_t i = index_named(v, view->name);

	if (i == v->count || v->items[i] != view)
		return;
	if (v->current == view)
		v->current = NULL;
	view_destroy(view);
	memmove(&v->items[i], &v->items[i + 1], (v->count - i - 1) * sizeof(struct view *));
	v->count--;
}

char *views_free_name(const struct views *v, const char *name)
{
	char *free_name = mem_strdup(name);

	for (int n = 2; views_named(v, free_name); n++) {
		free(free_name);
		free_name = mem_printf("%s-%d", name, n);
	}
	return free_name;
}

static bool may(const struct view *view, views_allowed *allowed, void *user)
{
	return !allowed || allowed(view, user);
}

struct view *views_of_repository(const struct views *v, const char *path, views_allowed *allowed, void *user)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->items[i]->repository && strcmp(v->items[i]->repository, path) == 0 &&
		    may(v->items[i], allowed, user))
			return v->items[i];
	return NULL;
}

struct view *views_last_used(const struct views *v, views_allowed *allowed, void *user)
{
	struct view *best = NULL;

	for (size_t i = 0; i < v->count; i++)
		if ((!best || v->items[i]->used > best->used) && may(v->items[i], allowed, user))
			best = v->items[i];
	return best;
}

void views_remember(struct views *v)
{
	if (!v->current)
		return;
	view_destroy(v->before);
	v->before = view_copy(v->current);
}

static void bring_up(struct views *v, struct view *to)
{
	v->current = to;
	to->used = clock_now();
}

void views_switch(struct views *v, struct view *to)
{
	if (v->current == to)
		return;
	views_remember(v);
	bring_up(v, to);
}

/* Another view that shows the session and may come up. */
static struct view *showing(const struct views *v, const char *session, views_allowed *allowed, void *user)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->items[i] != v->current && view_find(v->items[i], session) &&
		    may(v->items[i], allowed, user))
			return v->items[i];
	return NULL;
}

static enum went go_within(struct views *v, int pane)
{
	if (v->current->focus == pane)
		return WENT_NOWHERE;
	views_remember(v);
	view_set_focus(v->current, pane);
	return WENT_FOCUS;
}

static enum went make_view(struct views *v, const char *session, const char *repository, const char *base)
{
	AUTO_FREE char *name = views_free_name(v, base);
	struct view *made = view_create(name, repository, session);

	views_add(v, made);
	bring_up(v, made);
	return WENT_MADE;
}

enum went views_go(struct views *v, const char *session, const char *repository, const char *base,
    views_allowed *allowed, void *user)
{
	int pane = v->current ? view_find(v->current, session) : 0;

	if (pane)
		return go_within(v, pane);
	struct view *other = showing(v, session, allowed, user);

	if (other) {
		views_switch(v, other);
		view_set_focus(other, view_find(other, session));
		return WENT_VIEW;
	}
	if (!v->current)
		return make_view(v, session, repository, base);
	views_remember(v);
	view_put(v->current, v->current->focus, session);
	return WENT_TAKEN;
}

bool views_undo(struct views *v, views_allowed *allowed, void *user)
{
	struct view *back = v->before;

	if (!back)
		return false;
	bool here = v->current && strcmp(v->current->name, back->name) == 0;

	if (!here && !may(back, allowed, user))
		return false;
	v->before = v->current ? view_copy(v->current) : NULL;
	views_add(v, back);
	bring_up(v, back);
	return true;
}

bool views_break(struct views *v, const char *name)
{
	struct view *from = v->current;

	if (!from || from->count < 2)
		return false;
	AUTO_FREE char *free_name = views_free_name(v, name);
	struct view *made = view_create(free_name, NULL, view_focused(from));

	views_remember(v);
	view_close(from, from->focus);
	views_add(v, made);
	bring_up(v, made);
	return true;
}
