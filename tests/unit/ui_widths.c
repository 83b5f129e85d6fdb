/* Which class a cluster belongs to, and what a terminal's answers make of the classes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/unicode.h"
#include "ui/cluster.h"
#include "ui/widths.h"

static const struct {
	const char *text;
	enum width_class class;
} clusters[] = {
    {"a", WIDTH_SETTLED},
    {"e\u0301", WIDTH_SETTLED},
    {"日", WIDTH_SETTLED},
    {"가", WIDTH_SETTLED},
    {"か\u3099", WIDTH_SETTLED},
    {"😀", WIDTH_SETTLED},
    {"─", WIDTH_BOX},
    {"█", WIDTH_BOX},
    {"α", WIDTH_SETTLED},
    {"…", WIDTH_SETTLED},
    {"α\u0301", WIDTH_SETTLED},
    {"ที่", WIDTH_MARKED},
    {"ب\u064e", WIDTH_MARKED},
    {"क्षि", WIDTH_INDIC},
    {"தி", WIDTH_INDIC},
    {"\u1112\u1161\u11ab", WIDTH_JAMO},
    {"\uac00\u11a8", WIDTH_JAMO},
    {"⚡", WIDTH_SYMBOL},
    {"⌚", WIDTH_SYMBOL},
    {"\u2630", WIDTH_NEWER}, /* trigrams and hexagrams: wide since Unicode 16 */
    {"\u4dc0", WIDTH_NEWER},
    {"\U0001fae8", WIDTH_NEWER},
    {"🚀", WIDTH_NEWER},
    {"\ue0b0", WIDTH_PRIVATE},
    {"\U000f02d4", WIDTH_PRIVATE_PLANE},
    {"⌚\ufe0e", WIDTH_TEXT},
    {"❤\ufe0f", WIDTH_EMOJI},
    {"1\ufe0f\u20e3", WIDTH_KEYCAP},
    {"🇩🇪", WIDTH_FLAG},
    {"👍🏽", WIDTH_TONE},
    {"☝🏽", WIDTH_TONE},
    {"👨\u200d👩\u200d👧\u200d👦", WIDTH_ZWJ},
    {"🏴\u200d☠\ufe0f", WIDTH_ZWJ},
    {"🇩", WIDTH_ODD},
    {"🏴\U000e0067\U000e0062\U000e007f", WIDTH_ODD},
};

static void test_classes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(clusters); i++) {
		struct text_cluster c;

		assert_true(cluster_next(clusters[i].text, strlen(clusters[i].text), &c));
		assert_int_equal(c.bytes, strlen(clusters[i].text));
		if (width_class(c.cps, c.count, c.width == 2) != clusters[i].class)
			fail_msg("%s: class %d, not %d", clusters[i].text,
			    (int)width_class(c.cps, c.count, c.width == 2), (int)clusters[i].class);
	}
	assert_int_equal(width_class(NULL, 0, false), WIDTH_ODD);
}

/* The question shows one cluster of each class that can be asked about, in the second row, and erases it. */
static void test_question(void **state)
{
	uint32_t seen = 0;
	struct widths w;
	AUTO_BUF out = BUF_INIT;
	const char *at;

	(void)state;
	widths_ask(&w, false, &out);
	for (at = strstr(out.data, "\033[2H"); at; at = strstr(at + 4, "\033[2H")) {
		const char *end = strstr(at, "\033[6n");
		struct text_cluster c;

		if (!end)
			break;
		assert_true(cluster_next(at + 4, (size_t)(end - at - 4), &c));
		assert_int_equal(c.bytes, end - at - 4); /* one cluster, whole */
		seen |= 1u << width_class(c.cps, c.count, c.width == 2);
	}
	assert_int_equal(seen, (1u << WIDTH_CLASSES) - 1 - (1u << WIDTH_SETTLED) - (1u << WIDTH_ODD));
	assert_string_equal(at, "\033[2H\033[2K\033[H");
	assert_int_equal(strncmp(out.data, "\033[8m\033[2H", 8), 0);
}

