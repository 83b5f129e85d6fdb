/*
 * proc: what /proc says about processes, and ending a whole tree of them.
 *
 * A process is named by its pid and its start time (field 22 of /proc/PID/stat, proc(5)); a pid alone may be
 * reused. Nothing here signals by name.
 */
#ifndef HANDLER_OS_PROC_H
#define HANDLER_OS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_info {
	pid_t pid, ppid, pgrp, sid;
	char state;     /* R S D T Z ... */
	uint64_t start; /* clock ticks since boot */
	char name[32];  /* comm */
};

/* false: there is no such process (any more). */
bool proc_read(pid_t pid, struct proc_info *out);
uint64_t proc_start_time(pid_t pid);        /* 0: none */
bool proc_alive(pid_t pid, uint64_t start); /* exists with that start time and is no zombie */

struct proc_list {
	struct proc_info *items;
	size_t count, cap;
};
void proc_list_add(struct proc_list *l, const struct proc_info *p);
void proc_list_finish(struct proc_list *l);
/*
 * All descendants of root (without root), parents before children, from /proc/PID/task/TID/children of every
 * thread. `skip(pid, start, user)` true leaves a process and everything below it out.
 */
void proc_tree(
    pid_t root, bool (*skip)(const struct proc_info *p, void *user), void *user, struct proc_list *out);

/* Sends a signal by pidfd after checking the start time.  0, or -errno (-ESRCH: gone). */
int proc_signal(const struct proc_info *p, int signal);

/* The value of NAME in /proc/PID/environ; owned, NULL if not readable or not set. */
char *proc_environ(pid_t pid, const char *name);
/* What ps shows of it: /proc/PID/cmdline with spaces; owned, NULL if not readable or empty. */
char *proc_command(pid_t pid);
/*
 * Bounds the memory of this process: `more` bytes beyond what it has now (RLIMIT_DATA, setrlimit(2)); an
 * allocation above it fails, and mem.h says what that means.  -1 with errno.
 */
int proc_bound_memory(size_t more);

void proc_boot_id(char out[40]); /* /proc/sys/kernel/random/boot_id, "" if unreadable */

/* Rewrites what ps shows for this process ("handler keeper ab12cd") and its comm.  proc_title_init first,
 * from main. */
void proc_title_init(int argc, char **argv);
void proc_title_set(const char *title);

#endif
