/* spawn: see spawn.h. */
#include "ui/spawn.h"

#include <signal.h>
#include <stdlib.h>
#include <uv.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

struct spawn {
	uv_process_t process;
	uv_pipe_t in, out, errors;
	uv_timer_t limit;
	uv_write_t write;
	struct buf input, out_text, errors_text;
	int open;     /* handles that are not closed yet */
	int waiting;  /* what has to happen before it is done: exit, two ends of output */
	bool running; /* the process handle waits for its end, so that no zombie stays */
	struct spawn_result result;
	spawn_done *done;
	void *user;
};

static void free_if_closed(struct spawn *s)
{
	if (s->open > 0)
		return;
	buf_free(&s->input);
	buf_free(&s->out_text);
	buf_free(&s->errors_text);
	free(s);
}

static void on_closed(uv_handle_t *handle)
{
	struct spawn *s = handle->data;

	s->open--;
	free_if_closed(s);
}

static void close_handle(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, on_closed);
}

static void report(struct spawn *s)
{
	spawn_done *done = s->done;

	s->done = NULL;
	if (!done)
		return;
	s->result.out = s->out_text.data;
	s->result.out_len = s->out_text.len;
	s->result.errors = s->errors_text.data;
	s->result.errors_len = s->errors_text.len;
	done(&s->result, s->user);
}

static void finish(struct spawn *s)
{
	report(s);
	if (!s->running)
		close_handle((uv_handle_t *)&s->process);
	close_handle((uv_handle_t *)&s->in);
	close_handle((uv_handle_t *)&s->out);
	close_handle((uv_handle_t *)&s->errors);
	close_handle((uv_handle_t *)&s->limit);
}

static void one_less(struct spawn *s)
{
	if (--s->waiting == 0)
		finish(s);
}

static void on_exit_of_process(uv_process_t *process, int64_t status, int signal)
{
	struct spawn *s = process->data;

	s->running = false;
	if (uv_is_closing((uv_handle_t *)&s->limit)) {
		close_handle((uv_handle_t *)process); /* it was reported already */
		return;
	}
	s->result.status = signal ? -1 : (int)status;
	s->result.signal = signal;
	one_less(s);
}

static void give_memory(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
	(void)handle;
	*out = uv_buf_init(mem_alloc(suggested), (unsigned)suggested);
}

static void on_output(uv_stream_t *stream, ssize_t n, const uv_buf_t *in)
{
	struct spawn *s = stream->data;
	struct buf *text = stream == (uv_stream_t *)&s->out ? &s->out_text : &s->errors_text;

	if (n > 0 && text->len < SPAWN_OUTPUT_MAX)
		buf_add(text, in->base, (size_t)n);
	free(in->base);
	if (n < 0) {
		uv_read_stop(stream);
		one_less(s);
	}
}

/* With what it has started: it is the leader of a group of its own. */
static void kill_group(struct spawn *s)
{
	if (s->running)
		uv_kill(-s->process.pid, SIGKILL);
}

static void on_limit(uv_timer_t *timer)
{
	struct spawn *s = timer->data;

	s->result.timed_out = true;
	s->result.status = -1;
	kill_group(s);
	/* Who left the group may keep the pipes open: what has come is all there is. */
	finish(s);
}

static void on_not_started(uv_timer_t *timer)
{
	finish(timer->data);
}

static void init_handles(struct spawn *s, uv_loop_t *loop)
{
	uv_pipe_init(loop, &s->in, 0);
	uv_pipe_init(loop, &s->out, 0);
	uv_pipe_init(loop, &s->errors, 0);
	uv_timer_init(loop, &s->limit);
	s->in.data = s->out.data = s->errors.data = s->limit.data = s->process.data = s;
	s->open = 5;
}

