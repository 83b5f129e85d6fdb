/*
 * mode_start: see mode_start.h.  It is drawn at once from what the descriptors and PATH say; versions fill in
 * behind it.
 */
#include "ui/mode_start.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "ui/catalog.h"
#include "ui/chooser.h"
#include "ui/complete.h"
#include "ui/popup.h"
#include "ui/ui.h"
#include "ui/versions.h"

enum { START_COLS = 76, REASON_ROWS = 5, SESSION_ITEM = 1000, HEADING_ITEM = 100000 };

struct mode_start {
	struct mode m;
	struct catalog catalog;
	struct versions *versions;
	struct chooser chooser;
	struct lineedit *dir;
	bool in_dir;    /* the directory has the keys */
	bool completed; /* by the last Tab: the next one goes back to the list */
};

/* --- what there is to choose from --- */

static struct list_item heading(uint64_t id, const char *text)
{
	return (struct list_item){.id = HEADING_ITEM + id, .text = text, .heading = true};
}

static size_t add_sessions(struct mode_start *s, struct list_item *items)
{
	struct roster *roster = ui_roster(s->m.ui);
	size_t n = 0;

	for (size_t i = 0; i < roster_count(roster); i++) {
		const struct seat *seat = roster_at(roster, i);
		const struct state_look *look = state_look(seat->record.state);
		AUTO_FREE char *dir = path_pretty(seat->record.dir);

		if (seat->left_out)
			continue;
		items[n++] = (struct list_item){.id = SESSION_ITEM + (uint64_t)seat->record.number,
		    .symbol = look->symbol,
		    .symbol_role = look->role,
		    .text = mem_printf("%d %s", seat->record.number, seat->record.name),
		    .detail = mem_printf("%s, %s", look->word, dir)};
	}
	return n;
}

static void fill(struct mode_start *s)
{
	size_t max = roster_count(ui_roster(s->m.ui)) + s->catalog.count + 4, sessions, n = 0;
	struct list_item *items = mem_zalloc(max, sizeof(*items));

	items[n++] = heading(0, "Sessions");
	sessions = add_sessions(s, items + n);
	n = sessions ? n + sessions : 0;
	items[n++] = heading(1, "Start");
	for (size_t i = 0; i < s->catalog.count; i++) {
		const struct catalog_entry *e = &s->catalog.items[i];

		if (!e->own && !e->installed &&
		    (i == 0 || s->catalog.items[i - 1].own || s->catalog.items[i - 1].installed))
			items[n++] = heading(2, "Not installed");
		catalog_item(e, i + 1, &items[n++]);
	}
	list_set_items(s->chooser.list, items, n);
	for (size_t i = 0; i < n; i++)
		if (!items[i].heading)
			catalog_item_free(&items[i]);
	free(items);
}

static void on_version(void *user)
{
	struct mode_start *s = user;

	fill(s);
	ui_redraw(s->m.ui);
}

/* What runs already comes first, then the agent that is wished for, then any that can be started. */
static void select_first(struct mode_start *s)
{
	struct seat *running = roster_next(ui_roster(s->m.ui), "", 1);
	const char *name = config_string(ui_config(s->m.ui), "default_agent");
	const struct catalog_entry *e = name ? catalog_find(&s->catalog, name) : NULL;

	for (size_t i = 0; i < s->catalog.count && !e; i++)
		if (s->catalog.items[i].startable)
			e = &s->catalog.items[i];
	if (running)
		list_select(s->chooser.list, SESSION_ITEM + (uint64_t)running->record.number);
	else if (e)
		list_select(s->chooser.list, (uint64_t)(e - s->catalog.items) + 1);
}

/* --- starting --- */

static char *directory(const struct mode_start *s)
{
	return path_absolute(lineedit_text(s->dir), NULL);
}

