/*
 * search: finding text in history and on the screen.  In slices, so that who searches can do other things in
 * between: rows have stable numbers, and what happens to them between two slices does no harm.
 *
 * Rows whose text goes on in the next one are searched as one line (of at most SEARCH_JOINED_ROWS).
 */
#ifndef HANDLER_CELL_SEARCH_H
#define HANDLER_CELL_SEARCH_H

#include "base/err.h"
#include "cell/history.h"
#include "cell/screen.h"
#include "cell/select.h"

enum { SEARCH_PATTERN_MAX = 1024, SEARCH_JOINED_ROWS = 64 };

enum search_flag {
	SEARCH_REGEX = 1,      /* POSIX extended; else the text as it is */
	SEARCH_EXACT_CASE = 2, /* else: case matters if the pattern has a capital */
};

struct search;

/* NULL with err (ERR_USAGE): an empty or too long pattern, or a faulty expression. */
struct search *search_create(const char *pattern, unsigned flags, struct err *err);
void search_destroy(struct search *s);

/* The next match is the first that begins after `from`, or backward the last that begins before it. */
void search_start(struct search *s, struct position from, bool forward);

struct search_match {
	struct position from, to; /* both included; of a wide character the second column */
};

enum search_result {
	SEARCH_FOUND, /* *out is set; a further step finds the match after it */
	SEARCH_MORE,  /* max_rows were looked at without a match: call again */
	SEARCH_END,   /* there is no further row */
};

/* history may be NULL. */
enum search_result search_step(struct search *s, const struct history *history, const struct screen *screen,
    unsigned max_rows, struct search_match *out);

/* Every match within rows of one screenful, for marking them: up to `max`; returns how many. */
size_t search_matches(struct search *s, const struct row_source *source, uint64_t first, uint64_t end,
    struct search_match *out, size_t max);

/* Lower case by simple case folding (Latin, Greek, Cyrillic), never changing the length in UTF-8. */
uint32_t search_fold(uint32_t cp);

#endif
