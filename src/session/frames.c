/*
 * frames: when a client is sent what has changed, and whose size the session has.
 *
 * A frame is due at once after a key's echo, else at most every FRAME_INTERVAL_MS, and while output floods,
 * which nobody can read, every FLOOD_INTERVAL_MS; it waits for the end of a synchronized update (mode 2026),
 * but not for ever.  A client that is slow to acknowledge gets the newest
 * state later instead of every state.  Nothing here repeats when nothing changes.
 *
 * The size belongs to the client whose key, paste or click reached the session last.  Looking, previews and
 * focus never change it, and it moves only after the former owner was quiet; the others see a part of a
 * screen that is not theirs.
 */
#include "base/clock.h"
#include "os/pty.h"
#include "session/checkpoint.h"
#include "session/parts.h"
#include "session/recorder.h"

int64_t worker_now(struct worker *w)
{
	return (int64_t)uv_now(&w->loop);
}

int64_t worker_seconds(const struct worker *w)
{
	return (clock_boot_ms() + w->clock_offset) / 1000;
}

/* --- frames --- */

static bool shows(const struct peer *p)
{
	return p->hello && p->view.visible && !p->closing;
}

static bool has_credit(const struct peer *p)
{
	return p->frames_out == 0 || (p->frames_out < CREDIT_FRAMES && p->unacknowledged < CREDIT_BYTES);
}

static void send_frame(struct peer *p, const struct screen *s)
{
	AUTO_BUF out = BUF_INIT;
	do {
		buf_clear(&out);
		if (!delta_encode(p->delta, s, &out))
			break;
		p->frames_out++;
		p->unacknowledged += out.len;
		peer_send(p, WIRE_SCREEN, ++p->frame_sequence, out.data, out.len);
	} while (delta_sender_more(p->delta) && !p->closing);
	p->pending = false;
	input_tell_done(p);
}

static void send_frames(struct worker *w)
{
	const struct screen *s = term_screen(w->term);
	w->dirty = w->echo_due = false;
	w->held_since = 0;
	w->last_frame = worker_now(w);
	/* One without new output (a new view's) keeps nothing waiting: a start's first output follows. */
	bool fresh = w->shared->parsed != w->sent_parsed;
	w->frame_due = w->last_frame + (fresh ? FRAME_INTERVAL_MS : 0);
	w->frame_parsed = w->sent_parsed = w->shared->parsed;
	for (struct peer *p = w->peers, *next; p; p = next) {
		next = p->next;
		if (shows(p) && has_credit(p))
			send_frame(p, s);
		else if (shows(p))
			p->pending = true;
	}
}

static void on_frame_timer(uv_timer_t *timer)
{
	frames_flush(timer->data);
}

static void wait_for_frame(struct worker *w, int64_t ms)
{
	if (!uv_is_active((uv_handle_t *)&w->frame_timer))
		uv_timer_start(&w->frame_timer, on_frame_timer, (uint64_t)(ms > 0 ? ms : 1), 0);
}

/* Whether the frame has to wait for the program to finish its update. */
static bool held(struct worker *w, int64_t now)
{
	if (!w->sync_on)
		return false;
	if (w->held_since == 0)
		w->held_since = now;
	int64_t left = w->held_since + SYNC_HOLD_MS - now;
	if (left <= 0)
		return false;
	wait_for_frame(w, left);
	return true;
}

static bool anybody_shows(const struct worker *w)
{
	for (const struct peer *p = w->peers; p; p = p->next)
		if (shows(p))
			return true;
	return false;
}

/* The rest of what a program paints in one go comes within a moment; a frame without it would be torn. */
static bool gathers(const struct worker *w, int64_t now)
{
	return w->shared->parsed - w->sent_parsed >= GATHER_BYTES && now < w->last_output + GATHER_MS &&
	       now < w->dirty_since + FRAME_INTERVAL_MS;
}

/* So much has come since the last frame that nobody can have read it. */
static bool floods(const struct worker *w)
{
	return w->shared->parsed - w->sent_parsed >= FLOOD_BYTES;
}

/* When the end of a flood, or a pause in which it can be read, is shown, unless more comes. */
static int64_t rest_due(const struct worker *w)
{
	int64_t rest = w->last_output + FLOOD_REST_MS, next = w->last_frame + FRAME_INTERVAL_MS;
	return rest > next ? rest : next;
}

static int64_t until_due(const struct worker *w, int64_t now)
{
	int64_t rest = rest_due(w);
	return (floods(w) && rest < w->frame_due ? rest : w->frame_due) - now;
}

/*
 * Whether the next frame is not due yet.  One that is due while output floods is put off by one interval and
 * looked at again then.
 */
static bool early(struct worker *w, int64_t now)
{
	uint64_t parsed = w->shared->parsed;
	if (floods(w) && now >= rest_due(w))
		return false;
	if (now >= w->frame_due && parsed - w->frame_parsed >= FLOOD_BYTES &&
	    now - w->last_frame < FLOOD_INTERVAL_MS) {
		w->frame_due = now + FRAME_INTERVAL_MS;
		w->frame_parsed = parsed;
	}
	if (now < w->frame_due)
		wait_for_frame(w, until_due(w, now));
	else if (gathers(w, now))
		wait_for_frame(w, GATHER_MS);
	else
		return false;
	return true;
}

