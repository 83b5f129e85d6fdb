/*
 * term: one emulated terminal: bytes in; rows, replies and events out.
 *
 * Pure: no descriptor, no clock, no process.  The engine is chosen at creation; no type of an engine is
 * visible here. Pane output can neither crash, hang nor grow it without bound: every limit is a constant
 * below or in cell/cell.h. Not interested in who shows the screen, how keys arrive, or where replies go.
 */
#ifndef HANDLER_TERM_TERM_H
#define HANDLER_TERM_TERM_H

#include "base/buf.h"
#include "base/err.h"
#include "cell/history.h"
#include "cell/screen.h"
#include "key/key.h"

struct term;

enum {
	TERM_PARAMETERS_MAX = 32, /* CSI parameters, sub-parameters counted; further ones are dropped */
	TERM_INTERMEDIATES_MAX = 4,
	TERM_STRING_MAX = 1 << 20, /* OSC, DCS, APC: a longer one is swallowed without effect */
	TERM_TITLE_MAX = 1024,     /* bytes kept of a title, cwd, notification */
	TERM_TITLE_STACK = 16,
	TERM_KITTY_STACK = 32,      /* keyboard flags pushed, a screen; the oldest are dropped */
	TERM_REPLIES_MAX = 1 << 16, /* bytes of replies nobody has fetched; further ones are dropped */
	TERM_EVENTS_MAX = 256,      /* events nobody has fetched; of equal kinds the newest stays */
	TERM_REPEAT_MAX = 65535,    /* REP */
};

/* Native: all of it ours.  libvterm: where text goes and what moves is libvterm's (src/term/engine.h). */
enum term_engine { TERM_NATIVE, TERM_LIBVTERM };

/* Facts of the outer terminal that queries are answered from; defaults while nobody has told. */
struct term_outer {
	color_t fg, bg, cursor;      /* COLOR_RGB; defaults: light grey on black */
	uint32_t palette[16];        /* 0x00RRGGBB */
	int cell_width, cell_height; /* pixels; default 10 x 20 */
	bool dark;
};

struct term_options {
	enum term_engine engine;
	int rows, cols;
	struct history *history;    /* borrowed; rows that leave the main screen are appended; may be NULL */
	bool drop_history_on_clear; /* CSI 3 J: drop history instead of keeping it with a mark */
	const char *version;        /* for XTVERSION: "handler(VERSION)" */
};

struct term *term_create(const struct term_options *options, struct err *err);
void term_destroy(struct term *t);

/*
 * Feeds pane output.  QUIET: cells and modes only; no reply, event or history row comes of it (recovery).
 * NO_HISTORY: rows that leave the top are not appended.  The flags are those of this feed alone.
 */
enum term_feed_flag { TERM_QUIET = 1, TERM_NO_HISTORY = 2 };
void term_feed(struct term *t, const void *data, size_t len, unsigned flags);

/*
 * rows x cols in cells, clamped to SCREEN_MIN..MAX.  Lines of the main screen that wrapped are broken anew;
 * rows are taken back from history when there is room, and pushed when there is none; the alternate screen is
 * cut or extended in place.  Margins go, a synchronized update ends, mode 2048 is served.
 */
void term_resize(struct term *t, int rows, int cols);
/*
 * Exchanges the history (NULL: none).  A terminal that was made without one and fed QUIET goes on with a
 * history that holds the rows of before: screen->top becomes its end.
 */
void term_set_history(struct term *t, struct history *history);
/*
 * Programs on the alternate screen have history, too: rows that were seen to leave it at the top are appended
 * with ROW_SEEN (seen.h).  They are found by comparing frames: at the end of each synchronized update, and
 * where term_rest says that all output that there is has been parsed.  At the end of a turn,
 * term_turn_ended: what the screen shows then will not be lost, however it is replaced.
 */
void term_rest(struct term *t);
void term_turn_ended(struct term *t);
/*
 * The text of such a program has numbers of its own, which its rows keep: those below screen->top are in
 * history (ROW_SEEN), the others, from screen->top on, have not left, wherever on the page they stand.
 * term_text_rows: how many those are, without what stands around the text; 0 on the main screen.
 * term_text_row: one of them.  term_text_end: the number behind what is kept when another page comes.
 * Text on the page when the program ends is marked ROW_SEEN on the main screen.
 */
