/* mode_picker: finds a session: type to filter, with a live preview; Tab lets keys go to what is previewed.
 */
#ifndef HANDLER_UI_MODE_PICKER_H
#define HANDLER_UI_MODE_PICKER_H

#include "ui/mode.h"
#include "ui/ui.h"

/* where: what becomes of the session that is chosen. */
struct mode *mode_picker_create(struct ui *ui, enum placement where);

#endif
