/* client_arrange: which view is shown, where its panes lie, and which sessions are shown how large. */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/client_private.h"
#include "ui/mode_restore.h"
#include "ui/mode_start.h"
#include "ui/repository.h"

/* --- surfaces --- */

static size_t listed_sessions(const struct ui *ui)
{
	size_t count = 0;

	for (size_t i = 0; i < roster_count(ui->roster); i++)
		count += !roster_at(ui->roster, i)->left_out;
	return count;
}

static struct geometry geometry(const struct ui *ui)
{
	enum sidebar_form form = ui->options.single ? SIDEBAR_OFF : ui->sidebar;

	return geometry_of(display_rows(ui->display), display_cols(ui->display), form, listed_sessions(ui));
}

static void drop_mode_surface(struct mode *m)
{
	if (!m)
		return;
	if (m->class->resized)
		m->class->resized(m);
	mode_finish(m);
}

/* Dialogs lie above the panes: they are made again after them, in their order. */
static void drop_surfaces(struct ui *ui)
{
	stage_clear(ui->stage);
	drop_mode_surface(ui->start);
	for (struct mode *m = ui->modes; m; m = m->below)
		drop_mode_surface(m);
}

void client_resize(struct ui *ui, int rows, int cols)
{
	drop_surfaces(ui);
	display_resize(ui->display, rows, cols);
	ui_arranged(ui);
}

/* --- what is shown --- */

static void cell_pixels(const struct ui *ui, int *width, int *height)
{
	struct tty_size size = tty_size(ui->tty);

	*width = size.width > 0 && size.cols > 0 ? size.width / size.cols : 0;
	*height = size.height > 0 && size.rows > 0 ? size.height / size.rows : 0;
}

static void show_pane(struct ui *ui, int pane)
{
	struct seat *s = roster_find(ui->roster, view_session(ui->views.current, pane));
	struct rect at;
	int width, height;

	if (!s || !stage_content(ui->stage, pane, &at) || stage_too_small(ui->stage, pane))
		return;
	cell_pixels(ui, &width, &height);
	roster_show(s, false, at.rows, at.cols, width, height);
}

static bool shown_before(const struct ui *ui, const int *panes, int count, const char *session)
{
	for (int i = 0; i < count; i++)
		if (strcmp(view_session(ui->views.current, panes[i]), session) == 0)
			return true;
	return false;
}

/* A session in two panes has the size of the one with the focus, or else of the first. */
static void show_panes(struct ui *ui, const int *panes, int count)
{
	struct view *v = ui->views.current;

	show_pane(ui, v->focus);
	for (int i = 0; i < count; i++) {
		const char *session = view_session(v, panes[i]);

		if (strcmp(session, view_focused(v)) != 0 && !shown_before(ui, panes, i, session))
			show_pane(ui, panes[i]);
	}
}

static void hide_others(struct ui *ui, const int *panes, int count)
{
	for (size_t i = 0; i < roster_count(ui->roster); i++) {
		struct seat *s = roster_at(ui->roster, i);

		if (s->visible && !s->preview && !shown_before(ui, panes, count, s->record.id))
			roster_hide(s);
	}
}

/* The program in the pane with the focus is told so (mode 1004), as a terminal that got the focus would. */
void client_tell_focus(struct ui *ui)
{
	const char *now = ui->views.current && ui->outer_focus ? view_focused(ui->views.current) : "";

	if (strcmp(ui->focus_told, now) == 0)
		return;
	struct seat *before = roster_find(ui->roster, ui->focus_told);
	struct seat *after = roster_find(ui->roster, now);

	if (before)
		seat_focus(before, false);
	if (after)
		seat_focus(after, true);
	snprintf(ui->focus_told, sizeof(ui->focus_told), "%s", now);
}

/* It was agreed to for these sessions: another one that takes a pane must not be typed into. */
static bool shows_others(const struct ui *ui, const int *panes, int count)
{
	for (int i = 0; i < count; i++)
		if (!strstr(ui->sync_sessions, view_session(ui->views.current, panes[i])))
			return true;
	return count != ui->sync_panes;
}

