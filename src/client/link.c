/* link: see link.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "client/control.h"
#include "client/hello.h"
#include "client/link_private.h"
#include "os/fd.h"

enum {
	LINK_RETRY_MS = 50,        /* between attempts while a worker is being replaced */
	LINK_VERSION_MS = 2000,    /* ... while it speaks another version of the protocol */
	LINK_SLOW_MS = 500,        /* input not done after this: is the worker there at all? */
	LINK_HANG_MS = 2000,       /* ... and not a word from it for this long: it hangs */
	LINK_UNDONE_MAX = 4 << 20, /* bytes of input kept for sending again; more is an error shown once */
	LINK_CONTROL_MS = 1000,
};

/* --- being freed when the last handle is closed --- */

static void free_link(struct link *l)
{
	wire_reader_finish(&l->reader);
	for (struct undone *u = l->undone, *next; u; u = next) {
		next = u->next;
		free(u);
	}
	if (l->offline)
		mirror_finish(&l->mirror);
	table_destroy(l->table);
	history_destroy(l->history);
	record_finish(&l->record);
	free(l->outer);
	free(l);
}

void link_release(struct link *l)
{
	if (--l->open_handles == 0 && l->closed)
		free_link(l);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct link *l = handle->data;
	if (handle == (uv_handle_t *)&l->pipe)
		l->pipe_closing = false; /* the handle can be used for the next connection */
	link_release(l);
}

static void close_handle(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, on_handle_closed);
}

static void close_pipe(struct link *l)
{
	l->pipe_open = l->welcomed = l->view_told = l->outer_told = false;
	l->pipe_closing = true;
	close_handle((uv_handle_t *)&l->pipe);
}

/* --- sending --- */

struct pending_write {
	uv_write_t request;
	char data[];
};

static void on_written(uv_write_t *request, int status)
{
	(void)status;
	free(request->data);
}

static void send_bytes(struct link *l, const char *data, size_t len)
{
	uv_buf_t buf = uv_buf_init((char *)data, (unsigned)len);
	int n = uv_try_write((uv_stream_t *)&l->pipe, &buf, 1);
	size_t done = n > 0 ? (size_t)n : 0;
	if (done == len)
		return;
	struct pending_write *w = mem_alloc(sizeof *w + len - done);
	memcpy(w->data, data + done, len - done);
	w->request.data = w;
	buf = uv_buf_init(w->data, (unsigned)(len - done));
	if (uv_write(&w->request, (uv_stream_t *)&l->pipe, &buf, 1, on_written) < 0)
		free(w);
}

static void send_frame(struct link *l, uint16_t type, uint32_t sequence, const void *data, size_t len)
{
	AUTO_BUF out = BUF_INIT;
	if (l->pipe_open && wire_frame_write(&out, (enum wire_type)type, 0, sequence, data, len, NULL) == 0)
		send_bytes(l, out.data, out.len);
}

static void add_view(struct link *l, struct buf *out)
{
	AUTO_BUF payload = BUF_INIT;
	wire_view_encode(&l->view, &payload);
	wire_frame_write(out, WIRE_VIEW, 0, ++l->sequence, payload.data, payload.len, NULL);
	l->view.refresh = false;
	l->view_told = true;
}

static void send_view(struct link *l)
{
	AUTO_BUF out = BUF_INIT;
	add_view(l, &out);
	if (l->pipe_open)
		send_bytes(l, out.data, out.len);
}

/* What a worker has to know of us that it was not told yet. */
static void add_facts(struct link *l, struct buf *out)
{
	if (l->outer && !l->outer_told) {
		wire_frame_write(out, WIRE_OUTER, 0, ++l->sequence, l->outer, strlen(l->outer), NULL);
		l->outer_told = true;
	}
	if (l->has_view && !l->view_told)
		add_view(l, out);
}

/* --- input that is kept until it is done --- */

static void arm_hang_timer(struct link *l);

static void ask_for_new_worker(struct link *l)
{
	struct control answer;
	struct err err = ERR_INIT;
	log_info("link", "session %s does not answer: its worker is replaced", l->record.id);
	if (control_ask(&l->record, CONTROL_RESTART_WORKER, 0, LINK_CONTROL_MS, &answer, &err) < 0)
		l->cb.lost(l, false, &err, l->user);
}

/* A program that does not read its input keeps that from being done, too: only silence is a hang. */
static void on_hang(uv_timer_t *timer)
{
	struct link *l = timer->data;
	if (!l->undone || !l->welcomed)
		return;
	if (l->pinged) {
		l->pinged = false;
		ask_for_new_worker(l);
		return;
	}
	l->pinged = true;
	send_frame(l, WIRE_PING, 0, NULL, 0);
	uv_timer_start(timer, on_hang, LINK_HANG_MS, 0);
}

