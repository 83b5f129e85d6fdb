/* ls: the sessions and what they are doing. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "client/processes.h"
#include "client/record.h"

static const struct option_spec options[] = {
    {"all", 'a', NULL, "ended sessions too"},
    {"quiet", 'q', NULL, "only ids"},
    {"short", 0, NULL, "one line, \"2 need you, 3 working\"; exits with 10 if somebody waits for you"},
    {"explain", 0, "SESSION", "which signal decided the state of a session"},
    OPTION_JSON,
    {0},
};

enum { LS_WAITS_STATUS = 10 };

/* Ended sessions that nobody has to look at any more are shown with -a only. */
static bool wanted(const struct record *r, bool all)
{
	return all || !state_ended(r->state) || r->state == STATE_LOST || r->left > 0;
}

static int print_short(const struct record_list *list, bool json)
{
	int waiting = 0, working = 0, idle = 0, lost = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct record *r = &list->items[i];
		lost += r->state == STATE_LOST && r->left > 0;
		if (state_ended(r->state))
			continue;
		waiting += state_waits(r->state);
		working += r->state == STATE_WORKING || r->state == STATE_STARTING;
		idle += r->state == STATE_IDLE || r->state == STATE_UNKNOWN || r->state == STATE_SUSPENDED;
	}
	if (json) {
		struct json *j = json_new_object();
		json_set_number(j, "waiting", waiting);
		json_set_number(j, "working", working);
		json_set_number(j, "idle", idle);
		json_set_number(j, "lost_running", lost);
		print_answer(j);
		json_free(j);
	} else {
		AUTO_BUF line = BUF_INIT;
		if (waiting)
			buf_printf(&line, "%d need%s you", waiting, waiting == 1 ? "s" : "");
		if (working)
			buf_printf(&line, "%s%d working", line.len ? ", " : "", working);
		if (idle)
			buf_printf(&line, "%s%d idle", line.len ? ", " : "", idle);
		if (lost)
			buf_printf(&line, "%s%d lost, still running", line.len ? ", " : "", lost);
		printf("%s\n", line.len ? line.data : "no sessions");
	}
	return waiting ? LS_WAITS_STATUS : 0;
}

static void print_list_json(const struct record_list *list, bool all)
{
	struct json *root = json_new_object();
	struct json *sessions = json_set(root, "sessions", json_new_array());
	for (size_t i = 0; i < list->count; i++)
		if (wanted(&list->items[i], all))
			json_append(sessions, record_to_json(&list->items[i]));
	print_answer(root);
	json_free(root);
}

/* A column: padded by terminal columns, not bytes. */
static void put(struct buf *line, const char *text, int width)
{
	AUTO_FREE char *clean = utf8_sanitize(text, strlen(text), width);
	buf_adds(line, clean);
	for (int n = utf8_columns(clean, strlen(clean)); n < width; n++)
		buf_addc(line, ' ');
	buf_adds(line, "  ");
}

static const char *state_sgr(enum session_state s)
{
	return s == STATE_NEEDS_INPUT || s == STATE_LIMITED || s == STATE_LOST || s == STATE_CRASHED ||
		       s == STATE_FAILED
		   ? "1;33"
	       : s == STATE_WORKING ? "36"
	       : s == STATE_DONE    ? "32"
				    : "0";
}

static void print_row(const struct record *r, const int width[4], bool color)
{
	AUTO_BUF line = BUF_INIT;
	char number[16], age[16], left[32] = "", queued[16] = "";
	AUTO_FREE char *dir = path_pretty(r->dir);
	int64_t seconds = clock_now() - r->since;
	clock_age(seconds > 0 ? seconds : 0, age, NULL);
	snprintf(number, sizeof number, "%3d", r->number);
	if (r->left > 0)
		snprintf(left, sizeof left, ", left: %d", r->left);
	if (r->queued > 0)
		snprintf(queued, sizeof queued, " +%d", r->queued);
	const char *reason = r->fault && !*r->reason ? r->fault : r->reason;
	AUTO_FREE char *state = mem_printf("%s%s%s%s%s%s", state_name(r->state), queued, left,
	    *reason ? " (" : "", reason, *reason ? ")" : "");
	put(&line, number, 3);
	put(&line, r->name, width[0]);
	put(&line, r->agent, width[1]);
	if (color)
		buf_printf(&line, "\033[%sm", state_sgr(r->state));
	put(&line, state, width[2]);
	if (color)
		buf_adds(&line, "\033[0m");
	put(&line, age, 4);
	put(&line, dir, width[3]);
	AUTO_FREE char *title = utf8_sanitize(r->title, strlen(r->title), 60);
	buf_adds(&line, title);
	while (line.len && line.data[line.len - 1] == ' ')
		buf_truncate(&line, line.len - 1);
	printf("%s\n", line.data);
}

