/* mode_messages: see mode_messages.h. */
#include "ui/mode_messages.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/list.h"
#include "ui/popup.h"
#include "ui/ui.h"

enum {
	MESSAGES_COLS = 100,
	LIST_ROWS = 20,
	WHOLE_ROWS = 8,
	MARGIN = 14 /* the time, and what a list adds */
};

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

	if (!list_key(l->list, k, LIST_ROWS / 2))
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

static bool is_cut(const struct message *m, int cols)
{
	return utf8_columns(m->text, strlen(m->text)) > cols - MARGIN;
}

static bool any_cut(const struct messages *all, int cols)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_cut(&all->items[i], cols))
			return true;
	return false;
}

/* The one that is marked, if its line cannot hold it: it then stands below the list, whole. */
static const char *cut_message(const struct mode_messages *l, int cols)
{
	const struct messages *all = ui_messages(l->m.ui);
	struct list_item it;

	if (!list_selected(l->list, &it) || !is_cut(&all->items[it.id - 1], cols))
		return NULL;
	return all->items[it.id - 1].text;
}

static void draw(struct mode *m)
{
	struct mode_messages *l = (struct mode_messages *)m;
	int total = (int)list_total(l->list), rows = total < LIST_ROWS ? total + 1 : LIST_ROWS;
	int more = any_cut(ui_messages(m->ui), MESSAGES_COLS) ? WHOLE_ROWS + 1 : 0;
	struct surface *s = mode_popup(m, rows + more, MESSAGES_COLS, "messages", keys, COUNT_OF(keys));
	const char *text = cut_message(l, popup_cols(s));
	int whole = text ? popup_text(NULL, 0, 0, WHOLE_ROWS, popup_cols(s), text, ROLE_TEXT) + 1 : 0;

	list_draw(l->list, s, 1, 2, popup_rows(s) - whole, popup_cols(s), "nothing was said yet");
	if (text)
		popup_text(s, popup_rows(s) - whole + 2, 2, whole, popup_cols(s), text, ROLE_TEXT);
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
