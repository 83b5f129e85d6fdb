/* reset: see reset.h. */
#include "term/reset.h"

#include <stdlib.h>
#include <string.h>

#include "term/cursor.h"
#include "term/erase.h"
#include "term/past.h"
#include "term/scroll.h"
#include "term/screens.h"
#include "term/sgr.h"
#include "term/state.h"

static const struct style plain_pen;

void reset_soft(struct term *t)
{
	modes_soft_reset(t);
	margins_reset(t);
	charset_reset(t);
	pen_set(t, &plain_pen);
	t->protection = PROTECT_NONE;
	t->saved[on_alternate(t)] = (struct saved_cursor){0};
	t->wrap_pending = false;
}

static void notification_reset(struct term *t)
{
	free(t->notification.id);
	t->notification.id = NULL;
	buf_clear(&t->notification.title);
	buf_clear(&t->notification.body);
}

void reset_state(struct term *t)
{
	modes_reset(t);
	margins_reset(t);
	charset_reset(t);
	pen_set(t, &plain_pen);
	t->protection = PROTECT_NONE;
	t->attribute_extent = 0;
	t->level = LEVEL_MOST;
	cursor_save_reset(t);
	tabs_reset(t);
	keyboard_reset(t);
	color_reset(t);
	title_reset_stack(t);
	notification_reset(t);
	t->last = (struct last_print){0};
	t->wrap_pending = false;
}

void reset_full(struct term *t)
{
	bool synchronized = mode(t, MODE_SYNCHRONIZED);

	screens_show(t, false);
	reset_state(t);
	cursor_set(t, 0, 0);
	erase_display(t, 2, ERASE_PLAIN);
	past_clear(t);
	for (int i = 0; i < t->alternate.rows; i++)
		row_blank(t->alternate.row[i], 0, t->clock);
	if (synchronized)
		event_number(t, TERM_SYNC, 0, 0);
}

void term_reset_modes(struct term *t)
{
	bool synchronized = mode(t, MODE_SYNCHRONIZED);

	t->clock++;
	t->flags = 0;
	screens_leave(t);
	reset_state(t);
	if (synchronized)
		event_number(t, TERM_SYNC, 0, 0);
}
