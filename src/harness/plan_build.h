/* plan_build: a plan in the making.  Private to plan*.c. */
#ifndef HANDLER_HARNESS_PLAN_BUILD_H
#define HANDLER_HARNESS_PLAN_BUILD_H

#include "harness/expand.h"
#include "harness/plan.h"

struct build {
	const struct descriptor *d;
	const struct agent *a;
	const struct plan_options *o;
	const struct json *root, *mode, *instructions;
	enum instructions_way way;
	struct plan *plan;
	struct strv argv, shown, env, shown_env, notes;
	struct expand_values values;       /* what ${name} stands for */
	struct expand_values shown_values; /* the same for display: no text of instructions */
	struct strv owned;                 /* the strings that values point to */
	struct err *err;
};

/* What ${name} stands for; takes s, which is shown as it is. */
void plan_set_value(struct build *b, enum expand_value name, char *s);
/* A sentence to be shown at the start. */
void plan_note(struct build *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends a descriptor's arguments, expanded. */
int plan_add_args(struct build *b, const struct json *array);
/* A variable that the session gets from us; it is shown with the command. */
void plan_set_variable(struct build *b, const char *name, const char *value);

int plan_add_conversation(struct build *b); /* plan_conversation.c: its arguments */
int plan_carriers(struct build *b);         /* plan_carriers.c */

/* plan_settings.c: what the agent's settings set, of variables, arguments, and for keeper and worker. */
int plan_settings_environment(struct build *b);
int plan_settings_arguments(struct build *b);
int plan_settings_for_session(struct build *b, struct json *settings);

#endif
