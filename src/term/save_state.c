/*
 * save_state: what of a terminal is saved, and in which fields (term_save, term_load).
 *
 * Cells go out as they are, with handles; the styles, clusters and links that those mean go before them, and
 * are interned anew by the reader.  Not saved: answers and events that nobody has fetched, history, and the
 * outer terminal's facts.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/cursor.h"
#include "term/past.h"
#include "term/save.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

#ifndef TERM_SAVE_VERSION
#define TERM_SAVE_VERSION 1 /* tests build programs with another one */
#endif

enum { SAVE_MAGIC = 0x4d524554 /* "TERM" */, SAVE_VERSION = TERM_SAVE_VERSION, SAVE_HEADER = 6 };

/* The kinds of handles of a table, and which of them are in use. */
struct used {
	uint64_t styles[CELL_STYLES_MAX / 64], clusters[CELL_CLUSTERS_MAX / 64], links[CELL_LINKS_MAX / 64];
};

struct saver {
	struct term *t;
	struct buf *out;
	struct used used;
};

/* New handles by old ones; 0 for an old one that was not in the table. */
struct loader {
	struct term *t;
	struct load in;
	uint32_t styles[CELL_STYLES_MAX], clusters[CELL_CLUSTERS_MAX], links[CELL_LINKS_MAX];
};

static void use(uint64_t *set, uint32_t handle)
{
	set[handle / 64] |= 1ull << (handle % 64);
}

/* The first handle in use from `handle` on; limit if there is none.  A state is saved often: empty words are
 * skipped. */
static uint32_t next_used(const uint64_t *set, uint32_t handle, uint32_t limit)
{
	while (handle < limit) {
		uint64_t left = set[handle / 64] >> (handle % 64);

		if (left)
			return handle + (uint32_t)__builtin_ctzll(left);
		handle = (handle / 64 + 1) * 64;
	}
	return limit;
}

static uint32_t count_used(const uint64_t *set, uint32_t limit)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < limit / 64; i++)
		count += (uint32_t)__builtin_popcountll(set[i]);
	return count;
}

/* --- size and history --- */

static void save_size(struct saver *s)
{
	save_u32(s->out, (uint32_t)s->t->rows);
	save_u32(s->out, (uint32_t)s->t->cols);
	save_u64(s->out, s->t->clock);
	save_u8(s->out, on_alternate(s->t));
}

static void load_size(struct loader *l)
{
	struct term *t = l->t;
	int rows = load_within(&l->in, SCREEN_MIN_ROWS, SCREEN_MAX_ROWS);
	int cols = load_within(&l->in, SCREEN_MIN_COLS, SCREEN_MAX_COLS);

	t->clock = load_u64(&l->in) + 1;
	t->rows = rows;
	t->cols = cols;
	grid_finish(&t->main);
	grid_init(&t->main, rows, cols, t->clock);
	if (load_u8(&l->in)) {
		grid_init(&t->alternate, rows, cols, t->clock);
		t->grid = &t->alternate;
	}
	margins_reset(t);
	tabs_reset(t);
}

static void save_history(struct saver *s)
{
	const struct past *p = &s->t->past;

	save_u64(s->out, p->gone);
	save_u64(s->out, p->pullable);
	save_u64(s->out, p->marked);
	save_u64(s->out, p->kept_from);
	save_u64(s->out, p->kept_end);
	save_u8(s->out, p->kept_at_home);
	save_u8(s->out, p->rewriting);
	save_u64(s->out, p->again_from);
	save_u64(s->out, p->again);
	save_u64(s->out, p->again_end);
}

static void load_history(struct loader *l)
{
	struct past *p = &l->t->past;

	p->gone = load_u64(&l->in);
	p->pullable = load_u64(&l->in);
	p->marked = load_u64(&l->in);
	p->kept_from = load_u64(&l->in);
	p->kept_end = load_u64(&l->in);
	p->kept_at_home = load_u8(&l->in) != 0;
	p->rewriting = load_u8(&l->in) != 0 && l->t->history;
	p->again_from = load_u64(&l->in);
	p->again = load_u64(&l->in);
	p->again_end = load_u64(&l->in);
	if (p->again_from > p->again || p->again >= p->again_end ||
	    (p->rewriting && p->again_end > past_top(l->t)))
		p->rewriting = false;
}

/* --- the table --- */

