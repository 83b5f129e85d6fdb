/*
 * agent: a user's named configuration: a harness, instructions, model, arguments, environment.
 *
 * Read from $XDG_CONFIG_HOME/handler/agents/NAME.json (handler-agent(5)).  Built in: every harness without
 * instructions, under its name.  A faulty file stops only its agent.
 */
#ifndef HANDLER_HARNESS_AGENT_H
#define HANDLER_HARNESS_AGENT_H

#include "harness/descriptor.h"

enum { AGENT_INSTRUCTIONS_MAX = 4 << 20 };

struct agent {
	char *name;
	char *path;              /* its file, NULL when built in */
	char *harness;
	char *description;
	char *instructions;      /* exact text, NULL: none.  An array of lines is joined with LF and ends without one */
	size_t instructions_len;
	char *instructions_path; /* the file they came from, or NULL */
	char *model;             /* NULL: the harness's default */
	char **args;             /* NULL-terminated */
	char **env;              /* "K=V" */
	char **unset_env;
	char *sandbox;           /* "none", "bwrap", "podman" */
	struct json *source;     /* the whole file, or NULL */
	unsigned may;            /* enum agent_may */
};

enum agent_may { AGENT_MAY_SEND = 1, AGENT_MAY_STOP = 2, AGENT_MAY_NEW = 4 };

/* Loads one by name; ERR_NO_AGENT with the nearest in the hint, ERR_INVALID with file and line, ERR_INSTRUCTIONS_INVALID
 * (NUL or invalid UTF-8, with the offset), ERR_POLICY_UNSUPPORTED for keys of policies that are not there (sandbox other
 * than none, network, secrets): never loaded without them. */
struct agent *agent_load(const char *name, const struct harness_set *set, struct err *err);
void agent_destroy(struct agent *a);

/* Names of all agents, own ones first, sorted, built-in ones after; faulty ones are listed too. */
char **agent_names(const struct harness_set *set, size_t *count, struct err *err);

#endif
