/* record_change: what is done to records: reserving, naming, writing, removing. */
#include "client/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "os/fd.h"

enum { RESERVE_TRIES = 1000 };

int record_check_name(const char *name, struct err *err)
{
	size_t len = strlen(name);
	const char *fault = NULL;
	if (!len)
		fault = "a session's name cannot be empty";
	else if (!utf8_valid(name, len, NULL))
		fault = "a session's name must be valid UTF-8";
	else if (record_is_number(name))
		fault = "a session's name cannot be all digits: those are numbers";
	else if (!strcmp(name, ".") || name[0] == '@' || name[0] == '-')
		fault = "a session's name cannot be \".\" or begin with \"@\" or \"-\"";
	else if (utf8_columns(name, len) > SESSION_NAME_MAX)
		fault = "a session's name can have 64 columns at most";
	for (const char *p = name; !fault && *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			fault = "a session's name cannot hold control characters";
	if (!fault) {
		AUTO_FREE char *clean = utf8_sanitize(name, len, 0);
		if (strcmp(clean, name) != 0)
			fault = "a session's name cannot hold invisible characters or runs of spaces";
	}
	return fault ? err_set(err, ERR_USAGE, "%s", fault) : 0;
}

static bool name_taken(const struct record_list *list, const char *name, const char *except_id)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name) && strcmp(list->items[i].id, except_id) != 0)
			return true;
	return false;
}

static int lock_list(int *lock, bool wait, struct err *err)
{
	AUTO_FREE char *dir = sessions_dir(err);
	if (!dir)
		return -1;
	int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*lock = dirfd < 0 ? -1 : lock_take(dirfd, ".lock", wait);
	int saved = errno;
	if (dirfd >= 0)
		close(dirfd);
	return *lock < 0 ? err_sys(err, saved, "cannot lock %s", dir) : 0;
}

int record_write_session(const char *path, const struct json *session, struct err *err)
{
	AUTO_FREE char *file = path_join(path, RECORD_SESSION_FILE);
	AUTO_FREE char *text = json_print(session, true);
	return path_write_file(file, text, strlen(text), 0600, err);
}

int record_replace_state(int directory, const char *text, size_t len)
{
	char name[40];
	int fd, fault;
	snprintf(name, sizeof name, RECORD_STATE_FILE ".%d", (int)getpid());
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return errno;
	fault = fd_write_full(fd, text, len) < 0 ? errno : 0;
	if (close(fd) < 0 && !fault)
		fault = errno;
	if (!fault && renameat(directory, name, directory, RECORD_STATE_FILE) < 0)
		fault = errno;
	if (fault)
		unlinkat(directory, name, 0);
	return fault;
}

int record_write_state(const char *path, const struct json *state, struct err *err)
{
	AUTO_FREE char *file = path_join(path, RECORD_STATE_FILE);
	AUTO_FREE char *text = json_print(state, true);
	return path_write_file(file, text, strlen(text), 0600, err);
}

/* Writes session.json anew as it stands there, with a member set (key NULL: none), the list's lock held. */
static int rewrite_locked(const char *path, const char *key, const char *value, struct err *err)
{
	AUTO_FREE char *file = path_join(path, RECORD_SESSION_FILE);
	struct json *session = json_parse_file(file, err);
	int result = -1;
	if (session && key)
		json_set_string(session, key, value);
	if (session)
		result = record_write_session(path, session, err);
	json_free(session);
	return result;
}

int record_rename(const struct record *r, const char *name, struct err *err)
{
	int lock, result = -1;
	if (record_check_name(name, err) < 0 || lock_list(&lock, true, err) < 0)
		return -1;
	struct record_list list;
	if (record_list_load(&list, err) == 0) {
		result = name_taken(&list, name, r->id)
			     ? err_set(err, ERR_USAGE, "another session is called \"%s\"", name)
			     : rewrite_locked(r->path, "name", name, err);
		record_list_finish(&list);
	}
	close(lock);
	return result;
}

static int rewrite(const char *path, const char *key, const char *value, bool wait, struct err *err)
{
	int lock;
	if (lock_list(&lock, wait, err) < 0)
		return -1;
	int result = rewrite_locked(path, key, value, err);
	close(lock);
	return result;
}

int record_set_conversation(const char *path, const char *id, bool wait, struct err *err)
{
	return rewrite(path, "conversation", id, wait, err);
}

int record_touch(const char *path, struct err *err)
{
	return rewrite(path, NULL, NULL, true, err);
}

