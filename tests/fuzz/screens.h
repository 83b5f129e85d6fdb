/* screens: what has to hold of every screen and row, and all that can be seen of a terminal as text. */
#ifndef HANDLER_FUZZ_SCREENS_H
#define HANDLER_FUZZ_SCREENS_H

#include "cell/history.h"
#include "cell/screen.h"
#include "fuzz.h"
#include "term/term.h"

/* cell.h: wide heads have tails, handles mean something. */
static inline void check_row(const struct row *r, const struct cell_table *t)
{
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	for (int i = 0; i < r->cols; i++) {
		uint32_t glyph = r->cells[i].glyph;
		bool tail = glyph & GLYPH_TAIL, wide = glyph & GLYPH_WIDE;

		CHECK(!tail || glyph == GLYPH_TAIL);
		CHECK(!tail || (i > 0 && r->cells[i - 1].glyph & GLYPH_WIDE));
		CHECK(!wide || (i + 1 < r->cols && r->cells[i + 1].glyph == GLYPH_TAIL));
		CHECK(!tail || r->cells[i].style == r->cells[i - 1].style);
		CHECK(table_glyph(t, glyph, cps) > 0 || tail || glyph == 0);
		CHECK(table_style_value(t, r->cells[i].style));
	}
}

static inline void check_screen(const struct screen *s)
{
	const struct cursor *c = &s->cursor;

	CHECK(s->rows >= SCREEN_MIN_ROWS && s->rows <= SCREEN_MAX_ROWS);
	CHECK(s->cols >= SCREEN_MIN_COLS && s->cols <= SCREEN_MAX_COLS);
	CHECK(c->row >= 0 && c->row < s->rows && c->col >= 0 && c->col < s->cols && c->shape <= CURSOR_BAR);
	CHECK(s->history_first <= s->top);
	for (int i = 0; i < s->rows; i++) {
		CHECK(s->row[i]->cols == s->cols);
		CHECK(s->row[i]->version <= s->version);
		check_row(s->row[i], s->table);
	}
}

/*
 * Cells by what their handles mean, so that rows of different tables can be compared.  The id that a sender
 * gives to a link without one counts as none.
 */
static inline void describe_row(const struct row *r, const struct cell_table *t, struct buf *out)
{
	for (int i = 0; i < r->cols; i++) {
		struct style style = *table_style_value(t, r->cells[i].style);
		const char *uri = table_link_uri(t, style.link), *id = table_link_id(t, style.link);

		style.link = 0;
		buf_addc(out, r->cells[i].glyph & GLYPH_TAIL   ? 't'
			      : r->cells[i].glyph & GLYPH_WIDE ? 'w'
							       : 'n');
		buf_addc(out, r->cells[i].glyph == 0 ? '0' : ' ');
		table_glyph_utf8(t, r->cells[i].glyph, out);
		buf_add(out, &style, sizeof(style));
		if (uri)
			buf_printf(out, "%s %s", uri, id && strncmp(id, "handler-", 8) != 0 ? id : "");
	}
	buf_printf(out, "%x\n", r->flags);
}

static inline void describe_screen(const struct screen *s, struct buf *out)
{
	buf_printf(out, "%dx%d cursor %d,%d %d%d%d%d %x top %llu modes %x\n", s->rows, s->cols, s->cursor.row,
	    s->cursor.col, s->cursor.wrap_pending, s->cursor.visible, s->cursor.blink, s->cursor.shape,
	    s->cursor.color, (unsigned long long)s->top, s->modes);
	for (int i = 0; i < s->rows; i++)
		describe_row(s->row[i], s->table, out);
	if (s->palette)
		buf_add(out, s->palette, sizeof(*s->palette));
}

static inline void describe_history(const struct history *h, struct buf *out)
{
	buf_printf(out, "history %llu to %llu\n", (unsigned long long)history_first(h),
	    (unsigned long long)history_end(h));
	for (uint64_t n = history_first(h); n < history_end(h); n++) {
		size_t len = 0;
		const void *packed = history_packed(h, n, &len);

		CHECK(packed);
		buf_add(out, packed, len);
	}
}

/* The text of the alternate screen that has not left it. */
static inline void describe_text(struct term *t, struct buf *out)
{
	struct row row;

	row_init(&row, 0, 0);
	for (int i = 0; i < term_text_rows(t); i++) {
		term_text_row(t, i, &row);
		check_row(&row, term_screen(t)->table);
		CHECK(row.flags & ROW_SEEN);
		describe_row(&row, term_screen(t)->table, out);
	}
	row_finish(&row);
}

/* Fetches the events. */
static inline void describe_events(struct term *t, struct buf *out)
{
	struct term_event e;

	while (term_next_event(t, &e)) {
		buf_printf(out, "event %d %d %d %zu %s %s %s\n", e.type, e.number, e.value, e.len,
		    e.text ? e.text : "-", e.extra ? e.extra : "-", e.detail ? e.detail : "-");
		term_event_finish(&e);
	}
}

/* Fetches events and replies. */
static inline void describe_term(struct term *t, const struct history *h, struct buf *out)
{
	struct buf *replies = term_replies(t);

	describe_screen(term_screen(t), out);
	describe_history(h, out);
	describe_text(t, out);
	describe_events(t, out);
	buf_add(out, replies->data, replies->len);
	buf_consume(replies, replies->len);
	buf_printf(out, "\ntitle %s\n", term_title(t));
	buf_add(out, term_key_modes(t), sizeof(struct key_modes));
}

#endif
