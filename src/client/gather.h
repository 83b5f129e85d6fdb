/*
 * gather: waiting for several sessions at once, blocking, by poll: each is asked on a connection of its own,
 * and asked again when its worker is replaced meanwhile.
 */
#ifndef HANDLER_CLIENT_GATHER_H
#define HANDLER_CLIENT_GATHER_H

#include "client/record.h"

/* One session got there; the answer is the caller's until it returns. */
typedef void gather_reached(const struct record *r, struct json *answer, void *user);

/*
 * The request "wait" to each of the sessions.  any: the first that gets there ends it, and one that has ended
 * fails it only when all have; else all of them must, and the first that cannot fails it.  Either way it
 * fails at once when one needs its user.  seconds < 0: for ever.
 */
int gather_wait(struct record *const *sessions, int count, const struct json *body, double seconds, bool any,
    gather_reached *reached, void *user, struct err *err);

#endif
