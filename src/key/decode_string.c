/* decode_string: what a control string from the terminal says.  It is a reply to somebody's question or
 * nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "key/decode_internal.h"

enum { COMPONENT_DIGITS_MAX = 4 };

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* 1 to 4 hexadecimal digits scaled to 0..255 (XParseColor); *at moves behind them; -1: none, or too many. */
static int take_component(const char *s, size_t len, size_t *at, size_t digits_max)
{
	int value = 0, max = 0;
	size_t start = *at;

	while (*at < len && *at - start < digits_max && hex_digit(s[*at]) >= 0) {
		value = value * 16 + hex_digit(s[*at]);
		max = max * 16 + 15;
		(*at)++;
	}
	return max ? (value * 255 + max / 2) / max : -1;
}

/* "rgb:r/g/b", "rgba:r/g/b/a" with 1 to 4 digits each, or "#rrggbb", "#rrrrggggbbbb". */
static bool parse_color(const char *s, size_t len, int *rgb)
{
	bool hash = len > 0 && s[0] == '#';
	size_t digits = hash ? (len - 1) / 3 : COMPONENT_DIGITS_MAX;
	size_t at = hash ? 1 : 4;
	int value = 0;

	if (digits > COMPONENT_DIGITS_MAX)
		return false;
	if (!hash && len > 5 && memcmp(s, "rgba:", 5) == 0)
		at = 5;
	else if (!hash && (len < 5 || memcmp(s, "rgb:", 4) != 0))
		return false;
	for (int i = 0; i < 3; i++) {
		int component;

		if (i && !hash && (at >= len || s[at++] != '/'))
			return false;
		component = take_component(s, len, &at, digits);
		if (component < 0)
			return false;
		value = value << 8 | component;
	}
	*rgb = value;
	return true;
}

/* A decimal number and the ';' after it; -1: none. */
static int take_number(const char **s, size_t *len)
{
	int value = 0;
	size_t n = 0;

	while (n < *len && n < 6 && (*s)[n] >= '0' && (*s)[n] <= '9')
		value = value * 10 + (*s)[n++] - '0';
	if (n == 0 || (n < *len && (*s)[n] != ';'))
		return -1;
	if (n < *len)
		n++;
	*s += n;
	*len -= n;
	return value;
}

static void osc_decode(const char *body, size_t len, struct input *in)
{
	int number = take_number(&body, &len);
	int index = number == 4 ? take_number(&body, &len) : 0;
	int rgb;

	if (number == 52) {
		in->reply = REPLY_CLIPBOARD;
		return;
	}
	if (number != 4 && (number < 10 || number > 12))
		return;
	if (index < 0 || index > 255 || !parse_color(body, len, &rgb))
		return;
	in->reply = REPLY_COLOR;
	in->count = 3;
	in->number[0] = number;
	in->number[1] = index;
	in->number[2] = rgb;
}

static void dcs_decode(const char *body, size_t len, struct input *in)
{
	static const struct {
		const char *prefix;
		enum reply_type type;
	} kinds[] = {
	    {">|", REPLY_XTVERSION},
	    {"1+r", REPLY_TERMCAP},
	    {"1$r", REPLY_SETTING},
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		size_t prefix = strlen(kinds[i].prefix);

		if (len < prefix || memcmp(body, kinds[i].prefix, prefix) != 0)
			continue;
		in->reply = kinds[i].type;
		in->text = body + prefix;
		in->text_len = len - prefix;
		return;
	}
}

void string_decode(char kind, const char *body, size_t len, struct input *in)
{
	in->type = INPUT_REPLY;
	in->reply = REPLY_OTHER;
	if (kind == ']')
		osc_decode(body, len, in);
	else if (kind == 'P')
		dcs_decode(body, len, in);
}
