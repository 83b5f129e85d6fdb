/* client_outer: the terminal that we run in: what it can do, what is switched on in it, and what reaches it
 * from panes. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "harness/strv.h"
#include "ui/client_private.h"
#include "ui/clipboard.h"
#include "ui/notify.h"

enum { TMUX_LIMIT_MS = 1000 };

/* --- the prefix --- */

static void set_prefix(struct ui *ui, const char *name)
{
	struct chord c;

	if (!chord_parse(name, &c)) {
		ui_say(
		    ui, SAY_ERROR, "config.json: prefix: \"%s\" is not the name of a key; C-b is used", name);
		chord_parse("C-b", &c);
	}
	ui->prefix = c;
	chord_name(&c, ui->prefix_name);
	ui_redraw(ui);
}

static bool prefix_given(const struct ui *ui)
{
	const char *name = config_string(ui->config, "prefix");

	return name && strcmp(name, "auto") != 0;
}

/* A multiplexer outside whose prefix is ours would take it away. */
static void choose_prefix(struct ui *ui)
{
	const struct outer_caps *caps = probe_caps(ui->probe);
	struct chord theirs, ours;

	if (prefix_given(ui)) {
		if (!ui->prefix_name[0])
			set_prefix(ui, config_string(ui->config, "prefix"));
		return;
	}
	const char *name = "C-b";

	if (ui->tmux_prefix_known)
		return;
	if (caps->multiplexer_prefix[0] && chord_parse(caps->multiplexer_prefix, &theirs) &&
	    chord_parse(name, &ours) && theirs.code == ours.code && theirs.mods == ours.mods)
		name = "C-a";
	if (strcmp(name, ui->prefix_name) != 0)
		set_prefix(ui, name);
}

static void on_tmux_prefix(const struct spawn_result *r, void *user)
{
	struct ui *ui = user;
	struct key theirs, ours;
	char name[KEY_NAME_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(r->out, "\r\n"), r->out);
	if (r->status != 0 || !key_parse(name, &theirs) || !key_parse("C-b", &ours))
		return;
	ui->tmux_prefix_known = true;
	set_prefix(ui, key_equal(&theirs, &ours) ? "C-a" : "C-b");
}

static void ask_tmux(struct ui *ui)
{
	char *argv[] = {"tmux", "show", "-gv", "prefix", NULL};
	struct spawn_options o = {.argv = argv, .limit_ms = TMUX_LIMIT_MS};

	if (getenv("TMUX") && !prefix_given(ui))
		spawn_run(&ui->loop, &o, on_tmux_prefix, ui);
}

/* --- what it can do --- */

static void put_color(struct json *j, const char *key, int32_t rgb)
{
	char text[8];

	if (rgb < 0)
		return;
	snprintf(text, sizeof(text), "#%06x", (unsigned)rgb & 0xffffff);
	json_set_string(j, key, text);
}

static void put_palette(struct json *j, const struct outer_caps *caps)
{
	struct json *list;
	char text[8];

	for (int i = 0; i < 16; i++)
		if (caps->palette[i] < 0)
			return;
	list = json_set(j, "palette", json_new_array());
	for (int i = 0; i < 16; i++) {
		snprintf(text, sizeof(text), "#%06x", (unsigned)caps->palette[i] & 0xffffff);
		json_append_string(list, text);
	}
}

static void put_cell(struct json *j, const struct ui *ui, const struct outer_caps *caps)
{
	struct tty_size size = tty_size(ui->tty);
	int width = caps->cell_width, height = caps->cell_height;
	struct json *cell;

	if (!width && size.cols > 0 && size.rows > 0) {
		width = size.width / size.cols;
		height = size.height / size.rows;
	}
	if (width <= 0 || height <= 0)
		return;
	cell = json_set(j, "cell", json_new_array());
	json_append(cell, json_new_number(width));
	json_append(cell, json_new_number(height));
}

