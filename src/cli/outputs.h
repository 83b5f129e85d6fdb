/* outputs: what programs print, several at once. */
#ifndef HANDLER_CLI_OUTPUTS_H
#define HANDLER_CLI_OUTPUTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

struct output {
	const char *program; /* absolute path; NULL: nothing is run */
	char *const *argv;
	struct buf text; /* standard output and error */
	pid_t pid;
	int fd;
};

enum { OUTPUTS_MAX = 64 };

/*
 * Runs them at the same time, without input and in process groups of their own, and waits for all: at most
 * limit_ms, then what is left is killed.  buf_free each text.
 */
void outputs_collect(struct output *outputs, size_t count, int limit_ms);

#endif
