/* base/json: what is accepted, what is refused and with which line; broken input of every kind. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

static struct json *parse(const char *text)
{
	struct err err = ERR_INIT;
	struct json *root = json_parse(text, strlen(text), "t.json", &err);

	if (!root)
		fail_msg("%s", err.message);
	return root;
}

static void check_printed(const char *text, const char *want)
{
	struct json *root = parse(text);
	AUTO_FREE char *printed = json_print(root, false);

	assert_string_equal(printed, want);
	json_free(root);
}

static void accepted(void **state)
{
	static const struct {
		const char *text, *printed;
	} cases[] = {
	    {"null", "null"},
	    {"true", "true"},
	    {" false\n", "false"},
	    {"0", "0"},
	    {"-0", "0"},
	    {"-12.5e+1", "-125"},
	    {"1E3", "1000"},
	    {"0.1", "0.1"},
	    {"\"\"", "\"\""},
	    {"[]", "[]"},
	    {"{}", "{}"},
	    {"[1,[2,[3]],{\"a\":{\"b\":[]}}]", "[1,[2,[3]],{\"a\":{\"b\":[]}}]"},
	    {"\t[\r\n1 ,\n 2\t]\r\n", "[1,2]"},
	    /* trailing commas */
	    {"[1,]", "[1]"},
	    {"{\"a\":1,}", "{\"a\":1}"},
	    {"[[1,],{\"a\":[],},]", "[[1],{\"a\":[]}]"},
	    {"[1, // one\n]", "[1]"},
	    {"[1, /* one */ ]", "[1]"},
	    /* comments */
	    {"// first\n1", "1"},
	    {"1// last", "1"},
	    {"1 /**/", "1"},
	    {"/***/1/* * / */", "1"},
	    {"[/* a */1/* b */,/* c */2/* d */]", "[1,2]"},
	    {"{/**/\"a\"/**/:/**/1/**/}", "{\"a\":1}"},
	    {"/* // */ 1 // /* \n", "1"},
	    {"/* é€😀 */ [\"é\"] // 日本", "[\"é\"]"},
	    /* what only looks like one of these */
	    {"\"// no /* no */\"", "\"// no /* no */\""},
	    {"\",]\"", "\",]\""},
	    {"[\"a\\\",]\"]", "[\"a\\\",]\"]"},
	    /* strings */
	    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
	    {"\"\\u00e9\\u20AC\\ud83d\\uDE00\"", "\"é€😀\""},
	    {"\"\\u0001\\u007f\"", "\"\\u0001\\u007f\""},
	    {"\"é€😀\"", "\"é€😀\""},
	    /* a byte order mark */
	    {"\xEF\xBB\xBF{\"a\":1}", "{\"a\":1}"},
	    /* the same key at different places */
	    {"{\"a\":{\"a\":1},\"A\":{\"a\":2}}", "{\"a\":{\"a\":1},\"A\":{\"a\":2}}"},
	    {"{\"\":1}", "{\"\":1}"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		check_printed(cases[i].text, cases[i].printed);
}

