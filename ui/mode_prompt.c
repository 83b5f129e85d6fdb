/* mode_prompt: see mode_prompt.h. */
#include "ui/mode_prompt.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/lineedit.h"
#include "ui/popup.h"
#include "ui/ui.h"

struct mode_prompt {
	struct mode m;
	char *label;
	struct lineedit *edit;
	prompt_done *done;
	int argument;
};

static const struct popup_key keys[] = {{"Enter", "ok"}, {"Esc", "leave it"}};

static void answer(struct mode_prompt *p, bool taken)
{
	struct ui *ui = p->m.ui;
	prompt_done *done = p->done;
	int argument = p->argument;
	AUTO_FREE char *text = taken ? mem_strdup(lineedit_text(p->edit)) : NULL;

	ui_pop(ui, &p->m);
	done(ui, text, argument);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_prompt *p = (struct mode_prompt *)m;
	bool control_c = k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL;

	if (k->code == KEY_ESCAPE || control_c)
		answer(p, false);
	else if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		answer(p, true);
	else if (lineedit_key(p->edit, k) != LINEEDIT_IGNORED)
		ui_redraw(m->ui);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	lineedit_insert(((struct mode_prompt *)m)->edit, text, len);
	ui_redraw(m->ui);
}

static void draw(struct mode *m)
{
	struct mode_prompt *p = (struct mode_prompt *)m;
	int row = 1, col, label = utf8_columns(p->label, strlen(p->label));

	if (!m->surface)
		m->surface = popup_create_foot(ui_display(m->ui), 1);
	popup_frame(m->surface, NULL, keys, COUNT_OF(keys));
	surface_text(m->surface, 1, 2, label, p->label, ROLE_TITLE);
	lineedit_draw(p->edit, m->surface, 1, 3 + label, 1, popup_cols(m->surface) - label - 1, NULL,
	    ROLE_INPUT, &row, &col);
	mode_cursor(m, row, col);
}

static void leave(struct mode *m)
{
	struct mode_prompt *p = (struct mode_prompt *)m;

	mode_finish(m);
	lineedit_destroy(p->edit);
	free(p->label);
	free(p);
}

static const struct mode_class class = {
    .name = "prompt", .key = key, .paste = paste, .draw = draw, .leave = leave};

struct mode *mode_prompt_create(
    struct ui *ui, const char *label, const char *initial, prompt_done *done, int argument)
{
	struct mode_prompt *p = mem_zalloc(1, sizeof(*p));

	mode_init(&p->m, &class, ui);
	p->label = mem_strdup(label);
	p->edit = lineedit_create(false);
	p->done = done;
	p->argument = argument;
	lineedit_set(p->edit, initial ? initial : "");
	return &p->m;
}
