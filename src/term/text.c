/* text: see text.h. */
#include "term/text.h"

#include <string.h>

#include "base/utf8.h"
#include "term/term.h"

/* The longest prefix of at most max bytes that does not end inside of a character. */
static size_t whole_characters(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

char *text_line(const char *text, size_t len)
{
	char *line = utf8_sanitize(text, whole_characters(text, len, TERM_TITLE_MAX), 0);

	line[whole_characters(line, strlen(line), TERM_TITLE_MAX)] =
	    '\0'; /* replacement characters are longer */
	return line;
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool text_base64(const char *text, size_t len, struct buf *out)
{
	unsigned bits = 0, count = 0;
	bool padded = false;

	buf_reserve(out, len / 4 * 3 + 3);
	for (size_t i = 0; i < len; i++) {
		int value = base64_value(text[i]);

		if (text[i] == '\r' || text[i] == '\n' || text[i] == ' ')
			continue;
		if (text[i] == '=') {
			padded = true;
			continue;
		}
		if (value < 0 || padded)
			return false;
		bits = bits << 6 | (unsigned)value;
		count++;
		if (count % 4 != 1)
			buf_addc(out, (char)(bits >> (6 - 2 * ((count - 1) % 4))));
	}
	return count % 4 != 1;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool text_hex(const char *text, size_t len, struct buf *out)
{
	if (len % 2 != 0)
		return false;
	for (size_t i = 0; i < len; i += 2) {
		int high = hex_value(text[i]), low = hex_value(text[i + 1]);

		if (high < 0 || low < 0)
			return false;
		buf_addc(out, (char)(high << 4 | low));
	}
	return true;
}

void text_to_hex(const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++)
		buf_printf(out, "%02x", (unsigned char)text[i]);
}

void text_percent(const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		int high = i + 2 < len && text[i] == '%' ? hex_value(text[i + 1]) : -1;
		int low = high >= 0 ? hex_value(text[i + 2]) : -1;

		if (low >= 0) {
			buf_addc(out, (char)(high << 4 | low));
			i += 2;
		} else {
			buf_addc(out, text[i]);
		}
	}
}

char *text_piece(char **at, char separator)
{
	char *piece = *at, *end;

	if (!piece)
		return NULL;
	end = strchr(piece, separator);
	if (end)
		*end++ = '\0';
	*at = end;
	return piece;
}

int text_number(const char *text)
{
	int number = 0;
	size_t len = strspn(text, "0123456789");

	if (len == 0 || len > 9 || text[len])
		return -1;
	for (; *text; text++)
		number = number * 10 + (*text - '0');
	return number;
}
