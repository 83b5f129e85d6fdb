/* osc_color: see osc_color.h.  xterm ctlseqs, "Operating System Commands". */
#include "term/osc_color.h"

#include <string.h>

#include "term/reply.h"
#include "term/state.h"
#include "term/text.h"

void color_reset(struct term *t)
{
	memset(&t->colors, 0, sizeof(t->colors));
}

static color_t to_color(uint32_t value)
{
	return COLOR_RGB(value >> 16, value >> 8, value);
}

/* Each part of a colour as two equal bytes, as xterm answers. */
#define RGB_FORMAT   "rgb:%02x%02x/%02x%02x/%02x%02x"
#define RGB_PARTS(c) PART(c, 16), PART(c, 16), PART(c, 8), PART(c, 8), PART(c, 0), PART(c, 0)
#define PART(c, by)  ((c) >> (by)&0xff)

/* --- palette --- */

static color_t *palette_entry(struct term *t, int index)
{
	return index < PALETTE_COLORS ? &t->colors.palette.index[index]
				      : &t->colors.special[index - PALETTE_COLORS];
}

static void palette_set(struct term *t, int index, color_t c)
{
	color_t *entry = palette_entry(t, index);

	if (index < PALETTE_COLORS)
		t->colors.changed += (c != COLOR_DEFAULT) - (*entry != COLOR_DEFAULT);
	*entry = c;
}

static uint32_t palette_rgb(struct term *t, int index)
{
	color_t c = *palette_entry(t, index);

	if (c != COLOR_DEFAULT)
		return COLOR_VALUE(c);
	if (index >= PALETTE_COLORS)
		return COLOR_VALUE(t->outer.fg);
	return index < 16 ? t->outer.palette[index] : color_palette_rgb((uint8_t)index);
}

/* The place of a colour by OSC 4's or 5's number; -1 for what is none. */
static int palette_index(const char *text, int offset)
{
	int n = text_number(text);

	return n >= 0 && n + offset < PALETTE_COLORS + SPECIAL_COLORS ? n + offset : -1;
}

static int palette_offset(int number)
{
	return number == 5 || number == 105 ? PALETTE_COLORS : 0;
}

void osc_palette(struct term *t, int number, char *body, bool bel)
{
	int offset = palette_offset(number);
	char *index, *spec;

	while ((index = text_piece(&body, ';')) && (spec = text_piece(&body, ';'))) {
		int n = palette_index(index, offset);
		uint32_t rgb;

		if (n < 0)
			continue;
		rgb = palette_rgb(t, n);
		if (strcmp(spec, "?") == 0)
			reply_osc(t, bel, "%d;%d;" RGB_FORMAT, number, n - offset, RGB_PARTS(rgb));
		else if (color_parse(spec, &rgb))
			palette_set(t, n, to_color(rgb));
	}
}

void osc_palette_reset(struct term *t, int number, char *body)
{
	int offset = palette_offset(number), end = offset ? PALETTE_COLORS + SPECIAL_COLORS : PALETTE_COLORS;
	char *index;

	if (!*body) {
		for (int n = offset; n < end; n++)
			palette_set(t, n, COLOR_DEFAULT);
		return;
	}
	while ((index = text_piece(&body, ';'))) {
		int n = palette_index(index, offset);

		if (n >= 0)
			palette_set(t, n, COLOR_DEFAULT);
	}
}

/* --- dynamic colours --- */

static color_t *dynamic(struct term *t, int number)
{
	return &t->colors.dynamic[number - DYNAMIC_FIRST];
}

static void dynamic_set(struct term *t, int number, color_t c)
{
	*dynamic(t, number) = c;
	if (number == DYNAMIC_FG)
		t->colors.palette.fg = c;
	else if (number == DYNAMIC_BG)
		t->colors.palette.bg = c;
}

/*
 * What stands for a colour that nobody has set: the pointer (13, 14) and a Tektronix window (15, 16, 18) are
 * drawn in the text's colours, and a selection (17, 19) is text in reverse.
 */
static uint32_t dynamic_rgb(struct term *t, int number)
{
	static const uint8_t same_as[] = {DYNAMIC_FG, DYNAMIC_BG, DYNAMIC_CURSOR, DYNAMIC_FG, DYNAMIC_BG,
	    DYNAMIC_FG, DYNAMIC_BG, DYNAMIC_FG, DYNAMIC_CURSOR, DYNAMIC_BG};
	color_t c = *dynamic(t, number);

	if (c == COLOR_DEFAULT) {
		number = same_as[number - DYNAMIC_FIRST];
		c = *dynamic(t, number);
	}
	if (c == COLOR_DEFAULT)
		c = number == DYNAMIC_FG ? t->outer.fg : number == DYNAMIC_BG ? t->outer.bg : t->outer.cursor;
	return COLOR_VALUE(c);
}

/* Several colours may follow each other: they are those of the next numbers. */
void osc_dynamic(struct term *t, int number, char *body, bool bel)
{
	char *spec;

	for (; number <= DYNAMIC_LAST && (spec = text_piece(&body, ';')); number++) {
		uint32_t rgb = dynamic_rgb(t, number);

		if (strcmp(spec, "?") == 0)
			reply_osc(t, bel, "%d;" RGB_FORMAT, number, RGB_PARTS(rgb));
		else if (color_parse(spec, &rgb))
			dynamic_set(t, number, to_color(rgb));
		else if (strcmp(spec, "default") == 0)
			dynamic_set(t, number, COLOR_DEFAULT);
	}
}

void osc_dynamic_reset(struct term *t, int number)
{
	dynamic_set(t, number, COLOR_DEFAULT);
}
