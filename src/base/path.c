/*
 * path: see path.h.  Knows the XDG base directories and how a file is read and replaced whole; not what is in
 * it.
 */
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

char *path_home(struct err *err)
{
	const char *home = getenv("HOME");
	struct passwd *user;

	if (home && home[0] == '/')
		return mem_strdup(home);
	user = getpwuid(getuid());
	if (user && user->pw_dir && user->pw_dir[0] == '/')
		return mem_strdup(user->pw_dir);
	err_set(err, ERR_FAILED,
	    "You have no home directory: HOME is not set and the user database has none for uid %u.",
	    (unsigned)getuid());
	err_hint(err, "Set HOME to a directory of yours.");
	return NULL;
}

/* $VARIABLE/handler, or ~/FALLBACK/handler when the variable is missing, empty or relative. */
static char *xdg_dir(const char *variable, const char *fallback, struct err *err)
{
	const char *value = getenv(variable);
	AUTO_FREE char *home = NULL;

	if (value && value[0] == '/')
		return path_join(value, "handler");
	home = path_home(err);
	return home ? mem_printf("%s/%s/handler", home, fallback) : NULL;
}

char *path_config_dir(struct err *err)
{
	return xdg_dir("XDG_CONFIG_HOME", ".config", err);
}

char *path_state_dir(struct err *err)
{
	return xdg_dir("XDG_STATE_HOME", ".local/state", err);
}

char *path_cache_dir(struct err *err)
{
	return xdg_dir("XDG_CACHE_HOME", ".cache", err);
}

char *path_join(const char *a, const char *b)
{
	size_t len = strlen(a);

	if (b[0] == '/' || len == 0)
		return mem_strdup(b);
	while (len > 0 && a[len - 1] == '/')
		len--;
	return mem_printf("%.*s/%s", (int)len, a, b);
}

/* "~" and "~/..." only: "~user" is a name like any other. */
static bool is_home_relative(const char *path)
{
	return path[0] == '~' && (path[1] == '/' || path[1] == '\0');
}

char *path_absolute(const char *path, struct err *err)
{
	AUTO_FREE char *base = NULL;

	if (path[0] == '/')
		return mem_strdup(path);
	if (is_home_relative(path)) {
		base = path_home(err);
		path += path[1] ? 2 : 1;
	} else {
		base = getcwd(NULL, 0);
		if (!base)
			err_sys(err, errno, "The working directory cannot be read");
	}
	if (!base)
		return NULL;
	return *path ? path_join(base, path) : mem_strdup(base);
}

char *path_real(const char *path, struct err *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		err_sys(err, errno, "%s", path);
	return real;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_pretty(const char *path)
{
	AUTO_FREE char *home = path_home(NULL);
	size_t len = home ? strlen(home) : 0;

	while (len > 0 && home[len - 1] == '/')
		len--;
	if (len == 0 || strncmp(path, home, len) != 0 || (path[len] != '/' && path[len] != '\0'))
		return mem_strdup(path);
	return mem_printf("~%s", path + len);
}

bool path_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A directory that is there already may be anybody's, except the last one. */
static int make_dir(const char *path, mode_t mode, struct err *err)
{
	if (mkdir(path, mode) == 0) {
		if (chmod(path, mode) == 0) /* whatever the umask */
			return 0;
		return err_sys(err, errno, "The mode of %s cannot be set", path);
	}
	if (errno == EEXIST || path_is_dir(path))
		return 0;
	return err_sys(err, errno, "The directory %s cannot be made", path);
}

static int check_own_dir(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_SYSTEM, "%s is not a directory.", path);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_SYSTEM, "The directory %s belongs to uid %u, not to you.", path,
		    (unsigned)st.st_uid);
	return 0;
}

int path_make_dirs(const char *path, mode_t mode, struct err *err)
{
	AUTO_FREE char *part = mem_strdup(path);
	char *p = part;

	if (path_is_dir(path)) /* as it nearly always is */
		return check_own_dir(path, err);
	while (*p == '/')
		p++;
	while ((p = strchr(p, '/')) != NULL) {
		*p = '\0';
		if (make_dir(part, mode, err) < 0)
			return -1;
		*p = '/';
		while (*p == '/')
			p++;
	}
	if (make_dir(part, mode, err) < 0)
		return -1;
	return check_own_dir(path, err);
}

/* Not blocking: a fifo with the name of a file must not hold up the program. */
static int open_regular(const char *path, struct stat *st, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return err_sys(err, errno, "%s cannot be read", path);
	if (fstat(fd, st) < 0) {
		err_sys(err, errno, "%s cannot be read", path);
	} else if (!S_ISREG(st->st_mode)) {
		err_set(err, ERR_FAILED, "%s is not a regular file.", path);
	} else {
		return fd;
	}
	close(fd);
	return -1;
}

