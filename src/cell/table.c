/*
 * table: interned styles, clusters and links.  See cell.h.
 *
 * Each of the three kinds is a pool of handles beside an array of values that the handles index.  Handle 0 of
 * every pool is taken from the start: the default style, no cluster, no link.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cell/cell.h"

enum {
	POOL_FIRST = 64,   /* handles that there is room for at first */
	POOL_EARLY = 4096, /* live ones from which it may pay to look which are still in use */
};

/* Handles in use, found by the hash of their value.  Open addressing with linear probing; never more than
 * half full. */
struct pool {
	uint32_t limit;     /* handles 0..limit-1 */
	uint32_t room;      /* of the arrays; grows up to limit */
	uint32_t used;      /* handles below this were given out at some time */
	uint32_t live;      /* in use now, handle 0 not counted */
	uint32_t threshold; /* live from which the pool counts as full */
	uint32_t refused;   /* since the last sweep */
	uint32_t *hash;     /* by handle */
	uint64_t *mark;     /* a bit by handle */
	uint32_t *freed;    /* a stack of handles below `used` */
	uint32_t freed_count;
	uint32_t *slot; /* handles, 0: empty; 2 * room of them */
};

struct cluster {
	uint32_t *cps;
	uint32_t count;
};

struct link {
	char *id; /* or NULL */
	char *uri;
};

struct cell_table {
	struct pool styles, clusters, links;
	struct style *style;
	struct cluster *cluster;
	struct link *link;
	struct style last; /* the last style asked for and its handle: most calls repeat it */
	uint32_t last_handle;
	uint32_t generation;
};

static const struct style default_style;

/* --- pool --- */

static void pool_insert(struct pool *p, uint32_t handle)
{
	uint32_t mask = 2 * p->room - 1, at = p->hash[handle] & mask;

	while (p->slot[at])
		at = (at + 1) & mask;
	p->slot[at] = handle;
}

/* Makes room for `room` handles, a power of two. */
static void pool_resize(struct pool *p, uint32_t room)
{
	p->hash = mem_realloc(p->hash, room, sizeof(*p->hash));
	p->mark = mem_realloc(p->mark, (room + 63) / 64, sizeof(*p->mark));
	p->freed = mem_realloc(p->freed, room, sizeof(*p->freed));
	memset(p->mark + (p->room + 63) / 64, 0, ((room + 63) / 64 - (p->room + 63) / 64) * sizeof(*p->mark));
	p->room = room;
	free(p->slot);
	p->slot = mem_zalloc(2 * (size_t)room, sizeof(*p->slot));
	for (uint32_t h = 1; h < p->used; h++)
		pool_insert(p, h);
}

/*
 * The handle from which live counts as full: 7/8 of the limit, or half of what is left above it; long before
 * that where few of the last ones were in use, as in text with a colour of its own for each word.  A table
 * that stays small stays in the processor's cache, and its owner small.
 */
static void pool_set_threshold(struct pool *p)
{
	uint32_t most = p->limit - 1, early = p->live < POOL_EARLY / 4 ? POOL_EARLY : 4 * p->live;

	p->threshold = most - most / 8;
	if (early < p->threshold)
		p->threshold = early;
	else if (p->live >= p->threshold)
		p->threshold = p->live + (most - p->live) / 2 + 1;
	p->refused = 0;
}

static void pool_init(struct pool *p, uint32_t limit)
{
	*p = (struct pool){.limit = limit < 2 ? 2 : limit, .used = 1};
	pool_resize(p, POOL_FIRST);
	p->hash[0] = 0;
	pool_set_threshold(p);
}

static void pool_finish(struct pool *p)
{
	free(p->hash);
	free(p->mark);
	free(p->freed);
	free(p->slot);
}

/* The next handle whose value has this hash; *at is the state of the search, at first the hash itself.  0: no
 * more. */
