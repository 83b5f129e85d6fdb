/* seen: see seen.h.  How a frame that replaced the page is found in the text is in seen_find.c. */
#include "term/seen.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/letters.h"
#include "term/past.h"
#include "term/seen_back.h"
#include "term/seen_find.h"
#include "term/state.h"

enum {
	COMPOSER_ROWS = 8, /* above the cursor, where the border of the program's input line is looked for */
	FOOT_LEAST = 2,    /* rows below the text: with fewer it may be those that moved */
	FLOOD = 256,       /* updates without a rest */
	FLOOD_LOOK = 1024, /* of those that follow, each of so many is looked at: all of them would take
			      longer than parsing */
	REMARK_ROWS = 4,   /* of a spinner and what is around it, which goes when a turn ends */
};

/* --- memory --- */

static void held_drop(struct seen *s, int from, int to)
{
	to = least(to, s->held_count);
	if (from >= to)
		return;
	for (int i = from; i < to; i++)
		buf_free(&s->held[i]);
	memmove(&s->held[from], &s->held[to], (size_t)(s->held_count - to) * sizeof(*s->held));
	s->held_count -= to - from;
}

void seen_hold(struct seen *s, int at, const void *packed, size_t len)
{
	s->held = mem_realloc(s->held, (size_t)s->held_count + 1, sizeof(*s->held));
	memmove(&s->held[at + 1], &s->held[at], (size_t)(s->held_count - at) * sizeof(*s->held));
	buf_init(&s->held[at]);
	buf_add(&s->held[at], packed, len);
	s->held_count++;
}

void seen_finish(struct seen *s)
{
	page_finish(&s->page);
	frame_finish(&s->frame);
	held_drop(s, 0, s->held_count);
	free(s->held);
	*s = (struct seen){.top = -1, .below_rows = -1, .foot_rows = -1, .cursor_row = -1};
}

void seen_mark(struct term *t)
{
	const struct page *p = &t->seen.page;

	for (int i = 0; i < p->rows; i++)
		table_mark_cells(t->table, p->row[i].row.cells, (size_t)p->row[i].row.cols);
}

/* --- rows that are not kept --- */

int seen_right(const struct seen *s, int cols)
{
	return s->right > 0 && s->right < cols ? s->right : cols;
}

void seen_pack(const struct term *t, const struct row *r, int from, int to, struct buf *out)
{
	struct row copy;

	row_init(&copy, most(to, 1), 0);
	if (from < to)
		memcpy(&copy.cells[from], &r->cells[from], (size_t)(to - from) * sizeof(*r->cells));
	row_cut(&copy, from);
	if (to > 0 && copy.cells[to - 1].glyph & GLYPH_WIDE)
		copy.cells[to - 1].glyph = 0;
	copy.flags = ROW_SEEN;
	row_pack(&copy, t->table, out);
	row_finish(&copy);
}

int seen_unkept_on_page(const struct seen *s)
{
	return most(s->to - s->from - s->back, 0);
}

int seen_unkept(const struct seen *s)
{
	return seen_unkept_on_page(s) + s->held_count;
}

/* The row of the page, or NULL: it is held. */
static const struct page_row *unkept_row(const struct seen *s, int index)
{
	return index < seen_unkept_on_page(s) ? &s->page.row[s->from + s->back + index] : NULL;
}

static const struct buf *unkept_held(const struct seen *s, int index)
{
	return &s->held[index - seen_unkept_on_page(s)];
}

void seen_unkept_letters(const struct term *t, int index, struct letters *out)
{
	const struct seen *s = &t->seen;
	const struct page_row *r = unkept_row(s, index);
	size_t at = out->count, skip = index == 0 ? s->skip : 0;

	if (r)
		letters_add(out, &r->row, t->table, s->left, seen_right(s, r->row.cols));
	else
		letters_add_packed(out, unkept_held(s, index)->data, unkept_held(s, index)->len);
	skip = skip < out->count - at ? skip : out->count - at;
	if (skip > 0)
		memmove(out->cp + at, out->cp + at + skip, (out->count - at - skip) * sizeof(*out->cp));
	out->count -= skip;
}