/*
 * Reads up to max + 1 bytes: one more than allowed tells that there is more, also where st_size says 0
 * (/proc). A file of the size that was reserved is read without more memory: a start reads some forty of
 * them.
 */
static int read_all(int fd, size_t max, struct buf *b)
{
	enum { CHUNK = 4 << 10 };

	while (b->len <= max) {
		size_t room = b->cap > b->len ? b->cap - b->len - 1 : 0, want;
		ssize_t n;

		if (room == 0) {
			buf_reserve(b, CHUNK);
			room = b->cap - b->len - 1;
		}
		want = max - b->len < room ? max - b->len + 1 : room;
		n = read(fd, b->data + b->len, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		buf_truncate(b, b->len + (size_t)n);
	}
	return 0;
}

int path_read_file(const char *path, size_t max, char **data, size_t *len, struct err *err)
{
	AUTO_BUF b = BUF_INIT;
	struct stat st;
	int fd = open_regular(path, &st, err);
	int result;

	if (fd < 0)
		return -1;
	if (st.st_size > 0 && (size_t)st.st_size <= max)
		buf_reserve(&b, (size_t)st.st_size + 1);
	result = read_all(fd, max, &b);
	if (result < 0)
		err_sys(err, errno, "%s cannot be read", path);
	else if (b.len > max)
		result = err_set(err, ERR_INVALID, "%s is larger than %zu bytes.", path, max);
	close(fd);
	if (result < 0)
		return -1;
	if (len)
		*len = b.len;
	*data = buf_steal(&b);
	return 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Text and mode are there before the file gets its name.  No fsync: what is promised is one text or the
 * other, not disk. */
static int fill(int fd, const void *data, size_t len, mode_t mode)
{
	int saved;

	if (write_all(fd, data, len) == 0 && fchmod(fd, mode) == 0)
		return close(fd);
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

int path_write_file(const char *path, const void *data, size_t len, mode_t mode, struct err *err)
{
	AUTO_FREE char *real =
	    realpath(path, NULL); /* a symbolic link stays one: what it leads to is replaced */
	const char *target = real ? real : path;
	AUTO_FREE char *temporary = mem_printf("%s.XXXXXX", target);
	int fd = mkostemp(temporary, O_CLOEXEC);
	int saved;

	if (fd < 0)
		return err_sys(err, errno, "%s cannot be written", path);
	if (fill(fd, data, len, mode) == 0 && rename(temporary, target) == 0)
		return 0;
	saved = errno;
	unlink(temporary);
	return err_sys(err, saved, "%s cannot be written", path);
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The first program of that name in the absolute directories of a colon-separated list. */
static char *search_program(const char *name, const char *search)
{
	while (*search) {
		size_t len = strcspn(search, ":");

		if (len > 0 && search[0] == '/') {
			AUTO_FREE char *dir = mem_strndup(search, len);
			char *path = path_join(dir, name);

			if (is_program(path))
				return path;
			free(path);
		}
		search += len + (search[len] == ':');
	}
	return NULL;
}

static char *program_at(const char *name, const char *dir, struct err *err)
{
	AUTO_FREE char *path = dir ? path_join(dir, name) : mem_strdup(name);

	if (is_program(path))
		return path_absolute(path, err);
	err_set(err, ERR_NOT_INSTALLED, "%s is not a program%s.", path,
	    access(path, F_OK) == 0 ? " that you can run" : ": there is no such file");
	return NULL;
}

char *path_find_program(const char *name, const char *search, const char *dir, struct err *err)
{
	char *path;

	if (strchr(name, '/'))
		return program_at(name, dir, err);
	if (!search)
		search = getenv("PATH");
	path = *name && search ? search_program(name, search) : NULL;
	if (!path)
		err_set(err, ERR_NOT_INSTALLED, "The program \"%s\" was not found in PATH (%s).", name,
		    search ? search : "not set");
	return path;
}

/* A directory of ours that nobody else can write to, and no link: /tmp belongs to everybody. */
int path_check_private(const char *path, struct err *err)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return err_sys(err, errno, "cannot look at %s", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077)) {
		err_set(err, ERR_REFUSED, "%s is not a directory that only this user can enter", path);
		return err_hint(
		    err, "Remove it, or set XDG_STATE_HOME to a file system that can hold sockets.");
	}
	return 0;
}

int path_make_private(const char *path, struct err *err)
{
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(err, errno, "cannot make %s", path);
	return path_check_private(path, err);
}
