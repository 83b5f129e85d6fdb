/*
 * letters: the text of rows without what only decorates it: blanks, lines and boxes, arrows, bullets, the
 * symbols that spinners are made of, emoji.  Rows with the same letters say the same, whatever turns beside
 * the text and wherever the text was broken.  For seen.c and page.c, which look for rows that were there
 * before.
 */
#ifndef HANDLER_TERM_LETTERS_H
#define HANDLER_TERM_LETTERS_H

#include "cell/row.h"

struct letters {
	uint32_t *cp;
	size_t count, room;
};

void letters_finish(struct letters *l);
bool letters_has(uint32_t code_point); /* whether it is one */
/* Appends those of columns [from, to). */
void letters_add(struct letters *l, const struct row *r, const struct cell_table *t, int from, int to);
/* The same of a packed row. */
void letters_add_packed(struct letters *l, const void *packed, size_t len);

/* The column behind the first `count` of them, from a column on. */
int letters_columns(const struct row *r, const struct cell_table *t, int from, size_t count);

/* A number that stands for letters, even, 0 for none.  It is the same in every process. */
uint64_t letters_sum(const uint32_t *cp, size_t count);
uint64_t letters_of(const struct row *r, const struct cell_table *t, int from, int to);

/* Where `wanted` stands in [from, to) of the letters; -1: nowhere. */
long letters_find(const struct letters *l, size_t from, size_t to, const uint32_t *wanted, size_t count);
long letters_find_last(const struct letters *l, size_t from, size_t to, const uint32_t *wanted, size_t count);

#endif
