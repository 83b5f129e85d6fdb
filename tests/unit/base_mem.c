/* base/mem: the values that are allowed, and that running out says so and aborts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

static void nothing_is_a_pointer_too(void **state)
{
	void *p = mem_alloc(0);

	(void)state;
	assert_non_null(p);
	p = mem_realloc(p, 0, 8);
	assert_non_null(p);
	free(p);
	p = mem_zalloc(0, 8);
	assert_non_null(p);
	free(p);
}

static void zalloc_is_zero(void **state)
{
	unsigned char *p = mem_zalloc(100, 7);
	size_t i;

	(void)state;
	for (i = 0; i < 700; i++)
		assert_int_equal(p[i], 0);
	free(p);
}

static void realloc_keeps_the_content(void **state)
{
	int *p = mem_realloc(NULL, 3, sizeof(*p));

	(void)state;
	memcpy(p, (int[]){1, 2, 3}, 3 * sizeof(*p));
	p = mem_realloc(p, 1000, sizeof(*p));
	assert_memory_equal(p, ((int[]){1, 2, 3}), 3 * sizeof(*p));
	free(p);
}

static void strings(void **state)
{
	AUTO_FREE char *whole = mem_strdup("whole");
	AUTO_FREE char *part = mem_strndup("whole", 3);
	AUTO_FREE char *shorter = mem_strndup("ab", 10);
	AUTO_FREE char *unterminated = mem_strndup((char[]){'x', 'y'}, 2);
	AUTO_FREE char *printed = mem_printf("%s-%d", "a", 42);

	(void)state;
	assert_string_equal(whole, "whole");
	assert_string_equal(part, "who");
	assert_string_equal(shorter, "ab");
	assert_string_equal(unterminated, "xy");
	assert_string_equal(printed, "a-42");
	assert_null(mem_strdup(NULL));
}

static void count_of(void **state)
{
	int array[7];

	(void)state;
	assert_int_equal(COUNT_OF(array), 7);
}

/* Runs `act` in a child; its standard error in text, its wait status returned. */
static int in_child(void (*act)(void), char *text, size_t size)
{
	struct rlimit no_core = {0, 0};
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		dup2(fds[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(fds[1]);
	n = read(fds[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void overflowing_realloc(void)
{
	free(mem_realloc(NULL, SIZE_MAX / 2, 3));
}

static void exhausted(void)
{
	mem_exhausted(12345);
}

static void running_out_aborts(void **state)
{
	static void (*const acts[])(void) = {overflowing_realloc, exhausted};
	char text[200];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(acts); i++) {
		int status = in_child(acts[i], text, sizeof(text));

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
		assert_non_null(strstr(text, "handler: out of memory ("));
	}
	assert_non_null(strstr(text, "12345 bytes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_a_pointer_too),
	    cmocka_unit_test(zalloc_is_zero),
	    cmocka_unit_test(realloc_keeps_the_content),
	    cmocka_unit_test(strings),
	    cmocka_unit_test(count_of),
	    cmocka_unit_test(running_out_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
