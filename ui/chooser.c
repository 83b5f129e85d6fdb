/* chooser: see chooser.h. */
#include "ui/chooser.h"

#include "base/utf8.h"
#include "ui/display.h"

void chooser_init(struct chooser *c)
{
	*c = (struct chooser){.filter = lineedit_create(false), .list = list_create()};
}

void chooser_finish(struct chooser *c)
{
	lineedit_destroy(c->filter);
	list_destroy(c->list);
	*c = (struct chooser){0};
}

static void refilter(struct chooser *c)
{
	list_set_filter(c->list, lineedit_text(c->filter));
}

bool chooser_key(struct chooser *c, const struct key *k)
{
	if (list_key(c->list, k, c->rows))
		return true;
	enum lineedit_result r = lineedit_key(c->filter, k);

	if (r == LINEEDIT_CHANGED)
		refilter(c);
	return r != LINEEDIT_IGNORED;
}

void chooser_type(struct chooser *c, const char *text, size_t len)
{
	if (lineedit_insert(c->filter, text, len) == LINEEDIT_CHANGED)
		refilter(c);
}

static int draw_filter(struct chooser *c, struct surface *s, int row, int col, int cols, const char *label,
    const char *placeholder, int *cursor_row, int *cursor_col)
{
	int used = surface_text(s, row, col, cols, label, ROLE_DIM);

	if (used)
		used++;
	lineedit_draw(
	    c->filter, s, row, col + used, 1, cols - used, placeholder, ROLE_INPUT, cursor_row, cursor_col);
	return 1;
}

void chooser_draw(struct chooser *c, struct surface *s, int row, int col, int rows, int cols,
    const char *label, const char *placeholder, const char *empty, int *cursor_row, int *cursor_col)
{
	int above = label ? draw_filter(c, s, row, col, cols, label, placeholder, cursor_row, cursor_col) : 0;

	c->row = row + above;
	c->col = col;
	c->rows = rows > above ? rows - above : 1;
	c->cols = cols;
	list_draw(c->list, s, c->row, col, c->rows, cols, empty);
}

bool chooser_click(struct chooser *c, int row, int col)
{
	if (row < c->row || row >= c->row + c->rows || col < c->col || col >= c->col + c->cols)
		return false;
	return list_click(c->list, row - c->row);
}

void chooser_wheel(struct chooser *c, bool up)
{
	list_move(c->list, up ? -1 : 1, false);
}
