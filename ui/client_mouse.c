/* client_mouse: clicks, drags and the wheel: on dialogs, sidebar, dividers, titles, in panes and their
 * programs. */
#include "base/clock.h"
#include "ui/client_private.h"
#include "ui/mode_copy.h"

enum { WHEEL_ROWS = 3, DOUBLE_CLICK_MS = 350 };

/* --- programs that asked for the mouse --- */

static struct seat *seat_of_pane(struct ui *ui, int pane)
{
	return roster_find(ui->roster, view_session(ui->views.current, pane));
}

/* The session's cell below the pointer; clamped to the pane while a button is held. */
static bool to_session(struct ui *ui, int pane, const struct mouse *e, struct mouse *out)
{
	struct canvas *c = stage_canvas(ui->stage, pane);
	struct pane_view v;
	struct position p;

	client_pane_view(ui, pane, &v);
	if (!c || !v.screen || v.scrolled || !canvas_place(c, &v, e->row, e->col, true, &p))
		return false;
	*out = *e;
	out->row = (int)(p.row - v.screen->top);
	out->col = p.col;
	out->x = out->y = -1;
	return true;
}

static bool program_wants(struct ui *ui, int pane, uint32_t modes)
{
	const struct seat *s = seat_of_pane(ui, pane);

	return s && seat_live(s) && !ui_pane_mode(ui, pane) && s->mirrored &&
	       (s->mirror.screen.modes & modes);
}

static void pass_on(struct ui *ui, int pane, const struct mouse *e)
{
	struct mouse there;

	if (to_session(ui, pane, e, &there))
		seat_mouse(seat_of_pane(ui, pane), &there);
}

/* --- history --- */

static struct mode *history_of(struct ui *ui, int pane, bool by_wheel)
{
	struct mode *m = ui_pane_mode(ui, pane);

	if (m)
		return m;
	m = mode_copy_create(ui, pane, by_wheel);
	if (m)
		ui_set_pane_mode(ui, pane, m);
	return m;
}

static bool place_at(struct ui *ui, int pane, int row, int col, struct position *out)
{
	struct canvas *c = stage_canvas(ui->stage, pane);
	struct pane_view v;

	client_pane_view(ui, pane, &v);
	return c && v.screen && canvas_place(c, &v, row, col, true, out);
}

/* A double click selects a word, a triple one a line; both are copied at once. */
static void select_clicked(struct ui *ui, int pane, const struct mouse *e)
{
	struct position p;
	struct mode *m = place_at(ui, pane, e->row, e->col, &p) ? history_of(ui, pane, true) : NULL;

	if (!m)
		return;
	if (ui->drag.clicks == 2)
		mode_copy_word(m, p);
	else
		mode_copy_line(m, p);
	mode_copy_take(m);
}

/* Beyond the pane's edge the history scrolls, and the selection with it. */
static void drag_selection(struct ui *ui, const struct mouse *e)
{
	struct position from, to;
	struct rect at;
	struct mode *m;

	if (!stage_content(ui->stage, ui->drag.pane, &at))
		return;
	if (!ui->drag.moved) {
		if (!place_at(ui, ui->drag.pane, ui->drag.row, ui->drag.col, &from))
			return;
		m = history_of(ui, ui->drag.pane, true);
		if (m && place_at(ui, ui->drag.pane, e->row, e->col, &to))
			mode_copy_drag(m, from, to);
		ui->drag.moved = m != NULL;
		return;
	}
	m = ui_pane_mode(ui, ui->drag.pane);
	if (!m)
		return;
	if (e->row < at.row || e->row >= at.row + at.rows)
		mode_copy_wheel(m, e->row < at.row ? -1 : 1);
	if (ui_pane_mode(ui, ui->drag.pane) == m && place_at(ui, ui->drag.pane, e->row, e->col, &to))
		mode_copy_drag(m, (struct position){UINT64_MAX, 0}, to);
}

/* --- the wheel --- */

static void wheel(struct ui *ui, int pane, const struct mouse *e)
{
	int rows = e->button == BUTTON_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
	const struct seat *s = seat_of_pane(ui, pane);
	struct mode *m;

	if (!s || program_wants(ui, pane, SCREEN_MOUSE) ||
	    (program_wants(ui, pane, SCREEN_ALTERNATE) && program_wants(ui, pane, SCREEN_ALTERNATE_SCROLL))) {
		if (s)
			pass_on(ui, pane, e);
		return;
	}
	if (e->button != BUTTON_WHEEL_UP && e->button != BUTTON_WHEEL_DOWN)
		return;
	m = rows < 0 ? history_of(ui, pane, true) : ui_pane_mode(ui, pane);
	if (m)
		mode_copy_wheel(m, rows);
}

/* --- buttons --- */

