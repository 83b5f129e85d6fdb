/* record: see record.h. */
#include "client/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "os/fd.h"
#include "os/machine.h"
#include "os/proc.h"

enum { RECORD_FILE_MAX = 1 << 20, START_SECONDS = 10 };

/*
 * Where others can write they can put their own sessions, or links, in the place of ours; a link that
 * somebody else made leads wherever he likes, also if what is there now is ours.
 */
static int check_state_dir(const char *path, struct err *err)
{
	struct stat link, st;
	if (lstat(path, &link) < 0 || stat(path, &st) < 0)
		return err_sys(err, errno, "cannot look at %s", path);
	if (link.st_uid != geteuid())
		return err_set(err, ERR_REFUSED, "%s is a link that uid %u has made, not you", path,
		    (unsigned)link.st_uid);
	if (st.st_mode & 022) {
		err_set(err, ERR_REFUSED, "others can write to %s", path);
		return err_hint(err, "`chmod 700 %s` makes it yours again; look first what is in it.", path);
	}
	return 0;
}

char *sessions_dir(struct err *err)
{
	AUTO_FREE char *state = path_state_dir(err);
	if (!state)
		return NULL;
	char *dir = path_join(state, "sessions");
	if (path_make_dirs(dir, 0700, err) < 0 || check_state_dir(state, err) < 0 ||
	    check_state_dir(dir, err) < 0) {
		free(dir);
		return NULL;
	}
	return dir;
}

/* --- reading --- */

static char *copy_member(const struct json *object, const char *key)
{
	return mem_strdup(json_get_string(object, key, NULL));
}

static struct json *copy_object(const struct json *object, const char *key)
{
	const struct json *member = json_get(object, key);
	return json_type(member) == JSON_OBJECT ? json_copy(member) : NULL;
}

static char **copy_strings(const struct json *array)
{
	char **out = mem_zalloc((size_t)json_count(array) + 1, sizeof *out);
	size_t n = 0;
	for (const struct json *e = json_first(array); e; e = json_next(e))
		out[n++] = mem_strdup(json_string(e, ""));
	return out;
}

static void read_identity(struct record *r, const struct json *j)
{
	snprintf(r->id, sizeof r->id, "%s", json_get_string(j, "id", ""));
	r->number = (int)json_get_int(j, "number", 0);
	r->name = mem_strdup(json_get_string(j, "name", ""));
	r->agent = mem_strdup(json_get_string(j, "agent", ""));
	r->harness = mem_strdup(json_get_string(j, "harness", ""));
	r->harness_title = mem_strdup(json_get_string(j, "harness_title", r->harness));
	r->dir = mem_strdup(json_get_string(j, "dir", ""));
	r->parent = copy_member(j, "parent");
	r->program_version = copy_member(j, "program_version");
	r->created = clock_parse_rfc3339(json_get_string(j, "created", ""));
	r->sandbox = mem_strdup(json_get_string(j, "sandbox", "none"));
	r->conversation = copy_member(j, "conversation");
	r->instructions_hash = copy_member(j, "instructions_hash");
	r->notes = copy_strings(json_get(j, "notes"));
	r->may = (unsigned)json_get_int(j, "may", 0);
	r->boot_id = mem_strdup(json_get_string(j, "boot_id", ""));
	r->host = mem_strdup(json_get_string(j, "host", ""));
	r->keeper = (pid_t)json_get_int(j, "keeper", 0);
	r->keeper_start = (uint64_t)json_get_int(j, "keeper_start", 0);
	r->leader = (pid_t)json_get_int(j, "leader", 0);
	r->leader_start = (uint64_t)json_get_int(j, "leader_start", 0);
}

static void read_state(struct record *r, const struct json *j)
{
	int state = state_from_name(json_get_string(j, "state", "starting"));
	r->state = state < 0 ? STATE_UNKNOWN : (enum session_state)state;
	r->reason = mem_strdup(json_get_string(j, "reason", ""));
	r->since = clock_parse_rfc3339(json_get_string(j, "since", ""));
	if (r->since < 0)
		r->since = r->created;
	r->turn = (uint32_t)json_get_int(j, "turn", 0);
	r->explain = mem_strdup(json_get_string(j, "explain", ""));
	const char *title = json_get_string(j, "title", "");
	r->title = utf8_sanitize(title, strlen(title), 0);
	r->cwd = copy_member(j, "cwd");
	if (json_get_string(j, "program_version", NULL)) { /* its worker's, else what it was started with */
		free(r->program_version);
		r->program_version = copy_member(j, "program_version");
	}
	r->rows = (int)json_get_int(j, "rows", 0);
	r->cols = (int)json_get_int(j, "cols", 0);
	r->left = (int)json_get_int(j, "left", 0);
	r->interrupted = json_get_bool(j, "interrupted", false);
	r->journal = copy_member(j, "journal");
	r->journal_error = copy_member(j, "journal_error");
	const char *fault = json_get_string(j, "fault", NULL);
	r->fault = fault ? utf8_sanitize(fault, strlen(fault), 0) : NULL;
	r->viewed = json_get_bool(j, "viewed", false);
	r->queued = (int)json_get_int(j, "queued", 0);
	r->from = copy_object(j, "from");
	r->note = copy_object(j, "note");
	r->worker = (pid_t)json_get_int(j, "worker", 0);
	r->worker_start = (uint64_t)json_get_int(j, "worker_start", 0);
}

