/*
 * mode_new: see mode_new.h.  It only gathers what `handler new` is given, shows that command, and what it
 * answered: nothing is started or refused here that a script could not have had.
 */
#include "ui/mode_new.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "harness/plan.h"
#include "ui/catalog.h"
#include "ui/chooser.h"
#include "ui/complete.h"
#include "ui/mode_picker.h"
#include "ui/popup.h"
#include "ui/versions.h"

enum field { FIELD_AGENT, FIELD_DIR, FIELD_NAME, FIELD_PROMPT, FIELD_COUNT };

enum {
	FORM_COLS = 84,
	FORM_ROWS = 24,
	LABEL = 11,
	AGENT_ROWS = 7,
	ABOUT_ROWS = 2,
	PROMPT_ROWS = 4,
	SUGGEST_ROWS = 6,
	ERROR_ROWS = 4,
	COMMAND_ROWS = 2,
	FIXED_ROWS = 1 + ABOUT_ROWS + 2 + PROMPT_ROWS + COMMAND_ROWS + ERROR_ROWS
};

struct mode_new;

/* What an answer of `handler new` finds its dialog by: it may have been closed. */
struct waiting {
	struct ui *ui;
	struct mode_new *dialog; /* NULL: closed */
};

struct mode_new {
	struct mode m;
	enum placement where;
	struct catalog catalog;
	struct versions *versions;
	struct chooser agents;
	struct lineedit *edits[FIELD_COUNT]; /* none for FIELD_AGENT */
	enum field focus;
	char **recent;
	struct list *suggestions;
	char **suggested;        /* texts by id - 1 */
	bool picking;            /* one of the suggestions is marked */
	bool completed;          /* by the last Tab: the next one goes on to the next field */
	struct waiting *waiting; /* while it is being started */
	struct err err;
};

/* --- agents --- */

static void fill_agents(struct mode_new *n)
{
	struct list_item *items = mem_zalloc(n->catalog.count + 1, sizeof(*items));

	for (size_t i = 0; i < n->catalog.count; i++)
		catalog_item(&n->catalog.items[i], i + 1, &items[i]);
	list_set_items(n->agents.list, items, n->catalog.count);
	for (size_t i = 0; i < n->catalog.count; i++)
		catalog_item_free(&items[i]);
	free(items);
}

static const struct catalog_entry *chosen(const struct mode_new *n)
{
	struct list_item it;

	return list_selected(n->agents.list, &it) ? &n->catalog.items[it.id - 1] : NULL;
}

static void choose_agent(struct mode_new *n, const char *agent)
{
	const struct catalog_entry *e = catalog_find(&n->catalog, agent);

	for (size_t i = 0; i < n->catalog.count && !e; i++)
		if (n->catalog.items[i].startable)
			e = &n->catalog.items[i];
	if (e)
		list_select(n->agents.list, (uint64_t)(e - n->catalog.items) + 1);
}

static void on_version(void *user)
{
	struct mode_new *n = user;

	fill_agents(n);
	ui_redraw(n->m.ui);
}

/* --- the directory --- */

static const char *text_of(const struct mode_new *n, enum field f)
{
	return lineedit_text(n->edits[f]);
}

static char *base_directory(const struct mode_new *n)
{
	char here[4096];
	const char *dir = ui_directory(n->m.ui);

	return mem_strdup(dir ? dir : getcwd(here, sizeof(here)) ? here : "/");
}

/* As `handler new -C` is given it: absolute; NULL: the home directory is not known. */
static char *directory(const struct mode_new *n)
{
	AUTO_FREE char *base = base_directory(n);
	const char *text = text_of(n, FIELD_DIR);

	if (!*text)
		return mem_strdup(base);
	return *text == '~' ? path_absolute(text, NULL) : path_join(base, text);
}

static bool begins_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

static void suggest_recent(struct mode_new *n, struct strv *out)
{
	for (char **dir = n->recent; *dir && out->count < COMPLETE_MAX; dir++) {
		char *pretty = path_pretty(*dir);

		if (begins_with(pretty, text_of(n, FIELD_DIR)) && strcmp(pretty, text_of(n, FIELD_DIR)) != 0)
			strv_take(out, pretty);
		else
			free(pretty);
	}
}

