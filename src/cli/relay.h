/*
 * relay: a program's standard output and error on their way to ours, unchanged and at once, watched for lines
 * that match a pattern.  Without a pattern nothing is put between.
 */
#ifndef HANDLER_CLI_RELAY_H
#define HANDLER_CLI_RELAY_H

#include <regex.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/json.h"

enum { RELAY_STREAMS = 2, RELAY_PATTERNS = 8, RELAY_LINE_MAX = 4 << 20 };

struct relay {
	regex_t patterns[RELAY_PATTERNS];
	int pattern_count;
	int pipes[RELAY_STREAMS][2]; /* [read, write] of output and error; -1: none */
	struct buf line[RELAY_STREAMS];
	bool matched;
};

/* patterns: an array of strings that compile (descriptors are checked), or NULL. */
int relay_open(struct relay *r, const struct json *patterns, struct err *err);
void relay_close(struct relay *r);
int relay_child(struct relay *r);           /* in the child: its output goes into the pipes; -1 with errno */
void relay_run(struct relay *r, pid_t pid); /* until it has ended and what it wrote is passed on */

#endif
