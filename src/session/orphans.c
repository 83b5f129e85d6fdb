/* orphans: see orphans.h. */
#include "session/orphans.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/processes.h"
#include "os/proc.h"

enum {
	ORPHANS_GRACE_MS = 2000,
	ORPHANS_KILL_MS = 5000,
	ORPHANS_ROUND_MS = 20,
	/* Rounds in which nothing was found: one that forks and leaves all the time may be missed by one. */
	ORPHANS_EMPTY_ROUNDS = 3,
	/* A worker needs no longer than that to end the tree; then it has a second to be gone after SIGKILL.
	 */
	WORKER_END_MS = ORPHANS_GRACE_MS + ORPHANS_KILL_MS + 3000,
	WORKER_KILL_MS = 1000,
};

/* How many are still there, after each of them was sent these signals. */
static size_t signal_living(const struct proc_list *l, const int *signals, size_t count)
{
	size_t living = 0;
	for (size_t i = 0; i < l->count; i++) {
		if (!proc_alive(l->items[i].pid, l->items[i].start))
			continue;
		living++;
		for (size_t s = 0; s < count; s++)
			proc_signal(&l->items[i], signals[s]);
	}
	return living;
}

unsigned orphans_end(const char *id, pid_t leader, uint64_t leader_start)
{
	static const int gently[] = {SIGTERM, SIGHUP, SIGCONT}, at_once[] = {SIGKILL};
	struct proc_list seen = {0};
	int64_t began = clock_mono_ms(), spent = 0;
	processes_left(id, leader, leader_start, &seen);
	signal_living(&seen, gently, COUNT_OF(gently));
	for (int empty = 0; empty < ORPHANS_EMPTY_ROUNDS && spent < ORPHANS_GRACE_MS + ORPHANS_KILL_MS;) {
		size_t before = seen.count;
		poll(NULL, 0, ORPHANS_ROUND_MS);
		spent = clock_mono_ms() - began;
		processes_left(id, leader, leader_start, &seen);
		size_t left = signal_living(&seen, at_once, spent < ORPHANS_GRACE_MS ? 0 : COUNT_OF(at_once));
		empty = left || seen.count > before ? 0 : empty + 1;
	}
	unsigned count = (unsigned)seen.count;
	proc_list_finish(&seen);
	return count;
}

static bool await_end(const struct proc_info *p, int64_t ms)
{
	int64_t deadline = clock_mono_ms() + ms;
	while (proc_alive(p->pid, p->start) && clock_mono_ms() < deadline)
		poll(NULL, 0, ORPHANS_ROUND_MS);
	return !proc_alive(p->pid, p->start);
}

void orphans_await_worker(const struct record *r)
{
	struct proc_info worker = {.pid = r->worker, .start = r->worker_start};
	char boot[40];
	proc_boot_id(boot);
	if (r->live || strcmp(boot, r->boot_id) != 0 || !proc_alive(worker.pid, worker.start))
		return;
	if (await_end(&worker, WORKER_END_MS))
		return;
	proc_signal(&worker, SIGKILL);
	await_end(&worker, WORKER_KILL_MS);
}
