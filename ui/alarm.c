/* alarm: see alarm.h. */
#include "ui/alarm.h"

#include <stdlib.h>
#include <uv.h>

#include "base/mem.h"

struct alarm {
	uv_timer_t timer;
	void (*ring)(void *user);
	void *user;
};

static void on_timer(uv_timer_t *timer)
{
	struct alarm *a = timer->data;

	a->ring(a->user);
}

struct alarm *alarm_create(struct uv_loop_s *loop, void (*ring)(void *user), void *user)
{
	struct alarm *a = mem_zalloc(1, sizeof(*a));

	a->ring = ring;
	a->user = user;
	a->timer.data = a;
	uv_timer_init(loop, &a->timer);
	return a;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void alarm_destroy(struct alarm *a)
{
	if (a)
		uv_close((uv_handle_t *)&a->timer, on_closed);
}

void alarm_set(struct alarm *a, int64_t ms)
{
	/* The loop's idea of now is that of its last turn. */
	uv_update_time(a->timer.loop);
	uv_timer_start(&a->timer, on_timer, ms > 0 ? (uint64_t)ms : 0, 0);
}

void alarm_clear(struct alarm *a)
{
	uv_timer_stop(&a->timer);
}
