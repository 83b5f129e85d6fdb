/* alarm: one time at which something is to be done, in the front-end's loop.  Never repeats: nothing ticks.
 */
#ifndef HANDLER_UI_ALARM_H
#define HANDLER_UI_ALARM_H

#include <stdint.h>

struct uv_loop_s;
struct alarm;

struct alarm *alarm_create(struct uv_loop_s *loop, void (*ring)(void *user), void *user);
void alarm_destroy(struct alarm *a);         /* NULL is fine */
void alarm_set(struct alarm *a, int64_t ms); /* replaces an earlier time */
void alarm_clear(struct alarm *a);

#endif
