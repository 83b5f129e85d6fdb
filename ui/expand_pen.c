/*
 * expand_pen: styles as the outer terminal can show them, and the shortest SGR and OSC 8 from one to the
 * next.
 *
 * Owns: the pen and the styles resolved for the terminal's capabilities.  Must not know: where anything is
 * printed, what is printed.
 */
#include "base/mem.h"
#include "ui/expand_private.h"

enum {
	SGR_MAX = 192,
	PERCENT_MAX = 3 * CELL_LINK_BYTES_MAX,
};

/* --- styles as the terminal can show them --- */

static color_t map_color(color_t c, int depth)
{
	if (depth == DEPTH_MONO)
		return COLOR_DEFAULT;
	if (COLOR_IS_RGB(c) && depth == DEPTH_256)
		return COLOR_INDEX(color_to_256(COLOR_VALUE(c)));
	if (COLOR_IS_RGB(c) && depth == DEPTH_16)
		return COLOR_INDEX(color_to_16(COLOR_VALUE(c)));
	if (COLOR_IS_INDEX(c) && COLOR_VALUE(c) >= 16 && depth == DEPTH_16)
		return COLOR_INDEX(color_to_16(color_palette_rgb((uint8_t)COLOR_VALUE(c))));
	return c;
}

/* Text and background that became one colour by mapping would be unreadable. */
static void keep_readable(struct style *s, const struct style *original)
{
	uint32_t rgb;

	if (s->fg != s->bg || !COLOR_IS_INDEX(s->fg) || original->fg == original->bg)
		return;
	rgb = color_palette_rgb((uint8_t)COLOR_VALUE(s->bg));
	s->fg = COLOR_INDEX((rgb >> 16) + 2 * (rgb >> 8 & 0xff) + (rgb & 0xff) / 2 > 400 ? 0 : 15);
}

static struct style resolve(const struct outer_caps *caps, const struct style *s)
{
	uint16_t lost =
	    ATTR_PROTECTED | (caps->strike ? 0 : ATTR_STRIKE) | (caps->overline ? 0 : ATTR_OVERLINE);
	struct style r = {
	    .fg = map_color(s->fg, caps->depth),
	    .bg = map_color(s->bg, caps->depth),
	    .attrs = (uint16_t)(s->attrs & ~lost),
	    .link = caps->hyperlinks ? s->link : 0,
	};

	if (s->underline != UNDERLINE_NONE) {
		r.underline = caps->styled_underline ? s->underline : UNDERLINE_SINGLE;
		if (caps->underline_color)
			r.underline_color = map_color(s->underline_color, caps->depth);
	}
	keep_readable(&r, s);
	return r;
}

static unsigned shown_color(color_t c)
{
	if (c == COLOR_DEFAULT)
		return 0;
	return COLOR_IS_INDEX(c) && COLOR_VALUE(c) < 16 ? SHOWN_COLORS : SHOWN_COLORS | SHOWN_RGB;
}

static unsigned shown_by(const struct style *s)
{
	unsigned shown = shown_color(s->fg) | shown_color(s->bg);

	if (s->attrs & ATTR_STRIKE)
		shown |= SHOWN_STRIKE;
	if (s->attrs & ATTR_OVERLINE)
		shown |= SHOWN_OVERLINE;
	if (s->link)
		shown |= SHOWN_LINK;
	if (s->underline > UNDERLINE_SINGLE)
		shown |= SHOWN_UNDERLINE_STYLE;
	if (s->underline != UNDERLINE_NONE && s->underline_color != COLOR_DEFAULT)
		shown |= SHOWN_UNDERLINE_COLOR | shown_color(s->underline_color);
	return shown;
}

void expand_resolved_reset(struct expand *e)
{
	if (e->resolved_known)
		memset(e->resolved_known, 0, e->resolved_room);
}

