/* History: rows by stable numbers in a bounded file; nothing that was appended is lost to SIGKILL. */
#include "tests/unit/cell_random.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cell/history.h"

struct fixture {
	char path[64];
	int dir;
	struct cell_table *table;
};

static int set_up(void **state)
{
	struct fixture *f = mem_zalloc(1, sizeof(*f));

	snprintf(f->path, sizeof(f->path), "/tmp/cell_history.XXXXXX");
	if (!mkdtemp(f->path))
		return -1;
	f->dir = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->table = table_create();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unlinkat(f->dir, "h", 0);
	close(f->dir);
	rmdir(f->path);
	table_destroy(f->table);
	free(f);
	return 0;
}

static struct history *open_history(const struct fixture *f, uint64_t limit)
{
	struct history *h = history_create(f->dir, "h", limit, NULL);

	assert_non_null(h);
	return h;
}

/* Row `n` says its number, at a length that depends on it. */
static void text_of(uint64_t n, char out[96])
{
	int len = snprintf(out, 96, "row %llu ", (unsigned long long)n);

	while (len < 10 + (int)(n * 7 % 80))
		out[len++] = '.';
	out[len] = '\0';
}

static void append_number(struct history *h, const struct cell_table *t, uint64_t n)
{
	char text[96];
	struct row r;

	text_of(n, text);
	r = row_of(text);
	r.flags = ROW_WRAPPED;
	assert_int_equal(history_append(h, &r, t), n);
	row_finish(&r);
}

static void append_numbers(struct history *h, const struct cell_table *t, uint64_t end)
{
	while (history_end(h) < end)
		append_number(h, t, history_end(h));
}

static void assert_number(const struct history *h, uint64_t n)
{
	const char *text;
	char want[96];
	size_t len;
	uint16_t flags;
	const void *packed = history_packed(h, n, &len);

	assert_non_null(packed);
	assert_int_equal(row_packed_text(packed, len, &text, &len, &flags), 0);
	text_of(n, want);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
	assert_int_equal(flags, ROW_WRAPPED);
}

static void assert_numbers(const struct history *h, uint64_t first, uint64_t end)
{
	assert_int_equal(history_first(h), first);
	assert_int_equal(history_end(h), end);
	for (uint64_t n = first; n < end; n++)
		assert_number(h, n);
}

static off_t file_size(const struct fixture *f)
{
	struct stat st;

	assert_int_equal(fstatat(f->dir, "h", &st, 0), 0);
	return st.st_size;
}

