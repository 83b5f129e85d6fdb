/*
 * json: text that may be JSON with comments and trailing commas.  What is understood is the same when it is
 * printed and read again, each value knows its line, and no path through it leads outside.
 */
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "fuzz.h"

static int lines_of(const char *text, size_t len)
{
	int lines = 1;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines;
}

static void check_node(const struct json *root, const struct json *n, int line, int lines)
{
	int at = json_line(root, n), count = 0;
	const char *before = NULL;

	CHECK(at >= line && at <= lines);
	CHECK(*json_type_name(n));
	CHECK(utf8_valid(json_string(n, ""), strlen(json_string(n, "")), NULL));
	json_int(n, 0);
	for (const struct json *child = json_first(n); child; child = json_next(child), count++) {
		int of_child = json_line(root, child);

		if (json_type(n) == JSON_OBJECT)
			CHECK(json_get(n, json_key(child)) == child);
		CHECK(before == NULL || of_child >= at);
		before = json_key(child);
		check_node(root, child, at, lines);
	}
	CHECK(count == json_count(n));
}

/* Doubles are printed so that they come back. */
static void check_print(const struct json *root, bool indented)
{
	AUTO_FREE char *text = json_print(root, indented);
	struct json *again = json_parse(text, strlen(text), "again", NULL);
	AUTO_FREE char *text_again = NULL;

	CHECK(again);
	text_again = json_print(again, indented);
	CHECK(strcmp(text, text_again) == 0);
	json_free(again);
}

static void check_fields(const struct json *root)
{
	static const struct json_field fields[] = {{.key = "name", .types = "s", .required = true},
	    {.key = "kind", .types = "s", .choices = "a|bc|def"},
	    {.key = "count", .types = "i", .min = 1, .max = 9}, {.key = "list", .types = "Sz"},
	    {.key = "object", .types = "oab"}, {.key = NULL}};
	struct err err = ERR_INIT;

	if (json_check(root, root, "file.json", fields, &err) < 0) {
		CHECK(err.code == ERR_INVALID && err.message[0]);
		CHECK(utf8_valid(err.message, strlen(err.message), NULL));
	} else {
		CHECK(json_get_string(root, "name", NULL));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	AUTO_FREE char *text = mem_alloc(size);
	struct json *root, *copy;

	if (size > 0)
		memcpy(text, data, size);
	root = json_parse(text, size, "file.json", &err);
	if (!root) {
		CHECK(err.code == ERR_INVALID && err.message[0] &&
		      utf8_valid(err.message, strlen(err.message), NULL));
		return 0;
	}
	check_node(root, root, 1, lines_of(text, size));
	check_print(root, false);
	check_print(root, true);
	check_fields(root);
	json_path(root, "a.b.c");
	copy = json_copy(root);
	check_print(copy, false);
	if (json_type(copy) == JSON_OBJECT) {
		json_set(copy, "a", json_new_number(1));
		CHECK(json_get_int(copy, "a", 0) == 1);
		json_remove(copy, "a");
		CHECK(!json_get(copy, "a"));
	}
	json_free(copy);
	json_free(root);
	return 0;
}
