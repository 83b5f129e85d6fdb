/* widths: see widths.h.  Sources: UAX 11, UAX 29, UTS 51; East Asian Width of Unicode 9 to 16. */
#include "ui/widths.h"

#include <string.h>

#include "base/mem.h"
#include "base/unicode.h"

enum {
	PROBE_CODE_POINTS = 5,
	ZERO_WIDTH_JOINER = 0x200d,
	TEXT_SELECTOR = 0xfe0e,
	EMOJI_SELECTOR = 0xfe0f,
	KEYCAP_MARK = 0x20e3,
};

struct range {
	uint32_t first, last;
};

static bool is_in(uint32_t cp, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	}
	return false;
}

#define IS_IN(cp, ranges) is_in(cp, ranges, COUNT_OF(ranges))

/* --- one code point --- */

/* Wide since the first tables; what Unicode 13 to 16 added between them, or made wide, is left out. */
static bool is_settled_wide(uint32_t cp)
{
	static const struct range ranges[] = {
	    {0x1100, 0x115f},
	    {0x2e80, 0x2ffb},
	    {0x3000, 0x303e},
	    {0x3041, 0x31e3},
	    {0x31f0, 0x4dbf},
	    {0x4e00, 0xa4cf},
	    {0xac00, 0xd7a3},
	    {0xf900, 0xfaff},
	    {0xfe30, 0xfe6f},
	    {0xff01, 0xff60},
	    {0xffe0, 0xffe6},
	    {0x1f300, 0x1f320},
	    {0x1f330, 0x1f335},
	    {0x1f337, 0x1f37c},
	    {0x1f380, 0x1f393},
	    {0x1f3a0, 0x1f3c4},
	    {0x1f400, 0x1f43e},
	    {0x1f442, 0x1f4f7},
	    {0x1f600, 0x1f64f},
	    {0x20000, 0x3fffd},
	};

	return IS_IN(cp, ranges);
}

/* The emoji of the first plane that Unicode 9 made wide.  Trigrams and hexagrams came with Unicode 16. */
static bool is_symbol(uint32_t cp)
{
	static const struct range later[] = {{0x2630, 0x2637}, {0x268a, 0x268f}};

	return cp >= 0x231a && cp <= 0x2b55 && !IS_IN(cp, later);
}

static bool is_indicator(uint32_t cp)
{
	return cp >= 0x1f1e6 && cp <= 0x1f1ff;
}

static enum width_class class_of_wide(uint32_t cp)
{
	if (is_settled_wide(cp))
		return WIDTH_SETTLED;
	if (is_indicator(cp))
		return WIDTH_ODD;
	return is_symbol(cp) ? WIDTH_SYMBOL : WIDTH_NEWER;
}

static enum width_class class_of_narrow(uint32_t cp)
{
	if (cp < 0x80)
		return WIDTH_SETTLED;
	if (cp >= 0x2500 && cp <= 0x259f)
		return WIDTH_BOX;
	if (cp >= 0xe000 && cp <= 0xf8ff)
		return WIDTH_PRIVATE;
	return cp >= 0xf0000 ? WIDTH_PRIVATE_PLANE : WIDTH_SETTLED;
}

/* --- clusters --- */

/* Plain combining marks take no column anywhere; what joins, selects or colours does, here and there. */
static bool is_settled_mark(uint32_t cp)
{
	return (cp >= 0x300 && cp < 0x600) || (cp >= 0x1ab0 && cp < 0x1b00) ||
	       (cp >= 0x1dc0 && cp < 0x1e00) || (cp >= 0x3099 && cp <= 0x309a);
}

static bool is_tone(uint32_t cp)
{
	return cp >= 0x1f3fb && cp <= 0x1f3ff;
}

/* Scripts with conjuncts, or with vowel signs that some terminals give a column. */
static bool is_indic(uint32_t cp)
{
	static const struct range blocks[] = {
	    {0x0900, 0x0dff},
	    {0x0f00, 0x109f},
	    {0x1700, 0x1cff},
	    {0xa800, 0xabff},
	    {0x11000, 0x11fff},
	};

	return IS_IN(cp, blocks);
}

static bool is_jamo(uint32_t cp)
{
	return (cp >= 0x1100 && cp <= 0x11ff) || (cp >= 0xa960 && cp <= 0xa97c) ||
	       (cp >= 0xac00 && cp <= 0xd7fb);
}

/* Each of the code points behind the first holds for the whole cluster. */
static bool all_behind(const uint32_t *cps, size_t count, bool (*holds)(uint32_t cp))
{
	for (size_t i = 1; i < count; i++) {
		if (!holds(cps[i]))
			return false;
	}
	return true;
}

static bool has(const uint32_t *cps, size_t count, uint32_t cp)
{
	for (size_t i = 1; i < count; i++) {
		if (cps[i] == cp)
			return true;
	}
	return false;
}

static bool takes_no_column(uint32_t cp)
{
	return unicode_width(cp) == 0;
}

