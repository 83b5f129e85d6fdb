/* The memory between keeper and worker: its layout (golden), reading through it, repairing it, what is
 * skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/fd.h"
#include "session/handover.h"

static int setup(void **state)
{
	static int fd;
	*state = handover_create(&fd, NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	handover_unmap(*state);
	return 0;
}

/* Old keepers and new workers share it: offsets only ever get added. */
static void layout_is_pinned(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct handover, head), 16);
	assert_int_equal(offsetof(struct handover, intent), 24);
	assert_int_equal(offsetof(struct handover, parsed), 32);
	assert_int_equal(offsetof(struct handover, begun), 40);
	assert_int_equal(offsetof(struct handover, begun_size), 48);
	assert_int_equal(offsetof(struct handover, history_end), 56);
	assert_int_equal(offsetof(struct handover, paste_open), 64);
	assert_int_equal(offsetof(struct handover, resize_count), 72);
	assert_int_equal(offsetof(struct handover, rows), 80);
	assert_int_equal(offsetof(struct handover, resize), 88);
	assert_int_equal(offsetof(struct handover, inputs), 1112);
	assert_int_equal(offsetof(struct handover, workers), 1368);
	assert_int_equal(offsetof(struct handover, skips), 1392);
	assert_int_equal(offsetof(struct handover, leader), 1520);
	assert_int_equal(offsetof(struct handover, state), 1544);
	assert_int_equal(offsetof(struct handover, slots), 5640);
	assert_int_equal(offsetof(struct handover, worker_version), 5720);
	assert_int_equal(offsetof(struct handover, paste_token), 5752);
	assert_int_equal(sizeof(struct handover), 5760); /* grows by what is added, up to header_size */
}

#define PIN(type, member, at, size)                                                                          \
	assert_int_equal(offsetof(struct type, member), at);                                                 \
	assert_int_equal(sizeof(((struct type *)NULL)->member), size)

static void its_parts_are_pinned(void **state)
{
	(void)state;
	PIN(handover, worker_version, 5720, 32);
	PIN(handover, input_next, 68, 4);
	PIN(handover, deaths, 1372, 4);
	PIN(handover, death_offset, 1376, 8);
	PIN(handover, skip_count, 1384, 4);
	PIN(handover, raw, 1388, 4);
	PIN(handover, leader_ended, 1524, 4);
	PIN(handover, stopped_by_us, 1528, 4);
	PIN(handover, wait_status, 1532, 4);
	PIN(handover, left, 1536, 4);
	PIN(handover, announced, 1540, 4);
	PIN(handover, state, 1544, 4096);
	PIN(handover_resize, rows, 8, 2);
	PIN(handover_resize, cols, 10, 2);
	assert_int_equal(sizeof(struct handover_resize), 16);
	PIN(handover_skip, to, 8, 8);
	assert_int_equal(sizeof(struct handover_skip), 16);
	PIN(handover_input, sequence, 8, 4);
	assert_int_equal(sizeof(struct handover_input), 16);
	PIN(handover_slot, sequence, 0, 8);
	PIN(handover_slot, offset, 8, 8);
	PIN(handover_slot, history_end, 16, 8);
	PIN(handover_slot, resizes, 24, 8);
	PIN(handover_slot, size, 32, 8);
	assert_int_equal(sizeof(struct handover_slot), 40);
	PIN(channel_message, value, 4, 4);
	assert_int_equal(sizeof(struct channel_message), 8);
}

