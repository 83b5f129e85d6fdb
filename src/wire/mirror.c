/* mirror: the client's end of a delta.  See delta.h; the bytes are in delta_format.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "wire/delta.h"
#include "wire/delta_format.h"
#include "wire/dictionary.h"
#include "wire/wire.h"

/* Operations being read. */
struct reader {
	struct wire_in in;
	struct mirror_dictionary *dictionary;
	struct cell_table *table;
	bool *stale;
};

/* --- columns of a row --- */

static bool read_code_point(struct wire_in *in, unsigned first, uint32_t *cp)
{
	const char *at = (const char *)in->at - 1;
	bool ok = true;
	int n = 1;

	*cp = first;
	if (first < 0x20)
		return false;
	if (first >= 0x80)
		n = utf8_decode(at, wire_in_left(in) + 1, cp, &ok);
	return n > 0 && ok && dictionary_code_point(*cp) && wire_bytes(in, (size_t)n - 1);
}

/* A glyph without GLYPH_WIDE. */
static bool read_glyph(struct reader *r, unsigned op, uint32_t *glyph)
{
	if (op == GLYPH_OP_BLANK) {
		*glyph = 0;
		return true;
	}
	if (op == GLYPH_OP_CLUSTER)
		return dictionary_cluster(r->dictionary, r->table, wire_u16(&r->in), glyph, r->stale);
	return read_code_point(&r->in, op, glyph);
}

/* [REPEAT] [WIDE] glyph, at column col of cells[0..to); returns the column after it, -1 if there is none. */
static int read_cells(struct reader *r, struct cell *cells, int col, int to, uint32_t style)
{
	unsigned op = wire_u8(&r->in);
	int count = 1, columns = 1;
	uint32_t glyph;

	if (op == GLYPH_OP_REPEAT) {
		count = wire_u16(&r->in);
		op = wire_u8(&r->in);
	}
	if (op == GLYPH_OP_WIDE) {
		columns = 2;
		op = wire_u8(&r->in);
	}
	if (!read_glyph(r, op, &glyph) || r->in.failed || count == 0 || count > (to - col) / columns)
		return -1;
	if (columns == 2 && glyph == 0)
		return -1;
	for (; count > 0; count--, col += columns) {
		cells[col] =
		    (struct cell){.glyph = columns == 2 ? glyph | GLYPH_WIDE : glyph, .style = style};
		if (columns == 2)
			cells[col + 1] = (struct cell){.glyph = GLYPH_TAIL, .style = style};
	}
	return col;
}

/* Printable ASCII as far as it goes; returns the column after it. */
static int read_ascii(struct reader *r, struct cell *cells, int col, int to, uint32_t style)
{
	const uint8_t *at = r->in.at;

	while (col < to && at < r->in.end && *at - 0x20u <= 0x7eu - 0x20u)
		cells[col++] = (struct cell){.glyph = *at++, .style = style};
	r->in.at = at;
	return col;
}

/* The runs of an OP_ROW into columns [from, to), which are blank. */
static bool read_runs(struct reader *r, struct row *row, int from, int to)
{
	int col = from;

	while (col < to) {
		uint16_t handle = wire_u16(&r->in);
		int end = col + wire_u16(&r->in);
		uint32_t style;

		if (r->in.failed || end == col || end > to ||
		    !dictionary_style(r->dictionary, r->table, handle, &style, r->stale))
			return false;
		while ((col = read_ascii(r, row->cells, col, end, style)) < end) {
			col = read_cells(r, row->cells, col, end, style);
			if (col < 0)
				return false;
		}
	}
	return true;
}

/* The operations that are the same in SCREEN and ROWS. */
static bool read_definition(struct reader *r, unsigned op)
{
	switch (op) {
	case OP_STYLE:
		return dictionary_read_style(r->dictionary, &r->in);
	case OP_CLUSTER:
		return dictionary_read_cluster(r->dictionary, &r->in);
	case OP_LINK:
		return dictionary_read_link(r->dictionary, &r->in);
	default:
		return false;
	}
}

/* --- the mirror --- */

static void free_rows(struct screen *s)
{
	for (int i = 0; i < s->rows; i++) {
		row_finish(s->row[i]);
		free(s->row[i]);
	}
	free(s->row);
}

static void make_rows(struct screen *s, int rows, int cols)
{
	s->rows = rows;
	s->cols = cols;
	s->row = mem_zalloc((size_t)rows, sizeof(struct row *));
	for (int i = 0; i < rows; i++) {
		s->row[i] = mem_alloc(sizeof(struct row));
		row_init(s->row[i], cols, 0);
		s->row[i]->version = s->version;
	}
}

void mirror_init(struct mirror *m, struct cell_table *shared)
{
	*m = (struct mirror){.screen = {.table = shared}, .dictionary = dictionary_create()};
	make_rows(&m->screen, 24, 80);
}

