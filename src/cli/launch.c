/* launch: see launch.h. */
#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/ports.h"
#include "client/last_screen.h"
#include "client/tidy.h"
#include "harness/config.h"
#include "os/fd.h"
#include "os/holder.h"
#include "session/start.h"

enum { DEFAULT_ROWS = 40, DEFAULT_COLS = 120, NOTICES_MAX = 1 << 20, DAY_SECONDS = 86400 };

extern char **environ;

/* Everything a plan is made of. */
struct parts {
	struct harness_set own; /* empty if the caller's are used */
	const struct harness_set *set;
	struct agent *agent;
	const struct descriptor *descriptor;
	char *dir;
};

static void parts_finish(struct parts *p)
{
	agent_destroy(p->agent);
	if (p->set == &p->own)
		harness_set_finish(&p->own);
	free(p->dir);
}

static int find_dir(struct parts *p, const char *dir, struct err *err)
{
	AUTO_FREE char *absolute = path_absolute(dir ? dir : ".", err);
	if (!absolute)
		return -1;
	p->dir = path_real(absolute, NULL);
	if (p->dir && path_is_dir(p->dir))
		return 0;
	err_set(err, ERR_START, "there is no directory %s", absolute);
	return err_hint(err, "Make it, or name another one with -C DIR.");
}

static int parts_load(struct parts *p, const struct launch_options *o, struct err *err)
{
	*p = (struct parts){.set = o->harnesses};
	if (!p->set) {
		AUTO_FREE char *name = mem_strdup(o->agent);
		if (agent_load_harnesses(&p->own, &name, 1, err) < 0)
			return -1;
		p->set = &p->own;
	}
	p->agent = agent_load(o->agent, p->set, err);
	p->descriptor = p->agent ? harness_set_find(p->set, p->agent->harness, err) : NULL;
	return p->descriptor ? find_dir(p, o->dir, err) : -1;
}

/* ports: NULL for a plan that is only looked at. */
static struct plan *make(const struct parts *p, const struct launch_options *o, const char *id,
    const char *path, const struct json *resume, const struct leased_ports *ports, struct err *err)
{
	struct plan_options options = {.session_id = id,
	    .session_dir = path,
	    .dir = p->dir,
	    .prompt = o->prompt,
	    .extra_args = o->extra_args,
	    .extra_env = o->extra_env,
	    .environ = environ,
	    .self = o->self,
	    .resume = resume,
	    .resume_only = o->resume_only,

	    .ports = ports ? ports->ports : NULL,
	    .port_count = ports ? ports->count : 0,
	    .note = ports ? ports->note : NULL};
	return plan_make(p->descriptor, p->agent, &options, err);
}

/* The plan of a session that does not exist: what would be refused is refused. */
static struct plan *make_trial(const struct parts *p, const struct launch_options *o, struct err *err)
{
	AUTO_FREE char *state = path_state_dir(err);
	AUTO_FREE char *path = state ? path_join(state, "sessions/aaaaaa") : NULL;
	return path ? make(p, o, "aaaaaa", path, NULL, NULL, err) : NULL;
}

struct plan *launch_plan(const struct launch_options *o, struct err *err)
{
	struct parts p;
	struct plan *plan = parts_load(&p, o, err) == 0 ? make_trial(&p, o, err) : NULL;
	parts_finish(&p);
	return plan;
}

int launch_check(const struct launch_options *o, struct err *err)
{
	struct plan *plan = launch_plan(o, err);
	int result = plan ? 0 : -1;
	plan_destroy(plan);
	return result;
}

/* How long a stop of the session waits before it uses force: the configuration's, where the harness says
 * nothing. */
static void set_grace(struct plan *plan)
{
	struct config *config = config_load();
	if (!json_get(plan->settings, "grace"))
		json_set_number(plan->settings, "grace", json_number(config_node(config, "grace"), 5));
	config_destroy(config);
}

static int begin_in(const struct record *reserved, struct plan *plan, const struct launch_options *o,
    const struct leased_ports *ports, struct session_starting *out, struct err *err)
{
	struct start_options start = {.rows = o->rows ? o->rows : DEFAULT_ROWS,
	    .cols = o->cols ? o->cols : DEFAULT_COLS,
	    .xpixel = o->xpixel,
	    .ypixel = o->ypixel,
	    .parent = getenv("HANDLER_SESSION"),
	    .extra_args = o->extra_args,
	    .extra_env = o->extra_env,
	    .leases = ports->leases,
	    .lease_count = ports->count};
	if (start.parent && !*start.parent)
		start.parent = NULL;
	set_grace(plan);
	return session_begin(reserved, plan, &start, out, err);
}

static int start_in(const struct record *reserved, struct plan *plan, const struct launch_options *o,
    const struct leased_ports *ports, struct err *err)
{
	struct session_starting s;
	return begin_in(reserved, plan, o, ports, &s, err) < 0 ? -1 : session_await(reserved, &s, err);
}

/* --- a start in steps --- */

struct launching {
	struct launch_options o;
	struct parts parts;
	struct record reserved; /* path NULL: nothing exists yet */
	struct plan *plan;
	struct session_starting start;
};

