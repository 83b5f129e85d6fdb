/* peers: the connections of a worker: who may connect, what they send, and sending to them without ever
 * waiting. */
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "os/fd.h"
#include "session/parts.h"

struct peer *peer_by_id(struct worker *w, uint64_t id)
{
	for (struct peer *p = w->peers; p && id; p = p->next)
		if (p->id == id)
			return p->closing ? NULL : p;
	return NULL;
}

static void on_closed(uv_handle_t *handle)
{
	struct peer *p = handle->data;
	wire_reader_finish(&p->reader);
	delta_sender_destroy(p->delta);
	for (size_t i = 0; i < COUNT_OF(p->held); i++)
		buf_free(&p->held[i].bytes);
	free(p->ssh_agent);
	json_free(p->origin);
	free(p);
}

static void unlink_peer(struct peer *p)
{
	struct worker *w = p->worker;
	for (struct peer **at = &w->peers; *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			w->peer_count--;
			break;
		}
	}
}

static void send_held(struct peer *p, uint64_t done);

void peer_drop(struct peer *p, const char *reason, const char *message)
{
	if (p->closing)
		return;
	p->at_once = true;
	if (reason) {
		struct json *bye = json_new_object();
		send_held(p, UINT64_MAX);
		json_set_string(bye, "reason", reason);
		json_set_string(bye, "message", message);
		peer_send_json(p, WIRE_BYE, 0, bye);
		json_free(bye);
	}
	if (p->closing) /* that was more than it may let wait */
		return;
	p->closing = true;
	frames_gone(p);
	waiters_gone(p);
	prompt_gone(p);
	unlink_peer(p);
	forward_update(p->worker);
	uv_close((uv_handle_t *)&p->pipe, on_closed);
}

/* --- sending --- */

struct pending_write {
	uv_write_t request;
	struct peer *peer;
	size_t len;
	char data[];
};

static void on_written(uv_write_t *request, int status)
{
	struct pending_write *write = request->data;
	struct peer *p = write->peer;
	if (status != UV_ECANCELED) {
		p->bytes_out -= write->len;
		if (status < 0)
			peer_drop(p, NULL, NULL);
	}
	free(write);
}

/* What the socket takes at once goes at once; the rest waits in libuv, up to a limit. */
static void send_bytes(struct peer *p, const char *data, size_t len)
{
	if (p->closing)
		return;
	size_t done = 0;
	if (p->bytes_out == 0) {
		uv_buf_t buf = uv_buf_init((char *)data, (unsigned)len);
		int n = uv_try_write((uv_stream_t *)&p->pipe, &buf, 1);
		done = n > 0 ? (size_t)n : 0;
	}
	if (done == len)
		return;
	struct pending_write *write = mem_alloc(sizeof *write + len - done);
	*write = (struct pending_write){.peer = p, .len = len - done};
	write->request.data = write;
	memcpy(write->data, data + done, len - done);
	uv_buf_t rest = uv_buf_init(write->data, (unsigned)write->len);
	if (uv_write(&write->request, (uv_stream_t *)&p->pipe, &rest, 1, on_written) < 0) {
		free(write);
		return;
	}
	p->bytes_out += write->len;
	if (p->bytes_out > PEER_OUT_MAX)
		peer_drop(p, NULL, NULL);
}

/*
 * A script that hears of a state reads state.json next, and must not find an older one: commands and watchers
 * are told of nothing before the file says it.  A front-end, at which somebody looks, does not wait for the
 * disk; nor does the sign that this worker is alive.
 */
static bool must_wait(const struct peer *p, enum wire_type type)
{
	const struct state_file *f = p->worker->state_file;
	if (p->at_once || type == WIRE_PONG || (type == WIRE_WELCOME && !p->listens))
		return false;
	return p->held[0].bytes.len || state_file_done(f) != state_file_given(f);
}

static void hold(struct peer *p, const struct buf *frame)
{
	uint64_t state = state_file_given(p->worker->state_file);
	struct held *h = &p->held[p->held[0].bytes.len && p->held[0].state != state];
	h->state = state; /* of those that come during a write only the newest is written */
	buf_add(&h->bytes, frame->data, frame->len);
	if (p->bytes_out + p->held[0].bytes.len + p->held[1].bytes.len > PEER_OUT_MAX)
		peer_drop(p, NULL, NULL);
}

