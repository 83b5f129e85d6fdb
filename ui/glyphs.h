/*
 * glyphs: numbers for glyphs, so that one character of a private plane can stand for what a cell shows.
 *
 * Index 0 is the tail of a wide glyph.  A glyph keeps its index until a sweep frees it.
 */
#ifndef HANDLER_UI_GLYPHS_H
#define HANDLER_UI_GLYPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct glyphs {
	uint32_t *glyph; /* by index; 0: free */
	uint32_t *hash;  /* indices, 0: empty; twice as many as room, so never more than half full */
	uint32_t *freed; /* a stack of indices below `used` */
	uint8_t *marked;
	uint32_t used, live, room, limit, freed_count;
};

void glyphs_init(struct glyphs *g, uint32_t limit); /* indices below limit */
void glyphs_finish(struct glyphs *g);
uint32_t glyphs_index(struct glyphs *g, uint32_t glyph); /* glyph != 0; 0: all indices are in use */
bool glyphs_full(const struct glyphs *g);                /* 7/8 of the limit are in use */
void glyphs_mark(struct glyphs *g, uint32_t index);
void glyphs_sweep(struct glyphs *g); /* frees what was not marked since the last one */

#endif
