/*
 * display: curses, hidden.  Windows of text and cells in; the bytes of one frame for the outer terminal out.
 *
 * curses runs on a private terminal type and writes into memory (see handler-curses.ti); the colour pair of a curses cell is a handle of the shared
 * cell table, its character a glyph handle; expand turns that into what the outer terminal understands.
 * Rows and columns are 0-based, sizes in cells.  The only file that includes <curses.h> is display.c.
 */
#ifndef HANDLER_UI_DISPLAY_H
#define HANDLER_UI_DISPLAY_H

#include "base/buf.h"
#include "cell/screen.h"
#include "ui/probe.h"
#include "ui/theme.h"

struct display;
struct surface; /* a rectangle with a place in the stack: a pane, the sidebar, a dialog (a curses WINDOW and PANEL) */

/* table: the shared cell table of the front-end (mirrors use it too); borrowed. */
struct display *display_create(struct cell_table *table, int rows, int cols, struct err *err);
void display_destroy(struct display *d);
/* All surfaces are gone after it: they have to be made anew from the layout. */
void display_resize(struct display *d, int rows, int cols);
void display_set_caps(struct display *d, const struct outer_caps *caps); /* redraws whole when what is sent changes */
void display_invalidate(struct display *d);                             /* the outer screen's content is unknown */
int display_rows(const struct display *d);
int display_cols(const struct display *d);

/* Clipped to the screen; a later one lies above earlier ones. */
struct surface *surface_create(struct display *d, int row, int col, int rows, int cols);
void surface_destroy(struct surface *s);
void surface_raise(struct surface *s);
int surface_rows(const struct surface *s);
int surface_cols(const struct surface *s);

/* Drawing.  Everything is clipped to the surface. */
void surface_clear(struct surface *s, enum theme_role role);
void surface_fill(struct surface *s, int row, int col, int rows, int cols, enum theme_role role);
/* UTF-8 (already sanitized), at most `columns` columns, cut with an ellipsis; returns the columns used. */
int surface_text(struct surface *s, int row, int col, int columns, const char *text, enum theme_role role);
void surface_box(struct surface *s, const char *title, enum theme_role role);
void surface_hline(struct surface *s, int row, int col, int columns, enum theme_role role);
void surface_vline(struct surface *s, int row, int col, int rows, enum theme_role role);
/*
 * Cells of the shared table, from a mirror or history row: columns [from, from + columns) at row, col.  `overlay`
 * (ROLE_NONE for none) is merged into each cell's style: selection, search hits.  A half of a wide cell at a
 * border is drawn blank.  reversed: DECSCNM.
 */
void surface_cells(struct surface *s, int row, int col, const struct cell *cells, int from, int columns,
    enum theme_role overlay, bool reversed);

/* Where the outer cursor stands; row -1: hidden.  shape: enum cursor_shape; color COLOR_DEFAULT: the terminal's own. */
void display_cursor(struct display *d, int row, int col, uint8_t shape, bool blink, color_t color);

/*
 * A hint, before the surfaces are drawn again: rows of this screen rectangle moved up by `lines` (the pane scrolled),
 * so that the terminal can scroll instead of being sent the text again.  Ignored where the outer terminal cannot.
 */
void display_scroll(struct display *d, int row, int col, int rows, int cols, int lines);

/* Appends the frame's bytes (one synchronized update where the terminal knows it) to out; false if nothing changed. */
bool display_frame(struct display *d, struct buf *out);

#endif
