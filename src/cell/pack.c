/* pack: the packed form of a row.  Its layout is in row.h; nobody else reads or writes it. */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cell/row.h"

enum {
	HEADER_SIZE = 14,
	LAYOUT_SIZE = 4,
	LAYOUT_WIDE = 1,  /* a head and its tail */
	LAYOUT_BLANK = 2, /* glyph 0, where the text has a space */
	COLUMNS_MAX =
	    4000, /* further ones are dropped: so text and layouts alone always fit into ROW_PACKED_MAX */
	RUN_SIZE_MAX = 22,
};

/* The fields of a run's style, in this order. */
enum {
	RUN_FG = 1 << 0,
	RUN_BG = 1 << 1,
	RUN_UNDERLINE_COLOR = 1 << 2,
	RUN_ATTRS = 1 << 3,
	RUN_UNDERLINE = 1 << 4,
	RUN_LINK = 1 << 5, /* u8: index in the links */
	RUN_FIELDS = (1 << 6) - 1,
};

/* What is kept of a row. */
enum detail { DETAIL_ALL, DETAIL_NO_LINKS, DETAIL_TEXT };

/* The id that a link without one gets when it comes back. */
static const char history_link_id[] = "history";

/* --- writing --- */

static char *put_u16(char *at, unsigned v)
{
	at[0] = (char)v;
	at[1] = (char)(v >> 8);
	return at + 2;
}

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

/* A code point that may stand in a row: no control, no surrogate. */
static uint32_t plain(uint32_t cp)
{
	bool control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0);

	return control || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000) ? UTF8_REPLACEMENT : cp;
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

/* A cell of one code point that is not ASCII, in one column or in two. */
static bool is_single(const struct packer *p, int col)
{
	const struct cell *cell = &p->row->cells[col];
	bool wide = cell->glyph & GLYPH_WIDE;

	if ((cell->glyph & ~(GLYPH_VALUE | GLYPH_WIDE)) != 0 || (cell->glyph & GLYPH_VALUE) < 0x80)
		return false;
	return !wide || (col + 1 < p->used && cell[1].glyph & GLYPH_TAIL);
}

/* Whether it has three bytes in UTF-8 and is no surrogate, as the characters of most scripts and symbols. */
static bool is_three_bytes(uint32_t cp)
{
	return cp - 0x800 < 0xd800 - 0x800;
}

static char *put_three_bytes(char *at, uint32_t cp)
{
	at[0] = (char)(0xe0 | cp >> 12);
	at[1] = (char)(0x80 | (cp >> 6 & 0x3f));
	at[2] = (char)(0x80 | (cp & 0x3f));
	return at + 3;
}

static char *put_utf8(char *at, uint32_t cp)
{
	return is_three_bytes(cp) ? put_three_bytes(at, cp) : at + utf8_encode(plain(cp), at);
}

/* Copies the wide characters of Chinese, Japanese and Korean, which come in runs; returns their columns. */
static int pack_wide(const struct cell *cells, int count, char *at)
{
	int i = 0;

	for (; i + 1 < count && is_three_bytes(cells[i].glyph ^ GLYPH_WIDE); i += 2)
		at = put_three_bytes(at, cells[i].glyph ^ GLYPH_WIDE);
	return i;
}

