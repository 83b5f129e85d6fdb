/* watch: see watch.h. */
#include "client/watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <uv.h>

#include "base/mem.h"
#include "base/path.h"
#include "client/record.h"

struct watched {
	int wd;
	char id[SESSION_ID_LENGTH + 1];
};

struct watch {
	uv_poll_t poll;
	int fd;
	int list_wd;
	char *dir;
	struct watched *sessions;
	size_t count;
	watch_changed *changed;
	void *user;
};

enum {
	LIST_MASK = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR,
	SESSION_MASK = IN_MOVED_TO | IN_ONLYDIR
};

static void watch_session(struct watch *w, const char *id)
{
	if (strlen(id) != SESSION_ID_LENGTH)
		return;
	AUTO_FREE char *path = path_join(w->dir, id);
	int wd = inotify_add_watch(w->fd, path, SESSION_MASK);

	if (wd < 0)
		return;
	for (size_t i = 0; i < w->count; i++)
		if (w->sessions[i].wd == wd)
			return;
	w->sessions = mem_realloc(w->sessions, w->count + 1, sizeof(*w->sessions));
	w->sessions[w->count].wd = wd;
	snprintf(w->sessions[w->count++].id, sizeof(w->sessions[0].id), "%s", id);
}

static void watch_all(struct watch *w)
{
	DIR *d = opendir(w->dir);

	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		watch_session(w, e->d_name);
	closedir(d);
}

static const struct watched *find(const struct watch *w, int wd)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->sessions[i].wd == wd)
			return &w->sessions[i];
	return NULL;
}

/* The kernel forgets a watch with its directory (IN_IGNORED). */
static void forget(struct watch *w, int wd)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->sessions[i].wd == wd) {
			w->sessions[i] = w->sessions[--w->count];
			return;
		}
}

static void session_event(struct watch *w, const struct inotify_event *e)
{
	const struct watched *s = find(w, e->wd);
	char id[SESSION_ID_LENGTH + 1];

	if (!s || e->len == 0)
		return;
	snprintf(id, sizeof(id), "%s", s->id);
	if (strcmp(e->name, RECORD_SESSION_FILE) == 0)
		w->changed(WATCH_SESSION, id, w->user);
	else if (strcmp(e->name, RECORD_STATE_FILE) == 0)
		w->changed(WATCH_STATE, id, w->user);
}

static void take_event(struct watch *w, const struct inotify_event *e)
{
	if (e->mask & IN_Q_OVERFLOW) {
		watch_all(w);
		w->changed(WATCH_LIST, NULL, w->user);
	} else if (e->mask & IN_IGNORED) {
		forget(w, e->wd);
	} else if (e->wd != w->list_wd) {
		session_event(w, e);
	} else if (e->len && strlen(e->name) == SESSION_ID_LENGTH) {
		if (e->mask & (IN_CREATE | IN_MOVED_TO))
			watch_session(w, e->name);
		w->changed(WATCH_LIST, e->name, w->user);
	}
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct watch *w = poll->data;
	char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	(void)status;
	(void)events;
	while ((n = read(w->fd, buffer, sizeof(buffer))) > 0) {
		for (char *p = buffer; p < buffer + n;) {
			const struct inotify_event *e = (const struct inotify_event *)(void *)p;

			p += sizeof(*e) + e->len;
			take_event(w, e);
		}
	}
}

struct watch *watch_create(
    struct uv_loop_s *loop, const char *sessions_dir, watch_changed *changed, void *user, struct err *err)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	int wd = fd < 0 ? -1 : inotify_add_watch(fd, sessions_dir, LIST_MASK);

	if (wd < 0) {
		err_sys(err, errno,
		    "cannot watch %s: sessions started elsewhere will not appear by themselves",
		    sessions_dir);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct watch *w = mem_zalloc(1, sizeof(*w));

	w->fd = fd;
	w->list_wd = wd;
	w->dir = mem_strdup(sessions_dir);
	w->changed = changed;
	w->user = user;
	w->poll.data = w;
	uv_poll_init(loop, &w->poll, fd);
	uv_poll_start(&w->poll, UV_READABLE, on_readable);
	watch_all(w);
	return w;
}

static void on_closed(uv_handle_t *handle)
{
	struct watch *w = handle->data;

	close(w->fd);
	free(w->sessions);
	free(w->dir);
	free(w);
}

void watch_destroy(struct watch *w)
{
	if (!w)
		return;
	uv_poll_stop(&w->poll);
	uv_close((uv_handle_t *)&w->poll, on_closed);
}
