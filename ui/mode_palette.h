/* mode_palette: runs a command by its name, with an argument if it takes one. */
#ifndef HANDLER_UI_MODE_PALETTE_H
#define HANDLER_UI_MODE_PALETTE_H

#include "ui/mode.h"

struct mode *mode_palette_create(struct ui *ui);

#endif
