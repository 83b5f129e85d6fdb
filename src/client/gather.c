/* gather: see gather.h. */
#include "client/gather.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/call.h"

enum { RETRY_MS = 20 };

enum place_state { PLACE_WAITS, PLACE_REACHED, PLACE_FAILED };

struct place {
	const struct record *record;
	enum place_state state;
	struct call *call; /* NULL while it is to be opened again */
	uint32_t sequence;
	struct err why;
};

struct gather {
	struct place *places;
	struct pollfd *polled; /* one for each place */
	int count;
	const struct json *body;
	int64_t deadline; /* < 0: none */
	gather_reached *reached;
	void *user;
};

static void hang_up(struct place *p)
{
	call_close(p->call);
	p->call = NULL;
}

static void reach(struct gather *g, struct place *p, struct json *answer)
{
	hang_up(p);
	p->state = PLACE_REACHED;
	g->reached(p->record, answer, g->user);
	json_free(answer);
}

/* A connection that was closed belongs to a worker that is being replaced, or to a session that is over. */
static void lose(struct gather *g, struct place *p, const struct err *why)
{
	hang_up(p);
	if (why->code == ERR_CLOSED && record_still_live(p->record))
		return;
	p->state = PLACE_FAILED;
	p->why = *why;
	if (why->code != ERR_ENDED && record_still_live(p->record))
		return;
	struct json *answer = call_wait_ended(p->record->path, g->body, &p->why);
	if (answer)
		reach(g, p, answer);
}

static void ask(struct gather *g, struct place *p)
{
	struct err why = ERR_INIT;
	struct json *request = json_copy(g->body);
	int64_t left = g->deadline - clock_mono_ms();
	if (g->deadline >= 0)
		json_set_number(request, "timeout", left > 0 ? (double)left / 1000 : 0);
	p->call = call_open(p->record, &why);
	p->sequence = p->call ? call_begin(p->call, request, &why) : 0;
	json_free(request);
	if (!p->sequence)
		lose(g, p, &why);
}

static void hear(struct gather *g, struct place *p)
{
	struct err why = ERR_INIT;
	struct json *answer;
	int got = call_take(p->call, p->sequence, &answer, &why);
	if (got > 0)
		reach(g, p, answer);
	else if (got < 0)
		lose(g, p, &why);
}

static int count_in(const struct gather *g, enum place_state state)
{
	int n = 0;
	for (int i = 0; i < g->count; i++)
		n += g->places[i].state == state;
	return n;
}

/* The failure that ends it: one that needs its user, at once; of the others, any unless one is enough. */
static const struct place *decisive(const struct gather *g, bool any)
{
	const struct place *found = NULL;
	for (int i = 0; i < g->count; i++) {
		const struct place *p = &g->places[i];
		if (p->state != PLACE_FAILED)
			continue;
		if (!found || err_exit_status(p->why.code) > err_exit_status(found->why.code))
			found = p;
	}
	bool needs_user = found && err_exit_status(found->why.code) == err_exit_status(ERR_NOT_READY);
	bool last = count_in(g, PLACE_WAITS) == 0 && count_in(g, PLACE_REACHED) == 0;
	return needs_user || !any || last ? found : NULL;
}

static void wait_for_words(struct gather *g)
{
	bool retry = false;
	for (int i = 0; i < g->count; i++) {
		const struct place *p = &g->places[i];
		bool waits = p->state == PLACE_WAITS;
		g->polled[i] =
		    (struct pollfd){.fd = waits && p->call ? call_fd(p->call) : -1, .events = POLLIN};
		retry = retry || (waits && !p->call);
	}
	poll(g->polled, (nfds_t)g->count, retry ? RETRY_MS : -1);
}

static int serve(struct gather *g, bool any, struct err *err)
{
	for (;;) {
		for (int i = 0; i < g->count; i++)
			if (g->places[i].state == PLACE_WAITS && !g->places[i].call)
				ask(g, &g->places[i]);
		for (int i = 0; i < g->count; i++)
			if (g->places[i].state == PLACE_WAITS && g->places[i].call)
				hear(g, &g->places[i]);
		if (any && count_in(g, PLACE_REACHED) > 0)
			return 0;
		const struct place *failed = decisive(g, any);
		if (failed) {
			if (err)
				*err = failed->why;
			return -1;
		}
		if (count_in(g, PLACE_WAITS) == 0)
			return 0;
		wait_for_words(g);
	}
}

int gather_wait(struct record *const *sessions, int count, const struct json *body, double seconds, bool any,
    gather_reached *reached, void *user, struct err *err)
{
	struct gather g = {.places = mem_zalloc((size_t)count, sizeof(struct place)),
	    .polled = mem_zalloc((size_t)count, sizeof(struct pollfd)),
	    .count = count,
	    .body = body,
	    .deadline = seconds < 0 ? -1 : clock_mono_ms() + (int64_t)(seconds * 1000),
	    .reached = reached,
	    .user = user};
	for (int i = 0; i < count; i++)
		g.places[i].record = sessions[i];
	int result = serve(&g, any, err);
	for (int i = 0; i < count; i++)
		hang_up(&g.places[i]);
	free(g.places);
	free(g.polled);
	return result;
}
