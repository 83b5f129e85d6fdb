/* client_input: where keys and pastes go: to a dialog, to a command, to the history of a pane, to sessions.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/client_private.h"
#include "ui/mode_prefix.h"

bool ui_is_prefix(const struct ui *ui, const struct key *k)
{
	return chord_matches(&ui->prefix, k);
}

/* --- to sessions --- */

static void say_ended(struct ui *ui, const struct seat *s)
{
	ui_say(ui, SAY_INFO, "%s has ended (%s): %s r resumes it, %s x closes the pane", s->record.name,
	    state_name(s->record.state), ui->prefix_name, ui->prefix_name);
}

static void remember_press(struct ui *ui, const struct seat *s, const struct key *k)
{
	struct pressed *free_slot = &ui->pressed[0];

	for (int i = 0; i < UI_PRESSED_MAX; i++) {
		if (ui->pressed[i].code == k->code || !ui->pressed[i].code) {
			free_slot = &ui->pressed[i];
			break;
		}
	}
	free_slot->code = k->code;
	snprintf(free_slot->session, sizeof(free_slot->session), "%s", s->record.id);
}

/* The release goes where the press went, also if the focus has moved since; else nowhere. */
static void release(struct ui *ui, const struct key *k)
{
	for (int i = 0; i < UI_PRESSED_MAX; i++) {
		struct pressed *p = &ui->pressed[i];
		struct seat *s = p->code == k->code ? roster_find(ui->roster, p->session) : NULL;

		if (p->code != k->code)
			continue;
		if (s && seat_live(s))
			seat_key(s, k);
		p->code = 0;
		return;
	}
}

/* Sessions that typing reaches: the one in focus, or with the guard up all that are shown and have no dialog
 * open. */
static size_t targets(struct ui *ui, struct seat *out[VIEW_PANES_MAX], size_t *skipped)
{
	int panes[VIEW_PANES_MAX], count = stage_panes(ui->stage, panes, VIEW_PANES_MAX);
	size_t n = 0;

	*skipped = 0;
	for (int i = 0; i < count; i++) {
		struct seat *s = roster_find(ui->roster, view_session(ui->views.current, panes[i]));
		bool twice = false;

		for (size_t j = 0; j < n; j++)
			twice = twice || out[j] == s;
		if (!s || !seat_live(s) || twice)
			continue;
		if (s->record.state == STATE_NEEDS_INPUT)
			(*skipped)++;
		else
			out[n++] = s;
	}
	return n;
}

static void say_skipped(struct ui *ui, size_t skipped)
{
	if (skipped)
		ui_say(ui, SAY_WARNING, "%zu pane%s left out: a question is open there", skipped,
		    skipped == 1 ? " is" : "s are");
}

static struct seat *live_focus(struct ui *ui)
{
	struct seat *s = ui_focused(ui);

	if (!s || s->left_out)
		return NULL;
	if (!seat_live(s)) {
		say_ended(ui, s);
		return NULL;
	}
	return s;
}

static void send_key(struct ui *ui, struct seat *s, const struct key *k)
{
	seat_key(s, k);
	remember_press(ui, s, k);
}

void ui_key_to_panes(struct ui *ui, const struct key *k)
{
	struct seat *all[VIEW_PANES_MAX], *one;
	size_t skipped, count;

	if (!ui->sync) {
		one = live_focus(ui);
		if (one)
			send_key(ui, one, k);
		return;
	}
	count = targets(ui, all, &skipped);
	for (size_t i = 0; i < count; i++)
		send_key(ui, all[i], k);
	say_skipped(ui, skipped);
}

/* Where all pieces of a paste go is settled by its first one. */
static void paste_goes_to(struct ui *ui, struct seat *const *seats, size_t count)
{
	for (size_t i = 0; i < count; i++)
		snprintf(ui->paste_to[i].session, sizeof(ui->paste_to[i].session), "%s", seats[i]->record.id);
	ui->paste_count = count;
}

static void begin_paste(struct ui *ui)
{
	struct seat *all[VIEW_PANES_MAX];
	size_t skipped = 0, count = 0;

	if (ui->sync)
		count = targets(ui, all, &skipped);
	else if ((all[0] = live_focus(ui)))
		count = 1;
	paste_goes_to(ui, all, count);
	say_skipped(ui, skipped);
}

static void paste_piece(struct ui *ui, const char *text, size_t len, bool first, bool last)
{
	for (size_t i = 0; i < ui->paste_count; i++) {
		struct seat *s = roster_find(ui->roster, ui->paste_to[i].session);

		if (s)
			seat_paste(s, text, len, first, last);
	}
}

