/* mode_prefix: the prefix was pressed: the next key is a command; after a moment the keys are shown. */
#ifndef HANDLER_UI_MODE_PREFIX_H
#define HANDLER_UI_MODE_PREFIX_H

#include "ui/mode.h"

enum { PREFIX_POPUP_MS = 700, PREFIX_REPEAT_MS = 500 };

struct mode *mode_prefix_create(struct ui *ui);

#endif
