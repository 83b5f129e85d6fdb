/*
 * sidebar: the list of all sessions at the left, and its one-line form at the foot.  Pure functions of a
 * model.
 *
 * Two rows a session: number, state, name, age; below, dim: the reason, else title, else agent.  One row each
 * when there is not room for two.  Items come in the order in which they are to be shown; groups get a
 * heading.
 */
#ifndef HANDLER_UI_SIDEBAR_H
#define HANDLER_UI_SIDEBAR_H

#include "harness/status.h"
#include "ui/display.h"

enum { SIDEBAR_COLS = 28 }; /* the divider at its right included */

struct sidebar_item {
	int number;
	const char *name; /* sanitized, as all texts */
	const char *agent;
	const char *text;  /* reason or title; NULL or "": the agent is shown */
	const char *age;   /* "3m"; NULL: none */
	const char *group; /* heading it stands under, or NULL */
	enum session_state state;
	const char *word; /* the state in words, in place of its symbol; NULL: the symbol */
	bool focused;     /* in the pane with the focus */
	bool shown;       /* in some pane of this view */
	bool bell;        /* rang since it was last looked at */
	int left;         /* processes that outlived it */
	int queued;       /* prompts that wait to be given */
};

struct sidebar {
	const struct sidebar_item *items;
	size_t count;
	const char *view;  /* name of the view, in the title line */
	const char *empty; /* said when there is no item */
	size_t top;        /* first item shown: sidebar_follow */
	size_t ended;      /* sessions that have ended, which the last row folds or unfolds; 0: no such row */
	bool unfolded;     /* they are among the items */
	size_t cursor;     /* item chosen while the sidebar has the keys; count: none */
};

/* `top` moved by as little as needed for the focused item (or the cursor) to be in view on a surface of
 * `rows` rows. */
size_t sidebar_follow(const struct sidebar *b, int rows);
void sidebar_draw(struct surface *s, const struct sidebar *b);
/* The item drawn at a row; -1: none. */
int sidebar_hit(const struct sidebar *b, int rows, int row);
bool sidebar_hits_fold(const struct sidebar *b, int rows, int row);

/*
 * `1!api 2*web 3.docs`: those that wait first, then by number; into at most `columns` columns of a row; what
 * does not fit is counted ("+4").  Returns the columns used.  sidebar_line_hit: the item at a column of it,
 * -1: none.
 */
int sidebar_line(
    struct surface *s, int row, int col, int columns, const struct sidebar_item *items, size_t count);
int sidebar_line_columns(const struct sidebar_item *items, size_t count); /* that all of them would take */
int sidebar_line_hit(const struct sidebar_item *items, size_t count, int columns, int at);

/* "2 need you, 1 done": the summary of what waits, "" if nothing does. */
void sidebar_summary(const struct sidebar_item *items, size_t count, struct buf *out);

#endif
