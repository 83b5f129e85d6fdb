/* actions: see actions.h.  Each is a few lines: the work is done by views, roster and modes. */
#include "ui/actions.h"

#include <stdlib.h>

#include "base/mem.h"
#include "client/capture.h"
#include "client/processes.h"
#include "ui/mode_confirm.h"
#include "ui/mode_copy.h"
#include "ui/mode_help.h"
#include "ui/mode_messages.h"
#include "ui/mode_new.h"
#include "ui/mode_numbers.h"
#include "ui/mode_palette.h"
#include "ui/mode_picker.h"
#include "ui/mode_prompt.h"
#include "ui/mode_rename.h"
#include "ui/mode_sync.h"
#include "ui/mode_views.h"
#include "ui/ui.h"

/* --- sessions --- */

static void new_session(struct ui *ui, const char *argument)
{
	ui_push(ui, mode_new_create(ui, PLACE_GO, argument));
}

static void find_session(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_push(ui, mode_picker_create(ui, PLACE_GO));
}

static void go_step(struct ui *ui, int step)
{
	struct seat *now = ui_focused(ui);
	struct seat *to = roster_next(ui_roster(ui), now ? now->record.id : "", step);

	if (to)
		ui_go(ui, to);
	else
		ui_say(ui, SAY_INFO, "there is no other session: %s c starts one", ui_prefix(ui));
}

static void go_next(struct ui *ui, const char *argument)
{
	(void)argument;
	go_step(ui, 1);
}

static void go_previous(struct ui *ui, const char *argument)
{
	(void)argument;
	go_step(ui, -1);
}

static void go_named(struct ui *ui, const char *word, int unused)
{
	struct err err = ERR_INIT;
	struct seat *s = word && *word ? roster_named(ui_roster(ui), word, &err) : NULL;

	(void)unused;
	if (s && s == ui_focused(ui))
		ui_say(ui, SAY_INFO, "%s has the focus", s->record.name);
	else if (s)
		ui_go(ui, s);
	else if (word && *word)
		ui_say_err(ui, &err);
}

static void go_to(struct ui *ui, const char *argument)
{
	if (*argument)
		go_named(ui, argument, 0);
	else
		ui_push(ui, mode_prompt_create(ui, "go to session (number or name):", "", go_named, 0));
}

static void go_undo(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_load_views(ui);
	if (views_undo(ui_views(ui), ui_view_allowed, ui))
		ui_arranged(ui);
	else
		ui_say(ui, SAY_INFO, "there is no going to a session to undo");
}

static void go_waiting(struct ui *ui, const char *argument)
{
	struct seat *s = roster_waiting(ui_roster(ui));

	(void)argument;
	if (!s)
		ui_say(ui, SAY_INFO, "no session waits for you");
	else if (s == ui_focused(ui))
		ui_say(ui, SAY_INFO, "%s, here, has waited longest", s->record.name);
	else
		ui_go(ui, s);
}

static struct seat *need_session(struct ui *ui)
{
	struct seat *s = ui_focused(ui);

	if (!s)
		ui_say(ui, SAY_INFO, "there is no session here: %s c starts one", ui_prefix(ui));
	return s;
}

static void rename_session(struct ui *ui, const char *argument)
{
	struct seat *s = need_session(ui);

	if (s && *argument)
		mode_rename_apply(ui, s->record.id, argument);
	else if (s)
		ui_push(ui, mode_rename_create(ui, s));
}

static void stop_session(struct ui *ui, const char *argument)
{
	struct seat *s = need_session(ui);

	(void)argument;
	if (s && !seat_live(s) && processes_count_left(&s->record) == 0)
		ui_say(ui, SAY_INFO, "%s has ended already", s->record.name);
	else if (s)
		ui_push(ui, mode_confirm_stop(ui, s));
}

static void resume_session(struct ui *ui, const char *argument)
{
	struct seat *s = need_session(ui);

	(void)argument;
	if (s)
		ui_resume_session(ui, s);
}

/* The harness's own newline key: with extended keys on, and without; Ctrl+J where nothing is known. */
static void newline(struct ui *ui, const char *argument)
{
	struct seat *s = need_session(ui);
	struct key k;

	(void)argument;
	if (!s)
		return;
	const struct descriptor *d = harness_set_find(ui_harnesses(ui), s->record.harness, NULL);
	const struct json *keys = d ? json_path(descriptor_json(d), "keys.newline") : NULL;
	bool extended = s->mirrored && s->mirror.screen.modes & SCREEN_KITTY_KEYS;
	const struct json *first = json_first(keys), *second = first ? json_next(first) : NULL;
	const char *name = json_string(extended || !second ? first : second, extended ? "S-Enter" : "C-j");

	if (key_parse(name, &k))
		ui_key_to_panes(ui, &k);
}

