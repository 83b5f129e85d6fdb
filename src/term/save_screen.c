/*
 * save_screen: the cells of both screens as fields, and what was seen of the alternate one.  What a damaged
 * field brings is put right here: no half of a wide character, no handle that the table has not got.
 */
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "term/save_private.h"

/* --- screens --- */

/* Glyph and style of each, u32: little endian, as they lie in the memory of most machines. */
static void save_cells(struct buf *out, const struct cell *cells, int count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	buf_add(out, cells, (size_t)count * sizeof *cells);
#else
	for (int col = 0; col < count; col++) {
		save_u32(out, cells[col].glyph);
		save_u32(out, cells[col].style);
	}
#endif
}

static void save_row(struct buf *out, const struct row *r)
{
	int used = row_used(r);

	save_u16(out, r->flags);
	save_u16(out, (unsigned)used);
	save_cells(out, r->cells, used);
}

static void save_grid(struct buf *out, const struct grid *g)
{
	for (int row = 0; row < g->rows; row++)
		save_row(out, g->row[row]);
}

static uint32_t load_glyph(struct loader *l)
{
	uint32_t glyph = load_u32(&l->in), value = glyph & GLYPH_VALUE;

	if (glyph & GLYPH_TAIL)
		return GLYPH_TAIL;
	if (!(glyph & GLYPH_CLUSTER))
		return value <= 0x10ffff && value >= ' ' ? glyph & (GLYPH_WIDE | GLYPH_VALUE) : 0;
	value = value < CELL_CLUSTERS_MAX ? l->clusters[value] : 0;
	return value ? value | (glyph & GLYPH_WIDE) : 0;
}

/* What is not a wide character and its other half becomes blank; both halves have one style. */
static void repair_row(struct row *r)
{
	for (int col = 0; col < r->cols; col++) {
		bool tail_follows = col + 1 < r->cols && r->cells[col + 1].glyph == GLYPH_TAIL;

		if (r->cells[col].glyph & GLYPH_WIDE && tail_follows) {
			r->cells[col + 1].style = r->cells[col].style;
			col++;
		} else if (r->cells[col].glyph & (GLYPH_WIDE | GLYPH_TAIL)) {
			r->cells[col].glyph = 0;
		}
	}
}

static void load_row(struct loader *l, struct row *r)
{
	int used;

	r->flags = (uint16_t)load_u16(&l->in);
	used = (int)load_u16(&l->in);
	for (int col = 0; col < used && col < r->cols && !l->in.bad; col++) {
		uint32_t glyph = load_glyph(l), style = load_u32(&l->in);

		r->cells[col].glyph = glyph;
		r->cells[col].style = style < CELL_STYLES_MAX ? l->styles[style] : 0;
	}
	repair_row(r);
}

static void load_grid(struct loader *l, struct grid *g)
{
	for (int row = 0; row < g->rows && !l->in.bad; row++)
		load_row(l, g->row[row]);
}

void save_main(struct saver *s)
{
	save_grid(s->out, &s->t->main);
}

void load_main(struct loader *l)
{
	load_grid(l, &l->t->main);
}

void save_alternate(struct saver *s)
{
	save_grid(s->out, &s->t->alternate);
}

void load_alternate(struct loader *l)
{
	if (l->in.at == l->in.end)
		return;
	if (l->t->alternate.rows == 0)
		grid_init(&l->t->alternate, l->t->rows, l->t->cols, l->t->clock);
	load_grid(l, &l->t->alternate);
}

/* --- what was seen of the alternate screen --- */

static void save_held(struct buf *out, const struct seen *s)
{
	save_u32(out, (uint32_t)s->held_count);
	for (int i = 0; i < s->held_count; i++)
		save_bytes(out, s->held[i].data, s->held[i].len);
}

/* What is no packed row is taken as one without text when it is read. */
static void load_held(struct load *in, struct seen *s)
{
	for (uint32_t n = load_u32(in); n > 0 && !in->bad; n--) {
		size_t len;
		const uint8_t *packed = load_bytes(in, &len);

		if (len <= ROW_PACKED_MAX && s->held_count < SEEN_HELD_MAX)
			seen_hold(s, s->held_count, packed, len);
	}
}

