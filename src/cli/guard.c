/* guard: commands from inside a session, and finding the session of a word. */
#include <stdlib.h>

#include "cli/cli.h"
#include "client/record.h"
#include "harness/agent.h"

struct record *find_session(struct record_list *list, const char *word, bool prefix, struct err *err)
{
	*list = (struct record_list){0};
	if (record_list_load(list, err) < 0)
		return NULL;
	return record_find(list, word, prefix, err);
}

static const struct record *caller(const struct record_list *list)
{
	const char *id = getenv("HANDLER_SESSION");
	for (size_t i = 0; id && *id && i < list->count; i++)
		if (!strcmp(list->items[i].id, id))
			return &list->items[i];
	return NULL;
}

static int refuse(const struct record *from, struct err *err)
{
	err_set(err, ERR_NOT_FROM_A_SESSION,
	    "this command runs inside session %s, whose agent \"%s\" may not do that", from->name,
	    from->agent);
	return err_hint(
	    err, "Add \"may\": [\"send\", \"stop\", \"new\"] to the agent's file, or run it outside.");
}

int guard_change(const struct record_list *list, const struct record *target, unsigned may, struct err *err)
{
	const struct record *from = caller(list);
	if (!from || (from->may & may))
		return 0;
	bool own = !strcmp(from->id, target->id);
	/* Typing into one's own session would answer one's own approval; naming or sizing it is harmless. */
	if (own && may != AGENT_MAY_SEND)
		return 0;
	if (!own && target->parent && !strcmp(target->parent, from->id))
		return 0;
	return refuse(from, err);
}

int guard_new(struct err *err)
{
	struct record_list list;
	int result = 0;
	if (!getenv("HANDLER_SESSION") || record_list_load(&list, NULL) < 0)
		return 0;
	const struct record *from = caller(&list);
	/* A person at a shell may start what they like; an agent only if it was allowed to. */
	if (from && strcmp(from->harness, "shell") != 0 && !(from->may & AGENT_MAY_NEW))
		result = refuse(from, err);
	record_list_finish(&list);
	return result;
}
