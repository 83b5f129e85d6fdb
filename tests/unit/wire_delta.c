/*
 * Deltas: whatever happened to a screen, the mirror shows the same values; what is not a delta does no harm;
 * what did not change is not sent.
 */
#include "tests/unit/cell_random.h"

#include <stdlib.h>

#include "wire/delta.h"
#include "wire/wire.h"

/* A stand-in for the emulator: two sets of rows, scrolls by moving rows or by copying them, a clock. */
struct pane {
	struct random random;
	struct cell_table *table;
	struct row *main[64], *alternate[64];
	struct screen screen;
	struct palette palette;
	struct history *history;
};

static void rows_create(struct row **rows, int from, int to, int cols, uint64_t version)
{
	for (int i = from; i < to; i++) {
		rows[i] = mem_alloc(sizeof(struct row));
		row_init(rows[i], cols, 0);
		rows[i]->version = version;
	}
}

static void rows_destroy(struct row **rows, int from, int to)
{
	for (int i = from; i < to; i++) {
		row_finish(rows[i]);
		free(rows[i]);
	}
}

static struct pane *pane_create(uint64_t seed, struct cell_table *table)
{
	struct pane *p = mem_zalloc(1, sizeof(*p));

	p->random.state = seed;
	p->table = table;
	p->history = history_create(-1, NULL, 1000, NULL);
	p->screen = (struct screen){.rows = 10, .cols = 40, .row = p->main, .version = 1, .table = table};
	rows_create(p->main, 0, 10, 40, 1);
	rows_create(p->alternate, 0, 10, 40, 1);
	return p;
}

static void pane_destroy(struct pane *p)
{
	rows_destroy(p->main, 0, p->screen.rows);
	rows_destroy(p->alternate, 0, p->screen.rows);
	history_destroy(p->history);
	free(p);
}

static void touch(struct pane *p, int row)
{
	p->screen.row[row]->version = p->screen.version;
}

static void write_text(struct pane *p)
{
	int row = random_below(&p->random, p->screen.rows), col = random_below(&p->random, p->screen.cols);
	uint32_t style = random_style(&p->random, p->table);

	for (int n = 1 + random_below(&p->random, 30); n > 0 && col < p->screen.cols; n--, col++)
		put_glyph(p->screen.row[row], col, random_glyph(&p->random, p->table), style);
	p->screen.row[row]->flags = (uint16_t)random_below(&p->random, 32);
	touch(p, row);
}

static void erase(struct pane *p)
{
	int row = random_below(&p->random, p->screen.rows), from = random_below(&p->random, p->screen.cols);

	row_erase(p->screen.row[row], from, from + random_below(&p->random, 20),
	    random_style(&p->random, p->table));
	touch(p, row);
}

/* Region [top, bottom) up by one, by moving the rows. */
static void scroll_up(struct pane *p, int top, int bottom)
{
	struct row *first = p->screen.row[top];

	if (top == 0 && p->screen.row == p->main) {
		history_append(p->history, first, p->table);
		p->screen.top++;
	}
	memmove(&p->screen.row[top], &p->screen.row[top + 1], (size_t)(bottom - top - 1) * sizeof(first));
	p->screen.row[bottom - 1] = first;
	row_erase(first, 0, first->cols, 0);
	first->flags = 0;
	touch(p, bottom - 1);
}

static void scroll_down(struct pane *p, int top, int bottom)
{
	struct row *last = p->screen.row[bottom - 1];

	memmove(&p->screen.row[top + 1], &p->screen.row[top], (size_t)(bottom - top - 1) * sizeof(last));
	p->screen.row[top] = last;
	row_erase(last, 0, last->cols, 0);
	touch(p, top);
}

/* The whole screen up by one, by copying cells. */
static void scroll_copying(struct pane *p)
{
	if (p->screen.row == p->main) {
		history_append(p->history, p->screen.row[0], p->table);
		p->screen.top++;
	}
	for (int i = 0; i + 1 < p->screen.rows; i++) {
		struct row *to = p->screen.row[i], *from = p->screen.row[i + 1];

		memcpy(to->cells, from->cells, (size_t)to->cols * sizeof(*to->cells));
		to->flags = from->flags;
		touch(p, i);
	}
	row_erase(p->screen.row[p->screen.rows - 1], 0, p->screen.cols, 0);
	touch(p, p->screen.rows - 1);
}

