/* resume and rm: sessions that have ended, or stopped themselves. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "client/control.h"
#include "harness/agent.h"
#include "os/proc.h"
#include "session/orphans.h"

enum { CONTROL_MS = 5000, END_MS = 6000 };

static const struct option_spec resume_options[] = {
    {"all", 0, NULL, "all that have ended or were lost"},
    {"size", 0, "COLSxROWS", "size of the terminal (default: as it was)"},
    OPTION_JSON,
    {0},
};

/* What is still running of a lost session would work beside its successor: said, and ended, first. */
static void end_leftovers(const struct record *r)
{
	char boot[40];
	proc_boot_id(boot);
	if (r->state != STATE_LOST || strcmp(boot, r->boot_id) != 0)
		return;
	orphans_await_worker(r);
	unsigned ended = orphans_end(r->id, r->leader, r->leader_start);
	if (ended)
		print_note("%u process%s of the lost session %s %s still running and %s ended first.", ended,
		    ended == 1 ? "" : "es", r->name, ended == 1 ? "was" : "were",
		    ended == 1 ? "was" : "were");
}

static int resume_one(const struct record *r, const struct args *a, const char **way, struct err *err)
{
	struct control answer;
	int rows = 0, cols = 0;
	const char *size = args_value(a, "size", NULL);
	if (size && args_size(size, &rows, &cols, err) < 0)
		return -1;
	if (r->live && r->state == STATE_SUSPENDED) {
		*way = "it was suspended and goes on";
		return control_ask(r, CONTROL_CONTINUE, 0, CONTROL_MS, &answer, err);
	}
	if (r->live) {
		*way = "it is running: attach to it";
		return 0;
	}
	end_leftovers(r);
	if (launch_again(r, a->self, rows, cols, way, err) < 0)
		return -1;
	struct record now;
	if (record_load(r->path, &now, NULL) == 0) {
		launch_say_notes(&now);
		record_finish(&now);
	}
	return 0;
}

static void report(const struct record *r, const char *way, struct json *list)
{
	if (!list) {
		printf("%s: %s\n", r->name, way);
		return;
	}
	struct json *j = json_append(list, json_new_object());
	json_set_string(j, "id", r->id);
	json_set_string(j, "name", r->name);
	json_set_string(j, "way", way);
}

static int run_resume(const struct args *a, struct err *err)
{
	struct record_list list;
	bool all = args_has(a, "all");
	int result = 0;
	if (all == (a->word_count > 0))
		return err_set(err, ERR_USAGE, "handler resume takes sessions, or --all");
	if (record_list_load(&list, err) < 0)
		return -1;
	struct json *root = a->json ? json_new_object() : NULL;
	struct json *resumed = root ? json_set(root, "resumed", json_new_array()) : NULL;
	for (size_t i = 0; result == 0 && i < (all ? list.count : (size_t)a->word_count); i++) {
		const char *way = "";
		struct record *r = all ? &list.items[i] : record_find(&list, a->words[i], false, err);
		if (all && r->live)
			continue;
		result =
		    r && guard_change(&list, r, AGENT_MAY_NEW, err) == 0 ? resume_one(r, a, &way, err) : -1;
		if (result == 0)
			report(r, way, resumed);
	}
	if (root && result == 0) {
		print_answer(root);
	}
	json_free(root);
	record_list_finish(&list);
	return result;
}

const struct command command_resume = {
    .name = "resume",
    .group = "every day",
    .synopsis = "SESSION... | --all [--size COLSxROWS]",
    .help = "start ended or lost sessions again, and say which way; continue a suspended one",
    .text = "By the harness's own resume where the conversation's id is known, else afresh in the same "
	    "directory; the session "
	    "keeps its id, number, name and history.",
    .examples = "handler resume api\nhandler resume --all",
    .max_words = -1,
    .options = resume_options,
    .run = run_resume,
};

static const struct option_spec rm_options[] = {
    {"force", 'f', NULL, "no error for sessions that do not exist"},
    OPTION_JSON,
    {0},
};

/* A session that has just ended is still being written down by its keeper: that takes no time worth an error. */
static void wait_for_keeper(struct record *r)
{
	for (int64_t deadline = clock_mono_ms() + END_MS; r->live && state_ended(r->state) && !r->left;) {
		struct record now;
		poll(NULL, 0, 10);
		if (clock_mono_ms() > deadline || record_load(r->path, &now, NULL) < 0)
			return;
		record_finish(r);
		*r = now;
	}
}

static int run_rm(const struct args *a, struct err *err)
{
	struct record_list list;
	int result = 0;
	if (record_list_load(&list, err) < 0)
		return -1;
	struct json *root = a->json ? json_new_object() : NULL;
	struct json *removed = root ? json_set(root, "removed", json_new_array()) : NULL;
	for (int i = 0; i < a->word_count && result == 0; i++) {
		struct record *r = record_find(&list, a->words[i], false, err);
		if (!r && args_has(a, "force"))
			continue;
		if (!r || guard_change(&list, r, AGENT_MAY_STOP, err) < 0) {
			result = -1;
			break;
		}
		wait_for_keeper(r);
		if (!r->live)
			end_leftovers(r);
		result = record_remove(r->path, err);
		if (result == 0 && removed)
			json_append_string(removed, r->id);
	}
	if (root && result == 0) {
		print_answer(root);
	}
	json_free(root);
	record_list_finish(&list);
	return result;
}

const struct command command_rm = {
    .name = "rm",
    .group = "every day",
    .synopsis = "[-f] SESSION...",
    .help = "forget ended sessions: record, history, last screen",
    .text =
	"A session that is running is refused: stop it first. Nothing in the project's directory is touched.",
    .examples = "handler rm api\nhandler rm $(handler ls -aq)",
    .min_words = 1,
    .max_words = -1,
    .options = rm_options,
    .run = run_rm,
};