void mirror_finish(struct mirror *m)
{
	free_rows(&m->screen);
	dictionary_destroy(m->dictionary);
	*m = (struct mirror){0};
}

void mirror_scrolls_clear(struct mirror *m)
{
	m->scrolls = 0;
}

void mirror_mark(const struct mirror *m)
{
	for (int i = 0; i < m->screen.rows; i++)
		table_mark_cells(m->screen.table, m->screen.row[i]->cells, (size_t)m->screen.row[i]->cols);
}

static void blank_row(struct mirror *m, struct row *row)
{
	row_erase(row, 0, row->cols, 0);
	row->flags = 0;
	row->version = m->screen.version;
}

/* Rows [top, bottom) turned so that the row at from top + count comes to be first. */
static void rotate(struct row **rows, int top, int bottom, int count)
{
	struct row **copy = mem_alloc((size_t)count * sizeof(*copy));

	memcpy(copy, rows + top, (size_t)count * sizeof(*copy));
	memmove(rows + top, rows + top + count, (size_t)(bottom - top - count) * sizeof(*copy));
	memcpy(rows + bottom - count, copy, (size_t)count * sizeof(*copy));
	free(copy);
}

static bool apply_scroll(struct mirror *m, struct wire_in *in)
{
	int top = wire_u16(in), bottom = wire_u16(in), count = (int16_t)wire_u16(in);
	int blank = count > 0 ? count : -count;

	if (in->failed || bottom > m->screen.rows || count == 0 || blank >= bottom - top)
		return false;
	rotate(m->screen.row, top, bottom, count > 0 ? count : bottom - top + count);
	for (int i = 0; i < blank; i++)
		blank_row(m, m->screen.row[count > 0 ? bottom - 1 - i : top + i]);
	if (m->scrolls < MIRROR_SCROLLS_MAX)
		m->scroll[m->scrolls++] =
		    (struct mirror_scroll){.top = top, .bottom = bottom, .count = count};
	return true;
}

static bool apply_row(struct mirror *m, struct reader *r)
{
	int number = wire_u16(&r->in);
	uint16_t flags = wire_u16(&r->in);
	int from = wire_u16(&r->in), columns = wire_u16(&r->in);
	struct row *row;

	if (r->in.failed || number >= m->screen.rows || from + columns > m->screen.cols)
		return false;
	row = m->screen.row[number];
	row->flags = flags;
	row->version = m->screen.version;
	row_erase(row, from, from + columns, 0);
	return read_runs(r, row, from, from + columns);
}

static bool apply_operations(struct mirror *m, struct reader *r)
{
	while (wire_in_left(&r->in) > 0) {
		unsigned op = wire_u8(&r->in);
		bool ok = op == OP_SCROLL ? apply_scroll(m, &r->in)
			  : op == OP_ROW  ? apply_row(m, r)
					  : read_definition(r, op);

		if (!ok)
			return false;
	}
	return !r->in.failed;
}

/* What comes before the operations. */
struct header {
	unsigned flags;
	struct screen screen; /* without rows */
};

static bool read_header(struct wire_in *in, struct header *h)
{
	struct screen *s = &h->screen;
	struct cursor *c = &s->cursor;
	unsigned flags;

	h->flags = wire_u8(in);
	*s = (struct screen){.rows = wire_u16(in)};
	s->cols = wire_u16(in);
	s->top = wire_u64(in);
	s->history_first = wire_u64(in);
	s->modes = wire_u32(in);
	c->row = wire_u16(in);
	c->col = wire_u16(in);
	flags = wire_u8(in);
	c->visible = flags & DELTA_CURSOR_VISIBLE;
	c->blink = flags & DELTA_CURSOR_BLINK;
	c->wrap_pending = flags & DELTA_CURSOR_WRAP;
	c->shape = wire_u8(in);
	c->color = wire_u32(in);
	return !in->failed && s->history_first <= s->top && s->rows >= SCREEN_MIN_ROWS &&
	       s->rows <= SCREEN_MAX_ROWS && s->cols >= SCREEN_MIN_COLS && s->cols <= SCREEN_MAX_COLS &&
	       c->row < s->rows && c->col < s->cols && c->shape <= CURSOR_BAR &&
	       (c->color == COLOR_DEFAULT || COLOR_IS_RGB(c->color) ||
		   (COLOR_IS_INDEX(c->color) && COLOR_VALUE(c->color) < 256));
}

/* Size, and with DELTA_FULL blank rows; false if the mirror has nothing that the delta could be a difference
 * to. */
