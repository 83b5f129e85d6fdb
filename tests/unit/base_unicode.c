/* base/unicode: widths and the rules of UAX 29, Unicode 16. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/unicode.h"

/* ---- borders ---- */

/* "÷ 0061 × 0301 ÷" in the notation of GraphemeBreakTest.txt: every sign is checked but the last. */
static void check_borders(const char *line)
{
	struct grapheme g = {0};
	bool border = false;
	const char *at = line;

	while (*at) {
		size_t len = strcspn(at, " ");

		if (strncmp(at, "÷", len) == 0) {
			border = true;
		} else if (strncmp(at, "×", len) == 0) {
			border = false;
		} else {
			uint32_t cp = (uint32_t)strtoul(at, NULL, 16);

			if (grapheme_break(&g, cp) != border)
				fail_msg("%s: at %04X", line, (unsigned)cp);
		}
		at += len + (at[len] == ' ');
	}
}

static void borders(void **state)
{
	static const char *const lines[] = {
	    "÷ 0061 ÷ 0062 ÷ 0020 ÷ 4E2D ÷ AC00 ÷", /* GB1, GB999 */
	    "÷ 0301 ÷ 0061 ÷",                      /* a mark without a base is one by itself */
	    "÷ 000D × 000A ÷ 000D ÷ 000D × 000A ÷", /* GB3 */
	    "÷ 000A ÷ 000A ÷ 000D ÷ 0061 ÷",
	    "÷ 0061 ÷ 000A ÷ 0301 ÷ 0061 ÷", /* GB4, GB5 */
	    "÷ 0061 ÷ 200B ÷ 0301 ÷",        /* a format control is a control */
	    "÷ 1100 × 1161 × 11A8 ÷ 1100 ÷", /* GB6, GB7, GB8 */
	    "÷ 1100 × 1100 × AC00 × 11A8 × 11A8 ÷",
	    "÷ AC01 × 11A8 ÷ 1161 ÷",
	    "÷ AC00 × 1161 × 11A8 ÷ 1161 ÷",
	    "÷ 1161 ÷ 1100 ÷",
	    "÷ 1100 × 0301 ÷ 1161 ÷",               /* a mark separates jamo */
	    "÷ 0065 × 0301 × 0323 ÷ 0065 ÷",        /* GB9 */
	    "÷ 0061 × 200D × 200D × 0301 ÷ 0062 ÷", /* ZWJ joins to the left only */
	    "÷ 0061 × 200C ÷ 0062 ÷",
	    "÷ 0061 × 1F3FB ÷ 0062 ÷",       /* a skin tone extends anything */
	    "÷ 0E01 × 0E33 ÷ 0E01 ÷",        /* GB9a: SARA AM */
	    "÷ 0915 × 093E ÷ 0915 ÷",        /* a spacing vowel sign */
	    "÷ 0600 × 0661 ÷ 0600 ÷ 000A ÷", /* GB9b, not before a control */
	    "÷ 0600 × 0600 × 0061 ÷",
	    /* GB9c */
	    "÷ 0915 × 094D × 0924 ÷", /* kta */
	    "÷ 0915 × 094D × 094D × 0924 ÷",
	    "÷ 0915 × 094D × 200D × 0924 ÷", /* with ZWJ */
	    "÷ 0915 × 200D × 094D × 0924 ÷",
	    "÷ 0915 × 093C × 200D × 094D × 0924 ÷", /* nukta, ZWJ, virama */
	    "÷ 0915 × 093C × 094D × 200D × 0924 ÷",
	    "÷ 0915 × 094D × 0924 × 094D × 092F ÷", /* a chain */
	    "÷ 0915 ÷ 0924 ÷",
	    "÷ 0915 × 200D ÷ 0924 ÷",        /* no linker */
	    "÷ 0915 × 094D × 200C ÷ 0924 ÷", /* ZWNJ keeps them apart */
	    "÷ 0915 × 200C × 094D ÷ 0924 ÷",
	    "÷ 0915 × 094D ÷ 0061 ÷", /* a linker links consonants only */
	    "÷ 0061 × 094D ÷ 0924 ÷",
	    "÷ 0915 × 093E × 094D ÷ 0924 ÷", /* a spacing mark ends the conjunct */
	    "÷ 0915 × 094D ÷ 0020 × 094D ÷ 0924 ÷",
	    "÷ 0995 × 09CD × 09A4 ÷", /* Bengali, Gujarati, Oriya, Telugu, Malayalam */
	    "÷ 0A95 × 0ACD × 0AA4 ÷",
	    "÷ 0B15 × 0B4D × 0B24 ÷",
	    "÷ 0C15 × 0C4D × 0C24 ÷",
	    "÷ 0D15 × 0D4D × 0D24 ÷",
	    "÷ 0B95 × 0BCD ÷ 0BA4 ÷", /* Tamil has no linker */
	    /* GB11 */
	    "÷ 1F469 × 200D × 1F469 × 200D × 1F467 ÷ 1F467 ÷",
	    "÷ 1F469 × 1F3FD × 200D × 1F4BB ÷",
	    "÷ 2764 × FE0F × 200D × 1F525 ÷",
	    "÷ 00A9 × 200D × 00AE ÷",
	    "÷ 1F469 × 200D × 0301 ÷ 1F469 ÷", /* ZWJ must come right before */
	    "÷ 1F469 × 200D × 200D ÷ 1F469 ÷",
	    "÷ 0061 × 200D ÷ 1F469 ÷", /* and a pictograph before it */
	    "÷ 1F469 × 200D ÷ 0061 ÷",
	    "÷ 1F469 ÷ 1F469 ÷",
	    "÷ 1F469 × 0903 × 200D ÷ 1F469 ÷",           /* a spacing mark is not Extend */
	    "÷ 1F3F4 × E0067 × E0062 × E007F ÷ 1F3F4 ÷", /* tags */
	    "÷ 0031 × FE0F × 20E3 ÷ 0031 ÷",             /* keycap */
	    /* GB12, GB13 */
	    "÷ 1F1E9 × 1F1EA ÷ 1F1EB × 1F1F7 ÷ 1F1E9 ÷",
	    "÷ 0061 ÷ 1F1E9 × 1F1EA ÷ 1F1EB ÷ 0062 ÷",
	    "÷ 1F1E9 × 200D ÷ 1F1EA × 1F1EB ÷",
	    "÷ 1F1E9 × 1F1EA × 0301 ÷ 1F1EB ÷",
	    "÷ 0600 × 1F1E9 × 1F1EA ÷ 1F1EB ÷",
	    /* Unicode 16: Kirat Rai vowels are V, Tulu-Tigalari and Gurung Khema marks extend */
	    "÷ 16D63 × 16D67 ÷",
	    "÷ 11380 × 113CE ÷",
	    "÷ 16100 × 1611E ÷",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(lines); i++)
		check_borders(lines[i]);
}

