/* delta: the worker's end: what was sent, and what that makes of a screen.  See delta.h; the bytes are in
 * delta_format.h. */
#include "wire/delta.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "wire/delta_format.h"
#include "wire/wire.h"

enum {
	GAP = 12,         /* so many equal columns are not sent between two changed parts */
	REPEAT_MIN = 5,   /* glyphs: a repeat costs four bytes */
	HEADER_SIZE = 35, /* of a SCREEN: see delta_format.h */
};

/* A style that no row has: what is compared with it is sent. */
static const struct cell unknown_cell = {.glyph = 0, .style = UINT32_MAX};

/* --- handles of the connection --- */

/* From handles of the emulator's table to those of the connection, 1..limit-1; 0: not defined. */
struct handle_map {
	uint32_t limit, next;
	uint16_t *handle;
	uint32_t room;
};

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

/* Writes rows, and the definitions they need. */
struct encoder {
	struct handle_map styles, clusters, links;
	const struct cell_table *table;
	const struct palette *palette; /* or NULL */
	struct buf *out;
	size_t out_max; /* definitions and rows stop when out->len has passed this */
};

static void encoder_init(struct encoder *e, uint32_t styles, uint32_t clusters, uint32_t links)
{
	*e = (struct encoder){0};
	map_init(&e->styles, styles);
	map_init(&e->clusters, clusters);
	map_init(&e->links, links);
}

static void encoder_finish(struct encoder *e)
{
	free(e->styles.handle);
	free(e->clusters.handle);
	free(e->links.handle);
}

static color_t resolve_color(const struct palette *p, color_t c, color_t fallback)
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

	s.fg = resolve_color(e->palette, s.fg, e->palette ? e->palette->fg : COLOR_DEFAULT);
	s.bg = resolve_color(e->palette, s.bg, e->palette ? e->palette->bg : COLOR_DEFAULT);
	s.underline_color = resolve_color(e->palette, s.underline_color, COLOR_DEFAULT);
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

/* Columns of a row whose handles are defined. */
static void write_row(struct encoder *e, int row, unsigned flags, const struct cell *cells, int from, int to)
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

/* Definitions and columns [from, to) in as many operations as the handles require; returns how far it got. */
static int write_columns(
    struct encoder *e, int row, unsigned flags, const struct cell *cells, int from, int to)
{
	while (from < to && e->out->len < e->out_max) {
		int end = define_cells(e, cells, from, to);

		write_row(e, row, flags, cells, from, end);
		from = end;
	}
	return from;
}

/* --- what was sent --- */

struct sent_row {
	const struct row *identity; /* what stood here; NULL: to be compared in any case */
	uint64_t seen;              /* screen->version when it was compared */
	struct cell *cells;
	uint16_t flags;
};

struct delta_sender {
	struct encoder encoder;
	int rows, cols;
	struct sent_row *row;
	struct cell *cells;
	bool reset; /* what the other end has is not known */
	bool more;
	uint64_t top, version;    /* screen's at the last call */
	char header[HEADER_SIZE]; /* as last sent, without DELTA_FULL */
	const struct cell_table *table;
	uint32_t generation;
	struct palette *palette; /* as last sent; NULL: none */
};

struct delta_sender *delta_sender_create_limited(uint32_t styles, uint32_t clusters, uint32_t links)
{
	struct delta_sender *s = mem_zalloc(1, sizeof(*s));

	encoder_init(&s->encoder, styles, clusters, links);
	s->reset = true;
	return s;
}

struct delta_sender *delta_sender_create(void)
{
	return delta_sender_create_limited(DELTA_STYLES_MAX, DELTA_CLUSTERS_MAX, DELTA_LINKS_MAX);
}

void delta_sender_destroy(struct delta_sender *s)
{
	if (!s)
		return;
	encoder_finish(&s->encoder);
	free(s->row);
	free(s->cells);
	free(s->palette);
	free(s);
}

void delta_sender_reset(struct delta_sender *s)
{
	s->reset = true;
}

bool delta_sender_more(const struct delta_sender *s)
{
	return s->more;
}

static bool palette_equal(const struct palette *a, const struct palette *b)
{
	return a == b || (a && b && memcmp(a, b, sizeof(*a)) == 0);
}

