/* keeper: see keeper.h. */
#include "session/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "client/control.h"
#include "client/record.h"
#include "os/cgroup.h"
#include "os/fd.h"
#include "os/proc.h"
#include "os/pty.h"
#include "client/foreign.h"
#include "session/handover.h"
#include "session/upgrade.h"
#include "session/worker.h"

enum {
	KEEPER_CONNECTIONS = 16,
	KEEPER_GRACE_MS = 5000,
	KEEPER_INSIST_MS = 1000,     /* from the first signal to SIGHUP, at most */
	KEEPER_KILL_ROUND_MS = 20,   /* between two rounds of SIGKILL */
	KEEPER_KILL_TIME_MS = 5000,  /* what SIGKILL has not ended after this cannot be ended by us */
	KEEPER_WORKER_END_MS = 5000, /* for the worker to write the last screen */
	KEEPER_ABORT_MS = 1000,      /* from SIGABRT to SIGKILL of a worker that hangs */
	KEEPER_STEADY_MS = 10000,    /* a worker that lived so long did not die of its start */
};

enum phase { PHASE_RUNNING, PHASE_ENDING, PHASE_KILLING, PHASE_DRAINING };

struct connection {
	int fd;      /* -1: free */
	uint16_t op; /* being waited for, 0: none */
};

struct keeper {
	char id[SESSION_ID_LENGTH + 1];
	char *path;
	int directory, ctl, lock, binary, signals, report;
	mode_t umask; /* the caller's, and so the program's */
	int keeper_listener, worker_listener;
	int leases[PORTS_MAX * PORT_LEASE_FDS]; /* of ports; -1: none */
	size_t lease_fds;
	struct pty pty;
	struct handover *shared;
	int memory;

	pid_t leader;
	struct cgroup cgroup; /* of the program and what it starts, where one was delegated to us */
	pid_t worker;
	uint64_t worker_start_time;
	int channel;
	int64_t worker_started, worker_due, worker_kill_due; /* -1: none */
	bool aborted;                                        /* by us, as it hung */
	int failures;                                        /* deaths of workers in a row */
	struct upgrade upgrade;
	bool left_to_upgrade; /* the worker was told to leave, and then the session ended */

	enum phase phase;
	bool asked, interrupted, keep_others;
	int stop_signal; /* the harness's graceful way */
	bool stop_group; /* it is for the leader's whole process group */
	int64_t stop_began, deadline, insist_due;
	int64_t grace;
	struct proc_list seen; /* what a stop has signalled */
	uint32_t survivors;
	char first_survivor[24];
	struct connection connections[KEEPER_CONNECTIONS];
};

/* --- the tree --- */

/* The worker is ours and goes last; another session's keeper, started from inside this one, is not ours at
 * all. */
static bool not_of_the_session(const struct proc_info *p, void *user)
{
	const struct keeper *k = user;
	return p->pid == k->worker || foreign_keeper(p);
}

static void list_tree(struct keeper *k, struct proc_list *out)
{
	proc_tree(getpid(), not_of_the_session, k, out);
}

static size_t count_living(const struct proc_list *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->count; i++)
		n += l->items[i].state != 'Z' && l->items[i].state != 'X';
	return n;
}

static void remember(struct keeper *k, const struct proc_info *p)
{
	for (size_t i = 0; i < k->seen.count; i++)
		if (k->seen.items[i].pid == p->pid && k->seen.items[i].start == p->start)
			return;
	if (k->seen.count == k->seen.cap) {
		k->seen.cap = k->seen.cap ? k->seen.cap * 2 : 16;
		k->seen.items = mem_realloc(k->seen.items, k->seen.cap, sizeof *k->seen.items);
	}
	k->seen.items[k->seen.count++] = *p;
}

/* The harness's way for its program ("stop" in the descriptor), SIGTERM for what it has started. */
static int first_signal(const struct keeper *k, const struct proc_info *p)
{
	bool addressed = p->pid == k->leader || (k->stop_group && p->pgrp == k->leader);
	return addressed ? k->stop_signal : SIGTERM;
}

static int insisting_signal(const struct keeper *k, const struct proc_info *p)
{
	(void)k;
	(void)p;
	return SIGHUP;
}

/*
 * Signals all: what `choose` says (NULL: nothing), then `last` (0: nothing).  Returns how many are still
 * there and may be signalled.
 */
