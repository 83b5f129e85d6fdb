/* mode_start: the start screen: what runs, what can be started, and where. */
#ifndef HANDLER_UI_MODE_START_H
#define HANDLER_UI_MODE_START_H

#include "ui/mode.h"

struct mode *mode_start_create(struct ui *ui);

#endif
