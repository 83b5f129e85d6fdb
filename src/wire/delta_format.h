/*
 * delta_format: how a delta is laid out.  Shared by delta.c and encode.c, which write, and mirror.c and
 * dictionary.c, which read.
 *
 * SCREEN: flags u8, rows u16, columns u16, top u64, first row of history u64, modes u32, cursor (row u16,
 * column u16, flags u8, shape u8, colour u32), operations.  ROWS: number of the first row u64, first row of
 * history u64, top u64, count u32, operations.  An operation is its byte and what is said below; it ends the
 * payload or is followed by another.
 */
#ifndef HANDLER_WIRE_DELTA_FORMAT_H
#define HANDLER_WIRE_DELTA_FORMAT_H

enum {
	DELTA_FULL = 1, /* all rows are blank before the operations */
	DELTA_MORE = 2, /* the screen has further changes */
};

enum { DELTA_CURSOR_VISIBLE = 1, DELTA_CURSOR_BLINK = 2, DELTA_CURSOR_WRAP = 4 };

enum delta_op {
	OP_SCROLL = 1, /* top u16, bottom u16, count i16: rows [top, bottom) move up, down if negative */
	OP_STYLE =
	    2, /* handle u16, fields u8, those fields: colours u32, attributes u16, underline u8, link u16 */
	OP_CLUSTER = 3, /* handle u16, count u8, code points u32 */
	OP_LINK = 4, /* handle u16, id and URI, each with its length u16; ends the styles that have the former
			one */
	OP_ROW = 5,  /* row u16 (of ROWS: place in the message), flags u16, from u16, columns u16, runs */
};

/* A run of OP_ROW: style u16 (0: the default), columns u16, then glyphs until these columns are full. */
enum delta_glyph {
	/* 0x20..0x7e: that character in one column; 0xc2..: a code point in UTF-8 in one column */
	GLYPH_OP_BLANK = 0,   /* never written */
	GLYPH_OP_WIDE = 1,    /* the glyph after it takes two columns */
	GLYPH_OP_CLUSTER = 2, /* handle u16 */
	GLYPH_OP_REPEAT = 3,  /* count u16 of the glyph after it */
};

enum {
	STYLE_FG = 1 << 0,
	STYLE_BG = 1 << 1,
	STYLE_UNDERLINE_COLOR = 1 << 2,
	STYLE_ATTRS = 1 << 3,
	STYLE_UNDERLINE = 1 << 4,
	STYLE_LINK = 1 << 5,
	STYLE_FIELDS = (1 << 6) - 1,
};

enum { DELTA_ROWS_MAX = 4096 /* in a ROWS message */ };

#endif
