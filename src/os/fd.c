/* fd: see fd.h. */
#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

ssize_t fd_read_full(int fd, void *data, size_t len)
{
	size_t got = 0;
	while (got < len) {
		ssize_t n = read(fd, (char *)data + got, len - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int fd_write_full(int fd, const void *data, size_t len)
{
	size_t done = 0;
	while (done < len) {
		ssize_t n = write(fd, (const char *)data + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void fd_close_all_but(int *keep, size_t count)
{
	unsigned from = 3;
	qsort(keep, count, sizeof *keep, compare_fds);
	for (size_t i = 0; i < count; i++) {
		if (keep[i] < (int)from)
			continue;
		if ((unsigned)keep[i] > from)
			close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	close_range(from, ~0U, 0);
}

int fd_set_nonblocking(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return -1;
	return fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

int fd_move_above(int fd, int low)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, low);
	if (moved >= 0)
		close(fd);
	return moved;
}

void fd_detach_stdio(void)
{
	int null = open("/dev/null", O_RDWR);
	if (null < 0)
		return;
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

int lock_take(int dirfd, const char *name, bool wait)
{
	int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int result;
	do
		result = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
	while (result < 0 && errno == EINTR);
	if (result < 0) {
		int saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

/* Read only: a lock can be asked for on a file system that became read-only. */
int lock_held(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int held = fcntl(fd, F_OFD_GETLK, &lock) < 0 ? -1 : lock.l_type != F_UNLCK;
	int saved = errno;
	close(fd);
	errno = saved;
	return held;
}

static void socket_address(struct sockaddr_un *a, int dirfd, const char *name)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(a->sun_path, sizeof a->sun_path, "/proc/self/fd/%d/%s", dirfd, name);
}

int sock_listen(int dirfd, const char *name, struct err *err)
{
	struct sockaddr_un address;
	socket_address(&address, dirfd, name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(err, errno, "cannot make a socket");
	unlinkat(dirfd, name, 0);
	mode_t old = umask(0177);
	int bound = bind(fd, (struct sockaddr *)&address, sizeof address);
	int saved = errno;
	umask(old);
	if (bound < 0 || listen(fd, 64) < 0) {
		saved = bound < 0 ? saved : errno;
		close(fd);
		return err_sys(err, saved, "cannot listen on the session's socket %s", name);
	}
	return fd;
}

int sock_connect(int dirfd, const char *name, bool nonblocking)
{
	struct sockaddr_un address;
	socket_address(&address, dirfd, name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
	if (fd < 0)
		return -1;
	int result;
	do
		result = connect(fd, (struct sockaddr *)&address, sizeof address);
	while (result < 0 && errno == EINTR);
	if (result < 0) {
		int saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

bool sock_peer_is_us(int fd, pid_t *pid)
{
	struct ucred peer;
	socklen_t len = sizeof peer;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return false;
	if (pid)
		*pid = peer.pid;
	return peer.uid == geteuid();
}