static bool apply_header(struct mirror *m, const struct header *h)
{
	struct screen *s = &m->screen;
	bool full = h->flags & DELTA_FULL, resized = h->screen.rows != s->rows || h->screen.cols != s->cols;

	if (!full && (!m->valid || resized))
		return false;
	s->version++;
	if (resized) {
		free_rows(s);
		make_rows(s, h->screen.rows, h->screen.cols);
	}
	for (int i = 0; full && i < s->rows; i++)
		blank_row(m, s->row[i]);
	if (full) {
		m->scrolls = 0;
		m->stale = false;
	}
	s->top = h->screen.top;
	s->history_first = h->screen.history_first;
	s->modes = h->screen.modes;
	s->cursor = h->screen.cursor;
	m->more = h->flags & DELTA_MORE;
	m->valid = true;
	return true;
}

int mirror_apply(struct mirror *m, const void *data, size_t len, struct err *err)
{
	struct reader r = {.in = wire_in(data, len),
	    .dictionary = m->dictionary,
	    .table = m->screen.table,
	    .stale = &m->stale};
	struct header header;

	if (read_header(&r.in, &header) && apply_header(m, &header) && apply_operations(m, &r))
		return 0;
	m->valid = false;
	return err_set(err, ERR_PROTOCOL, "A malformed screen message.");
}

/* --- rows by number --- */

struct row_slot {
	bool used;
	uint64_t number;
	struct row row;
};

void row_cache_init(struct row_cache *c, struct cell_table *shared, uint32_t capacity)
{
	*c = (struct row_cache){.table = shared, .capacity = capacity ? capacity : 1};
	c->slots = mem_zalloc(c->capacity, sizeof(*c->slots));
}

void row_cache_finish(struct row_cache *c)
{
	for (uint32_t i = 0; i < c->capacity; i++)
		row_finish(&c->slots[i].row);
	free(c->slots);
	*c = (struct row_cache){0};
}

const struct row *row_cache_get(const struct row_cache *c, uint64_t number)
{
	const struct row_slot *slot = &c->slots[number % c->capacity];

	return slot->used && slot->number == number ? &slot->row : NULL;
}

void row_cache_forget(struct row_cache *c, uint64_t from)
{
	for (uint32_t i = 0; i < c->capacity; i++) {
		if (c->slots[i].number >= from)
			c->slots[i].used = false;
	}
}

void row_cache_mark(const struct row_cache *c)
{
	for (uint32_t i = 0; i < c->capacity; i++) {
		if (c->slots[i].used)
			table_mark_cells(c->table, c->slots[i].row.cells, (size_t)c->slots[i].row.cols);
	}
}

/* The slot of a row, empty at first. */
static struct row *begin_row(struct row_cache *c, uint64_t number)
{
	struct row_slot *slot = &c->slots[number % c->capacity];

	if (!slot->used || slot->number != number)
		row_resize(&slot->row, 0);
	slot->used = true;
	slot->number = number;
	slot->row.version = c->version;
	return &slot->row;
}

/* The parts of a row follow each other from column 0 on. */
static bool apply_cached_row(struct row_cache *c, struct reader *r, uint64_t first, uint32_t count)
{
	uint32_t number = wire_u16(&r->in);
	uint16_t flags = wire_u16(&r->in);
	int from = wire_u16(&r->in), columns = wire_u16(&r->in);
	struct row *row;

	if (r->in.failed || number >= count || from + columns > SCREEN_MAX_COLS)
		return false;
	row = begin_row(c, first + number);
	if (from > row->cols)
		return false;
	row_resize(row, from);
	row_resize(row, from + columns);
	row->flags = flags;
	return read_runs(r, row, from, from + columns);
}

static bool apply_cached_operations(struct row_cache *c, struct reader *r, uint64_t first, uint32_t count)
{
	while (wire_in_left(&r->in) > 0) {
		unsigned op = wire_u8(&r->in);

		if (op == OP_ROW ? !apply_cached_row(c, r, first, count) : !read_definition(r, op))
			return false;
	}
	return !r->in.failed;
}

int mirror_rows_apply(
    struct row_cache *c, const void *data, size_t len, uint64_t *from, uint32_t *count, struct err *err)
{
	struct mirror_dictionary *dictionary = dictionary_create();
	struct reader r = {
	    .in = wire_in(data, len), .dictionary = dictionary, .table = c->table, .stale = &c->stale};
	uint64_t first = wire_u64(&r.in), history_first = wire_u64(&r.in), top = wire_u64(&r.in);
	uint32_t rows = wire_u32(&r.in);
	bool ok =
	    !r.in.failed && history_first <= top && rows <= DELTA_ROWS_MAX && first <= UINT64_MAX - rows;

	if (ok) {
		c->version++;
		c->history_first = history_first;
		c->top = top;
		ok = apply_cached_operations(c, &r, first, rows);
	}
	dictionary_destroy(dictionary);
	if (!ok)
		return err_set(err, ERR_PROTOCOL, "A malformed rows message.");
	if (from)
		*from = first;
	if (count)
		*count = rows;
	return 0;
}
