/*
 * agent_settings: see agent_settings.h.  What a harness can do is in its descriptor; what it cannot is
 * refused where the agent asks for it, and never left out in silence.
 */
#include "harness/agent_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/environment.h"

struct reading {
	const struct agent *agent;
	const struct descriptor *harness;
	const struct json *root;
	const char *shown;
	struct err *err;
};

static int refuse(const struct reading *r, const struct json *n, const char *why, const char *hint)
{
	json_error(r->root, n, r->shown, r->err, "%s %s", descriptor_title(r->harness), why);
	if (r->err)
		r->err->code = ERR_REFUSED;
	return err_hint(r->err, "%s", hint);
}

/* The agent's own variable for what a setting sets: one of the two would be lost. */
static int check_variable(const struct reading *r, const char *setting, const char *variable)
{
	const struct json *n = json_get(json_get(r->root, "env"), variable);

	if (!n)
		return 0;
	return json_error(r->root, n, r->shown, r->err, "\"%s\" is what \"%s\" sets: say one of the two",
	    variable, setting);
}

static int check_config_dir(const struct reading *r, const struct json *n, const char *value)
{
	const char *variable =
	    json_string(json_path(descriptor_json(r->harness), "config_dir.variable"), NULL);

	if (strcmp(value, "own") != 0)
		return 0;
	if (!variable)
		return refuse(r, n, "has no variable that names its configuration directory.",
		    "Remove \"config_dir\", or say \"shared\".");
	return check_variable(r, "config_dir", variable);
}

static int check_privacy(const struct reading *r, const struct json *n, const char *value)
{
	const struct json *privacy = json_get(descriptor_json(r->harness), "privacy");
	const char *note = json_get_string(privacy, "note", NULL);

	if (!n || strcmp(value, "off") == 0 || json_get(privacy, value))
		return 0;
	AUTO_FREE char *why = mem_printf("takes no setting that makes \"privacy\": \"%s\"%s%s.", value,
	    note ? ": " : "", note ? note : "");
	return refuse(r, n, why, "Remove \"privacy\", or say \"off\".");
}

/* The screen that a harness draws on by itself needs no setting. */
static int check_screen(const struct reading *r, const struct json *n, const char *value)
{
	const struct json *root = descriptor_json(r->harness);
	const char *usual = json_get_string(root, "screen", "");
	const char *same = strcmp(value, "full") == 0 ? "alternate" : value;

	if (strcmp(value, "harness") == 0 || strcmp(usual, same) == 0 ||
	    json_get(json_get(root, "screens"), value))
		return 0;
	AUTO_FREE char *why = mem_printf("has no option for \"screen\": \"%s\".", value);
	return refuse(r, n, why, "Remove \"screen\", or say \"harness\".");
}

static int check_resume(const struct reading *r, const struct json *n, const char *value)
{
	if (strcmp(value, "conversation") != 0 ||
	    json_path(descriptor_json(r->harness), "conversation.resume"))
		return 0;
	return refuse(r, n, "cannot resume a conversation.", "Remove \"resume\", or say \"fresh\".");
}

/* Settings that are one word: its key, default (NULL: none) and what the harness must be able to do. */
static const struct {
	const char *key, *preset;
	size_t offset;
	int (*check)(const struct reading *r, const struct json *n, const char *value);
} words[] = {
    {"config_dir", "shared", offsetof(struct agent, config_dir), check_config_dir},
    {"privacy", "full", offsetof(struct agent, privacy), check_privacy},
    {"screen", "harness", offsetof(struct agent, screen), check_screen},
    {"resume", "auto", offsetof(struct agent, resume), check_resume},
    {"on_exit", NULL, offsetof(struct agent, on_exit), NULL},
};

static char **word_of(struct agent *a, size_t offset)
{
	return (char **)(void *)((char *)a + offset);
}

int agent_settings_read(
    struct agent *a, const struct descriptor *d, const struct json *root, const char *shown, struct err *err)
{
	struct reading r = {.agent = a, .harness = d, .root = root, .shown = shown, .err = err};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const char *value = json_get_string(root, words[i].key, words[i].preset);

		*word_of(a, words[i].offset) = mem_strdup(value);
		if (root && words[i].check && words[i].check(&r, json_get(root, words[i].key), value) < 0)
			return -1;
	}
	a->grace = json_get_number(root, "grace", AGENT_GRACE_DEFAULT);
	a->journal = json_get_bool(root, "journal", true);
	a->forward_agent = json_get_bool(root, "forward_agent", false);
	return a->forward_agent ? check_variable(&r, "forward_agent", "SSH_AUTH_SOCK") : 0;
}

void agent_settings_finish(struct agent *a)
{
	for (size_t i = 0; i < COUNT_OF(words); i++)
		free(*word_of(a, words[i].offset));
}
