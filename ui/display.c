/*
 * display: see display.h.
 *
 * A curses cell is made here as: chars[0] = ASCII, a box character, or a handle of `glyphs`; colour pair =
 * style handle of `table`; no attribute is ever used, so all of a style is in the pair.  Pairs are made on
 * first use and mean nothing to curses: a handle that is freed and given to another style needs no
 * redefinition.  A handle may only be freed while no window, neither picture of curses, holds it:
 * display_collect marks them all first.
 *
 * curses thinks every character one column wide: a wide glyph is a head and a tail character.
 * Its locale must be UTF-8 (wcrtomb), without the process having to change its own: each entry switches the
 * thread's.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "terminfo_hex.h"
#include "ui/cluster.h"
#include "ui/display.h"
#include "ui/expand.h"
#include "ui/handles.h"
#include "ui/scroll.h"
#include "ui/widths.h"

#define key_name curses_key_name /* another function than that of key/key.h */
#include <curses.h>
#undef key_name

enum {
	SCROLLS_MAX = 8,        /* in one frame */
	SCROLL_MIN_CHANGED = 4, /* rows of a surface; fewer are not worth looking for a movement */
	SCROLL_WORTH = 40,      /* bytes, about, that a scroll must save */
	RUN_COST = 6,           /* bytes, about, to get to a run of changed cells */
};

struct display {
	int rows, cols; /* of the outer terminal */
	int curses_rows, curses_cols;
	SCREEN *screen;
	FILE *out, *in;
	int fd; /* of out: what curses writes */
	locale_t locale;
	struct handles handles;
	struct expand *expand;
	uint32_t doubtful; /* of the outer terminal's capabilities */
	bool sync;
	uint32_t role[ROLE_COUNT]; /* style handles */
	bool dark, mono;
	bool plain;             /* no decoration: plain_char */
	uint64_t *pairs;        /* a bit for each pair that has been made */
	struct surface **stack; /* of the surfaces, the lowest first */
	size_t stack_count;
	bool restacked;                      /* a surface came, went or was raised since the last frame */
	cchar_t *line, *line_new, *line_old; /* a row each, and the terminator that win_wchnstr adds */
	uint8_t *fragile; /* by row of the screen: holds glyphs that the terminal may measure differently */
	bool whole, collected;
	struct expand_cursor cursor;
	struct expand_scroll scrolls[SCROLLS_MAX];
	size_t scroll_count;
	struct buf bytes;
};

struct surface {
	struct display *display;
	WINDOW *window;
	int row, col, rows, cols;
	uint64_t *before, *now; /* hashes of the rows in the last frame and in this one */
};

/* --- entering and leaving curses --- */

static locale_t enter(const struct display *d)
{
	return uselocale(d->locale);
}

static void leave(locale_t former)
{
	uselocale(former);
}

/* newterm takes signals over that nobody else handles; they are not curses' to handle here. */
static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGTTOU, SIGWINCH};

static SCREEN *open_terminal(struct display *d)
{
	struct sigaction saved[COUNT_OF(curses_signals)];
	AUTO_FREE char *terminfo = mem_strdup(getenv("TERMINFO"));
	SCREEN *screen;

	for (size_t i = 0; i < COUNT_OF(curses_signals); i++)
		sigaction(curses_signals[i], NULL, &saved[i]);
	setenv("TERMINFO", TERMINFO_HEX, 1);
	screen = newterm("handler-curses", d->out, d->in);
	if (terminfo)
		setenv("TERMINFO", terminfo, 1);
	else
		unsetenv("TERMINFO");
	for (size_t i = 0; i < COUNT_OF(curses_signals); i++)
		sigaction(curses_signals[i], &saved[i], NULL);
	return screen;
}

static int open_files(struct display *d, struct err *err)
{
	d->fd = memfd_create("handler-curses", MFD_CLOEXEC);
	if (d->fd < 0)
		return err_sys(err, errno, "Cannot make memory for drawing");
	d->out = fdopen(d->fd, "r+");
	d->in = fopen("/dev/null", "re");
	if (!d->out || !d->in)
		return err_sys(err, errno, "Cannot open /dev/null");
	return 0;
}

