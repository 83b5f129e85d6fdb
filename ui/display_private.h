/*
 * display_private: the state of the display and of its surfaces, for display*.c alone, and the only place
 * that includes <curses.h>.
 *
 * A curses cell is made as: chars[0] = ASCII, a box character, or a handle of `glyphs`; colour pair =
 * style handle of `table`; no attribute is ever used, so all of a style is in the pair.
 *
 * curses thinks every character one column wide: a wide glyph is a head and a tail character.
 * Its locale must be UTF-8 (wcrtomb), without the process having to change its own: each entry switches the
 * thread's.
 */
#ifndef HANDLER_UI_DISPLAY_PRIVATE_H
#define HANDLER_UI_DISPLAY_PRIVATE_H

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "ui/display.h"
#include "ui/expand.h"
#include "ui/handles.h"
#include "ui/widths.h"

#define key_name curses_key_name /* another function than that of key/key.h */
#include <curses.h>
#undef key_name

enum {
	SCROLLS_MAX = 8,        /* in one frame */
	SCROLL_MIN_CHANGED = 4, /* rows of a surface; fewer are not worth looking for a movement */
};

struct display {
	int rows, cols; /* of the outer terminal */
	int curses_rows, curses_cols;
	SCREEN *screen;
	FILE *out, *in;
	int fd; /* of out: what curses writes */
	locale_t locale;
	struct handles handles;
	struct expand *expand;
	uint32_t doubtful; /* of the outer terminal's capabilities */
	bool sync;
	uint32_t role[ROLE_COUNT]; /* style handles */
	bool dark, mono;
	bool plain;             /* no decoration: plain_char */
	uint64_t *pairs;        /* a bit for each pair that has been made */
	struct surface **stack; /* of the surfaces, the lowest first */
	size_t stack_count;
	bool restacked;                      /* a surface came, went or was raised since the last frame */
	cchar_t *line, *line_new, *line_old; /* a row each, and the terminator that win_wchnstr adds */
	uint8_t *fragile; /* by row of the screen: holds glyphs that the terminal may measure differently */
	bool whole, collected;
	struct expand_cursor cursor;
	struct expand_scroll scrolls[SCROLLS_MAX];
	size_t scroll_count;
	struct buf bytes;
};

struct surface {
	struct display *display;
	WINDOW *window;
	int row, col, rows, cols;
	uint64_t *before, *now; /* hashes of the rows in the last frame and in this one */
};

static inline locale_t enter(const struct display *d)
{
	return uselocale(d->locale);
}

static inline void leave(locale_t former)
{
	uselocale(former);
}

static inline uint32_t cell_style(const cchar_t *c)
{
	return (uint32_t)c->ext_color;
}

static inline bool is_tail(const cchar_t *c)
{
	return c->chars[0] == EXPAND_TAIL;
}

static inline uint32_t cell_glyph(const struct display *d, const cchar_t *c)
{
	return handles_glyph(&d->handles, (uint32_t)c->chars[0]);
}

static inline bool glyph_is_fragile(const struct display *d, const struct cell_table *table, uint32_t glyph)
{
	return widths_doubt(d->doubtful, table, glyph);
}

/* Cuts [*from, *from + *count) to [0, limit). */
static inline bool clip(int *from, int *count, int limit)
{
	if (*from < 0) {
		*count += *from;
		*from = 0;
	}
	if (*count > limit - *from)
		*count = limit - *from;
	return *count > 0;
}

/* display_cells.c */
void display_set_roles(struct display *d);
uint32_t display_role_style(const struct display *d, enum theme_role role);
cchar_t display_cell_in(struct display *d, uint32_t style);
void display_make_room(struct display *d);
void surface_mark_fragile(struct surface *s, int row);
/* display_surface.c */
void surface_put_line(struct surface *s, int row, int col, int count);
void surface_free(struct surface *s); /* it stays in the stack */
/* display_scroll.c */
int surface_hash(struct surface *s);
void display_find_scrolls(struct display *d);
void display_remember_hashes(struct display *d);

#endif
