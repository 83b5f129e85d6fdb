/* mode_help: see mode_help.h.  Enter runs what is selected. */
#include "ui/mode_help.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/chooser.h"
#include "ui/copy.h"
#include "ui/popup.h"
#include "ui/ui.h"

enum {
	HELP_ROWS = 40,
	HELP_COLS = 96,
	HEADING = 1000,
	HISTORY_ITEM = 2000,
	DIRECT_ITEM = 3000,
	KEY_COLUMNS = 22
};

struct mode_help {
	struct mode m;
	struct chooser chooser;
};

static const struct popup_key keys[] = {{"type", "filter"}, {"Enter", "do it"}, {"Esc", "close"}};

struct building {
	struct list_item *items;
	size_t count;
};

static struct list_item *add(struct building *b)
{
	b->items = mem_realloc(b->items, b->count + 1, sizeof(*b->items));
	b->items[b->count] = (struct list_item){0};
	return &b->items[b->count++];
}

static void add_heading(struct building *b, uint64_t id, const char *text)
{
	struct list_item *it = add(b);

	it->id = HEADING + id;
	it->text = mem_strdup(text);
	it->heading = true;
}

/* Keys in a column of their own, what they do behind them. */
static char *aligned(const char *key_names, const char *help)
{
	int used = utf8_columns(key_names, strlen(key_names));

	return mem_printf("%s%*s%s", key_names, used < KEY_COLUMNS ? KEY_COLUMNS - used : 1, "", help);
}

/* Bindings of the same command with an argument (0-9, M-Left) follow those without. */
static void add_command(struct ui *ui, struct building *b, enum command_id id)
{
	const struct bindings *all = ui_bindings(ui);
	AUTO_BUF names = BUF_INIT;
	struct list_item *it;

	bindings_keys_of(all, id, "", &names);
	if (id == CMD_GO_TO)
		buf_adds(&names, names.len ? " 0-9" : "0-9");
	if (id == CMD_SEND_PREFIX)
		buf_adds(&names, ui_prefix(ui));
	it = add(b);
	it->id = (uint64_t)id;
	it->text = aligned(names.len ? names.data : "-", commands_get(id)->help);
	it->right = mem_strdup(commands_get(id)->name);
}

static void add_commands(struct ui *ui, struct building *b)
{
	for (int g = 0; g < GROUP_COUNT; g++) {
		add_heading(b, (uint64_t)g, commands_group_title(g));
		for (int id = 0; id < CMD_COUNT; id++)
			if (commands_get(id)->group == (enum command_group)g)
				add_command(ui, b, id);
	}
}

static void add_direct(struct ui *ui, struct building *b)
{
	const struct binding *it;
	bool any = false;

	for (size_t i = 0; (it = bindings_at(ui_bindings(ui), i)); i++) {
		char name[KEY_NAME_MAX];

		if (!it->direct || it->command == CMD_NONE)
			continue;
		if (!any)
			add_heading(b, DIRECT_ITEM, "Without the prefix");
		any = true;
		chord_name(&it->chord, name);
		struct list_item *item = add(b);

		item->id = DIRECT_ITEM + i;
		item->text = aligned(name, commands_get(it->command)->help);
		item->right = mem_printf("%s %s", commands_get(it->command)->name, it->argument);
	}
}

static void add_history(struct ui *ui, struct building *b)
{
	add_heading(
	    b, HISTORY_ITEM, ui_vi_keys(ui) ? "In the history (vi keys)" : "In the history (emacs keys)");
	for (int a = 0; a < COPY_ACTION_COUNT; a++) {
		AUTO_BUF names = BUF_INIT;

		copy_action_keys(a, ui_vi_keys(ui), &names);
		if (!names.len)
			continue;
		struct list_item *it = add(b);

		it->id = HISTORY_ITEM + (uint64_t)a + 1;
		it->text = aligned(names.data, copy_action_help(a));
	}
}

static void fill(struct mode_help *h)
{
	struct building b = {0};

	add_commands(h->m.ui, &b);
	add_direct(h->m.ui, &b);
	add_history(h->m.ui, &b);
	list_set_items(h->chooser.list, b.items, b.count);
	for (size_t i = 0; i < b.count; i++) {
		free((char *)b.items[i].text);
		free((char *)b.items[i].right);
	}
	free(b.items);
}

static void run_selected(struct mode_help *h)
{
	struct ui *ui = h->m.ui;
	struct list_item it;

	if (!list_selected(h->chooser.list, &it))
		return;
	if (it.id >= CMD_COUNT) {
		ui_say(ui, SAY_INFO, "that key works where the heading says");
		return;
	}
	ui_pop(ui, &h->m);
	ui_command(ui, (enum command_id)it.id, "");
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_help *h = (struct mode_help *)m;
	bool control_c = k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL;

	if (k->code == KEY_ESCAPE || control_c || (k->code == 'q' && lineedit_empty(h->chooser.filter)))
		ui_pop(m->ui, m);
	else if (k->code == KEY_ENTER)
		run_selected(h);
	else if (chooser_key(&h->chooser, k))
		ui_redraw(m->ui);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	chooser_type(&((struct mode_help *)m)->chooser, text, len);
	ui_redraw(m->ui);
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_help *h = (struct mode_help *)m;
	int row, col;

	if (e->action == MOUSE_WHEEL)
		chooser_wheel(&h->chooser, e->button == BUTTON_WHEEL_UP);
	else if (e->action == MOUSE_PRESS && mode_inside(m, e, &row, &col))
		chooser_click(&h->chooser, row, col);
	ui_redraw(m->ui);
}

static void draw(struct mode *m)
{
	struct mode_help *h = (struct mode_help *)m;
	AUTO_FREE char *title = mem_printf("keys, after %s", ui_prefix(m->ui));
	struct surface *s = mode_popup(m, HELP_ROWS, HELP_COLS, title, keys, COUNT_OF(keys));
	int row = -1, col = 0;

	chooser_draw(
	    &h->chooser, s, 1, 2, popup_rows(s), popup_cols(s), "find", "", "no key does that", &row, &col);
	mode_cursor(m, row, col);
}

static void leave(struct mode *m)
{
	mode_finish(m);
	chooser_finish(&((struct mode_help *)m)->chooser);
	free(m);
}

static const struct mode_class class = {
    .name = "help", .key = key, .mouse = mouse, .paste = paste, .draw = draw, .leave = leave};

struct mode *mode_help_create(struct ui *ui)
{
	struct mode_help *h = mem_zalloc(1, sizeof(*h));

	mode_init(&h->m, &class, ui);
	chooser_init(&h->chooser);
	fill(h);
	return &h->m;
}
