/*
 * keeper_control: the keeper's control socket: the directory it is in, the connections, what each message
 * asks for and what is answered.  It does itself what is about the sockets, and the SIGCONT that a message
 * asks for; how a session is stopped is keeper_stop.c's, how its worker is replaced keeper_worker.c's.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/fd.h"
#include "session/keeper_private.h"

static struct control describe(struct keeper *k, uint16_t op, uint16_t how)
{
	struct proc_list tree;
	keeper_list_tree(k, &tree);
	struct control m = {.magic = CONTROL_MAGIC,
	    .op = op,
	    .answer = how,
	    .leader = k->leader,
	    .worker = k->worker,
	    .workers = k->shared->workers,
	    .processes = (uint32_t)keeper_count_living(&tree),
	    .survivors = k->survivors};
	proc_list_finish(&tree);
	m.ended = (uint32_t)k->seen.count - (k->survivors < k->seen.count ? k->survivors : 0);
	m.milliseconds = k->stop_began ? (uint32_t)(clock_mono_ms() - k->stop_began) : 0;
	snprintf(m.first_survivor, sizeof m.first_survivor, "%s", k->first_survivor);
	return m;
}

static void reply(struct connection *c, const struct control *m)
{
	send(c->fd, m, sizeof *m, MSG_NOSIGNAL | MSG_DONTWAIT);
	c->op = 0;
}

void keeper_answer(struct keeper *k, struct connection *c, uint16_t op, uint16_t how)
{
	struct control m = describe(k, op, how);
	reply(c, &m);
}

void keeper_answer_upgrade_with(
    struct keeper *k, struct connection *c, enum upgrade_outcome outcome, int32_t status)
{
	struct control m = describe(k, CONTROL_UPGRADE, 1);
	m.outcome = outcome;
	m.status = status;
	snprintf(m.version, sizeof m.version, "%.*s", (int)sizeof m.version - 1, k->shared->worker_version);
	reply(c, &m);
}

static void continue_leader(struct keeper *k)
{
	struct proc_list tree;
	keeper_list_tree(k, &tree);
	for (size_t i = 0; i < tree.count; i++)
		proc_signal(&tree.items[i], SIGCONT);
	proc_list_finish(&tree);
}

/*
 * The directory of the sockets.  One in /tmp is kept from the cleaning of old files by a lock:
 * systemd-tmpfiles passes over directories that somebody holds one on (tmpfiles.d(5)).
 */
int keeper_open_ctl(struct keeper *k, char **elsewhere, int *listener, struct err *err)
{
	if (record_make_ctl(k->path, k->id, elsewhere, listener, err) < 0)
		return -1;
	AUTO_FREE char *inside = path_join(k->path, RECORD_CTL_DIR);
	k->ctl = open(*elsewhere ? *elsewhere : inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (k->ctl < 0)
		return err_sys(err, errno, "cannot open the directory of the sockets of session %s", k->id);
	if (*elsewhere)
		flock(k->ctl, LOCK_SH | LOCK_NB);
	return 0;
}

/* The directory itself may have been removed. */
static void find_ctl_again(struct keeper *k)
{
	struct stat st;
	char *elsewhere = NULL;
	if (fstat(k->ctl, &st) == 0 && st.st_nlink > 0)
		return;
	int old = k->ctl;
	int listener = -1;
	if (keeper_open_ctl(k, &elsewhere, &listener, NULL) == 0)
		close(old);
	else
		k->ctl = old;
	if (listener >= 0)
		close(listener);
	free(elsewhere);
}

void keeper_bind_again(struct keeper *k)
{
	find_ctl_again(k);
	int fd = sock_listen(k->ctl, RECORD_KEEPER_SOCKET, NULL);
	if (fd >= 0) {
		close(k->keeper_listener);
		k->keeper_listener = fd;
	}
	fd = sock_listen(k->ctl, RECORD_WORKER_SOCKET, NULL);
	if (fd >= 0) {
		close(k->worker_listener);
		k->worker_listener = fd;
		/* The new worker is given the new socket; its predecessor leaves in good order. */
		upgrade_rebind(&k->upgrade);
		keeper_tell_worker(k, CHANNEL_REBIND, 0);
	}
}

/* A request and the descriptor that came with it (-1: none).  More than one are cut off by the kernel. */
static ssize_t receive(int fd, struct control *m, int *passed)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec data = {.iov_base = m, .iov_len = sizeof *m};
	struct msghdr h = {.msg_iov = &data,
	    .msg_iovlen = 1,
	    .msg_control = control.room,
	    .msg_controllen = CMSG_LEN(sizeof(int))};
	ssize_t n = recvmsg(fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&h);
	*passed = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(passed, CMSG_DATA(c), sizeof *passed);
	return n;
}

void keeper_serve(struct keeper *k, struct connection *c)
{
	struct control m;
	int passed;
	ssize_t n = receive(c->fd, &m, &passed);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	bool valid = n == (ssize_t)sizeof m && m.magic == CONTROL_MAGIC;
	if (passed >= 0 && !(valid && m.op == CONTROL_UPGRADE))
		close(passed);
	if (!valid) {
		close(c->fd);
		*c = (struct connection){.fd = -1};
		return;
	}
	switch (m.op) {
	case CONTROL_STATUS:
		keeper_answer(k, c, m.op, 1);
		break;
	case CONTROL_STOP:
		c->op = m.op;
		k->asked = true;
		keeper_begin_ending(k, m.grace_ms == UINT32_MAX ? k->grace : (int64_t)m.grace_ms);
		keeper_check_tree(k);
		break;
	case CONTROL_RESTART_WORKER:
		keeper_abort_worker(k);
		keeper_answer(k, c, m.op, 1);
		break;
	case CONTROL_REBIND:
		keeper_bind_again(k);
		keeper_answer(k, c, m.op, 1);
		break;
	case CONTROL_CONTINUE:
		continue_leader(k);
		keeper_answer(k, c, m.op, 1);
		break;
	case CONTROL_UPGRADE:
		keeper_upgrade(k, c, passed);
		break;
	default:
		keeper_answer(k, c, m.op, 2);
	}
}

void keeper_accept_connection(struct keeper *k)
{
	int fd = accept4(k->keeper_listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	for (int i = 0; i < KEEPER_CONNECTIONS && sock_peer_is_us(fd, NULL); i++) {
		if (k->connections[i].fd < 0) {
			k->connections[i] = (struct connection){.fd = fd};
			return;
		}
	}
	close(fd);
}