/* Panes ask for these things; their workers answer with what we know. */
static void tell_sessions(struct ui *ui)
{
	const struct outer_caps *caps = probe_caps(ui->probe);
	struct json *j = json_new_object();

	put_color(j, "fg", caps->fg);
	put_color(j, "bg", caps->bg);
	put_color(j, "cursor", caps->cursor);
	put_palette(j, caps);
	put_cell(j, ui, caps);
	json_set_bool(j, "dark", caps->dark);
	roster_tell_outer(ui->roster, j);
	json_free(j);
}

static bool is_dark(const struct ui *ui)
{
	const char *theme = config_string(ui->config, "theme");

	if (theme && (strcmp(theme, "dark") == 0 || strcmp(theme, "light") == 0))
		return strcmp(theme, "dark") == 0;
	return probe_caps(ui->probe)->dark;
}

/* No colour alone where colours are not wanted, not there, or not seen.  true: it is another look. */
static bool choose_look(struct ui *ui)
{
	const struct outer_caps *caps = probe_caps(ui->probe);

	display_set_plain(ui->display, ui->accessible);
	return display_set_theme(
	    ui->display, is_dark(ui), ui->accessible || caps->plain_chrome || caps->depth == DEPTH_MONO);
}

/* While answers are on their way, an ESC that is all there is may be the first byte of one. */
static void await_answers(struct ui *ui)
{
	decoder_expect_replies(tty_decoder(ui->tty), !probe_done(ui->probe));
	tty_expect_replies(ui->tty, !probe_done(ui->probe));
	decoder_expect_cursor(tty_decoder(ui->tty), probe_cursor_reports(ui->probe));
}

/* With mode 2027 on clusters are measured again: what was measured at the start was measured without. */
static void measure(struct ui *ui)
{
	AUTO_BUF question = BUF_INIT;

	if (ui->gone || !probe_ask_widths(ui->probe, &question))
		return;
	client_set_tty_modes(ui);
	tty_write(ui->tty, &question);
	await_answers(ui);
	alarm_set(ui->probe_alarm, PROBE_TIMEOUT_MS);
	display_invalidate(ui->display);
}

void client_caps_changed(struct ui *ui)
{
	const struct outer_caps *caps = probe_caps(ui->probe);

	ui->caps_changed = false;
	display_set_caps(ui->display, caps);
	bool other_look = choose_look(ui);

	choose_prefix(ui);
	tell_sessions(ui);
	measure(ui);
	if (other_look)
		client_arrange(ui);
	ui->dirty |= DIRTY_PICTURE | DIRTY_PANES;
}

void client_reply(struct ui *ui, const struct input *in)
{
	if (probe_reply(ui->probe, in))
		ui->caps_changed = true; /* answers come in a burst: they are looked at together */
	await_answers(ui);
	if (probe_done(ui->probe))
		alarm_clear(ui->probe_alarm);
}

static void on_probe_alarm(void *user)
{
	struct ui *ui = user;

	probe_expire(ui->probe);
	await_answers(ui);
	ui->caps_changed = true;
}

void client_outer_init(struct ui *ui)
{
	AUTO_BUF queries = BUF_INIT;

	ui->probe_alarm = alarm_create(&ui->loop, on_probe_alarm, ui);
	choose_prefix(ui);
	ask_tmux(ui);
	probe_start(ui->probe, &queries);
	await_answers(ui);
	tty_write(ui->tty, &queries);
	alarm_set(ui->probe_alarm, PROBE_TIMEOUT_MS);
	display_set_caps(ui->display, probe_caps(ui->probe));
	choose_look(ui);
	tell_sessions(ui);
}

/* --- what is switched on --- */

static bool wants_motion(struct ui *ui)
{
	int panes[VIEW_PANES_MAX], count = stage_panes(ui->stage, panes, VIEW_PANES_MAX);

	for (int i = 0; i < count; i++) {
		struct seat *s = roster_find(ui->roster, view_session(ui->views.current, panes[i]));

		if (s && s->mirrored && s->mirror.screen.modes & SCREEN_MOUSE_MOTION)
			return true;
	}
	return false;
}

