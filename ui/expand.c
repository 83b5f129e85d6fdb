/*
 * expand: see expand.h.
 *
 * Two places are kept apart: where the language writes next (`at`), and where the outer terminal's cursor is
 * (`real`). The second follows the first only when something is to be printed, by the cheapest sequence.
 * Blanks are held back as a run until it is known how far it goes: to the border it is EL, a long one ECH, a
 * short one spaces. EL and ECH are only used where they give the same with and without "background colour
 * erase".
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "ui/expand.h"
#include "ui/widths.h"

enum {
	PLANE_SIZE = 65534, /* U+xFFFE and U+xFFFF are no characters */
	SGR_MAX = 192,
	ERASE_MIN = 3,  /* blanks up to the border that are worth an EL */
	ECH_MIN = 10,   /* blanks that are worth an ECH and the move behind them */
	SYNC_MIN = 24,  /* a body up to this long cannot be seen half done */
	HIDE_MIN = 256, /* without mode 2026: a longer body hides the cursor while it is drawn */
	ZERO_WIDTH_NON_JOINER = 0x200c,
	PERCENT_MAX = 3 * CELL_LINK_BYTES_MAX,
};

#define COLOR_UNKNOWN ((color_t)0xff000000u) /* no colour that a cursor can have */

enum known { UNKNOWN, SHOWN, HIDDEN };

struct blanks {
	int row, col, count;
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
};

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

static void resolved_reset(struct expand *e)
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
static const struct style *wanted_style(struct expand *e)
{
	uint32_t handle = e->style;

	resolved_reserve(e, handle);
	if (!e->resolved_known[handle]) {
		e->resolved[handle] = resolve(&e->caps, table_style_value(e->handles->table, handle));
		e->resolved_known[handle] = 1;
	}
	return &e->resolved[handle];
}

