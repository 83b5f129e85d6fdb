/* client: see client.h: the loop, the parts, and their beginning and end. */
#include "ui/client.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "client/call.h"
#include "ui/actions.h"
#include "ui/client_private.h"
#include "ui/outdated.h"

enum { DETACH_MS = 3000 };

/* --- parts, for modes and actions --- */

struct uv_loop_s *ui_loop(struct ui *ui)
{
	return &ui->loop;
}

struct display *ui_display(struct ui *ui)
{
	return ui->display;
}

struct roster *ui_roster(struct ui *ui)
{
	return ui->roster;
}

struct views *ui_views(struct ui *ui)
{
	return &ui->views;
}

struct view *ui_view(struct ui *ui)
{
	return ui->views.current;
}

struct messages *ui_messages(struct ui *ui)
{
	return &ui->messages;
}

const struct bindings *ui_bindings(const struct ui *ui)
{
	return ui->bindings;
}

const struct config *ui_config(const struct ui *ui)
{
	return ui->config;
}

const struct harness_set *ui_harnesses(struct ui *ui)
{
	struct err err = ERR_INIT;

	if (!ui->harnesses_loaded && harness_set_load(&ui->harnesses, &err) < 0)
		ui_say_err(ui, &err);
	ui->harnesses_loaded = true;
	return &ui->harnesses;
}

const char *ui_self(const struct ui *ui)
{
	return ui->options.self;
}

const char *ui_prefix(const struct ui *ui)
{
	return ui->prefix_name;
}

bool ui_vi_keys(const struct ui *ui)
{
	return ui->vi_keys;
}

/* --- saying things --- */

static void on_message_alarm(void *user)
{
	struct ui *ui = user;

	if (messages_hide(&ui->messages))
		ui_redraw(ui);
}

void ui_say(struct ui *ui, enum message_level level, const char *fmt, ...)
{
	AUTO_BUF text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	messages_add(&ui->messages, level, text.data, clock_now());
	alarm_set(ui->message_alarm, UI_MESSAGE_MS);
	ui_redraw(ui);
}

void ui_say_err(struct ui *ui, const struct err *err)
{
	ui_say(ui, SAY_ERROR, "%s%s%s", err->message, *err->hint ? " " : "", err->hint);
}

/* --- modes --- */

void ui_push(struct ui *ui, struct mode *m)
{
	m->below = ui->modes;
	ui->modes = m;
	ui_redraw(ui);
}

void ui_pop(struct ui *ui, struct mode *m)
{
	struct mode **at = &ui->modes;

	while (*at && *at != m)
		at = &(*at)->below;
	if (*at)
		*at = m->below;
	m->class->leave(m);
	ui->dirty |= DIRTY_PICTURE | DIRTY_PANES;
}

void ui_command(struct ui *ui, enum command_id id, const char *argument)
{
	/* The argument may belong to what the command removes. */
	AUTO_FREE char *copy = mem_strdup(argument);

	action_run(ui, id, copy);
	ui_redraw(ui);
}

void ui_redraw(struct ui *ui)
{
	ui->dirty |= DIRTY_PICTURE;
}

void ui_redraw_all(struct ui *ui)
{
	display_invalidate(ui->display);
	client_arrange(ui);
}

void ui_set_sidebar(struct ui *ui, const char *form)
{
	static const enum sidebar_form next[SIDEBAR_FORMS] = {
	    [SIDEBAR_FULL] = SIDEBAR_LINE, [SIDEBAR_LINE] = SIDEBAR_OFF, [SIDEBAR_OFF] = SIDEBAR_FULL};
	int named = sidebar_form_from_name(form);
	const struct geometry *g = stage_geometry(ui->stage);
	enum sidebar_form now = ui->sidebar;

	if (*form && named < 0) {
		ui_say(ui, SAY_WARNING, "the sidebar is full, line or off, not \"%s\"", form);
		return;
	}
	if (now == SIDEBAR_AUTO)
		now = g->sidebar.cols ? SIDEBAR_FULL : g->line ? SIDEBAR_LINE : SIDEBAR_OFF;
	ui->sidebar = named >= 0 ? (enum sidebar_form)named : next[now];
	ui_say(ui, SAY_INFO, "sidebar: %s", sidebar_form_name(ui->sidebar));
	ui_arranged(ui);
	if (ui->sidebar == SIDEBAR_FULL && !stage_geometry(ui->stage)->sidebar.cols)
		ui_say(ui, SAY_INFO, "sidebar: a line, %d columns are too few for more",
		    display_cols(ui->display));
}

