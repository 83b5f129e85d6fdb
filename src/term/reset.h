/* reset: back to how a terminal begins: as a whole (RIS), the modes that DECSTR names, or all that an ended
 * program left behind. */
#ifndef HANDLER_TERM_RESET_H
#define HANDLER_TERM_RESET_H

struct term;

void reset_soft(struct term *t); /* DECSTR */
void reset_full(struct term *t); /* RIS: screens and history too */
void reset_state(
    struct term *t); /* everything but what is on the screens, the titles and the cursor's place */

#endif
