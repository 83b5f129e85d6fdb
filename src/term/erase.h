/* erase: cells become blank, in the pen's background.  Selective: those protected by DECSCA stay. */
#ifndef HANDLER_TERM_ERASE_H
#define HANDLER_TERM_ERASE_H

#include <stdbool.h>

struct term;

void erase_columns(struct term *t, int row, int from, int to, bool selective);
void erase_display(
    struct term *t, int part, bool selective); /* ED, DECSED: 0 below, 1 above, 2 all, 3 history */
void erase_line(
    struct term *t, int part, bool selective);    /* EL, DECSEL: 0 to the right, 1 to the left, 2 all */
void erase_characters(struct term *t, int count); /* ECH */
void erase_align(struct term *t);                 /* DECALN: a screen of E */

#endif
