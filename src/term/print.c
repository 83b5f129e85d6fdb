/*
 * print: see print.h.
 *
 * A cluster is put down when its first code point comes, as that stands on its own; each further one changes
 * it in place (UAX 29; the columns by UTS 51 and kitty's text-sizing notes: VS16 and a flag's second half
 * make it wide, VS15 narrow).  So what is shown never depends on how the output was cut.
 */
#include "term/print.h"

#include <string.h>

#include "term/cursor.h"
#include "term/edit.h"
#include "term/sgr.h"
#include "term/state.h"

/* The column after the last one that a line of text reaches. */
static int line_end(const struct term *t)
{
	return t->col <= t->right ? t->right + 1 : t->cols;
}

static void wrap(struct term *t)
{
	struct row *r = touch(t, t->row);

	if (line_end(t) == t->cols)
		r->flags |= ROW_WRAPPED;
	t->wrap_pending = false;
	cursor_index(t);
	if (t->grid->row[t->row] == r) /* below the margins the last row has none after it */
		r->flags &= (uint16_t)~ROW_WRAPPED;
	t->col = t->col < t->left ? 0 : t->left;
}

static void advance(struct term *t, int width, int end)
{
	t->col += width;
	t->wrap_pending = t->col >= end;
	if (t->wrap_pending)
		t->col = end - 1;
}

/* --- runs of ASCII --- */

static struct row *open_run(struct term *t, int count, int end)
{
	struct row *r = touch(t, t->row);

	if (mode(t, MODE_INSERT) && t->col + count < end)
		edit_open(t, r, t->col, count);
	row_cut(r, t->col);
	row_cut(r, t->col + count);
	if (t->col + count == t->cols)
		r->flags &= (uint16_t)~ROW_WRAPPED;
	return r;
}

static void put_run(struct term *t, const uint8_t *text, int count, int end)
{
	struct row *r = open_run(t, count, end);
	struct cell *cell = &r->cells[t->col], value = {.style = pen_style(t)};

	for (int i = 0; i < count; i++) {
		value.glyph = text[i];
		cell[i] = value;
	}
	advance(t, count, end);
}

void print_remember(struct term *t, uint32_t c, int to)
{
	struct last_print *l = &t->last;

	l->cps[0] = c;
	l->count = 1;
	l->width = t->grid->row[t->row]->cells[to - 1].glyph & GLYPH_TAIL ? 2 : 1;
	l->glyph = c;
	l->known = false;
	l->joinable = true;
	l->row = t->row;
	l->col = to - l->width;
	l->after = t->col;
	l->wrap_pending = t->wrap_pending;
}

static void print_plain(struct term *t, const uint8_t *text, size_t len)
{
	size_t left = len;

	while (left > 0) {
		int end, room, count;

		if (t->wrap_pending && mode(t, MODE_AUTOWRAP))
			wrap(t);
		end = line_end(t);
		room = end - t->col;
		count = left < (size_t)room ? (int)left : room;
		if (!mode(t, MODE_AUTOWRAP) &&
		    left > (size_t)room) { /* the rest overprints the last column */
			put_run(t, text, room, end);
			text += left - 1;
			put_run(t, text, 1, end);
			break;
		}
		put_run(t, text, count, end);
		text += count;
		left -= (size_t)count;
	}
	print_remember(t, text[left == 0 ? -1 : 0], t->wrap_pending ? t->col + 1 : t->col);
}

/* --- clusters --- */

/* Whether the last cluster still stands where it was put, with the cursor behind it. */
static bool last_stands(const struct term *t)
{
	const struct last_print *l = &t->last;

	return l->joinable && t->row == l->row && t->col == l->after && t->wrap_pending == l->wrap_pending &&
	       t->grid->row[l->row]->cells[l->col].glyph == (l->glyph | (l->width == 2 ? GLYPH_WIDE : 0));
}

static void restore_state(struct last_print *l)
{
	l->state = (struct grapheme){0};
	for (int i = 0; i < l->count; i++)
		grapheme_break(&l->state, l->cps[i]);
	l->known = true;
}

/* Takes the cell to the left of the cursor for the last cluster: a mark that comes after a move belongs
 * there. */