static int open_curses(struct display *d, struct err *err)
{
	locale_t former;

	d->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!d->locale)
		return err_sys(err, errno, "The locale C.UTF-8 is not there");
	if (open_files(d, err) < 0)
		return -1;
	former = enter(d);
	d->screen = open_terminal(d);
	if (d->screen) {
		typeahead(-1); /* /dev/null is always readable: a frame would never be finished */
		start_color();
		curs_set(0);
	}
	leave(former);
	if (!d->screen)
		return err_set(
		    err, ERR_FAILED, "This ncurses cannot be started with a built-in terminal description");
	return 0;
}

static void close_curses(struct display *d)
{
	locale_t former = d->locale ? enter(d) : (locale_t)0;

	if (d->screen) {
		set_term(d->screen);
		endwin();
		delscreen(d->screen);
	}
	if (d->locale) {
		leave(former);
		freelocale(d->locale);
	}
	if (d->out)
		fclose(d->out);
	else if (d->fd >= 0)
		close(d->fd);
	if (d->in)
		fclose(d->in);
}

/* --- handles --- */

static void set_roles(struct display *d)
{
	for (int role = 0; role < ROLE_COUNT; role++)
		d->role[role] =
		    table_style(d->handles.table, theme_style((enum theme_role)role, d->dark, d->mono));
}

static uint32_t role_style(const struct display *d, enum theme_role role)
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
static cchar_t cell_in(struct display *d, uint32_t style)
{
	const wchar_t blank[] = L" ";
	int pair = (int)style;
	cchar_t c;

	make_pair(d, style);
	setcchar(&c, blank, A_NORMAL, 0, &pair);
	return c;
}

static uint32_t cell_style(const cchar_t *c)
{
	return (uint32_t)c->ext_color;
}

static bool is_tail(const cchar_t *c)
{
	return c->chars[0] == EXPAND_TAIL;
}