/* Packs columns of a row that is not kept: behind what is kept of it, up to so many letters. */
static void pack_letters(const struct term *t, int index, size_t count, struct buf *out)
{
	const struct seen *s = &t->seen;
	const struct page_row *on_page = unkept_row(s, index);
	size_t skip = index == 0 ? s->skip : 0;
	int from = on_page ? s->left : 0, to;
	struct row row;

	row_init(&row, SCREEN_MAX_COLS, 0);
	if (!on_page)
		row_unpack(unkept_held(s, index)->data, unkept_held(s, index)->len, t->table, &row);
	to = on_page ? seen_right(s, on_page->row.cols) : row_used(&row);
	if (skip > 0)
		from = letters_columns(on_page ? &on_page->row : &row, t->table, from, skip);
	if (count < SIZE_MAX)
		to = letters_columns(on_page ? &on_page->row : &row, t->table, from, count);
	seen_pack(t, on_page ? &on_page->row : &row, from, to, out);
	row_finish(&row);
}

static void pack_whole(const struct term *t, int index, struct buf *out)
{
	const struct page_row *r = unkept_row(&t->seen, index);

	if (r)
		seen_pack(t, &r->row, t->seen.left, seen_right(&t->seen, r->row.cols), out);
	else
		buf_add(out, unkept_held(&t->seen, index)->data, unkept_held(&t->seen, index)->len);
}

void seen_unkept_pack(const struct term *t, int index, size_t letters, struct buf *out)
{
	size_t at = out->len;

	if (letters < SIZE_MAX || (index == 0 && t->seen.skip > 0))
		pack_letters(t, index, letters, out);
	else
		pack_whole(t, index, out);
	if (index == 0 && t->seen.gap)
		row_packed_add_flags(out->data + at, out->len - at, ROW_GAP);
}

static void append(struct term *t, int index, size_t letters)
{
	AUTO_BUF packed = BUF_INIT;

	seen_unkept_pack(t, index, letters, &packed);
	past_append_seen(t, packed.data, packed.len);
	t->seen.gap = t->seen.gap && index > 0;
}

/* A blank row, or what tells how long something takes. */
static bool is_remark(const struct term *t, int index)
{
	const struct page_row *r = unkept_row(&t->seen, index);

	return r && (r->state & PAGE_COUNTING ||
			letters_of(&r->row, t->table, t->seen.left, seen_right(&t->seen, r->row.cols)) == 0);
}

/* Those from `from` on, up to the last one that is text; what is held was looked at before. */
int seen_unkept_end(const struct term *t, int from)
{
	int end = seen_unkept(&t->seen);

	while (end > from && is_remark(t, end - 1))
		end--;
	return end;
}

/* --- the window on the text --- */

/* Holds rows [from, to) of those that are not kept, and none else. */
static void hold_only(struct term *t, int from, int to)
{
	struct seen *s = &t->seen;
	int on_page = seen_unkept_on_page(s), at = 0;

	held_drop(s, most(to - on_page, 0), s->held_count);
	held_drop(s, 0, from - on_page);
	s->held = mem_realloc(s->held, (size_t)(s->held_count + on_page + 1), sizeof(*s->held));
	for (int i = from; i < to && i < on_page; i++) {
		AUTO_BUF packed = BUF_INIT;

		pack_whole(t, i, &packed);
		seen_hold(s, at++, packed.data, packed.len);
	}
}

/* Keeps what is held too much; it is below the window. */
static void bound_held(struct term *t)
{
	struct seen *s = &t->seen;

	while (s->held_count > SEEN_HELD_MAX && s->from == s->to) {
		append(t, 0, SIZE_MAX);
		s->skip = 0;
		held_drop(s, 0, 1);
		s->back++;
	}
}

/* The window goes there; what is not on it any more is appended or held.  Between this and the frame's
 * becoming the page the latter is not of the text. */
static void go_to(struct term *t, const struct seen_place *place)
{
	struct seen *s = &t->seen;
	int before = least(place->before, seen_unkept(s));
	bool looks_back = place->back > 0 || s->held_count > 0;

	for (int i = 0; i < before; i++)
		append(t, i, SIZE_MAX);
	if (place->cut > 0 && before < seen_unkept(s))
		append(t, before, place->cut);
	hold_only(t, most(place->end, before), looks_back ? seen_unkept_end(t, before) : 0);
	s->from = s->to = 0;
	s->back = place->back;
	s->skip = place->skip;
	s->established = true;
	s->away = false;
	bound_held(t);
}

