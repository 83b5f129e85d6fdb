/* client_frame: one frame: what of the sessions, the lines and the dialogs has to be drawn, and where the
 * cursor stands. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "ui/client_private.h"
#include "ui/popup.h"
#include "ui/statusline.h"

enum { FOLD_LEAST = 2 }; /* fewer ended sessions are listed each: a line for one saves nothing */

/* --- the sidebar's items --- */

static const char *text_of(const struct seat *s)
{
	if (s->trouble)
		return s->trouble;
	if (s->record.fault && !state_waits(s->record.state))
		return s->record.fault;
	if (s->record.reason && *s->record.reason)
		return s->record.reason;
	return json_get_string(s->record.note, "text", s->record.title);
}

static bool is_shown(const struct ui *ui, const char *session)
{
	return ui->views.current && view_find(ui->views.current, session) != 0;
}

static void fill_item(const struct ui *ui, struct sidebar_item *it, const struct seat *s, int64_t *next_age)
{
	const struct record *r = &s->record;
	char age[16];
	int64_t next = 0;

	clock_age(clock_now() - r->since, age, &next);
	if (next > 0 && (*next_age == 0 || next < *next_age))
		*next_age = next;
	*it = (struct sidebar_item){
	    .number = r->number,
	    .name = utf8_sanitize(r->name, strlen(r->name), 0),
	    .agent = utf8_sanitize(r->agent, strlen(r->agent), 0),
	    .text = utf8_sanitize(text_of(s) ? text_of(s) : "", strlen(text_of(s) ? text_of(s) : ""), 200),
	    .age = mem_strdup(age),
	    .state = r->state,
	    .word = ui->accessible ? state_look(r->state)->word : NULL,
	    .focused = ui->views.current && strcmp(view_focused(ui->views.current), r->id) == 0,
	    .shown = is_shown(ui, r->id),
	    .bell = s->bell,
	    .left = r->left,
	    .queued = r->queued,
	};
}

/* Sessions of one repository together, in the order of their lowest numbers; headings only if there are
 * several. */
static int by_repository(const struct ui *ui, size_t *order, size_t count)
{
	size_t n = 0;
	int groups = 0;

	for (size_t i = 0; i < count; i++) {
		const struct seat *first = roster_at(ui->roster, i);
		bool known = first->left_out;

		for (size_t j = 0; j < n && !known; j++)
			known = strcmp(roster_at(ui->roster, order[j])->repository, first->repository) == 0;
		if (known)
			continue;
		groups++;
		for (size_t j = i; j < count; j++) {
			const struct seat *s = roster_at(ui->roster, j);

			if (!s->left_out && strcmp(s->repository, first->repository) == 0)
				order[n++] = j;
		}
	}
	return groups;
}

/* Ended as it should, nowhere to be seen, nothing left of it: one line is enough for all of these. */
static bool folds(const struct ui *ui, const struct seat *s)
{
	const struct record *r = &s->record;

	return state_ended(r->state) && !state_waits(r->state) && !record_was_cut_off(r) && r->left == 0 &&
	       !s->bell && !is_shown(ui, r->id);
}

static size_t count_folding(const struct ui *ui)
{
	size_t n = 0;

	for (size_t i = 0; i < roster_count(ui->roster); i++) {
		const struct seat *s = roster_at(ui->roster, i);

		n += !s->left_out && folds(ui, s);
	}
	return n >= FOLD_LEAST ? n : 0;
}

static void make_items(struct ui *ui, struct sidebar_item **items, size_t *count, int64_t *next_age)
{
	size_t total = roster_count(ui->roster), listed = 0, n = 0;
	size_t *order = mem_zalloc(total + 1, sizeof(*order));
	int groups = by_repository(ui, order, total);
	bool fold = !ui->unfolded && count_folding(ui) > 0;

	for (size_t i = 0; i < total; i++)
		listed += !roster_at(ui->roster, i)->left_out;
	*items = mem_zalloc(listed + 1, sizeof(**items));
	*next_age = 0;
	for (size_t i = 0; i < listed; i++) {
		const struct seat *s = roster_at(ui->roster, order[i]);

		if (fold && folds(ui, s))
			continue;
		fill_item(ui, &(*items)[n], s, next_age);
		if (groups > 1) {
			const char *base = path_base(s->repository);

			(*items)[n].group = utf8_sanitize(base, strlen(base), 0);
		}
		n++;
	}
	*count = n;
	free(order);
}

