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

/* --- palette --- */

static void palette_set(struct term *t, int index, color_t c)
{
	color_t *entry = &t->colors.palette.index[index];

	t->colors.changed += (c != COLOR_DEFAULT) - (*entry != COLOR_DEFAULT);
	*entry = c;
}

static uint32_t palette_rgb(const struct term *t, int index)
{
	color_t c = t->colors.palette.index[index];

	if (c != COLOR_DEFAULT)
		return COLOR_VALUE(c);
	return index < 16 ? t->outer.palette[index] : color_palette_rgb((uint8_t)index);
}

/* Each part of a colour as two equal bytes, as xterm answers. */
#define RGB_FORMAT   "rgb:%02x%02x/%02x%02x/%02x%02x"
#define RGB_PARTS(c) PART(c, 16), PART(c, 16), PART(c, 8), PART(c, 8), PART(c, 0), PART(c, 0)
#define PART(c, by)  ((c) >> (by)&0xff)

void osc_palette(struct term *t, char *body, bool bel)
{
	char *index, *spec;
	uint32_t rgb;

	while ((index = text_piece(&body, ';')) && (spec = text_piece(&body, ';'))) {
		int n = text_number(index);

		if (n < 0 || n > 255)
			continue;
		rgb = palette_rgb(t, n);
		if (strcmp(spec, "?") == 0)
			reply_osc(t, bel, "4;%d;" RGB_FORMAT, n, RGB_PARTS(rgb));
		else if (color_parse(spec, &rgb))
			palette_set(t, n, to_color(rgb));
	}
}

void osc_palette_reset(struct term *t, char *body)
{
	char *index;

	if (!body || !*body) {
		for (int n = 0; n < 256; n++)
			palette_set(t, n, COLOR_DEFAULT);
		return;
	}
	while ((index = text_piece(&body, ';'))) {
		int n = text_number(index);

		if (n >= 0 && n <= 255)
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
