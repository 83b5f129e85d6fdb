/*
 * expand: see expand.h.  Here: the frame from its scrolls to the cursor that the user sees, and what is
 * forgotten between frames.
 *
 * What curses wrote is read in expand_parse.c, printed in expand_print.c, in the styles of expand_pen.c.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/expand_private.h"

enum {
	PLANE_SIZE = 65534, /* U+xFFFE and U+xFFFF are no characters */
	SYNC_MIN = 24,      /* a body up to this long cannot be seen half done */
	HIDE_MIN = 256,     /* without mode 2026: a longer body hides the cursor while it is drawn */
};

#define COLOR_UNKNOWN ((color_t)0xff000000u) /* no colour that a cursor can have */

uint32_t expand_glyph_char(uint32_t index)
{
	return index < PLANE_SIZE ? 0xF0000 + index : 0x100000 + (index - PLANE_SIZE);
}

int64_t expand_glyph_index(uint32_t character)
{
	if (character >= 0xF0000 && character < 0xF0000 + PLANE_SIZE)
		return character - 0xF0000;
	if (character >= 0x100000 && character < 0x100000 + PLANE_SIZE)
		return (int64_t)character - 0x100000 + PLANE_SIZE;
	return -1;
}

/* --- scrolling --- */

bool expand_can_scroll(const struct expand *e, const struct expand_scroll *s)
{
	bool full_width = s->col == 0 && s->cols == e->cols;

	if (s->row < 0 || s->col < 0 || s->row + s->rows > e->rows || s->col + s->cols > e->cols)
		return false;
	/* DECSLRM with fewer than two columns is ignored: the whole width would move */
	return s->lines != 0 && abs(s->lines) < s->rows && e->caps.scroll_region &&
	       (full_width || (e->caps.margins && s->cols >= 2));
}

/*
 * DECSTBM, DECLRMM and DECSLRM, then line feeds at the last row or reverse indexes at the first: every
 * terminal with a scroll region does that, not every one knows SU and SD.  Blanks come in with the pen's
 * background, so it is the default one.
 */
static void scroll(struct expand *e, const struct expand_scroll *s)
{
	static const struct style plain;
	bool full_width = s->cols == e->cols, full_height = s->rows == e->rows;

	if (!expand_can_scroll(e, s))
		return;
	if (!e->pen_known || !expand_is_erased(&e->pen))
		expand_set_pen(e, &plain);
	if (!full_width)
		buf_printf(&e->body, "\033[?69h\033[%d;%ds", s->col + 1, s->col + s->cols);
	if (!full_height)
		buf_printf(&e->body, "\033[%d;%dr", s->row + 1, s->row + s->rows);
	expand_go_absolute(e, s->lines > 0 ? s->row + s->rows - 1 : s->row, s->col);
	for (int i = abs(s->lines); i > 0; i--)
		buf_adds(&e->body, s->lines > 0 ? "\n" : "\033M");
	if (!full_height) /* by no number: the terminal may have become larger, and we not know yet */
		buf_adds(&e->body, "\033[r");
	if (!full_width)
		buf_adds(&e->body, "\033[?69l");
	expand_place_unknown(e);
	e->joint_row = -1;
	e->drawn = true;
}

/* --- the cursor --- */

static int shape_code(const struct expand_cursor *c)
{
	static const int steady[] = {
	    [CURSOR_DEFAULT] = 0, [CURSOR_BLOCK] = 2, [CURSOR_UNDERLINE] = 4, [CURSOR_BAR] = 6};

	if (c->shape == CURSOR_DEFAULT || c->shape > CURSOR_BAR)
		return 0;
	return steady[c->shape] - (c->blink ? 1 : 0);
}

static void cursor_shape(struct expand *e, const struct expand_cursor *c)
{
	int code = shape_code(c);

	if (!e->caps.cursor_shape || e->shape == code || (e->shape < 0 && code == 0 && !e->shape_sent))
		return;
	buf_printf(&e->body, "\033[%d q", code);
	e->shape = code;
	e->shape_sent = true;
}

static void cursor_color(struct expand *e, const struct expand_cursor *c)
{
	color_t color = c->color;

	if (COLOR_IS_INDEX(color))
		color = COLOR_RGB(0, 0, 0) | color_palette_rgb((uint8_t)COLOR_VALUE(color));
	if (!e->caps.cursor_color || e->color == color)
		return;
	if (color == COLOR_DEFAULT)
		buf_adds(&e->body, "\033]112\033\\");
	else
		buf_printf(&e->body, "\033]12;#%06x\033\\", COLOR_VALUE(color));
	e->color = color;
	e->color_sent = true;
}

/* Moves, shows or hides; returns whether it has to be shown after the body. */
static bool finish_cursor(struct expand *e, const struct expand_cursor *c)
{
	bool visible = c->row >= 0 && c->row < e->rows && c->col >= 0 && c->col < e->cols;

	if (visible) {
		expand_go(e, c->row, c->col);
		cursor_shape(e, c);
		cursor_color(e, c);
	}
	return visible;
}

