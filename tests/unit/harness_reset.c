/* When a limit ends, from what is said about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "harness/reset.h"

static int64_t at(const char *moment)
{
	return clock_parse_rfc3339(moment);
}

static void test_moments(void **state)
{
	static const struct {
		const char *said, *since, *wanted;
	} cases[] = {
	    {"until 19:00", "2026-01-31T08:12:00Z", "2026-01-31T19:00:00Z"},
	    {"until 07:00", "2026-01-31T08:12:00Z", "2026-02-01T07:00:00Z"},
	    {"until 08:12", "2026-01-31T08:12:00Z", "2026-02-01T08:12:00Z"},
	    {"until 08:13", "2026-01-31T08:12:30Z", "2026-01-31T08:13:00Z"},
	    {"limit reached, resets 7pm", "2026-01-31T08:12:00Z", "2026-01-31T19:00:00Z"},
	    {"resets at 3:30 PM (UTC)", "2026-01-31T08:12:00Z", "2026-01-31T15:30:00Z"},
	    {"resets 12am", "2026-12-31T08:12:00Z", "2027-01-01T00:00:00Z"},
	    {"resets 12 p.m.", "2026-01-31T08:12:00Z", "2026-01-31T12:00:00Z"},
	    {"try again in 2 hours 5 minutes", "2026-01-31T08:12:00Z", "2026-01-31T10:17:00Z"},
	    {"try again in 1 day, 2 hours and 3 seconds", "2026-01-31T00:00:00Z", "2026-02-01T02:00:03Z"},
	    {"In 90s", "2026-01-31T08:12:00Z", "2026-01-31T08:13:30Z"},
	    {"until 2026-02-03T04:05:06Z", "2026-01-31T08:12:00Z", "2026-02-03T04:05:06Z"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(reset_time(cases[i].said, at(cases[i].since)), at(cases[i].wanted));
}

static void test_what_names_no_moment(void **state)
{
	static const char *const cases[] = {"", "limited", "after 5 requests", "until 25:00", "until 12:75",
	    "again 13pm", "within 5 minutes", "in a while", "error 429", "v1:30 tokens"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(reset_time(cases[i], at("2026-01-31T08:12:00Z")), -1);
}

/* A time of day is that of the place: also over the change of the clocks. */
static void test_local_time(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	assert_int_equal(reset_time("until 19:00", at("2026-01-31T08:12:00Z")), at("2026-01-31T18:00:00Z"));
	assert_int_equal(reset_time("until 9am", at("2026-03-28T12:00:00Z")), at("2026-03-29T07:00:00Z"));
	setenv("TZ", "UTC", 1);
	tzset();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_moments),
	    cmocka_unit_test(test_what_names_no_moment),
	    cmocka_unit_test(test_local_time),
	};
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
