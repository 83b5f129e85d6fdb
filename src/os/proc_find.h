/*
 * proc_find: processes of the whole machine by what shows whose they are.
 *
 * A look that is `hunting` also looks at what is born while it lasts, each within microseconds: whose pid
 * changes all the time, because it forks and leaves, is in no list of /proc for long.  Such a look finds
 * whoever does not change its pid in it, and whoever does, in its next life.
 */
#ifndef HANDLER_OS_PROC_FIND_H
#define HANDLER_OS_PROC_FIND_H

#include "os/proc.h"

struct proc_search {
	bool hunting;
	/* Called for each that is found, at once; may be NULL. */
	void (*found)(const struct proc_info *p, void *user);
	void *user;
};

/* The processes of this user whose environment has HANDLER_SESSION=id, zombies left out. */
void proc_by_session(const char *id, const struct proc_search *how, struct proc_list *out);
/* The processes of a process session (setsid(2)), zombies left out. */
void proc_by_sid(pid_t sid, const struct proc_search *how, struct proc_list *out);

#endif
