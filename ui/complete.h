/* complete: the directories that a half-typed path may become. */
#ifndef HANDLER_UI_COMPLETE_H
#define HANDLER_UI_COMPLETE_H

#include "harness/strv.h"

enum { COMPLETE_MAX = 200 };

/*
 * text: "/usr/lo", "~/src/", "pro" (against `base`).  The directories that begin like it, as they would be
 * typed, with a '/' at the end, sorted; hidden ones only if the last part begins with a dot.  Owned,
 * strv_destroy; never NULL.
 */
char **complete_directories(const char *text, const char *base);
/*
 * What Tab makes of it: as far as all matches agree; NULL: nothing can be added, or it names a directory
 * already (then a
 * '/' goes further).  Owned.
 */
char *complete_text(const char *text, const char *base);
/* The longest beginning that all of them share; owned, "" for none. */
char *complete_common(char *const *matches);

#endif
