/* port: see port.h. */
#include "os/port.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "os/fd.h"

enum { LISTENERS_MAX = 16, TCP_LISTEN_STATE = 0x0A };

/* --- leases --- */

static int open_directory(struct err *err)
{
	AUTO_FREE char *top = mem_printf("/tmp/handler-%u", (unsigned)geteuid());
	AUTO_FREE char *dir = path_join(top, "ports");

	if (path_make_private(top, err) < 0 || path_make_private(dir, err) < 0)
		return -1;
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? err_sys(err, errno, "cannot open %s", dir) : fd;
}

/* A file that was removed meanwhile locks nothing any more. */
static int lock_port(int directory, int number)
{
	char name[16];
	struct stat st;

	snprintf(name, sizeof(name), "%d", number);
	for (;;) {
		int fd = lock_take(directory, name, false);
		if (fd < 0 || (fstat(fd, &st) == 0 && st.st_nlink > 0))
			return fd;
		close(fd);
	}
}

/* The descriptor; -1: taken; -2: this kind of address is not there at all. */
static int bind_port(int family, int number)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)number)};
	bool is_v6 = family == AF_INET6;
	int on = 1, fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno == EAFNOSUPPORT ? -2 : -1;
	if (is_v6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	int rc = is_v6 ? bind(fd, (struct sockaddr *)&v6, sizeof(v6))
		       : bind(fd, (struct sockaddr *)&v4, sizeof(v4));
	int saved = errno;
	if (rc == 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0)
		return fd;
	close(fd);
	return rc < 0 && saved == EADDRNOTAVAIL ? -2 : -1;
}

static bool take(struct port_lease *l, int directory, int number)
{
	*l = (struct port_lease){.number = number, .fds = {lock_port(directory, number), -1, -1}};
	if (l->fds[0] < 0)
		return false;
	l->fds[1] = bind_port(AF_INET, number);
	l->fds[2] = l->fds[1] == -1 ? -1 : bind_port(AF_INET6, number);
	bool taken = l->fds[1] == -1 || l->fds[2] == -1 || (l->fds[1] < 0 && l->fds[2] < 0);
	if (taken)
		port_lease_release(l);
	return !taken;
}

int port_lease_take(struct port_lease *out, int wanted, struct err *err)
{
	int directory = open_directory(err);
	bool found = false;

	if (directory < 0)
		return -1;
	if (wanted >= PORT_FIRST && wanted <= PORT_LAST)
		found = take(out, directory, wanted);
	for (int n = PORT_FIRST; n <= PORT_LAST && !found; n++)
		found = take(out, directory, n);
	close(directory);
	if (found)
		return 0;
	err_set(err, ERR_START, "no port from %d to %d is free", PORT_FIRST, PORT_LAST);
	return err_hint(err, "End sessions that are not needed: `handler ls` lists them.");
}

void port_lease_release(struct port_lease *l)
{
	for (int i = 0; i < PORT_LEASE_FDS; i++) {
		if (l->fds[i] >= 0)
			close(l->fds[i]);
		l->fds[i] = -1;
	}
}

/* --- listeners --- */

struct inodes {
	unsigned long item[LISTENERS_MAX];
	size_t count;
};

static void add_inode(struct inodes *out, unsigned long inode)
{
	if (out->count < LISTENERS_MAX)
		out->item[out->count++] = inode;
}

/* One answer of several messages; returns whether more follow, -1 if the kernel cannot be asked. */
static int take_answer(const void *answer, size_t len, int number, struct inodes *out)
{
	const char *at = answer;
	struct nlmsghdr header;
	struct inet_diag_msg m;

	while (len >= sizeof(header)) {
		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_type == NLMSG_DONE)
			return 0;
		if (header.nlmsg_type == NLMSG_ERROR || header.nlmsg_len < sizeof(header) ||
		    header.nlmsg_len > len)
			return -1;
		if (header.nlmsg_len >= NLMSG_HDRLEN + sizeof(m)) {
			memcpy(&m, at + NLMSG_HDRLEN, sizeof(m));
			if (ntohs(m.id.idiag_sport) == number)
				add_inode(out, m.idiag_inode);
		}
		size_t step = NLMSG_ALIGN(header.nlmsg_len) < len ? NLMSG_ALIGN(header.nlmsg_len) : len;
		at += step;
		len -= step;
	}
	return 1;
}

