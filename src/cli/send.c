/* send: gives a session a prompt, and only says so when it stands submitted. */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "client/call.h"
#include "harness/agent.h"

static const struct option_spec options[] = {
    {"no-submit", 0, NULL, "put the text into the composer without submitting it"},
    {"when-idle", 0, NULL, "wait until the agent is idle and no dialog is open"},
    {"at-reset", 0, NULL, "if it is limited, wait until the time that it names"},
    {"over-draft", 0, NULL, "even if somebody's draft stands in the composer"},
    {"wait", 0, NULL, "return when the turn has ended"},
    {"timeout", 't', "SECONDS", "give up waiting after that (status 5)"},
    OPTION_JSON,
    {0},
};

static struct json *send_request(const struct args *a, const char *text, struct err *err)
{
	uint64_t key;
	char digits[20];
	if (getrandom(&key, sizeof key, 0) != (ssize_t)sizeof key) {
		err_sys(err, errno, "there are no random numbers");
		return NULL;
	}
	struct json *body = json_new_object();
	json_set_string(body, "op", "send");
	json_set_string(body, "text", text);
	json_set_bool(body, "submit", !args_has(a, "no-submit"));
	json_set_bool(body, "when_idle", args_has(a, "when-idle"));
	json_set_bool(body, "at_reset", args_has(a, "at-reset"));
	json_set_bool(body, "over_draft", args_has(a, "over-draft"));
	snprintf(digits, sizeof digits, "%016llx", (unsigned long long)key);
	json_set_string(body, "key", digits);
	return body;
}

static struct json *wait_request(int64_t turn)
{
	struct json *body = json_new_object();
	json_set_string(body, "op", "wait");
	struct json *states = json_set(body, "states", json_new_array());
	json_append_string(states, "idle");
	json_append_string(states, "done");
	json_set_number(body, "turn", (double)turn);
	return body;
}

/* A worker that is replaced meanwhile knows by the key whether its predecessor gave the prompt. */
static struct json *give(
    const struct record *r, const struct json *body, double seconds, int64_t began, struct err *err)
{
	struct err why = {.code = ERR_CLOSED};
	struct json *reply = NULL;
	while (!reply && why.code == ERR_CLOSED && record_still_live(r)) {
		int64_t left = began + (int64_t)(seconds * 1000) - clock_mono_ms();
		reply = call_once(r, body, seconds < 0 ? -1 : left > 0 ? left : 0, &why);
	}
	if (!reply && why.code == ERR_CLOSED)
		err_set(&why, ERR_ENDED, "session %s has ended", r->name);
	if (!reply && err)
		*err = why;
	return reply;
}

/* With --wait the answer carries the state that the turn ended in. */
static struct json *send_and_wait(
    const struct record *r, const struct args *a, const char *text, double seconds, struct err *err)
{
	int64_t began = clock_mono_ms();
	struct json *body = send_request(a, text, err);
	struct json *reply = body ? give(r, body, seconds, began, err) : NULL;
	json_free(body);
	if (!reply || !args_has(a, "wait"))
		return reply;
	int64_t turn = json_get_int(reply, "turn", 0);
	double left = seconds - (double)(clock_mono_ms() - began) / 1000;
	body = wait_request(turn);
	struct json *state = call_wait(r, body, seconds >= 0 && left < 0 ? 0 : left, err);
	json_free(body);
	if (state) {
		json_set_number(state, "turn", (double)turn);
		json_set_bool(state, "submitted", true);
		if (json_get(reply, "by_lines"))
			json_set_bool(state, "by_lines", true);
		json_set_bool(state, "began", json_get_bool(reply, "began", true));
	} else {
		err_prefix(err, "the prompt was submitted (turn %lld)", (long long)turn);
	}
	json_free(reply);
	return state;
}

static int refuse_group(const char *word, struct err *err)
{
	err_set(err, ERR_NO_SESSION, "there is no group \"%s\": this version has no comparisons and no tags",
	    word);
	return err_hint(err, "Name the sessions one by one; `handler ls` lists them.");
}

static void say_how(const struct json *reply)
{
	if (json_get_bool(reply, "by_lines", false))
		print_note("It has not asked for bracketed paste: each line was typed as a line of its own.");
	if (json_get_bool(reply, "submitted", false) && !json_get_bool(reply, "began", true))
		print_note("It was submitted, and has begun no turn of its own.");
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	double seconds;
	struct json *reply = NULL;
	if (args_seconds(a, "timeout", -1, &seconds, err) < 0)
		return -1;
	if (a->words[0][0] == '@')
		return refuse_group(a->words[0], err);
	if (args_has(a, "wait") && args_has(a, "no-submit"))
		return err_set(err, ERR_USAGE, "--wait and --no-submit contradict each other");
	AUTO_FREE char *text = args_text(a->words[1], err);
	if (!text)
		return -1;
	if (!*text)
		return err_set(err, ERR_USAGE, "there is no text to send");
	struct record *r = find_session(&list, a->words[0], false, err);
	if (r && guard_change(&list, r, AGENT_MAY_SEND, err) == 0)
		reply = send_and_wait(r, a, text, seconds, err);
	if (reply && a->json) {
		print_answer(reply);
	} else if (reply) {
		printf("%lld\n", (long long)json_get_int(reply, "turn", 0));
		say_how(reply);
	}
	record_list_finish(&list);
	int result = reply ? 0 : -1;
	json_free(reply);
	return result;
}

const struct command command_send = {
    .name = "send",
    .group = "from scripts",
    .synopsis =
	"SESSION TEXT|-|@FILE [--no-submit] [--when-idle] [--at-reset] [--over-draft] [--wait [--timeout "
	"SECONDS]]",
    .help = "give a session a prompt; prints the number of its turn",
    .text =
	"The text is pasted, seen on the screen, submitted, and seen to have left the composer. Refused "
	"with status 6 while a "
	"dialog is open (nothing overrides that) or somebody's draft stands in the composer. With "
	"--when-idle "
	"or --at-reset it waits in a queue that `handler ls` and the sidebar show (+1), for as long as this "
	"command runs.",
    .examples = "handler send api 'Run the tests and fix what fails' --wait\ngit diff | handler send review "
		"- --when-idle",
    .min_words = 2,
    .max_words = 2,
    .options = options,
    .run = run,
};
