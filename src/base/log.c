/*
 * log: see log.h.  The one global state of the program: a log that had to be handed through every call would
 * not be written.  Each line is one write(2) to a descriptor in append mode, so the processes of all sessions
 * share a file.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { LINE_SIZE = 2048 };

static const char *const level_names[] = {
    [LOG_LEVEL_ERROR] = "error",
    [LOG_LEVEL_INFO] = "info",
    [LOG_LEVEL_DEBUG] = "debug",
};

static struct {
	int fd;
	enum log_level level;
	char process[64];
} log_state = {.fd = -1};

static enum log_level level_from_name(const char *name)
{
	size_t i;

	for (i = 0; name && i < COUNT_OF(level_names); i++) {
		if (strcmp(name, level_names[i]) == 0)
			return (enum log_level)i;
	}
	return LOG_LEVEL_INFO;
}

void log_open(const char *process)
{
	const char *path = getenv("HANDLER_LOG");

	log_close();
	snprintf(log_state.process, sizeof(log_state.process), "%s", process);
	log_state.level = level_from_name(getenv("HANDLER_LOG_LEVEL"));
	if (path && *path)
		log_state.fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
}

void log_close(void)
{
	if (log_state.fd >= 0)
		close(log_state.fd);
	log_state.fd = -1;
}

/* "2026-01-31T08:12:00.123Z worker ab12cd[4711] session info: " */
static size_t put_head(char line[LINE_SIZE], enum log_level level, const char *module)
{
	struct timespec ts;
	struct tm tm;
	char date[32];
	int len;

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	len = snprintf(line, LINE_SIZE, "%s.%03dZ %s[%d] %s %s: ", date, (int)(ts.tv_nsec / 1000000),
	    log_state.process, (int)getpid(), module, level_names[level]);
	return len < LINE_SIZE ? (size_t)len : LINE_SIZE - 1;
}

/* A text from outside must not be able to forge a line or to steer the terminal that shows the log (C0, DEL,
 * C1). */
static void replace_controls(char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)text[i];
		bool c1 = byte == 0xC2 && i + 1 < len && ((unsigned char)text[i + 1] & 0xE0) == 0x80;

		if (byte < 0x20 || byte == 0x7F || c1)
			text[i] = '?';
		if (c1)
			text[++i] = '?';
	}
}

void log_write(enum log_level level, const char *module, const char *fmt, ...)
{
	char line[LINE_SIZE];
	int saved = errno;
	size_t len;
	va_list ap;
	int n;

	if (log_state.fd < 0 || level > log_state.level)
		return;
	len = put_head(line, level, module);
	va_start(ap, fmt);
	n = vsnprintf(line + len, sizeof(line) - len, fmt, ap);
	va_end(ap);
	if (n > 0)
		len += (size_t)n < sizeof(line) - len ? (size_t)n : sizeof(line) - len - 1;
	replace_controls(line, len);
	line[len++] = '\n';
	if (write(log_state.fd, line, len) < 0)
		log_close(); /* a full disk: nobody is helped by trying for ever */
	errno = saved;
}
