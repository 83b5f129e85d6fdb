/*
 * control: the keeper's own socket: 64-byte messages, so that a session whose worker hangs can still be
 * stopped.
 */
#ifndef HANDLER_CLIENT_CONTROL_H
#define HANDLER_CLIENT_CONTROL_H

#include "client/record.h"

enum control_op {
	CONTROL_STATUS = 1,
	CONTROL_STOP = 2,
	CONTROL_RESTART_WORKER = 3,
	CONTROL_REBIND = 4,
	CONTROL_CONTINUE = 5
};

enum { CONTROL_SIZE = 64, CONTROL_MAGIC = 0x6b706572 };

/* Little endian on the wire as it is in memory: both ends are on one machine and of one byte order. */
struct control {
	uint32_t magic;
	uint16_t op;
	uint16_t answer;       /* 0: a request; 1: done; 2: refused; 3: in progress */
	uint32_t grace_ms;     /* of STOP; UINT32_MAX: the session's own */
	uint32_t ended;        /* processes that were ended */
	uint32_t survivors;    /* that could not be */
	uint32_t milliseconds; /* how long it took */
	uint32_t workers;      /* how many workers there have been */
	uint32_t processes;    /* of the session now */
	int32_t leader, worker;
	char first_survivor[24];
};
_Static_assert(sizeof(struct control) == CONTROL_SIZE, "the message's size is fixed");

/* One request, waiting for its final answer. */
int control_ask(const struct record *r, enum control_op op, uint32_t grace_ms, int timeout_ms,
    struct control *answer, struct err *err);

#endif
