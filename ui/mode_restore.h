/* mode_restore: the offer, at the start, to resume sessions that a restart of the machine or a crash has
 * ended. */
#ifndef HANDLER_UI_MODE_RESTORE_H
#define HANDLER_UI_MODE_RESTORE_H

#include "ui/mode.h"

/* NULL: there is nothing to offer.  Only records are looked at; journals when a session is previewed. */
struct mode *mode_restore_create(struct ui *ui);

#endif
