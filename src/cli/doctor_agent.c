/* doctor_agent: harnesses and agents: what is installed, what an agent could read, what blocks its features.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/doctor.h"
#include "cli/launch.h"
#include "cli/outputs.h"
#include "client/processes.h"
#include "harness/features.h"
#include "os/proc.h"

enum { VERSION_MS = 30000, RUNNING_NAMED = 3 };

extern char **environ;

/* --- versions --- */

static void judge_version(
    struct findings *f, const struct descriptor *d, const char *program, const char *said)
{
	char version[DESCRIPTOR_VERSION_SIZE];
	const char *checked = descriptor_checked(d);
	AUTO_FREE char *pretty = path_pretty(program);

	if (!said || !descriptor_read_version(d, said, version)) {
		finding_add(f, FINDING_WARN, descriptor_name(d),
		    "Run it by hand: its installation may be broken.", "%s does not say its version", pretty);
		return;
	}
	bool same = checked && strcmp(checked, version) == 0;
	finding_add(f, same ? FINDING_OK : FINDING_INFO, descriptor_name(d),
	    same ? NULL
		 : "If its state or its instructions are wrong, take the other version, or correct the "
		   "descriptor.",
	    "%s is version %s%s%s", pretty, version,
	    same ? ", as checked" : "; the descriptor was checked with ",
	    same      ? ""
	    : checked ? checked
		      : "none");
}

static void not_installed(struct findings *f, const struct descriptor *d, enum finding_level level)
{
	finding_add(
	    f, level, descriptor_name(d), descriptor_install(d), "%s is not installed", descriptor_title(d));
}

/* All at once: some take seconds for it. */
static void check_versions(
    struct findings *f, const struct descriptor *const *list, size_t count, enum finding_level missing)
{
	struct output outputs[OUTPUTS_MAX];
	char *programs[OUTPUTS_MAX], **args[OUTPUTS_MAX];

	for (size_t i = 0; i < count; i++) {
		args[i] = descriptor_version_args(list[i]);
		programs[i] = args[i]
				  ? path_find_program(descriptor_program(list[i]), getenv("PATH"), "/", NULL)
				  : NULL;
		char **argv = mem_zalloc(strv_count(args[i]) + 2, sizeof(*argv));
		argv[0] = programs[i];
		for (size_t n = 0; args[i] && args[i][n]; n++)
			argv[n + 1] = args[i][n];
		outputs[i] = (struct output){.program = programs[i], .argv = argv};
	}
	outputs_collect(outputs, count, VERSION_MS);
	for (size_t i = 0; i < count; i++) {
		if (!args[i])
			finding_add(f, FINDING_OK, descriptor_name(list[i]), NULL, "comes with this machine");
		else if (!programs[i])
			not_installed(f, list[i], missing);
		else
			judge_version(f, list[i], programs[i], outputs[i].text.data);
		buf_free(&outputs[i].text);
		free((char **)outputs[i].argv);
		free(programs[i]);
		strv_destroy(args[i]);
	}
}

/* --- all of them --- */

static void check_own_agents(struct findings *f, const struct harness_set *set, const char *self)
{
	char **names = agent_names(set, NULL, NULL);

	for (size_t i = 0; names && names[i]; i++) {
		struct launch_options o = {.agent = names[i], .self = self, .harnesses = set};
		struct err err = ERR_INIT;
		AUTO_FREE char *path = agent_path(names[i], NULL);

		if (!path || access(path, F_OK) < 0)
			continue;
		if (launch_check(&o, &err) == 0)
			finding_add(f, FINDING_OK, names[i], NULL, "can start");
		else
			finding_add(f, FINDING_BLOCK, names[i],
			    *err.hint ? err.hint : "Correct its file: handler agent edit.", "%s",
			    err.message);
	}
	strv_destroy(names);
}

