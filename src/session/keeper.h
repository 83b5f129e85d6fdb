/*
 * keeper: the small process that owns one session: its pty, its process tree, its sockets and the memory of
 * its output.  It parses no output and serves no screen: that is the worker's, which it starts, watches and
 * replaces.
 *
 * A child subreaper (prctl(2)): every orphan of this session's programs comes back to it and to no other
 * session, so "the tree has ended" is "no child is left but the worker".
 */
#ifndef HANDLER_SESSION_KEEPER_H
#define HANDLER_SESSION_KEEPER_H

#include "base/err.h"
#include "harness/plan.h"
#include "os/port.h"

struct keeper_options {
	const char *id;
	const char *path; /* the session's directory */
	const struct json
	    *identity; /* session.json, but for what only the keeper knows; written once the program runs */
	const struct plan *plan; /* sandboxed already: argv is what is executed */
	int rows, cols, xpixel, ypixel;
	const struct port_lease *leases; /* held until the session is over */
	size_t lease_count;
	int report; /* descriptor: one struct err is written, code ERR_NONE once the program runs */
};

/* Runs as the keeper until the session is over; never returns to what its caller was doing. */
_Noreturn void keeper_run(const struct keeper_options *o);

#endif