void ui_leave(struct ui *ui)
{
	ui->leaving = true;
}

/* --- the terminal's events --- */

static void on_input(void *owner, const struct input *in)
{
	client_input(owner, in);
}

static void on_resized(void *owner, struct tty_size size)
{
	client_resize(owner, size.rows, size.cols);
}

static void on_resumed(void *owner)
{
	ui_redraw_all(owner);
}

static void on_tty_gone(void *owner, enum tty_gone why)
{
	struct ui *ui = owner;

	ui->gone = (int)why + 1;
	ui->leaving = true;
}

static void before_wait(uv_prepare_t *prepare)
{
	struct ui *ui = prepare->data;

	if (ui->leaving) {
		uv_stop(&ui->loop);
		return;
	}
	if (ui->caps_changed)
		client_caps_changed(ui);
	client_frame(ui);
	roster_acknowledge(ui->roster);
}

/* --- beginning --- */

/* tmux's rule: vi's keys if $VISUAL or $EDITOR is one. */
static bool editor_is_vi(void)
{
	const char *editor = getenv("VISUAL");

	if (!editor || !*editor)
		editor = getenv("EDITOR");
	if (!editor)
		return false;
	const char *slash = strrchr(editor, '/');

	return strstr(slash ? slash + 1 : editor, "vi") != NULL;
}

static void read_config(struct ui *ui)
{
	const char *sidebar;
	bool vi;

	ui->config = config_load();
	vi = strcmp(config_string(ui->config, "preset"), "vi") == 0;
	ui->bindings =
	    bindings_create(vi, config_node(ui->config, "keys"), config_node(ui->config, "direct_keys"));
	ui->vi_keys = vi || editor_is_vi();
	ui->mouse = config_bool(ui->config, "mouse");
	ui->accessible = config_bool(ui->config, "accessible");
	sidebar = config_string(ui->config, "sidebar");
	ui->sidebar = sidebar_form_from_name(sidebar) >= 0
			  ? (enum sidebar_form)sidebar_form_from_name(sidebar)
			  : SIDEBAR_AUTO;
}

/* A fault in the configuration keeps nobody from working: it is said, and the default is used. */
static void say_faults(struct ui *ui)
{
	const char *fault;

	for (size_t i = 0; i < config_fault_count(ui->config); i++)
		ui_say_err(ui, config_fault(ui->config, i));
	for (size_t i = 0; (fault = bindings_fault(ui->bindings, i)); i++)
		ui_say(ui, SAY_ERROR, "config.json: %s", fault);
}

/* What needs no session and touches no terminal: sessions that are being started come to life meanwhile. */
static int prepare(struct ui *ui, struct err *err)
{
	struct probe_env env = probe_env_read();
	struct probe_options wishes = {
	    .color = ui->options.color ? ui->options.color : config_string(ui->config, "terminal.color"),
	    .keys = config_string(ui->config, "terminal.keys"),
	    .sync = config_string(ui->config, "terminal.sync"),
	};
	struct tty_size size;

	tty_likely_size(&size);
	ui->probe = probe_create(&env, &wishes);
	ui->display = display_create(size.rows, size.cols, err);
	return ui->display ? 0 : -1;
}

static int await_sessions(struct ui *ui, struct err *err)
{
	const struct ui_options *o = &ui->options;

	return o->ready ? o->ready(o->ready_user, &ui->note, err) : 0;
}

