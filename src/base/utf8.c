/* utf8: see utf8.h.  Knows encoding and what may be shown; widths and cluster borders are base/unicode's. */
#include "base/utf8.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/unicode.h"

enum {
	SURROGATE_FIRST = 0xD800,
	SURROGATE_LAST = 0xDFFF,
	CODE_POINT_LAST = 0x10FFFF,
};

int utf8_encode(uint32_t cp, char *out)
{
	char bytes[UTF8_MAX];
	int n;

	if (cp > CODE_POINT_LAST || (cp >= SURROGATE_FIRST && cp <= SURROGATE_LAST))
		cp = UTF8_REPLACEMENT;
	n = utf8_put(cp, bytes);
	memcpy(out, bytes, (size_t)n);
	return n;
}

/* A row of table 3-7: the length a first byte announces and the range of the second byte. */
struct lead {
	uint8_t length; /* 0: cannot be a first byte */
	uint8_t low, high;
};

static struct lead lead_of(uint8_t byte)
{
	if (byte < 0xC2)
		return (struct lead){0, 0, 0};
	if (byte < 0xE0)
		return (struct lead){2, 0x80, 0xBF};
	if (byte < 0xF0)
		return (struct lead){3, byte == 0xE0 ? 0xA0 : 0x80, byte == 0xED ? 0x9F : 0xBF};
	if (byte < 0xF5)
		return (struct lead){4, byte == 0xF0 ? 0x90 : 0x80, byte == 0xF4 ? 0x8F : 0xBF};
	return (struct lead){0, 0, 0};
}

static int ill_formed(int consumed, uint32_t *cp, bool *ok)
{
	*cp = UTF8_REPLACEMENT;
	if (ok)
		*ok = false;
	return consumed;
}

int utf8_decode(const char *s, size_t len, uint32_t *cp, bool *ok)
{
	const uint8_t *p = (const uint8_t *)s;
	struct lead lead;
	uint32_t value;
	int i;

	if (len == 0)
		return 0;
	if (p[0] < 0x80) {
		*cp = p[0];
		if (ok)
			*ok = true;
		return 1;
	}
	lead = lead_of(p[0]);
	if (lead.length == 0)
		return ill_formed(1, cp, ok);
	value = p[0] & (0xFFu >> (lead.length + 1));
	for (i = 1; i < lead.length; i++) {
		if ((size_t)i == len)
			return 0;
		if (p[i] < (i == 1 ? lead.low : 0x80) || p[i] > (i == 1 ? lead.high : 0xBF))
			return ill_formed(i, cp, ok);
		value = value << 6 | (p[i] & 0x3F);
	}
	*cp = value;
	if (ok)
		*ok = true;
	return lead.length;
}

bool utf8_valid(const char *s, size_t len, size_t *offset)
{
	size_t at = 0;

	while (at < len) {
		uint32_t cp;
		bool ok;
		int n = utf8_decode(s + at, len - at, &cp, &ok);

		if (n == 0 || !ok) {
			if (offset)
				*offset = at;
			return false;
		}
		at += (size_t)n;
	}
	return true;
}

/* Decodes a whole text: what is cut off at its end is ill-formed. */
static size_t next_code_point(const char *s, size_t len, uint32_t *cp)
{
	int n = utf8_decode(s, len, cp, NULL);

	if (n > 0)
		return (size_t)n;
	*cp = UTF8_REPLACEMENT;
	return len;
}

/*
 * The longest sequences in use (families, flags of regions) have ten code points, and a letter with 30 marks
 * is the limit of the stream-safe text format (UAX 15): what follows in a cluster is no part of anything
 * readable.
 */
enum { CLUSTER_MAX = 32 };

/* One cluster of a text.  Code points past CLUSTER_MAX are counted in len only. */
struct cluster {
	size_t len; /* bytes */
	size_t count;
	uint32_t cps[CLUSTER_MAX];
};

