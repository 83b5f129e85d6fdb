/* cluster: see cluster.h */
#include "base/unicode.h"
#include "base/utf8.h"
#include "ui/cluster.h"

static int decode(const char *s, size_t len, uint32_t *cp)
{
	int n = utf8_decode(s, len, cp, NULL);

	if (n > 0)
		return n;
	*cp = UTF8_REPLACEMENT; /* cut off at the end */
	return (int)len;
}

bool cluster_next(const char *s, size_t len, struct text_cluster *out)
{
	struct grapheme state = {0};
	uint32_t cp;

	*out = (struct text_cluster){0};
	while (out->bytes < len) {
		int n = decode(s + out->bytes, len - out->bytes, &cp);

		if (grapheme_break(&state, cp) && out->bytes > 0)
			break;
		if (out->count < CELL_CLUSTER_CODE_POINTS)
			out->cps[out->count++] = cp;
		out->bytes += (size_t)n;
	}
	out->width = cluster_width(out->cps, out->count);
	if (out->width < 0)
		out->width = 0;
	return out->bytes > 0;
}

size_t cluster_before(const char *s, size_t at)
{
	struct text_cluster c;
	size_t line = at, pos;

	while (line > 0 && s[line - 1] != '\n')
		line--;
	if (line == at)
		return at > 0 ? at - 1 : 0;
	for (pos = line; pos < at && cluster_next(s + pos, at - pos, &c) && pos + c.bytes < at;
	     pos += c.bytes)
		;
	return pos;
}
