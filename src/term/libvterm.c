/* libvterm: see libvterm.h.  Builds with libvterm 0.1.4 and 0.3.3: what they do not share is not used. */
#include "term/libvterm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vterm.h>

#include "base/mem.h"
#include "term/edit.h"
#include "term/erase.h"
#include "term/print.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

/* What libvterm is told of the state; int only, so that two can be compared as bytes. */
struct told {
	int margins, top, bottom, left, right;
	int insert, newline, autowrap;
	int g[4], gl;
	int row, col, pending;
};

struct libvterm {
	VTermAllocatorFunctions allocator;
	VTerm *vt; /* of rows x cols */
	VTermState *state;
	int rows, cols;
	struct told told;
	uint8_t *tabs;

	bool muted; /* it is being told something: what it says is no news */
	unsigned flags;
	bool printing;
	/* of the text that is being printed: where the next character is expected, with no column left in a
	 * full row; and what the last one was (0: none yet) */
	int row, col;
	bool scrolled;
	uint32_t last;
};

/* --- what libvterm does to cells --- */

static bool is_inside(const struct term *t, VTermRect *rect)
{
	rect->start_row = most(rect->start_row, 0);
	rect->start_col = most(rect->start_col, 0);
	rect->end_row = least(rect->end_row, t->rows);
	rect->end_col = least(rect->end_col, t->cols);
	return rect->start_row < rect->end_row && rect->start_col < rect->end_col;
}

/*
 * The text goes on in another row than v->row, or, below the margins, in the same again.  Columns that a wide
 * character had no room in are no part of it.
 */
static void note_wrap(struct term *t, struct libvterm *v, bool same)
{
	struct row *r = touch(t, v->row);

	if (v->told.autowrap && v->col < t->cols)
		row_erase(r, v->col, t->cols, pen_blank(t));
	if (!same)
		r->flags |= ROW_WRAPPED;
}

static uint32_t glyph_of(struct term *t, const uint32_t *chars)
{
	size_t count = 0;

	while (count < CELL_CLUSTER_CODE_POINTS && chars[count])
		count++;
	return count > 1 ? table_cluster(t->table, chars, count) : chars[0];
}

static void put(struct term *t, VTermPos pos, int width, uint32_t glyph)
{
	struct row *r = touch(t, pos.row);
	uint32_t style = pen_style(t);

	row_cut(r, pos.col);
	row_cut(r, pos.col + width);
	if (pos.col + width == t->cols)
		r->flags &= (uint16_t)~ROW_WRAPPED;
	r->cells[pos.col] = (struct cell){width == 2 ? glyph | GLYPH_WIDE : glyph, style};
	if (width == 2)
		r->cells[pos.col + 1] = (struct cell){GLYPH_TAIL, style};
}

static int on_putglyph(VTermGlyphInfo *info, VTermPos pos, void *user)
{
	struct term *t = user;
	struct libvterm *v = t->engine_data;
	int width = info->width;

	if (v->muted || pos.row < 0 || pos.row >= t->rows || pos.col < 0 || width < 1 || width > 2 ||
	    pos.col + width > t->cols || info->chars[0] == 0)
		return 1;
	if (pos.col == 0 && v->col > 0 && !v->scrolled)
		note_wrap(t, v, pos.row == v->row);
	put(t, pos, width, glyph_of(t, info->chars));
	v->row = pos.row;
	v->col = pos.col + width;
	v->scrolled = false;
	v->last = info->chars[0];
	return 1;
}

static void scroll_rows(struct term *t, int count, bool keep)
{
	if (count > 0)
		scroll_up(t, t->top, count, keep);
	else
		scroll_down(t, t->top, -count);
}

static void shift_columns(struct term *t, int count)
{
	for (int row = t->top; row <= t->bottom; row++) {
		if (count > 0)
			edit_close(t, touch(t, row), t->left, count);
		else
			edit_open(t, touch(t, row), t->left, -count);
	}
}

/* What is in the rectangle moves up and left by so much: as if it had margins of its own. */
static int on_scrollrect(VTermRect rect, int downward, int rightward, void *user)
{
	struct term *t = user;
	struct libvterm *v = t->engine_data;
	const int top = t->top, bottom = t->bottom, left = t->left, right = t->right;

	if (v->muted || !is_inside(t, &rect))
		return 1;
	if (v->printing && downward) {
		note_wrap(t, v, false);
		v->scrolled = true;
	}
	t->top = rect.start_row;
	t->bottom = rect.end_row - 1;
	t->left = rect.start_col;
	t->right = rect.end_col - 1;
	if (downward)
		scroll_rows(t, downward, (v->flags & LIBVTERM_KEEP) != 0);
	if (rightward)
		shift_columns(t, rightward);
	t->top = top;
	t->bottom = bottom;
	t->left = left;
	t->right = right;
	return 1;
}

