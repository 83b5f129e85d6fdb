/*
 * listen: whether the ports that are held for the session are its own: a program outside may listen on one
 * before a program of the session does.  Looked at when output rests, at most once in a while, and until a
 * process of the session listens.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/port.h"
#include "client/foreign.h"
#include "session/parts.h"

enum { LISTEN_FIRST_MS = 1000, LISTEN_LAST_MS = 4000 };

static bool is_foreign(const struct proc_info *p, void *user)
{
	(void)user;
	return foreign_keeper(p);
}

static char *describe(int number, const char *name, const struct proc_info *owner)
{
	AUTO_FREE char *what = *name ? mem_printf("port:%s", name) : mem_strdup("port");

	if (owner->pid)
		return mem_printf("port %d (${%s}) is used by process %d (%s), which is not of this session",
		    number, what, (int)owner->pid, owner->name);
	return mem_printf("port %d (${%s}) is used by a program that is not of this session", number, what);
}

/* Returns what is wrong with the port, owned, or NULL; ours: whether it needs no further look. */
static char *look(int number, const char *name, bool *ours)
{
	struct proc_list tree;
	struct proc_info owner;

	if (port_is_silent(number)) { /* as most are, at most times */
		*ours = false;
		return NULL;
	}
	proc_tree(getppid(), is_foreign, NULL, &tree);
	enum port_listener who = port_listener(number, &tree, &owner);
	proc_list_finish(&tree);
	*ours = *ours && who == PORT_OURS;
	return who == PORT_FOREIGN ? describe(number, name, &owner) : NULL;
}

static char *look_at_all(const struct json *settings, bool *ours)
{
	char *fault = look((int)json_get_int(settings, "port", 0), "", ours);

	for (const struct json *n = json_first(json_get(settings, "ports")); n; n = json_next(n)) {
		char *one = look((int)json_number(n, 0), json_key(n), ours);

		if (fault)
			free(one);
		else
			fault = one;
	}
	return fault;
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void on_listen_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	bool ours = true;
	char *fault = look_at_all(json_get(w->record.session, "settings"), &ours);
	bool changed = !same(fault, w->fault);

	w->listen_wait = w->listen_wait < LISTEN_LAST_MS ? w->listen_wait * 2 : LISTEN_LAST_MS;
	w->listen_next = worker_now(w) + w->listen_wait;
	w->ports_ours = ours;
	free(w->fault);
	w->fault = fault;
	if (changed)
		report_changed(w);
}

void listen_init(struct worker *w)
{
	uv_timer_init(&w->loop, &w->listen_timer);
	w->listen_timer.data = w;
	w->listen_wait = LISTEN_FIRST_MS;
}

/* One look, at once or when the next one is due: no timer runs while nothing happens. */
void listen_look(struct worker *w)
{
	int64_t wait = w->listen_next - worker_now(w);

	if (w->ports_ours || w->ending || w->leader_told || uv_is_active((uv_handle_t *)&w->listen_timer) ||
	    !json_get(json_get(w->record.session, "settings"), "port"))
		return;
	uv_timer_start(&w->listen_timer, on_listen_timer, wait > 0 ? (uint64_t)wait : 0, 0);
}
