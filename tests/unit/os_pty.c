/* Ptys and descriptors: sizes, programs that cannot start, locks that are only asked for, sockets below long
 * paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "os/fd.h"
#include "os/pty.h"

static char folder[] = "/tmp/handler-test-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* Reads until `what` was said; if the program ends before, the test fails with what it did say. */
static void read_until(int fd, pid_t pid, const char *what)
{
	AUTO_BUF text = BUF_INIT;
	char chunk[256];
	while (!strstr(text.data, what)) {
		siginfo_t ended = {0};
		struct pollfd p = {.fd = fd, .events = POLLIN};
		bool over =
		    waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid;
		if (poll(&p, 1, over ? 1000 : 50) > 0) {
			ssize_t n = read(fd, chunk, sizeof chunk);
			assert_true(n > 0);
			buf_add(&text, chunk, (size_t)n);
		} else if (over) {
			fail_msg("the program ended (%d, %d) and said only: %s", ended.si_code,
			    ended.si_status, text.data);
		}
	}
}

static void program_has_the_terminal(void **state)
{
	struct pty p;
	struct err err = ERR_INIT;
	char *argv[] = {"sh", "-c",
	    "stty size; test -t 0 && ps -o tpgid= -p $$ >/dev/null; ls /proc/self/fd | wc -l; echo $VAR; "
	    "pwd; exit 3",
	    NULL};
	char *env[] = {"PATH=/usr/bin:/bin", "VAR=value", NULL};
	int status;
	(void)state;
	assert_int_equal(pty_open(&p, 17, 71, 0, 0, &err), 0);
	pid_t pid = pty_spawn(&p, "/bin/sh", argv, env, "/usr", &err);
	assert_true(pid > 0);
	read_until(p.master, pid, "17 71\r\n4\r\nvalue\r\n/usr\r\n"); /* 0, 1, 2 and that of ls */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 3);
	pty_close(&p);
}

static void expect_failure(const char *program, const char *dir, const char *words)
{
	struct pty p;
	struct err err = ERR_INIT;
	char *argv[] = {"x", NULL}, *env[] = {NULL};
	assert_int_equal(pty_open(&p, 24, 80, 0, 0, &err), 0);
	assert_int_equal(pty_spawn(&p, program, argv, env, dir, &err), -1);
	assert_int_equal(err.code, ERR_START);
	assert_non_null(strstr(err.message, words));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */
	pty_close(&p);
}

static void failures_have_reasons(void **state)
{
	AUTO_FREE char *bad = mem_printf("%s/bad", folder);
	(void)state;
	int fd = open(bad, O_CREAT | O_WRONLY, 0755);
	assert_int_equal(write(fd, "\177ELFnonsense", 12), 12);
	close(fd);
	expect_failure("/nonexistent/program", "/", "No such file");
	expect_failure("/bin/sh", "/nonexistent", "/nonexistent");
	expect_failure(bad, "/", "Exec format error");
	expect_failure("/etc/passwd", "/", "Permission denied");
	unlink(bad);
}

static void signals_are_at_their_default(void **state)
{
	struct pty p;
	struct err err = ERR_INIT;
	char *argv[] = {"sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status", NULL},
	     *env[] = {"PATH=/usr/bin:/bin", NULL};
	sigset_t set, old;
	(void)state;
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pty_open(&p, 24, 80, 0, 0, &err), 0);
	pid_t pid = pty_spawn(&p, "/bin/sh", argv, env, "/", &err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	read_until(p.master, pid, "SigBlk:\t0000000000000000\r\nSigIgn:\t0000000000000000\r\n");
	waitpid(pid, NULL, 0);
	pty_close(&p);
}

/* Who asks whether a lock is held never holds it, so two who ask do not see each other. */
static void lock_is_asked_not_taken(void **state)
{
	int dirfd = open(folder, O_PATH | O_DIRECTORY);
	(void)state;
	assert_false(lock_held(dirfd, "lock"));
	int fd = lock_take(dirfd, "lock", false);
	assert_true(fd >= 0);
	assert_true(lock_held(dirfd, "lock"));
	assert_int_equal(lock_take(dirfd, "lock", false), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
	assert_false(lock_held(dirfd, "lock"));
	assert_false(lock_held(dirfd, "lock"));
	fd = lock_take(dirfd, "lock", false);
	assert_true(fd >= 0);
	close(fd);
	unlinkat(dirfd, "lock", 0);
	close(dirfd);
}

static void sockets_work_below_long_paths(void **state)
{
	char name[101];
	struct err err = ERR_INIT;
	pid_t pid;
	(void)state;
	memset(name, 'd', 100);
	name[100] = '\0';
	int top = open(folder, O_PATH | O_DIRECTORY);
	assert_int_equal(mkdirat(top, name, 0700), 0);
	int deep = openat(top, name, O_PATH | O_DIRECTORY);
	int listener = sock_listen(deep, "w.sock", &err);
	assert_true(listener >= 0);
	struct stat st;
	assert_int_equal(fstatat(deep, "w.sock", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	int client = sock_connect(deep, "w.sock", false);
	assert_true(client >= 0);
	int server = accept(listener, NULL, NULL);
	assert_true(sock_peer_is_us(server, &pid));
	assert_int_equal(pid, getpid());
	close(client);
	close(server);
	close(listener);
	/* One that is left over is replaced. */
	listener = sock_listen(deep, "w.sock", &err);
	assert_true(listener >= 0);
	close(listener);
	unlinkat(deep, "w.sock", 0);
	assert_int_equal(sock_connect(deep, "w.sock", false), -1);
	assert_int_equal(errno, ENOENT);
	close(deep);
	unlinkat(top, name, AT_REMOVEDIR);
	close(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(program_has_the_terminal),
	    cmocka_unit_test(failures_have_reasons),
	    cmocka_unit_test(signals_are_at_their_default),
	    cmocka_unit_test(lock_is_asked_not_taken),
	    cmocka_unit_test(sockets_work_below_long_paths),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
