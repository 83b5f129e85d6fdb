/*
 * learn: the harness's id of the conversation, where the harness chose it itself.  The descriptor says where
 * it tells it ("learn"): in the name of a file that it keeps open for writing ("open_file"), looked at when a
 * turn has begun, when one ends and when output rests, so that the id is known however the session ends; and
 * in its last lines ("screen").  Written to session.json for `handler resume`.
 */
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "client/foreign.h"
#include "os/open_file.h"
#include "os/proc.h"
#include "session/parts.h"

enum {
	LEARN_ID_MAX = 128,
	LEARN_EVERY_MS = 1000, /* at most one look in that time */
	LEARN_BEGIN_MS = 1000, /* from a turn's begin to its file being there, and the lock being free */
	LEARN_HEAD = 16 << 10, /* of a file's first line */
	LEARN_PROCESSES = 64,  /* looked at, nearest to the leader first */
};

/* Only what looks like an id: it becomes an argument of a later start. */
static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			c == '_' || c == '-' || c == '.'))
			return false;
	}
	return len > 0 && len <= LEARN_ID_MAX && s[0] != '-';
}

/* The last match: what was said at the end counts.  Owned; NULL: there is none. */
static char *last_match(const regex_t *regex, const char *text)
{
	char *found = NULL;
	regmatch_t m[2];
	while (regexec(regex, text, 2, m, 0) == 0 && m[1].rm_so >= 0) {
		size_t len = (size_t)(m[1].rm_eo - m[1].rm_so);
		if (is_plain(text + m[1].rm_so, len)) {
			free(found);
			found = mem_strndup(text + m[1].rm_so, len);
		}
		text += m[0].rm_eo > 0 ? m[0].rm_eo : 1;
	}
	return found;
}

static const struct json *learn_settings(const struct worker *w)
{
	return json_path(w->record.session, "settings.learn");
}

/* false: it could not be written, without `wait` maybe because somebody has the lock of the list. */
static bool remember(struct worker *w, const char *id, bool wait)
{
	struct err err = ERR_INIT;
	if (w->record.conversation && !strcmp(w->record.conversation, id))
		return true;
	if (record_set_conversation(w->path, id, wait, &err) < 0) {
		log_error("learn", "%s", err.message);
		return false;
	}
	log_info("learn", "the conversation's id is %s", id);
	free(w->record.conversation);
	w->record.conversation = mem_strdup(id);
	return true;
}

/* --- the file that it keeps open --- */

struct search {
	regex_t path, head;
	bool has_head;
	char below[PATH_MAX]; /* the harness's configuration directory, "": anywhere */
	char *id;             /* of the file that was written last */
	struct timespec written;
};

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);
	return !len || (!strncmp(path, dir, len) && path[len] == '/');
}

/* Its first line says that it is one of a conversation (and not of a helper, say, that the harness started).
 */
static bool head_matches(const struct search *s, const struct open_file *f)
{
	if (!s->has_head)
		return true;
	char text[LEARN_HEAD + 1];
	int fd = openat(f->dir, f->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, LEARN_HEAD, 0);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return regexec(&s->head, text, 0, NULL, 0) == 0;
}

/* One that was left (a new conversation in the same program) may stay open: the one written last counts. */
static bool consider(const struct open_file *f, void *user)
{
	struct search *s = user;
	struct stat st;
	AUTO_FREE char *id = is_below(f->path, s->below) ? last_match(&s->path, f->path) : NULL;
	if (!id || fstatat(f->dir, f->name, &st, 0) < 0 || !S_ISREG(st.st_mode) || !open_file_writes(f) ||
	    (s->id && !is_later(&st.st_mtim, &s->written)) || !head_matches(s, f))
		return false;
	free(s->id);
	s->id = id;
	id = NULL;
	s->written = st.st_mtim;
	return false;
}

static bool is_foreign(const struct proc_info *p, void *user)
{
	(void)user;
	return foreign_keeper(p);
}