static void free_items(struct sidebar_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free((char *)items[i].name);
		free((char *)items[i].agent);
		free((char *)items[i].text);
		free((char *)items[i].age);
		free((char *)items[i].group);
	}
	free(items);
}

/* --- panes --- */

/* How it ended first, then what can be done: titles are narrow, and are cut at their end. */
static char *end_text(const struct ui *ui, const struct record *r)
{
	const char *reason = r->reason && *r->reason ? r->reason : NULL;

	return mem_printf("%s%s%s: %s r resumes", state_name(r->state), reason ? ", " : "",
	    reason ? reason : "", ui->prefix_name);
}

/* What the title says after the name; owned. */
static char *title_text(const struct ui *ui, const struct seat *s)
{
	const char *text = text_of(s);

	if (!s->trouble && state_ended(s->record.state))
		return end_text(ui, &s->record);
	return utf8_sanitize(text ? text : "", text ? strlen(text) : 0, 0);
}

static int mirrors(const struct ui *ui, int pane)
{
	const struct view *v = ui->views.current;
	int first = view_find(v, view_session(v, pane));

	return first != pane;
}

/* Another terminal decides how large it is; just after a change of ours the program has not followed yet. */
static bool sized_elsewhere(const struct seat *s)
{
	const struct screen *screen = &s->mirror.screen;

	return s->visible && s->mirror.valid && seat_live(s) &&
	       (screen->rows != s->view_rows || screen->cols != s->view_cols) &&
	       clock_mono_ms() - s->view_since > UI_FOLLOW_MS;
}

static const char *badge(struct ui *ui, const struct seat *s, int pane)
{
	const struct pane_mode *p = client_pane_mode(ui, pane);

	if (p)
		return p->mode->status;
	if (mirrors(ui, pane))
		return "mirror";
	return sized_elsewhere(s) ? "sized elsewhere" : NULL;
}

static void draw_title(struct ui *ui, struct canvas *c, int pane, const struct seat *s)
{
	struct view *v = ui->views.current;
	struct pane_title t = {
	    .focused = pane == v->focus, .zoomed = v->zoomed && v->count > 1, .name = "gone"};
	AUTO_FREE char *name = NULL, *text = NULL;

	if (s) {
		name = utf8_sanitize(s->record.name, strlen(s->record.name), 0);
		text = title_text(ui, s);
		t.number = s->record.number;
		t.name = name;
		t.harness = s->record.agent;
		t.text = text;
		t.state = s->record.state;
		t.word = ui->accessible ? state_look(s->record.state)->word : NULL;
		t.unconfined = !s->record.sandbox || strcmp(s->record.sandbox, "none") == 0;
		t.input_all = ui->sync && seat_live(s) && s->record.state != STATE_NEEDS_INPUT;
		t.badge = badge(ui, s, pane);
	}
	canvas_title(c, &t);
}

static const char *nothing_to_show(const struct ui *ui, const struct seat *s, int pane)
{
	if (!s)
		return "This session's record was removed.";
	if (s->left_out)
		return "This terminal runs inside this session: shown here it would show itself.";
	if (stage_too_small(ui->stage, pane))
		return "too small";
	if (s->trouble)
		return s->trouble;
	return seat_live(s) ? "starting ..." : "Its screen was not kept.";
}