/*
 * What the program with the focus wants to know of keys beyond what a worker can make of a press: releases
 * and repeats, modifiers on their own, the release of Enter.  Only while it has the keys: a shell that is
 * left with these switched on by a SIGKILL could not be typed into.
 */
static uint8_t wanted_of_keys(struct ui *ui)
{
	bool ours = ui->modes || ui->start || ui_pane_mode(ui, ui_focused_pane(ui));
	const struct seat *s = ours || !ui->views.current ? NULL : ui_focused(ui);
	uint32_t modes = s && s->mirrored && seat_live(s) ? s->mirror.screen.modes : 0;

	return (uint8_t)((modes & SCREEN_KEY_EVENTS ? KITTY_EVENTS : 0) |
			 (modes & SCREEN_KEY_ESCAPES ? KITTY_ALL_ESCAPES | KITTY_TEXT : 0));
}

struct tty_modes client_tty_modes(const struct outer_caps *caps, bool mouse, bool motion)
{
	return (struct tty_modes){
	    .mouse = !mouse   ? TTY_MOUSE_OFF
		     : motion ? TTY_MOUSE_ALL
			      : TTY_MOUSE_BUTTONS,
	    .kitty = caps->kitty_keyboard ? TTY_KITTY_BASE : 0,
	    .modify_other_keys = !caps->kitty_keyboard && caps->modify_other_keys,
	    .focus = caps->focus,
	    .theme_updates = caps->theme_updates,
	    .graphemes = caps->graphemes,
	};
}

void client_set_tty_modes(struct ui *ui)
{
	struct tty_modes modes =
	    client_tty_modes(probe_caps(ui->probe), ui->mouse, ui->views.current && wants_motion(ui));

	if (modes.kitty)
		modes.kitty |= wanted_of_keys(ui);
	if (!ui->gone)
		tty_set_modes(ui->tty, &modes);
}

void ui_set_mouse(struct ui *ui, int on)
{
	ui->mouse = on < 0 ? !ui->mouse : on;
	client_set_tty_modes(ui);
	ui_say(ui, SAY_INFO,
	    ui->mouse ? "the mouse is handler's"
		      : "the mouse is the outer terminal's: select and copy with it");
}

/* --- the window's title --- */

void client_title(struct ui *ui)
{
	const struct seat *s = ui_focused(ui);
	char *title;

	if (!s)
		title = mem_strdup("handler");
	else if (s->record.title && *s->record.title)
		title = mem_printf("%s: %s", s->record.name, s->record.title);
	else
		title = mem_printf("%s (%s)", s->record.name, s->record.agent);
	if (ui->title && strcmp(ui->title, title) == 0) {
		free(title);
		return;
	}
	free(ui->title);
	ui->title = title;
	if (!ui->gone)
		tty_set_title(ui->tty, title);
}

/* --- what panes say to the outside --- */

/* config notify; auto: what a program sends goes out as it is. */
static bool notify_is(const struct ui *ui, const char *a, const char *b)
{
	const char *choice = config_string(ui->config, "notify");

	return choice && (strcmp(choice, a) == 0 || (b && strcmp(choice, b) == 0));
}

static void bell(struct ui *ui, struct seat *s, const struct json *event)
{
	(void)event;
	s->bell = s != ui_focused(ui);
	if (notify_is(ui, "auto", "bell"))
		notify_bell(&ui->outbound);
}

static void notification(struct ui *ui, struct seat *s, const struct json *event)
{
	const char *text = json_get_string(event, "text", ""), *title = json_get_string(event, "extra", NULL);

	s->bell = s != ui_focused(ui);
	if (s != ui_focused(ui))
		ui_say(
		    ui, SAY_INFO, "%s: %s%s%s", s->record.name, title ? title : "", title ? ": " : "", text);
	if (notify_is(ui, "auto", "desktop"))
		notify_text(s->record.name, title, text, &ui->outbound);
	else if (notify_is(ui, "bell", NULL))
		notify_bell(&ui->outbound);
}

