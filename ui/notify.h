/*
 * notify: what programs in panes say to the outside (bells, notifications), as bytes for the outer terminal.
 * Pure. Nothing of a pane goes out but as text that was sanitized.
 */
#ifndef HANDLER_UI_NOTIFY_H
#define HANDLER_UI_NOTIFY_H

#include "base/buf.h"

enum { NOTIFY_COLUMNS = 200 };

void notify_bell(struct buf *out);
/* OSC 9 with "SESSION: TITLE: TEXT" (title may be NULL): what most terminals show as a desktop notification.
 */
void notify_text(const char *session, const char *title, const char *text, struct buf *out);

#endif
