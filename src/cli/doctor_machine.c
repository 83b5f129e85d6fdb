/* doctor_machine: the state directory, logout, and what sandboxes need. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/doctor.h"
#include "cli/outputs.h"
#include "client/record.h"
#include "harness/config.h"
#include "harness/strv.h"
#include "os/fd.h"
#include "os/machine.h"

enum { LOW_SPACE_MB = 256, TOOL_MS = 10000 };

/* A directory of its own, so that nothing of a session is touched. */
static bool has_sockets(const char *state)
{
	AUTO_FREE char *dir = mem_printf("%s/doctor-XXXXXX", state);
	int dirfd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int fd = dirfd < 0 ? -1 : sock_listen(dirfd, "s", NULL);

	if (fd >= 0) {
		unlinkat(dirfd, "s", 0);
		close(fd);
	}
	if (dirfd >= 0) {
		close(dirfd);
		rmdir(dir);
	}
	return fd >= 0;
}

static void check_space(struct findings *f, const char *state)
{
	struct statvfs v;

	if (statvfs(state, &v) < 0)
		return;
	unsigned long long mb = (unsigned long long)v.f_bavail * v.f_frsize >> 20;
	finding_add(f, mb < LOW_SPACE_MB ? FINDING_WARN : FINDING_OK, "space",
	    mb < LOW_SPACE_MB ? "Make room: without it histories and records end." : NULL,
	    "%llu MiB are free for records and histories", mb);
}

static void check_state(struct findings *f)
{
	struct err err = ERR_INIT;
	struct stat st;
	AUTO_FREE char *dir = sessions_dir(&err);
	AUTO_FREE char *state = path_state_dir(NULL);

	if (!dir || !state || access(dir, W_OK | X_OK) < 0) {
		finding_add(f, FINDING_BLOCK, "state directory",
		    "Make it a directory of yours, or set XDG_STATE_HOME to one.", "%s",
		    dir ? strerror(errno) : err.message);
		return;
	}
	AUTO_FREE char *pretty = path_pretty(state);
	if (stat(dir, &st) == 0 && (st.st_uid != geteuid() || st.st_mode & 077))
		finding_add(f, FINDING_WARN, "state directory", "Run: chmod 700 on it, and look who owns it.",
		    "%s can be entered by others", pretty);
	else
		finding_add(f, FINDING_OK, "state directory", NULL, "%s", pretty);
	check_space(f, state);
	if (has_sockets(state))
		finding_add(f, FINDING_OK, "sockets", NULL, "its file system has sockets");
	else
		finding_add(f, FINDING_WARN, "sockets",
		    "Sessions put theirs into /tmp/handler-UID; XDG_STATE_HOME on a local file system avoids "
		    "it.",
		    "its file system has no sockets");
}

static void check_config(struct findings *f)
{
	struct config *config = config_load();
	size_t count = config_fault_count(config);

	for (size_t i = 0; i < count; i++)
		finding_add(f, FINDING_WARN, "config.json", "Correct it: handler config edit", "%s",
		    config_fault(config, i)->message);
	AUTO_FREE char *pretty = path_pretty(config_path(config));
	if (count == 0)
		finding_add(f, FINDING_OK, "config.json", NULL, "%s%s", pretty,
		    access(config_path(config), F_OK) == 0 ? "" : " is not there: all defaults");
	config_destroy(config);
}

/* A process of a login's scope goes with it, lingering or not; one of the user manager stays with lingering.
 */
static void check_logout(struct findings *f)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *user = pw ? pw->pw_name : "";
	bool lingers = machine_lingers("", user);

	if (!machine_has_systemd("")) {
		finding_add(
		    f, FINDING_OK, "logout", NULL, "systemd does not run here: sessions outlive a logout");
		return;
	}
	finding_add(f, FINDING_INFO, "lingering", NULL, "%s for %s", lingers ? "on" : "off", user);
	if (!machine_kills_at_logout("")) {
		finding_add(
		    f, FINDING_OK, "logout", NULL, "KillUserProcesses is off: sessions outlive a logout");
		return;
	}
	static const char how[] = "start with: systemd-run --user --scope handler; or set "
				  "KillUserProcesses=no in /etc/systemd/logind.conf.";
	AUTO_FREE char *hint = lingers ? mem_printf("Either %s", how)
				       : mem_printf("Run: loginctl enable-linger %s, and %s", user, how);
	finding_add(f, FINDING_BLOCK, "logout", hint,
	    "KillUserProcesses is on: a logout ends all sessions, agents with them");
}

void doctor_machine(struct findings *f)
{
	f->section = "machine";
	check_state(f);
	check_config(f);
	check_logout(f);
}

static void check_tools(struct findings *f)
{
	static const char *const names[] = {"podman", "bwrap"};
	char *args[COUNT_OF(names)][3] = {{"podman", "--version", NULL}, {"bwrap", "--version", NULL}};
	struct output outputs[COUNT_OF(names)];
	char *paths[COUNT_OF(names)];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		paths[i] = path_find_program(names[i], getenv("PATH"), "/", NULL);
		outputs[i] = (struct output){.program = paths[i], .argv = args[i]};
	}
	outputs_collect(outputs, COUNT_OF(names), TOOL_MS);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *said = outputs[i].text.data ? outputs[i].text.data : "";

		finding_add(f, FINDING_INFO, names[i], NULL, "%.*s",
		    paths[i] && *said ? (int)strcspn(said, "\n") : 80,
		    paths[i] ? *said ? said : "it does not say its version" : "not installed");
		buf_free(&outputs[i].text);
		free(paths[i]);
	}
}

/* This version has no sandbox: none of it blocks anything. */
void doctor_sandboxes(struct findings *f)
{
	char why[128], cgroup[1024];
	int landlock = machine_landlock();

	f->section = "what a sandbox needs (this version has none)";
	if (machine_user_namespaces(why, sizeof(why)))
		finding_add(f, FINDING_OK, "user namespaces", NULL, "can be made");
	else
		finding_add(f, FINDING_INFO, "user namespaces", NULL, "cannot be made: %s", why);
	if (landlock)
		finding_add(f, FINDING_OK, "Landlock", NULL, "ABI %d", landlock);
	else
		finding_add(f, FINDING_INFO, "Landlock", NULL, "the kernel has none, or it is switched off");
	bool delegated = machine_cgroup(cgroup, sizeof(cgroup));
	if (!*cgroup)
		finding_add(f, FINDING_INFO, "cgroups", NULL, "version 2 is not mounted");
	else
		finding_add(f, delegated ? FINDING_OK : FINDING_INFO, "cgroups", NULL, "%s %s", cgroup,
		    delegated ? "is delegated: a group can be made in it" : "is not delegated to this user");
	check_tools(f);
}
