/*
 * sandbox: how a session is confined.  One vtable, one file per sandbox; a launch plan goes in, and comes out
 * as what is executed.
 *
 * A plan that asks for what a sandbox cannot enforce is refused (ERR_POLICY_UNSUPPORTED), never started
 * without it. Knows plans; not agents' files, processes or terminals.
 */
#ifndef HANDLER_SANDBOX_SANDBOX_H
#define HANDLER_SANDBOX_SANDBOX_H

#include <stdbool.h>

#include "harness/plan.h"

struct sandbox {
	const char *name;  /* as in an agent's file */
	const char *title; /* "no sandbox": in a pane's title */
	bool isolates;
	/* Changes program, argv, env and files of the plan to what starts it confined; refuses what it cannot
	 * enforce. */
	int (*prepare)(struct plan *p, struct err *err);
	/* Removes what prepare or the run left outside of the session's directory; the session has ended.
	 * Never fails. */
	void (*cleanup)(const char *session_dir);
};

extern const struct sandbox sandbox_none;

/* By name; NULL with ERR_POLICY_UNSUPPORTED that says which there are. */
const struct sandbox *sandbox_find(const char *name, struct err *err);
/* Finds the plan's sandbox and prepares the plan for it. */
int sandbox_prepare(struct plan *p, struct err *err);
/* The same for the end; an unknown name does nothing. */
void sandbox_cleanup(const char *name, const char *session_dir);

#endif