static void save_style(struct buf *out, const struct style *style)
{
	save_u32(out, style->fg);
	save_u32(out, style->bg);
	save_u32(out, style->underline_color);
	save_u16(out, style->attrs);
	save_u8(out, style->underline);
	save_u32(out, style->link);
}

static struct style load_style(struct loader *l)
{
	struct style style = {
	    .fg = load_u32(&l->in),
	    .bg = load_u32(&l->in),
	    .underline_color = load_u32(&l->in),
	    .attrs = (uint16_t)load_u16(&l->in),
	    .underline = (uint8_t)load_u8(&l->in),
	};
	uint32_t link = load_u32(&l->in);

	if (style.underline > UNDERLINE_DASHED)
		style.underline = UNDERLINE_NONE;
	style.link = link < CELL_LINKS_MAX ? l->links[link] : 0;
	return style;
}

static void use_row(struct saver *s, const struct row *r)
{
	for (int col = 0; col < r->cols; col++) {
		const struct cell *c = &r->cells[col];

		use(s->used.styles, c->style);
		if (c->glyph & GLYPH_CLUSTER)
			use(s->used.clusters, c->glyph & GLYPH_VALUE);
	}
}

static void use_grid(struct saver *s, const struct grid *g)
{
	for (int row = 0; row < g->rows; row++)
		use_row(s, g->row[row]);
}

static void find_used(struct saver *s)
{
	struct term *t = s->t;

	use_grid(s, &t->main);
	use_grid(s, &t->alternate);
	for (int i = 0; i < t->seen.page.rows; i++)
		use_row(s, &t->seen.page.row[i].row);
	for (uint32_t h = 1; (h = next_used(s->used.styles, h, CELL_STYLES_MAX)) < CELL_STYLES_MAX; h++)
		use(s->used.links, table_style_value(t->table, h)->link);
	use(s->used.links, t->pen.link);
	use(s->used.links, t->saved[0].pen.link);
	use(s->used.links, t->saved[1].pen.link);
	s->used.styles[0] &= ~1ull;
	s->used.clusters[0] &= ~1ull;
	s->used.links[0] &= ~1ull;
}

static void save_links(struct saver *s)
{
	save_u32(s->out, count_used(s->used.links, CELL_LINKS_MAX));
	for (uint32_t h = 1; (h = next_used(s->used.links, h, CELL_LINKS_MAX)) < CELL_LINKS_MAX; h++) {
		save_u32(s->out, h);
		save_string(s->out, table_link_id(s->t->table, h));
		save_string(s->out, table_link_uri(s->t->table, h));
	}
}

static void load_links(struct loader *l)
{
	for (uint32_t n = load_u32(&l->in); n > 0 && !l->in.bad; n--) {
		uint32_t h = load_u32(&l->in);
		char *id = load_string(&l->in), *uri = load_string(&l->in);

		if (h < CELL_LINKS_MAX && uri)
			l->links[h] = table_link(l->t->table, id, uri);
		free(id);
		free(uri);
	}
}

static void save_styles(struct saver *s)
{
	save_u32(s->out, count_used(s->used.styles, CELL_STYLES_MAX));
	for (uint32_t h = 1; (h = next_used(s->used.styles, h, CELL_STYLES_MAX)) < CELL_STYLES_MAX; h++) {
		save_u32(s->out, h);
		save_style(s->out, table_style_value(s->t->table, h));
	}
}

static void load_styles(struct loader *l)
{
	for (uint32_t n = load_u32(&l->in); n > 0 && !l->in.bad; n--) {
		uint32_t h = load_u32(&l->in);
		struct style style = load_style(l);

		if (h < CELL_STYLES_MAX)
			l->styles[h] = table_style(l->t->table, &style);
	}
}

static void save_code_points(struct buf *out, const uint32_t *cps, size_t count)
{
	save_u8(out, (unsigned)count);
	for (size_t i = 0; i < count; i++)
		save_u32(out, cps[i]);
}

static uint8_t load_code_points(struct load *in, uint32_t cps[CELL_CLUSTER_CODE_POINTS])
{
	uint8_t count = (uint8_t)load_u8(in);

	if (count > CELL_CLUSTER_CODE_POINTS) {
		in->bad = true;
		return 0;
	}
	for (int i = 0; i < count; i++) {
		cps[i] = load_u32(in);
		if (cps[i] < ' ' || cps[i] > 0x10ffff)
			cps[i] = 0xfffd;
	}
	return count;
}

