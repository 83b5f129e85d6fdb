/*
 * engines: both engines, fed the same of what both do as the standards say.  Included by the unit test and
 * the fuzz target, which bring `struct random`, below() and what there is to include for them.
 *
 * The common subset is what libvterm 0.1.4 and 0.3.3 do as the standards say: text of single characters,
 * marks, movements, scrolling within top and bottom margins, erasing, editing, tab stops, charsets, insert
 * and origin mode, saved cursors, both screens, changes of size.  Out of it, as the scripts of tests/term
 * say, are: left and right margins, autowrap off, moves over a margin, erasing and tabs while a wrap is
 * pending, the column after IL and DL, and clusters of several characters that take columns.
 */
#ifndef HANDLER_TESTS_ENGINES_H
#define HANDLER_TESTS_ENGINES_H

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cell/history.h"
#include "term/term.h"

static inline struct term *make_engine(enum term_engine engine, int rows, int cols, struct history **h)
{
	struct term_options o = {.engine = engine, .rows = rows, .cols = cols, .version = "handler(0.0.0)"};

	*h = o.history = history_create(-1, NULL, 500, NULL);
	return term_create(&o, NULL);
}

struct pair {
	struct term *term[2];
	struct history *history[2];
	bool margins;
	struct buf fed;
};

static inline void pair_init(struct pair *p, int rows, int cols)
{
	*p = (struct pair){.fed = BUF_INIT};
	for (int i = 0; i < 2; i++)
		p->term[i] = make_engine((enum term_engine)i, rows, cols, &p->history[i]);
}

static inline void pair_finish(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		term_destroy(p->term[i]);
		history_destroy(p->history[i]);
	}
	buf_free(&p->fed);
}

static inline void pair_feed(struct pair *p, const char *text, size_t len)
{
	for (int i = 0; i < 2; i++)
		term_feed(p->term[i], text, len, 0);
	buf_add(&p->fed, text, len);
}

/* Text, flags, cursor and wrap; and what has entered history. */
static inline void add_visible(struct term *t, struct history *h, struct buf *out)
{
	const struct screen *s = term_screen(t);

	buf_printf(out, "%dx%d cursor %d,%d%s top %llu\n", s->rows, s->cols, s->cursor.row, s->cursor.col,
	    s->cursor.wrap_pending ? " pending" : "", (unsigned long long)s->top);
	for (int i = 0; i < s->rows; i++) {
		row_text(s->row[i], s->table, 0, s->cols, true, out);
		buf_printf(out, "|%x\n", s->row[i]->flags);
	}
	for (uint64_t n = history_first(h); n < history_end(h); n++) {
		size_t len;
		const void *packed = history_packed(h, n, &len);

		buf_add(out, packed, len);
	}
}

/* What can be seen of each. */
static inline bool pair_agrees(struct pair *p, struct buf *native, struct buf *other)
{
	add_visible(p->term[0], p->history[0], native);
	add_visible(p->term[1], p->history[1], other);
	return native->len == other->len && memcmp(native->data, other->data, native->len) == 0;
}

static inline void add_text(struct random *r, struct buf *out)
{
	static const uint32_t text[] = {0xe9, 0x416, 0x4e00, 0xac00, 0x2500, 0x3042, 0xff21, 0x1f600, 0x2713};

	for (uint32_t n = below(r, 20); n > 0; n--) {
		uint32_t kind = below(r, 8);

		buf_add_utf8(out, kind == 0 ? text[below(r, COUNT_OF(text))] : 'a' + below(r, 24));
		if (kind == 1)
			buf_add_utf8(out, below(r, 2) ? 0x301 : 0x308);
	}
}

/* What the engines may not agree about while a wrap is pending comes after a move. */
static inline void add_move(struct random *r, struct buf *out)
{
	buf_printf(out, "\033[%u;%uH", 1 + below(r, 30), 1 + below(r, 60));
}

static inline void add_editing(struct random *r, struct pair *p, struct buf *out)
{
	static const char finals[] = "@PXJKLMSTIZ";
	char final = finals[below(r, sizeof(finals) - 1)];

	if (final == '@' || final == 'P') {
		buf_adds(out, "\033[r");
		p->margins = false;
	}
	add_move(r, out);
	if (below(r, 2))
		buf_addc(
		    out, '\b'); /* never in the last column: text that fills the row may have left a wrap */
	buf_printf(out, "\033[%u%c", below(r, 4), final);
	if (final == 'L' || final == 'M')
		buf_addc(out, '\r');
}

static inline void add_state(struct random *r, struct buf *out)
{
	static const char *const states[] = {"\033[4habcd\033[4l", "\033[20h", "\033[20l", "\033[?6h",
	    "\033[?6l", "\0337", "\0338", "\033(0", "\033(B", "\033)0", "\016", "\017", "\033[?1049h",
	    "\033[?1049l", "\033[?47h", "\033[?47l", "\033H", "\033[g", "\033[3g", "\033[?5W", "\033#8",
	    "\033[!p", "\033c", "\033[31m", "\033[m", "\033[3J", "\033N", "\0336", "\0339", "\033[3b"};

	buf_adds(out, states[below(r, COUNT_OF(states))]);
	add_move(r, out);
}

static inline void add_movement(struct random *r, struct pair *p, struct buf *out)
{
	static const char *const moves[] = {"\r", "\n", "\r\n", "\033E", "\033D", "\033M", "\033[G",
	    "\033[5`", "\033[3d", "\033[2;3f", "\033[H", "\033[2C", "\033[3D", "\b"};
	static const char *const vertical[] = {
	    "\033[2A", "\033[3B", "\033[E", "\033[2F", "\033[2e", "\033[k"};

	if (p->margins || below(r, 2)) {
		add_move(r, out);
		buf_adds(out, moves[below(r, COUNT_OF(moves))]);
	} else {
		buf_adds(out, vertical[below(r, COUNT_OF(vertical))]);
	}
}

static inline void add_margins(struct random *r, struct pair *p, struct buf *out)
{
	int rows = term_screen(p->term[0])->rows, top = 1 + (int)below(r, (uint32_t)rows);

	p->margins = below(r, 2) && top < rows;
	if (p->margins)
		buf_printf(out, "\033[%d;%dr", top, top + 1 + (int)below(r, (uint32_t)(rows - top)));
	else
		buf_adds(out, "\033[r");
}

static inline void step(struct random *r, struct pair *p)
{
	AUTO_BUF text = BUF_INIT;

	switch (below(r, 8)) {
	case 0:
		add_margins(r, p, &text);
		break;
	case 1:
		add_state(r, &text);
		break;
	case 2:
		add_editing(r, p, &text);
		break;
	case 3:
	case 4:
		add_movement(r, p, &text);
		break;
	default:
		add_text(r, &text);
	}
	pair_feed(p, text.data, text.len);
}

/* Another size for both; then the margins are gone, which they are not if it is the same. */
static inline void pair_resize(struct random *r, struct pair *p)
{
	const struct screen *s = term_screen(p->term[0]);
	int rows = 2 + (int)below(r, 12), cols = 4 + (int)below(r, 40);

	p->margins = p->margins && rows == s->rows && cols == s->cols;
	for (int k = 0; k < 2; k++)
		term_resize(p->term[k], rows, cols);
	buf_adds(&p->fed, "<resize>");
}

#endif
