/* utf8: encoding and decoding, Unicode 16 chapter 3 table 3-7 (well-formed sequences only). */
#ifndef HANDLER_BASE_UTF8_H
#define HANDLER_BASE_UTF8_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { UTF8_MAX = 4, UTF8_REPLACEMENT = 0xFFFD };

/* Writes 1..4 bytes; what is not a scalar value is written as U+FFFD.  Returns the number of bytes. */
int utf8_encode(uint32_t cp, char *out);

/*
 * The same for loops over many scalar values: always writes four bytes, and returns how many of them count.
 * It has no branch: in text of several scripts the length is as good as random.
 */
static inline int utf8_put(uint32_t cp, char out[UTF8_MAX])
{
	static const uint32_t marks[] = {
	    0, 0x80c0, 0x8080e0, 0x808080f0}; /* of the bytes, the first one lowest */
	int more = (cp > 0x7f) + (cp > 0x7ff) + (cp > 0xffff);
	uint32_t bits = cp >> 18 | (cp >> 4 & 0x3f00) | (cp << 10 & 0x3f0000) | cp << 26 >> 2;

	bits = htole32((more ? bits >> (24 - 8 * more) : cp) | marks[more]);
	memcpy(out, &bits, sizeof(bits));
	return more + 1;
}

/*
 * Decodes one code point of s[0..len).  Returns the bytes consumed (1..4) with *cp set; an ill-formed
 * sequence is consumed as its maximal subpart with *cp = U+FFFD and *ok = false.  Returns 0 when the bytes
 * are a proper prefix of a well-formed sequence and more are needed (only if len < 4), or when len is 0.  ok
 * may be NULL.
 */
int utf8_decode(const char *s, size_t len, uint32_t *cp, bool *ok);

/* Whether s is well-formed; if not, *offset (may be NULL) is that of the first ill-formed byte. */
bool utf8_valid(const char *s, size_t len, size_t *offset);

/*
 * A copy of s fit to be shown anywhere: ill-formed bytes become U+FFFD; C0, DEL, C1 and the formats that hide
 * or turn text around (bidirectional controls, zero-width space, invisible operators, soft hyphen, byte order
 * mark, tags that follow no U+1F3F4) are dropped; runs of white space, line ends among them, become one
 * space; of a cluster 32 code points stay; and it is cut (with "…") to at most max_columns terminal columns
 * (0: no limit).  Owned by the caller.  Whatever a pane or a file says passes through here before it reaches
 * the outer terminal.
 */
char *utf8_sanitize(const char *s, size_t len, int max_columns);

/* Terminal columns of a string of well-formed UTF-8, by grapheme cluster. */
int utf8_columns(const char *s, size_t len);

/* The byte length of the longest prefix of s that takes at most columns columns; *used (may be NULL) says how
 * many. */
size_t utf8_fit(const char *s, size_t len, int columns, int *used);

#endif