static void save_clusters(struct saver *s)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	save_u32(s->out, count_used(s->used.clusters, CELL_CLUSTERS_MAX));
	for (uint32_t h = 1; (h = next_used(s->used.clusters, h, CELL_CLUSTERS_MAX)) < CELL_CLUSTERS_MAX;
	     h++) {
		save_u32(s->out, h);
		save_code_points(s->out, cps, table_glyph(s->t->table, GLYPH_CLUSTER | h, cps));
	}
}

static void load_clusters(struct loader *l)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	for (uint32_t n = load_u32(&l->in); n > 0 && !l->in.bad; n--) {
		uint32_t h = load_u32(&l->in);
		uint8_t count = load_code_points(&l->in, cps);

		if (h < CELL_CLUSTERS_MAX && count > 0)
			l->clusters[h] = table_cluster(l->t->table, cps, count);
	}
}

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

static void save_main(struct saver *s)
{
	save_grid(s->out, &s->t->main);
}

static void load_main(struct loader *l)
{
	load_grid(l, &l->t->main);
}

static void save_alternate(struct saver *s)
{
	save_grid(s->out, &s->t->alternate);
}

static void load_alternate(struct loader *l)
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

static void save_seen(struct saver *s)
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
}

static void load_seen(struct loader *l)
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
	seen->to = least(seen->to, seen->page.rows);
	seen->from = least(seen->from, seen->to);
}

/* --- cursor, margins, tabs, pen --- */

static void save_cursor_state(struct saver *s)
{
	const struct term *t = s->t;

	save_u32(s->out, (uint32_t)t->row);
	save_u32(s->out, (uint32_t)t->col);
	save_u8(s->out, t->wrap_pending);
	save_u32(s->out, (uint32_t)t->top);
	save_u32(s->out, (uint32_t)t->bottom);
	save_u32(s->out, (uint32_t)t->left);
	save_u32(s->out, (uint32_t)t->right);
	save_bytes(s->out, t->tabs, (size_t)t->cols);
}

static void load_cursor_state(struct loader *l)
{
	struct term *t = l->t;
	const uint8_t *tabs;
	size_t len;

	t->row = load_within(&l->in, 0, t->rows - 1);
	t->col = load_within(&l->in, 0, t->cols - 1);
	t->wrap_pending = load_u8(&l->in) != 0;
	t->top = load_within(&l->in, 0, t->rows - 1);
	t->bottom = load_within(&l->in, t->top, t->rows - 1);
	t->left = load_within(&l->in, 0, t->cols - 1);
	t->right = load_within(&l->in, t->left, t->cols - 1);
	tabs = load_bytes(&l->in, &len);
	if (len == (size_t)t->cols)
		memcpy(t->tabs, tabs, len);
}

static void save_charsets(struct buf *out, const struct charsets *c)
{
	for (int i = 0; i < 4; i++)
		save_u8(out, c->g[i]);
	save_u8(out, c->gl);
	save_u8(out, c->single);
}

static struct charsets load_charsets(struct load *in)
{
	struct charsets c;

	for (int i = 0; i < 4; i++)
		c.g[i] = load_u8(in) % (CHARSET_UK + 1);
	c.gl = load_u8(in) & 3;
	c.single = load_u8(in) & 3;
	return c;
}

static void save_saved_cursors(struct saver *s)
{
	for (int i = 0; i < 2; i++) {
		const struct saved_cursor *c = &s->t->saved[i];

		save_u32(s->out, (uint32_t)c->row);
		save_u32(s->out, (uint32_t)c->col);
		save_u8(s->out, c->wrap_pending);
		save_u8(s->out, c->origin);
		save_style(s->out, &c->pen);
		save_charsets(s->out, &c->charsets);
	}
}

static void load_saved_cursors(struct loader *l)
{
	for (int i = 0; i < 2; i++) {
		struct saved_cursor *c = &l->t->saved[i];

		c->row = load_within(&l->in, 0, SCREEN_MAX_ROWS);
		c->col = load_within(&l->in, 0, SCREEN_MAX_COLS);
		c->wrap_pending = load_u8(&l->in) != 0;
		c->origin = load_u8(&l->in) != 0;
		c->pen = load_style(l);
		c->charsets = load_charsets(&l->in);
	}
}

