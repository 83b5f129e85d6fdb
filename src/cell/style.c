/* style: colour tables, the nearest colour, colour names, and SGR.  Knows values only: no table, no terminal.
 */
#include "cell/style.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What xterm gives the first sixteen (its resources color0..color15). */
static const uint32_t ansi_rgb[16] = {
    0x000000,
    0xcd0000,
    0x00cd00,
    0xcdcd00,
    0x0000ee,
    0xcd00cd,
    0x00cdcd,
    0xe5e5e5, /* */
    0x7f7f7f,
    0xff0000,
    0x00ff00,
    0xffff00,
    0x5c5cff,
    0xff00ff,
    0x00ffff,
    0xffffff,
};

/* 16..231: a cube of six levels a channel; 232..255: greys (xterm's 256colres). */
uint32_t color_palette_rgb(uint8_t index)
{
	static const uint8_t level[6] = {0, 95, 135, 175, 215, 255};

	if (index < 16)
		return ansi_rgb[index];
	if (index >= 232) {
		uint32_t grey = 8 + 10 * (uint32_t)(index - 232);

		return grey << 16 | grey << 8 | grey;
	}
	index -= 16;
	return (uint32_t)level[index / 36] << 16 | (uint32_t)level[index / 6 % 6] << 8 | level[index % 6];
}

/*
 * How different two colours look: the eye is least sensitive to blue in dark reds and to red in dark blues,
 * so the weights of both depend on the mean red ("redmean").  Close to CIE76 in Lab at a hundredth of the
 * cost.
 */
static uint32_t color_distance(uint32_t a, uint32_t b)
{
	int red = (int)(a >> 16 & 255), mean = (red + (int)(b >> 16 & 255)) / 2;
	int dr = red - (int)(b >> 16 & 255), dg = (int)(a >> 8 & 255) - (int)(b >> 8 & 255);
	int db = (int)(a & 255) - (int)(b & 255);

	return (uint32_t)(((512 + mean) * dr * dr) >> 8) + (uint32_t)(4 * dg * dg) +
	       (uint32_t)(((767 - mean) * db * db) >> 8);
}

static uint8_t nearest(uint32_t rgb, int first, int last)
{
	uint32_t best = UINT32_MAX;
	int found = first;

	for (int i = first; i <= last && best > 0; i++) {
		uint32_t distance = color_distance(rgb, color_palette_rgb((uint8_t)i));

		if (distance < best) {
			best = distance;
			found = i;
		}
	}
	return (uint8_t)found;
}

uint8_t color_to_256(uint32_t rgb)
{
	return nearest(rgb, 16, 255);
}

uint8_t color_to_16(uint32_t rgb)
{
	return nearest(rgb, 0, 15);
}

static int hex_digits(const char *s)
{
	int n = 0;

	while (isxdigit((unsigned char)s[n]))
		n++;
	return n;
}

