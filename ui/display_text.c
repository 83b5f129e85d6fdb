/*
 * display_text: what the front-end draws itself: text, lines, boxes and backgrounds, in the roles of the
 * theme.
 *
 * Owns: cutting text to columns, ASCII in the place of decoration.  Must not know: the cells of sessions.
 */
#include "base/utf8.h"
#include "ui/cluster.h"
#include "ui/display_private.h"

/*
 * What decorates, and symbols, in ASCII: a screen reader says their names, or nothing.  Only for what the
 * front-end draws itself: a session's cells are never changed.
 */
static wchar_t plain_char(wchar_t c)
{
	static const struct {
		wchar_t from, to;
	} map[] = {{L'│', '|'}, {L'─', '-'}, {L'▌', '>'}, {L'█', '#'}, {L'●', '*'}, {L'○', '.'}, {L'◌', '~'},
	    {L'✓', '+'}, {L'×', 'x'}, {L'‖', '='}, {L'♪', '*'}, {L'·', '-'}};

	if (c >= 0x2500 && c < 0x2580 && c != L'│' && c != L'─')
		return '+'; /* corners and joints of lines */
	for (size_t i = 0; i < COUNT_OF(map); i++) {
		if (map[i].from == c)
			return map[i].to;
	}
	return c;
}

/* --- backgrounds and lines --- */

static void fill_style(struct surface *s, int row, int col, int rows, int cols, uint32_t style, wchar_t with)
{
	cchar_t c;

	if (!clip(&row, &rows, s->rows) || !clip(&col, &cols, s->cols))
		return;
	c = display_cell_in(s->display, style);
	c.chars[0] = s->display->plain ? plain_char(with) : with;
	for (int y = row; y < row + rows; y++) {
		for (int x = 0; x < cols; x++)
			s->display->line[x] = c;
		surface_put_line(s, y, col, cols);
	}
}

static void fill(struct surface *s, int row, int col, int rows, int cols, enum theme_role role, wchar_t with)
{
	locale_t former = enter(s->display);

	display_make_room(s->display);
	fill_style(s, row, col, rows, cols, display_role_style(s->display, role), with);
	leave(former);
}

void surface_fill(struct surface *s, int row, int col, int rows, int cols, enum theme_role role)
{
	fill(s, row, col, rows, cols, role, L' ');
}

void surface_clear(struct surface *s, enum theme_role role)
{
	surface_fill(s, 0, 0, s->rows, s->cols, role);
}

void surface_hline(struct surface *s, int row, int col, int columns, enum theme_role role)
{
	fill(s, row, col, 1, columns, role, L'─');
}

void surface_vline(struct surface *s, int row, int col, int rows, enum theme_role role)
{
	fill(s, row, col, rows, 1, role, L'│');
}

/* --- text --- */

/* Text on its way into a line. */
struct writer {
	struct surface *surface;
	int row, col; /* where the text begins */
	int used, room;
	int first, count; /* the part of display->line that lies in the surface */
	cchar_t cell;
};

static void write_char(struct writer *w, wchar_t c)
{
	int at = w->col + w->used;

	w->used++;
	if (at < 0 || at >= w->surface->cols)
		return;
	if (w->count == 0)
		w->first = at;
	w->cell.chars[0] = c;
	w->surface->display->line[w->count++] = w->cell;
}

static void write_cluster(struct writer *w, const struct text_cluster *c)
{
	struct display *d = w->surface->display;
	int at = w->col + w->used;
	uint32_t glyph;

	if (d->plain && c->count == 1 && plain_char((wchar_t)c->cps[0]) != (wchar_t)c->cps[0]) {
		write_char(w, plain_char((wchar_t)c->cps[0]));
		return;
	}
	glyph = table_cluster(d->handles.table, c->cps, c->count);

	if (c->width == 2 && (at < 0 || at + 2 > w->surface->cols)) {
		write_char(w, L' ');
		write_char(w, L' ');
		return;
	}
	if (c->width == 2)
		glyph |= GLYPH_WIDE;
	if (glyph_is_fragile(d, d->handles.table, glyph))
		surface_mark_fragile(w->surface, w->row);
	write_char(w, (wchar_t)handles_own_char(&d->handles, glyph));
	if (c->width == 2)
		write_char(w, EXPAND_TAIL);
}

static void write_text(struct writer *w, const char *text, size_t len)
{
	struct text_cluster c;

	for (; cluster_next(text, len, &c); text += c.bytes, len -= c.bytes) {
		if (c.width == 0)
			continue;
		if (w->used + c.width > w->room)
			break;
		write_cluster(w, &c);
	}
}

static int text_in(struct surface *s, int row, int col, int columns, const char *text, uint32_t style)
{
	size_t len = strlen(text);
	struct writer w = {.surface = s, .row = row, .col = col, .room = columns};

	if (row < 0 || row >= s->rows || columns <= 0)
		return 0;
	w.cell = display_cell_in(s->display, style);
	if (utf8_columns(text, len) > columns) {
		w.room = columns - 1;
		write_text(&w, text, len);
		w.room = columns;
		write_char(&w, (wchar_t)handles_own_char(&s->display->handles, 0x2026));
	} else {
		write_text(&w, text, len);
	}
	surface_put_line(s, row, w.first, w.count);
	return w.used;
}

int surface_text(struct surface *s, int row, int col, int columns, const char *text, enum theme_role role)
{
	locale_t former = enter(s->display);
	int used;

	display_make_room(s->display);
	used = text_in(s, row, col, columns, text, display_role_style(s->display, role));
	leave(former);
	return used;
}

int surface_text_over(struct surface *s, int row, int col, int columns, const char *text,
    enum theme_role role, enum theme_role over)
{
	struct display *d = s->display;
	locale_t former = enter(d);
	struct style style;
	int used;

	display_make_room(d);
	style = *table_style_value(d->handles.table, display_role_style(d, role));
	if (over != ROLE_NONE)
		style = theme_merge(&style, table_style_value(d->handles.table, display_role_style(d, over)));
	used = text_in(s, row, col, columns, text, table_style(d->handles.table, &style));
	leave(former);
	return used;
}

void surface_box(struct surface *s, const char *title, enum theme_role border, enum theme_role title_role)
{
	int right = s->cols - 1, bottom = s->rows - 1, used;

	surface_hline(s, 0, 1, s->cols - 2, border);
	surface_hline(s, bottom, 1, s->cols - 2, border);
	surface_vline(s, 1, 0, s->rows - 2, border);
	surface_vline(s, 1, right, s->rows - 2, border);
	surface_text(s, 0, 0, 1, "╭", border);
	surface_text(s, 0, right, 1, "╮", border);
	surface_text(s, bottom, 0, 1, "╰", border);
	surface_text(s, bottom, right, 1, "╯", border);
	if (!title || !*title || s->cols < 8)
		return;
	surface_text(s, 0, 2, 1, " ", border);
	used = surface_text(s, 0, 3, s->cols - 6, title, title_role);
	surface_text(s, 0, 3 + used, 1, " ", border);
}
