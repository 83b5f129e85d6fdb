/* The ledger of a session's turns: what comes back from the file is what was written down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "client/ledger.h"

static char folder[64];

static char *file(void)
{
	return path_join(folder, "turns");
}

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/ledger-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	AUTO_FREE char *path = file();
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void begin(struct ledger *l, uint32_t number, uint64_t row, struct json *from)
{
	struct turn t = {.number = number, .begun = 1000 + number, .row = row, .from = from};
	assert_int_equal(ledger_begin(l, &t, NULL), 0);
}

static void test_what_is_written_comes_back(void **state)
{
	struct ledger l;
	struct json *from = json_new_object();
	(void)state;
	json_set_string(from, "kind", "script");
	ledger_load(&l, folder);
	assert_null(ledger_last(&l));
	begin(&l, 1, 10, from);
	assert_int_equal(ledger_end(&l, STATE_DONE, "a \"reason\"", 9, 2000, NULL), 0);
	begin(&l, 2, 20, NULL);
	assert_int_equal(ledger_note(&l, "n\xc3\xb6te", from, 3000, NULL), 0);
	assert_int_equal(ledger_given(&l, "0123456789abcdef", NULL), 0);
	assert_int_equal(ledger_given(&l, "fedcba9876543210", NULL), 0);
	assert_int_equal(ledger_submitted(&l, "fedcba9876543210", 2, NULL), 0);
	ledger_finish(&l);
	json_free(from);

	ledger_load(&l, folder);
	const struct turn *one = ledger_turn(&l, 1), *two = ledger_turn(&l, 2);
	assert_int_equal(one->begun, 1001);
	assert_int_equal(one->ended, 2000);
	assert_int_equal(one->row, 9); /* where it turned out to begin */
	assert_int_equal(one->state, STATE_DONE);
	assert_string_equal(one->reason, "a \"reason\"");
	assert_string_equal(json_get_string(one->from, "kind", ""), "script");
	assert_ptr_equal(two, ledger_last(&l));
	assert_true(two->ended < 0);
	assert_null(two->from);
	assert_null(ledger_turn(&l, 3));
	assert_string_equal(json_get_string(l.note, "text", ""), "n\xc3\xb6te");
	assert_false(ledger_key(&l, "0123456789abcdef")->submitted);
	assert_true(ledger_key(&l, "fedcba9876543210")->submitted);
	assert_int_equal(ledger_key(&l, "fedcba9876543210")->turn, 2);
	assert_null(ledger_key(&l, "another"));
	assert_null(ledger_key(&l, ""));
	ledger_finish(&l);
}

static void test_the_file_is_only_its_owners(void **state)
{
	struct ledger l;
	struct stat st;
	AUTO_FREE char *path = file();
	(void)state;
	ledger_load(&l, folder);
	begin(&l, 1, 0, NULL);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	ledger_finish(&l);
}

/* A crash in the middle of a line, and lines that nobody of us wrote. */
static void test_a_cut_line_harms_no_other(void **state)
{
	static const char text[] = "{\"turn\":1,\"begun\":\"2026-01-31T08:12:00Z\",\"row\":3}\n"
				   "garbage\n[1,2]\n{\"turn\":-4}\n{\"turn\":1e300}\n{\"note\":\"\"}\n\n"
				   "{\"turn\":2,\"begun\":\"2026-01-31T0";
	struct ledger l;
	AUTO_FREE char *path = file();
	(void)state;
	assert_int_equal(path_write_file(path, text, sizeof text - 1, 0600, NULL), 0);
	ledger_load(&l, folder);
	assert_int_equal(ledger_last(&l)->number, 1);
	begin(&l, 2, 5, NULL);
	ledger_finish(&l);
	ledger_load(&l, folder);
	assert_int_equal(ledger_turn(&l, 1)->row, 3);
	assert_int_equal(ledger_turn(&l, 2)->row, 5);
	ledger_finish(&l);
}

/* Whoever only reads leaves even a cut line to the worker, which alone writes. */
static void test_reading_writes_nothing(void **state)
{
	static const char text[] = "{\"turn\":1,\"begun\":\"2026-01-31T08:12:00Z\",\"row\":3}\n{\"tu";
	struct ledger l;
	AUTO_FREE char *path = file();
	AUTO_FREE char *there = NULL;
	size_t len;
	(void)state;
	assert_int_equal(path_write_file(path, text, sizeof text - 1, 0600, NULL), 0);
	ledger_load(&l, folder);
	ledger_finish(&l);
	assert_int_equal(path_read_file(path, 1000, &there, &len, NULL), 0);
	assert_string_equal(there, text);
}

static void test_the_rows_of_a_turn(void **state)
{
	struct ledger l;
	uint64_t from = 0, end = 99;
	struct err err = ERR_INIT;
	(void)state;
	ledger_load(&l, folder);
	assert_null(turn_rows(&l, "api", 1, &from, &end, &err));
	begin(&l, 1, 10, NULL);
	begin(&l, 2, 20, NULL);
	assert_non_null(turn_rows(&l, "api", 1, &from, &end, &err));
	assert_int_equal(from, 10);
	assert_int_equal(end, 20);
	end = 99;
	assert_non_null(turn_rows(&l, "api", 2, &from, &end, &err));
	assert_int_equal(from, 20);
	assert_int_equal(end, 99);
	assert_null(turn_rows(&l, "api", 3, &from, &end, &err));
	assert_non_null(strstr(err.hint, "1 to 2"));
	assert_null(turn_rows(&l, "api", -1, &from, &end, &err));
	ledger_finish(&l);
}

/* The file stays bounded, and what is kept in memory is what a new reader finds. */
static void test_a_long_life(void **state)
{
	struct ledger l;
	struct stat st;
	AUTO_FREE char *path = file();
	uint32_t last = 3 * LEDGER_TURNS;
	(void)state;
	ledger_load(&l, folder);
	for (uint32_t n = 1; n <= last; n++) {
		char key[LEDGER_KEY_SIZE];
		begin(&l, n, n, NULL);
		ledger_end(&l, STATE_DONE, "", n, n, NULL);
		snprintf(key, sizeof key, "%016x", n);
		ledger_given(&l, key, NULL);
	}
	ledger_finish(&l);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 1 << 20);
	ledger_load(&l, folder);
	assert_int_equal(ledger_last(&l)->number, last);
	assert_int_equal(l.count, LEDGER_TURNS);
	assert_null(ledger_turn(&l, last - LEDGER_TURNS));
	assert_int_equal(ledger_turn(&l, last - LEDGER_TURNS + 1)->row, last - LEDGER_TURNS + 1);
	assert_null(ledger_key(&l, "0000000000000001"));
	char key[LEDGER_KEY_SIZE];
	snprintf(key, sizeof key, "%016x", last);
	assert_non_null(ledger_key(&l, key));
	ledger_finish(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_what_is_written_comes_back, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_the_file_is_only_its_owners, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_a_cut_line_harms_no_other, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_reading_writes_nothing, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_the_rows_of_a_turn, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_a_long_life, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
