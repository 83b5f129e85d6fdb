/*
 * worker: the process that emulates the terminal of one session and serves those who show or drive it.
 *
 * It owns nothing that cannot be lost: pty, sockets and recent output are the keeper's (handover.h), history
 * and record are files.  Its parts, each a file of its own around struct worker (parts.h): output (pty ->
 * ring -> emulator), input (keys and pastes -> pty), peers (connections), frames (what is sent when, and the
 * size), requests and prompt (what scripts ask for), report (state, record, events), last (the last screen).
 */
#ifndef HANDLER_SESSION_WORKER_H
#define HANDLER_SESSION_WORKER_H

#include "session/handover.h"

/* Serves the session until its keeper says that it is over, or the keeper is gone.  Returns the exit status.
 */
int worker_run(const char *id, const int fds[WORKER_FDS]);

#endif
