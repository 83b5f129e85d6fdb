/* call: see call.h.  Blocking, by poll; the worker is asked once and the connection closed. */
#include "client/call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/control.h"
#include "client/hello.h"
#include "os/fd.h"
#include "wire/wire.h"

enum { CALL_HANG_MS = 2000, CALL_HELLO_MS = 10000, CALL_CONTROL_MS = 2000, CALL_ATTEMPTS = 3 };

struct call {
	int fd;
	uint32_t sequence;
	struct wire_reader reader;
	char *name;    /* of the session, for messages */
	bool replaced; /* it said that a successor is to be asked */
};

static int send_frame(struct call *c, enum wire_type type, const struct json *body, struct err *err)
{
	AUTO_BUF out = BUF_INIT;
	if (wire_frame_write_json(&out, type, 0, ++c->sequence, body, err) < 0)
		return -1;
	size_t done = 0;
	while (done < out.len) {
		ssize_t n = send(c->fd, out.data + done, out.len - done, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "session %s does not take the request", c->name);
		done += (size_t)n;
	}
	return 0;
}

/* Waits for bytes until the deadline (-1: for ever).  0: some came; -1 with err. */
static int fill(struct call *c, int64_t deadline, struct err *err)
{
	for (;;) {
		int64_t left = deadline < 0 ? -1 : deadline - clock_mono_ms();
		if (deadline >= 0 && left < 0)
			left = 0;
		struct pollfd p = {.fd = c->fd, .events = POLLIN};
		int n = poll(&p, 1, left > 1 << 30 ? 1 << 30 : (int)left);
		if (n == 0)
			return err_set(err, ERR_TIMEOUT, "session %s did not answer in time", c->name);
		char chunk[65536];
		ssize_t got = n < 0 ? -1 : read(c->fd, chunk, sizeof chunk);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			return err_set(err, ERR_CLOSED, "session %s closed the connection", c->name);
		wire_reader_feed(&c->reader, chunk, (size_t)got);
		return 0;
	}
}

/*
 * A worker of another version says so itself, in words that name the older end.  One that makes way for a
 * successor is to its clients like one that died, but that it has not done what it did not answer.
 */
static void take_bye(struct call *c, const struct json *bye, struct err *err)
{
	const char *reason = json_get_string(bye, "reason", "");
	bool version = !strcmp(reason, "version");
	c->replaced = !strcmp(reason, "replaced");
	enum err_code code = version ? ERR_VERSION : c->replaced ? ERR_CLOSED : ERR_ENDED;
	err_set(err, code, "session %s: %s", c->name, json_get_string(bye, "message", "it has ended"));
}

/* The next message of a type (and, if not 0, a sequence); others are passed over.  Owned; NULL with err. */
static struct json *await(
    struct call *c, enum wire_type type, uint32_t sequence, int64_t deadline, struct err *err)
{
	for (;;) {
		struct wire_frame frame;
		int got = wire_reader_next(&c->reader, &frame, err);
		if (got < 0)
			return NULL;
		if (got == 0) {
			if (fill(c, deadline, err) < 0)
				return NULL;
			continue;
		}
		if (frame.type == type && (!sequence || frame.sequence == sequence))
			return wire_frame_json(&frame, err);
		if (frame.type == WIRE_BYE) {
			struct json *bye = wire_frame_json(&frame, NULL);
			take_bye(c, bye, err);
			json_free(bye);
			return NULL;
		}
	}
}

static int say_hello(struct call *c, int64_t patience, struct err *err)
{
	struct json *hello = hello_json("command", NULL);
	int result = send_frame(c, WIRE_HELLO, hello, err);
	json_free(hello);
	if (result < 0)
		return -1;
	struct json *welcome = await(c, WIRE_WELCOME, 0, clock_mono_ms() + patience, err);
	json_free(welcome);
	return welcome ? 0 : -1;
}

static struct call *connect_worker(const struct record *r, int64_t patience, struct err *err)
{
	int dirfd = record_open_ctl(r, err);
	if (dirfd < 0)
		return NULL;
	int fd = sock_connect(dirfd, RECORD_WORKER_SOCKET, false);
	int saved = errno;
	close(dirfd);
	if (fd < 0 || !sock_peer_is_us(fd, NULL)) {
		if (fd >= 0)
			close(fd);
		err_sys(err, fd < 0 ? saved : EPERM, "session %s cannot be reached", r->name);
		return NULL;
	}
	struct call *c = mem_zalloc(1, sizeof *c);
	c->fd = fd;
	c->name = mem_strdup(r->name);
	wire_reader_init(&c->reader);
	if (say_hello(c, patience, err) < 0) {
		call_close(c);
		return NULL;
	}
	return c;
}

/* What the keeper can do about a worker that could not be talked to; -1 with err: nothing. */
static int mend(const struct record *r, enum err_code why, struct err *err)
{
	struct control answer;
	switch (why) {
	case ERR_SYSTEM: /* its socket is gone */
		return control_ask(r, CONTROL_REBIND, 0, CALL_CONTROL_MS, &answer, err);
	case ERR_TIMEOUT: /* it hangs */
		return control_ask(r, CONTROL_RESTART_WORKER, 0, CALL_CONTROL_MS, &answer, err);
	case ERR_CLOSED: /* it died just now, or made way: its successor is on the way */
		return 0;
	default:
		return -1;
	}
}

