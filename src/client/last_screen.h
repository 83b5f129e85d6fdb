/* last_screen: what a session showed when it ended: the frames that its worker wrote (RECORD_SCREEN_FILE), or
 * the last screen of its journal if it was killed before. */
#ifndef HANDLER_CLIENT_LAST_SCREEN_H
#define HANDLER_CLIENT_LAST_SCREEN_H

#include "wire/delta.h"

/* Fills a mirror that was initialised.  session_path: the session's directory.  -1 with err: none is kept, or
 * it is damaged. */
int last_screen_frames(const char *session_path, struct buf *out, struct err *err); /* as wire frames */
int last_screen_load(const char *session_path, struct mirror *m, struct err *err);

/*
 * Puts its rows, without empty ones at the end, behind the session's history: another screen takes its place.
 * *end is what history ended with before, for last_screen_take_back.
 */
int last_screen_to_history(const char *session_path, uint64_t limit_rows, uint64_t *end, struct err *err);
void last_screen_take_back(const char *session_path, uint64_t limit_rows, uint64_t end);

#endif
