/*
 * mode_picker: see mode_picker.h.
 *
 * Looking at a session never changes its size, also not while keys go to it.
 */
#include "ui/mode_picker.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "ui/chooser.h"
#include "ui/popup.h"

enum { LIST_COLS = 44, NARROW_ROWS = 20, PREVIEW_MIN_COLS = 30, NEW_ITEM = 1 << 30 };

struct mode_picker {
	struct mode m;
	enum placement where;
	struct chooser chooser;
	struct canvas *preview;
	struct rect preview_at;
	char previewed[SESSION_ID_LENGTH + 1]; /* session that we show and nobody else does; "" none */
	bool typing;                           /* keys go to the session */
};

/* --- the list --- */

static char *detail_of(const struct seat *s)
{
	const struct record *r = &s->record;
	AUTO_FREE char *dir = path_pretty(r->dir);
	const char *text = r->reason && *r->reason ? r->reason : r->title;
	AUTO_FREE char *line = s->left_out ? mem_strdup("this terminal runs inside it")
					   : mem_printf("%s, %s %s%s%s", state_look(r->state)->word, r->agent,
						 dir, text && *text ? "  " : "", text ? text : "");

	return utf8_sanitize(line, strlen(line), 0);
}

static void fill_item(struct list_item *it, const struct seat *s)
{
	const struct state_look *look = state_look(s->record.state);
	char age[16];

	clock_age(clock_now() - s->record.since, age, NULL);
	*it = (struct list_item){
	    .id = (uint64_t)s->record.number,
	    .symbol = look->symbol,
	    .symbol_role = look->role,
	    .text = mem_printf("%d %s", s->record.number, s->record.name),
	    .detail = detail_of(s),
	    .right = mem_strdup(age),
	    .disabled = s->left_out,
	};
}

