/*
 * decode: the bytes of the outer terminal become keys, mouse actions, pastes and replies.  Pure: no clock, no tty.
 *
 * A lone ESC, and any sequence that stopped in the middle, is decided by a deadline: the caller asks decoder_deadline
 * after each feed and calls decoder_expire when it has passed.  Replies of the terminal never become keys, however
 * they are split; an unknown sequence is dropped whole and never typed.
 */
#ifndef HANDLER_KEY_DECODE_H
#define HANDLER_KEY_DECODE_H

#include "key/key.h"

enum input_type {
	INPUT_KEY,
	INPUT_MOUSE,
	INPUT_PASTE, /* a piece of a bracketed paste: text, first, last.  At most 64 KiB a piece */
	INPUT_FOCUS, /* on */
	INPUT_REPLY, /* reply */
};

enum reply_type {
	REPLY_DA1,          /* number[0..count): attributes */
	REPLY_DA2,
	REPLY_XTVERSION,    /* text */
	REPLY_DECRPM,       /* number[0] = mode, number[1] = 0..4 */
	REPLY_KITTY_FLAGS,  /* number[0] */
	REPLY_CURSOR,       /* CPR: number[0] = row, number[1] = column, 1-based.  Only while decoder_expect_cursor > 0: else it may be a key (F3) */
	REPLY_COLOR,        /* OSC 4/10/11/12: number[0] = 4, 10, 11, 12; number[1] = index for 4; number[2] = 0xRRGGBB */
	REPLY_THEME,        /* CSI ? 997 ; n n: number[0] = 1 dark, 2 light */
	REPLY_SIZE,         /* CSI 48 t: rows, columns, height, width in pixels */
	REPLY_CELL_PIXELS,  /* CSI 6 t: height, width */
	REPLY_AREA_PIXELS,  /* CSI 4 t: height, width */
	REPLY_TERMCAP,      /* DCS 1 + r: text */
	REPLY_CLIPBOARD,    /* OSC 52 answer: swallowed, never used */
	REPLY_OTHER,        /* some other string or report: swallowed */
};

enum { REPLY_NUMBERS = 16 };

struct input {
	enum input_type type;
	struct key key;
	struct mouse mouse;
	bool on;              /* INPUT_FOCUS */
	enum reply_type reply;
	int count;
	int number[REPLY_NUMBERS];
	const char *text;     /* paste or reply; valid until the next call on the decoder */
	size_t text_len;
	bool first, last;     /* of a paste */
};

struct decoder;

enum {
	DECODER_ESCAPE_MS = 35,     /* a lone ESC is a key after this */
	DECODER_SEQUENCE_MS = 500,  /* an unfinished sequence is dropped after this; a paste never is */
	DECODER_STRING_MAX = 65536, /* a longer OSC/DCS/APC is swallowed without being kept */
};

struct decoder *decoder_create(void);
void decoder_destroy(struct decoder *d);
void decoder_expect_cursor(struct decoder *d, int reports); /* that many CPR replies are awaited */
/* The byte that the tty's driver has as VERASE (0x7f or 0x08): it is Backspace, the other one Ctrl+Backspace. */
void decoder_set_erase(struct decoder *d, uint8_t erase);

/* Takes bytes; decoder_next returns the inputs found so far, false when there is none. `now` in ms of any steady clock. */
void decoder_feed(struct decoder *d, const void *data, size_t len, int64_t now);
bool decoder_next(struct decoder *d, struct input *out);
int64_t decoder_deadline(const struct decoder *d); /* time at which to call decoder_expire; -1: none */
void decoder_expire(struct decoder *d, int64_t now);

#endif