static void save_pen(struct saver *s)
{
	save_style(s->out, &s->t->pen);
	save_u8(s->out, s->t->protection);
	save_u8(s->out, s->t->attribute_extent);
	save_charsets(s->out, &s->t->charsets);
}

static void load_pen(struct loader *l)
{
	l->t->pen = load_style(l);
	l->t->protection = load_u8(&l->in) % (PROTECT_DEC + 1);
	l->t->attribute_extent = (uint8_t)load_u8(&l->in);
	l->t->charsets = load_charsets(&l->in);
}

static void save_last(struct saver *s)
{
	const struct last_print *p = &s->t->last;

	save_code_points(s->out, p->cps, p->count);
	save_u8(s->out, p->width);
	save_u8(s->out, p->joinable);
	save_u8(s->out, p->wrap_pending);
	save_u32(s->out, (uint32_t)p->row);
	save_u32(s->out, (uint32_t)p->col);
	save_u32(s->out, (uint32_t)p->after);
}

static void load_last(struct loader *l)
{
	struct last_print *p = &l->t->last;

	p->count = load_code_points(&l->in, p->cps);
	p->width = load_u8(&l->in) == 2 ? 2 : 1;
	p->joinable = load_u8(&l->in) != 0 && p->count > 0;
	p->wrap_pending = load_u8(&l->in) != 0;
	p->row = load_within(&l->in, 0, SCREEN_MAX_ROWS);
	p->col = load_within(&l->in, 0, SCREEN_MAX_COLS);
	p->after = load_within(&l->in, 0, SCREEN_MAX_COLS);
	p->joinable = p->joinable && p->col < l->t->cols && p->row < l->t->rows;
	if (p->count > 0)
		p->glyph = table_cluster(l->t->table, p->cps, p->count);
}

/* --- modes and keyboard --- */

static void save_modes(struct saver *s)
{
	const struct term *t = s->t;

	save_u8(s->out, t->cursor_shape);
	save_u8(s->out, t->cursor_blink);
	save_u8(s->out, t->replies_8bit);
	save_u8(s->out, t->level);
	modes_save(t, s->out);
}

static void load_modes(struct loader *l)
{
	struct term *t = l->t;

	t->cursor_shape = load_u8(&l->in) % (CURSOR_BAR + 1);
	t->cursor_blink = load_u8(&l->in) != 0;
	t->replies_8bit = load_u8(&l->in) != 0;
	t->level = (uint8_t)clamp((int)load_u8(&l->in), 61, LEVEL_MOST);
	modes_load(t, &l->in);
}

static void save_keyboard(struct saver *s)
{
	save_u8(s->out, s->t->modify_other_keys);
	for (int i = 0; i < 2; i++) {
		const struct keyboard *k = &s->t->keyboard[i];

		save_u8(s->out, k->flags);
		save_bytes(s->out, k->stack, k->depth);
	}
}

static void load_keyboard(struct loader *l)
{
	l->t->modify_other_keys = load_u8(&l->in) % 3;
	for (int i = 0; i < 2; i++) {
		struct keyboard *k = &l->t->keyboard[i];
		const uint8_t *stack;
		size_t depth;

		k->flags = load_u8(&l->in) & 31;
		stack = load_bytes(&l->in, &depth);
		k->depth = (uint8_t)(depth < TERM_KITTY_STACK ? depth : TERM_KITTY_STACK);
		memcpy(k->stack, stack, k->depth);
	}
}

/* --- titles, colours, notification --- */

static void save_titles(struct saver *s)
{
	const struct titles *t = &s->t->titles;

	save_string(s->out, t->window);
	save_string(s->out, t->icon);
	save_u8(s->out, (unsigned)t->depth);
	for (int i = 0; i < t->depth; i++) {
		save_string(s->out, t->stack[i].window);
		save_string(s->out, t->stack[i].icon);
	}
}

static void load_titles(struct loader *l)
{
	struct titles *t = &l->t->titles;
	int depth;

	t->window = load_string(&l->in);
	t->icon = load_string(&l->in);
	depth = least((int)load_u8(&l->in), TERM_TITLE_STACK);
	for (t->depth = 0; t->depth < depth; t->depth++) {
		t->stack[t->depth].window = load_string(&l->in);
		t->stack[t->depth].icon = load_string(&l->in);
	}
}

