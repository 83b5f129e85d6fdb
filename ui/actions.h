/* actions: what each command of the table (commands.h) does. */
#ifndef HANDLER_UI_ACTIONS_H
#define HANDLER_UI_ACTIONS_H

#include "ui/commands.h"

struct ui;

/* argument: "" for none.  A command that has nothing to do says so. */
void action_run(struct ui *ui, enum command_id id, const char *argument);

#endif