static void resize(struct pane *p)
{
	int rows = 2 + random_below(&p->random, 40), cols = 2 + random_below(&p->random, 100),
	    old = p->screen.rows;

	for (int i = 0; i < old && i < rows; i++) {
		row_resize(p->main[i], cols);
		row_resize(p->alternate[i], cols);
		p->main[i]->version = p->alternate[i]->version = p->screen.version;
	}
	rows_destroy(p->main, rows, old);
	rows_destroy(p->alternate, rows, old);
	rows_create(p->main, old, rows, cols, p->screen.version);
	rows_create(p->alternate, old, rows, cols, p->screen.version);
	p->screen.rows = rows;
	p->screen.cols = cols;
	p->screen.cursor.row = p->screen.cursor.col = 0;
}

static void move_cursor(struct pane *p)
{
	p->screen.cursor = (struct cursor){
	    .row = random_below(&p->random, p->screen.rows),
	    .col = random_below(&p->random, p->screen.cols),
	    .visible = random_below(&p->random, 2),
	    .blink = random_below(&p->random, 2),
	    .wrap_pending = random_below(&p->random, 2),
	    .shape = (uint8_t)random_below(&p->random, 4),
	    .color = random_color(&p->random),
	};
}

static void change_palette(struct pane *p)
{
	if (random_below(&p->random, 2)) {
		p->screen.palette = NULL;
		return;
	}
	p->palette = (struct palette){.fg = random_color(&p->random), .bg = COLOR_RGB(1, 2, 3)};
	if (!COLOR_IS_RGB(p->palette.fg))
		p->palette.fg = COLOR_DEFAULT;
	for (int i = random_below(&p->random, 5); i > 0; i--)
		p->palette.index[random_below(&p->random, 256)] = COLOR_RGB(i, i, i);
	p->screen.palette = &p->palette;
}

static void collect(struct pane *p)
{
	for (int i = 0; i < p->screen.rows; i++) {
		table_mark_cells(p->table, p->main[i]->cells, (size_t)p->main[i]->cols);
		table_mark_cells(p->table, p->alternate[i]->cells, (size_t)p->alternate[i]->cols);
	}
	table_sweep(p->table);
}

static void mutate(struct pane *p)
{
	int top = random_below(&p->random, p->screen.rows - 1);
	int bottom = top + 2 + random_below(&p->random, p->screen.rows - top - 1);

	switch (random_below(&p->random, 40)) {
	case 0:
		resize(p);
		break;
	case 1:
		p->screen.row = p->screen.row == p->main ? p->alternate : p->main;
		p->screen.modes ^= SCREEN_ALTERNATE;
		break;
	case 2:
		change_palette(p);
		break;
	case 3:
		collect(p);
		break;
	case 4:
	case 5:
		scroll_copying(p);
		break;
	case 6:
	case 7:
	case 8:
		scroll_down(p, top, bottom);
		break;
	case 9:
	case 10:
	case 11:
		scroll_up(p, top, bottom);
		break;
	case 12:
	case 13:
	case 14:
	case 15:
		scroll_up(p, 0, p->screen.rows);
		break;
	case 16:
	case 17:
		move_cursor(p);
		break;
	case 18:
	case 19:
		erase(p);
		break;
	default:
		write_text(p);
	}
	p->screen.history_first = history_first(p->history);
	if (table_full(p->table))
		collect(p);
}

static color_t resolved(const struct palette *p, color_t c, color_t fallback)
{
	if (p && COLOR_IS_INDEX(c) && p->index[COLOR_VALUE(c)])
		return p->index[COLOR_VALUE(c)];
	return p && c == COLOR_DEFAULT ? fallback : c;
}

