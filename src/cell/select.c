/* select: see select.h. */
#include "cell/select.h"

#include <limits.h>
#include <string.h>

enum {
	WORD_ROWS_MAX = 64, /* a word is not followed over more rows: text without blanks may have no end */
	MOTION_ROWS_MAX = 4096 /* nor is the next word looked for beyond this many */
};

int position_compare(struct position a, struct position b)
{
	if (a.row != b.row)
		return a.row < b.row ? -1 : 1;
	return a.col < b.col ? -1 : a.col > b.col;
}

/* --- walking over cells --- */

enum word_class { CLASS_BLANK, CLASS_SEPARATOR, CLASS_WORD };

enum step { STEP_CELL, STEP_LINE /* onto another line */, STEP_EDGE /* nothing there */ };

/* A place in the text, with its row at hand. */
struct walker {
	const struct row_source *source;
	struct position at;
	const struct row *row;
	int end; /* of the row's text */
};

static void walker_load(struct walker *w)
{
	w->row = w->source->get(w->source->context, w->at.row);
	w->end = w->row ? row_text_end(w->row) : 0;
}

static bool is_tail(const struct row *r, int col)
{
	return r && col > 0 && col < r->cols && r->cells[col].glyph & GLYPH_TAIL;
}

static struct walker walker_at(const struct row_source *source, struct position at)
{
	struct walker w = {.source = source, .at = at};

	walker_load(&w);
	if (is_tail(w.row, at.col))
		w.at.col--;
	return w;
}

static enum step walker_forward(struct walker *w)
{
	bool wrapped = w->row && w->row->flags & ROW_WRAPPED;
	int col = w->at.col + 1;

	if (is_tail(w->row, col))
		col++;
	if (col < w->end) {
		w->at.col = col;
		return STEP_CELL;
	}
	if (w->at.row + 1 >= w->source->end)
		return STEP_EDGE;
	w->at = (struct position){.row = w->at.row + 1, .col = 0};
	walker_load(w);
	return wrapped ? STEP_CELL : STEP_LINE;
}

static enum step walker_backward(struct walker *w)
{
	enum step step = STEP_CELL;
	int col = w->at.col < w->end ? w->at.col : w->end;

	if (col == 0) {
		if (w->at.row <= w->source->first)
			return STEP_EDGE;
		w->at.row--;
		walker_load(w);
		col = w->end > 0 ? w->end : 1;
		step = w->row && w->row->flags & ROW_WRAPPED ? STEP_CELL : STEP_LINE;
	}
	w->at.col = is_tail(w->row, col - 1) ? col - 2 : col - 1;
	return step;
}

static enum word_class walker_class(const struct walker *w)
{
	uint32_t glyph;

	if (w->at.col >= w->end)
		return CLASS_BLANK;
	glyph = w->row->cells[w->at.col].glyph & ~GLYPH_WIDE;
	if (glyph == 0 || glyph == ' ' || glyph == 0x3000)
		return CLASS_BLANK;
	if (glyph < 0x80)
		return strchr(SELECT_SEPARATORS, (int)glyph) ? CLASS_SEPARATOR : CLASS_WORD;
	return glyph >= 0x2500 && glyph <= 0x259f ? CLASS_SEPARATOR : CLASS_WORD;
}

/* As far as cells of one class go; separators do not join. */
static struct position run_end(struct walker w, enum step (*step)(struct walker *))
{
	enum word_class class = walker_class(&w);
	struct position last = w.at;
	uint64_t row = w.at.row;

	while (class != CLASS_SEPARATOR && step(&w) == STEP_CELL && walker_class(&w) == class &&
	       (w.at.row > row ? w.at.row - row : row - w.at.row) < WORD_ROWS_MAX)
		last = w.at;
	return last;
}

void select_word(
    struct position at, const struct row_source *source, struct position *from, struct position *to)
{
	struct walker w = walker_at(source, at);

	*from = run_end(w, walker_backward);
	*to = run_end(w, walker_forward);
	/* Beyond the text there is one run of blanks to the end of the row. */
	if (w.at.col >= w.end) {
		*from = (struct position){.row = at.row, .col = w.end};
		*to = at;
	}
	w = walker_at(source, *to);
	if (is_tail(w.row, to->col + 1))
		to->col++;
}

