/* events: what happens in all sessions, one line each, until somebody has had enough. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "client/follow.h"

static const struct option_spec options[] = {OPTION_JSON, {0}};

/* "from session review", "from a script": who gave a prompt or a note. */
static void say_from(struct buf *line, const struct json *from)
{
	const char *kind = json_get_string(from, "kind", "");
	if (!strcmp(kind, "session"))
		buf_printf(
		    line, "from session %s", json_get_string(from, "name", json_get_string(from, "id", "?")));
	else if (!strcmp(kind, "terminal"))
		buf_adds(line, "typed in a terminal");
	else if (!strcmp(kind, "start"))
		buf_adds(line, "given at the start");
	else if (*kind)
		buf_printf(line, "from %s%s", !strcmp(kind, "script") ? "a " : "", kind);
}

static void say_turn(struct buf *line, const struct record *r)
{
	if (!r->turn)
		return;
	buf_printf(line, " (turn %u", r->turn);
	if (r->from && r->state == STATE_WORKING) {
		buf_adds(line, ", ");
		say_from(line, r->from);
	}
	buf_addc(line, ')');
}

static void say_state(struct buf *line, const struct record *r)
{
	buf_adds(line, state_name(r->state));
	if (*r->reason)
		buf_printf(line, ": %s", r->reason);
	say_turn(line, r);
}

static void say(struct buf *line, const struct follow_event *e)
{
	const struct record *r = e->record;
	switch (e->what) {
	case FOLLOW_PRESENT:
	case FOLLOW_STATE:
		buf_printf(line, "%s is ", r->name);
		say_state(line, r);
		break;
	case FOLLOW_STARTED:
		buf_printf(line, "%s was started (%s): ", r->name, r->agent);
		say_state(line, r);
		break;
	case FOLLOW_TURN:
		buf_printf(line, "%s began turn %u ", r->name, r->turn);
		say_from(line, r->from);
		break;
	case FOLLOW_QUEUED:
		buf_printf(line, "%s has %d prompt%s waiting", r->name, r->queued, r->queued == 1 ? "" : "s");
		break;
	case FOLLOW_RENAMED:
		buf_printf(line, "%s is called %s now", e->old_name, r->name);
		break;
	case FOLLOW_NOTE:
		buf_printf(line, "%s: note ", r->name);
		say_from(line, json_get(r->note, "from"));
		buf_printf(line, ": %s", json_get_string(r->note, "text", ""));
		break;
	case FOLLOW_REMOVED:
		buf_printf(line, "%s was removed", r->name);
		break;
	}
}

static void print_sentence(const struct follow_event *e)
{
	AUTO_BUF line = BUF_INIT;
	char clock[16];
	time_t now = (time_t)clock_now();
	struct tm tm;
	localtime_r(&now, &tm);
	strftime(clock, sizeof clock, "%H:%M:%S", &tm);
	say(&line, e);
	printf("%s %s\n", clock, line.data);
}

static void print_object(const struct follow_event *e)
{
	static const char *const names[] = {
	    "present", "started", "state", "turn", "queued", "renamed", "note", "removed"};
	char now[32];
	struct json *j = record_to_json(e->record);
	clock_rfc3339(clock_now(), now);
	json_set_string(j, "event", names[e->what]);
	json_set_string(j, "time", now);
	if (e->what == FOLLOW_STATE)
		json_set_string(j, "before", state_name(e->before));
	if (e->what == FOLLOW_RENAMED)
		json_set_string(j, "before", e->old_name);
	json_set_number(j, "version", 1);
	AUTO_FREE char *text = json_print(j, false);
	printf("%s\n", text);
	json_free(j);
}

static bool print_event(const struct follow_event *e, void *user)
{
	const bool *json = user;
	if (*json)
		print_object(e);
	else
		print_sentence(e);
	return fflush(stdout) == 0;
}

static int run(const struct args *a, struct err *err)
{
	bool json = a->json;
	signal(SIGPIPE, SIG_IGN);
	return follow_run(STDOUT_FILENO, print_event, &json, err);
}

const struct command command_events = {
    .name = "events",
    .group = "from scripts",
    .synopsis = "[--json]",
    .help = "what happens in all sessions, one line each, as it happens",
    .text =
	"First a line for each session that is there, then one for each start, change of state, prompt that "
	"waits, note, new name and removal, until C-c or until nobody reads any more.",
    .examples =
	"handler events\nhandler events --json | jq -r 'select(.event == \"state\" and .waits) | .name'",
    .max_words = 0,
    .options = options,
    .run = run,
};