static void assert_style_shown(
    const struct screen *want, uint32_t a, const struct cell_table *table, uint32_t b)
{
	struct style x = *table_style_value(want->table, a), y = *table_style_value(table, b);
	const struct palette *p = want->palette;

	assert_string_same(table_link_uri(want->table, x.link), table_link_uri(table, y.link));
	x.link = y.link = 0;
	x.fg = resolved(p, x.fg, p ? p->fg : 0);
	x.bg = resolved(p, x.bg, p ? p->bg : 0);
	x.underline_color = resolved(p, x.underline_color, 0);
	assert_memory_equal(&x, &y, sizeof(x));
}

static void assert_glyph_shown(
    const struct screen *want, uint32_t a, const struct cell_table *table, uint32_t b)
{
	uint32_t x[CELL_CLUSTER_CODE_POINTS], y[CELL_CLUSTER_CODE_POINTS];
	size_t n = table_glyph(want->table, a, x);

	assert_int_equal(a & (GLYPH_WIDE | GLYPH_TAIL), b & (GLYPH_WIDE | GLYPH_TAIL));
	assert_int_equal(table_glyph(table, b, y), n);
	assert_memory_equal(x, y, n * sizeof(*x));
}

static void assert_shown(const struct screen *want, const struct mirror *m)
{
	const struct screen *got = &m->screen;

	assert_int_equal(got->rows, want->rows);
	assert_int_equal(got->cols, want->cols);
	assert_true(got->top == want->top && got->history_first == want->history_first);
	assert_int_equal(got->modes, want->modes);
	assert_int_equal(got->cursor.row, want->cursor.row);
	assert_int_equal(got->cursor.col, want->cursor.col);
	assert_int_equal(got->cursor.visible, want->cursor.visible);
	assert_int_equal(got->cursor.blink, want->cursor.blink);
	assert_int_equal(got->cursor.wrap_pending, want->cursor.wrap_pending);
	assert_int_equal(got->cursor.shape, want->cursor.shape);
	assert_int_equal(got->cursor.color, resolved(want->palette, want->cursor.color, 0));
	for (int i = 0; i < want->rows; i++) {
		assert_row_sound(got->row[i]);
		assert_int_equal(got->row[i]->flags, want->row[i]->flags);
		for (int k = 0; k < want->cols; k++) {
			assert_glyph_shown(
			    want, want->row[i]->cells[k].glyph, got->table, got->row[i]->cells[k].glyph);
			assert_style_shown(
			    want, want->row[i]->cells[k].style, got->table, got->row[i]->cells[k].style);
		}
	}
}

/* What a reader that trusts row identity and version would still show. */
struct picture {
	const struct row *row[64];
	uint64_t version[64];
	struct cell *cells[64];
	int rows, cols;
};

static void picture_draw(struct picture *p, const struct screen *s)
{
	for (int i = 0; i < s->rows; i++) {
		bool current = p->rows == s->rows && p->cols == s->cols && p->row[i] == s->row[i] &&
			       p->version[i] == s->row[i]->version;

		if (current) {
			assert_memory_equal(
			    p->cells[i], s->row[i]->cells, (size_t)s->cols * sizeof(struct cell));
			continue;
		}
		p->cells[i] = mem_realloc(p->cells[i], (size_t)s->cols, sizeof(struct cell));
		memcpy(p->cells[i], s->row[i]->cells, (size_t)s->cols * sizeof(struct cell));
		p->row[i] = s->row[i];
		p->version[i] = s->row[i]->version;
	}
	p->rows = s->rows;
	p->cols = s->cols;
}

/* Sends until nothing is left; the bytes sent. */
static size_t transfer(struct delta_sender *s, const struct screen *screen, struct mirror *m)
{
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;
	size_t bytes = 0;

	while (delta_encode(s, screen, &out)) {
		assert_true(out.len <= WIRE_PAYLOAD_MAX);
		assert_int_equal(mirror_apply(m, out.data, out.len, &err), 0);
		assert_int_equal(m->more, delta_sender_more(s));
		bytes += out.len;
		buf_clear(&out);
	}
	assert_int_equal(out.len, 0);
	assert_false(delta_sender_more(s));
	return bytes;
}

