/* sgr: the pen: how what is printed looks, and what erased cells look like. */
#ifndef HANDLER_TERM_SGR_H
#define HANDLER_TERM_SGR_H

#include "cell/style.h"
#include "term/parser.h"

struct term;

void csi_sgr(struct term *t, const struct sequence *s); /* CSI Pm m */
/* SGR parameters [from, count) applied to a style; what is unknown or incomplete is skipped. */
void sgr_apply(struct style *style, const struct sequence *s, int from);

void pen_set(struct term *t, const struct style *s);
void pen_set_link(struct term *t, uint32_t link); /* OSC 8; SGR 0 leaves it alone */
void pen_set_protected(struct term *t, bool on);  /* DECSCA, SPA; SGR 0 leaves it alone */
void pen_forget(struct term *t);                  /* the handles: after a collection of the table */
uint32_t pen_style(struct term *t);               /* handle of what is printed */
uint32_t pen_blank(struct term *t);               /* handle of what is erased */

#endif
