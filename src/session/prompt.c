/*
 * prompt: giving the program a prompt from a script, so that it is what was asked for or an error: nothing
 * merges into somebody's draft, nothing answers a dialog, nothing counts as given that does not stand
 * submitted.
 *
 * One at a time: wait until the program may be written to, paste (bracketed where it asked for that), see the
 * echo, press Enter, see the composer empty or the work begin.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "harness/reset.h"
#include "session/parts.h"

enum {
	PROMPT_ECHO_MS = 10000,   /* for the pasted text to be shown */
	PROMPT_SUBMIT_MS = 10000, /* for Enter to take effect */
	PROMPT_PAUSE_MS = 150,    /* from echo to Enter: Gemini CLI takes one within 40 ms for pasted text */
	PROMPT_BEGIN_MS =
	    1500, /* from a composer that has emptied to the work; not every prompt makes a turn ("/help") */
	PROMPT_BEGIN_LATEST_MS = 10000, /* however long it goes on writing */
	PROMPT_NEEDLE_MAX = 24,         /* bytes at the text's end that are looked for on the screen */
	PROMPT_FRAME_MS = 10000,        /* for a composer to ask for bracketed paste, once it is ready */
	LIMIT_LOOK_MS = 60000,
	PROMPT_FRAME_SHELL_MS = 1000, /* for a shell, which takes lines as well */
};

enum prompt_phase {
	PROMPT_QUEUED,
	PROMPT_PASTED,
	PROMPT_SHOWN,
	PROMPT_PRESSING,
	PROMPT_SUBMITTED,
	PROMPT_EMPTIED
};

struct prompt {
	struct prompt *next;
	uint64_t peer;       /* 0: the launch plan's own */
	struct json *origin; /* who gives it */
	char
	    key[LEDGER_KEY_SIZE]; /* chosen by whoever gives it, to ask again after a worker's death; or "" */
	uint32_t sequence;
	enum prompt_phase phase;
	char *text;
	size_t len;
	bool submit, when_idle, over_draft, at_reset;
	bool limited;           /* it is given although a limit was not yet said to be over */
	bool by_lines;          /* no frame of a paste: each line was a line of its own */
	int64_t frame_deadline; /* ms, 0: no frame was missed yet */
	char needle[PROMPT_NEEDLE_MAX + 1];
	uint32_t turn;         /* before it was given */
	uint64_t written;      /* input the program had taken when last looked at */
	uint32_t turn_pressed; /* when Enter had been pressed, which itself may count a turn */
	bool working_pressed;
	int64_t deadline; /* of the phase, ms */
	int64_t latest;   /* for the work to begin, ms */
	uint64_t output;  /* offset of the program's output when the phase began */
};

/* --- what can be seen --- */

/* The last characters of the text, without white space: composers wrap and indent as they like. */
static void make_needle(struct prompt *p)
{
	AUTO_BUF plain = BUF_INIT;
	for (size_t i = 0; i < p->len; i++)
		if ((unsigned char)p->text[i] > ' ')
			buf_addc(&plain, p->text[i]);
	size_t from = plain.len > PROMPT_NEEDLE_MAX ? plain.len - PROMPT_NEEDLE_MAX : 0;
	while (from < plain.len && ((unsigned char)plain.data[from] & 0xc0) == 0x80)
		from++;
	snprintf(p->needle, sizeof p->needle, "%s", plain.data + from);
}

static void squeeze(struct buf *b)
{
	size_t to = 0;
	for (size_t i = 0; i < b->len; i++)
		if ((unsigned char)b->data[i] > ' ')
			b->data[to++] = b->data[i];
	buf_truncate(b, to);
}

static bool shown_on_screen(struct worker *w, const struct prompt *p)
{
	AUTO_BUF text = BUF_INIT;
	screen_text(term_screen(w->term), true, &text);
	squeeze(&text);
	return *p->needle && strstr(text.data, p->needle);
}

/*
 * Whether the text still stands before the cursor: it was pasted and not submitted.  A cursor that went to
 * the beginning of another line has left it, as in a shell, whose submitted lines stay where they are.
 */
