/* terminal and attach: the front-end, with sessions started first where agents are named. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "client/control.h"
#include "ui/client.h"

static const struct option_spec terminal_options[] = {
    {"dir", 'C', "DIR", "run there (default: the working directory)"},
    {"prompt", 'p', "TEXT|-|@FILE", "first prompt for each: as it is, from standard input, from a file"},
    {"name", 'n', "NAME", "name of the session, if there is one"},
    {"layout", 0, "columns|rows|tiled", "how they are put side by side"},
    {"new", 0, NULL, "new sessions, even if the same agents run in this directory"},
    {"reuse", 0, NULL, "go to those that run in this directory"},
    {"nested", 0, NULL, "inside a session as well"},
    {"color", 0, "auto|truecolor|256|16|mono", "colours of the terminal (default: what it says)"},
    {0},
};

static int parse_layout(const char *text, enum layout_kind *kind, struct err *err)
{
	static const enum layout_kind kinds[] = {LAYOUT_COLUMNS, LAYOUT_ROWS, LAYOUT_TILED};
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (!strcmp(text, layout_kind_name(kinds[i]))) {
			*kind = kinds[i];
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "--layout takes columns, rows or tiled, not \"%s\"", text);
}

static int check_nesting(const struct args *a, struct err *err)
{
	const char *inside = getenv("HANDLER_SESSION");
	if (!inside || !*inside || args_has(a, "nested"))
		return 0;
	err_set(err, ERR_NESTED, "this is already inside a session (%s)", inside);
	return err_hint(err, "Use the terminal around it, or add --nested.");
}

/* The running session of an agent in a directory, not yet taken: NULL if there is none. */
static const struct record *running(
    const struct record_list *list, const char *agent, const char *dir, char **ids, int taken)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct record *r = &list->items[i];
		bool used = false;
		for (int n = 0; n < taken; n++)
			used = used || !strcmp(ids[n], r->id);
		if (!used && r->live && !state_ended(r->state) && !strcmp(r->agent, agent) &&
		    !strcmp(r->dir, dir))
			return r;
	}
	return NULL;
}

static char *canonical_name(const char *word, const struct harness_set *set)
{
	struct agent *agent = agent_load(word, set, NULL);
	char *name = mem_strdup(agent ? agent->name : word);
	agent_destroy(agent);
	return name;
}

/* Whether all the agents run in the directory already; then their ids are in `ids`. */
static bool all_running(const struct args *a, const struct harness_set *set, const char *dir, char **ids)
{
	struct record_list list;
	int found = 0;
	if (record_list_load(&list, NULL) < 0)
		return false;
	for (int i = 0; i < a->word_count; i++) {
		AUTO_FREE char *name = canonical_name(a->words[i], set);
		const struct record *r = running(&list, name, dir, ids, found);
		if (!r)
			break;
		ids[found++] = mem_strdup(r->id);
	}
	record_list_finish(&list);
	if (found == a->word_count)
		return true;
	while (found > 0) {
		free(ids[--found]);
		ids[found] = NULL;
	}
	return false;
}

static bool wants_running(const struct args *a, const char *dir)
{
	char answer[16] = "";
	AUTO_FREE char *pretty = path_pretty(dir);
	if (args_has(a, "reuse"))
		return true;
	if (args_has(a, "new") || !isatty(STDIN_FILENO))
		return false;
	fprintf(stderr, "%s already in %s. Go there [Enter], or start new ones [n]? ",
	    a->word_count == 1 ? "That agent runs" : "Those agents run", pretty);
	fflush(stderr);
	return fgets(answer, sizeof answer, stdin) && answer[0] != 'n' && answer[0] != 'N';
}

static void stop_started(const char *id)
{
	struct record_list list;
	struct control answer;
	if (record_list_load(&list, NULL) < 0)
		return;
	struct record *r = record_find(&list, id, false, NULL);
	if (r && r->live)
		control_ask(r, CONTROL_STOP, 0, 30000, &answer, NULL);
	if (r)
		record_remove(r->path, NULL);
	record_list_finish(&list);
}

