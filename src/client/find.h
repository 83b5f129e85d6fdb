/* find: the SEARCH message's question, answered in slices: by a worker for a live session, from the files for
 * an ended one. */
#ifndef HANDLER_CLIENT_FIND_H
#define HANDLER_CLIENT_FIND_H

#include "base/json.h"
#include "cell/history.h"
#include "cell/screen.h"

enum { FIND_SLICE_ROWS = 4096 };

struct find;

/* body: as in wire.h SEARCH.  NULL with err: the pattern is not valid. */
struct find *find_create(const struct json *body, struct err *err);
void find_destroy(struct find *f);
/* Looks at FIND_SLICE_ROWS more.  The FOUND object (owned by the caller) when it is decided, else NULL. */
struct json *find_step(struct find *f, const struct history *h, const struct screen *s);
/* {"found":false,"error":"..."} */
struct json *find_error(const struct err *err);

#endif
