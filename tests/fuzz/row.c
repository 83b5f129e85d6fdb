/*
 * row: bytes that may be a packed row.  What is understood is sound, means the same when it is packed again,
 * and text and columns lead to each other.
 *
 * The first byte says how many columns more or fewer than the packed ones the row is given, the rest is
 * packed.
 */
#include "base/mem.h"
#include "screens.h"

static void check_text(const char *data, size_t len, int used)
{
	const char *text;
	size_t text_len;
	uint16_t flags;
	int col = 0;

	CHECK(row_packed_text(data, len, &text, &text_len, &flags) == 0);
	CHECK(text >= data && text + text_len <= data + len);
	for (size_t at = 0; at < text_len; at++) {
		int next = row_packed_column(data, len, at);

		CHECK(next >= col && next <= used);
		CHECK(row_packed_offset(data, len, next) <= at);
		col = next;
	}
	CHECK(row_packed_column(data, len, text_len) == used);
	CHECK(row_packed_offset(data, len, used) == text_len);
}

static void check_again(const struct row *r, struct cell_table *t)
{
	struct row again;
	AUTO_BUF packed = BUF_INIT;
	AUTO_BUF packed_again = BUF_INIT;
	AUTO_BUF first = BUF_INIT;
	AUTO_BUF second = BUF_INIT;

	row_init(&again, r->cols, 0);
	row_pack(r, t, &packed);
	CHECK(packed.len <= ROW_PACKED_MAX);
	CHECK(row_unpack(packed.data, packed.len, t, &again) == 0);
	describe_row(r, t, &first);
	describe_row(&again, t, &second);
	check_same(&first, &second, "a row, packed again");
	row_pack(&again, t, &packed_again);
	check_same(&packed, &packed_again, "a packed row, unpacked and packed");
	row_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source s = source_of(data, size);
	int more = source_range(&s, -64, 64), used;
	size_t len = source_left(&s), text_len;
	AUTO_FREE char *bytes = mem_alloc(len);
	struct cell_table *t = table_create_limited(4096, 4096, 1024);
	const char *text;
	uint16_t flags;
	struct row r;

	memcpy(bytes, s.at, len);
	row_packed_text(bytes, len, &text, &text_len, &flags);
	row_packed_column(bytes, len, 3);
	row_packed_offset(bytes, len, 3);
	used = row_packed_used(bytes, len);
	row_init(&r, used + more > 0 ? used + more : 0, 0);
	if (row_unpack(bytes, len, t, &r) == 0) {
		check_row(&r, t);
		if (used <= SCREEN_MAX_COLS)
			check_text(bytes, len, used);
		if (more >= 0 && used <= SCREEN_MAX_COLS && len <= ROW_PACKED_MAX)
			check_again(&r, t);
	} else {
		CHECK(row_used(&r) == 0);
	}
	row_finish(&r);
	table_destroy(t);
	return 0;
}