/* Most rows of the page are still those of the screen. */
static void save_page(struct buf *out, const struct page *p, const struct grid *screen)
{
	save_u32(out, (uint32_t)p->rows);
	save_u32(out, (uint32_t)p->cols);
	for (int i = 0; i < p->rows; i++) {
		const struct row *r = &p->row[i].row;
		bool same = i < screen->rows && page_rows_equal(r, screen->row[i]);

		save_u64(out, p->row[i].text);
		save_u8(out, p->row[i].state);
		save_u8(out, same);
		if (!same)
			save_row(out, r);
	}
}

static void load_page(struct loader *l, struct page *p)
{
	const struct grid *screen = &l->t->alternate;
	int rows = load_within(&l->in, 0, SCREEN_MAX_ROWS);
	int cols = load_within(&l->in, 0, SCREEN_MAX_COLS);

	page_make(p, rows, cols);
	for (int i = 0; i < rows && !l->in.bad; i++) {
		struct row *r = &p->row[i].row;

		p->row[i].text = load_u64(&l->in);
		p->row[i].state = (uint8_t)load_u8(&l->in);
		if (!load_u8(&l->in))
			load_row(l, r);
		else if (i < screen->rows && screen->cols == cols)
			memcpy(r->cells, screen->row[i]->cells, (size_t)cols * sizeof(*r->cells));
	}
}

static const struct {
	size_t at;
	int least, most;
} seen_numbers[] = {
    {offsetof(struct seen, top), -1, SCREEN_MAX_ROWS},
    {offsetof(struct seen, updates), 0, INT_MAX},
    {offsetof(struct seen, head_rows), 0, SCREEN_MAX_ROWS},
    {offsetof(struct seen, below_rows), -1, SCREEN_MAX_ROWS},
    {offsetof(struct seen, foot_rows), -1, SCREEN_MAX_ROWS},
    {offsetof(struct seen, cursor_row), -1, SCREEN_MAX_ROWS},
    {offsetof(struct seen, left), 0, SCREEN_MAX_COLS},
    {offsetof(struct seen, right), 0, SCREEN_MAX_COLS},
    {offsetof(struct seen, from), 0, SCREEN_MAX_ROWS},
    {offsetof(struct seen, to), 0, SCREEN_MAX_ROWS},
    {offsetof(struct seen, back), 0, SEEN_BACK_MAX},
};

static int *seen_number(struct seen *s, size_t i)
{
	return (int *)(void *)((char *)s + seen_numbers[i].at);
}

void save_seen(struct saver *s)
{
	struct seen *seen = &s->t->seen;

	if (!on_alternate(s->t))
		return;
	save_u8(s->out, seen->established);
	save_u8(s->out, seen->away);
	save_u8(s->out, seen->synchronizes);
	for (size_t i = 0; i < COUNT_OF(seen_numbers); i++)
		save_u32(s->out, (uint32_t)*seen_number(seen, i));
	save_u32(s->out, (uint32_t)seen->skip);
	save_held(s->out, seen);
	save_page(s->out, &seen->page, &s->t->alternate);
	save_u8(s->out, seen->gap);
}

void load_seen(struct loader *l)
{
	struct seen *seen = &l->t->seen;

	if (l->in.at == l->in.end)
		return;
	seen->established = load_u8(&l->in) != 0;
	seen->away = load_u8(&l->in) != 0;
	seen->synchronizes = load_u8(&l->in) != 0;
	for (size_t i = 0; i < COUNT_OF(seen_numbers); i++)
		*seen_number(seen, i) = load_within(&l->in, seen_numbers[i].least, seen_numbers[i].most);
	seen->skip = load_u32(&l->in);
	load_held(&l->in, seen);
	load_page(l, &seen->page);
	seen->gap = l->in.at < l->in.end && load_u8(&l->in) != 0;
	seen->to = least(seen->to, seen->page.rows);
	seen->from = least(seen->from, seen->to);
}
