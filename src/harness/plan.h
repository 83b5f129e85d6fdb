/*
 * plan: descriptor + agent + options, resolved to what has to be done to start a session.  Data, not actions.
 *
 * Pure but for looking (the program on PATH, the size of arguments): nothing is written and no process started.
 * Everything that must be refused is refused here.
 */
#ifndef HANDLER_HARNESS_PLAN_H
#define HANDLER_HARNESS_PLAN_H

#include "harness/agent.h"

enum prompt_way {
	PROMPT_NONE,
	PROMPT_ARGV,   /* already part of argv */
	PROMPT_TYPED,  /* to be pasted and submitted once the program is ready and no dialog is open */
};

struct plan_file {
	char *path;     /* absolute, below the session's directory */
	char *data;
	size_t len;
	unsigned mode;  /* 0600 */
};

struct plan {
	char *agent, *harness, *harness_title;
	char *program;              /* absolute path */
	char **argv;                /* NULL-terminated; argv[0] as given by the descriptor */
	char **env;                 /* the whole environment, "K=V", NULL-terminated; never logged, never in a record */
	char *dir;                  /* absolute, exists */
	struct plan_file *files;    /* to write before the start */
	size_t file_count;
	enum prompt_way prompt_way;
	char *prompt;               /* for PROMPT_TYPED */
	char *sandbox;              /* "none" */
	char *conversation;         /* the harness's id that was assigned, or NULL: learnt later or never */
	char *instructions_hash;    /* SHA-256-like hex (any stable 128-bit hash) of the text, or NULL */
	char **notes;               /* sentences to show at start ("no sandbox: ...", "instructions reach the first user turn") */
	char **credentials;         /* names of variables and files the agent can read, never values */
	struct json *status_rules;  /* of the descriptor, owned copy */
	struct json *settings;      /* what the worker must know: newline key, stop, prompt, status: descriptor's parts */
	unsigned may;
};

struct plan_options {
	const char *session_id;     /* six characters */
	const char *session_dir;    /* absolute state directory of the session */
	const char *dir;            /* where to run; NULL: the working directory */
	const char *prompt;         /* first prompt or NULL */
	char *const *extra_args;    /* after "--", or NULL */
	char *const *extra_env;     /* --env K=V, or NULL */
	char *const *environ;       /* the caller's environment */
	const char *self;           /* absolute path of our own binary (demo) */
	bool headless;              /* handler run */
	const struct json *resume;  /* the record of the former run, or NULL: {"conversation":..., "instructions_hash":...} */
	bool json_output;           /* headless: the harness's JSON mode */
};

struct plan *plan_make(const struct descriptor *d, const struct agent *a, const struct plan_options *o, struct err *err);
void plan_destroy(struct plan *p);
/* The shell command a person would type for the same thing, quoted; instructions as the name of the file.  Owned. */
char *plan_shell_command(const struct plan *p);
/* As JSON, for `agent show` and to hand a plan to another process (with env) */
struct json *plan_to_json(const struct plan *p, bool with_env);
struct plan *plan_from_json(const struct json *j, struct err *err);

#endif
