/* What a keeper does when its worker is to be replaced by another version: each way that this can go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/handover.h"
#include "session/upgrade.h"

enum { KEPT = 1000, ABORTED = 6 /* as a wait status: SIGABRT */ };

static int a_binary(void)
{
	return open("/proc/self/exe", O_PATH | O_CLOEXEC);
}

/* Up to the moment at which the new worker has been started, at 100 ms. */
static struct upgrade tried(void)
{
	struct upgrade u;
	assert_int_equal(upgrade_begin(&u, a_binary(), true, 0), UPGRADE_ASK_TO_LEAVE);
	assert_int_equal(upgrade_binary(&u, KEPT), KEPT);
	assert_int_equal(upgrade_died(&u, 0, 100), UPGRADE_START);
	assert_true(upgrade_on_trial(&u));
	assert_int_equal(upgrade_binary(&u, KEPT), u.binary);
	return u;
}

static void it_proves_itself(void **state)
{
	struct upgrade u = tried();
	(void)state;
	assert_int_equal(upgrade_message(&u, CHANNEL_READY, 0), UPGRADE_NOTHING);
	assert_int_equal(upgrade_tick(&u, 100 + UPGRADE_PROOF_MS - 1), UPGRADE_NOTHING);
	assert_int_equal(upgrade_tick(&u, 100 + UPGRADE_PROOF_MS), UPGRADE_ANSWER);
	assert_int_equal(u.outcome, UPGRADE_DONE);
	assert_int_equal(u.phase, UPGRADE_NONE);
	assert_true(u.binary >= 0); /* the keeper's from now on */
	assert_int_equal(upgrade_died(&u, ABORTED, 20000), UPGRADE_NOTHING);
	assert_int_equal(upgrade_tick(&u, 99999), UPGRADE_NOTHING);
	close(u.binary);
}

static void goes_back(struct upgrade *u, enum upgrade_outcome outcome, int status)
{
	assert_int_equal(u->phase, UPGRADE_BACK);
	assert_int_equal(upgrade_binary(u, KEPT), KEPT);
	int binary = u->binary;
	assert_int_equal(upgrade_message(u, CHANNEL_READY, 0), UPGRADE_ANSWER);
	assert_int_equal(u->outcome, outcome);
	assert_int_equal(u->status, status);
	assert_int_equal(u->binary, -1);
	assert_int_equal(fcntl(binary, F_GETFD), -1); /* closed */
}

static void one_that_dies_at_its_start(void **state)
{
	struct upgrade u = tried();
	(void)state;
	assert_int_equal(upgrade_died(&u, ABORTED, 120), UPGRADE_START);
	goes_back(&u, UPGRADE_DIED, ABORTED);
}

static void one_that_dies_later(void **state)
{
	struct upgrade u = tried();
	(void)state;
	upgrade_message(&u, CHANNEL_READY, 0);
	assert_int_equal(upgrade_died(&u, ABORTED, 3000), UPGRADE_START);
	goes_back(&u, UPGRADE_DIED, ABORTED);
}

static void one_that_is_never_ready(void **state)
{
	struct upgrade u = tried();
	(void)state;
	assert_int_equal(upgrade_tick(&u, 100 + UPGRADE_READY_MS - 1), UPGRADE_NOTHING);
	assert_int_equal(upgrade_tick(&u, 100 + UPGRADE_READY_MS), UPGRADE_KILL);
	assert_int_equal(upgrade_tick(&u, 100 + UPGRADE_READY_MS + 1), UPGRADE_NOTHING);
	assert_int_equal(upgrade_message(&u, CHANNEL_READY, 0), UPGRADE_NOTHING); /* too late */
	assert_int_equal(upgrade_died(&u, 9, 6000), UPGRADE_START);
	goes_back(&u, UPGRADE_NOT_READY, 0);
}

static void one_that_cannot_be_executed(void **state)
{
	struct upgrade u = tried();
	(void)state;
	assert_int_equal(upgrade_message(&u, CHANNEL_NO_EXEC, ENOEXEC), UPGRADE_NOTHING);
	assert_int_equal(upgrade_died(&u, 127 << 8, 110), UPGRADE_START);
	goes_back(&u, UPGRADE_NO_EXEC, ENOEXEC);
}