static void arm_hang_timer(struct link *l)
{
	if (l->undone && !uv_is_active((uv_handle_t *)&l->hang))
		uv_timer_start(&l->hang, on_hang, LINK_SLOW_MS, 0);
	else if (!l->undone)
		uv_timer_stop(&l->hang);
}

static void take_sign_of_life(struct link *l)
{
	if (!l->pinged)
		return;
	l->pinged = false;
	uv_timer_stop(&l->hang);
	if (l->undone)
		uv_timer_start(&l->hang, on_hang, LINK_HANG_MS, 0);
}

static void keep_undone(struct link *l, uint16_t type, uint32_t sequence, const void *data, size_t len)
{
	struct undone *u = mem_alloc(sizeof *u + len);
	*u = (struct undone){.type = type, .sequence = sequence, .len = len};
	if (len)
		memcpy(u->data, data, len);
	*l->undone_end = u;
	l->undone_end = &u->next;
	l->undone_bytes += len;
}

static void forget_undone(struct link *l, uint32_t up_to)
{
	while (l->undone && (int32_t)(l->undone->sequence - up_to) <= 0) {
		struct undone *u = l->undone;
		l->undone = u->next;
		l->undone_bytes -= u->len;
		free(u);
	}
	if (!l->undone)
		l->undone_end = &l->undone;
	uv_timer_stop(&l->hang);
	arm_hang_timer(l);
}

static uint32_t send_input(struct link *l, uint16_t type, const void *data, size_t len)
{
	uint32_t sequence = ++l->sequence;
	if (l->offline || l->closed)
		return sequence;
	if (l->undone_bytes + len > LINK_UNDONE_MAX) {
		struct err err = ERR_INIT;
		err_set(&err, ERR_FAILED,
		    "session %s does not read its input: what was typed or pasted now is dropped",
		    l->record.name);
		l->cb.lost(l, false, &err, l->user);
		return sequence;
	}
	keep_undone(l, type, sequence, data, len);
	if (l->welcomed)
		send_frame(l, type, sequence, data, len);
	arm_hang_timer(l);
	return sequence;
}

/* --- receiving --- */

static void take_welcome(struct link *l, const struct wire_frame *f)
{
	struct json *j = wire_frame_json(f, NULL);
	l->welcomed = true;
	l->trouble_told = l->other_version = false;
	int64_t done = json_get_int(j, "input_done", -1);
	if (done >= 0)
		forget_undone(l, (uint32_t)done);
	l->cb.connected(l, l->user);
	const struct json *session = json_get(j, "session");
	if (session && !l->closed) {
		AUTO_FREE char *text = json_print(session, false);
		l->cb.message(l, WIRE_STATE, 0, text, strlen(text), l->user);
	}
	json_free(j);
	if (l->closed)
		return;
	AUTO_BUF out = BUF_INIT;
	add_facts(l, &out);
	for (struct undone *u = l->undone; u; u = u->next)
		wire_frame_write(&out, (enum wire_type)u->type, 0, u->sequence, u->data, u->len, NULL);
	if (out.len && l->pipe_open)
		send_bytes(l, out.data, out.len);
	arm_hang_timer(l);
}

void link_acknowledge(struct link *l)
{
	AUTO_BUF out = BUF_INIT;
	for (; l->acks > 0; l->acks--)
		wire_frame_write(&out, WIRE_ACK, 0, l->ack_sequence - l->acks + 1, NULL, 0, NULL);
	if (out.len && l->pipe_open)
		send_bytes(l, out.data, out.len);
}

/* Asked again now and then: `handler restart-workers` may change it.  Said once. */
static void take_bye(struct link *l, const struct wire_frame *f)
{
	struct json *bye = wire_frame_json(f, NULL);
	struct err err = ERR_INIT;
	if (!strcmp(json_get_string(bye, "reason", ""), "version") && !l->other_version) {
		l->other_version = true;
		err_set(
		    &err, ERR_VERSION, "session %s: %s", l->record.name, json_get_string(bye, "message", ""));
		l->cb.lost(l, false, &err, l->user);
	}
	json_free(bye);
}

static void take_frame(struct link *l, const struct wire_frame *f)
{
	switch (f->type) {
	case WIRE_WELCOME:
		take_welcome(l, f);
		break;
	case WIRE_SCREEN:
		l->cb.message(l, f->type, f->sequence, f->payload, f->length, l->user);
		l->acks++;
		l->ack_sequence = f->sequence;
		break;
	case WIRE_BYE:
		take_bye(l, f);
		break;
	case WIRE_INPUT_DONE:
		forget_undone(l, f->sequence);
		break;
	case WIRE_STATE:
	case WIRE_EVENT:
	case WIRE_ROWS:
	case WIRE_FOUND:
	case WIRE_REPLY:
		l->cb.message(l, f->type, f->sequence, f->payload, f->length, l->user);
		break;
	default:
		break;
	}
}

