/* requests: what commands ask of a worker: one table of operations; and those who wait for something to
 * become true. */
#include <regex.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/capture.h"
#include "client/find.h"
#include "session/parts.h"

void request_reply_error(struct peer *p, uint32_t sequence, const struct err *err)
{
	struct json *j = wire_error_json(err);
	peer_send_json(p, WIRE_REPLY, sequence, j);
	json_free(j);
}

/* --- rows and search, for the front-end's history mode --- */

void request_rows(struct peer *p, uint32_t sequence, const struct wire_rows_get *g)
{
	AUTO_BUF out = BUF_INIT;
	delta_encode_rows(p->worker->history, term_screen(p->worker->term), g->from, g->count, &out);
	peer_send(p, WIRE_ROWS, sequence, out.data, out.len);
}

/* A search goes on in slices between everything else, by an idle handle of its own. */
struct search_job {
	uv_idle_t idle;
	struct worker *worker;
	uint64_t peer;
	uint32_t sequence;
	struct find *find;
	struct search_job *next;
};

static void on_search_closed(uv_handle_t *handle)
{
	struct search_job *job = handle->data;
	find_destroy(job->find);
	free(job);
}

static void end_search(struct search_job *job)
{
	for (struct search_job **at = &job->worker->searches; *at; at = &(*at)->next) {
		if (*at == job) {
			*at = job->next;
			break;
		}
	}
	uv_close((uv_handle_t *)&job->idle, on_search_closed);
}

static void on_search_slice(uv_idle_t *idle)
{
	struct search_job *job = idle->data;
	struct worker *w = job->worker;
	struct peer *p = peer_by_id(w, job->peer);
	struct json *found = p ? find_step(job->find, w->history, term_screen(w->term)) : NULL;
	if (found)
		peer_send_json(p, WIRE_FOUND, job->sequence, found);
	if (found || !p)
		end_search(job);
	json_free(found);
}

void request_search(struct peer *p, uint32_t sequence, const struct json *body)
{
	struct err err = ERR_INIT;
	struct find *find = find_create(body, &err);
	if (!find) {
		struct json *answer = find_error(&err);
		peer_send_json(p, WIRE_FOUND, sequence, answer);
		json_free(answer);
		return;
	}
	struct search_job *job = mem_zalloc(1, sizeof *job);
	job->worker = p->worker;
	job->peer = p->id;
	job->sequence = sequence;
	job->find = find;
	job->next = p->worker->searches;
	p->worker->searches = job;
	uv_idle_init(&p->worker->loop, &job->idle);
	job->idle.data = job;
	uv_idle_start(&job->idle, on_search_slice);
}

void searches_end(struct worker *w)
{
	while (w->searches)
		end_search(w->searches);
}

/* --- waiting --- */

struct waiter {
	struct waiter *next;
	uint64_t peer;
	uint32_t sequence;
	unsigned states;     /* bits of enum session_state */
	bool for_rest_state; /* idle or done: needs-input and limited end the waiting too */
	uint32_t turn;       /* 0: any */
	char *text;          /* regular expression, or NULL */
	regex_t regex;
	double quiet;     /* seconds, < 0: not asked for */
	int64_t deadline; /* ms, -1: none */
};

static void free_waiter(struct waiter *wait)
{
	if (wait->text)
		regfree(&wait->regex);
	free(wait->text);
	free(wait);
}

static void finish_waiter(struct worker *w, struct waiter **at, struct json *reply, const struct err *err)
{
	struct waiter *wait = *at;
	struct peer *p = peer_by_id(w, wait->peer);
	*at = wait->next;
	if (p && reply)
		peer_send_json(p, WIRE_REPLY, wait->sequence, reply);
	else if (p)
		request_reply_error(p, wait->sequence, err);
	json_free(reply);
	free_waiter(wait);
}

static bool screen_matches(struct worker *w, const regex_t *regex)
{
	AUTO_BUF text = BUF_INIT;
	screen_text(term_screen(w->term), true, &text);
	return regexec(regex, text.data, 0, NULL, 0) == 0;
}

static bool turn_reached(const struct status_view *v, uint32_t turn)
{
	return turn == 0 || v->turn >= turn;
}

