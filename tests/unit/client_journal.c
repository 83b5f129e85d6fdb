/*
 * The journal: what was put down is read again, record by record; whatever byte a crash cut it at, all whole
 * records before are read and the rest is named; damage costs one segment at most.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "client/journal.h"
#include "client/last_screen.h"
#include "client/player.h"
#include "client/record.h"
#include "tests/unit/cell_random.h"
#include "wire/wire.h"

enum { ROWS = 4, COLS = 20, T0 = 1000000 };

/* A screen of text that a test writes, and a segment that is being made of it. */
struct pen {
	struct cell_table *table;
	struct row *row[ROWS];
	struct screen screen;
	struct delta_sender *sender;
	struct buf out;
};

static void pen_init(struct pen *p)
{
	p->table = table_create();
	for (int i = 0; i < ROWS; i++) {
		p->row[i] = mem_alloc(sizeof(struct row));
		row_init(p->row[i], COLS, 0);
	}
	p->screen =
	    (struct screen){.rows = ROWS, .cols = COLS, .row = p->row, .version = 1, .table = p->table};
	p->sender = delta_sender_create();
	buf_init(&p->out);
}

static void pen_finish(struct pen *p)
{
	for (int i = 0; i < ROWS; i++) {
		row_finish(p->row[i]);
		free(p->row[i]);
	}
	delta_sender_destroy(p->sender);
	table_destroy(p->table);
	buf_free(&p->out);
}

static void pen_segment(struct pen *p, uint64_t number, int64_t time)
{
	buf_clear(&p->out);
	delta_sender_reset(p->sender);
	journal_put_header(&p->out, number, time);
}

static void pen_write(struct pen *p, int row, const char *text, int64_t time)
{
	AUTO_BUF delta = BUF_INIT;

	row_erase(p->row[row], 0, COLS, 0);
	for (int i = 0; text[i]; i++)
		p->row[row]->cells[i].glyph = (uint8_t)text[i];
	p->row[row]->version = ++p->screen.version;
	assert_true(delta_encode(p->sender, &p->screen, &delta));
	journal_put(&p->out, JOURNAL_SCREEN, 0, time, delta.data, delta.len);
}

static void put_text(struct pen *p, unsigned type, int64_t time, const char *text)
{
	journal_put(&p->out, type, 0, time, text, strlen(text));
}

static void expect_screen(const struct player *p, const char *wanted)
{
	AUTO_BUF text = BUF_INIT;

	screen_text(player_screen(p), false, &text);
	while (text.len && text.data[text.len - 1] == '\n')
		buf_truncate(&text, text.len - 1);
	assert_string_equal(text.data, wanted);
}

/* --- one segment --- */

static void records_come_back(void **state)
{
	AUTO_BUF out = BUF_INIT;
	struct journal_in in;
	struct journal_record r;

	(void)state;
	journal_put_header(&out, 7, 1234);
	assert_int_equal(out.len, JOURNAL_HEADER_SIZE);
	journal_put(&out, JOURNAL_START, 0, 1235, "{}", 2);
	journal_put(&out, JOURNAL_SCREEN, JOURNAL_MORE, 1236, "", 0);
	assert_int_equal(out.len, JOURNAL_HEADER_SIZE + 2 * JOURNAL_RECORD_SIZE + 2);
	assert_int_equal(journal_in_start(&in, out.data, out.len, NULL), 0);
	assert_int_equal(in.number, 7);
	assert_int_equal(in.time, 1234);
	assert_int_equal(journal_in_next(&in, &r, NULL), 1);
	assert_int_equal(r.type, JOURNAL_START);
	assert_int_equal(r.flags, 0);
	assert_int_equal(r.time, 1235);
	assert_int_equal(r.len, 2);
	assert_memory_equal(r.data, "{}", 2);
	assert_int_equal(journal_in_next(&in, &r, NULL), 1);
	assert_int_equal(r.flags, JOURNAL_MORE);
	assert_int_equal(r.len, 0);
	assert_int_equal(journal_in_next(&in, &r, NULL), 0);
}