struct launching *launching_create(const struct launch_options *o, struct err *err)
{
	struct launching *l = mem_zalloc(1, sizeof *l);
	l->o = *o;
	struct plan *trial = parts_load(&l->parts, o, err) == 0 ? make_trial(&l->parts, o, err) : NULL;
	if (!trial) {
		launching_destroy(l);
		return NULL;
	}
	plan_destroy(trial);
	return l;
}

static void give_up(struct launching *l)
{
	record_remove(l->reserved.path, NULL);
	record_finish(&l->reserved);
}

int launching_begin(struct launching *l, int rows, int cols, struct err *err)
{
	struct leased_ports ports;
	const struct parts *p = &l->parts;
	l->o.rows = rows;
	l->o.cols = cols;
	if (record_reserve(&l->reserved, l->o.name, p->dir, p->agent->name, err) < 0)
		return -1;
	int result = leased_ports_take(&ports, p->agent, NULL, err);
	if (result == 0)
		l->plan = make(p, &l->o, l->reserved.id, l->reserved.path, NULL, &ports, err);
	result = l->plan ? begin_in(&l->reserved, l->plan, &l->o, &ports, &l->start, err) : -1;
	leased_ports_finish(&ports);
	if (result < 0)
		give_up(l);
	return result;
}

int launching_await(struct launching *l, struct err *err)
{
	if (session_await(&l->reserved, &l->start, err) == 0)
		return 0;
	give_up(l);
	return -1;
}

const struct record *launching_record(const struct launching *l)
{
	return &l->reserved;
}

const struct plan *launching_plan(const struct launching *l)
{
	return l->plan;
}

void launching_destroy(struct launching *l)
{
	if (!l)
		return;
	plan_destroy(l->plan);
	record_finish(&l->reserved);
	parts_finish(&l->parts);
	free(l);
}

int launch(const struct launch_options *o, struct record *r, struct err *err)
{
	struct launching *l = launching_create(o, err);
	int result = l ? launching_begin(l, o->rows, o->cols, err) : -1;
	if (result == 0)
		result = launching_await(l, err);
	if (result == 0)
		result = record_load(l->reserved.path, r, err);
	launching_destroy(l);
	return result;
}

void launch_tidy(void)
{
	struct config *config = config_load();
	int64_t days = config_int(config, "keep_ended");
	if (days > 0)
		tidy_old(days * DAY_SECONDS);
	tidy_limit((uint64_t)config_int(config, "state_limit") << 20);
	config_destroy(config);
}

static char **string_list(const struct json *array)
{
	char **out = mem_zalloc((size_t)json_count(array) + 1, sizeof *out);
	size_t n = 0;
	for (const struct json *e = json_first(array); e; e = json_next(e))
		out[n++] = (char *)json_string(e, "");
	return out;
}

/* Names of variables that were given by --env at the first start: their values are in no record. */
static int check_env_names(const struct record *old, struct err *err)
{
	for (const struct json *e = json_first(json_get(old->session, "env_names")); e; e = json_next(e)) {
		const char *name = json_string(e, "");
		if (!getenv(name)) {
			err_set(err, ERR_FAILED,
			    "session %s was started with --env %s, and values are not kept in records",
			    old->name, name);
			return err_hint(
			    err, "Set it and try again: %s=... handler resume %s", name, old->name);
		}
	}
	return 0;
}

static char **env_again(const struct record *old)
{
	const struct json *names = json_get(old->session, "env_names");
	char **out = mem_zalloc((size_t)json_count(names) + 1, sizeof *out);
	size_t n = 0;
	for (const struct json *e = json_first(names); e; e = json_next(e))
		out[n++] = mem_printf("%s=%s", json_string(e, ""), getenv(json_string(e, "")));
	return out;
}

/* The files of the last run, out of the way of the next one until that is known to run. */
static const char *const run_files[] = {RECORD_STATE_FILE, RECORD_SCREEN_FILE};

static void rename_run_files(const struct record *old, const char *from_suffix, const char *to_suffix)
{
	for (size_t i = 0; i < COUNT_OF(run_files); i++) {
		AUTO_FREE char *from = mem_printf("%s/%s%s", old->path, run_files[i], from_suffix);
		AUTO_FREE char *to = mem_printf("%s/%s%s", old->path, run_files[i], to_suffix);
		rename(from, to);
	}
}

static void forget_run_files(const struct record *old)
{
	for (size_t i = 0; i < COUNT_OF(run_files); i++) {
		AUTO_FREE char *file = mem_printf("%s/%s.old", old->path, run_files[i]);
		unlink(file);
	}
}

static uint64_t history_limit(void)
{
	struct config *config = config_load();
	uint64_t limit = (uint64_t)config_int(config, "history_lines");
	config_destroy(config);
	return limit;
}

