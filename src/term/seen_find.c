/* seen_find: see seen_find.h. */
#include "term/seen_find.h"

#include <stdlib.h>

#include "base/mem.h"
#include "term/letters.h"
#include "term/seen.h"
#include "term/state.h"

enum {
	TAIL = 1024, /* rows of history that are looked at */
	NEEDLE = 40, /* letters that are looked for, over several rows if need be */
	NEEDLE_LEAST = 12,
	TRIES = 16,
	SHORT = 8, /* letters of a row that says nothing by itself */
};

/* The newest part of the text. */
struct text {
	struct letters letters;
	size_t *at; /* the first letter of each row, and the end */
	int count, room;
	int kept;        /* so many of the rows are in history */
	size_t kept_end; /* their letters */
};

/* The rows [from, to) of the frame are looked for. */
struct wanted {
	struct letters letters;
	int from, to;
	size_t *at;        /* of each row of the frame, and of the one after */
	int *found;        /* for each: the row of the text where it begins, -1 */
	size_t *place;     /* and the letter */
	int row, last_row; /* the first and the last one that were found */
	int first, last;   /* rows of the text where they are */
	size_t offset;     /* letters of row `first` that lie before the frame */
};

/* --- what there is --- */

static void add_row(struct text *x)
{
	if (x->count + 1 >= x->room) {
		x->room = x->room ? 2 * x->room : 256;
		x->at = mem_realloc(x->at, (size_t)x->room, sizeof(*x->at));
	}
	if (x->count == 0)
		x->at[0] = 0;
	x->at[++x->count] = x->letters.count;
}

static void add_history(struct text *x, const struct term *t)
{
	uint64_t first, end;

	if (!t->history)
		return;
	first = history_first(t->history);
	end = history_end(t->history);
	for (uint64_t n = end - first > TAIL ? end - TAIL : first; n < end; n++) {
		size_t len;
		const void *packed = history_packed(t->history, n, &len);

		if (!packed || !(history_flags(t->history, n) & ROW_SEEN))
			continue;
		letters_add_packed(&x->letters, packed, len);
		add_row(x);
	}
}

static void gather(struct text *x, const struct term *t)
{
	int unkept = seen_unkept(&t->seen);

	*x = (struct text){0};
	add_history(x, t);
	x->kept = x->count;
	x->kept_end = x->letters.count;
	for (int i = 0; i < unkept && (t->seen.established || t->seen.away); i++) {
		seen_unkept_letters(t, i, &x->letters);
		add_row(x);
	}
}

static bool text_is_blank(const struct text *x, int row)
{
	return x->at[row] == x->at[row + 1];
}

