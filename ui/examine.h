/* examine: asks the terminal that is there what it can do, and gives it back as it was. */
#ifndef HANDLER_UI_EXAMINE_H
#define HANDLER_UI_EXAMINE_H

#include "base/err.h"
#include "harness/config.h"
#include "ui/probe.h"

/*
 * The same questions and conclusions as those of the front-end.  answered: the last question (DA1) was
 * answered; without, caps are what the names say.  -1 with err: there is no terminal.
 */
int examine_terminal(const struct config *config, struct outer_caps *caps, bool *answered, struct err *err);

#endif
