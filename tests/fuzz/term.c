/*
 * term: pane output into the emulator.  Fed whole and in pieces it gives the same screen, history, replies
 * and events; the screen stays sound; everything that is kept can be read, searched, selected and packed
 * again.
 *
 * 0xFF and r ROWS COLS: another size.  q, h: quiet, or without history, from here on (again: no more).
 * x: the program has ended.  m LENGTH text: a mark.  o: other facts of the outer terminal.  e: the events and
 * replies are fetched.  n: the history is exchanged.  d: begins anew with a history that CSI 3 J drops.
 * s: output rests.  t: a turn has ended.
 * l: one of the two is saved and loaded.  L COUNT (OFFSET VALUE)...: so is a damaged copy.  v: looks at all
 * that is there.  Any other byte: fed, and 0xFF before it.
 */
#include "cell/search.h"
#include "cell/select.h"
#include "screens.h"

enum { HISTORY_ROWS = 200, MARK_MAX = 64 };

struct pair {
	struct term *whole, *pieces;
	struct history *history[2];
	struct cutter cutter;
	unsigned flags;
	bool drop_history;
	struct term_outer outer;
	bool outer_told;
};

static struct term_options options(const struct pair *p, int which)
{
	return (struct term_options){.rows = 6,
	    .cols = 20,
	    .version = "handler(0)",
	    .drop_history_on_clear = p->drop_history,
	    .history = p->history[which]};
}

static void pair_init(struct pair *p, bool drop_history)
{
	struct term_options first, second;

	*p = (struct pair){.cutter = {1}, .drop_history = drop_history};
	for (int i = 0; i < 2; i++)
		p->history[i] = history_create(-1, NULL, HISTORY_ROWS, NULL);
	first = options(p, 0);
	second = options(p, 1);
	p->whole = term_create(&first, NULL);
	p->pieces = term_create(&second, NULL);
}

static void pair_finish(struct pair *p)
{
	term_destroy(p->whole);
	term_destroy(p->pieces);
	history_destroy(p->history[0]);
	history_destroy(p->history[1]);
}

static void pair_feed(struct pair *p, const char *text, size_t len)
{
	term_feed(p->whole, text, len, p->flags);
	for (size_t n; len > 0; text += n, len -= n) {
		n = cutter_next(&p->cutter, len);
		term_feed(p->pieces, text, n, p->flags);
	}
	check_screen(term_screen(p->whole));
	CHECK(term_replies(p->whole)->len <= TERM_REPLIES_MAX);
}

static void compare(struct pair *p)
{
	AUTO_BUF whole = BUF_INIT;
	AUTO_BUF pieces = BUF_INIT;

	describe_term(p->whole, p->history[0], &whole);
	describe_term(p->pieces, p->history[1], &pieces);
	check_same(&whole, &pieces, "output fed whole, and in pieces");
}

/* --- looking --- */

struct rows {
	const struct history *history;
	const struct screen *screen;
	struct row row;
};

static const struct row *get_row(void *context, uint64_t number)
{
	struct rows *r = context;

	if (number >= r->screen->top)
		return number < r->screen->top + (uint64_t)r->screen->rows
			   ? r->screen->row[number - r->screen->top]
			   : NULL;
	return history_row(r->history, number, r->screen->table, &r->row) == 0 ? &r->row : NULL;
}

/* What was packed means the same when it is packed and unpacked again. */
static void look_at_history(struct rows *r, struct cell_table *t)
{
	for (uint64_t n = history_first(r->history); n < history_end(r->history); n++) {
		AUTO_BUF packed = BUF_INIT;
		AUTO_BUF before = BUF_INIT;
		AUTO_BUF after = BUF_INIT;

		CHECK(history_row(r->history, n, t, &r->row) == 0);
		check_row(&r->row, t);
		describe_row(&r->row, t, &before);
		row_pack(&r->row, t, &packed);
		CHECK(packed.len <= ROW_PACKED_MAX);
		CHECK(row_unpack(packed.data, packed.len, t, &r->row) == 0);
		describe_row(&r->row, t, &after);
		check_same(&before, &after, "a row of history, packed again");
	}
}

static void look_for_text(const struct rows *r)
{
	static const char *const patterns[] = {"a", "[ -~]b*$", "\xcc\x81"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		struct search *s = search_create(patterns[i], i == 1 ? SEARCH_REGEX : 0, NULL);
		struct search_match m, last = {.from = {.row = UINT64_MAX}};
		enum search_result result = SEARCH_MORE;

		search_start(s, (struct position){history_first(r->history), -1}, true);
		while ((result = search_step(s, r->history, r->screen, 100, &m)) != SEARCH_END) {
			if (result == SEARCH_MORE)
				continue;
			CHECK(last.from.row == UINT64_MAX || position_compare(last.from, m.from) < 0);
			CHECK(position_compare(m.from, m.to) <= 0);
			last = m;
		}
		search_destroy(s);
	}
}

static void look_at_words(struct rows *r)
{
	struct row_source source = {get_row, r, r->screen->table, history_first(r->history),
	    r->screen->top + (uint64_t)r->screen->rows};
	struct position at = {source.first, 0}, former;
	struct selection s;
	AUTO_BUF text = BUF_INIT;

	select_start(&s, SELECT_WORDS, at, &source);
	for (int i = 0; i < 100; i++) {
		former = at;
		if (!select_next_word(&at, &source))
			break;
		CHECK(position_compare(former, at) < 0);
		CHECK(at.row < source.end && at.col >= 0 && at.col < SCREEN_MAX_COLS);
	}
	select_extend(&s, at, &source);
	select_text(&s, &source, &text);
	select_change(&s, SELECT_BLOCK, at, &source);
	select_text(&s, &source, &text);
}