static void save_colors(struct saver *s)
{
	const struct colors *c = &s->t->colors;

	for (int i = 0; i < (int)COUNT_OF(c->dynamic); i++)
		save_u32(s->out, c->dynamic[i]);
	for (int i = 0; i < SPECIAL_COLORS; i++)
		save_u32(s->out, c->special[i]);
	save_u16(s->out, (unsigned)c->changed);
	for (int i = 0; i < PALETTE_COLORS; i++) {
		if (c->palette.index[i] == COLOR_DEFAULT)
			continue;
		save_u8(s->out, (unsigned)i);
		save_u32(s->out, c->palette.index[i]);
	}
}

static color_t load_color(struct load *in)
{
	color_t c = load_u32(in);

	return COLOR_IS_RGB(c) ? c : COLOR_DEFAULT;
}

static void load_colors(struct loader *l)
{
	struct colors *c = &l->t->colors;

	for (int i = 0; i < (int)COUNT_OF(c->dynamic); i++)
		c->dynamic[i] = load_color(&l->in);
	for (int i = 0; i < SPECIAL_COLORS; i++)
		c->special[i] = load_color(&l->in);
	for (unsigned n = load_u16(&l->in); n > 0 && !l->in.bad; n--) {
		unsigned index = load_u8(&l->in);

		c->palette.index[index] = load_color(&l->in);
	}
	for (int i = 0; i < PALETTE_COLORS; i++)
		c->changed += c->palette.index[i] != COLOR_DEFAULT;
	c->palette.fg = c->dynamic[DYNAMIC_FG - DYNAMIC_FIRST];
	c->palette.bg = c->dynamic[DYNAMIC_BG - DYNAMIC_FIRST];
}

static void save_notification(struct saver *s)
{
	const struct notification *n = &s->t->notification;

	save_string(s->out, n->id);
	save_bytes(s->out, n->title.data, n->title.len);
	save_bytes(s->out, n->body.data, n->body.len);
}

static void load_notification(struct loader *l)
{
	struct notification *n = &l->t->notification;
	const uint8_t *bytes;
	size_t len;

	n->id = load_string(&l->in);
	bytes = load_bytes(&l->in, &len);
	buf_add(&n->title, bytes, len);
	bytes = load_bytes(&l->in, &len);
	buf_add(&n->body, bytes, len);
}

/* --- the parser in the middle of a sequence --- */

static void save_parser(struct saver *s)
{
	const struct parser *p = &s->t->parser;

	save_u8(s->out, p->state);
	save_u8(s->out, p->string);
	save_u8(s->out, p->keep);
	save_u8(s->out, p->after_c2);
	save_u8(s->out, p->digits);
	save_u8(s->out, p->intermediates);
	save_u32(s->out, (uint32_t)p->number);
	save_bytes(s->out, p->partial, p->partial_len);
	save_u8(s->out, (unsigned char)p->seq.marker);
	save_u8(s->out, (unsigned char)p->seq.intermediate);
	save_u8(s->out, (unsigned char)p->seq.final);
	save_u32(s->out, p->seq.sub);
	save_u8(s->out, p->seq.count);
	for (int i = 0; i < p->seq.count; i++)
		save_u32(s->out, (uint32_t)p->seq.value[i]);
	save_bytes(s->out, p->data.data, p->data.len);
}

static void load_sequence(struct load *in, struct sequence *s)
{
	s->marker = (char)load_u8(in);
	s->intermediate = (char)load_u8(in);
	s->final = (char)load_u8(in);
	s->sub = load_u32(in);
	s->count = (uint8_t)least((int)load_u8(in), TERM_PARAMETERS_MAX);
	for (int i = 0; i < s->count; i++)
		s->value[i] = load_within(in, PARAMETER_OMITTED, PARAMETER_MAX);
}

