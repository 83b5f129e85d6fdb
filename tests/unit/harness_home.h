/* harness_home: a home directory of its own for each test of the harness layer: configuration, programs, a
 * project. */
#ifndef HANDLER_UNIT_HARNESS_HOME_H
#define HANDLER_UNIT_HARNESS_HOME_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

/* Below it: .config/handler, bin, project, session */
static char home[64];

static inline char *home_path(const char *name)
{
	return mem_printf("%s/%s", home, name);
}

static inline void home_write(const char *name, const char *data, size_t len, mode_t mode)
{
	AUTO_FREE char *path = home_path(name);
	AUTO_FREE char *dir = mem_strndup(path, (size_t)(path_base(path) - path));

	assert_int_equal(path_make_dirs(dir, 0700, NULL), 0);
	assert_int_equal(path_write_file(path, data, len, mode, NULL), 0);
}

static inline void home_text(const char *name, const char *text)
{
	home_write(name, text, strlen(text), 0600);
}

/* A program that can be found and does nothing. */
static inline void home_program(const char *name)
{
	static const char script[] = "#!/bin/sh\nexit 0\n";
	AUTO_FREE char *path = mem_printf("bin/%s", name);

	home_write(path, script, strlen(script), 0755);
}

static inline int home_enter(void **state)
{
	(void)state;
	snprintf(home, sizeof(home), "/tmp/handler-test-harness-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	AUTO_FREE char *project = home_path("project");
	AUTO_FREE char *bin = home_path("bin");
	if (mkdir(project, 0755) < 0 || mkdir(bin, 0755) < 0)
		return -1;
	setenv("HOME", home, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("HANDLER_HARNESS_PATH");
	return 0;
}

static inline int home_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int home_leave(void **state)
{
	(void)state;
	return nftw(home, home_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
