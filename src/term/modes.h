/*
 * modes: the switches of SM/RM and DECSET/DECRST, in one table that also answers DECRQM and serves
 * XTSAVE/XTRESTORE.
 */
#ifndef HANDLER_TERM_MODES_H
#define HANDLER_TERM_MODES_H

#include <stdbool.h>
#include <stdint.h>

#include "term/parser.h"

struct term;

typedef uint64_t modes_t; /* a bit for each enum mode_index */

/* DECSCL: a VT420 at most.  Below these, a program that asked for an older terminal gets no DECRQM and no
 * DECLRMM. */
enum { LEVEL_REQUESTS = 63, LEVEL_MARGINS = 64, LEVEL_MOST = 64 };

enum mode_index {
	MODE_INSERT,           /* IRM */
	MODE_NEWLINE,          /* LNM */
	MODE_CURSOR_KEYS,      /* DECCKM */
	MODE_COLUMNS,          /* DECCOLM: kept and cleared for, but the pane's width is not the program's */
	MODE_REVERSE,          /* DECSCNM */
	MODE_ORIGIN,           /* DECOM */
	MODE_AUTOWRAP,         /* DECAWM */
	MODE_CURSOR_VISIBLE,   /* DECTCEM */
	MODE_ALLOW_COLUMNS,    /* 40 */
	MODE_REVERSE_WRAP,     /* 45 */
	MODE_KEYPAD,           /* DECNKM, DECKPAM */
	MODE_BACKSPACE,        /* DECBKM */
	MODE_MARGINS,          /* DECLRMM */
	MODE_FOCUS,            /* 1004 */
	MODE_ALTERNATE_SCROLL, /* 1007 */
	MODE_EXTENDED_WRAP,    /* 1045 */
	MODE_BRACKETED_PASTE,  /* 2004 */
	MODE_SYNCHRONIZED,     /* 2026 */
	MODE_THEME,            /* 2031 */
	MODE_IN_BAND_RESIZE,   /* 2048 */
	MODE_COUNT
};

/* The state of a terminal that was just made. */
void modes_reset(struct term *t);
/* DECSTR (DEC STD 070): only what it names. */
void modes_soft_reset(struct term *t);

/* One mode, by number; dec: one of DEC's (CSI ?).  Unknown ones do nothing. */
void modes_set(struct term *t, bool dec, int number, bool on);
/* DECRPM: 0 unknown, 1 set, 2 reset, 3 always set, 4 always reset. */
int modes_query(const struct term *t, bool dec, int number);

/* All modes of the table, by number: what is unknown to a reader is skipped (term_save). */
struct load;
void modes_save(const struct term *t, struct buf *out);
void modes_load(struct term *t, struct load *in);

void csi_set_mode(struct term *t, const struct sequence *s);         /* SM, CSI Pm h */
void csi_reset_mode(struct term *t, const struct sequence *s);       /* RM */
void csi_set_dec_mode(struct term *t, const struct sequence *s);     /* DECSET, CSI ? Pm h */
void csi_reset_dec_mode(struct term *t, const struct sequence *s);   /* DECRST */
void csi_save_modes(struct term *t, const struct sequence *s);       /* XTSAVE, CSI ? Pm s */
void csi_restore_modes(struct term *t, const struct sequence *s);    /* XTRESTORE, CSI ? Pm r */
void csi_request_mode(struct term *t, const struct sequence *s);     /* DECRQM, CSI Ps $ p */
void csi_request_dec_mode(struct term *t, const struct sequence *s); /* DECRQM, CSI ? Ps $ p */

#endif
