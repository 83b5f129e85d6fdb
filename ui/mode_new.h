/* mode_new: starts a session: which agent, where, under what name, with what first prompt. */
#ifndef HANDLER_UI_MODE_NEW_H
#define HANDLER_UI_MODE_NEW_H

#include "ui/mode.h"
#include "ui/ui.h"

/* agent: chosen at first; "" for the one started last. */
struct mode *mode_new_create(struct ui *ui, enum placement where, const char *agent);

#endif