static void schedule_retry(struct link *l);

static void disconnect(struct link *l)
{
	if (!l->pipe_open)
		return;
	close_pipe(l);
	l->pinged = false;
	l->acks = 0;
	wire_reader_finish(&l->reader);
	wire_reader_init(&l->reader);
	schedule_retry(l);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	(void)handle;
	*buf = uv_buf_init(mem_alloc(suggested), (unsigned)suggested);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct link *l = stream->data;
	struct err err = ERR_INIT;
	struct wire_frame frame;
	int got = 0;
	if (n > 0)
		wire_reader_feed(&l->reader, buf->base, (size_t)n);
	free(buf->base);
	l->open_handles++; /* the callbacks below may close the link: it lives until we have returned */
	if (n > 0)
		take_sign_of_life(l);
	while (n > 0 && !l->closed && l->pipe_open && (got = wire_reader_next(&l->reader, &frame, &err)) > 0)
		take_frame(l, &frame);
	if (n < 0 || got < 0)
		disconnect(l);
	if (--l->open_handles == 0 && l->closed)
		free_link(l);
}

/* --- connecting --- */

/*
 * What it is to show goes along, so that its first screen comes with its welcome: a worker takes HELLO first,
 * and one that does not speak our version takes no more.  Input waits for the welcome: that says what was
 * done.
 */
static void greet(struct link *l)
{
	AUTO_BUF out = BUF_INIT;
	struct json *hello = hello_json(l->listens_only ? "watcher" : "terminal", l->token_text);
	AUTO_FREE char *text = json_print(hello, false);
	json_free(hello);
	wire_frame_write(&out, WIRE_HELLO, 0, ++l->sequence, text, strlen(text), NULL);
	add_facts(l, &out);
	send_bytes(l, out.data, out.len);
}

/* -1 with err: why not, if it is not that its worker is on the way. */
static int connect_worker(struct link *l, struct err *err)
{
	int dirfd = record_open_ctl(&l->record, err);
	if (dirfd < 0)
		return -1;
	int fd = sock_connect(dirfd, RECORD_WORKER_SOCKET, true), saved = errno;
	close(dirfd);
	if (fd < 0 && (saved == EMFILE || saved == ENFILE))
		return err_sys(err, saved, "session %s cannot be connected to", l->record.name);
	if (fd < 0)
		return err_set(err, ERR_CLOSED,
		    "the worker of session %s has ended and is being replaced; the agent goes on",
		    l->record.name);
	uv_pipe_init(l->loop, &l->pipe, 0);
	l->pipe.data = l;
	l->open_handles++;
	if (!sock_peer_is_us(fd, NULL) || uv_pipe_open(&l->pipe, fd) < 0) {
		close(fd);
		close_pipe(l);
		return err_set(
		    err, ERR_REFUSED, "the socket of session %s belongs to somebody else", l->record.name);
	}
	l->pipe_open = true;
	uv_read_start((uv_stream_t *)&l->pipe, on_alloc, on_read);
	greet(l);
	return 0;
}

static void tell_trouble(struct link *l, const struct err *why)
{
	if (l->trouble_told)
		return;
	l->trouble_told = true;
	l->cb.lost(l, false, why, l->user);
}

static void on_retry(uv_timer_t *timer)
{
	struct link *l = timer->data;
	if (l->closed || l->pipe_open || l->pipe_closing)
		goto again;
	if (!record_still_live(&l->record)) {
		struct err err = ERR_INIT;
		err_set(&err, ERR_ENDED, "session %s has ended", l->record.name);
		if (!l->ended_told) {
			l->ended_told = true;
			l->cb.lost(l, true, &err, l->user);
		}
		return;
	}
	struct err why = ERR_INIT;
	if (connect_worker(l, &why) == 0)
		return;
	tell_trouble(l, &why);
again:
	if (!l->closed && !l->pipe_open)
		uv_timer_start(&l->retry, on_retry, LINK_RETRY_MS, 0);
}

static void schedule_retry(struct link *l)
{
	if (!l->closed)
		uv_timer_start(&l->retry, on_retry, l->other_version ? LINK_VERSION_MS : 1, 0);
}

/* --- the interface --- */

static void make_token(struct link *l)
{
	if (getrandom(&l->token, sizeof l->token, 0) != (ssize_t)sizeof l->token || !l->token)
		l->token = (uint64_t)getpid() << 32 | (uint64_t)uv_hrtime();
	snprintf(l->token_text, sizeof l->token_text, "%016llx", (unsigned long long)l->token);
}