/*
 * Every pair of classes, one character for each: "x" where no border lies between row and column.  From the
 * rules of UAX 29 by hand; a linker or ZWJ has nothing before it here, so GB9c and GB11 join nothing.
 */
static void every_pair_of_classes(void **state)
{
	static const uint32_t members[] = {0x61, 0x0D, 0x0A, 0x200B, 0x301, 0x200C, 0x94D, 0x200D, 0x1F1E6,
	    0x600, 0x903, 0x1100, 0x1161, 0x11A8, 0xAC00, 0xAC01, 0x1F600, 0x915};
	static const char *const joined[] = {
	    /*            aRNCExLZrP_LVThHpc */
	    /* Other   */ "....xxxx..x.......",
	    /* CR      */ "..x...............",
	    /* LF      */ "..................",
	    /* Control */ "..................",
	    /* Extend  */ "....xxxx..x.......",
	    /* ZWNJ    */ "....xxxx..x.......",
	    /* Linker  */ "....xxxx..x.......",
	    /* ZWJ     */ "....xxxx..x.......",
	    /* RI      */ "....xxxxx.x.......",
	    /* Prepend */ "x...xxxxxxxxxxxxxx",
	    /* Spacing */ "....xxxx..x.......",
	    /* L       */ "....xxxx..xxx.xx..",
	    /* V       */ "....xxxx..x.xx....",
	    /* T       */ "....xxxx..x..x....",
	    /* LV      */ "....xxxx..x.xx....",
	    /* LVT     */ "....xxxx..x..x....",
	    /* Pict    */ "....xxxx..x.......",
	    /* Conson  */ "....xxxx..x.......",
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT_OF(members); i++) {
		assert_int_equal(strlen(joined[i]), COUNT_OF(members));
		for (j = 0; j < COUNT_OF(members); j++) {
			struct grapheme g = {0};

			assert_true(grapheme_break(&g, members[i]));
			if (grapheme_break(&g, members[j]) != (joined[i][j] == '.'))
				fail_msg("U+%04X U+%04X", (unsigned)members[i], (unsigned)members[j]);
		}
	}
}