/* --- panes --- */

static bool has_room(struct ui *ui, bool right)
{
	struct view *trial = view_copy(ui_view(ui));
	bool room;

	layout_arrange(trial->layout, ui_area(ui));
	room = view_split(trial, trial->focus, right, "aaaaaa") != 0;
	view_destroy(trial);
	if (!room)
		ui_say(ui, SAY_WARNING, "no room to split: a pane needs %dx%d", LAYOUT_MIN_COLS,
		    LAYOUT_MIN_ROWS);
	return room;
}

static void split(struct ui *ui, enum placement where, const char *argument)
{
	struct err err = ERR_INIT;

	if (!has_room(ui, where == PLACE_RIGHT))
		return;
	if (!*argument) {
		ui_push(ui, mode_new_create(ui, where, ""));
		return;
	}
	struct seat *s = roster_named(ui_roster(ui), argument, &err);

	if (s)
		ui_place(ui, s, where);
	else
		ui_say_err(ui, &err);
}

static void split_right(struct ui *ui, const char *argument)
{
	split(ui, PLACE_RIGHT, argument);
}

static void split_below(struct ui *ui, const char *argument)
{
	split(ui, PLACE_BELOW, argument);
}

static bool only_pane(struct ui *ui)
{
	if (ui_view(ui)->count > 1)
		return false;
	ui_say(
	    ui, SAY_INFO, "there is only one pane: %s %% and %s \" split it", ui_prefix(ui), ui_prefix(ui));
	return true;
}

/* As in tmux, moving the focus shows all panes again. */
static void move_focus(struct ui *ui, int pane)
{
	struct view *v = ui_view(ui);

	v->zoomed = false;
	if (!view_set_focus(v, pane))
		ui_say(ui, SAY_INFO, "there is no pane in that direction");
	ui_arranged(ui);
}

static void focus_direction(struct ui *ui, enum direction d)
{
	if (!only_pane(ui))
		move_focus(ui, layout_neighbour(ui_view(ui)->layout, ui_view(ui)->focus, d));
}

static void focus_left(struct ui *ui, const char *argument)
{
	(void)argument;
	focus_direction(ui, DIR_LEFT);
}

static void focus_right(struct ui *ui, const char *argument)
{
	(void)argument;
	focus_direction(ui, DIR_RIGHT);
}

static void focus_up(struct ui *ui, const char *argument)
{
	(void)argument;
	focus_direction(ui, DIR_UP);
}

static void focus_down(struct ui *ui, const char *argument)
{
	(void)argument;
	focus_direction(ui, DIR_DOWN);
}

static void focus_next(struct ui *ui, const char *argument)
{
	(void)argument;
	if (!only_pane(ui))
		move_focus(ui, layout_next(ui_view(ui)->layout, ui_view(ui)->focus, 1));
}

static void last_pane(struct ui *ui, const char *argument)
{
	struct view *v = ui_view(ui);

	(void)argument;
	if (v->last)
		move_focus(ui, v->last);
	else
		ui_say(ui, SAY_INFO, "no other pane had the focus before");
}

static void resize(struct ui *ui, enum direction d, const char *argument)
{
	int cells = atoi(argument);

	if (only_pane(ui))
		return;
	if (layout_resize(ui_view(ui)->layout, ui_view(ui)->focus, d, cells > 0 ? cells : 1))
		ui_arranged(ui);
	else
		ui_say(ui, SAY_INFO, "that border does not move: a pane needs %dx%d", LAYOUT_MIN_COLS,
		    LAYOUT_MIN_ROWS);
}

static void resize_left(struct ui *ui, const char *argument)
{
	resize(ui, DIR_LEFT, argument);
}

static void resize_right(struct ui *ui, const char *argument)
{
	resize(ui, DIR_RIGHT, argument);
}

static void resize_up(struct ui *ui, const char *argument)
{
	resize(ui, DIR_UP, argument);
}

static void resize_down(struct ui *ui, const char *argument)
{
	resize(ui, DIR_DOWN, argument);
}

static void equal_sizes(struct ui *ui, const char *argument)
{
	(void)argument;
	if (only_pane(ui))
		return;
	layout_equalize(ui_view(ui)->layout);
	ui_arranged(ui);
}

static void swap(struct ui *ui, int step)
{
	struct view *v = ui_view(ui);

	if (!only_pane(ui) && view_swap(v, v->focus, layout_next(v->layout, v->focus, step)))
		ui_arranged(ui);
}

static void swap_previous(struct ui *ui, const char *argument)
{
	(void)argument;
	swap(ui, -1);
}

static void swap_next(struct ui *ui, const char *argument)
{
	(void)argument;
	swap(ui, 1);
}

