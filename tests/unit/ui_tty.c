/*
 * The outer terminal as a device, with a pseudo-terminal for it.  Each case runs in a child process whose
 * controlling terminal that is; the test holds the other side, reads what the child writes, and follows the
 * modes in it as a terminal would.  However the child ends, nothing may be left switched on and the termios
 * must be what they were.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ui/tty.h"
#include "ui/tty_modes.h"

enum { WAIT_MS = 20000 };

static const struct tty_modes all_modes = {.mouse = TTY_MOUSE_ALL,
    .kitty = TTY_KITTY_BASE,
    .modify_other_keys = true,
    .focus = true,
    .theme_updates = true,
    .graphemes = true};

/* --- the child --- */

struct child {
	uv_loop_t loop;
	struct tty *tty;
	int status;
};

static void say(struct child *c, const char *text)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, text);
	tty_write(c->tty, &b);
	buf_free(&b);
}

/* Not constant, so that no compiler sees what comes. */
static volatile int *volatile nowhere = (volatile int *)4096;

static int overflow(int depth)
{
	volatile char stack[4096];

	stack[depth % 4096] = (char)depth;
	return depth == 0 ? 0 : overflow(depth + 1) + stack[depth % 4096];
}

static void crash(const char *how)
{
	if (strcmp(how, "segv") == 0)
		raise(SIGSEGV);
	else if (strcmp(how, "fault") == 0)
		*nowhere = 1;
	else if (strcmp(how, "overflow") == 0)
		overflow(*how);
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "exit") == 0)
		exit(3);
}

static void on_key(struct child *c, const struct key *k)
{
	char name[KEY_NAME_MAX], text[KEY_NAME_MAX + 8];

	key_name(k, name);
	if (strcmp(name, "q") == 0) {
		tty_close(c->tty);
		return;
	}
	if (strcmp(name, "l") == 0) { /* the answers to our questions are not here yet */
		tty_expect_replies(c->tty, true);
		tty_leave(c->tty);
		tty_close(c->tty);
		return;
	}
	snprintf(text, sizeof(text), "<%s>", name);
	say(c, text);
}

static void on_input(void *owner, const struct input *in)
{
	char how[16];

	if (in->type == INPUT_KEY)
		on_key(owner, &in->key);
	else if (in->type == INPUT_MOUSE)
		say(owner, "<mouse>");
	else if (in->type == INPUT_REPLY)
		say(owner, "<reply>");
	if (in->type != INPUT_PASTE)
		return;
	snprintf(how, sizeof(how), "%.*s", (int)in->text_len, in->text);
	crash(how);
}

static void on_resized(void *owner, struct tty_size size)
{
	char text[64];

	snprintf(text, sizeof(text), "<size %dx%d %dx%d>", size.rows, size.cols, size.height, size.width);
	say(owner, text);
}

static void on_resumed(void *owner)
{
	say(owner, "<resumed>");
}

static void on_drained(void *owner)
{
	say(owner, "<drained>");
}

static void on_gone(void *owner, enum tty_gone why)
{
	struct child *c = owner;

	c->status = why == TTY_HANGUP ? 11 : 12;
	tty_close(c->tty);
}

static const struct tty_events events = {on_input, on_resized, on_drained, on_resumed, on_gone};

/* Runs until the tty is closed; the exit status says why. */
static int run_child(void)
{
	struct child c = {.status = 0};
	struct err err = ERR_INIT;

	uv_loop_init(&c.loop);
	if (tty_open(&c.tty, &c.loop, &(struct tty_options){0}, &events, &c, &err) < 0)
		return 90;
	if (tty_enter(c.tty, &all_modes, &err) < 0)
		return 91;
	tty_set_title(c.tty, "title\033]0;x");
	tty_cursor_changed(c.tty, true, true);
	say(&c, "<ready>");
	uv_run(&c.loop, UV_RUN_DEFAULT);
	uv_loop_close(&c.loop);
	return c.status;
}