/* What waits for a state up to that one. */
static void send_held(struct peer *p, uint64_t done)
{
	while (p->held[0].bytes.len && p->held[0].state <= done) {
		AUTO_BUF bytes = p->held[0].bytes;
		p->held[0] = p->held[1];
		p->held[1] = (struct held){.bytes = BUF_INIT};
		send_bytes(p, bytes.data, bytes.len);
	}
}

void peers_state_written(void *worker)
{
	struct worker *w = worker;
	for (struct peer *p = w->peers, *next; p; p = next) {
		next = p->next;
		send_held(p, state_file_done(w->state_file));
	}
}

static void send_frame(struct peer *p, enum wire_type type, const struct buf *frame)
{
	if (!p->closing && must_wait(p, type))
		hold(p, frame);
	else
		send_bytes(p, frame->data, frame->len);
}

void peer_send(struct peer *p, enum wire_type type, uint32_t sequence, const void *data, size_t len)
{
	AUTO_BUF out = BUF_INIT;
	if (wire_frame_write(&out, type, 0, sequence, data, len, NULL) == 0)
		send_frame(p, type, &out);
}

void peer_send_json(struct peer *p, enum wire_type type, uint32_t sequence, const struct json *j)
{
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;
	if (wire_frame_write_json(&out, type, 0, sequence, j, &err) == 0)
		send_frame(p, type, &out);
	else if (type == WIRE_REPLY)
		request_reply_error(p, sequence, &err);
}

void peers_send_terminals(struct worker *w, enum wire_type type, const struct json *j)
{
	for (struct peer *p = w->peers, *next; p; p = next) {
		next = p->next;
		if (p->hello && p->listens)
			peer_send_json(p, type, 0, j);
	}
}

/* --- receiving --- */

static uint64_t parse_token(const struct json *hello)
{
	const char *text = json_get_string(hello, "token", NULL);
	return text ? strtoull(text, NULL, 16) : 0;
}

/* Says what to do, in one line: the older end is brought up to date. */
static void drop_version(struct peer *p, const struct json *hello, const struct err *why)
{
	bool ours = json_int(json_first(json_get(hello, "protocol")), 0) > WIRE_PROTOCOL_MAX;
	AUTO_FREE char *message =
	    ours ? mem_printf("it runs handler %s, too old for this one; run: handler restart-workers %s",
		       HANDLER_VERSION, p->worker->record.name)
		 : mem_printf(
		       "this program is too old for it; use handler %s, which it runs", HANDLER_VERSION);
	log_info("peers", "%s", why->message);
	peer_drop(p, "version", message);
}

static void take_hello(struct peer *p, uint32_t sequence, const struct json *hello)
{
	struct worker *w = p->worker;
	struct err err = ERR_INIT;
	int version = wire_agree(hello, &err);
	if (version < 0) {
		drop_version(p, hello, &err);
		return;
	}
	p->hello = true;
	p->terminal = !strcmp(json_get_string(hello, "client", ""), "terminal");
	p->at_once = p->terminal;
	p->listens = p->terminal || !strcmp(json_get_string(hello, "client", ""), "watcher");
	p->token = parse_token(hello);
	p->asks_again = wire_has_feature(hello, WIRE_FEATURE_REPLACED);
	input_client(w, p->token);
	forward_hello(p, hello);
	json_free(p->origin);
	p->origin = turns_origin(w, hello);
	struct json *welcome = json_new_object();
	json_set_number(welcome, "protocol", version);
	json_append_string(json_set(welcome, "features", json_new_array()), WIRE_FEATURE_REPLACED);
	json_set_string(welcome, "version", HANDLER_VERSION);
	for (int i = 0; p->token && i < HANDOVER_INPUTS; i++)
		if (w->shared->inputs[i].token == p->token)
			json_set_number(welcome, "input_done", w->shared->inputs[i].sequence);
	json_set(welcome, "session", report_state(w));
	peer_send_json(p, WIRE_WELCOME, sequence, welcome);
	json_free(welcome);
}

