/* fd: descriptors: whole reads and writes, closing, locks, sockets by directory. */
#ifndef HANDLER_OS_FD_H
#define HANDLER_OS_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Until len bytes, the end, or an error; returns the bytes read, -1 with errno. */
ssize_t fd_read_full(int fd, void *data, size_t len);
int fd_write_full(int fd, const void *data, size_t len); /* 0, or -1 with errno */
/* All above 2 but these, which are sorted by it; -1 among them is none. */
void fd_close_all_but(int *keep, size_t count);
int fd_set_nonblocking(int fd, bool on);
/* Moves fd to a number of at least `low`, close-on-exec; the old one is closed.  -1 with errno. */
int fd_move_above(int fd, int low);
/* 0, 1 and 2 become /dev/null. */
void fd_detach_stdio(void);

/*
 * The lock of a session: an open file description lock on the whole file (fcntl(2) F_OFD_SETLK), so it is not
 * lost by closing another descriptor of the file, and goes with the last process that has it.
 */
int lock_take(
    int dirfd, const char *name, bool wait); /* descriptor, or -1 with errno (EAGAIN: held by another) */
/*
 * 1: somebody holds it; 0: nobody does, or there is no such file; -1 with errno: it cannot be asked (no
 * descriptor is left, the file system fails), which proves nothing.  Asks with F_OFD_GETLK, never takes.
 */
int lock_held(int dirfd, const char *name);

/*
 * Unix stream sockets named by a directory descriptor and a short name, reached through /proc/self/fd/N, so
 * that the length of the directory's path does not matter (sun_path holds 107 bytes).
 */
int sock_listen(
    int dirfd, const char *name, struct err *err); /* 0600; an old socket of that name is replaced */
int sock_connect(int dirfd, const char *name, bool nonblocking); /* descriptor, or -1 with errno */
bool sock_peer_is_us(int fd, pid_t *pid);                        /* SO_PEERCRED: same uid; pid may be NULL */

#endif