/* Up the text if negative.  The window may also be of another height. */
static void go_by(struct term *t, int lines, int height)
{
	struct seen *s = &t->seen;
	struct seen_place place = {.before = most(lines - s->back, 0), .back = most(s->back - lines, 0)};

	place.end = place.before + most(height - place.back, 0);
	place.skip = place.before > 0 ? 0 : s->skip;
	go_to(t, &place);
}

static void keep_unkept(struct term *t)
{
	int end = seen_unkept_end(t, 0);

	for (int i = 0; i < end; i++)
		append(t, i, SIZE_MAX);
	t->seen.skip = 0;
	hold_only(t, 0, 0);
}

/* Another page is the text from now on. */
static void come_to_stay(struct term *t)
{
	keep_unkept(t);
	t->seen.away = false;
	t->seen.back = 0;
	t->seen.gap = true;
}

/* --- the part of the page that is text --- */

static bool is_border(const struct row *r, const struct cell_table *table)
{
	bool any = false;

	for (int col = 0; col < r->cols; col++)
		any = any || (r->cells[col].glyph != 0 && r->cells[col].glyph != ' ');
	return any && letters_of(r, table, 0, r->cols) == 0;
}

/* The input line with its border, if the cursor stands in it. */
static int composer_top(const struct term *t)
{
	const struct seen *s = &t->seen;
	int row = s->cursor_row;

	if (row < 0 || row >= s->page.rows)
		return s->page.rows;
	for (int i = row; i >= 0 && i > row - COMPOSER_ROWS; i--) {
		if (is_border(&s->page.row[i].row, t->table))
			return i;
	}
	return row;
}

/* Before anything scrolled: below a title that counts something, and what divides it from the text. */
int seen_body_top(const struct seen *s, bool of_page)
{
	const struct frame *f = &s->frame;
	int rows = of_page ? s->page.rows : f->rows, top = 0;

	if (s->top >= 0)
		return least(s->top, rows);
	for (; top < rows; top++) {
		uint8_t state = of_page ? s->page.row[top].state : f->state[top];

		if (!(state & PAGE_COUNTING) &&
		    (top == 0 || (of_page ? s->page.row[top].text : f->text[top]) != 0))
			break;
	}
	return top > 0 ? top : least(s->head_rows, rows);
}

int seen_body_end(const struct seen *s, int rows, int ink_end, int below)
{
	int end = rows - most(below, 0);

	return s->foot_rows >= 0 && (below < 0 || s->foot_rows <= below) ? least(end, ink_end - s->foot_rows)
									 : end;
}

static int body_end(const struct term *t)
{
	const struct seen *s = &t->seen;

	int end = seen_body_end(s, s->page.rows, page_ink_end(&s->page), s->below_rows);

	return s->below_rows < 0 ? least(end, composer_top(t)) : end;
}

static void set_body(struct term *t)
{
	struct seen *s = &t->seen;

	s->from = s->to = 0;
	if (s->away)
		return;
	s->from = seen_body_top(s, true);
	s->to = most(body_end(t), s->from);
	s->head_rows = s->from;
}

/* --- a part of the screen was scrolled --- */

/* Of a row of history that was seen; what it has is no letters' sum if it was not. */
static uint64_t kept_text(const struct term *t, uint64_t number)
{
	struct letters l = {0};
	size_t len;
	const void *packed = t->history ? history_packed(t->history, number, &len) : NULL;
	uint64_t sum = 1;

	if (packed && history_flags(t->history, number) & ROW_SEEN) {
		letters_add_packed(&l, packed, len);
		sum = letters_sum(l.cp, l.count);
	}
	letters_finish(&l);
	return sum;
}

