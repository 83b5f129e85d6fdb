/* editor: the user's editor on a file. */
#ifndef HANDLER_CLI_EDITOR_H
#define HANDLER_CLI_EDITOR_H

#include "base/err.h"

/* $VISUAL, else $EDITOR, else vi, through /bin/bash as those variables hold words; returns when it has ended.
 */
int editor_run(const char *path, struct err *err);

#endif
