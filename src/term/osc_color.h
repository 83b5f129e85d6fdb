/*
 * osc_color: the colours that a program may ask for and change: the palette (OSC 4, 104), the special ones
 * (5, 105) and the dynamic ones (10-19, 110-119).
 */
#ifndef HANDLER_TERM_OSC_COLOR_H
#define HANDLER_TERM_OSC_COLOR_H

#include "cell/screen.h"
#include "cell/style.h"

struct term;

enum { DYNAMIC_FIRST = 10, DYNAMIC_FG = 10, DYNAMIC_BG = 11, DYNAMIC_CURSOR = 12, DYNAMIC_LAST = 19 };
enum { PALETTE_COLORS = 256, SPECIAL_COLORS = 5 /* bold, underline, blink, reverse, italic */ };

/* COLOR_DEFAULT everywhere: not changed. */
struct colors {
	struct palette palette;
	color_t
	    special[SPECIAL_COLORS]; /* kept for who asks; xterm draws with them only if its user says so */
	color_t dynamic[DYNAMIC_LAST - DYNAMIC_FIRST + 1]; /* the first two are also in palette */
	int changed;                                       /* how many of palette.index are changed */
};

void color_reset(struct term *t);
/* OSC 4 ; index ; colour|? ... and OSC 5, whose index 0 is 256 there. */
void osc_palette(struct term *t, int number, char *body, bool bel);
void osc_palette_reset(struct term *t, int number, char *body);     /* OSC 104 ; index ... and 105 */
void osc_dynamic(struct term *t, int number, char *body, bool bel); /* OSC 10..19 ; colour|? ... */
void osc_dynamic_reset(struct term *t, int number);                 /* OSC 110..119 */

#endif
