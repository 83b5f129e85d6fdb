/* machine: what this machine does with sessions and can do for them.  Asks; changes nothing. */
#ifndef HANDLER_OS_MACHINE_H
#define HANDLER_OS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* root: "" but for tests. */
bool machine_has_systemd(const char *root); /* it is the service manager that runs */
/* logind.conf(5) KillUserProcesses=, with its drop-ins: processes of a user end with the last login. */
bool machine_kills_at_logout(const char *root);
bool machine_lingers(const char *root, const char *user); /* loginctl(1) enable-linger */

/* Whether an ordinary process can make a user namespace; if not, why (a setting, or the error). */
bool machine_user_namespaces(char *why, size_t size);
int machine_landlock(void); /* the ABI's version, 0: there is none (landlock(7)) */
/* The process's own cgroup of version 2, and whether this user may make others in it; "": there is none. */
bool machine_cgroup(char *path, size_t size);

/* Whether the kernel's log, as far as it may be read (dmesg_restrict of proc_sys_kernel(5)), says that it
 * ended this process for want of memory. */
bool machine_ended_for_memory(pid_t pid);
bool machine_log_names(const char *log, pid_t pid); /* the same of a text of that log */

#endif