/* A frame of a megabyte into a terminal that does not read. */
static int run_flood(void)
{
	struct child c = {.status = 0};
	struct err err = ERR_INIT;
	struct buf frame = BUF_INIT;

	uv_loop_init(&c.loop);
	if (tty_open(&c.tty, &c.loop, &(struct tty_options){0}, &events, &c, &err) < 0 ||
	    tty_enter(c.tty, &(struct tty_modes){0}, &err) < 0)
		return 90;
	if (tty_busy(c.tty))
		return 92;
	for (int i = 0; i < 1 << 20; i++)
		buf_addc(&frame, 'x');
	tty_write(c.tty, &frame);
	buf_free(&frame);
	if (!tty_busy(c.tty))
		return 93;
	uv_run(&c.loop, UV_RUN_DEFAULT);
	uv_loop_close(&c.loop);
	return c.status;
}

/* --- the terminal --- */

struct terminal {
	int master, slave;
	pid_t pid;
	struct termios before;
	struct buf seen;
};

static void start(struct terminal *t, int (*run)(void))
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	buf_init(&t->seen);
	assert_int_equal(openpty(&t->master, &t->slave, NULL, NULL, &size), 0);
	fcntl(t->master, F_SETFL, O_NONBLOCK);
	tcgetattr(t->slave, &t->before);
	t->pid = fork();
	assert_true(t->pid >= 0);
	if (t->pid > 0)
		return;
	setenv("TERM", "xterm-256color", 1);
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL); /* a sanitizer's handlers too */
	setsid();
	ioctl(t->slave, TIOCSCTTY, 0);
	dup2(t->slave, 0);
	dup2(t->slave, 1);
	dup2(t->slave, 2);
	close(t->master);
	close(t->slave);
	_exit(run());
}

/* Reads what there is, waiting at most `wait` ms for the first byte. */
static bool read_some(struct terminal *t, int wait)
{
	char bytes[65536];
	struct pollfd p = {.fd = t->master, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, wait) <= 0)
		return false;
	n = read(t->master, bytes, sizeof(bytes));
	if (n > 0)
		buf_add(&t->seen, bytes, (size_t)n);
	return n > 0;
}

static void wait_for(struct terminal *t, const char *text)
{
	int64_t end = clock_mono_ms() + WAIT_MS;

	while (!memmem(t->seen.data, t->seen.len, text, strlen(text))) {
		if (clock_mono_ms() > end)
			fail_msg("\"%s\" did not come, but: %s", text, t->seen.data);
		read_some(t, 100);
	}
}

static void type(struct terminal *t, const char *bytes)
{
	assert_int_equal(write(t->master, bytes, strlen(bytes)), strlen(bytes));
}

/* The child's wait status.  It may want to write while it ends, so we go on reading. */
static int finish(struct terminal *t, int options)
{
	int64_t end = clock_mono_ms() + WAIT_MS;
	int status;

	while (waitpid(t->pid, &status, WNOHANG | options) != t->pid) {
		if (clock_mono_ms() > end) {
			kill(t->pid, SIGKILL);
			fail_msg("the child does not end");
		}
		read_some(t, 20);
	}
	while (read_some(t, 0))
		;
	return status;
}

static void end(struct terminal *t)
{
	close(t->master);
	close(t->slave);
	buf_free(&t->seen);
}

/* What is switched on after all that has been written. */
struct modes {
	bool dec[3000];
	int kitty; /* depth of the alternate screen's stack */
	bool other_keys, pen, cursor_color, cursor_shape;
	int titles;
};

static void follow_dec(struct modes *m, const char *params, char final)
{
	int number = atoi(params + 1);

	if (number > 0 && number < (int)COUNT_OF(m->dec))
		m->dec[number] = final == 'h';
}

static void follow_csi(struct modes *m, const char *params, char final)
{
	if (params[0] == '?' && (final == 'h' || final == 'l'))
		follow_dec(m, params, final);
	else if (final == 'u' && params[0] == '>')
		m->kitty++;
	else if (final == 'u' && params[0] == '<')
		m->kitty--;
	else if (final == 'm' && params[0] == '>')
		m->other_keys = strcmp(params, ">4;2") == 0;
	else if (final == 't')
		m->titles += strncmp(params, "22", 2) == 0 ? 1 : strncmp(params, "23", 2) == 0 ? -1 : 0;
	else if (final == 'q')
		m->cursor_shape = false;
}

static void follow(struct modes *m, const char *s)
{
	char params[64];
	int n;

	while ((s = strstr(s, "\033[")) != NULL) {
		s += 2;
		n = (int)strspn(s, "0123456789;:<=>? ");
		snprintf(params, sizeof(params), "%.*s", n, s);
		s += n;
		follow_csi(m, params, *s);
	}
}

