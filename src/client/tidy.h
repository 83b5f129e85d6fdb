/*
 * tidy: what sessions may keep on disk: ended ones are forgotten after some days (keep_ended), and all
 * together have a limit (state_limit): the oldest of the journals goes first, then ended sessions.
 *
 * Never touched: a session that lives, one whose processes are still there, and of each the newest part of
 * the journal while it may be resumed.
 */
#ifndef HANDLER_CLIENT_TIDY_H
#define HANDLER_CLIENT_TIDY_H

#include "client/record.h"

uint64_t tidy_bytes(const char *dir); /* that a directory takes on disk */
/* It has ended, and nothing of it runs. */
bool tidy_is_over(const struct record *r);
/* Forgets sessions that ended so long ago.  Returns how many. */
size_t tidy_old(int64_t seconds);
/* Keeps all sessions below the limit, as far as that is possible.  Returns the bytes that were freed. */
uint64_t tidy_limit(uint64_t limit);

#endif