static void suggest_completions(struct mode_new *n, struct strv *out)
{
	AUTO_FREE char *base = base_directory(n);
	char **matches = complete_directories(text_of(n, FIELD_DIR), base);

	for (char **m = matches; *m && *text_of(n, FIELD_DIR); m++)
		if (strcmp(*m, text_of(n, FIELD_DIR)) != 0)
			strv_add(out, *m);
	strv_destroy(matches);
}

/* Directories of other sessions first, then what is on the disk. */
static void suggest(struct mode_new *n)
{
	struct strv texts = STRV_INIT;

	suggest_recent(n, &texts);
	suggest_completions(n, &texts);
	strv_destroy(n->suggested);
	n->suggested = strv_steal(&texts);
	size_t count = strv_count(n->suggested);
	struct list_item *items = mem_zalloc(count + 1, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct list_item){
		    .id = i + 1, .text = utf8_sanitize(n->suggested[i], strlen(n->suggested[i]), 0)};
	list_set_items(n->suggestions, items, count);
	for (size_t i = 0; i < count; i++)
		free((char *)items[i].text);
	free(items);
	n->picking = false;
}

/* false: the directory stands there already, or nothing can be added: Tab goes on to the next field. */
static bool complete(struct mode_new *n)
{
	AUTO_FREE char *base = base_directory(n);
	AUTO_FREE char *longer = n->completed ? NULL : complete_text(text_of(n, FIELD_DIR), base);

	n->completed = longer != NULL;
	if (longer)
		lineedit_set(n->edits[FIELD_DIR], longer);
	return n->completed;
}

static void take_suggestion(struct mode_new *n)
{
	struct list_item it;

	if (list_selected(n->suggestions, &it))
		lineedit_set(n->edits[FIELD_DIR], n->suggested[it.id - 1]);
	suggest(n);
}

/* --- the command --- */

static void add_argument(struct buf *out, const char *option, const char *value)
{
	if (!*value)
		return;
	buf_printf(out, " %s ", option);
	shell_quote(out, value);
}

/* What a person would type for the same thing. */
static char *command(const struct mode_new *n)
{
	const struct catalog_entry *e = chosen(n);
	AUTO_FREE char *dir = directory(n);
	AUTO_BUF out = BUF_INIT;

	buf_printf(&out, "handler new ");
	shell_quote(&out, e ? e->agent : "AGENT");
	add_argument(&out, "-C", dir ? dir : "");
	add_argument(&out, "-n", text_of(n, FIELD_NAME));
	add_argument(&out, "-p", text_of(n, FIELD_PROMPT));
	return utf8_sanitize(out.data, out.len, 0);
}

/* --- starting --- */

static void on_started(const struct err *err, void *user)
{
	struct waiting *w = user;
	struct mode_new *n = w->dialog;
	struct ui *ui = w->ui;

	free(w);
	if (!n) {
		if (err)
			ui_say_err(ui, err);
		return;
	}
	n->waiting = NULL;
	if (!err) {
		ui_pop(ui, &n->m);
		return;
	}
	n->err = *err;
	ui_redraw(ui);
}

static void start(struct mode_new *n)
{
	const struct catalog_entry *e = chosen(n);
	AUTO_FREE char *dir = directory(n);

	n->err = (struct err)ERR_INIT;
	if (n->waiting)
		return;
	if (!e) {
		err_set(&n->err, ERR_NO_AGENT, "no agent matches \"%s\"", lineedit_text(n->agents.filter));
		return;
	}
	if (!e->startable) {
		n->err = e->why;
		return;
	}
	if (!dir || !path_is_dir(dir)) {
		err_set(&n->err, ERR_USAGE, "there is no directory %s", dir ? dir : text_of(n, FIELD_DIR));
		return;
	}
	struct new_session what = {.agent = e->agent,
	    .dir = dir,
	    .name = text_of(n, FIELD_NAME),
	    .prompt = text_of(n, FIELD_PROMPT),
	    .where = n->where};

	n->waiting = mem_alloc(sizeof(*n->waiting));
	*n->waiting = (struct waiting){.ui = n->m.ui, .dialog = n};
	ui_start_session(n->m.ui, &what, on_started, n->waiting);
}

