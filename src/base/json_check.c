/*
 * json_check: whether an object holds what a table says, and what is said if it does not.  Uses json.h only.
 */
#include "base/json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

int json_error(
    const struct json *root, const struct json *n, const char *name, struct err *err, const char *fmt, ...)
{
	AUTO_BUF text = BUF_INIT;
	int line = json_line(root, n);
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	if (line > 0)
		return err_set(err, ERR_INVALID, "%s:%d: %s", name, line, text.data);
	return err_set(err, ERR_INVALID, "%s: %s", name, text.data);
}

/* ---- the nearest word ---- */

enum { NEAREST_MAX = 64 }; /* longer words are nobody's typing error */

static int min_of(int a, int b)
{
	return a < b ? a : b;
}

/* One row of the table of optimal string alignment distances; before is the row of a[0..i-1), last of
 * a[0..i). */
static void distance_row(int *row, const int *last, const int *before, const char *a, size_t i, const char *b)
{
	size_t j;

	row[0] = (int)i + 1;
	for (j = 0; b[j]; j++) {
		row[j + 1] = min_of(min_of(last[j + 1], row[j]) + 1, last[j] + (a[i] != b[j]));
		if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
			row[j + 1] = min_of(row[j + 1], before[j - 1] + 1);
	}
}

/* Damerau-Levenshtein distance: insertions, deletions, substitutions, swaps of neighbours.  Both shorter than
 * NEAREST_MAX. */
static int distance(const char *a, const char *b)
{
	int rows[3][NEAREST_MAX] = {{0}};
	size_t i, len = strlen(b);

	for (i = 0; i <= len; i++)
		rows[2][i] = (int)i;
	for (i = 0; a[i]; i++)
		distance_row(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i, b);
	return rows[(i + 2) % 3][len];
}

const char *json_nearest(const char *word, const char *const *candidates)
{
	const char *nearest = NULL;
	size_t len = strlen(word);
	int best = 3;

	if (len >= NEAREST_MAX)
		return NULL;
	for (; *candidates; candidates++) {
		int d = strlen(*candidates) < NEAREST_MAX ? distance(word, *candidates) : best;

		if (d < best && (size_t)d * 2 < len) {
			best = d;
			nearest = *candidates;
		}
	}
	return nearest;
}

/* ---- one value ---- */

struct check {
	const struct json *root;
	const char *name;
	struct err *err;
};

static bool is_strings(const struct json *array)
{
	const struct json *n;

	for (n = json_first(array); n; n = json_next(n)) {
		if (json_type(n) != JSON_STRING)
			return false;
	}
	return true;
}

static bool is_of_type(const struct json *n, char letter)
{
	switch (letter) {
	case 's':
		return json_type(n) == JSON_STRING;
	case 'n':
		return json_type(n) == JSON_NUMBER;
	case 'i':
		return json_int(n, INT64_MIN) != INT64_MIN;
	case 'b':
		return json_type(n) == JSON_BOOL;
	case 'a':
		return json_type(n) == JSON_ARRAY;
	case 'o':
		return json_type(n) == JSON_OBJECT;
	case 'z':
		return json_type(n) == JSON_NULL;
	default:
		return json_type(n) == JSON_ARRAY && is_strings(n);
	}
}

static const char *type_phrase(char letter)
{
	static const char *const phrases[128] = {
	    ['s'] = "a string",
	    ['n'] = "a number",
	    ['i'] = "a whole number",
	    ['b'] = "true or false",
	    ['a'] = "an array",
	    ['o'] = "an object",
	    ['z'] = "null",
	    ['S'] = "an array of strings",
	};

	return phrases[letter & 0x7F];
}

/* What a value is, as far as it matters to a reader who expected something else. */
static const char *found_phrase(const struct json *n)
{
	if (json_type(n) == JSON_ARRAY && json_first(n))
		return is_strings(n) ? "an array of strings" : "an array with other things than strings";
	if (json_type(n) == JSON_NUMBER && json_int(n, INT64_MIN) == INT64_MIN)
		return "a number with a fraction";
	return json_type_name(n);
}

