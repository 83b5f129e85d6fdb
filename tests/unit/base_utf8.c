/* base/utf8: table 3-7 of Unicode 16 against an oracle made from every code point; sanitizing; columns. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* ---- the oracle: the definition of UTF-8, by arithmetic ---- */

static bool is_scalar(uint32_t cp)
{
	return cp < 0xD800 || (cp > 0xDFFF && cp < 0x110000);
}

static int oracle_encode(uint32_t cp, unsigned char out[4])
{
	int len = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4, i;
	static const unsigned char marks[5] = {0, 0x00, 0xC0, 0xE0, 0xF0};

	for (i = len - 1; i > 0; i--) {
		out[i] = (unsigned char)(0x80 + cp % 64);
		cp /= 64;
	}
	out[0] = (unsigned char)(marks[len] + cp);
	return len;
}

enum { NEITHER, PREFIX, WHOLE };

/* For the first one, two and three bytes of every well-formed sequence: whether they are it or begin it. */
static struct oracle {
	unsigned char one[1 << 8], two[1 << 16], three[1 << 24];
} * oracle;

static int make_oracle(void **state)
{
	uint32_t cp;

	(void)state;
	oracle = mem_zalloc(1, sizeof(*oracle));
	for (cp = 0; cp < 0x110000; cp++) {
		unsigned char s[4];
		int len;

		if (!is_scalar(cp))
			continue;
		len = oracle_encode(cp, s);
		oracle->one[s[0]] = len == 1 ? WHOLE : PREFIX;
		if (len >= 2)
			oracle->two[s[0] << 8 | s[1]] = len == 2 ? WHOLE : PREFIX;
		if (len >= 3)
			oracle->three[s[0] << 16 | s[1] << 8 | s[2]] = len == 3 ? WHOLE : PREFIX;
	}
	return 0;
}

static int free_oracle(void **state)
{
	(void)state;
	free(oracle);
	return 0;
}

/* ---- encoding and decoding ---- */

static void every_code_point_goes_round(void **state)
{
	uint32_t cp, back;

	(void)state;
	for (cp = 0; cp < 0x110000; cp++) {
		unsigned char want[4];
		char got[4];
		bool ok = false;
		int len = is_scalar(cp) ? oracle_encode(cp, want) : oracle_encode(0xFFFD, want);

		if (utf8_encode(cp, got) != len || memcmp(got, want, (size_t)len) != 0 ||
		    utf8_decode(got, (size_t)len, &back, &ok) != len || !ok ||
		    back != (is_scalar(cp) ? cp : 0xFFFD))
			fail_msg("U+%04X", (unsigned)cp);
	}
	assert_int_equal(utf8_encode(0xFFFFFFFF, (char[4]){0}), 3);
}

/* What decoding bytes must return, from the oracle: consumed, and whether it is well-formed. */
static int expected(const unsigned char *s, size_t len, bool *ok)
{
	int kinds[3] = {oracle->one[s[0]], NEITHER, NEITHER};
	size_t i;

	if (len > 1)
		kinds[1] = oracle->two[s[0] << 8 | s[1]];
	if (len > 2)
		kinds[2] = oracle->three[s[0] << 16 | s[1] << 8 | s[2]];
	for (i = 0; i < len; i++) {
		*ok = kinds[i] == WHOLE;
		if (kinds[i] == WHOLE)
			return (int)i + 1;
		if (kinds[i] == NEITHER)
			return i == 0 ? 1 : (int)i; /* the maximal subpart ends before */
	}
	return 0;
}

static void compare(const unsigned char *s, size_t len)
{
	bool ok = true, want_ok = true;
	uint32_t cp = 0;
	int want = expected(s, len, &want_ok);
	int got = utf8_decode((const char *)s, len, &cp, &ok);

	if (got != want || (got && ok != want_ok) || (got && !ok && cp != 0xFFFD))
		fail_msg("%02X %02X %02X (%zu): %d, not %d", s[0], len > 1 ? s[1] : 0, len > 2 ? s[2] : 0,
		    len, got, want);
}

static void every_byte_and_pair(void **state)
{
	int a, b;

	(void)state;
	for (a = 0; a < 256; a++) {
		compare((unsigned char[]){(unsigned char)a}, 1);
		for (b = 0; b < 256; b++)
			compare((unsigned char[]){(unsigned char)a, (unsigned char)b}, 2);
	}
}

static void every_triple_with_a_long_lead(void **state)
{
	int a, b, c;

	(void)state;
	for (a = 0xDF; a < 256; a++) {
		for (b = 0; b < 256; b++) {
			for (c = 0; c < 256; c++)
				compare(
				    (unsigned char[]){(unsigned char)a, (unsigned char)b, (unsigned char)c},
				    3);
		}
	}
}