/*
 * Sockets of the family that listen on the port: sock_diag(7), which is asked for those that listen.
 * /proc/net/tcp goes through the table of all connections, which takes milliseconds.  -1: this kernel has no
 * inet_diag, or a sandbox does not let us ask.
 */
static int ask_listeners(int family, int number, struct inodes *out)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 body;
	} question = {.header = {.nlmsg_len = sizeof(question),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	    .body = {.sdiag_family = (uint8_t)family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = 1u << TCP_LISTEN_STATE}};
	char answer[8192];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), more = 1;

	if (fd < 0)
		return -1;
	if (send(fd, &question, sizeof(question), 0) != (ssize_t)sizeof(question))
		more = -1;
	while (more > 0) {
		ssize_t n = recv(fd, answer, sizeof(answer), 0);

		if (n < 0 && errno == EINTR)
			continue;
		more = n <= 0 ? -1 : take_answer(answer, (size_t)n, number, out);
	}
	close(fd);
	return more;
}

/* The same by proc(5), /proc/net/tcp. */
static void read_listeners(const char *table, int number, struct inodes *out)
{
	FILE *f = fopen(table, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned port, state;
		unsigned long inode;

		if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %*u %*u %lu", &port, &state,
			&inode) == 3 &&
		    port == (unsigned)number && state == TCP_LISTEN_STATE)
			add_inode(out, inode);
	}
	if (f)
		fclose(f);
}

static void find_listeners(int number, struct inodes *out)
{
	out->count = 0;
	if (ask_listeners(AF_INET, number, out) < 0)
		read_listeners("/proc/self/net/tcp", number, out);
	if (ask_listeners(AF_INET6, number, out) < 0)
		read_listeners("/proc/self/net/tcp6", number, out);
}

/* Whether a process has one of the sockets open: 1, 0, or -1 if it cannot be looked into. */
static int has_socket(pid_t pid, const struct inodes *inodes)
{
	char path[64], target[64];
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return errno == EACCES ? -1 : 0;
	for (struct dirent *e; !found && (e = readdir(dir));) {
		unsigned long inode;
		ssize_t n = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);

		target[n < 0 ? 0 : n] = '\0';
		if (sscanf(target, "socket:[%lu]", &inode) != 1)
			continue;
		for (size_t i = 0; i < inodes->count; i++)
			found = found || inodes->item[i] == inode;
	}
	closedir(dir);
	return found;
}

static void find_owner(const struct inodes *inodes, struct proc_info *out)
{
	DIR *dir = opendir("/proc");

	*out = (struct proc_info){.pid = 0};
	for (struct dirent *e; dir && !out->pid && (e = readdir(dir));) {
		pid_t pid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atol(e->d_name) : 0;

		if (pid > 0 && has_socket(pid, inodes) == 1 && !proc_read(pid, out))
			out->pid = 0;
	}
	if (dir)
		closedir(dir);
}

bool port_is_silent(int number)
{
	struct inodes inodes;

	find_listeners(number, &inodes);
	return inodes.count == 0;
}

enum port_listener port_listener(int number, const struct proc_list *ours, struct proc_info *foreign)
{
	struct inodes inodes;
	bool hidden = false;

	find_listeners(number, &inodes);
	if (inodes.count == 0)
		return PORT_SILENT;
	for (size_t i = 0; i < ours->count; i++) {
		int has = has_socket(ours->items[i].pid, &inodes);

		if (has == 1)
			return PORT_OURS;
		hidden = hidden || has < 0;
	}
	if (hidden)
		return PORT_UNKNOWABLE;
	find_owner(&inodes, foreign);
	return PORT_FOREIGN;
}
