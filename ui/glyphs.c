/* glyphs: see glyphs.h.  Open addressing with linear probing. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/glyphs.h"

enum { FIRST_ROOM = 256 };

static uint32_t *find(const struct glyphs *g, uint32_t glyph)
{
	uint32_t mask = 2 * g->room - 1;
	uint32_t at = (uint32_t)((uint64_t)glyph * 0x9e3779b97f4a7c15u >> 40) & mask;

	while (g->hash[at] && g->glyph[g->hash[at]] != glyph)
		at = (at + 1) & mask;
	return &g->hash[at];
}

static void rehash(struct glyphs *g)
{
	memset(g->hash, 0, 2 * (size_t)g->room * sizeof(*g->hash));
	for (uint32_t i = 1; i < g->used; i++) {
		if (g->glyph[i])
			*find(g, g->glyph[i]) = i;
	}
}

static void grow(struct glyphs *g, uint32_t room)
{
	g->glyph = mem_realloc(g->glyph, room, sizeof(*g->glyph));
	g->freed = mem_realloc(g->freed, room, sizeof(*g->freed));
	g->marked = mem_realloc(g->marked, room, 1);
	g->hash = mem_realloc(g->hash, 2 * (size_t)room, sizeof(*g->hash));
	memset(g->marked + g->room, 0, room - g->room);
	g->room = room;
	rehash(g);
}

void glyphs_init(struct glyphs *g, uint32_t limit)
{
	*g = (struct glyphs){.used = 1, .limit = limit};
	grow(g, FIRST_ROOM);
	g->glyph[0] = 0;
}

void glyphs_finish(struct glyphs *g)
{
	free(g->glyph);
	free(g->freed);
	free(g->marked);
	free(g->hash);
}

static uint32_t take(struct glyphs *g)
{
	if (g->freed_count > 0)
		return g->freed[--g->freed_count];
	if (g->used >= g->limit)
		return 0;
	if (g->used == g->room)
		grow(g, 2 * g->room);
	return g->used++;
}

uint32_t glyphs_index(struct glyphs *g, uint32_t glyph)
{
	uint32_t index = *find(g, glyph);

	if (index)
		return index;
	index = take(g);
	if (!index)
		return 0;
	g->glyph[index] = glyph;
	*find(g, glyph) = index;
	g->live++;
	return index;
}

bool glyphs_full(const struct glyphs *g)
{
	return g->live >= g->limit - g->limit / 8;
}

void glyphs_mark(struct glyphs *g, uint32_t index)
{
	if (index < g->used)
		g->marked[index] = 1;
}

void glyphs_sweep(struct glyphs *g)
{
	g->freed_count = g->live = 0;
	for (uint32_t i = g->used - 1; i > 0; i--) {
		if (g->marked[i]) {
			g->live++;
		} else {
			g->glyph[i] = 0;
			g->freed[g->freed_count++] = i;
		}
		g->marked[i] = 0;
	}
	rehash(g);
}