static void assert_given_back(struct terminal *t)
{
	struct modes m = {.cursor_shape = true};
	struct termios now;
	char *last_reset;

	follow(&m, t->seen.data);
	for (size_t i = 0; i < COUNT_OF(m.dec); i++) {
		if (m.dec[i] && i != 25 && i != 7)
			fail_msg("mode %zu is left on", i);
	}
	assert_true(m.dec[25] && m.dec[7]); /* the cursor; lines wrap */
	assert_int_equal(m.kitty, 0);
	assert_int_equal(m.titles, 0);
	assert_false(m.other_keys || m.cursor_shape);
	assert_non_null(strstr(t->seen.data, "\033]112\033\\"));
	last_reset = strstr(t->seen.data, "\033[0m");
	assert_non_null(last_reset);
	assert_int_equal(tcgetattr(t->slave, &now), 0);
	assert_int_equal(now.c_lflag, t->before.c_lflag);
	assert_int_equal(now.c_iflag, t->before.c_iflag);
	assert_int_equal(now.c_oflag, t->before.c_oflag);
	assert_int_equal(now.c_cflag, t->before.c_cflag);
}

static void test_enter_and_leave(void **state)
{
	struct terminal t;
	struct modes m = {0};
	struct termios raw;
	int status;

	(void)state;
	start(&t, run_child);
	wait_for(&t, "<ready>");
	follow(&m, t.seen.data);
	assert_true(m.dec[1049] && m.dec[2004] && m.dec[1003] && m.dec[1006] && m.dec[1004] && m.dec[2031] &&
		    m.dec[2027]);
	assert_int_equal(m.kitty, 1);
	assert_true(m.other_keys);
	assert_int_equal(m.titles, 1);
	assert_non_null(strstr(t.seen.data, "\033]2;title]0;x\033\\"));
	tcgetattr(t.slave, &raw);
	assert_int_equal(raw.c_lflag & (ICANON | ECHO | ISIG), 0);
	assert_int_equal(fcntl(t.slave, F_GETFL) & O_NONBLOCK, 0); /* ours is another open file */
	type(&t, "q");
	status = finish(&t, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_given_back(&t);
	end(&t);
}

static void test_input(void **state)
{
	struct terminal t;

	(void)state;
	start(&t, run_child);
	wait_for(&t, "<ready>");
	type(&t, "a\033[1;5A");
	wait_for(&t, "<a><C-Up>");
	type(&t, "\033"); /* decided by the clock */
	wait_for(&t, "<Escape>");
	for (const char *s = "\033[<35;10;5M\033]11;rgb:00/00/00\a"; *s; s++)
		type(&t, (char[]){*s, 0});
	wait_for(&t, "<mouse><reply>");
	type(&t, "q");
	finish(&t, 0);
	assert_given_back(&t);
	end(&t);
}

static void assert_signal_gives_back(const char *how, int number, int exit_status, int by_signal)
{
	struct terminal t;
	int status;

	start(&t, run_child);
	wait_for(&t, "<ready>");
	if (how) {
		AUTO_FREE char *paste = mem_printf("\033[200~%s\033[201~", how);

		type(&t, paste);
	} else {
		kill(t.pid, number);
	}
	status = finish(&t, 0);
	if (by_signal) {
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), by_signal);
	} else {
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), exit_status);
	}
	assert_given_back(&t);
	end(&t);
}

static void test_endings(void **state)
{
	(void)state;
	assert_signal_gives_back(NULL, SIGTERM, 12, 0);
	assert_signal_gives_back(NULL, SIGINT, 12, 0);
	assert_signal_gives_back(NULL, SIGHUP, 11, 0);
	assert_signal_gives_back(NULL, SIGSEGV, 0, SIGSEGV);
	assert_signal_gives_back(NULL, SIGBUS, 0, SIGBUS);
	assert_signal_gives_back(NULL, SIGFPE, 0, SIGFPE);
	assert_signal_gives_back(NULL, SIGILL, 0, SIGILL);
	assert_signal_gives_back(NULL, SIGQUIT, 0, SIGQUIT);
	assert_signal_gives_back("segv", 0, 0, SIGSEGV);
	assert_signal_gives_back("fault", 0, 0, SIGSEGV);
	assert_signal_gives_back("overflow", 0, 0, SIGSEGV);
	assert_signal_gives_back("abort", 0, 0, SIGABRT);
	assert_signal_gives_back("exit", 0, 3, 0);
}

