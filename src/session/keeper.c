/* keeper: see keeper.h.  Its start, its loop and its end; what its parts do see keeper_private.h. */
#include "session/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "client/record.h"
#include "os/cgroup.h"
#include "os/fd.h"
#include "os/proc.h"
#include "os/pty.h"
#include "session/keeper_private.h"

enum {
	KEEPER_GRACE_MS = 5000,
	KEEPER_KILL_ROUND_MS = 20, /* between two rounds of SIGKILL */
};

/* --- the loop --- */

static void reap(struct keeper *k)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED | __WALL)) > 0;) {
		if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
			if (pid == k->leader)
				keeper_tell_worker(k, CHANNEL_SUSPENDED, WIFSTOPPED(status));
		} else if (pid == k->worker) {
			keeper_worker_died(k, status);
		} else if (pid == k->leader) {
			keeper_leader_ended(k, status);
		}
	}
	keeper_check_tree(k);
}

/*
 * The machine goes down, or somebody means us.  Then everybody is sent the same signals, and the program may
 * have been first: what had just ended it was no end of its own.
 */
static void be_interrupted(struct keeper *k)
{
	int status = k->shared->wait_status, sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	k->interrupted = k->interrupted || !k->asked;
	k->asked = true;
	if (k->interrupted && k->shared->leader_ended && !k->shared->stopped_by_us &&
	    (sig == SIGTERM || sig == SIGHUP || sig == SIGKILL))
		k->shared->stopped_by_us = HANDOVER_INTERRUPTED;
}

static void take_signals(struct keeper *k)
{
	struct signalfd_siginfo info;
	while (read(k->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) {
			be_interrupted(k);
			keeper_begin_ending(k, k->grace);
		} else if (info.ssi_signo == SIGUSR1) {
			keeper_bind_again(k);
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
		keeper_start_worker(k, false);
	keeper_act_on_upgrade(k, upgrade_tick(&k->upgrade, now));
	if (k->worker_kill_due >= 0 && now >= k->worker_kill_due) {
		k->worker_kill_due = -1;
		keeper_signal_worker(k, SIGKILL);
	}
	if (k->phase == PHASE_ENDING && k->insist_due >= 0 && now >= k->insist_due) {
		k->insist_due = -1;
		keeper_signal_tree(k, keeper_insisting_signal, SIGCONT);
	}
	if (k->phase == PHASE_ENDING && now >= k->deadline)
		k->phase = PHASE_KILLING;
	if (k->phase == PHASE_KILLING)
		keeper_kill_round(k);
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
			keeper_take_messages(k);
		if (p[0].revents)
			take_signals(k);
		if (p[1].revents)
			keeper_accept_connection(k);
		for (int i = 0; i < KEEPER_CONNECTIONS; i++)
			if (p[3 + i].revents && k->connections[i].fd == p[3 + i].fd)
				keeper_serve(k, &k->connections[i]);
		act_on_time(k);
	}
}

/* --- the end --- */

void keeper_release_ports(struct keeper *k)
{
	for (size_t i = 0; i < k->lease_fds; i++)
		if (k->leases[i] >= 0)
			close(k->leases[i]);
	k->lease_fds = 0;
}

/* The shutdown was told to us after the worker had written the end. */
static void write_interrupted(struct keeper *k)
{
	AUTO_FREE char *path = path_join(k->path, RECORD_STATE_FILE);
	struct json *j = json_parse_file(path, NULL);
	if (j) {
		json_set_bool(j, "interrupted", true);
		record_write_state(k->path, j, NULL);
	}
	json_free(j);
}

/* Only if no worker could do it: that the session has ended must not be lost with it. */
static void write_last_state(struct keeper *k)
{
	struct record r;
	if (record_load(k->path, &r, NULL) < 0)
		return;
	if (state_ended(r.state) && !r.interrupted && k->shared->stopped_by_us == HANDOVER_INTERRUPTED) {
		write_interrupted(k);
	} else if (!state_ended(r.state)) {
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
	take_signals(k); /* that has come meanwhile */
	write_last_state(k);
	unlinkat(k->ctl, RECORD_WORKER_SOCKET, 0);
	unlinkat(k->ctl, RECORD_KEEPER_SOCKET, 0);
	/* Ports and lock go before the answers: who hears that the session has ended finds it ended. */
	keeper_release_ports(k);
	cgroup_remove(&k->cgroup);
	close(k->lock);
	for (int i = 0; i < KEEPER_CONNECTIONS; i++) {
		struct connection *c = &k->connections[i];
		if (c->fd >= 0 && c->op)
			keeper_answer(k, c, c->op, 1);
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
		keeper_signal_tree(k, NULL, SIGKILL);
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
	if (keeper_open_ctl(k, elsewhere, &k->keeper_listener, err) < 0)
		return -1;
	k->lock = lock_take(k->directory, RECORD_LOCK_FILE, false);
	k->binary = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	k->signals = open_signals();
	if (k->lock < 0 || k->binary < 0 || k->signals < 0)
		return err_sys(err, errno, "cannot set up the session in %s", k->path);
	if (k->keeper_listener < 0)
		k->keeper_listener = sock_listen(k->ctl, RECORD_KEEPER_SOCKET, err);
	k->worker_listener = k->keeper_listener < 0 ? -1 : sock_listen(k->ctl, RECORD_WORKER_SOCKET, err);
	if (k->worker_listener < 0 || !(k->shared = handover_create(&k->memory, err)))
		return -1;
	return pty_open(&k->pty, o->rows, o->cols, o->xpixel, o->ypixel, err);
}

static int begin_program(
    struct keeper *k, const struct plan *plan, struct pty_spawning *spawning, struct err *err)
{
	umask(k->umask);
	cgroup_enter(&k->cgroup);
	int result = pty_spawn_begin(&k->pty, plan->program, plan->argv, plan->env, plan->dir, spawning, err);
	cgroup_return(&k->cgroup);
	umask(077);
	if (result < 0)
		return -1;
	k->leader = k->shared->leader = spawning->pid;
	const struct json *stop = json_get(plan->settings, "stop");
	const char *name = json_get_string(stop, "signal", "HUP");
	k->stop_signal = !strcmp(name, "TERM") ? SIGTERM : !strcmp(name, "INT") ? SIGINT : SIGHUP;
	k->stop_group = !strcmp(json_get_string(stop, "to", "leader"), "group");
	k->keep_others = !strcmp(json_get_string(plan->settings, "on_exit", "stop"), "keep");
	k->grace = (int64_t)(json_get_number(plan->settings, "grace", KEEPER_GRACE_MS / 1000.0) * 1000);
	return 0;
}

/* What is written down is written while the program is loaded. */
static int start_program(
    struct keeper *k, const struct keeper_options *o, const char *elsewhere, struct err *err)
{
	struct pty_spawning spawning;
	struct err unwritten = ERR_INIT;
	if (begin_program(k, o->plan, &spawning, err) < 0)
		return -1;
	int written = write_identity(k, o->identity, elsewhere, &unwritten);
	if (pty_spawn_await(&spawning, err) < 0) {
		k->leader = 0;
		return -1;
	}
	if (written < 0)
		*err = unwritten;
	return written;
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
	if (start_program(&k, o, elsewhere, &err) < 0)
		report_and_leave(&k, &err);
	free(elsewhere);
	keeper_start_worker(&k, true);
	fd_write_full(k.report, &err, sizeof err);
	close(k.report);
	loop(&k);
	finish(&k);
	log_close();
	exit(0);
}