static void run(
    uint64_t seed, struct cell_table *worker, struct delta_sender *s, struct cell_table *client, int rounds)
{
	struct pane *p = pane_create(seed, worker);
	struct picture picture = {.rows = 0};
	struct mirror m;

	mirror_init(&m, client);
	for (int round = 0; round < rounds; round++) {
		for (int i = random_below(&p->random, 6); i > 0; i--)
			mutate(p);
		if (random_below(&p->random, 50) == 0)
			delta_sender_reset(s);
		transfer(s, &p->screen, &m);
		assert_false(m.stale);
		assert_shown(&p->screen, &m);
		picture_draw(&picture, &m.screen);
		p->screen.version++;
		if (table_full(client)) {
			mirror_mark(&m);
			table_sweep(client);
			assert_shown(&p->screen, &m);
		}
	}
	for (int i = 0; i < 64; i++)
		free(picture.cells[i]);
	mirror_finish(&m);
	pane_destroy(p);
}

static void mirror_follows_the_screen(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct cell_table *worker = table_create(), *client = table_create();
		struct delta_sender *s = delta_sender_create();

		run(seed, worker, s, client, 150);
		delta_sender_destroy(s);
		table_destroy(worker);
		table_destroy(client);
	}
	delta_sender_destroy(NULL);
}

static void few_handles_are_enough(void **state)
{
	(void)state;
	for (uint32_t limit = 2; limit <= 64; limit += 31) {
		struct cell_table *worker = table_create(), *client = table_create();
		struct delta_sender *s = delta_sender_create_limited(limit, limit, limit);

		run(limit, worker, s, client, 150);
		delta_sender_destroy(s);
		table_destroy(worker);
		table_destroy(client);
	}
}

/* Tables so small that both sides collect again and again. */
static void collections_on_both_sides(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 105; seed++) {
		struct cell_table *worker = table_create_limited(4096, 1024, 256),
				  *client = table_create_limited(4096, 1024, 256);
		struct delta_sender *s = delta_sender_create_limited(64, 64, 64);
		uint32_t generation = table_generation(client);

		run(seed, worker, s, client, 1500);
		assert_true(table_generation(client) > generation);
		delta_sender_destroy(s);
		table_destroy(worker);
		table_destroy(client);
	}
}

static void a_full_table_is_said_and_repaired(void **state)
{
	struct cell_table *worker = table_create(), *client = table_create_limited(300, 64, 64);
	struct delta_sender *s = delta_sender_create();
	struct pane *p = pane_create(1, worker);
	struct mirror m;

	(void)state;
	mirror_init(&m, client);
	for (int i = 0; i < 299; i++) {
		struct style junk = {.fg = COLOR_RGB(9, i >> 8, i)};

		assert_int_not_equal(table_style(client, &junk), 0);
	}
	for (int i = 0; i < 40; i++) {
		struct style style = {.fg = COLOR_RGB(7, 7, i)};

		put_glyph(p->screen.row[3], i, 'x', table_style(worker, &style));
	}
	touch(p, 3);
	transfer(s, &p->screen, &m);
	assert_true(m.stale);
	mirror_mark(&m);
	table_sweep(client);
	delta_sender_reset(s);
	transfer(s, &p->screen, &m);
	assert_false(m.stale);
	assert_shown(&p->screen, &m);
	mirror_finish(&m);
	pane_destroy(p);
	delta_sender_destroy(s);
	table_destroy(worker);
	table_destroy(client);
}

struct lines {
	struct cell_table *worker, *client;
	struct delta_sender *sender;
	struct pane *pane;
	struct mirror mirror;
};

static void put_line(struct pane *p, int row, const char *text)
{
	for (int i = 0; text[i] && i < p->screen.cols; i++)
		p->screen.row[row]->cells[i].glyph = (unsigned char)text[i];
	touch(p, row);
}

