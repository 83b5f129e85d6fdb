/*
 * state: what one emulated terminal is made of, for the files of src/term alone.
 *
 * Each group of members belongs to the file named beside it: the others read it, and change it only through
 * that file's functions.  Rows and columns are 0-based; ranges end before `to`, margins are the last row or
 * column inside.
 */
#ifndef HANDLER_TERM_STATE_H
#define HANDLER_TERM_STATE_H

#include "base/unicode.h"
#include "term/charset.h"
#include "term/engine.h"
#include "term/event.h"
#include "term/grid.h"
#include "term/keyboard.h"
#include "term/modes.h"
#include "term/osc_color.h"
#include "term/past.h"
#include "term/parser.h"
#include "term/seen.h"
#include "term/term.h"
#include "term/title.h"

/* What DECSC keeps (DEC STD 070; xterm keeps the pending wrap too). */
struct saved_cursor {
	int row, col;
	bool wrap_pending, origin;
	struct style pen;
	struct charsets charsets;
};

/* Whose protection erasing functions respect: the ISO one binds ED, EL and ECH, DEC's only the selective
 * ones. */
enum protection { PROTECT_NONE, PROTECT_ISO, PROTECT_DEC };

/* The last cluster printed: what comes next may still belong to it, and REP repeats it. */
struct last_print {
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	uint8_t count; /* 0: nothing to repeat */
	uint8_t width;
	bool joinable; /* it stands at row, col with this glyph, and the cursor behind it, unless they changed
			  since */
	bool known;    /* state is the one after cps */
	bool wrap_pending; /* of the cursor behind it */
	uint32_t glyph;
	int row, col, after; /* where it stands; the cursor's column behind it */
	struct grapheme state;
};

/* A notification in pieces (OSC 99). */
struct notification {
	char *id;
	struct buf title, body;
};

struct term {
	/* term.c */
	struct parser parser;
	const struct engine *engine;
	void *engine_data;
	unsigned flags; /* of the feed under way: enum term_feed_flag */
	bool nested;    /* inside of a DCS tmux; ... ST */
	char *version;
	bool drop_history_on_clear;
	uint64_t clock;
	struct screen view;
	struct term_outer outer;

	struct cell_table *table;
	struct grid main, alternate; /* alternate: made when first shown */
	struct grid *grid;           /* the one shown */
	int rows, cols;

	/* past.c */
	struct history *history;
	struct past past;

	/* seen.c */
	struct seen seen;

	/* scroll.c */
	int top, bottom, left, right;

	/* cursor.c */
	int row, col;
	bool wrap_pending; /* the next character goes to the next row; col is still the last column */
	struct saved_cursor saved[2]; /* main, alternate */
	uint8_t *tabs;                /* a flag for each column */

	/* sgr.c */
	struct style pen;
	uint32_t pen_handle, blank_handle;
	bool pen_known, blank_known;
	uint8_t protection;       /* enum protection */
	uint8_t attribute_extent; /* DECSACE (rect.c) */

	/* charset.c, print.c */
	struct charsets charsets;
	bool plain; /* printable ASCII is itself and nothing is inserted */
	struct last_print last;

	/* modes.c */
	modes_t modes, saved_modes;
	uint8_t tracking, format; /* enum mouse_tracking, enum mouse_format */
	uint8_t cursor_shape;     /* enum cursor_shape */
	bool cursor_blink;
	bool replies_8bit; /* S8C1T */
	uint8_t level;     /* DECSCL: 61..LEVEL_MOST */
	uint8_t checksum_flags;

	/* keyboard.c */
	struct keyboard keyboard[2]; /* main, alternate */
	uint8_t modify_other_keys;
	struct key_modes key_modes;

	/* title.c, osc_color.c, event.c, reply.c */
	struct titles titles;
	struct colors colors;
	struct notification notification;
	struct events events;
	struct buf replies;
};

static inline bool mode(const struct term *t, enum mode_index m)
{
	return (t->modes >> m & 1) != 0;
}

static inline bool on_alternate(const struct term *t)
{
	return t->grid == &t->alternate;
}

/* A row that is about to be changed. */
static inline struct row *touch(struct term *t, int row)
{
	struct row *r = t->grid->row[row];

	r->version = t->clock;
	return r;
}

static inline int clamp(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

static inline int least(int a, int b)
{
	return a < b ? a : b;
}

static inline int most(int a, int b)
{
	return a > b ? a : b;
}

#endif
