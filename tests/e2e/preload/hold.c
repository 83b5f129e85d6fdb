/*
 * hold: a disk that does not come back.  While the file $HOLD_WHILE exists, no renameat(2) to state.json
 * ends; each writes a line to the file $HOLD_LOG when it begins.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	const char *log = getenv("HOLD_LOG"), *hold = getenv("HOLD_WHILE");

	if (log && hold && strcmp(to, "state.json") == 0) {
		int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		if (out < 0 || write(out, "state\n", 6) != 6)
			abort();
		close(out);
		while (access(hold, F_OK) == 0)
			poll(NULL, 0, 5);
	}
	return ((int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat"))(
	    from_dir, from, to_dir, to);
}
