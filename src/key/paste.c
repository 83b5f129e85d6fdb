/*
 * paste: text that is typed at once.  Nothing in it can end the frame of a bracketed paste or act as a
 * control: ESC and C1 are not let through, so "ESC [ 201 ~" arrives as "[201~".
 */
#include <string.h>

#include "base/utf8.h"
#include "key/table.h"

static bool is_dropped(uint32_t cp)
{
	return char_is_control(cp) && cp != '\t' && cp != '\n' && cp != '\r';
}

/* Length of the run of plain printable ASCII at s: the common case is copied whole. */
static size_t plain_run(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7F)
		n++;
	return n;
}

static size_t add_one(const char *s, size_t len, struct buf *out)
{
	uint32_t cp;
	int used;

	if (s[0] == '\r' || s[0] == '\n') {
		buf_addc(out, '\r');
		return s[0] == '\r' && len > 1 && s[1] == '\n' ? 2 : 1;
	}
	used = utf8_decode(s, len, &cp, NULL);
	if (used == 0) { /* cut inside a character */
		buf_add_utf8(out, UTF8_REPLACEMENT);
		return len;
	}
	if (!is_dropped(cp))
		buf_add_utf8(out, cp);
	return (size_t)used;
}

void paste_encode(
    const char *text, size_t len, const struct key_modes *m, bool first, bool last, struct buf *out)
{
	size_t at = 0;

	if (first && m->bracketed_paste)
		buf_adds(out, "\033[200~");
	while (at < len) {
		size_t run = plain_run(text + at, len - at);

		buf_add(out, text + at, run);
		at += run;
		if (at < len)
			at += add_one(text + at, len - at, out);
	}
	if (last && m->bracketed_paste)
		buf_adds(out, "\033[201~");
}

size_t paste_cut(const char *text, size_t len, size_t max)
{
	size_t end = len < max ? len : max;

	for (size_t back = 1; back < UTF8_MAX && back <= end; back++) {
		uint8_t byte = (uint8_t)text[end - back];
		uint32_t cp;

		if (byte >= 0xC0) { /* a first byte: the character is whole, or starts the next piece */
			if (utf8_decode(text + end - back, back, &cp, NULL) == 0)
				end -= back;
			break;
		}
		if (byte < 0x80)
			break;
	}
	if (end > 0 && text[end - 1] == '\r' && (end == len || text[end] == '\n'))
		end--;
	return end;
}
