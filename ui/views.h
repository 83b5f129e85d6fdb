/*
 * views: all views that this terminal knows, the one it shows, and going to a session.
 *
 * Going to a session: shown in the current view, the focus moves there; shown in another view, that view
 * comes up; else it takes the pane with the focus.  views_undo undoes the last of these, layout included, and
 * once more redoes it. Pure: files, locks and drawing are the caller's.
 */
#ifndef HANDLER_UI_VIEWS_H
#define HANDLER_UI_VIEWS_H

#include "ui/view.h"

struct views {
	struct view **items;
	size_t count;
	struct view *current; /* one of items; NULL: the start screen */
	struct view *before;  /* copy of the current view as it was before the last go-to, or NULL */
};

/* Whether a view may come up here: another terminal may show it. */
typedef bool views_allowed(const struct view *v, void *user);

enum went {
	WENT_NOWHERE, /* it has the focus already, or there is no view and none was made */
	WENT_FOCUS,   /* the focus moved within the view */
	WENT_VIEW,    /* another view came up */
	WENT_TAKEN,   /* it took the pane with the focus */
	WENT_MADE,    /* a view was made for it */
};

void views_init(struct views *v);
void views_finish(struct views *v);
struct view *views_named(const struct views *v, const char *name); /* NULL: none */
/* The first one made for it that may come up; NULL: none. */
struct view *views_of_repository(const struct views *v, const char *path, views_allowed *allowed, void *user);
/* Adds it (takes it); one of that name is replaced, also as the current one. */
void views_add(struct views *v, struct view *view);
void views_remove(struct views *v, struct view *view); /* destroys it; current becomes NULL if it was that */
/* The name, or with "-2" and so on if it is taken.  Owned. */
char *views_free_name(const struct views *v, const char *name);
/* The one used last that is allowed; NULL: none. */
struct view *views_last_used(const struct views *v, views_allowed *allowed, void *user);

/*
 * repository, base: what a view made for it is called after, if there is no current view (repository may be
 * NULL).
 */
enum went views_go(struct views *v, const char *session, const char *repository, const char *base,
    views_allowed *allowed, void *user);
/* Brings a view up as a go-to does, so that it can be undone. */
void views_switch(struct views *v, struct view *to);
/* Remembers the present for views_undo: called before a change that counts as going somewhere. */
void views_remember(struct views *v);
/* false: there is nothing to undo, or that view may not come up. */
bool views_undo(struct views *v, views_allowed *allowed, void *user);
/* The pane with the focus becomes a view of its own, called `name`; false: it is alone already. */
bool views_break(struct views *v, const char *name);

#endif