static bool stands_at_cursor(struct worker *w, const struct prompt *p)
{
	AUTO_BUF text = BUF_INIT;
	const struct screen *s = term_screen(w->term);
	int above = s->cursor.row - 1;
	bool wrapped = above >= 0 && s->row[above]->flags & ROW_WRAPPED;
	if (s->cursor.col == 0 && !wrapped)
		return false;
	if (above >= 0)
		row_text(s->row[above], s->table, 0, s->cols, true, &text);
	row_text(s->row[s->cursor.row], s->table, 0, s->cursor.col + s->cursor.wrap_pending, true, &text);
	squeeze(&text);
	size_t n = strlen(p->needle);
	return n && text.len >= n && !strcmp(text.data + text.len - n, p->needle);
}

/* There was output in this phase, and then none. */
static bool rested(struct worker *w, const struct prompt *p)
{
	return w->shared->parsed > p->output && worker_now(w) - w->last_output >= REST_MS;
}

/* --- answers --- */

static void destroy(struct prompt *p)
{
	json_free(p->origin);
	free(p->text);
	free(p);
}

static void log_fault(int result, const struct err *err)
{
	if (result < 0)
		log_error("prompt", "%s", err->message);
}

/* Nobody waits for the first prompt: what became of it is said where everybody looks. */
static void tell_first_failed(struct worker *w, const struct err *err)
{
	struct json *origin = json_new_object();
	AUTO_FREE char *text = mem_printf("the first prompt was not given: %s", err->message);
	json_set_string(origin, "kind", "handler");
	log_error("prompt", "%s", text);
	turns_note(w, text, origin, NULL);
	json_free(origin);
}

static void finish(struct worker *w, struct json *reply, const struct err *err)
{
	struct prompt *p = w->prompt;
	struct peer *peer = peer_by_id(w, p->peer);
	w->prompt = p->next;
	if (peer && reply)
		peer_send_json(peer, WIRE_REPLY, p->sequence, reply);
	else if (peer)
		request_reply_error(peer, p->sequence, err);
	else if (!p->peer && !reply && !w->ending)
		tell_first_failed(w, err);
	json_free(reply);
	destroy(p);
}

static void succeed(struct worker *w)
{
	struct prompt *p = w->prompt;
	struct err err = ERR_INIT;
	uint32_t turn = status_get(w->status)->turn;
	if (p->submit && w->draft > 0)
		input_count_draft(w, w->draft - 1);
	log_fault(ledger_submitted(&w->ledger, p->key, turn, &err), &err);
	struct json *reply = json_new_object();
	json_set_number(reply, "turn", turn);
	json_set_bool(reply, "began", turn > p->turn);
	json_set_bool(reply, "submitted", p->submit);
	if (p->by_lines)
		json_set_bool(reply, "by_lines", true);
	finish(w, reply, NULL);
}

static void fail(struct worker *w, enum err_code code, const char *message, const char *hint)
{
	struct err err = ERR_INIT;
	err_set(&err, code, "session %s: %s", w->record.name, message);
	if (hint)
		err_hint(&err, "%s", hint);
	finish(w, NULL, &err);
}

/* --- phases --- */

/* When the limit that the session is under ends, seconds; -1: it does not say. */
static int64_t limit_ends(const struct worker *w)
{
	const struct status_view *v = status_get(w->status);
	return reset_time(v->reason, v->since);
}

/* A limit that is said to be over may still be shown: nothing tells, until something is tried. */
static int may_be_given_limited(struct worker *w, struct prompt *p)
{
	int64_t ends = limit_ends(w);
	if (ends < 0 && !p->when_idle) {
		fail(w, ERR_NOT_READY, "it is limited, and does not say until when",
		    "--when-idle gives the prompt when it is idle again.");
		return -1;
	}
	p->limited = ends >= 0 && clock_now() >= ends;
	return p->limited;
}

