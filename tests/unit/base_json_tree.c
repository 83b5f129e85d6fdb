/* base/json: looking at, building and printing trees. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static struct json *parse(const char *text)
{
	struct json *root = json_parse(text, strlen(text), "t.json", NULL);

	assert_non_null(root);
	return root;
}

static void check_print(struct json *n, const char *want)
{
	AUTO_FREE char *printed = json_print(n, false);

	assert_string_equal(printed, want);
}

static void types_and_names(void **state)
{
	static const struct {
		const char *text;
		enum json_type type;
		const char *name;
	} cases[] = {
	    {"null", JSON_NULL, "null"},
	    {"true", JSON_BOOL, "a boolean"},
	    {"false", JSON_BOOL, "a boolean"},
	    {"1", JSON_NUMBER, "a number"},
	    {"\"s\"", JSON_STRING, "a string"},
	    {"[]", JSON_ARRAY, "an array"},
	    {"{}", JSON_OBJECT, "an object"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		struct json *n = parse(cases[i].text);

		assert_int_equal(json_type(n), cases[i].type);
		assert_string_equal(json_type_name(n), cases[i].name);
		assert_null(json_key(n));
		assert_null(json_next(n));
		json_free(n);
	}
	assert_string_equal(json_type_name(NULL), "nothing");
}

static void walking(void **state)
{
	struct json *root = parse("{\"z\":1,\"a\":[10,20],\"m\":{}}");
	const struct json *n = json_first(root);

	(void)state;
	assert_int_equal(json_count(root), 3);
	assert_string_equal(json_key(n), "z");
	n = json_next(n);
	assert_string_equal(json_key(n), "a");
	assert_int_equal(json_count(n), 2);
	assert_null(json_key(json_first(n)));
	assert_int_equal(json_int(json_next(json_first(n)), 0), 20);
	n = json_next(n);
	assert_string_equal(json_key(n), "m");
	assert_null(json_first(n));
	assert_int_equal(json_count(n), 0);
	assert_null(json_next(n));
	assert_null(json_first(NULL));
	assert_int_equal(json_count(NULL), 0);
	json_free(root);
	json_free(NULL);
}

static void getting(void **state)
{
	struct json *root = parse("{\"a\":{\"b\":{\"c\":7}},\"A\":1,\"l\":[1],\"s\":\"x\"}");

	(void)state;
	assert_int_equal(json_get_int(root, "A", 0), 1);
	assert_int_equal(json_type(json_get(root, "a")), JSON_OBJECT);
	assert_null(json_get(root, "S")); /* keys are exact */
	assert_null(json_get(root, "none"));
	assert_null(json_get(NULL, "a"));
	assert_null(json_get(json_get(root, "l"), "a"));
	assert_null(json_get(json_get(root, "s"), "a"));
	assert_int_equal(json_int(json_path(root, "a.b.c"), 0), 7);
	assert_ptr_equal(json_path(root, "a"), json_get(root, "a"));
	assert_null(json_path(root, "a.x.c"));
	assert_null(json_path(root, "a.b.c.d"));
	assert_null(json_path(root, "l.0"));
	assert_null(json_path(root, ""));
	assert_null(json_path(NULL, "a"));
	json_free(root);
}

static void values_and_fallbacks(void **state)
{
	struct json *root =
	    parse("{\"s\":\"text\",\"i\":42,\"f\":1.5,\"t\":true,\"n\":null,\"big\":9007199254740992,"
		  "\"bigger\":9007199254740994,\"low\":-9007199254740992,\"huge\":1e300,\"e\":1e3}");

	(void)state;
	assert_string_equal(json_get_string(root, "s", "f"), "text");
	assert_string_equal(json_get_string(root, "i", "f"), "f");
	assert_string_equal(json_get_string(root, "n", "f"), "f");
	assert_null(json_get_string(root, "none", NULL));
	assert_int_equal(json_get_int(root, "i", -1), 42);
	assert_int_equal(json_get_int(root, "e", -1), 1000);
	assert_int_equal(json_get_int(root, "f", -1), -1);
	assert_int_equal(json_get_int(root, "s", -1), -1);
	assert_int_equal(json_get_int(root, "t", -1), -1);
	assert_true(json_get_int(root, "big", -1) == 9007199254740992);
	assert_true(json_get_int(root, "low", -1) == -9007199254740992);
	assert_int_equal(json_get_int(root, "bigger", -1), -1);
	assert_int_equal(json_get_int(root, "huge", -1), -1);
	assert_true(json_get_number(root, "f", 0) == 1.5);
	assert_true(json_get_number(root, "s", 0.25) == 0.25);
	assert_true(json_get_bool(root, "t", false));
	assert_true(json_get_bool(root, "n", true));
	assert_false(json_get_bool(root, "i", false));
	json_free(root);
}

static void building(void **state)
{
	struct json *root = json_new_object(), *list;

	(void)state;
	json_set_string(root, "s", "a\"b");
	json_set_string(root, "null", NULL);
	json_set_number(root, "n", 1.5);
	json_set_bool(root, "t", true);
	list = json_set(root, "l", json_new_array());
	json_append_string(list, "x");
	json_append(list, json_new_number(2));
	json_append(list, json_new_bool(false));
	json_append(list, json_new_null());
	json_append(json_append(list, json_new_array()), json_new_object());
	check_print(
	    root, "{\"s\":\"a\\\"b\",\"null\":null,\"n\":1.5,\"t\":true,\"l\":[\"x\",2,false,null,[{}]]}");
	assert_int_equal(json_line(root, list), 0);
	assert_int_equal(json_line(root, json_get(root, "t")), 0);
	assert_int_equal(json_line(root, json_next(json_first(list))), 0);
	json_free(root);
}