static enum width_class class_of_emoji(const uint32_t *cps, size_t count, bool wide)
{
	if (has(cps, count, ZERO_WIDTH_JOINER))
		return wide ? WIDTH_ZWJ : WIDTH_ODD;
	if (has(cps, count, KEYCAP_MARK))
		return WIDTH_KEYCAP;
	if (is_indicator(cps[0]))
		return count == 2 && is_indicator(cps[1]) ? WIDTH_FLAG : WIDTH_ODD;
	if (all_behind(cps, count, is_tone))
		return WIDTH_TONE;
	if (count == 2 && cps[1] == EMOJI_SELECTOR)
		return wide ? WIDTH_EMOJI : WIDTH_ODD;
	if (count == 2 && cps[1] == TEXT_SELECTOR)
		return WIDTH_TEXT;
	return WIDTH_ODD;
}

enum width_class width_class(const uint32_t *cps, size_t count, bool wide)
{
	enum width_class class;

	if (count == 0)
		return WIDTH_ODD;
	if (count == 1 || all_behind(cps, count, is_settled_mark))
		return wide ? class_of_wide(cps[0]) : class_of_narrow(cps[0]);
	if (is_indic(cps[0]))
		return WIDTH_INDIC;
	if (is_jamo(cps[0]) && all_behind(cps, count, is_jamo))
		return WIDTH_JAMO;
	class = class_of_emoji(cps, count, wide);
	if (class == WIDTH_ODD && !wide && cps[0] < 0x2000 && all_behind(cps, count, takes_no_column))
		return WIDTH_MARKED;
	return class;
}

bool widths_doubt(uint32_t doubtful, const struct cell_table *table, uint32_t glyph)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count;

	if (doubtful == 0 || glyph < 0x80 || glyph & GLYPH_TAIL)
		return false;
	count = table_glyph(table, glyph, cps);
	return widths_doubt_class(doubtful, width_class(cps, count, (glyph & GLYPH_WIDE) != 0));
}

/* --- asking --- */

/*
 * One cluster stands for its class, the one that terminals got right last: a joined sequence of Emoji 15.1
 * whose second part is no emoji of its own, the newest wide emoji, a conjunct with a vowel sign.
 */
static const struct {
	enum width_class class;
	uint32_t cps[PROBE_CODE_POINTS];
} probes[WIDTH_PROBES] = {
    {WIDTH_BOX, {0x2500}},
    {WIDTH_MARKED, {0x0e17, 0x0e35, 0x0e48}},
    {WIDTH_INDIC, {0x0915, 0x094d, 0x0937, 0x093f}},
    {WIDTH_JAMO, {0x1112, 0x1161, 0x11ab}},
    {WIDTH_SYMBOL, {0x26a1}},
    {WIDTH_NEWER, {0x1fae9}},
    {WIDTH_PRIVATE, {0xf09b}},
    {WIDTH_PRIVATE_PLANE, {0xf02d4}},
    {WIDTH_TEXT, {0x231a, TEXT_SELECTOR}},
    {WIDTH_EMOJI, {0x2764, EMOJI_SELECTOR}},
    {WIDTH_KEYCAP, {'1', EMOJI_SELECTOR, KEYCAP_MARK}},
    {WIDTH_FLAG, {0x1f1e9, 0x1f1ea}},
    {WIDTH_TONE, {0x1f44d, 0x1f3fd}},
    {WIDTH_ZWJ, {0x1f642, ZERO_WIDTH_JOINER, 0x2194, EMOJI_SELECTOR}},
};

static size_t probe_length(size_t probe)
{
	size_t n = 0;

	while (n < PROBE_CODE_POINTS && probes[probe].cps[n])
		n++;
	return n;
}

void widths_init(struct widths *w)
{
	*w = (struct widths){0};
	memset(w->columns, WIDTH_UNKNOWN, sizeof(w->columns));
}

/* The second row: a report of the first one would look like F3 with modifiers. */
void widths_ask(struct widths *w, bool graphemes, struct buf *out)
{
	widths_init(w);
	w->graphemes = graphemes;
	buf_adds(out, "\033[8m");
	for (size_t i = 0; i < WIDTH_PROBES; i++) {
		buf_adds(out, "\033[2H");
		for (size_t k = 0; k < probe_length(i); k++)
			buf_add_utf8(out, probes[i].cps[k]);
		buf_adds(out, "\033[6n");
	}
	buf_adds(out, "\033[m\033[2H\033[2K\033[H");
}

void widths_answer(struct widths *w, int row, int col)
{
	if (w->answers >= WIDTH_PROBES)
		return;
	if (row >= 1 && row <= 2 && col >= 1 && col <= INT8_MAX)
		w->columns[probes[w->answers].class] = (int8_t)(col - 1);
	w->answers++;
}

/* Boxes are not doubted without a reason: they are almost everywhere what they are to us, and stand
 * everywhere. */
static bool is_common(enum width_class class)
{
	return class == WIDTH_SETTLED || class == WIDTH_BOX;
}

uint32_t widths_doubtful(const struct widths *w, bool graphemes)
{
	uint32_t doubtful = 0;

	for (int class = 0; !graphemes && class < WIDTH_CLASSES; class ++)
		doubtful |= is_common((enum width_class) class) ? 0 : 1u << class;
	for (size_t i = 0; i < WIDTH_PROBES; i++) {
		uint32_t bit = 1u << probes[i].class;
		int told = w->columns[probes[i].class];

		if (told == WIDTH_UNKNOWN || (graphemes && !w->graphemes && probe_length(i) > 1))
			continue; /* how clusters were measured before the mode was on says nothing */
		doubtful &= ~bit;
		if (told != cluster_width(probes[i].cps, probe_length(i)))
			doubtful |= bit;
	}
	return doubtful;
}