/* ---- columns ---- */

static void widths(void **state)
{
	static const struct {
		uint32_t first, last;
		int width;
	} cases[] = {
	    {0x00, 0x1F, -1}, {0x20, 0x7E, 1}, {0x7F, 0x9F, -1}, {0xA0, 0x2FF, 1}, /* U+00AD among them */
	    {0x300, 0x36F, 0}, {0x483, 0x489, 0}, {0x600, 0x605, 1}, {0x903, 0x903, 0}, {0x93E, 0x93E, 0},
	    {0xE01, 0xE30, 1}, {0xE31, 0xE31, 0}, {0xE33, 0xE33, 1},
	    {0x1100, 0x115F, 2}, /* Hangul: initial, medial, final */
	    {0x1160, 0x11FF, 0}, {0xD7B0, 0xD7C6, 0}, {0xD7CB, 0xD7FB, 0}, {0x200B, 0x200F, 0},
	    {0x2028, 0x202E, 0}, {0x2060, 0x206F, 0}, {0x2190, 0x2199, 1}, /* ambiguous */
	    {0x231A, 0x231B, 2},                                           /* emoji by default */
	    {0x2500, 0x25A0, 1}, {0x2630, 0x2637, 2},                      /* wide since Unicode 16 */
	    {0x2764, 0x2764, 1}, {0x2E80, 0x2E99, 2}, {0x302A, 0x302F, 0}, {0x3041, 0x3096, 2},
	    {0x3099, 0x309A, 0}, {0x3400, 0x4DBF, 2}, {0x4DC0, 0x4DFF, 2}, {0x4E00, 0x9FFF, 2},
	    {0xA960, 0xA97C, 2}, {0xAC00, 0xD7A3, 2}, {0xE000, 0xF8FF, 1}, /* private use */
	    {0xF900, 0xFAFF, 2}, {0xFE00, 0xFE0F, 0}, {0xFEFF, 0xFEFF, 0}, {0xFF01, 0xFF60, 2},
	    {0xFF61, 0xFF9F, 1}, {0xFFE0, 0xFFE6, 2}, {0xFFFD, 0xFFFD, 1},
	    {0x16D63, 0x16D63, 1}, /* a vowel sign of class V that is a letter with a column */
	    {0x17000, 0x187F7, 2}, {0x1F1E6, 0x1F1FF, 2}, {0x1F300, 0x1F320, 2}, {0x1F3FB, 0x1F3FF, 2},
	    {0x1FAE8, 0x1FAE9, 2}, /* Unicode 15, Unicode 16 */
	    {0x20000, 0x2FFFD, 2}, {0x30000, 0x3FFFD, 2}, {0xE0001, 0xE0001, 0}, {0xE0020, 0xE007F, 0},
	    {0xE0100, 0xE01EF, 0}, {0xF0000, 0xFFFFD, 1}, {0x10FFFD, 0x10FFFD, 1},
	    {0x110000, 0x110010, 1}, /* what is no code point is shown as U+FFFD */
	};
	size_t i;
	uint32_t cp;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		for (cp = cases[i].first; cp <= cases[i].last; cp++) {
			if (unicode_width(cp) != cases[i].width)
				fail_msg("U+%04X is %d wide", (unsigned)cp, unicode_width(cp));
		}
	}
	assert_int_equal(unicode_width(UINT32_MAX), 1);
}