static void count_clicks(struct ui *ui, const struct mouse *e)
{
	int64_t now = clock_mono_ms();
	bool again =
	    now - ui->drag.time < DOUBLE_CLICK_MS && e->row == ui->drag.row && e->col == ui->drag.col;

	ui->drag.clicks = again ? ui->drag.clicks % 3 + 1 : 1;
	ui->drag.time = now;
	ui->drag.row = e->row;
	ui->drag.col = e->col;
	ui->drag.moved = false;
}

static void focus(struct ui *ui, int pane)
{
	if (view_set_focus(ui->views.current, pane))
		ui_arranged(ui);
}

static void press_in_pane(struct ui *ui, int pane, const struct mouse *e)
{
	focus(ui, pane);
	ui->drag.pane = pane;
	if (program_wants(ui, pane, SCREEN_MOUSE)) {
		ui->drag.what = DRAG_PROGRAM;
		pass_on(ui, pane, e);
	} else if (e->button == BUTTON_MIDDLE) {
		ui_command(ui, CMD_PASTE, "");
	} else if (e->button == BUTTON_LEFT) {
		ui->drag.what = ui->drag.clicks > 1 ? DRAG_NONE : DRAG_SELECT;
		if (ui->drag.clicks > 1)
			select_clicked(ui, pane, e);
	}
}

static void press(struct ui *ui, const struct mouse *e, enum hit hit, int pane)
{
	struct seat *listed;

	count_clicks(ui, e);
	ui->drag.what = DRAG_NONE;
	if (hit == HIT_PANE) {
		press_in_pane(ui, pane, e);
	} else if (e->button != BUTTON_LEFT) {
		return;
	} else if (hit == HIT_TITLE) {
		focus(ui, pane);
	} else if (hit == HIT_DIVIDER) {
		ui->drag.what = DRAG_DIVIDER;
	} else if (client_fold_at(ui, hit, e->row)) {
		ui_command(ui, CMD_FOLD_ENDED, "");
	} else if ((listed = client_listed_at(ui, hit, e->row, e->col))) {
		ui_go(ui, listed);
	}
}

static void drag_divider(struct ui *ui, const struct mouse *e)
{
	if (!layout_drag(ui->views.current->layout, ui->drag.row, ui->drag.col, e->row, e->col))
		return;
	ui->drag.row = e->row;
	ui->drag.col = e->col;
	client_arrange(ui);
}

static void motion(struct ui *ui, const struct mouse *e, enum hit hit, int pane)
{
	if (ui->drag.what == DRAG_DIVIDER)
		drag_divider(ui, e);
	else if (ui->drag.what == DRAG_SELECT)
		drag_selection(ui, e);
	else if (ui->drag.what == DRAG_PROGRAM)
		pass_on(ui, ui->drag.pane, e);
	else if (hit == HIT_PANE && e->button == BUTTON_NONE && program_wants(ui, pane, SCREEN_MOUSE_MOTION))
		pass_on(ui, pane, e);
}

static void let_go(struct ui *ui, const struct mouse *e)
{
	enum drag what = ui->drag.what;
	struct mode *m = ui_pane_mode(ui, ui->drag.pane);

	ui->drag.what = DRAG_NONE;
	if (what == DRAG_DIVIDER)
		ui_arranged(ui);
	else if (what == DRAG_PROGRAM)
		pass_on(ui, ui->drag.pane, e);
	else if (what == DRAG_SELECT && ui->drag.moved && m)
		mode_copy_take(m);
}

/* --- dialogs --- */

static bool to_dialog(struct ui *ui, const struct mouse *e)
{
	struct mode *m = ui->modes;

	if (!m)
		return false;
	if (m->class->mouse)
		m->class->mouse(m, e);
	return true;
}

static bool to_start(struct ui *ui, const struct mouse *e, enum hit hit)
{
	if (!ui->start || hit == HIT_SIDEBAR || hit == HIT_BOTTOM)
		return false;
	if (ui->start->class->mouse)
		ui->start->class->mouse(ui->start, e);
	return true;
}

void client_mouse(struct ui *ui, const struct mouse *e)
{
	int pane;
	enum hit hit = stage_hit(ui->stage, ui->views.current, e->row, e->col, &pane);

	if (e->action == MOUSE_PRESS && messages_hide(&ui->messages))
		ui_redraw(ui);
	if (to_dialog(ui, e) || to_start(ui, e, hit))
		return;
	if (e->action == MOUSE_PRESS)
		press(ui, e, hit, pane);
	else if (e->action == MOUSE_WHEEL && (hit == HIT_PANE || hit == HIT_TITLE))
		wheel(ui, pane, e);
	else if (e->action == MOUSE_MOTION)
		motion(ui, e, hit, pane);
	else if (e->action == MOUSE_RELEASE)
		let_go(ui, e);
}