static uint32_t cell_glyph(const struct display *d, const cchar_t *c)
{
	return handles_glyph(&d->handles, (uint32_t)c->chars[0]);
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
static void make_room(struct display *d)
{
	if (d->collected || !handles_full(&d->handles))
		return;
	display_collect(d);
	d->collected = handles_full(&d->handles); /* not again in this frame */
}

static bool glyph_is_fragile(const struct display *d, const struct cell_table *table, uint32_t glyph)
{
	return widths_doubt(d->doubtful, table, glyph);
}

static void mark_fragile(struct surface *s, int row)
{
	int at = s->row + row;

	if (at >= 0 && at < s->display->curses_rows)
		s->display->fragile[at] = 1;
}

/* --- putting cells into a surface --- */

static void put_one(struct surface *s, int row, int col, const cchar_t *c)
{
	mvwadd_wchnstr(s->window, row, col, c, 1);
}

static void blank_one(struct surface *s, int row, int col)
{
	cchar_t c;

	mvwin_wch(s->window, row, col, &c);
	c = cell_in(s->display, cell_style(&c));
	put_one(s, row, col, &c);
}

static bool tail_at(struct surface *s, int row, int col)
{
	cchar_t c;

	if (col < 0 || col >= s->cols)
		return false;
	mvwin_wch(s->window, row, col, &c);
	return is_tail(&c);
}

/* The first `count` cells of display->line; what they cut in half becomes blank. */
static void put_line(struct surface *s, int row, int col, int count)
{
	if (count <= 0)
		return;
	if (col > 0 && tail_at(s, row, col))
		blank_one(s, row, col - 1);
	if (tail_at(s, row, col + count))
		blank_one(s, row, col + count);
	mvwadd_wchnstr(s->window, row, col, s->display->line, count);
}

/* Cuts [*from, *from + *count) to [0, limit). */
static bool clip(int *from, int *count, int limit)
{
	if (*from < 0) {
		*count += *from;
		*from = 0;
	}
	if (*count > limit - *from)
		*count = limit - *from;
	return *count > 0;
}

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

static void fill_style(struct surface *s, int row, int col, int rows, int cols, uint32_t style, wchar_t with)
{
	cchar_t c;

	if (!clip(&row, &rows, s->rows) || !clip(&col, &cols, s->cols))
		return;
	c = cell_in(s->display, style);
	c.chars[0] = s->display->plain ? plain_char(with) : with;
	for (int y = row; y < row + rows; y++) {
		for (int x = 0; x < cols; x++)
			s->display->line[x] = c;
		put_line(s, y, col, cols);
	}
}

static void fill(struct surface *s, int row, int col, int rows, int cols, enum theme_role role, wchar_t with)
{
	locale_t former = enter(s->display);

	make_room(s->display);
	fill_style(s, row, col, rows, cols, role_style(s->display, role), with);
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
		mark_fragile(w->surface, w->row);
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
	w.cell = cell_in(s->display, style);
	if (utf8_columns(text, len) > columns) {
		w.room = columns - 1;
		write_text(&w, text, len);
		w.room = columns;
		write_char(&w, (wchar_t)handles_own_char(&s->display->handles, 0x2026));
	} else {
		write_text(&w, text, len);
	}
	put_line(s, row, w.first, w.count);
	return w.used;
}

int surface_text(struct surface *s, int row, int col, int columns, const char *text, enum theme_role role)
{
	locale_t former = enter(s->display);
	int used;

	make_room(s->display);
	used = text_in(s, row, col, columns, text, role_style(s->display, role));
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

	make_room(d);
	style = *table_style_value(d->handles.table, role_style(d, role));
	if (over != ROLE_NONE)
		style = theme_merge(&style, table_style_value(d->handles.table, role_style(d, over)));
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
		s = theme_merge(&s, table_style_value(d->handles.table, role_style(d, look->overlay)));
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
	w->cell = cell_in(w->surface->display, looked_style(w->surface->display, w->look, style));
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
			mark_fragile(w->surface, w->row);
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
	make_room(s->display);
	handles_from(&s->display->handles, look->table);
	write_cells(&w, from + (col - before), columns);
	put_line(s, row, col, columns);
	leave(former);
}

/* --- surfaces --- */

/* Cuts [*from, *from + *count) to the screen; what is wholly outside becomes one cell at the border. */
static void fit(int *from, int *count, int limit)
{
	if (clip(from, count, limit))
		return;
	*count = 1;
	*from = *from < limit ? *from : limit - 1;
}

struct surface *surface_create(struct display *d, int row, int col, int rows, int cols)
{
	struct surface *s = mem_zalloc(1, sizeof(*s));
	locale_t former = enter(d);

	fit(&row, &rows, d->curses_rows);
	fit(&col, &cols, d->curses_cols);
	*s = (struct surface){.display = d, .row = row, .col = col, .rows = rows, .cols = cols};
	set_term(d->screen);
	s->window = newwin(rows, cols, row, col);
	if (!s->window)
		mem_exhausted((size_t)rows * (size_t)cols * sizeof(cchar_t));
	leaveok(s->window, TRUE);
	s->before = mem_zalloc((size_t)rows, sizeof(*s->before));
	s->now = mem_zalloc((size_t)rows, sizeof(*s->now));
	d->stack = mem_realloc(d->stack, d->stack_count + 1, sizeof(struct surface *));
	d->stack[d->stack_count++] = s;
	d->restacked = true;
	leave(former);
	return s;
}

static void surface_free(struct surface *s)
{
	delwin(s->window);
	free(s->before);
	free(s->now);
	free(s);
}

/* Takes a surface out of the stack. */
static void unstack(struct surface *s)
{
	struct display *d = s->display;
	size_t i = 0;

	while (d->stack[i] != s)
		i++;
	d->stack_count--;
	memmove(&d->stack[i], &d->stack[i + 1], (d->stack_count - i) * sizeof(struct surface *));
	d->restacked = true;
}

void surface_destroy(struct surface *s)
{
	locale_t former;

	if (!s)
		return;
	former = enter(s->display);
	set_term(s->display->screen);
	unstack(s);
	surface_free(s);
	leave(former);
}

void surface_raise(struct surface *s)
{
	unstack(s);
	s->display->stack[s->display->stack_count++] = s;
}

int surface_rows(const struct surface *s)
{
	return s->rows;
}

int surface_cols(const struct surface *s)
{
	return s->cols;
}

int surface_row(const struct surface *s)
{
	return s->row;
}

int surface_col(const struct surface *s)
{
	return s->col;
}

/* --- movement --- */

static uint64_t hash_row(struct display *d, WINDOW *w, int row, int cols)
{
	uint64_t h = 0xcbf29ce484222325u;
	bool blank = true;

	mvwin_wchnstr(w, row, 0, d->line, cols);
	for (int x = 0; x < cols; x++) {
		h = (h ^ (uint64_t)d->line[x].chars[0] ^ (uint64_t)cell_style(&d->line[x]) << 24) *
		    0x9e3779b97f4a7c15u;
		h ^= h >> 29;
		blank = blank && d->line[x].chars[0] == L' ';
	}
	return blank ? 0 : h | 1;
}

/* Returns how many rows differ from the last frame. */
static int hash_surface(struct surface *s)
{
	int changed = 0;

	for (int y = 0; y < s->rows; y++) {
		if (!is_linetouched(s->window, y))
			continue;
		s->now[y] = hash_row(s->display, s->window, y, s->cols);
		changed += s->now[y] != s->before[y];
	}
	return changed;
}

/* What it costs, about, to turn row `from` of what the terminal shows (-1: a blank one) into row `to` of the
 * new picture. */
static int row_cost(struct display *d, int to, int from, int col, int cols)
{
	int cost = 0, run = -RUN_COST;

	mvwin_wchnstr(newscr, to, col, d->line_new, cols);
	if (from >= 0)
		mvwin_wchnstr(curscr, from, col, d->line_old, cols);
	for (int x = 0; x < cols; x++) {
		const cchar_t *a = &d->line_new[x], *b = &d->line_old[x];

		if (from >= 0 ? a->chars[0] == b->chars[0] && cell_style(a) == cell_style(b)
			      : a->chars[0] == L' ' && cell_style(a) == 0)
			continue;
		cost += x - run < RUN_COST ? x - run : 1 + RUN_COST;
		run = x;
	}
	return cost;
}

static bool worthwhile(struct display *d, const struct expand_scroll *s)
{
	int saved = 0;

	for (int y = s->row; y < s->row + s->rows; y++) {
		int from = y + s->lines;

		if (from < s->row || from >= s->row + s->rows)
			from = -1;
		saved += row_cost(d, y, y, s->col, s->cols) - row_cost(d, y, from, s->col, s->cols);
	}
	return saved > SCROLL_WORTH;
}

static void copy_row(struct display *d, int to, int from, int col, int cols)
{
	cchar_t blank = cell_in(d, 0);

	if (from >= 0)
		mvwin_wchnstr(curscr, from, col, d->line_old, cols);
	for (int x = 0; from < 0 && x < cols; x++)
		d->line_old[x] = blank;
	mvwadd_wchnstr(curscr, to, col, d->line_old, cols);
}

/* Does to curses' idea of the terminal what the scroll does to the terminal. */
static void move_picture(struct display *d, const struct expand_scroll *s)
{
	int end = s->row + s->rows;

	for (int i = 0; i < s->rows; i++) {
		int to = s->lines > 0 ? s->row + i : end - 1 - i, from = to + s->lines;

		copy_row(d, to, from >= s->row && from < end ? from : -1, s->col, s->cols);
	}
	wtouchln(newscr, s->row, s->rows, 1);
	for (int y = s->row; y < end; y++) {
		if (d->fragile[y])
			memset(d->fragile + s->row, 1, (size_t)s->rows);
	}
}

/*
 * The rectangle itself if the terminal can; else the rows in full width, where what stands beside is put
 * right again in the same frame: without mode 2026 that would be seen.
 */
static bool choose_scroll(struct display *d, const struct surface *s, struct expand_scroll *scroll)
{
	if (expand_can_scroll(d->expand, scroll) && worthwhile(d, scroll))
		return true;
	if (!d->sync || s->cols == d->cols)
		return false;
	scroll->col = 0;
	scroll->cols = d->cols;
	return expand_can_scroll(d->expand, scroll) && worthwhile(d, scroll);
}

static void find_scroll(struct display *d, struct surface *s)
{
	struct scroll_guess guess;
	struct expand_scroll scroll;

	if (d->scroll_count == SCROLLS_MAX || !scroll_guess(s->before, s->now, s->rows, &guess))
		return;
	scroll = (struct expand_scroll){s->row + guess.first, s->col, guess.rows, s->cols, guess.lines};
	if (!choose_scroll(d, s, &scroll))
		return;
	move_picture(d, &scroll);
	d->scrolls[d->scroll_count++] = scroll;
}

/* --- the frame --- */

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
		blank = cell_in(d, cell_style(&d->line[x]));
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
		moved |= hash_surface(d->stack[i]) >= SCROLL_MIN_CHANGED;
	if (!stack_surfaces(d))
		return moved;
	for (int y = 0; y < d->curses_rows; y++) {
		if (is_linetouched(newscr, y))
			blank_halves(d, y);
	}
	return moved;
}