struct link *link_open(
    uv_loop_t *loop, const struct record *r, const struct link_callbacks *cb, void *user, struct err *err)
{
	struct link *l = mem_zalloc(1, sizeof *l);
	l->loop = loop;
	l->cb = *cb;
	l->user = user;
	l->undone_end = &l->undone;
	wire_reader_init(&l->reader);
	make_token(l);
	if (record_load(r->path, &l->record, err) < 0) {
		wire_reader_finish(&l->reader);
		free(l);
		return NULL;
	}
	uv_timer_init(loop, &l->retry);
	uv_timer_init(loop, &l->hang);
	l->retry.data = l->hang.data = l;
	l->open_handles = 2;
	if (!l->record.live)
		link_ended_open(l);
	else
		uv_timer_start(&l->retry, on_retry, 0, 0);
	return l;
}

struct link *link_watch(
    uv_loop_t *loop, const struct record *r, const struct link_callbacks *cb, void *user, struct err *err)
{
	struct link *l = link_open(loop, r, cb, user, err);
	if (!l)
		return NULL;
	l->listens_only = true;
	if (!l->offline)
		return l;
	err_set(err, ERR_ENDED, "session %s has ended", r->name);
	link_close(l);
	return NULL;
}

void link_close(struct link *l)
{
	if (!l || l->closed)
		return;
	l->closed = true;
	link_ended_close(l);
	if (l->pipe_open)
		close_pipe(l);
	if (l->offline)
		close_handle((uv_handle_t *)&l->offline_idle);
	close_handle((uv_handle_t *)&l->retry);
	close_handle((uv_handle_t *)&l->hang);
}

uint32_t link_send(struct link *l, uint16_t type, const void *data, size_t len)
{
	if (type == WIRE_KEY || type == WIRE_MOUSE || type == WIRE_PASTE || type == WIRE_FOCUS)
		return send_input(l, type, data, len);
	uint32_t sequence = ++l->sequence;
	if (type == WIRE_OUTER) {
		free(l->outer);
		l->outer = mem_strndup(data, len);
		l->outer_told = l->welcomed;
	}
	if (l->offline)
		link_ended_send(l, type, sequence, data, len);
	else if (l->welcomed)
		send_frame(l, type, sequence, data, len);
	return sequence;
}

uint32_t link_send_json(struct link *l, uint16_t type, const struct json *body)
{
	AUTO_FREE char *text = json_print(body, false);
	return link_send(l, type, text, strlen(text));
}

void link_view(struct link *l, bool visible, bool preview, int rows, int cols, int xpixel, int ypixel)
{
	struct wire_view v = {.visible = visible,
	    .preview = preview,
	    .rows = (uint16_t)(visible ? rows : 0),
	    .cols = (uint16_t)(visible ? cols : 0),
	    .xpixel = (uint16_t)xpixel,
	    .ypixel = (uint16_t)ypixel};
	if (l->has_view && !memcmp(&v, &l->view, sizeof v))
		return;
	l->view = v;
	l->has_view = true;
	l->view_told = false;
	if (l->welcomed)
		send_view(l);
}

void link_refresh(struct link *l)
{
	l->view.refresh = true;
	l->view_told = false;
	if (l->welcomed && l->has_view)
		send_view(l);
}

void link_key(struct link *l, const struct key *k)
{
	AUTO_BUF out = BUF_INIT;
	wire_key_encode(k, &out);
	send_input(l, WIRE_KEY, out.data, out.len);
}

void link_mouse(struct link *l, const struct mouse *m)
{
	AUTO_BUF out = BUF_INIT;
	wire_mouse_encode(m, &out);
	send_input(l, WIRE_MOUSE, out.data, out.len);
}

/* What fits is not cut again: the CR at its end would wait for a LF that nobody has. */
void link_paste(struct link *l, const char *text, size_t len, bool first, bool last)
{
	do {
		size_t n = len > WIRE_PASTE_MAX ? paste_cut(text, len, WIRE_PASTE_MAX) : len;
		AUTO_BUF out = BUF_INIT;
		struct wire_paste piece = {.first = first, .last = last && n == len, .text = text, .len = n};
		wire_paste_encode(&piece, &out);
		send_input(l, WIRE_PASTE, out.data, out.len);
		text += n;
		len -= n;
		first = false;
	} while (len);
}

void link_focus(struct link *l, bool in)
{
	AUTO_BUF out = BUF_INIT;
	wire_focus_encode(in, &out);
	send_input(l, WIRE_FOCUS, out.data, out.len);
}
