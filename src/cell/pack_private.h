/* pack_private: what pack.c writes and pack_read.c reads.  The layout of a packed row is in row.h. */
#ifndef HANDLER_CELL_PACK_PRIVATE_H
#define HANDLER_CELL_PACK_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/utf8.h"

enum {
	HEADER_SIZE = 14,
	LAYOUT_SIZE = 4,
	LAYOUT_WIDE = 1,  /* a head and its tail */
	LAYOUT_BLANK = 2, /* glyph 0, where the text has a space */
	COLUMNS_MAX =
	    4000, /* further ones are dropped: so text and layouts alone always fit into ROW_PACKED_MAX */
	RUN_SIZE_MAX = 22,
};

/* The fields of a run's style, in this order. */
enum {
	RUN_FG = 1 << 0,
	RUN_BG = 1 << 1,
	RUN_UNDERLINE_COLOR = 1 << 2,
	RUN_ATTRS = 1 << 3,
	RUN_UNDERLINE = 1 << 4,
	RUN_LINK = 1 << 5, /* u8: index in the links */
	RUN_FIELDS = (1 << 6) - 1,
};

static inline char *put_u16(char *at, unsigned v)
{
	at[0] = (char)v;
	at[1] = (char)(v >> 8);
	return at + 2;
}

/* A code point that may stand in a row: no control, no surrogate. */
static inline uint32_t plain(uint32_t cp)
{
	bool control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0);

	return control || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000) ? UTF8_REPLACEMENT : cp;
}

#endif
