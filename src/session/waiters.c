/*
 * waiters: those who wait for a session to be in a state, to show a text, to be quiet.
 *
 * Waiting for idle or done is waiting for a turn to end: it ends, too, when the turn cannot go on without the
 * user, and when nothing will ever tell.  A turn that ended before anybody waited is in the ledger.
 */
#include <regex.h>
#include <stdlib.h>

#include "base/mem.h"
#include "session/parts.h"

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

/* Whether that turn, which was waited for by its number, has ended: whatever happened since. */
static bool turn_over(const struct worker *w, const struct waiter *wait)
{
	const struct turn *t = wait->turn ? ledger_turn(&w->ledger, wait->turn) : NULL;
	return wait->for_rest_state && t && t->ended >= 0 && !state_ended(t->state);
}

/* Nothing tells what the program does, and no time was set to wait in case something will. */
static bool untold(struct worker *w, const struct waiter *wait)
{
	return wait->for_rest_state && wait->deadline < 0 && status_get(w->status)->state == STATE_UNKNOWN &&
	       !status_tells(w->status);
}

static bool turn_reached(const struct status_view *v, uint32_t turn)
{
	return turn == 0 || v->turn >= turn;
}

/* 1: it is so; -1: it cannot become so without the user (err is set); 0: not yet. */
static int judge(struct worker *w, const struct waiter *wait, struct err *err)
{
	const struct status_view *v = status_get(w->status);
	if (turn_over(w, wait))
		return 1;
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
	if (untold(w, wait)) {
		err_set(err, ERR_STATE_UNKNOWN,
		    "session %s tells nothing about what it does: whether it is idle or done cannot be known",
		    w->record.name);
		err_hint(
		    err, "`handler wait %s --for quiet=10` returns once its output rests.", w->record.name);
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

/* The state, of a turn that was waited for by its number the one that it ended in. */
static struct json *answer(struct worker *w, const struct waiter *wait)
{
	struct json *reply = report_state(w);
	if (turn_over(w, wait)) {
		const struct turn *t = ledger_turn(&w->ledger, wait->turn);
		json_set_string(reply, "state", state_name(t->state));
		json_set_string(reply, "reason", t->reason);
		json_set_number(reply, "turn", t->number);
	}
	return reply;
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
		struct json *reply = verdict > 0 ? answer(w, *at) : NULL;
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
	/* done is idle that nobody has looked at yet: perhaps nobody ever does. */
	if (wait->states & 1u << STATE_IDLE)
		wait->states |= 1u << STATE_DONE;
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

int waiter_request(struct peer *p, uint32_t sequence, const struct json *body, struct err *err)
{
	struct worker *w = p->worker;
	struct waiter *wait = mem_zalloc(1, sizeof *wait);
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
	return 1; /* the answer comes later */
}
