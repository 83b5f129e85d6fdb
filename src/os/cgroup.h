/*
 * cgroup: a control group (cgroups(7), version 2) for the processes of one session, where the one that we run
 * in was delegated to us: then the kernel ends all of them at once (cgroup.kill), also those of other users
 * and those that fork meanwhile.
 *
 * Only a group that says that it is delegated ("user.delegate" or "trusted.delegate", as systemd marks them)
 * is used: in any other one somebody else makes the groups.  Where version 2 is mounted is looked up; beside
 * version 1 it is not /sys/fs/cgroup.
 */
#ifndef HANDLER_OS_CGROUP_H
#define HANDLER_OS_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

struct cgroup {
	int home; /* the delegated one */
	int own;  /* the session's, -1: there is none */
	char name[32];
};

/* Makes "handler-ID".  A process that runs in such a group of another session leaves it for the home first.
 */
void cgroup_make(struct cgroup *c, const char *id);
/* Moves this process in, so that what it starts is born there, and back.  Nothing if there is none. */
void cgroup_enter(const struct cgroup *c);
void cgroup_return(const struct cgroup *c);
/*
 * Whether everything in it was sent SIGKILL; not if `spare` is true of any process there.
 */
bool cgroup_kill(const struct cgroup *c, bool (*spare)(pid_t pid, void *user), void *user);
void cgroup_remove(struct cgroup *c);

#endif
