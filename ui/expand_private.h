/* expand_private: what is known of the outer terminal, and of the language, for expand*.c alone. */
#ifndef HANDLER_UI_EXPAND_PRIVATE_H
#define HANDLER_UI_EXPAND_PRIVATE_H

#include <string.h>

#include "base/unicode.h"
#include "ui/expand.h"

enum known { UNKNOWN, SHOWN, HIDDEN };

struct blanks {
	int row, col, count;
	uint32_t handle;     /* of the last */
	struct style style;  /* of the first */
	struct style normal; /* what of it shows on a blank */
};

struct expand {
	struct outer_caps caps;
	int rows, cols;

	/* the outer terminal */
	int real_row, real_col; /* -1: unknown; the column alone may be */
	struct style pen;       /* as resolved */
	bool pen_known;
	enum known cursor;
	int shape; /* DECSCUSR, -1: unknown */
	color_t color;
	bool shape_sent, color_sent;

	/* the language: place and style go on from frame to frame, as curses thinks they do */
	const struct expand_handles *handles;
	int at_row, at_col;
	int tail_row, tail_col; /* the tail of the head printed last; -1: none */
	uint32_t style;
	/* behind the text printed last, if it is not ASCII: what would join it, and where */
	struct grapheme joint;
	int joint_row, joint_col; /* -1: nothing would */
	struct blanks blanks;
	struct buf body;
	bool drawn; /* the body has more than a move of the cursor */

	/* styles as they are sent, by handle, of this generation of the table */
	struct style *resolved;
	uint8_t *resolved_known;
	size_t resolved_room;
	uint32_t generation;
	unsigned shown; /* enum shown: everything that was ever drawn */
};

/* What of styles is sent in another way where the terminal can do more, or less. */
enum shown {
	SHOWN_COLORS = 1 << 0, /* of the first 16 */
	SHOWN_RGB = 1 << 1,    /* any other */
	SHOWN_UNDERLINE_STYLE = 1 << 2,
	SHOWN_UNDERLINE_COLOR = 1 << 3,
	SHOWN_STRIKE = 1 << 4,
	SHOWN_OVERLINE = 1 << 5,
	SHOWN_LINK = 1 << 6,
};

static inline bool style_same(const struct style *a, const struct style *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* expand_pen.c */
void expand_resolved_reset(struct expand *e); /* the table's handles, or the capabilities, are others now */
const struct style *expand_wanted_style(struct expand *e);
struct style expand_blank_style(const struct style *s);
void expand_set_pen(struct expand *e, const struct style *to);
void expand_send_link(struct expand *e, uint32_t link); /* 0: closes it */
/* expand_print.c */
void expand_place_unknown(struct expand *e);
void expand_go(struct expand *e, int row, int col);
void expand_go_absolute(struct expand *e, int row, int col); /* leaves real_row and real_col to the caller */
bool expand_is_erased(const struct style *s);
void expand_put_char(struct expand *e, uint32_t cp); /* a character of the language, at its place */
void expand_flush_blanks(struct expand *e);
/* expand_parse.c */
void expand_parse(struct expand *e, const char *s, size_t len);

#endif
