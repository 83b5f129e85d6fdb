/* recorder: see recorder.h. */
#include "session/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "client/journal.h"
#include "client/tidy.h"
#include "session/parts.h"

struct recorder {
	struct worker *worker;
	struct delta_sender *sender;
	uint64_t limit, segment_max; /* bytes */
	uint64_t segment;            /* of `pending` */
	uint64_t segment_bytes;      /* put into it so far */
	struct buf pending, writing;
	int64_t pending_since; /* ms of the loop; 0: nothing pends */
	uint64_t writing_segment, written;
	uv_fs_t request;
	bool busy;         /* with `request` */
	bool unsynced;     /* was written since the last fdatasync(2) */
	bool sync_wanted;  /* the program has come to rest since */
	int64_t synced_at; /* ms of the loop */
	bool ending, waiting;
	uv_file fd; /* -1: none */
	uint64_t open_segment;
	int64_t last_screen; /* ms of the loop */
	int64_t tokens, tokens_at;
	int64_t due_since;  /* a screen waits for the end of a synchronized update since; 0: none does */
	int64_t held_since; /* that update began, as far as was seen */
	int64_t gap_since;  /* ms since 1970: screens are left out; 0: none */
	char state[64], reason[256];
	char *error;
};

static void write_more(struct recorder *r);

/* --- what is put down --- */

static void put(struct recorder *r, enum journal_type type, unsigned flags, const void *data, size_t len)
{
	size_t before = r->pending.len;

	journal_put(&r->pending, type, flags, clock_now_ms(), data, len);
	r->segment_bytes += r->pending.len - before;
	r->tokens -= (int64_t)(r->pending.len - before);
	if (!r->pending_since)
		r->pending_since = worker_now(r->worker);
}

static void put_json(struct recorder *r, enum journal_type type, struct json *j)
{
	AUTO_FREE char *text = json_print(j, false);

	json_free(j);
	if (strlen(text) <= JOURNAL_PAYLOAD_MAX)
		put(r, type, 0, text, strlen(text));
}

static void put_state(struct recorder *r)
{
	const struct status_view *v = status_get(r->worker->status);
	struct json *j = json_new_object();

	snprintf(r->state, sizeof(r->state), "%s", state_name(v->state));
	snprintf(r->reason, sizeof(r->reason), "%s", v->reason);
	json_set_string(j, "state", r->state);
	json_set_string(j, "reason", r->reason);
	json_set_string(j, "title", term_title(r->worker->term));
	put_json(r, JOURNAL_STATE, j);
}

static void put_start(struct recorder *r)
{
	struct worker *w = r->worker;
	struct json *j = json_new_object();

	json_set_string(j, "id", w->id);
	json_set_string(j, "name", w->record.name);
	json_set_string(j, "agent", w->record.agent);
	json_set_number(j, "rows", w->shared->rows);
	json_set_number(j, "cols", w->shared->cols);
	put_json(r, JOURNAL_START, j);
}

/* Begins a segment; the old one has all that it will have. */
static void begin_segment(struct recorder *r)
{
	r->segment++;
	r->segment_bytes = JOURNAL_HEADER_SIZE;
	journal_put_header(&r->pending, r->segment, clock_now_ms());
	delta_sender_reset(r->sender);
	put_start(r);
	put_state(r);
}

static void put_gap(struct recorder *r)
{
	struct json *j = json_new_object();

	json_set_number(j, "since", (double)r->gap_since);
	json_set_string(j, "why", "the disk was too slow for the journal");
	put_json(r, JOURNAL_GAP, j);
	r->gap_since = 0;
}

static void put_screen(struct recorder *r)
{
	const struct screen *s = term_screen(r->worker->term);
	AUTO_BUF delta = BUF_INIT;

	if (r->segment_bytes >= r->segment_max && r->pending.len == 0)
		begin_segment(r);
	if (r->gap_since)
		put_gap(r);
	do {
		buf_clear(&delta);
		if (!delta_encode(r->sender, s, &delta))
			break;
		put(r, JOURNAL_SCREEN, delta_sender_more(r->sender) ? JOURNAL_MORE : 0, delta.data,
		    delta.len);
	} while (delta_sender_more(r->sender));
	r->last_screen = worker_now(r->worker);
	r->due_since = 0;
}

