/* mode_palette: see mode_palette.h. */
#include "ui/mode_palette.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/chooser.h"
#include "ui/popup.h"
#include "ui/ui.h"

enum { PALETTE_ROWS = 16, PALETTE_COLS = 84 };

struct mode_palette {
	struct mode m;
	struct chooser chooser;
};

static const struct popup_key keys[] = {{"Tab", "complete"}, {"Enter", "run"}, {"Esc", "close"}};

static void fill(struct mode_palette *p)
{
	struct list_item items[CMD_COUNT];
	struct buf names[CMD_COUNT];
	char *texts[CMD_COUNT];

	for (int id = 0; id < CMD_COUNT; id++) {
		const struct ui_command *c = commands_get(id);

		buf_init(&names[id]);
		bindings_keys_of(ui_bindings(p->m.ui), id, "", &names[id]);
		texts[id] = mem_printf("%s%s%s", c->name, *c->argument ? " " : "", c->argument);
		items[id] = (struct list_item){
		    .id = (uint64_t)id, .text = texts[id], .detail = c->help, .right = names[id].data};
	}
	list_set_items(p->chooser.list, items, CMD_COUNT);
	for (int id = 0; id < CMD_COUNT; id++) {
		buf_free(&names[id]);
		free(texts[id]);
	}
}

/* What is typed behind the name is the argument: only the name filters. */
static void refilter(struct mode_palette *p)
{
	const char *text = lineedit_text(p->chooser.filter);
	AUTO_FREE char *name = mem_strndup(text, strcspn(text, " "));

	list_set_filter(p->chooser.list, name);
	ui_redraw(p->m.ui);
}

static void complete(struct mode_palette *p)
{
	struct list_item it;

	if (!list_selected(p->chooser.list, &it))
		return;
	AUTO_FREE char *text = mem_printf("%s ", commands_get((enum command_id)it.id)->name);

	lineedit_set(p->chooser.filter, text);
	refilter(p);
}

static void run(struct mode_palette *p)
{
	struct ui *ui = p->m.ui;
	AUTO_FREE char *line = mem_strdup(lineedit_text(p->chooser.filter));
	const char *argument = "";
	enum command_id id = strchr(line, ' ') ? commands_parse(line, &argument) : CMD_NONE;
	struct list_item it;

	if (id == CMD_NONE && list_selected(p->chooser.list, &it)) {
		id = (enum command_id)it.id;
		argument = line + strcspn(line, " ");
		argument += strspn(argument, " ");
	}
	if (id == CMD_NONE) {
		ui_say(ui, SAY_WARNING, "there is no command \"%s\"", line);
		return;
	}
	ui_pop(ui, &p->m);
	ui_command(ui, id, argument);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_palette *p = (struct mode_palette *)m;

	if (k->code == KEY_ESCAPE || (k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL))
		ui_pop(m->ui, m);
	else if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		run(p);
	else if (k->code == KEY_TAB)
		complete(p);
	else if (chooser_key(&p->chooser, k))
		refilter(p);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	struct mode_palette *p = (struct mode_palette *)m;

	chooser_type(&p->chooser, text, len);
	refilter(p);
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_palette *p = (struct mode_palette *)m;
	int row, col;

	if (e->action == MOUSE_WHEEL)
		chooser_wheel(&p->chooser, e->button == BUTTON_WHEEL_UP);
	else if (e->action == MOUSE_PRESS && mode_inside(m, e, &row, &col) &&
		 chooser_click(&p->chooser, row, col))
		complete(p);
	ui_redraw(m->ui);
}

static void draw(struct mode *m)
{
	struct mode_palette *p = (struct mode_palette *)m;
	struct surface *s = mode_popup(m, PALETTE_ROWS, PALETTE_COLS, "commands", keys, COUNT_OF(keys));
	int row = -1, col = 0;

	chooser_draw(&p->chooser, s, 1, 2, popup_rows(s), popup_cols(s), ":", "command and argument",
	    "there is no such command", &row, &col);
	mode_cursor(m, row, col);
}

static void leave(struct mode *m)
{
	mode_finish(m);
	chooser_finish(&((struct mode_palette *)m)->chooser);
	free(m);
}

static const struct mode_class class = {
    .name = "palette", .key = key, .mouse = mouse, .paste = paste, .draw = draw, .leave = leave};

struct mode *mode_palette_create(struct ui *ui)
{
	struct mode_palette *p = mem_zalloc(1, sizeof(*p));

	mode_init(&p->m, &class, ui);
	chooser_init(&p->chooser);
	fill(p);
	return &p->m;
}
