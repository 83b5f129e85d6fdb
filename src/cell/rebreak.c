/* rebreak: see rebreak.h. */
#include "cell/rebreak.h"

#include <limits.h>

static const struct row *row_at(const struct rebreak *b, uint64_t number)
{
	if (number < b->source.first || number >= b->source.end)
		return NULL;
	return b->source.get(b->source.context, number);
}

static int width_of(const struct rebreak *b)
{
	return b->width < 2 ? 2 : b->width;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static bool is_tail(const struct row *r, int col)
{
	return r && col > 0 && col < r->cols && r->cells[col].glyph & GLYPH_TAIL;
}

/* --- logical lines --- */

static bool wraps(const struct rebreak *b, uint64_t number)
{
	const struct row *r = number + 1 < b->unbroken ? row_at(b, number) : NULL;

	if (!r || !(r->flags & ROW_WRAPPED))
		return false;
	r = row_at(b, number + 1);
	return r && !(r->flags & (ROW_SEEN | ROW_MARK));
}

/* Whether REBREAK_ROWS rows lead to this one. */
static bool is_long(const struct rebreak *b, uint64_t number)
{
	for (uint64_t i = 1; i <= REBREAK_ROWS; i++) {
		if (number < i || !wraps(b, number - i))
			return false;
	}
	return true;
}

/* Whether the row after this one is of the same logical line. */
static bool joins(const struct rebreak *b, uint64_t number)
{
	return wraps(b, number) && ((number + 1) % REBREAK_ROWS != 0 || !is_long(b, number + 1));
}

static uint64_t line_first(const struct rebreak *b, uint64_t number)
{
	while (number > b->source.first && joins(b, number - 1))
		number--;
	return number;
}

/* Columns of a row that are text; `joined`: it goes on in the next row, where a wide character may be the
 * reason for a blank at the end. */
static int text_columns(const struct rebreak *b, uint64_t number, bool joined)
{
	const struct row *r = row_at(b, number);
	int cols = r ? r->cols : 0;
	bool blank = cols > 0 && r->cells[cols - 1].glyph == 0;

	if (!r || !joined)
		return r ? row_text_end(r) : 0;
	r = row_at(b, number + 1);
	return blank && r && r->cols > 0 && r->cells[0].glyph & GLYPH_WIDE ? cols - 1 : cols;
}

/* --- lines of the width --- */

struct visual visual_from(const struct rebreak *b, struct position from)
{
	struct visual v = {.from = from, .to = from};
	struct position p = from;

	for (;;) {
		bool joined = joins(b, p.row);
		int room = width_of(b) - v.columns, left = text_columns(b, p.row, joined) - p.col;
		int take = smaller(left > 0 ? left : 0, room);

		if (take < left && is_tail(row_at(b, p.row), p.col + take))
			take--;
		v.columns += take;
		if (take > 0 || left <= 0)
			v.to = (struct position){p.row, p.col + take};
		v.goes_on = take < left || joined;
		v.next =
		    take < left ? (struct position){p.row, p.col + take} : (struct position){p.row + 1, 0};
		if (take < left || !joined || take == room)
			return v;
		p = v.next;
	}
}

struct visual visual_at(const struct rebreak *b, struct position at)
{
	struct visual v = visual_from(b, (struct position){line_first(b, at.row), 0});

	while (v.goes_on && position_compare(v.next, at) <= 0)
		v = visual_from(b, v.next);
	return v;
}

int visual_forward(const struct rebreak *b, struct visual *v, int n)
{
	int done = 0;

	while (done < n && v->next.row < b->source.end) {
		*v = visual_from(b, v->next);
		done++;
	}
	return done;
}

/* Lines of a logical line that begins at `first` before the one that begins at `end`. */
static int lines_before(const struct rebreak *b, uint64_t first, struct position end)
{
	struct visual v = visual_from(b, (struct position){first, 0});
	int count = 0;

	while (position_compare(v.from, end) < 0 && v.goes_on) {
		v = visual_from(b, v.next);
		count++;
	}
	return count;
}

int visual_back(const struct rebreak *b, struct visual *v, int n)
{
	int left = n;

	while (left > 0) {
		uint64_t first = line_first(b, v->from.row);
		int before = lines_before(b, first, v->from);

		if (before >= left || first <= b->source.first) {
			int to = before > left ? before - left : 0;

			*v = visual_from(b, (struct position){first, 0});
			visual_forward(b, v, to);
			return n - left + before - to;
		}
		left -= before + 1;
		*v = visual_at(b, (struct position){first - 1, INT_MAX});
	}
	return n;
}

int visual_count(const struct rebreak *b, uint64_t row)
{
	struct visual v = visual_from(b, (struct position){line_first(b, row), 0});
	int count = 1;

	for (; v.goes_on; count++)
		v = visual_from(b, v.next);
	return count;
}

/* --- pieces and places --- */

/* Columns of a piece that begins at p->from: all there are in the line, and at its end the blanks, too. */
static void set_columns(const struct rebreak *b, const struct visual *v, struct visual_piece *p)
{
	const struct row *r = row_at(b, p->row);

	if (p->row < v->to.row)
		p->columns = text_columns(b, p->row, true) - p->from;
	else if (v->goes_on)
		p->columns = v->to.col - p->from;
	else
		p->columns = smaller((r ? r->cols : 0) - p->from, width_of(b) - p->at);
	if (p->columns < 0)
		p->columns = 0;
}

struct visual_piece visual_piece(const struct rebreak *b, const struct visual *v)
{
	struct visual_piece p = {.row = v->from.row, .from = v->from.col};

	set_columns(b, v, &p);
	return p;
}

bool visual_next_piece(const struct rebreak *b, const struct visual *v, struct visual_piece *p)
{
	if (p->row >= v->to.row)
		return false;
	p->row++;
	p->at += p->columns;
	p->from = 0;
	set_columns(b, v, p);
	return true;
}

int visual_column(const struct rebreak *b, const struct visual *v, struct position at)
{
	struct visual_piece p = visual_piece(b, v);
	int64_t column;

	while (p.row < at.row && visual_next_piece(b, v, &p))
		;
	column = p.row == at.row ? (int64_t)p.at + at.col - p.from : p.at + p.columns;
	if (v->goes_on && column >= v->columns)
		column = v->columns - 1;
	if (column >= width_of(b))
		column = width_of(b) - 1;
	return column > 0 ? (int)column : 0;
}

struct position visual_position(const struct rebreak *b, const struct visual *v, int column)
{
	struct visual_piece p = visual_piece(b, v);
	struct position at;

	if (v->goes_on && column >= v->columns)
		column = v->columns - 1;
	if (column < 0)
		column = 0;
	while (column >= p.at + p.columns && visual_next_piece(b, v, &p))
		;
	at = (struct position){p.row, p.from + column - p.at};
	if (is_tail(row_at(b, at.row), at.col))
		at.col--;
	return at;
}

/* --- selections --- */

/* The last place of a line; of a logical one the end of its row, however wide. */
static struct position last_place(const struct visual *v)
{
	return (struct position){v->to.row, v->goes_on && v->to.col > 0 ? v->to.col - 1 : INT_MAX - 1};
}

void visual_fit_selection(const struct rebreak *b, struct selection *s, struct position to)
{
	bool forward = position_compare(s->anchor, to) <= 0;
	struct visual anchor, other;
	int a, o;

	if (s->kind != SELECT_LINES && s->kind != SELECT_BLOCK)
		return;
	anchor = visual_at(b, s->anchor);
	other = visual_at(b, to);
	if (s->kind == SELECT_LINES) {
		s->from = forward ? anchor.from : other.from;
		s->to = last_place(forward ? &other : &anchor);
		return;
	}
	a = visual_column(b, &anchor, s->anchor);
	o = visual_column(b, &other, to);
	s->left = a < o ? a : o;
	s->right = a < o ? o : a;
}

bool visual_selected(const struct rebreak *b, const struct selection *s, const struct visual *v,
    const struct visual_piece *p, int *from, int *to)
{
	const struct row *r = row_at(b, p->row);
	int end = p->from + p->columns;

	if (s->kind != SELECT_BLOCK) {
		if (!select_columns(s, p->row, r, end, from, to))
			return false;
	} else {
		if (position_compare(s->from, v->next) >= 0 || position_compare(v->from, s->to) > 0)
			return false;
		*from = p->from + s->left - p->at;
		*to = p->from + s->right + 1 - p->at;
		if (*from > p->from && is_tail(r, *from))
			--*from;
		if (is_tail(r, *to))
			++*to;
	}
	*from = *from < p->from ? p->from : *from;
	*to = *to > end ? end : *to;
	return *from < *to;
}
