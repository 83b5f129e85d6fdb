/*
 * widths: the clusters that terminals give different numbers of columns, sorted into classes, and how the
 * terminal that is there is asked about each.  Pure: no descriptor, no clock, no curses.
 *
 * A class is doubted as long as nothing is known of it (unless mode 2027 promises what UAX 29 says), and when
 * the terminal's answer is not the number of columns that we count.  What is doubted is drawn so that the row
 * lines up whatever the terminal thinks: a tail that is blank, and an absolute move behind it; lines of
 * boxes, of which each would hide the one before it, in ASCII.  Other Ambiguous text is not asked about: who
 * has a terminal give it two columns cannot be shown letters that stand side by side in one each.
 */
#ifndef HANDLER_UI_WIDTHS_H
#define HANDLER_UI_WIDTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "cell/cell.h"

enum width_class {
	WIDTH_SETTLED, /* the same everywhere; never doubted */
	WIDTH_BOX,     /* U+2500..U+259F, which are East Asian Ambiguous */
	WIDTH_MARKED,  /* marks that take no column, of scripts beyond Latin, Greek, Cyrillic, Hebrew */
	WIDTH_INDIC,   /* conjuncts and vowel signs */
	WIDTH_JAMO,    /* Hangul in parts */
	WIDTH_SYMBOL,  /* wide since Unicode 9 */
	WIDTH_NEWER,   /* wide in later versions only */
	WIDTH_PRIVATE, /* icons, U+E000..U+F8FF */
	WIDTH_PRIVATE_PLANE,
	WIDTH_TEXT,  /* VS15 */
	WIDTH_EMOJI, /* VS16 */
	WIDTH_KEYCAP,
	WIDTH_FLAG,
	WIDTH_TONE, /* skin tones */
	WIDTH_ZWJ,
	WIDTH_ODD, /* anything else; cannot be asked about */
	WIDTH_CLASSES,
};

enum { WIDTH_UNKNOWN = -1 };

/* How many columns the terminal gives the probe of each class; WIDTH_UNKNOWN: it has not said. */
struct widths {
	int8_t columns[WIDTH_CLASSES];
	uint8_t answers; /* so far, to the last question */
	bool graphemes;  /* mode 2027 was on then */
};

void widths_init(struct widths *w);
/*
 * Appends what shows a cluster of each class, concealed, and asks for the place behind it: WIDTH_PROBES
 * answers (CPR) come.  It happens in the second row, which is blank afterwards; the terminal's cursor and pen
 * are to be set anew.  graphemes: mode 2027 is on.
 */
void widths_ask(struct widths *w, bool graphemes, struct buf *out);
enum { WIDTH_PROBES = WIDTH_CLASSES - 2 };
/* The next CPR, 1-based. */
void widths_answer(struct widths *w, int row, int col);
/* A bit for each class that is doubted. */
uint32_t widths_doubtful(const struct widths *w, bool graphemes);

enum width_class width_class(const uint32_t *cps, size_t count, bool wide);
/* Whether the terminal may give the glyph other columns than we do. */
bool widths_doubt(uint32_t doubtful, const struct cell_table *table, uint32_t glyph);

static inline bool widths_doubt_class(uint32_t doubtful, enum width_class class)
{
	return (doubtful >> class & 1) != 0;
}

#endif