static void look(struct term *t, const struct history *history)
{
	const struct screen *s = term_screen(t);
	struct rows r = {.history = history, .screen = s};
	AUTO_BUF text = BUF_INIT;

	CHECK(s->top == history_end(history));
	row_init(&r.row, s->cols, 0);
	screen_text(s, true, &text);
	look_at_history(&r, s->table);
	look_for_text(&r);
	look_at_words(&r);
	row_finish(&r.row);
}

/* --- operations --- */

static void both(struct pair *p, void (*f)(struct term *))
{
	f(p->whole);
	f(p->pieces);
}

static void resize(struct pair *p, struct source *s)
{
	int rows = source_range(s, 0, 30), cols = source_range(s, 0, 90);

	term_resize(p->whole, rows, cols);
	term_resize(p->pieces, rows, cols);
	check_screen(term_screen(p->whole));
}

static void mark(struct pair *p, struct source *s)
{
	size_t len = (size_t)source_range(s, 0, MARK_MAX);
	const char *bytes = source_bytes(s, &len);
	char text[MARK_MAX + 1];

	memcpy(text, bytes, len);
	text[len] = '\0';
	term_mark(p->whole, text);
	term_mark(p->pieces, text);
}

static void tell_outer(struct pair *p, struct source *s)
{
	struct term_outer *o = &p->outer;

	*o = (struct term_outer){.dark = source_u8(s) & 1};
	o->fg = COLOR_RGB(source_u8(s), 1, 2);
	o->bg = o->dark ? COLOR_RGB(0, 0, 0) : COLOR_RGB(255, 255, 255);
	o->cell_width = source_range(s, 1, 40);
	o->cell_height = source_range(s, 1, 40);
	p->outer_told = true;
	term_set_outer(p->whole, o);
	term_set_outer(p->pieces, o);
	both(p, term_report_theme);
}

static void exchange_history(struct pair *p)
{
	struct term *t[2] = {p->whole, p->pieces};

	for (int i = 0; i < 2; i++) {
		struct history *fresh = history_create(-1, NULL, HISTORY_ROWS, NULL);

		term_set_history(t[i], fresh);
		history_destroy(p->history[i]);
		p->history[i] = fresh;
	}
}

/* What is not saved: facts of the outer terminal, answers, events. */
static void load(struct pair *p)
{
	struct term_options o = options(p, 1);
	AUTO_BUF saved = BUF_INIT;
	AUTO_BUF dropped = BUF_INIT;
	struct term *t;

	compare(p);
	term_save(p->pieces, &saved);
	t = term_load(&o, saved.data, saved.len, NULL);
	CHECK(t);
	term_destroy(p->pieces);
	p->pieces = t;
	if (p->outer_told)
		term_set_outer(t, &p->outer);
	describe_events(t, &dropped);
	buf_clear(term_replies(t));
	compare(p);
}

static void load_damaged(struct pair *p, struct source *s)
{
	static const char text[] = "\033[3;4Hx\033[2J\r\n\033[?1049l\r\n\r\n";
	struct term_options o = {.rows = 6, .cols = 20};
	AUTO_BUF saved = BUF_INIT;
	struct term *t;

	term_save(p->whole, &saved);
	for (int count = source_range(s, 0, 8); count > 0; count--) {
		size_t at = source_u16(s) % (saved.len + 1);

		saved.data[at] = (char)source_u8(s);
	}
	t = term_load(&o, saved.data, saved.len, NULL);
	if (!t)
		return;
	check_screen(term_screen(t));
	term_feed(t, text, strlen(text), 0);
	term_resize(t, 7, 9);
	check_screen(term_screen(t));
	term_destroy(t);
}

static void operate(struct pair *p, struct source *s, int operation)
{
	const char raw[2] = {(char)0xff, (char)operation};

	switch (operation) {
	case 'r':
		resize(p, s);
		break;
	case 'q':
		p->flags ^= TERM_QUIET;
		break;
	case 'h':
		p->flags ^= TERM_NO_HISTORY;
		break;
	case 'x':
		both(p, term_reset_modes);
		break;
	case 'm':
		mark(p, s);
		break;
	case 'o':
		tell_outer(p, s);
		break;
	case 'e':
		compare(p);
		break;
	case 'n':
		exchange_history(p);
		break;
	case 'd':
		pair_finish(p);
		pair_init(p, true);
		break;
	case 's':
		both(p, term_rest);
		break;
	case 't':
		both(p, term_turn_ended);
		break;
	case 'l':
		load(p);
		break;
	case 'L':
		load_damaged(p, s);
		break;
	case 'v':
		look(p->whole, p->history[0]);
		break;
	default:
		pair_feed(p, raw, sizeof(raw));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source s = source_of(data, size);
	struct pair p;

	pair_init(&p, false);
	for (int operation = 0; operation >= 0; operation = source_operation(&s)) {
		size_t len;
		const char *text;

		if (operation)
			operate(&p, &s, operation);
		text = source_text(&s, &len);
		pair_feed(&p, text, len);
	}
	compare(&p);
	pair_finish(&p);
	return 0;
}