/* The format is a promise to later versions: these bytes stay what they are. */
static void format_is_pinned(void **state)
{
	static const uint8_t wanted[] = {
	    'h', 'n', 'd', 'r', 'j', 'r', 'n', 'l', 1, 0, 0, 0, 32, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,
	    0, /* header */
	    0x01, 0x02, 0x03, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0x10, 0x02, 0x03, 0, 0, 0, 0,
	    0, /* record */
	};
	AUTO_BUF out = BUF_INIT;

	(void)state;
	journal_put_header(&out, 2, 0x030201);
	journal_put(&out, JOURNAL_STATE, 0, 0x030210, "x", 1);
	assert_int_equal(out.len, sizeof(wanted) + 4 + 1);
	assert_memory_equal(out.data, wanted, sizeof(wanted));
	/* FNV-1a, 32 bits, over the record's first 16 bytes and "x": the published constants */
	uint32_t sum = 2166136261u;
	for (size_t i = JOURNAL_HEADER_SIZE; i < sizeof(wanted); i++)
		sum = (sum ^ wanted[i]) * 16777619u;
	sum = (sum ^ 'x') * 16777619u;
	struct wire_in in = wire_in(out.data + sizeof(wanted), 4);
	assert_int_equal(wire_u32(&in), sum);
}

static void cut_anywhere_leaves_whole_records(void **state)
{
	size_t ends[4];
	AUTO_BUF out = BUF_INIT;

	(void)state;
	journal_put_header(&out, 1, T0);
	for (int i = 0; i < 4; i++) {
		journal_put(&out, JOURNAL_STATE, 0, T0 + i, "0123456789", (size_t)(3 * i));
		ends[i] = out.len;
	}
	for (size_t cut = 0; cut <= out.len; cut++) {
		AUTO_FREE char *copy = mem_alloc(cut); /* its own, so that ASan sees a byte too many */
		struct err err = ERR_INIT;
		struct journal_record r;
		struct journal_in in;
		int whole = 0, got, wanted = 0;

		memcpy(copy, out.data, cut);
		if (cut < JOURNAL_HEADER_SIZE) {
			assert_int_equal(journal_in_start(&in, copy, cut, &err), -1);
			continue;
		}
		assert_int_equal(journal_in_start(&in, copy, cut, &err), 0);
		while ((got = journal_in_next(&in, &r, &err)) > 0)
			whole++;
		for (int i = 0; i < 4; i++)
			wanted += ends[i] <= cut;
		assert_int_equal(whole, wanted);
		bool at_border = cut == JOURNAL_HEADER_SIZE;
		for (int i = 0; i < 4; i++)
			at_border = at_border || ends[i] == cut;
		assert_int_equal(got, at_border ? 0 : -1);
		if (got < 0)
			assert_non_null(strstr(err.message, "segment 1 at byte"));
	}
}

static void changed_byte_is_found(void **state)
{
	AUTO_BUF out = BUF_INIT;

	(void)state;
	journal_put_header(&out, 1, T0);
	journal_put(&out, JOURNAL_STATE, 0, T0, "payload", 7);
	for (size_t i = JOURNAL_HEADER_SIZE; i < out.len; i++) {
		struct journal_record r;
		struct journal_in in;

		out.data[i] ^= 1;
		assert_int_equal(journal_in_start(&in, out.data, out.len, NULL), 0);
		assert_int_equal(journal_in_next(&in, &r, NULL), -1);
		out.data[i] ^= 1;
	}
}

static void later_version_is_refused(void **state)
{
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;
	struct journal_in in;

	(void)state;
	journal_put_header(&out, 1, T0);
	out.data[8] = 2;
	assert_int_equal(journal_in_start(&in, out.data, out.len, &err), -1);
	assert_non_null(strstr(err.message, "later version"));
}

/* --- playing --- */

