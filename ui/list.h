/*
 * list: items to choose from, with a filter: pickers, menus, completions, the key table, the palette.
 *
 * Items are copied.  The filter's words must all be found in an item's text or detail, each as a subsequence;
 * better matches (starts of words, runs) come first, ties stay in the given order.  The selection stays on
 * its item when the items are given again (by id), else on its place.  Pure but for list_draw.
 */
#ifndef HANDLER_UI_LIST_H
#define HANDLER_UI_LIST_H

#include "key/key.h"
#include "ui/theme.h"

struct surface;
struct list;

struct list_item {
	uint64_t id;        /* the caller's: stays the same for the same thing */
	const char *symbol; /* one column before the text, NULL: none */
	enum theme_role symbol_role;
	const char *text;   /* sanitized, as all here */
	const char *detail; /* dim, after the text; or NULL */
	const char *right;  /* at the right border (a key, an age); or NULL */
	bool disabled;      /* shown dim, cannot be chosen, not skipped: its detail says why */
	bool heading;       /* a line between groups: not selectable, hidden while a filter is set */
};

struct list *list_create(void);
void list_destroy(struct list *l);
void list_set_items(struct list *l, const struct list_item *items, size_t count);
void list_set_filter(struct list *l, const char *text); /* "": all */
size_t list_count(const struct list *l);                /* that match, headings not counted */
size_t list_total(const struct list *l);                /* of the items given, headings not counted */
bool list_selected(
    const struct list *l, struct list_item *out); /* false: nothing matches; strings are borrowed */
bool list_select(struct list *l, uint64_t id);
void list_move(struct list *l, int step, bool wrap);
/* Up, Down, C-p, C-n, PageUp, PageDown, Home and End (with C-), wheel is the caller's.  Whether it was one of
 * these. */
bool list_key(struct list *l, const struct key *k, int rows);

/* Draws into rows x cols cells; the selection is kept in view.  empty (may be NULL): said when nothing
 * matches. */
void list_draw(struct list *l, struct surface *s, int row, int col, int rows, int cols, const char *empty);
/* The item drawn last at a row of it (0-based), selected by that; false: none there. */
bool list_click(struct list *l, int row);

#endif
