/* start: a launch plan becomes a running session: files, record, keeper.  Forks without exec (design: 0.7 ms
 * instead of 4). */
#ifndef HANDLER_SESSION_START_H
#define HANDLER_SESSION_START_H

#include "client/record.h"
#include "harness/plan.h"
#include "os/port.h"

struct start_options {
	int rows, cols, xpixel, ypixel;
	const char *parent;              /* id of the session that starts it, or NULL */
	char *const *extra_args;         /* kept in the record for a later resume; NULL: none */
	char *const *extra_env;          /* only the names are kept */
	const struct port_lease *leases; /* the keeper holds them from now on, as long as the session lives */
	size_t lease_count;
};

/* Writes the plan's files, their directories 0700, and makes the other directories and the link it asks for.
 */
int start_write_files(const struct plan *p, const char *session_dir, struct err *err);

/*
 * Starts the program of `plan` in the directory that record_reserve made for `r`.  On success session.json is
 * complete and the program runs; on failure nothing is left of it but the directory, which the caller
 * removes.
 */
int session_start(const struct record *r, struct plan *plan, const struct start_options *o, struct err *err);

/*
 * The same in two halves, for callers that have something to do meanwhile: a start that was begun is awaited,
 * once.  Between the two the session must be neither read nor removed.
 */
struct session_starting {
	pid_t between; /* the fork between us and the keeper */
	int report;    /* where the keeper says how it went */
};
int session_begin(const struct record *r, struct plan *plan, const struct start_options *o,
    struct session_starting *out, struct err *err);
int session_await(const struct record *r, struct session_starting *s, struct err *err);

#endif
