/* mode_sync: asks before what is typed goes into all shown panes. */
#ifndef HANDLER_UI_MODE_SYNC_H
#define HANDLER_UI_MODE_SYNC_H

#include "ui/mode.h"

struct mode *mode_sync_create(struct ui *ui);

#endif
