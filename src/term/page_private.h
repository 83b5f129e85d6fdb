/*
 * page_private: what the parts of page.h share: rows of a page by their text, and rows as ink.  For page*.c
 * alone.
 *
 * page.c is the memory and what changed, page_rows.c two rows held against each other and what stays,
 * page_moved.c whether a part was scrolled.
 */
#ifndef HANDLER_TERM_PAGE_PRIVATE_H
#define HANDLER_TERM_PAGE_PRIVATE_H

#include "term/page.h"

/* A table of the page's rewritten rows by their text; of those with equal text none can be found. */
struct place {
	uint64_t text;
	int row; /* -1: more than one */
};

struct places {
	struct place *place;
	size_t size; /* a power of two */
};

void places_init(struct places *t, int rows);
void places_add(struct places *t, uint64_t text, int row);
/* The row, -1 if there is none or more than one; *known: there is one at least. */
int places_find(const struct places *t, uint64_t text, bool *known);

static inline bool page_is_ink(const struct cell *c)
{
	return c->glyph != 0 && c->glyph != ' ' && !(c->glyph & GLYPH_TAIL);
}

/* The page's row in the place of row i, and the one that would have moved there; NULL: there is none. */
static inline const struct row *page_row_at(const struct page *p, int i)
{
	return i >= 0 && i < p->rows ? &p->row[i].row : NULL;
}

#endif