static void start_agent(struct mode_start *s, const struct catalog_entry *e)
{
	struct ui *ui = s->m.ui;
	AUTO_FREE char *dir = directory(s);
	struct new_session what = {.agent = e->agent, .dir = dir, .where = PLACE_GO};

	if (!e->startable) {
		ui_say_err(ui, &e->why);
	} else if (!dir || !path_is_dir(dir)) {
		ui_say(ui, SAY_ERROR, "there is no directory %s", dir ? dir : lineedit_text(s->dir));
	} else {
		ui_say(ui, SAY_INFO, "starting %s ...", e->agent);
		ui_start_session(ui, &what, NULL, NULL);
	}
}

static struct seat *session_numbered(struct mode_start *s, uint64_t number)
{
	struct roster *roster = ui_roster(s->m.ui);

	for (size_t i = 0; i < roster_count(roster); i++)
		if ((uint64_t)roster_at(roster, i)->record.number == number)
			return roster_at(roster, i);
	return NULL;
}

static void enter(struct mode_start *s)
{
	struct list_item it;
	struct seat *seat;

	if (!list_selected(s->chooser.list, &it)) {
		ui_say(s->m.ui, SAY_INFO, "nothing matches what you typed");
	} else if (it.id >= SESSION_ITEM) {
		seat = session_numbered(s, it.id - SESSION_ITEM);
		if (seat)
			ui_go(s->m.ui, seat); /* this screen is gone now */
	} else {
		start_agent(s, &s->catalog.items[it.id - 1]);
	}
}

/* --- keys --- */

static void complete_dir(struct mode_start *s)
{
	char here[4096];
	AUTO_FREE char *longer =
	    s->completed ? NULL
			 : complete_text(lineedit_text(s->dir), getcwd(here, sizeof(here)) ? here : "/");

	s->completed = longer != NULL;
	s->in_dir = s->completed;
	if (longer)
		lineedit_set(s->dir, longer);
}

/* The directory is for an agent to start in; to a session one goes from the list. */
static void enter_dir(struct mode_start *s)
{
	struct list_item it;

	s->in_dir = false;
	if (list_selected(s->chooser.list, &it) && it.id < SESSION_ITEM)
		enter(s);
}

static void dir_key(struct mode_start *s, const struct key *k)
{
	if (k->code == KEY_TAB)
		complete_dir(s);
	else if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		enter_dir(s);
	else if (k->code == KEY_ESCAPE || k->code == KEY_UP || k->code == KEY_DOWN)
		s->in_dir = false;
	else if (lineedit_key(s->dir, k) == LINEEDIT_CHANGED)
		s->completed = false;
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_start *s = (struct mode_start *)m;

	ui_redraw(m->ui);
	if (s->in_dir)
		dir_key(s, k);
	else if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		enter(s);
	else if (k->code == KEY_TAB)
		s->in_dir = true;
	else if (k->code == KEY_ESCAPE)
		lineedit_clear(s->chooser.filter), list_set_filter(s->chooser.list, "");
	else
		chooser_key(&s->chooser, k);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	struct mode_start *s = (struct mode_start *)m;

	if (s->in_dir)
		lineedit_insert(s->dir, text, len);
	else
		chooser_type(&s->chooser, text, len);
	ui_redraw(m->ui);
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_start *s = (struct mode_start *)m;
	int row, col;

	ui_redraw(m->ui);
	if (e->action == MOUSE_WHEEL)
		chooser_wheel(&s->chooser, e->button == BUTTON_WHEEL_UP);
	else if (e->action == MOUSE_PRESS && mode_inside(m, e, &row, &col) &&
		 chooser_click(&s->chooser, row, col))
		enter(s);
}

/* --- drawing --- */

/* The first keys one needs, and those for later. */
static void draw_hint(struct mode_start *s, int row, int col, int cols)
{
	const char *prefix = ui_prefix(s->m.ui);
	AUTO_FREE char *now =
	    mem_printf("Enter starts   Tab directory   %s ? all keys   %s d leaves", prefix, prefix);
	AUTO_FREE char *later =
	    mem_printf("then: %s c new session   %s s find one   %s %% beside it", prefix, prefix, prefix);

	surface_text(s->m.surface, row, col, cols, now, ROLE_DIM);
	surface_text(s->m.surface, row + 1, col, cols, later, ROLE_DIM);
}

