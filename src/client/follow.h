/*
 * follow: all sessions as they change, those that start later too.  A loop of its own; nothing is polled:
 * inotify says which sessions there are, and the worker of each what happens in it, so that no change is
 * passed over.
 */
#ifndef HANDLER_CLIENT_FOLLOW_H
#define HANDLER_CLIENT_FOLLOW_H

#include "client/record.h"

enum follow_what {
	FOLLOW_PRESENT, /* it was there at the beginning */
	FOLLOW_STARTED,
	FOLLOW_STATE, /* state or reason */
	FOLLOW_TURN,  /* a turn began, of a program that tells nothing else */
	FOLLOW_QUEUED,
	FOLLOW_RENAMED,
	FOLLOW_NOTE,
	FOLLOW_REMOVED,
};

struct follow_event {
	enum follow_what what;
	const struct record *record; /* as it is now */
	enum session_state before;
	const char *old_name;
};

/* false: enough, follow_run returns. */
typedef bool follow_told(const struct follow_event *e, void *user);

/*
 * Runs until `told` has enough, SIGINT or SIGTERM comes (0), or whoever reads `output` is gone (a pipe that
 * was closed).  -1 with err: it could not begin.
 */
int follow_run(int output, follow_told *told, void *user, struct err *err);

#endif
