/*
 * keeper_stop: the processes of a session, and how all of them are ended: the harness's own way and SIGTERM,
 * SIGHUP, SIGKILL, and in the end what could not be ended.  The worker goes last and is no part of the tree;
 * who asked for the stop, and how, is keeper_control.c's and the loop's in keeper.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/foreign.h"
#include "session/keeper_private.h"

enum {
	KEEPER_INSIST_MS = 1000,     /* from the first signal to SIGHUP, at most */
	KEEPER_KILL_TIME_MS = 5000,  /* what SIGKILL has not ended after this cannot be ended by us */
	KEEPER_WORKER_END_MS = 5000, /* for the worker to write the last screen */
};

/* --- the tree --- */

/* The worker is ours and goes last; another session's keeper, started from inside this one, is not ours at
 * all. */
static bool not_of_the_session(const struct proc_info *p, void *user)
{
	const struct keeper *k = user;
	return p->pid == k->worker || foreign_keeper(p);
}

void keeper_list_tree(struct keeper *k, struct proc_list *out)
{
	proc_tree(getpid(), not_of_the_session, k, out);
}

size_t keeper_count_living(const struct proc_list *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->count; i++)
		n += l->items[i].state != 'Z' && l->items[i].state != 'X';
	return n;
}

static void remember(struct keeper *k, const struct proc_info *p)
{
	for (size_t i = 0; i < k->seen.count; i++)
		if (k->seen.items[i].pid == p->pid && k->seen.items[i].start == p->start)
			return;
	if (k->seen.count == k->seen.cap) {
		k->seen.cap = k->seen.cap ? k->seen.cap * 2 : 16;
		k->seen.items = mem_realloc(k->seen.items, k->seen.cap, sizeof *k->seen.items);
	}
	k->seen.items[k->seen.count++] = *p;
}

/* The harness's way for its program ("stop" in the descriptor), SIGTERM for what it has started. */
static int first_signal(const struct keeper *k, const struct proc_info *p)
{
	bool addressed = p->pid == k->leader || (k->stop_group && p->pgrp == k->leader);
	return addressed ? k->stop_signal : SIGTERM;
}

int keeper_insisting_signal(const struct keeper *k, const struct proc_info *p)
{
	(void)k;
	(void)p;
	return SIGHUP;
}

size_t keeper_signal_tree(
    struct keeper *k, int (*choose)(const struct keeper *k, const struct proc_info *p), int last)
{
	struct proc_list tree;
	size_t reachable = 0;
	k->survivors = 0;
	keeper_list_tree(k, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		const struct proc_info *p = &tree.items[i];
		if (p->state == 'Z' || p->state == 'X')
			continue;
		remember(k, p);
		int result = choose ? proc_signal(p, choose(k, p)) : 0;
		if (last)
			result = proc_signal(p, last);
		if (result != -EPERM) {
			reachable++;
		} else if (k->survivors++ == 0) {
			snprintf(
			    k->first_survivor, sizeof k->first_survivor, "%d %.15s", (int)p->pid, p->name);
		}
	}
	proc_list_finish(&tree);
	return reachable;
}

/* --- the end of the session --- */

/*
 * Asked once more, a stop may only become shorter.  The first signals are the harness's own way and SIGTERM
 * for the others; who is still there at `insist_due` gets SIGHUP too, which ends a shell that takes no
 * SIGTERM.
 */
void keeper_begin_ending(struct keeper *k, int64_t grace)
{
	int64_t now = clock_mono_ms();
	if (k->phase == PHASE_ENDING && now + grace < k->deadline)
		k->deadline = now + grace;
	if (k->phase != PHASE_RUNNING)
		return;
	k->phase = PHASE_ENDING;
	k->stop_began = now;
	k->deadline = now + grace;
	k->insist_due = now + (grace / 4 < KEEPER_INSIST_MS ? grace / 4 : KEEPER_INSIST_MS);
	keeper_tell_worker(k, CHANNEL_STOPPING, 0);
	keeper_signal_tree(k, first_signal, SIGCONT);
}

static void begin_draining(struct keeper *k)
{
	k->shared->left = k->survivors;
	k->left_to_upgrade = k->upgrade.phase == UPGRADE_LEAVING;
	if (upgrade_cancel(&k->upgrade))
		keeper_answer_upgrade(k);
	k->phase = PHASE_DRAINING;
	k->deadline = clock_mono_ms() + KEEPER_WORKER_END_MS;
	if (!k->worker && k->worker_due >= 0)
		keeper_start_worker(k, false); /* somebody has to write the last screen */
	keeper_tell_worker(k, CHANNEL_GONE, 0);
}

/* What may be signalled and is there all the same, such as a process that waits in the kernel. */
static void name_survivor(struct keeper *k)
{
	struct proc_list tree;
	keeper_list_tree(k, &tree);
	for (size_t i = 0; i < tree.count && !*k->first_survivor; i++)
		if (tree.items[i].state != 'Z' && tree.items[i].state != 'X')
			snprintf(k->first_survivor, sizeof k->first_survivor, "%d %.15s",
			    (int)tree.items[i].pid, tree.items[i].name);
	proc_list_finish(&tree);
}

static bool is_foreign_keeper(pid_t pid, void *user)
{
	struct proc_info p;
	(void)user;
	return proc_read(pid, &p) && foreign_keeper(&p);
}

void keeper_kill_round(struct keeper *k)
{
	int64_t now = clock_mono_ms();
	bool all = cgroup_kill(&k->cgroup, is_foreign_keeper, NULL);
	size_t reachable = keeper_signal_tree(k, NULL, SIGKILL);
	if (reachable == 0 && k->survivors == 0) {
		begin_draining(k);
		return;
	}
	/* The kernel may be about to end those that we may not signal. */
	if (now - k->deadline > KEEPER_KILL_TIME_MS || (reachable == 0 && !all)) {
		if (!k->survivors)
			name_survivor(k);
		k->survivors += (uint32_t)reachable;
		begin_draining(k);
	}
}

void keeper_check_tree(struct keeper *k)
{
	if (k->phase == PHASE_DRAINING || !k->shared->leader_ended)
		return;
	struct proc_list tree;
	keeper_list_tree(k, &tree);
	size_t left = keeper_count_living(&tree);
	proc_list_finish(&tree);
	if (left == 0) {
		k->survivors = 0; /* who could not be signalled has ended all the same */
		begin_draining(k);
	} else if (k->shared->left != left) {
		k->shared->left = (uint32_t)left;
		keeper_tell_worker(k, CHANNEL_LEADER, (int)left);
	}
}

void keeper_leader_ended(struct keeper *k, int status)
{
	k->shared->wait_status = status;
	k->shared->stopped_by_us = !k->asked ? 0 : k->interrupted ? HANDOVER_INTERRUPTED : 1;
	k->shared->leader_ended = 1;
	struct proc_list tree;
	keeper_list_tree(k, &tree);
	k->shared->left = (uint32_t)keeper_count_living(&tree);
	proc_list_finish(&tree);
	keeper_tell_worker(k, CHANNEL_LEADER, (int)k->shared->left);
	if (k->phase == PHASE_RUNNING && k->shared->left && !k->keep_others)
		keeper_begin_ending(k, k->grace);
}