static void check_descriptors(struct findings *f, const struct harness_set *set)
{
	for (size_t i = 0; i < set->fault_count; i++)
		finding_add(f, FINDING_BLOCK, "descriptor",
		    "Correct or remove the file: handler harness check FILE.", "%s",
		    set->faults[i].err.message);
}

static void list_credentials(struct findings *f, char *const *names, const char *who)
{
	AUTO_BUF list = BUF_INIT;

	for (size_t i = 0; names[i]; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
	if (list.len)
		finding_add(f, FINDING_INFO, "credentials",
		    "What it need not see can be left out: \"unset_env\" in the agent's file.",
		    "%s could read %s", who, list.data);
	else
		finding_add(f, FINDING_OK, "credentials", NULL, "none is known that %s could read", who);
}

void doctor_harnesses(struct findings *f, const struct harness_set *set, const char *self)
{
	const struct descriptor *list[OUTPUTS_MAX];
	size_t count = 0;
	struct launch_options o = {.agent = "shell", .self = self, .harnesses = set};

	for (size_t i = 0; i < set->count && count < OUTPUTS_MAX; i++) {
		if (json_get(descriptor_json(set->items[i]), "version"))
			list[count++] = set->items[i];
	}
	f->section = "harnesses";
	check_descriptors(f, set);
	check_versions(f, list, count, FINDING_INFO);
	f->section = "agents";
	check_own_agents(f, set, self);
	struct plan *p = launch_plan(&o, NULL);
	if (p)
		list_credentials(f, p->credentials, "any agent");
	plan_destroy(p);
}

/* --- one --- */

/* Of the variable that a setting of the agent's sets, the way out is the setting.  Owned. */
static char *remedy(const struct descriptor *d, const struct agent *a, const struct json *cause)
{
	const char *name = json_get_string(cause, "variable", "");
	const struct json *privacy = json_get(descriptor_json(d), "privacy");
	const struct json *reduced = json_path(privacy, "reduced.env");

	if (!*name || !json_get(json_get(json_get(privacy, a->privacy), "env"), name))
		return mem_strdup(json_get_string(cause, "do", ""));
	return mem_printf("The agent's privacy (%s) sets it: say \"privacy\": \"%s\" in %s.", a->privacy,
	    json_get(reduced, name) ? "off" : "reduced",
	    a->path ? "its file" : "an agent of your own (handler agent new)");
}

static const char *cause_name(const struct json *cause)
{
	return json_get_string(cause, "variable", "login");
}

/* The program names one reason at a time: who removes another one sees no difference. */
static void say_order(struct findings *f, const char *feature, const struct json *const *causes, size_t count)
{
	AUTO_BUF later = BUF_INIT;

	for (size_t i = 1; i < count; i++)
		buf_printf(&later, "%s%s",
		    i == 1           ? ""
		    : i + 1 == count ? " and "
				     : ", ",
		    cause_name(causes[i]));
	finding_add(f, FINDING_INFO, feature, NULL,
	    "all %zu have to go: as long as %s blocks it, removing only %s changes nothing", count,
	    cause_name(causes[0]), later.data);
}

static void check_feature(struct findings *f, const struct descriptor *d, const struct agent *a,
    const struct plan *p, const struct json *feature)
{
	const char *name = json_get_string(feature, "name", "");
	const char *remark = json_get_string(feature, "note", NULL);
	const struct json *causes[FEATURE_CAUSES_MAX];
	size_t count = feature_causes(d, feature, p->env, causes);

	f->section = name;
	for (size_t i = 0; i < count; i++) {
		AUTO_FREE char *what = remedy(d, a, causes[i]);

		finding_add(f, FINDING_BLOCK, cause_name(causes[i]), what, "%s",
		    json_get_string(causes[i], "says", ""));
	}
	if (count > 1)
		say_order(f, name, causes, count);
	if (count && remark)
		finding_add(f, FINDING_INFO, name, NULL, "%s", remark);
	if (count == 0)
		finding_add(f, FINDING_OK, name, NULL, "nothing known blocks it");
}

static void check_privacy(struct findings *f, const struct descriptor *d, const struct agent *a)
{
	const struct json *privacy = json_get(descriptor_json(d), "privacy"),
			  *level = json_get(privacy, a->privacy);
	const char *remark = json_get_string(privacy, "note", NULL);
	AUTO_BUF what = BUF_INIT;

	for (const struct json *n = json_first(json_get(level, "env")); n; n = json_next(n))
		buf_printf(&what, " %s=%s", json_key(n), json_string(n, ""));
	for (const struct json *n = json_first(json_get(level, "args")); n; n = json_next(n))
		buf_printf(&what, " %s", json_string(n, ""));
	if (!privacy)
		return;
	if (!level)
		finding_add(f, FINDING_WARN, "usage data", "Switch it off in the program's own settings.",
		    "%s",
		    strcmp(a->privacy, "off") == 0 ? "the agent's privacy is off: it may be sent"
		    : remark                       ? remark
						   : "nothing is known that switches it off");
	else
		finding_add(f, FINDING_OK, "usage data", NULL, "privacy %s:%s%s%s", a->privacy,
		    what.len ? what.data : " nothing to set", remark ? "; " : "", remark ? remark : "");
}

static void check_login(struct findings *f, const struct descriptor *d, const struct plan *p)
{
	const struct json *login = json_get(descriptor_json(d), "login");
	AUTO_FREE char *file = login_file(d, p->env, false);
	AUTO_FREE char *pretty = file ? path_pretty(file) : NULL;
	AUTO_BUF found = BUF_INIT;

	if (pretty)
		buf_adds(&found, pretty);
	for (const struct json *n = json_first(json_get(login, "variables")); n; n = json_next(n)) {
		for (size_t i = 0; p->credentials[i]; i++)
			if (strcmp(p->credentials[i], json_get_string(n, "name", "")) == 0)
				buf_printf(&found, "%s%s", found.len ? ", " : "", p->credentials[i]);
	}
	if (found.len)
		finding_add(f, FINDING_OK, "login", NULL, "%s", found.data);
	else if (login)
		finding_add(
		    f, FINDING_WARN, "login", "The program asks for one when it starts.", "none is found");
}

static void check_parts(
    struct findings *f, const struct descriptor *d, const struct agent *a, const struct plan *p)
{
	const struct json *root = descriptor_json(d);

	check_login(f, d, p);
	list_credentials(f, p->credentials, "it");
	check_privacy(f, d, a);
	if (a->instructions)
		finding_add(f, FINDING_OK, "instructions", NULL, "reach %s",
		    instructions_channel_phrase(descriptor_channel(d, false)));
	for (const struct json *n = json_first(json_get(root, "notes")); n; n = json_next(n))
		finding_add(f, FINDING_INFO, "note", NULL, "%s", json_string(n, ""));
	for (const struct json *n = json_first(json_get(root, "features")); n; n = json_next(n))
		check_feature(f, d, a, p, n);
}

/* --- sessions --- */

/* The agents' configuration directories are their own, or one. */
static bool shares_login(const struct record *r, const struct descriptor *d, const struct harness_set *set)
{
	struct agent *a = agent_load(r->agent, set, NULL);
	bool shares = r->live && !state_ended(r->state) && a && strcmp(r->harness, descriptor_name(d)) == 0 &&
		      strcmp(a->config_dir, "own") != 0;

	agent_destroy(a);
	return shares;
}

static void check_shared_login(struct findings *f, const struct record_list *list, const struct descriptor *d,
    const struct harness_set *set)
{
	AUTO_FREE char *file = login_file(d, environ, true);
	AUTO_BUF names = BUF_INIT;
	int count = 0;

	for (size_t i = 0; file && i < list->count; i++) {
		if (shares_login(&list->items[i], d, set))
			buf_printf(&names, "%s%s", count++ ? ", " : "", list->items[i].name);
	}
	if (count < 2)
		return;
	AUTO_FREE char *pretty = path_pretty(file);
	finding_add(f, FINDING_WARN, "login",
	    "Give agents a login each: \"config_dir\": \"own\" in the file of all but one.",
	    "%d sessions of %s use the login %s at the same time (%s): a refreshed token logs the others out",
	    count, descriptor_title(d), pretty, names.data);
}

/* Keeper and worker are gone, processes of the session are not. */
static void check_left_running(struct findings *f, const struct record *r, const char *boot)
{
	struct proc_list found = {0};
	AUTO_BUF names = BUF_INIT;

	if (r->state != STATE_LOST || strcmp(boot, r->boot_id) != 0)
		return;
	processes_left(r->id, r->leader, r->leader_start, &found);
	for (size_t i = 0; i < found.count && i < RUNNING_NAMED; i++)
		buf_printf(&names, "%s%d %s", i ? ", " : "", (int)found.items[i].pid, found.items[i].name);
	if (found.count > RUNNING_NAMED)
		buf_adds(&names, ", ...");
	AUTO_FREE char *hint =
	    mem_printf("End them: handler stop %s.  Or go on: handler resume %s.", r->name, r->name);
	if (found.count)
		finding_add(f, FINDING_WARN, r->name, hint,
		    "lost (%s), and %zu process%s of it still run%s: %s", r->reason, found.count,
		    found.count == 1 ? "" : "es", found.count == 1 ? "s" : "", names.data);
	proc_list_finish(&found);
}

void doctor_sessions(struct findings *f, const struct harness_set *set)
{
	struct record_list list;
	struct err err = ERR_INIT;
	char boot[40];
	size_t live = 0, before;

	f->section = "sessions";
	proc_boot_id(boot);
	if (record_list_load(&list, &err) < 0) {
		finding_add(f, FINDING_BLOCK, "records", *err.hint ? err.hint : NULL, "%s", err.message);
		return;
	}
	before = f->count;
	for (size_t i = 0; i < list.count; i++) {
		live += list.items[i].live;
		check_left_running(f, &list.items[i], boot);
		if (list.items[i].fault && list.items[i].live)
			finding_add(f, FINDING_WARN, list.items[i].name,
			    "End the other program, or start the session again.", "%s", list.items[i].fault);
	}
	for (size_t i = 0; i < set->count; i++)
		check_shared_login(f, &list, set->items[i], set);
	if (list.faulty)
		finding_add(f, FINDING_WARN, "records", "Look into the state directory's folder sessions.",
		    "%zu cannot be read", list.faulty);
	if (f->count == before)
		finding_add(f, FINDING_OK, "sessions", NULL, "%zu run, and nothing is left of others", live);
	record_list_finish(&list);
}

int doctor_agent(
    struct findings *f, const struct harness_set *set, const char *name, const char *self, struct err *err)
{
	struct launch_options o = {.agent = name, .self = self, .harnesses = set};
	struct err why = ERR_INIT;
	struct agent *a = agent_load(name, set, &why);
	const struct descriptor *d = a ? harness_set_find(set, a->harness, &why) : NULL;
	struct record_list list;

	if (!d && why.code == ERR_NO_AGENT) {
		*err = why;
		agent_destroy(a);
		return -1;
	}
	f->section = "agent";
	struct plan *p = d ? launch_plan(&o, &why) : NULL;
	if (p)
		finding_add(f, FINDING_OK, name, NULL, "%s, %s: can start", descriptor_title(d),
		    a->path ? "a file of yours" : "built in");
	else
		finding_add(f, FINDING_BLOCK, name,
		    *why.hint ? why.hint : "Correct its file: handler agent edit.", "%s", why.message);
	if (d && descriptor_checked(d))
		check_versions(f, &d, 1, FINDING_BLOCK);
	if (d && record_list_load(&list, NULL) == 0) {
		check_shared_login(f, &list, d, set);
		record_list_finish(&list);
	}
	if (p)
		check_parts(f, d, a, p);
	plan_destroy(p);
	agent_destroy(a);
	return 0;
}