static int set_up(void **state)
{
	struct lines *l = mem_zalloc(1, sizeof(*l));

	l->worker = table_create();
	l->client = table_create();
	l->sender = delta_sender_create();
	l->pane = pane_create(1, l->worker);
	for (int i = 0; i < 10; i++) {
		char text[64];

		snprintf(text, sizeof(text), "this is line number %d of the screen", i);
		put_line(l->pane, i, text);
	}
	mirror_init(&l->mirror, l->client);
	transfer(l->sender, &l->pane->screen, &l->mirror);
	mirror_scrolls_clear(&l->mirror);
	l->pane->screen.version++;
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct lines *l = *state;

	mirror_finish(&l->mirror);
	pane_destroy(l->pane);
	delta_sender_destroy(l->sender);
	table_destroy(l->worker);
	table_destroy(l->client);
	free(l);
	return 0;
}

static void nothing_new_sends_nothing(void **state)
{
	struct lines *l = *state;
	AUTO_BUF out = BUF_INIT;

	assert_false(delta_encode(l->sender, &l->pane->screen, &out));
	/* Rewritten, but equal. */
	put_line(l->pane, 4, "this is line number 4 of the screen");
	assert_false(delta_encode(l->sender, &l->pane->screen, &out));
	assert_int_equal(out.len, 0);
}

static void a_key_costs_a_few_bytes(void **state)
{
	struct lines *l = *state;
	uint64_t version = l->mirror.screen.row[4]->version, other = l->mirror.screen.row[5]->version;

	put_line(l->pane, 4, "that");
	l->pane->screen.cursor.col = 5;
	assert_true(transfer(l->sender, &l->pane->screen, &l->mirror) < 60);
	assert_shown(&l->pane->screen, &l->mirror);
	assert_true(l->mirror.screen.row[4]->version > version);
	assert_int_equal(l->mirror.screen.row[5]->version, other);
}

static void far_changes_of_a_row_go_separately(void **state)
{
	struct lines *l = *state;

	l->pane->screen.row[4]->cells[0].glyph = 'X';
	l->pane->screen.row[4]->cells[39].glyph = 'Y';
	touch(l->pane, 4);
	assert_true(transfer(l->sender, &l->pane->screen, &l->mirror) < 70);
	assert_shown(&l->pane->screen, &l->mirror);
}

static void assert_scrolled(const struct lines *l, int top, int bottom, int count)
{
	assert_int_equal(l->mirror.scrolls, 1);
	assert_int_equal(l->mirror.scroll[0].top, top);
	assert_int_equal(l->mirror.scroll[0].bottom, bottom);
	assert_int_equal(l->mirror.scroll[0].count, count);
	assert_shown(&l->pane->screen, &l->mirror);
}

static void scrolled_rows_are_not_sent_again(void **state)
{
	struct lines *l = *state;
	const struct row *second = l->mirror.screen.row[1];
	uint64_t version = second->version;

	scroll_up(l->pane, 0, 10);
	put_line(l->pane, 9, "new");
	assert_true(transfer(l->sender, &l->pane->screen, &l->mirror) < 70);
	assert_scrolled(l, 0, 10, 1);
	assert_ptr_equal(l->mirror.screen.row[0], second);
	assert_int_equal(second->version, version);
}

static void copied_rows_are_recognised(void **state)
{
	struct lines *l = *state;

	scroll_copying(l->pane);
	scroll_copying(l->pane);
	put_line(l->pane, 9, "new");
	assert_true(transfer(l->sender, &l->pane->screen, &l->mirror) < 70);
	assert_scrolled(l, 0, 10, 2);
}

static void regions_scroll_both_ways(void **state)
{
	struct lines *l = *state;

	scroll_up(l->pane, 2, 8);
	scroll_up(l->pane, 2, 8);
	assert_true(transfer(l->sender, &l->pane->screen, &l->mirror) < 70);
	assert_scrolled(l, 2, 8, 2);
	mirror_scrolls_clear(&l->mirror);
	l->pane->screen.version++;
	scroll_down(l->pane, 1, 9);
	assert_true(transfer(l->sender, &l->pane->screen, &l->mirror) < 70);
	assert_scrolled(l, 1, 9, -1);
}

