/* What leaves for the outer terminal (clipboard, notifications), the log of messages, and completing
 * directories. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "ui/clipboard.h"
#include "ui/complete.h"
#include "ui/messages.h"
#include "ui/notify.h"

static void test_messages(void **state)
{
	struct messages m;

	(void)state;
	messages_init(&m);
	assert_null(messages_shown(&m));
	messages_add(&m, SAY_INFO, "one", 1);
	messages_add(&m, SAY_ERROR, "two\033[31m\nlines", 2);
	assert_string_equal(messages_shown(&m)->text, "two[31m lines"); /* fit to be shown anywhere */
	messages_add(&m, SAY_INFO, "again", 3);
	messages_add(&m, SAY_INFO, "again", 9);
	assert_int_equal(m.count, 3);
	assert_int_equal(m.items[2].repeated, 1);
	assert_int_equal(m.items[2].time, 9);
	assert_true(messages_hide(&m));
	assert_false(messages_hide(&m));
	assert_null(messages_shown(&m));
	for (int i = 0; i < MESSAGES_MAX + 10; i++) {
		AUTO_FREE char *text = mem_printf("message %d", i);

		messages_add(&m, SAY_INFO, text, i);
	}
	assert_int_equal(m.count, MESSAGES_MAX);
	assert_string_equal(m.items[0].text, "message 10");
	messages_finish(&m);
}

static void test_notifications(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	notify_text("api", "Build", "done\a\033]0;evil\007", &out);
	assert_string_equal(out.data, "\033]9;api: Build: done]0;evil\033\\");
	buf_clear(&out);
	notify_text("4;1", NULL, "x", &out); /* "9;4;..." would be a progress bar */
	assert_string_equal(out.data, "\033]9;4,1: x\033\\");
	buf_clear(&out);
	notify_bell(&out);
	assert_string_equal(out.data, "\a");
	buf_free(&out);
}

static void test_what_a_pane_sets_is_checked(void **state)
{
	static const char *const faulty[] = {"", "a b", "aGk\033]0;x\a", "====", "aGk=x", "aG;k"};
	struct buf out = BUF_INIT;

	(void)state;
	assert_true(clipboard_osc52("c2hvd24=", &out));
	assert_string_equal(out.data, "\033]52;c;c2hvd24=\033\\");
	buf_clear(&out);
	for (size_t i = 0; i < COUNT_OF(faulty); i++)
		assert_false(clipboard_osc52(faulty[i], &out));
	assert_int_equal(out.len, 0);
	buf_free(&out);
}

static void heard(enum message_level level, const char *text, void *user)
{
	(void)level;
	free(*(char **)user);
	*(char **)user = mem_strdup(text);
}

/* RFC 4648 section 10, and never "copied" for what cannot be known. */
static void test_copying_by_osc52(void **state)
{
	static const struct {
		const char *text, *base64;
	} cases[] = {
	    {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
	struct clipboard_ways ways = {0};
	char *said = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct buf out = BUF_INIT;
		AUTO_FREE char *expected = mem_printf("\033]52;c;%s\033\\", cases[i].base64);

		clipboard_copy(NULL, &ways, cases[i].text, strlen(cases[i].text), &out, heard, &said);
		assert_string_equal(out.data, expected);
		assert_non_null(strstr(said, "does not say"));
		assert_null(strstr(said, "copied"));
		buf_free(&out);
	}
	free(said);
}

static void make_dir(const char *base, const char *name)
{
	AUTO_FREE char *path = path_join(base, name);

	assert_int_equal(path_make_dirs(path, 0700, NULL), 0);
}

static void remove_dir(const char *base, const char *name)
{
	AUTO_FREE char *path = path_join(base, name);

	assert_int_equal(rmdir(path), 0);
}

static void assert_completes(const char *text, const char *base, const char *expected)
{
	AUTO_FREE char *longer = complete_text(text, base);

	if (!expected)
		assert_null(longer);
	else
		assert_string_equal(longer ? longer : "nothing", expected);
}

static void test_completing(void **state)
{
	static const char *const names[] = {"alpha", "alphabet", "beta", ".hidden"};
	char base[] = "/tmp/ui-outside-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(base));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		make_dir(base, names[i]);
	char **matches = complete_directories("al", base);

	assert_int_equal(strv_count(matches), 2);
	assert_string_equal(matches[0], "alpha/");
	assert_string_equal(matches[1], "alphabet/");
	strv_destroy(matches);
	assert_completes("al", base, "alpha");
	assert_completes("alpha", base, NULL); /* it is one already */
	assert_completes("alphab", base, "alphabet/");
	assert_completes("b", base, "beta/");
	assert_completes("beta/", base, NULL);
	assert_completes("zeta", base, NULL);
	assert_completes(".h", base, ".hidden/");
	AUTO_FREE char *absolute = mem_printf("%s/b", base), *whole = mem_printf("%s/beta/", base);

	assert_completes(absolute, "/", whole);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		remove_dir(base, names[i]);
	assert_int_equal(rmdir(base), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_messages),
	    cmocka_unit_test(test_notifications),
	    cmocka_unit_test(test_what_a_pane_sets_is_checked),
	    cmocka_unit_test(test_copying_by_osc52),
	    cmocka_unit_test(test_completing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
