/* wait: returns when a session is in a state, shows a text, or is quiet. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "client/gather.h"

static const struct option_spec options[] = {
    {"for", 'f', "STATE[,STATE]|text=REGEX|quiet=SECONDS", "what to wait for (default: idle,done)"},
    {"any", 0, NULL, "of several sessions, one is enough"},
    {"turn", 0, "N", "only once that turn has been reached"},
    {"timeout", 't', "SECONDS", "give up after that (status 5)"},
    OPTION_JSON,
    {0},
};

static int parse_quiet(const char *text, struct json *body, struct err *err)
{
	char *end;
	double seconds = strtod(text, &end);
	if (end == text || *end || seconds < 0 || seconds > 1e9)
		return err_set(err, ERR_USAGE, "quiet= takes a number of seconds, not \"%s\"", text);
	json_set_number(body, "quiet", seconds);
	return 0;
}

static int parse_for(const char *text, struct json *body, struct err *err)
{
	if (!strncmp(text, "text=", 5)) {
		json_set_string(body, "text", text + 5);
		return 0;
	}
	if (!strncmp(text, "quiet=", 6))
		return parse_quiet(text + 6, body, err);
	struct json *states = json_set(body, "states", json_new_array());
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ",");
		AUTO_FREE char *state = mem_strndup(p, n);
		if (state_from_name(state) < 0) {
			err_set(err, ERR_USAGE, "there is no state \"%s\"", state);
			return err_hint(err, "States: starting working needs-input done idle limited unknown "
					     "suspended stopped exited "
					     "failed crashed lost.");
		}
		json_append_string(states, state);
		p += n + (p[n] == ',');
	}
	return 0;
}

static int parse_turn(const struct args *a, struct json *body, struct err *err)
{
	const char *text = args_value(a, "turn", NULL);
	char *end;
	if (!text)
		return 0;
	long turn = strtol(text, &end, 10);
	if (end == text || *end || turn < 0 || turn > INT32_MAX)
		return err_set(err, ERR_USAGE, "--turn takes the number of a turn, not \"%s\"", text);
	json_set_number(body, "turn", (double)turn);
	return 0;
}

static struct json *make_request(const struct args *a, struct err *err)
{
	struct json *body = json_new_object();
	json_set_string(body, "op", "wait");
	if (parse_for(args_value(a, "for", "idle,done"), body, err) < 0 || parse_turn(a, body, err) < 0) {
		json_free(body);
		return NULL;
	}
	return body;
}

static void print_reached(const struct record *r, struct json *reply, void *user)
{
	const bool *json = user;
	if (*json) {
		json_set_string(reply, "id", r->id);
		print_answer(reply);
	} else {
		const char *reason = json_get_string(reply, "reason", "");
		printf(
		    "%s %s%s%s\n", r->name, json_get_string(reply, "state", ""), *reason ? " " : "", reason);
	}
	fflush(stdout);
}

static int find_sessions(
    const struct args *a, struct record_list *list, struct record **sessions, struct err *err)
{
	for (int i = 0; i < a->word_count; i++) {
		sessions[i] = record_find(list, a->words[i], true, err);
		if (!sessions[i])
			return -1;
	}
	return 0;
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	struct record *sessions[ARGS_MAX];
	double seconds;
	struct json *body = make_request(a, err);
	if (!body || args_seconds(a, "timeout", -1, &seconds, err) < 0 || record_list_load(&list, err) < 0) {
		json_free(body);
		return -1;
	}
	int result = find_sessions(a, &list, sessions, err);
	bool as_json = a->json;
	if (result == 0)
		result = gather_wait(
		    sessions, a->word_count, body, seconds, args_has(a, "any"), print_reached, &as_json, err);
	json_free(body);
	record_list_finish(&list);
	return result;
}

const struct command command_wait = {
    .name = "wait",
    .group = "from scripts",
    .synopsis =
	"SESSION... [--for STATE[,STATE]|text=REGEX|quiet=SECONDS] [--any] [--turn N] [--timeout SECONDS]",
    .help = "return when a session is in a state, shows a text, is quiet",
    .text =
	"Status 0: it is so; 1: the session ended instead; 5: the time is over; 6: one of them needs you "
	"(waiting for idle or done), or tells nothing that could be waited for. With --turn, a turn that has "
	"ended already is seen.",
    .examples = "handler wait api --for done,idle --timeout 600\nhandler wait web --for text='Listening "
		"on'\nhandler wait 1 2 3 --any",
    .min_words = 1,
    .max_words = -1,
    .options = options,
    .run = run,
};
