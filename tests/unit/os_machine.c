/* os/machine: what systemd does at a logout, read from its files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "os/machine.h"

static char root[64];

static int enter(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/handler-test-machine-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int leave(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *name, const char *text)
{
	AUTO_FREE char *path = mem_printf("%s/%s", root, name);
	AUTO_FREE char *dir = mem_strndup(path, (size_t)(path_base(path) - path));

	assert_int_equal(path_make_dirs(dir, 0700, NULL), 0);
	assert_int_equal(path_write_file(path, text, strlen(text), 0600, NULL), 0);
}

static void nothing_is_killed_by_default(void **state)
{
	(void)state;
	assert_false(machine_kills_at_logout(root));
	write_file("etc/systemd/logind.conf", "[Login]\n#KillUserProcesses=yes\nKillExcludeUsers=root\n");
	assert_false(machine_kills_at_logout(root));
}

static void the_heaviest_file_decides(void **state)
{
	(void)state;
	write_file("usr/lib/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n");
	assert_true(machine_kills_at_logout(root));
	write_file("etc/systemd/logind.conf", "[Login]\n KillUserProcesses = no\n");
	assert_false(machine_kills_at_logout(root));
	write_file("etc/systemd/logind.conf.d/20-kill.conf", "[Login]\nKillUserProcesses=on # ours\n");
	assert_true(machine_kills_at_logout(root));
	write_file("etc/systemd/logind.conf.d/30-keep.conf", "[Login]\nKillUserProcesses=\n");
	assert_false(machine_kills_at_logout(root));
	write_file("etc/systemd/logind.conf.d/40-kill.txt", "[Login]\nKillUserProcesses=yes\n");
	assert_false(machine_kills_at_logout(root)); /* only .conf */
	write_file("run/systemd/logind.conf.d/90-late.conf", "[Login]\nKillUserProcesses=yes\n");
	assert_false(machine_kills_at_logout(root)); /* run weighs less than etc */
}

static void lingering_and_systemd(void **state)
{
	(void)state;
	assert_false(machine_lingers(root, "ada"));
	write_file("var/lib/systemd/linger/ada", "");
	assert_true(machine_lingers(root, "ada"));
	assert_false(machine_lingers(root, "bob"));
	assert_false(machine_has_systemd(root));
	write_file("run/systemd/system/x", "");
	assert_true(machine_has_systemd(root));
}

static void what_is_asked_of_the_kernel(void **state)
{
	char why[128] = "", cgroup[1024];

	(void)state;
	assert_true(machine_user_namespaces(why, sizeof(why)) != (why[0] != '\0'));
	assert_in_range(machine_landlock(), 0, 1000);
	assert_true(!machine_cgroup(cgroup, sizeof(cgroup)) || cgroup[0] == '/');
}

static void the_kernel_says_whom_it_ended_for_memory(void **state)
{
	(void)state;
	const char *log =
	    "[ 7.1] Out of memory: Killed process 4711 (handler keeper ) total-vm:8kB\n"
	    "[ 7.2] Memory cgroup out of memory: Killed process 4712 (handler keeper ) total-vm:8kB\n"
	    "[ 7.3] Out of memory: Killed process 47 (sh) total-vm:8kB\n";
	assert_true(machine_log_names(log, 4711));
	assert_true(machine_log_names(log, 4712));
	assert_false(machine_log_names(log, 471));
	assert_false(machine_log_names(log, 47)); /* its pid was another's */
	assert_false(machine_ended_for_memory(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(nothing_is_killed_by_default, enter, leave),
	    cmocka_unit_test_setup_teardown(the_heaviest_file_decides, enter, leave),
	    cmocka_unit_test_setup_teardown(lingering_and_systemd, enter, leave),
	    cmocka_unit_test(what_is_asked_of_the_kernel),
	    cmocka_unit_test(the_kernel_says_whom_it_ended_for_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
