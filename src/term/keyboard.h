/*
 * keyboard: how the program wants keys to be told: the stacks of the kitty keyboard protocol (one for each
 * screen) and xterm's modifyOtherKeys; and the sum of all modes that concern keys, mouse and paste.
 */
#ifndef HANDLER_TERM_KEYBOARD_H
#define HANDLER_TERM_KEYBOARD_H

#include "term/parser.h"

struct term;

struct keyboard {
	uint8_t flags; /* in force: enum kitty_flag */
	uint8_t depth;
	uint8_t stack[TERM_KITTY_STACK];
};

void keyboard_reset(struct term *t);
/* Recomputes t->key_modes; tells if they have changed. */
void keyboard_update(struct term *t);

void csi_kitty_query(struct term *t, const struct sequence *s);       /* CSI ? u */
void csi_kitty_push(struct term *t, const struct sequence *s);        /* CSI > Ps u */
void csi_kitty_pop(struct term *t, const struct sequence *s);         /* CSI < Ps u */
void csi_kitty_set(struct term *t, const struct sequence *s);         /* CSI = Ps ; Pm u */
void csi_modify_keys(struct term *t, const struct sequence *s);       /* XTMODKEYS, CSI > Pp ; Pv m */
void csi_unmodify_keys(struct term *t, const struct sequence *s);     /* CSI > Ps n */
void csi_query_modify_keys(struct term *t, const struct sequence *s); /* XTQMODKEYS, CSI ? Pp m */

#endif
