/* os/port: no two processes hold a port at once, a lease ends with its holder, and servers can use it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/port.h"

/*
 * Other programs of this user may take and leave leases at any time, from the lowest port on: what has to be
 * free again is at the other end.
 */
static int far_port(int n)
{
	return PORT_LAST - (int)(getpid() % 40) * 8 - n;
}

static void take(struct port_lease *l, int wanted)
{
	struct err err = ERR_INIT;

	if (port_lease_take(l, wanted, &err) < 0)
		fail_msg("%s", err.message);
}

/* A socket bound to the port; reuse: with SO_REUSEADDR, as servers do.  -errno. */
static int bound(int number, const char *address, bool reuse)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, address, &a.sin_addr);
	if (reuse)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	int saved = errno;
	close(fd);
	return -saved;
}

static int listening(int number)
{
	int fd = bound(number, "127.0.0.1", true);

	assert_true(fd >= 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static void a_server_can_listen_on_a_leased_port(void **state)
{
	static const char *const addresses[] = {"127.0.0.1", "0.0.0.0"};
	struct port_lease l;

	(void)state;
	take(&l, 0);
	assert_in_range(l.number, PORT_FIRST, PORT_LAST);
	port_lease_release(&l);
	take(&l, far_port(0));
	for (size_t i = 0; i < COUNT_OF(addresses); i++) {
		int fd = bound(l.number, addresses[i], true);

		assert_true(fd >= 0);
		assert_int_equal(listen(fd, 1), 0);
		assert_int_equal(bound(l.number, addresses[i], true), -EADDRINUSE); /* one server, not two */
		close(fd);
	}
	/* who does not say SO_REUSEADDR is not to have it */
	assert_int_equal(bound(l.number, "127.0.0.1", false), -EADDRINUSE);
	port_lease_release(&l);
	int fd = bound(l.number, "127.0.0.1", false);
	assert_true(fd >= 0);
	close(fd);
}

static void leases_are_all_different(void **state)
{
	struct port_lease l[20], again;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(l); i++) {
		take(&l[i], i == 3 ? far_port(1) : 0);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(l[i].number, l[k].number);
	}
	take(&again, l[3].number); /* taken: another one */
	for (size_t i = 0; i < COUNT_OF(l); i++)
		assert_int_not_equal(again.number, l[i].number);
	port_lease_release(&again);
	int number = l[3].number;
	for (size_t i = 0; i < COUNT_OF(l); i++)
		port_lease_release(&l[i]);
	take(&again, number); /* free: the same */
	assert_int_equal(again.number, number);
	port_lease_release(&again);
}

static void what_others_listen_on_or_have_bound_is_not_leased(void **state)
{
	struct port_lease l;

	(void)state;
	take(&l, far_port(2));
	int number = l.number;
	port_lease_release(&l);
	int fd = listening(number);
	take(&l, number);
	assert_int_not_equal(l.number, number);
	port_lease_release(&l);
	close(fd);
	/* a lease of another user: the port alone, as its lock is in another directory */
	fd = bound(number, "0.0.0.0", false);
	assert_true(fd >= 0);
	int on = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	take(&l, number);
	assert_int_not_equal(l.number, number);
	port_lease_release(&l);
	close(fd);
}

/* How many hold each port, over processes. */
static atomic_int *holders;

enum { PROCESSES = 8, LEASES = 500, HELD = 16 };

/* Holds HELD at a time; counts ports that somebody else holds at the same time. */
static int lease_many(void)
{
	struct port_lease held[HELD];
	int duplicates = 0;

	for (int i = 0; i < LEASES + HELD; i++) {
		struct port_lease *l = &held[i % HELD];

		if (i >= HELD) {
			atomic_fetch_sub(&holders[l->number - PORT_FIRST], 1);
			port_lease_release(l);
		}
		if (i >= LEASES)
			continue;
		if (port_lease_take(l, 0, NULL) < 0)
			return 255;
		duplicates += atomic_fetch_add(&holders[l->number - PORT_FIRST], 1) != 0;
		int fd = bound(l->number, "127.0.0.1", true);
		if (fd < 0 || listen(fd, 1) < 0)
			return 254;
		close(fd);
	}
	return duplicates > 200 ? 200 : duplicates;
}

static void eight_processes_of_five_hundred_leases(void **state)
{
	pid_t pids[PROCESSES];

	(void)state;
	holders = mmap(NULL, (PORT_LAST - PORT_FIRST + 1) * sizeof(*holders), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(holders, MAP_FAILED);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(lease_many());
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	munmap(holders, (PORT_LAST - PORT_FIRST + 1) * sizeof(*holders));
}

static void a_lease_ends_with_its_holder(void **state)
{
	int pipe_fds[2], number, status;
	struct port_lease l;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		take(&l, far_port(3));
		if (write(pipe_fds[1], &l.number, sizeof(l.number)) != sizeof(l.number))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipe_fds[0], &number, sizeof(number)), sizeof(number));
	take(&l, number);
	assert_int_not_equal(l.number, number);
	port_lease_release(&l);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	take(&l, number);
	assert_int_equal(l.number, number);
	port_lease_release(&l);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void who_listens(void **state)
{
	struct proc_info self, owner;
	struct proc_list ours = {.items = &self, .count = 1}, nobody = {.count = 0};
	struct port_lease l;

	(void)state;
	assert_true(proc_read(getpid(), &self));
	take(&l, 0);
	assert_int_equal(port_listener(l.number, &ours, &owner), PORT_SILENT); /* bound is not listening */
	int fd = listening(l.number);
	assert_int_equal(port_listener(l.number, &ours, &owner), PORT_OURS);
	assert_int_equal(port_listener(l.number, &nobody, &owner), PORT_FOREIGN);
	assert_int_equal(owner.pid, getpid());
	assert_int_equal(owner.start, self.start);
	close(fd);
	assert_int_equal(port_listener(l.number, &nobody, &owner), PORT_SILENT);
	port_lease_release(&l);
}

/* From here on no netlink socket can be made, as in sandboxes. */
static void deny_netlink(void)
{
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(filter) / sizeof(*filter), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(2);
	if (socket(AF_NETLINK, SOCK_RAW, 0) != -1 || errno != EAFNOSUPPORT)
		_exit(3);
}

static void who_listens_without_netlink(void **state)
{
	struct proc_list nobody = {.count = 0};
	struct proc_info owner;
	struct port_lease l;
	int status;

	(void)state;
	take(&l, 0);
	int fd = listening(l.number);
	pid_t child = fork();
	if (child == 0) {
		deny_netlink();
		enum port_listener who = port_listener(l.number, &nobody, &owner);
		_exit(who != PORT_FOREIGN || port_is_silent(l.number) || !port_is_silent(PORT_LAST + 1) ? 1
													: 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
	port_lease_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_server_can_listen_on_a_leased_port),
	    cmocka_unit_test(leases_are_all_different),
	    cmocka_unit_test(what_others_listen_on_or_have_bound_is_not_leased),
	    cmocka_unit_test(eight_processes_of_five_hundred_leases),
	    cmocka_unit_test(a_lease_ends_with_its_holder),
	    cmocka_unit_test(who_listens),
	    cmocka_unit_test(who_listens_without_netlink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
