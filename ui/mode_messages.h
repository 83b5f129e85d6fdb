/* mode_messages: what has been said so far, the newest last. */
#ifndef HANDLER_UI_MODE_MESSAGES_H
#define HANDLER_UI_MODE_MESSAGES_H

#include "ui/mode.h"

struct mode *mode_messages_create(struct ui *ui);

#endif
