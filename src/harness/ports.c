/* ports: see ports.h. */
#include "harness/ports.h"

#include <string.h>

#include "harness/agent.h"

static const char opening[] = "${port";

/* One ${port...} of a text: where it is, how long, and its name. */
struct place {
	const char *at, *name;
	size_t len, name_len;
	bool literal; /* "$${port": no port */
};

/* ${ports} or ${portal} are none of ours. */
static bool next_place(const char *text, struct place *out)
{
	for (const char *p = text; (p = strstr(p, opening)); p++) {
		const char *after = p + strlen(opening), *close = strchr(after, '}');

		if (!close || (*after != '}' && *after != ':'))
			continue;
		bool literal = p > text && p[-1] == '$';
		*out = (struct place){.at = literal ? p - 1 : p, .name = after + (*after == ':')};
		out->len = (size_t)(close + 1 - out->at);
		out->name_len = (size_t)(close - out->name);
		out->literal = literal;
		return true;
	}
	return false;
}

static bool is_name(const struct place *place)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

	if (place->name[-1] != ':')
		return true; /* plain ${port} */
	if (place->name_len == 0 || place->name_len > PORT_NAME_MAX)
		return false;
	for (size_t i = 0; i < place->name_len; i++) {
		if (!memchr(allowed, place->name[i], sizeof(allowed) - 1))
			return false;
	}
	return true;
}

/* Cut at a character. */
static void copy_name(const struct place *place, char out[64])
{
	size_t len = place->name_len < 63 ? place->name_len : 63;

	while (len < place->name_len && len > 0 && (place->name[len] & 0xC0) == 0x80)
		len--;
	memcpy(out, place->name, len);
	out[len] = '\0';
}

bool ports_check(const char *text, char name[64])
{
	for (struct place place; next_place(text, &place); text = place.at + place.len) {
		if (place.literal || is_name(&place))
			continue;
		copy_name(&place, name);
		return false;
	}
	return true;
}

static const struct plan_port *find(const struct plan_port *ports, size_t count, const struct place *place)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(ports[i].name) == place->name_len &&
		    memcmp(ports[i].name, place->name, place->name_len) == 0)
			return &ports[i];
	}
	return NULL;
}

static size_t add_ports(const char *text, struct plan_port out[PORTS_MAX + 1], size_t count)
{
	for (struct place place; next_place(text, &place); text = place.at + place.len) {
		if (place.literal || count > PORTS_MAX || find(out, count, &place))
			continue;
		out[count] = (struct plan_port){.number = 0};
		memcpy(out[count++].name, place.name, place.name_len);
	}
	return count;
}

size_t ports_of_agent(const struct agent *a, struct plan_port out[PORTS_MAX + 1])
{
	size_t count = 1;

	out[0] = (struct plan_port){.number = 0};
	for (size_t i = 0; a->args[i]; i++)
		count = add_ports(a->args[i], out, count);
	for (size_t i = 0; a->env[i]; i++)
		count = add_ports(a->env[i], out, count);
	return count;
}

void ports_expand(struct buf *out, const char *text, const struct plan_port *ports, size_t count)
{
	for (struct place place; next_place(text, &place); text = place.at + place.len) {
		const struct plan_port *port = find(ports, count, &place);

		buf_add(out, text, (size_t)(place.at - text));
		if (place.literal)
			buf_add(out, place.at + 1, place.len - 1);
		else if (port && port->number)
			buf_printf(out, "%d", port->number);
		else
			buf_add(out, place.at, place.len);
	}
	buf_adds(out, text);
}
