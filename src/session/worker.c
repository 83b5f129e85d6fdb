/* worker: see worker.h.  Here: how one comes to life, what its keeper tells it, and how it ends. */
#include "session/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "os/fd.h"
#include "os/proc.h"
#include "session/checkpoint.h"
#include "session/orphans.h"
#include "session/parts.h"
#include "session/recorder.h"

/* --- the end --- */

static void close_handle(struct worker *w, uv_handle_t *handle)
{
	(void)w;
	if (handle->loop && !uv_is_closing(handle))
		uv_close(handle, NULL);
}

void worker_finish(struct worker *w, int exit_status)
{
	if (w->ending)
		return;
	w->ending = true;
	w->exit_status = exit_status;
	state_file_flush(w->state_file); /* before anybody is told that it is over */
	recorder_end(w);
	prompt_end(w);
	waiters_end(w);
	searches_end(w);
	while (w->peers)
		peer_drop(w->peers, "ended", "the session has ended");
	uv_handle_t *handles[] = {(uv_handle_t *)&w->pty_poll, (uv_handle_t *)&w->channel_poll,
	    (uv_handle_t *)&w->listener, (uv_handle_t *)&w->record_watch, (uv_handle_t *)&w->frame_timer,
	    (uv_handle_t *)&w->resize_timer, (uv_handle_t *)&w->viewed_timer, (uv_handle_t *)&w->rest_timer,
	    (uv_handle_t *)&w->status_timer, (uv_handle_t *)&w->record_timer, (uv_handle_t *)&w->prompt_timer,
	    (uv_handle_t *)&w->leave_timer, (uv_handle_t *)&w->return_timer, (uv_handle_t *)&w->done_timer,
	    (uv_handle_t *)&w->wait_timer, (uv_handle_t *)&w->journal_timer, (uv_handle_t *)&w->sync_timer,
	    (uv_handle_t *)&w->listen_timer, (uv_handle_t *)&w->learn_timer, (uv_handle_t *)&w->check};
	for (size_t i = 0; i < COUNT_OF(handles); i++)
		close_handle(w, handles[i]);
}

/* The whole tree is gone: the last screen and the final state are written, then nobody is needed any more. */
static void session_over(struct worker *w)
{
	output_drain(w);
	report_ended(w);
	frames_flush(w);
	last_write(w);
	worker_finish(w, 0);
}

/* The keeper was killed: nobody else can end what it has started, or say what became of it. */
static void keeper_lost(struct worker *w)
{
	log_error("worker", "the keeper is gone");
	struct orphans_report report;
	orphans_end(w->id, w->record.leader, w->record.leader_start, &report);
	output_drain(w);
	w->leader_told = true;
	char why[128], left[40] = "";
	if (report.survivors)
		snprintf(left, sizeof left, ", %u could not be", report.survivors);
	snprintf(why, sizeof why, "its keeper was killed; %u process%s of it ended%s", report.ended,
	    report.ended == 1 ? " was" : "es were", left);
	status_ended(w->status, 0, false, why, worker_seconds(w));
	turns_reset_modes(w);
	term_mark(w->term, "[lost: its keeper was killed]");
	frames_dirty(w);
	frames_flush(w);
	report_changed(w);
	last_write(w);
	worker_finish(w, 1);
}

/* --- what the keeper says --- */

static void take_message(struct worker *w, const struct channel_message *m)
{
	switch (m->type) {
	case CHANNEL_LEADER:
		report_ended(w);
		break;
	case CHANNEL_GONE:
		session_over(w);
		break;
	case CHANNEL_SUSPENDED:
		if (status_suspended(w->status, m->value != 0, worker_seconds(w)))
			report_changed(w);
		break;
	case CHANNEL_LEAVE:
		leave_begin(w);
		break;
	case CHANNEL_STOPPING:
		w->stopping = true;
		break;
	case CHANNEL_REBIND:
		leave_now(w); /* the next worker is given the new socket */
		break;
	}
}

static void on_channel(uv_poll_t *handle, int status, int events)
{
	struct worker *w = handle->data;
	(void)events;
	while (!w->ending) {
		struct channel_message m;
		ssize_t n = status < 0 ? 0 : recv(w->channel, &m, sizeof m, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n == (ssize_t)sizeof m)
			take_message(w, &m);
		else
			keeper_lost(w);
	}
	if (!w->ending)
		frames_flush(w);
}

/* --- coming to life --- */

