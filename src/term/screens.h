/* screens: the main and the alternate screen; which one is shown; what resizing does to both. */
#ifndef HANDLER_TERM_SCREENS_H
#define HANDLER_TERM_SCREENS_H

#include <stdbool.h>

struct term;

/* Shows the alternate or the main screen; the cursor stays where it is, the keyboard flags are those of the
 * screen. */
void screens_show(struct term *t, bool alternate);
/* The program has ended on the alternate screen: what it shows goes below the main screen's text, which is
 * shown again. */
void screens_leave(struct term *t);
/* Moves the cursor to a blank row below all text, scrolling if there is none. */
void screens_below(struct term *t);
void screens_resize(struct term *t, int rows, int cols);

#endif
