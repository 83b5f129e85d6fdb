/* mode_prefix: see mode_prefix.h.  After a command that repeats, its keys work for a moment without the
 * prefix. */
#include "ui/mode_prefix.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/alarm.h"
#include "ui/popup.h"
#include "ui/ui.h"

struct mode_prefix {
	struct mode m;
	struct alarm *alarm;
	bool shown;     /* the popup */
	bool repeating; /* a command has run: only repeatable ones go on */
	char status[KEY_NAME_MAX + 8];
};

static void say_unbound(struct ui *ui, const struct key *k)
{
	char name[KEY_NAME_MAX];

	key_name(k, name);
	ui_say(ui, SAY_INFO, "%s %s does nothing: %s ? shows the keys", ui_prefix(ui), name, ui_prefix(ui));
}

static bool repeats(const struct binding *b)
{
	return b && commands_get(b->command)->flags & COMMAND_REPEATS;
}

static bool cancels(const struct key *k)
{
	return k->code == KEY_ESCAPE || (k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL);
}

/* Modifiers on their own are told apart by kitty's protocol; they are no answer. */
static bool is_modifier(const struct key *k)
{
	return k->code == KEY_OTHER || k->code == KEY_CAPS_LOCK || k->code == KEY_NUM_LOCK ||
	       k->code == KEY_SCROLL_LOCK;
}

static void run(struct mode_prefix *p, const struct binding *b)
{
	struct ui *ui = p->m.ui;

	if (!repeats(b)) {
		ui_pop(ui, &p->m);
		ui_command(ui, b->command, b->argument);
		return;
	}
	p->repeating = true;
	p->shown = false;
	mode_finish(&p->m);
	alarm_set(p->alarm, PREFIX_REPEAT_MS);
	ui_command(ui, b->command, b->argument);
}

/* The first key that does not repeat is an ordinary one again. */
static void end_repeating(struct mode_prefix *p, const struct key *k)
{
	struct ui *ui = p->m.ui;

	ui_pop(ui, &p->m);
	ui_key(ui, k);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_prefix *p = (struct mode_prefix *)m;
	struct ui *ui = m->ui;
	const struct binding *b = bindings_find(ui_bindings(ui), k, false);

	if (is_modifier(k))
		return;
	if (p->repeating && !repeats(b)) {
		end_repeating(p, k);
	} else if (ui_is_prefix(ui, k)) {
		ui_pop(ui, m);
		ui_command(ui, CMD_SEND_PREFIX, "");
	} else if (b) {
		run(p, b);
	} else {
		ui_pop(ui, m);
		if (!cancels(k))
			say_unbound(ui, k);
	}
}

/* --- the popup --- */

enum { COLUMN = 30, KEYS = 10 };

/* The digits' ten bindings are one line. */
static void keys_of(struct ui *ui, enum command_id id, struct buf *out)
{
	bindings_keys_of(ui_bindings(ui), id, "", out);
	if (id == CMD_GO_TO) {
		if (out->len)
			buf_addc(out, ' ');
		buf_adds(out, "0-9");
	}
}

static size_t count_lines(struct ui *ui)
{
	size_t count = 0;

	for (int id = 0; id < CMD_COUNT; id++) {
		AUTO_BUF keys = BUF_INIT;

		keys_of(ui, id, &keys);
		count += keys.len > 0;
	}
	return count;
}

static void draw_line(struct mode *m, int row, int col, const char *keys, const char *help)
{
	surface_text(m->surface, row, col, KEYS - 1, keys, ROLE_STATUS_KEY);
	surface_text(m->surface, row, col + KEYS, COLUMN - KEYS - 1, help, ROLE_TEXT);
}

static void draw_popup(struct mode *m)
{
	int cols = display_cols(ui_display(m->ui)) - 4, across = cols > COLUMN ? cols / COLUMN : 1;
	int count = (int)count_lines(m->ui), rows = (count + across - 1) / across, at = 0;

	if (!m->surface)
		m->surface = popup_create_foot(ui_display(m->ui), rows);
	popup_frame(m->surface, "keys", NULL, 0);
	rows = popup_rows(m->surface) > 0 ? popup_rows(m->surface) : 1;
	for (int id = 0; id < CMD_COUNT && at < rows * across; id++) {
		AUTO_BUF keys = BUF_INIT;

		keys_of(m->ui, id, &keys);
		if (!keys.len)
			continue;
		draw_line(m, 1 + at % rows, 2 + at / rows * COLUMN, keys.data, commands_get(id)->brief);
		at++;
	}
}

static void draw(struct mode *m)
{
	if (((struct mode_prefix *)m)->shown)
		draw_popup(m);
}

static void on_alarm(void *user)
{
	struct mode_prefix *p = user;
	struct ui *ui = p->m.ui;

	if (p->repeating) {
		ui_pop(ui, &p->m);
		return;
	}
	p->shown = true;
	ui_redraw(ui);
}

static void leave(struct mode *m)
{
	struct mode_prefix *p = (struct mode_prefix *)m;

	mode_finish(m);
	alarm_destroy(p->alarm);
	free(p);
}

static const struct mode_class class = {.name = "prefix", .key = key, .draw = draw, .leave = leave};

struct mode *mode_prefix_create(struct ui *ui)
{
	struct mode_prefix *p = mem_zalloc(1, sizeof(*p));

	mode_init(&p->m, &class, ui);
	snprintf(p->status, sizeof(p->status), "%s ...", ui_prefix(ui));
	p->m.transient = true;
	p->m.status = p->status;
	p->m.status_role = ROLE_STATUS_KEY;
	p->alarm = alarm_create(ui_loop(ui), on_alarm, p);
	alarm_set(p->alarm, PREFIX_POPUP_MS);
	return &p->m;
}
