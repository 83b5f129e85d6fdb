/* pty: a pseudo-terminal and the program that runs in it (pty(7), termios(3)). */
#ifndef HANDLER_OS_PTY_H
#define HANDLER_OS_PTY_H

#include <sys/types.h>

#include "base/err.h"

struct pty {
	int master,
	    slave; /* both close-on-exec; the slave is held so that the end of a program is no hang-up */
};

/* Size in cells; x, y in pixels (0: unknown).  IUTF8 is set. */
int pty_open(struct pty *p, int rows, int cols, int xpixel, int ypixel, struct err *err);
void pty_close(struct pty *p);
int pty_resize(int master, int rows, int cols, int xpixel, int ypixel); /* 0 or -errno */

/*
 * Starts argv (a path and NULL-terminated arguments) in a new session whose controlling terminal is the
 * slave, with every signal at its default and unblocked, and no descriptor but 0, 1, 2.  Returns its pid once
 * the program really runs, or -1 with the reason (ERR_START): directory gone, no such program, exec format
 * error, no memory.
 */
pid_t pty_spawn(const struct pty *p, const char *program, char *const *argv, char *const *env,
    const char *dir, struct err *err);

/*
 * The same in two halves, for callers that have something to do until the program runs: begin says that its
 * process is there, await, once, whether it became the program.  What is named is borrowed until then.
 */
struct pty_spawning {
	pid_t pid;
	int report; /* of what could not be done; closed by a successful exec */
	const char *program, *dir;
};
int pty_spawn_begin(const struct pty *p, const char *program, char *const *argv, char *const *env,
    const char *dir, struct pty_spawning *out, struct err *err);
int pty_spawn_await(struct pty_spawning *s, struct err *err);

#endif
