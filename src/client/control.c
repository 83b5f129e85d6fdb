/* control: see control.h. */
#include "client/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/fd.h"
#include "os/proc.h"

enum { REBIND_WAIT_MS = 1000 };

/* A keeper whose socket was removed makes it again when it is sent SIGUSR1; known by pid and start time,
 * never by name. */
static void ask_to_bind_again(const struct record *r)
{
	struct proc_info p;
	if (proc_read(r->keeper, &p) && p.start == r->keeper_start)
		proc_signal(&p, SIGUSR1);
}

static int try_to_connect(const struct record *r, struct err *err)
{
	int dirfd = record_open_ctl(r, err);
	if (dirfd < 0)
		return -1;
	int fd = sock_connect(dirfd, RECORD_KEEPER_SOCKET, false);
	int saved = errno;
	close(dirfd);
	return fd < 0 ? err_sys(err, saved, "the keeper of session %s cannot be reached", r->name) : fd;
}

static int connect_keeper(const struct record *r, struct err *err)
{
	struct err why = ERR_INIT;
	int fd = try_to_connect(r, &why);
	if (fd < 0) {
		int64_t deadline = clock_mono_ms() + REBIND_WAIT_MS;
		ask_to_bind_again(r);
		while (fd < 0 && record_still_live(r) && clock_mono_ms() < deadline) {
			poll(NULL, 0, 5);
			fd = try_to_connect(r, &why);
		}
	}
	if (fd < 0 && err)
		*err = why;
	if (fd < 0 || sock_peer_is_us(fd, NULL))
		return fd;
	close(fd);
	return err_set(err, ERR_REFUSED, "the socket of session %s belongs to somebody else", r->name);
}

static int await_answer(
    int fd, const struct record *r, int64_t deadline, struct control *answer, struct err *err)
{
	do {
		int64_t left = deadline - clock_mono_ms();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int n = poll(&p, 1, left > 0 ? (int)left : 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			return err_set(
			    err, ERR_TIMEOUT, "the keeper of session %s did not answer in time", r->name);
		if (fd_read_full(fd, answer, sizeof *answer) != (ssize_t)sizeof *answer ||
		    answer->magic != CONTROL_MAGIC)
			return err_set(
			    err, ERR_CLOSED, "the keeper of session %s closed the connection", r->name);
		if (answer->answer == 1)
			return 0;
		if (answer->answer == 2)
			return err_set(
			    err, ERR_REFUSED, "the keeper of session %s refused the request", r->name);
	} while (true);
}

static ssize_t send_with(int fd, const struct control *request, int pass)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec data = {.iov_base = (void *)request, .iov_len = sizeof *request};
	struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
	if (pass >= 0) {
		m.msg_control = control.room;
		m.msg_controllen = sizeof control.room;
		*CMSG_FIRSTHDR(&m) = (struct cmsghdr){
		    .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof pass)};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &pass, sizeof pass);
	}
	return sendmsg(fd, &m, MSG_NOSIGNAL);
}

int control_send(const struct record *r, enum control_op op, uint32_t grace_ms, int pass, struct err *err)
{
	int fd = connect_keeper(r, err);
	if (fd < 0)
		return -1;
	struct control request = {.magic = CONTROL_MAGIC, .op = (uint16_t)op, .grace_ms = grace_ms};
	if (send_with(fd, &request, pass) == (ssize_t)sizeof request)
		return fd;
	int saved = errno;
	close(fd);
	return err_sys(err, saved, "the keeper of session %s does not take the request", r->name);
}

int control_await(int fd, const struct record *r, int timeout_ms, struct control *answer, struct err *err)
{
	int result = await_answer(fd, r, clock_mono_ms() + timeout_ms, answer, err);
	close(fd);
	return result;
}

int control_ask(const struct record *r, enum control_op op, uint32_t grace_ms, int timeout_ms,
    struct control *answer, struct err *err)
{
	int fd = control_send(r, op, grace_ms, -1, err);
	return fd < 0 ? -1 : control_await(fd, r, timeout_ms, answer, err);
}
