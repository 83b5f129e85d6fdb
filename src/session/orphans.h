/* orphans: ending the processes of a session whose keeper is gone, so that nobody can adopt and count them
 * any more. */
#ifndef HANDLER_SESSION_ORPHANS_H
#define HANDLER_SESSION_ORPHANS_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Ends the leader with its process session, every process whose environment carries the session's marker
 * (HANDLER_SESSION), and all their descendants: SIGTERM and SIGHUP, a short grace, SIGKILL in rounds.  The
 * leader is known by pid and start time (0: not known): its pid may be another's by now.  Returns how many
 * there were.  What cleared its environment and left the tree before is not found: that is what a keeper is
 * for.
 */
unsigned orphans_end(const char *id, pid_t leader, uint64_t leader_start);

#endif
