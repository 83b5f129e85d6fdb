/* mode_rename: another name for a session. */
#ifndef HANDLER_UI_MODE_RENAME_H
#define HANDLER_UI_MODE_RENAME_H

#include "ui/mode.h"

struct mode *mode_rename_create(struct ui *ui, struct seat *s);
void mode_rename_apply(struct ui *ui, const char *id, const char *name); /* says what came of it */

#endif
