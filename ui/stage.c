/* stage: see stage.h. */
#include "ui/stage.h"

#include <stdlib.h>

#include "base/mem.h"

struct shown {
	int pane;
	struct rect at; /* title line included */
	struct canvas *canvas;
};

struct stage {
	struct display *display;
	struct geometry geometry;
	struct surface *lines; /* below the panes: what shows between them; NULL: there is only one */
	struct surface *sidebar, *bottom;
	struct shown panes[VIEW_PANES_MAX];
	size_t count;
};

static const char *const form_names[SIDEBAR_FORMS] = {"auto", "full", "line", "off"};

const char *sidebar_form_name(enum sidebar_form form)
{
	return form_names[form];
}

int sidebar_form_from_name(const char *name)
{
	for (int i = 0; i < SIDEBAR_FORMS; i++)
		if (strcmp(form_names[i], name) == 0)
			return i;
	return -1;
}

struct geometry geometry_of(int rows, int cols, enum sidebar_form form, size_t sessions)
{
	struct geometry g = {.rows = rows, .cols = cols};
	int height = rows > 1 ? rows - 1 : 1;

	if (form == SIDEBAR_AUTO)
		form = cols < SIDEBAR_AUTO_COLS ? SIDEBAR_LINE : sessions > 1 ? SIDEBAR_FULL : SIDEBAR_OFF;
	if (form == SIDEBAR_FULL && cols < SIDEBAR_COLS + LAYOUT_MIN_COLS)
		form = SIDEBAR_LINE;
	int left = form == SIDEBAR_FULL ? SIDEBAR_COLS : 0;

	g.sidebar = (struct rect){0, 0, height, left};
	g.panes = (struct rect){0, left, height, cols - left};
	g.bottom = (struct rect){height, 0, 1, cols};
	g.line = form == SIDEBAR_LINE;
	return g;
}

struct stage *stage_create(struct display *d)
{
	struct stage *s = mem_zalloc(1, sizeof(*s));

	s->display = d;
	return s;
}

static void drop_surface(struct surface **s)
{
	if (*s)
		surface_destroy(*s);
	*s = NULL;
}

static void drop_panes(struct stage *s)
{
	for (size_t i = 0; i < s->count; i++)
		canvas_destroy(s->panes[i].canvas);
	s->count = 0;
}

void stage_clear(struct stage *s)
{
	drop_panes(s);
	drop_surface(&s->lines);
	drop_surface(&s->sidebar);
	drop_surface(&s->bottom);
}

void stage_destroy(struct stage *s)
{
	if (!s)
		return;
	stage_clear(s);
	free(s);
}

static struct surface *make(struct stage *s, struct rect at)
{
	return surface_create(s->display, at.row, at.col, at.rows, at.cols);
}

static void show_pane(struct stage *s, int pane, struct rect at)
{
	s->panes[s->count++] =
	    (struct shown){.pane = pane, .at = at, .canvas = canvas_create(s->display, at)};
}

static void show_panes(struct stage *s, struct view *v)
{
	int ids[VIEW_PANES_MAX];
	struct rect at;

	layout_arrange(v->layout, s->geometry.panes);
	if (v->zoomed) {
		show_pane(s, v->focus, s->geometry.panes);
		return;
	}
	int count = layout_panes(v->layout, ids, VIEW_PANES_MAX);

	for (int i = 0; i < count && i < VIEW_PANES_MAX; i++)
		if (layout_rect(v->layout, ids[i], &at) && at.rows > 0 && at.cols > 0)
			show_pane(s, ids[i], at);
}

void stage_build(struct stage *s, const struct geometry *g, struct view *v)
{
	stage_clear(s);
	s->geometry = *g;
	if (v && !v->zoomed && v->count > 1)
		s->lines = make(s, g->panes);
	if (v)
		show_panes(s, v);
	if (g->sidebar.cols)
		s->sidebar = make(s, g->sidebar);
	s->bottom = make(s, g->bottom);
}

static const struct shown *find(const struct stage *s, int pane)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->panes[i].pane == pane)
			return &s->panes[i];
	return NULL;
}

struct canvas *stage_canvas(const struct stage *s, int pane)
{
	const struct shown *p = find(s, pane);

	return p ? p->canvas : NULL;
}

bool stage_content(const struct stage *s, int pane, struct rect *out)
{
	const struct shown *p = find(s, pane);

	if (p)
		*out = canvas_content(p->canvas);
	return p != NULL;
}

int stage_panes(const struct stage *s, int *panes, int max)
{
	for (size_t i = 0; i < s->count && (int)i < max; i++)
		panes[i] = s->panes[i].pane;
	return (int)s->count;
}

bool stage_too_small(const struct stage *s, int pane)
{
	struct rect at;

	return stage_content(s, pane, &at) && (at.rows < LAYOUT_MIN_ROWS || at.cols < LAYOUT_MIN_COLS);
}

struct surface *stage_sidebar(const struct stage *s)
{
	return s->sidebar;
}

struct surface *stage_bottom(const struct stage *s)
{
	return s->bottom;
}

const struct geometry *stage_geometry(const struct stage *s)
{
	return &s->geometry;
}

static void draw_guard(struct stage *s, const struct view *v)
{
	struct divider lines[VIEW_PANES_MAX];
	int count = layout_dividers(v->layout, lines, VIEW_PANES_MAX);

	for (int i = 0; i < count && i < VIEW_PANES_MAX; i++) {
		struct rect at = lines[i].at;

		at.row -= s->geometry.panes.row;
		at.col -= s->geometry.panes.col;
		if (lines[i].vertical)
			surface_vline(s->lines, at.row, at.col, at.rows, ROLE_WARNING);
		else
			surface_hline(s->lines, at.row, at.col, at.cols, ROLE_WARNING);
	}
}

void stage_draw_dividers(struct stage *s, const struct view *v, bool guard)
{
	if (!s->lines || v->zoomed)
		return;
	compose_dividers(s->lines, v->layout, s->geometry.panes, v->focus);
	if (guard)
		draw_guard(s, v);
}

static bool inside(struct rect r, int row, int col)
{
	return row >= r.row && row < r.row + r.rows && col >= r.col && col < r.col + r.cols;
}

static bool on_divider(const struct view *v, int row, int col)
{
	struct divider lines[VIEW_PANES_MAX];
	int count = v->zoomed ? 0 : layout_dividers(v->layout, lines, VIEW_PANES_MAX);

	for (int i = 0; i < count && i < VIEW_PANES_MAX; i++)
		if (inside(lines[i].at, row, col))
			return true;
	return false;
}

enum hit stage_hit(const struct stage *s, const struct view *v, int row, int col, int *pane)
{
	*pane = 0;
	if (inside(s->geometry.bottom, row, col))
		return HIT_BOTTOM;
	if (inside(s->geometry.sidebar, row, col))
		return HIT_SIDEBAR;
	for (size_t i = 0; i < s->count; i++)
		if (inside(s->panes[i].at, row, col)) {
			*pane = s->panes[i].pane;
			return row == s->panes[i].at.row ? HIT_TITLE : HIT_PANE;
		}
	return v && on_divider(v, row, col) ? HIT_DIVIDER : HIT_NOTHING;
}
