/* harness/config: the user's config.json: defaults, faults that cost one key each, and changing it in place.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "harness/config.h"
#include "harness/jsonc_edit.h"
#include "harness_home.h"

#define CONFIG ".config/handler/config.json"

static void without_a_file_all_is_default(void **state)
{
	struct config *c = config_load();

	(void)state;
	assert_int_equal(config_fault_count(c), 0);
	assert_string_equal(config_string(c, "sidebar"), "auto");
	assert_int_equal(config_int(c, "history_lines"), 100000);
	assert_true(config_bool(c, "mouse"));
	assert_string_equal(config_string(c, "terminal.clipboard"), "focused");
	assert_true(config_is_default(c, "mouse"));
	assert_int_equal(json_count(config_node(c, "keys")), 0);
	assert_true(config_number(c, "grace") == 5.0);
	assert_non_null(strstr(config_path(c), CONFIG));
	config_destroy(c);
	config_destroy(NULL);
}

static void every_default_is_right(void **state)
{
	(void)state;
	for (const struct config_key *k = config_keys; k->name; k++) {
		AUTO_FREE char *value = mem_strdup(k->preset);

		assert_non_null(k->help);
		assert_int_equal(config_set(k->name, value, NULL), 0);
	}
	struct config *c = config_load();
	assert_int_equal(config_fault_count(c), 0);
	for (const struct config_key *k = config_keys; k->name; k++)
		assert_false(config_is_default(c, k->name));
	config_destroy(c);
}

static void values_of_the_file(void **state)
{
	(void)state;
	home_text(CONFIG, "// mine\n{\"$schema\": \"x\", \"mouse\": false, \"history_lines\": 5000,\n"
			  " \"terminal\": {\"color\": \"256\", \"copy_command\": [\"xclip\", \"-i\"]},}\n");
	struct config *c = config_load();
	assert_int_equal(config_fault_count(c), 0);
	assert_false(config_bool(c, "mouse"));
	assert_int_equal(config_int(c, "history_lines"), 5000);
	assert_string_equal(config_string(c, "terminal.color"), "256");
	assert_int_equal(json_count(config_node(c, "terminal.copy_command")), 2);
	assert_false(config_is_default(c, "terminal.color"));
	assert_true(config_is_default(c, "terminal.keys"));
	config_destroy(c);
}

static void a_fault_costs_its_key_only(void **state)
{
	static const char *const messages[] = {
	    "config.json:2: \"mouse\" must be true or false, not a string",
	    "config.json:3: unknown key \"sidbar\" (did you mean \"sidebar\"?)",
	    "config.json:4: \"history_lines\" must be from 0 to 10000000, not -1",
	    "config.json:5: unknown key \"colour\" (did you mean \"color\"?)",
	    "config.json:5: \"sync\" must be \"auto\", \"on\" or \"off\", not \"maybe\"",
	    "config.json:6: unknown key \"terminal.color\"",
	};

	(void)state;
	home_text(CONFIG, "{\n \"mouse\": \"yes\",\n \"sidbar\": \"off\",\n \"history_lines\": -1,\n"
			  " \"terminal\": {\"colour\": \"256\", \"sync\": \"maybe\", \"keys\": \"plain\"},\n"
			  " \"terminal.color\": \"16\", \"preset\": \"vi\"\n}\n");
	struct config *c = config_load();
	assert_int_equal(config_fault_count(c), COUNT_OF(messages));
	for (size_t i = 0; i < COUNT_OF(messages); i++) {
		assert_int_equal(config_fault(c, i)->code, ERR_INVALID);
		assert_non_null(strstr(config_fault(c, i)->message, messages[i]));
	}
	assert_true(config_bool(c, "mouse"));
	assert_string_equal(config_string(c, "preset"), "vi");
	assert_string_equal(config_string(c, "terminal.keys"), "plain");
	assert_string_equal(config_string(c, "terminal.color"), "auto");
	config_destroy(c);
}

static void a_file_that_is_no_json_gives_the_defaults(void **state)
{
	static const char *const texts[] = {"{\"mouse\": fals}", "[]", "{\"mouse\": true", "\xFF"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		home_text(CONFIG, texts[i]);
		struct config *c = config_load();
		assert_int_equal(config_fault_count(c), 1);
		assert_non_null(strstr(config_fault(c, 0)->message, "config.json:1: "));
		assert_true(config_bool(c, "mouse"));
		config_destroy(c);
	}
}

static void expect_file(const char *text)
{
	AUTO_FREE char *path = home_path(CONFIG);
	AUTO_FREE char *data = NULL;

	assert_int_equal(path_read_file(path, 1 << 20, &data, NULL, NULL), 0);
	assert_string_equal(data, text);
}

static void setting_makes_the_file(void **state)
{
	AUTO_FREE char *path = home_path(CONFIG);
	struct stat st;

	(void)state;
	assert_int_equal(config_set("sidebar", "line", NULL), 0);
	expect_file("{\n  \"sidebar\": \"line\"\n}\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(config_set("history_lines", "5", NULL), 0);
	assert_int_equal(config_set("terminal.color", "256", NULL), 0);
	expect_file("{\n  \"sidebar\": \"line\",\n  \"history_lines\": 5,\n  \"terminal\": {\"color\": "
		    "\"256\"}\n}\n");
}

static void setting_keeps_all_else(void **state)
{
	(void)state;
	home_text(CONFIG, "// my settings\n{\n\t\"mouse\": true, // for the wheel\n\t/* \"sidebar\": */ "
			  "\"sidebar\": \"off\",\n"
			  "\t\"terminal\": {\n\t\t\"color\": \"16\" // an old one\n\t},\n}\n// the end\n");
	assert_int_equal(config_set("mouse", "false", NULL), 0);
	assert_int_equal(config_set("sidebar", "\"full\"", NULL), 0);
	assert_int_equal(config_set("terminal.keys", "kitty", NULL), 0);
	assert_int_equal(config_set("preset", "vi", NULL), 0);
	expect_file("// my settings\n{\n\t\"mouse\": false, // for the wheel\n\t/* \"sidebar\": */ "
		    "\"sidebar\": \"full\",\n"
		    "\t\"terminal\": {\n\t\t\"color\": \"16\", // an old one\n    \"keys\": "
		    "\"kitty\"\n\t},\n  \"preset\": \"vi\"\n}\n"
		    "// the end\n");
	struct config *c = config_load();
	assert_int_equal(config_fault_count(c), 0);
	assert_string_equal(config_string(c, "terminal.keys"), "kitty");
	config_destroy(c);
}

