/*
 * checkpoint: the emulator's whole state in the keeper's memory, so that a worker that is killed is succeeded
 * by one that shows the same, cell for cell: the newest checkpoint and the output since.
 */
#ifndef HANDLER_SESSION_CHECKPOINT_H
#define HANDLER_SESSION_CHECKPOINT_H

#include "session/parts.h"

enum {
	CHECKPOINT_BYTES = 256 << 10
}; /* of output between two, while there is a flood; else one when output rests */

void checkpoint_take(struct worker *w);
void checkpoint_due(struct worker *w);  /* takes one if so much output has been parsed since the last */
void checkpoint_rest(struct worker *w); /* output rests: takes one if there was any since the last */
/*
 * Replaces the terminal by the checkpoint's, its history cut back to then; the output from *from on and the
 * changes of size from number *resizes on are to be fed again.  false: there is none that can be used,
 * nothing was changed.
 */
bool checkpoint_load(struct worker *w, uint64_t *from, uint64_t *resizes);
/* Drops what a replayed piece of output would have answered or announced. */
void checkpoint_forget_events(struct worker *w);

#endif
