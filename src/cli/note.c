/* note: a line about a session, for everybody who looks at it. */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "client/call.h"
#include "client/record.h"
#include "harness/agent.h"

enum { CALL_MS = 10000 };

static const struct option_spec options[] = {
    {"session", 's', "SESSION", "about that one (default: the session that the command runs in)"},
    OPTION_JSON,
    {0},
};

static int send_note(const struct record *r, const char *text, bool json, struct err *err)
{
	struct json *body = json_new_object();
	json_set_string(body, "op", "note");
	json_set_string(body, "text", text);
	struct json *reply = call_once(r, body, CALL_MS, err);
	json_free(body);
	if (reply && json) {
		json_set_string(reply, "id", r->id);
		print_answer(reply);
	}
	int result = reply ? 0 : -1;
	json_free(reply);
	return result;
}

static const char *about(const struct args *a, struct err *err)
{
	const char *word = args_value(a, "session", NULL), *own = getenv("HANDLER_SESSION");
	if (word || (own && *own))
		return word ? word : ".";
	err_set(err, ERR_USAGE, "this is not inside a session: which one is the note about?");
	err_hint(err, "handler note --session SESSION TEXT");
	return NULL;
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	const char *word = about(a, err);
	AUTO_FREE char *text = word ? args_text(a->words[0], err) : NULL;
	if (!text)
		return -1;
	struct record *r = find_session(&list, word, false, err);
	bool own = r && getenv("HANDLER_SESSION") && !strcmp(r->id, getenv("HANDLER_SESSION"));
	int result = r && guard_change(&list, r, own ? 0 : AGENT_MAY_SEND, err) == 0
			 ? send_note(r, text, a->json, err)
			 : -1;
	record_list_finish(&list);
	return result;
}

const struct command command_note = {
    .name = "note",
    .group = "from scripts",
    .synopsis = "TEXT|-|@FILE [--session SESSION]",
    .help = "say something about a session, for everybody who looks",
    .text = "From inside a session about that one. The last note is shown in the sidebar, `handler ls "
	    "--json` and "
	    "`handler events`, with who wrote it and when.",
    .examples = "handler note 'half of the tests are ported'\nhandler note -s api 'waits for the review'",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .run = run,
};
