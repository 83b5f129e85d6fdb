/* pack: puts a row into its packed form.  The layout is in row.h; pack_read.c reads it. */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cell/pack_private.h"
#include "cell/row.h"

/* What is kept of a row. */
enum detail { DETAIL_ALL, DETAIL_NO_LINKS, DETAIL_TEXT };

static char *put_u32(char *at, uint32_t v)
{
	return put_u16(put_u16(at, v & 0xffff), v >> 16);
}

static bool is_ascii(const struct cell *cell)
{
	return cell->glyph - 0x20 <= 0x7e - 0x20;
}

/* The highest bit is set if the glyph is not printable ASCII: without a comparison, for loops over many. */
static uint32_t not_ascii(uint32_t glyph)
{
	return (glyph - 0x20) | (0x7e - glyph);
}

/*
 * Copies printable ASCII from cells to bytes and returns how many there were.  Sixteen at a time without a
 * branch, so that the compiler can use vectors.  Between wide characters stand single spaces, for which that
 * would be wasted.
 */
static int pack_ascii(const struct cell *cells, int count, char *out)
{
	int i = 0;

	for (; i + 16 <= count && is_ascii(&cells[i]) && is_ascii(&cells[i + 1]); i += 16) {
		uint32_t odd = 0;

		for (int k = 0; k < 16; k++) {
			odd |= not_ascii(cells[i + k].glyph);
			out[i + k] = (char)cells[i + k].glyph;
		}
		if (odd >> 31)
			break;
	}
	for (; i < count && is_ascii(&cells[i]); i++)
		out[i] = (char)cells[i].glyph;
	return i;
}

struct layout {
	uint16_t cells;
	uint8_t kind, cps;
};

/* A row on its way into bytes. */
struct packer {
	const struct row *row;
	const struct cell_table *table;
	enum detail detail;
	int used;
	struct buf *out;
	int layouts; /* complete ones; the one after them is being counted */
	struct layout layout[COLUMNS_MAX + 1];
	unsigned links;
	uint32_t link[ROW_PACKED_LINKS_MAX];
};

static void add_layout(struct packer *p, unsigned kind, unsigned cps, int cells)
{
	struct layout *l = &p->layout[p->layouts];

	if (l->cells > 0 && (l->kind != kind || l->cps != cps)) {
		l = &p->layout[++p->layouts];
		l->cells = 0;
	}
	l->cells = (uint16_t)(l->cells + cells);
	l->kind = (uint8_t)kind;
	l->cps = (uint8_t)cps;
}

/* Appends one cell that is not ASCII; returns its columns. */
static int pack_cell(struct packer *p, int col)
{
	const struct cell *cell = &p->row->cells[col];
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count = table_glyph(p->table, cell->glyph, cps);
	bool wide = cell->glyph & GLYPH_WIDE && col + 1 < p->used && cell[1].glyph & GLYPH_TAIL;

	if (count == 0) {
		buf_addc(p->out, ' ');
		add_layout(p, LAYOUT_BLANK, 1, 1);
		return 1;
	}
	if (p->detail == DETAIL_TEXT)
		count = 1;
	for (size_t i = 0; i < count; i++)
		buf_add_utf8(p->out, plain(cps[i]));
	add_layout(p, wide ? LAYOUT_WIDE : 0, (unsigned)count, 1);
	return wide ? 2 : 1;
}

/* A code point as itself; what is above all of them, and surrogates and controls, are for pack_cell. */
static bool is_simple(uint32_t glyph)
{
	return glyph - 0xa0 < 0xd800 - 0xa0 || glyph - 0xe000 < 0x110000 - 0xe000;
}

/* Copies the wide cells of one code point each that stand here; returns their columns. */
static int pack_wide(const struct cell *cells, int count, char **out)
{
	char *at = *out;
	int i = 0;

	for (; i + 1 < count && is_simple(cells[i].glyph ^ GLYPH_WIDE); i += 2)
		at += utf8_put(cells[i].glyph ^ GLYPH_WIDE, at);
	*out = at;
	return i;
}