/* --- the frame --- */

/* Around the body: a synchronized update, or without that the cursor hidden while much is drawn. */
static void add_frame(struct expand *e, bool visible, struct buf *out)
{
	bool sync = e->caps.sync && e->drawn && e->body.len > SYNC_MIN;
	bool hide = e->cursor != HIDDEN && (!visible || (!e->caps.sync && e->body.len > HIDE_MIN));

	if (sync)
		buf_adds(out, "\033[?2026h");
	if (hide)
		buf_adds(out, "\033[?25l");
	buf_add(out, e->body.data, e->body.len);
	if (visible && (hide || e->cursor != SHOWN))
		buf_adds(out, "\033[?25h");
	if (sync)
		buf_adds(out, "\033[?2026l");
	e->cursor = visible ? SHOWN : HIDDEN;
}

static void begin_frame(struct expand *e, const struct expand_handles *handles)
{
	uint32_t generation = table_generation(handles->table);

	if (generation != e->generation)
		expand_resolved_reset(e);
	e->generation = generation;
	e->handles = handles;
	e->tail_row = e->tail_col = -1;
	e->blanks.count = 0;
	e->drawn = false;
	buf_clear(&e->body);
}

/* A link is open only within a frame: handles may mean another one in the next. */
static void close_link(struct expand *e)
{
	if (!e->pen_known || e->pen.link == 0)
		return;
	expand_send_link(e, 0);
	e->pen.link = 0;
}

bool expand_frame(
    struct expand *e, const struct expand_handles *handles, const struct expand_frame *frame, struct buf *out)
{
	size_t before = out->len;
	bool visible;

	begin_frame(e, handles);
	for (size_t i = 0; i < frame->scroll_count; i++)
		scroll(e, &frame->scrolls[i]);
	expand_parse(e, frame->data, frame->len);
	close_link(e);
	visible = finish_cursor(e, &frame->cursor);
	e->handles = NULL;
	add_frame(e, visible, out);
	return out->len > before;
}

void expand_leave(struct expand *e, struct buf *out)
{
	buf_adds(out, "\033[m");
	if (e->shape_sent)
		buf_adds(out, "\033[0 q");
	if (e->color_sent)
		buf_adds(out, "\033]112\033\\");
	buf_adds(out, "\033[?25h");
	expand_forget(e);
	e->shape_sent = e->color_sent = false;
}

/* --- life --- */

struct expand *expand_create(int rows, int cols)
{
	struct expand *e = mem_zalloc(1, sizeof(*e));

	buf_init(&e->body);
	e->caps.depth = DEPTH_16;
	expand_resize(e, rows, cols);
	return e;
}

void expand_destroy(struct expand *e)
{
	if (!e)
		return;
	buf_free(&e->body);
	free(e->resolved);
	free(e->resolved_known);
	free(e);
}

static bool same_colors(unsigned shown, int depth, int other)
{
	if (depth == other || !(shown & SHOWN_COLORS))
		return true;
	return !(shown & SHOWN_RGB) && depth != DEPTH_MONO && other != DEPTH_MONO;
}

/*
 * The capabilities that change how what was drawn so far is sent: a terminal whose answers come after the
 * first frame need not be drawn whole for what nobody has used.  Fewer doubts do not change what stands.
 */
static bool draws_alike(unsigned shown, const struct outer_caps *a, const struct outer_caps *b)
{
	return same_colors(shown, a->depth, b->depth) && !(b->doubtful & ~a->doubtful) &&
	       (a->styled_underline == b->styled_underline || !(shown & SHOWN_UNDERLINE_STYLE)) &&
	       (a->underline_color == b->underline_color || !(shown & SHOWN_UNDERLINE_COLOR)) &&
	       (a->strike == b->strike || !(shown & SHOWN_STRIKE)) &&
	       (a->overline == b->overline || !(shown & SHOWN_OVERLINE)) &&
	       (a->hyperlinks == b->hyperlinks || !(shown & SHOWN_LINK));
}

bool expand_set_caps(struct expand *e, const struct outer_caps *caps)
{
	bool alike = draws_alike(e->shown, &e->caps, caps);

	e->caps = *caps;
	expand_resolved_reset(e);
	return !alike;
}

void expand_resize(struct expand *e, int rows, int cols)
{
	e->rows = rows;
	e->cols = cols;
	expand_forget(e);
}

void expand_forget(struct expand *e)
{
	expand_place_unknown(e);
	e->joint_row = -1;
	e->pen_known = false;
	e->pen = (struct style){0};
	e->cursor = UNKNOWN;
	e->shape = -1;
	if (e->color_sent)
		e->color = COLOR_UNKNOWN;
}

void expand_sent(const struct expand *e, bool *shape, bool *color)
{
	*shape = e->shape_sent;
	*color = e->color_sent;
}