static void the_fourth_byte(void **state)
{
	static const unsigned char leads[][3] = {{0xF0, 0x90, 0x80}, {0xF0, 0xBF, 0xBF}, {0xF1, 0x80, 0x80},
	    {0xF3, 0xBF, 0xBF}, {0xF4, 0x80, 0x80}, {0xF4, 0x8F, 0xBF}};
	size_t i;
	int d;

	(void)state;
	for (i = 0; i < COUNT_OF(leads); i++) {
		for (d = 0; d < 256; d++) {
			char s[4] = {(char)leads[i][0], (char)leads[i][1], (char)leads[i][2], (char)d};
			bool ok, good = d >= 0x80 && d <= 0xBF;
			uint32_t cp;

			assert_int_equal(utf8_decode(s, 4, &cp, &ok), good ? 4 : 3);
			assert_int_equal(ok, good);
		}
	}
}

static void nothing_more_is_needed_with_nothing(void **state)
{
	uint32_t cp;

	(void)state;
	assert_int_equal(utf8_decode("", 0, &cp, NULL), 0);
	assert_int_equal(utf8_decode("\xE2\x82\xAC", 3, &cp, NULL), 3);
	assert_int_equal(cp, 0x20AC);
}

/* The example of Unicode 16 section 3.9, table 3-8: four ways of substitution, of which ours is this. */
static void maximal_subparts(void **state)
{
	static const char bytes[] = "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64";
	static const uint32_t want[] = {
	    0x61, 0xFFFD, 0xFFFD, 0xFFFD, 0x62, 0xFFFD, 0x63, 0xFFFD, 0xFFFD, 0x64};
	size_t at = 0, i;

	(void)state;
	for (i = 0; i < COUNT_OF(want); i++) {
		uint32_t cp;
		int n = utf8_decode(bytes + at, sizeof(bytes) - 1 - at, &cp, NULL);

		assert_true(n > 0);
		assert_int_equal(cp, want[i]);
		at += (size_t)n;
	}
	assert_int_equal(at, sizeof(bytes) - 1);
}

