/* mode: what all modes share. */
#include "ui/mode.h"

#include "ui/popup.h"
#include "ui/ui.h"

void mode_init(struct mode *m, const struct mode_class *class, struct ui *ui)
{
	*m = (struct mode){.class = class, .ui = ui, .cursor_row = -1, .status_role = ROLE_HISTORY};
}

void mode_finish(struct mode *m)
{
	if (m->surface)
		surface_destroy(m->surface);
	m->surface = NULL;
}

struct surface *mode_popup(
    struct mode *m, int rows, int cols, const char *title, const struct popup_key *keys, size_t count)
{
	if (!m->surface)
		m->surface = popup_create(ui_display(m->ui), rows, cols);
	m->cursor_row = -1;
	popup_frame(m->surface, title, keys, count);
	return m->surface;
}

void mode_cursor(struct mode *m, int row, int col)
{
	m->cursor_row = row < 0 ? -1 : surface_row(m->surface) + row;
	m->cursor_col = surface_col(m->surface) + col;
}

bool mode_inside(const struct mode *m, const struct mouse *e, int *row, int *col)
{
	if (!m->surface)
		return false;
	*row = e->row - surface_row(m->surface);
	*col = e->col - surface_col(m->surface);
	return *row >= 0 && *col >= 0 && *row < surface_rows(m->surface) && *col < surface_cols(m->surface);
}