/* The old binary's worker dies as well: that is the keeper's business as ever, and the asker is answered. */
static void the_old_one_does_not_come_back(void **state)
{
	struct upgrade u = tried();
	(void)state;
	upgrade_died(&u, ABORTED, 200);
	assert_int_equal(upgrade_died(&u, ABORTED, 300), UPGRADE_NOTHING);
	assert_int_equal(upgrade_tick(&u, 200 + UPGRADE_BACK_MS), UPGRADE_ANSWER);
	assert_int_equal(u.outcome, UPGRADE_DIED);
}

static void a_worker_that_stays(void **state)
{
	struct upgrade u;
	(void)state;
	upgrade_begin(&u, a_binary(), true, 0);
	assert_int_equal(upgrade_message(&u, CHANNEL_STAYS, 0), UPGRADE_ANSWER);
	assert_int_equal(u.outcome, UPGRADE_NOT_NOW);
	assert_int_equal(u.binary, -1);
}

static void a_worker_that_hangs_is_ended(void **state)
{
	struct upgrade u;
	(void)state;
	upgrade_begin(&u, a_binary(), true, 0);
	assert_int_equal(upgrade_tick(&u, UPGRADE_LEAVE_MS), UPGRADE_KILL);
	assert_int_equal(upgrade_died(&u, 9, UPGRADE_LEAVE_MS + 5), UPGRADE_START);
	assert_true(upgrade_on_trial(&u));
	assert_true(upgrade_cancel(&u));
}

static void without_a_worker_it_starts_at_once(void **state)
{
	struct upgrade u;
	(void)state;
	assert_int_equal(upgrade_begin(&u, a_binary(), false, 0), UPGRADE_START);
	assert_true(upgrade_cancel(&u));
	assert_int_equal(u.outcome, UPGRADE_ENDING);
	assert_int_equal(u.binary, -1);
	assert_false(upgrade_cancel(&u));
}

/* A socket that was made again asks for another worker: no fault of the one on trial. */
static void making_way_is_no_fault(void **state)
{
	struct upgrade u = tried();
	(void)state;
	upgrade_message(&u, CHANNEL_READY, 0);
	upgrade_rebind(&u);
	assert_int_equal(upgrade_died(&u, WORKER_LEFT << 8, 2000), UPGRADE_START);
	assert_true(upgrade_on_trial(&u));
	assert_int_equal(upgrade_died(&u, ABORTED, 2100), UPGRADE_START);
	goes_back(&u, UPGRADE_DIED, ABORTED);
}

static int checked(const char *path, mode_t mode, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);
	assert_true(fd >= 0);
	if (mode)
		assert_int_equal(chmod(path, mode), 0);
	int result = upgrade_check_binary(fd);
	close(fd);
	return result;
}

static void only_programs_that_nobody_else_can_change(void **state)
{
	char path[] = "/tmp/upgrade-XXXXXX";
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(checked(path, 0755, O_PATH), 0);
	assert_int_equal(checked(path, 0555, O_RDONLY), 0);
	assert_int_equal(checked(path, 0775, O_PATH), 0); /* a group of one's own */
	assert_int_equal(checked(path, 0757, O_PATH), EPERM);
	assert_int_equal(checked(path, 0644, O_PATH), EACCES);
	assert_int_equal(checked("/", 0, O_PATH), EINVAL);
	assert_int_equal(checked("/dev/null", 0, O_RDONLY), EINVAL);
	assert_int_equal(upgrade_check_binary(-1), EBADF);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
		assert_int_equal(checked(path, 0755, O_PATH), EPERM);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_proves_itself),
	    cmocka_unit_test(one_that_dies_at_its_start),
	    cmocka_unit_test(one_that_dies_later),
	    cmocka_unit_test(one_that_is_never_ready),
	    cmocka_unit_test(one_that_cannot_be_executed),
	    cmocka_unit_test(the_old_one_does_not_come_back),
	    cmocka_unit_test(a_worker_that_stays),
	    cmocka_unit_test(a_worker_that_hangs_is_ended),
	    cmocka_unit_test(without_a_worker_it_starts_at_once),
	    cmocka_unit_test(making_way_is_no_fault),
	    cmocka_unit_test(only_programs_that_nobody_else_can_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