void client_pane_view(struct ui *ui, int pane, struct pane_view *v)
{
	const struct seat *s = roster_find(ui->roster, view_session(ui->views.current, pane));
	struct mode *m = ui_pane_mode(ui, pane);

	*v = (struct pane_view){.message = nothing_to_show(ui, s, pane)};
	if (!s || s->left_out || stage_too_small(ui->stage, pane) || !s->mirrored || !s->mirror.valid)
		return;
	v->screen = &s->mirror.screen;
	v->dim = s->trouble != NULL || mirrors(ui, pane);
	if (m && m->class->view)
		m->class->view(m, v);
}

static void draw_panes(struct ui *ui, bool titles)
{
	int panes[VIEW_PANES_MAX];
	int count = stage_panes(ui->stage, panes, VIEW_PANES_MAX);

	for (int i = 0; i < count; i++) {
		struct canvas *c = stage_canvas(ui->stage, panes[i]);
		struct seat *s = roster_find(ui->roster, view_session(ui->views.current, panes[i]));
		struct pane_view v;

		if (titles)
			draw_title(ui, c, panes[i], s);
		client_pane_view(ui, panes[i], &v);
		canvas_draw(c, &v);
	}
	for (size_t i = 0; i < roster_count(ui->roster); i++)
		if (roster_at(ui->roster, i)->mirrored)
			mirror_scrolls_clear(&roster_at(ui->roster, i)->mirror);
}

/* --- lines --- */

static struct sidebar sidebar_make(struct ui *ui, const struct sidebar_item *items, size_t count)
{
	struct sidebar b = {.items = items,
	    .count = count,
	    .view = ui->views.current ? ui->views.current->name : NULL,
	    .empty = "no sessions",
	    .ended = count_folding(ui),
	    .unfolded = ui->unfolded,
	    .cursor = count};

	b.top = sidebar_follow(&b, surface_rows(stage_sidebar(ui->stage)));
	return b;
}

static void draw_sidebar(struct ui *ui, const struct sidebar_item *items, size_t count)
{
	struct surface *s = stage_sidebar(ui->stage);

	if (!s)
		return;
	struct sidebar b = sidebar_make(ui, items, count);

	sidebar_draw(s, &b);
}

static const struct mode *top_mode(const struct ui *ui)
{
	return ui->modes ? ui->modes : ui->start;
}

/* What is leftmost in the bottom line: a mode that changes what keys do must be seen. */
static const char *mode_line(struct ui *ui, char guard[128], enum theme_role *role)
{
	const struct mode *top = top_mode(ui), *pane = ui_pane_mode(ui, ui_focused_pane(ui));

	if (top && top->status) {
		*role = top->status_role;
		return top->status;
	}
	if (ui->sync) {
		snprintf(
		    guard, 128, "TYPING INTO ALL %d PANES, %s S ends it", ui->sync_panes, ui->prefix_name);
		*role = ROLE_WARNING;
		return guard;
	}
	if (pane && pane->status) {
		*role = pane->status_role;
		return pane->status;
	}
	return NULL;
}

static enum theme_role role_of_level(enum message_level level)
{
	static const enum theme_role roles[] = {
	    [SAY_INFO] = ROLE_STATUS, [SAY_WARNING] = ROLE_WARNING, [SAY_ERROR] = ROLE_ERROR};

	return roles[level];
}

static void bottom_model(struct ui *ui, struct statusline *m, const struct sidebar_item *items, size_t count)
{
	const struct message *said = messages_shown(&ui->messages);

	if (said) {
		m->message = said->text;
		m->message_role = role_of_level(said->level);
	}
	if (stage_geometry(ui->stage)->line) {
		m->items = items;
		m->count = count;
	}
	if (ui->views.current && !ui->options.single)
		m->view = utf8_sanitize(ui->views.current->name, strlen(ui->views.current->name), 40);
}

struct bottom {
	struct statusline line;
	struct statusline_key keys[3];
	char *create, *find, *help;
	char guard[128];
};

