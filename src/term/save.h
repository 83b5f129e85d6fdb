/*
 * save: the state of a terminal as bytes (term_save, term_load in term.h), and the bytes that its parts are
 * made of.
 *
 * A magic number and a version, then fields: tag u16, length u32, value; little endian.  A reader skips tags
 * that it does not know and takes what is missing as it is after creation, so that older and newer programs
 * read each other's: what an older program can do without is a field with a new tag.  What it cannot do
 * without raises the version, and older programs refuse the whole.
 */
#ifndef HANDLER_TERM_SAVE_H
#define HANDLER_TERM_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

void save_u8(struct buf *b, unsigned value);
void save_u16(struct buf *b, unsigned value);
void save_u32(struct buf *b, uint32_t value);
void save_u64(struct buf *b, uint64_t value);
void save_bytes(struct buf *b, const void *data, size_t len); /* with their length before them */
void save_string(struct buf *b, const char *s);               /* NULL is something else than "" */

/* Reading never goes beyond the end: then it gives zeros, and bad is set. */
struct load {
	const uint8_t *at, *end;
	bool bad;
};

unsigned load_u8(struct load *l);
unsigned load_u16(struct load *l);
uint32_t load_u32(struct load *l);
uint64_t load_u64(struct load *l);
/* A number that must lie in [least, most]: else bad, and least. */
int load_within(struct load *l, int least, int most);
const uint8_t *load_bytes(struct load *l, size_t *len);
char *load_string(struct load *l); /* owned */

#endif
