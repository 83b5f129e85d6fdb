/* stop: ends every process of sessions and says what became of them. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "client/control.h"
#include "client/processes.h"
#include "harness/agent.h"
#include "os/proc.h"
#include "session/orphans.h"

static const struct option_spec options[] = {
    {"all", 0, NULL, "all sessions; asks, unless --yes"},
    {"grace", 0, "SECONDS", "time between asking to end and ending by force (default 5)"},
    {"yes", 'y', NULL, "do not ask"},
    {"dry-run", 0, NULL, "only list what would be ended: processes and the ports they listen on"},
    OPTION_JSON,
    {0},
};

enum { STOP_MARGIN_MS = 30000, DRY_RUN_COLUMNS = 100 };

struct outcome {
	unsigned ended, survivors;
	double seconds;
	char first_survivor[24];
	bool was_over;
	enum session_state state; /* that it is in then */
};

/* It ended by itself meanwhile. */
static void note_end(const struct record *r, struct outcome *o)
{
	struct record now;
	o->was_over = true;
	if (record_load(r->path, &now, NULL) == 0) {
		o->state = now.state;
		record_finish(&now);
	}
}

static int stop_live(const struct record *r, uint32_t grace, struct outcome *o, struct err *err)
{
	struct control answer;
	int timeout = (grace == UINT32_MAX ? 60000 : (int)grace) + STOP_MARGIN_MS;
	struct err why = ERR_INIT;
	if (control_ask(r, CONTROL_STOP, grace, timeout, &answer, &why) < 0) {
		if (!record_still_live(r)) {
			note_end(r, o);
			return 0;
		}
		*err = why;
		return -1;
	}
	o->ended = answer.ended;
	o->survivors = answer.survivors;
	o->seconds = answer.milliseconds / 1000.0;
	snprintf(o->first_survivor, sizeof o->first_survivor, "%s", answer.first_survivor);
	return 0;
}

/* Its keeper is gone, and what it started may not be: found by the marker in the environment. */
static void stop_lost(const struct record *r, struct outcome *o)
{
	int64_t began = clock_mono_ms();
	char boot[40];
	proc_boot_id(boot);
	bool same_boot = !strcmp(boot, r->boot_id);
	orphans_await_worker(r);
	struct orphans_report report = {0};
	if (same_boot)
		orphans_end(r->id, r->leader, r->leader_start, &report);
	o->ended = report.ended;
	o->survivors = report.survivors;
	snprintf(o->first_survivor, sizeof o->first_survivor, "%s", report.first_survivor);
	o->seconds = (double)(clock_mono_ms() - began) / 1000.0;
	o->was_over = o->ended == 0 && o->survivors == 0;
	o->state = r->state;
	if (o->ended)
		record_touch(r->path, NULL); /* who shows it says what still runs */
}

/* Why no signal has ended it, by what it is: what left the tree before is nobody's child and not counted. */
static const char *survivors_reason(const struct outcome *o)
{
	struct proc_info p;
	struct stat st;
	char path[64];
	pid_t pid = (pid_t)strtol(o->first_survivor, NULL, 10);
	if (pid <= 0 || !proc_read(pid, &p))
		return "it has ended meanwhile";
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	if (stat(path, &st) == 0 && st.st_uid != geteuid())
		return "it belongs to another user (sudo, setuid)";
	return p.state == 'D' ? "it waits in the kernel, where no signal reaches it"
			      : "it was not ended by SIGKILL in time";
}

static void report_text(const struct record *r, const struct outcome *o)
{
	if (o->was_over)
		printf("%s had ended already (%s)\n", r->name, state_name(o->state));
	else
		printf("stopped %s: %u process%s ended in %.1f s\n", r->name, o->ended,
		    o->ended == 1 ? "" : "es", o->seconds);
	if (o->survivors)
		printf("  %u could not be ended, the first is %s: %s\n", o->survivors, o->first_survivor,
		    survivors_reason(o));
}

static struct json *report_json(const struct record *r, const struct outcome *o)
{
	struct json *j = json_new_object();
	json_set_string(j, "id", r->id);
	json_set_string(j, "name", r->name);
	json_set_bool(j, "was_over", o->was_over);
	json_set_number(j, "ended", o->ended);
	json_set_number(j, "survivors", o->survivors);
	json_set_string(j, "first_survivor", o->survivors ? o->first_survivor : NULL);
	json_set_string(j, "why", o->survivors ? survivors_reason(o) : NULL);
	json_set_number(j, "seconds", (double)(int64_t)(o->seconds * 1000 + 0.5) / 1000);
	return j;
}

static int stop_one(const struct record *r, uint32_t grace, struct json *report, struct err *err)
{
	struct outcome o = {0};
	if (r->live) {
		if (stop_live(r, grace, &o, err) < 0)
			return -1;
	} else {
		stop_lost(r, &o);
	}
	if (report)
		json_append(report, report_json(r, &o));
	else
		report_text(r, &o);
	if (!o.survivors)
		return 0;
	return err_set(err, ERR_SURVIVORS, "%u process%s of session %s could not be ended", o.survivors,
	    o.survivors == 1 ? "" : "es", r->name);
}

/* All that were asked for, or none where one of them may not be; the one that we run in last: it takes us
 * along. */
