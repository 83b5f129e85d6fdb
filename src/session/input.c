/*
 * input: keys, mouse, pastes and answers on their way to the program.
 *
 * One queue, in order.  A mark at the end of each client's message tells when the program has taken it: then
 * the shared memory remembers it and the client hears INPUT_DONE, so that nothing is lost or typed twice when
 * this worker is replaced.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/parts.h"

/* --- what was done, over the deaths of workers --- */

static struct handover_input *input_slot(struct worker *w, uint64_t token)
{
	for (int i = 0; i < HANDOVER_INPUTS; i++)
		if (w->shared->inputs[i].token == token)
			return &w->shared->inputs[i];
	return NULL;
}

bool input_is_new(struct worker *w, uint64_t token, uint32_t sequence)
{
	struct handover_input *slot = token ? input_slot(w, token) : NULL;
	return !slot || (int32_t)(sequence - slot->sequence) > 0;
}

static void remember_done(struct worker *w, uint64_t token, uint32_t sequence)
{
	if (!token)
		return;
	struct handover_input *slot = input_slot(w, token);
	if (!slot) {
		slot = &w->shared->inputs[w->shared->input_next++ % HANDOVER_INPUTS];
		slot->token = token;
	}
	slot->sequence = sequence;
}

/* --- the queue --- */

void input_tell_done(struct peer *p)
{
	if (!p->done_waits)
		return;
	p->done_waits = false;
	peer_send(p, WIRE_INPUT_DONE, p->input_done, NULL, 0);
}

static void on_done_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	for (struct peer *p = w->peers, *next; p; p = next) {
		next = p->next;
		input_tell_done(p);
	}
}

/*
 * A front-end hears of it behind the frame with the echo: told at once it would wake up for that, and keep
 * the program that is to echo from its processor.
 */
static void done(struct peer *p, uint32_t sequence)
{
	uv_timer_t *timer = &p->worker->done_timer;
	p->input_done = sequence;
	p->done_waits = true;
	if (!p->terminal)
		input_tell_done(p);
	else if (!uv_is_active((uv_handle_t *)timer))
		uv_timer_start(timer, on_done_timer, INPUT_DONE_MS, 0);
}

static void mark_done(struct worker *w, const struct input_mark *m)
{
	remember_done(w, m->token, m->sequence);
	if (m->paste_closes)
		w->shared->paste_open = 0;
	struct peer *p = peer_by_id(w, m->peer);
	if (p)
		done(p, m->sequence);
}

static void pass_marks(struct worker *w)
{
	size_t passed = 0;
	while (passed < w->mark_count && w->marks[passed].end <= w->input_written)
		mark_done(w, &w->marks[passed++]);
	w->mark_count -= passed;
	if (passed && w->mark_count)
		memmove(w->marks, w->marks + passed, w->mark_count * sizeof *w->marks);
}

static void add_mark(struct worker *w, struct peer *p, uint32_t sequence, bool paste_closes)
{
	if (w->mark_count == w->mark_cap) {
		w->mark_cap = w->mark_cap ? w->mark_cap * 2 : 32;
		w->marks = mem_realloc(w->marks, w->mark_cap, sizeof *w->marks);
	}
	w->marks[w->mark_count++] = (struct input_mark){.end = w->input_written + w->input.len,
	    .peer = p ? p->id : 0,
	    .token = p ? p->token : 0,
	    .sequence = sequence,
	    .paste_closes = paste_closes};
}

