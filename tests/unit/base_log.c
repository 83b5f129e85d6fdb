/* base/log: off unless asked for, one line an event, nothing that can forge one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"

static char dir[] = "/tmp/handler-test-log-XXXXXX";
static char path[sizeof(dir) + 4];

static int enter(void **state)
{
	(void)state;
	memcpy(strrchr(dir, '-') + 1, "XXXXXX", 6);
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/log", dir);
	setenv("HANDLER_LOG", path, 1);
	unsetenv("HANDLER_LOG_LEVEL");
	return 0;
}

static int leave(void **state)
{
	(void)state;
	log_close();
	unlink(path);
	return rmdir(dir);
}

static char *content(void)
{
	char *data;

	assert_int_equal(path_read_file(path, 1 << 20, &data, NULL, NULL), 0);
	return data;
}

static void check_matches(const char *text, const char *pattern)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&regex, text, 0, NULL, 0) != 0)
		fail_msg("%s does not match %s", text, pattern);
	regfree(&regex);
}

static void off_by_default(void **state)
{
	(void)state;
	unsetenv("HANDLER_LOG");
	log_open("worker x");
	log_error("module", "text");
	assert_int_equal(access(path, F_OK), -1);
	setenv("HANDLER_LOG", "", 1);
	log_open("worker x");
	log_error("module", "text");
	assert_int_equal(access(path, F_OK), -1);
}

static void a_line(void **state)
{
	AUTO_FREE char *text = NULL;
	struct stat st;

	(void)state;
	log_open("worker ab12cd");
	log_info("session", "state %s after %d ms", "idle", 20);
	text = content();
	check_matches(text, "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z "
			    "worker ab12cd\\[[0-9]+\\] session info: state idle after 20 ms\n$");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void levels(void **state)
{
	static const struct {
		const char *name;
		const char *seen;
	} cases[] = {
	    {"error", "e"},
	    {"info", "ei"},
	    {"debug", "eid"},
	    {"nonsense", "ei"},
	    {NULL, "ei"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		AUTO_FREE char *text = NULL;

		unlink(path);
		if (cases[i].name)
			setenv("HANDLER_LOG_LEVEL", cases[i].name, 1);
		else
			unsetenv("HANDLER_LOG_LEVEL");
		log_open("p");
		log_error("m", "<e>");
		log_info("m", "<i>");
		log_debug("m", "<d>");
		log_close();
		text = content();
		assert_non_null(strstr(text, "m error: <e>\n"));
		assert_int_equal(strstr(text, "m info: <i>\n") != NULL, strchr(cases[i].seen, 'i') != NULL);
		assert_int_equal(strstr(text, "m debug: <d>\n") != NULL, strchr(cases[i].seen, 'd') != NULL);
	}
}

/* Two processes, or one that opened it twice, add to each other's lines. */
static void appended(void **state)
{
	AUTO_FREE char *text = NULL;

	(void)state;
	log_open("first");
	log_info("m", "one");
	log_open("second");
	log_info("m", "two");
	text = content();
	assert_non_null(strstr(text, "m info: one\n"));
	assert_non_null(strstr(text, "m info: two\n"));
}

static void controls_cannot_forge_a_line(void **state)
{
	AUTO_FREE char *text = NULL;

	(void)state;
	log_open("p\nq");
	log_info("m", "a\nb\x1b[2Jc\x7f\r\té\xC2\x9B");
	text = content();
	assert_non_null(strstr(text, "p?q["));
	assert_non_null(strstr(text, "a?b?[2Jc???é??\n"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void a_long_text_is_cut(void **state)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *process = NULL;

	(void)state;
	process = mem_printf("%0500d", 0);
	log_open(process);
	log_info("m", "%05000d", 0);
	log_info(process, "%s", process);
	log_info("m", "after");
	text = content();
	assert_true(strlen(text) < 6000);
	assert_non_null(strstr(text, "after\n"));
	assert_true(strchr(text, '\n') - text < 2100);
}

static void errno_is_kept(void **state)
{
	(void)state;
	log_open("p");
	errno = EBUSY;
	log_info("m", "x");
	assert_int_equal(errno, EBUSY);
}

/* It is no reason to fail that the log cannot be written. */
static void a_log_that_cannot_be(void **state)
{
	(void)state;
	setenv("HANDLER_LOG", "/none/log", 1);
	log_open("p");
	log_error("m", "x");
	setenv("HANDLER_LOG", "/dev/full", 1);
	log_open("p");
	log_error("m", "x");
	log_error("m", "y");
	log_close();
	log_close();
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(off_by_default),
	    TEST(a_line),
	    TEST(levels),
	    TEST(appended),
	    TEST(controls_cannot_forge_a_line),
	    TEST(a_long_text_is_cut),
	    TEST(errno_is_kept),
	    TEST(a_log_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
