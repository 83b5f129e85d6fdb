/* mode_confirm: see mode_confirm.h. */
#include "ui/mode_confirm.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "client/processes.h"
#include "ui/popup.h"
#include "ui/ui.h"

enum { CONFIRM_COLS = 60, CONFIRM_ROWS = 18, LISTED_PROCESSES = 8 };

struct mode_confirm {
	struct mode m;
	char *title, *text, *yes, *argument;
	void (*done)(struct ui *ui, bool yes, const char *argument);
};

static void answer(struct mode_confirm *c, bool yes)
{
	struct ui *ui = c->m.ui;
	void (*done)(struct ui *, bool, const char *) = c->done;
	AUTO_FREE char *argument = mem_strdup(c->argument);

	ui_pop(ui, &c->m);
	done(ui, yes, argument);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_confirm *c = (struct mode_confirm *)m;
	bool yes = k->code == 'y' || k->code == KEY_ENTER || k->code == KEY_KP_ENTER;

	answer(c, yes && !(k->mods & (MOD_CTRL | MOD_ALT)));
}

static void draw(struct mode *m)
{
	struct mode_confirm *c = (struct mode_confirm *)m;
	const struct popup_key keys[] = {{"y", c->yes}, {"n", "no"}};
	int rows = popup_text(NULL, 0, 0, CONFIRM_ROWS, CONFIRM_COLS, c->text, ROLE_TEXT);
	struct surface *s = mode_popup(m, rows, CONFIRM_COLS, c->title, keys, COUNT_OF(keys));

	popup_text(s, 1, 2, popup_rows(s), popup_cols(s), c->text, ROLE_TEXT);
}

static void leave(struct mode *m)
{
	struct mode_confirm *c = (struct mode_confirm *)m;

	mode_finish(m);
	free(c->title);
	free(c->text);
	free(c->yes);
	free(c->argument);
	free(c);
}

static const struct mode_class class = {.name = "confirm", .key = key, .draw = draw, .leave = leave};

struct mode *mode_confirm_create(struct ui *ui, const char *title, const char *text, const char *yes,
    void (*done)(struct ui *ui, bool yes, const char *argument), const char *argument)
{
	struct mode_confirm *c = mem_zalloc(1, sizeof(*c));

	mode_init(&c->m, &class, ui);
	c->title = mem_strdup(title);
	c->text = mem_strdup(text);
	c->yes = mem_strdup(yes);
	c->argument = mem_strdup(argument);
	c->done = done;
	return &c->m;
}

/* --- stopping a session --- */

static void stop(struct ui *ui, bool yes, const char *id)
{
	struct seat *s = roster_find(ui_roster(ui), id);

	if (!s)
		return;
	if (yes)
		ui_stop_session(ui, s);
	else
		ui_say(ui, SAY_INFO, "%s was not stopped", s->record.name);
}

/* What else will end stands there before the question is answered: a server somebody forgot, a tmux server.
 */
static void list_processes(struct buf *text, const struct json *processes)
{
	int count = json_count(processes), listed = 0;

	buf_printf(text, "%d process%s of it will be ended", count, count == 1 ? "" : "es");
	for (const struct json *p = json_first(processes); p && listed < LISTED_PROCESSES; p = json_next(p)) {
		AUTO_FREE char *line = processes_line(p, CONFIRM_COLS - 6);

		buf_printf(text, "%s\n  %s", listed++ ? "" : ":", line);
	}
	if (count > listed)
		buf_printf(text, "\n  and %d more", count - listed);
}

static char *question(const struct seat *s)
{
	const struct record *r = &s->record;
	struct json *processes = processes_to_json(r);
	AUTO_BUF text = BUF_INIT;

	buf_printf(&text, "Stop %s (%s in %s)?\n\n", r->name, r->agent, r->dir);
	list_processes(&text, processes);
	buf_adds(&text, "\n\nIts screen and history stay; the project's files are not touched.");
	json_free(processes);
	return mem_strdup(text.data);
}

struct mode *mode_confirm_stop(struct ui *ui, struct seat *s)
{
	AUTO_FREE char *text = question(s);

	return mode_confirm_create(ui, "stop", text, "stop it", stop, s->record.id);
}
