/* leftovers: what is still running of a session whose keeper is gone. */
#ifndef HANDLER_CLI_LEFTOVERS_H
#define HANDLER_CLI_LEFTOVERS_H

#include "client/record.h"

/* It would work beside its successor, or unseen: said, and ended. */
void leftovers_end(const struct record *r);

#endif
