/* machine: see machine.h. */
#include "os/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* --- systemd --- */

bool machine_has_systemd(const char *root)
{
	AUTO_FREE char *path = mem_printf("%s/run/systemd/system", root);

	return access(path, F_OK) == 0; /* sd_booted(3) */
}

/* systemd.syntax(7): what is true */
static bool is_true(const char *value)
{
	static const char *const words[] = {"1", "yes", "true", "on", "y", "t"};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strcasecmp(words[i], value) == 0)
			return true;
	}
	return false;
}

/* A later file decides; an empty value is the default again: no. */
static void read_logind(const char *path, bool *kills)
{
	FILE *f = fopen(path, "re");
	char line[1024], value[64];

	while (f && fgets(line, sizeof(line), f)) {
		value[0] = '\0';
		if (sscanf(line, " KillUserProcesses = %63[^ \t\r\n#;]", value) == 1 ||
		    strncmp(line, "KillUserProcesses=", 18) == 0)
			*kills = is_true(value);
	}
	if (f)
		fclose(f);
}

static int is_conf(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 5 && strcmp(e->d_name + len - 5, ".conf") == 0;
}

static void read_drop_ins(const char *dir, bool *kills)
{
	struct dirent **names;
	int count = scandir(dir, &names, is_conf, alphasort);

	for (int i = 0; i < count; i++) {
		AUTO_FREE char *path = mem_printf("%s/%s", dir, names[i]->d_name);

		read_logind(path, kills);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

/* In the order of their weight, the heaviest last: logind.conf(5). */
bool machine_kills_at_logout(const char *root)
{
	static const char *const places[] = {
	    "usr/lib/systemd", "usr/local/lib/systemd", "run/systemd", "etc/systemd"};
	bool kills = false;

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		AUTO_FREE char *path = mem_printf("%s/%s/logind.conf", root, places[i]);
		read_logind(path, &kills);
	}
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		AUTO_FREE char *dir = mem_printf("%s/%s/logind.conf.d", root, places[i]);
		read_drop_ins(dir, &kills);
	}
	return kills;
}

bool machine_lingers(const char *root, const char *user)
{
	AUTO_FREE char *path = mem_printf("%s/var/lib/systemd/linger/%s", root, user);

	return access(path, F_OK) == 0;
}

/* --- what sandboxes are made of --- */

/* Settings that forbid them, and the value that does. */
static const struct {
	const char *file, *value;
} forbids[] = {
    {"/proc/sys/kernel/unprivileged_userns_clone", "0"},
    {"/proc/sys/user/max_user_namespaces", "0"},
    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"},
};

static bool has_value(const char *path, const char *value)
{
	char text[32] = "";
	FILE *f = fopen(path, "re");

	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, value) == 0;
}

bool machine_user_namespaces(char *why, size_t size)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER) == 0 ? 0 : errno & 0x7F);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	snprintf(why, size, "%s", strerror(pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN));
	for (size_t i = 0; i < COUNT_OF(forbids); i++) {
		if (has_value(forbids[i].file, forbids[i].value))
			snprintf(why, size, "%s is %s", forbids[i].file, forbids[i].value);
	}
	return false;
}

int machine_landlock(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

/* The line "0::PATH" of /proc/self/cgroup, below the place where version 2 is mounted: cgroups(7). */
static bool own_cgroup(char *path, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX] = "";
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		found = strncmp(line, "0::", 3) == 0 && strlen(line + 3) < size;
		if (found)
			memcpy(path, line + 3, strlen(line + 3) + 1);
	}
	if (f)
		fclose(f);
	return found;
}

static bool mount_of_cgroups(char *path, size_t size)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char line[PATH_MAX], at[1024], type[32];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		found = sscanf(line, "%*s %1023s %31s", at, type) == 2 && strcmp(type, "cgroup2") == 0;
		if (found)
			snprintf(path, size, "%s", at);
	}
	if (f)
		fclose(f);
	return found;
}

bool machine_cgroup(char *path, size_t size)
{
	char own[1024], mount[1024];

	path[0] = '\0';
	if (!own_cgroup(own, sizeof(own)) || !mount_of_cgroups(mount, sizeof(mount)))
		return false;
	snprintf(path, size, "%s%s", mount, strcmp(own, "/") == 0 ? "" : own);
	AUTO_FREE char *procs = mem_printf("%s/cgroup.procs", path);
	return access(path, W_OK) == 0 && access(procs, W_OK) == 0;
}

/* --- why a process was ended --- */

/* "Out of memory: Killed process 4711 (handler keeper) total-vm:...", "Memory cgroup out of memory: ..." */
bool machine_log_names(const char *log, pid_t pid)
{
	AUTO_FREE char *words = mem_printf("ut of memory: Killed process %d (handler", (int)pid);

	return strcasestr(log, words) != NULL;
}

bool machine_ended_for_memory(pid_t pid)
{
	enum { READ_ALL = 3, SIZE_BUFFER = 10, LOG_MOST = 16 << 20 }; /* syslog(2) */
	int size = klogctl(SIZE_BUFFER, NULL, 0);

	if (pid <= 0 || size <= 0 || size > LOG_MOST)
		return false;
	AUTO_FREE char *log = mem_alloc((size_t)size + 1);
	int n = klogctl(READ_ALL, log, size);

	log[n > 0 ? n : 0] = '\0';
	return n > 0 && machine_log_names(log, pid);
}