static void screens_come_with_their_times(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen);
	pen_segment(&pen, 1, T0);
	pen_write(&pen, 0, "one", T0 + 10);
	put_text(&pen, JOURNAL_STATE, T0 + 15, "{\"state\":\"needs-input\",\"reason\":\"a\\u001bb\"}");
	pen_write(&pen, 1, "two", T0 + 20);
	put_text(&pen, 99, T0 + 25, "of a later version");
	put_text(&pen, JOURNAL_GAP, T0 + 26, "{\"since\":1,\"why\":\"slow\"}");
	pen_write(&pen, 0, "three", T0 + 30);
	struct player *p = player_open_bytes(pen.out.data, pen.out.len, NULL);
	assert_non_null(p);
	assert_int_equal(player_begin(p), T0 + 10);
	assert_int_equal(player_end(p), T0 + 30);
	assert_true(player_next(p));
	expect_screen(p, "one");
	assert_int_equal(player_time(p), T0 + 10);
	assert_string_equal(player_state(p), "");
	assert_true(player_next(p));
	expect_screen(p, "one\ntwo");
	assert_null(strchr(player_state(p), '\033'));
	assert_memory_equal(player_state(p), "needs-input: a", 14);
	assert_null(player_gap(p));
	assert_true(player_next(p));
	expect_screen(p, "three\ntwo");
	assert_string_equal(player_gap(p), "slow");
	assert_false(player_next(p));
	assert_null(player_damage(p));
	player_close(p);
	pen_finish(&pen);
}

static void seeks_to_what_was_there(void **state)
{
	static const struct {
		int64_t time;
		const char *wanted;
	} cases[] = {{0, "a"}, {T0, "a"}, {T0 + 10, "a"}, {T0 + 19, "a"}, {T0 + 20, "b"}, {T0 + 25, "b"},
	    {T0 + 30, "c"}, {T0 + 9999, "c"}};
	struct pen pen;

	(void)state;
	pen_init(&pen);
	pen_segment(&pen, 1, T0);
	pen_write(&pen, 0, "a", T0 + 10);
	pen_write(&pen, 0, "b", T0 + 20);
	pen_write(&pen, 0, "c", T0 + 30);
	struct player *p = player_open_bytes(pen.out.data, pen.out.len, NULL);
	assert_non_null(p);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		player_seek(p, cases[i].time);
		expect_screen(p, cases[i].wanted);
	}
	player_close(p);
	pen_finish(&pen);
}

static void times_never_go_back(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen);
	pen_segment(&pen, 1, T0);
	pen_write(&pen, 0, "a", T0 + 500);
	pen_write(&pen, 0, "b", T0 + 100); /* the clock was set back */
	pen_write(&pen, 0, "c", T0 + 600);
	struct player *p = player_open_bytes(pen.out.data, pen.out.len, NULL);
	int64_t wanted[] = {T0 + 500, T0 + 500, T0 + 600};
	for (int i = 0; i < 3; i++) {
		assert_true(player_next(p));
		assert_int_equal(player_time(p), wanted[i]);
	}
	player_close(p);
	pen_finish(&pen);
}

/* --- a session's directory --- */

struct place {
	char dir[64];
};

