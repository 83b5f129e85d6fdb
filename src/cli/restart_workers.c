/* restart-workers: the installed version takes over the screens of running sessions; their programs go on. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "client/control.h"
#include "client/record.h"
#include "harness/agent.h"

static const struct option_spec options[] = {
    OPTION_JSON,
    {0},
};

enum { ANSWER_MS = 60000 }; /* leaving, starting, proving and going back have limits of their own */

/* One session's upgrade. */
struct job {
	const struct record *r;
	int connection; /* -1: nothing was asked */
	const char *outcome;
	char from[32], to[32];
	struct err why; /* code ERR_NONE: done, or nothing to do */
};

static const char *from_version(const struct record *r)
{
	return r->program_version ? r->program_version : "an older version";
}

static int job_fail(struct job *j, const char *outcome, enum err_code code, const char *message)
{
	j->outcome = outcome;
	return err_set(&j->why, code, "%s", message);
}

static void begin(struct job *j, int binary)
{
	snprintf(j->from, sizeof j->from, "%s", from_version(j->r));
	snprintf(j->to, sizeof j->to, "%s", j->from);
	j->connection = -1;
	if (!strcmp(j->from, HANDLER_VERSION)) {
		j->outcome = "already";
		return;
	}
	j->connection = control_send(j->r, CONTROL_UPGRADE, 0, binary, &j->why);
	if (j->connection < 0)
		j->outcome = "failed";
}

/* How the new worker, or what should have become one, came to its end. */
static void say_end(const struct control *a, char out[160])
{
	if (a->outcome == UPGRADE_NO_EXEC)
		snprintf(out, 160, "the new program cannot be executed: %s", strerror(a->status));
	else if (a->outcome == UPGRADE_NOT_READY)
		snprintf(out, 160, "the new worker was not ready in time");
	else if (WIFSIGNALED(a->status))
		snprintf(out, 160, "the new worker ended with signal %d", WTERMSIG(a->status));
	else
		snprintf(out, 160, "the new worker ended with status %d", WEXITSTATUS(a->status));
}

static void judge_file(struct job *j, int fault)
{
	job_fail(j, "refused", ERR_REFUSED,
	    fault == EACCES ? "the program's file is not executable"
	    : fault == EPERM
		? "the program's file does not belong to root or to you, or others may write to it"
		: "the program is no regular file");
}

static void judge(struct job *j, const struct control *a)
{
	char why[160];
	snprintf(j->to, sizeof j->to, "%s", *a->version ? a->version : j->from);
	switch (a->outcome) {
	case UPGRADE_DONE:
		j->outcome = "upgraded";
		break;
	case UPGRADE_BAD_FILE:
		judge_file(j, a->status);
		break;
	case UPGRADE_BUSY:
		job_fail(j, "busy", ERR_NOT_READY, "another restart-workers is under way");
		break;
	case UPGRADE_ENDING:
		job_fail(j, "ended", ERR_ENDED, "it is ending");
		break;
	case UPGRADE_NOT_NOW:
		job_fail(j, "not-now", ERR_NOT_READY, "its program does not read its input; try again later");
		break;
	default:
		say_end(a, why);
		job_fail(j, "went-back", ERR_FAILED, why);
	}
}

/* A keeper of before this command existed refuses it. */
static void judge_refusal(struct job *j)
{
	if (j->why.code != ERR_REFUSED) {
		j->outcome = "failed";
		return;
	}
	char message[200];
	snprintf(message, sizeof message,
	    "its version cannot be changed while it runs; it goes on, and `handler stop` and `handler "
	    "resume` start it with %s",
	    HANDLER_VERSION);
	job_fail(j, "refused", ERR_REFUSED, message);
}

static void end(struct job *j)
{
	struct control answer;
	if (j->connection < 0)
		return;
	if (control_await(j->connection, j->r, ANSWER_MS, &answer, &j->why) == 0)
		judge(j, &answer);
	else
		judge_refusal(j);
}

