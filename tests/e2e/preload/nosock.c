/* nosock: a file system that has no sockets.  bind(2) below a path that contains $NO_SOCKETS_BELOW fails with
 * EPERM. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	const char *below = getenv("NO_SOCKETS_BELOW");
	char directory[sizeof(((struct sockaddr_un *)0)->sun_path) + 1] = "", real[PATH_MAX];

	if (below && address->sa_family == AF_UNIX) {
		strncpy(directory, ((const struct sockaddr_un *)address)->sun_path, sizeof(directory) - 1);
		char *slash = strrchr(directory, '/');
		if (slash)
			*slash = '\0';
		if (realpath(directory, real) && strstr(real, below)) {
			errno = EPERM;
			return -1;
		}
	}
	return ((int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "bind"))(fd, address, len);
}