/* Of the process nearest to the leader: one further away is an agent that this one has started. */
static void search_tree(struct worker *w, struct search *s)
{
	struct proc_list tree;
	open_file_each(w->shared->leader, consider, s);
	if (s->id)
		return;
	proc_tree(w->shared->leader, is_foreign, NULL, &tree);
	for (size_t i = 0; i < tree.count && i < LEARN_PROCESSES && !s->id; i++)
		open_file_each(tree.items[i].pid, consider, s);
	proc_list_finish(&tree);
}

/* Records hold no values of variables: what the harness was started with says where it keeps its files. */
static int find_below(const struct worker *w, const struct json *config_dir, char out[PATH_MAX])
{
	const char *variable = json_get_string(config_dir, "variable", NULL);
	AUTO_FREE char *set = variable ? proc_environ(w->shared->leader, variable) : NULL;
	const char *dir = set && *set ? set : json_get_string(config_dir, "default", NULL);
	return !dir || realpath(dir, out) ? 0 : -1; /* -1: it is not there yet */
}

static int search_init(const struct worker *w, struct search *s)
{
	const struct json *learn = learn_settings(w);
	const struct json *file = json_get(learn, "open_file");
	const char *head = json_get_string(file, "head", NULL);
	*s = (struct search){.has_head = head != NULL};
	if (find_below(w, json_get(learn, "config_dir"), s->below) < 0)
		return -1;
	if (regcomp(&s->path, json_get_string(file, "path", ""), REG_EXTENDED) != 0)
		return -1;
	if (head && regcomp(&s->head, head, REG_EXTENDED | REG_NOSUB) != 0) {
		regfree(&s->path);
		return -1;
	}
	return 0;
}

static void search_finish(struct search *s)
{
	regfree(&s->path);
	if (s->has_head)
		regfree(&s->head);
	free(s->id);
}

static void look_after(struct worker *w, int64_t wait);

static void on_learn_timer(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	struct search s;
	w->learn_next = worker_now(w) + LEARN_EVERY_MS;
	if (w->leader_told || search_init(w, &s) < 0)
		return;
	search_tree(w, &s);
	w->learn_due = w->learn_due && !s.id;
	if (s.id && !remember(w, s.id, false))
		look_after(w, LEARN_EVERY_MS);
	search_finish(&s);
}

/* One look: no timer runs while nothing happens. */
static void look_after(struct worker *w, int64_t wait)
{
	int64_t left = w->learn_next - worker_now(w);
	if (w->ending || w->leader_told || uv_is_active((uv_handle_t *)&w->learn_timer) ||
	    !json_get(learn_settings(w), "open_file"))
		return;
	wait = left > wait ? left : wait;
	uv_timer_start(&w->learn_timer, on_learn_timer, (uint64_t)wait, 0);
}

void learn_init(struct worker *w)
{
	uv_timer_init(&w->loop, &w->learn_timer);
	w->learn_timer.data = w;
}

void learn_look(struct worker *w)
{
	look_after(w, 0);
}

void learn_turn_begun(struct worker *w)
{
	w->learn_due = true;
	look_after(w, LEARN_BEGIN_MS);
}

void learn_output(struct worker *w)
{
	if (w->learn_due)
		look_after(w, 0);
}

/* --- its last lines --- */

/* What ended by itself said how it is resumed, and knows that better than a look of a second ago; on any
 * other screen such words may be of the conversation. */
static bool may_have_said(const struct worker *w)
{
	return !w->record.conversation || (WIFEXITED(w->shared->wait_status) && !w->shared->stopped_by_us);
}

void learn_from_screen(struct worker *w)
{
	const char *pattern = json_get_string(learn_settings(w), "screen", NULL);
	regex_t regex;
	if (!pattern || !may_have_said(w) || regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE) != 0)
		return;
	AUTO_BUF text = BUF_INIT;
	screen_text(term_screen(w->term), true, &text);
	AUTO_FREE char *id = last_match(&regex, text.data);
	if (id)
		remember(w, id, true);
	regfree(&regex);
}