static uint32_t pool_next(const struct pool *p, uint32_t hash, uint32_t *at)
{
	uint32_t mask = 2 * p->room - 1, handle;

	while ((handle = p->slot[*at & mask]) != 0) {
		(*at)++;
		if (p->hash[handle] == hash)
			return handle;
	}
	return 0;
}

/* A new handle; 0 when all are in use.  May grow p->room: the values must follow. */
static uint32_t pool_take(struct pool *p, uint32_t hash)
{
	uint32_t handle;

	if (p->freed_count > 0) {
		handle = p->freed[--p->freed_count];
	} else if (p->used < p->limit) {
		if (p->used == p->room)
			pool_resize(p, 2 * p->room);
		handle = p->used++;
	} else {
		p->refused++;
		return 0;
	}
	p->hash[handle] = hash;
	p->live++;
	pool_insert(p, handle);
	return handle;
}

static bool pool_full(const struct pool *p)
{
	return p->live >= p->threshold || p->refused > p->limit / 8;
}

static void pool_mark(struct pool *p, uint32_t handle)
{
	if (handle < p->used)
		p->mark[handle / 64] |= 1ull << (handle % 64);
}

static bool pool_marked(const struct pool *p, uint32_t handle)
{
	return p->mark[handle / 64] >> (handle % 64) & 1;
}

/* Frees what is not marked: the caller has released the values.  The stack gives low handles out first. */
static void pool_sweep(struct pool *p)
{
	p->freed_count = 0;
	p->live = 0;
	memset(p->slot, 0, 2 * (size_t)p->room * sizeof(*p->slot));
	for (uint32_t h = p->used - 1; h > 0; h--) {
		if (pool_marked(p, h)) {
			pool_insert(p, h);
			p->live++;
		} else {
			p->freed[p->freed_count++] = h;
		}
	}
	memset(p->mark, 0, (p->room + 63) / 64 * sizeof(*p->mark));
	pool_set_threshold(p);
}

/* --- table --- */

/* Gives the values the room of their pool; what is new is zero. */
static void *values_resize(void *values, uint32_t *room, uint32_t wanted, size_t size)
{
	if (*room >= wanted)
		return values;
	values = mem_realloc(values, wanted, size);
	memset((char *)values + *room * size, 0, (wanted - *room) * size);
	*room = wanted;
	return values;
}

struct cell_table *table_create_limited(uint32_t styles, uint32_t clusters, uint32_t links)
{
	struct cell_table *t = mem_zalloc(1, sizeof(*t));

	pool_init(&t->styles, styles);
	pool_init(&t->clusters, clusters);
	pool_init(&t->links, links);
	t->style = mem_zalloc(t->styles.room, sizeof(*t->style));
	t->cluster = mem_zalloc(t->clusters.room, sizeof(*t->cluster));
	t->link = mem_zalloc(t->links.room, sizeof(*t->link));
	return t;
}

struct cell_table *table_create(void)
{
	return table_create_limited(CELL_STYLES_MAX, CELL_CLUSTERS_MAX, CELL_LINKS_MAX);
}

static void cluster_release(struct cluster *c)
{
	free(c->cps);
	*c = (struct cluster){0};
}

static void link_release(struct link *l)
{
	free(l->id);
	free(l->uri);
	*l = (struct link){0};
}

void table_destroy(struct cell_table *t)
{
	if (!t)
		return;
	for (uint32_t h = 0; h < t->clusters.used; h++)
		cluster_release(&t->cluster[h]);
	for (uint32_t h = 0; h < t->links.used; h++)
		link_release(&t->link[h]);
	pool_finish(&t->styles);
	pool_finish(&t->clusters);
	pool_finish(&t->links);
	free(t->style);
	free(t->cluster);
	free(t->link);
	free(t);
}

