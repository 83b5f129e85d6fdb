/* osc_color: the colours that a program may ask for and change: the palette (OSC 4, 104) and the dynamic ones
 * (10-19, 110-119). */
#ifndef HANDLER_TERM_OSC_COLOR_H
#define HANDLER_TERM_OSC_COLOR_H

#include "cell/screen.h"
#include "cell/style.h"

struct term;

enum { DYNAMIC_FIRST = 10, DYNAMIC_FG = 10, DYNAMIC_BG = 11, DYNAMIC_CURSOR = 12, DYNAMIC_LAST = 19 };

struct colors {
	struct palette palette;
	color_t dynamic[DYNAMIC_LAST - DYNAMIC_FIRST +
			1]; /* COLOR_DEFAULT: not changed; 10 and 11 are also in palette */
	int changed;        /* entries of the palette that are not COLOR_DEFAULT */
};

void color_reset(struct term *t);
void osc_palette(struct term *t, char *body, bool bel);             /* OSC 4 ; index ; colour|? ... */
void osc_palette_reset(struct term *t, char *body);                 /* OSC 104 ; index ... */
void osc_dynamic(struct term *t, int number, char *body, bool bel); /* OSC 10..19 ; colour|? ... */
void osc_dynamic_reset(struct term *t, int number);                 /* OSC 110..119 */

#endif