/* A keeper that ends by itself writes down that its session is over, and so does a worker without a keeper:
 * who wrote nothing was killed.  By whom only the kernel may say. */
static const char *why_lost(const struct record *r, const char *boot)
{
	if (*r->boot_id && *boot && strcmp(r->boot_id, boot) != 0)
		return "the machine was restarted";
	if (!r->keeper)
		return "its start was cut off";
	if (machine_ended_for_memory(r->keeper))
		return "the kernel ended its keeper for want of memory";
	if (r->worker && proc_alive(r->worker, r->worker_start))
		return "its keeper was killed, and its worker is ending what is left";
	return "its keeper and its worker were killed";
}

/* A session that should be alive and has no keeper is lost; the record says what can be known of why. */
static void judge_lost(struct record *r)
{
	if (r->live || state_ended(r->state))
		return;
	if (!r->keeper && clock_now() - r->created < START_SECONDS)
		return; /* reserved, and its keeper is on the way */
	char boot[40];
	proc_boot_id(boot);
	r->state = STATE_LOST;
	free(r->reason);
	r->reason = mem_strdup(why_lost(r, boot));
}

static struct json *read_member_file(const char *dir, const char *name, struct err *err)
{
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_FREE char *text = NULL;
	size_t len;
	if (path_read_file(path, RECORD_FILE_MAX, &text, &len, err) < 0)
		return NULL;
	return json_parse(text, len, path, err);
}

/* As lock_held: -1 with errno where it cannot be told. */
static int ask_live(const char *dir_path)
{
	int dirfd = open(dir_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		return errno == ENOENT ? 0 : -1;
	int held = lock_held(dirfd, RECORD_LOCK_FILE), saved = errno;
	close(dirfd);
	errno = saved;
	return held;
}

int record_load(const char *dir_path, struct record *r, struct err *err)
{
	*r = (struct record){0};
	struct json *session = read_member_file(dir_path, RECORD_SESSION_FILE, err);
	if (!session)
		return -1;
	/* The lock before the state: a session that ends in between is read as ended, not as lost. */
	int live = ask_live(dir_path);
	if (live < 0) {
		json_free(session);
		return err_sys(err, errno, "cannot tell whether the session in %s runs", dir_path);
	}
	r->live = live == 1;
	struct json *state = read_member_file(dir_path, RECORD_STATE_FILE, NULL);
	r->path = mem_strdup(dir_path);
	r->session = session;
	read_identity(r, session);
	read_state(r, state);
	json_free(state);
	if (strcmp(r->id, path_base(dir_path)) != 0) {
		err_set(err, ERR_INVALID, "%s/%s does not belong to this directory: it says id \"%s\"",
		    dir_path, RECORD_SESSION_FILE, r->id);
		record_finish(r);
		return -1;
	}
	judge_lost(r);
	return 0;
}

bool record_was_cut_off(const struct record *r)
{
	return !r->live && (r->state == STATE_LOST || (r->interrupted && state_ended(r->state)));
}

bool record_still_live(const struct record *r)
{
	return ask_live(r->path) != 0; /* what cannot be told must not be taken for ended */
}

static void free_strings(char **list)
{
	for (char **s = list; s && *s; s++)
		free(*s);
	free(list);
}

void record_finish(struct record *r)
{
	char *owned[] = {r->name, r->agent, r->harness, r->harness_title, r->dir, r->path, r->parent,
	    r->sandbox, r->conversation, r->instructions_hash, r->boot_id, r->host, r->reason, r->explain,
	    r->title, r->cwd, r->program_version, r->journal, r->journal_error, r->fault};
	for (size_t i = 0; i < COUNT_OF(owned); i++)
		free(owned[i]);
	free_strings(r->notes);
	json_free(r->session);
	json_free(r->from);
	json_free(r->note);
	*r = (struct record){0};
}

static void set_time(struct json *object, const char *key, int64_t seconds)
{
	char text[32];
	clock_rfc3339(seconds, text);
	json_set_string(object, key, seconds >= 0 ? text : NULL);
}

/* Those that a running session holds. */
static void set_ports(struct json *j, const struct json *settings)
{
	const struct json *port = json_get(settings, "port"), *named = json_get(settings, "ports");
	json_set(j, "port", port ? json_copy(port) : json_new_null());
	json_set(j, "ports", named ? json_copy(named) : json_new_object());
}

struct json *record_to_json(const struct record *r)
{
	struct json *j = json_new_object();
	json_set_string(j, "id", r->id);
	json_set_number(j, "number", r->number);
	json_set_string(j, "name", r->name);
	json_set_string(j, "agent", r->agent);
	json_set_string(j, "harness", r->harness);
	json_set_string(j, "state", state_name(r->state));
	json_set_string(j, "reason", r->reason);
	json_set_bool(j, "waits", state_waits(r->state));
	set_time(j, "since", r->since);
	int64_t age = clock_now() - r->since;
	json_set_number(j, "seconds", (double)(age > 0 ? age : 0));
	json_set_number(j, "turn", r->turn);
	json_set(j, "from", r->from ? json_copy(r->from) : json_new_null());
	json_set_number(j, "queued", r->queued);
	json_set(j, "note", r->note ? json_copy(r->note) : json_new_null());
	json_set_string(j, "dir", r->dir);
	json_set_string(j, "cwd", r->cwd);
	json_set_string(j, "program_version", r->program_version);
	json_set_string(j, "title", r->title);
	json_set_string(j, "sandbox", r->sandbox);
	set_time(j, "created", r->created);
	json_set_string(j, "parent", r->parent);
	json_set_string(j, "conversation", r->conversation);
	json_set_bool(j, "live", r->live);
	json_set_number(j, "left", r->left);
	json_set_string(j, "journal", r->journal);
	json_set_string(j, "journal_error", r->journal_error);
	json_set_string(j, "fault", r->fault);
	set_ports(j, json_get(r->session, "settings"));
	json_set_number(j, "rows", r->rows);
	json_set_number(j, "cols", r->cols);
	struct json *notes = json_set(j, "notes", json_new_array());
	for (char **n = r->notes; n && *n; n++)
		json_append_string(notes, *n);
	return j;
}

void record_state_times(struct json *state)
{
	static const char *const keys[] = {"since", "quiet_since", "last_output"};
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (json_type(json_get(state, keys[i])) == JSON_NUMBER)
			set_time(state, keys[i], json_get_int(state, keys[i], -1));
}

static int by_number(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->id, y->id);
}

