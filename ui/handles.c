/* handles: see handles.h */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/expand.h"
#include "ui/handles.h"

void handles_init(struct handles *h)
{
	*h = (struct handles){.table = table_create()};
	glyphs_init(&h->glyphs, EXPAND_GLYPHS_MAX);
}

void handles_finish(struct handles *h)
{
	glyphs_finish(&h->glyphs);
	table_destroy(h->table);
	free(h->seen.style);
}

/* --- styles --- */

static void forget_seen(struct translation *t)
{
	if (t->style)
		memset(t->style, 0, t->room * sizeof(*t->style));
}

void handles_from(struct handles *h, const struct cell_table *table)
{
	struct translation *t = &h->seen;

	if (t->table == table && t->generation == table_generation(table))
		return;
	t->table = table;
	t->generation = table_generation(table);
	forget_seen(t);
}

/* Each link without an id is one of its own (OSC 8): its handle tells it from others. */
static uint32_t translate_link(struct handles *h, uint32_t link)
{
	const struct cell_table *from = h->seen.table;
	const char *uri = table_link_uri(from, link), *id = table_link_id(from, link);
	char name[32];

	if (!uri)
		return 0;
	snprintf(name, sizeof(name), "%x/%x", table_generation(from), link);
	return table_link(h->table, id ? id : name, uri);
}

static uint32_t translate(struct handles *h, uint32_t foreign)
{
	struct style value = *table_style_value(h->seen.table, foreign);

	value.link = value.link ? translate_link(h, value.link) : 0;
	return table_style(h->table, &value);
}

static void reserve(struct translation *t, uint32_t handle)
{
	size_t room = t->room ? t->room : 256;

	if (handle < t->room)
		return;
	while (room <= handle)
		room *= 2;
	t->style = mem_realloc(t->style, room, sizeof(*t->style));
	memset(t->style + t->room, 0, (room - t->room) * sizeof(*t->style));
	t->room = room;
}

uint32_t handles_style(struct handles *h, uint32_t foreign)
{
	struct translation *t = &h->seen;

	if (foreign >= CELL_STYLES_MAX)
		return 0;
	reserve(t, foreign);
	if (t->style[foreign] == 0)
		t->style[foreign] = translate(h, foreign) + 1;
	return t->style[foreign] - 1;
}

static color_t changed_color(color_t c, const struct palette *p, color_t fallback)
{
	if (c == COLOR_DEFAULT)
		return fallback;
	if (COLOR_IS_INDEX(c) && p->index[COLOR_VALUE(c) & 0xff] != COLOR_DEFAULT)
		return p->index[COLOR_VALUE(c) & 0xff];
	return c;
}

uint32_t handles_style_with(struct handles *h, uint32_t foreign, const struct palette *palette)
{
	uint32_t own = handles_style(h, foreign);
	struct style s;

	if (!palette)
		return own;
	s = *table_style_value(h->table, own);
	s.fg = changed_color(s.fg, palette, palette->fg);
	s.bg = changed_color(s.bg, palette, palette->bg);
	s.underline_color = changed_color(s.underline_color, palette, COLOR_DEFAULT);
	return table_style(h->table, &s);
}

/* --- glyphs --- */

uint32_t handles_own_char(struct handles *h, uint32_t glyph)
{
	uint32_t index;

	if (glyph < 0x7f)
		return glyph < 0x20 ? ' ' : glyph;
	if (glyph >= 0x2500 && glyph <= 0x259f)
		return glyph;
	index = glyphs_index(&h->glyphs, glyph);
	return index ? expand_glyph_char(index) : '?';
}

uint32_t handles_char(struct handles *h, uint32_t foreign_glyph)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count;

	if (!(foreign_glyph & GLYPH_CLUSTER))
		return handles_own_char(h, foreign_glyph);
	count = table_glyph(h->seen.table, foreign_glyph, cps);
	return handles_own_char(h, table_cluster(h->table, cps, count) | (foreign_glyph & GLYPH_WIDE));
}

uint32_t handles_glyph(const struct handles *h, uint32_t character)
{
	int64_t index = expand_glyph_index(character);

	return index > 0 && index < h->glyphs.used ? h->glyphs.glyph[index] : 0;
}

/* --- collecting --- */

bool handles_full(const struct handles *h)
{
	return table_full(h->table) || glyphs_full(&h->glyphs);
}

void handles_mark(struct handles *h, uint32_t style, uint32_t character)
{
	struct cell c = {.glyph = handles_glyph(h, character), .style = style};

	table_mark_cells(h->table, &c, 1);
	if (c.glyph)
		glyphs_mark(&h->glyphs, (uint32_t)expand_glyph_index(character));
}

void handles_sweep(struct handles *h)
{
	table_sweep(h->table);
	glyphs_sweep(&h->glyphs);
	forget_seen(&h->seen);
}