static bool style_same(const struct style *a, const struct style *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* What of a style can be seen on a blank: without reverse, not the colour of the text. */
static struct style blank_style(const struct style *s)
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
static void send_link(struct expand *e, uint32_t link)
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

static void set_pen(struct expand *e, const struct style *to)
{
	if (e->pen_known && style_same(&e->pen, to))
		return;
	if (!e->pen_known || e->pen.link != to->link)
		send_link(e, to->link);
	send_sgr(e, to);
	e->pen = *to;
	e->pen_known = true;
}

/* --- moving --- */

static int digits(int n)
{
	return n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : 4;
}

static void go_absolute(struct expand *e, int row, int col)
{
	if (row == 0 && col == 0)
		buf_adds(&e->body, "\033[H");
	else if (col == 0)
		buf_printf(&e->body, "\033[%dH", row + 1);
	else
		buf_printf(&e->body, "\033[%d;%dH", row + 1, col + 1);
}

static void go_sideways(struct expand *e, int col)
{
	int right = col - e->real_col;

	if (e->real_col < 0 || -right > digits(col + 1) + 3)
		buf_printf(&e->body, "\033[%dG", col + 1);
	else if (right == 1)
		buf_adds(&e->body, "\033[C");
	else if (right > 0)
		buf_printf(&e->body, "\033[%dC", right);
	else
		for (; right < 0; right++)
			buf_addc(&e->body, '\b');
}

/* No line feed alone: whether it also returns depends on the line discipline. */
static void go(struct expand *e, int row, int col)
{
	if (row == e->real_row && col == e->real_col)
		return;
	if (row == e->real_row && col == 0)
		buf_addc(&e->body, '\r');
	else if (row == e->real_row)
		go_sideways(e, col);
	else if (e->real_row >= 0 && row == e->real_row + 1 && col == 0)
		buf_adds(&e->body, "\r\n");
	else if (e->real_row >= 0 && row == e->real_row + 1 && col == e->real_col)
		buf_adds(&e->body, "\033[B");
	else
		go_absolute(e, row, col);
	e->real_row = row;
	e->real_col = col;
}

static void place_unknown(struct expand *e)
{
	e->real_row = e->real_col = -1;
}

/* After something of `width` columns: at the border the cursor waits for the wrap, and terminals differ. */
static void advanced(struct expand *e, int width)
{
	e->real_col += width;
	if (e->real_col >= e->cols)
		place_unknown(e);
}

/* --- printing --- */

/* Whether what is erased with this pen is a plain blank on every terminal. */
static bool is_erased(const struct style *s)
{
	return s->bg == COLOR_DEFAULT && !(s->attrs & (ATTR_REVERSE | ATTR_BLINK)) && s->link == 0;
}

static void erase(struct expand *e, const struct blanks *b)
{
	static const struct style plain;

	if (!e->pen_known || !is_erased(&e->pen))
		set_pen(e, &plain);
	go(e, b->row, b->col);
	if (b->col + b->count == e->cols)
		buf_adds(&e->body, "\033[K");
	else
		buf_printf(&e->body, "\033[%dX", b->count);
}

/*
 * Two cells are two clusters, also where their code points next to each other would be one (halves of flags,
 * Hangul jamo, what ends with a joiner).  A move in between does not keep terminals from joining them; U+200C
 * does by the rules of UAX 29, and shows nothing.
 */
static void separate(struct expand *e, uint32_t next)
{
	struct grapheme joint = e->joint;

	if (e->joint_row == e->real_row && e->joint_col == e->real_col && e->joint_row >= 0 &&
	    !grapheme_break(&joint, next))
		buf_add_utf8(&e->body, ZERO_WIDTH_NON_JOINER);
	e->joint_row = -1;
}

static void flush_blanks(struct expand *e)
{
	static const struct style plain;
	struct blanks b = e->blanks;
	struct style pen;
	int enough = b.col + b.count == e->cols ? ERASE_MIN : ECH_MIN;

	if (b.count == 0)
		return;
	e->blanks.count = 0;
	e->drawn = true;
	if (b.count >= enough && style_same(&b.normal, &plain)) {
		erase(e, &b);
		return;
	}
	go(e, b.row, b.col);
	pen = blank_style(&e->pen);
	if (!e->pen_known || !style_same(&pen, &b.normal))
		set_pen(e, &b.style);
	separate(e, ' ');
	buf_reserve(&e->body, (size_t)b.count);
	for (int i = 0; i < b.count; i++)
		buf_addc(&e->body, ' ');
	advanced(e, b.count);
}

static void put_blank(struct expand *e)
{
	struct blanks *b = &e->blanks;
	const struct style *style = wanted_style(e);
	struct style normal = blank_style(style);

	if (b->count > 0 && b->row == e->at_row && b->col + b->count == e->at_col &&
	    style_same(&b->normal, &normal)) {
		b->count++;
		return;
	}
	flush_blanks(e);
	*b = (struct blanks){
	    .row = e->at_row, .col = e->at_col, .count = 1, .style = *style, .normal = normal};
}

static void begin_glyph(struct expand *e)
{
	flush_blanks(e);
	e->drawn = true;
	go(e, e->at_row, e->at_col);
	set_pen(e, wanted_style(e));
}

/* For a terminal that gives boxes two columns. */
static uint32_t box_in_ascii(uint32_t cp)
{
	static const char lines[] = "--||--||--||"; /* from U+2500; then corners and crossings */
	static const struct {
		uint32_t first, last;
		char ascii;
	} table[] = {
	    {0x254c, 0x254d, '-'},
	    {0x254e, 0x254f, '|'},
	    {0x2550, 0x2550, '-'},
	    {0x2551, 0x2551, '|'},
	    {0x2571, 0x2571, '/'},
	    {0x2572, 0x2572, '\\'},
	    {0x2573, 0x2573, 'X'},
	    {0x2580, 0x259f, '#'},
	};

	if (cp - 0x2500 < sizeof(lines) - 1)
		return (uint32_t)lines[cp - 0x2500];
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		if (cp >= table[i].first && cp <= table[i].last)
			return (uint32_t)table[i].ascii;
	}
	if (cp >= 0x2574) /* halves: left, up, right, down, and so on */
		return cp % 2 ? '|' : '-';
	return '+';
}

static void put_plain(struct expand *e, uint32_t cp)
{
	begin_glyph(e);
	if (cp >= 0x2500 && cp <= 0x259f && widths_doubt_class(e->caps.doubtful, WIDTH_BOX))
		cp = box_in_ascii(cp);
	separate(e, cp);
	if (cp < 0x80)
		buf_addc(&e->body, (char)cp);
	else
		buf_add_utf8(&e->body, cp);
	advanced(e, 1);
}

/* Code points that act on the terminal or on the order of text instead of showing something. */
static bool is_unprintable(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x200e && cp <= 0x200f) ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff ||
	       cp == 0x61c;
}

/*
 * A glyph that the terminal may measure differently: it is told where to go on.  The row is the same whatever
 * it thinks: nothing wraps (tty_modes.c).
 */