/* 1: may be given now; 0: wait; -1: refused, and finished. */
static int may_be_given(struct worker *w, struct prompt *p)
{
	const struct status_view *v = status_get(w->status);
	if (state_ended(v->state) || w->ending) {
		fail(w, ERR_ENDED, "it has ended", NULL);
		return -1;
	}
	if (v->state == STATE_STARTING || w->leaving)
		return 0;
	p->limited = false;
	if (v->state == STATE_LIMITED && p->at_reset)
		return may_be_given_limited(w, p);
	if (v->state == STATE_NEEDS_INPUT || v->state == STATE_LIMITED) {
		char why[512];
		if (p->when_idle)
			return 0;
		snprintf(why, sizeof why, "%s: %s",
		    v->state == STATE_LIMITED ? "it is limited" : "it asks something", v->reason);
		fail(w, v->state == STATE_LIMITED ? ERR_NOT_READY : ERR_DIALOG, why,
		    "Answer it in the session; --when-idle gives the prompt afterwards.");
		return -1;
	}
	if (v->state == STATE_SUSPENDED) {
		fail(w, ERR_NOT_READY, "it is suspended", "`handler resume` continues it.");
		return -1;
	}
	if (v->state == STATE_UNKNOWN && !status_ready(w->status) && !p->when_idle) {
		fail(w, ERR_NOT_READY, "what it is doing is unknown: a question may be open",
		    "Look at it with `handler capture`; --when-idle waits until it is idle.");
		return -1;
	}
	if (p->when_idle && !status_ready(w->status))
		return 0;
	if (w->draft > 0 && !p->over_draft) {
		if (p->when_idle)
			return 0;
		fail(w, ERR_DRAFT, "somebody's draft stands in its composer",
		    "Submit or clear it in the session, or use --over-draft to write behind it.");
		return -1;
	}
	return 1;
}

/*
 * A text of several lines is one prompt only inside the frame of a bracketed paste (mode 2004), and programs
 * ask for that some time after they look ready.  A shell is given lines in the end: that is what it reads. 1:
 * may be given now; 0: wait; -1: refused, and finished.
 */
static int may_be_framed(struct worker *w, struct prompt *p)
{
	bool shell = json_get_bool(json_get(w->record.session, "status"), "foreground", false);
	if (term_key_modes(w->term)->bracketed_paste || !strchr(p->text, '\n'))
		return 1;
	if (!p->frame_deadline)
		p->frame_deadline = worker_now(w) + (shell ? PROMPT_FRAME_SHELL_MS : PROMPT_FRAME_MS);
	if (worker_now(w) < p->frame_deadline)
		return 0;
	p->by_lines = shell;
	if (shell)
		return 1;
	fail(w, ERR_NOT_READY,
	    "it has not asked for bracketed paste, so each line of the text would be a prompt of its own",
	    "Give it one line; a file can be named in it.");
	return -1;
}

static void enter_phase(struct worker *w, struct prompt *p, enum prompt_phase phase, int64_t ms)
{
	p->phase = phase;
	p->deadline = worker_now(w) + ms;
	p->output = w->shared->parsed;
}

static void on_prompt_timer(uv_timer_t *timer)
{
	prompt_advance(timer->data);
}

static void give(struct worker *w, struct prompt *p)
{
	struct err err = ERR_INIT;
	log_fault(ledger_given(&w->ledger, p->key, &err), &err);
	p->turn = status_get(w->status)->turn;
	make_needle(p);
	if (w->draft == 0)
		turns_composing(w);
	input_count_draft(w, w->draft + 1); /* until Enter is seen to have taken it, it stands there */
	enter_phase(w, p, PROMPT_PASTED, PROMPT_ECHO_MS);
	if (!p->peer)
		report_save(w);
	input_paste_text(w, p->text, p->len);
}

static void press_enter(struct worker *w)
{
	struct key enter = {.code = KEY_ENTER, .event = KEY_PRESS};
	input_key(w, NULL, 0, &enter);
}

/* The program has taken all of the input; as long as it takes some, its time begins anew. */
static bool input_taken(struct worker *w, struct prompt *p, int64_t ms)
{
	if (p->written != w->input_written)
		p->deadline = worker_now(w) + ms;
	p->written = w->input_written;
	return w->input.len == 0;
}

static void after_paste(struct worker *w, struct prompt *p)
{
	/* What a limit has left on the screen may be a dialog: it gets no Enter unless the text stands there.
	 */
	bool echoed =
	    input_taken(w, p, PROMPT_ECHO_MS) && (shown_on_screen(w, p) || (rested(w, p) && !p->limited));
	if (!echoed && worker_now(w) < p->deadline)
		return;
	if (!echoed) {
		fail(w, ERR_NOT_READY, "it did not show the text that was pasted",
		    "Look at it with `handler capture`.");
		return;
	}
	if (!p->submit) {
		succeed(w);
		return;
	}
	enter_phase(w, p, PROMPT_SHOWN, PROMPT_PAUSE_MS);
}

