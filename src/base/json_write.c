/* json_write: a tree as text.  Numbers are exact, whole ones without a fraction, and no locale changes them.
 */
#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

static void write_escaped(struct buf *out, uint32_t cp)
{
	static const char letters[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	if (cp == '"' || cp == '\\')
		buf_printf(out, "\\%c", (char)cp);
	else if (cp < COUNT_OF(letters) && letters[cp])
		buf_printf(out, "\\%c", letters[cp]);
	else if (cp < 0x20 || cp == 0x7F)
		buf_printf(out, "\\u%04x", (unsigned)cp);
	else
		buf_add_utf8(out, cp);
}

/* What is not UTF-8 becomes U+FFFD: a reader must never get text that is no JSON. */
static void write_string(struct buf *out, const char *s)
{
	size_t len = strlen(s);

	buf_addc(out, '"');
	while (len > 0) {
		uint32_t cp = UTF8_REPLACEMENT;
		int n = utf8_decode(s, len, &cp, NULL);

		write_escaped(out, cp);
		s += n ? (size_t)n : len;
		len -= n ? (size_t)n : len;
	}
	buf_addc(out, '"');
}

/* The shortest of 15 to 17 digits that reads back as the same number. */
static void write_fraction(struct buf *out, double n)
{
	const char *point = localeconv()->decimal_point;
	char text[40], *at;
	int digits;

	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, n);
		if (strtod(text, NULL) == n)
			break;
	}
	at = strstr(text, point);
	if (!at) {
		buf_adds(out, text);
		return;
	}
	buf_add(out, text, (size_t)(at - text));
	buf_addc(out, '.');
	buf_adds(out, at + strlen(point));
}

static void write_number(struct buf *out, const struct json *n)
{
	double value = json_number(n, 0);
	int64_t whole = json_int(n, INT64_MIN);

	if (!isfinite(value))
		buf_adds(out, "null");
	else if (whole != INT64_MIN)
		buf_printf(out, "%lld", (long long)whole);
	else
		write_fraction(out, value);
}

static void write_break(struct buf *out, bool indented, int depth)
{
	if (indented)
		buf_printf(out, "\n%*s", depth * 2, "");
}

static void write_node(struct buf *out, const struct json *n, bool indented, int depth);

static void write_items(struct buf *out, const struct json *n, bool indented, int depth)
{
	bool object = json_type(n) == JSON_OBJECT;
	const struct json *item;

	buf_addc(out, object ? '{' : '[');
	for (item = json_first(n); item; item = json_next(item)) {
		write_break(out, indented, depth + 1);
		if (object) {
			write_string(out, json_key(item));
			buf_adds(out, indented ? ": " : ":");
		}
		write_node(out, item, indented, depth + 1);
		if (json_next(item))
			buf_addc(out, ',');
	}
	if (json_first(n))
		write_break(out, indented, depth);
	buf_addc(out, object ? '}' : ']');
}

static void write_node(struct buf *out, const struct json *n, bool indented, int depth)
{
	switch (json_type(n)) {
	case JSON_NULL:
		buf_adds(out, "null");
		break;
	case JSON_BOOL:
		buf_adds(out, json_bool(n, false) ? "true" : "false");
		break;
	case JSON_NUMBER:
		write_number(out, n);
		break;
	case JSON_STRING:
		write_string(out, json_string(n, ""));
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		write_items(out, n, indented, depth);
		break;
	}
}

char *json_print(const struct json *n, bool indented)
{
	struct buf out = BUF_INIT;

	write_node(&out, n, indented, 0);
	return buf_steal(&out);
}