static void check_refused(const char *text, size_t len, const char *message)
{
	struct err err = ERR_INIT;

	assert_null(json_parse(text, len, "t.json", &err));
	assert_int_equal(err.code, ERR_INVALID);
	assert_string_equal(err.message, message);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"", "t.json:1: there is no value in it"},
	    {" \n\n", "t.json:3: there is no value in it"},
	    {"// x\n/* y */", "t.json:2: there is no value in it"},
	    {"\xEF\xBB\xBF", "t.json:1: there is no value in it"},
	    {"1 2", "t.json:1: there is something after the end of the value"},
	    {"{}\n\n}", "t.json:3: there is something after the end of the value"},
	    /* structure */
	    {"{\"a\":1\n \"b\":2}", "t.json:2: ',' or '}' is missing before '\"'"},
	    {"[1\n2]", "t.json:2: ',' or ']' is missing before '2'"},
	    {"[1}", "t.json:1: ',' or ']' is missing before '}'"},
	    {"{\"a\" 1}", "t.json:1: ':' after the key is missing before '1'"},
	    {"{a:1}", "t.json:1: a key in quotation marks is missing before 'a'"},
	    {"{'a':1}", "t.json:1: a key in quotation marks is missing before '''"},
	    {"{1:1}", "t.json:1: a key in quotation marks is missing before '1'"},
	    {"{\"a\":}", "t.json:1: a value is missing before '}'"},
	    {"{\"a\":1,,}", "t.json:1: a key in quotation marks is missing before ','"},
	    {"{,}", "t.json:1: a key in quotation marks is missing before ','"},
	    {"[,]", "t.json:1: a value is missing before ','"},
	    {"[1,,2]", "t.json:1: a value is missing before ','"},
	    {"[1,,]", "t.json:1: a value is missing before ','"},
	    {"1,", "t.json:1: there is something after the end of the value"},
	    {"[", "t.json:1: a value is missing at the end of the text"},
	    {"[1,\n", "t.json:2: a value is missing at the end of the text"},
	    {"{\"a\":1", "t.json:1: ',' or '}' is missing at the end of the text"},
	    {"é", "t.json:1: a value is missing before 'é'"},
	    {"\x01", "t.json:1: a value is missing before the character U+0001"},
	    {"[1\x0C]", "t.json:1: ',' or ']' is missing before the character U+000C"},
	    /* comments */
	    {"1\n/* x\n", "t.json:2: the comment that begins here has no end"},
	    {"/*/", "t.json:1: the comment that begins here has no end"},
	    {"1 / 2", "t.json:1: there is something after the end of the value"},
	    {"# x\n1", "t.json:1: a value is missing before '#'"},
	    /* words */
	    {"True", "t.json:1: 'True' is not a value: strings need quotation marks"},
	    {"[nul]", "t.json:1: 'nul' is not a value: strings need quotation marks"},
	    {"nulls", "t.json:1: 'nulls' is not a value: strings need quotation marks"},
	    {"NaN", "t.json:1: 'NaN' is not a value: strings need quotation marks"},
	    {"{\"model\": opus}", "t.json:1: 'opus' is not a value: strings need quotation marks"},
	    /* numbers */
	    {"01", "t.json:1: a number must not begin with 0"},
	    {"-01", "t.json:1: a number must not begin with 0"},
	    {"-", "t.json:1: a digit of the number is missing at the end of the text"},
	    {"[-a]", "t.json:1: a digit of the number is missing before 'a'"},
	    {"1.", "t.json:1: a digit of the number is missing at the end of the text"},
	    {"[1.]", "t.json:1: a digit of the number is missing before ']'"},
	    {".5", "t.json:1: a value is missing before '.'"},
	    {"1e", "t.json:1: a digit of the number is missing at the end of the text"},
	    {"1e+", "t.json:1: a digit of the number is missing at the end of the text"},
	    {"+1", "t.json:1: a value is missing before '+'"},
	    {"0x10", "t.json:1: there is something after the end of the value"},
	    {"[\n1e999]", "t.json:2: the number is too large"},
	    {"1234567890123456789012345678901234567890123456789012345678901234",
		"t.json:1: the number has more than 63 characters"},
	    /* strings */
	    {"\"a", "t.json:1: the string has no closing quotation mark on its line"},
	    {"{\n\"a\": \"b\n}", "t.json:2: the string has no closing quotation mark on its line"},
	    {"\"a\tb\"", "t.json:1: the control character U+0009 in a string must be written as \\u0009"},
	    {"\"C:\\x\"", "t.json:1: a backslash in a string must be written as \\\\"},
	    {"\"\\", "t.json:1: a backslash in a string must be written as \\\\"},
	    {"\"\\u12g4\"", "t.json:1: \\u needs four hexadecimal digits"},
	    {"\"\\u12", "t.json:1: \\u needs four hexadecimal digits"},
	    {"\"\\u0000\"", "t.json:1: \\u0000 is not allowed in a string"},
	    {"\"\\ud83d\"", "t.json:1: \\ud83d is half of a surrogate pair"},
	    {"\"\\ud83dx\"", "t.json:1: \\ud83d is half of a surrogate pair"},
	    {"\"\\ud83d\\u0041\"", "t.json:1: \\ud83d is half of a surrogate pair"},
	    {"\"\\ude00\"", "t.json:1: \\ude00 is half of a surrogate pair"},
	    /* bytes */
	    {"[\n\"\xE9\"]", "t.json:2: the byte 0xE9 is not UTF-8"},
	    {"// \xC0\x80\n1", "t.json:1: the byte 0xC0 is not UTF-8"},
	    {"\"\xED\xA0\x80\"", "t.json:1: the byte 0xED is not UTF-8"},
	    /* keys */
	    {"{\"a\":1,\n\"b\":2,\n\"a\":3}", "t.json:3: the key \"a\" is there twice (first in line 1)"},
	    {"{\"x\":[{\"a\":1,\n\"\\u0061\":2}]}",
		"t.json:2: the key \"a\" is there twice (first in line 1)"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		check_refused(cases[i].text, strlen(cases[i].text), cases[i].message);
}

