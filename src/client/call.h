/*
 * call: a blocking connection to a session's worker, for commands: one request, one answer, with a time-out.
 */
#ifndef HANDLER_CLIENT_CALL_H
#define HANDLER_CLIENT_CALL_H

#include "base/buf.h"
#include "client/record.h"

struct call;

struct call *call_open(
    const struct record *r, struct err *err); /* HELLO is done; ERR_ENDED if there is no worker */
void call_close(struct call *c);
/* Sends REQUEST `body` (with "op") and waits for its REPLY.  The answer's error object becomes err.
 * timeout_ms -1: for ever. */
struct json *call_request(struct call *c, const struct json *body, int64_t timeout_ms, struct err *err);
/* Opens, asks, closes. */
struct json *call_once(const struct record *r, const struct json *body, int64_t timeout_ms, struct err *err);
/*
 * The request "wait", which goes on when a worker is replaced meanwhile; of a session that has ended its
 * record is the answer if its state is one of those asked for, else ERR_ENDED.  seconds < 0: for ever.
 */
struct json *call_wait(const struct record *r, const struct json *body, double seconds, struct err *err);

#endif
