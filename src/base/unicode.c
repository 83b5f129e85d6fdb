/*
 * unicode: the rules of UAX 29 (extended grapheme clusters) and the columns of a cluster.  The rules are
 * written here, the data is in unicode_tables.c; nothing here knows a code point that a property could name.
 */
#include "base/unicode.h"

/* What the rules that look further back than one code point have seen; these do not overlap. */
enum state {
	STATE_START, /* nothing */
	STATE_NONE,
	STATE_INDICATOR,        /* an odd number of regional indicators */
	STATE_PICTOGRAPHIC,     /* Extended_Pictographic Extend* */
	STATE_PICTOGRAPHIC_ZWJ, /* Extended_Pictographic Extend* ZWJ */
	STATE_CONSONANT,        /* Consonant Extend* */
	STATE_LINKED,           /* Consonant [Extend Linker]* Linker [Extend Linker]* */
};

#define BIT(class) (1u << (class))
#define CONTROLS   (BIT(BREAK_CR) | BIT(BREAK_LF) | BIT(BREAK_CONTROL))
#define EXTENDING                                                                                            \
	(BIT(BREAK_EXTEND) | BIT(BREAK_ZWNJ) | BIT(BREAK_LINKER) | BIT(BREAK_ZWJ) | BIT(BREAK_SPACING_MARK))

/* GB3, GB6, GB7, GB8: what each class is joined to whatever came before. */
static const uint32_t joined_after[32] = {
    [BREAK_CR] = BIT(BREAK_LF),
    [BREAK_L] = BIT(BREAK_L) | BIT(BREAK_V) | BIT(BREAK_LV) | BIT(BREAK_LVT),
    [BREAK_V] = BIT(BREAK_V) | BIT(BREAK_T),
    [BREAK_LV] = BIT(BREAK_V) | BIT(BREAK_T),
    [BREAK_T] = BIT(BREAK_T),
    [BREAK_LVT] = BIT(BREAK_T),
};

static enum break_class class_of(uint32_t cp)
{
	return (enum break_class)(unicode_properties(cp) & UNICODE_CLASS_MASK);
}

static bool is_in(enum break_class class, uint32_t set)
{
	return (set >> class & 1) != 0;
}

static bool is_border(enum state state, enum break_class prev, enum break_class class)
{
	if (state == STATE_START) /* GB1 */
		return true;
	if (is_in(class, joined_after[prev])) /* GB3, GB6-GB8 */
		return false;
	if (is_in(prev, CONTROLS) || is_in(class, CONTROLS)) /* GB4, GB5 */
		return true;
	if (is_in(class, EXTENDING) || prev == BREAK_PREPEND) /* GB9, GB9a, GB9b */
		return false;
	if (class == BREAK_CONSONANT) /* GB9c */
		return state != STATE_LINKED;
	if (class == BREAK_PICTOGRAPHIC) /* GB11 */
		return state != STATE_PICTOGRAPHIC_ZWJ;
	if (class == BREAK_REGIONAL_INDICATOR) /* GB12, GB13 */
		return state != STATE_INDICATOR;
	return true; /* GB999 */
}

/* After a code point that neither starts a run nor ends one. */
static enum state state_after_extending(enum state state, enum break_class class)
{
	switch (state) {
	case STATE_PICTOGRAPHIC:
		return class == BREAK_ZWJ ? STATE_PICTOGRAPHIC_ZWJ : STATE_PICTOGRAPHIC;
	case STATE_CONSONANT:
	case STATE_LINKED:
		if (class == BREAK_ZWNJ)
			return STATE_NONE;
		return class == BREAK_LINKER ? STATE_LINKED : state;
	default:
		return STATE_NONE;
	}
}

static enum state next_state(enum state state, enum break_class class)
{
	switch (class) {
	case BREAK_REGIONAL_INDICATOR:
		return state == STATE_INDICATOR ? STATE_NONE : STATE_INDICATOR;
	case BREAK_PICTOGRAPHIC:
		return STATE_PICTOGRAPHIC;
	case BREAK_CONSONANT:
		return STATE_CONSONANT;
	case BREAK_EXTEND:
	case BREAK_ZWNJ:
	case BREAK_LINKER:
	case BREAK_ZWJ:
		return state_after_extending(state, class);
	default:
		return STATE_NONE;
	}
}

bool grapheme_break(struct grapheme *g, uint32_t cp)
{
	enum break_class class = class_of(cp);
	bool border = is_border((enum state)g->state, (enum break_class)g->prev, class);

	g->prev = (uint8_t) class;
	g->state = (uint8_t)next_state((enum state)g->state, class);
	return border;
}

enum { TEXT_SELECTOR = 0xFE0E, EMOJI_SELECTOR = 0xFE0F };

/* The first code point that takes a column and is not prepended to another; else one that takes a column;
 * else count. */
static size_t base_of(const uint32_t *cps, size_t count)
{
	size_t i, prepended = count;

	for (i = 0; i < count; i++) {
		if (unicode_width(cps[i]) <= 0)
			continue;
		if (class_of(cps[i]) != BREAK_PREPEND)
			return i;
		prepended = i;
	}
	return prepended;
}

static bool takes_selector(uint32_t cp)
{
	return (unicode_properties(cp) & UNICODE_EMOJI_BASE) != 0;
}

int cluster_width(const uint32_t *cps, size_t count)
{
	size_t i, base = base_of(cps, count);
	int width;

	if (base == count)
		return 0;
	width = unicode_width(cps[base]);
	for (i = base + 1; i < count; i++) {
		if (cps[i] == EMOJI_SELECTOR) {
			width = takes_selector(cps[i - 1]) ? 2 : width;
		} else if (cps[i] == TEXT_SELECTOR) {
			width = i == base + 1 && takes_selector(cps[base]) ? 1 : width;
		} else if (class_of(cps[i]) == BREAK_REGIONAL_INDICATOR) {
			width = 2;
		} else if (is_in(class_of(cps[i]), EXTENDING)) {
			width += unicode_width(cps[i]);
		}
	}
	return width > 2 ? 2 : width;
}
