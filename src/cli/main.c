/* main: which command is meant, and the one place where errors of commands become text and exit statuses. */
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/demo.h"
#include "cli/parse.h"
#include "client/record.h"
#include "harness/agent.h"
#include "os/proc.h"
#include "session/worker.h"

extern const struct command command_agent, command_attach, command_capture, command_config, command_doctor,
    command_events, command_harness, command_help, command_keys, command_ls, command_new, command_note,
    command_rename, command_resize, command_resume, command_rm, command_run, command_send, command_stop,
    command_terminal, command_wait;
extern const struct command command_export, command_prune, command_replay, command_restart_workers;

const struct command *const commands[] = {
    &command_terminal,
    &command_attach,
    &command_new,
    &command_ls,
    &command_stop,
    &command_resume,
    &command_rm,
    &command_prune,
    &command_send,
    &command_wait,
    &command_capture,
    &command_keys,
    &command_events,
    &command_note,
    &command_replay,
    &command_export,
    &command_run,
    &command_resize,
    &command_rename,
    &command_agent,
    &command_harness,
    &command_config,
    &command_doctor,
    &command_restart_workers,
    &command_help,
    NULL,
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* What people type elsewhere. */
static const struct {
	const char *word, *hint;
} elsewhere[] = {
    {"kill", "`handler stop SESSION` ends a session."},
    {"ps", "`handler ls` lists the sessions."},
    {"list", "`handler ls` lists the sessions."},
    {"logs", "`handler capture SESSION --history all` prints what was shown."},
    {"start", "`handler new AGENT` starts a session, `handler AGENT` starts one and shows it."},
    {"new-session", "`handler new AGENT` starts a session."},
    {"kill-session", "`handler stop SESSION` ends a session."},
    {"list-sessions", "`handler ls` lists the sessions."},
    {"send-keys", "`handler keys SESSION KEY...` presses keys."},
    {"capture-pane", "`handler capture SESSION` prints the screen."},
    {"detach", "Press the prefix and d in the terminal."},
    {"delete", "`handler rm SESSION` forgets an ended session."},
    {"version", "`handler --version` prints it."},
    {"agents", "`handler agent list` lists the agents."},
    {"exec", "`handler run AGENT PROMPT` runs one headless turn."},
};

/* All that names one: own agents, harnesses, their programs. */
static void add_agents(struct strv *words)
{
	struct harness_set set;
	if (harness_set_load(&set, NULL) < 0)
		return;
	char **names = agent_words(&set, NULL);
	for (size_t i = 0; names && names[i]; i++)
		strv_add(words, names[i]);
	strv_destroy(names);
	harness_set_finish(&set);
}

static bool names_an_agent(const char *word)
{
	struct strv words = STRV_INIT;
	bool found = false;
	add_agents(&words);
	for (size_t i = 0; i < words.count; i++)
		found = found || !strcmp(words.items[i], word);
	strv_finish(&words);
	return found;
}

static int unknown_word(const char *word, struct err *err)
{
	err_set(err, ERR_USAGE, "\"%s\" is neither a command nor an agent", word);
	for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
		if (!strcmp(elsewhere[i].word, word))
			return err_hint(err, "%s", elsewhere[i].hint);
	struct strv words = STRV_INIT;
	for (const struct command *const *c = commands; *c; c++)
		strv_add(&words, (*c)->name);
	add_agents(&words);
	const char *near = json_nearest(word, (const char *const *)words.items);
	if (near)
		err_hint(err, "Did you mean `handler %s`?", near);
	else
		err_hint(err, "`handler help` lists the commands, `handler agent list` the agents.");
	strv_finish(&words);
	return -1;
}

static int run_command(
    const struct command *c, int argc, char **argv, const char *self, bool *json, struct err *err)
{
	struct args a = {.self = self};
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		*json = *json || !strcmp(argv[i], "--json");
	if (args_parse(c, argc, argv, &a, err) < 0)
		return -1;
	return c->run(&a, err);
}

/* `handler AGENT...` is `handler terminal AGENT...`, `handler` alone the terminal. */
static int dispatch(int argc, char **argv, const char *self, bool *json, struct err *err)
{
	if (argc < 2)
		return run_command(&command_terminal, 1, (char *[]){"terminal", NULL}, self, json, err);
	const char *word = argv[1];
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("handler %s\n", HANDLER_VERSION);
		return 0;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_help();
		return 0;
	}
	const struct command *c = command_find(word);
	if (c && argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
		print_command_help(c);
		return 0;
	}
	if (c)
		return run_command(c, argc - 1, argv + 1, self, json, err);
	if (word[0] != '-' && !names_an_agent(word))
		return unknown_word(word, err);
	char **words = mem_zalloc((size_t)argc + 1, sizeof *words);
	memcpy(words, argv, (size_t)argc * sizeof *words);
	words[0] = "terminal";
	int status = run_command(&command_terminal, argc, words, self, json, err);
	free(words);
	return status;
}

static char *own_path(char *argv0)
{
	char *path = path_real("/proc/self/exe", NULL);
	return path ? path : mem_strdup(argv0);
}

/* Processes of our own that are started by exec: not commands. */
static bool is_internal(int argc, char **argv, int *status)
{
	if (argc == 3 && !strcmp(argv[1], "worker")) {
		const int fds[WORKER_FDS] = {3, 4, 5, 6, 7};
		*status = worker_run(argv[2], fds);
		return true;
	}
	if (argc >= 2 && !strcmp(argv[1], "demo-agent")) {
		*status = demo_main(argc - 1, argv + 1);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	bool json = false;
	int status;
	setlocale(LC_CTYPE, "C.UTF-8");
	proc_title_init(argc, argv);
	if (is_internal(argc, argv, &status))
		return status;
	AUTO_FREE char *self = own_path(argv[0]);
	status = dispatch(argc, argv, self, &json, &err);
	if (status < 0) {
		print_failure(&err, json);
		status = err_exit_status(err.code);
	}
	return status;
}