static void find_scrolls(struct display *d)
{
	for (size_t i = 0; i < d->stack_count; i++)
		find_scroll(d, d->stack[i]);
}

static void remember_hashes(struct display *d)
{
	for (size_t i = 0; i < d->stack_count; i++)
		memcpy(d->stack[i]->before, d->stack[i]->now, (size_t)d->stack[i]->rows * sizeof(uint64_t));
}

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
			find_scrolls(d);
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
	remember_hashes(d);
	d->whole = false;
	handles.glyphs = d->handles.glyphs.glyph;
	handles.glyph_count = d->handles.glyphs.used;
	frame.data = d->bytes.data;
	frame.len = d->bytes.len;
	frame.scroll_count = d->scroll_count;
	return expand_frame(d->expand, &handles, &frame, out);
}

void display_cursor(struct display *d, int row, int col, uint8_t shape, bool blink, color_t color)
{
	d->cursor =
	    (struct expand_cursor){.row = row, .col = col, .shape = shape, .blink = blink, .color = color};
}

void display_cursor_sent(const struct display *d, bool *shape, bool *color)
{
	expand_sent(d->expand, shape, color);
}

void display_invalidate(struct display *d)
{
	d->whole = true;
	expand_forget(d->expand);
}

void display_leave(struct display *d, struct buf *out)
{
	expand_leave(d->expand, out);
	display_invalidate(d);
}

