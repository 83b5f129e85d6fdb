/* outputs: see outputs.h. */
#include "cli/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { OUTPUT_MAX = 64 << 10 };

extern char **environ;

static _Noreturn void child(const struct output *o, int out)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(127);
	execve(o->program, o->argv, environ);
	_exit(127);
}

static void start(struct output *o)
{
	int fds[2];

	o->fd = -1;
	o->pid = 0;
	buf_init(&o->text);
	if (!o->program || pipe2(fds, O_CLOEXEC) < 0)
		return;
	fflush(NULL);
	o->pid = fork();
	if (o->pid == 0)
		child(o, fds[1]);
	close(fds[1]);
	o->fd = fds[0];
}

static void take(struct output *o)
{
	char chunk[4096];
	ssize_t n = read(o->fd, chunk, sizeof(chunk));

	if (n > 0 && o->text.len < OUTPUT_MAX)
		buf_add(&o->text, chunk, (size_t)n);
	if (n > 0 || (n < 0 && errno == EINTR))
		return;
	close(o->fd);
	o->fd = -1;
}

/* Waits for output of one that still runs; false: none does, or there is no time left. */
static bool wait_for_some(struct output *outputs, size_t count, int64_t deadline)
{
	struct pollfd p[OUTPUTS_MAX];
	int64_t left = deadline - clock_mono_ms();
	bool running = false;

	for (size_t i = 0; i < count; i++) {
		p[i] = (struct pollfd){.fd = outputs[i].fd, .events = POLLIN};
		running = running || outputs[i].fd >= 0;
	}
	if (!running || left <= 0)
		return false;
	if (poll(p, count, (int)left) > 0) {
		for (size_t i = 0; i < count; i++)
			if (p[i].revents)
				take(&outputs[i]);
	}
	return true;
}

static void end(struct output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
	if (o->pid <= 0)
		return;
	kill(-o->pid, SIGKILL); /* it is not reaped yet: the group is still its own */
	while (waitpid(o->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void outputs_collect(struct output *outputs, size_t count, int limit_ms)
{
	int64_t deadline = clock_mono_ms() + limit_ms;

	count = count < OUTPUTS_MAX ? count : OUTPUTS_MAX;
	for (size_t i = 0; i < count; i++)
		start(&outputs[i]);
	while (wait_for_some(outputs, count, deadline))
		;
	for (size_t i = 0; i < count; i++)
		end(&outputs[i]);
}