/* A finalizer that spreads every bit over the low ones, which choose the slot. */
static uint32_t hash_finish(uint64_t h)
{
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static uint64_t hash_add(uint64_t h, uint32_t value)
{
	return (h ^ value) * 0x100000001b3u + (h >> 29);
}

static uint32_t hash_bytes(uint64_t h, const char *s)
{
	while (*s)
		h = hash_add(h, (uint8_t)*s++);
	return hash_finish(h);
}

/* --- styles --- */

static bool style_equal(const struct style *a, const struct style *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static uint32_t style_hash(const struct style *s)
{
	uint64_t h = hash_add(0xcbf29ce484222325u, s->fg);

	h = hash_add(h, s->bg);
	h = hash_add(h, s->underline_color);
	h = hash_add(h, (uint32_t)s->attrs << 8 | s->underline);
	return hash_finish(hash_add(h, s->link));
}

static uint32_t style_intern(struct cell_table *t, const struct style *s)
{
	uint32_t hash, at, room = t->styles.room, handle;

	if (style_equal(s, &default_style))
		return 0;
	at = hash = style_hash(s);
	while ((handle = pool_next(&t->styles, hash, &at)) != 0) {
		if (style_equal(&t->style[handle], s))
			return handle;
	}
	handle = pool_take(&t->styles, hash);
	t->style = values_resize(t->style, &room, t->styles.room, sizeof(*t->style));
	if (handle)
		t->style[handle] = *s;
	return handle;
}

uint32_t table_style(struct cell_table *t, const struct style *s)
{
	uint32_t handle;

	if (style_equal(s, &t->last))
		return t->last_handle;
	handle = style_intern(t, s);
	if (handle || style_equal(s, &default_style)) {
		t->last = *s;
		t->last_handle = handle;
	}
	return handle;
}

const struct style *table_style_value(const struct cell_table *t, uint32_t handle)
{
	return handle < t->styles.used ? &t->style[handle] : &default_style;
}

/* --- clusters --- */

uint32_t table_cluster(struct cell_table *t, const uint32_t *cps, size_t count)
{
	uint64_t h = count;
	uint32_t hash, at, handle, room = t->clusters.room;

	if (count > CELL_CLUSTER_CODE_POINTS)
		count = CELL_CLUSTER_CODE_POINTS;
	if (count <= 1)
		return count ? cps[0] & GLYPH_VALUE : 0;
	for (size_t i = 0; i < count; i++)
		h = hash_add(h, cps[i]);
	at = hash = hash_finish(h);
	while ((handle = pool_next(&t->clusters, hash, &at)) != 0) {
		const struct cluster *c = &t->cluster[handle];

		if (c->count == count && memcmp(c->cps, cps, count * sizeof(*cps)) == 0)
			return GLYPH_CLUSTER | handle;
	}
	handle = pool_take(&t->clusters, hash);
	t->cluster = values_resize(t->cluster, &room, t->clusters.room, sizeof(*t->cluster));
	if (!handle)
		return cps[0] & GLYPH_VALUE;
	t->cluster[handle].cps = mem_alloc(count * sizeof(*cps));
	memcpy(t->cluster[handle].cps, cps, count * sizeof(*cps));
	t->cluster[handle].count = (uint32_t)count;
	return GLYPH_CLUSTER | handle;
}

size_t table_glyph(const struct cell_table *t, uint32_t glyph, uint32_t *out)
{
	uint32_t value = glyph & GLYPH_VALUE;

	if (glyph & GLYPH_TAIL || value == 0)
		return 0;
	if (!(glyph & GLYPH_CLUSTER)) {
		out[0] = value;
		return 1;
	}
	if (value >= t->clusters.used)
		return 0;
	for (uint32_t i = 0; i < t->cluster[value].count; i++)
		out[i] = t->cluster[value].cps[i];
	return t->cluster[value].count;
}

void table_glyph_utf8(const struct cell_table *t, uint32_t glyph, struct buf *out)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count;

	if (glyph & GLYPH_TAIL)
		return;
	count = table_glyph(t, glyph, cps);
	if (count == 0)
		buf_addc(out, ' ');
	for (size_t i = 0; i < count; i++)
		buf_add_utf8(out, cps[i]);
}

/* --- links --- */

static bool printable(const char *s)
{
	while (*s >= 32 && *s <= 126)
		s++;
	return *s == '\0';
}

static bool string_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static uint32_t link_find(const struct cell_table *t, uint32_t hash, const char *id, const char *uri)
{
	uint32_t at = hash, handle;

	while ((handle = pool_next(&t->links, hash, &at)) != 0) {
		const struct link *l = &t->link[handle];

		if (string_equal(l->id, id) && strcmp(l->uri, uri) == 0)
			return handle;
	}
	return 0;
}

uint32_t table_link(struct cell_table *t, const char *id, const char *uri)
{
	uint32_t hash, handle, room = t->links.room;

	if (!*uri || strlen(uri) > CELL_LINK_BYTES_MAX || !printable(uri))
		return 0;
	if (id && (!*id || strlen(id) > CELL_LINK_ID_MAX || !printable(id)))
		id = NULL;
	hash = hash_bytes(id ? hash_bytes(1, id) : 0, uri);
	handle = id ? link_find(t, hash, id, uri) : 0;
	if (handle)
		return handle;
	handle = pool_take(&t->links, hash);
	t->link = values_resize(t->link, &room, t->links.room, sizeof(*t->link));
	if (handle)
		t->link[handle] = (struct link){.id = mem_strdup(id), .uri = mem_strdup(uri)};
	return handle;
}

const char *table_link_uri(const struct cell_table *t, uint32_t link)
{
	return link < t->links.used ? t->link[link].uri : NULL;
}

const char *table_link_id(const struct cell_table *t, uint32_t link)
{
	return link < t->links.used ? t->link[link].id : NULL;
}

/* --- collection --- */

bool table_full(const struct cell_table *t)
{
	return pool_full(&t->styles) || pool_full(&t->clusters) || pool_full(&t->links);
}

void table_mark_style(struct cell_table *t, uint32_t style)
{
	pool_mark(&t->styles, style);
}

void table_mark_link(struct cell_table *t, uint32_t link)
{
	pool_mark(&t->links, link);
}

void table_mark_cells(struct cell_table *t, const struct cell *cells, size_t count)
{
	uint32_t last = 0;

	for (size_t i = 0; i < count; i++) {
		if (cells[i].style != last)
			pool_mark(&t->styles, last = cells[i].style);
		if (cells[i].glyph & GLYPH_CLUSTER)
			pool_mark(&t->clusters, cells[i].glyph & GLYPH_VALUE);
	}
}

/* A link is in use if a style that is in use has it. */
void table_sweep(struct cell_table *t)
{
	for (uint32_t h = 1; h < t->styles.used; h++) {
		if (pool_marked(&t->styles, h))
			pool_mark(&t->links, t->style[h].link);
		else
			t->style[h] = default_style;
	}
	for (uint32_t h = 1; h < t->clusters.used; h++) {
		if (!pool_marked(&t->clusters, h))
			cluster_release(&t->cluster[h]);
	}
	for (uint32_t h = 1; h < t->links.used; h++) {
		if (!pool_marked(&t->links, h))
			link_release(&t->link[h]);
	}
	pool_sweep(&t->styles);
	pool_sweep(&t->clusters);
	pool_sweep(&t->links);
	t->last = default_style;
	t->last_handle = 0;
	t->generation++;
}

uint32_t table_generation(const struct cell_table *t)
{
	return t->generation;
}

size_t table_style_count(const struct cell_table *t)
{
	return t->styles.live;
}

size_t table_cluster_count(const struct cell_table *t)
{
	return t->clusters.live;
}

size_t table_link_count(const struct cell_table *t)
{
	return t->links.live;
}
