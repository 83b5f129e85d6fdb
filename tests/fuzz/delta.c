/*
 * delta: a screen that pane output changes, sent as differences: the mirror at the other end shows the same,
 * and so do rows of history that are asked for.  Handles are few, so that they run out.
 *
 * 0xFF and r ROWS COLS: another size.  f: a frame, all of it.  p: one message of a frame.  w: the sender
 * begins anew.  z: the mirror's table is collected.  g FROM COUNT: rows by number.  x: the program has ended.
 * Any other byte: fed, and 0xFF before it.
 */
#include "screens.h"
#include "wire/delta.h"
#include "wire/encode.h"

enum { HISTORY_ROWS = 100, CACHE = 64 };

struct state {
	struct history *history;
	struct term *term;
	struct delta_sender *sender;
	struct cell_table *table;
	struct mirror mirror;
	struct row_cache cache;
};

static void init(struct state *s)
{
	struct term_options o = {.rows = 6, .cols = 20};

	s->history = o.history = history_create(-1, NULL, HISTORY_ROWS, NULL);
	s->term = term_create(&o, NULL);
	s->sender = delta_sender_create_limited(8, 6, 4);
	s->table = table_create();
	mirror_init(&s->mirror, s->table);
	row_cache_init(&s->cache, s->table, CACHE);
}

static void finish(struct state *s)
{
	row_cache_finish(&s->cache);
	mirror_finish(&s->mirror);
	table_destroy(s->table);
	delta_sender_destroy(s->sender);
	term_destroy(s->term);
	history_destroy(s->history);
}

/* --- what the other end should see: colours resolved, links by what they lead to --- */

static void describe_sent_row(const struct row *r, int cols, const struct screen *s, struct buf *out)
{
	const struct palette *p = s->palette;
	uint32_t cps[CELL_CLUSTER_CODE_POINTS];

	for (int i = 0; i < cols; i++) {
		struct cell cell = i < r->cols ? r->cells[i] : (struct cell){0};
		struct style style = *table_style_value(s->table, cell.style);
		const char *uri = table_link_uri(s->table, style.link),
			   *id = table_link_id(s->table, style.link);
		size_t count = table_glyph(s->table, cell.glyph, cps);

		style.link = 0;
		style.fg = encoder_color(p, style.fg, p ? p->fg : COLOR_DEFAULT);
		style.bg = encoder_color(p, style.bg, p ? p->bg : COLOR_DEFAULT);
		style.underline_color = encoder_color(p, style.underline_color, COLOR_DEFAULT);
		buf_printf(out, "%x ", cell.glyph & (GLYPH_TAIL | GLYPH_WIDE));
		buf_add(out, cps, count * sizeof(*cps));
		buf_add(out, &style, sizeof(style));
		if (uri)
			buf_adds(out, uri);
		if (uri && id && strncmp(id, "handler-", 8) != 0 && strcmp(id, "history") != 0)
			buf_printf(out, " %s", id);
	}
	buf_printf(out, "%x\n", r->flags);
}

static void describe_sent(const struct screen *s, const struct palette *palette, struct buf *out)
{
	struct screen with = *s;

	with.palette = palette;
	buf_printf(out, "%dx%d cursor %d,%d %d%d%d%d %x top %llu first %llu modes %x\n", s->rows, s->cols,
	    s->cursor.row, s->cursor.col, s->cursor.wrap_pending, s->cursor.visible, s->cursor.blink,
	    s->cursor.shape, s->cursor.color, (unsigned long long)s->top,
	    (unsigned long long)s->history_first, s->modes);
	for (int i = 0; i < s->rows; i++)
		describe_sent_row(s->row[i], s->cols, &with, out);
}

/* --- operations --- */

static bool message(struct state *s)
{
	const struct screen *screen = term_screen(s->term);
	AUTO_BUF payload = BUF_INIT;

	if (!delta_encode(s->sender, screen, &payload))
		return false;
	CHECK(payload.len <= DELTA_BYTES + 65536);
	CHECK(mirror_apply(&s->mirror, payload.data, payload.len, NULL) == 0);
	CHECK(s->mirror.more == delta_sender_more(s->sender));
	return delta_sender_more(s->sender);
}

static void frame(struct state *s)
{
	const struct screen *screen = term_screen(s->term);
	AUTO_BUF want = BUF_INIT;
	AUTO_BUF got = BUF_INIT;

	while (message(s))
		;
	describe_sent(screen, screen->palette, &want);
	describe_sent(&s->mirror.screen, NULL, &got);
	check_same(&want, &got, "a screen, and its mirror");
	check_screen(&s->mirror.screen);
	CHECK(!delta_encode(s->sender, screen, &got)); /* nothing has changed: nothing is sent */
}

static void check_sent_row(struct state *s, uint64_t number)
{
	const struct screen *screen = term_screen(s->term);
	const struct row *got = row_cache_get(&s->cache, number);
	struct screen cached = {.table = s->table};
	struct row row;
	AUTO_BUF want_text = BUF_INIT;
	AUTO_BUF got_text = BUF_INIT;
	bool live = number >= screen->top;

	CHECK(got);
	row_init(&row, SCREEN_MAX_COLS, 0);
	if (!live)
		CHECK(history_row(s->history, number, screen->table, &row) == 0);
	describe_sent_row(live ? screen->row[number - screen->top] : &row, screen->cols, screen, &want_text);
	describe_sent_row(got, screen->cols, &cached, &got_text);
	check_same(&want_text, &got_text, "a row, and what was sent of it");
	row_finish(&row);
}

static void rows(struct state *s, struct source *in)
{
	const struct screen *screen = term_screen(s->term);
	uint64_t first = screen->history_first, end = screen->top + (uint64_t)screen->rows, from, got_from;
	uint32_t count, got_count, sent;
	AUTO_BUF payload = BUF_INIT;

	from = first + source_u8(in) % (end - first + 1);
	count = (uint32_t)source_range(in, 1, CACHE);
	sent = delta_encode_rows(s->history, screen, from, count, &payload);
	CHECK(sent <= count && (sent > 0 || from >= end));
	CHECK(mirror_rows_apply(&s->cache, payload.data, payload.len, &got_from, &got_count, NULL) == 0);
	CHECK(got_from == from && got_count == sent);
	for (uint32_t i = 0; i < sent; i++)
		check_sent_row(s, from + i);
}

static void collect(struct state *s)
{
	mirror_mark(&s->mirror);
	row_cache_mark(&s->cache);
	table_sweep(s->table);
}

static void operate(struct state *s, struct source *in, int operation)
{
	const char raw[2] = {(char)0xff, (char)operation};
	int n;

	switch (operation) {
	case 'r':
		n = source_range(in, 0, 30);
		term_resize(s->term, n, source_range(in, 0, 90));
		break;
	case 'f':
		frame(s);
		break;
	case 'p':
		message(s);
		break;
	case 'w':
		delta_sender_reset(s->sender);
		break;
	case 'z':
		collect(s);
		break;
	case 'g':
		rows(s, in);
		break;
	case 'x':
		term_reset_modes(s->term);
		break;
	default:
		term_feed(s->term, raw, sizeof(raw), 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source in = source_of(data, size);
	struct state s;

	init(&s);
	for (int operation = 0; operation >= 0; operation = source_operation(&in)) {
		size_t len;
		const char *text;

		if (operation)
			operate(&s, &in, operation);
		text = source_text(&in, &len);
		term_feed(s.term, text, len, 0);
	}
	frame(&s);
	finish(&s);
	return 0;
}