void display_set_caps(struct display *d, const struct outer_caps *caps)
{
	if (caps->doubtful & ~d->doubtful)
		memset(d->fragile, 1, (size_t)d->curses_rows);
	d->doubtful = caps->doubtful;
	d->sync = caps->sync;
	if (expand_set_caps(d->expand, caps))
		d->whole = true;
}

void display_set_theme(struct display *d, bool dark, bool mono)
{
	d->dark = dark;
	d->mono = mono;
	set_roles(d);
}

void display_set_plain(struct display *d, bool plain)
{
	d->plain = plain;
}

/* --- life --- */

static int at_least(int n, int min)
{
	return n > min ? n : min;
}

static void resize_buffers(struct display *d)
{
	size_t cells = (size_t)d->curses_cols + 2;

	d->line = mem_realloc(d->line, cells, sizeof(*d->line));
	d->line_new = mem_realloc(d->line_new, cells, sizeof(*d->line_new));
	d->line_old = mem_realloc(d->line_old, cells, sizeof(*d->line_old));
	d->fragile = mem_realloc(d->fragile, (size_t)d->curses_rows, 1);
	memset(d->fragile, 0, (size_t)d->curses_rows);
}

static void destroy_surfaces(struct display *d)
{
	for (size_t i = 0; i < d->stack_count; i++)
		surface_free(d->stack[i]);
	d->stack_count = 0;
	d->restacked = true;
}

void display_resize(struct display *d, int rows, int cols)
{
	locale_t former = enter(d);

	set_term(d->screen);
	destroy_surfaces(d);
	d->rows = at_least(rows, 1);
	d->cols = at_least(cols, 1);
	d->curses_rows = at_least(rows, DISPLAY_MIN_ROWS);
	d->curses_cols = at_least(cols, DISPLAY_MIN_COLS);
	resize_term(d->curses_rows, d->curses_cols);
	werase(stdscr);
	leaveok(stdscr, TRUE);
	resize_buffers(d);
	d->cursor.row = -1;
	d->whole = true;
	expand_resize(d->expand, d->rows, d->cols);
	leave(former);
}

struct display *display_create(int rows, int cols, struct err *err)
{
	struct display *d = mem_zalloc(1, sizeof(*d));

	d->fd = -1;
	d->dark = true;
	d->cursor.row = -1;
	buf_init(&d->bytes);
	handles_init(&d->handles);
	d->expand = expand_create(rows, cols);
	d->pairs = mem_zalloc(CELL_STYLES_MAX / 64, sizeof(*d->pairs));
	if (open_curses(d, err) < 0) {
		display_destroy(d);
		return NULL;
	}
	set_roles(d);
	display_resize(d, rows, cols);
	return d;
}

void display_destroy(struct display *d)
{
	if (!d)
		return;
	destroy_surfaces(d);
	close_curses(d);
	expand_destroy(d->expand);
	handles_finish(&d->handles);
	buf_free(&d->bytes);
	free(d->stack);
	free(d->pairs);
	free(d->line);
	free(d->line_new);
	free(d->line_old);
	free(d->fragile);
	free(d);
}

int display_rows(const struct display *d)
{
	return d->rows;
}

int display_cols(const struct display *d)
{
	return d->cols;
}
