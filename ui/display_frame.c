/*
 * display_frame: a frame: the surfaces laid over each other, what must be drawn anew, curses run, its bytes
 * expanded for the terminal.
 *
 * Owns: the order of these steps.  Must not know: what is drawn in a surface.
 */
#include <unistd.h>

#include "ui/display_private.h"

/* --- laying surfaces over each other --- */

/* Halves of wide glyphs that another surface covers the other half of. */
static void blank_halves(struct display *d, int row)
{
	mvwin_wchnstr(newscr, row, 0, d->line, d->curses_cols);
	for (int x = 0; x < d->curses_cols; x++) {
		bool wide = cell_glyph(d, &d->line[x]) & GLYPH_WIDE, tail = is_tail(&d->line[x]);
		cchar_t blank;

		if (wide && x + 1 < d->curses_cols && is_tail(&d->line[x + 1])) {
			x++;
			continue;
		}
		if (!wide && !tail)
			continue;
		blank = display_cell_in(d, cell_style(&d->line[x]));
		mvwadd_wchnstr(newscr, row, x, &blank, 1);
	}
}

static bool overlap(const struct surface *a, const struct surface *b)
{
	return a->row < b->row + b->rows && b->row < a->row + a->rows && a->col < b->col + b->cols &&
	       b->col < a->col + a->cols;
}

/* What changes below shows through unless what lies above is copied after it. */
static void touch_above(const struct surface *s, struct surface *above)
{
	for (int y = 0; y < s->rows; y++) {
		int at = s->row + y - above->row;

		if (at >= 0 && at < above->rows && is_linetouched(s->window, y))
			touchline(above->window, at, 1);
	}
}

static void touch_all(struct display *d)
{
	touchwin(stdscr);
	for (size_t i = 0; i < d->stack_count; i++)
		touchwin(d->stack[i]->window);
	d->restacked = false;
}

/* Copies the surfaces to curses' new picture, the lowest first; returns whether any overlap. */
static bool stack_surfaces(struct display *d)
{
	bool overlapping = false;

	if (d->restacked)
		touch_all(d);
	wnoutrefresh(stdscr);
	for (size_t i = 0; i < d->stack_count; i++) {
		for (size_t k = i + 1; k < d->stack_count; k++) {
			if (!overlap(d->stack[i], d->stack[k]))
				continue;
			overlapping = true;
			touch_above(d->stack[i], d->stack[k]);
		}
		wnoutrefresh(d->stack[i]->window);
	}
	return overlapping;
}

/* Returns whether so much has changed that something may have moved. */
static bool compose_surfaces(struct display *d)
{
	bool moved = false;

	for (size_t i = 0; i < d->stack_count; i++)
		moved |= surface_hash(d->stack[i]) >= SCROLL_MIN_CHANGED;
	if (!stack_surfaces(d))
		return moved;
	for (int y = 0; y < d->curses_rows; y++) {
		if (is_linetouched(newscr, y))
			blank_halves(d, y);
	}
	return moved;
}

/* --- fragile rows --- */

static bool row_is_fragile(struct display *d, int row)
{
	mvwin_wchnstr(newscr, row, 0, d->line, d->curses_cols);
	for (int x = 0; x < d->curses_cols; x++) {
		if (glyph_is_fragile(d, d->handles.table, cell_glyph(d, &d->line[x])))
			return true;
	}
	return false;
}

/* A changed row with glyphs that may be measured differently is drawn from its first column to its last. */
static void redraw_fragile(struct display *d)
{
	for (int y = 0; y < d->curses_rows; y++) {
		if (!d->fragile[y] || !is_linetouched(newscr, y))
			continue;
		wredrawln(newscr, y, 1);
		d->fragile[y] = row_is_fragile(d, y);
	}
}

/* --- the frame --- */

/* Takes what curses has written. */
static void read_bytes(struct display *d)
{
	off_t len = lseek(d->fd, 0, SEEK_CUR);

	buf_clear(&d->bytes);
	if (len <= 0)
		return;
	buf_reserve(&d->bytes, (size_t)len);
	len = pread(d->fd, d->bytes.data, (size_t)len, 0);
	d->bytes.len = len > 0 ? (size_t)len : 0;
	d->bytes.data[d->bytes.len] = '\0';
	lseek(d->fd, 0, SEEK_SET);
}

/* A whole frame writes every cell: nothing is cleared first, so nothing flashes. */
static void run_curses(struct display *d)
{
	bool moved = compose_surfaces(d);

	clearok(curscr, FALSE);
	clearok(newscr, FALSE);
	if (d->whole) {
		wredrawln(newscr, 0, d->curses_rows);
	} else {
		if (moved)
			display_find_scrolls(d);
		redraw_fragile(d);
	}
	doupdate();
	fflush(d->out);
	read_bytes(d);
}

bool display_frame(struct display *d, struct buf *out)
{
	struct expand_handles handles = {.table = d->handles.table};
	struct expand_frame frame = {.cursor = d->cursor, .scrolls = d->scrolls};
	locale_t former = enter(d);

	set_term(d->screen);
	d->scroll_count = 0;
	d->collected = false;
	run_curses(d);
	leave(former);
	display_remember_hashes(d);
	d->whole = false;
	handles.glyphs = d->handles.glyphs.glyph;
	handles.glyph_count = d->handles.glyphs.used;
	frame.data = d->bytes.data;
	frame.len = d->bytes.len;
	frame.scroll_count = d->scroll_count;
	return expand_frame(d->expand, &handles, &frame, out);
}
