/*
 * frozen: a session's rows as they were at one moment: copies of its screen, and of the rows right above it.
 *
 * The session goes on, and may take rows of its history back to its screen when its width changes: those
 * would have other numbers then, or other text under the same number.  So the newest ones are kept here, as
 * they come; older ones are the owner's, whom a callback asks.
 */
#ifndef HANDLER_UI_FROZEN_H
#define HANDLER_UI_FROZEN_H

#include "cell/screen.h"

/* A row of history, or NULL while it is not here; borrowed until the next call. */
typedef const struct row *frozen_history(void *context, uint64_t number);

struct frozen {
	struct screen screen; /* its rows are ours */
	struct row *rows;     /* of the screen */
	struct row *newest;   /* of history, from kept_from on; one without cells has not come yet */
	uint64_t kept_from;
	frozen_history *history;
	void *context;
};

void frozen_init(struct frozen *f, const struct screen *s, frozen_history *history, void *context);
void frozen_finish(struct frozen *f);
/* Copies of the newest rows of history that have come meanwhile are made. */
void frozen_keep(struct frozen *f);
const struct row *frozen_row(const struct frozen *f, uint64_t number); /* NULL: not here */
uint64_t frozen_end(const struct frozen *f);
void frozen_mark_cells(const struct frozen *f); /* before a sweep of the table */

#endif
