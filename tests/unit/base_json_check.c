/* base/json: what an object may hold, and what is said when it does not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static const struct json_field fields[] = {
    {.key = "harness", .types = "s", .required = true},
    {.key = "model", .types = "s"},
    {.key = "instructions", .types = "sS"},
    {.key = "args", .types = "S"},
    {.key = "env", .types = "o"},
    {.key = "list", .types = "a"},
    {.key = "sandbox", .types = "s", .choices = "none|bwrap|podman"},
    {.key = "color", .types = "sb", .choices = "auto|never"},
    {.key = "lines", .types = "i", .min = 0, .max = 1000},
    {.key = "ratio", .types = "n", .min = -0.5, .max = 1.5},
    {.key = "free", .types = "n"},
    {.key = "control", .types = "b"},
    {.key = "maybe", .types = "sz"},
    {NULL, NULL, false, NULL, 0, 0},
};

/* "" for no error. */
static void check(const char *text, const char *message)
{
	struct err err = ERR_INIT;
	struct json *root = json_parse(text, strlen(text), "a.json", &err);
	int result;

	assert_non_null(root);
	result = json_check(root, root, "a.json", fields, &err);
	assert_string_equal(err.message, message);
	assert_int_equal(result, *message ? -1 : 0);
	assert_int_equal(err.code, *message ? ERR_INVALID : ERR_NONE);
	json_free(root);
}

static void objects(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"{\"harness\":\"x\"}", ""},
	    {"{\"$schema\":\"u\",\"harness\":\"x\",\"model\":\"m\",\"instructions\":\"one\",\"args\":[],"
	     "\"env\":{\"A\":1},"
	     "\"list\":[1],\"sandbox\":\"bwrap\",\"color\":true,\"lines\":1000,\"ratio\":-0.5,\"free\":1e9,"
	     "\"control\":false,\"maybe\":null}",
		""},
	    {"{\"harness\":\"x\",\"instructions\":[\"a\",\"b\"],\"color\":\"auto\",\"lines\":0,\"maybe\":"
	     "\"\"}",
		""},
	    /* keys */
	    {"{}", "a.json:1: the key \"harness\" is missing"},
	    {"\n{\"model\":\"m\"}", "a.json:2: the key \"harness\" is missing"},
	    {"{\"harness\":\"x\",\n\"modle\":\"m\"}",
		"a.json:2: unknown key \"modle\" (did you mean \"model\"?)"},
	    {"{\"harness\":\"x\",\n\n\"zebra\":1}", "a.json:3: unknown key \"zebra\""},
	    {"{\"harness\":\"x\",\"Model\":\"m\"}",
		"a.json:1: unknown key \"Model\" (did you mean \"model\"?)"},
	    /* types */
	    {"{\"harness\":1}", "a.json:1: \"harness\" must be a string, not a number"},
	    {"{\"harness\":null}", "a.json:1: \"harness\" must be a string, not null"},
	    {"{\"harness\":\"x\",\"args\":\"-v\"}",
		"a.json:1: \"args\" must be an array of strings, not a string"},
	    {"{\"harness\":\"x\",\"args\":[\"a\",\n1]}", "a.json:1: \"args\" must be an array of strings, "
							 "not an array with other things than strings"},
	    {"{\"harness\":\"x\",\"instructions\":{}}",
		"a.json:1: \"instructions\" must be a string or an array of strings, not an object"},
	    {"{\"harness\":\"x\",\"env\":[\"A=1\"]}",
		"a.json:1: \"env\" must be an object, not an array of strings"},
	    {"{\"harness\":\"x\",\"env\":[]}", "a.json:1: \"env\" must be an object, not an array"},
	    {"{\"harness\":\"x\",\"list\":true}", "a.json:1: \"list\" must be an array, not a boolean"},
	    {"{\"harness\":\"x\",\"lines\":1.5}",
		"a.json:1: \"lines\" must be a whole number, not a number with a fraction"},
	    {"{\"harness\":\"x\",\"control\":\"yes\"}",
		"a.json:1: \"control\" must be true or false, not a string"},
	    {"{\"harness\":\"x\",\"maybe\":1}", "a.json:1: \"maybe\" must be a string or null, not a number"},
	    /* choices */
	    {"{\"harness\":\"x\",\"sandbox\":\"bwarp\"}",
		"a.json:1: \"sandbox\" must be \"none\", \"bwrap\" or \"podman\", not \"bwarp\" (did you "
		"mean \"bwrap\"?)"},
	    {"{\"harness\":\"x\",\"sandbox\":\"\"}",
		"a.json:1: \"sandbox\" must be \"none\", \"bwrap\" or \"podman\", not \"\""},
	    {"{\"harness\":\"x\",\"color\":\"always\"}",
		"a.json:1: \"color\" must be \"auto\" or \"never\", not \"always\""},
	    /* ranges */
	    {"{\"harness\":\"x\",\"lines\":1001}", "a.json:1: \"lines\" must be from 0 to 1000, not 1001"},
	    {"{\"harness\":\"x\",\"lines\":-1}", "a.json:1: \"lines\" must be from 0 to 1000, not -1"},
	    {"{\"harness\":\"x\",\"ratio\":1.75}", "a.json:1: \"ratio\" must be from -0.5 to 1.5, not 1.75"},
	    /* not an object */
	    {"[]", "a.json:1: there must be an object here, not an array"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		check(cases[i].text, cases[i].message);
}

