/*
 * bindings: which key runs which command: the table's defaults of a preset, changed by the user's
 * configuration.
 *
 * A binding of a character means the character produced, whatever modifiers it took; a binding of another key
 * means exactly these modifiers (locks do not count).  Pure.
 */
#ifndef HANDLER_UI_BINDINGS_H
#define HANDLER_UI_BINDINGS_H

#include "base/json.h"
#include "key/key.h"
#include "ui/commands.h"

struct chord {
	uint32_t character; /* what a press has to produce; 0: by key and modifiers */
	uint32_t code;
	uint16_t mods;
};

bool chord_parse(const char *name, struct chord *out);
bool chord_matches(const struct chord *c, const struct key *k);
void chord_name(const struct chord *c, char out[KEY_NAME_MAX]);

struct binding {
	struct chord chord;
	enum command_id command; /* CMD_NONE: taken away */
	char *argument;          /* "" for none */
	bool direct;             /* without the prefix */
};

struct bindings;

/*
 * keys, direct_keys: {"KEY": "COMMAND ARGUMENT" or null} or NULL.  A fault does not stop anything: that key
 * is left out, and a sentence about it can be had from bindings_fault.
 */
struct bindings *bindings_create(bool vi, const struct json *keys, const struct json *direct_keys);
void bindings_destroy(struct bindings *b);
const struct binding *bindings_find(const struct bindings *b, const struct key *k, bool direct);
/* The names of all keys of a command with this argument, separated by spaces ("% v"); "" if none. */
void bindings_keys_of(const struct bindings *b, enum command_id id, const char *argument, struct buf *out);
const struct binding *bindings_at(
    const struct bindings *b, size_t i);                        /* in order of definition; NULL at the end */
const char *bindings_fault(const struct bindings *b, size_t i); /* NULL at the end */

#endif