static size_t signal_tree(
    struct keeper *k, int (*choose)(const struct keeper *k, const struct proc_info *p), int last)
{
	struct proc_list tree;
	size_t reachable = 0;
	k->survivors = 0;
	list_tree(k, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		const struct proc_info *p = &tree.items[i];
		if (p->state == 'Z' || p->state == 'X')
			continue;
		remember(k, p);
		int result = choose ? proc_signal(p, choose(k, p)) : 0;
		if (last)
			result = proc_signal(p, last);
		if (result != -EPERM) {
			reachable++;
		} else if (k->survivors++ == 0) {
			snprintf(
			    k->first_survivor, sizeof k->first_survivor, "%d %.15s", (int)p->pid, p->name);
		}
	}
	proc_list_finish(&tree);
	return reachable;
}

/* --- the worker --- */

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

static void release_ports(struct keeper *k)
{
	for (size_t i = 0; i < k->lease_fds; i++)
		if (k->leases[i] >= 0)
			close(k->leases[i]);
	k->lease_fds = 0;
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
	release_ports(k);
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

static void start_worker(struct keeper *k, bool first)
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

static void tell_worker(struct keeper *k, enum channel_type type, int value)
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

static bool signal_worker(struct keeper *k, int signal)
{
	struct proc_info p;
	return k->worker && proc_read(k->worker, &p) && p.start == k->worker_start_time &&
	       proc_signal(&p, signal) == 0;
}

/* --- another version of the worker --- */

static void answer_upgrade_with(
    struct keeper *k, struct connection *c, enum upgrade_outcome outcome, int32_t status);

static void answer_upgrade(struct keeper *k)
{
	if (k->upgrade.outcome == UPGRADE_DONE) {
		close(k->binary);
		k->binary = k->upgrade.binary;
		k->upgrade.binary = -1;
	}
	for (int i = 0; i < KEEPER_CONNECTIONS; i++)
		if (k->connections[i].fd >= 0 && k->connections[i].op == CONTROL_UPGRADE)
			answer_upgrade_with(k, &k->connections[i], k->upgrade.outcome, k->upgrade.status);
}

static void act_on_upgrade(struct keeper *k, enum upgrade_action action)
{
	switch (action) {
	case UPGRADE_ASK_TO_LEAVE:
		tell_worker(k, CHANNEL_LEAVE, 0);
		break;
	case UPGRADE_START:
		k->failures = 0;
		start_worker(k, false);
		break;
	case UPGRADE_KILL:
		if (!signal_worker(k, SIGKILL) && !k->worker)
			act_on_upgrade(k, upgrade_died(&k->upgrade, 0, clock_mono_ms()));
		break;
	case UPGRADE_ANSWER:
		answer_upgrade(k);
		break;
	case UPGRADE_NOTHING:
		break;
	}
}

/* `fd` goes with the request, -1: none did. */
static void upgrade(struct keeper *k, struct connection *c, int fd)
{
	int fault = fd < 0 ? EBADF : upgrade_check_binary(fd);
	enum upgrade_outcome no = k->phase != PHASE_RUNNING || k->shared->leader_ended ? UPGRADE_ENDING
				  : k->upgrade.phase != UPGRADE_NONE                   ? UPGRADE_BUSY
				  : fault                                              ? UPGRADE_BAD_FILE
										       : UPGRADE_DONE;
	if (no != UPGRADE_DONE) {
		if (fd >= 0)
			close(fd);
		answer_upgrade_with(k, c, no, fault);
		return;
	}
	c->op = CONTROL_UPGRADE;
	k->worker_due = -1;
	act_on_upgrade(k, upgrade_begin(&k->upgrade, fd, k->worker != 0, clock_mono_ms()));
}

/* What the worker says. */
static void take_messages(struct keeper *k)
{
	struct channel_message m;
	ssize_t n;
	while (k->channel >= 0 && (n = recv(k->channel, &m, sizeof m, MSG_DONTWAIT)) != -1) {
		if (n == 0) {
			close(k->channel);
			k->channel = -1;
		} else if (n == (ssize_t)sizeof m) {
			act_on_upgrade(k, upgrade_message(&k->upgrade, m.type, m.value));
		}
	}
}

/* The session is over, and its worker was just making way for another one. */
static void write_last_screen(struct keeper *k)
{
	k->left_to_upgrade = false;
	start_worker(k, false);
	tell_worker(k, CHANNEL_GONE, 0);
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

static void worker_died(struct keeper *k, int status)
{
	static const int backoff[] = {0, 0, 100, 1000, 5000};
	log_info("keeper", "worker %d ended with status %x", (int)k->worker, status);
	take_messages(k);
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
		act_on_upgrade(k, upgrade_died(&k->upgrade, status, clock_mono_ms()));
	}
	if (k->worker || k->worker_due >= 0)
		return;
	blame_output(k, status);
	int64_t now = clock_mono_ms();
	k->failures = now - k->worker_started < KEEPER_STEADY_MS ? k->failures + 1 : 1;
	size_t i = (size_t)k->failures < COUNT_OF(backoff) ? (size_t)k->failures : COUNT_OF(backoff) - 1;
	k->worker_due = now + backoff[i];
}

static void abort_worker(struct keeper *k)
{
	/* One that is on its way out or in has a deadline of its own. */
	if (k->upgrade.phase != UPGRADE_NONE && k->upgrade.phase != UPGRADE_PROVING)
		return;
	if (!signal_worker(k, SIGABRT))
		return;
	k->aborted = true;
	k->worker_kill_due = clock_mono_ms() + KEEPER_ABORT_MS;
}

/* --- the end of the session --- */

/*
 * Asked once more, a stop may only become shorter.  The first signals are the harness's own way and SIGTERM
 * for the others; who is still there at `insist_due` gets SIGHUP too, which ends a shell that takes no
 * SIGTERM.
 */
static void begin_ending(struct keeper *k, int64_t grace)
{
	int64_t now = clock_mono_ms();
	if (k->phase == PHASE_ENDING && now + grace < k->deadline)
		k->deadline = now + grace;
	if (k->phase != PHASE_RUNNING)
		return;
	k->phase = PHASE_ENDING;
	k->stop_began = now;
	k->deadline = now + grace;
	k->insist_due = now + (grace / 4 < KEEPER_INSIST_MS ? grace / 4 : KEEPER_INSIST_MS);
	tell_worker(k, CHANNEL_STOPPING, 0);
	signal_tree(k, first_signal, SIGCONT);
}

static void begin_draining(struct keeper *k)
{
	k->shared->left = k->survivors;
	k->left_to_upgrade = k->upgrade.phase == UPGRADE_LEAVING;
	if (upgrade_cancel(&k->upgrade))
		answer_upgrade(k);
	k->phase = PHASE_DRAINING;
	k->deadline = clock_mono_ms() + KEEPER_WORKER_END_MS;
	if (!k->worker && k->worker_due >= 0)
		start_worker(k, false); /* somebody has to write the last screen */
	tell_worker(k, CHANNEL_GONE, 0);
}

/* What may be signalled and is there all the same, such as a process that waits in the kernel. */
static void name_survivor(struct keeper *k)
{
	struct proc_list tree;
	list_tree(k, &tree);
	for (size_t i = 0; i < tree.count && !*k->first_survivor; i++)
		if (tree.items[i].state != 'Z' && tree.items[i].state != 'X')
			snprintf(k->first_survivor, sizeof k->first_survivor, "%d %.15s",
			    (int)tree.items[i].pid, tree.items[i].name);
	proc_list_finish(&tree);
}

static bool is_foreign_keeper(pid_t pid, void *user)
{
	struct proc_info p;
	(void)user;
	return proc_read(pid, &p) && foreign_keeper(&p);
}

static void kill_round(struct keeper *k)
{
	int64_t now = clock_mono_ms();
	bool all = cgroup_kill(&k->cgroup, is_foreign_keeper, NULL);
	size_t reachable = signal_tree(k, NULL, SIGKILL);
	if (reachable == 0 && k->survivors == 0) {
		begin_draining(k);
		return;
	}
	/* The kernel may be about to end those that we may not signal. */
	if (now - k->deadline > KEEPER_KILL_TIME_MS || (reachable == 0 && !all)) {
		if (!k->survivors)
			name_survivor(k);
		k->survivors += (uint32_t)reachable;
		begin_draining(k);
	}
}

/* After a child was reaped, or a time has come. */
static void check_tree(struct keeper *k)
{
	if (k->phase == PHASE_DRAINING || !k->shared->leader_ended)
		return;
	struct proc_list tree;
	list_tree(k, &tree);
	size_t left = count_living(&tree);
	proc_list_finish(&tree);
	if (left == 0) {
		k->survivors = 0; /* who could not be signalled has ended all the same */
		begin_draining(k);
	} else if (k->shared->left != left) {
		k->shared->left = (uint32_t)left;
		tell_worker(k, CHANNEL_LEADER, (int)left);
	}
}

static void leader_ended(struct keeper *k, int status)
{
	k->shared->wait_status = status;
	k->shared->stopped_by_us = !k->asked ? 0 : k->interrupted ? HANDOVER_INTERRUPTED : 1;
	k->shared->leader_ended = 1;
	struct proc_list tree;
	list_tree(k, &tree);
	k->shared->left = (uint32_t)count_living(&tree);
	proc_list_finish(&tree);
	tell_worker(k, CHANNEL_LEADER, (int)k->shared->left);
	if (k->phase == PHASE_RUNNING && k->shared->left && !k->keep_others)
		begin_ending(k, k->grace);
}

static void reap(struct keeper *k)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED | __WALL)) > 0;) {
		if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
			if (pid == k->leader)
				tell_worker(k, CHANNEL_SUSPENDED, WIFSTOPPED(status));
		} else if (pid == k->worker) {
			worker_died(k, status);
		} else if (pid == k->leader) {
			leader_ended(k, status);
		}
	}
	check_tree(k);
}