static void load_parser(struct loader *l)
{
	struct parser *p = &l->t->parser;
	const uint8_t *bytes;
	size_t len;

	p->state = load_u8(&l->in) % PARSE_STATES;
	p->string = load_u8(&l->in) % (STRING_APC + 1);
	p->keep = load_u8(&l->in) != 0;
	p->after_c2 = load_u8(&l->in) != 0;
	p->digits = load_u8(&l->in) != 0;
	p->intermediates = (uint8_t)least((int)load_u8(&l->in), TERM_INTERMEDIATES_MAX);
	p->number = load_within(&l->in, 0, PARAMETER_MAX);
	bytes = load_bytes(&l->in, &len);
	p->partial_len = (uint8_t)(len < sizeof(p->partial) ? len : 0);
	memcpy(p->partial, bytes, p->partial_len);
	load_sequence(&l->in, &p->seq);
	bytes = load_bytes(&l->in, &len);
	buf_add(&p->data, bytes, len < TERM_STRING_MAX ? len : TERM_STRING_MAX);
	p->keep = p->keep && (p->string == STRING_OSC || p->string == STRING_DCS);
	p->after_c2 = p->after_c2 && (!p->keep || p->data.len > 0);
}

/* --- fields --- */

/* In the order in which they are written: each needs only those before it.  Tags are never used again. */
static const struct {
	uint16_t tag;
	void (*save)(struct saver *s);
	void (*load)(struct loader *l);
} fields[] = {
    {1, save_size, load_size},
    {2, save_history, load_history},
    {3, save_links, load_links},
    {4, save_styles, load_styles},
    {5, save_clusters, load_clusters},
    {6, save_main, load_main},
    {7, save_alternate, load_alternate},
    {8, save_cursor_state, load_cursor_state},
    {9, save_saved_cursors, load_saved_cursors},
    {10, save_pen, load_pen},
    {11, save_last, load_last},
    {12, save_modes, load_modes},
    {13, save_keyboard, load_keyboard},
    {14, save_titles, load_titles},
    {15, save_colors, load_colors},
    {16, save_notification, load_notification},
    {17, save_parser, load_parser},
    {18, save_seen, load_seen},
};

void term_save(struct term *t, struct buf *out)
{
	struct saver *s = mem_zalloc(1, sizeof(*s));

	s->t = t;
	s->out = out;
	find_used(s);
	save_u32(out, SAVE_MAGIC);
	save_u16(out, SAVE_VERSION);
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		struct buf len = BUF_INIT;
		size_t at;

		save_u16(out, fields[i].tag);
		at = out->len;
		save_u32(out, 0);
		fields[i].save(s);
		save_u32(&len, (uint32_t)(out->len - at - 4));
		memcpy(out->data + at, len.data, 4);
		buf_free(&len);
	}
	free(s);
}

static void load_field(struct loader *l, unsigned tag)
{
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (fields[i].tag == tag)
			fields[i].load(l);
	}
}

int term_can_load(const void *data, size_t len, struct err *err)
{
	struct load all = {data, (const uint8_t *)data + len, false};
	bool ours = load_u32(&all) == SAVE_MAGIC;
	unsigned version = load_u16(&all);

	if (!ours || version == 0)
		return err_set(err, ERR_FAILED, "This is not a saved terminal.");
	if (version > SAVE_VERSION)
		return err_set(err, ERR_FAILED,
		    "The saved terminal has the form %u, this version of the program reads up to form %d.",
		    version, SAVE_VERSION);
	return 0;
}

static int load_fields(struct loader *l, struct load all, struct err *err)
{
	unsigned expected = fields[0].tag;

	if (term_can_load(all.at, (size_t)(all.end - all.at), err) < 0)
		return -1;
	all.at += SAVE_HEADER;
	while (all.at < all.end) {
		unsigned tag = load_u16(&all);
		size_t len;
		const uint8_t *value = load_bytes(&all, &len);

		if (all.bad || tag < expected)
			return err_set(err, ERR_FAILED, "The saved terminal is damaged.");
		expected = tag + 1;
		l->in = (struct load){value, value + len, false};
		load_field(l, tag);
		if (l->in.bad)
			return err_set(err, ERR_FAILED, "Field %u of the saved terminal is damaged.", tag);
	}
	return 0;
}

struct term *term_load(const struct term_options *options, const void *data, size_t len, struct err *err)
{
	struct loader *l;
	struct term *t = term_create(options, err);
	int status;

	if (!t)
		return NULL;
	l = mem_zalloc(1, sizeof(*l));
	l->t = t;
	status = load_fields(l, (struct load){data, (const uint8_t *)data + len, false}, err);
	free(l);
	if (status < 0) {
		term_destroy(t);
		return NULL;
	}
	pen_forget(t);
	charset_update(t);
	t->flags = TERM_QUIET;
	keyboard_update(t);
	t->flags = 0;
	return t;
}