int term_text_rows(const struct term *t);
void term_text_row(const struct term *t, int index, struct row *out);
uint64_t term_text_end(const struct term *t);
/*
 * The program in the pane has ended: modes, margins, charsets, pen, colours, cursor, keyboard stacks and
 * title stack become as after creation; the text stays; the main screen is shown again if the alternate one
 * was (its last frame is copied below the main screen's text if it held any).
 */
void term_reset_modes(struct term *t);
/*
 * The whole state but for history, the outer terminal's facts, and answers and events not fetched, as bytes
 * that a later version of the program can read, too; also in the middle of a sequence.  Loaded with the same
 * options it goes on as if nothing had been, with the size that was saved; its history must end where it
 * ended then.  NULL: not a saved terminal, or a damaged one.  What one engine saved the other one loads:
 * libvterm's own state is not saved, but told to it anew (cursor, margins, modes, charsets, tab stops) from
 * what was.
 */
void term_save(struct term *t, struct buf *out);
struct term *term_load(const struct term_options *options, const void *data, size_t len, struct err *err);
/* Whether it is a saved terminal of a form that this version of the program reads: 0, or -1 with err. */
int term_can_load(const void *data, size_t len, struct err *err);
/* A line of our own, in a style that marks it as such, put below what stands there (e.g. "[exited 1]"). */
void term_mark(struct term *t, const char *text);

/* The screen as it is now: valid until the next call that feeds or resizes.  Synchronized updates show as a
 * mode bit. */
const struct screen *term_screen(struct term *t);
const struct key_modes *term_key_modes(const struct term *t);

void term_set_outer(
    struct term *t, const struct term_outer *outer); /* reports 2031 and 2048 changes if asked for */
void term_report_theme(struct term *t);              /* CSI ? 997 if mode 2031 is on */
bool term_in_band_resize(const struct term *t);      /* mode 2048 */

/* Bytes for the program, in order: answers to queries, in-band reports.  The caller consumes with
 * buf_consume. */
struct buf *term_replies(struct term *t);

enum term_event_type {
	TERM_BELL,         /* C0 BEL, never a string's terminator */
	TERM_TITLE,        /* OSC 0, 2: text */
	TERM_ICON_TITLE,   /* OSC 1: text */
	TERM_CWD,          /* OSC 7: text is the path, decoded; host is checked by the caller: extra */
	TERM_NOTIFICATION, /* OSC 9, 99, 777: text = body, extra = title or NULL */
	TERM_PROGRESS,     /* OSC 9;4: number = state 0..4, value = percent */
	TERM_STATUS,       /* OSC 7501: text = state, extra = message (decoded) or NULL, kind in `detail` */
	TERM_CLIPBOARD,    /* OSC 52 set: text (bytes, decoded), len; extra = selection letters */
	TERM_POINTER,      /* OSC 22: text = shape name */
	TERM_PROMPT,       /* OSC 133: number = letter; value = exit code of D or -1 */
	TERM_HISTORY_CLEARED, /* CSI 3 J, RIS: number 1 if rows were dropped, 0 if all are kept */
	TERM_SYNC,            /* 2026 set (number 1) or reset (0) */
	TERM_KEY_MODES,       /* kitty flags, modifyOtherKeys, paste, focus or mouse modes changed */
};

struct term_event {
	enum term_event_type type;
	int number, value;
	char *text; /* NUL-terminated, well-formed UTF-8 without controls, but for TERM_CLIPBOARD */
	size_t len;
	char *extra;  /* or NULL */
	char *detail; /* or NULL */
};

/* The oldest event not fetched, false if there is none.  The strings belong to the caller: term_event_finish.
 */
bool term_next_event(struct term *t, struct term_event *out);
void term_event_finish(struct term_event *e);

const char *term_title(const struct term *t); /* the window title as last set, sanitized; "" at first */

#endif
