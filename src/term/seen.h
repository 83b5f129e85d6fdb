/*
 * seen: history of the alternate screen.
 *
 * A program there repaints a page; what leaves the page is gone for a terminal.  So the page is held against
 * what it was when the frame before was complete (at the end of a synchronized update; for a program that
 * uses none, where output rests), and rows that left at the top of its scrolled part are appended to history,
 * marked ROW_SEEN.
 *
 * The text of a program is taken as one long list of rows: those in history (kept), then those that were seen
 * and are not kept.  The page is a window on it.  When the window moves up the list (somebody looks back),
 * rows that leave at its bottom are held; rows above the window are always kept, and no row is kept twice,
 * for what was kept is only counted.  How far the window moved is found in two ways:
 *
 * - most rows of a large part stand some lines further up or down than before (page.h);
 * - or the page was replaced, and its letters are found, broken anew or not, in the newest part of the list
 *   (seen_find.h): a jump, a resize.
 *
 * A page that is found by neither is something else: a menu, help, a new conversation.  The window is away
 * then, and what was not kept is held.  If the text comes back, the other page was passing and is forgotten;
 * if the other page is scrolled up, or a turn ends on it, it is the text from now on, and what is held is
 * appended before it.
 *
 * The rows of the text have numbers that they keep: those in history have theirs, and those that are not kept
 * follow (seen_text.c, term_text_rows in term.h).
 *
 * What cannot be known: what lies between two pages that have nothing in common, and a page that stood
 * between two such pages while no turn ended on it.  In a flood of updates (more of them than are parsed
 * before output rests) not each one is looked at.
 */
#ifndef HANDLER_TERM_SEEN_H
#define HANDLER_TERM_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "term/page.h"

struct letters;
struct term;

/* Rows that are not kept; with more of them the first ones are kept before they leave. */
enum { SEEN_HELD_MAX = 512, SEEN_BACK_MAX = 1 << 30 };

struct seen {
	struct page page; /* the last frame */
	struct frame frame;
	bool established;  /* what is on the page is text: rows of it have left, or a turn has ended on it */
	bool away;         /* the page shows something else than the text */
	bool synchronizes; /* the program says where a frame ends */
	bool gap; /* the first row that is not kept does not follow on those that are, as far as is known */
	int updates;    /* that have ended since output rested */
	int top;        /* first row of the scrolled part, -1: not known */
	int head_rows;  /* rows above the text, as they were last */
	int below_rows; /* rows below it, -1: not known */
	int foot_rows;  /* the same counted from the last row that is not blank, from before anything scrolled
			 */
	int cursor_row; /* -1: it was hidden */
	int left, right; /* columns that scroll; right 0: all */
	int from, to;    /* rows of the page that are of the text; none while it is away */
	int back;        /* so many rows of the text, from the page's first one on, are kept */
	size_t
	    skip; /* letters of the first row that is not kept which are in history, for it was broken anew */
	struct buf *held; /* rows that are not kept and not on the page, packed, in the order of the text */
	int held_count;
};

/* Where a frame stands in the text.  Rows that are not kept are numbered from 0. */
struct seen_place {
	int before, end; /* of them, those from `before` to `end` are in the frame */
	size_t cut;      /* letters of row `before` that stand before the frame */
	int back;        /* struct seen: of the frame */
	size_t skip;
};

void seen_finish(struct seen *s);
/* The alternate screen is shown, and a synchronized update has ended.  In a flood not each of them is looked
 * at. */
void seen_update_ended(struct term *t);
/* The alternate screen is shown, and all output that there is has been parsed. */
void seen_rest(struct term *t);
/* A turn of the program has ended: what is on the page is its result. */
void seen_turn(struct term *t);
/* The alternate screen is left.  `copied`: what is on it goes to the main screen. */
void seen_leave(struct term *t, bool copied);
/* The handles of the page's cells, before the table is swept. */
void seen_mark(struct term *t);

/* The rows [*from, *to) of the page are text that is not kept. */
void seen_text_on_page(const struct term *t, int *from, int *to);

/* --- for seen_find.c, seen_back.c, seen_text.c and save_screen.c --- */

/* A row's columns that scroll: from `left` up to this one, of so many. */
int seen_right(const struct seen *s, int cols);
/* The row's columns [from, to) as they go to history. */
void seen_pack(const struct term *t, const struct row *r, int from, int to, struct buf *out);
/* The first row of the text on the page or the frame, and the row behind it on a screen of so many rows, of
 * which the last ones from ink_end on are blank. */
int seen_body_top(const struct seen *s, bool of_page);
int seen_body_end(const struct seen *s, int rows, int ink_end, int below);
/* Rows that are not kept: how many, how many of them stand on the page (they come first), their end without
 * blank rows and remarks, a row as it goes to history, and letters. */
int seen_unkept(const struct seen *s);
int seen_unkept_on_page(const struct seen *s);
int seen_unkept_end(const struct term *t, int from);
void seen_unkept_pack(const struct term *t, int index, size_t letters, struct buf *out);
void seen_unkept_letters(const struct term *t, int index, struct letters *out);
void seen_hold(struct seen *s, int at, const void *packed, size_t len);

#endif
