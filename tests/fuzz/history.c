/*
 * history: a file of history that was damaged anywhere, opened to be read and to go on.  What is kept can be
 * read, row by row, and rows that are appended come behind it.
 *
 * Operations:  a COUNT SEED: appends rows.  p BLOCK OFFSET16 VALUE: a byte, offsets beyond 0x8000 from the
 * block's end; BLOCK 0 is the file's header.  c SIZE16: the file is cut (in units of 64 bytes).  r: opened to
 * be read.  w: opened to go on.  t COUNT: the newest rows are forgotten.  k: all of them.
 */
#include "cell/blocks.h"
#include "cell/history.h"
#include "scratch.h"
#include "screens.h"

enum { LIMIT = 300, COLS = 40 };

static const char name[] = "history";
static int dirfd_of_scratch = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	scratch_init();
	dirfd_of_scratch = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(dirfd_of_scratch >= 0);
	return 0;
}

static void append(struct history *h, struct cell_table *t, int count, unsigned seed)
{
	static const uint32_t glyphs[] = {'a', ' ', 0, 0xe9, 0x4e00 | GLYPH_WIDE};
	struct row r;

	row_init(&r, COLS, 0);
	for (int i = 0; i < count; i++) {
		uint64_t end = history_end(h);

		row_erase(&r, 0, COLS, 0);
		for (int col = 0; col + 1 < COLS; col += 2) {
			r.cells[col].glyph = glyphs[(seed + (unsigned)(col * i)) % 5];
			r.cells[col + 1].glyph = r.cells[col].glyph & GLYPH_WIDE ? GLYPH_TAIL : 'x';
		}
		CHECK(history_append(h, &r, t) == end);
		CHECK(history_end(h) == end + 1);
	}
	row_finish(&r);
}

static void walk(const struct history *h, struct cell_table *t)
{
	uint64_t first = history_first(h), end = history_end(h);
	struct row r;
	size_t len;

	CHECK(first <= end);
	row_init(&r, COLS, 0);
	for (uint64_t n = end - first > 2 * LIMIT ? end - 2 * LIMIT : first; n < end; n++) {
		const void *packed = history_packed(h, n, &len);

		CHECK(!packed || len <= BLOCK_SIZE);
		if (history_row(h, n, t, &r) == 0)
			check_row(&r, t);
	}
	CHECK(!history_packed(h, end, &len) && history_row(h, end, t, &r) < 0);
	CHECK(first == 0 || !history_packed(h, first - 1, &len));
	row_finish(&r);
}

static void patch(struct source *s)
{
	unsigned block = source_u8(s) % 4, offset = source_u16(s);
	off_t at = block == 0 ? 0 : BLOCKS_HEADER_SIZE + (off_t)(block - 1) * BLOCK_SIZE;
	uint8_t value = (uint8_t)source_u8(s);
	int fd = openat(dirfd_of_scratch, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	at += block == 0 ? offset % BLOCKS_HEADER_SIZE : offset;
	CHECK(pwrite(fd, &value, 1, at) == 1);
	close(fd);
}

static void cut(struct source *s)
{
	off_t size = (off_t)source_u16(s) * 64;
	int fd = openat(dirfd_of_scratch, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	CHECK(ftruncate(fd, size) == 0);
	close(fd);
}

static void look(struct cell_table *t)
{
	struct history *h = history_open_readonly(dirfd_of_scratch, name, NULL);

	if (!h)
		return;
	walk(h, t);
	history_destroy(h);
}

/* An open history keeps what it has of the file mapped: it is closed before the file is touched. */
static struct history *close_history(struct history *h)
{
	history_destroy(h);
	return NULL;
}

static struct history *opened(struct history *h)
{
	return h ? h : history_create(dirfd_of_scratch, name, LIMIT, NULL);
}

static struct history *operate(struct history *h, struct cell_table *t, struct source *s, unsigned operation)
{
	int count;

	if (strchr("pcr", (int)operation) && operation)
		h = close_history(h);
	if (strchr("awtk", (int)operation) && operation)
		h = opened(h);
	if (operation == 'p') {
		patch(s);
	} else if (operation == 'c') {
		cut(s);
	} else if (operation == 'r') {
		look(t);
	} else if (operation == 'a' && h) {
		count = source_range(s, 1, 200);
		append(h, t, count, source_u8(s));
	} else if (operation == 'w' && h) {
		walk(h, t);
	} else if (operation == 't' && h) {
		count = source_range(s, 0, 200);
		history_truncate(h, history_end(h) > (uint64_t)count ? history_end(h) - (uint64_t)count : 0);
	} else if (operation == 'k' && h) {
		history_clear(h);
		CHECK(history_first(h) == history_end(h));
	}
	return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source s = source_of(data, size);
	struct cell_table *t = table_create();
	struct history *h = NULL;

	unlinkat(dirfd_of_scratch, name, 0);
	for (int steps = 0; source_left(&s) && steps < 40; steps++)
		h = operate(h, t, &s, source_u8(&s));
	if (h)
		walk(h, t);
	history_destroy(h);
	look(t);
	table_destroy(t);
	return 0;
}
