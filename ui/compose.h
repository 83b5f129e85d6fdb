/*
 * compose: what a pane shows: the title line and, below it, a session's screen or a part of its history.
 *
 * A canvas owns the surface of one pane and remembers what it drew there, so that only rows that changed are
 * drawn again.  Row 0 of the surface is the title line, the rest the content (layout.h).  What is shown
 * (mirror, history rows, selection, hits) is the caller's and borrowed for the duration of a call. Must not
 * know: sockets, keys, the layout.
 */
#ifndef HANDLER_UI_COMPOSE_H
#define HANDLER_UI_COMPOSE_H

#include "cell/screen.h"
#include "cell/search.h"
#include "cell/select.h"
#include "harness/status.h"
#include "ui/display.h"
#include "ui/layout.h"

/* A state as a person sees it: never by colour alone. */
struct state_look {
	const char *symbol; /* one column */
	char letter;        /* the same in ASCII, for the one-line form */
	enum theme_role role;
	const char *word; /* "needs you", "working", ... */
};
const struct state_look *state_look(enum session_state state);

struct pane_title {
	int number;          /* of the session; 0: none */
	const char *name;    /* sanitized, as all texts here; NULL or "": left out */
	const char *harness; /* what runs in it: agent or harness */
	const char *text;    /* the reason, else the program's title */
	enum session_state state;
	const char *word; /* the state in words, in place of its symbol; NULL: the symbol */
	bool focused;
	bool unconfined; /* `no sandbox` */
	bool zoomed;
	bool input_all;    /* typed keys reach it along with others (prefix S) */
	const char *badge; /* e.g. "mirror", "history"; NULL: none */
	enum theme_role badge_role;
};

struct pane_view {
	const struct screen *screen; /* the mirror; NULL: nothing has come yet */
	bool scrolled;         /* shows lines of `width` columns from `first` on instead of the live screen */
	struct position first; /* where the first line shown begins (cell/rebreak.h) */
	int width;
	/* A row of history by its number; NULL: not here yet.  Rows >= screen->top come from the screen. */
	const struct row *(*history)(void *context, uint64_t number);
	void *context;
	const struct selection *selection;  /* NULL: none */
	const struct search_match *matches; /* search_matches of the rows shown */
	size_t match_count;
	const struct search_match *current; /* the one at the cursor, or NULL; need not be among them */
	/* The cursor of the history mode; NULL: the program's is shown. */
	const struct position *copy_cursor;
	const char *message; /* in the middle of the pane while screen is NULL ("starting ...") */
	bool dim;            /* has ended, or is not connected */
};

struct canvas;

struct canvas *canvas_create(struct display *d, struct rect at);
void canvas_destroy(struct canvas *c);
void canvas_forget(struct canvas *c); /* draw everything again next time: theme or mirror replaced */
struct rect canvas_content(const struct canvas *c); /* on the screen, without the title line */
void canvas_title(struct canvas *c, const struct pane_title *t);
void compose_title(struct surface *s, const struct pane_title *t); /* in its first row */
void canvas_draw(struct canvas *c, const struct pane_view *v);
/* Where the view's cursor lies on the screen; false: it is hidden or outside. */
bool canvas_cursor(const struct canvas *c, const struct pane_view *v, int *row, int *col);
/*
 * The place in the session that is shown at a cell of the screen (for the mouse), clamped to the content when
 * `clamp`; false: the cell is not in the content, or the session has nothing there.
 */
bool canvas_place(
    const struct canvas *c, const struct pane_view *v, int row, int col, bool clamp, struct position *out);
/* The big number of prefix q, drawn over the content until the next canvas_draw. */
void canvas_number(struct canvas *c, int number, bool focused);

/*
 * A session larger than its pane is seen through a viewport that follows the cursor by as little as needed.
 * *row and *col are moved (start with 0, 0).
 */
void viewport_follow(const struct screen *s, int rows, int cols, int *row, int *col);

/* The lines between panes, on a surface that covers the layout's area; those beside `focused` (0: none) stand
 * out. */
void compose_dividers(struct surface *s, const struct layout *l, struct rect area, int focused);

#endif
