/* scratch: a directory of its own for targets of what reads files; gone when the process exits. */
#ifndef HANDLER_FUZZ_SCRATCH_H
#define HANDLER_FUZZ_SCRATCH_H

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz.h"

static char scratch[256];

static inline int scratch_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void scratch_finish(void)
{
	nftw(scratch, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Owned. */
static inline char *scratch_path(const char *name)
{
	return mem_printf("%s/%s", scratch, name);
}

static inline void scratch_dir(const char *name)
{
	AUTO_FREE char *path = scratch_path(name);

	CHECK(mkdir(path, 0700) == 0);
}

static inline void scratch_write(const char *name, const void *data, size_t len, mode_t mode)
{
	AUTO_FREE char *path = scratch_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len && close(fd) == 0);
}

/* HOME is in it, and nothing of the user's is seen. */
static inline void scratch_init(void)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *home = NULL;

	snprintf(scratch, sizeof(scratch), "%s/handler-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	CHECK(mkdtemp(scratch));
	atexit(scratch_finish);
	scratch_dir("home");
	home = scratch_path("home");
	setenv("HOME", home, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("HANDLER_HARNESS_PATH");
}

#endif
