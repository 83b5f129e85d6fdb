/* json_text: see json_text.h.  A recursive descent over the text; JSON_MAX_DEPTH bounds the recursion. */
#include "base/json_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { LONGEST_NUMBER = 63 }; /* what cJSON reads of one */

struct scan {
	char *text; /* what is blanked is overwritten in place, so offsets and lines stay */
	size_t at, len;
	int line;
	int depth;
	int *lines;
	size_t count, capacity;
	const char *name;
	struct err *err;
};

static int fail_at(struct scan *s, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int fail_at(struct scan *s, int line, const char *fmt, ...)
{
	AUTO_BUF text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	return err_set(s->err, ERR_INVALID, "%s:%d: %s", s->name, line, text.data);
}

static char peek(const struct scan *s)
{
	return s->at < s->len ? s->text[s->at] : '\0'; /* NUL bytes were refused before */
}

static bool looking_at(const struct scan *s, const char *word)
{
	return strncmp(s->text + s->at, word, strlen(word)) == 0; /* the text ends with NUL */
}

/* "wanted X, found Y" */
static int fail_unexpected(struct scan *s, const char *wanted)
{
	uint32_t cp;
	int n;
	AUTO_FREE char *shown = NULL;

	if (s->at >= s->len)
		return fail_at(s, s->line, "%s is missing at the end of the text", wanted);
	n = utf8_decode(s->text + s->at, s->len - s->at, &cp, NULL);
	shown = utf8_sanitize(s->text + s->at, (size_t)n, 0);
	if (*shown && strcmp(shown, " ") != 0)
		return fail_at(s, s->line, "%s is missing before '%s'", wanted, shown);
	return fail_at(s, s->line, "%s is missing before the character U+%04X", wanted, (unsigned)cp);
}

/* ---- what is not a value ---- */

static void blank(struct scan *s, size_t from)
{
	for (; from < s->at; from++) {
		if (s->text[from] != '\n' && s->text[from] != '\r')
			s->text[from] = ' ';
	}
}

static int skip_comment(struct scan *s)
{
	size_t from = s->at;
	int line = s->line;

	if (s->text[s->at + 1] == '/') {
		s->at += strcspn(s->text + s->at, "\n");
		blank(s, from);
		return 0;
	}
	for (s->at += 2; !looking_at(s, "*/"); s->at++) {
		if (s->at >= s->len)
			return fail_at(s, line, "the comment that begins here has no end");
		s->line += s->text[s->at] == '\n';
	}
	s->at += 2;
	blank(s, from);
	return 0;
}

static int skip_blank(struct scan *s)
{
	for (;;) {
		char c = peek(s);

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
			s->line += c == '\n';
			s->at++;
		} else if (looking_at(s, "//") || looking_at(s, "/*")) {
			if (skip_comment(s) < 0)
				return -1;
		} else {
			return 0;
		}
	}
}

/* ---- values ---- */

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF", *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) % 16 : -1;
}

