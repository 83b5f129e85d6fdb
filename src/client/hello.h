/* hello: the first message of every connection, the same for commands and the front-end. */
#ifndef HANDLER_CLIENT_HELLO_H
#define HANDLER_CLIENT_HELLO_H

#include "base/json.h"

/* client: "terminal" or "command"; token: names this client over reconnections, NULL for none.  Owned. */
struct json *hello_json(const char *client, const char *token);

#endif