static char *path_of(int directory)
{
	char link[64], path[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
	ssize_t n = readlink(link, path, sizeof path - 1);
	return n < 0 ? NULL : mem_strndup(path, (size_t)n);
}

void worker_term_options(struct worker *w, struct term_options *out)
{
	bool libvterm = !strcmp(config_string(w->config, "emulator"), "libvterm");
	*out = (struct term_options){.engine = libvterm ? TERM_LIBVTERM : TERM_NATIVE,
	    .rows = w->shared->rows,
	    .cols = w->shared->cols,
	    .version = "handler(" HANDLER_VERSION ")",
	    .drop_history_on_clear = !strcmp(config_string(w->config, "clear_history"), "drop")};
}

/* A successor's terminal gets its history when it has caught up, see output_recover. */
static int open_emulator(struct worker *w, struct err *err)
{
	struct term_options options;
	w->history = history_create(
	    w->directory, RECORD_HISTORY_FILE, (uint64_t)config_int(w->config, "history_lines"), err);
	if (!w->history)
		return -1;
	worker_term_options(w, &options);
	options.history = w->successor ? NULL : w->history;
	w->term = term_create(&options, err);
	return w->term ? 0 : -1;
}

static void on_check(uv_check_t *check)
{
	frames_flush(check->data);
}

static void start_loop_handles(struct worker *w)
{
	uv_timer_t *timers[] = {&w->prompt_timer, &w->done_timer, &w->wait_timer, &w->leave_timer,
	    &w->return_timer, &w->journal_timer, &w->sync_timer};
	for (size_t i = 0; i < COUNT_OF(timers); i++) {
		uv_timer_init(&w->loop, timers[i]);
		timers[i]->data = w;
	}
	frames_timers_init(w);
	uv_check_init(&w->loop, &w->check);
	w->check.data = w;
	uv_check_start(&w->check, on_check);
	uv_poll_init(&w->loop, &w->channel_poll, w->channel);
	w->channel_poll.data = w;
	uv_poll_start(&w->channel_poll, UV_READABLE, on_channel);
}

static int open_worker(struct worker *w, const int fds[WORKER_FDS], struct err *err)
{
	w->channel = fds[WORKER_CHANNEL];
	w->master = fds[WORKER_PTY];
	w->directory = fds[WORKER_DIRECTORY];
	for (int i = 0; i < WORKER_FDS; i++)
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	fd_set_nonblocking(w->master, true);
	w->path = path_of(w->directory);
	if (!w->path)
		return err_sys(err, errno, "cannot find the session's directory");
	w->shared = handover_map(fds[WORKER_MEMORY], err);
	if (!w->shared || record_load(w->path, &w->record, err) < 0)
		return -1;
	w->successor = w->shared->workers > 1 || w->shared->head > 0 || w->shared->intent > 0;
	w->start_time = proc_start_time(getpid());
	w->config = config_load();
	/* The journal has one request at a time, and so has the state: neither waits for the other's. */
	setenv("UV_THREADPOOL_SIZE", "2", 1);
	w->state_file = state_file_create(&w->loop, w->directory, peers_state_written, w);
	buf_init(&w->input);
	start_loop_handles(w);
	if (open_emulator(w, err) < 0 || report_init(w, err) < 0)
		return -1;
	turns_init(w);
	return peers_listen(w, fds[WORKER_LISTENER], err);
}

static void serve(struct worker *w)
{
	w->last_output = worker_now(w);
	output_start(w);
	if (w->successor) {
		output_recover(w);
		input_recover(w);
	} else {
		checkpoint_take(w);
	}
	recorder_start(w);
	snprintf(w->shared->worker_version, sizeof w->shared->worker_version, "%s", HANDLER_VERSION);
	struct channel_message ready = {.type = CHANNEL_READY};
	send(w->channel, &ready, sizeof ready, MSG_NOSIGNAL | MSG_DONTWAIT);
	report_changed(w);
	report_watch(w);
	if (w->shared->leader_ended)
		report_ended(w);
	prompt_first(w);
	uv_run(&w->loop, UV_RUN_DEFAULT);
}

static void close_worker(struct worker *w)
{
	uv_run(&w->loop, UV_RUN_DEFAULT);
	uv_loop_close(&w->loop);
	recorder_destroy(w->recorder);
	state_file_destroy(w->state_file);
	term_destroy(w->term);
	history_destroy(w->history);
	status_destroy(w->status);
	turns_finish(w);
	config_destroy(w->config);
	record_finish(&w->record);
	buf_free(&w->input);
	free(w->marks);
	free(w->cwd);
	free(w->forwarded);
	free(w->fault);
	free(w->path);
	if (w->shared)
		handover_unmap(w->shared);
}

#ifdef HANDLER_TEST
/* Test builds only: a version that does not come up. */
static void die_of_version(void)
{
	const char *version = getenv("HANDLER_TEST_ABORT_VERSION");
	if (version && !strcmp(version, HANDLER_VERSION))
		raise(SIGABRT);
}
#else
#define die_of_version() ((void)0)
#endif

int worker_run(const char *id, const int fds[WORKER_FDS])
{
	struct worker w = {0};
	struct err err = ERR_INIT;
	char title[40];
	snprintf(w.id, sizeof w.id, "%s", id);
	snprintf(title, sizeof title, "handler worker %s", id);
	proc_title_set(title);
	log_open(title);
	die_of_version();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of a write, see history.h */
	if (proc_bound_memory(WORKER_MEMORY_MAX) < 0)
		log_error("worker", "its memory cannot be bounded: %s", strerror(errno));
	uv_loop_init(&w.loop);
	if (open_worker(&w, fds, &err) == 0) {
		serve(&w);
	} else {
		log_error("worker", "%s", err.message);
		worker_finish(&w, 1);
	}
	close_worker(&w);
	log_close();
	return w.exit_status;
}
