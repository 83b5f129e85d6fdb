/*
 * mirror: SCREEN and ROWS payloads of a peer that may send anything, applied to a mirror and a cache of rows.
 * Whatever came, rows are whole rows; what a mirror shows can be sent on and arrives as it is.
 *
 * Each operation is a byte, and what follows it:  s LENGTH16 payload: SCREEN.  r LENGTH16 payload: ROWS.
 * g: the shared table is collected.  f N: the cache forgets.  c: the scrolls are drawn.  t: the table is
 * small from the beginning (only as the first operation).
 */
#include "screens.h"
#include "wire/delta.h"

enum { CACHE = 16 };

struct state {
	struct cell_table *table, *other_table;
	struct mirror mirror, other; /* other: shows what the first one sends on */
	struct delta_sender *sender;
	struct row_cache cache;
};

static void init(struct state *s, bool small)
{
	s->table = small ? table_create_limited(24, 12, 6) : table_create();
	s->other_table = table_create();
	mirror_init(&s->mirror, s->table);
	mirror_init(&s->other, s->other_table);
	s->sender = delta_sender_create_limited(16, 8, 4);
	row_cache_init(&s->cache, s->table, CACHE);
}

static void finish(struct state *s)
{
	row_cache_finish(&s->cache);
	delta_sender_destroy(s->sender);
	mirror_finish(&s->mirror);
	mirror_finish(&s->other);
	table_destroy(s->table);
	table_destroy(s->other_table);
}

static void check_rows(const struct screen *s)
{
	CHECK(s->rows >= SCREEN_MIN_ROWS && s->rows <= SCREEN_MAX_ROWS && s->cols >= SCREEN_MIN_COLS &&
	      s->cols <= SCREEN_MAX_COLS);
	CHECK(s->cursor.row >= 0 && s->cursor.row < s->rows && s->cursor.col >= 0 && s->cursor.col < s->cols);
	for (int i = 0; i < s->rows; i++) {
		CHECK(s->row[i]->cols == s->cols && s->row[i]->version <= s->version);
		check_row(s->row[i], s->table);
	}
}

static void describe_rows(const struct screen *s, struct buf *out)
{
	for (int i = 0; i < s->rows; i++)
		describe_row(s->row[i], s->table, out);
}

static void send_on(struct state *s)
{
	AUTO_BUF here = BUF_INIT;
	AUTO_BUF there = BUF_INIT;

	do {
		AUTO_BUF payload = BUF_INIT;

		if (!delta_encode(s->sender, &s->mirror.screen, &payload))
			break;
		CHECK(mirror_apply(&s->other, payload.data, payload.len, NULL) == 0);
	} while (delta_sender_more(s->sender));
	describe_rows(&s->mirror.screen, &here);
	describe_rows(&s->other.screen, &there);
	check_same(&here, &there, "a mirror, and what it was sent on as");
}

static void screen(struct state *s, const char *payload, size_t len)
{
	struct err err = ERR_INIT;
	bool well = mirror_apply(&s->mirror, payload, len, &err) == 0;

	CHECK(well || err.code == ERR_PROTOCOL);
	CHECK(well == s->mirror.valid);
	CHECK(s->mirror.scrolls <= MIRROR_SCROLLS_MAX);
	check_rows(&s->mirror.screen);
	if (well && s->mirror.screen.rows * s->mirror.screen.cols < 10000)
		send_on(s);
}

static void rows(struct state *s, const char *payload, size_t len)
{
	struct err err = ERR_INIT;
	uint64_t from = 0;
	uint32_t count = 0;

	if (mirror_rows_apply(&s->cache, payload, len, &from, &count, &err) < 0)
		CHECK(err.code == ERR_PROTOCOL);
	for (uint64_t n = from; n < from + (count < CACHE ? count : CACHE); n++) {
		const struct row *r = row_cache_get(&s->cache, n);

		if (r)
			check_row(r, s->table);
	}
}

static void collect(struct state *s)
{
	mirror_mark(&s->mirror);
	row_cache_mark(&s->cache);
	table_sweep(s->table);
	check_rows(&s->mirror.screen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source in = source_of(data, size);
	struct state s;

	init(&s, size > 0 && data[0] == 't');
	while (source_left(&in)) {
		unsigned operation = source_u8(&in);
		size_t len = operation == 's' || operation == 'r' ? source_u16(&in) : 0;
		const char *payload = source_bytes(&in, &len);

		if (operation == 's')
			screen(&s, payload, len);
		else if (operation == 'r')
			rows(&s, payload, len);
		else if (operation == 'g')
			collect(&s);
		else if (operation == 'f')
			row_cache_forget(&s.cache, source_u8(&in));
		else if (operation == 'c')
			mirror_scrolls_clear(&s.mirror);
	}
	finish(&s);
	return 0;
}
