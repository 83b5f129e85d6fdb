/*
 * save_table: what the handles of cells mean, as fields: links, styles and clusters, as far as they are in
 * use, and the new handles by the old ones.  Where handles stand is known for the screens and the pens alone.
 */
#include <stdlib.h>

#include "term/save_private.h"

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

void save_style(struct buf *out, const struct style *style)
{
	save_u32(out, style->fg);
	save_u32(out, style->bg);
	save_u32(out, style->underline_color);
	save_u16(out, style->attrs);
	save_u8(out, style->underline);
	save_u32(out, style->link);
}

struct style load_style(struct loader *l)
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

void save_find_used(struct saver *s)
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

void save_links(struct saver *s)
{
	save_u32(s->out, count_used(s->used.links, CELL_LINKS_MAX));
	for (uint32_t h = 1; (h = next_used(s->used.links, h, CELL_LINKS_MAX)) < CELL_LINKS_MAX; h++) {
		save_u32(s->out, h);
		save_string(s->out, table_link_id(s->t->table, h));
		save_string(s->out, table_link_uri(s->t->table, h));
	}
}

void load_links(struct loader *l)
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

void save_styles(struct saver *s)
{
	save_u32(s->out, count_used(s->used.styles, CELL_STYLES_MAX));
	for (uint32_t h = 1; (h = next_used(s->used.styles, h, CELL_STYLES_MAX)) < CELL_STYLES_MAX; h++) {
		save_u32(s->out, h);
		save_style(s->out, table_style_value(s->t->table, h));
	}
}

void load_styles(struct loader *l)
{
	for (uint32_t n = load_u32(&l->in); n > 0 && !l->in.bad; n--) {
		uint32_t h = load_u32(&l->in);
		struct style style = load_style(l);

		if (h < CELL_STYLES_MAX)
			l->styles[h] = table_style(l->t->table, &style);
	}
}

void save_code_points(struct buf *out, const uint32_t *cps, size_t count)
{
	save_u8(out, (unsigned)count);
	for (size_t i = 0; i < count; i++)
		save_u32(out, cps[i]);
}

uint8_t load_code_points(struct load *in, uint32_t cps[CELL_CLUSTER_CODE_POINTS])
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

void save_clusters(struct saver *s)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	save_u32(s->out, count_used(s->used.clusters, CELL_CLUSTERS_MAX));
	for (uint32_t h = 1; (h = next_used(s->used.clusters, h, CELL_CLUSTERS_MAX)) < CELL_CLUSTERS_MAX;
	     h++) {
		save_u32(s->out, h);
		save_code_points(s->out, cps, table_glyph(s->t->table, GLYPH_CLUSTER | h, cps));
	}
}

void load_clusters(struct loader *l)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	for (uint32_t n = load_u32(&l->in); n > 0 && !l->in.bad; n--) {
		uint32_t h = load_u32(&l->in);
		uint8_t count = load_code_points(&l->in, cps);

		if (h < CELL_CLUSTERS_MAX && count > 0)
			l->clusters[h] = table_cluster(l->t->table, cps, count);
	}
}
