/*
 * state_file: state.json of a running session, written by a thread of libuv's pool: on some disks a write
 * takes as long as a frame may, over a network far longer, and neither a key nor output waits for it.
 *
 * One write at a time, and the newest state wins: what changes during one leads to one more.  Whoever tells
 * somebody of a state can ask whether it is in the file yet.  Knows nothing of sessions: a state is a text.
 */
#ifndef HANDLER_SESSION_STATE_FILE_H
#define HANDLER_SESSION_STATE_FILE_H

#include <stdint.h>
#include <uv.h>

struct state_file;

/* A write has ended, also one that failed. */
typedef void state_file_written(void *user);

/* In the directory behind a descriptor that stays open. */
struct state_file *state_file_create(uv_loop_t *loop, int directory, state_file_written *written, void *user);
/* Of which nothing is to be written any more, and whose loop has run out.  NULL is fine. */
void state_file_destroy(struct state_file *f);

void state_file_write(struct state_file *f, char *text); /* takes the text */
/* Waits until all that was given is in the file.  NULL is fine. */
void state_file_flush(struct state_file *f);

/* States are numbered from 1 on as they are given: which was the last one, and up to which they are in the
 * file, or older than what is there. */
uint64_t state_file_given(const struct state_file *f);
uint64_t state_file_done(const struct state_file *f);

#endif
