/* clock: see clock.h. */
#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

int64_t clock_mono_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t clock_boot_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec;
}

int64_t clock_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void clock_rfc3339(int64_t seconds, char out[32])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	/* RFC 3339 has years of four digits only. */
	if (!gmtime_r(&t, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900) {
		t = 0;
		gmtime_r(&t, &tm);
	}
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* Reads exactly count digits; -1 if they are not. */
static int digits(const char **s, int count)
{
	int value = 0;

	for (; count > 0; count--, (*s)++) {
		if (!isdigit((unsigned char)**s))
			return -1;
		value = value * 10 + (**s - '0');
	}
	return value;
}

/* Reads `separator` and count digits that may be at most max. */
static int field(const char **s, const char *separators, int count, int max)
{
	int value;

	if (separators) {
		if (**s == '\0' || !strchr(separators, **s))
			return -1;
		(*s)++;
	}
	value = digits(s, count);
	return value > max ? -1 : value;
}

/* "Z" or "+hh:mm": seconds east of UTC in *offset. */
static int zone(const char **s, int *offset)
{
	int sign, hours, minutes;

	if (**s == 'Z' || **s == 'z') {
		(*s)++;
		*offset = 0;
		return 0;
	}
	sign = **s == '-' ? -1 : 1;
	hours = field(s, "+-", 2, 23);
	if (hours < 0)
		return -1;
	minutes = field(s, ":", 2, 59);
	if (minutes < 0)
		return -1;
	*offset = sign * (hours * HOUR + minutes * MINUTE);
	return 0;
}

/* The day exists if timegm does not move it. */
static int64_t seconds_of(const struct tm *wanted)
{
	struct tm tm = *wanted;
	time_t t = timegm(&tm);

	return tm.tm_mday == wanted->tm_mday && tm.tm_mon == wanted->tm_mon ? (int64_t)t : -1;
}

int64_t clock_parse_rfc3339(const char *s)
{
	struct tm tm = {0};
	int64_t t;
	int offset, second;

	tm.tm_year = field(&s, NULL, 4, 9999) - 1900;
	if (tm.tm_year < -1900 || (tm.tm_mon = field(&s, "-", 2, 12) - 1) < 0 ||
	    (tm.tm_mday = field(&s, "-", 2, 31)) < 1 || (tm.tm_hour = field(&s, "Tt ", 2, 23)) < 0 ||
	    (tm.tm_min = field(&s, ":", 2, 59)) < 0 || (second = field(&s, ":", 2, 60)) < 0)
		return -1;
	if (*s == '.') {
		if (!isdigit((unsigned char)*++s))
			return -1;
		while (isdigit((unsigned char)*s))
			s++;
	}
	if (zone(&s, &offset) < 0 || *s != '\0')
		return -1;
	t = seconds_of(&tm);
	if (t == -1)
		return -1;
	t += second - offset;
	return t < 0 ? -1 : t;
}

void clock_age(int64_t seconds, char out[16], int64_t *next)
{
	int64_t change = 0;

	if (seconds < 0)
		seconds = 0;
	if (seconds < MINUTE)
		snprintf(out, 16, "<1m");
	else if (seconds < HOUR)
		snprintf(out, 16, "%dm", (int)(seconds / MINUTE));
	else if (seconds < DAY)
		snprintf(out, 16, "%dh", (int)(seconds / HOUR));
	else
		snprintf(out, 16, "%lldd", (long long)(seconds / DAY > 99999 ? 99999 : seconds / DAY));
	if (seconds < HOUR)
		change = MINUTE - seconds % MINUTE;
	if (next)
		*next = change;
}
