/*
 * screen: what a terminal shows at one moment, as it is read by those who draw, send, search or save it.
 *
 * The emulator has one (term_screen), the client's mirror of a session is one.  Rows are 0-based from the
 * top, columns 0-based from the left.  `top` is the stable number of row 0: that of the history's end.
 */
#ifndef HANDLER_CELL_SCREEN_H
#define HANDLER_CELL_SCREEN_H

#include "cell/row.h"

enum { SCREEN_MIN_ROWS = 1, SCREEN_MIN_COLS = 2, SCREEN_MAX_ROWS = 1000, SCREEN_MAX_COLS = 2000 };

enum cursor_shape { CURSOR_DEFAULT, CURSOR_BLOCK, CURSOR_UNDERLINE, CURSOR_BAR };

/* What a client must know of the pane's modes. */
enum screen_mode {
	SCREEN_ALTERNATE = 1 << 0,
	SCREEN_REVERSED = 1 << 1,         /* DECSCNM */
	SCREEN_MOUSE = 1 << 2,            /* the program wants mouse reports of some kind */
	SCREEN_MOUSE_MOTION = 1 << 3,     /* also motion without a button (1003) */
	SCREEN_ALTERNATE_SCROLL = 1 << 4, /* 1007: the wheel sends arrows on the alternate screen */
	SCREEN_BRACKETED_PASTE = 1 << 5,
	SCREEN_FOCUS = 1 << 6,        /* 1004 */
	SCREEN_SYNCHRONIZED = 1 << 7, /* inside a 2026 update: do not draw yet */
	SCREEN_KITTY_KEYS = 1 << 8,   /* some kitty keyboard flags or modifyOtherKeys are on */
	SCREEN_KEY_EVENTS = 1 << 9,   /* kitty's flag 2: the program wants repeats and releases of keys */
	SCREEN_KEY_ESCAPES = 1 << 10, /* kitty's flag 8: and keys that alone are text or nothing, as Shift */
};

struct cursor {
	int row, col; /* col < cols also while a wrap is pending */
	bool visible;
	bool blink;
	uint8_t shape; /* enum cursor_shape */
	bool wrap_pending;
	color_t color; /* OSC 12, COLOR_DEFAULT */
};

/* Colours that the program changed (OSC 4, 10, 11); NULL in struct screen while there are none. */
struct palette {
	color_t fg, bg;     /* COLOR_DEFAULT or COLOR_RGB */
	color_t index[256]; /* COLOR_DEFAULT: not changed */
};

/*
 * Versions: whoever changes a row after the screen has been looked at gives it a version above the
 * screen->version that was there to be seen.  So a reader that remembers screen->version, and for each place
 * which struct row stood there, knows what to look at again: another row, or a higher version.  A scroll may
 * move the pointers and leave the versions.
 */
struct screen {
	int rows, cols;
	struct row **row;       /* row[0..rows) */
	uint64_t top;           /* stable number of row[0] */
	uint64_t history_first; /* oldest row kept; == top if there is no history */
	uint64_t version;       /* the clock that row versions are taken from: see below */
	struct cursor cursor;
	uint32_t modes; /* enum screen_mode */
	const struct palette *palette;
	struct cell_table *table; /* of the handles in the rows */
};

/* All rows as text, one line each, trailing blanks and trailing empty lines dropped, wrapped rows joined if
 * `join`. */
void screen_text(const struct screen *s, bool join, struct buf *out);

#endif
