/* mode_messages: see mode_messages.h. */
#include "ui/mode_messages.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "ui/list.h"
#include "ui/popup.h"
#include "ui/ui.h"

struct mode_messages {
	struct mode m;
	struct list *list;
};

static const struct popup_key keys[] = {{"Up Down PgUp PgDn", "scroll"}, {"q", "close"}};

static const char *symbol(enum message_level level)
{
	return level == SAY_ERROR ? "!" : level == SAY_WARNING ? "*" : " ";
}

static enum theme_role role(enum message_level level)
{
	return level == SAY_ERROR ? ROLE_ERROR : level == SAY_WARNING ? ROLE_WARNING : ROLE_DIM;
}

static char *line_of(const struct message *m)
{
	struct tm tm;
	time_t t = (time_t)m->time;
	char clock[16];

	localtime_r(&t, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	if (m->repeated)
		return mem_printf("%s  %s  (%u times)", clock, m->text, m->repeated + 1);
	return mem_printf("%s  %s", clock, m->text);
}

static void fill(struct mode_messages *l)
{
	const struct messages *all = ui_messages(l->m.ui);
	struct list_item *items = mem_zalloc(all->count + 1, sizeof(*items));

	for (size_t i = 0; i < all->count; i++)
		items[i] = (struct list_item){.id = i + 1,
		    .symbol = symbol(all->items[i].level),
		    .symbol_role = role(all->items[i].level),
		    .text = line_of(&all->items[i])};
	list_set_items(l->list, items, all->count);
	list_select(l->list, all->count);
	for (size_t i = 0; i < all->count; i++)
		free((char *)items[i].text);
	free(items);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_messages *l = (struct mode_messages *)m;

	if (!list_key(l->list, k, m->surface ? popup_rows(m->surface) : 10))
		ui_pop(m->ui, m);
	else
		ui_redraw(m->ui);
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_messages *l = (struct mode_messages *)m;

	if (e->action == MOUSE_WHEEL)
		list_move(l->list, e->button == BUTTON_WHEEL_UP ? -3 : 3, false);
	ui_redraw(m->ui);
}

static void draw(struct mode *m)
{
	struct mode_messages *l = (struct mode_messages *)m;
	int rows = (int)list_total(l->list) < 20 ? (int)list_total(l->list) + 1 : 20;
	struct surface *s = mode_popup(m, rows, 100, "messages", keys, COUNT_OF(keys));

	list_draw(l->list, s, 1, 2, popup_rows(s), popup_cols(s), "nothing was said yet");
}

static void leave(struct mode *m)
{
	mode_finish(m);
	list_destroy(((struct mode_messages *)m)->list);
	free(m);
}

static const struct mode_class class = {
    .name = "messages", .key = key, .mouse = mouse, .draw = draw, .leave = leave};

struct mode *mode_messages_create(struct ui *ui)
{
	struct mode_messages *l = mem_zalloc(1, sizeof(*l));

	mode_init(&l->m, &class, ui);
	l->list = list_create();
	fill(l);
	return &l->m;
}
