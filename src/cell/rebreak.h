/*
 * rebreak: rows of any width, shown as lines of one width.  Nothing is moved or copied: rows keep their
 * numbers and a place stays (row, column), whatever the width it is looked at with.
 *
 * The rule: a logical line is a row and those that its text goes on in (ROW_WRAPPED).  Its text is laid into
 * lines of `width` columns one after the other, none of them longer, no wide character cut in two.  What is
 * not text does not count: the column left blank before a wide character that had no room, and the blanks
 * that trail behind the last row's text; those are shown as far as there is room.  A row that is not there is
 * an empty line.  A row of a page of the alternate screen (ROW_SEEN) and a mark go on with nothing.
 *
 * However long a text is, only some rows are looked at: a logical line is cut before a row whose number is a
 * multiple of REBREAK_ROWS, when that many rows before it belong to the line, too.  So where lines begin does
 * not depend on where one begins to look.
 */
#ifndef HANDLER_CELL_REBREAK_H
#define HANDLER_CELL_REBREAK_H

#include "cell/select.h"

enum { REBREAK_ROWS = 128 /* of one logical line; it may be less than twice as many */ };

struct rebreak {
	/* Of a wrapped row it gives as many columns as the screen had, or as are in use. */
	struct row_source source;
	int width;         /* less than 2 counts as 2 */
	uint64_t unbroken; /* rows from here on stand on a screen of this width: each is a line as it is */
};

/* One line of that width. */
struct visual {
	struct position from; /* its first cell */
	struct position to;   /* behind its last one, in the same row as that */
	struct position next; /* where the line after it begins; its row is source.end behind the last */
	int columns;          /* of text */
	bool goes_on;         /* `next` is of the same logical line */
};

/* The line that shows a place; a place beyond the text is in the last line of its row's. */
struct visual visual_at(const struct rebreak *b, struct position at);
/* The line that begins at this very place. */
struct visual visual_from(const struct rebreak *b, struct position from);
/* By up to n lines; they return by how many. */
int visual_forward(const struct rebreak *b, struct visual *v, int n);
int visual_back(const struct rebreak *b, struct visual *v, int n);
/* How many lines the logical line of a row has. */
int visual_count(const struct rebreak *b, uint64_t row);

/* The column of a place in its line, at most the last one; and the place at a column: of a wide character its
 * first column, beyond a line that goes on the last character. */
int visual_column(const struct rebreak *b, const struct visual *v, struct position at);
struct position visual_position(const struct rebreak *b, const struct visual *v, int column);

/* What a line is made of: columns of rows.  The last one of a logical line holds the blanks behind it, too.
 */
struct visual_piece {
	uint64_t row;
	int from, columns; /* of the row */
	int at;            /* the line's column where it is shown */
};
struct visual_piece visual_piece(const struct rebreak *b, const struct visual *v);
bool visual_next_piece(const struct rebreak *b, const struct visual *v, struct visual_piece *p);

/*
 * Selections in lines of this width.  After select_start, select_extend or select_change to a place: whole
 * lines are those shown, and a block's corners are columns of them.
 */
void visual_fit_selection(const struct rebreak *b, struct selection *s, struct position to);
/* The columns [*from, *to) of a piece's row that are selected; false: none. */
bool visual_selected(const struct rebreak *b, const struct selection *s, const struct visual *v,
    const struct visual_piece *p, int *from, int *to);

#endif
