/* mode_prompt: asks for one line of text at the foot of the screen. */
#ifndef HANDLER_UI_MODE_PROMPT_H
#define HANDLER_UI_MODE_PROMPT_H

#include "ui/mode.h"

/* text NULL: given up.  Called once, when the prompt is gone already. */
typedef void prompt_done(struct ui *ui, const char *text, int argument);

struct mode *mode_prompt_create(
    struct ui *ui, const char *label, const char *initial, prompt_done *done, int argument);

#endif