/* --- writing --- */

static void fail(struct recorder *r, int error)
{
	struct worker *w = r->worker;

	if (r->error)
		return;
	r->error = mem_printf("the journal stopped: %s", strerror(error));
	log_error("recorder", "%s", r->error);
	buf_free(&r->pending);
	buf_free(&r->writing);
	uv_timer_stop(&w->journal_timer);
	uv_timer_stop(&w->sync_timer);
	if (!r->ending)
		report_changed(w);
}

static void on_done(uv_fs_t *request)
{
	uv_fs_req_cleanup(request);
	free(request);
}

static void close_file(struct recorder *r)
{
	uv_fs_t *request = mem_zalloc(1, sizeof(*request));

	if (r->fd < 0 || uv_fs_close(&r->worker->loop, request, r->fd, on_done) < 0)
		free(request);
	r->fd = -1;
}

/* What is over the limit with another whole segment goes, oldest first. */
static void drop_old(struct recorder *r)
{
	uint64_t keep = r->limit - r->segment_max, total;
	struct journal_list list;

	if (journal_list_load(&list, r->worker->path, NULL) < 0)
		return;
	total = journal_list_bytes(&list);
	for (size_t i = 0; i < list.count && total > keep; i++) {
		AUTO_FREE char *path = journal_segment_path(r->worker->path, list.items[i].number);
		uv_fs_t *request = mem_zalloc(1, sizeof(*request));

		if (uv_fs_unlink(&r->worker->loop, request, path, on_done) < 0)
			free(request);
		total -= list.items[i].bytes;
	}
	journal_list_finish(&list);
}

struct tidying {
	uv_work_t request;
	uint64_t limit; /* bytes */
};

static void on_tidy(uv_work_t *request)
{
	tidy_limit(((struct tidying *)request->data)->limit);
}

static void on_tidied(uv_work_t *request, int status)
{
	(void)status;
	free(request->data);
}

/* Looks at every session's files, in the pool: with many of them that takes longer than output may wait. */
static void tidy(struct worker *w)
{
	struct tidying *t = mem_zalloc(1, sizeof(*t));

	t->limit = (uint64_t)config_int(w->config, "state_limit") << 20;
	t->request.data = t;
	if (uv_queue_work(&w->loop, &t->request, on_tidy, on_tidied) < 0)
		free(t);
}

/* Ends a request.  false: it failed, and with it the journal. */
static bool completed(struct recorder *r)
{
	ssize_t result = r->request.result;

	uv_fs_req_cleanup(&r->request);
	r->busy = false;
	if (result < 0)
		fail(r, (int)-result);
	return result >= 0 && !r->error;
}

static void on_written(uv_fs_t *request)
{
	struct recorder *r = request->data;
	ssize_t n = request->result;

	if (!completed(r)) {
		close_file(r);
		return;
	}
	r->written += (uint64_t)n;
	r->unsynced = true;
	if (r->written == r->writing.len) {
		buf_free(&r->writing); /* a flood's is not kept */
		r->written = 0;
	}
	write_more(r);
}

static void on_opened(uv_fs_t *request)
{
	struct recorder *r = request->data;
	uv_file fd = (uv_file)request->result;

	if (!completed(r))
		return;
	r->fd = fd;
	r->open_segment = r->writing_segment;
	write_more(r);
}

static void started(struct recorder *r, int result)
{
	if (result < 0)
		fail(r, -result);
	else
		r->busy = true;
}

static void open_file(struct recorder *r)
{
	AUTO_FREE char *path = journal_segment_path(r->worker->path, r->writing_segment);

	bool goes_on = r->fd >= 0;

	close_file(r);
	drop_old(r);
	if (goes_on)
		tidy(r->worker);
	started(r, uv_fs_open(&r->worker->loop, &r->request, path,
		       O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600, on_opened));
}

static void take_pending(struct recorder *r)
{
	struct buf empty = r->writing;

	r->writing = r->pending;
	r->pending = empty;
	r->writing_segment = r->segment;
	r->pending_since = 0;
}