static int open_terminal(struct ui *ui, struct err *err)
{
	static const struct tty_events events = {
	    .input = on_input, .resized = on_resized, .resumed = on_resumed, .gone = on_tty_gone};
	struct tty_options options = {.stdin_taken = ui->options.stdin_taken};

	if (tty_open(&ui->tty, &ui->loop, &options, &events, ui, err) < 0)
		return -1;
	struct tty_size size = tty_size(ui->tty);

	if (size.rows != display_rows(ui->display) || size.cols != display_cols(ui->display))
		display_resize(ui->display, size.rows, size.cols);
	struct tty_modes modes = client_tty_modes(probe_caps(ui->probe), ui->mouse, false);

	return tty_enter(ui->tty, &modes, err);
}

static const char *ancestor(void)
{
	const char *id = getenv("HANDLER_SESSION");

	return id && strlen(id) == SESSION_ID_LENGTH ? id : NULL;
}

static void say_left_out(struct ui *ui)
{
	for (size_t i = 0; i < roster_count(ui->roster); i++) {
		const struct seat *s = roster_at(ui->roster, i);

		if (s->left_out)
			ui_say(ui, SAY_WARNING,
			    "%s is left out: this terminal runs inside it and would show itself",
			    s->record.name);
	}
}

/* Before we connect ourselves: whoever is connected then lets go. */
static void detach_others(const struct ui_options *o)
{
	struct record_list list;
	struct json *request, *answer = NULL;

	if (!o->detach_others || !o->session_count || record_list_load(&list, NULL) < 0)
		return;
	struct record *r = record_find(&list, o->sessions[0], false, NULL);

	request = json_new_object();
	json_set_string(request, "op", "detach");
	if (r && r->live)
		answer = call_once(r, request, DETACH_MS, NULL);
	json_free(answer);
	json_free(request);
	record_list_finish(&list);
}

static void on_age_alarm(void *user)
{
	ui_redraw(user);
}

static void on_first_alarm(void *user)
{
	struct ui *ui = user;

	ui->waited = true;
}

static int open_sessions(struct ui *ui, struct err *err)
{
	struct err warning = ERR_INIT;
	AUTO_FREE char *dir = sessions_dir(err);

	if (!dir)
		return -1;
	ui->roster = roster_create(&ui->loop, &client_roster_events, ui);
	/* First the watch, then the reading: nothing falls between them. */
	ui->watch = watch_create(&ui->loop, dir, client_watched, ui, &warning);
	if (!ui->watch)
		ui_say_err(ui, &warning);
	return roster_load(ui->roster, ancestor(), err);
}

static void say_outdated(struct ui *ui)
{
	AUTO_FREE char *news = outdated_news(ui->roster);

	if (news)
		ui_say(ui, SAY_INFO, "%s", news);
}

/* A start that failed is what is said, whatever else is amiss: it would have been first. */
static int begin(struct ui *ui, struct err *err)
{
	struct err fault = ERR_INIT;
	int prepared = prepare(ui, &fault);

	if (await_sessions(ui, err) < 0)
		return -1;
	detach_others(&ui->options);
	if (open_sessions(ui, err) < 0)
		return -1;
	if (prepared < 0) {
		*err = fault;
		return -1;
	}
	if (open_terminal(ui, err) < 0)
		return -1;
	ui->outer_focus = true;
	ui->stage = stage_create(ui->display);
	client_outer_init(ui);
	/* What is said last stands in the bottom line: the most urgent comes last. */
	if (ui->note)
		ui_say(ui, SAY_INFO, "%s", ui->note);
	say_outdated(ui);
	say_faults(ui);
	say_left_out(ui);
	client_open_first_view(ui);
	ui->first_alarm = alarm_create(&ui->loop, on_first_alarm, ui);
	alarm_set(ui->first_alarm, UI_FIRST_MS);
	return 0;
}

static void init(struct ui *ui, const struct ui_options *o)
{
	ui->options = *o;
	buf_init(&ui->outbound);
	buf_init(&ui->copied);
	messages_init(&ui->messages);
	views_init(&ui->views);
	uv_loop_init(&ui->loop);
	uv_prepare_init(&ui->loop, &ui->before_wait);
	ui->before_wait.data = ui;
	uv_prepare_start(&ui->before_wait, before_wait);
	ui->message_alarm = alarm_create(&ui->loop, on_message_alarm, ui);
	ui->age_alarm = alarm_create(&ui->loop, on_age_alarm, ui);
	read_config(ui);
}