static void bottom_make(struct ui *ui, struct bottom *b, const struct sidebar_item *items, size_t count)
{
	bool line = stage_geometry(ui->stage)->line;

	*b = (struct bottom){.create = mem_printf("%s c", ui->prefix_name),
	    .find = mem_printf("%s s", ui->prefix_name),
	    .help = mem_printf("%s ?", ui->prefix_name)};
	if (line) {
		b->keys[0] = (struct statusline_key){b->help, NULL};
	} else {
		b->keys[0] = (struct statusline_key){b->create, "new"};
		b->keys[1] = (struct statusline_key){b->find, "find"};
		b->keys[2] = (struct statusline_key){b->help, "keys"};
	}
	b->line.keys = b->keys;
	b->line.key_count = line ? 1 : 3;
	b->line.mode = mode_line(ui, b->guard, &b->line.mode_role);
	bottom_model(ui, &b->line, items, count);
}

static void bottom_free(struct bottom *b)
{
	free(b->create);
	free(b->find);
	free(b->help);
	free((char *)b->line.view);
}

static void draw_bottom(struct ui *ui, const struct sidebar_item *items, size_t count)
{
	struct bottom b;

	bottom_make(ui, &b, items, count);
	statusline_draw(stage_bottom(ui->stage), 0, &b.line);
	bottom_free(&b);
}

/* The next moment at which an age that is shown becomes another text; nothing ticks in between. */
static void set_age_alarm(struct ui *ui, int64_t seconds)
{
	bool shown = stage_sidebar(ui->stage) != NULL;

	if (shown && seconds > 0)
		alarm_set(ui->age_alarm, seconds * 1000);
	else
		alarm_clear(ui->age_alarm);
}

static void draw_lines(struct ui *ui)
{
	struct sidebar_item *items;
	size_t count;
	int64_t next_age;

	make_items(ui, &items, &count, &next_age);
	draw_sidebar(ui, items, count);
	draw_bottom(ui, items, count);
	set_age_alarm(ui, next_age);
	free_items(items, count);
	if (ui->views.current)
		stage_draw_dividers(ui->stage, ui->views.current, ui->sync);
}

/* Numbers are unique among the sessions that are listed. */
static struct seat *seat_of_item(struct ui *ui, const struct sidebar_item *items, int at)
{
	for (size_t i = 0; at >= 0 && i < roster_count(ui->roster); i++)
		if (roster_at(ui->roster, i)->record.number == items[at].number)
			return roster_at(ui->roster, i);
	return NULL;
}

bool client_fold_at(struct ui *ui, enum hit where, int row)
{
	struct surface *s = stage_sidebar(ui->stage);
	struct sidebar b = {.ended = count_folding(ui)};

	return where == HIT_SIDEBAR && s && sidebar_hits_fold(&b, surface_rows(s), row);
}

void ui_fold_ended(struct ui *ui)
{
	if (count_folding(ui) == 0) {
		ui_say(ui, SAY_INFO, "there are no ended sessions to fold");
		return;
	}
	ui->unfolded = !ui->unfolded;
	ui_redraw(ui);
}

/* The session that stands at a cell of the sidebar or of the bottom line. */
struct seat *client_listed_at(struct ui *ui, enum hit where, int row, int col)
{
	struct sidebar_item *items;
	size_t count;
	int64_t next_age;
	int at = -1;

	make_items(ui, &items, &count, &next_age);
	if (where == HIT_SIDEBAR && stage_sidebar(ui->stage)) {
		struct sidebar b = sidebar_make(ui, items, count);

		at = sidebar_hit(&b, surface_rows(stage_sidebar(ui->stage)), row);
	} else if (where == HIT_BOTTOM) {
		struct bottom b;

		bottom_make(ui, &b, items, count);
		at = statusline_hit(&b.line, surface_cols(stage_bottom(ui->stage)), col);
		bottom_free(&b);
	}
	struct seat *s = seat_of_item(ui, items, at);

	free_items(items, count);
	return s;
}

/* --- dialogs and the cursor --- */

static void draw_modes(struct mode *m)
{
	if (!m)
		return;
	draw_modes(m->below);
	m->class->draw(m);
}

static void hide_cursor(struct ui *ui)
{
	display_cursor(ui->display, -1, 0, CURSOR_DEFAULT, false, COLOR_DEFAULT);
}

