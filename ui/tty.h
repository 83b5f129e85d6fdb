/*
 * tty: the outer terminal as a device: raw mode, the modes we set and take back, bytes out without ever
 * blocking, and input as it was decoded.  Knows nothing of what is drawn.
 *
 * Invariant: from tty_enter to tty_leave there is, at every moment, a precomputed string that undoes
 * everything that has been switched on.  It is written however the process ends: tty_leave, tty_close,
 * tty_restore_now, and the handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGQUIT, which then let
 * the signal take its course.
 *
 * The device is opened anew (ttyname, else /dev/tty), so that O_NONBLOCK does not reach the shell that shares
 * our standard input.  One tty exists in a process at a time.
 */
#ifndef HANDLER_UI_TTY_H
#define HANDLER_UI_TTY_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "key/decode.h"

struct tty;

enum tty_gone { TTY_HANGUP, TTY_TERMINATED }; /* EOF, EIO, SIGHUP; SIGTERM, SIGINT */

struct tty_size {
	int rows, cols;
	int width, height; /* pixels of all cells together; 0: unknown */
};

/* Called from the loop.  All but `input` and `gone` may be NULL. */
struct tty_events {
	void (*input)(void *owner, const struct input *in);
	void (*resized)(void *owner, struct tty_size size); /* only when it differs */
	void (*drained)(void *owner); /* everything written has left: the next frame may come */
	/* Continued after a stop, or resized and back: the screen is blank or damaged, draw it whole. */
	void (*resumed)(void *owner);
	/* once; the terminal has been given back as far as it is there */
	void (*gone)(void *owner, enum tty_gone why);
};

enum tty_mouse { TTY_MOUSE_OFF, TTY_MOUSE_BUTTONS, TTY_MOUSE_ALL }; /* 1002, 1003; always with 1006 */

/* What is switched on beside the alternate screen and bracketed paste, which always are. */
struct tty_modes {
	uint8_t mouse;          /* enum tty_mouse */
	uint8_t kitty;          /* flags of kitty's keyboard protocol (enum kitty_flag) to push; 0: none */
	bool modify_other_keys; /* CSI > 4 ; 2 m */
	bool focus;             /* 1004 */
	bool theme_updates;     /* 2031 */
	bool graphemes;         /* 2027 */
};

/*
 * What to ask of a terminal with kitty's protocol, if nothing in a pane asks for more: Escape and Ctrl keys
 * that are told apart, and the key of the standard layout for bindings.  Text stays text, so a shell is
 * usable even after a SIGKILL of this process.
 */
enum { TTY_KITTY_BASE = KITTY_DISAMBIGUATE | KITTY_ALTERNATES };

struct tty_options {
	bool stdin_taken; /* standard input was read for something else ("-p -"): use the controlling terminal
			   */
};

/*
 * Standard input must be a terminal (or options->stdin_taken), and TERM must name one that can move the
 * cursor; otherwise -1 with a sentence (ERR_USAGE).  Nothing is written and no mode changed before tty_enter.
 */
int tty_open(struct tty **out, uv_loop_t *loop, const struct tty_options *options,
    const struct tty_events *events, void *owner, struct err *err);
/*
 * Leaves if that was not done and frees; the memory goes when the loop has closed the handles, so run the
 * loop once more.  NULL is fine.
 */
void tty_close(struct tty *t);

int tty_enter(struct tty *t, const struct tty_modes *modes, struct err *err);
void tty_set_modes(struct tty *t, const struct tty_modes *modes); /* sends what differs */
/* Gives the terminal back. */
void tty_leave(struct tty *t);
/*
 * Whether answers to queries are on their way: then they are read away when the terminal is given back,
 * however that comes, for at most TTY_DRAIN_MS (until DA1), so that they do not end up in the shell.
 */
void tty_expect_replies(struct tty *t, bool awaited);
enum { TTY_DRAIN_MS = 500 };

/* tty_leave, SIGSTOP to ourselves; after SIGCONT everything is entered again and `resumed` called.  SIGTSTP
 * does it, too. */
void tty_suspend(struct tty *t);

/*
 * Bytes for the terminal, in order, never blocking.  Takes the buffer's contents (it is empty afterwards).
 * While tty_busy, do not make another frame: wait for `drained` and draw the newest state then.
 */
void tty_write(struct tty *t, struct buf *bytes);
bool tty_busy(const struct tty *t);

void tty_set_title(struct tty *t, const char *title); /* sanitized; the former title comes back at the end */
/* The cursor's shape or colour was changed by what was written: reset them at the end. */
void tty_cursor_changed(struct tty *t, bool shape, bool color);

struct tty_size tty_size(const struct tty *t);
/* The same before one is opened: of standard output, else input.  false: neither is a terminal. */
bool tty_likely_size(struct tty_size *out);
struct decoder *tty_decoder(struct tty *t);

/* Async-signal-safe and idempotent: writes the restore string and sets the saved termios.  Does nothing if
 * there is no tty in use. */
void tty_restore_now(void);

#endif
