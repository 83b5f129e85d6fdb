/*
 * engine_libvterm: the emulator that leaves text, movements, scrolling, erasing and editing to libvterm.  See
 * engine.h; what libvterm may see is said in libvterm.h.
 *
 * What libvterm does not know goes to the same functions as in the native engine: marks and joiners (which it
 * would lose at the end of a row, and wherever the output is cut), single shifts, origin mode, reverse wrap,
 * REP, DECALN, SL, SR, DECBI, DECFI, rectangles.
 */
#include "base/mem.h"
#include "base/utf8.h"
#include "term/cursor.h"
#include "term/dispatch.h"
#include "term/engine.h"
#include "term/erase.h"
#include "term/libvterm.h"
#include "term/print.h"
#include "term/state.h"

/* --- text --- */

/* The first character after SS2 or SS3. */
static void print_shifted(struct term *t, uint8_t c)
{
	const char text = (char)c;

	libvterm_text(t, &text, 1);
	t->charsets.single = 0;
	charset_update(t);
}

static void on_ascii(void *owner, const uint8_t *text, size_t len)
{
	struct term *t = owner;

	if (t->charsets.single) {
		print_shifted(t, *text++);
		len--;
	}
	for (size_t n; len > 0; text += n, len -= n) {
		n = len < LIBVTERM_TEXT_MAX ? len : LIBVTERM_TEXT_MAX;
		libvterm_text(t, (const char *)text, n);
	}
}

struct piece {
	size_t len;
	char text[LIBVTERM_TEXT_MAX];
};

static void piece_flush(struct term *t, struct piece *p)
{
	if (p->len > 0)
		libvterm_text(t, p->text, p->len);
	p->len = 0;
}

/* libvterm chooses how a piece is decoded by its first byte: what a charset maps must not stand behind what
 * none does. */
static void piece_add(struct term *t, struct piece *p, uint32_t cp)
{
	bool maps = t->charsets.g[t->charsets.gl] != CHARSET_ASCII;

	if (p->len + UTF8_MAX > sizeof(p->text) ||
	    (maps && p->len > 0 && (cp < 0x80) != ((unsigned char)p->text[p->len - 1] < 0x80)))
		piece_flush(t, p);
	p->len += (size_t)utf8_encode(cp, p->text + p->len);
}

/* Whether a character belongs to the one after it (UAX 29 GB9b): such a one is a mark to libvterm. */
static bool is_prepended(uint32_t cp)
{
	struct grapheme state = {0};

	if (cp < 0x300 || (unicode_properties(cp) & UNICODE_CLASS_MASK) == 0)
		return false;
	grapheme_break(&state, cp);
	return !grapheme_break(&state, 'x');
}

static void on_print(void *owner, const uint32_t *text, size_t count)
{
	struct term *t = owner;
	struct piece piece = {.len = 0};

	for (size_t i = 0; i < count; i++) {
		if (unicode_width(text[i]) == 0 || is_prepended(text[i])) {
			piece_flush(t, &piece);
			print_text(t, &text[i], 1);
		} else if (t->charsets.single && text[i] < 0x80) {
			piece_flush(t, &piece);
			print_shifted(t, (uint8_t)text[i]);
		} else {
			piece_add(t, &piece, text[i]);
		}
	}
	piece_flush(t, &piece);
}

/* --- controls and escape sequences --- */

static bool wraps_back(const struct term *t)
{
	return mode(t, MODE_REVERSE_WRAP) || mode(t, MODE_EXTENDED_WRAP);
}

static void on_control(void *owner, uint8_t c)
{
	struct term *t = owner;

	switch (c) {
	case '\n':
	case '\v':
	case '\f':
		libvterm_sequence(t, LIBVTERM_KEEP, "%c", c);
		break;
	case '\b':
		if (wraps_back(t))
			dispatch_control(t, c);
		else
			libvterm_sequence(t, 0, "\b");
		break;
	case '\t':
	case '\r':
		libvterm_sequence(t, 0, "%c", c);
		break;
	default:
		dispatch_control(t, c);
	}
}

static void on_escape(void *owner, const struct sequence *s)
{
	/* IND, NEL, RI */
	if (s->intermediate == 0 && (s->final == 'D' || s->final == 'E' || s->final == 'M'))
		libvterm_sequence(owner, LIBVTERM_KEEP, "\033%c", s->final);
	else
		dispatch_escape(owner, s);
}

/* --- control sequences --- */