void input_flush(struct worker *w)
{
	while (w->input.len) {
		ssize_t n = write(w->master, w->input.data, w->input.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			n = (ssize_t)w->input.len; /* nobody will ever read it */
		if (n <= 0)
			break;
		buf_consume(&w->input, (size_t)n);
		w->input_written += (uint64_t)n;
	}
	pass_marks(w);
	output_poll(w);
	peers_pause(w, w->input.len > INPUT_QUEUE_MAX);
}

void input_bytes(struct worker *w, const void *data, size_t len)
{
	buf_add(&w->input, data, len);
	input_flush(w);
}

static void queue_for(
    struct worker *w, struct peer *p, uint32_t sequence, const struct buf *bytes, bool paste_closes)
{
	if (bytes->len)
		w->echo_due = true;
	buf_add(&w->input, bytes->data, bytes->len);
	add_mark(w, p, sequence, paste_closes);
	input_flush(w);
	if (bytes->len && !w->input.len)
		output_await_echo(w);
}

/* --- what people do --- */

bool input_submits(const struct key *k)
{
	return k->code == KEY_ENTER && !(k->mods & MOD_HELD) && k->event != KEY_RELEASE;
}

/*
 * How much of a draft stands in the program's composer, as far as keys tell: a scripted prompt must not be
 * merged into it.  Counted, not read from the screen: every composer looks different.
 */
static int draft_after(struct worker *w, const struct key *k)
{
	unsigned held = k->mods & MOD_HELD;
	if (k->event == KEY_RELEASE || status_get(w->status)->state == STATE_NEEDS_INPUT)
		return w->draft; /* what answers a question stands in no composer */
	if (k->code == KEY_ENTER && !held)
		return 0;
	if (held == MOD_CTRL && (k->code == 'c' || k->code == 'u' || k->code == 'd'))
		return 0;
	if (k->code == KEY_BACKSPACE)
		return w->draft - (w->draft > 0);
	return w->draft + (k->text[0] != '\0');
}

/* Whether there is one outlives the worker, too. */
void input_count_draft(struct worker *w, int draft)
{
	bool changed = (draft > 0) != (w->draft > 0);
	w->draft = draft;
	if (changed)
		report_save(w);
}

static void count_draft(struct worker *w, const struct key *k)
{
	int draft = draft_after(w, k);
	if (w->draft == 0 && draft > 0)
		turns_composing(w);
	input_count_draft(w, draft);
}

static void tell_status(struct worker *w, const struct key *k)
{
	bool submits = input_submits(k);
	bool ends = (k->mods & MOD_HELD) == MOD_CTRL && (k->code == 'c' || k->code == 'd');
	if (status_input(w->status, submits, worker_seconds(w)))
		report_changed(w);
	if (ends)
		status_interrupt(w->status, worker_seconds(w));
	if (submits)
		report_watch(w);
}

void input_key(struct worker *w, struct peer *p, uint32_t sequence, const struct key *k)
{
	AUTO_BUF bytes = BUF_INIT;
	if (p && !input_is_new(w, p->token, sequence))
		return;
	key_encode(k, term_key_modes(w->term), &bytes);
	count_draft(w, k);
	if (p && input_submits(k))
		turns_submitted(w, p->origin);
	queue_for(w, p, sequence, &bytes, false);
	if (bytes.len && k->event != KEY_RELEASE)
		tell_status(w, k);
}

void input_mouse(struct worker *w, struct peer *p, uint32_t sequence, const struct mouse *m)
{
	AUTO_BUF bytes = BUF_INIT;
	const struct screen *s = term_screen(w->term);
	if (p && !input_is_new(w, p->token, sequence))
		return;
	mouse_encode(m, term_key_modes(w->term), s->rows, s->cols, &bytes);
	queue_for(w, p, sequence, &bytes, false);
}

void input_paste(struct worker *w, struct peer *p, uint32_t sequence, const struct wire_paste *paste)
{
	AUTO_BUF bytes = BUF_INIT;
	if (p && !input_is_new(w, p->token, sequence))
		return;
	const struct key_modes *modes = term_key_modes(w->term);
	paste_encode(paste->text, paste->len, modes, paste->first, paste->last, &bytes);
	if (w->draft == 0)
		turns_composing(w);
	input_count_draft(w, w->draft + (utf8_columns(paste->text, paste->len) > 0));
	if (paste->first && modes->bracketed_paste) {
		w->shared->paste_open = 1;
		w->paste_token = p ? p->token : 0;
	}
	if (status_input(w->status, false, worker_seconds(w)))
		report_changed(w);
	queue_for(w, p, sequence, &bytes, paste->last);
}

void input_paste_text(struct worker *w, const char *text, size_t len)
{
	AUTO_BUF bytes = BUF_INIT;
	paste_encode(text, len, term_key_modes(w->term), true, true, &bytes);
	input_bytes(w, bytes.data, bytes.len);
}

void input_focus(struct worker *w, struct peer *p, uint32_t sequence, bool on)
{
	AUTO_BUF bytes = BUF_INIT;
	if (p && !input_is_new(w, p->token, sequence))
		return;
	focus_encode(on, term_key_modes(w->term), &bytes);
	buf_add(&w->input, bytes.data, bytes.len);
	add_mark(w, p, sequence, false);
	input_flush(w);
}

/* --- a successor --- */

enum { RETURN_MS = 5000 }; /* for a client of the predecessor to be back */

static void cut_paste(struct worker *w)
{
	static const char paste_end[] = "\033[201~";
	w->shared->paste_open = 0;
	w->shared->paste_token = 0;
	input_bytes(w, paste_end, sizeof paste_end - 1);
	term_mark(w->term, "[a paste was cut here]");
	frames_dirty(w);
}

static void on_return_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	w->owner_token = 0;
	if (w->shared->paste_token)
		cut_paste(w);
	frames_flush(w);
}

void input_client(struct worker *w, uint64_t token)
{
	if (!token || token != w->shared->paste_token)
		return;
	w->paste_token = token;
	w->shared->paste_token = 0;
}

/*
 * A paste that the last worker could not end is ended now: the program must not stay inside it for ever.  One
 * whose client is about to come back with the rest of it, as the last worker left in good order, goes on.
 */
void input_recover(struct worker *w)
{
	if (!w->shared->paste_open)
		w->shared->paste_token = 0;
	if (w->shared->paste_open && !w->shared->paste_token)
		cut_paste(w);
	uv_timer_start(&w->return_timer, on_return_timer, RETURN_MS, 0);
}
