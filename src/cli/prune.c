/* prune: forgetting sessions that ended long ago. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "client/tidy.h"
#include "harness/agent.h"
#include "harness/config.h"

static const struct option_spec options[] = {
    {"older", 0, "AGE", "that ended so long ago: 14d, 12h, 30m (default: keep_ended of config.json)"},
    {"dry-run", 'n', NULL, "only say what would be removed"},
    OPTION_JSON,
    {0},
};

enum { DAY = 86400 };

static int parse_age(const char *text, int64_t *seconds, struct err *err)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', DAY}, {'w', 7 * DAY}};
	char *end;
	long long n = strtoll(text, &end, 10);
	for (size_t i = 0; i < COUNT_OF(units) && end != text && n >= 0 && n < 100000; i++) {
		if (end[0] == units[i].letter && !end[1]) {
			*seconds = n * units[i].seconds;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "--older takes an age such as 14d, 12h or 30m, not \"%s\"", text);
}

static int find_age(const struct args *a, int64_t *seconds, struct err *err)
{
	const char *text = args_value(a, "older", NULL);
	if (text)
		return parse_age(text, seconds, err);
	struct config *config = config_load();
	*seconds = config_int(config, "keep_ended") * DAY;
	config_destroy(config);
	if (*seconds > 0)
		return 0;
	err_set(err, ERR_USAGE, "keep_ended in config.json is 0: ended sessions are kept for ever");
	return err_hint(err, "Say how old they have to be: handler prune --older 14d");
}

static void report(const struct record *r, uint64_t bytes, bool dry, struct json *list)
{
	char age[16];
	clock_age(clock_now() - r->since, age, NULL);
	if (!list) {
		printf("%s %s (%s, %s ago, %.1f MiB)\n", dry ? "would remove" : "removed", r->name,
		    state_name(r->state), age, (double)bytes / (1 << 20));
		return;
	}
	struct json *j = json_append(list, json_new_object());
	json_set_string(j, "id", r->id);
	json_set_string(j, "name", r->name);
	json_set_string(j, "state", state_name(r->state));
	json_set_number(j, "bytes", (double)bytes);
}

static int prune(
    const struct record_list *list, int64_t seconds, bool dry, struct json *removed, struct err *err)
{
	int64_t now = clock_now();
	size_t count = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct record *r = &list->items[i];
		if (!tidy_is_over(r) || now - r->since < seconds)
			continue;
		uint64_t bytes = tidy_bytes(r->path);
		if (guard_change(list, r, AGENT_MAY_STOP, err) < 0 ||
		    (!dry && record_remove(r->path, err) < 0))
			return -1;
		report(r, bytes, dry, removed);
		count++;
	}
	if (!removed && count == 0)
		printf("nothing to remove\n");
	return 0;
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	int64_t seconds = 0;
	if (find_age(a, &seconds, err) < 0 || record_list_load(&list, err) < 0)
		return -1;
	bool dry = args_has(a, "dry-run");
	struct json *root = a->json ? json_new_object() : NULL;
	struct json *removed = root ? json_set(root, "removed", json_new_array()) : NULL;
	int result = prune(&list, seconds, dry, removed, err);
	if (root && result == 0) {
		json_set_bool(root, "dry_run", dry);
		print_answer(root);
	}
	json_free(root);
	record_list_finish(&list);
	return result;
}

const struct command command_prune = {
    .name = "prune",
    .group = "every day",
    .synopsis = "[--older AGE] [-n]",
    .help = "forget sessions that ended long ago: record, history, journal, last screen",
    .text = "Never a session that runs, or of which a process is still there. The same happens by itself "
	    "whenever a "
	    "session is started, for those that ended keep_ended days ago (config.json, 14; 0: never).",
    .examples = "handler prune --dry-run\nhandler prune --older 2d",
    .max_words = 0,
    .options = options,
    .run = run,
};
