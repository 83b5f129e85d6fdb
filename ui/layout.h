/*
 * layout: how a rectangle is divided into panes: a tree of splits.  Pure.
 *
 * A node is a pane, or columns or rows of nodes.  Between two neighbours lies one line (the divider); above
 * each pane lies one title line of its own, which belongs to the pane's rectangle (row 0 of it).  Panes are
 * named by ids that the caller gives (> 0).
 *
 * Invariant after layout_arrange: panes and dividers cover the area, and none overlaps another.  Minimum
 * sizes are kept as long as the area has room for them; in a smaller one panes shrink, at the end to nothing.
 */
#ifndef HANDLER_UI_LAYOUT_H
#define HANDLER_UI_LAYOUT_H

#include <stdbool.h>

#include "base/json.h"

enum {
	LAYOUT_MIN_ROWS = 5, /* by hand; the contents of a pane, its title line not counted */
	LAYOUT_MIN_COLS = 20,
	LAYOUT_AUTO_ROWS = 10, /* what a layout makes by itself; likewise the contents */
	LAYOUT_AUTO_COLS = 60,
	LAYOUT_PANES_MAX = 64,
};

struct rect {
	int row, col, rows, cols;
};

struct layout;

enum layout_kind {
	LAYOUT_COLUMNS,
	LAYOUT_ROWS,
	LAYOUT_TILED,
	LAYOUT_MAIN_LEFT,
	LAYOUT_MAIN_TOP,
	LAYOUT_KINDS
};
enum direction { DIR_LEFT, DIR_RIGHT, DIR_UP, DIR_DOWN };

struct layout *layout_create(int pane);
void layout_destroy(struct layout *l);
struct layout *layout_copy(const struct layout *l);
/* Panes in reading order (depth first); at most max written; returns how many there are. */
int layout_panes(const struct layout *l, int *panes, int max);
bool layout_has(const struct layout *l, int pane);

void layout_arrange(struct layout *l, struct rect area); /* sizes follow proportionally */
bool layout_rect(const struct layout *l, int pane, struct rect *out);
/* The pane whose rectangle holds a cell; 0: a divider, or outside. */
int layout_pane_at(const struct layout *l, int row, int col);

/* A new pane beside `pane`: right of it or below.  false: there is no room (minimum sizes), nothing changed.
 */
bool layout_split(struct layout *l, int pane, bool right, int new_pane);
bool layout_remove(
    struct layout *l, int pane); /* its room goes to its neighbour; false: it is the last one */
bool layout_swap(struct layout *l, int a, int b);
void layout_replace(struct layout *l, int pane, int new_pane);
/* The pane in a direction from `pane` (nearest to its middle, wrapping around as tmux does); pane itself if
 * alone. */
int layout_neighbour(const struct layout *l, int pane, enum direction d);
int layout_next(const struct layout *l, int pane, int step);
/* Moves the border of `pane` in a direction by cells (tmux's resize-pane); false: it could not move. */
bool layout_resize(struct layout *l, int pane, enum direction d, int cells);
void layout_equalize(struct layout *l);
/* All panes in one of the named arrangements, in reading order. */
void layout_set_kind(struct layout *l, enum layout_kind kind);
const char *layout_kind_name(enum layout_kind kind);
/* The kind of that name, LAYOUT_KINDS: there is none. */
enum layout_kind layout_kind_from_name(const char *name);
/* How many of `count` panes fit into area with a kind, each at least LAYOUT_AUTO_ROWS x LAYOUT_AUTO_COLS (at
 * least 1). */
int layout_capacity(enum layout_kind kind, struct rect area, int count);

/* Dividers, for drawing and dragging. */
struct divider {
	struct rect at; /* one column or one row */
	bool vertical;  /* a line between left and right */
	int pane;       /* the first pane of those whose right or lower border it is */
};
int layout_dividers(const struct layout *l, struct divider *out, int max);
/* Moves the divider that was hit at row, col to another place. */
bool layout_drag(struct layout *l, int row, int col, int to_row, int to_col);

/* {"pane": 1} or {"columns"|"rows": [...], "sizes": [...]}: sizes are shares, so that it fits any area. */
struct json *layout_to_json(const struct layout *l);
/* NULL with err: not a layout, an id twice or not positive, too many panes. */
struct layout *layout_from_json(const struct json *j, struct err *err);

#endif
