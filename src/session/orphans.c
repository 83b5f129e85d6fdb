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

static void find(const char *id, pid_t leader, struct proc_list *out)
{
	struct proc_list part;
	struct proc_info p;
	*out = (struct proc_list){0};
	proc_by_session(id, &part);
	merge(out, &part);
	proc_list_finish(&part);
	if (proc_read(leader, &p) && p.sid == leader) {
		struct proc_list self = {.items = &p, .count = 1};
		merge(out, &self);
	}
	size_t roots = out->count;
	for (size_t i = 0; i < roots; i++) {
		proc_tree(out->items[i].pid, is_foreign, NULL, &part);
		merge(out, &part);
		proc_list_finish(&part);
	}
}

static size_t signal_all(
    const char *id, pid_t leader, const int *signals, size_t count, struct proc_list *seen)
{
	struct proc_list found;
	find(id, leader, &found);
	merge(seen, &found);
	for (size_t i = 0; i < found.count; i++)
		for (size_t s = 0; s < count; s++)
			proc_signal(&found.items[i], signals[s]);
	size_t left = found.count;
	proc_list_finish(&found);
	return left;
}

unsigned orphans_end(const char *id, pid_t leader)
{
	static const int gently[] = {SIGTERM, SIGHUP, SIGCONT}, at_once[] = {SIGKILL};
	struct proc_list seen = {0};
	int64_t began = clock_mono_ms();
	size_t left = signal_all(id, leader, gently, COUNT_OF(gently), &seen);
	while (left && clock_mono_ms() - began < ORPHANS_GRACE_MS + ORPHANS_KILL_MS) {
		struct proc_list found;
		poll(NULL, 0, ORPHANS_ROUND_MS);
		if (clock_mono_ms() - began < ORPHANS_GRACE_MS) {
			find(id, leader, &found);
			left = found.count;
			proc_list_finish(&found);
		} else {
			left = signal_all(id, leader, at_once, COUNT_OF(at_once), &seen);
		}
	}
	unsigned count = (unsigned)seen.count;
	proc_list_finish(&seen);
	return count;
}
