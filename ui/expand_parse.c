/*
 * expand_parse: the language that curses writes (expand.h, handler-curses.ti), read.
 *
 * Owns: its controls, the language's place and style that they set.  Must not know: what the outer terminal
 * can do.
 */
#include "base/utf8.h"
#include "ui/expand_private.h"

/* The whole screen becomes blank; the cursor stays. */
static void clear_screen(struct expand *e)
{
	static const struct style plain;

	e->blanks.count = 0;
	expand_set_pen(e, &plain);
	buf_adds(&e->body, "\033[2J");
	e->drawn = true;
}

struct control {
	int parameter[2], count;
	char final; /* 0: not a control of the language */
};

static size_t parse_number(const char *s, size_t len, int *n)
{
	size_t i = 0;

	*n = 0;
	for (; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
		if (*n < 1000000)
			*n = *n * 10 + (s[i] - '0');
	}
	return i;
}

/* CSI: at most two numbers; what has a private marker is of no interest (the cursor is ours). */
static size_t parse_csi(const char *s, size_t len, struct control *c)
{
	size_t i = 0;
	bool ignored = i < len && s[i] == '?';

	*c = (struct control){0};
	i += ignored;
	while (i < len && c->count < 2) {
		i += parse_number(s + i, len - i, &c->parameter[c->count++]);
		if (i >= len || s[i] != ';')
			break;
		i++;
	}
	if (i < len && !ignored)
		c->final = s[i];
	return i < len ? i + 1 : len;
}

static void do_control(struct expand *e, const struct control *c)
{
	int first = c->parameter[0];

	switch (c->final) {
	case 'H':
		e->at_row = first > 0 ? first - 1 : 0;
		e->at_col = c->parameter[1] > 0 ? c->parameter[1] - 1 : 0;
		break;
	case 'G':
		e->at_col = first > 0 ? first - 1 : 0;
		break;
	case 'J':
		clear_screen(e);
		break;
	}
}

/* APC n ST: a style handle. */
static size_t parse_style(struct expand *e, const char *s, size_t len)
{
	int handle;
	size_t i = parse_number(s, len, &handle);

	e->style = handle < CELL_STYLES_MAX ? (uint32_t)handle : 0;
	if (i + 1 < len && s[i] == '\033' && s[i + 1] == '\\')
		i += 2;
	return i;
}

/* s: after the ESC. */
static size_t parse_escape(struct expand *e, const char *s, size_t len)
{
	struct control c;
	size_t n;

	if (len == 0)
		return 0;
	if (s[0] == '_')
		return 1 + parse_style(e, s + 1, len - 1);
	if (s[0] != '[')
		return 1;
	n = parse_csi(s + 1, len - 1, &c);
	do_control(e, &c);
	return 1 + n;
}

static size_t parse_one(struct expand *e, const char *s, size_t len)
{
	uint32_t cp;
	int n;

	if (s[0] == '\033')
		return 1 + parse_escape(e, s + 1, len - 1);
	if ((unsigned char)s[0] >= 0x20 && (unsigned char)s[0] < 0x7f) {
		expand_put_char(e, (unsigned char)s[0]);
		return 1;
	}
	n = utf8_decode(s, len, &cp, NULL);
	if (n == 0)
		return len;
	if (cp >= 0x80)
		expand_put_char(e, cp);
	return (size_t)n;
}

void expand_parse(struct expand *e, const char *s, size_t len)
{
	while (len > 0) {
		size_t n = parse_one(e, s, len);

		s += n;
		len -= n;
	}
	expand_flush_blanks(e);
}