static int row_at(const struct text *x, size_t letter)
{
	int low = 0, high = x->count;

	while (low + 1 < high) {
		int middle = low + (high - low) / 2;

		if (x->at[middle] <= letter)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* --- what is looked for --- */

/* What stands below the text: less than was thought, if there is text above what stayed. */
static int rows_below(const struct seen *s)
{
	int rows = s->frame.rows, fixed = s->page.rows == rows ? page_fixed_rows(&s->page, &s->frame) : 0;

	if (s->below_rows < 0)
		return fixed > 0 && s->foot_rows < 0 ? fixed : -1;
	for (int n = fixed + 1; fixed > 0 && n <= s->below_rows && n <= rows; n++) {
		if (s->page.row[rows - n].text != 0 || s->frame.text[rows - n] != 0)
			return n - 1;
	}
	return s->below_rows;
}

static void wanted_init(struct wanted *w, const struct term *t)
{
	const struct seen *s = &t->seen;
	const struct frame *f = &s->frame;
	int below = rows_below(s);
	bool same = f->cols == s->page.cols;

	*w = (struct wanted){.from = seen_body_top(s, false)};
	w->to = seen_body_end(s, f->rows, frame_ink_end(f), below);
	if (w->from >= w->to) {
		w->from = 0;
		w->to = f->rows;
	}
	w->at = mem_alloc(((size_t)f->rows + 1) * sizeof(*w->at));
	w->found = mem_alloc((size_t)f->rows * sizeof(*w->found));
	w->place = mem_zalloc((size_t)f->rows, sizeof(*w->place));
	for (int i = 0; i < f->rows; i++) {
		w->at[i] = w->letters.count;
		w->found[i] = -1;
		if (i >= w->from && i < w->to)
			letters_add(&w->letters, f->row[i], t->table, same ? s->left : 0,
			    same ? seen_right(s, f->cols) : f->cols);
	}
	w->at[f->rows] = w->letters.count;
}

static void wanted_finish(struct wanted *w)
{
	letters_finish(&w->letters);
	free(w->at);
	free(w->found);
	free(w->place);
}

/* The letters at a place of the frame: many, or fewer if something new follows soon. */
static long find_needle(const struct wanted *w, const struct text *x, size_t from, size_t count)
{
	const uint32_t *cp = w->letters.cp + from;
	long at = -1;

	for (size_t n = NEEDLE; at < 0 && n >= NEEDLE_LEAST; n /= 2)
		at = letters_find_last(&x->letters, 0, x->letters.count, cp, count < n ? count : n);
	return at;
}

/* The place of the first row of the frame that is found with what follows it; the last one of several. */
static long find_first(struct wanted *w, const struct text *x)
{
	int tries = 0;

	for (int i = w->from; i < w->to && tries < TRIES; i++) {
		size_t count = w->letters.count - w->at[i];
		long at;

		if (w->at[i + 1] == w->at[i])
			continue;
		if (count < NEEDLE_LEAST)
			break;
		at = find_needle(w, x, w->at[i], count);
		if (at >= 0) {
			w->row = i;
			return at;
		}
		tries++;
	}
	return -1;
}

/* All that is not kept, where it is short: the row of the frame that begins with it. */
static long find_short(struct wanted *w, const struct text *x)
{
	size_t count = x->letters.count - x->kept_end;
	const uint32_t *cp;

	if (count == 0 || count > NEEDLE_LEAST)
		return -1;
	cp = x->letters.cp + x->kept_end;
	for (int i = w->from; i < w->to; i++) {
		if (w->at[i] < w->at[i + 1] &&
		    letters_find(&w->letters, w->at[i], w->at[i] + count, cp, count) >= 0) {
			w->row = i;
			return (long)x->kept_end;
		}
	}
	return -1;
}

static bool is_blank(const struct wanted *w, int row)
{
	return w->at[row] == w->at[row + 1];
}

/* Blank rows at the borders of what was found are rows of the text, too. */
static void take_borders(struct wanted *w, const struct text *x)
{
	while (w->offset == 0 && w->row > w->from && is_blank(w, w->row - 1) && w->first > 0 &&
	       text_is_blank(x, w->first - 1)) {
		w->place[w->row - 1] = x->at[w->first - 1];
		w->found[--w->row] = --w->first;
	}
	while (w->last_row + 1 < w->to && is_blank(w, w->last_row + 1) && w->last + 1 < x->count &&
	       text_is_blank(x, w->last + 1)) {
		w->place[w->last_row + 1] = x->at[w->last + 1];
		w->found[++w->last_row] = ++w->last;
	}
}

/* Row by row on from there; returns how many letters of the frame were found. */
static size_t follow(struct wanted *w, const struct text *x, size_t at)
{
	size_t total = 0;

	w->first = w->last = row_at(x, at);
	w->offset = at - x->at[w->first];
	w->last_row = w->row;
	for (int i = w->row; i < w->to; i++) {
		size_t count = w->at[i + 1] - w->at[i];
		const uint32_t *cp = w->letters.cp + w->at[i];
		long found;

		if (count == 0)
			continue;
		found = letters_find(&x->letters, at, at + count, cp, count);
		if (found < 0 && count >= SHORT)
			found = letters_find(&x->letters, at, x->letters.count, cp, count);
		if (found < 0)
			continue;
		w->place[i] = (size_t)found;
		w->found[i] = row_at(x, (size_t)found);
		at = (size_t)found + count;
		w->last = row_at(x, at - 1);
		w->last_row = i;
		total += count;
	}
	take_borders(w, x);
	return total;
}

/* --- where it is --- */

/*
 * The first row of the frame that is not kept: the first one found that is not, less the rows that are not
 * kept either before it.  One that is kept in part counts as not kept.
 */
static void find_border(const struct wanted *w, const struct text *x, struct seen_place *out)
{
	int end = w->from;

	for (int i = w->from; i < w->to; i++) {
		size_t after = w->place[i] + (w->at[i + 1] - w->at[i]);

		if (w->found[i] < 0)
			continue;
		if (w->found[i] >= x->kept) {
			out->back = most(end, i - (w->found[i] - x->kept)) - w->from;
			return;
		}
		if (after > x->kept_end) {
			out->back = i - w->from;
			out->skip = x->kept_end - w->place[i];
			return;
		}
		end = i + 1;
	}
	out->back = end - w->from + most(x->kept - w->last - 1, 0);
}

/* Much text, or much of what the frame shows, or of what was to be found. */
static bool is_enough(const struct wanted *w, const struct text *x, size_t letters)
{
	size_t unkept = x->letters.count > x->kept_end ? x->letters.count - x->kept_end : SIZE_MAX / 2;

	return letters >= NEEDLE || letters * 3 >= w->letters.count || letters * 2 >= unkept;
}

static void place_of(
    const struct wanted *w, const struct text *x, const struct seen *s, struct seen_place *out)
{
	*out =
	    (struct seen_place){.before = most(w->first - x->kept, 0), .end = most(w->last + 1 - x->kept, 0)};
	if (w->first >= x->kept) {
		out->cut = w->offset;
		return;
	}
	out->skip = out->end == 0 ? s->skip : 0;
	find_border(w, x, out);
}

bool seen_find(struct term *t, struct seen_place *out)
{
	struct text x;
	struct wanted w;
	bool found;
	long at;

	gather(&x, t);
	wanted_init(&w, t);
	at = find_first(&w, &x);
	if (at < 0)
		at = find_short(&w, &x);
	found = at >= 0 && is_enough(&w, &x, follow(&w, &x, (size_t)at));
	if (found)
		place_of(&w, &x, &t->seen, out);
	wanted_finish(&w);
	letters_finish(&x.letters);
	free(x.at);
	return found;
}
