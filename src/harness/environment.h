/*
 * environment: the variables a session's program gets.
 *
 * The outer terminal's and multiplexer's variables never reach a pane: a program that believes them talks to
 * a terminal that is not there (facts that TERM_PROGRAM, TMUX, STY ... stand for are ours to answer).
 */
#ifndef HANDLER_HARNESS_ENVIRONMENT_H
#define HANDLER_HARNESS_ENVIRONMENT_H

#include <stdbool.h>

#include "harness/strv.h"

/* Names that are dropped from the caller's environment; a '*' at the end is a prefix; NULL-terminated. */
extern const char *const environment_outer[];

/* A copy without environment_outer; the first of a name wins. */
void environment_init(struct strv *env, char *const *caller);
const char *environment_get(const struct strv *env, const char *name); /* NULL: not set */
void environment_set(struct strv *env, const char *name, const char *value);
void environment_put(struct strv *env, const char *assignment); /* "K=V" */
void environment_unset(struct strv *env, const char *pattern);
/* Whether every session gets this variable from us, so that nobody else sets or unsets it. */
bool environment_is_ours(const char *name);
/* A name, maybe with a '*' at its end. */
bool environment_is_pattern(const char *s);
/* A name of letters, digits and _ that does not begin with a digit, followed by '='. */
bool environment_is_assignment(const char *s);

#endif
