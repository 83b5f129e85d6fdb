/*
 * tty_restore: gives the terminal back when nothing else can any more: from signal handlers and atexit.
 *
 * The only state of the front-end outside a struct, because a signal handler is given none: a descriptor, the
 * saved termios, and two buffers for the text of which one is always whole.  Only the process that armed it
 * restores; a child between fork and exec does not.
 */
#ifndef HANDLER_UI_TTY_RESTORE_H
#define HANDLER_UI_TTY_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum { RESTORE_TEXT_MAX = 512 };

/* Installs the handlers of the fatal signals.  fd stays the caller's and must stay open until restore_disarm.
 */
void restore_arm(int fd, const struct termios *saved);
/* The bytes to write from now on; at most RESTORE_TEXT_MAX. */
void restore_set_text(const char *text, size_t len);
/* Whether answers of the terminal are on their way, which are read away then, for TTY_DRAIN_MS at most. */
void restore_expect_replies(bool awaited);
/* Reads away what the terminal still answers, for TTY_DRAIN_MS at most, until DA1's answer, which is the
 * last; what was typed meanwhile goes with it.  Async-signal-safe. */
void restore_drain(int fd);
/* Takes the handlers back; nothing is written. */
void restore_disarm(void);
/* Writes all of it to a non-blocking descriptor, waiting at most a second for a terminal that does not read.
 * Async-signal-safe. */
void restore_write(int fd, const char *text, size_t len);

#endif
