/* orphans: see orphans.h. */
#include "session/orphans.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/proc.h"
#include "session/foreign.h"

enum { ORPHANS_GRACE_MS = 2000, ORPHANS_KILL_MS = 5000, ORPHANS_ROUND_MS = 20 };

static void merge(struct proc_list *into, const struct proc_list *from)
{
	for (size_t i = 0; i < from->count; i++) {
		bool known = from->items[i].pid == getpid() || from->items[i].state == 'Z' ||
			     foreign_process(&from->items[i]);
		for (size_t k = 0; k < into->count && !known; k++)
			known = into->items[k].pid == from->items[i].pid &&
				into->items[k].start == from->items[i].start;
		if (known)
			continue;
		into->items = mem_realloc(into->items, into->count + 1, sizeof *into->items);
		into->items[into->count++] = from->items[i];
	}
}

/* A session that was started from inside this one is another one's, with all that it runs. */
static bool is_foreign(const struct proc_info *p, void *user)
{
	(void)user;
	return foreign_process(p);
}

static void merge_and_finish(struct proc_list *into, struct proc_list *part)
{
	merge(into, part);
	proc_list_finish(part);
}

/* A leader that is still the one that was started stands for all of its process session (setsid(2)). */
static void find(const char *id, pid_t leader, uint64_t leader_start, struct proc_list *into)
{
	struct proc_list part;
	proc_by_session(id, &part);
	merge_and_finish(into, &part);
	if (leader_start && proc_start_time(leader) == leader_start) {
		proc_by_sid(leader, &part);
		merge_and_finish(into, &part);
	}
	for (size_t i = 0, roots = into->count; i < roots; i++) {
		proc_tree(into->items[i].pid, is_foreign, NULL, &part);
		merge_and_finish(into, &part);
	}
}

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
	find(id, leader, leader_start, &seen);
	size_t left = signal_living(&seen, gently, COUNT_OF(gently));
	while (left && spent < ORPHANS_GRACE_MS + ORPHANS_KILL_MS) {
		poll(NULL, 0, ORPHANS_ROUND_MS);
		spent = clock_mono_ms() - began;
		find(id, leader, leader_start, &seen);
		left = signal_living(&seen, at_once, spent < ORPHANS_GRACE_MS ? 0 : COUNT_OF(at_once));
	}
	unsigned count = (unsigned)seen.count;
	proc_list_finish(&seen);
	return count;
}
