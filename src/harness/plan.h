/*
 * plan: descriptor + agent + options, resolved to what has to be done to start a session.  Data, not actions.
 *
 * Pure but for looking (the program on PATH, whether directory and login files exist) and a random
 * conversation id: nothing is written and no process started.  Everything that must be refused is refused
 * here.
 */
#ifndef HANDLER_HARNESS_PLAN_H
#define HANDLER_HARNESS_PLAN_H

#include "harness/agent.h"
#include "harness/ports.h"

/* In the session's directory, for agents with "forward_agent": a link to the socket of an SSH agent */
#define PLAN_SSH_AGENT "ssh-agent"

enum {
	PLAN_STRING_MAX = 131071,  /* bytes of one argument or variable: the kernel's MAX_ARG_STRLEN - 1 */
	PLAN_TEXT_MAX = 120 << 10, /* bytes of instructions or prompt that are given as an argument */
};

enum prompt_way {
	PROMPT_NONE,
	PROMPT_ARGV,  /* already part of argv; the program holds it back behind its own dialogs */
	PROMPT_TYPED, /* to be pasted and submitted once status_ready says so */
	PROMPT_STDIN, /* headless: written to standard input, then closed */
};

struct plan_file {
	char *path; /* absolute, below the session's directory; its directories are made 0700 */
	char *data;
	size_t len;
	unsigned mode; /* 0600 */
};

/*
 * settings, what keeper and worker must know, is an object:
 *
 * - "newline": ["S-Enter", "C-j"]: the first if the program asked for extended keys, else the second
 * - "interrupt": ["Escape"], "exit": ["C-c", "C-c"]: keys, by tmux's names
 * - "transcript": ["C-o"]: with these keys the program shows what was said before; absent: not known
 * - "stop": {"signal": "TERM", "to": "leader"|"group"}: the graceful way; absent: SIGHUP to the leader
 * - "on_exit": "stop"|"keep": what becomes of processes that outlive the leader; absent: stop
 * - "grace": seconds between asking the processes to end and ending them; absent: the configuration's
 * - "journal": false: none is kept; absent: as the configuration says
 * - "port": N, "ports": {"NAME": N}: those held for the session
 * - "forward_agent": true: the worker keeps PLAN_SSH_AGENT leading to the terminal used last
 * - "learn": {"screen": REGEX, "open_file": {"path": REGEX, "head": REGEX}}: where the harness tells the
 *   conversation's id (handler-descriptor(5)), with "config_dir": {"variable", "default"} of its own
 * - "screen": "alternate"|"inline"
 */
struct plan {
	char *agent, *harness, *harness_title;
	char *program;           /* absolute path */
	char **argv;             /* NULL-terminated; argv[0] as given by the descriptor */
	char **shown;            /* argv for display: instructions as the name of their file */
	char **shown_env;        /* what the descriptor sets, likewise; no value of the user's */
	char **env;              /* all of it, "K=V", NULL-terminated; never logged, never in a record */
	char *dir;               /* absolute, exists */
	struct plan_file *files; /* to write before the start */
	size_t file_count;
	char **dirs;     /* to make before the start, 0700: they outlive the session */
	char *ssh_agent; /* what PLAN_SSH_AGENT leads to at first, or NULL */
	enum prompt_way prompt_way;
	char *prompt;          /* for PROMPT_TYPED and PROMPT_STDIN */
	char *sandbox;         /* "none" */
	struct json *policies; /* what only a sandbox can enforce, an object: empty if nothing is asked for */
	char *conversation;    /* the harness's id, assigned or resumed; NULL: learnt later or never */
	bool resumed;          /* argv resumes `conversation` */
	char *instructions_hash; /* 128 bits in hexadecimal, of the text; NULL: no instructions */
	char **notes;       /* sentences to show at start; without isolation the first is "no sandbox: ..." */
	char **credentials; /* names of variables and files the agent can read, never values; sorted */
	struct json *status_rules; /* for status_create, an object; maybe empty */
	struct json *settings;
	unsigned may;
};

struct plan_options {
	const char *session_id;        /* six characters */
	const char *session_dir;       /* absolute state directory of the session */
	const char *dir;               /* where to run; NULL: the working directory */
	const char *prompt;            /* first prompt or NULL */
	char *const *extra_args;       /* after "--", or NULL */
	char *const *extra_env;        /* --env K=V, or NULL */
	char *const *environ;          /* the caller's environment */
	const char *self;              /* absolute path of our own binary (demo) */
	bool headless;                 /* handler run */
	const struct json *resume;     /* a record with "conversation" and "instructions_hash", or NULL */
	bool resume_only;              /* a new conversation is refused */
	bool json_output;              /* headless: the harness's JSON mode */
	const struct plan_port *ports; /* held for the session; none: ${port} stays as it is */
	size_t port_count;
	const char *note; /* one more to show at the start, or NULL */
};

struct plan *plan_make(
    const struct descriptor *d, const struct agent *a, const struct plan_options *o, struct err *err);
void plan_destroy(struct plan *p);

/* The shell command a person would type for the same thing, quoted; instructions as a file's name.  Owned. */
char *plan_shell_command(const struct plan *p);

/* As JSON, for `agent show` and to hand a plan to another process (with env). */
struct json *plan_to_json(const struct plan *p, bool with_env);
struct plan *plan_from_json(const struct json *j, struct err *err);

/* One word for a POSIX shell (bash where it holds control characters: $'...'), appended to out. */
struct buf;
void shell_quote(struct buf *out, const char *word);

#endif