static void setting_knows_a_key_by_what_it_says(void **state)
{
	(void)state;
	home_text(CONFIG, "{\"\\u006douse\": true, \"\\\"mouse\": 1}\n");
	assert_int_equal(config_set("mouse", "false", NULL), 0);
	expect_file("{\"\\u006douse\": false, \"\\\"mouse\": 1}\n");
}

static void setting_refuses_what_reading_would(void **state)
{
	static const struct {
		const char *key, *value, *message;
	} cases[] = {
	    {"sidbar", "off", "There is no key \"sidbar\" in config.json."},
	    {"sidebar", "left", "must be \"auto\", \"full\", \"line\" or \"off\", not \"left\""},
	    {"mouse", "perhaps", "must be true or false, not a string"},
	    {"history_lines", "1.5", "must be a whole number"},
	    {"terminal.copy_command", "xclip", "must be an array of strings"},
	    {"keys", "[]", "must be an object"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(config_set(cases[i].key, cases[i].value, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.message, cases[i].message));
	}
	AUTO_FREE char *path = home_path(CONFIG);
	assert_int_equal(access(path, F_OK), -1);
}

static void setting_leaves_a_faulty_file_alone(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	home_text(CONFIG, "{\"mouse\": tru}");
	assert_int_equal(config_set("mouse", "false", &err), -1);
	assert_int_equal(err.code, ERR_INVALID);
	expect_file("{\"mouse\": tru}");
}

/* Settings in a repository of dot files are links. */
static void setting_follows_a_link(void **state)
{
	AUTO_FREE char *link = home_path(CONFIG), *target = home_path("dots/config.json");
	struct stat st;

	(void)state;
	home_text("dots/config.json", "{}");
	home_text(".config/handler/x", "");
	assert_int_equal(chmod(target, 0644), 0);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(config_set("mouse", "false", NULL), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	expect_file("{\n  \"mouse\": false\n}");
}

static void members_in_any_place(void **state)
{
	static const struct {
		const char *text, *path, *result;
	} cases[] = {
	    {"", "a", "{\n  \"a\": 1\n}\n"},
	    {" // nothing\n", "a", "{\n  \"a\": 1\n}\n"},
	    {"{}", "a", "{\n  \"a\": 1\n}"},
	    {"{ /* x */ }", "a", "{\n  \"a\": 1\n /* x */ }"},
	    {"{\"a\":2}", "a", "{\"a\":1}"},
	    {"{\"a\" /*k*/ : /*v*/ [1,{\"a\":2}] /*e*/ , \"b\":3}", "a",
		"{\"a\" /*k*/ : /*v*/ 1 /*e*/ , \"b\":3}"},
	    {"{\"b\":\"a\",\"a\":\"}\\\"\"}", "a", "{\"b\":\"a\",\"a\":1}"},
	    {"{\"b\":{\"a\":5}}", "a", "{\"b\":{\"a\":5},\n  \"a\": 1}"},
	    {"{\"b\":{\"a\":5}}", "b.a", "{\"b\":{\"a\":1}}"},
	    {"{\"b\":{}}", "b.c.d", "{\"b\":{\n    \"c\": {\"d\": 1}\n}}"},
	    {"{\"b\":3}", "b.c", "{\"b\":{\"c\": 1}}"},
	    {"{\"b\":3 // three\n}", "a", "{\"b\":3, // three\n  \"a\": 1\n}"},
	    {"{\"b\":-1.5e3,\n}", "b", "{\"b\":1,\n}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		AUTO_BUF out = BUF_INIT;

		jsonc_set(&out, cases[i].text, cases[i].path, "1");
		assert_string_equal(out.data, cases[i].result);
		struct json *j = json_parse(out.data, out.len, "x", NULL);
		assert_non_null(j);
		assert_int_equal(json_int(json_path(j, cases[i].path), 0), 1);
		json_free(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(without_a_file_all_is_default, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(every_default_is_right, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(values_of_the_file, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(a_fault_costs_its_key_only, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(
		a_file_that_is_no_json_gives_the_defaults, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(setting_makes_the_file, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(setting_keeps_all_else, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(setting_knows_a_key_by_what_it_says, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(setting_refuses_what_reading_would, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(setting_leaves_a_faulty_file_alone, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(setting_follows_a_link, home_enter, home_leave),
	    cmocka_unit_test(members_in_any_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
