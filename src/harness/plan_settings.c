/*
 * plan_settings: the part of a plan that an agent's settings make.  What each of them sets for a harness is
 * in its descriptor; that the harness can do it was checked when the agent was read.
 */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "harness/environment.h"
#include "harness/plan_build.h"

/* sun_path without its NUL (unix(7)): a longer name cannot be connected to */
enum { SOCKET_PATH_MAX = 107 };

static const struct json *privacy(const struct build *b, const char *what)
{
	return json_get(json_get(json_get(b->root, "privacy"), b->a->privacy), what);
}

static const struct json *screen(const struct build *b, const char *what)
{
	return b->o->headless ? NULL : json_get(json_get(json_get(b->root, "screens"), b->a->screen), what);
}

static void set_variables(struct build *b, const struct json *map)
{
	for (const struct json *n = json_first(map); n; n = json_next(n))
		plan_set_variable(b, json_key(n), json_string(n, ""));
}

static bool is_given(const struct build *b, const char *variable)
{
	size_t len = strlen(variable);

	for (size_t i = 0; b->o->extra_env && b->o->extra_env[i]; i++) {
		if (strncmp(b->o->extra_env[i], variable, len) == 0 && b->o->extra_env[i][len] == '=')
			return true;
	}
	return false;
}

static int refuse_both(struct build *b, const char *variable, const char *setting)
{
	return err_set(b->err, ERR_USAGE, "--env sets %s, which the agent's \"%s\" sets: say one of the two.",
	    variable, setting);
}

/* Its own login and conversations are there; it is kept over sessions. */
static int set_config_dir(struct build *b)
{
	const char *variable = json_string(json_path(b->root, "config_dir.variable"), "");
	const char *remark = json_string(json_path(b->root, "config_dir.note"), NULL);

	if (strcmp(b->a->config_dir, "own") != 0)
		return 0;
	if (is_given(b, variable))
		return refuse_both(b, variable, "config_dir");
	AUTO_FREE char *state = path_state_dir(b->err);
	if (!state)
		return -1;
	AUTO_FREE char *agents = path_join(state, "agents");
	AUTO_FREE char *dir = path_join(agents, b->a->name);
	AUTO_FREE char *pretty = path_pretty(dir);
	char *dirs[] = {dir, NULL};
	b->plan->dirs = strv_copy(dirs);
	plan_set_variable(b, variable, dir);
	if (access(dir, F_OK) < 0)
		plan_note(b,
		    "%s has a new configuration directory for this agent, %s: it asks for a login once.",
		    descriptor_title(b->d), pretty);
	if (remark)
		plan_note(b, "The configuration directory %s is this agent's own, but %s.", pretty, remark);
	return 0;
}

/* A name that stays the same; what it leads to is changed as terminals come and go. */
static int set_forward_agent(struct build *b)
{
	const char *caller = environment_get(&b->env, "SSH_AUTH_SOCK");

	if (!b->a->forward_agent)
		return 0;
	if (is_given(b, "SSH_AUTH_SOCK"))
		return refuse_both(b, "SSH_AUTH_SOCK", "forward_agent");
	AUTO_FREE char *link = path_join(b->o->session_dir, PLAN_SSH_AGENT);
	if (strlen(link) > SOCKET_PATH_MAX) {
		err_set(b->err, ERR_REFUSED,
		    "\"forward_agent\" needs a socket's name of at most %d bytes, and %s has %zu.",
		    (int)SOCKET_PATH_MAX, link, strlen(link));
		return err_hint(b->err, "Set XDG_STATE_HOME to a shorter path, or remove \"forward_agent\".");
	}
	if (caller && *caller)
		b->plan->ssh_agent = mem_strdup(caller);
	else
		plan_note(b,
		    "There is no SSH agent here (SSH_AUTH_SOCK is not set): the session has one once a "
		    "terminal that has one shows it.");
	environment_set(&b->env, "SSH_AUTH_SOCK", link);
	return 0;
}

int plan_settings_environment(struct build *b)
{
	set_variables(b, privacy(b, "env"));
	set_variables(b, screen(b, "env"));
	if (set_config_dir(b) < 0 || set_forward_agent(b) < 0)
		return -1;
	if (strcmp(b->a->privacy, "off") == 0 && json_get(b->root, "privacy"))
		plan_note(b, "%s may send usage data: the agent's privacy is off.", descriptor_title(b->d));
	return 0;
}

int plan_settings_arguments(struct build *b)
{
	return plan_add_args(b, privacy(b, "args")) < 0 ? -1 : plan_add_args(b, screen(b, "args"));
}

static void put_ports(const struct build *b, struct json *settings)
{
	struct json *named = b->o->port_count > 1 ? json_set(settings, "ports", json_new_object()) : NULL;

	if (b->o->port_count)
		json_set_number(settings, "port", b->o->ports[0].number);
	for (size_t i = 1; i < b->o->port_count; i++)
		json_set_number(named, b->o->ports[i].name, b->o->ports[i].number);
}

/* The directory's variable by its name: no value of the user's is written down. */
static int put_learn(struct build *b, struct json *settings)
{
	const struct json *wanted = json_path(b->root, "conversation.learn");
	const struct json *config_dir = json_get(b->root, "config_dir");
	struct json *learn = wanted ? json_set(settings, "learn", json_copy(wanted)) : NULL;
	AUTO_BUF path = BUF_INIT;

	if (!json_get(learn, "open_file") || !config_dir)
		return 0;
	if (expand(&path, json_get_string(config_dir, "default", ""), &b->values, b->err) < 0)
		return -1;
	struct json *dir = json_set(learn, "config_dir", json_new_object());
	json_set_string(dir, "variable", json_get_string(config_dir, "variable", ""));
	json_set_string(dir, "default", path.data);
	return 0;
}

int plan_settings_for_session(struct build *b, struct json *settings)
{
	if (b->a->on_exit)
		json_set_string(settings, "on_exit", b->a->on_exit);
	if (b->a->grace >= 0)
		json_set_number(settings, "grace", b->a->grace);
	if (!b->a->journal)
		json_set_bool(settings, "journal", false);
	if (b->a->forward_agent)
		json_set_bool(settings, "forward_agent", true);
	put_ports(b, settings);
	if (strcmp(b->a->screen, "harness") != 0)
		json_set_string(
		    settings, "screen", strcmp(b->a->screen, "full") == 0 ? "alternate" : "inline");
	return put_learn(b, settings);
}
