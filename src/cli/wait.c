/* wait: returns when a session is in a state, shows a text, or is quiet. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
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

static int print_result(const struct record *r, struct json *reply, bool json)
{
	if (json) {
		json_set_string(reply, "id", r->id);
		print_answer(reply);
	} else {
		const char *reason = json_get_string(reply, "reason", "");
		printf(
		    "%s %s%s%s\n", r->name, json_get_string(reply, "state", ""), *reason ? " " : "", reason);
	}
	json_free(reply);
	return 0;
}

/* A child that waits for one session; what it would print goes to *out (a memfd), and shows if it is the
 * first. */
static pid_t start_waiter(
    const struct record *r, const struct json *body, double seconds, bool json, int *out)
{
	*out = memfd_create("answer", MFD_CLOEXEC);
	pid_t pid = *out < 0 ? -1 : fork();
	if (pid != 0)
		return pid;
	struct err own = ERR_INIT;
	dup2(*out, STDOUT_FILENO);
	struct json *reply = call_wait(r, body, seconds, &own);
	if (reply)
		print_result(r, reply, json);
	fflush(NULL);
	_exit(reply ? 0 : err_exit_status(own.code));
}

static void copy_answer(int fd)
{
	char chunk[4096];
	lseek(fd, 0, SEEK_SET);
	for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0;)
		fwrite(chunk, 1, (size_t)n, stdout);
}

/* Which of the children has ended, -1: none is left; *status is its exit status. */
static int next_end(pid_t *children, int count, int *status)
{
	int how;
	pid_t pid = wait(&how);
	for (int i = 0; pid > 0 && i < count; i++) {
		if (children[i] != pid)
			continue;
		children[i] = -1;
		*status = WIFEXITED(how) ? WEXITSTATUS(how) : 1;
		return i;
	}
	return -1;
}

/* The first session that gets there decides, or the last that fails if all have. */
static int wait_any(
    struct record **sessions, int count, const struct json *body, double seconds, bool json, struct err *err)
{
	pid_t children[ARGS_MAX];
	int out[ARGS_MAX], status = 1, first;
	fflush(NULL);
	for (int i = 0; i < count; i++)
		children[i] = start_waiter(sessions[i], body, seconds, json, &out[i]);
	while ((first = next_end(children, count, &status)) >= 0 && status != 0)
		;
	if (first >= 0)
		copy_answer(out[first]);
	for (int i = 0; i < count; i++) {
		if (children[i] > 0)
			kill(children[i], SIGTERM);
		close(out[i]);
	}
	while (wait(NULL) > 0)
		;
	if (first >= 0)
		return 0;
	enum err_code code = status == 5 ? ERR_TIMEOUT : status == 6 ? ERR_NOT_READY : ERR_ENDED;
	return err_set(err, code, "none of the sessions got there");
}

/* One after the other, within one time-out. */
static int wait_all(
    struct record **sessions, int count, const struct json *body, double seconds, bool json, struct err *err)
{
	int64_t began = clock_mono_ms();
	for (int i = 0; i < count; i++) {
		double left = seconds < 0 ? -1 : seconds - (double)(clock_mono_ms() - began) / 1000;
		struct json *reply = call_wait(sessions[i], body, seconds >= 0 && left < 0 ? 0 : left, err);
		if (!reply)
			return -1;
		print_result(sessions[i], reply, json);
	}
	return 0;
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
	if (result == 0 && args_has(a, "any"))
		result = wait_any(sessions, a->word_count, body, seconds, a->json, err);
	else if (result == 0)
		result = wait_all(sessions, a->word_count, body, seconds, a->json, err);
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
