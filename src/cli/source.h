/*
 * source: the rows of a session's screen and history in pieces, whether it lives (its worker is asked) or has
 * ended (its files are read).
 */
#ifndef HANDLER_CLI_SOURCE_H
#define HANDLER_CLI_SOURCE_H

#include "client/call.h"
#include "client/record.h"
#include "wire/delta.h"

struct source {
	const struct record *record; /* borrowed */
	struct call *call;           /* live */
	struct cell_table *table;    /* ended: */
	struct mirror mirror;
	struct history *history;
};

/* What is asked for: lines of history (-1: all) before the screen, or the rows of a turn (> 0). */
struct source_wanted {
	const char *format; /* of capture.h: "text", "ansi", "json" */
	int64_t lines, turn;
};

int source_open(struct source *s, const struct record *r, struct err *err);
void source_close(struct source *s);
/* A piece as capture.h describes it; from: "next" of the piece before, -1: the first one.  NULL with err. */
struct json *source_piece(struct source *s, const struct source_wanted *w, int64_t from, struct err *err);
/* "N", "all" or NULL (none) as a number of lines. */
int source_parse_history(const char *text, int64_t *lines, struct err *err);

#endif
