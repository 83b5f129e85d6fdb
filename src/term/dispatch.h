/*
 * dispatch: from a sequence to the function that carries it out.  The tables are all that is understood; they
 * name each sequence, so that a manual page can be held against them.
 */
#ifndef HANDLER_TERM_DISPATCH_H
#define HANDLER_TERM_DISPATCH_H

#include <stddef.h>

#include "term/parser.h"

struct term;

struct command {
	const char *name; /* the mnemonic of the standard or manual */
	void (*run)(struct term *t, const struct sequence *s);
};

void dispatch_control(struct term *t, uint8_t c);
void dispatch_escape(struct term *t, const struct sequence *s);
void dispatch_csi(struct term *t, const struct sequence *s);
/* For tests: the command of a sequence, or NULL. */
const struct command *dispatch_find_csi(char marker, char intermediate, char final);
const struct command *dispatch_find_escape(char intermediate, char final);

/* osc.c, dcs.c */
void osc_dispatch(struct term *t, char *data, size_t len, bool bel);
bool dcs_wanted(const struct sequence *head);
void dcs_dispatch(struct term *t, const struct sequence *head, char *data, size_t len);

#endif
