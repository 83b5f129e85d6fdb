/*
 * mode_restore: see mode_restore.h.  All are marked at first: Enter resumes them; each is shown with its last
 * screen.
 */
#include "ui/mode_restore.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/proc.h"
#include "ui/list.h"
#include "ui/popup.h"
#include "ui/ui.h"

enum { LIST_COLS = 46, NARROW_ROWS = 20, PREVIEW_MIN_COLS = 30, FIRST_ROW = 3 };

struct offered {
	char id[SESSION_ID_LENGTH + 1];
	bool marked;
};

struct mode_restore {
	struct mode m;
	struct list *list;
	struct offered *items;
	size_t count;
	bool restarted; /* it was the machine; else their keepers alone */
	struct canvas *preview;
	struct rect preview_at;
	char previewed[SESSION_ID_LENGTH + 1]; /* that we show and nobody else does; "": none */
};

/* --- what there is to offer --- */

static void collect(struct mode_restore *r)
{
	struct roster *roster = ui_roster(r->m.ui);
	char boot[40];

	proc_boot_id(boot);
	r->items = mem_zalloc(roster_count(roster) + 1, sizeof(*r->items));
	for (size_t i = 0; i < roster_count(roster); i++) {
		const struct seat *s = roster_at(roster, i);

		if (!record_was_cut_off(&s->record) || s->left_out)
			continue;
		snprintf(r->items[r->count].id, sizeof(r->items->id), "%s", s->record.id);
		r->items[r->count++].marked = true;
		r->restarted = r->restarted || strcmp(s->record.boot_id, boot) != 0;
	}
}

/* Some were resumed or removed meanwhile, elsewhere. */
static void drop_others(struct mode_restore *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct seat *s = roster_find(ui_roster(r->m.ui), r->items[i].id);

		if (s && record_was_cut_off(&s->record))
			r->items[kept++] = r->items[i];
	}
	r->count = kept;
}

static void fill(struct mode_restore *r)
{
	drop_others(r);
	struct list_item *items = mem_zalloc(r->count + 1, sizeof(*items));

	for (size_t i = 0; i < r->count; i++) {
		const struct record *rec = &roster_find(ui_roster(r->m.ui), r->items[i].id)->record;
		AUTO_FREE char *dir = path_pretty(rec->dir);
		char age[16];

		clock_age(clock_now() - rec->since, age, NULL);
		items[i] = (struct list_item){.id = i + 1,
		    .symbol = r->items[i].marked ? "x" : "-",
		    .symbol_role = r->items[i].marked ? ROLE_DONE : ROLE_DIM,
		    .text = mem_printf("%d %s", rec->number, rec->name),
		    .detail = mem_printf(
			"%s, %s %s", rec->conversation ? "its conversation" : "afresh", rec->agent, dir),
		    .right = mem_strdup(age)};
	}
	list_set_items(r->list, items, r->count);
	for (size_t i = 0; i < r->count; i++) {
		free((char *)items[i].text);
		free((char *)items[i].detail);
		free((char *)items[i].right);
	}
	free(items);
}

static struct offered *selected(const struct mode_restore *r)
{
	struct list_item it;

	return list_selected(r->list, &it) && it.id <= r->count ? &r->items[it.id - 1] : NULL;
}

static struct seat *selected_seat(const struct mode_restore *r)
{
	const struct offered *o = selected(r);

	return o ? roster_find(ui_roster(r->m.ui), o->id) : NULL;
}

/* When the machine started (proc_stat(5), btime): "08:12", with the day if that is not today. */
static void boot_time(char out[32])
{
	char line[256];
	long long seconds = 0;
	FILE *f = fopen("/proc/stat", "re");
	time_t now = time(NULL), boot;
	struct tm then, today;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "btime %lld", &seconds) == 1)
			break;
	if (f)
		fclose(f);
	boot = (time_t)seconds;
	out[0] = '\0';
	if (!seconds || !localtime_r(&boot, &then) || !localtime_r(&now, &today))
		return;
	bool same_day = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
	strftime(out, 32, same_day ? " (%H:%M)" : " (%F %H:%M)", &then);
}