/* The same of narrow ones, with ASCII that stands alone among them. */
static int pack_narrow(const struct cell *cells, int count, char **out)
{
	char *at = *out;
	int i = 0;

	for (; i < count; i++) {
		bool ascii = is_ascii(&cells[i]);

		if (!(ascii || is_simple(cells[i].glyph)) ||
		    (ascii && i + 1 < count && is_ascii(&cells[i + 1])))
			break;
		at += utf8_put(cells[i].glyph, at);
	}
	*out = at;
	return i;
}

/* Appends cells of one code point each, from `col` on; returns the column after them. */
static int pack_singles(struct packer *p, int col)
{
	const struct cell *cells = p->row->cells;
	int narrow, wide;
	char *at;

	buf_reserve(p->out, (size_t)(p->used - col) * UTF8_MAX);
	at = p->out->data + p->out->len;
	do {
		narrow = pack_ascii(&cells[col], p->used - col, at);
		at += narrow;
		narrow += pack_narrow(&cells[col + narrow], p->used - col - narrow, &at);
		if (narrow > 0)
			add_layout(p, 0, 1, narrow);
		col += narrow;
		wide = pack_wide(&cells[col], p->used - col, &at);
		if (wide > 0)
			add_layout(p, LAYOUT_WIDE, 1, wide / 2);
		col += wide;
	} while (narrow + wide > 0);
	p->out->len = (size_t)(at - p->out->data);
	return col;
}

static void pack_text(struct packer *p)
{
	int col = 0;

	p->layouts = 0;
	p->layout[0].cells = 0;
	while (col < p->used) {
		col = pack_singles(p, col);
		if (col < p->used)
			col += pack_cell(p, col);
	}
}

/* Whether the layouts say no more than having none says. */
static bool layouts_plain(const struct packer *p)
{
	return p->layouts == 0 && p->layout[0].kind == 0 && p->layout[0].cps == 1;
}

static int pack_layouts(struct packer *p)
{
	int count = p->layouts + 1;
	char *at;

	if (p->used == 0 || layouts_plain(p))
		return 0;
	buf_reserve(p->out, (size_t)count * LAYOUT_SIZE);
	at = p->out->data + p->out->len;
	for (const struct layout *l = p->layout; l < p->layout + count; l++)
		at = put_u16(put_u16(at, l->cells), l->kind | (unsigned)l->cps << 8);
	p->out->len += (size_t)count * LAYOUT_SIZE;
	return count;
}

/* The place of a link among those of the row, -1 if there are too many or links are not kept. */
static int link_index(struct packer *p, uint32_t handle)
{
	unsigned i = 0;

	if (handle == 0 || p->detail != DETAIL_ALL)
		return -1;
	while (i < p->links && p->link[i] != handle)
		i++;
	if (i == ROW_PACKED_LINKS_MAX)
		return -1;
	if (i == p->links)
		p->link[p->links++] = handle;
	return (int)i;
}

static void pack_run(struct packer *p, int columns, const struct style *s)
{
	int link = link_index(p, s->link);
	unsigned fields = (s->fg ? RUN_FG : 0) | (s->bg ? RUN_BG : 0) |
			  (s->underline_color ? RUN_UNDERLINE_COLOR : 0) | (s->attrs ? RUN_ATTRS : 0) |
			  (s->underline ? RUN_UNDERLINE : 0) | (link >= 0 ? RUN_LINK : 0);
	char *end;

	buf_reserve(p->out, RUN_SIZE_MAX);
	end = put_u16(p->out->data + p->out->len, (unsigned)columns);
	*end++ = (char)fields;
	if (fields & RUN_FG)
		end = put_u32(end, s->fg);
	if (fields & RUN_BG)
		end = put_u32(end, s->bg);
	if (fields & RUN_UNDERLINE_COLOR)
		end = put_u32(end, s->underline_color);
	if (fields & RUN_ATTRS)
		end = put_u16(end, s->attrs);
	if (fields & RUN_UNDERLINE)
		*end++ = (char)s->underline;
	if (fields & RUN_LINK)
		*end++ = (char)link;
	p->out->len = (size_t)(end - p->out->data);
}

/* Without a branch in the loop, as in pack_ascii: most rows of most programs have no style at all. */
static bool all_default(const struct packer *p)
{
	uint32_t any = 0;

	for (int col = 0; col < p->used; col++)
		any |= p->row->cells[col].style;
	return any == 0;
}