/* --- the end --- */

/* The terminal first: whatever comes after it, it is as it was found. */
static void give_terminal_back(struct ui *ui)
{
	AUTO_BUF bytes = BUF_INIT;

	if (!ui->tty)
		return;
	if (!ui->gone && ui->display && ui->stage) {
		display_leave(ui->display, &bytes);
		tty_write(ui->tty, &bytes);
	}
	if (!ui->gone)
		tty_leave(ui->tty);
	tty_close(ui->tty);
}

static void leave_modes(struct ui *ui)
{
	while (ui->modes)
		ui_pop(ui, ui->modes);
	if (ui->start)
		ui->start->class->leave(ui->start);
	ui->start = NULL;
	if (ui->stage)
		client_drop_pane_modes(ui, true);
	free(ui->pane_modes);
}

static void close_left(uv_handle_t *handle, void *unused)
{
	(void)unused;
	if (!uv_is_closing(handle))
		log_error("client", "a handle of type %s was left open", uv_handle_type_name(handle->type));
}

static void close_loop(struct ui *ui)
{
	uv_close((uv_handle_t *)&ui->before_wait, NULL);
	spawn_abandon_all(&ui->loop);
	watch_destroy(ui->watch);
	alarm_destroy(ui->message_alarm);
	alarm_destroy(ui->age_alarm);
	alarm_destroy(ui->probe_alarm);
	alarm_destroy(ui->first_alarm);
	roster_destroy(ui->roster);
	uv_walk(&ui->loop, close_left, NULL);
	uv_run(&ui->loop, UV_RUN_DEFAULT);
	uv_loop_close(&ui->loop);
}

static void end(struct ui *ui)
{
	give_terminal_back(ui);
	leave_modes(ui);
	close_loop(ui);
	stage_destroy(ui->stage);
	display_destroy(ui->display);
	probe_destroy(ui->probe);
	views_finish(&ui->views);
	view_files_close(ui->files);
	view_destroy(ui->saved);
	messages_finish(&ui->messages);
	bindings_destroy(ui->bindings);
	if (ui->harnesses_loaded)
		harness_set_finish(&ui->harnesses);
	config_destroy(ui->config);
	buf_free(&ui->outbound);
	buf_free(&ui->copied);
	free(ui->title);
	free(ui->sync_sessions);
}

/* What goes on, and how to come back to it. */
static char *farewell(struct ui *ui)
{
	AUTO_BUF text = BUF_INIT;
	int live = 0, waiting = 0;

	if (ui->farewell)
		buf_printf(&text, "%s\n", ui->farewell);
	for (size_t i = 0; ui->roster && i < roster_count(ui->roster); i++) {
		const struct seat *s = roster_at(ui->roster, i);

		live += seat_live(s);
		waiting += seat_live(s) && state_waits(s->record.state);
	}
	if (live == 0)
		buf_adds(&text, "No session is running.\n");
	else if (waiting)
		buf_printf(&text, "%d session%s go%s on, %d of them wait%s for you. Return with: handler\n",
		    live, live == 1 ? "" : "s", live == 1 ? "es" : "", waiting, waiting == 1 ? "s" : "");
	else
		buf_printf(&text, "%d session%s go%s on. Return with: handler\n", live, live == 1 ? "" : "s",
		    live == 1 ? "es" : "");
	return buf_steal(&text);
}

int ui_run(const struct ui_options *o, struct err *err)
{
	struct ui *ui = mem_zalloc(1, sizeof(*ui));
	int result;

	log_open("terminal");
	signal(SIGPIPE, SIG_IGN); /* a pipe that nobody reads is an error of that pipe */
	init(ui, o);
	result = begin(ui, err);
	if (result == 0)
		uv_run(&ui->loop, UV_RUN_DEFAULT);
	if (result == 0 && (!ui->gone || ui->dirty & DIRTY_SAVE))
		client_save_view(ui);
	AUTO_FREE char *words = result == 0 && !ui->gone ? farewell(ui) : NULL;

	end(ui);
	log_close();
	free(ui->farewell);
	free(ui);
	if (words)
		fputs(words, stdout);
	return result;
}
