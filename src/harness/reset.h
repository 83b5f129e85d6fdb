/*
 * reset: from what is said about a limit, the moment at which it ends: "until 19:00", "resets 7pm", "resets
 * at 3:30 PM", "try again in 2 hours 5 minutes", "until 2026-01-31T08:12:00Z".  Pure but for the time zone.
 */
#ifndef HANDLER_HARNESS_RESET_H
#define HANDLER_HARNESS_RESET_H

#include <stdint.h>

/*
 * `said` at the time `since` (clock_now seconds): a time of day is the next one after that in local time. -1:
 * it names none.
 */
int64_t reset_time(const char *said, int64_t since);

#endif