static void fill(struct mode_picker *p)
{
	struct roster *roster = ui_roster(p->m.ui);
	size_t count = roster_count(roster);
	struct list_item *items = mem_zalloc(count + 1, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		fill_item(&items[i], roster_at(roster, i));
	items[count] =
	    (struct list_item){.id = NEW_ITEM, .symbol = "+", .symbol_role = ROLE_DIM, .text = "new session"};
	list_set_items(p->chooser.list, items, count + 1);
	for (size_t i = 0; i < count; i++) {
		free((char *)items[i].text);
		free((char *)items[i].detail);
		free((char *)items[i].right);
	}
	free(items);
}

static struct seat *selected(const struct mode_picker *p)
{
	struct roster *roster = ui_roster(p->m.ui);
	struct list_item it;

	if (!list_selected(p->chooser.list, &it))
		return NULL;
	for (size_t i = 0; i < roster_count(roster); i++)
		if ((uint64_t)roster_at(roster, i)->record.number == it.id)
			return roster_at(roster, i);
	return NULL;
}

/* The one that waits, else another one than what has the focus: Enter at once goes somewhere. */
static void select_first(struct mode_picker *p)
{
	struct ui *ui = p->m.ui;
	struct seat *here = ui_focused(ui), *s = roster_waiting(ui_roster(ui));

	if (!s || s == here)
		s = roster_next(ui_roster(ui), here ? here->record.id : "", 1);
	if (s)
		list_select(p->chooser.list, (uint64_t)s->record.number);
}

/* --- the preview --- */

static void end_preview(struct mode_picker *p)
{
	struct seat *s = roster_find(ui_roster(p->m.ui), p->previewed);

	p->previewed[0] = '\0';
	if (s && s->visible && s->preview)
		roster_hide(s);
}

/* A session that some pane shows is looked at as it is there. */
static void begin_preview(struct mode_picker *p, struct seat *s)
{
	bool ours = strcmp(p->previewed, s->record.id) == 0;

	if (!ours)
		end_preview(p);
	if (s->left_out || (s->visible && !s->preview))
		return;
	roster_show(s, true, p->preview_at.rows - 1, p->preview_at.cols, 0, 0);
	snprintf(p->previewed, sizeof(p->previewed), "%s", s->record.id);
}

static void draw_preview(struct mode_picker *p)
{
	struct seat *s = selected(p);
	struct pane_title title = {.focused = p->typing};
	struct pane_view v = {.message = s ? "nothing to see yet" : "a new session"};

	if (!p->preview)
		p->preview = canvas_create(ui_display(p->m.ui), p->preview_at);
	if (s) {
		begin_preview(p, s);
		title.number = s->record.number;
		title.name = s->record.name;
		title.harness = s->record.agent;
		title.text = s->record.reason;
		title.state = s->record.state;
		if (s->mirrored && s->mirror.valid)
			v.screen = &s->mirror.screen;
	} else {
		end_preview(p);
	}
	canvas_title(p->preview, &title);
	canvas_draw(p->preview, &v);
}

/* --- keys --- */

static void choose(struct mode_picker *p)
{
	struct ui *ui = p->m.ui;
	struct seat *s = selected(p);
	enum placement where = p->where;
	struct list_item it;

	if (!list_selected(p->chooser.list, &it))
		return;
	if (it.disabled) {
		ui_say(ui, SAY_WARNING, "%s is left out: this terminal runs inside it and would show itself",
		    s ? s->record.name : "it");
		return;
	}
	ui_pop(ui, &p->m);
	if (s)
		ui_place(ui, s, where);
	else
		ui_command(ui,
		    where == PLACE_RIGHT   ? CMD_SPLIT_RIGHT
		    : where == PLACE_BELOW ? CMD_SPLIT_BELOW
					   : CMD_NEW_SESSION,
		    "");
}

static void start_typing(struct mode_picker *p)
{
	struct seat *s = selected(p);

	if (!s || !seat_live(s) || s->left_out || !p->preview) {
		ui_say(p->m.ui, SAY_INFO, "keys can go to a running session that is previewed");
		return;
	}
	p->typing = true;
	p->m.status = "KEYS GO TO THE PREVIEW, the prefix ends it";
}

static void stop_typing(struct mode_picker *p)
{
	p->typing = false;
	p->m.status = NULL;
}

static void typed(struct mode_picker *p, const struct key *k)
{
	struct seat *s = selected(p);

	if (!s || !seat_live(s) || ui_is_prefix(p->m.ui, k))
		stop_typing(p);
	else
		seat_key(s, k);
}

static void list_keys(struct mode_picker *p, const struct key *k)
{
	struct ui *ui = p->m.ui;

	if (k->code == KEY_ESCAPE || (k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL))
		ui_pop(ui, &p->m);
	else if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		choose(p);
	else if (k->code == KEY_TAB)
		start_typing(p);
	else
		chooser_key(&p->chooser, k);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_picker *p = (struct mode_picker *)m;

	ui_redraw(m->ui);
	if (p->typing)
		typed(p, k);
	else
		list_keys(p, k);
}

static void paste(struct mode *m, const char *text, size_t len)
{
	chooser_type(&((struct mode_picker *)m)->chooser, text, len);
	ui_redraw(m->ui);
}

static struct seat *typed_to(struct mode *m)
{
	struct mode_picker *p = (struct mode_picker *)m;
	struct seat *s = p->typing ? selected(p) : NULL;

	return s && seat_live(s) ? s : NULL;
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_picker *p = (struct mode_picker *)m;
	int row, col;

	ui_redraw(m->ui);
	if (e->action == MOUSE_WHEEL)
		chooser_wheel(&p->chooser, e->button == BUTTON_WHEEL_UP);
	else if (e->action == MOUSE_PRESS && mode_inside(m, e, &row, &col) &&
		 chooser_click(&p->chooser, row, col))
		choose(p);
}

/* --- drawing --- */

static const struct popup_key list_foot[] = {{"Enter", "go"}, {"Tab", "type to it"}, {"Esc", "close"}};

/* Half of the screen is list, half preview; without room for both only the list. */
static void place_surfaces(struct mode_picker *p)
{
	struct display *d = ui_display(p->m.ui);
	int rows = display_rows(d) - 3, cols = display_cols(d) - 4;
	bool beside = cols >= LIST_COLS + PREVIEW_MIN_COLS && rows > 6;

	p->m.surface = beside ? surface_create(d, 1, 2, rows, cols) : popup_create(d, NARROW_ROWS, cols);
	p->preview_at =
	    beside ? (struct rect){2, 2 + LIST_COLS + 1, rows - 2, cols - LIST_COLS - 2} : (struct rect){0};
}

static void draw(struct mode *m)
{
	struct mode_picker *p = (struct mode_picker *)m;
	int row = -1, col = 0, cols;

	if (!m->surface)
		place_surfaces(p);
	m->cursor_row = -1;
	popup_frame(m->surface, "find a session", list_foot, COUNT_OF(list_foot));
	cols = p->preview_at.cols ? LIST_COLS - 3 : popup_cols(m->surface);
	chooser_draw(&p->chooser, m->surface, 1, 2, popup_rows(m->surface), cols, "find",
	    "name, agent, directory", "no session matches", &row, &col);
	if (p->preview_at.cols) {
		surface_vline(m->surface, 1, LIST_COLS, popup_rows(m->surface), ROLE_BORDER);
		draw_preview(p);
	}
	if (!p->typing)
		mode_cursor(m, row, col);
}

static void resized(struct mode *m)
{
	struct mode_picker *p = (struct mode_picker *)m;

	canvas_destroy(p->preview);
	p->preview = NULL;
	stop_typing(p);
}

static void changed(struct mode *m)
{
	fill((struct mode_picker *)m);
	ui_redraw(m->ui);
}

static void screen(struct mode *m, struct seat *s)
{
	if (s == selected((struct mode_picker *)m))
		ui_redraw(m->ui);
}

static void leave(struct mode *m)
{
	struct mode_picker *p = (struct mode_picker *)m;

	end_preview(p);
	canvas_destroy(p->preview);
	mode_finish(m);
	chooser_finish(&p->chooser);
	free(p);
}

static const struct mode_class class = {
    .name = "picker",
    .key = key,
    .mouse = mouse,
    .paste = paste,
    .typed_to = typed_to,
    .draw = draw,
    .resized = resized,
    .changed = changed,
    .screen = screen,
    .leave = leave,
};

struct mode *mode_picker_create(struct ui *ui, enum placement where)
{
	struct mode_picker *p = mem_zalloc(1, sizeof(*p));

	mode_init(&p->m, &class, ui);
	p->where = where;
	chooser_init(&p->chooser);
	fill(p);
	select_first(p);
	return &p->m;
}