static void random_id(char out[SESSION_ID_LENGTH + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint8_t bytes[SESSION_ID_LENGTH];
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		abort();
	for (int i = 0; i < SESSION_ID_LENGTH; i++)
		out[i] = letters[bytes[i] % (i ? 36 : 26)];
	out[SESSION_ID_LENGTH] = '\0';
}

static int lowest_number(const struct record_list *list)
{
	for (int n = 1;; n++) {
		bool taken = false;
		for (size_t i = 0; i < list->count; i++)
			taken = taken || list->items[i].number == n;
		if (!taken)
			return n;
	}
}

/* "DIR-AGENT", with what a name cannot hold left out. */
static char *default_name(const struct record_list *list, const char *dir, const char *agent)
{
	const char *base = path_base(dir);
	AUTO_FREE char *joined = mem_printf("%s-%s", *base ? base : "root", agent);
	AUTO_FREE char *clean = utf8_sanitize(joined, strlen(joined), SESSION_NAME_MAX - 6);
	const char *stem = clean;
	while (*stem == '@' || *stem == '-' || *stem == '.')
		stem++;
	if (!*stem)
		stem = agent;
	char *name = mem_strdup(stem);
	for (int n = 2; name_taken(list, name, ""); n++) {
		free(name);
		name = mem_printf("%s-%d", stem, n);
	}
	return name;
}

static int make_session_dir(struct record *r, struct err *err)
{
	AUTO_FREE char *dir = sessions_dir(err);
	for (int i = 0; dir && i < RESERVE_TRIES; i++) {
		random_id(r->id);
		r->path = path_join(dir, r->id);
		if (mkdir(r->path, 0700) == 0)
			return 0;
		int saved = errno;
		if (saved != EEXIST)
			err_sys(err, saved, "cannot make the session's directory %s", r->path);
		free(r->path);
		r->path = NULL;
		if (saved != EEXIST)
			return -1;
	}
	return dir ? err_set(err, ERR_FAILED, "no free session id was found") : -1;
}

static int reserve_locked(
    struct record *r, const char *wanted, const char *dir, const char *agent, struct err *err)
{
	char created[32];
	struct record_list list;
	if (record_list_load(&list, err) < 0)
		return -1;
	int result = 0;
	if (wanted && name_taken(&list, wanted, "")) {
		result = err_set(err, ERR_USAGE, "another session is called \"%s\"", wanted);
		err_hint(err, "Choose another name, or `handler rm` the old one.");
	} else {
		result = make_session_dir(r, err);
	}
	if (result == 0) {
		r->name = wanted ? mem_strdup(wanted) : default_name(&list, dir, agent);
		r->number = lowest_number(&list);
		/* Already a record, so that the next one to come counts its number and name as taken. */
		struct json *j = json_new_object();
		json_set_number(j, "version", 1);
		json_set_string(j, "id", r->id);
		json_set_number(j, "number", r->number);
		json_set_string(j, "name", r->name);
		json_set_string(j, "agent", agent);
		json_set_string(j, "dir", dir);
		clock_rfc3339(clock_now(), created);
		json_set_string(j, "created", created);
		result = record_write_session(r->path, j, err);
		json_free(j);
	}
	record_list_finish(&list);
	return result;
}

int record_reserve(struct record *r, const char *wanted, const char *dir, const char *agent, struct err *err)
{
	int lock;
	*r = (struct record){0};
	if ((wanted && record_check_name(wanted, err) < 0) || lock_list(&lock, true, err) < 0)
		return -1;
	int result = reserve_locked(r, wanted, dir, agent, err);
	close(lock);
	return result;
}

/* Removes a directory tree that we made: files, sockets, directories; never follows a link. */
static int remove_tree(int parent, const char *name, int depth)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if ((errno != EISDIR && errno != EPERM) || depth > 8)
		return -1;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	DIR *d = fdopendir(fd);
	int result = d ? 0 : -1;
	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    remove_tree(fd, e->d_name, depth + 1) < 0)
			result = -1;
	if (d)
		closedir(d);
	else
		close(fd);
	return unlinkat(parent, name, AT_REMOVEDIR) < 0 ? -1 : result;
}

int record_remove(const char *path, struct err *err)
{
	if (record_still_live(&(struct record){.path = (char *)path})) {
		err_set(err, ERR_LIVE, "session %s is still running", path_base(path));
		return err_hint(err, "`handler stop %s` ends it.", path_base(path));
	}
	if (remove_tree(AT_FDCWD, path, 0) < 0)
		return err_sys(err, errno, "cannot remove %s", path);
	return 0;
}