void frames_flush(struct worker *w)
{
	if (!w->dirty)
		return;
	if (!anybody_shows(w)) {
		w->dirty = false;
		return;
	}
	uv_update_time(&w->loop);
	int64_t now = worker_now(w);
	if (held(w, now))
		return;
	if (!w->echo_due && early(w, now))
		return;
	uv_timer_stop(&w->frame_timer);
	send_frames(w);
}

void frames_dirty(struct worker *w)
{
	if (!w->dirty)
		w->dirty_since = worker_now(w);
	w->dirty = true;
	recorder_dirty(w);
}

void frames_sync(struct worker *w, bool on)
{
	w->sync_on = on;
	recorder_sync(w, on);
	if (!on)
		uv_timer_stop(&w->frame_timer);
}

void frames_ack(struct peer *p)
{
	if (p->frames_out > 0)
		p->frames_out--;
	if (p->frames_out == 0)
		p->unacknowledged = 0;
	if (p->pending && shows(p) && has_credit(p)) {
		if (p->worker->sync_on)
			frames_dirty(p->worker);
		else
			send_frame(p, term_screen(p->worker->term));
	}
}

/* --- size --- */

void frames_resize(struct worker *w, int rows, int cols, int xpixel, int ypixel)
{
	struct handover *h = w->shared;
	uv_timer_stop(&w->resize_timer);
	if (h->rows == rows && h->cols == cols && h->xpixel == xpixel && h->ypixel == ypixel)
		return;
	bool cells = h->rows != rows || h->cols != cols;
	/* That pixels have become known, a moment after the start, is not worth a SIGWINCH: agents draw
	   everything anew.  They are told with the next change; CSI 14 t and 16 t answer before. */
	if (!cells && h->xpixel == 0 && h->ypixel == 0)
		return;
	handover_resized(h, rows, cols, xpixel, ypixel);
	if (cells) {
		struct turn_lines lines;
		turns_before_resize(w, rows, cols, &lines);
		term_resize(w->term, rows, cols);
		turns_after_resize(w, &lines);
		checkpoint_take(w); /* rows may have come back from the history: an older state does not fit
				       it any more */
		w->sync_on = false;
	}
	pty_resize(w->master, rows, cols, xpixel, ypixel);
	struct buf *replies = term_replies(w->term);
	if (replies->len) {
		input_bytes(w, replies->data, replies->len);
		buf_clear(replies);
	}
	frames_dirty(w);
	w->state_dirty = true;
	report_changed(w);
}

static void on_resize_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	frames_resize(w, w->want_rows, w->want_cols, w->want_xpixel, w->want_ypixel);
	frames_flush(w);
}

static int clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

static void want_size_of(struct peer *p, bool at_once)
{
	struct worker *w = p->worker;
	if (p->view.rows == 0 || p->view.cols == 0 || w->pinned || w->leader_told)
		return;
	w->want_rows = clamp(p->view.rows, SCREEN_MIN_ROWS, SCREEN_MAX_ROWS);
	w->want_cols = clamp(p->view.cols, SCREEN_MIN_COLS, SCREEN_MAX_COLS);
	w->want_xpixel = p->view.xpixel * w->want_cols;
	w->want_ypixel = p->view.ypixel * w->want_rows;
	if (at_once)
		frames_resize(w, w->want_rows, w->want_cols, w->want_xpixel, w->want_ypixel);
	else
		uv_timer_start(&w->resize_timer, on_resize_timer, RESIZE_SETTLE_MS, 0);
}

static bool may_own(const struct peer *p)
{
	return shows(p) && !p->view.preview && !p->view.readonly;
}

static void own(struct peer *p)
{
	p->worker->owner = p;
	p->worker->owner_token = 0;
	report_save(p->worker);
}

void frames_view(struct peer *p, const struct wire_view *v)
{
	struct worker *w = p->worker;
	bool first = !p->view.visible && v->visible;
	p->view = *v;
	if (v->refresh || first)
		delta_sender_reset(p->delta);
	if (w->owner == p && !may_own(p))
		w->owner = NULL;
	if (!w->owner && may_own(p) && (!w->owner_token || w->owner_token == p->token))
		own(p);
	/* Who comes to look is shown the right size from the first frame on; a gesture is waited out. */
	if (w->owner == p)
		want_size_of(p, first);
	if (shows(p)) {
		p->pending = true;
		w->dirty = true;
		w->echo_due = true;
	}
	report_viewed_check(w);
}

void frames_input(struct peer *p)
{
	struct worker *w = p->worker;
	int64_t now = worker_now(w);
	p->last_input = p->last_used = now;
	forward_update(w);
	if (p == w->owner || !may_own(p))
		return;
	if (w->owner && now - w->owner->last_input < OWNER_QUIET_MS)
		return;
	own(p);
	want_size_of(p, false);
}

void frames_gone(struct peer *p)
{
	if (p->worker->owner == p)
		p->worker->owner = NULL;
}

void frames_timers_init(struct worker *w)
{
	uv_timer_t *timers[] = {&w->frame_timer, &w->resize_timer};
	for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
		uv_timer_init(&w->loop, timers[i]);
		timers[i]->data = w;
	}
}