/* Appends cells of one code point each, from `col` on; returns the column after them. */
static int pack_singles(struct packer *p, int col)
{
	const struct cell *cells = p->row->cells;
	char *at;

	buf_reserve(p->out, (size_t)(p->used - col) * UTF8_MAX);
	at = p->out->data + p->out->len;
	while (col < p->used) {
		int ascii = pack_ascii(&cells[col], p->used - col, at), columns;
		bool wide;

		if (ascii > 0) {
			add_layout(p, 0, 1, ascii);
			at += ascii;
			col += ascii;
		}
		columns = pack_wide(&cells[col], p->used - col, at);
		if (columns > 0) {
			add_layout(p, LAYOUT_WIDE, 1, columns / 2);
			at += columns / 2 * 3;
			col += columns;
		}
		if (col == p->used || !is_single(p, col))
			break;
		wide = cells[col].glyph & GLYPH_WIDE;
		at = put_utf8(at, cells[col].glyph & GLYPH_VALUE);
		add_layout(p, wide ? LAYOUT_WIDE : 0, 1, 1);
		col += wide ? 2 : 1;
	}
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

/* --- reading --- */

/* Bytes not yet read; once there are too few, `bad` stays. */
struct input {
	const uint8_t *at, *end;
	bool bad;
};

static const uint8_t *take(struct input *in, size_t len)
{
	const uint8_t *at = in->at;

	if (in->bad || (size_t)(in->end - at) < len) {
		in->bad = true;
		return NULL;
	}
	in->at += len;
	return at;
}

static uint8_t get_u8(struct input *in)
{
	const uint8_t *p = take(in, 1);

	return p ? p[0] : 0;
}

static uint16_t get_u16(struct input *in)
{
	const uint8_t *p = take(in, 2);

	return p ? (uint16_t)(p[0] | p[1] << 8) : 0;
}

static uint32_t get_u32(struct input *in)
{
	uint32_t low = get_u16(in);

	return low | (uint32_t)get_u16(in) << 16;
}

struct packed {
	int used;
	uint16_t flags, layouts, links;
	struct input text, layout, runs, rest; /* rest: the links */
};

static struct input take_part(struct input *in, size_t len)
{
	const uint8_t *at = take(in, len);

	return (struct input){.at = at, .end = at ? at + len : NULL, .bad = !at};
}

static int packed_open(const void *data, size_t len, struct packed *p)
{
	struct input in = {.at = data, .end = (const uint8_t *)data + len};
	size_t text_len, runs_len;

	p->used = get_u16(&in);
	p->flags = get_u16(&in);
	text_len = get_u32(&in);
	p->layouts = get_u16(&in);
	runs_len = get_u16(&in);
	p->links = get_u16(&in);
	p->text = take_part(&in, text_len);
	p->layout = take_part(&in, (size_t)p->layouts * LAYOUT_SIZE);
	p->runs = take_part(&in, runs_len);
	p->rest = in;
	return in.bad || p->links > ROW_PACKED_LINKS_MAX ? -1 : 0;
}

/* A cell of the text. */
struct text_cell {
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count; /* 0: blank */
	int columns;
};

/* How many cells of which kind come next. */
struct cell_reader {
	struct packed *packed;
	unsigned cells, kind, cps;
	int col; /* of the next cell */
};

static uint32_t get_code_point(struct input *text)
{
	uint32_t cp = 0;
	bool ok = true;
	int n = 1;

	if (text->at < text->end && *text->at >= 0x20 && *text->at < 0x7f)
		return *text->at++;
	n = utf8_decode((const char *)text->at, (size_t)(text->end - text->at), &cp, &ok);
	if (n <= 0 || !ok || plain(cp) != cp)
		text->bad = true;
	else
		text->at += n;
	return cp;
}

/* The layouts that a row without any means: one code point a cell, all of them. */
static bool next_layout(struct cell_reader *r)
{
	struct packed *p = r->packed;

	if (p->layouts == 0) {
		r->cells = (unsigned)(p->used - r->col);
		r->kind = 0;
		r->cps = 1;
	} else {
		r->cells = get_u16(&p->layout);
		r->kind = get_u8(&p->layout);
		r->cps = get_u8(&p->layout);
	}
	if (p->layout.bad || r->cells == 0 || r->kind > LAYOUT_BLANK || r->cps < 1 ||
	    r->cps > CELL_CLUSTER_CODE_POINTS)
		p->text.bad = true;
	return !p->text.bad;
}

/* The next cell; false at the end, or with text.bad set if there is no cell where one should be. */
static bool next_cell(struct cell_reader *r, struct text_cell *cell)
{
	struct packed *p = r->packed;

	if (r->col >= p->used)
		return false;
	if (r->cells == 0 && !next_layout(r))
		return false;
	r->cells--;
	for (unsigned i = 0; i < r->cps; i++)
		cell->cps[i] = get_code_point(&p->text);
	cell->count = r->kind & LAYOUT_BLANK ? 0 : r->cps;
	cell->columns = r->kind & LAYOUT_WIDE ? 2 : 1;
	r->col += cell->columns;
	if (r->col > p->used)
		p->text.bad = true;
	return !p->text.bad;
}

/* Whether text and layouts were used up exactly. */
static bool text_done(const struct cell_reader *r)
{
	const struct packed *p = r->packed;

	return !p->text.bad && p->text.at == p->text.end && p->layout.at == p->layout.end && r->cells == 0;
}

static void put_cell(struct row *out, int col, const struct text_cell *cell, struct cell_table *t)
{
	uint32_t glyph = cell->count == 1 ? cell->cps[0] : table_cluster(t, cell->cps, cell->count);

	if (col + cell->columns > out->cols)
		return;
	if (cell->columns == 2) {
		out->cells[col].glyph = glyph | GLYPH_WIDE;
		out->cells[col + 1].glyph = GLYPH_TAIL;
	} else {
		out->cells[col].glyph = glyph;
	}
}

/* The leading cells of the usual kind, printable ASCII without layouts, without looking at each twice. */
static int unpack_ascii(struct packed *p, struct row *out)
{
	int col = 0;

	if (p->layouts > 0)
		return 0;
	while (col < p->used && p->text.at < p->text.end && *p->text.at - 0x20u <= 0x7eu - 0x20u) {
		if (col < out->cols)
			out->cells[col].glyph = *p->text.at;
		p->text.at++;
		col++;
	}
	return col;
}

static int unpack_text(struct packed *p, struct cell_table *t, struct row *out)
{
	struct cell_reader reader = {.packed = p};
	struct text_cell cell;

	reader.col = unpack_ascii(p, out);
	while (next_cell(&reader, &cell))
		put_cell(out, reader.col - cell.columns, &cell, t);
	return text_done(&reader) ? 0 : -1;
}

/* All that a table takes of a link: nothing else is ever packed. */
static bool is_printable(const uint8_t *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] < 0x20 || s[i] > 0x7e)
			return false;
	}
	return true;
}

