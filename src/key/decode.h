/*
 * decode: the bytes of the outer terminal become keys, mouse actions, pastes and replies.  Pure: no clock, no
 * tty.
 *
 * A lone ESC, and any sequence that stopped in the middle, is decided by a deadline: the caller asks
 * decoder_deadline after each feed (when decoder_next has returned false) and calls decoder_expire when it
 * has passed.  Replies and mouse reports never become keys, however they are split, also where the terminal
 * stalled right after their ESC; an unknown sequence is dropped whole and never typed.
 */
#ifndef HANDLER_KEY_DECODE_H
#define HANDLER_KEY_DECODE_H

#include "key/key.h"

enum input_type {
	INPUT_KEY,
	INPUT_MOUSE,
	INPUT_PASTE, /* a piece of a bracketed paste: text, first, last; the last may be empty */
	INPUT_FOCUS, /* on */
	INPUT_REPLY, /* reply */
};

enum reply_type {
	REPLY_DA1, /* number[0..count): attributes */
	REPLY_DA2,
	REPLY_XTVERSION,   /* text */
	REPLY_DECRPM,      /* number[0] = mode, number[1] = 0..4 */
	REPLY_KITTY_FLAGS, /* number[0] */
	REPLY_CURSOR,      /* CPR: number[0] = row, number[1] = column, 1-based; see decoder_expect_cursor */
	REPLY_COLOR,       /* number[0] = 4, 10, 11, 12 (OSC); number[1] = index of 4; number[2] = 0xRRGGBB */
	REPLY_THEME,       /* CSI ? 997 ; n n: number[0] = 1 dark, 2 light */
	REPLY_SIZE,        /* CSI 48 t: rows, columns, height, width in pixels */
	REPLY_CELL_PIXELS, /* CSI 6 t: height, width */
	REPLY_AREA_PIXELS, /* CSI 4 t: height, width */
	REPLY_TERMCAP,     /* XTGETTCAP, DCS 1 + r: text, "hex name=hex value" */
	REPLY_SETTING,     /* DECRQSS, DCS 1 $ r: text, parameters and final of the setting */
	REPLY_KEY_MODIFIERS, /* XTQMODKEYS, CSI > m: number[0] = 4 (modifyOtherKeys), number[1] its value */
	REPLY_CLIPBOARD,     /* OSC 52 answer: swallowed, never used */
	REPLY_OTHER,         /* some other string or report: swallowed */
};

enum { REPLY_NUMBERS = 16 };

struct input {
	enum input_type type;
	struct key key;
	struct mouse mouse;
	bool on; /* INPUT_FOCUS */
	enum reply_type reply;
	int count;
	int number[REPLY_NUMBERS];
	const char *text; /* paste or reply; valid until the next call on the decoder */
	size_t text_len;
	bool first, last; /* of a paste */
};

struct decoder;

enum {
	DECODER_ESCAPE_MS = 35, /* a lone ESC is a key after this */
	DECODER_SEQUENCE_MS =
	    500, /* an unfinished sequence is no key any more after this; a paste waits for ever */
	DECODER_LATE_MS =
	    5000, /* ... but its rest is still taken for one (and counts, if a reply) until this */
	DECODER_STRING_MAX = 65536, /* a longer OSC, DCS or APC is swallowed without being kept */
	DECODER_PIECE_MAX = 65536,  /* of a paste */
};

struct decoder *decoder_create(void);
void decoder_destroy(struct decoder *d);
/* That many CPR replies are awaited; without that CSI 1 ; n R is F3 with modifiers. */
void decoder_expect_cursor(struct decoder *d, int reports);
/*
 * Replies are on their way.  As long as that is so a lone ESC waits DECODER_SEQUENCE_MS: it may be the first
 * byte of a reply that was cut, and an Escape that nobody typed cancels things.
 */
void decoder_expect_replies(struct decoder *d, bool expected);
/* The byte that the tty's driver has as VERASE (0x7f or 0x08): it is Backspace, the other one Ctrl+Backspace.
 */
void decoder_set_erase(struct decoder *d, uint8_t erase);

/*
 * Takes bytes; decoder_next returns the inputs found so far, false when there is none.  `now` in ms of any
 * steady clock; a deadline that has passed by then is kept as if decoder_expire had been called.
 */
void decoder_feed(struct decoder *d, const void *data, size_t len, int64_t now);
bool decoder_next(struct decoder *d, struct input *out);
int64_t decoder_deadline(const struct decoder *d); /* time at which to call decoder_expire; -1: none */
void decoder_expire(struct decoder *d, int64_t now);

#endif
