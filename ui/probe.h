/*
 * probe: what the outer terminal can do.  A pure state machine: environment and the decoder's replies in, a
 * string of queries and `struct outer_caps` out.  It knows no clock, no descriptor and no curses.
 *
 * The first caps are a guess from the environment and are good enough to draw with; each answer makes them
 * better. Names alone are never believed where the terminal can be asked.  The last query (DA1) is answered
 * by every terminal and is the fence: what has not been answered before it will not be.
 */
#ifndef HANDLER_UI_PROBE_H
#define HANDLER_UI_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "key/decode.h"

enum color_depth { DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_TRUE };

enum outer_multiplexer { MUX_NONE, MUX_TMUX, MUX_SCREEN, MUX_ZELLIJ, MUX_HANDLER };

enum { OUTER_NAME_MAX = 64, OUTER_PREFIX_MAX = 8, OUTER_COLOR_UNKNOWN = -1 };

struct outer_caps {
	uint8_t depth;          /* enum color_depth: what may be sent */
	bool plain_chrome;      /* NO_COLOR: attributes only in what we draw ourselves; panes keep colours */
	bool sync;              /* mode 2026 */
	bool graphemes;         /* mode 2027 can be set: widths by grapheme cluster */
	uint32_t doubtful;      /* bits of enum width_class: may be given other columns than we give them */
	bool theme_updates;     /* mode 2031: says when its theme changes */
	bool size_reports;      /* mode 2048: says its size in band */
	bool margins;           /* mode 69: left and right margins, so that a rectangle can be scrolled */
	bool scroll_region;     /* DECSTBM with SU and SD */
	bool sgr_pixels;        /* mode 1016 */
	bool focus;             /* mode 1004 */
	bool kitty_keyboard;    /* kitty's keyboard protocol */
	bool modify_other_keys; /* CSI > 4 ; 2 m (only meaningful without kitty_keyboard) */
	bool styled_underline;  /* SGR 4:N: double, curly, dotted, dashed */
	bool underline_color;   /* SGR 58 */
	bool strike;            /* SGR 9 */
	bool overline;          /* SGR 53 */
	bool hyperlinks;        /* OSC 8 */
	bool osc52;             /* takes the clipboard by OSC 52, as far as can be known */
	bool title;             /* OSC 2, and the title stack (CSI 22 t, CSI 23 t) */
	bool cursor_shape;      /* DECSCUSR */
	bool cursor_color;      /* OSC 12, OSC 112 */
	bool dark;              /* the background is dark (told, or computed from it; without either: yes) */
	int32_t fg, bg, cursor; /* 0xRRGGBB or OUTER_COLOR_UNKNOWN */
	int32_t palette[16];
	int cell_width, cell_height; /* pixels; 0: unknown */
	int area_width, area_height; /* pixels of all cells together; 0: unknown */
	char name[OUTER_NAME_MAX];   /* XTVERSION's answer, or ""; fit to be shown */
	uint8_t multiplexer;         /* enum outer_multiplexer: the outer terminal is one of these */
	char multiplexer_prefix[OUTER_PREFIX_MAX]; /* its default prefix, as a key name; "" without one */
};

/* The parts of the environment that say something about the terminal; NULL: not set. */
struct probe_env {
	const char *term, *colorterm, *no_color, *term_program, *vte_version, *konsole_version, *wt_session;
	const char *tmux, *sty, *zellij, *handler_session;
};

/* config.json's `terminal`; NULL is "auto". */
struct probe_options {
	const char *color; /* auto, truecolor, 256, 16, mono */
	const char *keys;  /* auto, kitty, plain */
	const char *sync;  /* auto, on, off */
};

struct probe;

struct probe_env probe_env_read(void); /* from getenv(3); borrowed strings */
struct probe *probe_create(const struct probe_env *env, const struct probe_options *options);
void probe_destroy(struct probe *p);

/*
 * Appends the queries.  Write them before the first whole frame: what a terminal does not know it may print.
 * From now on decoder_expect_replies should be on until probe_done.
 */
void probe_start(struct probe *p, struct buf *out);
/* Asks for the colours again: the terminal said that its theme has changed (REPLY_THEME). */
void probe_ask_colors(const struct probe *p, struct buf *out);
/* Takes an INPUT_REPLY.  true: the caps have changed. */
bool probe_reply(struct probe *p, const struct input *reply);
/* The fence was not answered in time (PROBE_TIMEOUT_MS after probe_start): what is known stays.  Later
 * answers still count. */
void probe_expire(struct probe *p);
bool probe_done(const struct probe *p);
/*
 * Appends the question for the widths of clusters once more, if mode 2027 is known and they were not yet
 * measured with it; false: nothing to ask.  To be written behind what switches the mode on; the screen is
 * damaged by it.
 */
bool probe_ask_widths(struct probe *p, struct buf *out);
/* How many CPR answers are still to come (decoder_expect_cursor). */
int probe_cursor_reports(const struct probe *p);
enum { PROBE_TIMEOUT_MS = 5000 };

const struct outer_caps *probe_caps(const struct probe *p);

#endif