/* Reads the cluster at s[0..len); false at the end of the text. */
static bool next_cluster(const char *s, size_t len, struct cluster *c)
{
	struct grapheme g = {0};
	uint32_t cp;

	c->len = 0;
	c->count = 0;
	while (c->len < len) {
		size_t n = next_code_point(s + c->len, len - c->len, &cp);

		if (grapheme_break(&g, cp) && c->len > 0)
			break;
		c->len += n;
		if (c->count < CLUSTER_MAX)
			c->cps[c->count++] = cp;
	}
	return c->len > 0;
}

int utf8_columns(const char *s, size_t len)
{
	struct cluster c;
	int columns = 0;

	for (; next_cluster(s, len, &c); s += c.len, len -= c.len)
		columns += cluster_width(c.cps, c.count);
	return columns;
}

size_t utf8_fit(const char *s, size_t len, int columns, int *used)
{
	struct cluster c;
	size_t fitting = 0;
	int sum = 0;

	while (next_cluster(s + fitting, len - fitting, &c)) {
		int width = cluster_width(c.cps, c.count);

		if (width > columns - sum)
			break;
		sum += width;
		fitting += c.len;
	}
	if (used)
		*used = sum;
	return fitting;
}

/* White_Space: what may separate words, and must not move the cursor. */
static bool is_space(uint32_t cp)
{
	return cp == ' ' || (cp >= 0x09 && cp <= 0x0D) || cp == 0x85 || cp == 0xA0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 || cp == 0x2029 || cp == 0x202F ||
	       cp == 0x205F || cp == 0x3000;
}

/*
 * Controls, and formats that show nothing and can make a text look like another one (UTS 39): bidirectional
 * controls, invisible operators, the byte order mark, interlinear annotation.  U+200C and U+200D stay:
 * scripts and emoji need them.
 */
static bool is_hidden(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {0x00, 0x1F},
	    {0x7F, 0x9F},
	    {0xAD, 0xAD},
	    {0x61C, 0x61C},
	    {0x180E, 0x180E},
	    {0x200B, 0x200B},
	    {0x200E, 0x200F},
	    {0x202A, 0x202E},
	    {0x2060, 0x206F},
	    {0xFEFF, 0xFEFF},
	    {0xFFF9, 0xFFFB},
	    {0xE0000, 0xE001F},
	};
	size_t i;

	for (i = 0; i < COUNT_OF(ranges) && ranges[i].first <= cp; i++) {
		if (cp <= ranges[i].last)
			return true;
	}
	return false;
}

/* A tag spells out a flag after U+1F3F4 and is a hiding place for text everywhere else (UTS 51, ED-14a). */
static bool is_tag(uint32_t cp)
{
	return cp >= 0xE0020 && cp <= 0xE007F;
}

/* What sanitizing knows of the text so far. */
struct sanitizer {
	struct buf out;
	struct grapheme grapheme;
	int in_cluster; /* code points of the current cluster */
	bool space;     /* the last thing put out is white space */
	bool flag;      /* U+1F3F4 and tags only since the cluster began */
};

static void sanitize_code_point(struct sanitizer *z, uint32_t cp)
{
	enum { BLACK_FLAG = 0x1F3F4 };

	if (is_space(cp)) {
		if (z->space)
			return;
		cp = ' ';
		z->space = true;
	} else if (is_hidden(cp) || (is_tag(cp) && !z->flag)) {
		return;
	} else {
		z->space = false;
	}
	z->flag = cp == BLACK_FLAG || (is_tag(cp) && z->flag);
	if (grapheme_break(&z->grapheme, cp))
		z->in_cluster = 0;
	if (z->in_cluster++ < CLUSTER_MAX)
		buf_add_utf8(&z->out, cp);
}

char *utf8_sanitize(const char *s, size_t len, int max_columns)
{
	struct sanitizer z = {.out = BUF_INIT};

	while (len > 0) {
		uint32_t cp;
		size_t n = next_code_point(s, len, &cp);

		sanitize_code_point(&z, cp);
		s += n;
		len -= n;
	}
	if (max_columns > 0 && utf8_columns(z.out.data, z.out.len) > max_columns) {
		buf_truncate(&z.out, utf8_fit(z.out.data, z.out.len, max_columns - 1, NULL));
		buf_adds(&z.out, "…");
	}
	return buf_steal(&z.out);
}
