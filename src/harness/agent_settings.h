/* agent_settings: what an agent's file says of how its sessions are kept.  Private to the harness layer. */
#ifndef HANDLER_HARNESS_AGENT_SETTINGS_H
#define HANDLER_HARNESS_AGENT_SETTINGS_H

#include "harness/agent.h"

/*
 * Fills the settings of a from its file (checked by the table of keys already; NULL: built in, all have their
 * defaults).  -1 with ERR_REFUSED, file and line for one that the harness d cannot do.
 */
int agent_settings_read(
    struct agent *a, const struct descriptor *d, const struct json *root, const char *shown, struct err *err);
void agent_settings_finish(struct agent *a);

#endif
