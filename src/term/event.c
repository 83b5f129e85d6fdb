/* event: see event.h. */
#include "term/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/state.h"

/* Kinds of which only the newest counts. */
static bool newest_only(enum term_event_type type)
{
	switch (type) {
	case TERM_STATUS:
	case TERM_NOTIFICATION:
	case TERM_PROMPT:
		return false;
	default:
		return true;
	}
}

static void event_free(struct term_event *e)
{
	term_event_finish(e);
	free(e);
}

static void event_remove(struct events *q, int i)
{
	q->count--;
	memmove(&q->queue[i], &q->queue[i + 1], (size_t)(q->count - i) * sizeof(q->queue[0]));
}

/* Drops the oldest event of a kind; false if there is none. */
static bool drop_oldest(struct events *q, enum term_event_type type)
{
	for (int i = 0; i < q->count; i++) {
		if (q->queue[i]->type == type) {
			event_free(q->queue[i]);
			event_remove(q, i);
			return true;
		}
	}
	return false;
}

void event_add(struct term *t, struct term_event e)
{
	struct events *q = &t->events;
	struct term_event *copy;

	if (newest_only(e.type))
		drop_oldest(q, e.type);
	if (t->flags & TERM_QUIET || (q->count == TERM_EVENTS_MAX && !drop_oldest(q, e.type))) {
		term_event_finish(&e);
		return;
	}
	copy = mem_alloc(sizeof(*copy));
	*copy = e;
	q->queue[q->count++] = copy;
}

void event_number(struct term *t, enum term_event_type type, int number, int value)
{
	event_add(t, (struct term_event){.type = type, .number = number, .value = value});
}

bool term_next_event(struct term *t, struct term_event *out)
{
	struct events *q = &t->events;

	if (q->count == 0)
		return false;
	*out = *q->queue[0];
	free(q->queue[0]);
	event_remove(q, 0);
	return true;
}

void term_event_finish(struct term_event *e)
{
	free(e->text);
	free(e->extra);
	free(e->detail);
	*e = (struct term_event){0};
}

void event_finish(struct events *q)
{
	while (q->count > 0)
		event_free(q->queue[--q->count]);
}
