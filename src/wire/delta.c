/* delta: the worker's end: what was sent, and what that makes of a screen.  See delta.h; the bytes are in
 * delta_format.h. */
#include "wire/delta.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wire/delta_format.h"
#include "wire/encode.h"
#include "wire/wire.h"

enum {
	GAP = 12,         /* so many equal columns are not sent between two changed parts */
	REPEAT_MIN = 5,   /* glyphs: a repeat costs four bytes */
	HEADER_SIZE = 35, /* of a SCREEN: see delta_format.h */
};

/* A style that no row has: what is compared with it is sent. */
static const struct cell unknown_cell = {.glyph = 0, .style = UINT32_MAX};

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
	uint32_t generation = table_generation(screen->table);

	if (!s->reset && s->rows == screen->rows && s->cols == screen->cols && s->table == screen->table &&
	    s->generation == generation && palette_equal(s->palette, screen->palette))
		return false;
	encoder_reset(&s->encoder);
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
		int end = encoder_write_columns(e, i, r->flags, r->cells, from, to);

		memcpy(sent->cells + from, r->cells + from, (size_t)(end - from) * sizeof(*r->cells));
		if (end < to)
			return false;
		any = true;
		from = end;
	}
	if (!any && sent->flags != r->flags)
		encoder_write_row(e, i, r->flags, r->cells, 0, 0);
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
	wire_put_u32(out, encoder_color(screen->palette, c->color, COLOR_DEFAULT));
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
	size_t full = e->out->len + DELTA_BYTES;
	AUTO_BUF scratch = BUF_INIT;
	struct row row;
	uint32_t n = 0;

	e->table = table;
	row_init(&row, 0, 0);
	while (n < count && e->out->len < full && !table_full(table)) {
		load_row(history, screen, from + n, table, &row, &scratch);
		if (row.cols == 0)
			encoder_write_row(e, (int)n, row.flags, row.cells, 0, 0);
		encoder_write_columns(e, (int)n, row.flags, row.cells, 0, row.cols);
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
	e.out_max = SIZE_MAX; /* a row is never cut: from its packed form it has a limit */
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