static void after_pause(struct worker *w, struct prompt *p)
{
	if (status_get(w->status)->state == STATE_NEEDS_INPUT) {
		fail(w, ERR_DIALOG, "it has begun to ask something: the text was pasted and not submitted",
		    "Answer it in the session; the text may stand in the composer then.");
		return;
	}
	if (worker_now(w) < p->deadline)
		return;
	p->phase = PROMPT_PRESSING; /* what the key itself changes is no sign that it was taken */
	turns_submitted(w, p->origin);
	if (!p->over_draft)
		turns_submitted_text(w, p->text, p->len);
	press_enter(w);
	input_count_draft(w, w->draft + 1); /* Enter took it away: it is, once that is seen */
	p->turn_pressed = status_get(w->status)->turn;
	p->working_pressed = status_get(w->status)->state == STATE_WORKING;
	enter_phase(w, p, PROMPT_SUBMITTED, PROMPT_SUBMIT_MS);
}

static bool has_begun(struct worker *w, const struct prompt *p)
{
	const struct status_view *v = status_get(w->status);
	return v->turn > p->turn_pressed || (v->state == STATE_WORKING && !p->working_pressed) ||
	       state_ended(v->state);
}

static void after_enter(struct worker *w, struct prompt *p)
{
	bool emptied = input_taken(w, p, PROMPT_SUBMIT_MS) && rested(w, p) && !stands_at_cursor(w, p);
	if (has_begun(w, p) || (emptied && (p->turn_pressed > p->turn || p->working_pressed)))
		succeed(w);
	else if (emptied) {
		p->latest = worker_now(w) + PROMPT_BEGIN_LATEST_MS;
		enter_phase(w, p, PROMPT_EMPTIED, PROMPT_BEGIN_MS);
	} else if (worker_now(w) >= p->deadline) {
		fail(w, ERR_NOT_READY,
		    w->shared->parsed > p->output
			? "the text stands in its composer but was not taken"
			: "Enter was pressed and nothing has come of it: it may still take the text",
		    "Look at it with `handler capture`.");
	}
}

static void after_emptying(struct worker *w, struct prompt *p)
{
	bool writes = worker_now(w) - w->last_output < PROMPT_BEGIN_MS && worker_now(w) < p->latest;
	if (!has_begun(w, p) && worker_now(w) >= p->deadline && writes)
		p->deadline = w->last_output + PROMPT_BEGIN_MS; /* it may be about to say that it works */
	else if (has_begun(w, p) || worker_now(w) >= p->deadline)
		succeed(w);
}

/* Again in a minute at the latest: the clock of the wall may be set, and goes on in suspended machines. */
static int64_t limit_look(struct worker *w)
{
	int64_t ends = status_get(w->status)->state == STATE_LIMITED ? limit_ends(w) : -1;
	int64_t left = (ends - clock_now()) * 1000;
	if (ends < 0)
		return -1;
	return worker_now(w) + (left < 10 ? 10 : left > LIMIT_LOOK_MS ? LIMIT_LOOK_MS : left);
}

static int64_t next_look(struct worker *w, const struct prompt *p)
{
	if (w->ending)
		return -1;
	if (p->phase != PROMPT_QUEUED)
		return p->deadline;
	if (p->frame_deadline > worker_now(w))
		return p->frame_deadline;
	return p->at_reset ? limit_look(w) : -1;
}

int prompt_queued(const struct worker *w)
{
	int count = 0;
	for (const struct prompt *p = w->prompt; p; p = p->next)
		count += p->phase == PROMPT_QUEUED;
	return count;
}

/* How many wait is part of what is told of a session. */
static void tell_queue(struct worker *w)
{
	int count = prompt_queued(w);
	if (count == w->queued_told || w->ending)
		return;
	w->queued_told = count;
	report_changed(w);
}

static void advance(struct worker *w)
{
	struct prompt *p;
	while ((p = w->prompt)) {
		enum prompt_phase before = p->phase;
		if (p->phase == PROMPT_QUEUED && may_be_given(w, p) > 0 && may_be_framed(w, p) > 0)
			give(w, p);
		else if (w->prompt == p && p->phase == PROMPT_PASTED)
			after_paste(w, p);
		else if (w->prompt == p && p->phase == PROMPT_SHOWN)
			after_pause(w, p);
		else if (w->prompt == p && p->phase == PROMPT_SUBMITTED)
			after_enter(w, p);
		else if (w->prompt == p && p->phase == PROMPT_EMPTIED)
			after_emptying(w, p);
		if (w->prompt == p && p->phase == before)
			break;
	}
	int64_t look = w->prompt ? next_look(w, w->prompt) : -1;
	if (look < 0)
		uv_timer_stop(&w->prompt_timer);
	else
		uv_timer_start(&w->prompt_timer, on_prompt_timer,
		    look > worker_now(w) ? (uint64_t)(look - worker_now(w)) : 1, 0);
}

