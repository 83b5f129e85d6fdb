/* Random output of programs, and what can be seen of a terminal, for the tests of src/term. */
#ifndef HANDLER_TESTS_TERM_RANDOM_H
#define HANDLER_TESTS_TERM_RANDOM_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cell/history.h"
#include "term/term.h"

/* --- random output --- */

struct random {
	uint64_t state;
};

static uint32_t next(struct random *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)(r->state >> 16);
}

static uint32_t below(struct random *r, uint32_t n)
{
	return next(r) % n;
}

static const char *const snippets[] = {
    "\033[?1049h",
    "\033[?1049l",
    "\033[?47h",
    "\033[?47l",
    "\033[?1047l",
    "\033[?6h",
    "\033[?6l",
    "\033[?7l",
    "\033[?7h",
    "\033[4h",
    "\033[4l",
    "\033[20h",
    "\033[20l",
    "\033[?69h",
    "\033[?69l",
    "\033[?45h",
    "\033[?1045h",
    "\033[?45l",
    "\033[?2026h",
    "\033[?2026l",
    "\033[?40h\033[?3h",
    "\033[r",
    "\033[!p",
    "\033c",
    "\0337",
    "\0338",
    "\033(0",
    "\033(B",
    "\016",
    "\017",
    "\033N",
    "\033O",
    "\r\n",
    "\r",
    "\n",
    "\t",
    "\b",
    "\a",
    "\033D",
    "\033E",
    "\033M",
    "\033H",
    "\0336",
    "\0339",
    "\033#8",
    "\033#6",
    "\033V",
    "\033W",
    "\033[1\"q",
    "\033[0\"q",
    "\033[3J",
    "\033[2J",
    "\033[J",
    "\033[K",
    "\033[1K",
    "\033[?2J",
    "\033[?K",
    "\033[c",
    "\033[6n",
    "\033[?6n",
    "\033[>q",
    "\033[?u",
    "\033[>5u",
    "\033[<u",
    "\033[=3;2u",
    "\033[>4;2m",
    "\033]0;title\a",
    "\033]2;other\033\\",
    "\033]8;;http://example.org\033\\",
    "\033]8;;\033\\",
    "\033]8;id=x;http://example.net\a",
    "\033]4;1;?\a",
    "\033]4;300;#fff;2;#102030\a",
    "\033]104\a",
    "\033]10;?\a",
    "\033]11;#123456\a",
    "\033]52;c;aGVsbG8=\a",
    "\033]7;file://host/tmp/%20x\a",
    "\033]9;4;1;50\a",
    "\033]9;hello\a",
    "\033]133;A\a",
    "\033]133;D;3\a",
    "\033]7501;?\033\\",
    "\033]7501;state=working:app=x:msg=aGk=\a",
    "\033P$qm\033\\",
    "\033P+q544e;436f\033\\",
    "\033Ptmux;\033\033]2;in tmux\a\033\\",
    "\033Pq#0;2;0;0;0#0~~@@\033\\",
    "\033_Gi=1;AAAA\033\\",
    "\033X ignored \033\\",
    "\033^pm\033\\",
    "\xc2\x9b"
    "31m",
    "\xc2\x9d"
    "2;c1\xc2\x9c",
    "\033[38;2;1;2;3m",
    "\033[48:2::9:8:7m",
    "\033[4:3m",
    "\033[58:5:3m",
    "\033[m",
    "\033[1;2;3;4;5;7;8;9;21;53m",
    "\033[31;42m",
    "\033[b",
    "\033[200b",
    "\033[22;0t",
    "\033[23;0t",
    "\033[18t",
    "\033[3g",
    "\033[?5W",
    "\033[2;7r",
    "\033[3;10s",
    "\033[1;1;3;3;1;2;5;1$v",
    "\033[65;1;1;9;9$x",
    "\033[2;2;4;4$z",
    "\033[1;1;5;20;1;4$r",
    "\033[1;1;5;20;7$t",
    "\033[2*x",
    "\033]99;i=1:d=0;a\a",
    "\033]99;i=1;b\a",
    "\033P=1s\033\\",
    "\033[?996n",
    "\033[?2048h",
    "\033[0 q",
    "\033[5 q",
};

static const uint32_t characters[] = {0xe9, 0x301, 0x308, 0x4e00, 0xac00, 0x1100, 0x1161, 0x11a8, 0x1f600,
    0x1f468, 0x200d, 0x1f469, 0x1f3fb, 0xfe0f, 0xfe0e, 0x2764, 0x1f1e9, 0x1f1ea, 0x20e3, 0x31, 0x915, 0x94d,
    0x937, 0x600, 0x200b, 0xad, 0xfeff, 0x2500, 0xff21, 0x3000, 0x0e33, 0x1f9d1, 0x10ffff, 0x85, 0x9f};