static void nul_bytes(void **state)
{
	(void)state;
	check_refused("[\n1]\0", 5, "t.json:2: there is a NUL byte");
	check_refused("\0", 1, "t.json:1: there is a NUL byte");
	check_refused("\"a\0b\"", 5, "t.json:1: there is a NUL byte");
}

static void depth(void **state)
{
	AUTO_BUF text = BUF_INIT;
	struct json *root;
	int i;

	(void)state;
	for (i = 0; i < JSON_MAX_DEPTH; i++)
		buf_addc(&text, '[');
	for (i = 0; i < JSON_MAX_DEPTH; i++)
		buf_addc(&text, ']');
	root = parse(text.data);
	json_free(root);
	buf_clear(&text);
	for (i = 0; i < JSON_MAX_DEPTH; i++)
		buf_adds(&text, "{\"a\":\n");
	buf_adds(&text, "[]");
	check_refused(text.data, text.len, "t.json:65: there are more than 64 levels of nesting");
	buf_clear(&text);
	for (i = 0; i < 1000000; i++)
		buf_addc(&text, '[');
	check_refused(text.data, text.len, "t.json:1: there are more than 64 levels of nesting");
}

/* Siblings do not add up. */
static void breadth_is_not_depth(void **state)
{
	AUTO_BUF text = BUF_INIT;
	struct json *root;
	int i;

	(void)state;
	buf_addc(&text, '[');
	for (i = 0; i < 1000; i++)
		buf_adds(&text, "[[]],{},");
	buf_addc(&text, ']');
	root = parse(text.data);
	assert_int_equal(json_count(root), 2000);
	json_free(root);
}

/* Sorting, not comparing all with all: a hundred thousand keys are nothing. */
static void many_keys(void **state)
{
	AUTO_BUF text = BUF_INIT;
	struct json *root;
	int i;

	(void)state;
	buf_addc(&text, '{');
	for (i = 0; i < 100000; i++)
		buf_printf(&text, "\"k%d\":%d,\n", i * 7919 % 100003, i);
	buf_addc(&text, '}');
	root = parse(text.data);
	assert_int_equal(json_count(root), 100000);
	json_free(root);
	buf_truncate(&text, text.len - 1);
	buf_adds(&text, "\"k7919\":0}");
	check_refused(
	    text.data, text.len, "t.json:100001: the key \"k7919\" is there twice (first in line 2)");
}

static void lines(void **state)
{
	static const char text[] = "// comment\n"        /* 1 */
				   "{\n"                 /* 2 */
				   "  \"a\": 1, /* x\n"  /* 3 */
				   "  y */ \"b\": [\n"   /* 4 */
				   "    true, \"s\",\n"  /* 5 */
				   "    null,\r\n"       /* 6 */
				   "  ],\n"              /* 7 */
				   "  \"c\":\n"          /* 8 */
				   "  {\n"               /* 9 */
				   "    \"d\": {}, },\n" /* 10 */
				   "}\n";
	struct json *root = parse(text);
	const struct json *b = json_get(root, "b");
	struct json *copy;

	(void)state;
	assert_int_equal(json_line(root, root), 2);
	assert_int_equal(json_line(root, json_get(root, "a")), 3);
	assert_int_equal(json_line(root, b), 4);
	assert_int_equal(json_line(root, json_first(b)), 5);
	assert_int_equal(json_line(root, json_next(json_first(b))), 5);
	assert_int_equal(json_line(root, json_next(json_next(json_first(b)))), 6);
	assert_int_equal(json_line(root, json_get(root, "c")), 8); /* a member is where its key is */
	assert_int_equal(json_line(root, json_path(root, "c.d")), 10);
	assert_int_equal(json_line(root, NULL), 0);
	assert_int_equal(json_int(json_get(root, "a"), -1), 1);
	assert_true(json_bool(json_first(b), false));
	copy = json_copy(root);
	assert_int_equal(json_line(copy, json_path(copy, "c.d")), 10);
	json_free(root);
	json_free(copy);
}