static void validity(void **state)
{
	static const struct {
		const char *bytes;
		size_t offset; /* SIZE_MAX: valid */
	} cases[] = {
	    {"", SIZE_MAX},
	    {"plain", SIZE_MAX},
	    {"é€😀", SIZE_MAX},
	    {"a\x80", 1},
	    {"ab\xC0\x80", 2},
	    {"é\xED\xA0\x80", 2},
	    {"abc\xE2\x82", 3},
	    {"\xF4\x90\x80\x80", 0},
	    {"\xFF", 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		size_t offset = SIZE_MAX;

		assert_int_equal(
		    utf8_valid(cases[i].bytes, strlen(cases[i].bytes), &offset), cases[i].offset == SIZE_MAX);
		assert_int_equal(offset, cases[i].offset);
		utf8_valid(cases[i].bytes, strlen(cases[i].bytes), NULL);
	}
}

/* ---- sanitizing ---- */

static void sanitizing(void **state)
{
	static const struct {
		const char *in, *out;
		int columns;
	} cases[] = {
	    {"", "", 0},
	    {"plain text", "plain text", 0},
	    {"é€😀", "é€😀", 0},
	    /* controls: none gets through, none is half removed into something else */
	    {"\x1b[31mred\x1b[0m", "[31mred[0m", 0},
	    {"a\x07\x7f\b\x01z", "az", 0},
	    {"a\xC2\x9B"
	     "31mb",
		"a31mb", 0},
	    /* white space */
	    {"a\tb\nc\r\nd", "a b c d", 0},
	    {"a  \t \n  b", "a b", 0},
	    {"  a  ", " a ", 0},
	    {"a\xC2\xA0\xE2\x80\xA8\xE3\x80\x80\xC2\x85"
	     "b",
		"a b", 0},
	    {"a \xE2\x80\x8B\x01 b", "a b", 0},
	    /* bidirectional and invisible formats: "evil" shown backwards, zero-width spaces, byte order
	       mark, soft hyphen */
	    {"a\xE2\x80\xAE"
	     "live\xE2\x80\xAC",
		"alive", 0},
	    {"\xE2\x81\xA6x\xE2\x81\xA9\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C", "x", 0},
	    {"\xEF\xBB\xBFpass\xC2\xADword\xE2\x80\x8B\xE2\x81\xA0", "password", 0},
	    /* tags: text nobody sees, except after the black flag (here: Scotland) */
	    {"a\xF3\xA0\x81\xA8\xF3\xA0\x81\xA9", "a", 0},
	    {"🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", 0},
	    {"🏴a󠁧", "🏴a", 0},
	    /* what scripts and emoji are joined with */
	    {"👩‍💻 क्‍ष", "👩‍💻 क्‍ष", 0},
	    /* ill-formed bytes */
	    {"a\xFFz", "a\xEF\xBF\xBDz", 0},
	    {"a\xE2\x82", "a\xEF\xBF\xBD", 0},
	    {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 0},
	    /* cut to columns */
	    {"abcdef", "abcdef", 6},
	    {"abcdef", "abcd…", 5},
	    {"abcdef", "…", 1},
	    {"日本語", "日本語", 6},
	    {"日本語", "日本…", 5},
	    {"日本語", "日…", 4},
	    {"日本語", "日…", 3},
	    {"日本語", "…", 2},
	    {"e\xCC\x81"
	     "e\xCC\x81"
	     "e\xCC\x81",
		"e\xCC\x81…", 2},
	    {"👩‍💻👩‍💻", "👩‍💻…", 3},
	    {"a\x1b\x1b\x1b\x1b\x1b\x1b", "a", 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		AUTO_FREE char *out = utf8_sanitize(cases[i].in, strlen(cases[i].in), cases[i].columns);

		assert_string_equal(out, cases[i].out);
	}
}

static void nul_bytes_go_too(void **state)
{
	AUTO_FREE char *out = utf8_sanitize("a\0b", 3, 0);

	(void)state;
	assert_string_equal(out, "ab");
}

/* A letter under a thousand marks keeps a readable number of them. */
static void marks_have_a_limit(void **state)
{
	char text[2001] = "a";
	AUTO_FREE char *out = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < 999; i++)
		memcpy(text + 1 + i * 2, "\xCC\x81", 3);
	out = utf8_sanitize(text, strlen(text), 0);
	assert_int_equal(strlen(out), 1 + 31 * 2);
	assert_int_equal(utf8_columns(out, strlen(out)), 1);
}

/* Whatever the bytes: valid UTF-8, no control, not wider than asked for. */
static void any_bytes_become_harmless(void **state)
{
	uint32_t seed = 12345;
	int round;

	(void)state;
	for (round = 0; round < 3000; round++) {
		char bytes[64];
		AUTO_FREE char *out = NULL;
		size_t i;

		for (i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = (char)(seed >> 24);
		}
		out = utf8_sanitize(bytes, (size_t)round % sizeof(bytes), 10);
		assert_true(utf8_valid(out, strlen(out), NULL));
		assert_in_range(utf8_columns(out, strlen(out)), 0, 10);
		for (i = 0; out[i]; i++) {
			assert_true((unsigned char)out[i] >= 0x20 && out[i] != 0x7F);
			assert_false((unsigned char)out[i] == 0xC2 && (unsigned char)out[i + 1] < 0xA0);
		}
	}
}

/* ---- columns ---- */

static void columns(void **state)
{
	static const struct {
		const char *text;
		int columns;
	} cases[] = {
	    {"", 0},
	    {"abc", 3},
	    {"日本", 4},
	    {"e\xCC\x81", 1},
	    {"👩‍👩‍👧‍👦!", 3},
	    {"🇩🇪🇫🇷", 4},
	    {"❤", 1},
	    {"❤️", 2},
	    {"a\nb", 2},
	    {"한글", 4},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(utf8_columns(cases[i].text, strlen(cases[i].text)), cases[i].columns);
}

static void fitting(void **state)
{
	static const char text[] = "a日e\xCC\x81👩‍💻z"; /* 1 2 1 2 1 columns, 1 3 3 11 1 bytes */
	static const struct {
		int columns;
		size_t len;
		int used;
	} cases[] = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}, {3, 4, 3}, {4, 7, 4}, {5, 7, 4}, {6, 18, 6}, {7, 19, 7},
	    {99, 19, 7}};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		int used = -1;

		assert_int_equal(utf8_fit(text, sizeof(text) - 1, cases[i].columns, &used), cases[i].len);
		assert_int_equal(used, cases[i].used);
	}
	assert_int_equal(utf8_fit("\xCC\x81x", 3, 0, NULL), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_code_point_goes_round),
	    cmocka_unit_test(every_byte_and_pair),
	    cmocka_unit_test(every_triple_with_a_long_lead),
	    cmocka_unit_test(the_fourth_byte),
	    cmocka_unit_test(nothing_more_is_needed_with_nothing),
	    cmocka_unit_test(maximal_subparts),
	    cmocka_unit_test(validity),
	    cmocka_unit_test(sanitizing),
	    cmocka_unit_test(nul_bytes_go_too),
	    cmocka_unit_test(marks_have_a_limit),
	    cmocka_unit_test(any_bytes_become_harmless),
	    cmocka_unit_test(columns),
	    cmocka_unit_test(fitting),
	};

	return cmocka_run_group_tests(tests, make_oracle, free_oracle);
}