static void rows_come_back_after_reopening(void **state)
{
	const struct fixture *f = *state;
	struct history *h = open_history(f, 100000);
	struct stat st;
	size_t len;

	assert_numbers(h, 0, 0);
	append_numbers(h, f->table, 5000);
	assert_numbers(h, 0, 5000);
	assert_null(history_packed(h, 5000, &len));
	history_destroy(h);
	h = open_history(f, 100000);
	assert_numbers(h, 0, 5000);
	append_numbers(h, f->table, 9000);
	history_destroy(h);
	h = history_open_readonly(f->dir, "h", NULL);
	assert_numbers(h, 0, 9000);
	assert_int_equal(history_damaged(h), 0);
	history_destroy(h);
	assert_int_equal(fstatat(f->dir, "h", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void any_row_comes_back_equal(void **state)
{
	const struct fixture *f = *state;
	struct history *h = open_history(f, 1000);
	struct random random = {6};
	struct row rows[300];

	for (int i = 0; i < 300; i++) {
		row_init(&rows[i], 1 + random_below(&random, 200), 0);
		random_fill(&random, &rows[i], f->table);
		history_append(h, &rows[i], f->table);
	}
	for (int i = 299; i >= 0; i--) {
		struct row back;

		row_init(&back, rows[i].cols, 0);
		assert_int_equal(history_row(h, (uint64_t)i, f->table, &back), 0);
		assert_row_same(f->table, &rows[i], f->table, &back);
		row_finish(&back);
		row_finish(&rows[i]);
	}
	history_destroy(h);
}

static void the_limit_is_exact_and_the_file_stops_growing(void **state)
{
	const struct fixture *f = *state;
	struct history *h = open_history(f, 3000);
	off_t size = 0;

	append_numbers(h, f->table, 20000);
	size = file_size(f);
	assert_numbers(h, 17000, 20000);
	append_numbers(h, f->table, 100000);
	assert_int_equal(file_size(f), size);
	assert_true(size < 10 * 65536);
	assert_numbers(h, 97000, 100000);
	history_destroy(h);
	h = open_history(f, 1000);
	assert_numbers(h, 99000, 100000);
	append_numbers(h, f->table, 103000);
	assert_numbers(h, 102000, 103000);
	history_destroy(h);
	assert_int_equal(file_size(f), size);
}

static void wide_rows_stop_at_a_size(void **state)
{
	const struct fixture *f = *state;
	struct history *h = open_history(f, 1000);
	struct row r;

	row_init(&r, 2000, 0);
	for (int i = 0; i < 2000; i++) {
		struct style s = {.fg = COLOR_RGB(i >> 8, i, 0)};

		put_glyph(&r, i, 'x', table_style(f->table, &s));
	}
	for (int i = 0; i < 3000; i++)
		history_append(h, &r, f->table);
	assert_int_equal(history_end(h), 3000);
	assert_true(history_first(h) > 2900);
	assert_true(file_size(f) < 2000000);
	row_finish(&r);
	history_destroy(h);
}

static void ten_thousand_lines_are_small(void **state)
{
	const struct fixture *f = *state;
	struct history *h = open_history(f, 100000);
	struct row r;

	row_init(&r, 80, 0);
	for (int i = 0; i < 80; i++)
		r.cells[i].glyph = 'a' + (uint32_t)i % 26;
	for (int i = 0; i < 10000; i++)
		history_append(h, &r, f->table);
	row_finish(&r);
	history_destroy(h);
	assert_true(file_size(f) < 1100000);
}

static void truncated_rows_are_gone(void **state)
{
	const struct fixture *f = *state;
	struct random random = {7};
	struct history *h = open_history(f, 2000);
	uint64_t end = 0;

	for (int round = 0; round < 60; round++) {
		uint64_t keep;

		append_numbers(h, f->table, end + (uint64_t)random_below(&random, 1500));
		end = history_end(h);
		keep = end > 2000 ? end - 2000 : 0;
		if (history_first(h) > keep)
			keep = history_first(h);
		end = keep + (uint64_t)random_below(&random, (int)(end - keep) + 1);
		history_truncate(h, end);
		assert_numbers(h, keep, end);
		if (round % 3 == 0) {
			history_destroy(h);
			h = open_history(f, 2000);
			assert_int_equal(history_end(h), end);
			assert_true(history_first(h) <= keep);
			for (uint64_t n = history_first(h); n < end; n++)
				assert_number(h, n);
		}
	}
	history_truncate(h, 5);
	assert_int_equal(history_end(h), 5);
	assert_int_equal(history_first(h), 5);
	history_destroy(h);
	h = open_history(f, 2000);
	assert_numbers(h, 5, 5);
	append_numbers(h, f->table, 10);
	assert_numbers(h, 5, 10);
	history_destroy(h);
}

static void clearing_keeps_the_numbers(void **state)
{
	const struct fixture *f = *state;
	struct history *h = open_history(f, 100000);

	append_numbers(h, f->table, 3000);
	history_clear(h);
	assert_numbers(h, 3000, 3000);
	assert_true(file_size(f) <= 4096);
	history_destroy(h);
	h = open_history(f, 100000);
	assert_numbers(h, 3000, 3000);
	append_numbers(h, f->table, 4000);
	history_destroy(h);
	h = open_history(f, 100000);
	assert_numbers(h, 3000, 4000);
	history_destroy(h);
}

static void memory_only_needs_no_file(void **state)
{
	const struct fixture *f = *state;
	struct history *h = history_create(-1, NULL, 3000, NULL);

	append_numbers(h, f->table, 10000);
	assert_numbers(h, 7000, 10000);
	history_truncate(h, 8000);
	assert_numbers(h, 7000, 8000);
	history_clear(h);
	append_numbers(h, f->table, 8100);
	assert_numbers(h, 8000, 8100);
	history_destroy(h);
	history_destroy(NULL);
}

/* The descriptor that the history opens is replaced by one that cannot be written. */
static void rows_go_to_memory_when_the_file_fails(void **state)
{
	const struct fixture *f = *state;
	int fd = dup(f->dir), readonly;
	struct history *h;
	uint64_t full;

	close(fd);
	h = open_history(f, 100000);
	assert_int_equal(history_error(h), 0);
	append_numbers(h, f->table, 1500);
	readonly = openat(f->dir, "h", O_RDONLY | O_CLOEXEC);
	assert_int_equal(dup2(readonly, fd), fd);
	append_numbers(h, f->table, 6000);
	assert_int_equal(history_error(h), EBADF);
	assert_numbers(h, 0, 6000);
	close(readonly);
	history_destroy(h);
	h = open_history(f, 100000);
	full = history_end(h);
	assert_true(full >= 1500 && full < 6000);
	assert_numbers(h, 0, full);
	history_destroy(h);
}

static void rows_that_fit_nowhere_are_counted(void **state)
{
	const struct fixture *f = *state;
	const struct rlimit none = {0, 0};
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct history *h = history_create(f->dir, "h", 1000, NULL);
		struct row r = row_of("text");
		size_t len;
		bool ok;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &none);
		for (int i = 0; i < 5000; i++)
			history_append(h, &r, f->table);
		ok = history_end(h) == 5000 && history_error(h) != 0 && !history_packed(h, 4999, &len);
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/*
 * Appends for ever, telling the end of the history when an append has returned.  Sometimes rows are taken
 * back, as a resize does; that is announced before.
 */
static void append_until_killed(const struct fixture *f, _Atomic uint64_t *told, uint64_t seed)
{
	struct history *h = history_create(f->dir, "h", 3000, NULL);
	struct random random = {seed};

	for (;;) {
		char text[96];
		struct row r;

		text_of(history_end(h), text);
		r = row_of(text);
		r.flags = ROW_WRAPPED;
		*told = history_append(h, &r, f->table) + 1;
		row_finish(&r);
		if (history_end(h) - history_first(h) > 200 && random_below(&random, 1000) == 0) {
			*told = history_end(h) - 100;
			history_truncate(h, history_end(h) - 100);
		}
	}
}

static void sigkill_loses_no_row(void **state)
{
	const struct fixture *f = *state;
	struct random random = {8};
	_Atomic uint64_t *told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int round = 0; round < 60; round++) {
		uint64_t target = *told + 1 + (uint64_t)random_below(&random, 900);
		pid_t child = fork();
		struct history *h;
		int status;

		if (child == 0)
			append_until_killed(f, told, (uint64_t)round);
		while (*told < target && waitpid(child, &status, WNOHANG) == 0)
			sched_yield();
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		h = history_open_readonly(f->dir, "h", NULL);
		assert_non_null(h);
		assert_int_equal(history_damaged(h), 0);
		/* What had not returned, one append or the taking back of 100 rows, may be done or not. */
		assert_in_range(history_end(h), *told, *told + 100);
		assert_true(
		    history_end(h) - history_first(h) >= (history_end(h) < 2900 ? history_end(h) : 2900));
		for (uint64_t n = history_first(h); n < history_end(h); n++)
			assert_number(h, n);
		*told = history_end(h);
		history_destroy(h);
	}
	munmap((void *)told, 4096);
}

static void what_is_no_history_is_refused(void **state)
{
	const struct fixture *f = *state;
	struct err err = ERR_INIT;
	int fd;

	assert_null(history_open_readonly(f->dir, "h", &err));
	assert_int_equal(err.code, ERR_SYSTEM);
	fd = openat(f->dir, "h", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "this is something else, and long enough", 39), 39);
	close(fd);
	assert_null(history_open_readonly(f->dir, "h", &err));
	assert_int_equal(err.code, ERR_INVALID);
	assert_non_null(strstr(err.message, "h is not a history file"));
	assert_null(history_create(f->dir, "h", 100, &err));
	unlinkat(f->dir, "h", 0);
	assert_int_equal(symlinkat("/dev/zero", f->dir, "h"), 0);
	assert_null(history_create(f->dir, "h", 100, &err));
}

/* Where damage is put: anywhere, or half of the time where it hurts, in the header or the index of a block.
 */
static off_t place(struct random *random, off_t size)
{
	off_t at = random_below(random, (int)size);

	if (random_below(random, 2) == 0)
		at = 4096 + at / 65536 * 65536 + (random_below(random, 2) ? random_below(random, 32) : 65400);
	return at > size - 32 ? size - 32 : at;
}

static void read_everything(const struct history *h, struct cell_table *t)
{
	struct row r;

	row_init(&r, 100, 0);
	for (uint64_t n = history_first(h); n < history_end(h) && n < history_first(h) + 10000; n++) {
		history_row(h, n, t, &r);
		assert_row_sound(&r);
	}
	row_finish(&r);
}

/* Any bytes anywhere in the file: an error, or rows that can be read without harm. */
static void damage_never_crashes(void **state)
{
	const struct fixture *f = *state;
	struct random random = {9};

	for (int round = 0; round < 150; round++) {
		struct history *h = open_history(f, 100000);
		int fd = openat(f->dir, "h", O_RDWR | O_CLOEXEC);

		append_numbers(h, f->table, 3000);
		history_destroy(h);
		for (int i = random_below(&random, 5); i >= 0; i--) {
			uint64_t junk = random_below(&random, 4) ? random_next(&random) : 0;

			assert_int_equal(pwrite(fd, &junk, 8, place(&random, file_size(f))), 8);
		}
		if (random_below(&random, 10) == 0)
			assert_int_equal(ftruncate(fd, random_below(&random, (int)file_size(f))), 0);
		close(fd);
		h = history_open_readonly(f->dir, "h", NULL);
		if (h)
			read_everything(h, f->table);
		history_destroy(h);
		h = history_create(f->dir, "h", 100000, NULL);
		if (h && history_end(h) < 1000000) {
			append_numbers(h, f->table, history_end(h) + 500);
			read_everything(h, f->table);
		}
		history_destroy(h);
		unlinkat(f->dir, "h", 0);
	}
}

/* A block that was copied, and that SIGKILL kept from beginning anew: its rows are in the file twice. */
static void a_block_that_is_there_twice_counts_once(void **state)
{
	const struct fixture *f = *state;
	struct history *h = open_history(f, 100000);
	static char block[65536];
	off_t end;
	int fd;

	append_numbers(h, f->table, 3000);
	history_destroy(h);
	fd = openat(f->dir, "h", O_RDWR | O_CLOEXEC);
	end = file_size(f);
	assert_true(end >= 4096 + 3 * (off_t)sizeof(block));
	for (off_t at = 4096; at < end; at += (off_t)sizeof(block)) {
		assert_int_equal(pread(fd, block, sizeof(block), at), sizeof(block));
		assert_int_equal(pwrite(fd, block, sizeof(block), end + at - 4096), sizeof(block));
	}
	close(fd);
	h = open_history(f, 100000);
	assert_numbers(h, 0, 3000);
	assert_int_equal(history_damaged(h), 0);
	append_numbers(h, f->table, 5000);
	assert_numbers(h, 0, 5000);
	history_destroy(h);
	assert_true(file_size(f) <= 2 * end - 4096); /* into the space of those that did not count */
	h = open_history(f, 100000);
	assert_numbers(h, 0, 5000);
	assert_int_equal(history_damaged(h), 0);
	history_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(rows_come_back_after_reopening, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(any_row_comes_back_equal, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(the_limit_is_exact_and_the_file_stops_growing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(wide_rows_stop_at_a_size, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(ten_thousand_lines_are_small, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(truncated_rows_are_gone, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(clearing_keeps_the_numbers, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(memory_only_needs_no_file, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(rows_go_to_memory_when_the_file_fails, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(rows_that_fit_nowhere_are_counted, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(sigkill_loses_no_row, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_block_that_is_there_twice_counts_once, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_is_no_history_is_refused, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(damage_never_crashes, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