/* A session that begins to wait makes itself known, unless its program has just done so, or one looks at it.
 */
void client_notify_waiting(struct ui *ui, struct seat *s)
{
	if (s->bell || (s == ui_focused(ui) && ui->outer_focus))
		return;
	s->bell = s != ui_focused(ui);
	if (notify_is(ui, "auto", "bell"))
		notify_bell(&ui->outbound);
	else if (notify_is(ui, "desktop", NULL))
		notify_text(s->record.name, NULL, s->record.reason, &ui->outbound);
}

/* Write only, and from a pane that is in the focus unless the user has said otherwise. */
static void clipboard(struct ui *ui, struct seat *s, const struct json *event)
{
	const char *who = config_string(ui->config, "terminal.clipboard");
	bool all = who && strcmp(who, "all") == 0, off = who && strcmp(who, "off") == 0;

	if (off || (!all && s != ui_focused(ui))) {
		ui_say(ui, SAY_INFO, "%s wanted to set the clipboard: not done (terminal.clipboard is %s)",
		    s->record.name, off ? "off" : "focused");
		return;
	}
	if (clipboard_osc52(json_get_string(event, "base64", ""), &ui->outbound))
		ui_say(ui, SAY_INFO, "%s sent text to the terminal's clipboard (OSC 52)", s->record.name);
}

/* `handler note`: what somebody has to say about the session. */
static void note(struct ui *ui, struct seat *s, const struct json *event)
{
	const struct json *from = json_get(event, "from");
	const char *name = json_get_string(from, "name", NULL);

	ui_say(ui, SAY_INFO, "%s: %s%s%s%s", s->record.name, json_get_string(event, "text", ""),
	    name && strcmp(name, s->record.name) != 0 ? " (" : "",
	    name && strcmp(name, s->record.name) != 0 ? name : "",
	    name && strcmp(name, s->record.name) != 0 ? ")" : "");
}

/* `handler attach -d` somewhere else: this terminal lets go of what it shows. */
static void detach(struct ui *ui, struct seat *s, const struct json *event)
{
	(void)event;
	if (!s->visible || s->preview)
		return;
	free(ui->farewell);
	ui->farewell = mem_printf("%s is shown by another terminal now (attach -d).", s->record.name);
	ui_leave(ui);
}

static const struct {
	const char *event;
	void (*take)(struct ui *ui, struct seat *s, const struct json *event);
} takers[] = {{"bell", bell}, {"notification", notification}, {"clipboard", clipboard}, {"detach", detach},
    {"note", note}};

void client_pane_event(struct ui *ui, struct seat *s, const struct json *event)
{
	const char *name = json_get_string(event, "event", "");

	for (size_t i = 0; i < COUNT_OF(takers); i++)
		if (strcmp(takers[i].event, name) == 0)
			takers[i].take(ui, s, event);
	ui_redraw(ui);
}

/* --- copying --- */

static void say_copied(enum message_level level, const char *text, void *user)
{
	ui_say(user, level, "%s", text);
}

void ui_copy(struct ui *ui, const char *text, size_t len)
{
	char **command = strv_from_json(config_node(ui->config, "terminal.copy_command"));
	struct clipboard_ways ways = {.command = command, .tmux = getenv("TMUX") != NULL};

	buf_clear(&ui->copied);
	buf_add(&ui->copied, text, len);
	clipboard_copy(&ui->loop, &ways, text, len, &ui->outbound, say_copied, ui);
	strv_destroy(command);
	ui_redraw(ui);
}

const struct buf *ui_copied(const struct ui *ui)
{
	return &ui->copied;
}
