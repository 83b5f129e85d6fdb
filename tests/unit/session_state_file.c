/* state.json by a thread of the pool: the newest state wins, in order, and what is flushed is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "session/state_file.h"

struct place {
	char folder[64];
	int directory;
	uv_loop_t loop;
	struct state_file *file;
	int written; /* how often that was said */
	uint64_t done;
	/* A job that keeps the pool's only thread until it is let go. */
	uv_work_t work;
	uv_sem_t go;
};

static void on_written(void *user)
{
	struct place *p = user;
	assert_true(state_file_done(p->file) > p->done);
	p->done = state_file_done(p->file);
	p->written++;
}

static int setup(void **state)
{
	struct place *p = mem_zalloc(1, sizeof *p);
	setenv("UV_THREADPOOL_SIZE", "1", 1);
	snprintf(p->folder, sizeof p->folder, "/tmp/state-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	p->directory = open(p->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	uv_loop_init(&p->loop);
	uv_sem_init(&p->go, 0);
	p->file = state_file_create(&p->loop, p->directory, on_written, p);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *path = path_join(p->folder, "state.json");
	state_file_destroy(p->file);
	uv_sem_destroy(&p->go);
	assert_int_equal(uv_loop_close(&p->loop), 0);
	close(p->directory);
	unlink(path);
	assert_int_equal(rmdir(p->folder), 0); /* nothing else was left in it */
	free(p);
	return 0;
}

static void expect(struct place *p, const char *text)
{
	AUTO_FREE char *path = path_join(p->folder, "state.json");
	AUTO_FREE char *there = NULL;
	size_t len;
	assert_int_equal(path_read_file(path, 1000, &there, &len, NULL), 0);
	assert_string_equal(there, text);
}

static void give(struct place *p, const char *text)
{
	state_file_write(p->file, mem_strdup(text));
}

static void hold_the_thread(uv_work_t *work)
{
	uv_sem_wait(&((struct place *)work->data)->go);
}

static void on_let_go(uv_work_t *work, int status)
{
	(void)work;
	assert_int_equal(status, 0);
}

static void occupy_pool(struct place *p)
{
	p->work.data = p;
	uv_queue_work(&p->loop, &p->work, hold_the_thread, on_let_go);
}

static void run(struct place *p)
{
	assert_int_equal(uv_run(&p->loop, UV_RUN_DEFAULT), 0);
}

static void a_state_is_written(void **state)
{
	struct place *p = *state;
	struct stat st;
	AUTO_FREE char *path = path_join(p->folder, "state.json");
	give(p, "one");
	assert_int_equal(state_file_given(p->file), 1);
	assert_int_equal(state_file_done(p->file), 0);
	run(p);
	expect(p, "one");
	assert_int_equal(p->done, 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* However many come while one is written: one more is, of the last. */
static void the_newest_wins(void **state)
{
	struct place *p = *state;
	occupy_pool(p);
	give(p, "one");
	give(p, "two");
	give(p, "three");
	give(p, "four");
	assert_int_equal(state_file_done(p->file), 0);
	uv_sem_post(&p->go);
	while (!p->written)
		uv_run(&p->loop, UV_RUN_ONCE);
	assert_int_equal(p->done, 1); /* the second has not yet been said to be there */
	run(p);
	expect(p, "four");
	assert_int_equal(p->written, 2);
	assert_int_equal(p->done, 4);
}

static void a_flush_waits_for_a_write(void **state)
{
	struct place *p = *state;
	give(p, "one");
	give(p, "two");
	state_file_flush(p->file);
	expect(p, "two");
	assert_int_equal(p->done, 2);
	assert_int_equal(p->written, 1);
	run(p);
	expect(p, "two");
	assert_int_equal(p->written, 1);
}

/* What the pool has not begun is written without it, and not once more later. */
static void a_flush_takes_back_what_waits(void **state)
{
	struct place *p = *state;
	occupy_pool(p);
	give(p, "one");
	state_file_flush(p->file);
	expect(p, "one");
	give(p, "two"); /* while the pool still has the request */
	give(p, "three");
	state_file_flush(p->file);
	expect(p, "three");
	give(p, "four");
	uv_sem_post(&p->go);
	run(p);
	expect(p, "four");
	assert_int_equal(p->done, 4);
}

static void a_flush_of_nothing_does_nothing(void **state)
{
	struct place *p = *state;
	state_file_flush(p->file);
	state_file_flush(NULL);
	give(p, "one");
	run(p);
	state_file_flush(p->file);
	assert_int_equal(p->written, 1);
}

/* Somebody who hears of it gives the next one. */
static void on_written_give_more(void *user)
{
	struct place *p = user;
	on_written(p);
	if (p->written < 5)
		give(p, p->written == 4 ? "last" : "more");
}

static void more_may_be_given_when_one_is_written(void **state)
{
	struct place *p = *state;
	state_file_destroy(p->file);
	p->file = state_file_create(&p->loop, p->directory, on_written_give_more, p);
	give(p, "one");
	run(p);
	expect(p, "last");
	assert_int_equal(p->written, 5);
	assert_int_equal(state_file_done(p->file), 5);
}

/* A link in its place is replaced, what it leads to is left alone. */
static void a_link_is_not_followed(void **state)
{
	struct place *p = *state;
	struct stat st;
	AUTO_FREE char *path = path_join(p->folder, "state.json");
	assert_int_equal(symlink("/dev/full", path), 0);
	give(p, "one");
	run(p);
	expect(p, "one");
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

/* Who waits for a write is not kept waiting by one that fails, and the next one is tried. */
static void a_failure_ends_a_write(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *path = path_join(p->folder, "state.json");
	assert_int_equal(mkdir(path, 0700), 0);
	give(p, "one");
	run(p);
	assert_int_equal(p->done, 1);
	give(p, "two");
	state_file_flush(p->file);
	assert_int_equal(p->done, 2);
	assert_int_equal(rmdir(path), 0); /* nor is anything left beside it: teardown */
	give(p, "three");
	run(p);
	expect(p, "three");
}

/* What a process of the same number had begun to write is in nobody's way. */
static void a_remainder_is_written_over(void **state)
{
	struct place *p = *state;
	AUTO_FREE char *name = mem_printf("state.json.%d", (int)getpid());
	AUTO_FREE char *path = path_join(p->folder, name);
	assert_int_equal(path_write_file(path, "a longer one that was cut", 25, 0600, NULL), 0);
	give(p, "one");
	run(p);
	expect(p, "one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_state_is_written, setup, teardown),
	    cmocka_unit_test_setup_teardown(the_newest_wins, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_flush_waits_for_a_write, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_flush_takes_back_what_waits, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_flush_of_nothing_does_nothing, setup, teardown),
	    cmocka_unit_test_setup_teardown(more_may_be_given_when_one_is_written, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_link_is_not_followed, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_failure_ends_a_write, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_remainder_is_written_over, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