static void end_sync_if_changed(struct ui *ui, const int *panes, int count)
{
	if (ui->sync && shows_others(ui, panes, count))
		ui_set_sync(ui, false);
}

/* Without a view there is the start screen. */
static void choose_start(struct ui *ui)
{
	if (!ui->views.current && !ui->start)
		ui->start = mode_start_create(ui);
	if (ui->views.current && ui->start) {
		ui->start->class->leave(ui->start);
		ui->start = NULL;
	}
}

void client_arrange(struct ui *ui)
{
	struct geometry g = geometry(ui);
	int panes[VIEW_PANES_MAX], count;

	drop_surfaces(ui);
	choose_start(ui);
	stage_build(ui->stage, &g, ui->views.current);
	count = stage_panes(ui->stage, panes, VIEW_PANES_MAX);
	client_drop_pane_modes(ui, false);
	if (ui->views.current)
		show_panes(ui, panes, count);
	hide_others(ui, panes, count);
	end_sync_if_changed(ui, panes, count);
	client_tell_focus(ui);
	struct seat *focused = ui_focused(ui);

	if (focused)
		focused->bell = false;
	client_title(ui);
	ui->dirty |= DIRTY_PICTURE | DIRTY_PANES;
}

void ui_arranged(struct ui *ui)
{
	ui->dirty |= DIRTY_SAVE;
	client_arrange(ui);
}

/* --- modes of panes --- */

struct pane_mode *client_pane_mode(struct ui *ui, int pane)
{
	for (size_t i = 0; i < ui->pane_mode_count; i++)
		if (ui->pane_modes[i].pane == pane)
			return &ui->pane_modes[i];
	return NULL;
}

static void drop_pane_mode(struct ui *ui, size_t i)
{
	struct mode *m = ui->pane_modes[i].mode;

	ui->pane_modes[i] = ui->pane_modes[--ui->pane_mode_count];
	m->class->leave(m);
}

/* The history of a pane ends when the pane is gone, shows another session, or is out of view. */
void client_drop_pane_modes(struct ui *ui, bool all)
{
	for (size_t i = 0; i < ui->pane_mode_count;) {
		struct pane_mode *p = &ui->pane_modes[i];
		struct rect at;
		bool same = !all && ui->views.current &&
			    strcmp(view_session(ui->views.current, p->pane), p->session) == 0;

		if (!same) {
			drop_pane_mode(ui, i);
			continue;
		}
		if (stage_content(ui->stage, p->pane, &at) && p->mode->class->resized)
			p->mode->class->resized(p->mode);
		i++;
	}
}

struct mode *ui_pane_mode(struct ui *ui, int pane)
{
	struct pane_mode *p = client_pane_mode(ui, pane);

	return p ? p->mode : NULL;
}

void ui_set_pane_mode(struct ui *ui, int pane, struct mode *m)
{
	struct pane_mode *p = client_pane_mode(ui, pane);

	if (p)
		drop_pane_mode(ui, (size_t)(p - ui->pane_modes));
	if (m) {
		ui->pane_modes =
		    mem_realloc(ui->pane_modes, ui->pane_mode_count + 1, sizeof(*ui->pane_modes));
		p = &ui->pane_modes[ui->pane_mode_count++];
		*p = (struct pane_mode){.pane = pane, .mode = m};
		snprintf(p->session, sizeof(p->session), "%s", view_session(ui->views.current, pane));
	}
	if (stage_canvas(ui->stage, pane))
		canvas_forget(stage_canvas(ui->stage, pane));
	ui->dirty |= DIRTY_PICTURE | DIRTY_PANES;
}

/* --- views --- */

bool ui_view_allowed(const struct view *v, void *user)
{
	struct ui *ui = user;

	return !view_files_shown_elsewhere(ui->files, v->name);
}

/* The current one is written first: it may be left before the frame that would do so. */
void ui_load_views(struct ui *ui)
{
	if (ui->options.single)
		return;
	client_save_view(ui);
	view_files_load(ui->files, &ui->views);
}