/* "\uXXXX" at the position: its value, or -1 */
static int unicode_escape(const struct scan *s, size_t at)
{
	int value = 0, i;

	if (s->text[at] != '\\' || s->text[at + 1] != 'u')
		return -1;
	for (i = 0; i < 4; i++) {
		int digit = hex_digit(s->text[at + 2 + (size_t)i]);

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

/* Surrogates come in pairs, and U+0000 would end a C string. */
static int scan_unicode_escape(struct scan *s)
{
	int value = unicode_escape(s, s->at), low;

	if (value < 0)
		return fail_at(s, s->line, "\\u needs four hexadecimal digits");
	if (value == 0)
		return fail_at(s, s->line, "\\u0000 is not allowed in a string");
	s->at += 6;
	if (value < 0xD800 || value > 0xDFFF)
		return 0;
	low = value < 0xDC00 ? unicode_escape(s, s->at) : -1;
	if (low < 0xDC00 || low > 0xDFFF)
		return fail_at(s, s->line, "\\u%04x is half of a surrogate pair", (unsigned)value);
	s->at += 6;
	return 0;
}

static int scan_escape(struct scan *s)
{
	char c = s->text[s->at + 1];

	if (c == 'u')
		return scan_unicode_escape(s);
	if (c == '\0' || !strchr("\"\\/bfnrt", c))
		return fail_at(s, s->line, "a backslash in a string must be written as \\\\");
	s->at += 2;
	return 0;
}

static int scan_string(struct scan *s)
{
	for (s->at++; peek(s) != '"';) {
		if (s->at >= s->len || s->text[s->at] == '\n')
			return fail_at(s, s->line, "the string has no closing quotation mark on its line");
		if ((unsigned char)s->text[s->at] < 0x20)
			return fail_at(s, s->line,
			    "the control character U+%04X in a string must be written as \\u%04x",
			    (unsigned)s->text[s->at], (unsigned)s->text[s->at]);
		if (s->text[s->at] != '\\')
			s->at++;
		else if (scan_escape(s) < 0)
			return -1;
	}
	s->at++;
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips digits; false if there is none. */
static bool scan_digits(struct scan *s)
{
	size_t from = s->at;

	while (is_digit(peek(s)))
		s->at++;
	return s->at > from;
}

/* RFC 8259 section 6 */
static int scan_number(struct scan *s)
{
	size_t from = s->at;
	bool good = true;

	s->at += peek(s) == '-';
	if (peek(s) == '0' && is_digit(s->text[s->at + 1]))
		return fail_at(s, s->line, "a number must not begin with 0");
	good = scan_digits(s);
	if (good && peek(s) == '.') {
		s->at++;
		good = scan_digits(s);
	}
	if (good && (peek(s) == 'e' || peek(s) == 'E')) {
		s->at++;
		s->at += peek(s) == '-' || peek(s) == '+';
		good = scan_digits(s);
	}
	if (!good)
		return fail_unexpected(s, "a digit of the number");
	if (s->at - from > LONGEST_NUMBER)
		return fail_at(s, s->line, "the number has more than %d characters", LONGEST_NUMBER);
	return 0;
}

static int scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};
	size_t i, len = strspn(
		      s->text + s->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-$");

	for (i = 0; i < COUNT_OF(words); i++) {
		if (len == strlen(words[i]) && looking_at(s, words[i])) {
			s->at += len;
			return 0;
		}
	}
	if (len == 0)
		return fail_unexpected(s, "a value");
	return fail_at(s, s->line, "'%.*s' is not a value: strings need quotation marks",
	    len > 40 ? 40 : (int)len, s->text + s->at);
}

static void add_line(struct scan *s)
{
	if (s->count == s->capacity) {
		s->capacity = s->capacity ? s->capacity * 2 : 64;
		s->lines = mem_realloc(s->lines, s->capacity, sizeof(*s->lines));
	}
	s->lines[s->count++] = s->line;
}

static int scan_value(struct scan *s);

static int scan_member(struct scan *s)
{
	if (peek(s) != '"')
		return fail_unexpected(s, "a key in quotation marks");
	add_line(s);
	if (scan_string(s) < 0 || skip_blank(s) < 0)
		return -1;
	if (peek(s) != ':')
		return fail_unexpected(s, "':' after the key");
	s->at++;
	if (skip_blank(s) < 0)
		return -1;
	return scan_value(s);
}

static int scan_element(struct scan *s)
{
	add_line(s);
	return scan_value(s);
}

/* What an array and an object have in common: items, commas, and one comma too many at the end. */
static int scan_items(struct scan *s, char close, int (*scan_item)(struct scan *s), const char *wanted)
{
	if (++s->depth > JSON_MAX_DEPTH)
		return fail_at(s, s->line, "there are more than %d levels of nesting", (int)JSON_MAX_DEPTH);
	s->at++;
	if (skip_blank(s) < 0)
		return -1;
	while (peek(s) != close) {
		size_t comma;

		if (scan_item(s) < 0 || skip_blank(s) < 0)
			return -1;
		if (peek(s) == close)
			break;
		if (peek(s) != ',')
			return fail_unexpected(s, wanted);
		comma = s->at++;
		if (skip_blank(s) < 0)
			return -1;
		if (peek(s) == close)
			s->text[comma] = ' ';
	}
	s->at++;
	s->depth--;
	return 0;
}

static int scan_value(struct scan *s)
{
	char c = peek(s);

	if (c == '{')
		return scan_items(s, '}', scan_member, "',' or '}'");
	if (c == '[')
		return scan_items(s, ']', scan_element, "',' or ']'");
	if (c == '"')
		return scan_string(s);
	if (c == '-' || is_digit(c))
		return scan_number(s);
	return scan_word(s);
}

static int scan_text(struct scan *s)
{
	static const char byte_order_mark[] = "\xEF\xBB\xBF";

	if (looking_at(s, byte_order_mark)) {
		s->at = 3;
		blank(s, 0);
	}
	if (skip_blank(s) < 0)
		return -1;
	if (s->at == s->len)
		return fail_at(s, s->line, "there is no value in it");
	if (scan_element(s) < 0 || skip_blank(s) < 0)
		return -1;
	if (s->at < s->len)
		return fail_at(s, s->line, "there is something after the end of the value");
	return 0;
}

static int line_of(const char *text, size_t offset)
{
	int line = 1;
	size_t i;

	for (i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

static int check_bytes(struct scan *s)
{
	const char *nul = memchr(s->text, '\0', s->len);
	size_t offset;

	if (nul)
		return fail_at(s, line_of(s->text, (size_t)(nul - s->text)), "there is a NUL byte");
	if (!utf8_valid(s->text, s->len, &offset))
		return fail_at(s, line_of(s->text, offset), "the byte 0x%02X is not UTF-8",
		    (unsigned char)s->text[offset]);
	return 0;
}

int json_text_init(struct json_text *t, const char *text, size_t len, const char *name, struct err *err)
{
	struct scan s = {.len = len, .line = 1, .name = name, .err = err};

	s.text = mem_alloc(len + 1);
	memcpy(s.text, text, len);
	s.text[len] = '\0';
	if (check_bytes(&s) < 0 || scan_text(&s) < 0) {
		free(s.text);
		free(s.lines);
		return -1;
	}
	*t = (struct json_text){.text = s.text, .len = len, .lines = s.lines, .count = s.count};
	return 0;
}

void json_text_finish(struct json_text *t)
{
	free(t->text);
	free(t->lines);
	*t = (struct json_text){0};
}
