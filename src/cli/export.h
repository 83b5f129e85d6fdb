/* export: the formats of `handler export`, each a file of its own. */
#ifndef HANDLER_CLI_EXPORT_H
#define HANDLER_CLI_EXPORT_H

#include "base/buf.h"
#include "client/record.h"

/* A page or a picture of captured rows (capture.h, JSON): complete in itself, nothing is loaded from
 * elsewhere. */
void export_html(const struct record *r, const struct json *capture, struct buf *out);
void export_svg(const struct record *r, const struct json *capture, struct buf *out);
/* The journal as asciicast v2. */
int export_cast(const struct record *r, struct buf *out, struct err *err);

#endif