/* What the last run showed is history now.  If the new one does not start, everything is as it was. */
static int replace_run(const struct record *old, struct plan *plan, const struct launch_options *o,
    const struct leased_ports *ports, struct err *err)
{
	uint64_t limit = history_limit(), end;
	bool moved = last_screen_to_history(old->path, limit, &end, NULL) == 0;
	rename_run_files(old, "", ".old");
	if (start_in(old, plan, o, ports, err) == 0) {
		forget_run_files(old);
		return 0;
	}
	rename_run_files(old, ".old", "");
	record_write_session(old->path, old->session, NULL);
	if (moved)
		last_screen_take_back(old->path, limit, end);
	return -1;
}

static const struct {
	const char *name, *text;
} ways[] = {
    [LAUNCH_ATTACHED] = {"attached", "it is running: attach to it"},
    [LAUNCH_CONTINUED] = {"continued", "it was suspended and goes on"},
    [LAUNCH_CONVERSATION] = {"conversation", "its conversation was resumed by the harness itself"},
    [LAUNCH_FRESH] = {"fresh", "it was started afresh in the same directory"},
};

const char *launch_way(enum launch_way way)
{
	return ways[way].text;
}

const char *launch_way_name(enum launch_way way)
{
	return ways[way].name;
}

/* Two programs that write one conversation would spoil it. */
static int check_not_open(const struct record *old, const struct plan *plan, struct err *err)
{
	struct proc_info p;
	if (!plan->resumed || !holder_find(plan->conversation, NULL, NULL, &p))
		return 0;
	err_set(err, ERR_CONVERSATION_OPEN, "the conversation of session %s is open in process %d (%s)",
	    old->name, (int)p.pid, p.name);
	return err_hint(err, "End that one first.");
}

static int start_again(const struct record *old, const struct parts *p, const struct launch_options *o,
    enum launch_way *way, struct err *err)
{
	struct leased_ports ports;
	if (leased_ports_take(&ports, p->agent, json_get(old->session, "settings"), err) < 0)
		return -1;
	struct plan *plan = make(p, o, old->id, old->path, old->session, &ports, err);
	int result =
	    plan && check_not_open(old, plan, err) == 0 ? replace_run(old, plan, o, &ports, err) : -1;
	if (result == 0)
		*way = plan->resumed ? LAUNCH_CONVERSATION : LAUNCH_FRESH;
	leased_ports_finish(&ports);
	plan_destroy(plan);
	return result;
}

/* Two at once would start it twice. */
static int lock_start(const struct record *old, struct err *err)
{
	int dirfd = open(old->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int lock = dirfd < 0 ? -1 : lock_take(dirfd, "start.lock", true);
	int saved = errno;
	if (dirfd >= 0)
		close(dirfd);
	if (lock < 0)
		return err_sys(err, saved, "cannot lock %s", old->path);
	if (!record_still_live(old))
		return lock;
	close(lock);
	return err_set(err, ERR_LIVE, "session %s runs again already", old->name);
}

int launch_again(
    const struct record *old, const struct again_options *again, enum launch_way *way, struct err *err)
{
	struct parts p;
	if (check_env_names(old, err) < 0)
		return -1;
	int lock = lock_start(old, err);
	if (lock < 0)
		return -1;
	char **args = string_list(json_get(old->session, "args")), **env = env_again(old);
	struct launch_options o = {.agent = old->agent,
	    .dir = old->dir,
	    .self = again->self,
	    .resume_only = again->resume_only,
	    .extra_args = args,
	    .extra_env = env,
	    .rows = again->rows ? again->rows : old->rows,
	    .cols = again->cols ? again->cols : old->cols};
	int result = parts_load(&p, &o, err) == 0 ? start_again(old, &p, &o, way, err) : -1;
	close(lock);
	parts_finish(&p);
	strv_destroy(env);
	free(args);
	return result;
}

/* --- the notice that there is no isolation --- */

static bool holds(const struct json *array, const char *s)
{
	for (const struct json *e = json_first(array); e; e = json_next(e))
		if (!strcmp(json_string(e, ""), s))
			return true;
	return false;
}

bool launch_notice_due(const char *agent, char *const *credentials)
{
	AUTO_FREE char *state = path_state_dir(NULL);
	AUTO_FREE char *path = state ? path_join(state, "notices.json") : NULL;
	struct json *root = path ? json_parse_file(path, NULL) : NULL;
	if (!root || json_type(root) != JSON_OBJECT) {
		json_free(root);
		root = json_new_object();
	}
	const struct json *told = json_get(root, agent);
	bool due = !told;
	struct json *list = told ? json_copy(told) : json_new_array();
	for (char *const *c = credentials; c && *c; c++) {
		if (!holds(list, *c)) {
			due = true;
			json_append_string(list, *c);
		}
	}
	json_set(root, agent, list);
	AUTO_FREE char *text = json_print(root, true);
	if (due && path)
		path_write_file(path, text, strlen(text), 0600, NULL);
	json_free(root);
	return due;
}

void launch_say_notes(const struct record *r)
{
	const struct json *credentials = json_get(r->session, "credentials");
	char **names = string_list(credentials);
	bool due = launch_notice_due(r->agent, names);
	free(names);
	for (char **note = r->notes; note && *note; note++)
		if (due || strncmp(*note, "no sandbox", 10) != 0)
			print_note("%s", *note);
}
