/*
 * engine: who carries out what the parser finds.
 *
 * Both engines work on the same struct term: cells, cursor, margins, modes.  The native one does all of it by
 * the files of this folder.  The other one leaves to libvterm where text goes, how the cursor moves, and what
 * is scrolled, erased, inserted and deleted; everything else (modes, replies, strings, keyboard, pen, saved
 * cursors, both screens, history, resizing, saving) is the same code, so that neither can answer differently.
 */
#ifndef HANDLER_TERM_ENGINE_H
#define HANDLER_TERM_ENGINE_H

#include "term/parser.h"

struct term;

struct engine {
	const char *name; /* as in config.json */
	const struct parser_handler *handler;
	void (*start)(struct term *t);  /* t->engine_data; NULL: none */
	void (*finish)(struct term *t); /* NULL: nothing to free */
};

extern const struct engine engine_native, engine_libvterm;

/* What strings mean is the same for all engines: the last two members of their handlers. */
bool engine_wanted(void *owner, enum string_kind kind, const struct sequence *head);
void engine_string(
    void *owner, enum string_kind kind, const struct sequence *head, char *data, size_t len, bool bel);

#endif