static void report_text(const struct job *j)
{
	const char *name = j->r->name;
	if (!strcmp(j->outcome, "already"))
		printf("%s: already %s\n", name, j->to);
	else if (!strcmp(j->outcome, "upgraded"))
		printf("%s: %s %s -> %s\n", name, strverscmp(j->from, j->to) < 0 ? "upgraded" : "changed",
		    j->from, j->to);
	else if (!strcmp(j->outcome, "went-back"))
		printf("%s: went back to %s: %s\n", name, j->to, j->why.message);
	else
		printf("%s: stays with %s: %s\n", name, j->from, j->why.message);
}

static struct json *report_json(const struct job *j)
{
	struct json *o = json_new_object();
	json_set_string(o, "id", j->r->id);
	json_set_string(o, "name", j->r->name);
	json_set_string(o, "outcome", j->outcome);
	json_set_string(o, "from", j->r->program_version);
	json_set_string(o, "to", j->to);
	json_set_string(o, "message", j->why.message);
	return o;
}

/* All at once: a new worker has to live for a while before it counts. */
static int restart(const struct args *a, const struct record_list *list, struct record **found, size_t count,
    struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (guard_change(list, found[i], AGENT_MAY_STOP, err) < 0)
			return -1;
	int binary = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	if (binary < 0)
		return err_sys(err, errno, "cannot open this program");
	struct job *jobs = mem_zalloc(count + 1, sizeof *jobs);
	struct json *root = a->json ? json_new_object() : NULL;
	struct json *report = root ? json_set(root, "sessions", json_new_array()) : NULL;
	int status = 0;
	for (size_t i = 0; i < count; i++) {
		jobs[i].r = found[i];
		begin(&jobs[i], binary);
	}
	for (size_t i = 0; i < count; i++) {
		end(&jobs[i]);
		status = jobs[i].why.code && !status ? err_exit_status(jobs[i].why.code) : status;
		if (report)
			json_append(report, report_json(&jobs[i]));
		else
			report_text(&jobs[i]);
	}
	if (root)
		print_answer(root);
	else if (!count)
		printf("no session runs\n");
	json_free(root);
	free(jobs);
	close(binary);
	return status;
}

static int find_named(const struct args *a, struct record_list *list, struct record **found, struct err *err)
{
	for (int i = 0; i < a->word_count; i++) {
		found[i] = record_find(list, a->words[i], false, err);
		if (!found[i])
			return -1;
		if (!found[i]->live)
			return err_set(err, ERR_ENDED, "session %s has ended (%s)", found[i]->name,
			    state_name(found[i]->state));
	}
	return a->word_count;
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	if (record_list_load(&list, err) < 0)
		return -1;
	size_t room = list.count > ARGS_MAX ? list.count : ARGS_MAX;
	struct record **found = mem_zalloc(room + 1, sizeof *found);
	int count = 0;
	if (a->word_count)
		count = find_named(a, &list, found, err);
	else
		for (size_t i = 0; i < list.count; i++)
			if (list.items[i].live)
				found[count++] = &list.items[i];
	int result = count < 0 ? -1 : restart(a, &list, found, (size_t)count, err);
	free(found);
	record_list_finish(&list);
	return result;
}

const struct command command_restart_workers = {
    .name = "restart-workers",
    .group = "set up",
    .synopsis = "[SESSION...]",
    .help = "after an upgrade: running sessions (all, if none is named) go on with the installed version",
    .text = "What runs in the sessions is not touched; screen, history and open prompts are handed over, "
	    "terminals "
	    "and waiting "
	    "commands go on. A session whose new worker is not ready within 5 seconds, or dies within 10, "
	    "goes back "
	    "to the version "
	    "it had, and the command says so and exits with 1.",
    .examples = "handler restart-workers\nhandler restart-workers api --json",
    .max_words = -1,
    .options = options,
    .run = run,
};
