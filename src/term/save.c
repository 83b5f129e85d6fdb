/* save: the bytes that a saved terminal is made of.  See save.h; what of a terminal is saved is in
 * save_state.c. */
#include "term/save.h"

#include <string.h>

#include "base/mem.h"

static void put(struct buf *b, uint64_t value, int bytes)
{
	char out[8];

	for (int i = 0; i < bytes; i++)
		out[i] = (char)(value >> (8 * i));
	buf_add(b, out, (size_t)bytes);
}

void save_u8(struct buf *b, unsigned value)
{
	put(b, value, 1);
}

void save_u16(struct buf *b, unsigned value)
{
	put(b, value, 2);
}

void save_u32(struct buf *b, uint32_t value)
{
	put(b, value, 4);
}

void save_u64(struct buf *b, uint64_t value)
{
	put(b, value, 8);
}

void save_bytes(struct buf *b, const void *data, size_t len)
{
	save_u32(b, (uint32_t)len);
	buf_add(b, data, len);
}

void save_string(struct buf *b, const char *s)
{
	save_u8(b, s != NULL);
	if (s)
		save_bytes(b, s, strlen(s));
}

static uint64_t get(struct load *l, int bytes)
{
	uint64_t value = 0;

	if (l->end - l->at < bytes) {
		l->bad = true;
		l->at = l->end;
		return 0;
	}
	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)l->at[i] << (8 * i);
	l->at += bytes;
	return value;
}

unsigned load_u8(struct load *l)
{
	return (unsigned)get(l, 1);
}

unsigned load_u16(struct load *l)
{
	return (unsigned)get(l, 2);
}

uint32_t load_u32(struct load *l)
{
	return (uint32_t)get(l, 4);
}

uint64_t load_u64(struct load *l)
{
	return get(l, 8);
}

int load_within(struct load *l, int least, int most)
{
	int32_t value = (int32_t)load_u32(l);

	if (value >= least && value <= most)
		return value;
	l->bad = true;
	return least;
}

const uint8_t *load_bytes(struct load *l, size_t *len)
{
	const uint8_t *bytes;

	*len = load_u32(l);
	if ((size_t)(l->end - l->at) < *len) {
		l->bad = true;
		*len = 0;
	}
	bytes = l->at;
	l->at += *len;
	return bytes;
}

char *load_string(struct load *l)
{
	const uint8_t *bytes;
	size_t len;

	if (load_u8(l) == 0)
		return NULL;
	bytes = load_bytes(l, &len);
	return mem_strndup((const char *)bytes, len);
}
