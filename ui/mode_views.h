/* mode_views: the list of views: go to one, or forget it. */
#ifndef HANDLER_UI_MODE_VIEWS_H
#define HANDLER_UI_MODE_VIEWS_H

#include "ui/mode.h"

struct mode *mode_views_create(struct ui *ui);
void mode_views_go(struct ui *ui, const char *name); /* says why if it cannot */

#endif
