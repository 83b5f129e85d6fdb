/*
 * resume: sessions that have ended, were cut off, or stopped themselves.
 *
 * Several are started three at a time: the next one when one of them is through its start.
 */
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/leftovers.h"
#include "client/control.h"
#include "harness/agent.h"

enum { CONTROL_MS = 5000, AT_ONCE = 3, START_MS = 20000, LOOK_MS = 50 };

static const struct option_spec options[] = {
    {"all", 0, NULL, "all that have ended or were lost"},
    {"lost", 0, NULL, "those that a restart of the machine, or a crash, has ended"},
    {"no-fresh", 0, NULL, "the conversation goes on, or it is refused"},
    {"size", 0, "COLSxROWS", "size of the terminal (default: as it was)"},
    OPTION_JSON,
    {0},
};

/* One command's work. */
struct resuming {
	const struct args *args;
	struct again_options again;
	struct record_list list;
	char *starting[AT_ONCE]; /* directories of sessions that are starting; NULL: free */
	struct json *resumed, *failed;
	int failures;
	struct err last;
};

/* --- three at a time --- */

static bool is_starting(const char *path)
{
	struct record r;
	if (record_load(path, &r, NULL) < 0)
		return false;
	bool starting = r.live && r.state == STATE_STARTING;
	record_finish(&r);
	return starting;
}

static char **free_place(struct resuming *r)
{
	for (size_t i = 0; i < AT_ONCE; i++) {
		if (r->starting[i] && is_starting(r->starting[i]))
			continue;
		free(r->starting[i]);
		r->starting[i] = NULL;
		return &r->starting[i];
	}
	return NULL;
}

/* Some programs never say that they are through: they do not keep the others waiting for ever. */
static char **wait_for_place(struct resuming *r)
{
	int64_t deadline = clock_mono_ms() + START_MS;
	char **place = free_place(r);
	for (; !place && clock_mono_ms() < deadline; place = free_place(r))
		poll(NULL, 0, LOOK_MS);
	if (place)
		return place;
	free(r->starting[0]);
	r->starting[0] = NULL;
	return &r->starting[0];
}

/* --- one session --- */

static int start_again(struct resuming *r, const struct record *old, enum launch_way *way, struct err *err)
{
	char **place = wait_for_place(r);
	leftovers_end(old);
	if (launch_again(old, &r->again, way, err) < 0)
		return -1;
	*place = mem_strdup(old->path);
	struct record now;
	if (record_load(old->path, &now, NULL) == 0) {
		launch_say_notes(&now);
		record_finish(&now);
	}
	return 0;
}

static int resume_one(struct resuming *r, const struct record *old, enum launch_way *way, struct err *err)
{
	struct control answer;
	if (guard_change(&r->list, old, AGENT_MAY_NEW, err) < 0)
		return -1;
	if (old->live && old->state == STATE_SUSPENDED) {
		*way = LAUNCH_CONTINUED;
		return control_ask(old, CONTROL_CONTINUE, 0, CONTROL_MS, &answer, err);
	}
	*way = LAUNCH_ATTACHED;
	return old->live ? 0 : start_again(r, old, way, err);
}

static void report(struct resuming *r, const struct record *old, enum launch_way way)
{
	if (!r->resumed) {
		printf("%s: %s\n", old->name, launch_way(way));
		fflush(stdout);
		return;
	}
	struct json *j = json_append(r->resumed, json_new_object());
	json_set_string(j, "id", old->id);
	json_set_string(j, "name", old->name);
	json_set_string(j, "way", launch_way(way));
	json_set_string(j, "how", launch_way_name(way));
}

/* `word`: as it was written; old: NULL if there is no such session. */
static void report_failure(
    struct resuming *r, const char *word, const struct record *old, const struct err *err)
{
	r->failures++;
	r->last = *err;
	if (r->failed) {
		struct json *j = json_append(r->failed, json_new_object()), *e;
		json_set_string(j, "id", old ? old->id : NULL);
		json_set_string(j, "name", old ? old->name : word);
		e = json_set(j, "error", json_new_object());
		json_set_string(e, "code", err_code_name(err->code));
		json_set_string(e, "message", err->message);
		json_set_string(e, "hint", err->hint);
	}
}

static void try_one(struct resuming *r, const char *word, const struct record *old)
{
	struct err err = ERR_INIT;
	enum launch_way way;
	if (!old)
		old = record_find(&r->list, word, false, &err);
	if (old && resume_one(r, old, &way, &err) == 0) {
		report(r, old, way);
		return;
	}
	/* A single failure is the command's own, and main says it. */
	if (r->args->word_count != 1)
		print_failure(&err, false);
	report_failure(r, word, old, &err);
}

static bool wanted(const struct resuming *r, const struct record *old)
{
	return args_has(r->args, "lost") ? record_was_cut_off(old) : !old->live;
}

static void try_all(struct resuming *r)
{
	for (int i = 0; i < r->args->word_count; i++)
		try_one(r, r->args->words[i], NULL);
	for (size_t i = 0; i < r->list.count && r->args->word_count == 0; i++)
		if (wanted(r, &r->list.items[i]))
			try_one(r, r->list.items[i].name, &r->list.items[i]);
}

/* --- the command --- */

static int check_usage(struct resuming *r, struct err *err)
{
	const struct args *a = r->args;
	const char *size = args_value(a, "size", NULL);
	int groups = args_has(a, "all") + args_has(a, "lost") + (a->word_count > 0);
	if (groups != 1)
		return err_set(err, ERR_USAGE, "handler resume takes sessions, or --all, or --lost");
	return size ? args_size(size, &r->again.rows, &r->again.cols, err) : 0;
}

static int run(const struct args *a, struct err *err)
{
	struct resuming r = {.args = a, .again = {.self = a->self, .resume_only = args_has(a, "no-fresh")}};
	if (check_usage(&r, err) < 0 || record_list_load(&r.list, err) < 0)
		return -1;
	struct json *root = a->json ? json_new_object() : NULL;
	r.resumed = root ? json_set(root, "resumed", json_new_array()) : NULL;
	r.failed = root ? json_set(root, "failed", json_new_array()) : NULL;
	try_all(&r);
	bool single = a->word_count == 1 && r.failures;
	if (root && !single)
		print_answer(root);
	for (size_t i = 0; i < AT_ONCE; i++)
		free(r.starting[i]);
	json_free(root);
	record_list_finish(&r.list);
	if (single) {
		*err = r.last;
		return -1;
	}
	return r.failures ? err_exit_status(r.last.code) : 0;
}

const struct command command_resume = {
    .name = "resume",
    .group = "every day",
    .synopsis = "SESSION... | --all | --lost [--no-fresh] [--size COLSxROWS]",
    .help = "start ended or lost sessions again, and say which way; continue a suspended one",
    .text = "By the harness's own resume where the conversation's id is known, else afresh in the same "
	    "directory; the session keeps its id, number, name, history and journal. Several are started "
	    "three at a "
	    "time; one that fails keeps none of the others. A conversation that another process has open is "
	    "refused "
	    "with its pid.",
    .examples = "handler resume api\nhandler resume --lost\nhandler resume --all",
    .max_words = -1,
    .options = options,
    .run = run,
};
