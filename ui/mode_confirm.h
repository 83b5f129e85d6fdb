/* mode_confirm: asks whether something is to be done: y or Enter does it, everything else does not. */
#ifndef HANDLER_UI_MODE_CONFIRM_H
#define HANDLER_UI_MODE_CONFIRM_H

#include "ui/mode.h"

/* text: sentences, broken into lines.  `done` is called once, when the dialog is gone already. */
struct mode *mode_confirm_create(struct ui *ui, const char *title, const char *text, const char *yes,
    void (*done)(struct ui *ui, bool yes, const char *argument), const char *argument);
struct mode *mode_confirm_stop(struct ui *ui, struct seat *s);

#endif