/* The columns from `col` on that have one style; a tail has its head's. */
static int run_length(const struct packer *p, int col)
{
	const struct cell *cells = p->row->cells;
	uint32_t style = cells[col].style;
	int end = col + 1;

	while (end < p->used && (cells[end].style == style || cells[end].glyph & GLYPH_TAIL))
		end++;
	return end - col;
}

static void pack_runs(struct packer *p)
{
	int col = 0, n;

	if (p->detail == DETAIL_TEXT || all_default(p))
		return;
	for (; col < p->used; col += n) {
		n = run_length(p, col);
		pack_run(p, n, table_style_value(p->table, p->row->cells[col].style));
	}
}

static void pack_link(struct packer *p, uint32_t handle)
{
	const char *uri = table_link_uri(p->table, handle), *id = table_link_id(p->table, handle);
	size_t uri_len = uri ? strlen(uri) : 0, id_len = id ? strlen(id) : 0;
	char lengths[4];

	put_u16(put_u16(lengths, (unsigned)id_len), (unsigned)uri_len);
	buf_add(p->out, lengths, sizeof(lengths));
	buf_add(p->out, id, id_len);
	buf_add(p->out, uri, uri_len);
}

struct header {
	unsigned used, flags, layouts, runs, links; /* runs: their bytes */
	size_t text;                                /* bytes */
};

static void put_header(char *at, const struct header *h)
{
	at = put_u16(at, h->used);
	at = put_u16(at, h->flags);
	at = put_u32(at, (uint32_t)h->text);
	at = put_u16(at, h->layouts);
	at = put_u16(at, h->runs);
	put_u16(at, h->links);
}

static void pack(struct packer *p)
{
	size_t header = p->out->len, text_len, runs;
	char zero[HEADER_SIZE] = {0};
	int layouts;

	p->links = 0;
	buf_add(p->out, zero, sizeof(zero));
	pack_text(p);
	text_len = p->out->len - header - HEADER_SIZE;
	layouts = pack_layouts(p);
	runs = p->out->len;
	pack_runs(p);
	runs = p->out->len - runs;
	for (unsigned i = 0; i < p->links; i++)
		pack_link(p, p->link[i]);
	put_header(p->out->data + header, &(struct header){.used = (unsigned)p->used,
					      .flags = p->row->flags,
					      .text = text_len,
					      .layouts = (unsigned)layouts,
					      .runs = (unsigned)runs,
					      .links = p->links});
	p->out->data[p->out->len] = '\0';
}

static bool is_plain(const struct cell *cell)
{
	return cell->style == 0 && is_ascii(cell);
}

/*
 * A row of nothing but printable ASCII in the default style, as most rows of most programs are: it has no
 * layouts and no runs.  One pass without a branch; this is where the time for a flood of text goes.  Returns
 * false, with nothing appended, if there is anything else in it.
 */
static bool pack_plain(const struct row *r, int used, struct buf *out)
{
	const struct cell *cells = r->cells;
	uint32_t odd = 0, style = 0;
	char *text;

	if (used > 0 && (!is_plain(&cells[0]) || !is_plain(&cells[used - 1])))
		return false;
	buf_reserve(out, HEADER_SIZE + (size_t)used);
	text = out->data + out->len + HEADER_SIZE;
	for (int i = 0; i < used; i++) {
		style |= cells[i].style;
		odd |= not_ascii(cells[i].glyph);
		text[i] = (char)cells[i].glyph;
	}
	if (style != 0 || odd >> 31)
		return false;
	put_header(out->data + out->len,
	    &(struct header){.used = (unsigned)used, .flags = r->flags, .text = (size_t)used});
	out->len += HEADER_SIZE + (size_t)used;
	out->data[out->len] = '\0';
	return true;
}

void row_pack(const struct row *r, const struct cell_table *t, struct buf *out)
{
	size_t start = out->len;
	struct packer p;

	p.row = r;
	p.table = t;
	p.out = out;
	p.used = row_used(r);
	if (p.used > COLUMNS_MAX)
		p.used = COLUMNS_MAX;
	if (pack_plain(r, p.used, out))
		return;
	for (p.detail = DETAIL_ALL; p.detail <= DETAIL_TEXT; p.detail++) {
		buf_truncate(out, start);
		pack(&p);
		if (out->len - start <= ROW_PACKED_MAX)
			return;
	}
}
