/* letters: see letters.h. */
#include "term/letters.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* General punctuation to arrows, boxes, shapes, dingbats, braille; private use; selectors; emoji. */
bool letters_has(uint32_t cp)
{
	if (cp < 0x2000)
		return cp > 0x20 && (cp < 0x7f || cp > 0xa0);
	if (cp < 0x2c00 || (cp >= 0xe000 && cp < 0xf900) || (cp >= 0xfe00 && cp < 0xfe10))
		return false;
	return cp < 0x1f000 || (cp >= 0x20000 && cp < 0xe0000);
}

static void add(struct letters *l, uint32_t cp)
{
	if (l->count == l->room) {
		l->room = l->room ? 2 * l->room : 256;
		l->cp = mem_realloc(l->cp, l->room, sizeof(*l->cp));
	}
	l->cp[l->count++] = cp;
}

void letters_finish(struct letters *l)
{
	free(l->cp);
	*l = (struct letters){0};
}

void letters_add(struct letters *l, const struct row *r, const struct cell_table *t, int from, int to)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	for (int col = from; col < to && col < r->cols; col++) {
		uint32_t glyph = r->cells[col].glyph;
		size_t count;

		if (glyph - '!' <= '~' - '!') { /* most of all */
			add(l, glyph);
			continue;
		}
		if (glyph == 0 || glyph == ' ')
			continue;
		count = table_glyph(t, glyph, cps);
		for (size_t i = 0; i < count; i++) {
			if (letters_has(cps[i]))
				add(l, cps[i]);
		}
	}
}

int letters_columns(const struct row *r, const struct cell_table *t, int from, size_t count)
{
	struct letters l = {0};

	while (from < r->cols && l.count < count) {
		letters_add(&l, r, t, from, from + 1);
		from++;
	}
	letters_finish(&l);
	return from;
}

void letters_add_packed(struct letters *l, const void *packed, size_t len)
{
	const char *text;
	size_t text_len;
	uint16_t flags;

	if (row_packed_text(packed, len, &text, &text_len, &flags) != 0)
		return;
	for (size_t at = 0; at < text_len;) {
		uint32_t cp;
		int n = utf8_decode(text + at, text_len - at, &cp, NULL);

		if (n > 0 && letters_has(cp))
			add(l, cp);
		at += n > 0 ? (size_t)n : 1;
	}
}

/* --- sums --- */

static uint64_t mix(uint64_t sum, uint32_t cp)
{
	sum = (sum ^ cp) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

/* Even, and 0 for nothing alone. */
static uint64_t settled(uint64_t sum, bool any)
{
	sum &= ~(uint64_t)1;
	return !any ? 0 : sum ? sum : 2;
}

uint64_t letters_sum(const uint32_t *cp, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = mix(sum, cp[i]);
	return settled(sum, count > 0);
}

uint64_t letters_of(const struct row *r, const struct cell_table *t, int from, int to)
{
	uint64_t sum = 0;
	bool any = false;

	for (int col = from; col < to && col < r->cols; col++) {
		uint32_t glyph = r->cells[col].glyph, cps[CELL_CLUSTER_CODE_POINTS];

		if (glyph - '!' <= '~' - '!') { /* most of all */
			sum = mix(sum, glyph);
			any = true;
			continue;
		}
		if (glyph == 0 || glyph == ' ')
			continue;
		for (size_t i = 0, count = table_glyph(t, glyph, cps); i < count; i++) {
			if (!letters_has(cps[i]))
				continue;
			sum = mix(sum, cps[i]);
			any = true;
		}
	}
	return settled(sum, any);
}

/* --- finding --- */

static bool is_at(const struct letters *l, size_t at, const uint32_t *wanted, size_t count)
{
	return l->cp[at] == wanted[0] && memcmp(&l->cp[at], wanted, count * sizeof(*wanted)) == 0;
}

long letters_find(const struct letters *l, size_t from, size_t to, const uint32_t *wanted, size_t count)
{
	to = to < l->count ? to : l->count;
	for (size_t at = from; count > 0 && at + count <= to; at++) {
		if (is_at(l, at, wanted, count))
			return (long)at;
	}
	return -1;
}

long letters_find_last(const struct letters *l, size_t from, size_t to, const uint32_t *wanted, size_t count)
{
	for (size_t end = to; count > 0 && end >= from + count; end--) {
		if (is_at(l, end - count, wanted, count))
			return (long)(end - count);
	}
	return -1;
}
