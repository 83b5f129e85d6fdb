/* copy_keys: the tables of keys of the history (copy.h): which action a key is, and how they are printed. */
#include "ui/bindings.h"
#include "ui/copy.h"

static const struct {
	const char *both, *vi, *emacs, *help;
} actions[COPY_ACTION_COUNT] = {
#define X(id, both, vi, emacs, help) [id] = {both, vi, emacs, help},
    COPY_ACTIONS(X)
#undef X
};

static bool named_in(const char *keys, const struct key *k)
{
	char name[KEY_NAME_MAX];
	struct chord c;

	for (keys += strspn(keys, " "); *keys; keys += strspn(keys, " ")) {
		size_t len = strcspn(keys, " ");

		snprintf(name, sizeof(name), "%.*s", (int)len, keys);
		if (chord_parse(name, &c) && chord_matches(&c, k))
			return true;
		keys += len;
	}
	return false;
}

/* A table's own keys come before those that both have. */
enum copy_action copy_action_of(const struct key *k, bool vi)
{
	for (int i = 0; i < COPY_ACTION_COUNT; i++)
		if (named_in(vi ? actions[i].vi : actions[i].emacs, k))
			return (enum copy_action)i;
	for (int i = 0; i < COPY_ACTION_COUNT; i++)
		if (named_in(actions[i].both, k))
			return (enum copy_action)i;
	return COPY_NO_ACTION;
}

void copy_action_keys(enum copy_action a, bool vi, struct buf *out)
{
	const char *own = vi ? actions[a].vi : actions[a].emacs;

	buf_printf(out, "%s%s%s", actions[a].both, *own && *actions[a].both ? " " : "", own);
}

const char *copy_action_help(enum copy_action a)
{
	return actions[a].help;
}

void copy_actions_print(struct buf *out)
{
	buf_printf(out, ".Bd -literal\n  %-14s %-8s %-12s %s\n", "both", "vi", "emacs", "does");
	for (int i = 0; i < COPY_ACTION_COUNT; i++)
		buf_printf(out, "  %-14s %-8s %-12s %s\n", actions[i].both, actions[i].vi, actions[i].emacs,
		    actions[i].help);
	buf_adds(out, ".Ed\n");
}
