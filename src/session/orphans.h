/* orphans: ending the processes of a session whose keeper is gone, so that nobody can adopt and count them
 * any more. */
#ifndef HANDLER_SESSION_ORPHANS_H
#define HANDLER_SESSION_ORPHANS_H

#include "client/record.h"

struct orphans_report {
	unsigned ended, survivors; /* survivors: found, and not to be ended (setuid, a wait in the kernel) */
	char first_survivor[24];   /* "PID NAME", of at most 15 characters; "" without survivors */
};

/*
 * Ends the leader with its process session, every process whose environment carries the session's marker
 * (HANDLER_SESSION), and all their descendants: SIGTERM and SIGHUP, a short grace, SIGKILL in rounds.  The
 * leader is known by pid and start time (0: not known): its pid may be another's by now.  What cleared its
 * environment and left the tree before is not found: that is what a keeper is for.
 */
void orphans_end(const char *id, pid_t leader, uint64_t leader_start, struct orphans_report *report);

/*
 * A worker that outlived its keeper is ending the tree and writing the end down: returns when it is done, or
 * was ended because it hung.  Who starts the session again, or removes it, must not come between.
 */
void orphans_await_worker(const struct record *r);

#endif