/* Over blanks and line ends to the first cell that is neither; false if there is none. */
static bool skip_blanks(struct walker *w, enum step (*step)(struct walker *))
{
	uint64_t row = w->at.row;

	while (walker_class(w) == CLASS_BLANK) {
		if (step(w) == STEP_EDGE ||
		    (w->at.row > row ? w->at.row - row : row - w->at.row) > MOTION_ROWS_MAX)
			return false;
	}
	return true;
}

bool select_next_word(struct position *at, const struct row_source *source)
{
	struct walker w = walker_at(source, *at);

	w = walker_at(source, run_end(w, walker_forward));
	if (walker_forward(&w) == STEP_EDGE || !skip_blanks(&w, walker_forward))
		return false;
	*at = w.at;
	return true;
}

bool select_word_end(struct position *at, const struct row_source *source)
{
	struct walker w = walker_at(source, *at);

	if (walker_forward(&w) == STEP_EDGE || !skip_blanks(&w, walker_forward))
		return false;
	*at = run_end(w, walker_forward);
	return true;
}

bool select_previous_word(struct position *at, const struct row_source *source)
{
	struct walker w = walker_at(source, *at);

	if (walker_backward(&w) == STEP_EDGE || !skip_blanks(&w, walker_backward))
		return false;
	*at = run_end(w, walker_backward);
	return true;
}

/* --- selections --- */

static struct position earlier(struct position a, struct position b)
{
	return position_compare(a, b) <= 0 ? a : b;
}

static struct position later(struct position a, struct position b)
{
	return position_compare(a, b) <= 0 ? b : a;
}

void select_start(
    struct selection *s, enum select_kind kind, struct position at, const struct row_source *source)
{
	*s = (struct selection){.kind = kind, .anchor = at, .anchor_to = at};
	if (kind == SELECT_WORDS)
		select_word(at, source, &s->anchor, &s->anchor_to);
	select_extend(s, at, source);
}

void select_extend(struct selection *s, struct position to, const struct row_source *source)
{
	struct position from = to;

	if (s->kind == SELECT_WORDS)
		select_word(to, source, &from, &to);
	s->from = earlier(s->anchor, from);
	s->to = later(s->kind == SELECT_WORDS ? s->anchor_to : s->anchor, to);
	s->left = s->anchor.col < to.col ? s->anchor.col : to.col;
	s->right = s->anchor.col < to.col ? to.col : s->anchor.col;
	if (s->kind == SELECT_LINES) {
		s->from.col = 0;
		s->to.col = INT_MAX - 1;
	}
}

void select_change(
    struct selection *s, enum select_kind kind, struct position to, const struct row_source *source)
{
	select_start(s, kind, s->anchor, source);
	select_extend(s, to, source);
}

bool select_columns(
    const struct selection *s, uint64_t number, const struct row *r, int cols, int *from, int *to)
{
	bool block = s->kind == SELECT_BLOCK;

	if (number < s->from.row || number > s->to.row)
		return false;
	*from = block ? s->left : number == s->from.row ? s->from.col : 0;
	*to = block ? s->right + 1 : number == s->to.row ? s->to.col + 1 : cols;
	if (*to > cols)
		*to = cols;
	if (is_tail(r, *from))
		--*from;
	if (*to < cols && is_tail(r, *to))
		++*to;
	return *from < *to;
}

/* Appends what is selected of one row; true if the text goes on in the next row without a line end. */
static bool add_row_text(
    const struct selection *s, const struct row_source *source, uint64_t number, struct buf *out)
{
	const struct row *r = source->get(source->context, number);
	int from, to, end;

	if (!r)
		return false;
	end = row_text_end(r);
	if (select_columns(s, number, r, r->cols, &from, &to))
		row_text(r, source->table, from, to < end ? to : end, s->kind == SELECT_BLOCK, out);
	return s->kind != SELECT_BLOCK && r->flags & ROW_WRAPPED;
}

void select_text(const struct selection *s, const struct row_source *source, struct buf *out)
{
	uint64_t first = s->from.row > source->first ? s->from.row : source->first;
	bool joined = true;

	for (uint64_t n = first; n <= s->to.row && n < source->end; n++) {
		if (!joined)
			buf_addc(out, '\n');
		joined = add_row_text(s, source, n, out);
	}
}
