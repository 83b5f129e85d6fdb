/* tty_restore: see tty_restore.h.  Everything below tty_restore_now uses async-signal-safe functions only
 * (signal-safety(7)). */
#include "ui/tty_restore.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ui/tty.h"

enum { WAIT_MS = 100, WAITS_MAX = 10, STACK_SIZE = 64 << 10 };

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};

struct restore_text {
	size_t len;
	char bytes[RESTORE_TEXT_MAX];
};

static struct {
	atomic_int armed; /* taken by the one who restores */
	atomic_bool replies_awaited;
	_Atomic(struct restore_text *) text; /* one of texts */
	struct restore_text texts[2];
	int fd;
	pid_t owner;
	struct termios saved;
	struct sigaction former[COUNT_OF(fatal_signals)];
	bool at_exit; /* registered once */
} restore;

/* A stack overflow is a SIGSEGV, too. */
static unsigned char signal_stack[STACK_SIZE];

void restore_write(int fd, const char *text, size_t len)
{
	for (int waits = 0; len > 0 && waits < WAITS_MAX;) {
		ssize_t n = write(fd, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};

			poll(&p, 1, WAIT_MS);
			waits++;
		} else if (n < 0 && errno != EINTR) {
			return;
		}
	}
}

/* Whether DA1's answer, CSI ? Ps ; Ps ... c, has ended.  It may begin inside of one: its first bytes may have
 * been read before. */
static bool has_last_reply(const char *bytes, size_t len, bool *inside)
{
	for (size_t i = 0; i < len; i++) {
		if (*inside && bytes[i] == 'c')
			return true;
		*inside =
		    bytes[i] == '?' || (*inside && (bytes[i] == ';' || (bytes[i] >= '0' && bytes[i] <= '9')));
	}
	return false;
}

void restore_drain(int fd)
{
	int64_t end = clock_mono_ms() + TTY_DRAIN_MS, left;
	bool inside = true;
	char bytes[512];

	while ((left = end - clock_mono_ms()) > 0) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n = poll(&p, 1, (int)left) > 0 ? read(fd, bytes, sizeof(bytes)) : 0;

		if (n <= 0 || has_last_reply(bytes, (size_t)n, &inside))
			return;
	}
}

void tty_restore_now(void)
{
	int saved_errno = errno;
	const struct restore_text *text;

	if (!atomic_load(&restore.armed) || getpid() != restore.owner || !atomic_exchange(&restore.armed, 0))
		return;
	text = atomic_load(&restore.text);
	if (text)
		restore_write(restore.fd, text->bytes, text->len);
	if (atomic_load(&restore.replies_awaited))
		restore_drain(restore.fd);
	tcflush(restore.fd, TCIFLUSH);
	tcsetattr(restore.fd, TCSANOW, &restore.saved);
	errno = saved_errno;
}

/*
 * The former action (usually the default one) gets the signal: an instruction that faulted faults again when
 * the handler returns; what was sent by a process has to be sent again.
 */
static void on_fatal(int number, siginfo_t *info, void *context)
{
	(void)context;
	tty_restore_now();
	for (size_t i = 0; i < COUNT_OF(fatal_signals); i++) {
		if (fatal_signals[i] == number)
			sigaction(number, &restore.former[i], NULL);
	}
	if (info->si_code <= 0 || number == SIGABRT)
		raise(number);
}

static void install_stack(void)
{
	stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)}, former;

	if (sigaltstack(NULL, &former) == 0 && former.ss_flags & SS_DISABLE)
		sigaltstack(&stack, NULL);
}

/* One that is ignored (SIGQUIT, of what a script starts with "&") ends nobody: it stays ignored. */
static void arm_signal(size_t i, const struct sigaction *action)
{
	sigaction(fatal_signals[i], NULL, &restore.former[i]);
	if (restore.former[i].sa_handler != SIG_IGN)
		sigaction(fatal_signals[i], action, NULL);
}

void restore_arm(int fd, const struct termios *saved)
{
	struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	restore_disarm();
	restore.fd = fd;
	restore.saved = *saved;
	restore.owner = getpid();
	restore.texts[0].len = 0;
	atomic_store(&restore.text, &restore.texts[0]);
	atomic_store(&restore.replies_awaited, false);
	if (!restore.at_exit)
		restore.at_exit = atexit(tty_restore_now) == 0;
	install_stack();
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < COUNT_OF(fatal_signals); i++)
		arm_signal(i, &action);
	atomic_store(&restore.armed, 1);
}

void restore_set_text(const char *text, size_t len)
{
	struct restore_text *next =
	    atomic_load(&restore.text) == &restore.texts[0] ? &restore.texts[1] : &restore.texts[0];

	next->len = len < RESTORE_TEXT_MAX ? len : RESTORE_TEXT_MAX;
	memcpy(next->bytes, text, next->len);
	atomic_store(&restore.text, next);
}

void restore_expect_replies(bool awaited)
{
	atomic_store(&restore.replies_awaited, awaited);
}

void restore_disarm(void)
{
	if (!atomic_exchange(&restore.armed, 0))
		return;
	for (size_t i = 0; i < COUNT_OF(fatal_signals); i++)
		sigaction(fatal_signals[i], &restore.former[i], NULL);
}
