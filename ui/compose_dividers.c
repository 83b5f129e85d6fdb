/* compose_dividers: the lines between panes (compose.h): which character joins the lines that meet in a cell.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/compose.h"

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, VERTICAL = 16, HORIZONTAL = 32 };

static const char *const line_chars[16] = {
    " ",
    "│",
    "│",
    "│",
    "─",
    "╯",
    "╮",
    "┤",
    "─",
    "╰",
    "╭",
    "├",
    "─",
    "┴",
    "┬",
    "┼",
};

static uint8_t grid_at(const uint8_t *grid, const struct rect *area, int row, int col)
{
	if (row < 0 || row >= area->rows || col < 0 || col >= area->cols)
		return 0;
	return grid[row * area->cols + col];
}

/* Which sides of a cell of a line are joined to others: its own direction, and lines that end at it. */
static int joints(const uint8_t *grid, const struct rect *area, int row, int col)
{
	uint8_t self = grid_at(grid, area, row, col);
	int joined = 0;

	if ((self | grid_at(grid, area, row - 1, col)) & VERTICAL)
		joined |= UP;
	if ((self | grid_at(grid, area, row + 1, col)) & VERTICAL)
		joined |= DOWN;
	if ((self | grid_at(grid, area, row, col - 1)) & HORIZONTAL)
		joined |= LEFT;
	if ((self | grid_at(grid, area, row, col + 1)) & HORIZONTAL)
		joined |= RIGHT;
	return joined;
}

static void mark_divider(uint8_t *grid, const struct rect *area, const struct divider *d)
{
	for (int y = d->at.row - area->row; y < d->at.row - area->row + d->at.rows; y++) {
		for (int x = d->at.col - area->col; x < d->at.col - area->col + d->at.cols; x++) {
			if (y >= 0 && y < area->rows && x >= 0 && x < area->cols)
				grid[y * area->cols + x] |= d->vertical ? VERTICAL : HORIZONTAL;
		}
	}
}

static bool touches(const struct rect *pane, int row, int col)
{
	return row >= pane->row - 1 && row <= pane->row + pane->rows && col >= pane->col - 1 &&
	       col <= pane->col + pane->cols;
}

void compose_dividers(struct surface *s, const struct layout *l, struct rect area, int focused)
{
	struct divider dividers[LAYOUT_PANES_MAX];
	int count = layout_dividers(l, dividers, LAYOUT_PANES_MAX);
	uint8_t *grid = mem_zalloc((size_t)area.rows * (size_t)area.cols + 1, 1);
	struct rect pane;
	bool any = layout_rect(l, focused, &pane);

	for (int i = 0; i < count && i < LAYOUT_PANES_MAX; i++)
		mark_divider(grid, &area, &dividers[i]);
	for (int y = 0; y < area.rows; y++) {
		for (int x = 0; x < area.cols; x++) {
			bool focus = any && touches(&pane, area.row + y, area.col + x);

			if (grid_at(grid, &area, y, x))
				surface_text(s, y, x, 1, line_chars[joints(grid, &area, y, x)],
				    focus ? ROLE_BORDER_FOCUSED : ROLE_BORDER);
		}
	}
	free(grid);
}
