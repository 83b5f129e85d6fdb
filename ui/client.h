/*
 * client: the curses client: `handler terminal`, `handler attach`, `handler` alone.
 *
 * One process, one terminal, one loop.  It can be ended at any moment without any session noticing.
 */
#ifndef HANDLER_UI_CLIENT_H
#define HANDLER_UI_CLIENT_H

#include "ui/layout.h"

struct ui_options {
	const char *const
	    *sessions; /* ids to show side by side, the focus on the first; count 0: the view used last */
	size_t session_count;
	enum layout_kind layout;
	bool layout_given;  /* else columns, or what fits */
	bool single;        /* attach: one session full size, no sidebar, no view is saved */
	bool detach_others; /* attach -d: other terminals let go of it */
	bool stdin_taken;   /* standard input was read as a prompt: use the controlling terminal */
	const char *color;  /* --color; NULL: the configuration's */
	const char *self;   /* absolute path of our own binary */
	/* Sessions that are still being started: asked once, before they or the terminal are touched, whether
	 * they run; *note: a sentence to show at first, or NULL.  -1 with err: so does ui_run.  NULL: they
	 * run. */
	int (*ready)(void *user, const char **note, struct err *err);
	void *ready_user;
};

/* Returns when the terminal has been given back.  What goes on and how to return is printed to standard
 * output. */
int ui_run(const struct ui_options *o, struct err *err);
/*
 * The sizes (cells) that `count` sessions will have when ui_run shows them side by side on the terminal that
 * standard output or input is, beside `listed` others that the sidebar lists; so that a program is started
 * with the size that it will keep.  false: there is no terminal, or no room.
 */
struct ui_pane_size {
	int rows, cols;
};
bool ui_pane_sizes(const struct ui_options *o, size_t listed, struct ui_pane_size *sizes, size_t count);

#endif
