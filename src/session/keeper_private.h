/*
 * keeper_private: the state of a keeper, and what its parts offer each other.  For keeper*.c alone.
 *
 * keeper.c is its start, its loop and its end, keeper_worker.c the worker, keeper_stop.c the tree of
 * processes and how it is ended, keeper_control.c the control socket.
 */
#ifndef HANDLER_SESSION_KEEPER_PRIVATE_H
#define HANDLER_SESSION_KEEPER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "client/control.h"
#include "client/record.h"
#include "os/cgroup.h"
#include "os/proc.h"
#include "os/pty.h"
#include "session/handover.h"
#include "session/keeper.h"
#include "session/upgrade.h"

enum { KEEPER_CONNECTIONS = 16 };

enum phase { PHASE_RUNNING, PHASE_ENDING, PHASE_KILLING, PHASE_DRAINING };

struct connection {
	int fd;      /* -1: free */
	uint16_t op; /* being waited for, 0: none */
};

struct keeper {
	char id[SESSION_ID_LENGTH + 1];
	char *path;
	int directory, ctl, lock, binary, signals, report;
	mode_t umask; /* the caller's, and so the program's */
	int keeper_listener, worker_listener;
	int leases[PORTS_MAX * PORT_LEASE_FDS]; /* of ports; -1: none */
	size_t lease_fds;
	struct pty pty;
	struct handover *shared;
	int memory;

	pid_t leader;
	struct cgroup cgroup; /* of the program and what it starts, where one was delegated to us */
	pid_t worker;
	uint64_t worker_start_time;
	int channel;
	int64_t worker_started, worker_due, worker_kill_due; /* -1: none */
	bool aborted;                                        /* by us, as it hung */
	int failures;                                        /* deaths of workers in a row */
	struct upgrade upgrade;
	bool left_to_upgrade; /* the worker was told to leave, and then the session ended */

	enum phase phase;
	bool asked, interrupted, keep_others;
	int stop_signal; /* the harness's graceful way */
	bool stop_group; /* it is for the leader's whole process group */
	int64_t stop_began, deadline, insist_due;
	int64_t grace;
	struct proc_list seen; /* what a stop has signalled */
	uint32_t survivors;
	char first_survivor[24];
	struct connection connections[KEEPER_CONNECTIONS];
};

/* --- keeper.c --- */

void keeper_release_ports(struct keeper *k);

/* --- keeper_worker.c --- */

/* `first`: without an exec, as the binary is the one that runs. */
void keeper_start_worker(struct keeper *k, bool first);
void keeper_tell_worker(struct keeper *k, enum channel_type type, int value);
/* false: there is none. */
bool keeper_signal_worker(struct keeper *k, int signal);
/* It hangs: SIGABRT, and in a while SIGKILL. */
void keeper_abort_worker(struct keeper *k);
/* What the worker says. */
void keeper_take_messages(struct keeper *k);
/* It was reaped with this status. */
void keeper_worker_died(struct keeper *k, int status);
/* Another version of it.  `fd` goes with the request, -1: none did. */
void keeper_upgrade(struct keeper *k, struct connection *c, int fd);
void keeper_act_on_upgrade(struct keeper *k, enum upgrade_action action);
/* How it went, to all who wait for that. */
void keeper_answer_upgrade(struct keeper *k);

/* --- keeper_stop.c --- */

/* All processes of the session: proc_list_finish() is the caller's. */
void keeper_list_tree(struct keeper *k, struct proc_list *out);
size_t keeper_count_living(const struct proc_list *l);
/*
 * Signals all: what `choose` says (NULL: nothing), then `last` (0: nothing).  Returns how many are still
 * there and may be signalled.
 */
size_t keeper_signal_tree(
    struct keeper *k, int (*choose)(const struct keeper *k, const struct proc_info *p), int last);
/* For keeper_signal_tree: the second signal. */
int keeper_insisting_signal(const struct keeper *k, const struct proc_info *p);
/* A stop, with so many milliseconds until SIGKILL. */
void keeper_begin_ending(struct keeper *k, int64_t grace);
void keeper_kill_round(struct keeper *k);
void keeper_leader_ended(struct keeper *k, int status);
/* After a child was reaped, or a time has come. */
void keeper_check_tree(struct keeper *k);

/* --- keeper_control.c --- */

/* The directory of the sockets; what it gives see record_make_ctl. */
int keeper_open_ctl(struct keeper *k, char **elsewhere, int *listener, struct err *err);
/* The sockets anew, after somebody removed them. */
void keeper_bind_again(struct keeper *k);
void keeper_accept_connection(struct keeper *k);
/* A request that has come, or the end of the connection. */
void keeper_serve(struct keeper *k, struct connection *c);
void keeper_answer(struct keeper *k, struct connection *c, uint16_t op, uint16_t how);
void keeper_answer_upgrade_with(
    struct keeper *k, struct connection *c, enum upgrade_outcome outcome, int32_t status);

#endif