static color_t color_member(const struct json *j, const char *key, color_t fallback)
{
	uint32_t rgb;
	const char *text = json_get_string(j, key, NULL);
	return text && color_parse(text, &rgb) ? (color_t)(0x02000000u | rgb) : fallback;
}

/* Facts of the outer terminal: what the program's queries are answered from. */
static void take_outer(struct worker *w, const struct json *j)
{
	struct term_outer outer = {.fg = color_member(j, "fg", COLOR_RGB(0xd0, 0xd0, 0xd0)),
	    .bg = color_member(j, "bg", COLOR_RGB(0, 0, 0)),
	    .cursor = color_member(j, "cursor", COLOR_RGB(0xd0, 0xd0, 0xd0)),
	    .cell_width = 10,
	    .cell_height = 20,
	    .dark = json_get_bool(j, "dark", true)};
	for (int i = 0; i < 16; i++)
		outer.palette[i] = color_palette_rgb((uint8_t)i);
	int i = 0;
	for (const struct json *e = json_first(json_get(j, "palette")); e && i < 16; e = json_next(e), i++)
		color_parse(json_string(e, ""), &outer.palette[i]);
	const struct json *cell = json_first(json_get(j, "cell"));
	int width = (int)json_int(cell, 0), height = (int)json_int(cell ? json_next(cell) : NULL, 0);
	if (width > 0 && height > 0 && width < 1000 && height < 1000) {
		outer.cell_width = width;
		outer.cell_height = height;
	}
	term_set_outer(w->term, &outer);
	struct buf *replies = term_replies(w->term);
	input_bytes(w, replies->data, replies->len);
	buf_clear(replies);
}

typedef int (*take_fn)(struct peer *p, const struct wire_frame *f, struct err *err);

static int take_view(struct peer *p, const struct wire_frame *f, struct err *err)
{
	struct wire_view v;
	if (wire_view_decode(f->payload, f->length, &v, err) < 0)
		return -1;
	frames_view(p, &v);
	return 0;
}

static int take_ack(struct peer *p, const struct wire_frame *f, struct err *err)
{
	(void)f;
	(void)err;
	frames_ack(p);
	return 0;
}

static int take_key(struct peer *p, const struct wire_frame *f, struct err *err)
{
	struct key k;
	if (wire_key_decode(f->payload, f->length, &k, err) < 0)
		return -1;
	frames_input(p);
	input_key(p->worker, p, f->sequence, &k);
	return 0;
}

static int take_mouse(struct peer *p, const struct wire_frame *f, struct err *err)
{
	struct mouse m;
	if (wire_mouse_decode(f->payload, f->length, &m, err) < 0)
		return -1;
	if (m.action == MOUSE_PRESS)
		frames_input(p);
	input_mouse(p->worker, p, f->sequence, &m);
	return 0;
}

static int take_paste(struct peer *p, const struct wire_frame *f, struct err *err)
{
	struct wire_paste paste;
	if (wire_paste_decode(f->payload, f->length, &paste, err) < 0)
		return -1;
	frames_input(p);
	input_paste(p->worker, p, f->sequence, &paste);
	return 0;
}

static int take_focus(struct peer *p, const struct wire_frame *f, struct err *err)
{
	bool on;
	if (wire_focus_decode(f->payload, f->length, &on, err) < 0)
		return -1;
	input_focus(p->worker, p, f->sequence, on);
	return 0;
}

static int take_rows_get(struct peer *p, const struct wire_frame *f, struct err *err)
{
	struct wire_rows_get g;
	if (wire_rows_get_decode(f->payload, f->length, &g, err) < 0)
		return -1;
	request_rows(p, f->sequence, &g);
	return 0;
}

static int take_ping(struct peer *p, const struct wire_frame *f, struct err *err)
{
	(void)err;
	peer_send(p, WIRE_PONG, f->sequence, f->payload, f->length);
	return 0;
}

