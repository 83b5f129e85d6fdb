/*
 * view: one arrangement of sessions: a layout, which session stands in which pane, and which pane has the
 * focus.
 *
 * Pure: a value that is copied (for undo) and written as JSON (for the next start).  Sessions are ids;
 * whether they exist is not known here.  Invariant: the layout's panes are exactly panes[0..count), count >=
 * 1, and `focus` is one.
 */
#ifndef HANDLER_UI_VIEW_H
#define HANDLER_UI_VIEW_H

#include "client/record.h"
#include "ui/layout.h"

enum { VIEW_PANES_MAX = 64, VIEW_NAME_MAX = 64 /* columns */ };

struct pane {
	int id;                              /* > 0, never used again in its view */
	char session[SESSION_ID_LENGTH + 1]; /* never "" */
};

struct view {
	char *name;
	char *repository; /* absolute path it was made for; NULL: made by hand (break-pane) */
	struct layout *layout;
	struct pane panes[VIEW_PANES_MAX];
	size_t count;
	int focus;
	int last; /* the pane that had the focus before; 0: none */
	int next_id;
	bool zoomed;           /* only the pane with the focus is shown */
	enum layout_kind kind; /* the named layout applied last */
	int64_t used;          /* seconds since 1970: when it was last brought up */
};

struct view *view_create(const char *name, const char *repository, const char *session);
void view_destroy(struct view *v);
struct view *view_copy(const struct view *v);

struct pane *view_pane(struct view *v, int id); /* NULL: none */
int view_find(
    const struct view *v, const char *session); /* its pane, the one with the focus first; 0: not shown */
const char *view_session(const struct view *v, int pane); /* of a pane; "" if there is no such pane */
const char *view_focused(const struct view *v);           /* session of the pane with the focus */

/* Returns whether it changed something. */
bool view_set_focus(struct view *v, int pane);
void view_put(struct view *v, int pane, const char *session); /* the former one goes on, out of view */
/* A pane beside `pane`, which gets the focus.  0: no room (the layout has to be arranged), or too many panes.
 */
int view_split(struct view *v, int pane, bool right, const char *session);
bool view_close(struct view *v, int pane); /* false: it is the last one */
bool view_swap(struct view *v, int a, int b);
/* One pane for each session, in a named layout; the focus on the first. */
void view_fill(struct view *v, const char *const *sessions, size_t count, enum layout_kind kind);
/* Closes the panes whose session `exists` denies.  Returns how many panes are left; 0: none would be, nothing
 * was done. */
size_t view_prune(struct view *v, bool (*exists)(const char *session, void *user), void *user);
/* Whether focus, panes, sessions, zoom and the layout's text are the same: nothing to save, nothing to undo.
 */
bool view_equal(const struct view *a, const struct view *b);

struct json *view_to_json(const struct view *v);
struct view *view_from_json(const struct json *root, const char *file, struct err *err);

#endif