/* --- keys --- */

static void move_field(struct mode_new *n, int step)
{
	n->focus = (enum field)(((int)n->focus + step + FIELD_COUNT) % FIELD_COUNT);
	if (n->focus == FIELD_DIR)
		suggest(n);
}

static void tab(struct mode_new *n, bool back)
{
	if (!back && n->focus == FIELD_DIR && n->picking)
		take_suggestion(n);
	else if (!back && n->focus == FIELD_DIR && complete(n))
		suggest(n);
	else
		move_field(n, back ? -1 : 1);
}

static void enter(struct mode_new *n)
{
	if (n->focus == FIELD_DIR && n->picking)
		take_suggestion(n);
	else
		start(n);
}

/* Up and Down go through the suggestions, and out of them to the other fields. */
static bool dir_arrow(struct mode_new *n, const struct key *k)
{
	if (k->code != KEY_UP && k->code != KEY_DOWN)
		return false;
	if (!list_count(n->suggestions) || (k->code == KEY_UP && !n->picking))
		return false;
	if (n->picking)
		list_key(n->suggestions, k, SUGGEST_ROWS);
	n->picking = true;
	return true;
}

static void edit(struct mode_new *n, const struct key *k)
{
	enum lineedit_result r;

	n->err = (struct err)ERR_INIT; /* what was wrong may be mended now */
	if (n->focus == FIELD_AGENT) {
		chooser_key(&n->agents, k);
		return;
	}
	if (n->focus == FIELD_DIR && dir_arrow(n, k))
		return;
	r = lineedit_key(n->edits[n->focus], k);
	if (r == LINEEDIT_CHANGED && n->focus == FIELD_DIR) {
		n->completed = false;
		suggest(n);
	}
	if (r == LINEEDIT_IGNORED && (k->code == KEY_UP || k->code == KEY_DOWN))
		move_field(n, k->code == KEY_UP ? -1 : 1);
}

static void pick_running(struct mode_new *n)
{
	struct ui *ui = n->m.ui;
	enum placement where = n->where;

	ui_pop(ui, &n->m);
	ui_push(ui, mode_picker_create(ui, where));
}

static void escape(struct mode_new *n)
{
	if (n->focus == FIELD_DIR && n->picking)
		n->picking = false;
	else
		ui_pop(n->m.ui, &n->m);
}

static bool is_control(const struct key *k, uint32_t letter)
{
	return k->code == letter && (k->mods & MOD_HELD) == MOD_CTRL;
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_new *n = (struct mode_new *)m;
	unsigned held = k->mods & MOD_HELD;

	ui_redraw(m->ui);
	if (k->code == KEY_ESCAPE || is_control(k, 'c'))
		escape(n);
	else if (is_control(k, 's'))
		pick_running(n);
	else if (k->code == KEY_TAB)
		tab(n, held & MOD_SHIFT);
	else if ((k->code == KEY_ENTER || k->code == KEY_KP_ENTER) && (!held || n->focus != FIELD_PROMPT))
		enter(n);
	else
		edit(n, k);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	struct mode_new *n = (struct mode_new *)m;

	if (n->focus == FIELD_AGENT)
		chooser_type(&n->agents, text, len);
	else
		lineedit_insert(n->edits[n->focus], text, len);
	if (n->focus == FIELD_DIR)
		suggest(n);
	ui_redraw(m->ui);
}

/* --- drawing --- */

struct form {
	int about, dir, name, prompt, command, error; /* rows */
	int agent_rows;
};

static struct form form_of(int rows)
{
	struct form f;
	int list = rows - FIXED_ROWS;

