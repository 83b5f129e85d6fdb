/*
 * catalog: what can be started here: the agents, what each is, and why one cannot be started.
 *
 * Read from the agents' files and the harness descriptors; nothing is run.
 */
#ifndef HANDLER_UI_CATALOG_H
#define HANDLER_UI_CATALOG_H

#include "harness/agent.h"

struct catalog_entry {
	char *agent;
	char *description;                   /* sanitized, one line */
	const struct descriptor *descriptor; /* borrowed from the set; NULL: the agent's file is faulty */
	char *program; /* absolute path; NULL: none of its own (shell, demo), or not found */
	char version[DESCRIPTOR_VERSION_SIZE]; /* "": not known (yet) */
	bool own;                              /* an agent of the user's, not a built-in one */
	bool startable;
	bool installed; /* its program is on this machine */
	char *notes;    /* what is said at its start ("instructions reach ..."), sanitized; "" for nothing */
	struct err why; /* if it is not startable */
};

struct catalog {
	struct catalog_entry *items; /* own agents, then what is installed, then the rest */
	size_t count;
};

/* self: our own binary (the demo). */
void catalog_load(struct catalog *c, const struct harness_set *set, const char *self);
void catalog_finish(struct catalog *c);
char *catalog_why(
    const struct catalog_entry *e); /* why it cannot be started and what to do; sanitized, owned */
/* What a list shows of it: to be freed with catalog_item_free. */
struct list_item;
void catalog_item(const struct catalog_entry *e, uint64_t id, struct list_item *out);
void catalog_item_free(struct list_item *it);
struct catalog_entry *catalog_find(const struct catalog *c, const char *agent); /* NULL: none */

#endif
