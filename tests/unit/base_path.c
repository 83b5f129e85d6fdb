/* base/path: the XDG base directories, names, reading and replacing files, finding programs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

/* A directory of its own for each test, and an environment that knows no other home. */
static char dir[] = "/tmp/handler-test-path-XXXXXX";

static int enter(void **state)
{
	(void)state;
	memcpy(strrchr(dir, '-') + 1, "XXXXXX", 6);
	if (!mkdtemp(dir) || chdir(dir) != 0)
		return -1;
	umask(022);
	setenv("HOME", "/home/me", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CACHE_HOME");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int leave(void **state)
{
	(void)state;
	if (chdir("/") != 0)
		return -1;
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static char *in_dir(const char *name)
{
	return mem_printf("%s/%s", dir, name);
}

static void put(const char *path, const char *text, mode_t mode)
{
	struct err err = ERR_INIT;

	if (path_write_file(path, text, strlen(text), mode, &err) < 0)
		fail_msg("%s", err.message);
}

static void check_owned(char *got, const char *want)
{
	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

/* ---- directories ---- */

static void xdg_defaults(void **state)
{
	(void)state;
	check_owned(path_home(NULL), "/home/me");
	check_owned(path_config_dir(NULL), "/home/me/.config/handler");
	check_owned(path_state_dir(NULL), "/home/me/.local/state/handler");
	check_owned(path_cache_dir(NULL), "/home/me/.cache/handler");
}

static void xdg_variables(void **state)
{
	(void)state;
	setenv("XDG_CONFIG_HOME", "/c", 1);
	setenv("XDG_STATE_HOME", "/s/", 1);
	setenv("XDG_CACHE_HOME", "/k/k", 1);
	check_owned(path_config_dir(NULL), "/c/handler");
	check_owned(path_state_dir(NULL), "/s/handler");
	check_owned(path_cache_dir(NULL), "/k/k/handler");
	setenv("XDG_CONFIG_HOME", "relative", 1); /* must be ignored */
	setenv("XDG_STATE_HOME", "", 1);
	check_owned(path_config_dir(NULL), "/home/me/.config/handler");
	check_owned(path_state_dir(NULL), "/home/me/.local/state/handler");
}

static void home_from_the_user_database(void **state)
{
	struct passwd *user = getpwuid(getuid());
	char *home;

	(void)state;
	if (!user || user->pw_dir[0] != '/')
		skip();
	unsetenv("HOME");
	home = path_home(NULL);
	check_owned(home, user->pw_dir);
	setenv("HOME", "relative", 1);
	home = path_home(NULL);
	check_owned(home, user->pw_dir);
}

static void making_directories(void **state)
{
	AUTO_FREE char *deep = in_dir("a//b/c/");
	AUTO_FREE char *a = in_dir("a");
	AUTO_FREE char *c = in_dir("a/b/c");
	struct err err = ERR_INIT;
	struct stat st;

	(void)state;
	umask(077);
	assert_int_equal(path_make_dirs(deep, 0750, &err), 0);
	assert_true(path_is_dir(c));
	assert_int_equal(stat(c, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750); /* whatever the umask */
	assert_int_equal(stat(a, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_int_equal(path_make_dirs(a, 0700, &err), 0); /* there already: left as it is */
	assert_int_equal(stat(a, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_int_equal(path_make_dirs("relative/too", 0700, &err), 0);
	assert_true(path_is_dir("relative/too"));
	assert_string_equal(err.message, "");
}

static void directories_that_cannot_be(void **state)
{
	AUTO_FREE char *file = in_dir("file");
	AUTO_FREE char *below = in_dir("file/x");
	struct err err = ERR_INIT;

	(void)state;
	put(file, "", 0600);
	assert_int_equal(path_make_dirs(file, 0700, &err), -1);
	assert_non_null(strstr(err.message, "is not a directory."));
	assert_int_equal(path_make_dirs(below, 0700, &err), -1);
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_false(path_is_dir(file));
	assert_false(path_is_dir(below));
}

/* Only root can make a directory that is not its own. */
static void a_directory_of_another(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: needs root, to give a directory to another user\n");
		skip(); /* leaves by longjmp: nothing may be owned yet */
	}
	AUTO_FREE char *other = in_dir("other");
	AUTO_FREE char *below = in_dir("other/mine");
	assert_int_equal(mkdir(other, 0777), 0);
	assert_int_equal(chown(other, 12345, (gid_t)-1), 0);
	assert_int_equal(path_make_dirs(other, 0700, &err), -1);
	assert_non_null(strstr(err.message, "belongs to uid 12345"));
	assert_int_equal(path_make_dirs(below, 0700, &err), 0); /* the ones above may be anybody's */
}

/* ---- names ---- */

static void joining(void **state)
{
	static const char *const cases[][3] = {
	    {"a", "b", "a/b"},
	    {"a/", "b", "a/b"},
	    {"a//", "b/c", "a/b/c"},
	    {"/", "b", "/b"},
	    {"/a", "/b", "/b"},
	    {"", "b", "b"},
	    {"a", "", "a/"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		check_owned(path_join(cases[i][0], cases[i][1]), cases[i][2]);
}

static void absolute(void **state)
{
	AUTO_FREE char *cwd = getcwd(NULL, 0);
	AUTO_FREE char *below = mem_printf("%s/x/../y", cwd);
	AUTO_FREE char *user = mem_printf("%s/~root", cwd);

	(void)state;
	check_owned(path_absolute("/x/../y", NULL), "/x/../y");
	check_owned(path_absolute("x/../y", NULL), below);
	check_owned(path_absolute("", NULL), cwd);
	check_owned(path_absolute("~", NULL), "/home/me");
	check_owned(path_absolute("~/x", NULL), "/home/me/x");
	check_owned(path_absolute("~/", NULL), "/home/me");
	check_owned(path_absolute("~root", NULL), user);
}

static void absolute_in_a_directory_that_is_gone(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(mkdir("gone", 0700), 0);
	assert_int_equal(chdir("gone"), 0);
	assert_int_equal(rmdir("../gone"), 0);
	assert_null(path_absolute("x", &err));
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_int_equal(chdir(dir), 0);
}

static void real(void **state)
{
	AUTO_FREE char *top = realpath(dir, NULL);
	AUTO_FREE char *file = mem_printf("%s/file", top);
	struct err err = ERR_INIT;

	(void)state;
	put("file", "", 0600);
	assert_int_equal(symlink("file", "link"), 0);
	check_owned(path_real("./link", &err), file);
	assert_null(path_real("none", &err));
	assert_string_equal(err.message, "none: No such file or directory");
}

static void base_and_pretty(void **state)
{
	(void)state;
	assert_string_equal(path_base("/a/b"), "b");
	assert_string_equal(path_base("b"), "b");
	assert_string_equal(path_base("/a/"), "");
	check_owned(path_pretty("/home/me"), "~");
	check_owned(path_pretty("/home/me/x"), "~/x");
	check_owned(path_pretty("/home/mean"), "/home/mean");
	check_owned(path_pretty("/other"), "/other");
	setenv("HOME", "/home/me/", 1);
	check_owned(path_pretty("/home/me/x"), "~/x");
	setenv("HOME", "/", 1);
	check_owned(path_pretty("/x"), "/x");
}

/* ---- files ---- */

static void reading(void **state)
{
	struct err err = ERR_INIT;
	char *data = NULL;
	size_t len = 0;

	(void)state;
	put("file", "four", 0600);
	assert_int_equal(path_read_file("file", 4, &data, &len, &err), 0);
	assert_int_equal(len, 4);
	check_owned(data, "four");
	assert_int_equal(path_read_file("file", 1000000, &data, NULL, &err), 0);
	check_owned(data, "four");
	put("file", "", 0600);
	assert_int_equal(path_read_file("file", 4, &data, &len, &err), 0);
	assert_int_equal(len, 0);
	check_owned(data, "");
	assert_int_equal(
	    path_read_file("/proc/self/comm", 100, &data, &len, &err), 0); /* its size is said to be 0 */
	assert_true(len > 0);
	free(data);
}

static void reading_large_ones(void **state)
{
	enum { SIZE = 300000 };
	AUTO_FREE char *text = mem_alloc(SIZE);
	struct err err = ERR_INIT;
	char *data;
	size_t len;

	(void)state;
	memset(text, 'x', SIZE);
	assert_int_equal(path_write_file("file", text, SIZE, 0600, &err), 0);
	assert_int_equal(path_read_file("file", SIZE, &data, &len, &err), 0);
	assert_int_equal(len, SIZE);
	assert_memory_equal(data, text, SIZE);
	assert_int_equal(data[SIZE], 0);
	free(data);
	assert_int_equal(path_read_file("file", SIZE - 1, &data, &len, &err), -1);
	assert_string_equal(err.message, "file is larger than 299999 bytes.");
}

static void what_cannot_be_read(void **state)
{
	struct err err = ERR_INIT;
	char *data;

	(void)state;
	assert_int_equal(path_read_file("none", 10, &data, NULL, &err), -1);
	assert_string_equal(err.message, "none cannot be read: No such file or directory");
	assert_int_equal(path_read_file(".", 10, &data, NULL, &err), -1);
	assert_string_equal(err.message, ". is not a regular file.");
	assert_int_equal(mkfifo("fifo", 0600), 0); /* must not wait for a writer */
	assert_int_equal(path_read_file("fifo", 10, &data, NULL, &err), -1);
	assert_string_equal(err.message, "fifo is not a regular file.");
	assert_int_equal(path_read_file("/dev/null", 10, &data, NULL, &err), -1);
}

static int files_here(void)
{
	DIR *d = opendir(".");
	int count = 0;

	assert_non_null(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count - 2;
}

static void writing(void **state)
{
	struct err err = ERR_INIT;
	struct stat st;
	char *data;

	(void)state;
	umask(077);
	put("file", "old and long", 0644);
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	put("file", "new", 0600);
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(path_read_file("file", 100, &data, NULL, &err), 0);
	check_owned(data, "new");
	assert_int_equal(files_here(), 1); /* nothing temporary is left */
}

/* Who has the old file open goes on reading the old text. */
static void readers_see_one_text(void **state)
{
	char text[10] = "";
	int fd;

	(void)state;
	put("file", "old", 0600);
	fd = open("file", O_RDONLY);
	put("file", "newer", 0600);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "old");
	close(fd);
}

static void a_link_stays_a_link(void **state)
{
	struct err err = ERR_INIT;
	struct stat st;
	char *data;

	(void)state;
	assert_int_equal(mkdir("elsewhere", 0700), 0);
	put("elsewhere/file", "old", 0600);
	assert_int_equal(symlink("elsewhere/file", "file"), 0);
	put("file", "new", 0600);
	assert_int_equal(lstat("file", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(path_read_file("elsewhere/file", 100, &data, NULL, &err), 0);
	check_owned(data, "new");
}

static void what_cannot_be_written(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(path_write_file("none/file", "x", 1, 0600, &err), -1);
	assert_string_equal(err.message, "none/file cannot be written: No such file or directory");
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(path_write_file("d", "x", 1, 0600, &err), -1);
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_int_equal(files_here(), 1);
}

/* ---- programs ---- */

static void finding_programs(void **state)
{
	AUTO_FREE char *bin = in_dir("bin");
	AUTO_FREE char *bin2 = in_dir("bin2");
	AUTO_FREE char *search = mem_printf("%s:%s", bin, bin2);
	AUTO_FREE char *first = in_dir("bin/both");
	AUTO_FREE char *second = in_dir("bin2/only");
	AUTO_FREE char *hidden = in_dir("bin2/hidden");

	(void)state;
	assert_int_equal(mkdir("bin", 0700), 0);
	assert_int_equal(mkdir("bin2", 0700), 0);
	assert_int_equal(mkdir("bin/hidden", 0700), 0); /* a directory is no program */
	put("bin/both", "", 0700);
	put("bin2/both", "", 0700);
	put("bin/only", "", 0600); /* not executable */
	put("bin2/only", "", 0700);
	put("bin2/hidden", "", 0700);
	check_owned(path_find_program("both", search, NULL, NULL), first);
	check_owned(path_find_program("only", search, NULL, NULL), second);
	check_owned(path_find_program("hidden", search, NULL, NULL), hidden);
	setenv("PATH", search, 1);
	check_owned(path_find_program("both", NULL, NULL, NULL), first);
}

/* An empty entry means the working directory to execvp: whoever can write there would choose the program. */
static void empty_and_relative_entries_are_ignored(void **state)
{
	static const char *const searches[] = {"", ":", "::", ".", "bin", ":bin:", "./bin"};
	struct err err = ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(mkdir("bin", 0700), 0);
	put("bin/p", "", 0700);
	put("p", "", 0700);
	for (i = 0; i < COUNT_OF(searches); i++) {
		assert_null(path_find_program("p", searches[i], dir, &err));
		assert_int_equal(err.code, ERR_NOT_INSTALLED);
	}
	assert_null(path_find_program("p", "/none:bin", NULL, &err));
	assert_string_equal(err.message, "The program \"p\" was not found in PATH (/none:bin).");
	assert_null(path_find_program("", dir, NULL, &err));
}

static void programs_by_path(void **state)
{
	AUTO_FREE char *program = in_dir("p");
	AUTO_FREE char *dotted = in_dir("./p");
	AUTO_FREE char *cwd = getcwd(NULL, 0);
	AUTO_FREE char *from_cwd = mem_printf("%s/./p", cwd);
	struct err err = ERR_INIT;

	(void)state;
	put("p", "", 0700);
	put("text", "", 0600);
	check_owned(path_find_program(program, NULL, "/elsewhere", &err), program);
	check_owned(path_find_program("./p", "/none", dir, &err), dotted);
	check_owned(path_find_program("./p", NULL, NULL, &err), from_cwd);
	assert_null(path_find_program("./none", NULL, NULL, &err));
	assert_int_equal(err.code, ERR_NOT_INSTALLED);
	assert_string_equal(err.message, "./none is not a program: there is no such file.");
	assert_null(path_find_program("./text", NULL, NULL, &err));
	assert_string_equal(err.message, "./text is not a program that you can run.");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(xdg_defaults),
	    TEST(xdg_variables),
	    TEST(home_from_the_user_database),
	    TEST(making_directories),
	    TEST(directories_that_cannot_be),
	    TEST(a_directory_of_another),
	    TEST(joining),
	    TEST(absolute),
	    TEST(absolute_in_a_directory_that_is_gone),
	    TEST(real),
	    TEST(base_and_pretty),
	    TEST(reading),
	    TEST(reading_large_ones),
	    TEST(what_cannot_be_read),
	    TEST(writing),
	    TEST(readers_see_one_text),
	    TEST(a_link_stays_a_link),
	    TEST(what_cannot_be_written),
	    TEST(finding_programs),
	    TEST(empty_and_relative_entries_are_ignored),
	    TEST(programs_by_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
