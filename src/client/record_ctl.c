/* record_ctl: where the sockets of a session are. */
#include "client/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "os/fd.h"

static int try_socket(const char *dir)
{
	int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = dirfd < 0 ? -1 : sock_listen(dirfd, RECORD_KEEPER_SOCKET, NULL);
	if (dirfd >= 0)
		close(dirfd);
	return fd;
}

int record_make_ctl(const char *path, const char *id, char **elsewhere, int *listener, struct err *err)
{
	*elsewhere = NULL;
	*listener = -1;
	AUTO_FREE char *ctl = path_join(path, RECORD_CTL_DIR);
	AUTO_FREE char *box = path_join(path, RECORD_BOX_DIR);
	if (path_make_private(ctl, err) < 0 || path_make_private(box, err) < 0)
		return -1;
	*listener = try_socket(ctl);
	if (*listener >= 0)
		return 0;
	AUTO_FREE char *top = mem_printf("/tmp/handler-%u", (unsigned)geteuid());
	char *dir = path_join(top, id);
	if (path_make_private(top, err) < 0 || path_make_private(dir, err) < 0) {
		free(dir);
		return -1;
	}
	*elsewhere = dir;
	return 0;
}

int record_open_ctl(const struct record *r, struct err *err)
{
	const char *elsewhere = json_get_string(r->session, "sockets", NULL);
	AUTO_FREE char *ctl = elsewhere ? mem_strdup(elsewhere) : path_join(r->path, RECORD_CTL_DIR);
	if (elsewhere && path_check_private(elsewhere, err) < 0)
		return -1;
	int fd = open(ctl, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? err_sys(err, errno, "cannot reach the sockets of session %s in %s", r->name, ctl)
		      : fd;
}