/* --- the control socket --- */

static struct control describe(struct keeper *k, uint16_t op, uint16_t how)
{
	struct proc_list tree;
	list_tree(k, &tree);
	struct control m = {.magic = CONTROL_MAGIC,
	    .op = op,
	    .answer = how,
	    .leader = k->leader,
	    .worker = k->worker,
	    .workers = k->shared->workers,
	    .processes = (uint32_t)count_living(&tree),
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

static void answer(struct keeper *k, struct connection *c, uint16_t op, uint16_t how)
{
	struct control m = describe(k, op, how);
	reply(c, &m);
}

static void answer_upgrade_with(
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
	list_tree(k, &tree);
	for (size_t i = 0; i < tree.count; i++)
		proc_signal(&tree.items[i], SIGCONT);
	proc_list_finish(&tree);
}

/*
 * The directory of the sockets.  One in /tmp is kept from the cleaning of old files by a lock:
 * systemd-tmpfiles passes over directories that somebody holds one on (tmpfiles.d(5)).
 */
static int open_ctl(struct keeper *k, char **elsewhere, struct err *err)
{
	if (record_make_ctl(k->path, k->id, elsewhere, err) < 0)
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
	if (open_ctl(k, &elsewhere, NULL) == 0)
		close(old);
	else
		k->ctl = old;
	free(elsewhere);
}

static void bind_again(struct keeper *k)
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
		tell_worker(k, CHANNEL_REBIND, 0);
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

static void serve(struct keeper *k, struct connection *c)
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
		answer(k, c, m.op, 1);
		break;
	case CONTROL_STOP:
		c->op = m.op;
		k->asked = true;
		begin_ending(k, m.grace_ms == UINT32_MAX ? k->grace : (int64_t)m.grace_ms);
		check_tree(k);
		break;
	case CONTROL_RESTART_WORKER:
		abort_worker(k);
		answer(k, c, m.op, 1);
		break;
	case CONTROL_REBIND:
		bind_again(k);
		answer(k, c, m.op, 1);
		break;
	case CONTROL_CONTINUE:
		continue_leader(k);
		answer(k, c, m.op, 1);
		break;
	case CONTROL_UPGRADE:
		upgrade(k, c, passed);
		break;
	default:
		answer(k, c, m.op, 2);
	}
}

