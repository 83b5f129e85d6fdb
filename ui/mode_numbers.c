/* mode_numbers: see mode_numbers.h. */
#include "ui/mode_numbers.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/alarm.h"
#include "ui/ui.h"

enum { NUMBERS_MS = 3000 };

struct mode_numbers {
	struct mode m;
	struct alarm *alarm;
};

/* They are counted from 0, as in tmux.  A digit goes to the pane, any other key just ends it. */
static void key(struct mode *m, const struct key *k)
{
	struct ui *ui = m->ui;
	int panes[VIEW_PANES_MAX], count = ui_shown_panes(ui, panes, VIEW_PANES_MAX);
	int number = k->code >= '0' && k->code <= '9' ? (int)(k->code - '0') : -1;

	ui_pop(ui, m);
	if (number >= count)
		ui_say(ui, SAY_INFO, "there is no pane %d", number);
	else if (number >= 0 && view_set_focus(ui_view(ui), panes[number]))
		ui_arranged(ui);
}

static void draw(struct mode *m)
{
	int panes[VIEW_PANES_MAX], count = ui_shown_panes(m->ui, panes, VIEW_PANES_MAX);

	for (int i = 0; i < count; i++)
		ui_draw_number(m->ui, panes[i], i);
}

static void on_alarm(void *user)
{
	struct mode *m = user;

	ui_pop(m->ui, m);
}

static void leave(struct mode *m)
{
	mode_finish(m);
	alarm_destroy(((struct mode_numbers *)m)->alarm);
	free(m);
}

static const struct mode_class class = {.name = "numbers", .key = key, .draw = draw, .leave = leave};

struct mode *mode_numbers_create(struct ui *ui)
{
	struct mode_numbers *n = mem_zalloc(1, sizeof(*n));

	mode_init(&n->m, &class, ui);
	n->m.transient = true;
	n->alarm = alarm_create(ui_loop(ui), on_alarm, n);
	alarm_set(n->alarm, NUMBERS_MS);
	return &n->m;
}
