/* cgroup: see cgroup.h. */
#include "os/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"

static const char prefix[] = "handler-";

/* Where version 2 is mounted (proc_pid_mountinfo(5): the fifth field; the type follows " - "). */
static char *mount_point(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[PATH_MAX + 512], path[PATH_MAX], *found = NULL;
	while (f && !found && fgets(line, sizeof line, f))
		if (strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %4095s", path) == 1)
			found = mem_strdup(path);
	if (f)
		fclose(f);
	return found;
}

/* The line of version 2 is "0::/PATH". */
static char *own_path(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX + 8], *found = NULL;
	while (f && !found && fgets(line, sizeof line, f))
		if (!strncmp(line, "0::/", 4))
			found = mem_strndup(line + 3, strcspn(line + 3, "\n"));
	if (f)
		fclose(f);
	return found;
}

static bool is_delegated(const char *path)
{
	char value[4] = "";
	return (getxattr(path, "user.delegate", value, sizeof value - 1) > 0 ||
		   getxattr(path, "trusted.delegate", value, sizeof value - 1) > 0) &&
	       value[0] == '1';
}

static bool write_file(int dirfd, const char *name, const char *text)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return written;
}

static int open_home(void)
{
	AUTO_FREE char *mount = mount_point();
	AUTO_FREE char *path = own_path();
	if (!mount || !path)
		return -1;
	AUTO_FREE char *whole = mem_printf("%s%s", mount, path);
	char *last = strrchr(whole, '/');
	bool foreign = last && !strncmp(last + 1, prefix, sizeof prefix - 1);
	if (foreign)
		*last = '\0';
	if (!is_delegated(whole))
		return -1;
	int fd = open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && foreign && !write_file(fd, "cgroup.procs", "0")) {
		close(fd);
		return -1;
	}
	return fd;
}

void cgroup_make(struct cgroup *c, const char *id)
{
	*c = (struct cgroup){.home = open_home(), .own = -1};
	if (c->home < 0)
		return;
	snprintf(c->name, sizeof c->name, "%s%s", prefix, id);
	if (mkdirat(c->home, c->name, 0700) == 0 || errno == EEXIST)
		c->own = openat(c->home, c->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

void cgroup_enter(const struct cgroup *c)
{
	if (c->own >= 0)
		write_file(c->own, "cgroup.procs", "0");
}

void cgroup_return(const struct cgroup *c)
{
	if (c->own >= 0)
		write_file(c->home, "cgroup.procs", "0");
}

static bool holds(const struct cgroup *c, bool (*spare)(pid_t pid, void *user), void *user)
{
	int fd = openat(c->own, "cgroup.procs", O_RDONLY | O_CLOEXEC), pid;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	bool found = !f; /* what cannot be looked into is not killed blindly */
	while (f && !found && fscanf(f, "%d", &pid) == 1)
		found = spare((pid_t)pid, user);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return found;
}

bool cgroup_kill(const struct cgroup *c, bool (*spare)(pid_t pid, void *user), void *user)
{
	return c->own >= 0 && !holds(c, spare, user) && write_file(c->own, "cgroup.kill", "1");
}

void cgroup_remove(struct cgroup *c)
{
	if (c->own >= 0) {
		close(c->own);
		unlinkat(c->home, c->name, AT_REMOVEDIR);
	}
	if (c->home >= 0)
		close(c->home);
	*c = (struct cgroup){.home = -1, .own = -1};
}