/* Its state may be newer than what the caller has read. */
static struct call *say_ended(const struct record *r, struct err *err)
{
	struct record now;
	enum session_state state = r->state;
	if (record_load(r->path, &now, NULL) == 0) {
		state = now.state;
		record_finish(&now);
	}
	err_set(err, ERR_ENDED, "session %s has ended (%s)", r->name, state_name(state));
	err_hint(err, "`handler resume %s` starts it again.", r->name);
	return NULL;
}

/*
 * A worker that does not even greet is replaced by its keeper, and the session goes on.  Three times: a
 * successor may hang on the same output, and the one after leaves that out.
 */
struct call *call_open(const struct record *r, struct err *err)
{
	struct err why = ERR_INIT;
	for (int attempt = 0; attempt <= CALL_ATTEMPTS && record_still_live(r); attempt++) {
		bool last = attempt == CALL_ATTEMPTS;
		struct call *c = connect_worker(r, last ? CALL_HELLO_MS : CALL_HANG_MS, &why);
		if (c)
			return c;
		if (last || mend(r, why.code, NULL) < 0)
			break;
	}
	if (!record_still_live(r))
		return say_ended(r, err);
	if (err)
		*err = why;
	return NULL;
}

void call_close(struct call *c)
{
	if (!c)
		return;
	close(c->fd);
	wire_reader_finish(&c->reader);
	free(c->name);
	free(c);
}

struct json *call_request(struct call *c, const struct json *body, int64_t timeout_ms, struct err *err)
{
	if (send_frame(c, WIRE_REQUEST, body, err) < 0)
		return NULL;
	int64_t deadline = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
	struct json *reply = await(c, WIRE_REPLY, c->sequence, deadline, err);
	if (reply && wire_reply_error(reply, err)) {
		json_free(reply);
		return NULL;
	}
	return reply;
}

uint32_t call_begin(struct call *c, const struct json *body, struct err *err)
{
	return send_frame(c, WIRE_REQUEST, body, err) < 0 ? 0 : c->sequence;
}

int call_fd(const struct call *c)
{
	return c->fd;
}

/* What can be read without waiting is read once; frames that came with it are taken one by one. */
int call_take(struct call *c, uint32_t sequence, struct json **reply, struct err *err)
{
	struct err why = ERR_INIT;
	int64_t now = clock_mono_ms();
	*reply = await(c, WIRE_REPLY, sequence, now, &why);
	if (!*reply && why.code == ERR_TIMEOUT)
		return 0;
	if (*reply && wire_reply_error(*reply, &why)) {
		json_free(*reply);
		*reply = NULL;
	}
	if (!*reply && err)
		*err = why;
	return *reply ? 1 : -1;
}

/* A worker that made way before it came to the request says so; its successor takes it. */
struct json *call_once(const struct record *r, const struct json *body, int64_t timeout_ms, struct err *err)
{
	int64_t deadline = clock_mono_ms() + timeout_ms;
	for (;;) {
		struct err why = ERR_INIT;
		struct call *c = call_open(r, &why);
		struct json *reply = c ? call_request(c, body, timeout_ms, &why) : NULL;
		bool again = !reply && c && c->replaced && record_still_live(r);
		call_close(c);
		if (again) {
			int64_t left = deadline - clock_mono_ms();
			timeout_ms = timeout_ms < 0 ? -1 : left > 0 ? left : 0;
			continue;
		}
		if (!reply && err)
			*err = why;
		return reply;
	}
}

struct json *call_wait_ended(const char *path, const struct json *body, struct err *err)
{
	struct record r;
	struct json *answer = NULL;
	if (record_load(path, &r, err) < 0)
		return NULL;
	for (const struct json *e = json_first(json_get(body, "states")); e && !answer; e = json_next(e))
		if (!strcmp(json_string(e, ""), state_name(r.state)))
			answer = record_to_json(&r);
	if (!answer)
		err_set(err, ERR_ENDED, "session %s has ended (%s)", r.name, state_name(r.state));
	record_finish(&r);
	return answer;
}

struct json *call_wait(const struct record *r, const struct json *body, double seconds, struct err *err)
{
	int64_t deadline = clock_mono_ms() + (int64_t)(seconds * 1000);
	struct json *request = json_copy(body), *answer = NULL;
	struct err why = {.code = ERR_CLOSED};
	while (!answer && why.code == ERR_CLOSED && record_still_live(r)) {
		int64_t left = deadline - clock_mono_ms();
		if (seconds >= 0)
			json_set_number(request, "timeout", left > 0 ? (double)left / 1000 : 0);
		answer = call_once(r, request, -1, &why);
	}
	json_free(request);
	if (!answer && (why.code == ERR_ENDED || !record_still_live(r)))
		return call_wait_ended(r->path, body, err);
	if (!answer && err)
		*err = why;
	return answer;
}