static void cluster_widths(void **state)
{
	static const struct {
		uint32_t cps[8];
		int width;
	} cases[] = {
	    {{'a'}, 1},
	    {{0x4E2D}, 2},
	    {{'e', 0x301, 0x323}, 1},
	    {{0x4E2D, 0x301}, 2},
	    {{0x301}, 0},
	    {{0x200D, 0xFE0F}, 0},
	    {{'\n'}, 0},
	    {{'\r', '\n'}, 0},
	    {{0x1100, 0x1161, 0x11A8}, 2},
	    {{0xAC00, 0x11A8}, 2},
	    {{0x115F, 0x1161}, 2},
	    /* emoji */
	    {{0x1F600}, 2},
	    {{0x1F469, 0x200D, 0x1F4BB}, 2},
	    {{0x1F469, 0x1F3FD, 0x200D, 0x1F4BB}, 2},
	    {{0x1F1E9, 0x1F1EA}, 2},
	    {{0x1F1E9}, 2},
	    {{0x1F3F4, 0xE0067, 0xE0062, 0xE007F}, 2},
	    {{'1', 0xFE0F, 0x20E3}, 2},
	    {{'1', 0x20E3}, 1},
	    /* variation selectors */
	    {{0x2764}, 1},
	    {{0x2764, 0xFE0F}, 2},
	    {{0x2764, 0xFE0E}, 1},
	    {{0x2764, 0xFE0F, 0x200D, 0x1F525}, 2},
	    {{0x231A, 0xFE0E}, 1},
	    {{0x231A, 0xFE0F}, 2},
	    {{0x1F441, 0x200D, 0x1F5E8, 0xFE0F}, 2},
	    {{'a', 0xFE0F}, 1}, /* not an emoji */
	    {{0x4E2D, 0xFE0E}, 2},
	    {{0x1F9D1, 0xFE0E}, 2}, /* no such sequence is defined */
	    {{0x2764, 0x301, 0xFE0F}, 1},
	    /* skin tones */
	    {{0x261D, 0x1F3FB}, 2},
	    {{'a', 0x1F3FB}, 2},
	    {{0x1F3FB}, 2},
	    /* extending code points with a column of their own */
	    {{0x0E01, 0x0E33}, 2},
	    {{0xFF76, 0xFF9E}, 2},
	    {{0x0E33}, 1},
	    {{0x0E01, 0x0E33, 0x0E33}, 2},
	    {{0x304B, 0xFF9E}, 2},
	    /* conjuncts and vowel signs */
	    {{0x0915, 0x094D, 0x0937}, 1},
	    {{0x0915, 0x093E}, 1},
	    {{0x0915, 0x093F, 0x0902}, 1},
	    /* prepended marks */
	    {{0x600, 0x661}, 1},
	    {{0x600, 0x4E2D}, 2},
	    {{0x600}, 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		size_t count = 0;

		while (count < COUNT_OF(cases[i].cps) && cases[i].cps[count])
			count++;
		if (cluster_width(cases[i].cps, count) != cases[i].width)
			fail_msg("case %zu (U+%04X ...): %d", i, (unsigned)cases[i].cps[0],
			    cluster_width(cases[i].cps, count));
	}
	assert_int_equal(cluster_width(NULL, 0), 0);
}

/* ---- the tables ---- */

static void the_tables_are_what_the_data_gives(void **state)
{
	static const char generator[] = "src/base/unicode/generate.py", python[] = "/usr/bin/python3";

	(void)state;
	if (access(generator, R_OK) != 0 || access(python, X_OK) != 0)
		skip(); /* not run from the top of the tree */
	assert_int_equal(system("/usr/bin/python3 src/base/unicode/generate.py --check"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(borders),
	    cmocka_unit_test(every_pair_of_classes),
	    cmocka_unit_test(widths),
	    cmocka_unit_test(cluster_widths),
	    cmocka_unit_test(the_tables_are_what_the_data_gives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
