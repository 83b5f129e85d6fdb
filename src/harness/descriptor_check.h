/* descriptor_check: whether a descriptor is one, in every part.  Private to the harness layer. */
#ifndef HANDLER_HARNESS_DESCRIPTOR_CHECK_H
#define HANDLER_HARNESS_DESCRIPTOR_CHECK_H

#include "base/err.h"
#include "base/json.h"

enum { DESCRIPTOR_FORMAT = 1 };

/* name: of the file, for messages.  -1 with ERR_INVALID that names file and line. */
int descriptor_check(const struct json *root, const char *name, struct err *err);

#endif
