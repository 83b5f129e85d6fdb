/*
 * journal: a segment of any bytes.  Records are whole or the reading ends; screens that come of it have whole
 * rows; going to any time ends.
 *
 * A first byte 'f' mends the checksums, so that what is behind them is reached.
 */
#include "client/journal.h"

#include "client/player.h"
#include "fuzz.h"
#include "screens.h"

static void play(const void *data, size_t len)
{
	struct player *p = player_open_bytes(data, len, NULL);
	int64_t before = 0, middle;

	if (!p)
		return;
	CHECK(player_begin(p) <= player_end(p));
	while (player_next(p)) {
		CHECK(player_time(p) >= before && player_time(p) <= player_end(p));
		before = player_time(p);
		check_screen(player_screen(p));
	}
	middle = player_begin(p) + (player_end(p) - player_begin(p)) / 2;
	player_seek(p, middle);
	check_screen(player_screen(p));
	player_seek_end(p);
	player_close(p);
}

/* The records again, each with the checksum it should have. */
static void mend(const struct buf *in, struct buf *out)
{
	struct journal_record r;
	struct journal_in from;
	size_t at = JOURNAL_HEADER_SIZE;

	if (journal_in_start(&from, in->data, in->len, NULL) < 0)
		return;
	journal_put_header(out, from.number, from.time);
	while (in->len - at >= JOURNAL_RECORD_SIZE) {
		const uint8_t *h = (const uint8_t *)in->data + at;
		size_t len = h[0] | (size_t)h[1] << 8, room = in->len - at - JOURNAL_RECORD_SIZE;

		len = len < room ? len : room;
		journal_put(out, h[4], h[6], h[8] | h[9] << 8, h + JOURNAL_RECORD_SIZE, len);
		at += JOURNAL_RECORD_SIZE + len;
	}
	CHECK(journal_in_start(&from, out->data, out->len, NULL) == 0);
	while (journal_in_next(&from, &r, NULL) > 0)
		;
	CHECK(from.at == from.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUF in = BUF_INIT;
	AUTO_BUF mended = BUF_INIT;

	if (size == 0)
		return 0;
	buf_add(&in, data + 1, size - 1);
	if (data[0] == 'f') {
		mend(&in, &mended);
		play(mended.data, mended.len);
	} else {
		play(in.data, in.len);
	}
	return 0;
}
