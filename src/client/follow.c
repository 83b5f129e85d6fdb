/* follow: see follow.h. */
#include "client/follow.h"

#include <signal.h>
#include <stdlib.h>
#include <uv.h>

#include "base/mem.h"
#include "base/path.h"
#include "client/link.h"
#include "client/watch.h"

/* One session. */
struct followed {
	struct follow *follow;
	struct record record;
	struct link *link; /* NULL: it has ended, or is not there yet */
	bool told;         /* it was announced */
	bool found;
};

struct follow {
	uv_loop_t loop;
	uv_signal_t interrupt, terminate;
	uv_poll_t output;
	bool watches_output;
	char *dir;
	struct watch *watch;
	struct followed **items;
	size_t count;
	bool begun; /* what is new from now on has started */
	follow_told *told;
	void *user;
};

/* --- telling --- */

static void tell_about(
    struct followed *f, enum follow_what what, enum session_state before, const char *old_name)
{
	struct follow_event e = {.what = what, .record = &f->record, .before = before, .old_name = old_name};
	if (!f->follow->told(&e, f->follow->user))
		uv_stop(&f->follow->loop);
}

static bool same_text(const struct json *a, const struct json *b)
{
	return !strcmp(json_get_string(a, "text", ""), json_get_string(b, "text", "")) &&
	       !strcmp(json_get_string(a, "time", ""), json_get_string(b, "time", ""));
}

/* What is different from what was told last. */
static void tell_changes(struct followed *f, const struct record *old)
{
	const struct record *now = &f->record;
	if (strcmp(old->name, now->name) != 0)
		tell_about(f, FOLLOW_RENAMED, old->state, old->name);
	if (old->state != now->state || strcmp(old->reason, now->reason) != 0)
		tell_about(f, FOLLOW_STATE, old->state, NULL);
	else if (old->turn != now->turn)
		tell_about(f, FOLLOW_TURN, old->state, NULL);
	if (old->queued != now->queued)
		tell_about(f, FOLLOW_QUEUED, old->state, NULL);
	if (now->note && !same_text(old->note, now->note))
		tell_about(f, FOLLOW_NOTE, old->state, NULL);
}

/* A session is announced once it has a keeper: until then its start may fail, and leave nothing. */
static void announce(struct followed *f)
{
	if (f->told || (!f->record.keeper && !state_ended(f->record.state)))
		return;
	f->told = true;
	if (f->follow->begun)
		tell_about(f, FOLLOW_STARTED, f->record.state, NULL);
	else if (!state_ended(f->record.state))
		tell_about(f, FOLLOW_PRESENT, f->record.state, NULL);
}

/* --- what is remembered of a session, to be compared with --- */

static struct record remember(const struct record *r)
{
	return (struct record){.state = r->state,
	    .turn = r->turn,
	    .queued = r->queued,
	    .name = mem_strdup(r->name),
	    .reason = mem_strdup(r->reason),
	    .note = r->note ? json_copy(r->note) : NULL};
}

static void update_link(struct followed *f);

static void take_record(struct followed *f, struct record *now)
{
	struct record old = f->record;
	f->record = *now;
	f->found = true;
	bool told = f->told;
	announce(f);
	if (told)
		tell_changes(f, &old);
	record_finish(&old);
	update_link(f);
}

static void on_message(
    struct link *l, uint16_t type, uint32_t sequence, const void *data, size_t len, void *user)
{
	struct followed *f = user;
	(void)l;
	(void)sequence;
	struct json *j = type == WIRE_STATE ? json_parse(data, len, "message", NULL) : NULL;
	if (!j)
		return;
	struct record old = remember(&f->record);
	record_merge(&f->record, j);
	json_free(j);
	tell_changes(f, &old);
	record_finish(&old);
}

static void on_connected(struct link *l, void *user)
{
	(void)l;
	(void)user;
}

static struct followed *find(const struct follow *follow, const char *id)
{
	for (size_t i = 0; i < follow->count; i++)
		if (!strcmp(follow->items[i]->record.id, id))
			return follow->items[i];
	return NULL;
}

/* The record on disk says how it ended. */
static void on_lost(struct link *l, bool ended, const struct err *why, void *user)
{
	struct followed *f = user;
	struct record now;
	(void)why;
	if (!ended)
		return;
	link_close(l);
	f->link = NULL;
	if (record_load(f->record.path, &now, NULL) == 0)
		take_record(f, &now);
}

static void update_link(struct followed *f)
{
	static const struct link_callbacks callbacks = {
	    .message = on_message, .connected = on_connected, .lost = on_lost};
	struct record now;
	if (f->link || !f->record.live || state_ended(f->record.state))
		return;
	f->link = link_watch(&f->follow->loop, &f->record, &callbacks, f, NULL);
	if (f->link || record_load(f->record.path, &now, NULL) < 0)
		return;
	if (now.live) /* asked again at its next change */
		record_finish(&now);
	else
		take_record(f, &now);
}