static void resolved_reserve(struct expand *e, uint32_t handle)
{
	size_t room = e->resolved_room ? e->resolved_room : 256;

	if (handle < e->resolved_room)
		return;
	while (room <= handle)
		room *= 2;
	e->resolved = mem_realloc(e->resolved, room, sizeof(*e->resolved));
	e->resolved_known = mem_realloc(e->resolved_known, room, 1);
	memset(e->resolved_known + e->resolved_room, 0, room - e->resolved_room);
	e->resolved_room = room;
}

/* The style in force in the language. */
const struct style *expand_wanted_style(struct expand *e)
{
	uint32_t handle = e->style;

	resolved_reserve(e, handle);
	if (!e->resolved_known[handle]) {
		const struct style *style = table_style_value(e->handles->table, handle);

		e->shown |= shown_by(style);
		e->resolved[handle] = resolve(&e->caps, style);
		e->resolved_known[handle] = 1;
	}
	return &e->resolved[handle];
}

/* What of a style can be seen on a blank: without reverse, not the colour of the text. */
struct style expand_blank_style(const struct style *s)
{
	struct style b = *s;

	b.attrs &= ATTR_REVERSE | ATTR_STRIKE | ATTR_OVERLINE;
	if (b.attrs == 0 && b.underline == UNDERLINE_NONE)
		b.fg = COLOR_DEFAULT;
	return b;
}

/* --- SGR and links --- */

struct sgr {
	size_t len;
	char text[SGR_MAX];
};