static void files(void **state)
{
	char path[] = "/tmp/handler-test-json-XXXXXX";
	struct err err = ERR_INIT;
	int fd = mkstemp(path);
	struct json *root;
	AUTO_FREE char *wanted = mem_printf("%s:2: 'x' is not a value: strings need quotation marks", path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "{\"a\":1,}", 8), 8);
	root = json_parse_file(path, &err);
	assert_non_null(root);
	assert_int_equal(json_get_int(root, "a", 0), 1);
	json_free(root);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "[\nx]", 4, 0), 4);
	assert_null(json_parse_file(path, &err));
	assert_string_equal(err.message, wanted);
	assert_int_equal(ftruncate(fd, (off_t)JSON_MAX_BYTES + 1), 0);
	assert_null(json_parse_file(path, &err));
	assert_int_equal(err.code, ERR_INVALID);
	assert_non_null(strstr(err.message, "larger than"));
	close(fd);
	unlink(path);
	assert_null(json_parse_file(path, &err));
	assert_int_equal(err.code, ERR_SYSTEM);
}

/* ---- broken input ---- */

static const char rich[] =
    "\xEF\xBB\xBF// é\n{\n  \"k\\u00e9\\n\": [1, -2.5e-3, true, false, null, \"\\ud83d\\ude00 €\",],\n"
    "  /* c * / */ \"o\": {\"p\": {}, \"q\": [[], {\"r\": \"\\\\\\\"\"}],},\n}";

/* Every beginning of a text is refused, with a name and a line, and without reading past it. */
static void every_cut_is_refused(void **state)
{
	size_t len;

	(void)state;
	json_free(parse(rich));
	for (len = 0; len < sizeof(rich) - 1; len++) {
		char *exact = mem_alloc(len); /* so that reading past it is seen */
		struct err err = ERR_INIT;

		memcpy(exact, rich, len);
		assert_null(json_parse(exact, len, "t.json", &err));
		assert_int_equal(err.code, ERR_INVALID);
		assert_memory_equal(err.message, "t.json:", 7);
		assert_true(utf8_valid(err.message, strlen(err.message), NULL));
		free(exact);
	}
}

/* What is accepted is printed, and what is printed is read as the same. */
static void check_any(const char *text, size_t len)
{
	struct err err = ERR_INIT;
	struct json *root = json_parse(text, len, "t.json", &err), *again;
	AUTO_FREE char *first = NULL;
	AUTO_FREE char *second = NULL;

	if (!root) {
		assert_int_equal(err.code, ERR_INVALID);
		assert_memory_equal(err.message, "t.json:", 7);
		return;
	}
	first = json_print(root, true);
	again = parse(first);
	second = json_print(again, true);
	assert_string_equal(first, second);
	json_free(root);
	json_free(again);
}

static void every_byte_replaced_by_every_other(void **state)
{
	char text[sizeof(rich)];
	size_t at;
	int byte;

	(void)state;
	for (at = 0; at < sizeof(rich) - 1; at++) {
		memcpy(text, rich, sizeof(rich));
		for (byte = 0; byte < 256; byte++) {
			text[at] = (char)byte;
			check_any(text, sizeof(rich) - 1);
		}
	}
}

static void every_byte_left_out_and_doubled(void **state)
{
	char text[sizeof(rich) + 1];
	size_t at, len = sizeof(rich) - 1;

	(void)state;
	for (at = 0; at < len; at++) {
		memcpy(text, rich, at);
		memcpy(text + at, rich + at + 1, len - at - 1);
		check_any(text, len - 1);
		memcpy(text + at, rich + at, 1);
		memcpy(text + at + 1, rich + at, len - at);
		check_any(text, len + 1);
	}
}

/* Texts made of what JSON is made of: deeper into the grammar than random bytes get. */
static void random_tokens(void **state)
{
	static const char *const tokens[] = {"{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-1.5e3",
	    "true", "null", "//", "/*", "*/", "\n", " ", "\"", "\\", "\\u0041", "x"};
	uint32_t seed = 1;
	int round, i;

	(void)state;
	for (round = 0; round < 20000; round++) {
		AUTO_BUF text = BUF_INIT;

		for (i = 0; i < round % 24; i++) {
			seed = seed * 1664525 + 1013904223;
			buf_adds(&text, tokens[(seed >> 16) % COUNT_OF(tokens)]);
		}
		check_any(text.data, text.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepted),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(nul_bytes),
	    cmocka_unit_test(depth),
	    cmocka_unit_test(breadth_is_not_depth),
	    cmocka_unit_test(many_keys),
	    cmocka_unit_test(lines),
	    cmocka_unit_test(files),
	    cmocka_unit_test(every_cut_is_refused),
	    cmocka_unit_test(every_byte_replaced_by_every_other),
	    cmocka_unit_test(every_byte_left_out_and_doubled),
	    cmocka_unit_test(random_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
