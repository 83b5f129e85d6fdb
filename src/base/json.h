/*
 * json: reading with `//` and block comments and trailing commas, line numbers, and writing.  The only user
 * of cJSON.
 *
 * A `struct json` is a node of a tree; the node that json_parse returned owns the tree.  Nodes that are
 * borrowed live as long as their root.
 */
#ifndef HANDLER_BASE_JSON_H
#define HANDLER_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct json;

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum { JSON_MAX_BYTES = 8 << 20, JSON_MAX_DEPTH = 64 };

/*
 * Parses text[0..len).  `name` is the file's name in messages ("agents/x.json:7: ...").  Refused with the
 * line: syntax errors, invalid UTF-8, NUL bytes, duplicate keys, more than JSON_MAX_DEPTH levels, anything
 * after the value. Comments and trailing commas are accepted.  NULL with err set on failure; free with
 * json_free.
 */
struct json *json_parse(const char *text, size_t len, const char *name, struct err *err);
struct json *json_parse_file(const char *path, struct err *err); /* at most JSON_MAX_BYTES */
void json_free(struct json *root);                               /* NULL is fine */

enum json_type json_type(const struct json *n);   /* NULL, an absent member, counts as JSON_NULL */
const char *json_type_name(const struct json *n); /* "an object", "a string", ... for messages */
const char *json_key(const struct json *n);       /* of a member of an object, else NULL */
int json_line(
    const struct json *root, const struct json *n); /* 1-based line of n in the text of root; 0: unknown */

/* Members and elements, in order; NULL at the end. */
const struct json *json_first(const struct json *n);
const struct json *json_next(const struct json *n);
int json_count(const struct json *n);
const struct json *json_get(const struct json *object, const char *key); /* NULL: absent, or not an object */
/* "a.b.c": a path of keys */
const struct json *json_path(const struct json *object, const char *path);

/* Values, or the fallback if n is NULL or of another type. */
const char *json_string(const struct json *n, const char *fallback);
double json_number(const struct json *n, double fallback);
int64_t json_int(const struct json *n, int64_t fallback); /* fallback for fractions and |n| > 2^53 */
bool json_bool(const struct json *n, bool fallback);
/* Shorthand: json_string(json_get(object, key), fallback) and so on. */
const char *json_get_string(const struct json *object, const char *key, const char *fallback);
int64_t json_get_int(const struct json *object, const char *key, int64_t fallback);
double json_get_number(const struct json *object, const char *key, double fallback);
bool json_get_bool(const struct json *object, const char *key, bool fallback);

/*
 * Describing what an object may hold.  json_check says the first fault as an error of code ERR_INVALID that
 * names file, line, the key, and for an unknown key the nearest known one ("agents/x.json:4: unknown key
 * "modle" (did you mean "model"?)").
 * "$schema" is always allowed at the root.
 */
struct json_field {
	const char *key;   /* NULL ends the table; "*": any further key */
	const char *types; /* letters: s string, n number, i integer, b bool, a array, o object, z null, S
			      array of strings */
	bool required;
	const char *choices; /* "none|bwrap|podman": allowed strings, or NULL */
	double min, max;     /* for n and i, if min < max */
};
int json_check(const struct json *root, const struct json *object, const char *name,
    const struct json_field *fields, struct err *err);
/* An ERR_INVALID about a node: "NAME:LINE: <text>", without the line if n is NULL or was not read from a
 * text. */
int json_error(const struct json *root, const struct json *n, const char *name, struct err *err,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The candidate nearest to word (Damerau-Levenshtein <= 2 and less than half its length), or NULL. */
const char *json_nearest(const char *word, const char *const *candidates);

/* Building.  Values are copied; a child given to json_add* belongs to its parent. */
struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_string(const char *s);
struct json *json_new_number(double n);
struct json *json_new_bool(bool b);
struct json *json_new_null(void);
struct json *json_copy(const struct json *n);
struct json *json_set(struct json *object, const char *key, struct json *value); /* replaces; returns value */
void json_set_string(struct json *object, const char *key, const char *s);       /* NULL becomes null */
void json_set_number(struct json *object, const char *key, double n);
void json_set_bool(struct json *object, const char *key, bool b);
struct json *json_append(struct json *array, struct json *value); /* returns value */
void json_append_string(struct json *array, const char *s);
void json_remove(struct json *object, const char *key);

char *json_print(
    const struct json *n, bool indented); /* owned; integers up to 2^53 without a fraction or exponent */

#endif