/* Called by libvterm only where a scrollrect refuses; ours never does. */
static int on_moverect(VTermRect to, VTermRect from, void *user)
{
	(void)to;
	(void)from;
	(void)user;
	return 1;
}

static int on_erase(VTermRect rect, int selective, void *user)
{
	struct term *t = user;
	struct libvterm *v = t->engine_data;
	enum erase_kind kind = selective ? ERASE_SELECTIVE : ERASE_PLAIN;

	if (v->muted || !is_inside(t, &rect))
		return 1;
	if (rect.start_col == 0 && rect.end_col == t->cols &&
	    (rect.start_row != t->row || rect.end_row > t->row + 1))
		erase_rows(t, rect.start_row, rect.end_row, kind);
	else
		for (int row = rect.start_row; row < rect.end_row; row++)
			erase_columns(t, row, rect.start_col, rect.end_col, kind);
	return 1;
}

static const VTermStateCallbacks callbacks = {
    .putglyph = on_putglyph,
    .scrollrect = on_scrollrect,
    .moverect = on_moverect,
    .erase = on_erase,
};

/* --- telling libvterm the state --- */

static void write_format(struct libvterm *v, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

static void write_format(struct libvterm *v, const char *fmt, va_list ap)
{
	char text[64];
	int len = vsnprintf(text, sizeof(text), fmt, ap);

	vterm_input_write(v->vt, text, (size_t)least(len, (int)sizeof(text) - 1));
}

static void tell(struct libvterm *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void tell(struct libvterm *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_format(v, fmt, ap);
	va_end(ap);
}

static void *allocate(size_t size, void *user)
{
	(void)user;
	return mem_zalloc(1, size);
}

static void deallocate(void *p, void *user)
{
	(void)user;
	free(p);
}

static void drop(struct libvterm *v)
{
	if (v->vt)
		vterm_free(v->vt);
	v->vt = NULL;
	free(v->tabs);
	v->tabs = NULL;
}

/* A new instance of the terminal's size: its state is that of a terminal that was just made. */
static void renew(struct term *t, struct libvterm *v)
{
	drop(v);
	v->rows = t->rows;
	v->cols = t->cols;
	v->vt = vterm_new_with_allocator(v->rows, v->cols, &v->allocator, NULL);
	vterm_set_utf8(v->vt, 1);
	v->state = vterm_obtain_state(v->vt);
	vterm_state_set_callbacks(v->state, &callbacks, t);
	vterm_state_reset(v->state, 1);
	v->told = (struct told){.autowrap = 1, .bottom = v->rows - 1, .right = v->cols - 1};
	v->tabs = mem_zalloc(1, (size_t)v->cols);
	for (int col = 0; col < v->cols; col += 8)
		v->tabs[col] = 1;
}

/* What libvterm should have.  It knows a pending wrap only at the edge of the screen and with autowrap. */
static struct told wanted(const struct term *t)
{
	struct told w = {
	    .margins = mode(t, MODE_MARGINS),
	    .top = t->top,
	    .bottom = t->bottom,
	    .left = t->left,
	    .right = t->right,
	    .insert = mode(t, MODE_INSERT),
	    .newline = mode(t, MODE_NEWLINE),
	    .autowrap = mode(t, MODE_AUTOWRAP),
	    .gl = t->charsets.single ? t->charsets.single : t->charsets.gl,
	    .row = t->row,
	    .col = t->col,
	    .pending = t->wrap_pending && mode(t, MODE_AUTOWRAP) && t->col == t->cols - 1,
	};

	for (int i = 0; i < 4; i++)
		w.g[i] = t->charsets.g[i];
	return w;
}

static void tell_mode(struct libvterm *v, const char *number, int was, int is)
{
	if (was != is)
		tell(v, "\033[%s%c", number, is ? 'h' : 'l');
}

static void tell_modes(struct libvterm *v, const struct told *w)
{
	const struct told *k = &v->told;

	tell_mode(v, "4", k->insert, w->insert);
	tell_mode(v, "20", k->newline, w->newline);
	tell_mode(v, "?7", k->autowrap, w->autowrap);
	tell_mode(v, "?69", k->margins, w->margins);
	if (k->top != w->top || k->bottom != w->bottom)
		tell(v, "\033[%d;%dr", w->top + 1, w->bottom + 1);
	if (k->left != w->left || k->right != w->right)
		tell(v, "\033[%d;%ds", w->left + 1, w->right + 1);
}

static void tell_tabs(struct term *t, struct libvterm *v)
{
	if (memcmp(v->tabs, t->tabs, (size_t)t->cols) == 0)
		return;
	memcpy(v->tabs, t->tabs, (size_t)t->cols);
	tell(v, "\033[3g");
	for (int col = 0; col < t->cols; col++) {
		if (t->tabs[col])
			tell(v, "\033[1;%dH\033H", col + 1);
	}
}

static void tell_charsets(struct libvterm *v, const struct told *w)
{
	static const char *const invoke[] = {"\017", "\016", "\033n", "\033o"};
	static const char names[] = {[CHARSET_ASCII] = 'B', [CHARSET_GRAPHICS] = '0', [CHARSET_UK] = 'A'};

	for (int i = 0; i < 4; i++) {
		if (w->g[i] != v->told.g[i])
			tell(v, "\033%c%c", "()*+"[i], names[w->g[i]]);
	}
	if (w->gl != v->told.gl)
		tell(v, "%s", invoke[w->gl]);
}

/* CUP, which also ends a pending wrap; one that should be there comes of a character that nobody sees. */
static void tell_cursor(struct libvterm *v, const struct told *w)
{
	tell(v, "\033[%d;%dH", w->row + 1, w->col + 1);
	if (w->pending)
		vterm_input_write(v->vt, "x", 1);
}

static void read_cursor(struct term *t, struct libvterm *v)
{
	VTermPos pos;

	vterm_state_get_cursorpos(v->state, &pos);
	t->row = v->told.row = clamp(pos.row, 0, t->rows - 1);
	t->col = v->told.col = clamp(pos.col, 0, t->cols - 1);
}

static void tell_state(struct term *t, struct libvterm *v)
{
	struct told w = wanted(t);

	t->wrap_pending = w.pending;
	if (v->rows != t->rows || v->cols != t->cols)
		renew(t, v);
	else if (memcmp(&w, &v->told, sizeof(w)) == 0 && memcmp(v->tabs, t->tabs, (size_t)t->cols) == 0)
		return;
	tell_modes(v, &w);
	tell_charsets(v, &w);
	v->told = w;
	tell_tabs(t, v);
	tell_cursor(v, &w);
}

static void begin(struct term *t, struct libvterm *v, unsigned flags)
{
	v->muted = true;
	tell_state(t, v);
	v->muted = false;
	v->flags = flags;
}

/* --- text and sequences --- */

/* A wide character in the last two columns leaves libvterm's cursor on its first half; it belongs on the
 * second. */
static void settle_text(struct term *t, struct libvterm *v)
{
	if (v->last == 0)
		return;
	t->wrap_pending = v->col == t->cols && v->told.autowrap;
	v->told.pending = t->wrap_pending;
	if (t->wrap_pending)
		t->col = t->cols - 1;
	print_remember(t, v->last, v->col);
}

void libvterm_text(struct term *t, const char *text, size_t len)
{
	struct libvterm *v = t->engine_data;

	begin(t, v, LIBVTERM_KEEP);
	v->printing = true;
	v->row = t->row;
	v->col = t->wrap_pending ? t->cols : t->col;
	v->scrolled = false;
	v->last = 0;
	vterm_input_write(v->vt, text, len);
	v->printing = false;
	read_cursor(t, v);
	settle_text(t, v);
}

void libvterm_sequence(struct term *t, unsigned flags, const char *fmt, ...)
{
	struct libvterm *v = t->engine_data;
	int row, col;
	va_list ap;

	begin(t, v, flags);
	row = t->row;
	col = t->col;
	va_start(ap, fmt);
	write_format(v, fmt, ap);
	va_end(ap);
	read_cursor(t, v);
	if (flags & LIBVTERM_MOVES || row != t->row || col != t->col)
		t->wrap_pending = false;
	v->told.pending = t->wrap_pending;
}

struct libvterm *libvterm_create(void)
{
	struct libvterm *v = mem_zalloc(1, sizeof(*v));

	v->allocator = (VTermAllocatorFunctions){.malloc = allocate, .free = deallocate};
	return v;
}

void libvterm_destroy(struct libvterm *v)
{
	if (!v)
		return;
	drop(v);
	free(v);
}
