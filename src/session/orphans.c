/* orphans: see orphans.h. */
#include "session/orphans.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/processes.h"
#include "os/proc.h"

enum {
	ORPHANS_GRACE_MS = 2000,
	ORPHANS_KILL_MS = 5000,
	ORPHANS_ROUND_MS = 20,
	ORPHANS_EXIT_MS = 200, /* for one that was killed to be through with its exit */
	/* Looks that find nothing, one right after the other: one that forks and leaves all the time may be
	 * missed by one. */
	ORPHANS_EMPTY_LOOKS = 3,
	/* A worker needs no longer than that to end the tree; then it has a second to be gone after SIGKILL.
	 */
	WORKER_END_MS = ORPHANS_GRACE_MS + ORPHANS_KILL_MS + 3000,
	WORKER_KILL_MS = 1000,
};

struct orphans {
	const char *id;
	pid_t leader;
	uint64_t leader_start;
	int64_t began;
	struct proc_list seen;
};

static int64_t spent(const struct orphans *o)
{
	return clock_mono_ms() - o->began;
}

static void signal_seen(const struct orphans *o, const int *signals, size_t count)
{
	for (size_t i = 0; i < o->seen.count; i++)
		for (size_t s = 0; s < count; s++)
			proc_signal(&o->seen.items[i], signals[s]);
}

/* The pids of what forks and leaves meanwhile are not counted: it is one process all the time. */
static bool any_left(const struct orphans *o)
{
	struct proc_list now = {0};
	processes_hunt(o->id, o->leader, o->leader_start, 0, &now);
	bool any = now.count > 0;
	proc_list_finish(&now);
	return any;
}

static void ask_to_end(struct orphans *o)
{
	static const int gently[] = {SIGTERM, SIGHUP, SIGCONT};
	processes_left(o->id, o->leader, o->leader_start, &o->seen);
	signal_seen(o, gently, COUNT_OF(gently));
	for (int empty = 0; empty < ORPHANS_EMPTY_LOOKS && spent(o) < ORPHANS_GRACE_MS;) {
		empty = any_left(o) ? 0 : empty + 1;
		if (!empty)
			poll(NULL, 0, ORPHANS_ROUND_MS);
	}
}

/*
 * Each is stopped as soon as it is found, so that nothing that it starts, and that nothing but its parent may
 * tell from others', can get away: when nothing more turns up the whole tree stands still, and is ended.
 */
static bool freeze(struct orphans *o)
{
	struct proc_list now = {0};
	bool any = false;
	for (size_t before = SIZE_MAX;
	     now.count != before && spent(o) < ORPHANS_GRACE_MS + ORPHANS_KILL_MS;) {
		before = now.count;
		processes_hunt(o->id, o->leader, o->leader_start, SIGSTOP, &now);
		any = any || now.count > 0;
	}
	proc_list_finish(&now);
	return any;
}

static void end_by_force(struct orphans *o)
{
	static const int at_once[] = {SIGKILL};
	for (int empty = 0; empty < ORPHANS_EMPTY_LOOKS && spent(o) < ORPHANS_GRACE_MS + ORPHANS_KILL_MS;) {
		empty = freeze(o) ? 0 : empty + 1;
		if (empty)
			continue;
		processes_left(o->id, o->leader, o->leader_start, &o->seen);
		signal_seen(o, at_once, COUNT_OF(at_once));
	}
}

static bool any_alive(const struct orphans *o)
{
	for (size_t i = 0; i < o->seen.count; i++)
		if (proc_alive(o->seen.items[i].pid, o->seen.items[i].start))
			return true;
	return false;
}

static void tell(const struct orphans *o, struct orphans_report *report)
{
	*report = (struct orphans_report){0};
	for (size_t i = 0; i < o->seen.count; i++) {
		const struct proc_info *p = &o->seen.items[i];
		if (!proc_alive(p->pid, p->start))
			report->ended++;
		else if (report->survivors++ == 0)
			snprintf(report->first_survivor, sizeof report->first_survivor, "%d %.15s",
			    (int)p->pid, p->name);
	}
}

void orphans_end(const char *id, pid_t leader, uint64_t leader_start, struct orphans_report *report)
{
	struct orphans o = {
	    .id = id, .leader = leader, .leader_start = leader_start, .began = clock_mono_ms()};
	ask_to_end(&o);
	end_by_force(&o);
	for (int waited = 0; waited < ORPHANS_EXIT_MS && any_alive(&o); waited += ORPHANS_ROUND_MS)
		poll(NULL, 0, ORPHANS_ROUND_MS);
	tell(&o, report);
	proc_list_finish(&o.seen);
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