static int take_json(struct peer *p, const struct wire_frame *f, struct err *err)
{
	struct json *j = wire_frame_json(f, err);
	if (!j)
		return -1;
	if (f->type == WIRE_HELLO)
		take_hello(p, f->sequence, j);
	else if (f->type == WIRE_REQUEST)
		request_serve(p, f->sequence, j);
	else if (f->type == WIRE_SEARCH)
		request_search(p, f->sequence, j);
	else if (f->type == WIRE_OUTER)
		take_outer(p->worker, j);
	else if (f->type == WIRE_BYE)
		peer_drop(p, NULL, NULL);
	json_free(j);
	return 0;
}

static const struct {
	enum wire_type type;
	take_fn take;
} takers[] = {
    {WIRE_HELLO, take_json},
    {WIRE_VIEW, take_view},
    {WIRE_ACK, take_ack},
    {WIRE_KEY, take_key},
    {WIRE_MOUSE, take_mouse},
    {WIRE_PASTE, take_paste},
    {WIRE_FOCUS, take_focus},
    {WIRE_ROWS_GET, take_rows_get},
    {WIRE_SEARCH, take_json},
    {WIRE_REQUEST, take_json},
    {WIRE_OUTER, take_json},
    {WIRE_PING, take_ping},
    {WIRE_BYE, take_json},
};

static int take_frame(struct peer *p, const struct wire_frame *f, struct err *err)
{
	if (!p->hello && f->type != WIRE_HELLO)
		return err_set(err, ERR_PROTOCOL, "the first message has to be HELLO");
	for (size_t i = 0; i < COUNT_OF(takers); i++)
		if (takers[i].type == f->type)
			return takers[i].take(p, f, err);
	return 0; /* of a later version: skipped */
}

static void take_frames(struct peer *p)
{
	struct err err = ERR_INIT;
	struct wire_frame frame;
	int got = 0;
	while (!p->closing && (got = wire_reader_next(&p->reader, &frame, &err)) > 0) {
		if (take_frame(p, &frame, &err) < 0) {
			got = -1;
			break;
		}
	}
	if (got < 0 && !p->closing) {
		log_info("peers", "a client broke the protocol: %s", err.message);
		peer_drop(p, "protocol", err.message);
	}
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	(void)handle;
	*buf = uv_buf_init(mem_alloc(suggested), (unsigned)suggested);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct peer *p = stream->data;
	struct worker *w = p->worker;
	if (n > 0) {
		wire_reader_feed(&p->reader, buf->base, (size_t)n);
		take_frames(p);
	}
	free(buf->base);
	if (n < 0)
		peer_drop(p, NULL, NULL);
	frames_flush(w);
}

void peers_pause(struct worker *w, bool pause)
{
	for (struct peer *p = w->peers; p; p = p->next) {
		if (p->closing || p->paused == pause)
			continue;
		p->paused = pause;
		if (pause)
			uv_read_stop((uv_stream_t *)&p->pipe);
		else
			uv_read_start((uv_stream_t *)&p->pipe, on_alloc, on_read);
	}
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct worker *w = listener->data;
	if (status < 0)
		return;
	struct peer *p = mem_zalloc(1, sizeof *p);
	p->worker = w;
	p->id = ++w->next_peer;
	p->delta = delta_sender_create();
	for (size_t i = 0; i < COUNT_OF(p->held); i++)
		buf_init(&p->held[i].bytes);
	wire_reader_init(&p->reader);
	uv_pipe_init(&w->loop, &p->pipe, 0);
	p->pipe.data = p;
	p->next = w->peers;
	w->peers = p;
	w->peer_count++;
	uv_os_fd_t fd;
	if (uv_accept(listener, (uv_stream_t *)&p->pipe) < 0 || uv_fileno((uv_handle_t *)&p->pipe, &fd) < 0 ||
	    !sock_peer_is_us(fd, NULL) || w->peer_count > PEERS_MAX) {
		peer_drop(p, NULL, NULL);
		return;
	}
	uv_read_start((uv_stream_t *)&p->pipe, on_alloc, on_read);
}

int peers_listen(struct worker *w, int fd, struct err *err)
{
	uv_pipe_init(&w->loop, &w->listener, 0);
	w->listener.data = w;
	int result = uv_pipe_open(&w->listener, fd);
	if (result == 0)
		result = uv_listen((uv_stream_t *)&w->listener, 64, on_connection);
	return result < 0 ? err_sys(err, -result, "cannot listen on the session's socket") : 0;
}