/* Interns one link and steps over it. */
static uint32_t unpack_link(struct input *in, struct cell_table *t)
{
	size_t id_len = get_u16(in), uri_len = get_u16(in);
	const uint8_t *id = take(in, id_len), *uri = take(in, uri_len);
	char id_text[CELL_LINK_ID_MAX + 1], uri_text[CELL_LINK_BYTES_MAX + 1];

	if (in->bad || id_len >= sizeof(id_text) || uri_len >= sizeof(uri_text) ||
	    !is_printable(id, id_len) || !is_printable(uri, uri_len)) {
		in->bad = true;
		return 0;
	}
	memcpy(id_text, id, id_len);
	id_text[id_len] = '\0';
	memcpy(uri_text, uri, uri_len);
	uri_text[uri_len] = '\0';
	return table_link(t, id_len ? id_text : history_link_id, uri_text);
}

static bool valid_color(color_t c)
{
	return c == COLOR_DEFAULT || (COLOR_IS_INDEX(c) && COLOR_VALUE(c) < 256) || COLOR_IS_RGB(c);
}

static struct style unpack_style(struct input *in, const uint32_t *links, unsigned link_count)
{
	unsigned fields = get_u8(in), link;
	struct style s = {0};

	if (fields & RUN_FG)
		s.fg = get_u32(in);
	if (fields & RUN_BG)
		s.bg = get_u32(in);
	if (fields & RUN_UNDERLINE_COLOR)
		s.underline_color = get_u32(in);
	if (fields & RUN_ATTRS)
		s.attrs = get_u16(in);
	if (fields & RUN_UNDERLINE)
		s.underline = get_u8(in);
	if (fields & RUN_LINK) {
		link = get_u8(in);
		if (link < link_count)
			s.link = links[link];
		else
			in->bad = true;
	}
	if (fields & ~(unsigned)RUN_FIELDS || !valid_color(s.fg) || !valid_color(s.bg) ||
	    !valid_color(s.underline_color) || s.underline > UNDERLINE_DASHED)
		in->bad = true;
	return s;
}

