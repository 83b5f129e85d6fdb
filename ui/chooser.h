/*
 * chooser: a list that is filtered by what is typed: the common part of the picker, the palette, the views,
 * the start screen and the new-session dialog.
 */
#ifndef HANDLER_UI_CHOOSER_H
#define HANDLER_UI_CHOOSER_H

#include "ui/lineedit.h"
#include "ui/list.h"

struct chooser {
	struct lineedit *filter;
	struct list *list;
	int row, col, rows, cols; /* of the list in the surface, as drawn last */
};

void chooser_init(struct chooser *c);
void chooser_finish(struct chooser *c);
/* Whether the key moved the selection or changed the filter. */
bool chooser_key(struct chooser *c, const struct key *k);
void chooser_type(struct chooser *c, const char *text, size_t len);
/*
 * Draws the filter line (if `label` is not NULL) and below it the list into a rectangle of the surface; where
 * the cursor lies goes to *cursor_row, *cursor_col (both may be NULL).
 */
void chooser_draw(struct chooser *c, struct surface *s, int row, int col, int rows, int cols,
    const char *label, const char *placeholder, const char *empty, int *cursor_row, int *cursor_col);
/* A click at a cell of the surface: whether it selected an item.  The wheel moves the selection. */
bool chooser_click(struct chooser *c, int row, int col);
void chooser_wheel(struct chooser *c, bool up);

#endif
