/*
 * recorder: the worker's journal: screens as they change, at a bounded pace, and changes of state
 * (client/journal.h says how they are kept).
 *
 * Nothing of the output path waits for it.  What is kept are differences of screens, not the program's
 * output: a flood costs a few screens a second, however many bytes it is, and what was left out between two
 * of them is in the later one.  They are collected in memory and written by libuv's pool, one request at a
 * time: a disk that does not answer costs screens, which a GAP says, and never a frame or a key.  A disk that
 * refuses ends the journal; the session goes on and its record says why.
 *
 * A machine that loses power loses what the kernel has not written yet.  Once the program rests, journal and
 * history are brought onto the disk (fdatasync(2)), by the same pool, at most every RECORDER_SYNC_MS.
 */
#ifndef HANDLER_SESSION_RECORDER_H
#define HANDLER_SESSION_RECORDER_H

#include <stdbool.h>

struct worker;
struct recorder;

enum {
	RECORDER_INTERVAL_MS = 50, /* between two screens */
	RECORDER_HOLD_MS = 1000,   /* that one waits at most while an update follows the other */
	RECORDER_RATE = 32 << 10,  /* bytes a second, in the long run: screens come more rarely then */
	RECORDER_BURST = 4 << 20,  /* that may come at once before */
	RECORDER_BATCH = 32 << 10, /* collected before they are written */
	RECORDER_BATCH_MS = 1000,  /* or so long, or until the program rests */
	RECORDER_SYNC_MS = 3000,   /* between two fdatasync(2) */
	RECORDER_PENDING_MAX =
	    1 << 20, /* collected while the disk does not answer: then screens are left out */
};

/* NULL in w->recorder if this session keeps no journal. */
void recorder_start(struct worker *w);
void recorder_dirty(struct worker *w);         /* the screen has changed */
void recorder_sync(struct worker *w, bool on); /* the program begins, or has finished, an update */
void recorder_state(struct worker *w);         /* the state has */
void recorder_rest(struct worker *w);          /* the program rests: all is written */
void recorder_end(struct worker *w);           /* the last screen; the loop goes on until it is written */
void recorder_destroy(struct recorder *r);
const char *recorder_state_name(const struct worker *w); /* "on", "off", "stopped" */
const char *recorder_error(const struct worker *w);      /* why it stopped, NULL: it did not */

#endif
