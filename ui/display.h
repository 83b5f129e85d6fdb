/*
 * display: curses, hidden.  Windows of text and cells in; the bytes of one frame for the outer terminal out.
 *
 * curses runs on a private terminal type (handler-curses.ti) and writes into memory.  The colour pair of a
 * curses cell is a style handle, its character a glyph handle, both of a table that the display keeps for
 * itself; ui/expand turns that into what the outer terminal understands.  Handles of other tables (mirrors of
 * sessions, history rows) may be collected and reused at any time: what a surface shows stays right. Rows and
 * columns are 0-based, sizes in cells.  Only display*.c know curses, by display_private.h. Must not know:
 * sessions, panes, keys, the tty.
 */
#ifndef HANDLER_UI_DISPLAY_H
#define HANDLER_UI_DISPLAY_H

#include "base/buf.h"
#include "base/err.h"
#include "cell/screen.h"
#include "ui/probe.h"
#include "ui/theme.h"

struct display;
struct surface; /* a rectangle with a place in the stack: a pane, the sidebar, a dialog (a curses WINDOW and
		   PANEL) */

enum {
	DISPLAY_MIN_ROWS = 5,
	DISPLAY_MIN_COLS = 20
}; /* a smaller tty is drawn to as if it had these, and clipped */

/* Only one display can exist at a time per thread: curses has one current screen. */
struct display *display_create(int rows, int cols, struct err *err);
void display_destroy(struct display *d);
/* All surfaces are gone after it: they have to be made anew from the layout, pointers to them are invalid. */
void display_resize(struct display *d, int rows, int cols);
void display_set_caps(
    struct display *d, const struct outer_caps *caps); /* redraws whole if what is sent changes */
/* Which of the theme's forms ROLEs are drawn in; true: it is another one, and everything has to be drawn
 * again by the caller. */
bool display_set_theme(struct display *d, bool dark, bool mono);
/* Whether what the front-end draws itself has no decoration: ASCII lines and symbols. */
void display_set_plain(struct display *d, bool plain);
void display_invalidate(
    struct display *d); /* the outer screen's content is unknown: the next frame is whole */
int display_rows(const struct display *d);
int display_cols(const struct display *d);

/* Cut at the screen's border; a later one lies above earlier ones.  A rectangle wholly outside becomes 1 x 1
 * at the border. */
struct surface *surface_create(struct display *d, int row, int col, int rows, int cols);
void surface_destroy(struct surface *s); /* what lay below shows again */
void surface_raise(struct surface *s);
int surface_rows(const struct surface *s);
int surface_cols(const struct surface *s);
int surface_row(const struct surface *s); /* of its first cell on the screen */
int surface_col(const struct surface *s);

/* Drawing.  Everything is clipped to the surface; a role gives the whole style of the cells drawn. */
void surface_clear(struct surface *s, enum theme_role role);
void surface_fill(struct surface *s, int row, int col, int rows, int cols, enum theme_role role);
/* UTF-8, sanitized by the caller; at most `columns` columns, cut with an ellipsis; returns the columns used.
 */
int surface_text(struct surface *s, int row, int col, int columns, const char *text, enum theme_role role);
/* The same in a role laid over another: colours and attributes that `over` sets win (a state's symbol in a
 * selected row). */
int surface_text_over(struct surface *s, int row, int col, int columns, const char *text,
    enum theme_role role, enum theme_role over);
/* A thin frame with rounded corners around the whole surface; title may be NULL. */
void surface_box(struct surface *s, const char *title, enum theme_role border, enum theme_role title_role);
void surface_hline(struct surface *s, int row, int col, int columns, enum theme_role role);
void surface_vline(struct surface *s, int row, int col, int rows, enum theme_role role);

/* How the cells of a session are to be shown. */
struct cell_look {
	const struct cell_table *table; /* of the handles; lives as long as the display */
	const struct palette *palette;  /* colours that the program changed, or NULL */
	enum theme_role overlay; /* laid over each cell's style (selection, search hits); ROLE_NONE: none */
	bool reversed;           /* DECSCNM */
	bool dim;                /* a pane that only mirrors, or has ended */
};
/*
 * Columns [from, from + columns) of a row of `count` cells, drawn at row, col; columns beyond count are
 * blank.  A half of a wide cell at either border is drawn blank.
 */
void surface_cells(struct surface *s, int row, int col, const struct cell *cells, int count, int from,
    int columns, const struct cell_look *look);

/*
 * Where the outer cursor stands (on the screen, not in a surface); row -1: hidden.  shape: enum cursor_shape;
 * color COLOR_DEFAULT: the terminal's own.
 */
void display_cursor(struct display *d, int row, int col, uint8_t shape, bool blink, color_t color);

/*
 * Appends the frame's bytes (one synchronized update where the terminal knows it) to out; false, and nothing
 * appended, if nothing changed.  Rows that moved up or down are found by comparing and scrolled by the
 * terminal.
 */
bool display_frame(struct display *d, struct buf *out);

/* Whether the cursor's shape or colour was ever changed (tty_cursor_changed). */
void display_cursor_sent(const struct display *d, bool *shape, bool *color);

/* Bytes that leave the outer terminal's cursor and pen as a program expects them; after them the display is
 * invalid. */
void display_leave(struct display *d, struct buf *out);

#endif