static void add_random_csi(struct random *r, struct buf *out)
{
	static const char finals[] = "@ABCDEFGHIJKLMPSTXZ`abdefghlmnrstux";
	static const char markers[] = "?><=";

	buf_adds(out, "\033[");
	if (below(r, 6) == 0)
		buf_addc(out, markers[below(r, 4)]);
	for (uint32_t n = below(r, 5); n > 0; n--) {
		uint32_t kind = below(r, 8);

		if (kind > 0)
			buf_printf(out, "%u", kind == 1 ? next(r) : below(r, 30));
		if (n > 1 || below(r, 4) == 0)
			buf_addc(out, below(r, 6) ? ';' : ':');
	}
	if (below(r, 10) == 0)
		buf_addc(out, " !\"$'*#"[below(r, 7)]);
	buf_addc(out, finals[below(r, sizeof(finals) - 1)]);
}

static inline void add_random(struct random *r, struct buf *out)
{
	switch (below(r, 10)) {
	case 0:
	case 1:
		for (uint32_t n = below(r, 40); n > 0; n--)
			buf_addc(out, (char)(' ' + below(r, 95)));
		break;
	case 2:
	case 3:
		for (uint32_t n = below(r, 8); n > 0; n--)
			buf_add_utf8(out, characters[below(r, COUNT_OF(characters))]);
		break;
	case 4:
	case 5:
		add_random_csi(r, out);
		break;
	case 6:
	case 7:
	case 8:
		buf_adds(out, snippets[below(r, COUNT_OF(snippets))]);
		break;
	default:
		for (uint32_t n = below(r, 4); n > 0; n--)
			buf_addc(out, (char)next(r));
	}
}

/* --- what can be seen --- */

static inline void describe(struct term *t, struct history *h, struct buf *out)
{
	const struct screen *s = term_screen(t);
	struct term_event e;

	buf_printf(out, "%dx%d %d,%d %d%d%d %u %llu %x\n", s->rows, s->cols, s->cursor.row, s->cursor.col,
	    s->cursor.wrap_pending, s->cursor.visible, s->cursor.shape, s->cursor.color,
	    (unsigned long long)s->top, s->modes);
	for (int i = 0; i < s->rows; i++) {
		for (int c = 0; c < s->cols; c++) {
			const struct cell *cell = &s->row[i]->cells[c];
			char sgr[STYLE_SGR_MAX];

			style_sgr(table_style_value(s->table, cell->style), sgr);
			buf_printf(out, "<%x %s>", cell->glyph & (GLYPH_WIDE | GLYPH_TAIL), sgr);
			table_glyph_utf8(s->table, cell->glyph, out);
		}
		buf_printf(out, "%x\n", s->row[i]->flags);
	}
	for (uint64_t n = history_first(h); n < history_end(h); n++) {
		size_t len;
		const void *packed = history_packed(h, n, &len);

		buf_add(out, packed, len);
	}
	buf_add(out, term_replies(t)->data, term_replies(t)->len);
	while (term_next_event(t, &e)) {
		/* how many changes are told apart depends on when they are fetched, but here nobody fetches
		 * in between */
		buf_printf(out, "event %d %d %d %s %s %s\n", e.type, e.number, e.value, e.text ? e.text : "-",
		    e.extra ? e.extra : "-", e.detail ? e.detail : "-");
		term_event_finish(&e);
	}
	buf_printf(out, "%s\n", term_title(t));
}

static inline void check_invariants(struct term *t)
{
	const struct screen *s = term_screen(t);

	assert_in_range(s->cursor.row, 0, s->rows - 1);
	assert_in_range(s->cursor.col, 0, s->cols - 1);
	for (int i = 0; i < s->rows; i++) {
		const struct row *row = s->row[i];

		assert_int_equal(row->cols, s->cols);
		assert_true(row->version <= s->version);
		for (int c = 0; c < s->cols; c++) {
			bool wide = (row->cells[c].glyph & GLYPH_WIDE) != 0;
			bool tail = c + 1 < s->cols && row->cells[c + 1].glyph & GLYPH_TAIL;

			assert_int_equal(wide, tail);
			assert_true(!(row->cells[c].glyph & GLYPH_TAIL) || row->cells[c].glyph == GLYPH_TAIL);
		}
		assert_false(row->cells[0].glyph & GLYPH_TAIL);
	}
}

static inline struct term *make(int rows, int cols, struct history **h)
{
	struct term_options o = {.rows = rows, .cols = cols, .version = "handler(0.0.0)"};

	*h = o.history = history_create(-1, NULL, 500, NULL);
	return term_create(&o, NULL);
}

#endif