static void widen(int *width, const char *text, int most)
{
	int n = utf8_columns(text, strlen(text));
	if (n > *width)
		*width = n > most ? most : n;
}

static void print_table(const struct record_list *list, bool all)
{
	int width[4] = {4, 5, 8, 3};
	for (size_t i = 0; i < list->count; i++) {
		const struct record *r = &list->items[i];
		AUTO_FREE char *dir = path_pretty(r->dir);
		const char *reason = r->fault && !*r->reason ? r->fault : r->reason;
		AUTO_FREE char *state =
		    mem_printf("%s%s%s%s%s", state_name(r->state), r->queued > 0 ? " +99" : "",
			r->left > 0 ? ", left: 99" : "", *reason ? " () " : "", reason);
		if (!wanted(r, all))
			continue;
		widen(&width[0], r->name, 32);
		widen(&width[1], r->agent, 20);
		widen(&width[2], state, 48);
		widen(&width[3], dir, 40);
	}
	for (size_t i = 0; i < list->count; i++)
		if (wanted(&list->items[i], all))
			print_row(&list->items[i], width, color_wanted());
}

/* A journal that could not be written any more: its session goes on, but nobody would know. */
static void say_stopped_journals(const struct record_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct record *r = &list->items[i];
		if (r->journal_error && !state_ended(r->state))
			print_note("%s goes on, but %s", r->name, r->journal_error);
	}
}

static int explain(const struct record *r, bool json)
{
	if (json) {
		struct json *j = record_to_json(r);
		json_set_string(j, "explain", r->explain);
		print_answer(j);
		json_free(j);
		return 0;
	}
	printf("%s is %s%s%s: %s\n", r->name, state_name(r->state), *r->reason ? ", " : "", r->reason,
	    *r->explain ? r->explain : "no signal has been seen yet");
	return 0;
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list = {0};
	const char *word = args_value(a, "explain", NULL);
	int result = 0;
	if (word) {
		struct record *r = find_session(&list, word, true, err);
		result = r ? explain(r, a->json) : -1;
		record_list_finish(&list);
		return result;
	}
	if (record_list_load(&list, err) < 0)
		return -1;
	/* Of sessions that lost both their processes nobody counts what is left but us. */
	for (size_t i = 0; i < list.count; i++)
		if (!list.items[i].live && list.items[i].state == STATE_LOST && !list.items[i].left)
			list.items[i].left = processes_count_left(&list.items[i]);
	bool all = args_has(a, "all");
	if (args_has(a, "short"))
		result = print_short(&list, a->json);
	else if (a->json)
		print_list_json(&list, all);
	else if (args_has(a, "quiet"))
		for (size_t i = 0; i < list.count; i++) {
			if (wanted(&list.items[i], all))
				printf("%s\n", list.items[i].id);
		}
	else
		print_table(&list, all);
	if (!a->json && !args_has(a, "quiet"))
		say_stopped_journals(&list);
	record_list_finish(&list);
	return result;
}

const struct command command_ls = {
    .name = "ls",
    .group = "every day",
    .synopsis = "[-a] [-q] [--short] [--explain SESSION]",
    .help = "list the sessions: number, name, agent, state, time in it, directory, title",
    .examples = "handler ls\nhandler ls --short || notify-send 'an agent waits'\nhandler ls --explain api",
    .max_words = 0,
    .options = options,
    .run = run,
};
