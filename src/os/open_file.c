/* open_file: see open_file.h. */
#include "os/open_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

bool open_file_each(pid_t pid, bool (*visit)(const struct open_file *f, void *user), void *user)
{
	char path[64], target[4096];
	bool done = false;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	for (struct dirent *e; d && !done && (e = readdir(d));) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1);

		if (n <= 0)
			continue;
		target[n] = '\0';
		done =
		    visit(&(struct open_file){.pid = pid, .dir = dirfd(d), .name = e->d_name, .path = target},
			user);
	}
	if (d)
		closedir(d);
	return done;
}

/* flags of /proc/PID/fdinfo/FD, in octal (proc(5)). */
bool open_file_writes(const struct open_file *file)
{
	char path[64], line[128];
	unsigned flags = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", (int)file->pid, file->name);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	if (f)
		fclose(f);
	return (flags & O_ACCMODE) != O_RDONLY;
}