static void test_hangup(void **state)
{
	struct terminal t;
	int status;

	(void)state;
	start(&t, run_child);
	wait_for(&t, "<ready>");
	close(t.slave);
	close(t.master);
	t.master = t.slave = open("/dev/null", O_RDWR);
	status = finish(&t, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 11);
	close(t.master);
	buf_free(&t.seen);
}

/* Replies that are on their way when we leave do not end up in the shell, neither those read already nor
 * later ones. */
static void test_leave_before_replies(void **state)
{
	static const char replies[] = "\033]11;rgb:00/00/00\a\033[?2026;2$y\033[?62;22c";

	(void)state;
	for (int apart = 0; apart < 2; apart++) {
		struct terminal t;
		struct termios raw;
		int64_t begun;
		int left = -1;
		bool in_time;

		start(&t, run_child);
		wait_for(&t, "<ready>");
		begun = clock_mono_ms();
		if (apart) {
			type(&t, "l");
			wait_for(&t, "\033[?1049l");
			type(&t, replies);
		} else {
			AUTO_FREE char *both = mem_printf("l%s", replies);

			type(&t, both);
		}
		in_time =
		    clock_mono_ms() - begun < TTY_DRAIN_MS / 2; /* else this machine is too slow to tell */
		assert_int_equal(finish(&t, 0), 0);
		assert_given_back(&t);
		raw = t.before;
		cfmakeraw(&raw);
		tcsetattr(t.slave, TCSANOW, &raw);
		ioctl(t.slave, FIONREAD, &left);
		assert_true(left == 0 || !in_time);
		end(&t);
	}
}

static void test_resize(void **state)
{
	struct terminal t;
	struct winsize size = {.ws_row = 50, .ws_col = 200, .ws_ypixel = 800, .ws_xpixel = 1600};

	(void)state;
	start(&t, run_child);
	wait_for(&t, "<ready>");
	ioctl(t.master, TIOCSWINSZ, &size);
	wait_for(&t, "<size 50x200 800x1600>");
	type(&t, "q");
	finish(&t, 0);
	assert_given_back(&t);
	end(&t);
}

static void assert_stops(struct terminal *t)
{
	int status = finish(t, WUNTRACED);

	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGSTOP);
}

static void test_suspend(void **state)
{
	struct terminal t;
	struct modes m = {0};
	size_t before;

	(void)state;
	start(&t, run_child);
	wait_for(&t, "<ready>");
	kill(t.pid, SIGTSTP);
	assert_stops(&t);
	assert_given_back(&t);
	before = t.seen.len;
	kill(t.pid, SIGCONT);
	wait_for(&t, "<resumed>");
	follow(&m, t.seen.data + before);
	assert_true(m.dec[1049] && m.dec[2004] && m.dec[1003]);
	assert_int_equal(m.kitty, 1);
	type(&t, "\033[200~segv\033[201~");
	finish(&t, 0);
	assert_given_back(&t);
	end(&t);
}

/* A stop that nobody can catch: the modes are set again, once. */
static void test_stopped_from_outside(void **state)
{
	struct terminal t;

	(void)state;
	start(&t, run_child);
	wait_for(&t, "<ready>");
	kill(t.pid, SIGSTOP);
	assert_stops(&t);
	kill(t.pid, SIGCONT);
	wait_for(&t, "<resumed>");
	type(&t, "q");
	finish(&t, 0);
	assert_given_back(&t);
	end(&t);
}

