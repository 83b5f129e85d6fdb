/* launch: agent name and options to a running session: what `new`, `terminal` and `resume` have in common. */
#ifndef HANDLER_CLI_LAUNCH_H
#define HANDLER_CLI_LAUNCH_H

#include "client/record.h"
#include "harness/plan.h"

struct launch_options {
	const char *agent;
	const char *dir;  /* NULL: the working directory */
	const char *name; /* NULL: DIR-AGENT */
	const char *prompt;
	char *const *extra_args, *const *extra_env;
	int rows, cols, xpixel, ypixel;
	bool resume_only; /* of launch_again */
	const char *self;
	const struct harness_set
	    *harnesses; /* read already, for callers that start several; NULL: read by each call */
};

/* Fills r (record_finish it) with the started session's record; nothing is left behind on failure. */
int launch(const struct launch_options *o, struct record *r, struct err *err);
/*
 * The same in steps, for callers that start several, or have something to do meanwhile: create refuses what
 * has to be refused, before anything exists; begin lets it start, with that size (0: the usual one); await
 * says how that went.  After a failure of either nothing is left behind.  What o names is borrowed until it
 * has begun.
 */
struct launching *launching_create(const struct launch_options *o, struct err *err);
int launching_begin(struct launching *l, int rows, int cols, struct err *err);
int launching_await(struct launching *l, struct err *err);
const struct record *launching_record(const struct launching *l); /* once begun: id, name, number, path */
const struct plan *launching_plan(const struct launching *l);     /* once begun */
void launching_destroy(struct launching *l);
/* How a session was started again; *_way is a sentence's end, *_name its form in JSON. */
enum launch_way { LAUNCH_ATTACHED, LAUNCH_CONTINUED, LAUNCH_CONVERSATION, LAUNCH_FRESH };
const char *launch_way(enum launch_way way);
const char *launch_way_name(enum launch_way way);

struct again_options {
	const char *self;
	int rows, cols;   /* 0: as it was */
	bool resume_only; /* the conversation goes on, or it is refused */
};
/*
 * The same session again: the harness's own resume where it can, else fresh.  Refused with
 * ERR_CONVERSATION_OPEN while another process has the conversation open.
 */
int launch_again(
    const struct record *old, const struct again_options *again, enum launch_way *way, struct err *err);
/* Everything that would be refused, without starting anything. */
int launch_check(const struct launch_options *o, struct err *err);
/* The plan alone, for showing.  NULL with err. */
struct plan *launch_plan(const struct launch_options *o, struct err *err);
/*
 * Once per agent, and again when the list of credentials has grown: whether the notice has to be said now;
 * remembers that it was.
 */
bool launch_notice_due(const char *agent, char *const *credentials);
/* Forgets sessions that ended long ago and what is over the limit of all; when nobody waits for it. */
void launch_tidy(void);
/* Prints what is to be known about a session just started; that nothing isolates it only when that is due. */
void launch_say_notes(const struct record *r);

#endif
