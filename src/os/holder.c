/* holder: see holder.h. */
#include "os/holder.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "os/open_file.h"

enum { ARGUMENTS_MAX = 64 << 10 };

static bool names(const char *argument, const char *word)
{
	const char *value = strchr(argument, '=');

	return strcmp(argument, word) == 0 || (value && strcmp(value + 1, word) == 0);
}

static bool has_argument(pid_t pid, const char *word)
{
	char path[64], text[ARGUMENTS_MAX + 1];
	size_t len, n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	len = fread(text, 1, ARGUMENTS_MAX, f);
	fclose(f);
	text[len] = '\0';
	for (size_t at = 0; at < len; at += n + 1) {
		n = strlen(text + at);
		if (names(text + at, word))
			return true;
	}
	return false;
}

static bool is_named(const struct open_file *f, void *word)
{
	return strstr(path_base(f->path), word) && open_file_writes(f);
}

static bool is_ours(const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.16s", name);
	return stat(path, &st) == 0 && st.st_uid == geteuid();
}

bool holder_find(
    const char *word, bool (*skip)(const struct proc_info *p, void *user), void *user, struct proc_info *out)
{
	DIR *d = opendir("/proc");
	bool found = false;

	for (struct dirent *e; d && !found && (e = readdir(d));) {
		pid_t pid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atoi(e->d_name) : 0;

		if (pid <= 0 || pid == getpid() || !is_ours(e->d_name) || !proc_read(pid, out) ||
		    out->state == 'Z' || (skip && skip(out, user)))
			continue;
		found = has_argument(pid, word) || open_file_each(pid, is_named, (void *)word);
	}
	if (d)
		closedir(d);
	return found;
}
