/*
 * expand: from the private output language of curses (handler-curses.ti) to the bytes of the terminal that is
 * there.
 *
 * The language: text, CUP, `APC n ST` (from here on style handle n), clear, cursor on and off.  A character
 * of the planes 15 and 16 is a glyph handle; EXPAND_TAIL is the second column of a wide one; ASCII and
 * U+2500..U+259F are themselves; anything else is not of the language and is shown as U+FFFD. Keeps what is
 * known of the outer terminal between frames: place of its cursor, pen, link, cursor's look. Pure: no
 * descriptor, no clock, no curses.  Any input gives output that names no row or column outside the screen.
 */
#ifndef HANDLER_UI_EXPAND_H
#define HANDLER_UI_EXPAND_H

#include "base/buf.h"
#include "cell/cell.h"
#include "cell/screen.h"
#include "ui/probe.h"

struct expand;

/* Handles of glyphs: 0 is the tail; the rest index `glyphs`.  The private planes hold 65,534 characters each.
 */
enum { EXPAND_GLYPHS_MAX = 2 * 65534, EXPAND_TAIL = 0xF0000 };
uint32_t expand_glyph_char(uint32_t index);     /* the character that stands for glyphs[index] */
int64_t expand_glyph_index(uint32_t character); /* -1: not a handle */

/* What the handles mean: borrowed, may grow between frames. */
struct expand_handles {
	const struct cell_table *table; /* style handle -> style; links; clusters */
	const uint32_t *glyphs; /* glyph (GLYPH_WIDE and GLYPH_CLUSTER as in cell/cell.h) of each index */
	size_t glyph_count;
};

/* Rows [row, row + rows) x columns [col, col + cols) move up by `lines` (down if negative); blanks come in.
 */
struct expand_scroll {
	int row, col, rows, cols, lines;
};

struct expand_cursor {
	int row, col;  /* row -1: hidden */
	uint8_t shape; /* enum cursor_shape */
	bool blink;
	color_t color;
};

struct expand_frame {
	const char *data; /* what curses wrote */
	size_t len;
	const struct expand_scroll *scrolls; /* done before it, in order */
	size_t scroll_count;
	struct expand_cursor cursor;
};

struct expand *expand_create(int rows, int cols);
void expand_destroy(struct expand *e);
/* Whether what is sent for the same screen changes by it, so that the screen has to be drawn whole. */
bool expand_set_caps(struct expand *e, const struct outer_caps *caps);
void expand_resize(struct expand *e, int rows, int cols); /* forgets */
void expand_forget(struct expand *e); /* pen, cursor and modes of the outer terminal are unknown */
/* Whether the terminal can do this scroll; a full-width one always. */
bool expand_can_scroll(const struct expand *e, const struct expand_scroll *s);
/* Appends the frame; false, and nothing appended, if it changes nothing. */
bool expand_frame(struct expand *e, const struct expand_handles *handles, const struct expand_frame *frame,
    struct buf *out);
/* Whether the cursor's shape or colour was ever changed: who gives the terminal back has to know. */
void expand_sent(const struct expand *e, bool *shape, bool *color);
/* Pen, link, cursor's look as they were before the first frame, cursor visible. */
void expand_leave(struct expand *e, struct buf *out);

#endif