bool record_is_number(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isdigit((unsigned char)*s))
			return false;
	return true;
}

bool record_is_id(const char *s)
{
	if (strlen(s) != SESSION_ID_LENGTH || !islower((unsigned char)s[0]))
		return false;
	for (; *s; s++)
		if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s))
			return false;
	return true;
}

/* A record that cannot be read for want of descriptors says nothing about the record. */
static int check_descriptors(struct err *err)
{
	int fd = open("/", O_PATH | O_CLOEXEC);
	if (fd < 0) {
		err_sys(err, errno, "the sessions cannot be read");
		return err_hint(err, "Raise the limit of open files (ulimit -n).");
	}
	close(fd);
	return 0;
}

int record_list_load(struct record_list *list, struct err *err)
{
	*list = (struct record_list){0};
	AUTO_FREE char *dir = sessions_dir(err);
	if (!dir)
		return -1;
	DIR *d = opendir(dir);
	if (!d)
		return err_sys(err, errno, "cannot read %s", dir);
	size_t cap = 0;
	int result = 0;
	for (struct dirent *e; result == 0 && (e = readdir(d));) {
		if (!record_is_id(e->d_name))
			continue;
		if (list->count == cap) {
			cap = cap ? cap * 2 : 16;
			list->items = mem_realloc(list->items, cap, sizeof *list->items);
		}
		AUTO_FREE char *path = path_join(dir, e->d_name);
		if (record_load(path, &list->items[list->count], NULL) == 0)
			list->count++;
		else if ((result = check_descriptors(err)) == 0)
			list->faulty++;
	}
	closedir(d);
	if (result < 0) {
		record_list_finish(list);
		return -1;
	}
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, by_number);
	return 0;
}

size_t record_count(void)
{
	AUTO_FREE char *dir = sessions_dir(NULL);
	DIR *d = dir ? opendir(dir) : NULL;
	size_t count = 0;
	if (!d)
		return 0;
	for (struct dirent *e; (e = readdir(d));) {
		if (!record_is_id(e->d_name))
			continue;
		AUTO_FREE char *file = path_join(e->d_name, RECORD_SESSION_FILE);
		count += faccessat(dirfd(d), file, R_OK, 0) == 0;
	}
	closedir(d);
	return count;
}

void record_list_finish(struct record_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		record_finish(&list->items[i]);
	free(list->items);
	*list = (struct record_list){0};
}
