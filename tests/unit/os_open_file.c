/* The files that a process has open: which, and whether for writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/open_file.h"

struct wanted {
	const char *path;
	int found, writes;
	ino_t inode;
};

static bool look(const struct open_file *f, void *user)
{
	struct wanted *w = user;
	struct stat st;
	if (strcmp(f->path, w->path) != 0)
		return false;
	w->found++;
	w->writes += open_file_writes(f);
	if (fstatat(f->dir, f->name, &st, 0) == 0)
		w->inode = st.st_ino;
	return false;
}

static bool first(const struct open_file *f, void *user)
{
	(void)f;
	++*(int *)user;
	return true;
}

static void names_and_modes(void **state)
{
	char path[] = "/tmp/open-file-XXXXXX", gone[64];
	struct stat st;
	int seen = 0, writer = mkostemp(path, O_CLOEXEC), reader = open(path, O_RDONLY | O_CLOEXEC);
	struct wanted both = {.path = path}, one = {.path = path}, deleted = {.path = gone};
	(void)state;

	assert_int_equal(fstat(writer, &st), 0);
	assert_false(open_file_each(getpid(), look, &both));
	assert_int_equal(both.found, 2);
	assert_int_equal(both.writes, 1);
	assert_int_equal(both.inode, st.st_ino);
	close(writer);
	open_file_each(getpid(), look, &one);
	assert_int_equal(one.found, 1);
	assert_int_equal(one.writes, 0);
	unlink(path);
	snprintf(gone, sizeof gone, "%s (deleted)", path);
	open_file_each(getpid(), look, &deleted);
	assert_int_equal(deleted.found, 1);
	assert_int_equal(deleted.inode, st.st_ino);
	close(reader);
	assert_true(open_file_each(getpid(), first, &seen));
	assert_int_equal(seen, 1);
}

static void nobody(void **state)
{
	int seen = 0;
	pid_t pid = fork();
	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(open_file_each(pid, first, &seen));
	assert_int_equal(seen, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_and_modes),
	    cmocka_unit_test(nobody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
