/* mode_copy: the history of one pane: scrolling, searching, copying; by keys and by mouse. */
#ifndef HANDLER_UI_MODE_COPY_H
#define HANDLER_UI_MODE_COPY_H

#include "ui/mode.h"

/* by_wheel: it ends by itself when it is scrolled back to the newest rows. */
struct mode *mode_copy_create(struct ui *ui, int pane, bool by_wheel); /* NULL: there is nothing to look at */
void mode_copy_page_up(struct mode *m);
void mode_copy_wheel(struct mode *m, int rows); /* down if positive */
/* What the mouse selects: from a place to another; a word, a line at a place. */
void mode_copy_drag(struct mode *m, struct position from, struct position to);
void mode_copy_word(struct mode *m, struct position p);
void mode_copy_line(struct mode *m, struct position p);
void mode_copy_take(struct mode *m); /* copies the selection and leaves */

#endif