static uint32_t after(int count, int row, int col)
{
	struct widths w;

	widths_init(&w);
	for (int i = 0; i < count; i++)
		widths_answer(&w, row, col);
	return widths_doubtful(&w, false);
}

static void test_answers(void **state)
{
	uint32_t silent = after(0, 0, 0), all = (1u << WIDTH_CLASSES) - 1 - (1u << WIDTH_SETTLED);

	(void)state;
	assert_int_equal(silent, all & ~(1u << WIDTH_BOX));
	assert_int_equal(after(100, 2, 1), all);         /* shows nothing of anything */
	assert_int_equal(after(100, 3, 2), silent);      /* wrapped, or moved: says nothing */
	assert_int_equal(after(100, 2, 100000), silent); /* no terminal */
	assert_int_equal(after(100, 2, 0), silent);
	assert_true(after(100, 2, 2) & 1u << WIDTH_SYMBOL); /* everything is one column */
	assert_false(after(100, 2, 2) & (1u << WIDTH_BOX | 1u << WIDTH_PRIVATE | 1u << WIDTH_TEXT));
	assert_false(after(100, 2, 3) & (1u << WIDTH_FLAG | 1u << WIDTH_ZWJ | 1u << WIDTH_EMOJI));
	assert_true(after(100, 2, 3) & 1u << WIDTH_BOX); /* Ambiguous is wide there */
}

/* What was measured before mode 2027 was on says nothing of clusters with it; of single code points it does.
 */
static void test_graphemes(void **state)
{
	struct widths w;
	AUTO_BUF out = BUF_INIT;

	(void)state;
	widths_init(&w);
	for (int i = 0; i < WIDTH_PROBES; i++)
		widths_answer(&w, 2, 5);
	assert_int_equal(widths_doubtful(&w, true), 1u << WIDTH_BOX | 1u << WIDTH_SYMBOL | 1u << WIDTH_NEWER |
							1u << WIDTH_PRIVATE | 1u << WIDTH_PRIVATE_PLANE);
	widths_ask(&w, true, &out);
	assert_int_equal(widths_doubtful(&w, true), 0); /* the mode promises it */
	for (int i = 0; i < WIDTH_PROBES; i++)
		widths_answer(&w, 2, 5);
	assert_int_equal(widths_doubtful(&w, true), (1u << WIDTH_ODD) - 1 - (1u << WIDTH_SETTLED));
}

/* Of cells: blanks, tails and what is settled give no doubt, whatever is doubted. */
static void test_glyphs(void **state)
{
	static const uint32_t heart[] = {0x2764, 0xfe0f};
	struct cell_table *t = table_create();
	uint32_t all = UINT32_MAX & ~(1u << WIDTH_SETTLED);

	(void)state;
	assert_false(widths_doubt(all, t, 0));
	assert_false(widths_doubt(all, t, 'a'));
	assert_false(widths_doubt(all, t, GLYPH_TAIL));
	assert_false(widths_doubt(all, t, 0x65e5 | GLYPH_WIDE));
	assert_true(widths_doubt(all, t, table_cluster(t, heart, 2) | GLYPH_WIDE));
	assert_true(widths_doubt(1u << WIDTH_EMOJI, t, table_cluster(t, heart, 2) | GLYPH_WIDE));
	assert_false(widths_doubt(1u << WIDTH_FLAG, t, table_cluster(t, heart, 2) | GLYPH_WIDE));
	assert_false(widths_doubt(0, t, table_cluster(t, heart, 2) | GLYPH_WIDE));
	table_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_classes),
	    cmocka_unit_test(test_question),
	    cmocka_unit_test(test_answers),
	    cmocka_unit_test(test_graphemes),
	    cmocka_unit_test(test_glyphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