void ui_paste_to_panes(struct ui *ui, const char *text, size_t len, bool first, bool last)
{
	if (first)
		begin_paste(ui);
	paste_piece(ui, text, len, first, last);
}

/* --- typing into all --- */

bool ui_sync(const struct ui *ui)
{
	return ui->sync;
}

static void remember_shown(struct ui *ui)
{
	int panes[VIEW_PANES_MAX], count = stage_panes(ui->stage, panes, VIEW_PANES_MAX);
	AUTO_BUF ids = BUF_INIT;

	for (int i = 0; i < count; i++)
		buf_printf(&ids, "%s ", view_session(ui->views.current, panes[i]));
	free(ui->sync_sessions);
	ui->sync_sessions = buf_steal(&ids);
	ui->sync_panes = count;
}

void ui_set_sync(struct ui *ui, bool on)
{
	if (ui->sync == on)
		return;
	ui->sync = on;
	remember_shown(ui);
	ui_say(ui, on ? SAY_WARNING : SAY_INFO,
	    on ? "what you type goes to all %d panes" : "typing goes to one pane again", ui->sync_panes);
	ui->dirty |= DIRTY_PICTURE | DIRTY_PANES;
}

int ui_shown_panes(struct ui *ui, int *panes, int max)
{
	return ui->views.current ? stage_panes(ui->stage, panes, max) : 0;
}

/* --- keys --- */

static void normal_key(struct ui *ui, const struct key *k)
{
	const struct binding *direct = bindings_find(ui->bindings, k, true);
	struct mode *history = ui_pane_mode(ui, ui_focused_pane(ui));

	if (ui_is_prefix(ui, k))
		ui_push(ui, mode_prefix_create(ui));
	else if (direct)
		ui_command(ui, direct->command, direct->argument);
	else if (ui->start)
		ui->start->class->key(ui->start, k);
	else if (history)
		history->class->key(history, k);
	else
		ui_key_to_panes(ui, k);
}

void ui_key(struct ui *ui, const struct key *k)
{
	if (ui->modes)
		ui->modes->class->key(ui->modes, k);
	else
		normal_key(ui, k);
}

static void take_key(struct ui *ui, const struct input *in)
{
	const struct key *k = &in->key;

	if (k->event == KEY_RELEASE) {
		release(ui, k);
		return;
	}
	if (messages_hide(&ui->messages))
		ui_redraw(ui);
	ui_key(ui, k);
}

/* --- pastes --- */

/* Through a dialog that passes keys on: the whole paste, also if the dialog is closed in the middle of it. */
static bool passed_on(struct ui *ui, struct mode *m, const struct input *in)
{
	struct seat *to = m && m->class->typed_to ? m->class->typed_to(m) : NULL;

	if (in->first) {
		ui->paste_passed = to != NULL;
		paste_goes_to(ui, &to, to ? 1 : 0);
	}
	if (ui->paste_passed)
		paste_piece(ui, in->text, in->text_len, in->first, in->last);
	return ui->paste_passed;
}

/* A dialog gets a paste in pieces, as text; a session as one paste, however many pieces it came in. */
static void take_paste(struct ui *ui, const struct input *in)
{
	struct mode *m;

	while (ui->modes && ui->modes->transient)
		ui_pop(ui, ui->modes);
	m = ui->modes ? ui->modes : ui->start;
	if (passed_on(ui, m, in))
		return;
	if (m) {
		if (m->class->paste)
			m->class->paste(m, in->text, in->text_len);
		return;
	}
	if (ui_pane_mode(ui, ui_focused_pane(ui)))
		ui_set_pane_mode(ui, ui_focused_pane(ui), NULL);
	ui_paste_to_panes(ui, in->text, in->text_len, in->first, in->last);
}

static void take_mouse(struct ui *ui, const struct input *in)
{
	client_mouse(ui, &in->mouse);
}

static void take_focus(struct ui *ui, const struct input *in)
{
	ui->outer_focus = in->on;
	client_tell_focus(ui);
}

void client_input(struct ui *ui, const struct input *in)
{
	static void (*const takers[])(struct ui * ui, const struct input *in) = {
	    [INPUT_KEY] = take_key,
	    [INPUT_MOUSE] = take_mouse,
	    [INPUT_PASTE] = take_paste,
	    [INPUT_FOCUS] = take_focus,
	    [INPUT_REPLY] = client_reply,
	};

	takers[in->type](ui, in);
}
