/* mode_rename: see mode_rename.h.  What is wrong with a name is said while it is typed. */
#include "ui/mode_rename.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/lineedit.h"
#include "ui/popup.h"
#include "ui/ui.h"

enum { RENAME_COLS = 56 };

struct mode_rename {
	struct mode m;
	char id[SESSION_ID_LENGTH + 1];
	struct lineedit *edit;
	struct err fault; /* code ERR_NONE: the name will do */
};

static const struct popup_key keys[] = {{"Enter", "rename"}, {"Esc", "leave it"}};

void mode_rename_apply(struct ui *ui, const char *id, const char *name)
{
	struct seat *s = roster_find(ui_roster(ui), id);
	struct err err = ERR_INIT;
	AUTO_FREE char *former = s ? mem_strdup(s->record.name) : NULL;

	if (!s)
		return;
	if (record_rename(&s->record, name, &err) < 0) {
		ui_say_err(ui, &err);
		return;
	}
	ui_say(ui, SAY_INFO, "%s is called %s now", former, name);
	roster_update(ui_roster(ui), id);
}

static void check(struct mode_rename *r)
{
	r->fault = (struct err)ERR_INIT;
	record_check_name(lineedit_text(r->edit), &r->fault);
	ui_redraw(r->m.ui);
}

static void apply(struct mode_rename *r)
{
	struct ui *ui = r->m.ui;
	struct seat *s = roster_find(ui_roster(ui), r->id);

	if (!s || strcmp(s->record.name, lineedit_text(r->edit)) == 0) {
		ui_pop(ui, &r->m);
		return;
	}
	r->fault = (struct err)ERR_INIT;
	AUTO_FREE char *former = mem_strdup(s->record.name);
	AUTO_FREE char *name = mem_strdup(lineedit_text(r->edit));

	if (record_rename(&s->record, name, &r->fault) < 0) {
		ui_redraw(ui);
		return;
	}
	ui_say(ui, SAY_INFO, "%s is called %s now", former, name);
	roster_update(ui_roster(ui), r->id);
	ui_pop(ui, &r->m);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_rename *r = (struct mode_rename *)m;

	if (k->code == KEY_ESCAPE || (k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL))
		ui_pop(m->ui, m);
	else if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		apply(r);
	else if (lineedit_key(r->edit, k) != LINEEDIT_IGNORED)
		check(r);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	struct mode_rename *r = (struct mode_rename *)m;

	lineedit_insert(r->edit, text, len);
	check(r);
}

static void draw(struct mode *m)
{
	struct mode_rename *r = (struct mode_rename *)m;
	struct surface *s = mode_popup(m, 2, RENAME_COLS, "rename the session", keys, COUNT_OF(keys));
	int row = 1, col = 2;

	lineedit_draw(r->edit, s, 1, 2, 1, popup_cols(s), "name", ROLE_INPUT, &row, &col);
	surface_text(s, 2, 2, popup_cols(s), r->fault.code ? r->fault.message : "", ROLE_ERROR);
	mode_cursor(m, row, col);
}

static void leave(struct mode *m)
{
	struct mode_rename *r = (struct mode_rename *)m;

	mode_finish(m);
	lineedit_destroy(r->edit);
	free(r);
}

static const struct mode_class class = {
    .name = "rename", .key = key, .paste = paste, .draw = draw, .leave = leave};

struct mode *mode_rename_create(struct ui *ui, struct seat *s)
{
	struct mode_rename *r = mem_zalloc(1, sizeof(*r));

	mode_init(&r->m, &class, ui);
	snprintf(r->id, sizeof(r->id), "%s", s->record.id);
	r->edit = lineedit_create(false);
	lineedit_set(r->edit, s->record.name);
	return &r->m;
}