static void put_style(struct row *out, int from, int to, uint32_t style)
{
	for (int i = from; i < to && i < out->cols; i++) {
		bool tail = out->cells[i].glyph & GLYPH_TAIL && i > 0;

		out->cells[i].style = tail ? out->cells[i - 1].style : style;
	}
}

static int unpack_styles(struct packed *p, struct cell_table *t, struct row *out)
{
	uint32_t links[ROW_PACKED_LINKS_MAX];
	struct input *in = &p->runs;
	int col = 0;

	for (unsigned i = 0; i < p->links; i++)
		links[i] = unpack_link(&p->rest, t);
	if (p->rest.bad || p->rest.at != p->rest.end)
		return -1;
	while (in->at < in->end && !in->bad) {
		int columns = get_u16(in);
		struct style s = unpack_style(in, links, p->links);

		if (columns == 0 || columns > p->used - col)
			in->bad = true;
		if (in->bad)
			return -1;
		put_style(out, col, col + columns, table_style(t, &s));
		col += columns;
	}
	return col == 0 || col == p->used ? 0 : -1;
}

int row_unpack(const void *data, size_t len, struct cell_table *t, struct row *out)
{
	struct packed p;

	for (int i = 0; i < out->cols; i++)
		out->cells[i] = (struct cell){0};
	out->flags = 0;
	if (packed_open(data, len, &p) != 0)
		return -1;
	if (unpack_text(&p, t, out) != 0 || unpack_styles(&p, t, out) != 0) {
		row_erase(out, 0, out->cols, 0);
		return -1;
	}
	out->flags = p.flags;
	return 0;
}

void row_packed_add_flags(void *data, size_t len, uint16_t flags)
{
	struct packed p;

	if (packed_open(data, len, &p) == 0)
		put_u16((char *)data + 2, (unsigned)p.flags | flags);
}

int row_packed_text(const void *data, size_t len, const char **text, size_t *text_len, uint16_t *flags)
{
	struct packed p;

	if (packed_open(data, len, &p) != 0)
		return -1;
	*text = (const char *)p.text.at;
	*text_len = (size_t)(p.text.end - p.text.at);
	*flags = p.flags;
	return 0;
}

int row_packed_column(const void *data, size_t len, size_t offset)
{
	struct packed p;
	struct cell_reader reader = {.packed = &p};
	struct text_cell cell;
	const uint8_t *start;

	if (packed_open(data, len, &p) != 0)
		return -1;
	start = p.text.at;
	while (next_cell(&reader, &cell)) {
		if ((size_t)(p.text.at - start) > offset)
			return reader.col - cell.columns;
	}
	return text_done(&reader) ? p.used : -1;
}

size_t row_packed_offset(const void *data, size_t len, int col)
{
	struct packed p;
	struct cell_reader reader = {.packed = &p};
	struct text_cell cell;
	const uint8_t *start, *at;

	if (packed_open(data, len, &p) != 0)
		return 0;
	start = at = p.text.at;
	while (next_cell(&reader, &cell) && reader.col <= col)
		at = p.text.at;
	return (size_t)((reader.col <= col ? p.text.end : at) - start);
}

int row_packed_used(const void *data, size_t len)
{
	struct packed p;

	return packed_open(data, len, &p) == 0 ? p.used : -1;
}
