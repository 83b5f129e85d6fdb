/* client_sessions: what happens to sessions, and going to, starting, stopping and resuming them. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "harness/strv.h"
#include "ui/client_private.h"
#include "ui/repository.h"

/* --- events of the roster --- */

static void tell_modes(struct ui *ui)
{
	if (ui->start && ui->start->class->changed)
		ui->start->class->changed(ui->start);
	for (struct mode *m = ui->modes, *below; m; m = below) {
		below = m->below;
		if (m->class->changed)
			m->class->changed(m);
	}
}

/* The sidebar may appear with the second session and go with it. */
static void on_listed(void *user)
{
	struct ui *ui = user;

	if (!ui->stage)
		return;
	tell_modes(ui);
	client_arrange(ui);
}

static bool pane_waits_for(const struct ui *ui, const struct seat *s)
{
	return ui->views.current && view_find(ui->views.current, s->record.id);
}

static void on_gone(struct seat *s, void *user)
{
	struct ui *ui = user;
	bool shown = pane_waits_for(ui, s);

	if (!ui->stage)
		return;
	client_prune_views(ui);
	client_choose_view(ui);
	if (shown)
		ui_say(ui, SAY_INFO, "%s was removed", s->record.name);
	tell_modes(ui);
	ui_arranged(ui);
}

static void say_end(struct ui *ui, const struct seat *s)
{
	const char *reason = s->record.reason && *s->record.reason ? s->record.reason : NULL;

	ui_say(ui, state_waits(s->record.state) ? SAY_WARNING : SAY_INFO, "%s: %s%s%s", s->record.name,
	    state_name(s->record.state), reason ? ", " : "", reason ? reason : "");
}

static void on_changed(struct seat *s, enum session_state before, void *user)
{
	struct ui *ui = user;

	if (!ui->stage)
		return;
	if (state_ended(s->record.state) && !state_ended(before))
		say_end(ui, s);
	if (state_waits(s->record.state) && !state_waits(before))
		client_notify_waiting(ui, s);
	if (ui->options.single && s->record.state == STATE_EXITED && !state_ended(before) &&
	    s == ui_focused(ui)) {
		free(ui->farewell);
		ui->farewell = mem_printf(
		    "%s: exited%s%s", s->record.name, *s->record.reason ? ", " : "", s->record.reason);
		ui->leaving = true;
	}
	if (s->visible && pane_waits_for(ui, s) &&
	    stage_canvas(ui->stage, view_find(ui->views.current, s->record.id)))
		ui->dirty |= DIRTY_PANES; /* a message in the pane may be another one */
	tell_modes(ui);
	client_title(ui);
	ui_redraw(ui);
}

static void on_screen(struct seat *s, void *user)
{
	struct ui *ui = user;

	if (!ui->stage)
		return;
	if (pane_waits_for(ui, s))
		ui->dirty |= DIRTY_PANES;
	for (struct mode *m = ui->modes; m; m = m->below)
		if (m->class->screen)
			m->class->screen(m, s);
	for (size_t i = 0; i < ui->pane_mode_count; i++)
		if (ui->pane_modes[i].mode->class->screen)
			ui->pane_modes[i].mode->class->screen(ui->pane_modes[i].mode, s);
}

static void on_event(struct seat *s, const struct json *event, void *user)
{
	struct ui *ui = user;

	if (ui->stage)
		client_pane_event(ui, s, event);
}

static void on_rows(struct seat *s, void *user)
{
	on_screen(s, user);
}

static void on_replaced(struct seat *s, void *user)
{
	ui_say(user, SAY_WARNING, "%s: its worker ended and was replaced; the agent goes on", s->record.name);
}

static void on_found(struct seat *s, uint32_t sequence, const struct json *found, void *user)
{
	struct ui *ui = user;

	for (size_t i = 0; i < ui->pane_mode_count; i++)
		if (ui->pane_modes[i].mode->class->found)
			ui->pane_modes[i].mode->class->found(ui->pane_modes[i].mode, s, sequence, found);
}

const struct roster_events client_roster_events = {
    .listed = on_listed,
    .gone = on_gone,
    .changed = on_changed,
    .screen = on_screen,
    .event = on_event,
    .rows = on_rows,
    .found = on_found,
    .replaced = on_replaced,
};

