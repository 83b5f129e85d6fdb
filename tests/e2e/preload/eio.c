/*
 * eio: a disk that fails.  While the file $FAIL_WHILE exists, whatever would write below a path that contains
 * $FAIL_BELOW fails with EIO.  Calls that libc makes inside itself do not pass here, so this is a stand-in
 * for a broken disk and not the thing itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int broken(void)
{
	const char *file = getenv("FAIL_WHILE");
	int saved = errno;
	struct stat st;
	int yes = file && stat(file, &st) == 0;

	errno = saved;
	return yes;
}

static int fails(const char *path)
{
	const char *below = getenv("FAIL_BELOW");

	if (!below || !path || !strstr(path, below) || !broken())
		return 0;
	errno = EIO;
	return 1;
}

static int fails_fd(int fd)
{
	char link[64], path[4096];
	int saved = errno;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	errno = saved;
	if (n < 0)
		return 0;
	path[n] = '\0';
	return fails(path);
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

static int open_any(const char *name, int dirfd, const char *path, int flags, mode_t mode)
{
	int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);

	if (writes && (fails(path) || (path[0] != '/' && dirfd >= 0 && fails_fd(dirfd))))
		return -1;
	return NEXT(int (*)(int, const char *, int, mode_t), name)(dirfd, path, flags, mode);
}

#define MODE_OF(flags)                                                                                       \
	mode_t mode = 0;                                                                                     \
	if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                             \
		va_list ap;                                                                                  \
		va_start(ap, flags);                                                                         \
		mode = va_arg(ap, mode_t);                                                                   \
		va_end(ap);                                                                                  \
	}

int open(const char *path, int flags, ...)
{
	MODE_OF(flags)
	return open_any("openat", AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	MODE_OF(flags)
	return open_any("openat", AT_FDCWD, path, flags, mode);
}

int openat(int dirfd, const char *path, int flags, ...)
{
	MODE_OF(flags)
	return open_any("openat", dirfd, path, flags, mode);
}

int mkostemp(char *path, int flags)
{
	return fails(path) ? -1 : NEXT(int (*)(char *, int), "mkostemp")(path, flags);
}

int mkdir(const char *path, mode_t mode)
{
	return fails(path) ? -1 : NEXT(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

int rename(const char *from, const char *to)
{
	return fails(to) ? -1 : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

ssize_t write(int fd, const void *data, size_t len)
{
	return fails_fd(fd) ? -1 : NEXT(ssize_t(*)(int, const void *, size_t), "write")(fd, data, len);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	return fails_fd(fd) ? -1 : NEXT(ssize_t(*)(int, const struct iovec *, int), "writev")(fd, v, n);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	return fails_fd(fd) ? -1
			    : NEXT(ssize_t(*)(int, const void *, size_t, off_t), "pwrite")(fd, data, len, at);
}

int ftruncate(int fd, off_t len)
{
	return fails_fd(fd) ? -1 : NEXT(int (*)(int, off_t), "ftruncate")(fd, len);
}

int posix_fallocate(int fd, off_t at, off_t len)
{
	return fails_fd(fd) ? EIO : NEXT(int (*)(int, off_t, off_t), "posix_fallocate")(fd, at, len);
}

int fsync(int fd)
{
	return fails_fd(fd) ? -1 : NEXT(int (*)(int), "fsync")(fd);
}

int fdatasync(int fd)
{
	return fails_fd(fd) ? -1 : NEXT(int (*)(int), "fdatasync")(fd);
}
