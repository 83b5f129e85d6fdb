/*
 * display: see display.h.  Here: curses opened and closed, the display's life, size and settings.
 *
 * Surfaces are in display_surface.c, what is drawn into them in display_text.c and display_cells.c, the frame
 * in display_frame.c, movement in display_scroll.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "terminfo_hex.h"
#include "ui/display_private.h"

/* --- opening and closing curses --- */

/* newterm takes signals over that nobody else handles; they are not curses' to handle here. */
static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGTTOU, SIGWINCH};

/* What newterm goes by: of the environment, which is as it was afterwards. */
struct environment {
	const char *name;
	char *before;
};

static struct environment environment_set(const char *name, const char *value)
{
	struct environment e = {.name = name, .before = mem_strdup(getenv(name))};

	setenv(name, value, 1);
	return e;
}

static void environment_restore(struct environment *e)
{
	if (e->before)
		setenv(e->name, e->before, 1);
	else
		unsetenv(e->name);
	free(e->before);
}

/* With the size that it will have: its windows and its buffer are made for that at once. */
static SCREEN *new_terminal(struct display *d)
{
	char lines[16], columns[16];
	SCREEN *screen;

	snprintf(lines, sizeof(lines), "%d", d->curses_rows);
	snprintf(columns, sizeof(columns), "%d", d->curses_cols);
	struct environment changed[] = {
	    environment_set("TERMINFO", TERMINFO_HEX),
	    environment_set("LINES", lines),
	    environment_set("COLUMNS", columns),
	};

	screen = newterm("handler-curses", d->out, d->in);
	for (size_t i = 0; i < COUNT_OF(changed); i++)
		environment_restore(&changed[i]);
	return screen;
}

static SCREEN *open_terminal(struct display *d)
{
	struct sigaction saved[COUNT_OF(curses_signals)];
	SCREEN *screen;

	for (size_t i = 0; i < COUNT_OF(curses_signals); i++)
		sigaction(curses_signals[i], NULL, &saved[i]);
	screen = new_terminal(d);
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
		/* A screen that was never left and come back to flushes at each move: 40 writes for a frame.
		 */
		endwin();
		fflush(d->out);
		lseek(d->fd, 0, SEEK_SET);
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

/* --- settings --- */

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

bool display_set_theme(struct display *d, bool dark, bool mono)
{
	if (d->dark == dark && d->mono == mono)
		return false;
	d->dark = dark;
	d->mono = mono;
	display_set_roles(d);
	return true;
}

void display_set_plain(struct display *d, bool plain)
{
	d->plain = plain;
}

int display_rows(const struct display *d)
{
	return d->rows;
}

int display_cols(const struct display *d)
{
	return d->cols;
}

/* --- life --- */

static int at_least(int n, int min)
{
	return n > min ? n : min;
}

static void set_size(struct display *d, int rows, int cols)
{
	d->rows = at_least(rows, 1);
	d->cols = at_least(cols, 1);
	d->curses_rows = at_least(rows, DISPLAY_MIN_ROWS);
	d->curses_cols = at_least(cols, DISPLAY_MIN_COLS);
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
	set_size(d, rows, cols);
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
	set_size(d, rows, cols);
	if (open_curses(d, err) < 0) {
		display_destroy(d);
		return NULL;
	}
	display_set_roles(d);
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
