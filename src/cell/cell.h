/*
 * cell: one column of one row: what stands there and how it looks, as two handles of a struct cell_table.
 *
 * glyph: 0 is a column never written (blank); a code point stands for itself; GLYPH_CLUSTER marks an index
 * into the table's clusters; GLYPH_WIDE marks the first of two columns, whose second holds GLYPH_TAIL alone
 * (with the same style).
 * Invariant of every row: a head with GLYPH_WIDE is followed by a GLYPH_TAIL, a GLYPH_TAIL follows a head.
 * style: handle of the table; 0 is the default style.
 */
#ifndef HANDLER_CELL_CELL_H
#define HANDLER_CELL_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cell/style.h"

struct cell {
	uint32_t glyph;
	uint32_t style;
};
_Static_assert(sizeof(struct cell) == 8, "a cell is two handles");

#define GLYPH_TAIL    0x80000000u
#define GLYPH_WIDE    0x40000000u
#define GLYPH_CLUSTER 0x20000000u
#define GLYPH_VALUE   0x001fffffu

enum {
	CELL_STYLES_MAX = 65536,
	CELL_CLUSTERS_MAX = 65536,
	CELL_LINKS_MAX = 4096,
	CELL_LINK_BYTES_MAX = 2048,    /* URI; a longer one is no link */
	CELL_LINK_ID_MAX = 256,        /* a longer id counts as none */
	CELL_CLUSTER_CODE_POINTS = 16, /* further ones of a cluster are dropped */
};

/*
 * Interned styles, clusters and links.  Handles stay valid until the owner collects: when table_full() says
 * that a limit is near, the owner marks everything it still shows and calls table_sweep, which frees the rest
 * for reuse (handles in use keep their number, so nothing has to be rewritten).
 */
struct cell_table;

struct cell_table *table_create(void);
/* With small limits, for tests. */
struct cell_table *table_create_limited(uint32_t styles, uint32_t clusters, uint32_t links);
void table_destroy(struct cell_table *t);

/* The handle of a style; 0 for the default style, and (until the next collection) when the table is full. */
uint32_t table_style(struct cell_table *t, const struct style *s);
/* Valid until the next table_style. */
const struct style *table_style_value(const struct cell_table *t, uint32_t handle);

/* The glyph of a cluster of 1..CELL_CLUSTER_CODE_POINTS code points, without GLYPH_WIDE; when full its first
 * one alone. */
uint32_t table_cluster(struct cell_table *t, const uint32_t *cps, size_t count);
/* Code points of a glyph (flags are ignored) into out[CELL_CLUSTER_CODE_POINTS]; 0 for a blank or a tail. */
size_t table_glyph(const struct cell_table *t, uint32_t glyph, uint32_t *out);
/* The same as UTF-8, appended; a blank appends one space, a tail nothing. */
void table_glyph_utf8(const struct cell_table *t, uint32_t glyph, struct buf *out);

/*
 * OSC 8.  `id` is the id= parameter or NULL (then each call makes a link of its own, as the protocol says).
 * 0 if the URI is empty, too long, holds a byte outside 32..126 (nothing else may reach a terminal inside OSC
 * 8), or the table is full.
 */
uint32_t table_link(struct cell_table *t, const char *id, const char *uri);
const char *table_link_uri(const struct cell_table *t, uint32_t link); /* NULL for 0 and unknown handles */
const char *table_link_id(const struct cell_table *t, uint32_t link);  /* NULL: none was given */

/*
 * Time to collect: one of the three has grown to four times what the last sweep left, and to some thousands;
 * has passed 7/8 of its limit (of what the last sweep left, if that was more); or has had to refuse many
 * since.
 */
bool table_full(const struct cell_table *t);
void table_mark_cells(struct cell_table *t, const struct cell *cells, size_t count);
void table_mark_style(struct cell_table *t, uint32_t style); /* and its link */
void table_mark_link(struct cell_table *t, uint32_t link);   /* one that no style has yet: the pen's */
/* Frees what was not marked since the last sweep, and clears the marks. */
void table_sweep(struct cell_table *t);
/* Grows with each sweep: caches keyed by handle are stale after it. */
uint32_t table_generation(const struct cell_table *t);
size_t table_style_count(const struct cell_table *t);
size_t table_cluster_count(const struct cell_table *t);
size_t table_link_count(const struct cell_table *t);

#endif