static void test_slow_terminal(void **state)
{
	struct terminal t;
	int status;

	(void)state;
	start(&t, run_flood);
	wait_for(&t, "<drained>");
	assert_true(t.seen.len >= 1 << 20);
	type(&t, "q");
	status = finish(&t, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	end(&t);
}

/* A terminal that never reads does not keep us from ending. */
static void test_stuck_terminal(void **state)
{
	struct terminal t;
	int status;

	(void)state;
	start(&t, run_flood);
	wait_for(&t, "x");
	kill(t.pid, SIGTERM);
	assert_int_equal(waitpid(t.pid, &status, 0), t.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 12);
	end(&t);
}

static int run_refused(void)
{
	static const char *const terms[] = {"dumb", "", "unknown", NULL};
	uv_loop_t loop;
	struct tty *tty;

	uv_loop_init(&loop);
	for (size_t i = 0; i < COUNT_OF(terms); i++) {
		struct err err = ERR_INIT;

		if (terms[i])
			setenv("TERM", terms[i], 1);
		else
			unsetenv("TERM");
		if (tty_open(&tty, &loop, &(struct tty_options){0}, &events, NULL, &err) == 0)
			return 1;
		if (err.code != ERR_USAGE || !err.message[0] || !err.hint[0])
			return 2;
	}
	setenv("TERM", "xterm", 1);
	dup2(open("/dev/null", O_RDONLY), 0);
	{
		struct err err = ERR_INIT;

		if (tty_open(&tty, &loop, &(struct tty_options){0}, &events, NULL, &err) == 0)
			return 3;
		if (err.code != ERR_USAGE || !strstr(err.message, "not a terminal"))
			return 4;
		/* standard input was the prompt: the controlling terminal is used */
		if (tty_open(&tty, &loop, &(struct tty_options){.stdin_taken = true}, &events, NULL, &err) <
		    0)
			return 5;
	}
	tty_close(tty);
	uv_run(&loop, UV_RUN_DEFAULT);
	return uv_loop_close(&loop) == 0 ? 0 : 6;
}

static void test_refusals(void **state)
{
	struct terminal t;
	int status;

	(void)state;
	start(&t, run_refused);
	status = finish(&t, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(t.seen.len, 0); /* nothing is written before tty_enter */
	end(&t);
}

/* --- tty_modes alone --- */

static void test_mode_changes(void **state)
{
	struct tty_state s = {.takes_strings = true};
	AUTO_BUF out = BUF_INIT;

	(void)state;
	tty_modes_restore(&s, &out);
	assert_string_equal(out.data, "");
	tty_modes_enter(&s, &(struct tty_modes){0}, &out);
	assert_string_equal(out.data, "\033[?1049h\033[?2004h\033[?7l\033[H\033[2J");
	buf_clear(&out);
	tty_modes_change(&s, &(struct tty_modes){.kitty = 5, .mouse = TTY_MOUSE_BUTTONS}, &out);
	assert_string_equal(out.data, "\033[>5u\033[?1002h\033[?1006h");
	buf_clear(&out);
	tty_modes_change(&s, &(struct tty_modes){.kitty = 7, .mouse = TTY_MOUSE_ALL, .focus = true}, &out);
	assert_string_equal(
	    out.data, "\033[=7;1u\033[?1004h\033[?1003l\033[?1002l\033[?1006l\033[?1003h\033[?1006h");
	buf_clear(&out);
	tty_modes_change(&s, &(struct tty_modes){.kitty = 7, .mouse = TTY_MOUSE_ALL, .focus = true}, &out);
	assert_string_equal(out.data, "");
	tty_modes_restore(&s, &out);
	assert_string_equal(out.data,
	    "\033\\\033[?2026l\033[<u\033[?1004l\033[?1003l\033[?1002l\033[?1006l\033[?2004l\033]8;;\033\\"
	    "\033[?69l\033[r\033[?7h\033[0m\033[?25h\033[?1049l");
	buf_clear(&out);
	s.takes_strings = false;
	tty_modes_change(&s, &(struct tty_modes){.modify_other_keys = true}, &out);
	assert_string_equal(out.data, "\033[<u\033[>4;2m\033[?1004l\033[?1003l\033[?1002l\033[?1006l");
	buf_clear(&out);
	tty_modes_restore(&s, &out);
	assert_null(strstr(out.data, "\033]"));
	assert_non_null(strstr(out.data, "\033[>4m"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mode_changes),
	    cmocka_unit_test(test_enter_and_leave),
	    cmocka_unit_test(test_input),
	    cmocka_unit_test(test_endings),
	    cmocka_unit_test(test_hangup),
	    cmocka_unit_test(test_leave_before_replies),
	    cmocka_unit_test(test_resize),
	    cmocka_unit_test(test_suspend),
	    cmocka_unit_test(test_stopped_from_outside),
	    cmocka_unit_test(test_slow_terminal),
	    cmocka_unit_test(test_stuck_terminal),
	    cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
