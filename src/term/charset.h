/* charset: G0..G3, shifts, and the two character sets that are not ASCII (DEC special graphics, ISO 646-GB).
 */
#ifndef HANDLER_TERM_CHARSET_H
#define HANDLER_TERM_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

struct term;

enum charset { CHARSET_ASCII, CHARSET_GRAPHICS, CHARSET_UK };

struct charsets {
	uint8_t g[4];   /* enum charset */
	uint8_t gl;     /* which of g is invoked into GL; what is in GR means nothing in UTF-8 */
	uint8_t single; /* 2, 3: SS2 or SS3 for the next character; 0: none */
};

/* SCS: designates the set with this final byte as G0..G3; an unknown one is ASCII. */
void charset_designate(struct term *t, int g, char final);
void charset_invoke(struct term *t, int g); /* SI, SO, LS2, LS3 */
void charset_single_shift(struct term *t, int g);
void charset_reset(struct term *t);
/* Recomputes t->plain: to be called when charsets or insert mode have changed. */
void charset_update(struct term *t);
/* What a code point of ASCII means now; ends a single shift. */
uint32_t charset_map(struct term *t, uint32_t c);

#endif