/* Why the agent that is marked cannot be started, and what can be done; at the foot, in as many rows as it
 * takes.  Returns how many. */
static int draw_reason(struct mode_start *s, int below, int col, int cols)
{
	const struct catalog_entry *e;
	struct list_item it;

	if (!list_selected(s->chooser.list, &it) || it.id >= SESSION_ITEM)
		return 0;
	e = &s->catalog.items[it.id - 1];
	if (e->startable)
		return 0;
	AUTO_FREE char *text = catalog_why(e);
	int rows = popup_text(NULL, 0, 0, REASON_ROWS, cols, text, ROLE_ERROR);

	popup_text(s->m.surface, below - rows, col, rows, cols, text, ROLE_ERROR);
	return rows + 1;
}

static void draw_directory(struct mode_start *s, int row, int col, int cols, int *at_row, int *at_col)
{
	surface_text(s->m.surface, row, col, 10, "Directory", s->in_dir ? ROLE_TITLE_FOCUSED : ROLE_DIM);
	lineedit_draw(
	    s->dir, s->m.surface, row, col + 11, 1, cols - 11, "where it runs", ROLE_INPUT, at_row, at_col);
}

static void make_surface(struct mode_start *s)
{
	struct rect area = ui_area(s->m.ui);

	if (!s->m.surface)
		s->m.surface = surface_create(ui_display(s->m.ui), area.row, area.col, area.rows, area.cols);
	surface_clear(s->m.surface, ROLE_TEXT);
}

static void draw(struct mode *m)
{
	struct mode_start *s = (struct mode_start *)m;
	int rows, cols, width, col, reason, dir_row = -1, dir_col = 0, row = -1, at = 0;

	make_surface(s);
	rows = surface_rows(m->surface);
	cols = surface_cols(m->surface);
	width = cols - 4 < START_COLS ? cols - 4 : START_COLS;
	col = (cols - width) / 2;
	surface_text(m->surface, 1, col, width, "handler", ROLE_TITLE_FOCUSED);
	surface_text(m->surface, 1, col + 9, width - 9, "coding agents side by side", ROLE_DIM);
	draw_directory(s, 3, col, width, &dir_row, &dir_col);
	reason = draw_reason(s, rows - 3, col, width);
	chooser_draw(&s->chooser, m->surface, 5, col, rows - 8 - reason, width, "Agent     ",
	    "type to filter", "nothing matches", &row, &at);
	draw_hint(s, rows - 2, col, width);
	mode_cursor(m, s->in_dir ? dir_row : row, s->in_dir ? dir_col : at);
}

static void changed(struct mode *m)
{
	fill((struct mode_start *)m);
	ui_redraw(m->ui);
}

static void leave(struct mode *m)
{
	struct mode_start *s = (struct mode_start *)m;

	versions_stop(s->versions);
	mode_finish(m);
	chooser_finish(&s->chooser);
	lineedit_destroy(s->dir);
	catalog_finish(&s->catalog);
	free(s);
}

static const struct mode_class class = {.name = "start",
    .key = key,
    .mouse = mouse,
    .paste = paste,
    .draw = draw,
    .changed = changed,
    .leave = leave};

struct mode *mode_start_create(struct ui *ui)
{
	struct mode_start *s = mem_zalloc(1, sizeof(*s));
	char here[4096];
	AUTO_FREE char *pretty = path_pretty(getcwd(here, sizeof(here)) ? here : "/");

	mode_init(&s->m, &class, ui);
	chooser_init(&s->chooser);
	s->dir = lineedit_create(false);
	lineedit_set(s->dir, pretty);
	catalog_load(&s->catalog, ui_harnesses(ui), ui_self(ui));
	fill(s);
	select_first(s);
	s->versions = versions_start(ui_loop(ui), &s->catalog, on_version, s);
	fill(s); /* with the versions that are known already */
	return &s->m;
}
