/* encode: see encode.h.  The bytes are in delta_format.h. */
#include "wire/encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "wire/delta_format.h"
#include "wire/wire.h"

enum { REPEAT_MIN = 5 /* glyphs: a repeat costs four bytes */ };

static void map_reset(struct handle_map *m)
{
	if (m->room > 0)
		memset(m->handle, 0, m->room * sizeof(*m->handle));
	m->next = 1;
}

static void map_init(struct handle_map *m, uint32_t limit)
{
	*m = (struct handle_map){.limit = limit < 2 ? 2 : limit > 65536 ? 65536 : limit, .next = 1};
}

static uint16_t map_get(const struct handle_map *m, uint32_t handle)
{
	return handle < m->room ? m->handle[handle] : 0;
}

void encoder_reset(struct encoder *e)
{
	map_reset(&e->styles);
	map_reset(&e->clusters);
	map_reset(&e->links);
}

static bool map_full(const struct handle_map *m)
{
	return m->next >= m->limit;
}

/* The map must not be full. */
static uint16_t map_add(struct handle_map *m, uint32_t handle)
{
	uint32_t room = m->room ? m->room : 64;

	while (room <= handle)
		room *= 2;
	if (room > m->room) {
		m->handle = mem_realloc(m->handle, room, sizeof(*m->handle));
		memset(m->handle + m->room, 0, (room - m->room) * sizeof(*m->handle));
		m->room = room;
	}
	return m->handle[handle] = (uint16_t)m->next++;
}

void encoder_init(struct encoder *e, uint32_t styles, uint32_t clusters, uint32_t links)
{
	*e = (struct encoder){0};
	map_init(&e->styles, styles);
	map_init(&e->clusters, clusters);
	map_init(&e->links, links);
}

void encoder_finish(struct encoder *e)
{
	free(e->styles.handle);
	free(e->clusters.handle);
	free(e->links.handle);
}

color_t encoder_color(const struct palette *p, color_t c, color_t fallback)
{
	if (!p)
		return c;
	if (COLOR_IS_INDEX(c) && p->index[COLOR_VALUE(c) & 255] != COLOR_DEFAULT)
		return p->index[COLOR_VALUE(c) & 255];
	return c == COLOR_DEFAULT ? fallback : c;
}

static struct style resolve_style(const struct encoder *e, uint32_t handle)
{
	struct style s = *table_style_value(e->table, handle);

	s.fg = encoder_color(e->palette, s.fg, e->palette ? e->palette->fg : COLOR_DEFAULT);
	s.bg = encoder_color(e->palette, s.bg, e->palette ? e->palette->bg : COLOR_DEFAULT);
	s.underline_color = encoder_color(e->palette, s.underline_color, COLOR_DEFAULT);
	return s;
}

/* A link without an id gets one, so that its cells stay one link at the other end whatever lies between them.
 */
static void write_link(struct encoder *e, uint32_t link)
{
	const char *uri = table_link_uri(e->table, link), *id = table_link_id(e->table, link);
	char own[24];

	if (!id) {
		snprintf(own, sizeof(own), "handler-%u", (unsigned)link);
		id = own;
	}
	wire_put_u8(e->out, OP_LINK);
	wire_put_u16(e->out, map_add(&e->links, link));
	wire_put_string(e->out, id, strlen(id));
	wire_put_string(e->out, uri, strlen(uri));
}