/* Whether most rows that came at the top are those of history that stood before the page. */
static bool came_back(const struct term *t, const struct movement *m)
{
	uint64_t number = past_top(t) - (uint64_t)t->seen.back + (uint64_t)m->lines;
	int same = 0;

	for (int i = m->top; i < m->top - m->lines; i++)
		same +=
		    letters_of(t->seen.frame.row[i], t->table, m->left, m->right) == kept_text(t, number++);
	return same * 2 > -m->lines;
}

/*
 * The borders of the scrolled part are where they were, if that can be: rows of equal text (blank ones) at
 * them do not tell.  false: something in the middle of the text moved, because rows of it went or came.
 */
static bool settle_borders(const struct term *t, struct movement *m)
{
	const struct seen *s = &t->seen;
	int end = s->page.rows - s->below_rows;

	if (m->top > most(s->top, 0)) {
		if (m->top * 4 > s->frame.rows)
			return false;
		if (m->lines > 0 && !page_went_on(&s->page, &s->frame, m))
			return false;
	}
	if (m->lines < 0 && !s->away && !came_back(t, m))
		return false;
	if (s->top > m->top && s->top <= m->top_most)
		m->top = s->top;
	if (s->below_rows >= 0 && end > m->bottom && end <= m->bottom_most)
		movement_set_bottom(m, &s->page, &s->frame, end);
	return true;
}

/* How much stands below the text: what was least, for a remark above the input may come and go.  Nothing is
 * learned of a movement of what stands below; a prompt that goes from the input into the text moves, too. */
static void learn_borders(struct term *t, const struct movement *m)
{
	struct seen *s = &t->seen;
	int below = s->page.rows - least(m->before, composer_top(t));

	s->top = m->top;
	s->left = m->left;
	s->right = m->right < s->frame.cols ? m->right : 0;
	if (s->page.rows != s->frame.rows || page_ink_end(&s->page) - m->before < FOOT_LEAST)
		return;
	if (s->below_rows < 0 || below < s->below_rows)
		s->below_rows = below;
}

static void scrolled(struct term *t, const struct movement *m)
{
	struct seen *s = &t->seen;
	bool known;

	if (s->away) {
		if (m->lines < 0)
			return;
		come_to_stay(t);
		s->below_rows = -1;
	}
	learn_borders(t, m);
	known = s->below_rows >= 0 || s->foot_rows >= 0;
	s->from = s->top;
	s->to = most(known ? body_end(t) : m->before, s->from);
	go_by(t, m->lines,
	    (known ? seen_body_end(s, s->frame.rows, frame_ink_end(&s->frame), s->below_rows) : m->bottom) -
		s->top);
}

/* --- the page was replaced --- */

/* More of its text is gone than stayed. */
static bool was_replaced(const struct term *t)
{
	const struct seen *s = &t->seen;
	const struct frame *f = &s->frame;
	int from = s->away ? 0 : s->from, to = s->away ? s->page.rows : s->to, gone = 0, text = 0;

	if (f->cols != s->page.cols)
		return true;
	for (int i = from; f->left_rows > 0 && i < to; i++) {
		if (i < f->rows && f->state[i] & PAGE_COUNTING)
			continue;
		text += s->page.row[i].text != 0;
		gone += f->left[i];
	}
	return gone > 0 && (gone == text || (gone >= 2 && gone * 2 > text));
}

static bool stayed(const struct seen *s, int page_row, int frame_row)
{
	const struct frame *f = &s->frame;

	return page_row < s->page.rows && frame_row >= 0 && frame_row < f->rows &&
	       (s->page.row[page_row].text == f->text[frame_row] ||
		   page_rows_count(&s->page.row[page_row].row, f->row[frame_row]));
}

/* What was not kept is held.  Without what is there still: the title, and what stands below the text. */
static void go_away(struct term *t)
{
	struct seen *s = &t->seen;
	int fixed = page_fixed_rows(&s->page, &s->frame), foot = page_foot_rows(&s->page, &s->frame);

	if (s->away || !s->established)
		return;
	if (s->top < 0 && s->back == 0) {
		while (s->from < s->to && stayed(s, s->from, s->from))
			s->from++;
	}
	if (s->below_rows < 0)
		s->to = clamp(
		    least(s->page.rows - fixed, page_ink_end(&s->page) - most(foot, 0)), s->from, s->to);
	hold_only(t, 0, seen_unkept_end(t, 0));
	s->from = s->to = 0;
	s->away = true;
	bound_held(t);
}