static char *sentence(const struct mode_restore *r)
{
	const char *plural = r->count == 1 ? "" : "s";
	char when[32];

	boot_time(when);
	if (r->restarted)
		return mem_printf("%zu session%s ran when the machine restarted%s", r->count, plural, when);
	return mem_printf("%zu session%s ended with %s keeper, not by %s own wish", r->count, plural,
	    r->count == 1 ? "its" : "their", r->count == 1 ? "its" : "their");
}

/* --- the preview --- */

static void end_preview(struct mode_restore *r)
{
	struct seat *s = roster_find(ui_roster(r->m.ui), r->previewed);

	r->previewed[0] = '\0';
	if (s && s->visible && s->preview)
		roster_hide(s);
}

static void begin_preview(struct mode_restore *r, struct seat *s)
{
	if (strcmp(r->previewed, s->record.id) != 0)
		end_preview(r);
	if (s->visible && !s->preview)
		return;
	roster_show(s, true, r->preview_at.rows - 1, r->preview_at.cols, 0, 0);
	snprintf(r->previewed, sizeof(r->previewed), "%s", s->record.id);
}

static void draw_preview(struct mode_restore *r)
{
	struct seat *s = selected_seat(r);
	struct pane_title title = {0};
	struct pane_view v = {.message = "nothing is kept of what it showed", .dim = true};

	if (!r->preview)
		r->preview = canvas_create(ui_display(r->m.ui), r->preview_at);
	if (s) {
		begin_preview(r, s);
		title = (struct pane_title){.number = s->record.number,
		    .name = s->record.name,
		    .harness = s->record.agent,
		    .text = s->record.reason,
		    .state = s->record.state};
		if (s->mirrored && s->mirror.valid)
			v.screen = &s->mirror.screen;
	}
	canvas_title(r->preview, &title);
	canvas_draw(r->preview, &v);
}

/* --- keys --- */

static void resume_marked(struct mode_restore *r)
{
	const char **ids = mem_zalloc(r->count + 1, sizeof(*ids));
	struct ui *ui = r->m.ui;
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		if (r->items[i].marked)
			ids[n++] = r->items[i].id;
	if (n == 0) {
		ui_say(ui, SAY_INFO, "none is marked: Space marks one, Escape leaves them as they are");
	} else {
		end_preview(r);
		ui_resume_sessions(ui, ids, n);
		ui_pop(ui, &r->m);
	}
	free(ids);
}

static void look_at(struct mode_restore *r)
{
	struct seat *s = selected_seat(r);
	struct ui *ui = r->m.ui;

	if (!s)
		return;
	ui_pop(ui, &r->m);
	ui_go(ui, s);
}

static void not_now(struct mode_restore *r)
{
	struct ui *ui = r->m.ui;

	ui_pop(ui, &r->m);
	ui_say(ui, SAY_INFO,
	    "they stay as they are: %s r resumes the one in a pane, `handler resume --lost` all",
	    ui_prefix(ui));
}

static void toggle(struct mode_restore *r)
{
	struct offered *o = selected(r);

	if (o)
		o->marked = !o->marked;
	fill(r);
}

/* Choosing: none is marked, or all again. */
static void choose(struct mode_restore *r)
{
	bool any = false;

	for (size_t i = 0; i < r->count; i++)
		any = any || r->items[i].marked;
	for (size_t i = 0; i < r->count; i++)
		r->items[i].marked = !any;
	fill(r);
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_restore *r = (struct mode_restore *)m;

	ui_redraw(m->ui);
	if (k->code == KEY_ENTER || k->code == KEY_KP_ENTER)
		resume_marked(r);
	else if (k->code == KEY_ESCAPE || (k->code == 'c' && (k->mods & MOD_HELD) == MOD_CTRL))
		not_now(r);
	else if (k->code == ' ')
		toggle(r);
	else if (k->code == 's')
		choose(r);
	else if (k->code == 'v')
		look_at(r);
	else
		list_key(r->list, k, NARROW_ROWS);
}

