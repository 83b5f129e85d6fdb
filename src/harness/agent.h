/*
 * agent: a user's named configuration: a harness, instructions, model, arguments, environment.
 *
 * Read from $XDG_CONFIG_HOME/handler/agents/NAME.json (handler-agent(5)).  Built in: every harness without
 * instructions, under its name and its program's.  A faulty file stops only its agent.
 */
#ifndef HANDLER_HARNESS_AGENT_H
#define HANDLER_HARNESS_AGENT_H

#include <stdbool.h>

#include "harness/descriptor.h"
#include "harness/strv.h"

enum { AGENT_INSTRUCTIONS_MAX = 4 << 20, AGENT_GRACE_MAX = 3600, AGENT_GRACE_DEFAULT = -1 };

enum agent_may { AGENT_MAY_SEND = 1, AGENT_MAY_STOP = 2, AGENT_MAY_NEW = 4 };

struct agent {
	char *name;
	char *path;         /* its file, NULL when built in */
	char *harness;      /* the harness's name, never its program's */
	char *description;  /* of its own, else the harness's */
	char *instructions; /* exact text; lines of an array are joined with LF; NULL: none */
	size_t instructions_len;
	char *instructions_path; /* the file they came from, or NULL */
	char *model;             /* NULL: the harness's default */
	char **args;             /* NULL-terminated, never NULL */
	char **env;              /* "K=V" */
	char **unset_env;        /* names; a '*' at the end is a prefix */
	char *sandbox;           /* "none": nothing else is there yet */
	char *privacy;           /* "full", "reduced", "off": what of the descriptor's "privacy" is set */
	char *config_dir;        /* "shared", or "own": one for this agent alone */
	char *screen;            /* "harness": as it draws by itself, "inline", "full" */
	char *resume;            /* "auto", "conversation": that or nothing, "fresh" */
	char *on_exit;           /* "stop", "keep", or NULL: the harness's */
	double grace;            /* seconds; AGENT_GRACE_DEFAULT: the configuration's */
	bool journal;            /* false: none is kept of its sessions, whatever the configuration says */
	bool forward_agent;      /* SSH_AUTH_SOCK leads to the SSH agent of the terminal last used */
	struct json *source;     /* the whole file, or NULL */
	unsigned may;            /* enum agent_may */
};

/*
 * The harnesses that these agents need, for a start: reading every descriptor takes longer than the rest of
 * it. All of them if an agent has none that can be found.
 */
int agent_load_harnesses(struct harness_set *set, char *const *agents, size_t count, struct err *err);

/*
 * Loads one by name; ERR_NO_AGENT with the nearest in the hint, ERR_INVALID with file and line,
 * ERR_INSTRUCTIONS_INVALID (NUL or invalid UTF-8, with the offset), ERR_POLICY_UNSUPPORTED for policies that
 * are not there (a sandbox other than none, network, secrets) and ERR_REFUSED for settings that its harness
 * cannot do: never loaded without them.
 */
struct agent *agent_load(const char *name, const struct harness_set *set, struct err *err);
void agent_destroy(struct agent *a);

/* Names of all agents, own ones first, sorted, faulty ones too; then those built in.  Owned: strv_destroy. */
char **agent_names(const struct harness_set *set, size_t *count, struct err *err);

/* The same with the programs that built-in ones answer to ("claude"): whatever names an agent. */
char **agent_words(const struct harness_set *set, struct err *err);

/* The file the agent has or would have, owned; NULL with err for what cannot be a name. */
char *agent_path(const char *name, struct err *err);

#endif