/* 1: it is so; -1: it cannot become so without the user (err is set); 0: not yet. */
static int judge(struct worker *w, const struct waiter *wait, struct err *err)
{
	const struct status_view *v = status_get(w->status);
	if ((wait->states & 1u << v->state) && turn_reached(v, wait->turn))
		return 1;
	if (wait->text && screen_matches(w, &wait->regex))
		return 1;
	if (wait->quiet >= 0 && worker_now(w) - w->last_output >= (int64_t)(wait->quiet * 1000))
		return 1;
	if (state_ended(v->state)) {
		err_set(err, ERR_ENDED, "session %s has ended (%s)", w->record.name, state_name(v->state));
		return -1;
	}
	if (wait->for_rest_state && (v->state == STATE_NEEDS_INPUT || v->state == STATE_LIMITED)) {
		err_set(err, ERR_NOT_READY, "session %s is %s: %s", w->record.name, state_name(v->state),
		    v->reason);
		err_hint(err, "`handler attach %s` shows it.", w->record.name);
		return -1;
	}
	if (wait->deadline >= 0 && worker_now(w) >= wait->deadline) {
		err_set(err, ERR_TIMEOUT, "session %s is still %s", w->record.name, state_name(v->state));
		return -1;
	}
	return 0;
}

static void on_wait_timer(uv_timer_t *timer)
{
	waiters_check(timer->data);
}

/* One timer, at the next moment at which the passing of time alone can end somebody's waiting. */
static void arm_wait_timer(struct worker *w)
{
	int64_t now = worker_now(w), due = -1;
	for (const struct waiter *wait = w->waiters; wait; wait = wait->next) {
		int64_t times[] = {
		    wait->deadline, wait->quiet >= 0 ? w->last_output + (int64_t)(wait->quiet * 1000) : -1};
		for (size_t i = 0; i < COUNT_OF(times); i++)
			if (times[i] >= 0 && (due < 0 || times[i] < due))
				due = times[i];
	}
	if (due < 0)
		uv_timer_stop(&w->wait_timer);
	else
		uv_timer_start(&w->wait_timer, on_wait_timer, due > now ? (uint64_t)(due - now) : 1, 0);
}

void waiters_check(struct worker *w)
{
	if (!w->waiters)
		return;
	for (struct waiter **at = &w->waiters; *at;) {
		struct err err = ERR_INIT;
		int verdict = judge(w, *at, &err);
		if (verdict == 0) {
			at = &(*at)->next;
			continue;
		}
		struct json *reply = verdict > 0 ? report_state(w) : NULL;
		finish_waiter(w, at, reply, &err);
	}
	arm_wait_timer(w);
}

void waiters_gone(struct peer *p)
{
	for (struct waiter **at = &p->worker->waiters; *at;) {
		struct waiter *wait = *at;
		if (wait->peer != p->id) {
			at = &wait->next;
			continue;
		}
		*at = wait->next;
		free_waiter(wait);
	}
}

void waiters_end(struct worker *w)
{
	waiters_check(w);
	while (w->waiters) {
		struct err err = ERR_INIT;
		err_set(&err, ERR_ENDED, "session %s has ended", w->record.name);
		finish_waiter(w, &w->waiters, NULL, &err);
	}
}

static int parse_states(const struct json *list, struct waiter *wait, struct err *err)
{
	for (const struct json *e = json_first(list); e; e = json_next(e)) {
		int state = state_from_name(json_string(e, ""));
		if (state < 0)
			return err_set(err, ERR_USAGE, "there is no state \"%s\"", json_string(e, ""));
		wait->states |= 1u << state;
		wait->for_rest_state = wait->for_rest_state || state == STATE_IDLE || state == STATE_DONE;
	}
	return 0;
}

