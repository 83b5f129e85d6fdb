/* relay: see relay.h. */
#include "cli/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "os/fd.h"

int relay_open(struct relay *r, const struct json *patterns, struct err *err)
{
	*r = (struct relay){.pipes = {{-1, -1}, {-1, -1}}};
	for (int i = 0; i < RELAY_STREAMS; i++)
		buf_init(&r->line[i]);
	for (const struct json *e = json_first(patterns); e && r->pattern_count < RELAY_PATTERNS;
	     e = json_next(e))
		if (regcomp(&r->patterns[r->pattern_count], json_string(e, ""), REG_EXTENDED | REG_NOSUB) ==
		    0)
			r->pattern_count++;
	for (int i = 0; r->pattern_count && i < RELAY_STREAMS; i++)
		if (pipe2(r->pipes[i], O_CLOEXEC) < 0)
			return err_sys(err, errno, "cannot make a pipe");
	return 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void relay_close(struct relay *r)
{
	for (int i = 0; i < r->pattern_count; i++)
		regfree(&r->patterns[i]);
	for (int i = 0; i < RELAY_STREAMS; i++) {
		close_end(&r->pipes[i][0]);
		close_end(&r->pipes[i][1]);
		buf_free(&r->line[i]);
	}
	r->pattern_count = 0;
}

int relay_child(struct relay *r)
{
	for (int i = 0; i < RELAY_STREAMS; i++)
		if (r->pipes[i][1] >= 0 && dup2(r->pipes[i][1], STDOUT_FILENO + i) < 0)
			return -1;
	return 0;
}

static void match_line(struct relay *r, struct buf *line)
{
	for (int i = 0; i < r->pattern_count && !r->matched; i++)
		r->matched = regexec(&r->patterns[i], line->data, 0, NULL, 0) == 0;
	buf_clear(line);
}

/* A line that is longer than any is looked at in pieces. */
static void watch(struct relay *r, struct buf *line, const char *data, size_t len)
{
	while (len) {
		const char *newline = memchr(data, '\n', len);
		size_t n = newline ? (size_t)(newline - data) : len;
		buf_add(line, data, n);
		if (newline || line->len > RELAY_LINE_MAX)
			match_line(r, line);
		n += newline != NULL;
		data += n;
		len -= n;
	}
}

/* false: nothing is left to be read now, or ever (then the end is closed). */
static bool pass(struct relay *r, int i)
{
	char chunk[65536];
	ssize_t n = read(r->pipes[i][0], chunk, sizeof chunk);
	if (n > 0) {
		fd_write_full(STDOUT_FILENO + i, chunk, (size_t)n);
		watch(r, &r->line[i], chunk, (size_t)n);
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	if (n == 0 || errno != EAGAIN)
		close_end(&r->pipes[i][0]);
	return false;
}

/* What a program leaves running may hold the pipes for ever: its own end is the end. */
void relay_run(struct relay *r, pid_t pid)
{
	if (!r->pattern_count)
		return;
	int ended = (int)syscall(SYS_pidfd_open, pid, 0);
	for (int i = 0; i < RELAY_STREAMS; i++) {
		close_end(&r->pipes[i][1]);
		fd_set_nonblocking(r->pipes[i][0], true);
	}
	for (bool over = false; !over && (r->pipes[0][0] >= 0 || r->pipes[1][0] >= 0);) {
		struct pollfd p[] = {{.fd = r->pipes[0][0], .events = POLLIN},
		    {.fd = r->pipes[1][0], .events = POLLIN}, {.fd = ended, .events = POLLIN}};
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			break;
		over = p[2].revents != 0;
		for (int i = 0; i < RELAY_STREAMS; i++)
			while (r->pipes[i][0] >= 0 && pass(r, i))
				;
	}
	for (int i = 0; i < RELAY_STREAMS; i++)
		match_line(r, &r->line[i]);
	close_end(&ended);
}
