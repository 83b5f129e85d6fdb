/* ports: see ports.h. */
#include "cli/ports.h"

#include <stdlib.h>

#include "base/mem.h"

static int former_number(const struct json *former, const char *name)
{
	return (
	    int)(*name ? json_get_int(json_get(former, "ports"), name, 0) : json_get_int(former, "port", 0));
}

/* Only HANDLER_PORT, which is there for whoever wants it. */
static bool asked_for(const struct agent *a, size_t count)
{
	struct json *texts = strv_to_json(a->args);
	bool asked = count > 1;

	for (size_t i = 0; a->env[i]; i++)
		json_append_string(texts, a->env[i]);
	for (const struct json *n = json_first(texts); n; n = json_next(n))
		asked = asked || strstr(json_string(n, ""), "${port}");
	json_free(texts);
	return asked;
}

int leased_ports_take(
    struct leased_ports *l, const struct agent *a, const struct json *former, struct err *err)
{
	size_t wanted;
	struct err why = ERR_INIT;

	*l = (struct leased_ports){.note = NULL};
	wanted = ports_of_agent(a, l->ports);
	for (; l->count < wanted; l->count++) {
		struct plan_port *p = &l->ports[l->count];

		if (port_lease_take(&l->leases[l->count], former_number(former, p->name), &why) < 0)
			break;
		p->number = l->leases[l->count].number;
	}
	if (l->count == wanted)
		return 0;
	leased_ports_finish(l);
	if (asked_for(a, wanted)) {
		if (err)
			*err = why;
		return err_prefix(err, "The agent \"%s\" needs a port", a->name);
	}
	l->note = mem_printf("HANDLER_PORT is not set: %s.", why.message);
	return 0;
}

void leased_ports_finish(struct leased_ports *l)
{
	for (size_t i = 0; i < l->count; i++)
		port_lease_release(&l->leases[i]);
	l->count = 0;
	free(l->note);
	l->note = NULL;
}