static int parse_text(const char *pattern, struct waiter *wait, struct err *err)
{
	char why[128];
	if (!pattern)
		return 0;
	int result = regcomp(&wait->regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
	if (result != 0) {
		regerror(result, &wait->regex, why, sizeof why);
		return err_set(
		    err, ERR_USAGE, "the regular expression \"%s\" is not valid: %s", pattern, why);
	}
	wait->text = mem_strdup(pattern);
	return 0;
}

static int op_wait(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct worker *w = p->worker;
	struct waiter *wait = mem_zalloc(1, sizeof *wait);
	(void)reply;
	wait->peer = p->id;
	wait->sequence = sequence;
	wait->turn = (uint32_t)json_get_int(body, "turn", 0);
	wait->quiet = json_get_number(body, "quiet", -1);
	double timeout = json_get_number(body, "timeout", -1);
	wait->deadline = timeout < 0 ? -1 : worker_now(w) + (int64_t)(timeout * 1000);
	if (parse_states(json_get(body, "states"), wait, err) < 0 ||
	    parse_text(json_get_string(body, "text", NULL), wait, err) < 0) {
		free_waiter(wait);
		return -1;
	}
	wait->next = w->waiters;
	w->waiters = wait;
	waiters_check(w);
	return 1;
}

/* --- the other operations --- */

static int op_state(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	(void)sequence;
	(void)body;
	(void)err;
	json_set(reply, "session", report_state(p->worker));
	return 0;
}

static int op_keys(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct worker *w = p->worker;
	const struct json *keys = json_get(body, "keys");
	struct key k;
	(void)sequence;
	for (const struct json *e = json_first(keys); e; e = json_next(e))
		if (!key_parse(json_string(e, ""), &k))
			return err_set(err, ERR_USAGE, "\"%s\" is not the name of a key", json_string(e, ""));
	for (const struct json *e = json_first(keys); e; e = json_next(e)) {
		key_parse(json_string(e, ""), &k);
		input_key(w, NULL, 0, &k);
	}
	json_set_number(reply, "keys", json_count(keys));
	return 0;
}

static int op_capture(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct worker *w = p->worker;
	const struct screen *s = term_screen(w->term);
	const char *name = json_get_string(body, "format", "text");
	enum capture_format format = !strcmp(name, "json")   ? CAPTURE_JSON
				     : !strcmp(name, "ansi") ? CAPTURE_ANSI
							     : CAPTURE_TEXT;
	uint64_t end = s->top + (uint64_t)s->rows, from = s->top;
	(void)sequence;
	(void)err;
	int64_t history = json_get_int(body, "history", 0);
	uint64_t first = w->history ? history_first(w->history) : s->top;
	if (history < 0 || (uint64_t)history > s->top - first)
		from = first;
	else
		from = s->top - (uint64_t)history;
	int64_t next = json_get_int(body, "from", -1);
	if (next >= 0)
		from = (uint64_t)next < first ? first : (uint64_t)next;
	json_set(
	    reply, "capture", capture(s, w->history, from, end, format, json_get_bool(body, "trim", true)));
	return 0;
}

static int op_resize(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct worker *w = p->worker;
	(void)sequence;
	if (json_get_bool(body, "unpin", false)) {
		w->pinned = false;
		return 0;
	}
	int64_t rows = json_get_int(body, "rows", 0), cols = json_get_int(body, "cols", 0);
	if (rows < SCREEN_MIN_ROWS || rows > SCREEN_MAX_ROWS || cols < SCREEN_MIN_COLS ||
	    cols > SCREEN_MAX_COLS)
		return err_set(err, ERR_USAGE, "a session has %dx%d to %dx%d columns and rows",
		    SCREEN_MIN_COLS, SCREEN_MIN_ROWS, SCREEN_MAX_COLS, SCREEN_MAX_ROWS);
	w->pinned = true;
	frames_resize(w, (int)rows, (int)cols, 0, 0);
	json_set_number(reply, "rows", (double)rows);
	json_set_number(reply, "cols", (double)cols);
	return 0;
}

static int op_detach(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct json *j = json_new_object();
	(void)sequence;
	(void)body;
	(void)err;
	json_set_string(j, "event", "detach");
	int count = 0;
	for (struct peer *q = p->worker->peers; q; q = q->next)
		count += q->hello && q->terminal && q != p;
	peers_send_terminals(p->worker, WIRE_EVENT, j);
	json_free(j);
	json_set_number(reply, "detached", count);
	return 0;
}

static int op_send(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	(void)reply;
	(void)err;
	prompt_request(p, sequence, body);
	return 1;
}

/* 0: `reply` is the answer; 1: the answer comes later; -1: err is. */
typedef int (*op_fn)(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err);

static const struct {
	const char *name;
	op_fn run;
} operations[] = {
    {"capture", op_capture},
    {"detach", op_detach},
    {"keys", op_keys},
    {"resize", op_resize},
    {"send", op_send},
    {"state", op_state},
    {"wait", op_wait},
};

void request_serve(struct peer *p, uint32_t sequence, const struct json *body)
{
	const char *name = json_get_string(body, "op", "");
	struct err err = ERR_INIT;
	struct json *reply = json_new_object();
	int result = -1;
	op_fn run = NULL;
	for (size_t i = 0; i < COUNT_OF(operations) && !run; i++)
		if (!strcmp(operations[i].name, name))
			run = operations[i].run;
	if (run)
		result = run(p, sequence, body, reply, &err);
	else
		err_set(&err, ERR_PROTOCOL,
		    "this session's worker (version %s) does not know the request \"%s\"", HANDLER_VERSION,
		    name);
	if (result == 0)
		peer_send_json(p, WIRE_REPLY, sequence, reply);
	else if (result < 0)
		request_reply_error(p, sequence, &err);
	json_free(reply);
}