	f.agent_rows = list > AGENT_ROWS ? AGENT_ROWS : list > 2 ? list : 2;
	f.about = 2 + f.agent_rows;
	f.dir = f.about + ABOUT_ROWS;
	f.name = f.dir + 1;
	f.prompt = f.name + 1;
	f.command = f.prompt + PROMPT_ROWS;
	f.error = f.command + COMMAND_ROWS;
	return f;
}

static void label(struct mode_new *n, struct surface *s, int row, enum field f, const char *text)
{
	surface_text(s, row, 2, LABEL - 1, text, n->focus == f ? ROLE_TITLE_FOCUSED : ROLE_DIM);
}

static void draw_about(struct mode_new *n, struct surface *s, int row, int cols)
{
	const struct catalog_entry *e = chosen(n);

	if (!e)
		return;
	AUTO_FREE char *text = mem_printf("%s%s%s", e->description, *e->notes ? "\n" : "", e->notes);

	popup_text(s, row, 2 + LABEL, ABOUT_ROWS, cols - LABEL, text, ROLE_DIM);
}

static void draw_edit(
    struct mode_new *n, struct surface *s, enum field f, int row, int rows, int cols, const char *hint)
{
	int at_row = -1, at_col = 0;

	lineedit_draw(n->edits[f], s, row, 2 + LABEL, rows, cols - LABEL, hint, ROLE_INPUT, &at_row, &at_col);
	if (n->focus == f)
		mode_cursor(&n->m, at_row, at_col);
}

/* What `handler new` answered, else why the agent cannot be started at all; NULL: nothing is wrong. */
static char *fault(const struct mode_new *n)
{
	const struct catalog_entry *e = chosen(n);

	if (!n->err.code)
		return e && !e->startable ? catalog_why(e) : NULL;
	AUTO_FREE char *text = mem_printf("%s%s%s", n->err.message, *n->err.hint ? " " : "", n->err.hint);

	return utf8_sanitize(text, strlen(text), 0);
}

static void draw_foot(struct mode_new *n, struct surface *s, const struct form *f, int cols)
{
	AUTO_FREE char *line = command(n);
	AUTO_FREE char *shown = mem_printf("$ %s", line);
	AUTO_FREE char *wrong = fault(n);
	int rows = popup_rows(s) - f->error + 1;

	popup_text(s, f->command, 2, COMMAND_ROWS, cols, shown, ROLE_DIM);
	if (n->waiting)
		surface_text(s, f->error, 2, cols, "starting ...", ROLE_TEXT);
	else if (wrong)
		popup_text(s, f->error, 2, rows, cols, wrong, ROLE_ERROR);
}

/* Below the directory, over what lies there. */
static void draw_suggestions(struct mode_new *n, struct surface *s, const struct form *f, int cols)
{
	int count = (int)list_count(n->suggestions), rows = count < SUGGEST_ROWS ? count : SUGGEST_ROWS;

	if (n->focus != FIELD_DIR || rows == 0)
		return;
	surface_fill(s, f->dir + 1, 2 + LABEL, rows, cols - LABEL, ROLE_TEXT);
	if (n->picking) {
		list_draw(n->suggestions, s, f->dir + 1, 2 + LABEL, rows, cols - LABEL, NULL);
		return;
	}
	for (int i = 0; i < rows; i++) {
		AUTO_FREE char *clean = utf8_sanitize(n->suggested[i], strlen(n->suggested[i]), 0);

		surface_text(s, f->dir + 1 + i, 3 + LABEL, cols - LABEL - 1, clean, ROLE_DIM);
	}
}

static const struct popup_key go_keys[] = {
    {"Enter", "start"}, {"Tab", "next field"}, {"C-s", "a running session"}, {"Esc", "close"}};

static const char *title_of(const struct mode_new *n)
{
	static const char *const titles[] = {[PLACE_GO] = "new session",
	    [PLACE_RIGHT] = "new session, to the right",
	    [PLACE_BELOW] = "new session, below"};

	return titles[n->where];
}

