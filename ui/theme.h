/*
 * theme: the styles of what the front-end itself draws, by role; for dark and light backgrounds, and with
 * attributes alone (mono, NO_COLOR).  Colours are the palette's first 16 where they carry meaning, so that
 * they follow the user's own.
 */
#ifndef HANDLER_UI_THEME_H
#define HANDLER_UI_THEME_H

#include <stdbool.h>

#include "cell/style.h"

/* role, what it is for */
#define THEME_ROLES(X)                                                                                       \
	X(ROLE_TEXT, "text of dialogs and lists")                                                            \
	X(ROLE_DIM, "secondary text")                                                                        \
	X(ROLE_TITLE, "titles of dialogs and panes")                                                         \
	X(ROLE_TITLE_FOCUSED, "title of the pane with the focus")                                            \
	X(ROLE_BORDER, "lines between panes")                                                                \
	X(ROLE_BORDER_FOCUSED, "lines of the pane with the focus")                                           \
	X(ROLE_STATUS, "the bottom line")                                                                    \
	X(ROLE_STATUS_KEY, "keys named in the bottom line")                                                  \
	X(ROLE_SELECTED, "the selected item")                                                                \
	X(ROLE_INPUT, "text being edited")                                                                   \
	X(ROLE_ERROR, "errors")                                                                              \
	X(ROLE_WARNING, "warnings, the guard of typing into all panes")                                      \
	X(ROLE_WORKING, "state: working")                                                                    \
	X(ROLE_NEEDS, "state: needs you")                                                                    \
	X(ROLE_DONE, "state: done")                                                                          \
	X(ROLE_IDLE, "state: idle and unknown")                                                              \
	X(ROLE_ENDED, "state: ended")                                                                        \
	X(ROLE_SELECTION, "selected text in history")                                                        \
	X(ROLE_MATCH, "search hits")                                                                         \
	X(ROLE_MATCH_CURRENT, "the search hit at the cursor")                                                \
	X(ROLE_HISTORY, "the mark of a pane that shows history")                                             \
	X(ROLE_FILL, "the part of a pane that the session does not fill")

enum theme_role {
	ROLE_NONE = -1,
#define X(role, help) role,
	THEME_ROLES(X)
#undef X
	    ROLE_COUNT
};

/* Styles for a dark or light background; `mono`: attributes only. */
const struct style *theme_style(enum theme_role role, bool dark, bool mono);
const char *theme_role_name(enum theme_role role);

/*
 * `over` laid over `base`: its colours and underline where it has some, its attributes added; reverse on top
 * of reverse shows plain, so that a selection is seen on any text.
 */
struct style theme_merge(const struct style *base, const struct style *over);

#endif
