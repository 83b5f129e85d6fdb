/*
 * watch: learns by inotify(7) that sessions came, went, were renamed or ended.  Nothing is polled.
 *
 * The directory of sessions is watched, and in each session's directory the files of its record (which are
 * replaced whole: IN_MOVED_TO).
 */
#ifndef HANDLER_CLIENT_WATCH_H
#define HANDLER_CLIENT_WATCH_H

#include "base/err.h"

struct uv_loop_s;
struct watch;

enum watch_what {
	WATCH_LIST,    /* a session came or went; id says which */
	WATCH_SESSION, /* session.json was replaced: renamed */
	WATCH_STATE,   /* state.json was replaced */
};

/* id NULL: events were lost, anything may have changed. */
typedef void watch_changed(enum watch_what what, const char *id, void *user);

struct watch *watch_create(
    struct uv_loop_s *loop, const char *sessions_dir, watch_changed *changed, void *user, struct err *err);
void watch_destroy(struct watch *w); /* NULL is fine */

#endif
