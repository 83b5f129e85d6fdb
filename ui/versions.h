/*
 * versions: asks the programs of a catalog for their versions, one after another, behind what is drawn.
 *
 * Answers are kept in $XDG_CACHE_HOME/handler/versions.json, by the program's path, size and time of change,
 * so that each is asked once.  One that says nothing in VERSION_LIMIT_MS is ended and has no version.
 */
#ifndef HANDLER_UI_VERSIONS_H
#define HANDLER_UI_VERSIONS_H

#include "ui/catalog.h"

struct uv_loop_s;
struct versions;

enum { VERSION_LIMIT_MS = 3000 };

/* catalog: borrowed; its entries' versions are filled in, `changed` called after each. */
struct versions *versions_start(
    struct uv_loop_s *loop, struct catalog *catalog, void (*changed)(void *user), void *user);
void versions_stop(struct versions *v); /* NULL is fine */

#endif
