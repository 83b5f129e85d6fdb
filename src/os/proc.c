/* proc: see proc.h.  Reads /proc by proc(5); signals by pidfd (pidfd_open(2), pidfd_send_signal(2)). */
#include "os/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

/* Reads a file of /proc whole; returns its length, or -1. */
static ssize_t read_proc(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t total = 0;
	while ((size_t)total + 1 < size) {
		ssize_t n = read(fd, out + total, size - 1 - (size_t)total);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		total += n;
	}
	close(fd);
	out[total] = '\0';
	return total;
}

bool proc_read(pid_t pid, struct proc_info *out)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (read_proc(path, text, sizeof text) <= 0)
		return false;
	/* The name stands in parentheses and may hold some itself: fields go on after the last one. */
	char *open_paren = strchr(text, '('), *close_paren = strrchr(text, ')');
	if (!open_paren || !close_paren || close_paren < open_paren)
		return false;
	*out = (struct proc_info){.pid = pid};
	snprintf(out->name, sizeof out->name, "%.*s", (int)(close_paren - open_paren - 1), open_paren + 1);
	int ppid = 0, pgrp = 0, sid = 0;
	unsigned long long start = 0;
	int got = sscanf(close_paren + 1,
	    " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &out->state,
	    &ppid, &pgrp, &sid, &start);
	if (got != 5)
		return false;
	out->ppid = ppid;
	out->pgrp = pgrp;
	out->sid = sid;
	out->start = start;
	return true;
}

uint64_t proc_start_time(pid_t pid)
{
	struct proc_info p;
	return proc_read(pid, &p) ? p.start : 0;
}

bool proc_alive(pid_t pid, uint64_t start)
{
	struct proc_info p;
	return pid > 0 && proc_read(pid, &p) && p.start == start && p.state != 'Z' && p.state != 'X';
}

void proc_list_finish(struct proc_list *l)
{
	free(l->items);
	*l = (struct proc_list){0};
}

void proc_list_add(struct proc_list *l, const struct proc_info *p)
{
	if (l->count == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->items = mem_realloc(l->items, l->cap, sizeof *l->items);
	}
	l->items[l->count++] = *p;
}

/* Adds the children that one thread's file lists. */
static void add_children_of_thread(
    const char *path, bool (*skip)(const struct proc_info *, void *), void *user, struct proc_list *out)
{
	char text[65536];
	if (read_proc(path, text, sizeof text) <= 0)
		return;
	for (char *p = text, *end; *p; p = end) {
		long pid = strtol(p, &end, 10);
		if (end == p)
			break;
		struct proc_info info;
		if (proc_read((pid_t)pid, &info) && !(skip && skip(&info, user)))
			proc_list_add(out, &info);
	}
}

static void add_children(
    pid_t pid, bool (*skip)(const struct proc_info *, void *), void *user, struct proc_list *out)
{
	char path[300];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, e->d_name);
		add_children_of_thread(path, skip, user, out);
	}
	closedir(dir);
}

void proc_tree(
    pid_t root, bool (*skip)(const struct proc_info *p, void *user), void *user, struct proc_list *out)
{
	*out = (struct proc_list){0};
	add_children(root, skip, user, out);
	for (size_t i = 0; i < out->count; i++)
		add_children(out->items[i].pid, skip, user, out);
}

int proc_signal(const struct proc_info *p, int signal)
{
	int fd = pidfd_open(p->pid, 0);
	if (fd < 0)
		return -errno;
	int result = 0;
	if (proc_start_time(p->pid) != p->start)
		result = -ESRCH;
	else if (pidfd_send_signal(fd, signal, NULL, 0) < 0)
		result = -errno;
	close(fd);
	return result;
}

char *proc_environ(pid_t pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	AUTO_BUF text = BUF_INIT;
	char chunk[4096];
	for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0 && text.len < (4u << 20);)
		buf_add(&text, chunk, (size_t)n);
	close(fd);
	size_t name_len = strlen(name);
	for (const char *p = text.data, *end = text.data + text.len; p < end; p += strlen(p) + 1)
		if (!strncmp(p, name, name_len) && p[name_len] == '=')
			return mem_strdup(p + name_len + 1);
	return NULL;
}

char *proc_command(pid_t pid)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	ssize_t n = read_proc(path, text, sizeof text);
	while (n > 0 && !text[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n > 0 ? mem_strndup(text, (size_t)n) : NULL;
}

/* The sixth number of statm is what RLIMIT_DATA counts, in pages, with the stack (proc(5)). */
int proc_bound_memory(size_t more)
{
	char text[256];
	unsigned long long pages;
	if (read_proc("/proc/self/statm", text, sizeof text) <= 0 ||
	    sscanf(text, "%*u %*u %*u %*u %*u %llu", &pages) != 1) {
		errno = ENODATA;
		return -1;
	}
	rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
	return setrlimit(RLIMIT_DATA, &(struct rlimit){.rlim_cur = most, .rlim_max = most});
}

void proc_boot_id(char out[40])
{
	char text[64];
	out[0] = '\0';
	if (read_proc("/proc/sys/kernel/random/boot_id", text, sizeof text) > 0)
		snprintf(out, 40, "%.*s", (int)strcspn(text, "\n"), text);
}

/* The one place that argv lives in; there is one per process, as there is one command line. */
static struct {
	char *start;
	size_t args;        /* bytes of the arguments; the environment follows them */
	size_t size;        /* with the environment */
	size_t used;        /* by the last title */
	char **environment; /* the copy, held here as setenv(3) may put another array in its place */
} title_area;

/*
 * The kernel shows the memory between argv[0] and the end of the last argument; the environment follows it
 * and is copied away so that its room can be used as well.
 */
void proc_title_init(int argc, char **argv)
{
	extern char **environ;
	if (argc < 1 || !argv[0])
		return;
	char *start = argv[0], *end = start;
	for (int i = 0; i < argc; i++)
		if (argv[i] == end)
			end += strlen(argv[i]) + 1;
	title_area.args = (size_t)(end - start);
	size_t count = 0;
	for (; environ[count]; count++)
		if (environ[count] == end)
			end += strlen(environ[count]) + 1;
	char **copy = mem_alloc((count + 1) * sizeof *copy);
	for (size_t i = 0; i < count; i++)
		copy[i] = mem_strdup(environ[i]);
	copy[count] = NULL;
	for (int i = 0; i < argc; i++)
		argv[i] = mem_strdup(argv[i]);
	environ = title_area.environment = copy;
	title_area.start = start;
	title_area.size = (size_t)(end - start);
}

void proc_title_set(const char *title)
{
	const char *word = strrchr(title, '/');
	prctl(PR_SET_NAME, word ? word + 1 : title);
	if (!title_area.start || title_area.size < 2)
		return;
	/* No more of the environment than a title needs: /proc/PID/environ still tells where a process
	 * belongs. */
	memset(title_area.start, 0, title_area.used > title_area.args ? title_area.used : title_area.args);
	snprintf(title_area.start, title_area.size, "%s", title);
	title_area.used = strnlen(title_area.start, title_area.size);
}
