/*
 * display_cells: curses cells made from styles and glyphs, the handles in them, and a session's cells drawn.
 *
 * Pairs are made on first use and mean nothing to curses: a handle that is freed and given to another style
 * needs no redefinition.  A handle may only be freed while no window, neither picture of curses, holds it:
 * display_collect marks them all first.
 *
 * Must not know: text, when a frame is written.
 */
#include "ui/display_private.h"

/* --- handles --- */

void display_set_roles(struct display *d)
{
	for (int role = 0; role < ROLE_COUNT; role++)
		d->role[role] =
		    table_style(d->handles.table, theme_style((enum theme_role)role, d->dark, d->mono));
}

uint32_t display_role_style(const struct display *d, enum theme_role role)
{
	return role > ROLE_NONE && role < ROLE_COUNT ? d->role[role] : 0;
}

/*
 * curses skips a cell whose old and new pair have the same colours, so no two may, nor be like pair 0, which
 * is white (7) on black (0).  A handle (CELL_STYLES_MAX of them) becomes two of the 512 colours that curses
 * believes in; with 65,536 it takes 1.8 MB and 1.2 ms to start.
 */
static void make_pair(struct display *d, uint32_t style)
{
	uint64_t bit = 1ull << style % 64;

	if (style == 0 || d->pairs[style / 64] & bit)
		return;
	init_extended_pair((int)style, (int)style % 256, 1 + (int)style / 256);
	d->pairs[style / 64] |= bit;
}

/* A blank cell in a style, to be copied and given its character. */
cchar_t display_cell_in(struct display *d, uint32_t style)
{
	const wchar_t blank[] = L" ";
	int pair = (int)style;
	cchar_t c;

	make_pair(d, style);
	setcchar(&c, blank, A_NORMAL, 0, &pair);
	return c;
}

static void mark_window(struct display *d, WINDOW *w)
{
	int rows = getmaxy(w), cols = getmaxx(w);

	for (int y = 0; y < rows; y++) {
		mvwin_wchnstr(w, y, 0, d->line, cols);
		for (int x = 0; x < cols; x++)
			handles_mark(&d->handles, cell_style(&d->line[x]), (uint32_t)d->line[x].chars[0]);
	}
}

/* Frees the handles that nothing on the screen, or about to be on it, uses. */
static void display_collect(struct display *d)
{
	set_term(d->screen);
	mark_window(d, curscr);
	mark_window(d, newscr);
	for (size_t i = 0; i < d->stack_count; i++)
		mark_window(d, d->stack[i]->window);
	for (int role = 0; role < ROLE_COUNT; role++)
		handles_mark(&d->handles, d->role[role], ' ');
	handles_sweep(&d->handles);
}

/* Called before a row is drawn, when no handle is in flight. */
void display_make_room(struct display *d)
{
	if (d->collected || !handles_full(&d->handles))
		return;
	display_collect(d);
	d->collected = handles_full(&d->handles); /* not again in this frame */
}

void surface_mark_fragile(struct surface *s, int row)
{
	int at = s->row + row;

	if (at >= 0 && at < s->display->curses_rows)
		s->display->fragile[at] = 1;
}

/* --- the cells of a session --- */

/* A style as the look shows it: what the program changed first, ours on top. */
static uint32_t looked_style(struct display *d, const struct cell_look *look, uint32_t handle)
{
	uint32_t own = handles_style_with(&d->handles, handle, look->palette);
	struct style s;

	if (look->overlay == ROLE_NONE && !look->reversed && !look->dim)
		return own;
	s = *table_style_value(d->handles.table, own);
	if (look->reversed)
		s.attrs ^= ATTR_REVERSE;
	if (look->dim)
		s.attrs |= ATTR_DIM;
	if (look->overlay != ROLE_NONE)
		s = theme_merge(
		    &s, table_style_value(d->handles.table, display_role_style(d, look->overlay)));
	return table_style(d->handles.table, &s);
}

/* Cells on their way into a line. */
struct cells_writer {
	struct surface *surface;
	const struct cell *cells;
	int count, row;
	const struct cell_look *look;
	uint32_t style; /* the last one translated */
	bool started;
	cchar_t cell;
};

static void use_style(struct cells_writer *w, uint32_t style)
{
	if (w->started && w->style == style)
		return;
	w->cell = display_cell_in(w->surface->display, looked_style(w->surface->display, w->look, style));
	w->style = style;
	w->started = true;
}

/* Writes the cell at `from` to line[at]; of a wide one both columns if there is room.  Returns the columns
 * written. */
static int write_cell(struct cells_writer *w, int from, int at, int room)
{
	static const struct cell blank;
	struct display *d = w->surface->display;
	const struct cell *c = from >= 0 && from < w->count ? &w->cells[from] : &blank;
	bool wide = (c->glyph & (GLYPH_WIDE | GLYPH_TAIL)) == GLYPH_WIDE;

	use_style(w, c->style);
	w->cell.chars[0] = L' ';
	if (wide && (room < 2 || from + 1 >= w->count || !(w->cells[from + 1].glyph & GLYPH_TAIL)))
		wide = false;
	else if (c->glyph && !(c->glyph & GLYPH_TAIL))
		w->cell.chars[0] = (wchar_t)handles_char(&d->handles, c->glyph);
	d->line[at] = w->cell;
	if (!wide)
		return 1;
	w->cell.chars[0] = EXPAND_TAIL;
	d->line[at + 1] = w->cell;
	return 2;
}

static void write_cells(struct cells_writer *w, int from, int columns)
{
	for (int i = 0; i < columns;) {
		int at = from + i;

		if (at >= 0 && at < w->count &&
		    glyph_is_fragile(w->surface->display, w->look->table, w->cells[at].glyph))
			surface_mark_fragile(w->surface, w->row);
		i += write_cell(w, at, i, columns - i);
	}
}

void surface_cells(struct surface *s, int row, int col, const struct cell *cells, int count, int from,
    int columns, const struct cell_look *look)
{
	struct cells_writer w = {.surface = s, .cells = cells, .count = count, .row = row, .look = look};
	int before = col;
	locale_t former;

	if (row < 0 || row >= s->rows || !clip(&col, &columns, s->cols))
		return;
	former = enter(s->display);
	display_make_room(s->display);
	handles_from(&s->display->handles, look->table);
	write_cells(&w, from + (col - before), columns);
	surface_put_line(s, row, col, columns);
	leave(former);
}
