/*
 * tty_modes: the bytes that switch an outer terminal's modes on, over and off again.  Pure.
 *
 * A struct tty_state says all that has been changed; tty_modes_restore undoes exactly that, in an order that
 * is right from the middle of anything: a frame that was cut, a string without its end.
 */
#ifndef HANDLER_UI_TTY_MODES_H
#define HANDLER_UI_TTY_MODES_H

#include "ui/tty.h"

struct tty_state {
	bool entered; /* the alternate screen is shown, pastes are bracketed */
	struct tty_modes modes;
	bool title_saved;   /* pushed on the terminal's stack */
	bool shape, color;  /* the cursor's were changed */
	bool takes_strings; /* OSC does no harm there */
};

/* Appends what switches state over to `modes` (and into the alternate screen), and updates state. */
void tty_modes_enter(struct tty_state *state, const struct tty_modes *modes, struct buf *out);
void tty_modes_change(struct tty_state *state, const struct tty_modes *modes, struct buf *out);
/* Appends what undoes state; state itself stays as it is. */
void tty_modes_restore(const struct tty_state *state, struct buf *out);

#endif
