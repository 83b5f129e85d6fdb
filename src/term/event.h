/* event: what happened that is not on the screen, for whoever asks (term_next_event). */
#ifndef HANDLER_TERM_EVENT_H
#define HANDLER_TERM_EVENT_H

#include "term/term.h"

struct events {
	int count;
	struct term_event *queue[TERM_EVENTS_MAX];
};

void event_finish(struct events *e);

/*
 * Adds an event; takes text, extra and detail.  Nothing comes of it during a quiet feed.  Of some kinds only
 * the newest is of interest: it replaces the one that nobody has fetched; of the others the oldest goes when
 * the queue is full.
 */
void event_add(struct term *t, struct term_event e);
/* The same with a number and a value only. */
void event_number(struct term *t, enum term_event_type type, int number, int value);

#endif
