/*
 * style: how a cell looks, as a value, and colours.
 *
 * A colour is a 32-bit value: COLOR_DEFAULT, COLOR_INDEX(0..255) of the palette, or COLOR_RGB.  What a
 * palette index looks like is decided where it is drawn.
 */
#ifndef HANDLER_CELL_STYLE_H
#define HANDLER_CELL_STYLE_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t color_t;

#define COLOR_DEFAULT  ((color_t)0)
#define COLOR_INDEX(i) ((color_t)(0x01000000u | (uint8_t)(i)))
#define COLOR_RGB(r, g, b)                                                                                   \
	((color_t)(0x02000000u | (uint32_t)(uint8_t)(r) << 16 | (uint32_t)(uint8_t)(g) << 8 | (uint8_t)(b)))
#define COLOR_IS_INDEX(c) ((c) >> 24 == 1)
#define COLOR_IS_RGB(c)   ((c) >> 24 == 2)
#define COLOR_VALUE(c)    ((c)&0xffffffu)

enum attribute {
	ATTR_BOLD = 1 << 0,      /* SGR 1 */
	ATTR_DIM = 1 << 1,       /* SGR 2 */
	ATTR_ITALIC = 1 << 2,    /* SGR 3 */
	ATTR_BLINK = 1 << 3,     /* SGR 5, 6 */
	ATTR_REVERSE = 1 << 4,   /* SGR 7 */
	ATTR_CONCEAL = 1 << 5,   /* SGR 8 */
	ATTR_STRIKE = 1 << 6,    /* SGR 9 */
	ATTR_OVERLINE = 1 << 7,  /* SGR 53 */
	ATTR_PROTECTED = 1 << 8, /* DECSCA: not erased by DECSED, DECSEL; draws nothing */
};

/* SGR 4:N and 21 */
enum underline {
	UNDERLINE_NONE,
	UNDERLINE_SINGLE,
	UNDERLINE_DOUBLE,
	UNDERLINE_CURLY,
	UNDERLINE_DOTTED,
	UNDERLINE_DASHED
};

struct style {
	color_t fg, bg, underline_color;
	uint16_t attrs;    /* enum attribute */
	uint8_t underline; /* enum underline */
	uint8_t spare;     /* 0: the struct has no padding, so it can be compared and hashed as bytes */
	uint32_t link;     /* handle in the table's links, 0: none */
};
_Static_assert(sizeof(struct style) == 20, "a style is compared as bytes");

/* The 256 colours of xterm (0x00RRGGBB); 0..15 are what is assumed where the outer terminal does not tell. */
uint32_t color_palette_rgb(uint8_t index);
/* The nearest palette entry: among 16..255 (color_to_256) or 0..15 (color_to_16). */
uint8_t color_to_256(uint32_t rgb);
uint8_t color_to_16(uint32_t rgb);
/* "#rgb", "#rrggbb", "rgb:r/g/b" with 1..4 hex digits each (XParseColor), and the eight ANSI names.  false:
 * none of these. */
bool color_parse(const char *s, uint32_t *rgb);

/* SGR parameters ("1;38;2;1;2;3") that give `s` from the default style; out holds at least STYLE_SGR_MAX
 * bytes. */
enum { STYLE_SGR_MAX = 128 };
int style_sgr(const struct style *s, char out[STYLE_SGR_MAX]);

#endif
