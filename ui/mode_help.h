/* mode_help: the keys in force, made from the tables of commands and bindings. */
#ifndef HANDLER_UI_MODE_HELP_H
#define HANDLER_UI_MODE_HELP_H

#include "ui/mode.h"

struct mode *mode_help_create(struct ui *ui);

#endif