/* The page was replaced, or may have been, for the screen is of another size. */
static void look_for_text(struct term *t, bool replaced)
{
	struct seen *s = &t->seen;
	struct seen_place place;

	if (seen_find(t, &place))
		go_to(t, &place);
	else if (replaced)
		go_away(t);
	if (s->frame.cols != s->page.cols)
		s->left = s->right = 0;
}

/* --- frames --- */

static uint8_t state_of(const struct seen *s, int i)
{
	const struct frame *f = &s->frame;
	bool gone;

	if (!f->rewritten[i])
		return f->state[i];
	if (f->text[i] == 0)
		return 0;
	if (f->origin[i] >= 0)
		return s->page.row[f->origin[i]].state;
	/* "line 8" where "line 7" stood counts nothing if the latter has but moved up */
	gone = i < s->page.rows && f->left_rows > 0 && f->left[i];
	return gone && page_rows_count(&s->page.row[i].row, f->row[i]) ? PAGE_COUNTING : 0;
}

static void learn_foot(struct seen *s)
{
	int foot = s->below_rows < 0 ? page_foot_rows(&s->page, &s->frame) : -1;

	if (foot >= 0 && (s->foot_rows < 0 || foot < s->foot_rows))
		s->foot_rows = foot;
}

/* What follows the text stands elsewhere on a screen of another height. */
static void forget_below(struct seen *s)
{
	if (s->page.rows != s->frame.rows && s->foot_rows >= 0 && s->foot_rows <= s->below_rows)
		s->below_rows = -1;
}

static void compare(struct term *t)
{
	struct seen *s = &t->seen;
	struct movement m;
	bool moved;

	for (int i = 0; i < s->frame.rows && s->frame.rewrites > 0; i++)
		s->frame.state[i] = state_of(s, i);
	forget_below(s);
	moved = page_moved(&s->page, &s->frame, s->left, s->right, &m);
	if (moved && settle_borders(t, &m)) {
		scrolled(t, &m);
	} else {
		if (s->page.rows > 0 && s->frame.rewrites > 0)
			learn_foot(s);
		if (s->page.rows != s->frame.rows || (moved && m.lines < 0) || was_replaced(t))
			look_for_text(t, was_replaced(t));
	}
}

static void look(struct term *t)
{
	struct seen *s = &t->seen;

	if (!frame_look(&s->frame, &s->page, t->grid->row, t->rows, t->cols, t->table)) {
		s->cursor_row = mode(t, MODE_CURSOR_VISIBLE) ? t->row : -1;
		return;
	}
	compare(t);
	page_take(&s->page, &s->frame, t->clock);
	t->clock++; /* what changes from now on is newer than the page */
	s->cursor_row = mode(t, MODE_CURSOR_VISIBLE) ? t->row : -1;
	set_body(t);
	seen_take_back(t);
}

void seen_update_ended(struct term *t)
{
	struct seen *s = &t->seen;

	s->synchronizes = true;
	s->updates = s->updates < INT_MAX ? s->updates + 1 : FLOOD;
	if (s->updates <= FLOOD || s->updates % FLOOD_LOOK == 0)
		look(t);
}

void seen_rest(struct term *t)
{
	struct seen *s = &t->seen;
	bool passed_over = s->updates > FLOOD && s->updates % FLOOD_LOOK != 0;

	if (mode(t, MODE_SYNCHRONIZED))
		return;
	if (!s->synchronizes || passed_over)
		look(t);
	s->updates = 0;
}

void seen_turn(struct term *t)
{
	struct seen *s = &t->seen;

	if (s->away)
		come_to_stay(t);
	if (s->held_count <= REMARK_ROWS)
		hold_only(t, 0, 0);
	s->established = s->page.rows > 0;
	set_body(t);
	seen_take_back(t);
}

void seen_leave(struct term *t, bool copied)
{
	struct seen *s = &t->seen;

	if (copied)
		s->from = s->to = 0;
	if (s->established || s->away)
		keep_unkept(t);
	seen_finish(s);
}