static void distrust_place(struct expand *e)
{
	e->real_col = -1;
}

/* Where the terminal gives a wide glyph one column, it leaves its second one as it was: that becomes blank.
 */
static void blank_tail(struct expand *e)
{
	struct grapheme joint = e->joint;
	int joint_row = e->joint_row, joint_col = e->joint_col;

	flush_blanks(e);
	go(e, e->at_row, e->at_col + 1);
	set_pen(e, wanted_style(e));
	buf_addc(&e->body, ' ');
	advanced(e, 1);
	e->joint = joint;
	e->joint_row = joint_row;
	e->joint_col = joint_col;
}

/* Whether a code point belongs to whatever stands before it. */
static bool extends(uint32_t cp)
{
	struct grapheme after_letter = {0};

	grapheme_break(&after_letter, 'a');
	return !grapheme_break(&after_letter, cp);
}

/* The code points that may be sent; returns how many. */
static size_t printable_code_points(const struct expand *e, uint32_t glyph, uint32_t *out)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count = table_glyph(e->handles->table, glyph, cps), kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_unprintable(cps[i]))
			out[kept++] = cps[i];
	}
	return kept;
}

static void print_cluster(struct expand *e, const uint32_t *cps, size_t count, int width)
{
	bool mark = unicode_width(cps[0]) == 0; /* alone it would join what stands before it */

	separate(e, mark ? ' ' : cps[0]);
	e->joint = (struct grapheme){0};
	if (mark) {
		buf_addc(&e->body, ' ');
		grapheme_break(&e->joint, ' ');
	}
	for (size_t i = 0; i < count; i++) {
		buf_add_utf8(&e->body, cps[i]);
		grapheme_break(&e->joint, cps[i]);
	}
	advanced(e, width);
	e->joint_row = e->real_row;
	e->joint_col = e->real_col;
}

/* In the place of what cannot be shown on its own. */
static void print_replacement(struct expand *e, int width)
{
	separate(e, UTF8_REPLACEMENT);
	buf_add_utf8(&e->body, UTF8_REPLACEMENT);
	if (width == 2)
		buf_addc(&e->body, ' ');
	advanced(e, width);
}

static void put_glyph(struct expand *e, uint32_t glyph)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];
	size_t count = printable_code_points(e, glyph, cps);
	int width = glyph & GLYPH_WIDE ? 2 : 1;
	bool doubted = widths_doubt(e->caps.doubtful, e->handles->table, glyph);

	if (e->at_col + width > e->cols) {
		put_blank(e);
		return;
	}
	if (doubted && width == 2)
		blank_tail(e);
	begin_glyph(e);
	if (count == 0 || (unicode_width(cps[0]) > 0 && extends(cps[0])))
		print_replacement(e, width);
	else
		print_cluster(e, cps, count, width);
	if (doubted)
		distrust_place(e);
	if (width == 2) {
		e->tail_row = e->at_row;
		e->tail_col = e->at_col + 1;
	}
}

static void put_char(struct expand *e, uint32_t cp)
{
	int64_t index = expand_glyph_index(cp);

	if (e->at_row >= e->rows || e->at_col >= e->cols) {
		e->at_col++;
		return;
	}
	if (cp == ' ')
		put_blank(e);
	else if (cp < 0x7f || (cp >= 0x2500 && cp <= 0x259f))
		put_plain(e, cp);
	else if (index > 0 && (size_t)index < e->handles->glyph_count)
		put_glyph(e, e->handles->glyphs[index]);
	else if (index != 0)
		put_plain(e, UTF8_REPLACEMENT);
	else if (e->tail_row != e->at_row || e->tail_col != e->at_col)
		put_blank(e);
	e->at_col++;
}

/* --- the language --- */

/* The whole screen becomes blank; the cursor stays. */
static void clear_screen(struct expand *e)
{
	static const struct style plain;

	e->blanks.count = 0;
	set_pen(e, &plain);
	buf_adds(&e->body, "\033[2J");
	e->drawn = true;
}

struct control {
	int parameter[2], count;
	char final; /* 0: not a control of the language */
};

static size_t parse_number(const char *s, size_t len, int *n)
{
	size_t i = 0;

	*n = 0;
	for (; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
		if (*n < 1000000)
			*n = *n * 10 + (s[i] - '0');
	}
	return i;
}