static int check_type(const struct check *c, const struct json *n, const struct json_field *field)
{
	AUTO_BUF wanted = BUF_INIT;
	const char *type;

	for (type = field->types; *type; type++) {
		if (is_of_type(n, *type))
			return 0;
	}
	for (type = field->types; *type; type++)
		buf_printf(&wanted, "%s%s", type > field->types ? " or " : "", type_phrase(*type));
	return json_error(c->root, n, c->name, c->err, "\"%s\" must be %s, not %s", json_key(n), wanted.data,
	    found_phrase(n));
}

/* "a|b|c" as a NULL-terminated list; *text is what the list points into. */
static void split_choices(const char *choices, char **text, const char ***list)
{
	size_t count = 0;
	char *at;

	*text = mem_strdup(choices);
	*list = mem_zalloc(strlen(choices) / 2 + 2, sizeof(**list));
	for (at = *text; at; count++)
		(*list)[count] = strsep(&at, "|");
}

/* Only strings are chosen: a field may be a string or something else. */
static int check_choice(const struct check *c, const struct json *n, const struct json_field *field)
{
	const char *value = json_string(n, NULL), *nearest;
	AUTO_FREE char *text = NULL;
	AUTO_FREE const char **choices = NULL;
	AUTO_BUF known = BUF_INIT;
	size_t i;

	if (!value || !field->choices)
		return 0;
	split_choices(field->choices, &text, &choices);
	for (i = 0; choices[i]; i++) {
		if (strcmp(choices[i], value) == 0)
			return 0;
		buf_printf(&known, "%s\"%s\"", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
	}
	nearest = json_nearest(value, choices);
	if (nearest)
		return json_error(c->root, n, c->name, c->err,
		    "\"%s\" must be %s, not \"%s\" (did you mean \"%s\"?)", json_key(n), known.data, value,
		    nearest);
	return json_error(
	    c->root, n, c->name, c->err, "\"%s\" must be %s, not \"%s\"", json_key(n), known.data, value);
}

static int check_range(const struct check *c, const struct json *n, const struct json_field *field)
{
	double value = json_number(n, field->min);

	if (field->min >= field->max || (value >= field->min && value <= field->max))
		return 0;
	return json_error(c->root, n, c->name, c->err, "\"%s\" must be from %.15g to %.15g, not %.15g",
	    json_key(n), field->min, field->max, value);
}

/* ---- one object ---- */

static const struct json_field *field_of(const struct json_field *fields, const char *key)
{
	const struct json_field *any = NULL;

	for (; fields->key; fields++) {
		if (strcmp(fields->key, key) == 0)
			return fields;
		if (strcmp(fields->key, "*") == 0)
			any = fields;
	}
	return any;
}

static int unknown_key(const struct check *c, const struct json *n, const struct json_field *fields)
{
	AUTO_FREE const char **known = NULL;
	const char *nearest;
	size_t count = 0;

	while (fields[count].key)
		count++;
	known = mem_zalloc(count + 1, sizeof(*known));
	for (count = 0; fields[count].key; count++)
		known[count] = fields[count].key;
	nearest = json_nearest(json_key(n), known);
	if (nearest)
		return json_error(c->root, n, c->name, c->err, "unknown key \"%s\" (did you mean \"%s\"?)",
		    json_key(n), nearest);
	return json_error(c->root, n, c->name, c->err, "unknown key \"%s\"", json_key(n));
}

static int check_member(const struct check *c, const struct json *n, const struct json_field *fields)
{
	const struct json_field *field = field_of(fields, json_key(n));

	if (!field)
		return unknown_key(c, n, fields);
	if (check_type(c, n, field) < 0 || check_choice(c, n, field) < 0)
		return -1;
	return check_range(c, n, field);
}

int json_check(const struct json *root, const struct json *object, const char *name,
    const struct json_field *fields, struct err *err)
{
	struct check c = {root, name, err};
	const struct json *n;

	if (json_type(object) != JSON_OBJECT)
		return json_error(
		    root, object, name, err, "there must be an object here, not %s", json_type_name(object));
	for (n = json_first(object); n; n = json_next(n)) {
		if (object == root && strcmp(json_key(n), "$schema") == 0)
			continue;
		if (check_member(&c, n, fields) < 0)
			return -1;
	}
	for (; fields->key; fields++) {
		if (fields->required && !json_get(object, fields->key))
			return json_error(root, object, name, err, "the key \"%s\" is missing", fields->key);
	}
	return 0;
}
