/*
 * keeper_worker: the worker of a session: it is started, told what happens, replaced after it died or by
 * another version, and killed when it hangs.  What comes after what in an upgrade is upgrade.c's; what a
 * worker does is not known here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/fd.h"
#include "session/keeper_private.h"
#include "session/worker.h"

enum {
	KEEPER_ABORT_MS = 1000,   /* from SIGABRT to SIGKILL of a worker that hangs */
	KEEPER_STEADY_MS = 10000, /* a worker that lived so long did not die of its start */
};

/* --- its start --- */

static int worker_descriptors(struct keeper *k, int fds[WORKER_FDS])
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	k->channel = pair[0];
	fds[WORKER_CHANNEL] = pair[1];
	fds[WORKER_MEMORY] = k->memory;
	fds[WORKER_PTY] = k->pty.master;
	fds[WORKER_LISTENER] = k->worker_listener;
	fds[WORKER_DIRECTORY] = k->directory;
	return 0;
}

static void unblock_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
}

/* Only in the child.  Nothing of the keeper stays open in a worker but what it is given. */
static void close_keepers_descriptors(struct keeper *k)
{
	close(k->lock);
	close(k->cgroup.home);
	close(k->cgroup.own);
	close(k->signals);
	close(k->channel);
	close(k->keeper_listener);
	close(k->pty.slave);
	close(k->binary);
	close(k->ctl);
	close(k->report);
	keeper_release_ports(k);
	for (int i = 0; i < KEEPER_CONNECTIONS; i++)
		if (k->connections[i].fd >= 0)
			close(k->connections[i].fd);
}

/*
 * A later worker executes the binary that the keeper was started from, kept by descriptor, so that a crash
 * never changes the version; the first one needs no exec.
 */
static _Noreturn void execute_worker(struct keeper *k, int fds[WORKER_FDS])
{
	extern char **environ;
	char *argv[] = {"handler", "worker", k->id, NULL};
	int moved[WORKER_FDS], binary = upgrade_binary(&k->upgrade, k->binary);
	binary = fd_move_above(binary, WORKER_FIRST_FD + WORKER_FDS);
	for (int i = 0; i < WORKER_FDS; i++)
		moved[i] = fd_move_above(fds[i], WORKER_FIRST_FD + WORKER_FDS);
	for (int i = 0; i < WORKER_FDS; i++)
		dup2(moved[i], WORKER_FIRST_FD + i);
	execveat(binary, "", argv, environ, AT_EMPTY_PATH);
	struct channel_message m = {.type = CHANNEL_NO_EXEC, .value = errno};
	send(WORKER_FIRST_FD + WORKER_CHANNEL, &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT);
	_exit(127);
}

void keeper_start_worker(struct keeper *k, bool first)
{
	int fds[WORKER_FDS];
	k->worker_due = -1;
	k->worker_started = clock_mono_ms();
	k->aborted = false;
	if (worker_descriptors(k, fds) < 0) {
		k->worker_due = k->worker_started + 1000;
		return;
	}
	k->shared->workers++;
	memset(k->shared->worker_version, 0, sizeof k->shared->worker_version);
	pid_t pid = fork();
	if (pid == 0) {
		unblock_signals();
		if (!first)
			execute_worker(k, fds);
		close_keepers_descriptors(k);
		char id[SESSION_ID_LENGTH + 1];
		snprintf(id, sizeof id, "%s", k->id);
		handover_unmap(k->shared);
		free(k->path);
		proc_list_finish(&k->seen);
		exit(worker_run(id, fds));
	}
	close(fds[WORKER_CHANNEL]);
	k->worker = pid > 0 ? pid : 0;
	k->worker_start_time = pid > 0 ? proc_start_time(pid) : 0;
	if (pid < 0) {
		close(k->channel);
		k->channel = -1;
		k->worker_due = k->worker_started + 1000;
	}
}