static uint32_t hex_value(const char *s, int digits)
{
	uint32_t v = 0;

	for (int i = 0; i < digits; i++) {
		char c = s[i];

		v = v << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return v;
}

/* "#" and 3, 6, 9 or 12 digits: the most significant bits of each channel, so #fff is f0f0f0 (XParseColor).
 */
static bool parse_hash(const char *s, uint32_t *rgb)
{
	int digits = hex_digits(s), each = digits / 3;

	if (digits == 0 || digits % 3 != 0 || each > 4 || s[digits])
		return false;
	*rgb = 0;
	for (int i = 0; i < 3; i++) {
		uint32_t v = hex_value(s + i * each, each);

		*rgb = *rgb << 8 | (each == 1 ? v << 4 : v >> (4 * each - 8));
	}
	return true;
}

/* "rgb:" r/g/b, each of 1..4 digits and scaled to its own range, so rgb:f/f/f is white (XParseColor). */
static bool parse_device(const char *s, uint32_t *rgb)
{
	*rgb = 0;
	for (int i = 0; i < 3; i++) {
		int digits = hex_digits(s);
		uint32_t max;

		if (digits < 1 || digits > 4 || s[digits] != (i < 2 ? '/' : '\0'))
			return false;
		max = (1u << 4 * digits) - 1;
		*rgb = *rgb << 8 | (hex_value(s, digits) * 255 + max / 2) / max;
		s += digits + 1;
	}
	return true;
}

static bool equal_nocase(const char *a, const char *b)
{
	while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

bool color_parse(const char *s, uint32_t *rgb)
{
	static const char *const name[8] = {
	    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};

	if (s[0] == '#')
		return parse_hash(s + 1, rgb);
	if ((s[0] | 0x20) == 'r' && (s[1] | 0x20) == 'g' && (s[2] | 0x20) == 'b' && s[3] == ':')
		return parse_device(s + 4, rgb);
	for (int i = 0; i < 8; i++) {
		if (equal_nocase(s, name[i])) {
			*rgb = (i & 1 ? 0xff0000u : 0) | (i & 2 ? 0xff00u : 0) | (i & 4 ? 0xffu : 0);
			return true;
		}
	}
	return false;
}

struct sgr {
	char *out;
	int len;
};

static void sgr_add(struct sgr *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void sgr_add(struct sgr *g, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (g->len > 0 && g->len < STYLE_SGR_MAX - 1)
		g->out[g->len++] = ';';
	va_start(ap, fmt);
	n = vsnprintf(g->out + g->len, (size_t)(STYLE_SGR_MAX - g->len), fmt, ap);
	va_end(ap);
	g->len += n < STYLE_SGR_MAX - g->len ? n : STYLE_SGR_MAX - 1 - g->len;
}

/* base: 30 for the foreground, 40 for the background (ECMA-48 8.3.117; 90.. and 100.. are aixterm's). */
static void sgr_color(struct sgr *g, color_t c, int base)
{
	unsigned v = COLOR_VALUE(c);

	if (COLOR_IS_RGB(c))
		sgr_add(g, "%d;2;%u;%u;%u", base + 8, v >> 16, v >> 8 & 255, v & 255);
	else if (COLOR_IS_INDEX(c) && v < 8)
		sgr_add(g, "%u", (unsigned)base + v);
	else if (COLOR_IS_INDEX(c) && v < 16)
		sgr_add(g, "%u", (unsigned)base + 60 + v - 8);
	else if (COLOR_IS_INDEX(c))
		sgr_add(g, "%d;5;%u", base + 8, v);
}

/* The underline's kind and colour have sub-parameters only (kitty's "Colored and styled underlines"; ISO
 * 8613-6). */
static void sgr_underline(struct sgr *g, const struct style *s)
{
	unsigned v = COLOR_VALUE(s->underline_color);

	if (s->underline == UNDERLINE_SINGLE)
		sgr_add(g, "4");
	else if (s->underline != UNDERLINE_NONE)
		sgr_add(g, "4:%u", (unsigned)s->underline);
	if (COLOR_IS_RGB(s->underline_color))
		sgr_add(g, "58:2::%u:%u:%u", v >> 16, v >> 8 & 255, v & 255);
	else if (COLOR_IS_INDEX(s->underline_color))
		sgr_add(g, "58:5:%u", v);
}

int style_sgr(const struct style *s, char out[STYLE_SGR_MAX])
{
	static const struct {
		uint16_t attribute;
		uint8_t parameter;
	} attributes[] = {
	    {ATTR_BOLD, 1},
	    {ATTR_DIM, 2},
	    {ATTR_ITALIC, 3},
	    {ATTR_BLINK, 5},
	    {ATTR_REVERSE, 7},
	    {ATTR_CONCEAL, 8},
	    {ATTR_STRIKE, 9},
	    {ATTR_OVERLINE, 53},
	};
	struct sgr g = {.out = out, .len = 0};

	out[0] = '\0';
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (s->attrs & attributes[i].attribute)
			sgr_add(&g, "%u", (unsigned)attributes[i].parameter);
	}
	sgr_underline(&g, s);
	sgr_color(&g, s->fg, 30);
	sgr_color(&g, s->bg, 40);
	return g.len;
}
