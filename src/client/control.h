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
	CONTROL_CONTINUE = 5,
	CONTROL_UPGRADE = 6, /* with the new binary's descriptor (SCM_RIGHTS) */
};

enum { CONTROL_SIZE = 64, CONTROL_MAGIC = 0x6b706572 };

/* How an UPGRADE has ended; numbers are only added. */
enum upgrade_outcome {
	UPGRADE_DONE = 0,
	UPGRADE_BAD_FILE =
	    1,            /* status: EINVAL no regular file, EACCES not executable, EPERM others may write */
	UPGRADE_BUSY = 2, /* another upgrade is under way */
	UPGRADE_ENDING = 3,    /* the session ends */
	UPGRADE_NOT_NOW = 4,   /* the worker could not leave: its program does not read its input */
	UPGRADE_NO_EXEC = 5,   /* went back; status: the errno of execveat(2) */
	UPGRADE_NOT_READY = 6, /* went back: it did not serve in time */
	UPGRADE_DIED = 7,      /* went back; status: how the new worker ended */
};

/* Little endian on the wire as it is in memory: both ends are on one machine and of one byte order. */
struct control {
	uint32_t magic;
	uint16_t op;
	uint16_t answer;   /* 0: a request; 1: done; 2: refused; 3: in progress */
	uint32_t grace_ms; /* of STOP; UINT32_MAX: the session's own */
	union {
		uint32_t ended;   /* of STOP: processes that were ended */
		uint32_t outcome; /* of UPGRADE */
	};
	union {
		uint32_t survivors; /* of STOP: that could not be */
		int32_t status;     /* of UPGRADE: belongs to the outcome */
	};
	uint32_t milliseconds; /* how long it took */
	uint32_t workers;      /* how many workers there have been */
	uint32_t processes;    /* of the session now */
	int32_t leader, worker;
	union {
		char first_survivor[24]; /* of STOP: pid and name */
		char version[24];        /* of UPGRADE: the worker's that serves now */
	};
};
_Static_assert(sizeof(struct control) == CONTROL_SIZE, "the message's size is fixed");

/* The two halves of a request: returns the connection, -1 with err; `pass` is a descriptor that goes with it,
 * -1: none. */
int control_send(const struct record *r, enum control_op op, uint32_t grace_ms, int pass, struct err *err);
/* Waits for its final answer and closes the connection. */
int control_await(int fd, const struct record *r, int timeout_ms, struct control *answer, struct err *err);
/* Both. */
int control_ask(const struct record *r, enum control_op op, uint32_t grace_ms, int timeout_ms,
    struct control *answer, struct err *err);

#endif
