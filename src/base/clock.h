/* clock: times.  Intervals by the monotonic clock in milliseconds; what is stored or shown by the real-time
 * clock in seconds. */
#ifndef HANDLER_BASE_CLOCK_H
#define HANDLER_BASE_CLOCK_H

#include <stdint.h>

int64_t clock_mono_ms(void);                       /* CLOCK_MONOTONIC */
int64_t clock_boot_ms(void);                       /* CLOCK_BOOTTIME: goes on while the machine sleeps */
int64_t clock_now(void);                           /* CLOCK_REALTIME, seconds since 1970 */
int64_t clock_now_ms(void);                        /* the same in milliseconds */
void clock_rfc3339(int64_t seconds, char out[32]); /* "2026-01-31T08:12:00Z" */
int64_t clock_parse_rfc3339(const char *s);        /* -1 if it is not one */
/* "<1m", "3m", "2h", "4d": how the front-end shows an age; *next (may be NULL): seconds until the text
 * changes, 0: after an hour it is not worth a timer. */
void clock_age(int64_t seconds, char out[16], int64_t *next);

#endif
