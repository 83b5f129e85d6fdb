/*
 * status: which state a session is in, from what its program says and does.  Pure: events and times in, state out.
 *
 * The signals are those of the descriptor's status rules: OSC 7501, patterns on the title, the foreground process
 * group of the tty (shell), notifications; and the end of the process.  What no rule recognises is `unknown`, never `idle`.
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

struct status;

struct status_view { /* what the machine says now */
	enum session_state state;
	char reason[256];     /* "approve Bash: rm -rf build", "until 19:00", "" */
	int64_t since;        /* clock_now() seconds when the state began */
	int64_t quiet_since;  /* of `unknown`: last output */
	uint32_t turn;        /* number of the turn, counted from 1; 0: none yet */
	const char *source;   /* which signal decided, for ls --explain: "OSC 7501", "title", "process" */
	char explain[256];
};

/* rules: the descriptor's "status" object (borrowed; must outlive the machine). */
struct status *status_create(const struct json *rules, int64_t now, struct err *err);
void status_destroy(struct status *s);
const struct status_view *status_get(const struct status *s);

/* Each returns whether the view changed.  now: seconds (clock_now). */
bool status_program(struct status *s, const char *state, const char *kind, const char *message, int64_t now); /* OSC 7501 */
bool status_title(struct status *s, const char *title, int64_t now);
bool status_notification(struct status *s, const char *body, int64_t now);
bool status_bell(struct status *s, int64_t now);
bool status_output(struct status *s, int64_t now);                 /* some output came */
bool status_foreground(struct status *s, bool child, const char *command, int64_t now); /* tcgetpgrp differs from the leader's group */
bool status_input(struct status *s, bool submits, int64_t now);    /* a key or paste reached the program: done → idle; submits: Enter */
bool status_viewed(struct status *s, int64_t now);                 /* two seconds in view */
bool status_suspended(struct status *s, bool suspended, int64_t now);
/* how: wait status as of waitpid; stopped_by_us; lost: its keeper is gone, why in reason */
bool status_ended(struct status *s, int wait_status, bool stopped_by_us, const char *reason, int64_t now);
bool status_restore(struct status *s, const struct json *saved, int64_t now); /* a new worker continues where the last one was */
struct json *status_to_json(const struct status *s); /* {"state","reason","since","turn","source"} */

#endif
