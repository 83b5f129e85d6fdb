/*
 * handles: what the cells of the display are made of: styles, clusters and links of a table of its own, and
 * numbers for glyphs.  Handles of other tables are translated by value, so that those may be collected at any
 * time. Must not know: curses, surfaces.
 */
#ifndef HANDLER_UI_HANDLES_H
#define HANDLER_UI_HANDLES_H

#include "cell/screen.h"
#include "ui/glyphs.h"

/* Style handles of one other table that were seen: index is its handle, value ours + 1. */
struct translation {
	const struct cell_table *table;
	uint32_t generation;
	uint32_t *style;
	size_t room;
};

struct handles {
	struct cell_table *table;
	struct glyphs glyphs;
	struct translation seen;
};

void handles_init(struct handles *h);
void handles_finish(struct handles *h);

/* Translates from this table until the next call. */
void handles_from(struct handles *h, const struct cell_table *table);
uint32_t handles_style(struct handles *h, uint32_t foreign);
/* The same with the colours that the program changed. */
uint32_t handles_style_with(struct handles *h, uint32_t foreign, const struct palette *palette);
/* The character that stands for a glyph (ui/expand.h): of the other table, or of ours. */
uint32_t handles_char(struct handles *h, uint32_t foreign_glyph);
uint32_t handles_own_char(struct handles *h, uint32_t glyph);
/* The glyph that a character stands for; 0: it is itself. */
uint32_t handles_glyph(const struct handles *h, uint32_t character);

/* Collecting: everything that is still shown is marked, the rest freed. */
bool handles_full(const struct handles *h);
void handles_mark(struct handles *h, uint32_t style, uint32_t character);
void handles_sweep(struct handles *h);

#endif
