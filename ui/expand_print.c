/*
 * expand_print: the cells of the language printed on the outer terminal: moves, blanks, characters, glyphs.
 *
 * Two places are kept apart: where the language writes next (`at`), and where the outer terminal's cursor is
 * (`real`). The second follows the first only when something is to be printed, by the cheapest sequence.
 * Blanks are held back as a run until it is known how far it goes: to the border it is EL, a long one ECH, a
 * short one spaces. EL and ECH are only used where they give the same with and without "background colour
 * erase".
 *
 * Must not know: how the language is written, how a style is sent, the cursor that the user sees.
 */
#include "base/mem.h"
#include "base/utf8.h"
#include "ui/expand_private.h"
#include "ui/widths.h"

enum {
	ERASE_MIN = 3, /* blanks up to the border that are worth an EL */
	ECH_MIN = 10,  /* blanks that are worth an ECH and the move behind them */
	ZERO_WIDTH_NON_JOINER = 0x200c,
};

/* --- moving --- */

static int digits(int n)
{
	return n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : 4;
}

void expand_go_absolute(struct expand *e, int row, int col)
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
void expand_go(struct expand *e, int row, int col)
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
		expand_go_absolute(e, row, col);
	e->real_row = row;
	e->real_col = col;
}

void expand_place_unknown(struct expand *e)
{
	e->real_row = e->real_col = -1;
}

/* After something of `width` columns: at the border the cursor waits for the wrap, and terminals differ. */
static void advanced(struct expand *e, int width)
{
	e->real_col += width;
	if (e->real_col >= e->cols)
		expand_place_unknown(e);
}

/* --- printing --- */

/* Whether what is erased with this pen is a plain blank on every terminal. */
bool expand_is_erased(const struct style *s)
{
	return s->bg == COLOR_DEFAULT && !(s->attrs & (ATTR_REVERSE | ATTR_BLINK)) && s->link == 0;
}

static void erase(struct expand *e, const struct blanks *b)
{
	static const struct style plain;

	if (!e->pen_known || !expand_is_erased(&e->pen))
		expand_set_pen(e, &plain);
	expand_go(e, b->row, b->col);
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

void expand_flush_blanks(struct expand *e)
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
	expand_go(e, b.row, b.col);
	pen = expand_blank_style(&e->pen);
	if (!e->pen_known || !style_same(&pen, &b.normal))
		expand_set_pen(e, &b.style);
	separate(e, ' ');
	buf_reserve(&e->body, (size_t)b.count);
	for (int i = 0; i < b.count; i++)
		buf_addc(&e->body, ' ');
	advanced(e, b.count);
}

/* Most of a screen is blank, in the style of the blank before it. */
static void put_blank(struct expand *e)
{
	struct blanks *b = &e->blanks;
	bool goes_on = b->count > 0 && b->row == e->at_row && b->col + b->count == e->at_col;

	if (goes_on && b->handle == e->style) {
		b->count++;
		return;
	}
	const struct style *style = expand_wanted_style(e);
	struct style normal = expand_blank_style(style);

	if (goes_on && style_same(&b->normal, &normal)) {
		b->handle = e->style;
		b->count++;
		return;
	}
	expand_flush_blanks(e);
	*b = (struct blanks){.row = e->at_row,
	    .col = e->at_col,
	    .count = 1,
	    .handle = e->style,
	    .style = *style,
	    .normal = normal};
}

static void begin_glyph(struct expand *e)
{
	expand_flush_blanks(e);
	e->drawn = true;
	expand_go(e, e->at_row, e->at_col);
	expand_set_pen(e, expand_wanted_style(e));
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

	expand_flush_blanks(e);
	expand_go(e, e->at_row, e->at_col + 1);
	expand_set_pen(e, expand_wanted_style(e));
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

void expand_put_char(struct expand *e, uint32_t cp)
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
