/*
 * upgrade: replacing the worker of a session by another version of the program: what comes after what.
 *
 * The worker is asked to leave; one of the new binary takes its place, and has to be ready in time and to
 * live for a while.  If it does not, the old binary comes back.  Pure: told what happens, it says what is to
 * be done; processes and sockets are the keeper's.
 */
#ifndef HANDLER_SESSION_UPGRADE_H
#define HANDLER_SESSION_UPGRADE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/control.h"

enum {
	UPGRADE_LEAVE_MS = 12000, /* for the old worker to leave; it gives up by itself before (leave.c) */
	UPGRADE_READY_MS = 5000,  /* for the new one to serve */
	UPGRADE_PROOF_MS = 10000, /* that it has to live, counted from its start */
	UPGRADE_BACK_MS = 5000,   /* for the old binary's worker to serve again */
};

enum upgrade_phase {
	UPGRADE_NONE,
	UPGRADE_LEAVING, /* the old worker finishes what it cannot hand over */
	UPGRADE_TRYING,  /* the new one starts */
	UPGRADE_PROVING, /* it serves */
	UPGRADE_BACK,    /* it was none: the old binary starts again */
};

/* What the keeper does next. */
enum upgrade_action {
	UPGRADE_NOTHING,
	UPGRADE_ASK_TO_LEAVE,
	UPGRADE_START,  /* a worker of upgrade_binary() */
	UPGRADE_KILL,   /* the worker there is */
	UPGRADE_ANSWER, /* it is over: `outcome` says how, `binary` is the one to keep from now on, or -1 */
};

struct upgrade {
	enum upgrade_phase phase;
	int binary;  /* the new one's descriptor; -1: none */
	int64_t due; /* ms; -1: none */
	enum upgrade_outcome outcome;
	int32_t status; /* what belongs to the outcome: wait status, or errno */
	bool again;     /* the worker leaves for another reason than a fault of its own */
};

void upgrade_init(struct upgrade *u);
/* Whether the descriptor is a program that may be trusted with a session: 0, or an errno. */
int upgrade_check_binary(int fd);

/* All take the time in ms.  The descriptor is the machine's from then on. */
enum upgrade_action upgrade_begin(struct upgrade *u, int binary, bool has_worker, int64_t now);
/* A message of the worker; its value. */
enum upgrade_action upgrade_message(struct upgrade *u, unsigned type, int value);
/* The worker has ended.  UPGRADE_NOTHING: it is no business of an upgrade. */
enum upgrade_action upgrade_died(struct upgrade *u, int wait_status, int64_t now);
enum upgrade_action upgrade_tick(struct upgrade *u, int64_t now);
/* The worker is about to be told to make way for one with another socket: no fault of it. */
void upgrade_rebind(struct upgrade *u);
/* The session ends meanwhile: true if there was an upgrade to break off. */
bool upgrade_cancel(struct upgrade *u);
/* The worker on trial may be another version's: its deaths say nothing about what it was parsing. */
bool upgrade_on_trial(const struct upgrade *u);
int upgrade_binary(const struct upgrade *u, int kept);

#endif