void prompt_advance(struct worker *w)
{
	advance(w);
	tell_queue(w);
}

static void enqueue(struct worker *w, struct prompt *p)
{
	struct prompt **at = &w->prompt;
	while (*at)
		at = &(*at)->next;
	*at = p;
	prompt_advance(w);
}

/*
 * Asked for again under its key, after the worker that was asked first has gone or the connection was lost:
 * it is given once.  True: answered, or the one that is under way will be.
 */
static bool known_by_key(struct peer *peer, uint32_t sequence, const char *key)
{
	struct worker *w = peer->worker;
	const struct ledger_key *k = ledger_key(&w->ledger, key);
	for (struct prompt *p = w->prompt; p && *key; p = p->next)
		if (!strcmp(p->key, key)) {
			p->peer = peer->id;
			p->sequence = sequence;
			return true;
		}
	if (k && k->submitted) {
		struct json *reply = json_new_object();
		json_set_number(reply, "turn", k->turn);
		json_set_bool(reply, "submitted", true);
		peer_send_json(peer, WIRE_REPLY, sequence, reply);
		json_free(reply);
	} else if (k) {
		struct err err = ERR_INIT;
		err_set(&err, ERR_NOT_READY,
		    "session %s: its worker was replaced while the prompt was being given: whether it was "
		    "submitted is not known",
		    w->record.name);
		err_hint(&err, "Look at it with `handler capture %s`.", w->record.name);
		request_reply_error(peer, sequence, &err);
	}
	return k != NULL;
}

void prompt_request(struct peer *peer, uint32_t sequence, const struct json *body)
{
	const char *key = json_get_string(body, "key", "");
	if (known_by_key(peer, sequence, key))
		return;
	struct prompt *p = mem_zalloc(1, sizeof *p);
	p->peer = peer->id;
	p->sequence = sequence;
	p->origin = peer->origin ? json_copy(peer->origin) : NULL;
	snprintf(p->key, sizeof p->key, "%s", key);
	p->text = mem_strdup(json_get_string(body, "text", ""));
	p->len = strlen(p->text);
	p->submit = json_get_bool(body, "submit", true);
	p->when_idle = json_get_bool(body, "when_idle", false);
	p->over_draft = json_get_bool(body, "over_draft", false);
	p->at_reset = json_get_bool(body, "at_reset", false);
	enqueue(peer->worker, p);
}

void prompt_first(struct worker *w)
{
	const char *text = json_get_string(w->record.session, "first_prompt", NULL);
	if (!text || !w->first_prompt)
		return;
	w->first_prompt = false;
	struct prompt *p = mem_zalloc(1, sizeof *p);
	p->text = mem_strdup(text);
	p->len = strlen(text);
	p->submit = p->when_idle = true;
	p->origin = turns_starter(w);
	enqueue(w, p);
	report_save(w);
}

/* Whoever gave up waiting for his prompt's turn does not get it given later. */
void prompt_gone(struct peer *peer)
{
	struct worker *w = peer->worker;
	const struct prompt *first = w->prompt;
	for (struct prompt **at = &w->prompt; *at;) {
		struct prompt *p = *at;
		if (p->peer != peer->id || p->phase != PROMPT_QUEUED) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		destroy(p);
	}
	if (w->prompt != first)
		prompt_advance(w);
	else
		tell_queue(w);
}

void prompt_end(struct worker *w)
{
	while (w->prompt)
		fail(w, ERR_ENDED, "it has ended", NULL);
}

bool prompt_under_way(const struct worker *w)
{
	return w->prompt && w->prompt->phase != PROMPT_QUEUED;
}

bool prompt_waits_for(const struct peer *peer)
{
	for (const struct prompt *p = peer->worker->prompt; p; p = p->next)
		if (p->peer == peer->id)
			return true;
	return false;
}

bool prompt_first_waits(const struct worker *w)
{
	for (const struct prompt *p = w->prompt; p; p = p->next)
		if (!p->peer)
			return p->phase == PROMPT_QUEUED;
	return false;
}