static void draw(struct mode *m)
{
	struct mode_new *n = (struct mode_new *)m;
	struct surface *s = mode_popup(m, FORM_ROWS, FORM_COLS, title_of(n), go_keys, COUNT_OF(go_keys));
	struct form f = form_of(popup_rows(s));
	int cols = popup_cols(s), row = -1, col = 0;

	label(n, s, 1, FIELD_AGENT, "Agent");
	chooser_draw(&n->agents, s, 1, 2 + LABEL, f.agent_rows + 1, cols - LABEL, "", "type to filter",
	    "no such agent", &row, &col);
	if (n->focus == FIELD_AGENT)
		mode_cursor(m, row, col);
	draw_about(n, s, f.about, cols);
	label(n, s, f.dir, FIELD_DIR, "Directory");
	draw_edit(n, s, FIELD_DIR, f.dir, 1, cols, "where it runs");
	label(n, s, f.name, FIELD_NAME, "Name");
	draw_edit(n, s, FIELD_NAME, f.name, 1, cols, "directory and agent");
	label(n, s, f.prompt, FIELD_PROMPT, "Prompt");
	draw_edit(
	    n, s, FIELD_PROMPT, f.prompt, PROMPT_ROWS, cols, "first prompt, if any; C-j for a new line");
	draw_foot(n, s, &f, cols);
	draw_suggestions(n, s, &f, cols);
}

/* --- the mouse --- */

static void click(struct mode_new *n, int row, int col)
{
	struct form f = form_of(popup_rows(n->m.surface));

	if (row < f.about) {
		n->focus = FIELD_AGENT;
		chooser_click(&n->agents, row, col);
	} else if (row == f.dir || row == f.name) {
		n->focus = row == f.dir ? FIELD_DIR : FIELD_NAME;
		lineedit_click(n->edits[n->focus], 0, col - 2 - LABEL);
	} else if (row >= f.prompt && row < f.command) {
		n->focus = FIELD_PROMPT;
		lineedit_click(n->edits[FIELD_PROMPT], row - f.prompt, col - 2 - LABEL);
	}
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_new *n = (struct mode_new *)m;
	int row, col;

	if (e->action == MOUSE_WHEEL)
		chooser_wheel(&n->agents, e->button == BUTTON_WHEEL_UP);
	else if (e->action == MOUSE_PRESS && mode_inside(m, e, &row, &col))
		click(n, row, col);
	ui_redraw(m->ui);
}

/* --- beginning and end --- */

static void leave(struct mode *m)
{
	struct mode_new *n = (struct mode_new *)m;

	if (n->waiting)
		n->waiting->dialog = NULL;
	versions_stop(n->versions);
	mode_finish(m);
	chooser_finish(&n->agents);
	for (int f = FIELD_DIR; f < FIELD_COUNT; f++)
		lineedit_destroy(n->edits[f]);
	catalog_finish(&n->catalog);
	strv_destroy(n->recent);
	strv_destroy(n->suggested);
	list_destroy(n->suggestions);
	free(n);
}

static const struct mode_class class = {
    .name = "new", .key = key, .mouse = mouse, .paste = paste, .draw = draw, .leave = leave};

struct mode *mode_new_create(struct ui *ui, enum placement where, const char *agent)
{
	struct mode_new *n = mem_zalloc(1, sizeof(*n));
	AUTO_FREE char *last = *agent ? mem_strdup(agent) : ui_last_agent(ui);

	mode_init(&n->m, &class, ui);
	n->where = where;
	chooser_init(&n->agents);
	catalog_load(&n->catalog, ui_harnesses(ui), ui_self(ui));
	fill_agents(n);
	choose_agent(n, last ? last : "");
	for (int f = FIELD_DIR; f < FIELD_COUNT; f++)
		n->edits[f] = lineedit_create(f == FIELD_PROMPT);
	AUTO_FREE char *base = base_directory(n);
	AUTO_FREE char *pretty = path_pretty(base);

	lineedit_set(n->edits[FIELD_DIR], pretty);
	n->recent = ui_recent_dirs(ui);
	n->suggestions = list_create();
	suggest(n);
	n->versions = versions_start(ui_loop(ui), &n->catalog, on_version, n);
	fill_agents(n); /* with the versions that are known already */
	return &n->m;
}
