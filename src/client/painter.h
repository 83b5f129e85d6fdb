/*
 * painter: screens as bytes for a terminal that shows nothing but them: only rows that changed since the one
 * before.
 *
 * The bytes are ours: cursor addressing (CUP), SGR, EL, ED, DECTCEM, DECSCUSR and DECSCNM.  Nothing that a
 * program sent (a query, a title, the clipboard) is among them.
 */
#ifndef HANDLER_CLIENT_PAINTER_H
#define HANDLER_CLIENT_PAINTER_H

#include "base/buf.h"
#include "cell/screen.h"

struct painter;

struct painter *painter_create(void);
void painter_destroy(struct painter *p);
/* Appends what turns the picture of the last call into this one; false: nothing has changed. */
bool painter_paint(struct painter *p, const struct screen *s, struct buf *out);

#endif