static const struct json_field any_string[] = {
    {.key = "*", .types = "s"},
    {.key = "count", .types = "i"},
    {NULL, NULL, false, NULL, 0, 0},
};

/* "*" is for every key that has no row of its own; it is no key itself. */
static void any_key(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"{\"env\":{}}", ""},
	    {"{\"env\":{\"A\":\"1\",\"B\":\"2\",\"*\":\"3\",\"count\":4}}", ""},
	    {"{\"env\":{\"A\":\"1\",\n\"B\":2}}", "a.json:2: \"B\" must be a string, not a number"},
	    {"{\"env\":{\"count\":\"4\"}}", "a.json:1: \"count\" must be a whole number, not a string"},
	    /* "$schema" is allowed at the root only: here it is a key like any other */
	    {"{\"env\":{\"$schema\":1}}", "a.json:1: \"$schema\" must be a string, not a number"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		struct err err = ERR_INIT;
		struct json *root = json_parse(cases[i].text, strlen(cases[i].text), "a.json", &err);
		int result = json_check(root, json_get(root, "env"), "a.json", any_string, &err);

		assert_string_equal(err.message, cases[i].message);
		assert_int_equal(result, *cases[i].message ? -1 : 0);
		json_free(root);
	}
}

static void errors_of_nodes(void **state)
{
	struct json *root = json_parse("[\n1]", 4, "a.json", NULL), *made = json_new_null();
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(json_error(root, json_first(root), "a.json", &err, "no %s", "good"), -1);
	assert_int_equal(err.code, ERR_INVALID);
	assert_string_equal(err.message, "a.json:2: no good");
	json_error(made, made, "message", &err, "no good");
	assert_string_equal(err.message, "message: no good");
	json_error(root, NULL, "a.json", &err, "no good");
	assert_string_equal(err.message, "a.json: no good");
	assert_int_equal(json_error(root, root, "a.json", NULL, "x"), -1);
	json_free(root);
	json_free(made);
}

static void nearest(void **state)
{
	static const char *const words[] = {
	    "model", "harness", "sandbox", "args", "env", "instructions", "instructions_file", NULL};
	static const struct {
		const char *word, *nearest;
	} cases[] = {
	    {"model", "model"},
	    {"modle", "model"}, /* a swap is one step */
	    {"mdoel", "model"},
	    {"modell", "model"},
	    {"mode", "model"},
	    {"nodel", "model"},
	    {"modles", "model"}, /* two steps */
	    {"harnes", "harness"},
	    {"arg", "args"},
	    {"ars", "args"},
	    {"env", "env"},
	    {"evn", "env"},
	    {"en", NULL}, /* one step of two letters is not less than half */
	    {"ab", NULL},
	    {"xnv", "env"},
	    {"", NULL},
	    {"instruction", "instructions"},
	    {"instructionsfile", "instructions_file"},
	    {"sandboxed", "sandbox"},
	    {"sandboxing", NULL}, /* three steps */
	    {"zebra", NULL},
	    {"0123456789012345678901234567890123456789012345678901234567890123456789", NULL},
	};
	static const char *const nothing[] = {NULL};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		const char *got = json_nearest(cases[i].word, words);

		if (!cases[i].nearest)
			assert_null(got);
		else
			assert_string_equal(got, cases[i].nearest);
	}
	assert_null(json_nearest("model", nothing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(objects),
	    cmocka_unit_test(any_key),
	    cmocka_unit_test(errors_of_nodes),
	    cmocka_unit_test(nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