/* --- which sessions there are --- */

static struct followed *add(struct follow *follow)
{
	struct followed *f = mem_zalloc(1, sizeof *f);
	f->follow = follow;
	follow->items = mem_realloc(follow->items, follow->count + 1, sizeof *follow->items);
	return follow->items[follow->count++] = f;
}

static void destroy(struct followed *f)
{
	if (f->link)
		link_close(f->link);
	record_finish(&f->record);
	free(f);
}

static void drop(struct follow *follow, struct followed *f)
{
	size_t i = 0;
	while (follow->items[i] != f)
		i++;
	follow->items[i] = follow->items[--follow->count];
	if (f->told)
		tell_about(f, FOLLOW_REMOVED, f->record.state, NULL);
	destroy(f);
}

static void take_new(struct follow *follow, struct record *now)
{
	struct followed *f = find(follow, now->id);
	take_record(f ? f : add(follow), now);
}

static int read_all(struct follow *follow, struct err *err)
{
	struct record_list list;
	if (record_list_load(&list, err) < 0)
		return -1;
	for (size_t i = 0; i < follow->count; i++)
		follow->items[i]->found = false;
	for (size_t i = 0; i < list.count; i++)
		take_new(follow, &list.items[i]);
	free(list.items); /* the records themselves are ours now */
	for (size_t i = 0; i < follow->count;)
		if (follow->items[i]->found)
			i++;
		else
			drop(follow, follow->items[i]);
	return 0;
}

static void read_one(struct follow *follow, const char *id)
{
	AUTO_FREE char *path = path_join(follow->dir, id);
	struct followed *f = find(follow, id);
	struct record now;
	if (record_load(path, &now, NULL) == 0)
		take_new(follow, &now);
	else if (f && !path_is_dir(path))
		drop(follow, f);
}

/* What happens in a session that has a worker, that tells; its files are only behind. */
static void on_watch(enum watch_what what, const char *id, void *user)
{
	struct follow *follow = user;
	const struct followed *f = id ? find(follow, id) : NULL;
	if (!id)
		read_all(follow, NULL);
	else if (what == WATCH_LIST || !f || !f->link)
		read_one(follow, id);
}

/* --- the loop --- */

static void on_signal(uv_signal_t *handle, int number)
{
	(void)number;
	uv_stop(handle->loop);
}

/* Nothing is ever written to us there: a pipe whose reader has gone says so by an error. */
static void on_output(uv_poll_t *handle, int status, int events)
{
	if (status < 0 || (events & UV_DISCONNECT))
		uv_stop(handle->loop);
}

static void watch_output(struct follow *follow, int output)
{
	follow->watches_output = uv_poll_init(&follow->loop, &follow->output, output) == 0;
	if (follow->watches_output)
		uv_poll_start(&follow->output, UV_DISCONNECT, on_output);
}

static void watch_signals(struct follow *follow)
{
	uv_signal_init(&follow->loop, &follow->interrupt);
	uv_signal_init(&follow->loop, &follow->terminate);
	uv_signal_start(&follow->interrupt, on_signal, SIGINT);
	uv_signal_start(&follow->terminate, on_signal, SIGTERM);
}

/* First the watch, then the reading: nothing falls between them. */
static int begin(struct follow *follow, struct err *err)
{
	follow->dir = sessions_dir(err);
	if (!follow->dir)
		return -1;
	follow->watch = watch_create(&follow->loop, follow->dir, on_watch, follow, err);
	if (!follow->watch || read_all(follow, err) < 0)
		return -1;
	follow->begun = true;
	return 0;
}

static void finish(struct follow *follow)
{
	watch_destroy(follow->watch);
	for (size_t i = 0; i < follow->count; i++)
		destroy(follow->items[i]);
	uv_close((uv_handle_t *)&follow->interrupt, NULL);
	uv_close((uv_handle_t *)&follow->terminate, NULL);
	if (follow->watches_output)
		uv_close((uv_handle_t *)&follow->output, NULL);
	uv_run(&follow->loop, UV_RUN_DEFAULT);
	uv_loop_close(&follow->loop);
	free(follow->items);
	free(follow->dir);
}

int follow_run(int output, follow_told *told, void *user, struct err *err)
{
	struct follow follow = {.told = told, .user = user};
	uv_loop_init(&follow.loop);
	watch_signals(&follow);
	watch_output(&follow, output);
	int result = begin(&follow, err);
	if (result == 0)
		uv_run(&follow.loop, UV_RUN_DEFAULT);
	finish(&follow);
	return result;
}
