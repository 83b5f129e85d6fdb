/* mode_numbers: the panes' numbers, large; a digit moves the focus there. */
#ifndef HANDLER_UI_MODE_NUMBERS_H
#define HANDLER_UI_MODE_NUMBERS_H

#include "ui/mode.h"

struct mode *mode_numbers_create(struct ui *ui);

#endif
