/*
 * page: a frame of the alternate screen that is remembered, and what the next frame has made of it: which
 * rows changed, and whether a part of the screen was scrolled.  Pure but for the memory of the page.
 *
 * What is recognised is text (letters.h): a spinner that turns or a colour that changes is no change.
 */
#ifndef HANDLER_TERM_PAGE_H
#define HANDLER_TERM_PAGE_H

#include "cell/row.h"

/* What is known of a row of the page. */
enum page_state {
	PAGE_COUNTING = 1 << 0, /* a number in it has changed: a title, a spinner's remark, a footer */
};

struct page_row {
	struct row row;
	const struct row *seen_at; /* the screen's row that it is a copy of; NULL: unknown */
	uint64_t text;             /* letters_of; 0: none */
	uint8_t state;             /* enum page_state */
};

struct page {
	int rows, cols; /* 0: there is none */
	struct page_row *row;
	uint64_t clock; /* of the screen when it was copied: a row at seen_at with no higher version is the
			   same */
};

/* The screen that is held against a page; what was found out about it. */
struct frame {
	struct row *const *row;
	int rows, cols, room;
	const struct cell_table *table;
	uint64_t *text;  /* of each row: letters_of */
	bool *changed;   /* its cells are others than the page's in this place */
	bool *rewritten; /* its text is */
	int *origin;     /* the row of the page that has the text of a rewritten one, else -1 */
	uint8_t *state;  /* for the caller: what becomes the page's */
	int rewrites;    /* rewritten rows */
	bool *left;      /* by row of the page: its text was rewritten, and is nowhere in the frame */
	int left_rows;   /* how many of them there are */
	int left_room;
};

/* Of blank rows that nothing is known of. */
void page_make(struct page *p, int rows, int cols);
void page_finish(struct page *p);
bool page_rows_equal(const struct row *a, const struct row *b); /* cell for cell */
void frame_finish(struct frame *f);

/* Fills the frame in.  false: no row has changed. */
bool frame_look(struct frame *f, const struct page *p, struct row *const *row, int rows, int cols,
    const struct cell_table *table);

/*
 * Rows [top, before) of the page have become rows [top, bottom) of the frame, moved up by `lines` (down if
 * negative): in an upward one the `lines` rows from top on have left and those above bottom have come; in a
 * downward one those above `before` have left, and those from top on have come.  Only columns [left, right)
 * moved: what is beside them stayed (a sidebar, a scroll bar).
 */
struct movement {
	int lines, top, before, bottom, left, right;
	int rows; /* so many speak for it */
	/* top and bottom may be larger, up to these: the rows between are equal, like blank ones */
	int top_most, bottom_most;
	/* the same with left, and with right, that may be smaller */
	int left_most, right_least;
};

void movement_set_bottom(struct movement *m, const struct page *p, const struct frame *f, int bottom);
/* Whether a large part of the screen was scrolled.  left, right: the columns that moved before; right 0:
 * none. */
bool page_moved(const struct page *p, const struct frame *f, int left, int right, struct movement *out);
/* Whether text of the page reached down to what stands below it, or text came below what moved up: else rows
 * in the middle of the text went away, and the rest of it closed up. */
bool page_went_on(const struct page *p, const struct frame *f, const struct movement *m);
/* Rows at the bottom that are the same in both: what a program keeps below its text. */
int page_fixed_rows(const struct page *p, const struct frame *f);
/* The same counted from the last row that is not blank, which may stand elsewhere; -1: there is none, or no
 * text is new above it. */
int page_foot_rows(const struct page *p, const struct frame *f);
/* The row behind the last one that is not blank. */
int page_ink_end(const struct page *p);
int frame_ink_end(const struct frame *f);
/* Whether two rows are nearly the same: a counter in it went on. */
bool page_rows_similar(const struct row *a, const struct row *b, int from, int to);

/* Whether two rows differ in numbers alone. */
bool page_rows_count(const struct row *a, const struct row *b);

/* The frame is the page from now on, with f->state. */
void page_take(struct page *p, const struct frame *f, uint64_t clock);

#endif
