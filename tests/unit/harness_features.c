/* harness/features: what blocks Claude Code's Remote Control, in its own order, and where a login is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "harness/features.h"
#include "harness_home.h"

static struct harness_set set;
static const struct descriptor *claude;

static int enter(void **state)
{
	if (home_enter(state) < 0 || harness_set_load(&set, NULL) < 0)
		return -1;
	claude = harness_set_find(&set, "claude", NULL);
	return claude ? 0 : -1;
}

static int leave(void **state)
{
	harness_set_finish(&set);
	return home_leave(state);
}

/* The causes' variables, "login" for the one that is none, one behind the other. */
static void expect_causes(char *const *env, const char *expected)
{
	const struct json *causes[FEATURE_CAUSES_MAX];
	const struct json *feature = json_first(json_get(descriptor_json(claude), "features"));
	size_t count = feature_causes(claude, feature, env, causes);
	struct buf found = BUF_INIT;

	assert_string_equal(json_get_string(feature, "name", ""), "Remote Control");
	for (size_t i = 0; i < count; i++) {
		buf_printf(&found, "%s%s", i ? " " : "", json_get_string(causes[i], "variable", "login"));
		assert_true(*json_get_string(causes[i], "says", "") && *json_get_string(causes[i], "do", ""));
	}
	assert_string_equal(found.data ? found.data : "", expected);
	buf_free(&found);
}

#define TOKEN    "CLAUDE_CODE_OAUTH_TOKEN=x"
#define QUIET    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"
#define LOGIN    ".claude/.credentials.json"
#define ENV(...) ((char *[]){__VA_ARGS__, NULL})

static void causes_in_the_order_of_claude_doctor(void **state)
{
	(void)state;
	expect_causes(ENV(QUIET, TOKEN), "CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC");
	expect_causes(ENV(TOKEN), "CLAUDE_CODE_OAUTH_TOKEN"); /* without the second nothing changes */
	expect_causes(ENV("DO_NOT_TRACK=1", "DISABLE_TELEMETRY=1", QUIET),
	    "login CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_TELEMETRY DO_NOT_TRACK");
	expect_causes(ENV("ANTHROPIC_BASE_URL=http://localhost:1", TOKEN),
	    "ANTHROPIC_BASE_URL CLAUDE_CODE_OAUTH_TOKEN");
	expect_causes(ENV("ANTHROPIC_API_KEY=x"), "login"); /* a key is no login at claude.ai */
}

static void what_blocks_nothing(void **state)
{
	(void)state;
	home_text(LOGIN, "{}");
	expect_causes(ENV("DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1"), "");
	expect_causes(ENV("ANTHROPIC_BASE_URL=https://api.anthropic.com"), "");
	expect_causes(ENV("ANTHROPIC_BASE_URL=https://api.anthropic.com.evil.example"), "ANTHROPIC_BASE_URL");
	expect_causes(ENV("CLAUDE_CODE_OAUTH_TOKEN="), ""); /* set to nothing */
	expect_causes(ENV(QUIET), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC");
}

static void a_login_in_the_directory_that_is_used(void **state)
{
	AUTO_FREE char *own = home_path("own");
	AUTO_FREE char *variable = mem_printf("CLAUDE_CONFIG_DIR=%s", own);
	AUTO_FREE char *there = home_path("own/.credentials.json");

	(void)state;
	home_text(LOGIN, "{}");
	assert_null(login_file(claude, ENV(variable), false));
	expect_causes(ENV(variable), "login");
	home_text("own/.credentials.json", "{}");
	AUTO_FREE char *found = login_file(claude, ENV(variable), true);
	assert_string_equal(found, there);
	expect_causes(ENV(variable), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(causes_in_the_order_of_claude_doctor, enter, leave),
	    cmocka_unit_test_setup_teardown(what_blocks_nothing, enter, leave),
	    cmocka_unit_test_setup_teardown(a_login_in_the_directory_that_is_used, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
