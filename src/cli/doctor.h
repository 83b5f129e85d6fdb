/* doctor: the parts of `handler doctor`, each adding its findings. */
#ifndef HANDLER_CLI_DOCTOR_H
#define HANDLER_CLI_DOCTOR_H

#include "base/err.h"
#include "cli/findings.h"
#include "harness/descriptor.h"

void doctor_machine(struct findings *f);
void doctor_sandboxes(struct findings *f);
void doctor_sessions(struct findings *f, const struct harness_set *set);
void doctor_harnesses(struct findings *f, const struct harness_set *set, const char *self);
/* -1 with err: there is no such agent. */
int doctor_agent(
    struct findings *f, const struct harness_set *set, const char *name, const char *self, struct err *err);
/* -1 with err: standard input is no terminal. */
int doctor_terminal(struct findings *f, struct err *err);

#endif