static void pane_cursor(struct ui *ui)
{
	int pane = ui_focused_pane(ui), row, col;
	struct canvas *c = stage_canvas(ui->stage, pane);
	struct seat *s = ui_focused(ui);
	struct pane_view v;

	if (!c || !s) {
		hide_cursor(ui);
		return;
	}
	client_pane_view(ui, pane, &v);
	if (!v.screen || !canvas_cursor(c, &v, &row, &col)) {
		hide_cursor(ui);
	} else if (v.copy_cursor) {
		display_cursor(ui->display, row, col, CURSOR_BLOCK, false, COLOR_DEFAULT);
	} else {
		const struct cursor *cursor = &v.screen->cursor;

		display_cursor(ui->display, row, col, cursor->shape, cursor->blink, cursor->color);
	}
}

static void place_cursor(struct ui *ui)
{
	const struct mode *top = top_mode(ui);

	if (!top || (top->transient && !ui->start))
		pane_cursor(ui);
	else if (top->cursor_row >= 0)
		display_cursor(
		    ui->display, top->cursor_row, top->cursor_col, CURSOR_DEFAULT, true, COLOR_DEFAULT);
	else
		hide_cursor(ui);
}

/* --- the frame --- */

static void mark_modes(void *user)
{
	struct ui *ui = user;

	for (struct mode *m = ui->modes; m; m = m->below)
		if (m->class->mark)
			m->class->mark(m);
	for (size_t i = 0; i < ui->pane_mode_count; i++)
		if (ui->pane_modes[i].mode->class->mark)
			ui->pane_modes[i].mode->class->mark(ui->pane_modes[i].mode);
}

static void draw(struct ui *ui)
{
	bool picture = ui->dirty & DIRTY_PICTURE;

	if (ui->views.current)
		draw_panes(ui, picture);
	if (picture) {
		draw_lines(ui);
		draw_modes(ui->start);
	}
	draw_modes(ui->modes);
	place_cursor(ui);
}

static bool awaits_screen(struct ui *ui)
{
	int panes[VIEW_PANES_MAX], count = stage_panes(ui->stage, panes, VIEW_PANES_MAX);

	for (int i = 0; i < count; i++) {
		const struct seat *s = roster_find(ui->roster, view_session(ui->views.current, panes[i]));

		if (s && seat_live(s) && s->mirrored && !s->mirror.valid && !s->trouble)
			return true;
	}
	return false;
}

/* The first frame waits a moment for the screens that it is to show: they are there at once, not after a
 * blink. */
static bool too_early(struct ui *ui)
{
	if (!ui->first_alarm)
		return false;
	if (!ui->waited && awaits_screen(ui))
		return true;
	alarm_destroy(ui->first_alarm);
	ui->first_alarm = NULL;
	return false;
}

static void show(struct ui *ui)
{
	AUTO_BUF out = BUF_INIT;

	if (ui->dirty & (DIRTY_PICTURE | DIRTY_PANES)) {
		client_set_tty_modes(ui); /* what has the keys now, and what it wants of them */
		draw(ui);
	}
	ui->dirty = 0;
	display_frame(ui->display, &out);
	buf_add(&out, ui->outbound.data, ui->outbound.len);
	buf_clear(&ui->outbound);
	if (out.len)
		tty_write(ui->tty, &out);
	roster_sweep(ui->roster, mark_modes, ui);
}

/*
 * While the terminal has not taken the last frame nothing is drawn: the next one shows the newest state.
 * Whose view it is must be known before it is shown; what it is, is written when it is seen.
 */
void client_frame(struct ui *ui)
{
	bool save = ui->dirty & DIRTY_SAVE;

	if ((!ui->dirty && !ui->outbound.len) || ui->gone || tty_busy(ui->tty) || too_early(ui))
		return;
	if (save)
		client_lock_view(ui);
	show(ui);
	if (save)
		client_save_view(ui);
	if (ui->dirty && !tty_busy(ui->tty)) /* that it cannot be written is said now */
		show(ui);
}
