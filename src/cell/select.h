/*
 * select: a selection over rows by their stable numbers, words, and the text of a selection.  Rows come
 * through a callback, so it is all the same whether they are history, a screen or a client's copy.
 */
#ifndef HANDLER_CELL_SELECT_H
#define HANDLER_CELL_SELECT_H

#include "cell/row.h"

struct position {
	uint64_t row; /* stable number */
	int col;
};

/* <0, 0, >0 in reading order. */
int position_compare(struct position a, struct position b);

struct row_source {
	/* The row, valid until the next call; NULL: not there (its text counts as empty). */
	const struct row *(*get)(void *context, uint64_t number);
	void *context;
	const struct cell_table *table; /* of the handles in the rows */
	uint64_t first, end;            /* rows [first, end) exist */
};

enum select_kind { SELECT_CHARACTERS, SELECT_WORDS, SELECT_LINES, SELECT_BLOCK };

/*
 * From `from` to `to`, both columns included, in reading order; of a block the corners are (from.row, left)
 * and (to.row, right).  `anchor` is where it began: extending keeps that, or the word there.
 */
struct selection {
	enum select_kind kind;
	struct position from, to;
	struct position anchor;
	struct position anchor_to; /* the end of the word at the anchor; SELECT_WORDS only */
	int left, right;           /* SELECT_BLOCK only */
};

/* `source` is asked for words only, and may be NULL for the other kinds. */
void select_start(
    struct selection *s, enum select_kind kind, struct position at, const struct row_source *source);
void select_extend(struct selection *s, struct position to, const struct row_source *source);
/* Another kind from the same anchor to the same point (v, V, C-v pressed during a selection). */
void select_change(
    struct selection *s, enum select_kind kind, struct position to, const struct row_source *source);

/*
 * The columns [*from, *to) of row `number` that are selected, out of `cols`; false: none.  `r` is the row's
 * content, so that wide cells are selected whole; NULL: unknown.
 */
bool select_columns(
    const struct selection *s, uint64_t number, const struct row *r, int cols, int *from, int *to);
/*
 * The selected text, appended.  Wrapped rows are joined (not in a block), blanks at the end of lines dropped,
 * lines divided by LF, none after the last.
 */
void select_text(const struct selection *s, const struct row_source *source, struct buf *out);

/*
 * What divides words besides blanks and box-drawing characters.  A path, a URL, an address are words; one
 * separator is a word of its own.
 */
#define SELECT_SEPARATORS "\"'`()[]{}<>|;,!*^\\"

/* The word (or run of blanks) at a position, over wrapped rows. */
void select_word(
    struct position at, const struct row_source *source, struct position *from, struct position *to);
/* Where w, e and b of vi lead from there; false: no further word. */
bool select_next_word(struct position *at, const struct row_source *source);
bool select_word_end(struct position *at, const struct row_source *source);
bool select_previous_word(struct position *at, const struct row_source *source);

#endif