static void numbers_are_pinned(void **state)
{
	static const int descriptors[] = {
	    WORKER_CHANNEL, WORKER_MEMORY, WORKER_PTY, WORKER_LISTENER, WORKER_DIRECTORY};
	static const int messages[] = {CHANNEL_READY, CHANNEL_LEADER, CHANNEL_GONE, CHANNEL_SUSPENDED,
	    CHANNEL_STOPPING, CHANNEL_REBIND, CHANNEL_LEAVE, CHANNEL_STAYS, CHANNEL_NO_EXEC};
	(void)state;
	assert_int_equal(WORKER_FIRST_FD, 3);
	assert_int_equal(WORKER_LEFT, 3);
	for (int i = 0; i < 5; i++)
		assert_int_equal(descriptors[i], i);
	for (int i = 0; i < 9; i++)
		assert_int_equal(messages[i], i + 1);
	assert_int_equal(HANDOVER_RESIZES, 64);
	assert_int_equal(HANDOVER_INPUTS, 16);
	assert_int_equal(HANDOVER_SKIPS, 8);
	assert_int_equal(HANDOVER_SLOTS, 2);
}

/* The bytes themselves: what a keeper makes, and a checkpoint in it, where a worker of any version looks. */
static void bytes_are_golden(void **state)
{
	static const uint8_t head[] = {'h', 'n', 'd', 'r', 2, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 8, 0};
	static const uint8_t size[] = {24, 0, 80, 0, 10, 0, 20, 0};
	static const uint8_t slot[] = {1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0,
	    1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
	struct handover *h = *state;
	const uint8_t *bytes = (const uint8_t *)h;
	handover_resized(h, 24, 80, 10, 20);
	h->head = h->parsed = 3;
	assert_true(handover_save(h, "save", 4, 9));
	assert_memory_equal(bytes, head, sizeof head);
	assert_memory_equal(bytes + 80, size, sizeof size);
	assert_memory_equal(bytes + 5640, slot, sizeof slot);
	assert_ptr_equal(handover_ring(h), bytes + 8192);
	assert_memory_equal(bytes + 8192 + (512 << 10), "save", 4);
	assert_true(handover_save(h, "next", 4, 9));
	assert_memory_equal(bytes + 8192 + (512 << 10) + (4 << 20), "next", 4);
}

/* A later version has added members and says so; an earlier one has not: both are worked with. */
static void other_versions_are_mapped(void **state)
{
	int fd;
	(void)state;
	struct handover *made = handover_create(&fd, NULL);
	assert_non_null(made);
	for (uint32_t version = HANDOVER_OLDEST; version < HANDOVER_VERSION + 5; version++) {
		made->version = version;
		struct handover *h = handover_map(fd, NULL);
		assert_non_null(h);
		handover_unmap(h);
	}
	made->version = 0;
	assert_null(handover_map(fd, NULL));
	handover_unmap(made);
	close(fd);
}

static void what_is_written_is_read(void **state)
{
	struct handover *h = *state;
	int pair[2];
	size_t len;
	assert_int_equal(pipe(pair), 0);
	fd_set_nonblocking(pair[0], true);
	assert_int_equal(write(pair[1], "hello world", 11), 11);
	assert_int_equal(handover_read(h, pair[0], 4096), 11);
	const uint8_t *data = handover_bytes(h, 0, 5, &len);
	assert_int_equal(len, 5);
	assert_memory_equal(data, "hello", 5);
	data = handover_bytes(h, 6, 100, &len);
	assert_int_equal(len, 5);
	assert_memory_equal(data, "world", 5);
	assert_null(handover_bytes(h, 11, 1, &len));
	assert_int_equal(handover_read(h, pair[0], 4096), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(h->intent, 0);
	close(pair[0]);
	close(pair[1]);
}

/* What is not yet parsed is never overwritten, however much waits; what was parsed long ago is. */
static void ring_wraps(void **state)
{
	struct handover *h = *state;
	int pair[2];
	char chunk[4096];
	size_t len;
	assert_int_equal(pipe(pair), 0);
	fd_set_nonblocking(pair[0], true);
	for (int i = 0; i < HANDOVER_UNPARSED_MAX / 4096; i++) {
		memset(chunk, 'a' + i % 26, sizeof chunk);
		assert_int_equal(write(pair[1], chunk, sizeof chunk), sizeof chunk);
		assert_int_equal(handover_read(h, pair[0], 65536), 4096);
	}
	assert_int_equal(write(pair[1], "zz", 2), 2);
	assert_int_equal(handover_read(h, pair[0], 65536), 0);
	assert_non_null(handover_bytes(h, 0, 1, &len));
	h->parsed = HANDOVER_UNPARSED_MAX;
	assert_int_equal(handover_read(h, pair[0], 65536), 2);
	assert_int_equal(handover_tail(h), 2);
	assert_null(handover_bytes(h, 1, 1, &len));
	assert_non_null(handover_bytes(h, 2, 10, &len));
	const uint8_t *data = handover_bytes(h, HANDOVER_UNPARSED_MAX, 10, &len);
	assert_int_equal(len, 2);
	assert_memory_equal(data, "zz", 2);
	close(pair[0]);
	close(pair[1]);
}

/* Killed between reading and saying so: the successor takes the bytes that are there. */
static void intent_is_repaired(void **state)
{
	struct handover *h = *state;
	int pair[2];
	size_t len;
	assert_int_equal(pipe(pair), 0);
	fd_set_nonblocking(pair[0], true);
	assert_int_equal(write(pair[1], "abcdef", 6), 6);
	assert_int_equal(handover_read(h, pair[0], 4096), 6);
	/* As if the last read had not been finished. */
	h->head = 0;
	h->intent = 6;
	assert_int_equal(handover_repair(h), 6);
	assert_memory_equal(handover_bytes(h, 0, 6, &len), "abcdef", 6);
	assert_int_equal(h->intent, 0);
	assert_int_equal(handover_repair(h), 0);
	/* The bytes were counted and the intent still stands: what lies behind them is of long ago. */
	memset(handover_ring(h) + 6, 'x', 6);
	h->intent = 6;
	assert_int_equal(handover_repair(h), 0);
	assert_int_equal(h->head, 6);
	close(pair[0]);
	close(pair[1]);
}

/* A reader killed at random moments under a flood: every byte arrives, once and in order. */
static void kills_lose_nothing(void **state)
{
	struct handover *h = *state;
	int pair[2];
	uint64_t checked = 0;
	assert_int_equal(pipe(pair), 0);
	fd_set_nonblocking(pair[0], true);
	pid_t writer = fork();
	if (writer == 0) {
		char line[32];
		for (unsigned i = 0; i < 200000; i++) {
			int n = snprintf(line, sizeof line, "%u\n", i);
			if (fd_write_full(pair[1], line, (size_t)n) < 0)
				break;
		}
		_exit(0);
	}
	close(pair[1]);
	unsigned expected = 0, digits = 0;
	for (bool over = false; !over;) {
		pid_t reader = fork();
		if (reader == 0) {
			for (;;) {
				ssize_t n = handover_read(h, pair[0], 700);
				if (n == 0 && h->head - h->parsed < HANDOVER_UNPARSED_MAX)
					_exit(7);
				if (n <= 0 && h->head - h->parsed >= HANDOVER_UNPARSED_MAX)
					pause();
			}
		}
		uint64_t before = h->head;
		int status = 0;
		for (unsigned spins = 0;
		     h->head == before && spins < 100000000 && waitpid(reader, &status, WNOHANG) == 0;
		     spins++)
			;
		kill(reader, SIGKILL);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) {
			waitpid(reader, &status, 0);
		}
		over = WIFEXITED(status) && WEXITSTATUS(status) == 7;
		handover_repair(h);
		for (; checked < h->head; checked++) {
			size_t len;
			const uint8_t *c = handover_bytes(h, checked, 1, &len);
			assert_non_null(c);
			if (*c == '\n') {
				assert_int_equal(digits, expected);
				expected++;
				digits = 0;
			} else {
				digits = digits * 10 + (*c - '0');
			}
		}
		h->parsed = h->head;
	}
	assert_int_equal(expected, 200000);
	waitpid(writer, NULL, 0);
	close(pair[0]);
}

static void two_deaths_skip_three_give_up(void **state)
{
	struct handover *h = *state;
	uint64_t to;
	assert_false(handover_died(h));
	h->begun = 1000;
	h->begun_size = 50;
	assert_true(handover_died(h));
	assert_false(handover_skipped(h, 1000, &to));
	h->begun = 1000;
	h->begun_size = 50;
	assert_true(handover_died(h));
	assert_true(handover_skipped(h, 1000, &to));
	assert_int_equal(to, 1050);
	assert_false(handover_skipped(h, 1050, &to));
	assert_true(to == UINT64_MAX);
	assert_false(handover_skipped(h, 10, &to)); /* a piece that begins before it has to end there */
	assert_int_equal(to, 1000);
	assert_int_equal(h->raw, 0);
	h->begun = 2000;
	h->begun_size = 10;
	assert_true(handover_died(h));
	assert_int_equal(h->raw, 1);
}

static void far_apart_deaths_are_two_causes(void **state)
{
	struct handover *h = *state;
	uint64_t to;
	for (int i = 0; i < 5; i++) {
		h->begun = 1000 + (uint64_t)i * 2 * HANDOVER_NEAR;
		h->begun_size = 10;
		assert_true(handover_died(h));
		assert_int_equal(h->deaths, 1);
	}
	assert_false(handover_skipped(h, 1000, &to));
	assert_int_equal(h->raw, 0);
}

/* Two slots in turn: the newest that the ring leads on from; one that is being written does not count. */
static void checkpoints_take_turns(void **state)
{
	struct handover *h = *state;
	const void *data;
	assert_null(handover_checkpoint(h, &data));
	h->head = h->parsed = 10;
	assert_true(handover_save(h, "first", 5, 1));
	const struct handover_slot *slot = handover_checkpoint(h, &data);
	assert_int_equal(slot->offset, 10);
	assert_int_equal(slot->history_end, 1);
	assert_memory_equal(data, "first", 5);
	h->head = h->parsed = 20;
	assert_true(handover_save(h, "second", 6, 2));
	slot = handover_checkpoint(h, &data);
	assert_int_equal(slot->offset, 20);
	assert_memory_equal(data, "second", 6);
	assert_true(handover_save(h, "third", 5, 3));
	slot = handover_checkpoint(h, &data);
	assert_memory_equal(data, "third", 5);
	handover_discard(h, slot);
	slot = handover_checkpoint(h, &data);
	assert_memory_equal(data, "second", 6);
	h->head = h->parsed = 20 + HANDOVER_RING + 1; /* the ring no longer reaches back to it */
	assert_null(handover_checkpoint(h, &data));
	assert_false(handover_save(h, "x", (size_t)HANDOVER_SLOT + 1, 0));
}

static void foreign_memory_is_refused(void **state)
{
	struct err err = ERR_INIT;
	int fd = memfd_create("x", MFD_CLOEXEC);
	(void)state;
	assert_null(handover_map(fd, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_int_equal(ftruncate(fd, 16 << 20), 0);
	assert_null(handover_map(fd, &err));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(layout_is_pinned),
	    cmocka_unit_test(its_parts_are_pinned),
	    cmocka_unit_test(numbers_are_pinned),
	    cmocka_unit_test_setup_teardown(bytes_are_golden, setup, teardown),
	    cmocka_unit_test(other_versions_are_mapped),
	    cmocka_unit_test_setup_teardown(what_is_written_is_read, setup, teardown),
	    cmocka_unit_test_setup_teardown(ring_wraps, setup, teardown),
	    cmocka_unit_test_setup_teardown(intent_is_repaired, setup, teardown),
	    cmocka_unit_test_setup_teardown(kills_lose_nothing, setup, teardown),
	    cmocka_unit_test_setup_teardown(two_deaths_skip_three_give_up, setup, teardown),
	    cmocka_unit_test_setup_teardown(far_apart_deaths_are_two_causes, setup, teardown),
	    cmocka_unit_test_setup_teardown(checkpoints_take_turns, setup, teardown),
	    cmocka_unit_test(foreign_memory_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