/* The sessions that are being started for the terminal, and the sentence to show about them. */
struct starts {
	struct launching *items[ARGS_MAX];
	int count, begun;
	char *note;
};

static void starts_finish(struct starts *s)
{
	for (int i = 0; i < s->count; i++)
		launching_destroy(s->items[i]);
	free(s->note);
}

/* All or none: a refusal of the second agent must not leave the first one running unseen. */
static int await_all(struct starts *s, bool wanted, struct err *err)
{
	bool runs[ARGS_MAX] = {0};
	int result = wanted ? 0 : -1;
	for (int i = 0; i < s->begun; i++) {
		runs[i] = launching_await(s->items[i], result == 0 ? err : NULL) == 0;
		result = runs[i] ? result : -1;
	}
	for (int i = 0; i < s->begun && result < 0; i++)
		if (runs[i])
			stop_started(launching_record(s->items[i])->id);
	return result;
}

static void take_note(struct starts *s)
{
	for (int i = 0; i < s->begun; i++) {
		const struct plan *p = launching_plan(s->items[i]);
		if (p->notes && p->notes[0] && launch_notice_due(p->agent, p->credentials) && !s->note)
			s->note = mem_strdup(p->notes[0]);
	}
}

/* For ui_run: the front-end has made itself ready while the sessions came to life. */
static int await_starts(void *user, const char **note, struct err *err)
{
	struct starts *s = user;
	if (await_all(s, true, err) < 0)
		return -1;
	take_note(s);
	*note = s->note;
	return 0;
}

static int begin_all(struct starts *s, const struct ui_options *o, struct err *err)
{
	struct ui_pane_size sizes[ARGS_MAX] = {0};
	bool known = ui_pane_sizes(o, record_count(), sizes, (size_t)s->count);
	for (; s->begun < s->count; s->begun++) {
		struct ui_pane_size size = known ? sizes[s->begun] : (struct ui_pane_size){0};
		if (launching_begin(s->items[s->begun], size.rows, size.cols, err) < 0)
			return await_all(s, false, NULL);
	}
	return 0;
}

static int start_all(const struct args *a, const struct harness_set *set, const char *prompt,
    struct ui_options *o, struct starts *s, char **ids, struct err *err)
{
	struct launch_options launch_o = {.dir = args_value(a, "dir", NULL),
	    .name = args_value(a, "name", NULL),
	    .prompt = prompt,
	    .self = a->self,
	    .harnesses = set};
	for (; s->count < a->word_count; s->count++) {
		launch_o.agent = a->words[s->count];
		s->items[s->count] = launching_create(&launch_o, err);
		if (!s->items[s->count])
			return -1;
	}
	if (begin_all(s, o, err) < 0)
		return -1;
	for (int i = 0; i < s->count; i++)
		ids[i] = mem_strdup(launching_record(s->items[i])->id);
	o->ready = await_starts;
	o->ready_user = s;
	return 0;
}

static void forget_ids(char **ids, int count)
{
	for (int i = 0; i < count; i++) {
		free(ids[i]);
		ids[i] = NULL;
	}
}

/* Goes to the sessions of these agents that run here, or begins new ones; their ids. */
static int find_or_start(
    const struct args *a, struct ui_options *o, struct starts *s, char **ids, struct err *err)
{
	struct harness_set set;
	const char *prompt = args_value(a, "prompt", NULL);
	AUTO_FREE char *text = prompt ? args_text(prompt, err) : NULL;
	AUTO_FREE char *absolute = path_absolute(args_value(a, "dir", "."), err);
	AUTO_FREE char *dir = absolute ? path_real(absolute, NULL) : NULL;
	if ((prompt && !text) || !absolute ||
	    agent_load_harnesses(&set, a->words, (size_t)a->word_count, err) < 0)
		return -1;
	o->stdin_taken = prompt && !strcmp(prompt, "-");
	int result = 0;
	bool there = dir && !prompt && !args_has(a, "new") && all_running(a, &set, dir, ids);
	if (there && !wants_running(a, dir)) {
		forget_ids(ids, a->word_count);
		there = false;
	}
	if (!there)
		result = guard_new(err) < 0 ? -1 : start_all(a, &set, text, o, s, ids, err);
	harness_set_finish(&set);
	return result;
}

