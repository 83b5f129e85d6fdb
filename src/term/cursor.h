/* cursor: where the cursor goes, tab stops, and saving it (DECSC). */
#ifndef HANDLER_TERM_CURSOR_H
#define HANDLER_TERM_CURSOR_H

#include <stdbool.h>

struct term;

/* On the screen, whatever the margins; ends a pending wrap, as all of these do. */
void cursor_set(struct term *t, int row, int col);
/* As programs count: from the margins in origin mode, and then not beyond them. */
void cursor_address(struct term *t, int row, int col);

/* By so many, up to the margin, or the edge when the cursor is beyond the margin. */
void cursor_up(struct term *t, int count);
void cursor_down(struct term *t, int count);
void cursor_right(struct term *t, int count);
void cursor_left(struct term *t, int count); /* with reverse wrap (45, 1045), also to rows above */

void cursor_return(struct term *t);        /* CR */
void cursor_index(struct term *t);         /* IND, LF: down, or the region scrolls */
void cursor_reverse_index(struct term *t); /* RI */

void cursor_tab(struct term *t, int count);
void cursor_backtab(struct term *t, int count);
void tabs_reset(struct term *t); /* every eight columns */
void tabs_clear(struct term *t);
void tabs_resize(struct term *t, int old_cols); /* new columns get their default stops */

void cursor_save(struct term *t);
void cursor_restore(struct term *t);
void cursor_save_reset(struct term *t); /* as if saved right after creation, for both screens */

#endif