void keeper_tell_worker(struct keeper *k, enum channel_type type, int value)
{
	struct channel_message m = {.type = type, .value = value};
	if (k->channel >= 0)
		send(k->channel, &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The output that a worker died of, for whoever looks for the fault. */
static void save_crash(struct keeper *k)
{
	char name[32];
	snprintf(name, sizeof name, "crash-%u.bin", (unsigned)k->shared->workers);
	size_t len;
	const uint8_t *data =
	    handover_bytes(k->shared, k->shared->begun, (size_t)k->shared->begun_size, &len);
	AUTO_FREE char *path = path_join(k->path, name);
	if (data)
		path_write_file(path, data, len, 0600, NULL);
}

bool keeper_signal_worker(struct keeper *k, int signal)
{
	struct proc_info p;
	return k->worker && proc_read(k->worker, &p) && p.start == k->worker_start_time &&
	       proc_signal(&p, signal) == 0;
}

/* --- another version of the worker --- */

void keeper_answer_upgrade(struct keeper *k)
{
	if (k->upgrade.outcome == UPGRADE_DONE) {
		close(k->binary);
		k->binary = k->upgrade.binary;
		k->upgrade.binary = -1;
	}
	for (int i = 0; i < KEEPER_CONNECTIONS; i++)
		if (k->connections[i].fd >= 0 && k->connections[i].op == CONTROL_UPGRADE)
			keeper_answer_upgrade_with(
			    k, &k->connections[i], k->upgrade.outcome, k->upgrade.status);
}

void keeper_act_on_upgrade(struct keeper *k, enum upgrade_action action)
{
	switch (action) {
	case UPGRADE_ASK_TO_LEAVE:
		keeper_tell_worker(k, CHANNEL_LEAVE, 0);
		break;
	case UPGRADE_START:
		k->failures = 0;
		keeper_start_worker(k, false);
		break;
	case UPGRADE_KILL:
		if (!keeper_signal_worker(k, SIGKILL) && !k->worker)
			keeper_act_on_upgrade(k, upgrade_died(&k->upgrade, 0, clock_mono_ms()));
		break;
	case UPGRADE_ANSWER:
		keeper_answer_upgrade(k);
		break;
	case UPGRADE_NOTHING:
		break;
	}
}

void keeper_upgrade(struct keeper *k, struct connection *c, int fd)
{
	int fault = fd < 0 ? EBADF : upgrade_check_binary(fd);
	enum upgrade_outcome no = k->phase != PHASE_RUNNING || k->shared->leader_ended ? UPGRADE_ENDING
				  : k->upgrade.phase != UPGRADE_NONE                   ? UPGRADE_BUSY
				  : fault                                              ? UPGRADE_BAD_FILE
										       : UPGRADE_DONE;
	if (no != UPGRADE_DONE) {
		if (fd >= 0)
			close(fd);
		keeper_answer_upgrade_with(k, c, no, fault);
		return;
	}
	c->op = CONTROL_UPGRADE;
	k->worker_due = -1;
	keeper_act_on_upgrade(k, upgrade_begin(&k->upgrade, fd, k->worker != 0, clock_mono_ms()));
}

void keeper_take_messages(struct keeper *k)
{
	struct channel_message m;
	ssize_t n;
	while (k->channel >= 0 && (n = recv(k->channel, &m, sizeof m, MSG_DONTWAIT)) != -1) {
		if (n == 0) {
			close(k->channel);
			k->channel = -1;
		} else if (n == (ssize_t)sizeof m) {
			keeper_act_on_upgrade(k, upgrade_message(&k->upgrade, m.type, m.value));
		}
	}
}

/* The session is over, and its worker was just making way for another one. */
static void write_last_screen(struct keeper *k)
{
	k->left_to_upgrade = false;
	keeper_start_worker(k, false);
	keeper_tell_worker(k, CHANNEL_GONE, 0);
}

/*
 * Whether it was the output that a worker died of: a fault, an assertion, a hang.  A SIGKILL that we did not
 * send comes from outside and says nothing about what was being parsed.
 */
static void blame_output(struct keeper *k, int status)
{
	bool from_outside = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !k->aborted;
	if (from_outside || !k->shared->begun_size) {
		k->shared->begun_size = 0;
		return;
	}
	save_crash(k);
	handover_died(k->shared);
}

void keeper_worker_died(struct keeper *k, int status)
{
	static const int backoff[] = {0, 0, 100, 1000, 5000};
	log_info("keeper", "worker %d ended with status %x", (int)k->worker, status);
	keeper_take_messages(k);
	if (k->channel >= 0)
		close(k->channel);
	k->channel = -1;
	k->worker = 0;
	k->worker_kill_due = -1;
	if (k->phase == PHASE_DRAINING) {
		if (k->left_to_upgrade && WIFEXITED(status) && WEXITSTATUS(status) == WORKER_LEFT)
			write_last_screen(k);
		return;
	}
	if (k->upgrade.phase != UPGRADE_NONE) {
		k->shared->begun_size = 0; /* another version died of it, or nobody: it is not left out */
		keeper_act_on_upgrade(k, upgrade_died(&k->upgrade, status, clock_mono_ms()));
	}
	if (k->worker || k->worker_due >= 0)
		return;
	blame_output(k, status);
	int64_t now = clock_mono_ms();
	k->failures = now - k->worker_started < KEEPER_STEADY_MS ? k->failures + 1 : 1;
	size_t i = (size_t)k->failures < COUNT_OF(backoff) ? (size_t)k->failures : COUNT_OF(backoff) - 1;
	k->worker_due = now + backoff[i];
}

void keeper_abort_worker(struct keeper *k)
{
	/* One that is on its way out or in has a deadline of its own. */
	if (k->upgrade.phase != UPGRADE_NONE && k->upgrade.phase != UPGRADE_PROVING)
		return;
	if (!keeper_signal_worker(k, SIGABRT))
		return;
	k->aborted = true;
	k->worker_kill_due = clock_mono_ms() + KEEPER_ABORT_MS;
}
