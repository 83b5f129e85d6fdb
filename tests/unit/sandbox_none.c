/* sandbox: what is not there is refused; without isolation a plan stays as it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sandbox/sandbox.h"

#define PLAN                                                                                                 \
	"{\"version\": 1, \"agent\": \"a\", \"harness\": \"shell\", \"harness_title\": \"Shell\", "          \
	"\"program\": \"/bin/sh\", "                                                                         \
	"\"dir\": \"/\", \"argv\": [\"sh\"], \"env\": [\"A=1\"], \"sandbox\": "

static struct plan *plan_of(const char *text)
{
	struct json *j = json_parse(text, strlen(text), "plan", NULL);
	struct plan *p = plan_from_json(j, NULL);

	assert_non_null(p);
	json_free(j);
	return p;
}

static void no_sandbox_changes_nothing(void **state)
{
	struct plan *p = plan_of(PLAN "\"none\"}");

	(void)state;
	assert_int_equal(sandbox_prepare(p, NULL), 0);
	assert_string_equal(p->program, "/bin/sh");
	assert_string_equal(p->argv[0], "sh");
	assert_string_equal(p->env[0], "A=1");
	assert_false(sandbox_find("none", NULL)->isolates);
	assert_string_equal(sandbox_find("none", NULL)->title, "no sandbox");
	sandbox_cleanup("none", "/nonexistent");
	sandbox_cleanup("jail", "/nonexistent");
	plan_destroy(p);
}

static void others_are_refused(void **state)
{
	static const char *const names[] = {"bwrap", "podman", "", "None"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		AUTO_FREE char *text = mem_printf(PLAN "\"%s\"}", names[i]);
		struct plan *p = plan_of(text);
		struct err err = ERR_INIT;

		assert_int_equal(sandbox_prepare(p, &err), -1);
		assert_int_equal(err.code, ERR_POLICY_UNSUPPORTED);
		assert_string_equal(err.hint, "This version of handler has: none.");
		plan_destroy(p);
	}
}

static void a_policy_without_a_sandbox_is_refused(void **state)
{
	static const char *const policies[] = {"{\"network\": \"none\"}", "{\"secrets\": []}"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(policies); i++) {
		AUTO_FREE char *text = mem_printf(PLAN "\"none\", \"policies\": %s}", policies[i]);
		struct plan *p = plan_of(text);
		struct err err = ERR_INIT;

		assert_int_equal(sandbox_prepare(p, &err), -1);
		assert_int_equal(err.code, ERR_POLICY_UNSUPPORTED);
		assert_non_null(strstr(err.message, "cannot be enforced without a sandbox"));
		plan_destroy(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_sandbox_changes_nothing),
	    cmocka_unit_test(others_are_refused),
	    cmocka_unit_test(a_policy_without_a_sandbox_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
