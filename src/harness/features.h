/* features: what blocks a harness's feature in an environment ("features" of its descriptor).  Looks at
 * files. */
#ifndef HANDLER_HARNESS_FEATURES_H
#define HANDLER_HARNESS_FEATURES_H

#include <stdbool.h>

#include "harness/descriptor.h"

enum { FEATURE_CAUSES_MAX = 16 };

/* The causes of a feature (an element of "features") that are there, in the descriptor's order; their number.
 */
size_t feature_causes(const struct descriptor *d, const struct json *feature, char *const *env,
    const struct json *out[FEATURE_CAUSES_MAX]);

/*
 * A file of the descriptor's login that is there, in the configuration directory that env leads to: owned,
 * NULL: none.  exclusive: only of those that do not bear two users.
 */
char *login_file(const struct descriptor *d, char *const *env, bool exclusive);

#endif