static int run_with_agents(const struct args *a, struct ui_options *o, struct err *err)
{
	char *ids[ARGS_MAX] = {0};
	struct starts starts = {0};
	int result = find_or_start(a, o, &starts, ids, err);
	o->sessions = (const char *const *)ids;
	o->session_count = (size_t)a->word_count;
	if (result == 0)
		result = ui_run(o, err);
	forget_ids(ids, a->word_count);
	starts_finish(&starts);
	return result;
}

static int run_terminal(const struct args *a, struct err *err)
{
	struct ui_options o = {.self = a->self, .color = args_value(a, "color", NULL)};
	const char *layout = args_value(a, "layout", NULL);
	o.layout_given = layout != NULL;
	if (check_nesting(a, err) < 0 || (layout && parse_layout(layout, &o.layout, err) < 0))
		return -1;
	if (args_has(a, "name") && a->word_count != 1)
		return err_set(err, ERR_USAGE, "--name names one session: name one agent with it");
	if (!isatty(STDOUT_FILENO)) {
		err_set(err, ERR_USAGE, "handler terminal needs a terminal, and standard output is none");
		return err_hint(err, "`handler new` starts a session without one.");
	}
	int result = a->word_count ? run_with_agents(a, &o, err) : ui_run(&o, err);
	if (result == 0)
		launch_tidy();
	return result;
}

const struct command command_terminal = {
    .name = "terminal",
    .group = "every day",
    .synopsis = "[AGENT...] [-C DIR] [-p TEXT|-|@FILE] [-n NAME] [--layout columns|rows|tiled] "
		"[--new|--reuse] [--nested] [--color MODE]",
    .help = "the front-end; with agents, a session for each, side by side",
    .text = "`handler` alone is `handler terminal`: the view used last, or the start screen. `handler "
	    "AGENT...` is `handler terminal "
	    "AGENT...`. Sessions go on when the terminal is left or closed.",
    .examples = "handler\nhandler claude codex -p @task.md\nhandler terminal claude -C ~/src/api",
    .max_words = -1,
    .options = terminal_options,
    .run = run_terminal,
};

static const struct option_spec attach_options[] = {
    {"detach", 'd', NULL, "detach other terminals that show it"},
    {"nested", 0, NULL, "inside a session as well"},
    {"color", 0, "auto|truecolor|256|16|mono", "colours of the terminal (default: what it says)"},
    {0},
};

/* Without a name: the session that was started last. */
static struct record *default_session(struct record_list *list, struct err *err)
{
	struct record *newest = NULL;
	*list = (struct record_list){0};
	if (record_list_load(list, err) < 0)
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].live && (!newest || list->items[i].created >= newest->created))
			newest = &list->items[i];
	if (!newest) {
		err_set(err, ERR_NO_SESSION, "no session is running");
		err_hint(err, "`handler new AGENT` starts one, `handler AGENT` starts and shows one.");
	}
	return newest;
}

static int run_attach(const struct args *a, struct err *err)
{
	struct record_list list;
	struct ui_options o = {.self = a->self,
	    .color = args_value(a, "color", NULL),
	    .single = true,
	    .detach_others = args_has(a, "detach"),
	    .session_count = 1};
	if (check_nesting(a, err) < 0)
		return -1;
	struct record *r =
	    a->word_count ? find_session(&list, a->words[0], true, err) : default_session(&list, err);
	char id[SESSION_ID_LENGTH + 1] = "";
	if (r)
		snprintf(id, sizeof id, "%s", r->id);
	record_list_finish(&list);
	const char *ids[] = {id};
	o.sessions = ids;
	return *id ? ui_run(&o, err) : -1;
}

const struct command command_attach = {
    .name = "attach",
    .group = "every day",
    .synopsis = "[SESSION] [-d] [--nested] [--color MODE]",
    .help = "one session, full size",
    .text = "Without SESSION: the one started last. -d makes other terminals that show it let go of it.",
    .examples = "handler attach api\nhandler attach 2 -d",
    .max_words = 1,
    .options = attach_options,
    .run = run_attach,
};
