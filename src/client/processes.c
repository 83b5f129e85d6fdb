/* processes: see processes.h. */
#include "client/processes.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "client/foreign.h"
#include "os/listener.h"
#include "os/proc_find.h"

enum { PROCESS_PORTS_MAX = 16, COMMAND_COLUMNS = 200 };

/* --- of a lost session --- */

/* A session that was started from inside this one is another one's, with all that it runs; nor are we of it.
 */
static bool is_foreign(const struct proc_info *p, void *user)
{
	(void)user;
	return p->pid == getpid() || foreign_process(p);
}

static void merge(struct proc_list *into, struct proc_list *part)
{
	for (size_t i = 0; i < part->count; i++) {
		const struct proc_info *p = &part->items[i];
		bool known = p->state == 'Z' || is_foreign(p, NULL);
		for (size_t k = 0; k < into->count && !known; k++)
			known = into->items[k].pid == p->pid && into->items[k].start == p->start;
		if (!known)
			proc_list_add(into, p);
	}
	proc_list_finish(part);
}

static void signal_found(const struct proc_info *p, void *signal)
{
	if (!is_foreign(p, NULL))
		proc_signal(p, *(int *)signal);
}

/* A leader that is still the one that was started stands for all of its process session (setsid(2)). */
static void search(const char *id, pid_t leader, uint64_t leader_start, const struct proc_search *how,
    struct proc_list *into)
{
	struct proc_list part;
	proc_by_session(id, how, &part);
	merge(into, &part);
	if (leader_start && proc_start_time(leader) == leader_start) {
		proc_by_sid(leader, how, &part);
		merge(into, &part);
	}
	for (size_t i = 0, roots = into->count; i < roots; i++) {
		struct proc_info root = into->items[i];
		proc_tree(root.pid, is_foreign, NULL, &part);
		if (proc_start_time(root.pid) != root.start)
			part.count = 0; /* it has ended, and its pid may be another's */
		for (size_t k = 0; how->found && k < part.count; k++)
			how->found(&part.items[k], how->user);
		merge(into, &part);
	}
}

void processes_left(const char *id, pid_t leader, uint64_t leader_start, struct proc_list *into)
{
	search(id, leader, leader_start, &(struct proc_search){0}, into);
}

void processes_hunt(const char *id, pid_t leader, uint64_t leader_start, int signal, struct proc_list *into)
{
	struct proc_search how = {.hunting = true, .found = signal ? signal_found : NULL, .user = &signal};
	search(id, leader, leader_start, &how, into);
}

static bool same_boot(const struct record *r)
{
	char boot[40];
	proc_boot_id(boot);
	return !strcmp(boot, r->boot_id);
}

int processes_count_left(const struct record *r)
{
	struct proc_list l = {0};
	if (r->live || r->state != STATE_LOST || !same_boot(r))
		return 0;
	processes_left(r->id, r->leader, r->leader_start, &l);
	int count = (int)l.count;
	proc_list_finish(&l);
	return count;
}

/* --- of a live one --- */

/* The worker goes last and by itself: it is the keeper's child and says whose it is. */
static bool not_the_sessions(const struct proc_info *p, void *user)
{
	const struct record *r = user;
	if (foreign_keeper(p))
		return true;
	if (p->ppid != r->keeper || strncmp(p->name, "handler worker", 14) != 0)
		return false;
	AUTO_FREE char *command = proc_command(p->pid);
	AUTO_FREE char *own = mem_printf("handler worker %s", r->id);
	return command && !strcmp(command, own);
}

void processes_of(const struct record *r, struct proc_list *out)
{
	struct proc_list tree;
	*out = (struct proc_list){0};
	if (!same_boot(r))
		return;
	if (!r->live) {
		processes_left(r->id, r->leader, r->leader_start, out);
		return;
	}
	proc_tree(r->keeper, not_the_sessions, (void *)r, &tree);
	for (size_t i = 0; i < tree.count; i++)
		if (tree.items[i].state != 'Z' && tree.items[i].state != 'X')
			tree.items[out->count++] = tree.items[i];
	out->items = tree.items;
	out->cap = tree.cap;
}

/* --- for people and scripts --- */

static void describe(
    struct json *array, const struct record *r, const struct proc_info *p, struct listener_table *listeners)
{
	int ports[PROCESS_PORTS_MAX];
	size_t count = listener_ports(listeners, p->pid, ports, COUNT_OF(ports));
	AUTO_FREE char *command = proc_command(p->pid);
	AUTO_FREE char *clean =
	    utf8_sanitize(command ? command : "", command ? strlen(command) : 0, COMMAND_COLUMNS);
	AUTO_FREE char *name = utf8_sanitize(p->name, strlen(p->name), 0);
	struct json *j = json_append(array, json_new_object());
	json_set_number(j, "pid", p->pid);
	json_set_string(j, "name", name);
	json_set_string(j, "command", *clean ? clean : name);
	json_set_bool(j, "leader", p->pid == r->leader && p->start == r->leader_start);
	struct json *list = json_set(j, "ports", json_new_array());
	for (size_t i = 0; i < count; i++)
		json_append(list, json_new_number(ports[i]));
}

struct json *processes_to_json(const struct record *r)
{
	struct json *array = json_new_array();
	struct listener_table listeners = {0};
	struct proc_list list;
	processes_of(r, &list);
	for (int leader = 1; leader >= 0; leader--)
		for (size_t i = 0; i < list.count; i++)
			if ((list.items[i].pid == r->leader) == leader)
				describe(array, r, &list.items[i], &listeners);
	proc_list_finish(&list);
	listener_table_finish(&listeners);
	return array;
}

char *processes_line(const struct json *process, int columns)
{
	AUTO_BUF ports = BUF_INIT;
	for (const struct json *p = json_first(json_get(process, "ports")); p; p = json_next(p))
		buf_printf(&ports, "%s%lld", ports.len ? ", " : ", listens on ", (long long)json_int(p, 0));
	const char *command = json_get_string(process, "command", "");
	int room = columns - (int)ports.len;
	AUTO_FREE char *shown = utf8_sanitize(command, strlen(command), room > 16 ? room : 16);
	return mem_printf("%s%s", shown, ports.len ? ports.data : "");
}
