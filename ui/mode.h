/*
 * mode: what keys, mouse and paste mean at the moment: a stack of dialogs above the panes, and the history of
 * a pane.
 *
 * A mode is one file with one constructor.  It sees the terminal through ui.h only.  Its surface is destroyed
 * before the terminal changes its size; `draw` makes it when it is missing.
 */
#ifndef HANDLER_UI_MODE_H
#define HANDLER_UI_MODE_H

#include "key/key.h"
#include "ui/compose.h"
#include "ui/display.h"

struct ui;
struct seat;
struct mode;

/* All but key, draw and leave may be NULL. */
struct mode_class {
	const char *name;                                 /* for messages and tests: "picker" */
	void (*key)(struct mode *m, const struct key *k); /* presses and repeats only */
	void (*mouse)(struct mode *m, const struct mouse *e);
	void (*paste)(struct mode *m, const char *text, size_t len);
	struct seat *(*typed_to)(
	    struct mode *m); /* where keys and pastes are passed on to; NULL: they are its own */
	void (*draw)(struct mode *m);
	void (*resized)(
	    struct mode *m); /* sizes will be others: destroy what surfaces there are but m->surface */
	void (*changed)(struct mode *m);                /* sessions came, went or changed */
	void (*screen)(struct mode *m, struct seat *s); /* a mirror has changed */
	void (*found)(struct mode *m, struct seat *s, uint32_t sequence, const struct json *found);
	/* Of a pane: what it shows instead of the live screen. */
	void (*view)(struct mode *m, struct pane_view *v);
	void (*mark)(struct mode *m);  /* table_mark_cells of what it holds (roster_sweep) */
	void (*leave)(struct mode *m); /* ends and frees it */
};

struct mode {
	const struct mode_class *class;
	struct ui *ui;
	struct mode *below;
	struct surface *surface;    /* of a dialog; destroyed by mode_finish */
	int cursor_row, cursor_col; /* where it wants the outer cursor, on the screen; row -1: nowhere */
	bool transient;     /* no dialog: the pane's cursor stays, a paste ends it and goes to the pane */
	const char *status; /* shown leftmost in the bottom line, NULL: nothing */
	enum theme_role status_role;
};

/* For constructors and `leave`. */
void mode_init(struct mode *m, const struct mode_class *class, struct ui *ui);
void mode_finish(struct mode *m);
/* The popup of a dialog, made when it is missing, cleared and framed; its inside is rows x cols at most. */
struct popup_key;
struct surface *mode_popup(
    struct mode *m, int rows, int cols, const char *title, const struct popup_key *keys, size_t count);
/* The cursor at a cell of the mode's surface. */
void mode_cursor(struct mode *m, int row, int col);
/* A mouse action within the mode's surface, relative to it. */
bool mode_inside(const struct mode *m, const struct mouse *e, int *row, int *col);

#endif
