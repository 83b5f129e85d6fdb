/* pack_read: reads the packed form of a row, and doubts every byte of it.  The layout is in row.h; pack.c
 * writes it. */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cell/pack_private.h"
#include "cell/row.h"

/* The id that a link without one gets when it comes back. */
static const char history_link_id[] = "history";

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