static void write_style(struct encoder *e, uint32_t handle, const struct style *s)
{
	uint16_t link = s->link ? map_get(&e->links, s->link) : 0;
	unsigned fields = (s->fg ? STYLE_FG : 0) | (s->bg ? STYLE_BG : 0) |
			  (s->underline_color ? STYLE_UNDERLINE_COLOR : 0) | (s->attrs ? STYLE_ATTRS : 0) |
			  (s->underline ? STYLE_UNDERLINE : 0) | (link ? STYLE_LINK : 0);

	wire_put_u8(e->out, OP_STYLE);
	wire_put_u16(e->out, map_add(&e->styles, handle));
	wire_put_u8(e->out, (uint8_t)fields);
	if (fields & STYLE_FG)
		wire_put_u32(e->out, s->fg);
	if (fields & STYLE_BG)
		wire_put_u32(e->out, s->bg);
	if (fields & STYLE_UNDERLINE_COLOR)
		wire_put_u32(e->out, s->underline_color);
	if (fields & STYLE_ATTRS)
		wire_put_u16(e->out, s->attrs);
	if (fields & STYLE_UNDERLINE)
		wire_put_u8(e->out, s->underline);
	if (fields & STYLE_LINK)
		wire_put_u16(e->out, link);
}

/* The handle of a style at the other end.  The default style needs no definition, unless colours were
 * redefined. */
static uint16_t style_handle(const struct encoder *e, uint32_t handle)
{
	return handle == 0 && !e->palette ? 0 : map_get(&e->styles, handle);
}

/* false: there is no handle left. */
static bool define_style(struct encoder *e, uint32_t handle)
{
	struct style s;

	if ((handle == 0 && !e->palette) || map_get(&e->styles, handle))
		return true;
	s = resolve_style(e, handle);
	if (!table_link_uri(e->table, s.link))
		s.link = 0;
	if (map_full(&e->styles) || (s.link && !map_get(&e->links, s.link) && map_full(&e->links)))
		return false;
	if (s.link && !map_get(&e->links, s.link))
		write_link(e, s.link);
	write_style(e, handle, &s);
	return true;
}

static bool define_cluster(struct encoder *e, uint32_t glyph)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS], handle = glyph & GLYPH_VALUE;
	size_t count;

	if (!(glyph & GLYPH_CLUSTER) || map_get(&e->clusters, handle))
		return true;
	if (map_full(&e->clusters))
		return false;
	count = table_glyph(e->table, glyph, cps);
	wire_put_u8(e->out, OP_CLUSTER);
	wire_put_u16(e->out, map_add(&e->clusters, handle));
	wire_put_u8(e->out, (uint8_t)count);
	for (size_t i = 0; i < count; i++)
		wire_put_u32(e->out, cps[i]);
	return true;
}

/* `before`: a cell that has been defined, or NULL. */
static bool define_cell(struct encoder *e, const struct cell *cell, const struct cell *before)
{
	if (before && before->style == cell->style && !(cell->glyph & GLYPH_CLUSTER))
		return true;
	return define_style(e, cell->style) && define_cluster(e, cell->glyph);
}

/* What is full.  Styles are defined with links, so new links are new styles. */
static void begin_handles_again(struct encoder *e)
{
	if (map_full(&e->styles) || map_full(&e->links))
		map_reset(&e->styles);
	if (map_full(&e->links))
		map_reset(&e->links);
	if (map_full(&e->clusters))
		map_reset(&e->clusters);
}

/*
 * Defines what the columns from `from` on need and returns where they must end for want of handles or room:
 * never at `from`, never between the halves of a wide cell.  Handles are given out anew only before the first
 * cell: those after it could need the old ones.
 */
static int define_cells(struct encoder *e, const struct cell *cells, int from, int to)
{
	int col = from;

	while (col < to && (col == from || e->out->len < e->out_max)) {
		if (!define_cell(e, &cells[col], col > from ? &cells[col - 1] : NULL)) {
			if (col > from)
				break;
			begin_handles_again(e);
			define_cell(e, &cells[col], NULL);
		}
		col += col + 1 < to && cells[col + 1].glyph & GLYPH_TAIL ? 2 : 1;
	}
	return col;
}

/* --- rows --- */

/* A code point that may be sent: no control, no surrogate. */
static uint32_t plain(uint32_t cp)
{
	bool control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0);

	return control || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000) ? UTF8_REPLACEMENT : cp;
}

