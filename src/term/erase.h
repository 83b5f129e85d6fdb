/* erase: cells become blank, in the pen's background, unless they are protected. */
#ifndef HANDLER_TERM_ERASE_H
#define HANDLER_TERM_ERASE_H

struct term;

/*
 * What protection each kind respects.  That of ISO (SPA, EPA) binds ED, EL and ECH and their selective forms,
 * that of DEC (DECSCA) the selective ones alone; of functions on rectangles only DECSERA respects any, DEC's:
 * xterm's rules.
 */
enum erase_kind { ERASE_PLAIN, ERASE_SELECTIVE, ERASE_AREA, ERASE_AREA_SELECTIVE };

void erase_columns(struct term *t, int row, int from, int to, enum erase_kind kind);
void erase_rows(struct term *t, int from, int to, enum erase_kind kind); /* and what their flags say */
/* Nothing of the row above goes on in the cursor's row, if that is erased from its start. */
void erase_break(struct term *t);
/*
 * The screen is about to be erased as a whole: the text enters history, as with tmux: it is how a shell's
 * screen is cleared.  Not so for ED 0 from the first place, which is how programs begin to repaint what they
 * drew there.
 */
void erase_keep(struct term *t, enum erase_kind kind);
void erase_display(
    struct term *t, int part, enum erase_kind kind); /* ED, DECSED: 0 below, 1 above, 2 all, 3 history */
void erase_line(
    struct term *t, int part, enum erase_kind kind); /* EL, DECSEL: 0 to the right, 1 to the left, 2 all */
void erase_characters(struct term *t, int count);    /* ECH */
void erase_align(struct term *t);                    /* DECALN: a screen of E */

#endif