static void break_pane(struct ui *ui, const char *argument)
{
	struct seat *s = ui_focused(ui);
	struct view *from = ui_view(ui);

	(void)argument;
	if (!views_break(ui_views(ui), s ? s->record.name : "view")) {
		ui_say(ui, SAY_INFO, "the pane is alone in its view already");
		return;
	}
	ui_save_left_view(ui, from);
	ui_say(ui, SAY_INFO, "%s has the view %s of its own: %s l goes back", s ? s->record.name : "the pane",
	    ui_view(ui)->name, ui_prefix(ui));
	ui_arranged(ui);
}

static void zoom(struct ui *ui, const char *argument)
{
	(void)argument;
	if (only_pane(ui))
		return;
	ui_view(ui)->zoomed = !ui_view(ui)->zoomed;
	ui_arranged(ui);
}

static int kind_named(const char *name)
{
	for (int kind = 0; kind < LAYOUT_KINDS; kind++)
		if (strcmp(layout_kind_name(kind), name) == 0)
			return kind;
	return -1;
}

static bool fits(struct ui *ui, int kind)
{
	return layout_capacity((enum layout_kind)kind, ui_area(ui), (int)ui_view(ui)->count) >=
	       (int)ui_view(ui)->count;
}

/* By itself a layout makes no pane smaller than 60x10: those that would are passed over. */
static int next_kind(struct ui *ui)
{
	int kind = (int)ui_view(ui)->kind;

	for (int i = 0; i < LAYOUT_KINDS; i++) {
		kind = (kind + 1) % LAYOUT_KINDS;
		if (fits(ui, kind))
			return kind;
	}
	return -1;
}

static void next_layout(struct ui *ui, const char *argument)
{
	struct view *v = ui_view(ui);
	int kind = *argument ? kind_named(argument) : next_kind(ui);

	if (only_pane(ui))
		return;
	if (kind < 0 && *argument) {
		ui_say(ui, SAY_WARNING, "there is no layout \"%s\"", argument);
	} else if (kind < 0) {
		ui_say(ui, SAY_WARNING, "no layout has %dx%d for each of %zu panes here", LAYOUT_AUTO_COLS,
		    LAYOUT_AUTO_ROWS, v->count);
	} else {
		v->kind = (enum layout_kind)kind;
		v->zoomed = false;
		layout_set_kind(v->layout, v->kind);
		ui_say(ui, SAY_INFO, "layout: %s", layout_kind_name(v->kind));
		ui_arranged(ui);
	}
}

static void close_pane(struct ui *ui, const char *argument)
{
	struct seat *s = ui_focused(ui);
	AUTO_FREE char *name = mem_strdup(s ? s->record.name : "the session");
	bool live = s && seat_live(s);

	(void)argument;
	ui_close_pane(ui);
	if (live)
		ui_say(ui, SAY_INFO, "closed the pane; %s goes on (%s s finds it)", name, ui_prefix(ui));
	else
		ui_say(ui, SAY_INFO, "closed the pane of %s", name);
}

static void pane_numbers(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_push(ui, mode_numbers_create(ui));
}

static void type_into_all(struct ui *ui, const char *argument)
{
	(void)argument;
	if (ui_sync(ui))
		ui_set_sync(ui, false);
	else if (ui_shown_panes(ui, NULL, 0) < 2)
		ui_say(ui, SAY_INFO, "only one pane is shown: typing goes there");
	else
		ui_push(ui, mode_sync_create(ui));
}

/* --- history --- */

/* A program on the alternate screen whose rows were not seen to leave it yet. */
static void say_nothing_left(struct ui *ui, const struct seat *s)
{
	const struct screen *screen = &s->mirror.screen;

	if (!(screen->modes & SCREEN_ALTERNATE) || screen->history_first < screen->top)
		return;
	AUTO_FREE char *text = capture_nothing_left(&s->record);

	ui_say(ui, SAY_INFO, "%s", text);
}

static struct mode *history_mode(struct ui *ui)
{
	int pane = ui_focused_pane(ui);
	struct mode *m = ui_pane_mode(ui, pane);

	if (m)
		return m;
	m = mode_copy_create(ui, pane, false);
	if (!m) {
		ui_say(ui, SAY_INFO, "there is nothing to look at yet");
		return NULL;
	}
	ui_set_pane_mode(ui, pane, m);
	say_nothing_left(ui, roster_find(ui_roster(ui), view_session(ui_view(ui), pane)));
	return m;
}

static void history(struct ui *ui, const char *argument)
{
	(void)argument;
	history_mode(ui);
}

static void history_page_up(struct ui *ui, const char *argument)
{
	struct mode *m = history_mode(ui);

	(void)argument;
	if (m)
		mode_copy_page_up(m);
}

