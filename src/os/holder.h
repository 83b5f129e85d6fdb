/* holder: which process of this user works with a thing that is known by a word: named on its command line,
 * or the name of a file that it has open for writing. */
#ifndef HANDLER_OS_HOLDER_H
#define HANDLER_OS_HOLDER_H

#include <stdbool.h>

#include "os/proc.h"

/*
 * `word` alone or behind a '=' as an argument, or a part of the name of a file open for writing.  We
 * ourselves and what `skip` (may be NULL) says are left out.  false: nobody.
 */
bool holder_find(
    const char *word, bool (*skip)(const struct proc_info *p, void *user), void *user, struct proc_info *out);

#endif