/* What a row that the mirror blanked holds; where colours were redefined even a blank must be sent. */
static void forget_row(struct delta_sender *s, struct sent_row *row)
{
	struct cell blank = s->palette ? unknown_cell : (struct cell){0};

	row->identity = NULL;
	row->flags = 0;
	for (int i = 0; i < s->cols; i++)
		row->cells[i] = blank;
}

/* Whether nothing that was sent helps any more; then the sender begins again. */
static bool start_over(struct delta_sender *s, const struct screen *screen)
{
	struct encoder *e = &s->encoder;
	uint32_t generation = table_generation(screen->table);

	if (!s->reset && s->rows == screen->rows && s->cols == screen->cols && s->table == screen->table &&
	    s->generation == generation && palette_equal(s->palette, screen->palette))
		return false;
	map_reset(&e->styles);
	map_reset(&e->clusters);
	map_reset(&e->links);
	free(s->palette);
	s->palette = NULL;
	if (screen->palette) {
		s->palette = mem_alloc(sizeof(*s->palette));
		*s->palette = *screen->palette;
	}
	s->rows = screen->rows;
	s->cols = screen->cols;
	s->row = mem_realloc(s->row, (size_t)s->rows, sizeof(*s->row));
	s->cells = mem_realloc(s->cells, (size_t)s->rows * (size_t)s->cols, sizeof(*s->cells));
	for (int i = 0; i < s->rows; i++) {
		s->row[i].cells = s->cells + (size_t)i * (size_t)s->cols;
		forget_row(s, &s->row[i]);
	}
	s->table = screen->table;
	s->generation = generation;
	s->reset = false;
	return true;
}

/* --- scrolls --- */

static bool row_same(const struct sent_row *sent, const struct row *r)
{
	return sent->identity == r && r->version <= sent->seen;
}

/* Rows [from, to) of the record turned so that the row at from + count comes to be first. */
static void rotate(struct sent_row *rows, int from, int to, int count)
{
	struct sent_row *copy = mem_alloc((size_t)count * sizeof(*copy));

	memcpy(copy, rows + from, (size_t)count * sizeof(*copy));
	memmove(rows + from, rows + from + count, (size_t)(to - from - count) * sizeof(*copy));
	memcpy(rows + to - count, copy, (size_t)count * sizeof(*copy));
	free(copy);
}

/* count > 0: up.  |count| < bottom - top. */
static void scroll(struct delta_sender *s, int top, int bottom, int count)
{
	struct buf *out = s->encoder.out;
	int first = count > 0 ? bottom - count : top, blank = count > 0 ? count : -count;

	wire_put_u8(out, OP_SCROLL);
	wire_put_u16(out, (uint16_t)top);
	wire_put_u16(out, (uint16_t)bottom);
	wire_put_u16(out, (uint16_t)(int16_t)count);
	rotate(s->row, top, bottom, count > 0 ? count : bottom - top + count);
	for (int i = first; i < first + blank; i++)
		forget_row(s, &s->row[i]);
}

/* Where the row stood when it was last sent, unchanged since; -1: nowhere. */
static int find_sent(const struct delta_sender *s, const struct row *r)
{
	for (int i = 0; r->version <= s->version && i < s->rows; i++) {
		if (row_same(&s->row[i], r))
			return i;
	}
	return -1;
}

/* An emulator that scrolls by moving its rows: blocks of them that stand elsewhere now. */
static int scroll_moved_rows(struct delta_sender *s, const struct screen *screen)
{
	int scrolls = 0;

	for (int i = 0; i < s->rows && scrolls < MIRROR_SCROLLS_MAX; i++) {
		int from = row_same(&s->row[i], screen->row[i]) ? i : find_sent(s, screen->row[i]), n = 1;

		if (from < 0 || from == i)
			continue;
		while (
		    i + n < s->rows && from + n < s->rows && row_same(&s->row[from + n], screen->row[i + n]))
			n++;
		scroll(s, i < from ? i : from, (i < from ? from : i) + n, from - i);
		scrolls++;
		i += n - 1;
	}
	return scrolls;
}