static void accept_connection(struct keeper *k)
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

/* --- the loop --- */

static void take_signals(struct keeper *k)
{
	struct signalfd_siginfo info;
	while (read(k->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) {
			k->interrupted =
			    k->interrupted || !k->asked; /* the machine goes down, or somebody means us */
			k->asked = true;
			begin_ending(k, k->grace);
		} else if (info.ssi_signo == SIGUSR1) {
			bind_again(k);
		}
	}
	reap(k);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

static int poll_timeout(const struct keeper *k)
{
	int64_t now = clock_mono_ms(), due = earlier(k->worker_due, k->worker_kill_due);
	due = earlier(due, k->upgrade.due);
	if (k->phase == PHASE_ENDING || k->phase == PHASE_DRAINING)
		due = earlier(due, k->deadline);
	if (k->phase == PHASE_ENDING)
		due = earlier(due, k->insist_due);
	if (k->phase == PHASE_KILLING)
		due = earlier(due, now + KEEPER_KILL_ROUND_MS);
	if (due < 0)
		return -1;
	return due <= now ? 0 : (int)(due - now);
}

static void act_on_time(struct keeper *k)
{
	int64_t now = clock_mono_ms();
	if (k->worker_due >= 0 && now >= k->worker_due && !k->worker)
		start_worker(k, false);
	act_on_upgrade(k, upgrade_tick(&k->upgrade, now));
	if (k->worker_kill_due >= 0 && now >= k->worker_kill_due) {
		k->worker_kill_due = -1;
		signal_worker(k, SIGKILL);
	}
	if (k->phase == PHASE_ENDING && k->insist_due >= 0 && now >= k->insist_due) {
		k->insist_due = -1;
		signal_tree(k, insisting_signal, SIGCONT);
	}
	if (k->phase == PHASE_ENDING && now >= k->deadline)
		k->phase = PHASE_KILLING;
	if (k->phase == PHASE_KILLING)
		kill_round(k);
}

static bool over(const struct keeper *k)
{
	return k->phase == PHASE_DRAINING && (!k->worker || clock_mono_ms() >= k->deadline);
}

static void loop(struct keeper *k)
{
	while (!over(k)) {
		struct pollfd p[3 + KEEPER_CONNECTIONS] = {{.fd = k->signals, .events = POLLIN},
		    {.fd = k->keeper_listener, .events = POLLIN}, {.fd = k->channel, .events = POLLIN}};
		for (int i = 0; i < KEEPER_CONNECTIONS; i++)
			p[3 + i] = (struct pollfd){.fd = k->connections[i].fd, .events = POLLIN};
		if (poll(p, COUNT_OF(p), poll_timeout(k)) < 0 && errno != EINTR)
			break;
		if (p[2].revents)
			take_messages(k);
		if (p[0].revents)
			take_signals(k);
		if (p[1].revents)
			accept_connection(k);
		for (int i = 0; i < KEEPER_CONNECTIONS; i++)
			if (p[3 + i].revents && k->connections[i].fd == p[3 + i].fd)
				serve(k, &k->connections[i]);
		act_on_time(k);
	}
}

/* Only if no worker could do it: that the session has ended must not be lost with it. */
static void write_last_state(struct keeper *k)
{
	struct record r;
	if (record_load(k->path, &r, NULL) < 0)
		return;
	if (!state_ended(r.state)) {
		struct status *s = status_create(NULL, clock_now(), NULL);
		if (s) {
			status_ended(s, k->shared->wait_status, k->asked, NULL, clock_now());
			struct json *j = status_to_json(s);
			record_state_times(j);
			json_set_bool(j, "interrupted", k->interrupted);
			record_write_state(k->path, j, NULL);
			json_free(j);
			status_destroy(s);
		}
	}
	record_finish(&r);
}

static void finish(struct keeper *k)
{
	if (k->worker) {
		struct proc_info p;
		if (proc_read(k->worker, &p) && p.start == k->worker_start_time)
			proc_signal(&p, SIGKILL);
		while (waitpid(k->worker, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	write_last_state(k);
	unlinkat(k->ctl, RECORD_WORKER_SOCKET, 0);
	unlinkat(k->ctl, RECORD_KEEPER_SOCKET, 0);
	/* Ports and lock go before the answers: who hears that the session has ended finds it ended. */
	release_ports(k);
	cgroup_remove(&k->cgroup);
	close(k->lock);
	for (int i = 0; i < KEEPER_CONNECTIONS; i++) {
		struct connection *c = &k->connections[i];
		if (c->fd >= 0 && c->op)
			answer(k, c, c->op, 1);
		if (c->fd >= 0)
			close(c->fd);
	}
	handover_unmap(k->shared);
	proc_list_finish(&k->seen);
	free(k->path);
}

/* --- the start --- */

/* Whoever reads the report may remove the session's directory: by then nothing must hold it, or run in it. */
static _Noreturn void report_and_leave(struct keeper *k, const struct err *err)
{
	if (k->leader > 0)
		signal_tree(k, NULL, SIGKILL);
	cgroup_remove(&k->cgroup);
	if (k->lock >= 0)
		close(k->lock);
	fd_write_full(k->report, err, sizeof *err);
	_exit(1);
}

static int open_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Adds what only the keeper knows to session.json. */
static int write_identity(
    struct keeper *k, const struct json *identity, const char *elsewhere, struct err *err)
{
	struct json *j = json_copy(identity);
	char boot[40], host[256] = "";
	proc_boot_id(boot);
	gethostname(host, sizeof host - 1);
	json_set_string(j, "boot_id", boot);
	json_set_string(j, "host", host);
	json_set_number(j, "keeper", getpid());
	json_set_number(j, "keeper_start", (double)proc_start_time(getpid()));
	json_set_number(j, "leader", k->leader);
	json_set_number(j, "leader_start", (double)proc_start_time(k->leader));
	if (elsewhere)
		json_set_string(j, "sockets", elsewhere);
	int result = record_write_session(k->path, j, err);
	json_free(j);
	return result;
}

static int open_everything(
    struct keeper *k, const struct keeper_options *o, char **elsewhere, struct err *err)
{
	k->directory = open(k->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (k->directory < 0)
		return err_sys(err, errno, "cannot open %s", k->path);
	if (open_ctl(k, elsewhere, err) < 0)
		return -1;
	k->lock = lock_take(k->directory, RECORD_LOCK_FILE, false);
	k->binary = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	k->signals = open_signals();
	if (k->lock < 0 || k->binary < 0 || k->signals < 0)
		return err_sys(err, errno, "cannot set up the session in %s", k->path);
	k->keeper_listener = sock_listen(k->ctl, RECORD_KEEPER_SOCKET, err);
	k->worker_listener = k->keeper_listener < 0 ? -1 : sock_listen(k->ctl, RECORD_WORKER_SOCKET, err);
	if (k->worker_listener < 0 || !(k->shared = handover_create(&k->memory, err)))
		return -1;
	return pty_open(&k->pty, o->rows, o->cols, o->xpixel, o->ypixel, err);
}

static int start_program(struct keeper *k, const struct plan *plan, struct err *err)
{
	umask(k->umask);
	cgroup_enter(&k->cgroup);
	k->leader = pty_spawn(&k->pty, plan->program, plan->argv, plan->env, plan->dir, err);
	cgroup_return(&k->cgroup);
	umask(077);
	if (k->leader < 0)
		return -1;
	k->shared->leader = k->leader;
	const struct json *stop = json_get(plan->settings, "stop");
	const char *name = json_get_string(stop, "signal", "HUP");
	k->stop_signal = !strcmp(name, "TERM") ? SIGTERM : !strcmp(name, "INT") ? SIGINT : SIGHUP;
	k->stop_group = !strcmp(json_get_string(stop, "to", "leader"), "group");
	k->keep_others = !strcmp(json_get_string(plan->settings, "on_exit", "stop"), "keep");
	k->grace = (int64_t)(json_get_number(plan->settings, "grace", KEEPER_GRACE_MS / 1000.0) * 1000);
	return 0;
}

/* What the caller had open stays its own, but for the ports and the way to tell it how the start went. */
static void close_all_else(struct keeper *k, const struct keeper_options *o)
{
	int keep[COUNT_OF(k->leases) + 1];
	for (size_t i = 0; i < o->lease_count && k->lease_fds < COUNT_OF(k->leases); i++)
		for (int n = 0; n < PORT_LEASE_FDS; n++)
			k->leases[k->lease_fds++] = o->leases[i].fds[n];
	memcpy(keep, k->leases, sizeof k->leases);
	keep[k->lease_fds] = k->report;
	fd_close_all_but(keep, k->lease_fds + 1);
}

_Noreturn void keeper_run(const struct keeper_options *o)
{
	struct keeper k = {.path = mem_strdup(o->path),
	    .lock = -1,
	    .report = o->report,
	    .channel = -1,
	    .worker_due = -1,
	    .worker_kill_due = -1,
	    .cgroup = {.home = -1, .own = -1},
	    .pty = {.master = -1, .slave = -1}};
	struct err err = ERR_INIT;
	char *elsewhere = NULL;
	char title[40];
	upgrade_init(&k.upgrade);

	snprintf(k.id, sizeof k.id, "%s", o->id);
	snprintf(title, sizeof title, "handler keeper %s", k.id);
	for (int i = 0; i < KEEPER_CONNECTIONS; i++)
		k.connections[i].fd = -1;
	setsid();
	k.umask = umask(077);
	fd_detach_stdio();
	close_all_else(&k, o);
	proc_title_set(title);
	log_open(title);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	cgroup_make(&k.cgroup, k.id);
	if (open_everything(&k, o, &elsewhere, &err) < 0)
		report_and_leave(&k, &err);
	handover_resized(k.shared, o->rows, o->cols, o->xpixel, o->ypixel);
	if (start_program(&k, o->plan, &err) < 0 || write_identity(&k, o->identity, elsewhere, &err) < 0)
		report_and_leave(&k, &err);
	free(elsewhere);
	start_worker(&k, true);
	fd_write_full(k.report, &err, sizeof err);
	close(k.report);
	loop(&k);
	finish(&k);
	log_close();
	exit(0);
}