/* A file system without fdatasync(2) has nothing to wait for. */
static void forgive_no_sync(uv_fs_t *request)
{
	if (request->result == UV_EINVAL || request->result == UV_ENOSYS)
		request->result = 0;
}

/* The journal goes on without the history. */
static void on_history_synced(uv_fs_t *request)
{
	struct recorder *r = request->data;
	struct worker *w = r->worker;

	forgive_no_sync(request);
	if (request->result < 0)
		history_failed(w->history, (int)-request->result);
	uv_fs_req_cleanup(request);
	r->busy = false;
	if (!r->ending && report_history_failed(w))
		report_changed(w);
	write_more(r);
}

static void on_synced(uv_fs_t *request)
{
	struct recorder *r = request->data;
	int history = history_descriptor(r->worker->history);

	forgive_no_sync(request);
	if (!completed(r)) {
		close_file(r);
		return;
	}
	if (history >= 0)
		started(r, uv_fs_fdatasync(&r->worker->loop, &r->request, history, on_history_synced));
	else
		write_more(r);
}

static void on_sync_timer(uv_timer_t *timer)
{
	write_more(((struct worker *)timer->data)->recorder);
}

static void sync_if_due(struct recorder *r)
{
	struct worker *w = r->worker;
	int64_t wait = r->synced_at + RECORDER_SYNC_MS - worker_now(w);

	if (!r->unsynced || !r->sync_wanted || r->fd < 0)
		return;
	if (wait > 0) {
		uv_timer_start(&w->sync_timer, on_sync_timer, (uint64_t)wait, 0);
		return;
	}
	r->unsynced = r->sync_wanted = false;
	r->synced_at = worker_now(w);
	started(r, uv_fs_fdatasync(&w->loop, &r->request, r->fd, on_synced));
}

/* Goes on with what is to be done, one request at a time. */
static void write_more(struct recorder *r)
{
	if (r->busy || r->error)
		return;
	if (r->writing.len == 0 && r->pending.len > 0)
		take_pending(r);
	if (r->writing.len == 0) {
		if (r->ending)
			close_file(r);
		else
			sync_if_due(r);
		return;
	}
	if (r->fd < 0 || r->open_segment != r->writing_segment) {
		open_file(r);
		return;
	}
	uv_buf_t data = uv_buf_init(r->writing.data + r->written, (unsigned)(r->writing.len - r->written));
	started(r, uv_fs_write(&r->worker->loop, &r->request, r->fd, &data, 1, -1, on_written));
}

static void flush_if_due(struct recorder *r)
{
	bool due = r->pending.len >= RECORDER_BATCH ||
		   (r->pending_since && worker_now(r->worker) - r->pending_since >= RECORDER_BATCH_MS);

	if (due)
		write_more(r);
}

/* --- when --- */

static void on_timer(uv_timer_t *timer);

static void wait_ms(struct recorder *r, int64_t ms)
{
	uv_timer_start(&r->worker->journal_timer, on_timer, ms > 0 ? (uint64_t)ms : 1, 0);
}

static void refill(struct recorder *r)
{
	int64_t now = worker_now(r->worker);

	r->tokens += (now - r->tokens_at) * RECORDER_RATE / 1000;
	r->tokens_at = now;
	if (r->tokens > RECORDER_BURST)
		r->tokens = RECORDER_BURST;
}

/* How long a screen has to wait: for the pace, for its bytes, for the end of the program's update. */
static int64_t wait_before_screen(struct recorder *r)
{
	struct worker *w = r->worker;
	int64_t now = worker_now(w), wait = r->last_screen + RECORDER_INTERVAL_MS - now;

	refill(r);
	if (r->tokens < 0 && -r->tokens * 1000 / RECORDER_RATE > wait)
		wait = -r->tokens * 1000 / RECORDER_RATE;
	if (wait > 0 || !w->sync_on)
		return wait;
	if (!r->due_since)
		r->due_since = r->held_since = now;
	bool enough = now - r->held_since >= SYNC_HOLD_MS || now - r->due_since >= RECORDER_HOLD_MS;
	return enough ? 0 : FRAME_INTERVAL_MS;
}