static bool content_same(const struct delta_sender *s, const struct sent_row *sent, const struct row *r)
{
	return r->cols == s->cols && memcmp(sent->cells, r->cells, (size_t)s->cols * sizeof(*r->cells)) == 0;
}

/* An emulator that scrolls by copying: believed if more rows are right afterwards than before. */
static void scroll_by_top(struct delta_sender *s, const struct screen *screen)
{
	uint64_t moved = screen->top > s->top ? screen->top - s->top : 0;
	int gain = 0;

	if (moved == 0 || moved >= (uint64_t)s->rows)
		return;
	for (int i = 0; i < s->rows; i++) {
		gain -= content_same(s, &s->row[i], screen->row[i]);
		if (i + (int)moved < s->rows)
			gain += content_same(s, &s->row[i + (int)moved], screen->row[i]);
	}
	if (gain > 0)
		scroll(s, 0, s->rows, (int)moved);
}

/* --- rows that changed --- */

static bool cell_equal(const struct cell *a, const struct cell *b)
{
	return a->glyph == b->glyph && a->style == b->style;
}

static bool is_tail(const struct cell *a, const struct cell *b, int col)
{
	return (a[col].glyph | b[col].glyph) & GLYPH_TAIL;
}

/*
 * The next part of a row that must be sent, from *from on: small gaps of equal columns are part of it, and it
 * begins and ends between cells in the new row as in the old one.
 */
static bool next_change(const struct cell *sent, const struct cell *cells, int cols, int *from, int *to)
{
	int equal = 0;

	while (*from < cols && cell_equal(&sent[*from], &cells[*from]))
		++*from;
	if (*from >= cols)
		return false;
	*to = *from + 1;
	for (int col = *to; col < cols && equal < GAP; col++) {
		if (cell_equal(&sent[col], &cells[col])) {
			equal++;
		} else {
			equal = 0;
			*to = col + 1;
		}
	}
	while (*from > 0 && is_tail(sent, cells, *from))
		--*from;
	while (*to < cols && is_tail(sent, cells, *to))
		++*to;
	return true;
}

/* Sends what differs in row i; false if the message is full before its end. */
static bool send_row(struct delta_sender *s, int i, const struct row *r)
{
	struct encoder *e = &s->encoder;
	struct sent_row *sent = &s->row[i];
	int cols = r->cols < s->cols ? r->cols : s->cols, from = 0, to;
	bool any = false;

	while (next_change(sent->cells, r->cells, cols, &from, &to)) {
		int end = write_columns(e, i, r->flags, r->cells, from, to);

		memcpy(sent->cells + from, r->cells + from, (size_t)(end - from) * sizeof(*r->cells));
		if (end < to)
			return false;
		any = true;
		from = end;
	}
	if (!any && sent->flags != r->flags)
		write_row(e, i, r->flags, r->cells, 0, 0);
	sent->flags = r->flags;
	return true;
}

static void send_rows(struct delta_sender *s, const struct screen *screen)
{
	s->more = false;
	for (int i = 0; i < s->rows; i++) {
		struct sent_row *sent = &s->row[i];
		const struct row *r = screen->row[i];

		if (row_same(sent, r))
			continue;
		if (!send_row(s, i, r)) {
			sent->identity = NULL;
			s->more = true;
			return;
		}
		sent->identity = r;
		sent->seen = screen->version;
	}
}

/* --- messages --- */

/* The flags, which come first, are filled in last. */
static void write_header(const struct screen *screen, struct buf *out)
{
	const struct cursor *c = &screen->cursor;

	wire_put_u8(out, 0);
	wire_put_u16(out, (uint16_t)screen->rows);
	wire_put_u16(out, (uint16_t)screen->cols);
	wire_put_u64(out, screen->top);
	wire_put_u64(out, screen->history_first);
	wire_put_u32(out, screen->modes);
	wire_put_u16(out, (uint16_t)c->row);
	wire_put_u16(out, (uint16_t)c->col);
	wire_put_u8(
	    out, (uint8_t)((c->visible ? DELTA_CURSOR_VISIBLE : 0) | (c->blink ? DELTA_CURSOR_BLINK : 0) |
			   (c->wrap_pending ? DELTA_CURSOR_WRAP : 0)));
	wire_put_u8(out, c->shape);
	wire_put_u32(out, resolve_color(screen->palette, c->color, COLOR_DEFAULT));
}

