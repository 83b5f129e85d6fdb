/* reset: see reset.h. */
#include "harness/reset.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

enum { DAY = 24 * 3600, AMOUNT_MAX = 100000 };

/* --- a moment as RFC 3339 --- */

static int64_t find_moment(const char *said)
{
	for (const char *p = said; *p; p++) {
		if (!isdigit((unsigned char)*p) || (p > said && isdigit((unsigned char)p[-1])))
			continue;
		AUTO_FREE char *word = mem_strndup(p, strspn(p, "0123456789-:TZtz+."));
		int64_t moment = clock_parse_rfc3339(word);
		if (moment >= 0)
			return moment;
	}
	return -1;
}

/* --- "in 2 hours 5 minutes", "in 2h 5m" --- */

static int64_t unit_seconds(const char *word)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = {{'d', DAY}, {'h', 3600}, {'m', 60}, {'s', 1}};
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (tolower((unsigned char)*word) == units[i].letter)
			return units[i].seconds;
	return 0;
}

/* Numbers with units from p on, with "and", commas and blanks between them; 0: none. */
static int64_t sum_amounts(const char *p)
{
	int64_t total = 0;
	for (;;) {
		char *end;
		p += strspn(p, " ,");
		if (!strncasecmp(p, "and ", 4))
			p += 4;
		long amount = strtol(p, &end, 10);
		if (end == p || amount < 0 || amount > AMOUNT_MAX)
			return total;
		p = end + strspn(end, " ");
		int64_t seconds = unit_seconds(p);
		if (!seconds)
			return total;
		total += amount * seconds;
		p += strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	}
}

static int64_t find_span(const char *said)
{
	for (const char *p = said; (p = strcasestr(p, "in ")); p += 3) {
		if (p > said && isalpha((unsigned char)p[-1]))
			continue;
		int64_t seconds = sum_amounts(p + 3);
		if (seconds > 0)
			return seconds;
	}
	return -1;
}

/* --- a time of day --- */

struct day_time {
	int hour, minute;
};

/* 1 for "pm", 0 for "am", -1: neither stands there */
static int half_of_day(const char *p)
{
	p += strspn(p, " ");
	bool pm = !strncasecmp(p, "pm", 2) || !strncasecmp(p, "p.m", 3);
	bool am = !strncasecmp(p, "am", 2) || !strncasecmp(p, "a.m", 3);
	return pm ? 1 : am ? 0 : -1;
}

/* "19:00", "7pm", "7:30 PM"; a bare number is none. */
static bool parse_day_time(const char *p, struct day_time *out)
{
	char *end;
	long hour = strtol(p, &end, 10), minute = 0;
	bool minutes = *end == ':' && isdigit((unsigned char)end[1]) && isdigit((unsigned char)end[2]);
	if (minutes) {
		minute = (end[1] - '0') * 10 + end[2] - '0';
		end += 3;
	}
	int half = half_of_day(end);
	if ((!minutes && half < 0) || minute > 59 || hour < 0 || hour > (half < 0 ? 23 : 12))
		return false;
	if (half >= 0)
		hour = hour % 12 + 12 * half;
	*out = (struct day_time){(int)hour, (int)minute};
	return true;
}

static int64_t next_day_time(struct day_time at, int64_t since)
{
	time_t begin = (time_t)since;
	struct tm tm;
	localtime_r(&begin, &tm);
	tm.tm_hour = at.hour;
	tm.tm_min = at.minute;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	time_t moment = mktime(&tm);
	if (moment <= begin) {
		tm.tm_mday++;
		tm.tm_isdst = -1;
		moment = mktime(&tm);
	}
	return moment;
}

static int64_t find_day_time(const char *said, int64_t since)
{
	struct day_time at;
	for (const char *p = said; *p; p++) {
		bool begins = isdigit((unsigned char)*p) && (p == said || !isalnum((unsigned char)p[-1]));
		if (begins && parse_day_time(p, &at))
			return next_day_time(at, since);
	}
	return -1;
}

int64_t reset_time(const char *said, int64_t since)
{
	int64_t moment = find_moment(said);
	if (moment >= 0)
		return moment;
	int64_t span = find_span(said);
	return span >= 0 ? since + span : find_day_time(said, since);
}