static void place_init(struct place *p)
{
	snprintf(p->dir, sizeof(p->dir), "/tmp/handler-journal-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	AUTO_FREE char *journal = path_join(p->dir, RECORD_JOURNAL_DIR);
	assert_int_equal(mkdir(journal, 0700), 0);
}

static void place_write(struct place *p, uint64_t number, const struct buf *bytes, size_t len)
{
	AUTO_FREE char *path = journal_segment_path(p->dir, number);

	assert_int_equal(path_write_file(path, bytes->data, len, 0600, NULL), 0);
}

static void place_finish(struct place *p)
{
	struct journal_list list;

	assert_int_equal(journal_list_load(&list, p->dir, NULL), 0);
	for (size_t i = 0; i < list.count; i++) {
		AUTO_FREE char *path = journal_segment_path(p->dir, list.items[i].number);

		unlink(path);
	}
	journal_list_finish(&list);
	AUTO_FREE char *journal = path_join(p->dir, RECORD_JOURNAL_DIR);
	AUTO_FREE char *stray = path_join(journal, "notes.txt");
	unlink(stray);
	rmdir(journal);
	rmdir(p->dir);
}

/* Three segments: the second breaks off, the first of a worker before it is gone. */
static void torn_segment_is_said_and_passed_over(void **state)
{
	struct place place;
	struct pen pen;

	(void)state;
	place_init(&place);
	pen_init(&pen);
	pen_segment(&pen, 5, T0);
	pen_write(&pen, 0, "old", T0 + 1);
	place_write(&place, 5, &pen.out, pen.out.len);
	pen_segment(&pen, 6, T0 + 10);
	pen_write(&pen, 0, "middle", T0 + 11);
	pen_write(&pen, 0, "lost", T0 + 12);
	place_write(&place, 6, &pen.out, pen.out.len - 1);
	pen_segment(&pen, 7, T0 + 20);
	pen_write(&pen, 1, "new", T0 + 21);
	place_write(&place, 7, &pen.out, pen.out.len);
	place_write(&place, 8, &pen.out, 0); /* made, and not yet written */
	AUTO_FREE char *stray = mem_printf("%s/%s/notes.txt", place.dir, RECORD_JOURNAL_DIR);
	assert_int_equal(path_write_file(stray, "x", 1, 0600, NULL), 0);

	struct player *p = player_open(place.dir, NULL);
	assert_non_null(p);
	assert_true(player_next(p));
	expect_screen(p, "old");
	assert_true(player_next(p));
	expect_screen(p, "middle");
	assert_null(player_damage(p));
	assert_true(player_next(p));
	expect_screen(p, "lost\nnew"); /* its first screen is whole */
	assert_non_null(strstr(player_damage(p), "breaks off in segment 6"));
	assert_false(player_next(p));
	player_seek(p, T0 + 15);
	expect_screen(p, "middle");
	player_seek_end(p);
	expect_screen(p, "lost\nnew");
	player_close(p);
	pen_finish(&pen);
	place_finish(&place);
}

static void no_journal_is_said(void **state)
{
	struct err err = ERR_INIT;
	struct place place;

	(void)state;
	place_init(&place);
	assert_null(player_open(place.dir, &err));
	assert_int_equal(err.code, ERR_NO_JOURNAL);
	place_finish(&place);
}

/* A session that was killed: the journal's last screen is its last one. */
static void last_screen_is_the_journals(void **state)
{
	struct cell_table *table = table_create();
	struct place place;
	struct mirror mirror;
	struct pen pen;
	AUTO_BUF text = BUF_INIT;

	(void)state;
	place_init(&place);
	pen_init(&pen);
	pen_segment(&pen, 1, T0);
	pen_write(&pen, 0, "before", T0 + 1);
	pen_write(&pen, 0, "at the end", T0 + 2);
	place_write(&place, 1, &pen.out, pen.out.len);
	mirror_init(&mirror, table);
	assert_int_equal(last_screen_load(place.dir, &mirror, NULL), 0);
	screen_text(&mirror.screen, false, &text);
	assert_memory_equal(text.data, "at the end\n", 11);
	mirror_finish(&mirror);
	table_destroy(table);
	pen_finish(&pen);
	place_finish(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(records_come_back),
	    cmocka_unit_test(format_is_pinned),
	    cmocka_unit_test(cut_anywhere_leaves_whole_records),
	    cmocka_unit_test(changed_byte_is_found),
	    cmocka_unit_test(later_version_is_refused),
	    cmocka_unit_test(screens_come_with_their_times),
	    cmocka_unit_test(seeks_to_what_was_there),
	    cmocka_unit_test(times_never_go_back),
	    cmocka_unit_test(torn_segment_is_said_and_passed_over),
	    cmocka_unit_test(no_journal_is_said),
	    cmocka_unit_test(last_screen_is_the_journals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
