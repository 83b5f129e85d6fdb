/* ports: the leases of one session's ports, from before its plan is made until its keeper has them. */
#ifndef HANDLER_CLI_PORTS_H
#define HANDLER_CLI_PORTS_H

#include "harness/plan.h"
#include "os/port.h"

struct leased_ports {
	struct plan_port ports[PORTS_MAX + 1];
	struct port_lease leases[PORTS_MAX];
	size_t count;
	char *note; /* why there is none, where none was asked for; NULL: there are */
};

/*
 * former: settings of the run before, whose numbers are tried first, or NULL.  -1 with err if the agent names
 * a port and there is none.
 */
int leased_ports_take(
    struct leased_ports *l, const struct agent *a, const struct json *former, struct err *err);
void leased_ports_finish(struct leased_ports *l); /* this process's hold on them */

#endif
