/*
 * jsonc_edit: a scanner that finds the place of a member in a text that is known to be valid, and splices
 * there.
 */
#include "harness/jsonc_edit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* White space and comments */
static const char *skip_space(const char *p)
{
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (p[0] == '/' && p[1] == '/') {
			p += strcspn(p, "\n");
		} else if (p[0] == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");

			p = end ? end + 2 : p + strlen(p);
		} else {
			return p;
		}
	}
}

/* p at the opening quote; returns what is behind the closing one. */
static const char *skip_string(const char *p)
{
	for (p++; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
	}
	return *p ? p + 1 : p;
}

/* One character of a string, which has no other escape that a key of ours could be written with than \uXXXX.
 */
static unsigned long take_char(const char **p)
{
	char digits[5] = "";
	unsigned long c = (unsigned char)**p;

	if ((*p)[0] != '\\' || (*p)[1] != 'u' || strlen(*p) < 6) {
		(*p)++;
		return c;
	}
	memcpy(digits, *p + 2, 4);
	*p += 6;
	return strtoul(digits, NULL, 16);
}

/* Whether the string from p to end, without its quotes, says key. */
static bool says(const char *p, const char *end, const char *key, size_t len)
{
	while (p < end && len > 0 && take_char(&p) == (unsigned char)*key) {
		key++;
		len--;
	}
	return p == end && len == 0;
}

/* One value of any kind: an object or array to its matching bracket. */
static const char *skip_value(const char *p)
{
	int depth = 0;

	while (*p) {
		p = skip_space(p);
		if (*p == '"') {
			p = skip_string(p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			depth--;
			p++;
		} else if (depth > 0 && (*p == ',' || *p == ':')) {
			p++;
			continue;
		} else {
			p += strcspn(p, ",:]}/ \t\r\n\"");
		}
		if (depth <= 0)
			return p;
	}
	return p;
}

/* Where a member stands, or where it would be put. */
struct place {
	const char *value, *end; /* of the member's value; NULL: there is none */
	const char *last;        /* behind the last member's value, or behind the opening brace */
	bool empty;              /* no member at all */
	bool comma;              /* a comma follows the last member already */
};

/* open: at the '{' of an object. */
static struct place find_member(const char *open, const char *key, size_t len)
{
	struct place place = {.last = open + 1, .empty = true};
	const char *p = skip_space(open + 1);

	while (*p == '"') {
		const char *name = p + 1;
		const char *behind = skip_string(p);
		const char *value = skip_space(skip_space(behind) + 1);
		const char *end = skip_value(value);

		if (says(name, behind - 1, key, len)) {
			place.value = value;
			place.end = end;
			return place;
		}
		place.empty = false;
		place.last = end;
		p = skip_space(end);
		place.comma = *p == ',';
		if (place.comma) {
			place.last = p + 1;
			p = skip_space(p + 1);
		}
	}
	return place;
}

/* A comment in the rest of the last member's line belongs to that member. */
static const char *end_of_line_comment(const char *p)
{
	const char *rest = p + strspn(p, " \t");

	if (rest[0] == '/' && rest[1] == '/')
		return rest + strcspn(rest, "\n");
	return p;
}

/* {"a": {"b": value}} for the keys of path that are not there. */
static void add_member(struct buf *out, const char *path, const char *value)
{
	size_t len = strcspn(path, ".");

	buf_printf(out, "\"%.*s\": ", (int)len, path);
	if (path[len] == '\0') {
		buf_adds(out, value);
		return;
	}
	buf_addc(out, '{');
	add_member(out, path + len + 1, value);
	buf_addc(out, '}');
}

static void insert_member(struct buf *out, const char *from, const struct place *place, int depth,
    const char *path, const char *value)
{
	const char *last = place->last;
	const char *rest;

	buf_add(out, from, (size_t)(last - from));
	if (!place->empty && !place->comma)
		buf_addc(out, ',');
	rest = end_of_line_comment(last);
	buf_add(out, last, (size_t)(rest - last));
	buf_addc(out, '\n');
	for (int i = 0; i <= depth; i++)
		buf_adds(out, "  ");
	add_member(out, path, value);
	if (place->empty && *skip_space(rest) == '}' && !strchr(rest, '\n'))
		buf_addc(out, '\n');
	buf_adds(out, rest);
}

void jsonc_set(struct buf *out, const char *text, const char *path, const char *value)
{
	const char *from = *skip_space(text) ? text : "{\n}\n";
	const char *open = skip_space(from);

	for (int depth = 0;; depth++) {
		size_t len = strcspn(path, ".");
		struct place place = find_member(open, path, len);

		if (!place.value) {
			insert_member(out, from, &place, depth, path, value);
			return;
		}
		if (path[len] == '\0' || *place.value != '{') {
			AUTO_BUF nested = BUF_INIT;

			if (path[len] != '\0') {
				buf_addc(&nested, '{');
				add_member(&nested, path + len + 1, value);
				buf_addc(&nested, '}');
			}
			buf_add(out, from, (size_t)(place.value - from));
			buf_adds(out, nested.len ? nested.data : value);
			buf_adds(out, place.end);
			return;
		}
		open = place.value;
		path += len + 1;
	}
}
