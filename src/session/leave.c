/*
 * leave: a worker makes way for another one, so that nobody notices.
 *
 * What its successor cannot go on with is finished first: input that the program has not taken yet, a prompt
 * that is being typed.  If that takes too long, it stays and says so.  What can be handed over is in the
 * shared memory then: the emulator's state, the status, a paste that is open.  Clients are told that they are
 * to ask again, or just see the connection closed, as with a worker that died.
 */
#include <string.h>
#include <sys/socket.h>

#include "session/checkpoint.h"
#include "session/parts.h"

enum {
	LEAVE_LOOK_MS = 20,
	LEAVE_WAIT_MS = 10000, /* to be told in good time: the keeper ends a worker that says nothing */
};

void leave_now(struct worker *w)
{
	checkpoint_take(w);
	report_save(w);
	report_flush(w);
	state_file_flush(w->state_file);
	w->shared->paste_token = w->shared->paste_open ? w->paste_token : 0;
	while (w->peers) {
		struct peer *p = w->peers;
		bool tell = p->asks_again || prompt_waits_for(p);
		peer_drop(
		    p, tell ? "replaced" : NULL, "its worker is being replaced; nothing was done: ask again");
	}
	worker_finish(w, WORKER_LEFT);
}

static void on_leave(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	if (w->ending)
		return;
	if (!w->input.len && !prompt_under_way(w)) {
		leave_now(w);
	} else if (worker_now(w) >= w->leave_deadline) {
		struct channel_message stays = {.type = CHANNEL_STAYS};
		w->leaving = false;
		uv_timer_stop(timer);
		send(w->channel, &stays, sizeof stays, MSG_NOSIGNAL | MSG_DONTWAIT);
		prompt_advance(w);
	}
}

void leave_begin(struct worker *w)
{
	w->leaving = true;
	w->leave_deadline = worker_now(w) + LEAVE_WAIT_MS;
	uv_timer_start(&w->leave_timer, on_leave, 0, LEAVE_LOOK_MS);
}
