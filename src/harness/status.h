/*
 * status: which state a session is in, from what its program says and does.  Pure: events and times in, state
 * out.
 *
 * The signals are those of the descriptor's status rules (handler-descriptor(5)): OSC 7501, patterns on
 * title, notification and bell, the foreground process group of the tty (shell); and the end of the process.
 * What no rule recognises is `unknown`, never `idle`.  Once a program has spoken OSC 7501 its title decides
 * nothing until it clears.
 */
#ifndef HANDLER_HARNESS_STATUS_H
#define HANDLER_HARNESS_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/* name in JSON and on the screen; whether the session has ended; whether it waits for the user */
#define SESSION_STATES(X)                                                                                    \
	X(STATE_STARTING, "starting", false, false)                                                          \
	X(STATE_WORKING, "working", false, false)                                                            \
	X(STATE_NEEDS_INPUT, "needs-input", false, true)                                                     \
	X(STATE_DONE, "done", false, true)                                                                   \
	X(STATE_IDLE, "idle", false, false)                                                                  \
	X(STATE_LIMITED, "limited", false, true)                                                             \
	X(STATE_UNKNOWN, "unknown", false, false)                                                            \
	X(STATE_SUSPENDED, "suspended", false, false)                                                        \
	X(STATE_STOPPED, "stopped", true, false)                                                             \
	X(STATE_EXITED, "exited", true, false)                                                               \
	X(STATE_FAILED, "failed", true, true)                                                                \
	X(STATE_CRASHED, "crashed", true, true)                                                              \
	X(STATE_LOST, "lost", true, true)

enum session_state {
#define X(code, name, ended, waits) code,
	SESSION_STATES(X)
#undef X
	    STATE_COUNT
};

const char *state_name(enum session_state s);
int state_from_name(const char *name); /* -1: a state this version does not know */
bool state_ended(enum session_state s);
bool state_waits(enum session_state s);

/* Seconds, but for the first: */
enum {
	STATUS_REASON_SIZE = 256, /* bytes */
	STATUS_START_REST = 3,    /* without output, and a start that tells nothing is `unknown` */
	STATUS_TITLE_REST = 120,  /* the same for a program whose first title is awaited */
	STATUS_READY_REST = 2,    /* without output, and a start that said `ready` is believed */
	STATUS_SHORT_COMMAND = 5, /* a shorter foreground command leaves nothing to look at: idle, not done */
	STATUS_INTERRUPT_EXIT = 10, /* between the user's C-c or C-d and an end that is its effect */
	STATUS_COMMAND_EXIT = 2,    /* between a submitted line and the end of a shell, likewise */
};

struct status;

struct status_view { /* what the machine says now */
	enum session_state state;
	char reason[STATUS_REASON_SIZE]; /* "approve Bash: rm -rf build", "until 19:00", "exit code 2", "" */
	int64_t since;                   /* clock_now() seconds when the state began */
	int64_t quiet_since;             /* of `unknown`: last output */
	uint32_t turn;                   /* number of the turn, counted from 1; 0: none yet */
	const char *source; /* which signal decided: "OSC 7501", "title", "foreground", "process", ... */
	char explain[STATUS_REASON_SIZE]; /* a sentence for ls --explain */
};

/* rules: the descriptor's "status" object, checked before; NULL: no signals.  Not kept. */
struct status *status_create(const struct json *rules, int64_t now, struct err *err);
void status_destroy(struct status *s);
const struct status_view *status_get(const struct status *s);

/* Each returns whether the view changed.  now: seconds (clock_now). */

/* OSC 7501: idle, working, blocked, done, error, clear (others are ignored); kind, message: may be NULL */
bool status_program(struct status *s, const char *state, const char *kind, const char *message, int64_t now);
bool status_title(struct status *s, const char *title, int64_t now);
bool status_notification(struct status *s, const char *body, int64_t now);
bool status_bell(struct status *s, int64_t now);
bool status_output(struct status *s, int64_t now);
/* child: the tty's foreground process group is not the leader's; command: its name, or NULL */
bool status_foreground(struct status *s, bool child, const char *command, int64_t now);
/*
 * The screen, rows joined with LF, once the output rests (a fraction of a second), as long as
 * status_reads_screen: some programs ask at the start whether to trust the directory and tell nothing of it,
 * or that they are ready.
 */
bool status_screen(struct status *s, const char *text, int64_t now);
bool status_reads_screen(const struct status *s);
/*
 * Whether a prompt can be typed: idle or done, or unknown where the program never tells.  In any other state
 * a dialog may be open, and what is typed would answer it.
 */
bool status_ready(const struct status *s);
/* Whether anything will tell what the program does: rules that say `working`, or OSC 7501 once it was heard.
 */
bool status_tells(const struct status *s);
/* Turns are counted on from this number: those before it were of an earlier run. */
void status_count_from(struct status *s, uint32_t turn);
/* A key or paste reached the program; submits: it was Enter.  done becomes idle. */
bool status_input(struct status *s, bool submits, int64_t now);
/* It was the user's C-c or C-d (after status_input): an end soon after is `exited`, whatever its code. */
bool status_interrupt(struct status *s, int64_t now);
/* The state has been in view for two seconds: done becomes idle. */
bool status_viewed(struct status *s, int64_t now);
bool status_suspended(struct status *s, bool suspended, int64_t now);
/* wait_status as of waitpid; stopped_by_us: `handler stop`; lost: why its keeper is gone, else NULL */
bool status_ended(struct status *s, int wait_status, bool stopped_by_us, const char *lost, int64_t now);
/* Time passed: a start ends once the output rests.  Due at status_deadline (0: nothing is due). */
bool status_tick(struct status *s, int64_t now);
int64_t status_deadline(const struct status *s);

/* A new worker continues where the last one was. */
bool status_restore(struct status *s, const struct json *saved, int64_t now);
struct json *status_to_json(const struct status *s); /* {"state","reason","since","turn","source", ...} */

/* Whether rules can be used: known keys, known states, patterns that compile.  root and name are for the
 * message. */
int status_check_rules(const struct json *root, const struct json *rules, const char *name, struct err *err);
/* The same for one pattern: POSIX extended, matched by bytes, so no character of several bytes in brackets.
 */
int status_check_pattern(const struct json *root, const struct json *n, const char *name, struct err *err);

#endif
