/*
 * listener: which TCP ports a process listens on, from /proc/PID/net/tcp{,6} and /proc/PID/fd (proc(5)).
 *
 * Only sockets that the process holds itself; ports of another network namespace are those of that namespace.
 */
#ifndef HANDLER_OS_LISTENER_H
#define HANDLER_OS_LISTENER_H

#include <stddef.h>
#include <sys/types.h>

/* The listening sockets of one network namespace, read once for many processes. */
struct listener_table {
	struct listener {
		unsigned long inode;
		int port;
	} * items;
	size_t count, cap;
	unsigned long space; /* inode of the namespace, 0: none was read */
};
void listener_table_finish(struct listener_table *t);

/*
 * Fills ports in ascending order, each once; returns how many, at most max.  The table is read anew when the
 * process has another network namespace than the one asked about before.
 */
size_t listener_ports(struct listener_table *t, pid_t pid, int *ports, size_t max);

#endif