/* snprintf would be most of the cost of a frame with many colours. */
static void sgr_digits(struct sgr *s, unsigned n)
{
	char text[10];
	int i = 0;

	do {
		text[i++] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	while (i > 0)
		s->text[s->len++] = text[--i];
}

/* A parameter.  SGR_MAX is more than all of them together. */
static void sgr_number(struct sgr *s, unsigned n)
{
	if (s->len > 0)
		s->text[s->len++] = ';';
	sgr_digits(s, n);
}

/* What follows the last parameter: a sub-parameter, or with an empty one in between ("::"). */
static void sgr_sub(struct sgr *s, const char *colons, unsigned n)
{
	while (*colons)
		s->text[s->len++] = *colons++;
	sgr_digits(s, n);
}

/* base: 30 for text, 40 for the background (ECMA-48 8.3.117; 90 and 100: aixterm). */
static void sgr_color(struct sgr *s, color_t c, unsigned base)
{
	unsigned v = COLOR_VALUE(c);

	if (c == COLOR_DEFAULT) {
		sgr_number(s, base + 9);
	} else if (COLOR_IS_INDEX(c) && v < 16) {
		sgr_number(s, v < 8 ? base + v : base + 60 + v - 8);
	} else if (COLOR_IS_INDEX(c)) {
		sgr_number(s, base + 8);
		sgr_number(s, 5);
		sgr_number(s, v);
	} else {
		sgr_number(s, base + 8);
		sgr_number(s, 2);
		sgr_number(s, v >> 16);
		sgr_number(s, v >> 8 & 0xff);
		sgr_number(s, v & 0xff);
	}
}

/* SGR 58 takes sub-parameters (ITU-T T.416: kind, colour space or nothing, values). */
static void sgr_underline_color(struct sgr *s, color_t c)
{
	unsigned v = COLOR_VALUE(c);

	sgr_number(s, c == COLOR_DEFAULT ? 59 : 58);
	if (COLOR_IS_INDEX(c)) {
		sgr_sub(s, ":", 5);
		sgr_sub(s, ":", v);
	} else if (COLOR_IS_RGB(c)) {
		sgr_sub(s, ":", 2);
		sgr_sub(s, "::", v >> 16);
		sgr_sub(s, ":", v >> 8 & 0xff);
		sgr_sub(s, ":", v & 0xff);
	}
}

/* SGR 4 and 24; the kinds beyond a single line as sub-parameters. */
static void sgr_underline(struct sgr *s, uint8_t underline)
{
	sgr_number(s, underline == UNDERLINE_NONE ? 24 : 4);
	if (underline > UNDERLINE_SINGLE)
		sgr_sub(s, ":", underline);
}

static const struct {
	uint16_t attr;
	uint8_t on, off;
} attributes[] = {
    {ATTR_BOLD, 1, 22},
    {ATTR_DIM, 2, 22},
    {ATTR_ITALIC, 3, 23},
    {ATTR_BLINK, 5, 25},
    {ATTR_REVERSE, 7, 27},
    {ATTR_CONCEAL, 8, 28},
    {ATTR_STRIKE, 9, 29},
    {ATTR_OVERLINE, 53, 55},
};

/* The parameters that turn `from` into `to`, added to s. */
static void sgr_between(struct sgr *s, const struct style *from, const struct style *to)
{
	uint16_t have = from->attrs, off = from->attrs & (uint16_t)~to->attrs;

	for (size_t i = 0; i < COUNT_OF(attributes); i++) {
		if (!(off & attributes[i].attr))
			continue;
		sgr_number(s, attributes[i].off);
		if (attributes[i].off == 22) {
			have &= (uint16_t) ~(ATTR_BOLD | ATTR_DIM);
			off &= (uint16_t) ~(ATTR_BOLD | ATTR_DIM);
		}
	}
	for (size_t i = 0; i < COUNT_OF(attributes); i++) {
		if (to->attrs & ~have & attributes[i].attr)
			sgr_number(s, attributes[i].on);
	}
	if (from->underline != to->underline)
		sgr_underline(s, to->underline);
	if (from->underline_color != to->underline_color)
		sgr_underline_color(s, to->underline_color);
	if (from->fg != to->fg)
		sgr_color(s, to->fg, 30);
	if (from->bg != to->bg)
		sgr_color(s, to->bg, 40);
}

static void add_sgr(struct expand *e, const char *before, const struct sgr *s)
{
	buf_adds(&e->body, before);
	buf_add(&e->body, s->text, s->len);
	buf_addc(&e->body, 'm');
}

/* The change, or everything anew if that is shorter. */
static void send_sgr(struct expand *e, const struct style *to)
{
	static const struct style plain;
	struct sgr change, fresh;

	change.len = fresh.len = 0;
	sgr_between(&fresh, &plain, to);
	if (e->pen_known)
		sgr_between(&change, &e->pen, to);
	if (e->pen_known && change.len == 0)
		return; /* only the link differs */
	if (fresh.len == 0)
		buf_adds(&e->body, "\033[m");
	else if (e->pen_known && change.len <= fresh.len + 2)
		add_sgr(e, "\033[", &change);
	else
		add_sgr(e, "\033[0;", &fresh);
}

/* A URI may hold printable ASCII only (the OSC 8 convention); nothing else reaches the terminal. */
void expand_send_link(struct expand *e, uint32_t link)
{
	const char *uri = link ? table_link_uri(e->handles->table, link) : NULL;
	size_t start = e->body.len;

	if (!uri) {
		buf_adds(&e->body, "\033]8;;\033\\");
		return;
	}
	buf_printf(&e->body, "\033]8;id=h%x;", link);
	for (; *uri; uri++) {
		unsigned char c = (unsigned char)*uri;

		if (c > 0x20 && c < 0x7f)
			buf_addc(&e->body, (char)c);
		else
			buf_printf(&e->body, "%%%02X", c);
	}
	buf_adds(&e->body, "\033\\");
	if (e->body.len - start > PERCENT_MAX) {
		buf_truncate(&e->body, start);
		buf_adds(&e->body, "\033]8;;\033\\");
	}
}

void expand_set_pen(struct expand *e, const struct style *to)
{
	if (e->pen_known && style_same(&e->pen, to))
		return;
	if (!e->pen_known || e->pen.link != to->link)
		expand_send_link(e, to->link);
	send_sgr(e, to);
	e->pen = *to;
	e->pen_known = true;
}
