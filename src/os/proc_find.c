/* proc_find: see proc_find.h. */
#include "os/proc_find.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/mem.h"

enum { BIRTHS_MAX = 64 /* of those that were born since it was asked last, the newest */ };

struct look {
	const struct proc_search *how;
	bool (*belongs)(pid_t pid, const struct proc_info *p, const void *what);
	const void *what;
	struct proc_list *out;
	int births; /* file that names the newest pid; -1: not watched */
	pid_t newest;
};

/* --- the newest pid --- */

/*
 * Pids are given out upwards, round and round, so that the newest says who was born since: ns_last_pid of
 * proc_sys_kernel(5), the last number of loadavg where the kernel has none.
 */
static int open_births(void)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
}

static pid_t read_newest(int fd)
{
	char text[128];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	const char *last = strrchr(text, ' ');
	return (pid_t)atol(last ? last + 1 : text);
}

/* --- a look --- */

/* Threads have numbers of the same kind, and a directory in /proc each; pidfd_open(2) takes processes alone.
 */
static bool is_process(pid_t pid)
{
	int fd = pidfd_open(pid, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* What it is is read first: if that pid is another's by the time it is signalled, the start time differs. */
static void look_at(struct look *l, pid_t pid)
{
	struct proc_info info;
	if (!proc_read(pid, &info) || info.state == 'Z' || info.state == 'X' ||
	    !l->belongs(pid, &info, l->what))
		return;
	if (l->how->found)
		l->how->found(&info, l->how->user);
	proc_list_add(l->out, &info);
}

/* Newest first: those have the most of their lives before them. */
static void look_at_births(struct look *l)
{
	pid_t newest = l->births < 0 ? 0 : read_newest(l->births);
	if (newest <= 0 || newest == l->newest)
		return;
	int count = newest > l->newest && newest - l->newest < BIRTHS_MAX ? newest - l->newest : BIRTHS_MAX;
	l->newest = newest;
	for (pid_t pid = newest; pid > 0 && count > 0; pid--, count--)
		if (is_process(pid))
			look_at(l, pid);
}

static void look(struct look *l)
{
	*l->out = (struct proc_list){0};
	l->births = l->how->hunting ? open_births() : -1;
	l->newest = l->births < 0 ? 0 : read_newest(l->births); /* before the list: nobody is in neither */
	DIR *dir = opendir("/proc");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		look_at(l, (pid_t)atol(e->d_name));
		look_at_births(l);
	}
	if (dir)
		closedir(dir);
	if (l->births >= 0)
		close(l->births);
}

static bool has_marker(pid_t pid, const struct proc_info *p, const void *id)
{
	(void)p;
	AUTO_FREE char *value = proc_environ(pid, "HANDLER_SESSION");
	return value && !strcmp(value, id);
}

void proc_by_session(const char *id, const struct proc_search *how, struct proc_list *out)
{
	look(&(struct look){.how = how, .belongs = has_marker, .what = id, .out = out});
}

static bool has_sid(pid_t pid, const struct proc_info *p, const void *sid)
{
	(void)pid;
	return p->sid == *(const pid_t *)sid;
}

void proc_by_sid(pid_t sid, const struct proc_search *how, struct proc_list *out)
{
	look(&(struct look){.how = how, .belongs = has_sid, .what = &sid, .out = out});
}