static int stop_each(const struct record_list *list, struct record **found, size_t count, uint32_t grace,
    struct json *report, struct err *err)
{
	const char *own = getenv("HANDLER_SESSION");
	int result = 0;
	for (size_t i = 0; i < count; i++)
		if (guard_change(list, found[i], AGENT_MAY_STOP, err) < 0)
			return -1;
	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < count; i++)
			if ((own && !strcmp(found[i]->id, own)) == last &&
			    stop_one(found[i], grace, report, err) < 0)
				result = -1;
	return result;
}

static bool ask(size_t count)
{
	char answer[16] = "";
	fprintf(stderr, "Stop %zu session%s, with everything that runs in them? [y/N] ", count,
	    count == 1 ? "" : "s");
	fflush(stderr);
	return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int stop_all(
    const struct args *a, struct record_list *list, uint32_t grace, struct json *report, struct err *err)
{
	size_t count = 0;
	for (size_t i = 0; i < list->count; i++)
		count += list->items[i].live;
	if (count && !args_has(a, "yes")) {
		if (!isatty(STDIN_FILENO)) {
			err_set(err, ERR_USAGE,
			    "stop --all would end %zu sessions, and there is nobody to ask", count);
			return err_hint(err, "Add --yes.");
		}
		if (!ask(count))
			return err_set(err, ERR_REFUSED, "nothing was stopped");
	}
	struct record **found = mem_zalloc(count + 1, sizeof *found);
	size_t n = 0;
	for (size_t i = 0; i < list->count && n < count; i++)
		if (list->items[i].live)
			found[n++] = &list->items[i];
	int result = stop_each(list, found, n, grace, report, err);
	free(found);
	return result;
}

static int stop_named(
    const struct args *a, struct record_list *list, uint32_t grace, struct json *report, struct err *err)
{
	struct record *found[ARGS_MAX];
	for (int i = 0; i < a->word_count; i++) {
		found[i] = record_find(list, a->words[i], false, err);
		if (!found[i])
			return -1;
	}
	return stop_each(list, found, (size_t)a->word_count, grace, report, err);
}

/* --- what would be ended --- */

static void print_processes(const struct record *r, const struct json *list)
{
	int count = json_count(list);
	printf("%s (%s): %d process%s\n", r->name, state_name(r->state), count, count == 1 ? "" : "es");
	for (const struct json *p = json_first(list); p; p = json_next(p)) {
		AUTO_FREE char *line = processes_line(p, DRY_RUN_COLUMNS);
		printf("  %lld %s\n", (long long)json_get_int(p, "pid", 0), line);
	}
}

static void list_one(const struct record *r, struct json *report)
{
	struct json *processes = processes_to_json(r);
	if (!report) {
		print_processes(r, processes);
		json_free(processes);
		return;
	}
	struct json *j = json_append(report, json_new_object());
	json_set_string(j, "id", r->id);
	json_set_string(j, "name", r->name);
	json_set_string(j, "state", state_name(r->state));
	json_set(j, "processes", processes);
}

static int dry_run(const struct args *a, struct record_list *list, struct json *report, struct err *err)
{
	for (int i = 0; i < a->word_count; i++) {
		const struct record *r = record_find(list, a->words[i], true, err);
		if (!r)
			return -1;
		list_one(r, report);
	}
	for (size_t i = 0; i < list->count && !a->word_count; i++)
		if (list->items[i].live)
			list_one(&list->items[i], report);
	return 0;
}

static int stop_and_report(
    const struct args *a, struct record_list *list, struct json *report, struct err *err)
{
	double grace;
	if (args_seconds(a, "grace", -1, &grace, err) < 0)
		return -1;
	uint32_t grace_ms = grace < 0 ? UINT32_MAX : grace > 86400 ? 86400000 : (uint32_t)(grace * 1000);
	return args_has(a, "all") ? stop_all(a, list, grace_ms, report, err)
				  : stop_named(a, list, grace_ms, report, err);
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	bool dry = args_has(a, "dry-run");
	if (args_has(a, "all") == (a->word_count > 0)) {
		err_set(err, ERR_USAGE, "handler stop takes sessions, or --all");
		return err_hint(err, "`handler ls` shows the sessions.");
	}
	if (record_list_load(&list, err) < 0)
		return -1;
	struct json *root = a->json ? json_new_object() : NULL;
	struct json *report = root ? json_set(root, dry ? "would_stop" : "stopped", json_new_array()) : NULL;
	int result = dry ? dry_run(a, &list, report, err) : stop_and_report(a, &list, report, err);
	if (root && (result == 0 || err->code == ERR_SURVIVORS)) {
		print_answer(root);
		result = result < 0 ? err_exit_status(err->code) : 0; /* the report names the survivors */
	}
	json_free(root);
	record_list_finish(&list);
	return result;
}

const struct command command_stop = {
    .name = "stop",
    .group = "every day",
    .synopsis = "SESSION... | --all [--grace SECONDS] [--yes] [--dry-run]",
    .help = "end every process of a session; says how many, how long, what survived",
    .text =
	"First everything is asked to end (SIGTERM, SIGHUP), after the grace it is ended by force, in rounds "
	"until nothing "
	"is left. The project's files are not touched; what was on the screen stays, see `handler capture`.",
    .examples =
	"handler stop api\nhandler stop 2 3 --grace 1\nhandler stop --all --yes\nhandler stop api --dry-run",
    .max_words = -1,
    .options = options,
    .run = run,
};
