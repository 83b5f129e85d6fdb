/* dictionary: see dictionary.h. */
#include "wire/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wire/delta_format.h"

enum { ATTRS_KNOWN = 0x1ff };

/* The translation of a definition, good for one generation of the table. */
struct translation {
	bool defined, done;
	uint32_t generation;
	uint32_t handle;
};

struct style_entry {
	struct translation to;
	struct style value;   /* its link is a handle of the connection, */
	uint64_t link_serial; /* as it was defined then: a link that is defined anew ends the styles that have
				 it */
};

struct cluster_entry {
	struct translation to;
	uint32_t count;
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
};

struct link_entry {
	struct translation to;
	uint64_t serial;
	char *id, *uri;
};

struct mirror_dictionary {
	struct style_entry *style;
	struct cluster_entry *cluster;
	struct link_entry *link;
	uint32_t styles, clusters, links; /* entries there is room for */
	uint64_t serial;                  /* of the last link that was defined */
};

struct mirror_dictionary *dictionary_create(void)
{
	return mem_zalloc(1, sizeof(struct mirror_dictionary));
}

void dictionary_destroy(struct mirror_dictionary *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->links; i++) {
		free(d->link[i].id);
		free(d->link[i].uri);
	}
	free(d->style);
	free(d->cluster);
	free(d->link);
	free(d);
}

/* Makes room for an entry; what is new is zero. */
static void *grow(void *entries, uint32_t *room, uint32_t handle, size_t size)
{
	uint32_t wanted = *room ? *room : 16;

	while (wanted <= handle)
		wanted *= 2;
	if (wanted == *room)
		return entries;
	entries = mem_realloc(entries, wanted, size);
	memset((char *)entries + *room * size, 0, (wanted - *room) * size);
	*room = wanted;
	return entries;
}

bool dictionary_code_point(uint32_t cp)
{
	return cp >= 0x20 && (cp < 0x7f || cp >= 0xa0) && cp <= 0x10ffff && (cp < 0xd800 || cp >= 0xe000);
}

static bool is_color(color_t c)
{
	return c == COLOR_DEFAULT || (COLOR_IS_INDEX(c) && COLOR_VALUE(c) < 256) || COLOR_IS_RGB(c);
}

/* --- definitions --- */

bool dictionary_read_style(struct mirror_dictionary *d, struct wire_in *in)
{
	uint16_t handle = wire_u16(in), link = 0;
	unsigned fields = wire_u8(in);
	struct style s = {0};

	if (fields & STYLE_FG)
		s.fg = wire_u32(in);
	if (fields & STYLE_BG)
		s.bg = wire_u32(in);
	if (fields & STYLE_UNDERLINE_COLOR)
		s.underline_color = wire_u32(in);
	if (fields & STYLE_ATTRS)
		s.attrs = wire_u16(in) & ATTRS_KNOWN;
	if (fields & STYLE_UNDERLINE)
		s.underline = wire_u8(in);
	if (fields & STYLE_LINK)
		link = wire_u16(in);
	s.link = link;
	if (in->failed || handle == 0 || fields & ~(unsigned)STYLE_FIELDS || !is_color(s.fg) ||
	    !is_color(s.bg) || !is_color(s.underline_color) || s.underline > UNDERLINE_DASHED ||
	    (link && (link >= d->links || !d->link[link].to.defined)))
		return false;
	d->style = grow(d->style, &d->styles, handle, sizeof(*d->style));
	d->style[handle] = (struct style_entry){
	    .to = {.defined = true}, .value = s, .link_serial = link ? d->link[link].serial : 0};
	return true;
}

bool dictionary_read_cluster(struct mirror_dictionary *d, struct wire_in *in)
{
	uint16_t handle = wire_u16(in);
	struct cluster_entry entry = {.to = {.defined = true}, .count = wire_u8(in)};

	if (handle == 0 || entry.count < 1 || entry.count > CELL_CLUSTER_CODE_POINTS)
		return false;
	for (uint32_t i = 0; i < entry.count; i++) {
		entry.cps[i] = wire_u32(in);
		if (!dictionary_code_point(entry.cps[i]))
			return false;
	}
	if (in->failed)
		return false;
	d->cluster = grow(d->cluster, &d->clusters, handle, sizeof(*d->cluster));
	d->cluster[handle] = entry;
	return true;
}

bool dictionary_read_link(struct mirror_dictionary *d, struct wire_in *in)
{
	uint16_t handle = wire_u16(in);
	size_t id_len, uri_len;
	const char *id = wire_string(in, &id_len), *uri = wire_string(in, &uri_len);
	struct link_entry *entry;

	if (in->failed || handle == 0 || handle >= CELL_LINKS_MAX || id_len > CELL_LINK_ID_MAX ||
	    uri_len > CELL_LINK_BYTES_MAX)
		return false;
	d->link = grow(d->link, &d->links, handle, sizeof(*d->link));
	entry = &d->link[handle];
	free(entry->id);
	free(entry->uri);
	*entry = (struct link_entry){.to = {.defined = true}, .serial = ++d->serial};
	entry->id = id_len > 0 ? mem_strndup(id, id_len) : NULL;
	entry->uri = mem_strndup(uri, uri_len);
	return true;
}

/* --- translations --- */

static bool is_current(const struct translation *to, const struct cell_table *t)
{
	return to->done && to->generation == table_generation(t);
}

/* Remembers a handle, unless it only stands for what the table could not take. */
static uint32_t translated(struct translation *to, const struct cell_table *t, uint32_t handle, bool lost)
{
	to->done = !lost;
	to->generation = table_generation(t);
	to->handle = handle;
	return handle;
}

static uint32_t translate_link(struct mirror_dictionary *d, struct cell_table *t, uint32_t link, bool *lost)
{
	struct link_entry *entry = &d->link[link];
	uint32_t handle;

	if (is_current(&entry->to, t))
		return entry->to.handle;
	handle = table_link(t, entry->id, entry->uri);
	if (handle == 0 && table_full(t))
		*lost = true;
	return translated(&entry->to, t, handle, handle == 0);
}

bool dictionary_style(
    struct mirror_dictionary *d, struct cell_table *t, uint16_t handle, uint32_t *out, bool *lost)
{
	struct style_entry *entry = handle < d->styles ? &d->style[handle] : NULL;
	bool failed = false;
	struct style s;

	*out = 0;
	if (handle == 0)
		return true;
	if (!entry || !entry->to.defined)
		return false;
	s = entry->value;
	if (s.link && d->link[s.link].serial != entry->link_serial)
		return false;
	*out = entry->to.handle;
	if (is_current(&entry->to, t))
		return true;
	if (s.link)
		s.link = translate_link(d, t, s.link, &failed);
	*out = table_style(t, &s);
	failed = failed || (*out == 0 && memcmp(&s, &(struct style){0}, sizeof(s)) != 0);
	translated(&entry->to, t, *out, failed);
	*lost = *lost || failed;
	return true;
}

bool dictionary_cluster(
    struct mirror_dictionary *d, struct cell_table *t, uint16_t handle, uint32_t *out, bool *lost)
{
	struct cluster_entry *entry = handle < d->clusters ? &d->cluster[handle] : NULL;
	bool failed;

	if (!entry || !entry->to.defined)
		return false;
	*out = entry->to.handle;
	if (is_current(&entry->to, t))
		return true;
	*out = table_cluster(t, entry->cps, entry->count);
	failed = entry->count > 1 && !(*out & GLYPH_CLUSTER);
	translated(&entry->to, t, *out, failed);
	*lost = *lost || failed;
	return true;
}