/* What an agent's composer does: the region above its last rows scrolls into history. */
static void a_region_at_the_top_scrolls_into_history(void **state)
{
	struct lines *l = *state;

	scroll_up(l->pane, 0, 7);
	assert_int_equal(l->pane->screen.top, 1);
	assert_true(transfer(l->sender, &l->pane->screen, &l->mirror) < 70);
	assert_scrolled(l, 0, 7, 1);
	assert_int_equal(l->mirror.screen.top, 1);
}

static void large_screens_take_several_messages(void **state)
{
	struct cell_table *worker = table_create(), *client = table_create();
	struct row **rows = mem_zalloc(300, sizeof(*rows));
	struct screen screen = {.rows = 300, .cols = 1000, .row = rows, .version = 1, .table = worker};
	struct delta_sender *s = delta_sender_create();
	AUTO_BUF out = BUF_INIT;
	struct mirror m;
	int messages = 0;

	(void)state;
	rows_create(rows, 0, 300, 1000, 1);
	for (int i = 0; i < 300000; i++) {
		struct style style = {.fg = COLOR_RGB(1, i / 7 >> 8, i / 7)};

		put_glyph(rows[i / 1000], i % 1000, '!' + (uint32_t)i % 90, table_style(worker, &style));
	}
	mirror_init(&m, client);
	while (delta_encode(s, &screen, &out)) {
		assert_true(out.len < DELTA_BYTES + 8192);
		assert_int_equal(mirror_apply(&m, out.data, out.len, NULL), 0);
		messages++;
		assert_int_equal(m.more, delta_sender_more(s));
		buf_clear(&out);
	}
	assert_in_range(messages, 3, 20);
	assert_shown(&screen, &m);
	mirror_finish(&m);
	rows_destroy(rows, 0, 300);
	free(rows);
	delta_sender_destroy(s);
	table_destroy(worker);
	table_destroy(client);
}

static void two_sessions_share_a_table(void **state)
{
	struct cell_table *worker = table_create(), *other = table_create(), *client = table_create();
	struct delta_sender *s = delta_sender_create(), *u = delta_sender_create();
	struct pane *p = pane_create(3, worker), *q = pane_create(4, other);
	struct mirror m, n;

	(void)state;
	mirror_init(&m, client);
	mirror_init(&n, client);
	for (int round = 0; round < 100; round++) {
		mutate(p);
		transfer(s, &p->screen, &m);
		mutate(q);
		transfer(u, &q->screen, &n);
		assert_shown(&p->screen, &m);
		assert_shown(&q->screen, &n);
		p->screen.version++;
		q->screen.version++;
		if (round % 10 == 0) {
			mirror_mark(&m);
			mirror_mark(&n);
			table_sweep(client);
		}
	}
	mirror_finish(&m);
	mirror_finish(&n);
	pane_destroy(p);
	pane_destroy(q);
	delta_sender_destroy(s);
	delta_sender_destroy(u);
	table_destroy(worker);
	table_destroy(other);
	table_destroy(client);
}

/* --- rows by number --- */

static void assert_cached(const struct pane *p, const struct row_cache *c, uint64_t number)
{
	const struct row *got = row_cache_get(c, number);
	struct screen screen =
	    p->screen; /* links get an id on their way through history: only looks are compared */
	struct row want;

	assert_non_null(got);
	assert_row_sound(got);
	row_init(&want, p->screen.cols, 0);
	if (number >= p->screen.top) {
		const struct row *r = p->screen.row[number - p->screen.top];

		memcpy(want.cells, r->cells, (size_t)want.cols * sizeof(*want.cells));
		want.flags = r->flags;
	} else {
		row_resize(&want, got->cols);
		assert_int_equal(history_row(p->history, number, p->table, &want), 0);
	}
	assert_int_equal(got->flags, want.flags);
	for (int i = 0; i < want.cols; i++) {
		struct cell blank = {0}, cell = i < got->cols ? got->cells[i] : blank;

		assert_glyph_shown(&screen, want.cells[i].glyph, c->table, cell.glyph);
		assert_style_shown(&screen, want.cells[i].style, c->table, cell.style);
	}
	row_finish(&want);
}