void ui_forget_view(struct ui *ui, const char *name)
{
	struct view *v = views_named(&ui->views, name);

	if (!v)
		return;
	views_remove(&ui->views, v);
	if (!ui->options.single)
		view_files_remove(ui->files, name);
	client_choose_view(ui);
	ui_arranged(ui);
}

void ui_close_pane(struct ui *ui)
{
	struct view *v = ui->views.current;

	if (view_close(v, v->focus)) {
		ui_arranged(ui);
		return;
	}
	AUTO_FREE char *name = mem_strdup(v->name);

	ui_forget_view(ui, name);
}

void ui_draw_number(struct ui *ui, int pane, int number)
{
	struct canvas *c = stage_canvas(ui->stage, pane);

	if (c)
		canvas_number(c, number, pane == ui_focused_pane(ui));
}

bool ui_pane_content(struct ui *ui, int pane, struct rect *out)
{
	return stage_content(ui->stage, pane, out);
}

struct rect ui_area(struct ui *ui)
{
	return stage_geometry(ui->stage)->panes;
}

/* Another terminal may have got the view in between: then this one keeps what it shows under another name. */
void client_lock_view(struct ui *ui)
{
	struct view *v = ui->views.current;

	if (ui->options.single || !ui->files)
		return;
	if (!v) {
		view_files_lock(ui->files, NULL);
		return;
	}
	while (!view_files_lock(ui->files, v->name)) {
		char *name = views_free_name(&ui->views, v->name);

		free(v->name);
		v->name = name;
	}
}

static void save(struct ui *ui, const struct view *v)
{
	struct err err = ERR_INIT;

	if (view_files_save(ui->files, v, &err) < 0)
		ui_say_err(ui, &err);
}

void client_save_view(struct ui *ui)
{
	struct view *v = ui->views.current;

	client_lock_view(ui);
	if (ui->options.single || !ui->files || !v)
		return;
	if (ui->saved && strcmp(ui->saved->name, v->name) == 0 && view_equal(ui->saved, v))
		return;
	save(ui, v);
	view_destroy(ui->saved);
	ui->saved = view_copy(v);
}

void ui_save_left_view(struct ui *ui, const struct view *v)
{
	if (!ui->options.single && ui->files)
		save(ui, v);
}

static bool session_exists(const char *session, void *user)
{
	struct ui *ui = user;
	const struct seat *s = roster_find(ui->roster, session);

	return s && !s->left_out;
}

/* Sessions that are gone leave their views; a view without any goes too. */
void client_prune_views(struct ui *ui)
{
	for (size_t i = 0; i < ui->views.count;) {
		struct view *v = ui->views.items[i];

		if (view_prune(v, session_exists, ui) > 0) {
			i++;
			continue;
		}
		if (!ui->options.single && ui_view_allowed(v, ui))
			view_files_remove(ui->files, v->name);
		views_remove(&ui->views, v);
	}
}

/* When the current view is gone: another one, or the start screen. */
void client_choose_view(struct ui *ui)
{
	if (ui->views.current)
		return;
	if (ui->options.single) {
		ui_leave(ui);
		return;
	}
	struct view *next = views_last_used(&ui->views, ui_view_allowed, ui);

	if (next)
		views_switch(&ui->views, next);
}

static enum layout_kind roomiest(const struct ui *ui, struct rect area, int count)
{
	static const enum layout_kind kinds[] = {LAYOUT_COLUMNS, LAYOUT_ROWS, LAYOUT_TILED};
	enum layout_kind best = LAYOUT_COLUMNS;

	if (ui->options.layout_given)
		return ui->options.layout;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (layout_capacity(kinds[i], area, count) >= count)
			return kinds[i];
		if (layout_capacity(kinds[i], area, count) > layout_capacity(best, area, count))
			best = kinds[i];
	}
	return best;
}

