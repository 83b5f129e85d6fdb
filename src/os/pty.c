/* pty: see pty.h. */
#include "os/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "os/fd.h"

static int open_slave(int master)
{
	/* TIOCGPTPEER opens the other end without a path, so a strange /dev/pts cannot mislead us. */
	int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave >= 0)
		return slave;
	char name[128];
	if (ptsname_r(master, name, sizeof name) != 0)
		return -1;
	return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int pty_open(struct pty *p, int rows, int cols, int xpixel, int ypixel, struct err *err)
{
	p->slave = -1;
	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->master < 0 || grantpt(p->master) < 0 || unlockpt(p->master) < 0 ||
	    (p->slave = open_slave(p->master)) < 0) {
		int saved = errno;
		pty_close(p);
		err_sys(err, saved, "no pseudo-terminal could be opened");
		return saved == ENOSPC
			   ? err_hint(err, "Close some sessions, or raise /proc/sys/kernel/pty/max.")
			   : -1;
	}
	struct termios t;
	if (tcgetattr(p->slave, &t) == 0) {
		t.c_iflag |= IUTF8;
		tcsetattr(p->slave, TCSANOW, &t);
	}
	pty_resize(p->master, rows, cols, xpixel, ypixel);
	return 0;
}

void pty_close(struct pty *p)
{
	if (p->master >= 0)
		close(p->master);
	if (p->slave >= 0)
		close(p->slave);
	p->master = p->slave = -1;
}

int pty_resize(int master, int rows, int cols, int xpixel, int ypixel)
{
	struct winsize w = {.ws_row = (unsigned short)rows,
	    .ws_col = (unsigned short)cols,
	    .ws_xpixel = (unsigned short)xpixel,
	    .ws_ypixel = (unsigned short)ypixel};
	return ioctl(master, TIOCSWINSZ, &w) < 0 ? -errno : 0;
}

/* What the child could not do, told over a pipe that a successful exec closes. */
enum stage { STAGE_TERMINAL, STAGE_DIRECTORY, STAGE_EXEC };
struct failure {
	enum stage stage;
	int errnum;
};

static _Noreturn void child_fails(int report, enum stage stage)
{
	struct failure f = {.stage = stage, .errnum = errno};
	ssize_t n = write(report, &f, sizeof f);
	_exit(n == (ssize_t)sizeof f ? 126 : 127);
}

/*
 * Every signal, the two that glibc keeps for itself and refuses to signal(2) as well: whoever started us may
 * have had them ignored, and an ignored signal stays so over an exec.
 */
static void reset_signals(void)
{
	static const unsigned long
	    by_default[8]; /* the kernel's struct sigaction: SIG_DFL, no flags, no mask */
	for (int s = 1; s < NSIG; s++)
		syscall(SYS_rt_sigaction, s, by_default, NULL, NSIG / 8);
}

static _Noreturn void child_runs(
    int slave, int report, const char *program, char *const *argv, char *const *env, const char *dir)
{
	setsid();
	if (ioctl(slave, TIOCSCTTY, 0) < 0 || dup2(slave, 0) < 0 || dup2(slave, 1) < 0 || dup2(slave, 2) < 0)
		child_fails(report, STAGE_TERMINAL);
	fd_close_all_but(&report, 1);
	if (chdir(dir) < 0)
		child_fails(report, STAGE_DIRECTORY);
	reset_signals();
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(program, argv, env);
	child_fails(report, STAGE_EXEC);
}

/* execve(2): ENOENT for a program that is there is about its interpreter, which "#!" or the ELF header names.
 */
static void explain_missing(const char *program, struct err *err)
{
	char line[128] = "";
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t n = read(fd, line, sizeof line - 1);
	close(fd);
	if (n > 2 && line[0] == '#' && line[1] == '!')
		err_hint(err, "Its first line names an interpreter that is not there: %.*s",
		    (int)strcspn(line + 2, "\n"), line + 2);
	else
		err_hint(
		    err, "The program is there, but not the interpreter (dynamic linker) that it needs.");
}

static int explain(const struct failure *f, const char *program, const char *dir, struct err *err)
{
	switch (f->stage) {
	case STAGE_TERMINAL:
		err_set(err, ERR_START, "the new terminal could not be given to %s: %s", program,
		    strerror(f->errnum));
		break;
	case STAGE_DIRECTORY:
		err_set(err, ERR_START, "cannot start in the directory %s: %s", dir, strerror(f->errnum));
		err_hint(err, "Name an existing directory with -C DIR.");
		break;
	case STAGE_EXEC:
		err_set(err, ERR_START, "%s cannot be executed: %s", program, strerror(f->errnum));
		if (f->errnum == E2BIG)
			err_hint(err, "Its arguments or environment are too long for the kernel.");
		else if (f->errnum == ENOENT)
			explain_missing(program, err);
		break;
	}
	return -1;
}

int pty_spawn_begin(const struct pty *p, const char *program, char *const *argv, char *const *env,
    const char *dir, struct pty_spawning *out, struct err *err)
{
	int report[2];
	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot start %s", program);
	pid_t pid = fork();
	if (pid == 0)
		child_runs(p->slave, report[1], program, argv, env, dir);
	int fork_errno = errno;
	close(report[1]);
	*out = (struct pty_spawning){.pid = pid, .report = report[0], .program = program, .dir = dir};
	if (pid > 0)
		return 0;
	close(report[0]);
	return err_sys(err, fork_errno, "cannot start a process for %s", program);
}

int pty_spawn_await(struct pty_spawning *s, struct err *err)
{
	struct failure f;
	ssize_t n = fd_read_full(s->report, &f, sizeof f);
	close(s->report);
	if (n == 0)
		return 0;
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return explain(&f, s->program, s->dir, err);
}

pid_t pty_spawn(const struct pty *p, const char *program, char *const *argv, char *const *env,
    const char *dir, struct err *err)
{
	struct pty_spawning s;
	if (pty_spawn_begin(p, program, argv, env, dir, &s, err) < 0)
		return -1;
	return pty_spawn_await(&s, err) < 0 ? -1 : s.pid;
}
