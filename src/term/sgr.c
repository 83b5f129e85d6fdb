/*
 * sgr: see sgr.h.  ECMA-48 8.3.117; colours by ISO 8613-6 (38:2::r:g:b) and by xterm's way with semicolons
 * (38;2;r;g;b); underline kinds and colour (4:N, 58, 59) by kitty.
 */
#include "term/sgr.h"

#include "term/state.h"

/* SGR numbers that set and clear attributes only. */
struct sgr_attribute {
	uint16_t set, clear;
};

enum { SGR_SIMPLE = 56 };

static const struct sgr_attribute attributes[SGR_SIMPLE] = {
    [1] = {ATTR_BOLD, 0},
    [2] = {ATTR_DIM, 0},
    [3] = {ATTR_ITALIC, 0},
    [5] = {ATTR_BLINK, 0},
    [6] = {ATTR_BLINK, 0},
    [7] = {ATTR_REVERSE, 0},
    [8] = {ATTR_CONCEAL, 0},
    [9] = {ATTR_STRIKE, 0},
    [22] = {0, ATTR_BOLD | ATTR_DIM},
    [23] = {0, ATTR_ITALIC},
    [25] = {0, ATTR_BLINK},
    [27] = {0, ATTR_REVERSE},
    [28] = {0, ATTR_CONCEAL},
    [29] = {0, ATTR_STRIKE},
    [53] = {ATTR_OVERLINE, 0},
    [55] = {0, ATTR_OVERLINE},
};

enum { SGR_RGB = 2, SGR_INDEXED = 5 };

/* What no SGR changes: the link and the protection. */
static struct style style_reset(const struct style *s)
{
	return (struct style){.link = s->link, .attrs = s->attrs & ATTR_PROTECTED};
}

/* The parameters after number i that belong to it by colons. */
static int sub_count(const struct sequence *s, int i)
{
	int n = 0;

	while (i + 1 + n < s->count && s->sub >> (i + 1 + n) & 1)
		n++;
	return n;
}

static bool rgb(const struct sequence *s, int i, color_t *out)
{
	int part[3];

	for (int k = 0; k < 3; k++) {
		part[k] = sequence_value(s, i + k, 0);
		if (part[k] > 255)
			return false;
	}
	*out = COLOR_RGB(part[0], part[1], part[2]);
	return true;
}

static bool indexed(const struct sequence *s, int i, color_t *out)
{
	int index = sequence_value(s, i, 0);

	if (index > 255)
		return false;
	*out = COLOR_INDEX(index);
	return true;
}

/* 38:5:n, 38:2:r:g:b and 38:2:SPACE:r:g:b[:...] with `subs` values after number i. */
static void color_by_colons(const struct sequence *s, int i, int subs, color_t *out)
{
	int kind = sequence_value(s, i + 1, 0);

	if (kind == SGR_INDEXED && subs >= 2)
		indexed(s, i + 2, out);
	else if (kind == SGR_RGB && subs == 4)
		rgb(s, i + 2, out);
	else if (kind == SGR_RGB && subs >= 5)
		rgb(s, i + 3, out);
}

/* 38;5;n and 38;2;r;g;b.  Returns how many further parameters belong to it. */
static int color_by_semicolons(const struct sequence *s, int i, color_t *out)
{
	int kind = sequence_value(s, i + 1, 0);

	if (kind == SGR_INDEXED) {
		if (i + 2 < s->count)
			indexed(s, i + 2, out);
		return 2;
	}
	if (kind == SGR_RGB) {
		if (i + 4 < s->count)
			rgb(s, i + 2, out);
		return 4;
	}
	return s->count; /* what follows cannot be told apart from its colour */
}

static int color(const struct sequence *s, int i, color_t *out)
{
	int subs = sub_count(s, i);

	if (subs == 0)
		return color_by_semicolons(s, i, out);
	color_by_colons(s, i, subs, out);
	return subs;
}

static void underline(struct style *style, int kind)
{
	if (kind <= UNDERLINE_DASHED)
		style->underline = (uint8_t)kind;
}

/* The sixteen colours by numbers 30-37, 40-47, 90-97, 100-107. */
static bool basic_color(struct style *style, int n)
{
	if (n >= 30 && n <= 37)
		style->fg = COLOR_INDEX(n - 30);
	else if (n >= 40 && n <= 47)
		style->bg = COLOR_INDEX(n - 40);
	else if (n >= 90 && n <= 97)
		style->fg = COLOR_INDEX(n - 90 + 8);
	else if (n >= 100 && n <= 107)
		style->bg = COLOR_INDEX(n - 100 + 8);
	else
		return false;
	return true;
}

/* One number; returns how many further parameters belong to it. */
static int sgr_one(struct style *style, const struct sequence *s, int i)
{
	int n = sequence_value(s, i, 0), subs;

	switch (n) {
	case 38:
		return color(s, i, &style->fg);
	case 48:
		return color(s, i, &style->bg);
	case 58:
		return color(s, i, &style->underline_color);
	case 39:
		style->fg = COLOR_DEFAULT;
		return 0;
	case 49:
		style->bg = COLOR_DEFAULT;
		return 0;
	case 59:
		style->underline_color = COLOR_DEFAULT;
		return 0;
	}
	subs = sub_count(s, i);
	if (n == 0 && subs == 0) {
		*style = style_reset(style);
	} else if (n == 4) {
		underline(style, subs > 0 ? sequence_value(s, i + 1, 0) : UNDERLINE_SINGLE);
	} else if (n == 21) {
		underline(style, UNDERLINE_DOUBLE);
	} else if (n == 24) {
		underline(style, UNDERLINE_NONE);
	} else if (subs == 0 && !basic_color(style, n) && n < SGR_SIMPLE) {
		style->attrs = (uint16_t)((style->attrs & ~attributes[n].clear) | attributes[n].set);
	}
	return subs;
}

void sgr_apply(struct style *style, const struct sequence *s, int from)
{
	for (int i = from; i < s->count; i++)
		i += sgr_one(style, s, i);
}

void csi_sgr(struct term *t, const struct sequence *s)
{
	if (s->count == 0)
		t->pen = style_reset(&t->pen);
	else
		sgr_apply(&t->pen, s, 0);
	pen_forget(t);
}

/* --- pen --- */

void pen_forget(struct term *t)
{
	t->pen_known = false;
	t->blank_known = false;
}

void pen_set(struct term *t, const struct style *s)
{
	t->pen = *s;
	pen_forget(t);
}

void pen_set_link(struct term *t, uint32_t link)
{
	t->pen.link = link;
	t->pen_known = false;
}

void pen_set_protected(struct term *t, bool on)
{
	t->pen.attrs = (uint16_t)(on ? t->pen.attrs | ATTR_PROTECTED : t->pen.attrs & ~ATTR_PROTECTED);
	t->pen_known = false;
}

uint32_t pen_style(struct term *t)
{
	if (!t->pen_known) {
		t->pen_handle = table_style(t->table, &t->pen);
		t->pen_known = true;
	}
	return t->pen_handle;
}

/* Erased cells take the background and nothing else (xterm's BCE). */
uint32_t pen_blank(struct term *t)
{
	if (!t->blank_known) {
		const struct style blank = {.bg = t->pen.bg};

		t->blank_handle = blank.bg == COLOR_DEFAULT ? 0 : table_style(t->table, &blank);
		t->blank_known = true;
	}
	return t->blank_handle;
}