static bool adopt_left(struct term *t)
{
	struct last_print *l = &t->last;
	const struct row *r = t->grid->row[t->row];
	int col = t->wrap_pending ? t->col : t->col - 1;

	if (col < 0)
		return false;
	if (r->cells[col].glyph & GLYPH_TAIL)
		col--;
	l->row = t->row;
	l->col = col;
	l->after = t->col;
	l->wrap_pending = t->wrap_pending;
	l->width = r->cells[col].glyph & GLYPH_WIDE ? 2 : 1;
	l->glyph = r->cells[col].glyph & ~GLYPH_WIDE;
	l->count = (uint8_t)table_glyph(t->table, l->glyph, l->cps);
	if (l->count == 0) {
		l->cps[0] = ' ';
		l->count = 1;
	}
	l->joinable = true;
	restore_state(l);
	return true;
}

static bool joins_left(struct term *t, uint32_t cp)
{
	struct last_print last = t->last;

	if (adopt_left(t) && !grapheme_break(&t->last.state, cp))
		return true;
	t->last = last;
	return false;
}

static int width_of(const struct last_print *l)
{
	int width = cluster_width(l->cps, l->count);

	return width < 1 ? 1 : width;
}

/* Puts the cluster t->last at the cursor. */
static void put_cluster(struct term *t)
{
	struct last_print *l = &t->last;
	struct row *r;
	int end;

	if (t->wrap_pending && mode(t, MODE_AUTOWRAP))
		wrap(t);
	end = line_end(t);
	if (t->col + l->width > end) {
		if (mode(t, MODE_AUTOWRAP)) {
			row_erase(touch(t, t->row), t->col, end, pen_blank(t));
			wrap(t);
			end = line_end(t);
		} else {
			t->col = end - l->width;
		}
	}
	r = open_run(t, l->width, end);
	r->cells[t->col] = (struct cell){l->glyph | (l->width == 2 ? GLYPH_WIDE : 0), pen_style(t)};
	if (l->width == 2)
		r->cells[t->col + 1] = (struct cell){GLYPH_TAIL, pen_style(t)};
	l->row = t->row;
	l->col = t->col;
	advance(t, l->width, end);
	l->after = t->col;
	l->wrap_pending = t->wrap_pending;
	l->joinable = true;
}

/* The cluster that stands at t->last became narrower or wider: it is put down again. */
static void replace_cluster(struct term *t, int width)
{
	struct last_print *l = &t->last;
	struct style pen = t->pen;
	struct row *r = touch(t, l->row);

	pen_set(t, table_style_value(t->table, r->cells[l->col].style));
	t->col = l->col;
	t->wrap_pending = false;
	if (mode(t, MODE_INSERT) && l->col + l->width < line_end(t))
		edit_close(t, r, l->col, l->width);
	else
		row_erase(r, l->col, l->col + l->width, pen_blank(t));
	l->width = (uint8_t)width;
	put_cluster(t);
	pen_set(t, &pen);
}

static void extend_cluster(struct term *t, uint32_t cp)
{
	struct last_print *l = &t->last;
	int width;

	if (l->count == CELL_CLUSTER_CODE_POINTS)
		return;
	l->cps[l->count++] = cp;
	l->glyph = table_cluster(t->table, l->cps, l->count);
	width = width_of(l);
	if (width == l->width)
		touch(t, l->row)->cells[l->col].glyph = l->glyph | (width == 2 ? GLYPH_WIDE : 0);
	else
		replace_cluster(t, width);
}

static void begin_cluster(struct term *t, uint32_t cp)
{
	struct last_print *l = &t->last;

	l->cps[0] = cp;
	l->count = 1;
	l->glyph = cp;
	l->width = (uint8_t)unicode_width(cp);
	put_cluster(t);
}

/* Whether cp belongs to the cluster before it; t->last.state is the state after cp. */
static bool joins(struct term *t, uint32_t cp)
{
	struct last_print *l = &t->last;

	if (last_stands(t)) {
		if (!l->known)
			restore_state(l);
		return !grapheme_break(&l->state, cp);
	}
	if (unicode_width(cp) == 0 && joins_left(t, cp))
		return true;
	l->joinable = false;
	l->state = (struct grapheme){0};
	l->known = true;
	grapheme_break(&l->state, cp);
	return false;
}

