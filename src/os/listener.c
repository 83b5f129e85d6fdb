/* listener: see listener.h. */
#include "os/listener.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"

enum { TCP_LISTENING = 0x0a }; /* TCP_LISTEN of the kernel's net/tcp_states.h, as the files show it */

void listener_table_finish(struct listener_table *t)
{
	free(t->items);
	*t = (struct listener_table){0};
}

static void add(struct listener_table *t, unsigned long inode, int port)
{
	if (t->count == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 32;
		t->items = mem_realloc(t->items, t->cap, sizeof *t->items);
	}
	t->items[t->count++] = (struct listener){.inode = inode, .port = port};
}

/* "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode ..." after a line of titles. */
static void read_table(struct listener_table *t, pid_t pid, const char *name)
{
	char path[64], line[512];
	snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, name);
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof line, f)) {
		unsigned port, state;
		unsigned long inode;
		if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %*d %*d %lu", &port, &state,
			&inode) == 3 &&
		    state == TCP_LISTENING)
			add(t, inode, (int)port);
	}
	fclose(f);
}

static void read_namespace(struct listener_table *t, pid_t pid)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
	if (stat(path, &st) < 0 || t->space == (unsigned long)st.st_ino)
		return;
	t->space = (unsigned long)st.st_ino;
	t->count = 0;
	read_table(t, pid, "tcp");
	read_table(t, pid, "tcp6");
}

static int port_of(const struct listener_table *t, unsigned long inode)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].inode == inode)
			return t->items[i].port;
	return 0;
}

/* In order, without the ones that are there: a server often listens on a port for both families. */
static size_t insert(int *ports, size_t count, size_t max, int port)
{
	size_t at = 0;
	while (at < count && ports[at] < port)
		at++;
	if (count == max || (at < count && ports[at] == port))
		return count;
	for (size_t i = count; i > at; i--)
		ports[i] = ports[i - 1];
	ports[at] = port;
	return count + 1;
}

size_t listener_ports(struct listener_table *t, pid_t pid, int *ports, size_t max)
{
	char path[300];
	size_t count = 0;
	read_namespace(t, pid);
	if (!t->count)
		return 0;
	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return 0;
	for (struct dirent *e; (e = readdir(dir));) {
		struct stat st;
		snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)pid, e->d_name);
		if (!isdigit((unsigned char)e->d_name[0]) || stat(path, &st) < 0 || !S_ISSOCK(st.st_mode))
			continue;
		int port = port_of(t, (unsigned long)st.st_ino);
		if (port)
			count = insert(ports, count, max, port);
	}
	closedir(dir);
	return count;
}
