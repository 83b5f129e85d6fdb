/*
 * ports: ${port} and ${port:NAME} in the arguments and variables of an agent: ports that a session holds for
 * its programs.  Pure: who leases them, and how, is not known here.
 */
#ifndef HANDLER_HARNESS_PORTS_H
#define HANDLER_HARNESS_PORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { PORTS_MAX = 8, PORT_NAME_MAX = 32 };

struct plan_port {
	char name[PORT_NAME_MAX + 1]; /* "": that of ${port} and HANDLER_PORT */
	int number;
};

struct agent;

/*
 * The ports an agent's session needs, all numbers 0: the one of HANDLER_PORT first, then those with a name.
 * More than PORTS_MAX: too many.
 */
size_t ports_of_agent(const struct agent *a, struct plan_port out[PORTS_MAX + 1]);
/*
 * Whether the text's ports have names: 1 to 32 lower-case letters, digits, '-' and '_'; if not, name (64
 * bytes) says what stands there.
 */
bool ports_check(const char *text, char name[64]);
/* Appends text with its ports replaced; "$${port" stands for "${port" itself; all else stays as it is. */
void ports_expand(struct buf *out, const char *text, const struct plan_port *ports, size_t count);

#endif