static void rows_come_by_number(void **state)
{
	struct cell_table *worker = table_create(), *client = table_create();
	struct pane *p = pane_create(5, worker);
	struct row_cache c;

	(void)state;
	row_cache_init(&c, client, 64);
	for (int round = 0; round < 300; round++) {
		AUTO_BUF out = BUF_INIT;
		uint64_t from, end, got_from = 0;
		uint32_t count, got;

		do
			mutate(p);
		while (history_end(p->history) != p->screen.top || p->screen.row != p->main);
		from = (uint64_t)random_below(&p->random, (int)p->screen.top + 50);
		count = 1 + (uint32_t)random_below(&p->random, 60);
		got = delta_encode_rows(p->history, &p->screen, from, count, &out);
		assert_int_equal(mirror_rows_apply(&c, out.data, out.len, &got_from, &count, NULL), 0);
		assert_int_equal(count, got);
		end = p->screen.top + (uint64_t)p->screen.rows;
		if (from < end)
			assert_true(got > 0 && got_from >= from && got_from >= history_first(p->history));
		for (uint64_t n = got_from; n < got_from + got; n++)
			assert_cached(p, &c, n);
		assert_true(c.top == p->screen.top && c.history_first == history_first(p->history));
		row_cache_mark(&c);
		table_sweep(client);
		for (uint64_t n = got_from; n < got_from + got; n++)
			assert_cached(p, &c, n);
		if (got > 0) {
			row_cache_forget(&c, got_from + got - 1);
			assert_null(row_cache_get(&c, got_from + got - 1));
			assert_int_equal(row_cache_get(&c, got_from) != NULL, got > 1);
		}
	}
	row_cache_finish(&c);
	pane_destroy(p);
	table_destroy(worker);
	table_destroy(client);
}

static void many_rows_stop_at_the_size_of_a_message(void **state)
{
	struct cell_table *worker = table_create(), *client = table_create();
	struct pane *p = pane_create(6, worker);
	AUTO_BUF out = BUF_INIT;
	struct row_cache c;
	uint64_t next;
	struct row r;

	(void)state;
	row_init(&r, 1000, 0);
	for (int i = 0; i < 500; i++) {
		random_fill(&p->random, &r, worker);
		history_append(p->history, &r, worker);
		p->screen.top++;
		if (table_full(worker))
			collect(p);
	}
	row_finish(&r);
	row_cache_init(&c, client, 1024);
	next = history_first(p->history);
	assert_true(next < 400);
	while (next < 510) {
		uint64_t from;
		uint32_t count = delta_encode_rows(p->history, &p->screen, next, 4000, &out);

		assert_true(count > 0 && count < 110 && out.len <= WIRE_PAYLOAD_MAX);
		assert_int_equal(mirror_rows_apply(&c, out.data, out.len, &from, &count, NULL), 0);
		assert_int_equal(from, next);
		next += count;
		buf_clear(&out);
		if (table_full(client)) {
			row_cache_forget(&c, 0);
			table_sweep(client);
		}
	}
	assert_int_equal(next, 510);
	row_cache_finish(&c);
	pane_destroy(p);
	table_destroy(worker);
	table_destroy(client);
}

/* --- bytes that are no delta --- */

static void assert_mirror_sound(const struct mirror *m)
{
	for (int i = 0; i < m->screen.rows; i++) {
		assert_int_equal(m->screen.row[i]->cols, m->screen.cols);
		assert_row_sound(m->screen.row[i]);
	}
}

static void try_bytes(struct mirror *m, struct row_cache *c, const char *data, size_t len)
{
	AUTO_FREE char *copy = mem_alloc(len); /* its end is where reading must end */
	struct err err = ERR_INIT;

	memcpy(copy, data, len);
	if (mirror_apply(m, copy, len, &err) != 0)
		assert_int_equal(err.code, ERR_PROTOCOL);
	assert_mirror_sound(m);
	mirror_rows_apply(c, copy, len, NULL, NULL, NULL);
	for (uint32_t i = 0; i < 64; i++) {
		const struct row *r = row_cache_get(c, i);

		if (r)
			assert_row_sound(r);
	}
	if (table_full(m->screen.table)) {
		mirror_mark(m);
		row_cache_mark(c);
		table_sweep(m->screen.table);
	}
}