bool delta_encode(struct delta_sender *s, const struct screen *screen, struct buf *out)
{
	size_t start = out->len;
	bool full = start_over(s, screen), changed;

	s->encoder.table = screen->table;
	s->encoder.palette = s->palette;
	s->encoder.out = out;
	s->encoder.out_max = start + DELTA_BYTES;
	write_header(screen, out);
	if (!full && scroll_moved_rows(s, screen) == 0)
		scroll_by_top(s, screen);
	send_rows(s, screen);
	s->top = screen->top;
	s->version = screen->version;
	out->data[start] = s->more ? DELTA_MORE : 0;
	changed =
	    full || out->len > start + HEADER_SIZE || memcmp(s->header, out->data + start, HEADER_SIZE) != 0;
	memcpy(s->header, out->data + start, HEADER_SIZE);
	if (full)
		out->data[start] |= DELTA_FULL;
	if (!changed)
		buf_truncate(out, start);
	return changed;
}

/* Row `number` in the handles of `table`: one that is gone is empty. */
static void load_row(const struct history *history, const struct screen *screen, uint64_t number,
    struct cell_table *table, struct row *out, struct buf *scratch)
{
	const void *packed = NULL;
	size_t len = 0;
	int used;

	if (number >= screen->top) {
		buf_clear(scratch);
		row_pack(screen->row[number - screen->top], screen->table, scratch);
		packed = scratch->data;
		len = scratch->len;
	} else if (history) {
		packed = history_packed(history, number, &len);
	}
	used = packed ? row_packed_used(packed, len) : 0;
	row_resize(out, used > 0 ? used : 0);
	out->flags = 0;
	if (packed)
		row_unpack(packed, len, table, out);
	if (screen->palette && out->cols < screen->cols)
		row_resize(out, screen->cols);
}

/* The rows of a ROWS message through a table of their own: how many, until the message is full. */
static uint32_t write_rows(struct encoder *e, const struct history *history, const struct screen *screen,
    uint64_t from, uint32_t count)
{
	struct cell_table *table = table_create();
	AUTO_BUF scratch = BUF_INIT;
	struct row row;
	uint32_t n = 0;

	e->table = table;
	row_init(&row, 0, 0);
	while (n < count && e->out->len < e->out_max && !table_full(table)) {
		load_row(history, screen, from + n, table, &row, &scratch);
		if (row.cols == 0)
			write_row(e, (int)n, row.flags, row.cells, 0, 0);
		for (int col = 0; col < row.cols;) {
			int end = define_cells(e, row.cells, col, row.cols);

			write_row(e, (int)n, row.flags, row.cells, col, end);
			col = end;
		}
		n++;
	}
	row_finish(&row);
	table_destroy(table);
	return n;
}

uint32_t delta_encode_rows(const struct history *history, const struct screen *screen, uint64_t from,
    uint32_t count, struct buf *out)
{
	uint64_t first =
	    history && history_first(history) < screen->top ? history_first(history) : screen->top;
	uint64_t end = screen->top + (uint64_t)screen->rows;
	size_t count_at;
	struct encoder e;

	encoder_init(&e, CELL_STYLES_MAX, CELL_CLUSTERS_MAX, CELL_LINKS_MAX);
	e.palette = screen->palette;
	e.out = out;
	e.out_max = out->len + DELTA_BYTES;
	from = from < first ? first : from > end ? end : from;
	count = count > DELTA_ROWS_MAX ? DELTA_ROWS_MAX : count;
	count = count > end - from ? (uint32_t)(end - from) : count;
	wire_put_u64(out, from);
	wire_put_u64(out, first);
	wire_put_u64(out, screen->top);
	count_at = out->len;
	wire_put_u32(out, 0);
	count = write_rows(&e, history, screen, from, count);
	for (int i = 0; i < 4; i++)
		out->data[count_at + (size_t)i] = (char)(count >> 8 * i);
	encoder_finish(&e);
	return count;
}
