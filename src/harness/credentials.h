/* credentials: the names, never the values, of logins and keys that a program of the user could read. */
#ifndef HANDLER_HARNESS_CREDENTIALS_H
#define HANDLER_HARNESS_CREDENTIALS_H

#include "harness/environment.h"
#include "harness/expand.h"

/*
 * Variables of env that are set and files that exist: those of the descriptor's "login" (templates expanded
 * by values), and the usual ones of a home directory.  Sorted, each once; owned, strv_destroy.
 */
char **credentials_find(const struct json *login, const struct strv *env, const struct expand_values *values);

#endif
