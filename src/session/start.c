/* start: see start.h. */
#include "session/start.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/fd.h"
#include "sandbox/sandbox.h"
#include "session/keeper.h"

/* A link of an earlier run is replaced. */
static int link_ssh_agent(const struct plan *p, const char *session_dir, struct err *err)
{
	AUTO_FREE char *link = path_join(session_dir, PLAN_SSH_AGENT);

	unlink(link);
	if (p->ssh_agent && symlink(p->ssh_agent, link) < 0)
		return err_sys(err, errno, "cannot make the link %s", link);
	return 0;
}

int start_write_files(const struct plan *p, const char *session_dir, struct err *err)
{
	for (char **dir = p->dirs; dir && *dir; dir++)
		if (path_make_dirs(*dir, 0700, err) < 0)
			return -1;
	for (size_t i = 0; i < p->file_count; i++) {
		const struct plan_file *f = &p->files[i];
		AUTO_FREE char *dir = mem_strndup(f->path, (size_t)(path_base(f->path) - f->path));
		if (path_make_dirs(dir, 0700, err) < 0 ||
		    path_write_file(f->path, f->data, f->len, f->mode, err) < 0)
			return -1;
	}
	return link_ssh_agent(p, session_dir, err);
}

static void set_strings(struct json *object, const char *key, char *const *list, bool names_only)
{
	struct json *array = json_set(object, key, json_new_array());
	for (; list && *list; list++) {
		AUTO_FREE char *s = names_only ? mem_strndup(*list, strcspn(*list, "=")) : mem_strdup(*list);
		json_append_string(array, s);
	}
}

/* Names of variables only: no value of the environment is ever written down. */
static struct json *make_identity(const struct record *r, const struct plan *p, const struct start_options *o)
{
	char created[32];
	struct json *j = json_new_object();
	json_set_number(j, "version", 1);
	json_set_string(j, "program_version", HANDLER_VERSION);
	json_set_string(j, "id", r->id);
	json_set_number(j, "number", r->number);
	json_set_string(j, "name", r->name);
	json_set_string(j, "agent", p->agent);
	json_set_string(j, "harness", p->harness);
	json_set_string(j, "harness_title", p->harness_title);
	json_set_string(j, "dir", p->dir);
	json_set_string(j, "program", p->program);
	json_set_string(j, "parent", o->parent);
	clock_rfc3339(clock_now(), created);
	json_set_string(j, "created", created);
	json_set_string(j, "sandbox", p->sandbox);
	json_set_string(j, "conversation", p->conversation);
	json_set_string(j, "instructions_hash", p->instructions_hash);
	json_set_number(j, "may", p->may);
	set_strings(j, "notes", p->notes, false);
	set_strings(j, "credentials", p->credentials, false);
	set_strings(j, "args", o->extra_args, false);
	set_strings(j, "env_names", o->extra_env, true);
	/* What the worker goes by. */
	json_set(j, "settings", p->settings ? json_copy(p->settings) : json_new_object());
	json_set(j, "status", p->status_rules ? json_copy(p->status_rules) : json_new_object());
	json_set_bool(j, "prompted", p->prompt_way != PROMPT_NONE);
	if (p->prompt_way == PROMPT_TYPED)
		json_set_string(j, "first_prompt", p->prompt);
	return j;
}

/* Two forks, so that the keeper's parent is never the terminal and nobody has to wait for it. */
static int fork_keeper(const struct record *r, const struct plan *p, const struct json *identity,
    const struct start_options *o, struct session_starting *out, struct err *err)
{
	int report[2];
	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot start session %s", r->name);
	fflush(NULL);
	pid_t between = fork();
	if (between < 0) {
		close(report[0]);
		close(report[1]);
		return err_sys(err, errno, "cannot start session %s", r->name);
	}
	if (between == 0) {
		struct keeper_options k = {.id = r->id,
		    .path = r->path,
		    .identity = identity,
		    .plan = p,
		    .rows = o->rows,
		    .cols = o->cols,
		    .xpixel = o->xpixel,
		    .ypixel = o->ypixel,
		    .leases = o->leases,
		    .lease_count = o->lease_count,
		    .report = report[1]};
		pid_t pid = fork();
		if (pid == 0)
			keeper_run(&k);
		_exit(pid < 0);
	}
	close(report[1]);
	sched_yield(); /* what the caller does meanwhile is not what the session waits for */
	*out = (struct session_starting){.between = between, .report = report[0]};
	return 0;
}

int session_begin(const struct record *r, struct plan *plan, const struct start_options *o,
    struct session_starting *out, struct err *err)
{
	if (sandbox_prepare(plan, err) < 0 || start_write_files(plan, r->path, err) < 0)
		return -1;
	struct json *j = make_identity(r, plan, o);
	int result = fork_keeper(r, plan, j, o, out, err);
	json_free(j);
	return result;
}

int session_await(const struct record *r, struct session_starting *s, struct err *err)
{
	struct err result = ERR_INIT;
	ssize_t n = fd_read_full(s->report, &result, sizeof result);
	close(s->report);
	while (waitpid(s->between, NULL, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof result)
		return err_set(
		    err, ERR_START, "session %s could not be started: its keeper ended at once", r->name);
	if (result.code == ERR_NONE)
		return 0;
	if (err)
		*err = result;
	return -1;
}

int session_start(const struct record *r, struct plan *plan, const struct start_options *o, struct err *err)
{
	struct session_starting s;
	return session_begin(r, plan, o, &s, err) < 0 ? -1 : session_await(r, &s, err);
}
