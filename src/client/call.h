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
/* The same in two halves, for those who ask several at once: the request's sequence (0 with err: failed),
 * then, whenever call_fd can be read, 1 with *reply (owned), 0: not yet, -1 with err. */
uint32_t call_begin(struct call *c, const struct json *body, struct err *err);
int call_fd(const struct call *c);
int call_take(struct call *c, uint32_t sequence, struct json **reply, struct err *err);
/* Opens, asks, closes. */
struct json *call_once(const struct record *r, const struct json *body, int64_t timeout_ms, struct err *err);
/* The answer of a session that is over to the request "wait": its record if its state was asked for, else
 * NULL with ERR_ENDED. */
struct json *call_wait_ended(const char *path, const struct json *body, struct err *err);
/*
 * The request "wait", which goes on when a worker is replaced meanwhile; of a session that has ended its
 * record is the answer if its state is one of those asked for, else ERR_ENDED.  seconds < 0: for ever.
 */
struct json *call_wait(const struct record *r, const struct json *body, double seconds, struct err *err);

#endif