/* Deltas with bytes changed, cut off, or made up; a small screen, so that sizes are often right. */
static void damaged_deltas_do_no_harm(void **state)
{
	struct cell_table *worker = table_create(), *client = table_create();
	struct delta_sender *s = delta_sender_create_limited(64, 64, 64);
	struct pane *p = pane_create(7, worker);
	struct row_cache c;
	struct mirror m;

	(void)state;
	mirror_init(&m, client);
	row_cache_init(&c, client, 64);
	for (int round = 0; round < 3000; round++) {
		AUTO_BUF out = BUF_INIT;

		mutate(p);
		if (round % 2)
			delta_encode_rows(p->history, &p->screen, p->screen.top, 20, &out);
		else if (!delta_encode(s, &p->screen, &out))
			continue;
		p->screen.version++;
		if (!m.valid)
			delta_sender_reset(s);
		if (round % 5 == 0)
			try_bytes(&m, &c, out.data, (size_t)random_below(&p->random, (int)out.len));
		for (int i = random_below(&p->random, 6); i > 0; i--)
			out.data[random_below(&p->random, (int)out.len)] =
			    (char)random_below(&p->random, 256);
		try_bytes(&m, &c, out.data, out.len);
	}
	mirror_finish(&m);
	row_cache_finish(&c);
	pane_destroy(p);
	delta_sender_destroy(s);
	table_destroy(worker);
	table_destroy(client);
}

static void a_difference_needs_something_to_differ_from(void **state)
{
	struct lines *l = *state;
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;
	struct mirror fresh;

	put_line(l->pane, 4, "that");
	assert_true(delta_encode(l->sender, &l->pane->screen, &out));
	mirror_init(&fresh, l->client);
	assert_int_equal(mirror_apply(&fresh, out.data, out.len, &err), -1);
	assert_int_equal(err.code, ERR_PROTOCOL);
	delta_sender_reset(l->sender);
	transfer(l->sender, &l->pane->screen, &fresh);
	assert_shown(&l->pane->screen, &fresh);
	mirror_finish(&fresh);
}

/* History ends where the screen begins: readers take the one from the other. */
static void history_never_begins_below_the_screen(void **state)
{
	enum { HISTORY_FIRST_AT = 1 + 2 + 2 + 8 /* flags, rows, columns, top: delta_format.h */ };
	struct lines *l = *state;
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;
	struct mirror fresh;

	delta_sender_reset(l->sender);
	assert_true(delta_encode(l->sender, &l->pane->screen, &out));
	mirror_init(&fresh, l->client);
	memset(out.data + HISTORY_FIRST_AT, 0x7f, 8);
	assert_int_equal(mirror_apply(&fresh, out.data, out.len, &err), -1);
	assert_int_equal(err.code, ERR_PROTOCOL);
	mirror_finish(&fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mirror_follows_the_screen),
	    cmocka_unit_test(few_handles_are_enough),
	    cmocka_unit_test(collections_on_both_sides),
	    cmocka_unit_test(a_full_table_is_said_and_repaired),
	    cmocka_unit_test_setup_teardown(nothing_new_sends_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_key_costs_a_few_bytes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(far_changes_of_a_row_go_separately, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(scrolled_rows_are_not_sent_again, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(copied_rows_are_recognised, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(regions_scroll_both_ways, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_region_at_the_top_scrolls_into_history, set_up, tear_down),
	    cmocka_unit_test(large_screens_take_several_messages),
	    cmocka_unit_test(two_sessions_share_a_table),
	    cmocka_unit_test(rows_come_by_number),
	    cmocka_unit_test(many_rows_stop_at_the_size_of_a_message),
	    cmocka_unit_test(damaged_deltas_do_no_harm),
	    cmocka_unit_test_setup_teardown(a_difference_needs_something_to_differ_from, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(history_never_begins_below_the_screen, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
