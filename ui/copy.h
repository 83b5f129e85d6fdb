/*
 * copy: looking through a session's history: a frozen screen with the rows above it, a cursor, a selection.
 *
 * The screen is copied at the start, so it stands still while the program goes on.  Rows of the history are
 * asked for through a callback and may be missing for a while; copy_wanted says which are needed.  Pure: no
 * link, no surface. Rows have their stable numbers (cell/screen.h).
 */
#ifndef HANDLER_UI_COPY_H
#define HANDLER_UI_COPY_H

#include "cell/rebreak.h"
#include "ui/compose.h"
#include "ui/frozen.h"

/* clang-format off */
/* id, keys of both tables, of vi alone, of emacs alone, help */
#define COPY_ACTIONS(X) \
	X(COPY_UP, "Up", "k", "C-p", "up") \
	X(COPY_DOWN, "Down", "j", "C-n", "down") \
	X(COPY_LEFT, "Left", "h", "C-b", "left") \
	X(COPY_RIGHT, "Right", "l", "C-f", "right") \
	X(COPY_PAGE_UP, "PPage", "C-b", "M-v", "a page up") \
	X(COPY_PAGE_DOWN, "NPage", "C-f", "C-v", "a page down") \
	X(COPY_HALF_UP, "C-u", "", "M-Up", "half a page up") \
	X(COPY_HALF_DOWN, "C-d", "", "M-Down", "half a page down") \
	X(COPY_SCROLL_UP, "C-Up", "C-y", "", "scroll up, the cursor stays") \
	X(COPY_SCROLL_DOWN, "C-Down", "C-e", "", "scroll down, the cursor stays") \
	X(COPY_FIRST, "g", "", "M-<", "to the oldest line") \
	X(COPY_LAST, "G", "", "M->", "to the newest line") \
	X(COPY_TOP, "H", "", "M-R", "to the top of the pane") \
	X(COPY_MIDDLE, "M", "", "M-r", "to the middle of the pane") \
	X(COPY_BOTTOM, "L", "", "", "to the bottom of the pane") \
	X(COPY_LINE_START, "Home 0", "", "C-a", "to the start of the line") \
	X(COPY_LINE_TEXT, "^", "", "M-m", "to the first text of the line") \
	X(COPY_LINE_END, "End $", "", "C-e", "to the end of the line") \
	X(COPY_WORD_NEXT, "w", "", "M-f", "to the next word") \
	X(COPY_WORD_END, "e", "", "", "to the end of the word") \
	X(COPY_WORD_BACK, "b", "", "M-b", "to the word before") \
	X(COPY_SELECT, "Space v", "", "C-Space", "begin a selection, or end it") \
	X(COPY_SELECT_LINES, "V", "", "", "select whole lines") \
	X(COPY_SELECT_BLOCK, "", "C-v", "R", "select a rectangle") \
	X(COPY_OTHER_END, "o", "", "C-x", "the other end of the selection") \
	X(COPY_TAKE, "y Enter", "", "C-w M-w", "copy the selection and leave") \
	X(COPY_SEARCH, "/", "", "C-s", "search forward") \
	X(COPY_SEARCH_BACK, "?", "", "C-r", "search backward") \
	X(COPY_NEXT, "n", "", "", "search again") \
	X(COPY_PREVIOUS, "N", "", "", "search again in the other direction") \
	X(COPY_LEAVE, "q Escape C-c", "", "C-g", "leave")
/* clang-format on */

enum copy_action {
#define X(id, both, vi, emacs, help) id,
	COPY_ACTIONS(X)
#undef X
	    COPY_ACTION_COUNT,
	COPY_NO_ACTION = -1
};

enum copy_action copy_action_of(const struct key *k, bool vi);
/* The keys of an action in one of the tables, appended ("Up k"), and what it does. */
void copy_action_keys(enum copy_action a, bool vi, struct buf *out);
const char *copy_action_help(enum copy_action a);
/* The table as handler-keys(7) holds it: keys of both, of vi, of emacs, what they do. */
void copy_actions_print(struct buf *out);

struct copy;

/* history: a row below screen->top.  rows: of the pane; cols: of the lines to show, its own or those of a
 * narrower session.  The cursor starts at the program's. */
struct copy *copy_create(
    const struct screen *screen, int rows, int cols, frozen_history *history, void *context);
void copy_destroy(struct copy *c);
void copy_resize(struct copy *c, int rows, int cols);
/* The oldest row that the session still keeps. */
void copy_set_first(struct copy *c, uint64_t first);
void copy_mark_cells(
    const struct copy *c); /* before a sweep of the table: table_mark_cells of what it holds */

/* false: there is nothing to do (already at the end).  Only the actions that move, scroll or select. */
bool copy_do(struct copy *c, enum copy_action a);
bool copy_scroll(struct copy *c, int rows);           /* down if positive; the cursor comes along */
bool copy_at_bottom(const struct copy *c);            /* shows the newest rows */
void copy_move_to(struct copy *c, struct position p); /* cursor, scrolled into view */
/* A selection of a kind that begins at a position; copy_extend moves its other end, and the cursor. */
void copy_select(struct copy *c, enum select_kind kind, struct position at);
void copy_extend(struct copy *c, struct position to);
const struct selection *copy_selection(const struct copy *c); /* NULL: nothing is selected */

struct position copy_cursor(const struct copy *c);
/* What is shown: fills screen, scrolled, first, history, context, selection and copy_cursor of *v. */
void copy_view(const struct copy *c, struct pane_view *v);
/* Rows that lie below what is shown, and how many it can be at most. */
void copy_place(const struct copy *c, uint64_t *below, uint64_t *total);
/* Rows that are needed and not here, to be asked for; false: none. */
bool copy_wanted(struct copy *c, uint64_t *from, uint32_t *count);
/* All rows, those that are not here as NULL; and those in view: [first, end). */
struct row_source copy_source(const struct copy *c);
struct rebreak copy_lines(const struct copy *c); /* the same as lines of the width that is shown */
void copy_shown(const struct copy *c, uint64_t *first, uint64_t *end);
uint64_t copy_top(const struct copy *c); /* rows from here on are the frozen screen's */

/*
 * Gathering the selected text as its rows come: call copy_gather until it returns true.  false: *missing is a
 * row that has to come first; if it cannot come, call copy_gather_skip.
 */
struct copy_gather {
	struct selection selection;
	uint64_t next;
	bool joined; /* the row before goes on in `next` */
	struct buf text;
};
bool copy_gather_begin(const struct copy *c, struct copy_gather *g); /* false: nothing is selected */
bool copy_gather(const struct copy *c, struct copy_gather *g, uint64_t *missing);
void copy_gather_skip(struct copy_gather *g);

#endif
