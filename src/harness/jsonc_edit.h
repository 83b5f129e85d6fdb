/* jsonc_edit: changing one member of a JSON text with comments, and nothing else of it. */
#ifndef HANDLER_HARNESS_JSONC_EDIT_H
#define HANDLER_HARNESS_JSONC_EDIT_H

#include "base/buf.h"

/*
 * text: an object with comments and trailing commas that json_parse accepts ("" stands for an empty one).
 * path: keys separated by dots; value: JSON text.  Writes to out the same text with that member's value
 * replaced, or the member (and the objects on its way) put in at the end.
 */
void jsonc_set(struct buf *out, const char *text, const char *path, const char *value);

#endif
