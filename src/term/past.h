/*
 * past: what leaves the main screen for history: rows that scroll off its top, the text of a screen that is
 * cleared, and what CSI 3 J does about it.
 *
 * CSI 3 J keeps history behind a mark (or drops it, if that was asked for at creation).  Interfaces of agents
 * clear all and write it again, though (CSI 2 J, 3 J, H and then everything), whenever they are resized, some
 * with every frame.  So after such a clearing the rows that scroll off are held against those that history
 * has: as long as they are the same, nothing is appended; if all come again, they stand there once, without a
 * mark; where one differs, the mark and the rows since then are appended after all.
 */
#ifndef HANDLER_TERM_PAST_H
#define HANDLER_TERM_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "cell/row.h"

struct term;

struct past {
	uint64_t gone;     /* rows that left the top, where there is no history to count them */
	uint64_t pullable; /* newest rows of history that a taller screen takes back */
	uint64_t marked;   /* number after the last mark */

	/* the last time a screen was kept: its rows are [kept_from, kept_end) */
	uint64_t kept_from, kept_end;
	bool kept_at_home; /* the cursor was in the first place: it was a person who cleared the screen */

	/* a program writes again what it cleared: rows [again_from, again_end) of history, up to `again` they
	 * have come */
	bool rewriting;
	uint64_t again_from, again, again_end;
};

uint64_t past_top(const struct term *t); /* stable number of the screen's first row */
/* A row leaves the top.  Nothing comes of it in a quiet feed. */
void past_push(struct term *t, const struct row *r);
/* A packed row of the alternate screen (seen.h). */
void past_append_seen(struct term *t, const void *packed, size_t len);
/* The newest `count` rows are on the alternate screen again; false: they are not all from there. */
bool past_take_back_seen(struct term *t, uint64_t count);
/*
 * The screen is about to be cleared as a whole: its text enters history first, so that no line is lost.  Not
 * inside of a synchronized update: there it is the first half of a program's next frame.
 */
void past_keep_screen(struct term *t);
void past_clear(struct term *t); /* CSI 3 J, RIS */

/* Taking rows back, for a screen that grows. */
bool past_may_pull(const struct term *t);
bool past_newest_is_wrapped(const struct term *t);
struct row *past_pull(struct term *t); /* the newest row, as wide as its text; only after past_may_pull */

#endif