static void on_timer(uv_timer_t *timer)
{
	struct recorder *r = ((struct worker *)timer->data)->recorder;
	int64_t wait = wait_before_screen(r);

	if (wait > 0) {
		wait_ms(r, wait);
		return;
	}
	if (r->pending.len >= RECORDER_PENDING_MAX) {
		if (!r->gap_since)
			r->gap_since = clock_now_ms();
		wait_ms(r, RECORDER_BATCH_MS);
		return;
	}
	put_screen(r);
	flush_if_due(r);
}

void recorder_dirty(struct worker *w)
{
	struct recorder *r = w->recorder;

	if (!r || r->error || r->ending || uv_is_active((uv_handle_t *)&w->journal_timer))
		return;
	wait_ms(r, wait_before_screen(r));
}

void recorder_sync(struct worker *w, bool on)
{
	struct recorder *r = w->recorder;

	if (!r || r->error || r->ending || !r->due_since)
		return;
	if (on)
		r->held_since = worker_now(w);
	else if (wait_before_screen(r) <= 0)
		on_timer(&w->journal_timer);
}

void recorder_state(struct worker *w)
{
	struct recorder *r = w->recorder;
	const struct status_view *v = status_get(w->status);

	if (!r || r->error || r->ending || r->pending.len >= RECORDER_PENDING_MAX)
		return;
	if (strcmp(r->state, state_name(v->state)) != 0 ||
	    strncmp(r->reason, v->reason, sizeof(r->reason) - 1) != 0)
		put_state(r);
}

void recorder_rest(struct worker *w)
{
	struct recorder *r = w->recorder;

	if (!r || r->error || r->ending)
		return;
	r->sync_wanted = true;
	write_more(r);
}

void recorder_end(struct worker *w)
{
	struct recorder *r = w->recorder;

	if (!r || r->error || r->ending)
		return;
	recorder_state(w);
	put_screen(r);
	r->ending = true;
	write_more(r);
}

/* --- coming to life --- */

static bool wanted(struct worker *w)
{
	const struct json *own = json_path(w->record.session, "settings.journal");

	return json_bool(own, config_bool(w->config, "journal"));
}

static int prepare(struct recorder *r, struct err *err)
{
	AUTO_FREE char *dir = path_join(r->worker->path, RECORD_JOURNAL_DIR);
	struct journal_list list;

	if (path_make_dirs(dir, 0700, err) < 0 || journal_list_load(&list, r->worker->path, err) < 0)
		return -1;
	r->segment = list.count ? list.items[list.count - 1].number : 0;
	journal_list_finish(&list);
	return 0;
}

void recorder_start(struct worker *w)
{
	struct err err = ERR_INIT;
	struct recorder *r;

	if (!wanted(w))
		return;
	w->recorder = r = mem_zalloc(1, sizeof(*r));
	r->worker = w;
	r->fd = -1;
	r->request.data = r;
	r->limit = (uint64_t)config_int(w->config, "journal_limit") << 20;
	r->segment_max = r->limit / JOURNAL_SEGMENTS;
	if (r->segment_max > JOURNAL_SEGMENT_MAX)
		r->segment_max = JOURNAL_SEGMENT_MAX;
	r->sender = delta_sender_create();
	r->tokens = RECORDER_BURST;
	r->tokens_at = worker_now(w);
	r->last_screen = r->tokens_at - RECORDER_INTERVAL_MS;
	r->synced_at = r->tokens_at - RECORDER_SYNC_MS;
	buf_init(&r->pending);
	buf_init(&r->writing);
	if (prepare(r, &err) < 0) {
		r->error = mem_strdup(err.message);
		log_error("recorder", "%s", r->error);
		return;
	}
	begin_segment(r);
	recorder_dirty(w);
}

void recorder_destroy(struct recorder *r)
{
	if (!r)
		return;
	delta_sender_destroy(r->sender);
	buf_free(&r->pending);
	buf_free(&r->writing);
	free(r->error);
	free(r);
}

const char *recorder_error(const struct worker *w)
{
	return w->recorder ? w->recorder->error : NULL;
}

const char *recorder_state_name(const struct worker *w)
{
	if (!w->recorder)
		return "off";
	return w->recorder->error ? "stopped" : "on";
}