/* CSI: at most two numbers; what has a private marker is of no interest (the cursor is ours). */
static size_t parse_csi(const char *s, size_t len, struct control *c)
{
	size_t i = 0;
	bool ignored = i < len && s[i] == '?';

	*c = (struct control){0};
	i += ignored;
	while (i < len && c->count < 2) {
		i += parse_number(s + i, len - i, &c->parameter[c->count++]);
		if (i >= len || s[i] != ';')
			break;
		i++;
	}
	if (i < len && !ignored)
		c->final = s[i];
	return i < len ? i + 1 : len;
}

static void do_control(struct expand *e, const struct control *c)
{
	int first = c->parameter[0];

	switch (c->final) {
	case 'H':
		e->at_row = first > 0 ? first - 1 : 0;
		e->at_col = c->parameter[1] > 0 ? c->parameter[1] - 1 : 0;
		break;
	case 'G':
		e->at_col = first > 0 ? first - 1 : 0;
		break;
	case 'J':
		clear_screen(e);
		break;
	}
}

/* APC n ST: a style handle. */
static size_t parse_style(struct expand *e, const char *s, size_t len)
{
	int handle;
	size_t i = parse_number(s, len, &handle);

	e->style = handle < CELL_STYLES_MAX ? (uint32_t)handle : 0;
	if (i + 1 < len && s[i] == '\033' && s[i + 1] == '\\')
		i += 2;
	return i;
}

/* s: after the ESC. */
static size_t parse_escape(struct expand *e, const char *s, size_t len)
{
	struct control c;
	size_t n;

	if (len == 0)
		return 0;
	if (s[0] == '_')
		return 1 + parse_style(e, s + 1, len - 1);
	if (s[0] != '[')
		return 1;
	n = parse_csi(s + 1, len - 1, &c);
	do_control(e, &c);
	return 1 + n;
}

static size_t parse_one(struct expand *e, const char *s, size_t len)
{
	uint32_t cp;
	int n;

	if (s[0] == '\033')
		return 1 + parse_escape(e, s + 1, len - 1);
	if ((unsigned char)s[0] >= 0x20 && (unsigned char)s[0] < 0x7f) {
		put_char(e, (unsigned char)s[0]);
		return 1;
	}
	n = utf8_decode(s, len, &cp, NULL);
	if (n == 0)
		return len;
	if (cp >= 0x80)
		put_char(e, cp);
	return (size_t)n;
}

static void parse(struct expand *e, const char *s, size_t len)
{
	while (len > 0) {
		size_t n = parse_one(e, s, len);

		s += n;
		len -= n;
	}
	flush_blanks(e);
}

/* --- scrolling, the cursor, the frame --- */

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
	if (!e->pen_known || !is_erased(&e->pen))
		set_pen(e, &plain);
	if (!full_width)
		buf_printf(&e->body, "\033[?69h\033[%d;%ds", s->col + 1, s->col + s->cols);
	if (!full_height)
		buf_printf(&e->body, "\033[%d;%dr", s->row + 1, s->row + s->rows);
	go_absolute(e, s->lines > 0 ? s->row + s->rows - 1 : s->row, s->col);
	for (int i = abs(s->lines); i > 0; i--)
		buf_adds(&e->body, s->lines > 0 ? "\n" : "\033M");
	if (!full_height) /* by no number: the terminal may have become larger, and we not know yet */
		buf_adds(&e->body, "\033[r");
	if (!full_width)
		buf_adds(&e->body, "\033[?69l");
	place_unknown(e);
	e->joint_row = -1;
	e->drawn = true;
}

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
		go(e, c->row, c->col);
		cursor_shape(e, c);
		cursor_color(e, c);
	}
	return visible;
}

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
		resolved_reset(e);
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
	send_link(e, 0);
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
	parse(e, frame->data, frame->len);
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

/* The capabilities that change how the same screen is sent; fewer doubts do not change what stands. */
static bool draws_alike(const struct outer_caps *a, const struct outer_caps *b)
{
	return a->depth == b->depth && !(b->doubtful & ~a->doubtful) &&
	       a->styled_underline == b->styled_underline && a->underline_color == b->underline_color &&
	       a->strike == b->strike && a->overline == b->overline && a->hyperlinks == b->hyperlinks;
}

bool expand_set_caps(struct expand *e, const struct outer_caps *caps)
{
	bool alike = draws_alike(&e->caps, caps);

	e->caps = *caps;
	if (!alike)
		resolved_reset(e);
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
	place_unknown(e);
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
