/* open_file: the files that a process has open, by what /proc/PID/fd says (proc(5)). */
#ifndef HANDLER_OS_OPEN_FILE_H
#define HANDLER_OS_OPEN_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct open_file {
	pid_t pid;
	int dir;          /* /proc/PID/fd, for fstatat(2) and openat(2) of the file itself */
	const char *name; /* there: the number of its descriptor */
	const char *path; /* as the kernel tells it; " (deleted)" behind one that is gone */
};

/* Shows each to `visit` until that says true; whether it did.  false also where it may not be asked. */
bool open_file_each(pid_t pid, bool (*visit)(const struct open_file *f, void *user), void *user);
bool open_file_writes(const struct open_file *f); /* it was opened for writing */

#endif