static int start(struct spawn *s, uv_loop_t *loop, const struct spawn_options *o)
{
	uv_stdio_container_t stdio[3] = {
	    {.flags = o->input ? UV_CREATE_PIPE | UV_READABLE_PIPE : UV_IGNORE,
		.data.stream = (uv_stream_t *)&s->in},
	    {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&s->out},
	    {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&s->errors},
	};
	uv_process_options_t options = {
	    .file = o->argv[0],
	    .args = (char **)o->argv,
	    .cwd = o->dir,
	    .stdio = stdio,
	    .stdio_count = 3,
	    .exit_cb = on_exit_of_process,
	    .flags =
		UV_PROCESS_DETACHED, /* a session of its own: it cannot read the terminal that we draw on */
	};

	return uv_spawn(loop, &s->process, &options);
}

static void on_written(uv_write_t *write, int status)
{
	struct spawn *s = write->data;

	(void)status;
	close_handle((uv_handle_t *)&s->in);
}

static void feed_input(struct spawn *s, const struct spawn_options *o)
{
	uv_buf_t data;

	if (!o->input)
		return;
	buf_add(&s->input, o->input, o->input_len);
	data = uv_buf_init(s->input.data, (unsigned)s->input.len);
	s->write.data = s;
	if (uv_write(&s->write, (uv_stream_t *)&s->in, &data, 1, on_written) < 0)
		close_handle((uv_handle_t *)&s->in);
}

struct spawn *spawn_run(struct uv_loop_s *loop, const struct spawn_options *o, spawn_done *done, void *user)
{
	struct spawn *s = mem_zalloc(1, sizeof(*s));
	int failed;

	s->done = done;
	s->user = user;
	s->waiting = 3;
	buf_init(&s->input);
	buf_init(&s->out_text);
	buf_init(&s->errors_text);
	init_handles(s, loop);
	failed = start(s, loop, o);
	if (failed) {
		s->result.status = -1;
		err_set(&s->result.err, ERR_START, "cannot run %s: %s", o->argv[0], uv_strerror(failed));
		uv_timer_start(&s->limit, on_not_started, 0, 0);
		return s;
	}
	s->running = true;
	feed_input(s, o);
	uv_read_start((uv_stream_t *)&s->out, give_memory, on_output);
	uv_read_start((uv_stream_t *)&s->errors, give_memory, on_output);
	if (o->limit_ms > 0)
		uv_timer_start(&s->limit, on_limit, (uint64_t)o->limit_ms, 0);
	return s;
}

void spawn_forget(struct spawn *s)
{
	s->done = NULL;
	kill_group(s);
	finish(s);
}

static void abandon(uv_handle_t *handle, void *unused)
{
	struct spawn *s = handle->data;

	(void)unused;
	if (handle->type != UV_PROCESS || uv_is_closing(handle))
		return;
	err_set(&s->result.err, ERR_CLOSED, "handler left before it had ended");
	s->result.status = -1;
	s->running = false;
	finish(s);
}

void spawn_abandon_all(struct uv_loop_s *loop)
{
	uv_walk(loop, abandon, NULL);
}

/* The first line of what a program said about its failure. */
static void error_from_text(const struct spawn_result *r, struct err *err)
{
	size_t len = strcspn(r->errors, "\n");
	AUTO_FREE char *line = utf8_sanitize(r->errors, len, 0);

	if (r->err.code)
		*err = r->err;
	else if (*line)
		err_set(err, ERR_FAILED, "%s", line);
	else if (r->signal)
		err_set(err, ERR_FAILED, "the command was ended by signal %d", r->signal);
	else
		err_set(err, ERR_FAILED, "the command failed with status %d and said nothing", r->status);
}

static bool error_from_json(const struct json *answer, struct err *err)
{
	const struct json *e = json_get(answer, "error");

	if (!e)
		return false;
	err_set(err, err_code_from_name(json_get_string(e, "code", "")), "%s",
	    json_get_string(e, "message", "it failed"));
	if (*json_get_string(e, "hint", ""))
		err_hint(err, "%s", json_get_string(e, "hint", ""));
	return true;
}

struct json *spawn_json(const struct spawn_result *r, struct err *err)
{
	struct json *answer = r->out_len ? json_parse(r->out, r->out_len, "answer", NULL) : NULL;

	if (answer && r->status == 0 && !json_get(answer, "error"))
		return answer;
	if (!answer || !error_from_json(answer, err))
		error_from_text(r, err);
	json_free(answer);
	return NULL;
}
