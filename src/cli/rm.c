/* rm: forgetting sessions that have ended. */
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/leftovers.h"
#include "client/record.h"
#include "harness/agent.h"

enum { END_MS = 6000 };

static const struct option_spec rm_options[] = {
    {"force", 'f', NULL, "no error for sessions that do not exist; damaged records too"},
    OPTION_JSON,
    {0},
};

/* A session that has just ended is still being written down by its keeper: that takes no time worth an error.
 */
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

/* A record that cannot be read any more: its id is the name of its directory.  false: there is none. */
static bool remove_damaged(const char *id, struct json *removed)
{
	AUTO_FREE char *dir = sessions_dir(NULL);
	AUTO_FREE char *path = dir && record_is_id(id) ? path_join(dir, id) : NULL;
	if (!path || !path_is_dir(path) || record_remove(path, NULL) < 0)
		return false;
	if (removed)
		json_append_string(removed, id);
	return true;
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
		if (!r && args_has(a, "force")) {
			remove_damaged(a->words[i], removed);
			continue;
		}
		if (!r || guard_change(&list, r, AGENT_MAY_STOP, err) < 0) {
			result = -1;
			break;
		}
		wait_for_keeper(r);
		if (!r->live)
			leftovers_end(r);
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
    .help = "forget ended sessions: record, history, journal, last screen",
    .text =
	"A session that is running is refused: stop it first. Nothing in the project's directory is touched.",
    .examples = "handler rm api\nhandler rm $(handler ls -aq)",
    .min_words = 1,
    .max_words = -1,
    .options = rm_options,
    .run = run_rm,
};
