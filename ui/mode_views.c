/* mode_views: see mode_views.h. */
#include "ui/mode_views.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "ui/chooser.h"
#include "ui/popup.h"
#include "ui/ui.h"

enum { VIEWS_ROWS = 16, VIEWS_COLS = 76 };

struct mode_views {
	struct mode m;
	struct chooser chooser;
	char **names; /* by id - 1 */
	size_t count;
};

static const struct popup_key keys[] = {
    {"Enter", "go there"}, {"Delete", "forget it, sessions go on"}, {"Esc", "close"}};

void mode_views_go(struct ui *ui, const char *name)
{
	struct view *v;

	ui_load_views(ui);
	v = views_named(ui_views(ui), name);
	if (!v) {
		ui_say(ui, SAY_WARNING, "there is no view \"%s\"", name);
	} else if (v != ui_view(ui) && !ui_view_allowed(v, ui)) {
		ui_say(ui, SAY_WARNING, "another terminal shows the view %s", name);
	} else {
		views_switch(ui_views(ui), v);
		ui_arranged(ui);
	}
}

static char *detail_of(const struct ui *ui, const struct view *v)
{
	AUTO_FREE char *where = v->repository ? path_pretty(v->repository) : mem_strdup("");
	AUTO_FREE char *clean = utf8_sanitize(where, strlen(where), 0);

	(void)ui;
	return mem_printf("%zu pane%s%s%s", v->count, v->count == 1 ? "" : "s", *clean ? "  " : "", clean);
}

static void free_names(struct mode_views *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->names[i]);
	free(l->names);
	l->names = NULL;
	l->count = 0;
}

static void fill(struct mode_views *l)
{
	struct views *all = ui_views(l->m.ui);
	struct list_item *items = mem_zalloc(all->count + 1, sizeof(*items));

	free_names(l);
	l->names = mem_zalloc(all->count + 1, sizeof(char *));
	l->count = all->count;
	for (size_t i = 0; i < all->count; i++) {
		const struct view *v = all->items[i];
		bool here = v == all->current, elsewhere = !here && !ui_view_allowed(v, l->m.ui);

		l->names[i] = mem_strdup(v->name);
		items[i] = (struct list_item){.id = i + 1,
		    .symbol = here ? "*" : " ",
		    .symbol_role = ROLE_TITLE_FOCUSED,
		    .text = utf8_sanitize(v->name, strlen(v->name), 0),
		    .detail = detail_of(l->m.ui, v),
		    .right = elsewhere ? "another terminal shows it" : NULL,
		    .disabled = elsewhere};
	}
	list_set_items(l->chooser.list, items, all->count);
	for (size_t i = 0; i < all->count; i++) {
		free((char *)items[i].text);
		free((char *)items[i].detail);
	}
	free(items);
}

static void go(struct mode_views *l)
{
	struct ui *ui = l->m.ui;
	struct list_item it;

	if (!list_selected(l->chooser.list, &it))
		return;
	AUTO_FREE char *name = mem_strdup(l->names[it.id - 1]);

	ui_pop(ui, &l->m);
	mode_views_go(ui, name);
}

static void forget(struct mode_views *l)
{
	struct ui *ui = l->m.ui;
	struct list_item it;

	if (!list_selected(l->chooser.list, &it))
		return;
	if (it.disabled) {
		ui_say(ui, SAY_WARNING, "another terminal shows it");
		return;
	}
	AUTO_FREE char *name = mem_strdup(l->names[it.id - 1]);

	ui_forget_view(ui, name);
	ui_say(ui, SAY_INFO, "forgot the view %s; its sessions go on", name);
	fill(l);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_views *l = (struct mode_views *)m;

	if (k->code == KEY_ESCAPE || (k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL))
		ui_pop(m->ui, m);
	else if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		go(l);
	else if (k->code == KEY_DELETE && lineedit_empty(l->chooser.filter))
		forget(l);
	else if (chooser_key(&l->chooser, k))
		ui_redraw(m->ui);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	chooser_type(&((struct mode_views *)m)->chooser, text, len);
	ui_redraw(m->ui);
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_views *l = (struct mode_views *)m;
	int row, col;

	if (e->action == MOUSE_WHEEL)
		chooser_wheel(&l->chooser, e->button == BUTTON_WHEEL_UP);
	else if (e->action == MOUSE_PRESS && mode_inside(m, e, &row, &col) &&
		 chooser_click(&l->chooser, row, col)) {
		go(l);
		return;
	}
	ui_redraw(m->ui);
}

static void draw(struct mode *m)
{
	struct mode_views *l = (struct mode_views *)m;
	struct surface *s = mode_popup(m, VIEWS_ROWS, VIEWS_COLS, "views", keys, COUNT_OF(keys));
	int row = -1, col = 0;

	chooser_draw(&l->chooser, s, 1, 2, popup_rows(s), popup_cols(s), "find", "", "there is no view yet",
	    &row, &col);
	mode_cursor(m, row, col);
}

static void leave(struct mode *m)
{
	struct mode_views *l = (struct mode_views *)m;

	mode_finish(m);
	chooser_finish(&l->chooser);
	free_names(l);
	free(l);
}

static const struct mode_class class = {
    .name = "views", .key = key, .mouse = mouse, .paste = paste, .draw = draw, .leave = leave};

struct mode *mode_views_create(struct ui *ui)
{
	struct mode_views *l = mem_zalloc(1, sizeof(*l));

	ui_load_views(ui);
	mode_init(&l->m, &class, ui);
	chooser_init(&l->chooser);
	fill(l);
	return &l->m;
}