static void mouse(struct mode *m, const struct mouse *e)
{
	struct mode_restore *r = (struct mode_restore *)m;
	int row, col;

	ui_redraw(m->ui);
	if (e->action == MOUSE_WHEEL)
		list_move(r->list, e->button == BUTTON_WHEEL_UP ? -1 : 1, false);
	else if (e->action == MOUSE_PRESS && mode_inside(m, e, &row, &col) &&
		 list_click(r->list, row - FIRST_ROW))
		toggle(r);
}

/* --- drawing --- */

static const struct popup_key foot[] = {{"Enter", "resume the marked in their places"}, {"s", "choose"},
    {"Space", "mark"}, {"v", "look at it, with its history"}, {"Esc", "not now"}};

static void place_surfaces(struct mode_restore *r)
{
	struct display *d = ui_display(r->m.ui);
	int rows = display_rows(d) - 3, cols = display_cols(d) - 4;
	bool beside = cols >= LIST_COLS + PREVIEW_MIN_COLS && rows > 8;

	r->m.surface = beside ? surface_create(d, 1, 2, rows, cols) : popup_create(d, NARROW_ROWS, cols);
	r->preview_at = beside ? (struct rect){1 + FIRST_ROW, 2 + LIST_COLS + 1, rows - FIRST_ROW - 1,
				     cols - LIST_COLS - 2}
			       : (struct rect){0};
}

static void draw(struct mode *m)
{
	struct mode_restore *r = (struct mode_restore *)m;
	AUTO_FREE char *text = sentence(r);
	int rows, cols;

	if (!m->surface)
		place_surfaces(r);
	m->cursor_row = -1;
	popup_frame(m->surface, "resume", foot, COUNT_OF(foot));
	rows = popup_rows(m->surface);
	cols = r->preview_at.cols ? LIST_COLS - 3 : popup_cols(m->surface);
	surface_text(m->surface, 1, 2, popup_cols(m->surface), text, ROLE_TITLE_FOCUSED);
	list_draw(r->list, m->surface, FIRST_ROW, 2, rows - FIRST_ROW + 1, cols, NULL);
	if (r->preview_at.cols)
		draw_preview(r);
}

static void resized(struct mode *m)
{
	struct mode_restore *r = (struct mode_restore *)m;

	canvas_destroy(r->preview);
	r->preview = NULL;
}

static void changed(struct mode *m)
{
	struct mode_restore *r = (struct mode_restore *)m;

	fill(r);
	ui_redraw(m->ui);
	if (r->count == 0)
		ui_pop(m->ui, m);
}

static void screen(struct mode *m, struct seat *s)
{
	if (s == selected_seat((struct mode_restore *)m))
		ui_redraw(m->ui);
}

static void leave(struct mode *m)
{
	struct mode_restore *r = (struct mode_restore *)m;

	end_preview(r);
	canvas_destroy(r->preview);
	mode_finish(m);
	list_destroy(r->list);
	free(r->items);
	free(r);
}

static const struct mode_class class = {.name = "restore",
    .key = key,
    .mouse = mouse,
    .draw = draw,
    .resized = resized,
    .changed = changed,
    .screen = screen,
    .leave = leave};

struct mode *mode_restore_create(struct ui *ui)
{
	struct mode_restore *r = mem_zalloc(1, sizeof(*r));

	mode_init(&r->m, &class, ui);
	r->list = list_create();
	collect(r);
	if (r->count == 0) {
		leave(&r->m);
		return NULL;
	}
	fill(r);
	return &r->m;
}
