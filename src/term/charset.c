/* charset: see charset.h.  ISO 2022; the graphics are those of the VT100 (xterm ctlseqs, "C0"). */
#include "term/charset.h"

#include "term/state.h"

enum { GRAPHICS_FIRST = 0x5f, GRAPHICS_LAST = 0x7e };

static const uint16_t graphics[GRAPHICS_LAST - GRAPHICS_FIRST + 1] = {
    0x0020,                                                         /* _ blank */
    0x25c6, 0x2592, 0x2409, 0x240c, 0x240d, 0x240a, 0x00b0, 0x00b1, /* ` a b c d e f g */
    0x2424, 0x240b, 0x2518, 0x2510, 0x250c, 0x2514, 0x253c, 0x23ba, /* h i j k l m n o */
    0x23bb, 0x2500, 0x23bc, 0x23bd, 0x251c, 0x2524, 0x2534, 0x252c, /* p q r s t u v w */
    0x2502, 0x2264, 0x2265, 0x03c0, 0x2260, 0x00a3, 0x00b7,         /* x y z { | } ~ */
};

void charset_update(struct term *t)
{
	const struct charsets *c = &t->charsets;

	t->plain = c->g[c->gl] == CHARSET_ASCII && c->single == 0 && !mode(t, MODE_INSERT);
}

void charset_designate(struct term *t, int g, char final)
{
	uint8_t set = CHARSET_ASCII;

	if (final == '0' || final == '2')
		set = CHARSET_GRAPHICS;
	else if (final == 'A')
		set = CHARSET_UK;
	t->charsets.g[g] = set;
	charset_update(t);
}

void charset_invoke(struct term *t, int g)
{
	t->charsets.gl = (uint8_t)g;
	charset_update(t);
}

void charset_single_shift(struct term *t, int g)
{
	t->charsets.single = (uint8_t)g;
	charset_update(t);
}

void charset_reset(struct term *t)
{
	t->charsets = (struct charsets){0};
	charset_update(t);
}

uint32_t charset_map(struct term *t, uint32_t c)
{
	struct charsets *s = &t->charsets;
	uint8_t set = s->g[s->single ? s->single : s->gl];

	if (s->single) {
		s->single = 0;
		charset_update(t);
	}
	if (set == CHARSET_GRAPHICS && c >= GRAPHICS_FIRST && c <= GRAPHICS_LAST)
		return graphics[c - GRAPHICS_FIRST];
	if (set == CHARSET_UK && c == '#')
		return 0xa3;
	return c;
}