/* A live session tells its state over its link; the file matters when it has ended, or is new. */
void client_watched(enum watch_what what, const char *id, void *user)
{
	struct ui *ui = user;
	struct seat *s = id ? roster_find(ui->roster, id) : NULL;

	if (what == WATCH_STATE && s && s->link && seat_live(s))
		return;
	roster_update(ui->roster, id);
}

/* --- going --- */

struct seat *ui_focused(struct ui *ui)
{
	return ui->views.current ? roster_find(ui->roster, view_focused(ui->views.current)) : NULL;
}

int ui_focused_pane(struct ui *ui)
{
	return ui->views.current ? ui->views.current->focus : 0;
}

static bool may_show(struct ui *ui, const struct seat *s)
{
	if (!s->left_out)
		return true;
	ui_say(ui, SAY_WARNING, "%s is left out: this terminal runs inside it and would show itself",
	    s->record.name);
	return false;
}

void ui_go(struct ui *ui, struct seat *s)
{
	AUTO_FREE char *base = repository_name(s->repository);

	if (!may_show(ui, s))
		return;
	ui_load_views(ui);
	if (views_go(&ui->views, s->record.id, s->repository, base, ui_view_allowed, ui) == WENT_NOWHERE)
		ui_redraw(ui);
	else
		ui_arranged(ui);
}

bool ui_place(struct ui *ui, struct seat *s, enum placement where)
{
	struct view *v = ui->views.current;

	if (where == PLACE_GO || !v) {
		ui_go(ui, s);
		return true;
	}
	if (!may_show(ui, s))
		return false;
	if (!view_split(v, v->focus, where == PLACE_RIGHT, s->record.id)) {
		ui_say(ui, SAY_WARNING, "no room to split: a pane needs %dx%d", LAYOUT_MIN_COLS,
		    LAYOUT_MIN_ROWS);
		return false;
	}
	ui_arranged(ui);
	return true;
}

static bool content_of(struct view *v, struct rect area, int *rows, int *cols)
{
	struct rect at;

	layout_arrange(v->layout, area);
	if (!layout_rect(v->layout, v->focus, &at))
		return false;
	*rows = at.rows > 1 ? at.rows - 1 : 1;
	*cols = at.cols;
	return true;
}

void ui_placement_size(struct ui *ui, enum placement where, int *rows, int *cols)
{
	struct rect area = stage_geometry(ui->stage)->panes;
	struct view *trial =
	    ui->views.current ? view_copy(ui->views.current) : view_create("", NULL, "aaaaaa");

	if (where != PLACE_GO)
		view_split(trial, trial->focus, where == PLACE_RIGHT, "aaaaaa");
	if (trial->zoomed || !content_of(trial, area, rows, cols)) {
		*rows = area.rows - 1;
		*cols = area.cols;
	}
	view_destroy(trial);
}

/* A session made in another repository than the current view's comes up in that one's view. */
static void place_new(struct ui *ui, struct seat *s, enum placement where)
{
	struct view *v = ui->views.current;
	bool elsewhere = v && v->repository && strcmp(v->repository, s->repository) != 0;

	if (where != PLACE_GO || !elsewhere || ui->options.single) {
		if (!ui_place(ui, s, where))
			ui_go(ui, s);
		return;
	}
	struct view *theirs = views_of_repository(&ui->views, s->repository, ui_view_allowed, ui);

	if (theirs) {
		views_switch(&ui->views, theirs);
		view_put(theirs, theirs->focus, s->record.id);
	} else {
		AUTO_FREE char *base = repository_name(s->repository);
		AUTO_FREE char *name = views_free_name(&ui->views, base);

		theirs = view_create(name, s->repository, s->record.id);
		views_add(&ui->views, theirs);
		views_switch(&ui->views, theirs);
	}
	ui_arranged(ui);
}

/* --- starting --- */

struct starting {
	struct ui *ui;
	enum placement where;
	void (*done)(const struct err *err, void *user);
	void *user;
};