static void print_one(struct term *t, uint32_t cp)
{
	if (joins(t, cp))
		extend_cluster(t, cp);
	else if (unicode_width(cp) > 0)
		begin_cluster(t, cp);
	else
		t->last.joinable = false; /* a format character on its own takes no place */
}

/* --- runs of characters that join nothing --- */

static int width_in(uint8_t properties)
{
	return properties >> UNICODE_WIDTH_SHIFT & 3;
}

static bool is_ordinary(uint8_t properties)
{
	return unicode_stands_apart(properties) && (width_in(properties) == 1 || width_in(properties) == 2);
}

/* Whether what comes may have to join the last cluster though it is ordinary. */
static bool last_binds(const struct last_print *l)
{
	return l->count > 0 && unicode_binds(unicode_properties(l->cps[l->count - 1]));
}

/*
 * Puts down as many characters as fit before column `end`, from *col on, and returns how many.  Each is
 * written with a tail, which the next one overwrites if it is narrow: so there is no branch on the width,
 * which in text of several scripts is as good as random.
 */
static size_t put_mixed(
    struct cell *cells, int *col, int end, const uint32_t *text, size_t count, uint32_t style)
{
	struct cell kept = {0}; /* what the last one's tail covers */
	int at = *col, width = 2;
	size_t n = 0;

	for (; n < count && at + 1 < end; n++) {
		uint8_t properties = unicode_properties(text[n]);

		if (!is_ordinary(properties))
			break;
		width = width_in(properties);
		kept = cells[at + 1];
		cells[at] = (struct cell){text[n] | (uint32_t)(width - 1) * GLYPH_WIDE, style};
		cells[at + 1] = (struct cell){GLYPH_TAIL, style};
		at += width;
	}
	if (width == 1)
		cells[at] = kept;
	*col = at;
	return n;
}

/* Puts down as many characters as fit to the end of the row; returns how many. */
static size_t put_ordinary(struct term *t, const uint32_t *text, size_t count, int end)
{
	struct row *r = touch(t, t->row);
	uint32_t style = pen_style(t);
	int col = t->col;
	size_t n;

	row_cut(r, col);
	n = put_mixed(r->cells, &col, end, text, count, style);
	if (n < count && col + 1 == end && width_in(unicode_properties(text[n])) == 1 &&
	    is_ordinary(unicode_properties(text[n])))
		r->cells[col++] = (struct cell){text[n++], style};
	if (n == 0)
		return 0;
	if (col == t->cols)
		r->flags &= (uint16_t)~ROW_WRAPPED;
	else if (r->cells[col].glyph & GLYPH_TAIL) /* its head was overwritten */
		r->cells[col].glyph = 0;
	advance(t, col - t->col, end);
	print_remember(t, text[n - 1], col);
	return n;
}

/* The start of the text that needs no care; 0 if its first character does. */
static size_t print_ordinary(struct term *t, const uint32_t *text, size_t count)
{
	if (!t->plain || last_binds(&t->last) || !is_ordinary(unicode_properties(text[0])))
		return 0;
	if (t->wrap_pending && mode(t, MODE_AUTOWRAP))
		wrap(t);
	return put_ordinary(t, text, count, line_end(t));
}

/* --- entry points --- */

/* Where an ASCII character may have to join what is before it, or is not itself. */
static bool needs_care(const struct term *t)
{
	return !t->plain || last_binds(&t->last);
}

void print_ascii(struct term *t, const uint8_t *text, size_t len)
{
	while (len > 0 && needs_care(t)) {
		print_one(t, charset_map(t, *text));
		text++;
		len--;
	}
	if (len > 0)
		print_plain(t, text, len);
}

void print_text(struct term *t, const uint32_t *text, size_t count)
{
	while (count > 0) {
		size_t n = print_ordinary(t, text, count);

		if (n == 0) {
			print_one(t, *text < 0x80 ? charset_map(t, *text) : *text);
			n = 1;
		}
		text += n;
		count -= n;
	}
}

void print_repeat(struct term *t, int count)
{
	struct last_print *l = &t->last;

	if (l->count == 0)
		return;
	count = least(count, least(t->rows * t->cols, TERM_REPEAT_MAX));
	l->known = false;
	while (count-- > 0)
		put_cluster(t);
}