static void write_glyph(struct encoder *e, uint32_t glyph, bool wide)
{
	uint32_t value = glyph & GLYPH_VALUE;

	if (wide)
		wire_put_u8(e->out, GLYPH_OP_WIDE);
	if (glyph & GLYPH_CLUSTER && map_get(&e->clusters, value)) {
		wire_put_u8(e->out, GLYPH_OP_CLUSTER);
		wire_put_u16(e->out, map_get(&e->clusters, value));
	} else if (glyph & GLYPH_TAIL || value == 0) {
		wire_put_u8(e->out, GLYPH_OP_BLANK);
	} else {
		buf_add_utf8(e->out, plain(value));
	}
}

static bool is_wide(const struct cell *cells, int col, int to)
{
	return cells[col].glyph & GLYPH_WIDE && col + 1 < to && cells[col + 1].glyph & GLYPH_TAIL;
}

/* The columns from `col` on that have one style; a tail has its head's. */
static int run_length(const struct cell *cells, int col, int to)
{
	int end = col + 1;

	while (end < to && (cells[end].style == cells[col].style || is_wide(cells, end - 1, to)))
		end++;
	return end - col;
}

/* How many times the glyph at `col` comes in a row. */
static int repeats(const struct cell *cells, int col, int to, int columns)
{
	int count = 1, next = col + columns;

	while (next < to && cells[next].glyph == cells[col].glyph &&
	       (columns == 1 || is_wide(cells, next, to))) {
		next += columns;
		count++;
	}
	return count;
}

/*
 * Printable ASCII from `col` on, up to what is something else or repeats itself; returns how much there was.
 * Most of all cells go this way.
 */
static int write_ascii(struct encoder *e, const struct cell *cells, int col, int to)
{
	int n = 0, same = 1;
	char *at;

	buf_reserve(e->out, (size_t)(to - col));
	at = e->out->data + e->out->len;
	for (; col + n < to; n++) {
		uint32_t glyph = cells[col + n].glyph;

		if (glyph - 0x20 > 0x7e - 0x20)
			break;
		same = n > 0 && glyph == cells[col + n - 1].glyph ? same + 1 : 1;
		if (same == REPEAT_MIN) {
			n -= REPEAT_MIN - 1;
			break;
		}
		at[n] = (char)glyph;
	}
	e->out->len += (size_t)n;
	e->out->data[e->out->len] = '\0';
	return n;
}

static void write_glyphs(struct encoder *e, const struct cell *cells, int from, int to)
{
	for (int col = from, count; col < to;) {
		bool wide = is_wide(cells, col, to);

		count = write_ascii(e, cells, col, to);
		col += count;
		if (count > 0)
			continue;
		count = repeats(cells, col, to, wide ? 2 : 1);
		if (count >= REPEAT_MIN) {
			wire_put_u8(e->out, GLYPH_OP_REPEAT);
			wire_put_u16(e->out, (uint16_t)count);
		} else {
			count = 1;
		}
		write_glyph(e, cells[col].glyph, wide);
		col += count * (wide ? 2 : 1);
	}
}

void encoder_write_row(struct encoder *e, int row, unsigned flags, const struct cell *cells, int from, int to)
{
	wire_put_u8(e->out, OP_ROW);
	wire_put_u16(e->out, (uint16_t)row);
	wire_put_u16(e->out, (uint16_t)flags);
	wire_put_u16(e->out, (uint16_t)from);
	wire_put_u16(e->out, (uint16_t)(to - from));
	for (int col = from, n; col < to; col += n) {
		n = run_length(cells, col, to);
		wire_put_u16(e->out, style_handle(e, cells[col].style));
		wire_put_u16(e->out, (uint16_t)n);
		write_glyphs(e, cells, col, col + n);
	}
}

int encoder_write_columns(
    struct encoder *e, int row, unsigned flags, const struct cell *cells, int from, int to)
{
	while (from < to && e->out->len < e->out_max) {
		int end = define_cells(e, cells, from, to);

		encoder_write_row(e, row, flags, cells, from, end);
		from = end;
	}
	return from;
}