/* What `handler new` said beside its answer: notes about the sandbox, about where instructions go. */
static void say_lines(struct ui *ui, const char *text)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		if (len)
			ui_say(ui, SAY_WARNING, "%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static void on_started(const struct spawn_result *r, void *user)
{
	struct starting *st = user;
	struct ui *ui = st->ui;
	struct err err = ERR_INIT;
	struct json *answer = spawn_json(r, &err);
	const char *id = json_get_string(answer, "id", "");
	struct seat *s = NULL;

	if (answer) {
		roster_update(ui->roster, NULL);
		s = roster_find(ui->roster, id);
		if (!s)
			err_set(&err, ERR_NO_SESSION, "session %s was started and is gone already", id);
	}
	if (st->done)
		st->done(s ? NULL : &err, st->user);
	else if (!s)
		ui_say_err(ui, &err);
	if (s) {
		place_new(ui, s, st->where);
		say_lines(ui, r->errors);
	}
	json_free(answer);
	free(st);
}

static void add_option(struct strv *argv, const char *option, const char *value)
{
	if (!value || !*value)
		return;
	strv_add(argv, option);
	strv_add(argv, value);
}

void ui_start_session(
    struct ui *ui, const struct new_session *n, void (*done)(const struct err *err, void *user), void *user)
{
	bool prompt = n->prompt && *n->prompt;
	struct strv argv = STRV_INIT;
	struct starting *st = mem_alloc(sizeof(*st));
	AUTO_FREE char *size = NULL;
	int rows, cols;

	ui_placement_size(ui, n->where, &rows, &cols);
	size = mem_printf("%dx%d", cols, rows);
	strv_add(&argv, ui->options.self);
	strv_add(&argv, "new");
	strv_add(&argv, n->agent);
	add_option(&argv, "-C", n->dir);
	add_option(&argv, "-n", n->name);
	add_option(&argv, "--size", size);
	add_option(&argv, "-p", prompt ? "-" : NULL); /* not as an argument: those are public */
	strv_add(&argv, "--json");
	char **list = strv_steal(&argv);
	struct spawn_options o = {
	    .argv = list, .input = prompt ? n->prompt : NULL, .input_len = prompt ? strlen(n->prompt) : 0};

	*st = (struct starting){.ui = ui, .where = n->where, .done = done, .user = user};
	spawn_run(&ui->loop, &o, on_started, st);
	strv_destroy(list);
}

/* --- stopping, resuming --- */

struct asked {
	struct ui *ui;
	char *name;
};

static void run_self(struct ui *ui, const char *command, const struct seat *s, spawn_done *done)
{
	char *argv[] = {(char *)ui->options.self, (char *)command, (char *)s->record.id, "--json", NULL};
	struct spawn_options o = {.argv = argv};
	struct asked *a = mem_alloc(sizeof(*a));

	*a = (struct asked){.ui = ui, .name = mem_strdup(s->record.name)};
	spawn_run(&ui->loop, &o, done, a);
}

static char *stop_report(const char *name, const struct json *answer)
{
	const struct json *one = json_first(json_get(answer, "stopped"));
	int64_t ended = json_get_int(one, "ended", 0), survivors = json_get_int(one, "survivors", 0);

	if (json_get_bool(one, "was_over", false))
		return mem_printf("%s had ended already", name);
	if (survivors)
		return mem_printf("stopped %s: %lld ended, %lld could not be, the first is %s: %s", name,
		    (long long)ended, (long long)survivors, json_get_string(one, "first_survivor", ""),
		    json_get_string(one, "why", ""));
	return mem_printf("stopped %s: %lld process%s ended in %.1f s", name, (long long)ended,
	    ended == 1 ? "" : "es", json_get_number(one, "seconds", 0));
}

static void on_stopped(const struct spawn_result *r, void *user)
{
	struct asked *a = user;
	struct err err = ERR_INIT;
	struct json *answer = spawn_json(r, &err);
	AUTO_FREE char *report = answer ? stop_report(a->name, answer) : NULL;

	if (report)
		ui_say(a->ui, SAY_INFO, "%s", report);
	else
		ui_say_err(a->ui, &err);
	roster_update(a->ui->roster, NULL);
	json_free(answer);
	free(a->name);
	free(a);
}

static void on_resumed(const struct spawn_result *r, void *user)
{
	struct asked *a = user;
	struct err err = ERR_INIT;
	struct json *answer = spawn_json(r, &err);
	const char *way = json_get_string(json_first(json_get(answer, "resumed")), "way", NULL);

	if (!answer)
		ui_say_err(a->ui, &err);
	else
		ui_say(a->ui, SAY_INFO, "%s goes on%s%s", a->name, way ? ": " : "", way ? way : "");
	roster_update(a->ui->roster, NULL);
	json_free(answer);
	free(a->name);
	free(a);
}

void ui_stop_session(struct ui *ui, struct seat *s)
{
	ui_say(ui, SAY_INFO, "stopping %s ...", s->record.name);
	run_self(ui, "stop", s, on_stopped);
}

void ui_resume_session(struct ui *ui, struct seat *s)
{
	if (seat_live(s) && s->record.state != STATE_SUSPENDED) {
		ui_say(ui, SAY_INFO, "%s is running: there is nothing to resume", s->record.name);
		return;
	}
	ui_say(ui, SAY_INFO, "resuming %s ...", s->record.name);
	run_self(ui, "resume", s, on_resumed);
}

/* One message for each, the sum last: that is the one that stands in the bottom line. */
static void say_resumed(struct ui *ui, const struct json *answer)
{
	int conversations = 0, fresh = 0, failed = 0;

	for (const struct json *j = json_first(json_get(answer, "failed")); j; j = json_next(j), failed++)
		ui_say(ui, SAY_ERROR, "%s: %s", json_get_string(j, "name", ""),
		    json_string(json_path(j, "error.message"), "it failed"));
	for (const struct json *j = json_first(json_get(answer, "resumed")); j; j = json_next(j)) {
		const char *how = json_get_string(j, "how", "");

		conversations += strcmp(how, "conversation") == 0;
		fresh += strcmp(how, "fresh") == 0;
		ui_say(ui, SAY_INFO, "%s: %s", json_get_string(j, "name", ""), json_get_string(j, "way", ""));
	}
	ui_say(ui, failed ? SAY_WARNING : SAY_INFO,
	    "%d resumed with their conversation, %d started afresh, %d failed; %s ~ has each", conversations,
	    fresh, failed, ui->prefix_name);
}

static void on_all_resumed(const struct spawn_result *r, void *user)
{
	struct asked *a = user;
	struct err err = ERR_INIT;
	struct json *answer = r->out_len ? json_parse(r->out, r->out_len, "answer", NULL) : NULL;

	/* Some may have failed, which is its exit status: the answer tells of all the same. */
	if (answer && json_get(answer, "resumed")) {
		say_resumed(a->ui, answer);
	} else {
		json_free(answer);
		answer = spawn_json(r, &err);
		ui_say_err(a->ui, &err);
	}
	roster_update(a->ui->roster, NULL);
	json_free(answer);
	free(a);
}

void ui_resume_sessions(struct ui *ui, const char *const *ids, size_t count)
{
	struct strv argv = STRV_INIT;
	struct asked *a = mem_zalloc(1, sizeof(*a));

	strv_add(&argv, ui->options.self);
	strv_add(&argv, "resume");
	for (size_t i = 0; i < count; i++)
		strv_add(&argv, ids[i]);
	strv_add(&argv, "--json");
	char **list = strv_steal(&argv);
	struct spawn_options o = {.argv = list};

	a->ui = ui;
	ui_say(ui, SAY_INFO, "resuming %zu session%s ...", count, count == 1 ? "" : "s");
	spawn_run(&ui->loop, &o, on_all_resumed, a);
	strv_destroy(list);
}

/* --- what the new-session dialog begins with --- */

static const struct seat *newest(struct ui *ui)
{
	const struct seat *best = NULL;

	for (size_t i = 0; i < roster_count(ui->roster); i++) {
		const struct seat *s = roster_at(ui->roster, i);

		if (!best || s->record.created >= best->record.created)
			best = s;
	}
	return best;
}

char *ui_last_agent(struct ui *ui)
{
	const struct seat *s = ui_focused(ui);

	if (!s)
		s = newest(ui);
	return mem_strdup(s ? s->record.agent : config_string(ui->config, "default_agent"));
}

const char *ui_directory(struct ui *ui)
{
	struct seat *s = ui_focused(ui);

	return s ? s->record.dir : NULL;
}

static void add_once(struct strv *list, const char *dir)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], dir) == 0)
			return;
	if (path_is_dir(dir))
		strv_add(list, dir);
}

char **ui_recent_dirs(struct ui *ui)
{
	struct strv list = STRV_INIT;
	char here[4096];

	if (ui_directory(ui))
		add_once(&list, ui_directory(ui));
	if (getcwd(here, sizeof(here)))
		add_once(&list, here);
	for (size_t i = roster_count(ui->roster); i-- > 0;)
		add_once(&list, roster_at(ui->roster, i)->record.dir);
	for (size_t i = 0; i < ui->views.count; i++)
		if (ui->views.items[i]->repository)
			add_once(&list, ui->views.items[i]->repository);
	return strv_steal(&list);
}
