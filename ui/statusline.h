/*
 * statusline: the bottom line: what was said last, or the sessions in one line, or hints; at its right the
 * keys. A pure function of a model.
 */
#ifndef HANDLER_UI_STATUSLINE_H
#define HANDLER_UI_STATUSLINE_H

#include "ui/sidebar.h"

struct statusline_key {
	const char *key;  /* "C-b ?" */
	const char *help; /* "keys"; NULL: none */
};

struct statusline {
	const char *mode; /* "COPY", "TYPING INTO ALL 3 PANES": leftmost, cannot be missed; NULL: none */
	enum theme_role mode_role;        /* ROLE_HISTORY, ROLE_WARNING */
	const char *message;              /* NULL: none; takes the place of sessions and hint */
	enum theme_role message_role;     /* ROLE_STATUS, ROLE_ERROR, ROLE_WARNING */
	const struct sidebar_item *items; /* the one-line form; count 0: not shown */
	size_t count;
	const char *hint; /* dim, when there is neither message nor item */
	const char *view; /* right of the middle */
	const struct statusline_key
	    *keys; /* at the right; dropped from the left end of them if there is no room */
	size_t key_count;
};

void statusline_draw(struct surface *s, int row, const struct statusline *m);
/* The session at a column of the line as drawn with this model and width; -1: none. */
int statusline_hit(const struct statusline *m, int cols, int col);

#endif
