/* Processes: what /proc says, trees, signals that meet the right process only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/proc.h"
#include "os/proc_find.h"

/* A child that waits for ever, started when this returns. */
static pid_t start_child(void)
{
	int ready[2];
	char c;
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void reads_itself(void **state)
{
	struct proc_info p;
	(void)state;
	assert_true(proc_read(getpid(), &p));
	assert_int_equal(p.pid, getpid());
	assert_int_equal(p.ppid, getppid());
	assert_int_equal(p.pgrp, getpgrp());
	assert_int_equal(p.sid, getsid(0));
	assert_true(p.start > 0);
	assert_int_equal(p.start, proc_start_time(getpid()));
	assert_true(proc_alive(getpid(), p.start));
	assert_false(proc_alive(getpid(), p.start + 1));
	assert_false(proc_read(0, &p));
	assert_false(proc_read(-1, &p));
}

/* A name may hold what looks like the end of the field. */
static void strange_names_do_not_confuse(void **state)
{
	struct proc_info p;
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, ") R 1 2 3 (");
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	assert_true(proc_read(pid, &p));
	assert_string_equal(p.name, ") R 1 2 3 (");
	assert_int_equal(p.ppid, getpid());
	assert_int_equal(p.state, 'T');
	end_child(pid);
}

static bool skip_pid(const struct proc_info *p, void *user)
{
	return p->pid == *(pid_t *)user;
}

static void tree_lists_and_skips(void **state)
{
	struct proc_list tree;
	(void)state;
	pid_t a = start_child(), b = start_child();
	proc_tree(getpid(), NULL, NULL, &tree);
	assert_int_equal(tree.count, 2);
	proc_list_finish(&tree);
	proc_tree(getpid(), skip_pid, &a, &tree);
	assert_int_equal(tree.count, 1);
	assert_int_equal(tree.items[0].pid, b);
	proc_list_finish(&tree);
	end_child(a);
	end_child(b);
	proc_tree(getpid(), NULL, NULL, &tree);
	assert_int_equal(tree.count, 0);
	proc_list_finish(&tree);
}

/* A pid that was given to somebody else is not signalled. */
static void signals_only_who_was_meant(void **state)
{
	struct proc_info p;
	(void)state;
	pid_t pid = start_child();
	assert_true(proc_read(pid, &p));
	p.start++;
	assert_int_equal(proc_signal(&p, SIGKILL), -ESRCH);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	p.start--;
	assert_int_equal(proc_signal(&p, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(proc_signal(&p, SIGKILL), -ESRCH);
}

static void zombies_are_not_alive(void **state)
{
	siginfo_t info;
	(void)state;
	pid_t pid = start_child();
	uint64_t start = proc_start_time(pid);
	assert_true(proc_alive(pid, start));
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_false(proc_alive(pid, start));
	waitpid(pid, NULL, 0);
}

static void finds_by_marker(void **state)
{
	struct proc_list found;
	int ready[2];
	char marker[32], shorter[32], variable[64];
	(void)state;
	/* Of this run alone: others may run at the same time.  It stays what it is: in the middle of an exec
	 * a process has no environment. */
	snprintf(marker, sizeof marker, "zz%dzz9", (int)getpid());
	snprintf(shorter, sizeof shorter, "zz%dzz", (int)getpid());
	snprintf(variable, sizeof variable, "HANDLER_SESSION=%s", marker);
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char *env[] = {variable, NULL}, *argv[] = {"sh", "-c", "echo; kill -STOP $$", NULL};
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ready[1], 1);
		execve("/bin/sh", argv, env);
		_exit(127);
	}
	char c;
	assert_int_equal(read(ready[0], &c, 1), 1);
	char *value = proc_environ(pid, "HANDLER_SESSION");
	assert_string_equal(value, marker);
	free(value);
	assert_null(proc_environ(pid, "HANDLER"));
	proc_by_session(marker, &(struct proc_search){0}, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.items[0].pid, pid);
	proc_list_finish(&found);
	proc_by_session(shorter, &(struct proc_search){.hunting = true}, &found);
	assert_int_equal(found.count, 0);
	proc_list_finish(&found);
	end_child(pid);
	close(ready[0]);
	close(ready[1]);
}

static void boot_id_is_one(void **state)
{
	char id[40];
	(void)state;
	proc_boot_id(id);
	assert_int_equal(strlen(id), 36);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_itself),
	    cmocka_unit_test(strange_names_do_not_confuse),
	    cmocka_unit_test(tree_lists_and_skips),
	    cmocka_unit_test(signals_only_who_was_meant),
	    cmocka_unit_test(zombies_are_not_alive),
	    cmocka_unit_test(finds_by_marker),
	    cmocka_unit_test(boot_id_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