static void paste(struct ui *ui, const char *argument)
{
	const struct buf *text = ui_copied(ui);

	(void)argument;
	if (!text->len) {
		ui_say(ui, SAY_INFO, "nothing was copied here yet: %s [ does", ui_prefix(ui));
		return;
	}
	if (ui_pane_mode(ui, ui_focused_pane(ui)))
		ui_set_pane_mode(ui, ui_focused_pane(ui), NULL);
	ui_paste_to_panes(ui, text->data, text->len, true, true);
}

/* --- views and the screen --- */

static void views(struct ui *ui, const char *argument)
{
	if (*argument)
		mode_views_go(ui, argument);
	else
		ui_push(ui, mode_views_create(ui));
}

static void sidebar(struct ui *ui, const char *argument)
{
	ui_set_sidebar(ui, argument);
}

static void fold_ended(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_fold_ended(ui);
}

static void mouse(struct ui *ui, const char *argument)
{
	ui_set_mouse(ui, strcmp(argument, "on") == 0 ? 1 : strcmp(argument, "off") == 0 ? 0 : -1);
}

static void messages(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_push(ui, mode_messages_create(ui));
}

static void redraw(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_redraw_all(ui);
}

static void help(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_push(ui, mode_help_create(ui));
}

static void palette(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_push(ui, mode_palette_create(ui));
}

static void leave(struct ui *ui, const char *argument)
{
	(void)argument;
	ui_leave(ui);
}

static void send_prefix(struct ui *ui, const char *argument)
{
	struct key k;

	(void)argument;
	if (key_parse(ui_prefix(ui), &k))
		ui_key_to_panes(ui, &k);
}

static void (*const doers[CMD_COUNT])(struct ui *ui, const char *argument) = {
    [CMD_NEW_SESSION] = new_session,
    [CMD_FIND_SESSION] = find_session,
    [CMD_NEXT_SESSION] = go_next,
    [CMD_PREVIOUS_SESSION] = go_previous,
    [CMD_GO_TO] = go_to,
    [CMD_UNDO_GO_TO] = go_undo,
    [CMD_GO_TO_WAITING] = go_waiting,
    [CMD_RENAME_SESSION] = rename_session,
    [CMD_STOP_SESSION] = stop_session,
    [CMD_RESUME_SESSION] = resume_session,
    [CMD_NEWLINE] = newline,
    [CMD_SPLIT_RIGHT] = split_right,
    [CMD_SPLIT_BELOW] = split_below,
    [CMD_FOCUS_LEFT] = focus_left,
    [CMD_FOCUS_DOWN] = focus_down,
    [CMD_FOCUS_UP] = focus_up,
    [CMD_FOCUS_RIGHT] = focus_right,
    [CMD_FOCUS_NEXT] = focus_next,
    [CMD_LAST_PANE] = last_pane,
    [CMD_RESIZE_LEFT] = resize_left,
    [CMD_RESIZE_DOWN] = resize_down,
    [CMD_RESIZE_UP] = resize_up,
    [CMD_RESIZE_RIGHT] = resize_right,
    [CMD_EQUAL_SIZES] = equal_sizes,
    [CMD_SWAP_PREVIOUS] = swap_previous,
    [CMD_SWAP_NEXT] = swap_next,
    [CMD_BREAK_PANE] = break_pane,
    [CMD_ZOOM] = zoom,
    [CMD_NEXT_LAYOUT] = next_layout,
    [CMD_CLOSE_PANE] = close_pane,
    [CMD_PANE_NUMBERS] = pane_numbers,
    [CMD_TYPE_INTO_ALL] = type_into_all,
    [CMD_HISTORY] = history,
    [CMD_HISTORY_PAGE_UP] = history_page_up,
    [CMD_PASTE] = paste,
    [CMD_VIEWS] = views,
    [CMD_SIDEBAR] = sidebar,
    [CMD_FOLD_ENDED] = fold_ended,
    [CMD_MOUSE] = mouse,
    [CMD_MESSAGES] = messages,
    [CMD_REDRAW] = redraw,
    [CMD_HELP] = help,
    [CMD_PALETTE] = palette,
    [CMD_LEAVE] = leave,
    [CMD_SEND_PREFIX] = send_prefix,
};

void action_run(struct ui *ui, enum command_id id, const char *argument)
{
	const struct ui_command *c = commands_get(id);

	if (!c)
		return;
	if (!ui_view(ui) && !(c->flags & COMMAND_VIEWS)) {
		ui_say(ui, SAY_INFO, "%s needs a session in view: Enter starts one", c->name);
		return;
	}
	doers[id](ui, argument);
}
