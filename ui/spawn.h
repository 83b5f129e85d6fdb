/*
 * spawn: runs a program beside the front-end and hands back what it printed.  Never through a shell.
 *
 * `handler new`, `stop` and `resume` are run this way: what a hand can do here a script can do.
 */
#ifndef HANDLER_UI_SPAWN_H
#define HANDLER_UI_SPAWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

struct uv_loop_s;
struct spawn; /* one program that runs; gone after its callback */

enum { SPAWN_OUTPUT_MAX = 1 << 20 /* bytes kept of each stream */ };

struct spawn_result {
	int status; /* exit status; -1: could not be started, was ended by a signal or by the limit */
	int signal; /* that ended it, 0: none */
	bool timed_out;
	struct err err;           /* why it could not be started */
	const char *out, *errors; /* what it printed; NUL-terminated, borrowed */
	size_t out_len, errors_len;
};
typedef void spawn_done(const struct spawn_result *r, void *user);

struct spawn_options {
	char *const *argv; /* argv[0] is searched on PATH if it holds no '/' */
	const char *dir;   /* NULL: ours */
	const char *input; /* for its standard input; NULL: /dev/null */
	size_t input_len;
	int64_t limit_ms; /* after that it is killed, and its process group with it; 0: none */
};

/* The callback always comes, also if it cannot be started, and never before this returns. */
struct spawn *spawn_run(struct uv_loop_s *loop, const struct spawn_options *o, spawn_done *done, void *user);
/* No callback comes any more, and the program is killed: nobody wants to know. */
void spawn_forget(struct spawn *s);
/* The loop is about to end: every program that still runs is reported as not finished, and left to itself. */
void spawn_abandon_all(struct uv_loop_s *loop);

/*
 * The JSON that one of our own commands printed with --json: NULL with err if it failed, from its "error"
 * object or from what it said on standard error.
 */
struct json *spawn_json(const struct spawn_result *r, struct err *err);

#endif