static void say_unfit(struct ui *ui, size_t from)
{
	AUTO_BUF names = BUF_INIT;

	for (size_t i = from; i < ui->options.session_count; i++) {
		const struct seat *s = roster_find(ui->roster, ui->options.sessions[i]);

		buf_printf(
		    &names, "%s%s", i > from ? ", " : "", s ? s->record.name : ui->options.sessions[i]);
	}
	ui_say(ui, SAY_WARNING, "no room for %s: a pane needs %dx%d; %s s finds them", names.data,
	    LAYOUT_AUTO_COLS, LAYOUT_AUTO_ROWS, ui->prefix_name);
}

static void fill(struct ui *ui, struct view *v)
{
	int count = (int)ui->options.session_count;
	struct rect area = geometry(ui).panes;
	enum layout_kind kind = roomiest(ui, area, count);
	int fit = layout_capacity(kind, area, count);

	view_fill(v, ui->options.sessions, (size_t)(fit < count ? fit : count), kind);
	if (fit < count)
		say_unfit(ui, (size_t)fit);
}

/* The view of the repository that the first of the wanted sessions belongs to, made if there is none. */
static struct view *view_for(struct ui *ui, const struct seat *s)
{
	struct view *v = views_of_repository(&ui->views, s->repository, ui_view_allowed, ui);

	if (v)
		return v;
	AUTO_FREE char *base = repository_name(s->repository);
	AUTO_FREE char *name = views_free_name(&ui->views, base);

	v = view_create(name, s->repository, s->record.id);
	views_add(&ui->views, v);
	return v;
}

void client_open_first_view(struct ui *ui)
{
	struct err err = ERR_INIT;
	struct seat *first =
	    ui->options.session_count ? roster_find(ui->roster, ui->options.sessions[0]) : NULL;

	if (!ui->options.single) {
		ui->files = view_files_open(&err);
		if (!ui->files)
			ui_say_err(ui, &err);
		view_files_load(ui->files, &ui->views);
		client_prune_views(ui);
	}
	if (!first) {
		client_choose_view(ui);
	} else {
		views_switch(&ui->views, view_for(ui, first));
		views_remember(&ui->views);
		fill(ui, ui->views.current);
	}
	ui_arranged(ui);
	struct mode *offer = first || ui->options.single ? NULL : mode_restore_create(ui);

	if (offer)
		ui_push(ui, offer);
}

/* The form of the sidebar that config.json asks for. */
static enum sidebar_form configured_sidebar(const struct ui_options *o)
{
	struct config *config;
	int form;

	if (o->single)
		return SIDEBAR_OFF;
	config = config_load();
	form = sidebar_form_from_name(config_string(config, "sidebar"));
	config_destroy(config);
	return form >= 0 ? (enum sidebar_form)form : SIDEBAR_AUTO;
}

bool ui_pane_sizes(const struct ui_options *o, size_t listed, struct ui_pane_size *sizes, size_t count)
{
	struct tty_size size;
	struct ui ui = {.options = *o};
	const char *ids[VIEW_PANES_MAX];

	if (count == 0 || !tty_likely_size(&size) || size.rows < 2 || size.cols < 2)
		return false;
	struct geometry g = geometry_of(size.rows, size.cols, configured_sidebar(o), listed + count);
	enum layout_kind kind = roomiest(&ui, g.panes, (int)count);
	int fit = layout_capacity(kind, g.panes, (int)count);

	if (fit > VIEW_PANES_MAX)
		fit = VIEW_PANES_MAX;
	for (int i = 0; i < fit; i++)
		ids[i] = "aaaaaa";
	struct view *v = view_create("", NULL, "aaaaaa");
	bool known = fit > 0;

	view_fill(v, ids, (size_t)fit, kind);
	layout_arrange(v->layout, g.panes);
	for (size_t i = 0; i < count && known; i++) {
		struct rect at;

		/* What does not fit is shown in the first one's place. */
		known = layout_rect(v->layout, v->panes[i < (size_t)fit ? i : 0].id, &at);
		sizes[i] = (struct ui_pane_size){at.rows - 1, at.cols};
		known = known && sizes[i].rows >= SCREEN_MIN_ROWS && sizes[i].cols >= SCREEN_MIN_COLS;
	}
	view_destroy(v);
	return known;
}
