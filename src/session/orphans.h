/* orphans: ending the processes of a session whose keeper is gone, so that nobody can adopt and count them
 * any more. */
#ifndef HANDLER_SESSION_ORPHANS_H
#define HANDLER_SESSION_ORPHANS_H

#include <sys/types.h>

/*
 * Ends the leader's tree, all of its process session, and every process whose environment carries the
 * session's marker (HANDLER_SESSION): SIGTERM and SIGHUP, a short grace, SIGKILL in rounds.  Returns how many
 * there were.  What cleared its environment and left the tree is not found: that is what a keeper is for.
 */
unsigned orphans_end(const char *id, pid_t leader);

#endif