/* A replaced member stays where it was; a removed one is gone. */
static void replacing_and_removing(void **state)
{
	struct json *root = parse("{\"a\":1,\"b\":2,\"c\":3}"), *value;

	(void)state;
	value = json_new_string("new");
	assert_ptr_equal(json_set(root, "b", value), value);
	check_print(root, "{\"a\":1,\"b\":\"new\",\"c\":3}");
	json_set_number(root, "a", 9);
	json_set_string(root, "B", "other"); /* another key */
	check_print(root, "{\"a\":9,\"b\":\"new\",\"c\":3,\"B\":\"other\"}");
	json_remove(root, "a");
	json_remove(root, "none");
	json_remove(root, "C");
	check_print(root, "{\"b\":\"new\",\"c\":3,\"B\":\"other\"}");
	json_remove(root, "B");
	json_set_bool(root, "z", false);
	check_print(root, "{\"b\":\"new\",\"c\":3,\"z\":false}");
	json_free(root);
}

static void copying(void **state)
{
	struct json *root = parse("{\"a\":{\"b\":[1,\"x\"]}}");
	struct json *copy = json_copy(json_get(root, "a")), *list = json_new_array();

	(void)state;
	json_free(root);
	assert_null(json_key(copy));
	assert_null(json_next(copy));
	check_print(copy, "{\"b\":[1,\"x\"]}");
	json_append(list, copy);
	check_print(list, "[{\"b\":[1,\"x\"]}]");
	json_free(list);
}

static void check_number(double n, const char *want)
{
	struct json *node = json_new_number(n);

	check_print(node, want);
	json_free(node);
}

static void numbers(void **state)
{
	static const struct {
		double n;
		const char *text;
	} cases[] = {
	    {0, "0"},
	    {-0.0, "0"},
	    {1, "1"},
	    {-17, "-17"},
	    {1e15, "1000000000000000"},
	    {4503599627370497, "4503599627370497"},
	    {9007199254740991, "9007199254740991"},
	    {9007199254740992, "9007199254740992"},
	    {-9007199254740991, "-9007199254740991"},
	    {0.1, "0.1"},
	    {1.0 / 3, "0.3333333333333333"},
	    {0.1 + 0.2, "0.30000000000000004"},
	    {2.5, "2.5"},
	    {1e300, "1e+300"},
	    {5e-324, "4.94065645841247e-324"},
	    {INFINITY, "null"},
	    {-INFINITY, "null"},
	    {NAN, "null"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		check_number(cases[i].n, cases[i].text);
}

static void large_whole_numbers_go_round(void **state)
{
	int64_t n;

	(void)state;
	for (n = 9007199254740992 - 2000; n <= 9007199254740992; n++) {
		AUTO_FREE char *text = mem_printf("%lld", (long long)n);
		struct json *node = parse(text);

		assert_true(json_int(node, 0) == n);
		check_print(node, text);
		json_free(node);
	}
}

/* In a locale with a decimal comma, if the machine has one. */
static void no_locale_changes_numbers(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
	struct json *root;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(names) && !setlocale(LC_NUMERIC, names[i]); i++)
		;
	root = parse("[1.5,0.1,-2.25e-7]");
	check_print(root, "[1.5,0.1,-2.25e-07]");
	assert_true(json_number(json_first(root), 0) == 1.5);
	json_free(root);
	setlocale(LC_NUMERIC, "C");
}

static void strings(void **state)
{
	static const struct {
		const char *string, *printed;
	} cases[] = {
	    {"", "\"\""},
	    {"a/b", "\"a/b\""},
	    {"\"\\", "\"\\\"\\\\\""},
	    {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
	    {"\x01\x1b\x7f", "\"\\u0001\\u001b\\u007f\""},
	    {"é€😀", "\"é€😀\""},
	    {"a\xFFz\xE2\x82", "\"a\xEF\xBF\xBDz\xEF\xBF\xBD\""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		struct json *n = json_new_string(cases[i].string);

		check_print(n, cases[i].printed);
		json_free(n);
	}
}

static void indentation(void **state)
{
	struct json *root = parse("{\"a\":[1,{\"b\":[]}],\"c\":{},\"d\":\"x\"}");
	AUTO_FREE char *printed = json_print(root, true);

	(void)state;
	assert_string_equal(printed, "{\n"
				     "  \"a\": [\n"
				     "    1,\n"
				     "    {\n"
				     "      \"b\": []\n"
				     "    }\n"
				     "  ],\n"
				     "  \"c\": {},\n"
				     "  \"d\": \"x\"\n"
				     "}");
	json_free(root);
}

static void absent_is_null(void **state)
{
	(void)state;
	assert_int_equal(json_type(NULL), JSON_NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(absent_is_null),
	    cmocka_unit_test(types_and_names),
	    cmocka_unit_test(walking),
	    cmocka_unit_test(getting),
	    cmocka_unit_test(values_and_fallbacks),
	    cmocka_unit_test(building),
	    cmocka_unit_test(replacing_and_removing),
	    cmocka_unit_test(copying),
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(large_whole_numbers_go_round),
	    cmocka_unit_test(no_locale_changes_numbers),
	    cmocka_unit_test(strings),
	    cmocka_unit_test(indentation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
