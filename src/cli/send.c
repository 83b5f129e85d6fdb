/* send: gives a session a prompt, and only says so when it stands submitted. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "client/call.h"
#include "harness/agent.h"

static const struct option_spec options[] = {
    {"no-submit", 0, NULL, "put the text into the composer without submitting it"},
    {"when-idle", 0, NULL, "wait until the agent is idle and no dialog is open"},
    {"over-draft", 0, NULL, "even if somebody's draft stands in the composer"},
    {"wait", 0, NULL, "return when the turn has ended"},
    {"timeout", 0, "SECONDS", "give up waiting after that"},
    OPTION_JSON,
    {0},
};

static struct json *send_request(const struct args *a, const char *text)
{
	struct json *body = json_new_object();
	json_set_string(body, "op", "send");
	json_set_string(body, "text", text);
	json_set_bool(body, "submit", !args_has(a, "no-submit"));
	json_set_bool(body, "when_idle", args_has(a, "when-idle"));
	json_set_bool(body, "over_draft", args_has(a, "over-draft"));
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

/* With --wait the answer carries the state that the turn ended in. */
static struct json *send_and_wait(
    const struct record *r, const struct args *a, const char *text, double seconds, struct err *err)
{
	int64_t began = clock_mono_ms();
	struct json *body = send_request(a, text);
	struct json *reply = call_once(r, body, seconds < 0 ? -1 : (int64_t)(seconds * 1000), err);
	json_free(body);
	if (!reply || !args_has(a, "wait"))
		return reply;
	int64_t turn = json_get_int(reply, "turn", 0);
	double left = seconds - (double)(clock_mono_ms() - began) / 1000;
	body = wait_request(turn);
	struct json *state = call_wait(r, body, seconds >= 0 && left < 0 ? 0 : left, err);
	json_free(body);
	json_free(reply);
	if (state) {
		json_set_number(state, "turn", (double)turn);
		json_set_bool(state, "submitted", true);
	}
	return state;
}

static void say_how(const struct json *reply)
{
	if (json_get_bool(reply, "by_lines", false))
		print_note("It has not asked for bracketed paste: each line was typed as a line of its own.");
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	double seconds;
	struct json *reply = NULL;
	if (args_seconds(a, "timeout", -1, &seconds, err) < 0)
		return -1;
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
	"SESSION TEXT|-|@FILE [--no-submit] [--when-idle] [--over-draft] [--wait [--timeout SECONDS]]",
    .help = "give a session a prompt; prints the number of its turn",
    .text = "The text is pasted, seen on the screen, submitted, and seen to have left the composer. Refused "
	    "with status 6 while a "
	    "dialog is open (nothing overrides that) or somebody's draft stands in the composer.",
    .examples = "handler send api 'Run the tests and fix what fails' --wait\ngit diff | handler send review "
		"- --when-idle",
    .min_words = 2,
    .max_words = 2,
    .options = options,
    .run = run,
};
