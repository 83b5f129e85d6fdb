/* foreign: keepers and workers of other sessions, which may stand in a session's tree (started from inside
 * it) and are not its own. */
#ifndef HANDLER_CLIENT_FOREIGN_H
#define HANDLER_CLIENT_FOREIGN_H

#include "os/proc.h"

/* Whether p is a keeper, by the records: pid and start time.  Its name alone proves nothing, but saves the
 * look. */
bool foreign_keeper(const struct proc_info *p);
/* Whether p is a keeper or the worker of one. */
bool foreign_process(const struct proc_info *p);

#endif
