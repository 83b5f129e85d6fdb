/* base/clock: times as text and back (RFC 3339), and ages. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static void formats(void **state)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} cases[] = {
	    {0, "1970-01-01T00:00:00Z"},
	    {951782400, "2000-02-29T00:00:00Z"},
	    {1769847120, "2026-01-31T08:12:00Z"},
	    {253402300799, "9999-12-31T23:59:59Z"},
	};
	char out[32];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		clock_rfc3339(cases[i].seconds, out);
		assert_string_equal(out, cases[i].text);
		assert_int_equal(clock_parse_rfc3339(out), cases[i].seconds);
	}
}

static void what_has_no_form_is_the_epoch(void **state)
{
	char out[32];

	(void)state;
	clock_rfc3339(INT64_MAX, out);
	assert_string_equal(out, "1970-01-01T00:00:00Z");
	clock_rfc3339(253402300800, out);
	assert_string_equal(out, "1970-01-01T00:00:00Z");
}

/* The examples of RFC 3339 section 5.8, and what it says about case and leap seconds. */
static void parses(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} cases[] = {
	    {"1985-04-12T23:20:50.52Z", 482196050},
	    {"1996-12-19T16:39:57-08:00", 851042397},
	    {"1990-12-31T23:59:60Z", 662688000},
	    {"1990-12-31T15:59:60-08:00", 662688000},
	    {"2026-01-31t08:12:00z", 1769847120},
	    {"2026-01-31 08:12:00Z", 1769847120},
	    {"2026-01-31T10:42:00+02:30", 1769847120},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(clock_parse_rfc3339(cases[i].text), cases[i].seconds);
}

static void refuses(void **state)
{
	static const char *const cases[] = {"", "x", "2026-01-31", "2026-01-31T08:12:00", "2026-01-31T08:12Z",
	    "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-02-30T00:00:00Z",
	    "2025-02-29T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T08:60:00Z",
	    "2026-01-31T08:12:61Z", "2026-01-31T08:12:00.Z", "2026-01-31T08:12:00+24:00",
	    "2026-01-31T08:12:00+02", "2026-01-31T08:12:00Zx", "26-01-31T08:12:00Z", "2026-1-31T08:12:00Z",
	    "+026-01-31T08:12:00Z", "2026-01-31T08:12:00 Z", "1969-12-31T23:59:59Z"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(clock_parse_rfc3339(cases[i]), -1);
}

static void every_cut_is_refused(void **state)
{
	static const char text[] = "1996-12-19T16:39:57.5-08:00";
	size_t len;

	(void)state;
	for (len = 0; len < strlen(text); len++) {
		AUTO_FREE char *cut = mem_strndup(text, len);

		assert_int_equal(clock_parse_rfc3339(cut), -1);
	}
}

static void ages(void **state)
{
	static const struct {
		int64_t seconds;
		const char *text;
		int64_t next;
	} cases[] = {
	    {-5, "<1m", 60},
	    {0, "<1m", 60},
	    {59, "<1m", 1},
	    {60, "1m", 60},
	    {61, "1m", 59},
	    {119, "1m", 1},
	    {120, "2m", 60},
	    {3599, "59m", 1},
	    {3600, "1h", 0},
	    {7199, "1h", 0},
	    {7200, "2h", 0},
	    {86399, "23h", 0},
	    {86400, "1d", 0},
	    {345600, "4d", 0},
	    {INT64_MAX, "99999d", 0},
	};
	char out[16];
	int64_t next;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(cases); i++) {
		clock_age(cases[i].seconds, out, &next);
		assert_string_equal(out, cases[i].text);
		assert_int_equal(next, cases[i].next);
	}
	clock_age(1, out, NULL);
	assert_string_equal(out, "<1m");
}

static void clocks_run(void **state)
{
	int64_t before = clock_mono_ms();

	(void)state;
	assert_true(clock_mono_ms() >= before);
	assert_true(clock_now() > 1700000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formats),
	    cmocka_unit_test(what_has_no_form_is_the_epoch),
	    cmocka_unit_test(parses),
	    cmocka_unit_test(refuses),
	    cmocka_unit_test(every_cut_is_refused),
	    cmocka_unit_test(ages),
	    cmocka_unit_test(clocks_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
