/*
 * port: leases of TCP ports, and who listens on one.
 *
 * A lease is a port that no other handler process of this machine is given while it is held.  It is held by
 * descriptors, so it ends with the last process that has them, however that ends:
 *
 * - a lock on /tmp/handler-UID/ports/PORT, and
 * - the port itself, bound on all addresses of IPv4 and IPv6 and never listened on.  It is bound without
 *   SO_REUSEADDR, which fails if anybody has bound it; that option is set afterwards, and from then on a
 * server that sets it as well (all that libuv, Go, Rust, Java and Python's servers start do) can listen on
 * the port, while bind(2) without it and the kernel's own choice of ports cannot have it (socket(7), ip(7)).
 *
 * The range lies below the ports that the kernel gives out by itself (ip_local_port_range(5)).
 */
#ifndef HANDLER_OS_PORT_H
#define HANDLER_OS_PORT_H

#include "base/err.h"
#include "os/proc.h"

enum { PORT_FIRST = 23000, PORT_LAST = 23999, PORT_LEASE_FDS = 3 };

struct port_lease {
	int number;
	int fds[PORT_LEASE_FDS]; /* close-on-exec; -1: none (no IPv6) */
};

/* wanted: tried first, 0: none.  -1 with err: none is free, or the directory cannot be used. */
int port_lease_take(struct port_lease *out, int wanted, struct err *err);
void port_lease_release(struct port_lease *l); /* this process's hold on it */

enum port_listener {
	PORT_SILENT,    /* nobody listens */
	PORT_OURS,      /* one of the processes listens */
	PORT_FOREIGN,   /* somebody else does */
	PORT_UNKNOWABLE /* it may be one of the processes that cannot be looked into */
};

bool port_is_silent(int number); /* nobody listens on it in this network */
/* Who listens on the port in this network; of a foreign one pid and name, if they can be seen (else pid 0).
 */
enum port_listener port_listener(int number, const struct proc_list *ours, struct proc_info *foreign);

#endif
