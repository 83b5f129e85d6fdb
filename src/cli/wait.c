/* wait: returns when a session is in a state, shows a text, or is quiet. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "client/call.h"

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

static struct json *make_request(const struct args *a, struct err *err)
{
	double timeout;
	const char *turn = args_value(a, "turn", NULL);
	struct json *body = json_new_object();
	json_set_string(body, "op", "wait");
	if (args_seconds(a, "timeout", -1, &timeout, err) < 0 ||
	    parse_for(args_value(a, "for", "idle,done"), body, err) < 0) {
		json_free(body);
		return NULL;
	}
	if (turn)
		json_set_number(body, "turn", strtod(turn, NULL));
	if (timeout >= 0)
		json_set_number(body, "timeout", timeout);
	return body;
}

/* A session that has ended already may be what is waited for. */
static struct json *wait_ended(const struct record *r, const struct json *body, struct err *err)
{
	for (const struct json *e = json_first(json_get(body, "states")); e; e = json_next(e))
		if (!strcmp(json_string(e, ""), state_name(r->state)))
			return record_to_json(r);
	err_set(err, ERR_ENDED, "session %s has ended (%s)", r->name, state_name(r->state));
	return NULL;
}

static struct json *wait_one(const struct record *r, const struct json *body, struct err *err)
{
	return r->live ? call_once(r, body, -1, err) : wait_ended(r, body, err);
}

static int print_result(const struct record *r, struct json *reply, bool json)
{
	if (json) {
		json_set_string(reply, "id", r->id);
		json_set_number(reply, "version", 1);
		print_json(reply);
	} else {
		const char *reason = json_get_string(reply, "reason", "");
		printf(
		    "%s %s%s%s\n", r->name, json_get_string(reply, "state", ""), *reason ? " " : "", reason);
	}
	json_free(reply);
	return 0;
}

/* One child for each session; the first that succeeds decides, or the first that fails if all have. */
static int wait_any(struct record **sessions, int count, const struct json *body, bool json, struct err *err)
{
	int status, failures = 0, last = 1;
	pid_t children[ARGS_MAX];
	fflush(NULL);
	for (int i = 0; i < count; i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		struct err own = ERR_INIT;
		struct json *reply = wait_one(sessions[i], body, &own);
		if (reply)
			print_result(sessions[i], reply, json);
		fflush(NULL);
		_exit(reply ? 0 : err_exit_status(own.code));
	}
	while (failures < count) {
		pid_t pid = wait(&status);
		if (pid < 0)
			break;
		last = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		if (last == 0)
			break;
		failures++;
	}
	for (int i = 0; i < count; i++)
		kill(children[i], SIGTERM);
	while (wait(NULL) > 0)
		;
	if (last != 0)
		err_set(err,
		    last == 5   ? ERR_TIMEOUT
		    : last == 6 ? ERR_NOT_READY
				: ERR_ENDED,
		    "none of the sessions got there");
	return last == 0 ? 0 : -1;
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	struct record *sessions[ARGS_MAX];
	int result = 0;
	struct json *body = make_request(a, err);
	if (!body)
		return -1;
	if (record_list_load(&list, err) < 0) {
		json_free(body);
		return -1;
	}
	for (int i = 0; i < a->word_count && result == 0; i++) {
		sessions[i] = record_find(&list, a->words[i], true, err);
		result = sessions[i] ? 0 : -1;
	}
	if (result == 0 && args_has(a, "any") && a->word_count > 1) {
		result = wait_any(sessions, a->word_count, body, a->json, err);
	} else {
		for (int i = 0; i < a->word_count && result == 0; i++) {
			struct json *reply = wait_one(sessions[i], body, err);
			result = reply ? print_result(sessions[i], reply, a->json) : -1;
		}
	}
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
    .text = "Status 0: it is so; 1: the session ended instead; 5: the time is over; 6: it needs you (waiting "
	    "for idle or done).",
    .examples = "handler wait api --for done,idle --timeout 600\nhandler wait web --for text='Listening "
		"on'\nhandler wait 1 2 3 --any",
    .min_words = 1,
    .max_words = -1,
    .options = options,
    .run = run,
};