/* Those that libvterm carries out. */
static const struct passed {
	char marker, intermediate, final;
	uint8_t flags; /* enum libvterm_flag */
} passed[] = {
    {0, 0, '@', 0},
    {0, 0, 'A', LIBVTERM_MOVES},
    {0, 0, 'B', LIBVTERM_MOVES},
    {0, 0, 'C', LIBVTERM_MOVES},
    {0, 0, 'D', LIBVTERM_MOVES},
    {0, 0, 'E', LIBVTERM_MOVES},
    {0, 0, 'F', LIBVTERM_MOVES},
    {0, 0, 'G', LIBVTERM_MOVES},
    {0, 0, 'H', LIBVTERM_MOVES},
    {0, 0, 'I', 0},
    {0, 0, 'J', 0},
    {0, 0, 'K', 0},
    {0, 0, 'L', 0},
    {0, 0, 'M', 0},
    {0, 0, 'P', 0},
    {0, 0, 'S', LIBVTERM_KEEP},
    {0, 0, 'T', 0},
    {0, 0, 'X', 0},
    {0, 0, 'Z', 0},
    {0, 0, '`', LIBVTERM_MOVES},
    {0, 0, 'a', LIBVTERM_MOVES},
    {0, 0, 'd', LIBVTERM_MOVES},
    {0, 0, 'e', LIBVTERM_MOVES},
    {0, 0, 'f', LIBVTERM_MOVES},
    {0, 0, 'j', LIBVTERM_MOVES},
    {0, 0, 'k', LIBVTERM_MOVES},
    {'?', 0, 'J', 0},
    {'?', 0, 'K', 0},
    {0, '\'', '}', 0},
    {0, '\'', '~', 0},
};

static const struct passed *find_passed(const struct sequence *s)
{
	for (size_t i = 0; i < COUNT_OF(passed); i++) {
		const struct passed *p = &passed[i];

		if (p->final == s->final && p->marker == s->marker && p->intermediate == s->intermediate)
			return p;
	}
	return NULL;
}

/* Sequences of those that only our own code knows whole. */
static bool is_ours(const struct term *t, const struct sequence *s)
{
	switch (s->final) {
	case 'D':
		return wraps_back(t);
	case 'G':
	case 'H':
	case '`':
	case 'd':
	case 'f':
		return mode(t, MODE_ORIGIN);
	case 'J':
		return sequence_value(s, 0, 0) > 2; /* history */
	case 'T':
		return s->count >= 5;
	default:
		return false;
	}
}

/* What erasing does besides to cells: libvterm knows nothing of it. */
static void before_erase(struct term *t, const struct sequence *s)
{
	int part = sequence_value(s, 0, 0);

	if (s->final == 'J' && part == 2)
		erase_keep(t, s->marker ? ERASE_SELECTIVE : ERASE_PLAIN);
	else if ((s->final == 'J' || s->final == 'K') && part == 0)
		erase_break(t);
}

/* libvterm is never in origin mode, as it could not be told then where the cursor is when text has left the
 * margins; after a control sequence it would be inside of them. */
static void stay_inside(struct term *t)
{
	int row = clamp(t->row, t->top, t->bottom), col = clamp(t->col, t->left, t->right);

	if (mode(t, MODE_ORIGIN) && (row != t->row || col != t->col))
		cursor_set(t, row, col);
}

static void pass(struct term *t, const struct passed *p, const struct sequence *s)
{
	const char marker[] = {s->marker, '\0'};
	const char end[] = {
	    s->intermediate ? s->intermediate : s->final, s->intermediate ? s->final : '\0', '\0'};

	if (s->final == 'H' || s->final == 'f')
		libvterm_sequence(
		    t, p->flags, "\033[%d;%d%s", sequence_count(s, 0), sequence_count(s, 1), end);
	else if (s->count == 0)
		libvterm_sequence(t, p->flags, "\033[%s%s", marker, end);
	else
		libvterm_sequence(t, p->flags, "\033[%s%d%s", marker, sequence_value(s, 0, 0), end);
}

static void on_csi(void *owner, const struct sequence *s)
{
	const struct passed *p = find_passed(s);

	if (!p || is_ours(owner, s)) {
		dispatch_csi(owner, s);
		return;
	}
	before_erase(owner, s);
	pass(owner, p, s);
	stay_inside(owner);
}

static const struct parser_handler handler = {
    .ascii = on_ascii,
    .print = on_print,
    .control = on_control,
    .escape = on_escape,
    .csi = on_csi,
    .wanted = engine_wanted,
    .string = engine_string,
};

static void start(struct term *t)
{
	t->engine_data = libvterm_create();
}

static void finish(struct term *t)
{
	libvterm_destroy(t->engine_data);
}

const struct engine engine_libvterm = {
    .name = "libvterm", .handler = &handler, .start = start, .finish = finish};
