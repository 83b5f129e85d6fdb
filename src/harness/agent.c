/*
 * agent: a user's named configuration.  Knows agent files; not how a harness is started with them.
 */
#include "harness/agent.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "harness/agent_settings.h"
#include "harness/environment.h"
#include "harness/ports.h"

enum { AGENT_FILE_MAX = 8 << 20, AGENT_NAME_MAX = 64 };

static const struct json_field agent_fields[] = {
    {.key = "harness", .types = "s", .required = true},
    {.key = "description", .types = "s"},
    {.key = "instructions", .types = "sS"},
    {.key = "instructions_file", .types = "s"},
    {.key = "model", .types = "s"},
    {.key = "args", .types = "S"},
    {.key = "env", .types = "o"},
    {.key = "unset_env", .types = "S"},
    {.key = "sandbox", .types = "s", .choices = "none|local|bwrap|podman"},
    {.key = "network", .types = "so"},
    {.key = "secrets", .types = "ao"},
    {.key = "privacy", .types = "s", .choices = "full|reduced|off"},
    {.key = "config_dir", .types = "s", .choices = "shared|own"},
    {.key = "screen", .types = "s", .choices = "harness|inline|full"},
    {.key = "resume", .types = "s", .choices = "auto|conversation|fresh"},
    {.key = "on_exit", .types = "s", .choices = "stop|keep"},
    {.key = "grace", .types = "n", .min = 0, .max = AGENT_GRACE_MAX},
    {.key = "journal", .types = "b"},
    {.key = "forward_agent", .types = "b"},
    {.key = "may", .types = "S"},
    {.key = NULL},
};

static const struct json_field env_fields[] = {{.key = "*", .types = "s"}, {.key = NULL}};

/* What an agent may ask for and this version cannot enforce.  It is refused, never started without. */
static const char *const missing_policies[] = {"network", "secrets"};

static const struct {
	const char *name;
	unsigned bit;
} permissions[] = {
    {"send", AGENT_MAY_SEND},
    {"stop", AGENT_MAY_STOP},
    {"new", AGENT_MAY_NEW},
};

static bool is_name(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len > AGENT_NAME_MAX || name[0] == '.' || name[0] == '-')
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			strchr("._-", c)))
			return false;
	}
	return true;
}

static char *agents_dir(struct err *err)
{
	AUTO_FREE char *config = path_config_dir(err);

	return config ? path_join(config, "agents") : NULL;
}

char *agent_path(const char *name, struct err *err)
{
	AUTO_FREE char *dir = agents_dir(err);

	if (!dir)
		return NULL;
	if (!is_name(name)) {
		err_set(err, ERR_NO_AGENT,
		    "\"%s\" cannot be the name of an agent: at most %d letters, digits, '.', '_' and '-'.",
		    name, AGENT_NAME_MAX);
		return NULL;
	}
	AUTO_FREE char *file = mem_printf("%s.json", name);
	return path_join(dir, file);
}

/* Reading one file */

struct reading {
	struct agent *agent;
	const char *shown; /* the file's name in messages */
	const struct json *root;
	struct err *err;
};

static int bad_instructions(struct err *err, const char *where, const char *what, size_t offset)
{
	err_set(
	    err, ERR_INSTRUCTIONS_INVALID, "%s: the instructions have %s at byte %zu.", where, what, offset);
	return err_hint(err, "Instructions are text in UTF-8.");
}

/* Takes text. */
static int take_instructions(struct reading *r, char *text, size_t len, const char *where)
{
	const char *nul = memchr(text, '\0', len);
	size_t offset;

	r->agent->instructions = text;
	r->agent->instructions_len = len;
	if (nul)
		return bad_instructions(r->err, where, "a NUL", (size_t)(nul - text));
	if (!utf8_valid(text, len, &offset))
		return bad_instructions(r->err, where, "a byte that is not UTF-8", offset);
	if (len > 0)
		return 0;
	free(text);
	r->agent->instructions = NULL;
	return 0;
}

static char *join_lines(const struct json *array)
{
	struct buf text = BUF_INIT;

	for (const struct json *line = json_first(array); line; line = json_next(line)) {
		if (line != json_first(array))
			buf_addc(&text, '\n');
		buf_adds(&text, json_string(line, ""));
	}
	return buf_steal(&text);
}

static int read_instructions_file(struct reading *r, const char *path)
{
	AUTO_FREE char *shown = path_pretty(path);
	char *text;
	size_t len;

	if (path_read_file(path, AGENT_INSTRUCTIONS_MAX, &text, &len, r->err) < 0)
		return err_prefix(r->err, "The instructions of the agent \"%s\"", r->agent->name);
	r->agent->instructions_path = mem_strdup(path);
	return take_instructions(r, text, len, shown);
}

/* "~/..." and absolute paths as they are, others beside the agent's file. */
static char *beside(const char *agent_file, const char *path, struct err *err)
{
	if (path[0] == '~')
		return path_absolute(path, err);
	AUTO_FREE char *dir = mem_strndup(agent_file, (size_t)(path_base(agent_file) - agent_file));
	return path_join(dir, path);
}

static int read_instructions(struct reading *r)
{
	const struct json *text = json_get(r->root, "instructions");
	const struct json *file = json_get(r->root, "instructions_file");
	AUTO_FREE char *path = NULL;

	if (text && file)
		return json_error(r->root, file, r->shown, r->err,
		    "\"instructions\" and \"instructions_file\" exclude each other");
	if (text) {
		char *s =
		    json_type(text) == JSON_ARRAY ? join_lines(text) : mem_strdup(json_string(text, ""));
		return take_instructions(r, s, strlen(s), r->shown);
	}
	if (file) {
		path = beside(r->agent->path, json_string(file, ""), r->err);
		return path ? read_instructions_file(r, path) : -1;
	}
	path = mem_printf("%.*s.md", (int)(strlen(r->agent->path) - strlen(".json")), r->agent->path);
	return access(path, F_OK) == 0 ? read_instructions_file(r, path) : 0;
}

static int read_env(struct reading *r)
{
	const struct json *object = json_get(r->root, "env");
	struct strv env = STRV_INIT;

	if (object && json_check(r->root, object, r->shown, env_fields, r->err) < 0)
		return -1;
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		AUTO_FREE char *assignment = mem_printf("%s=%s", json_key(n), json_string(n, ""));

		if (!environment_is_assignment(assignment) || environment_is_ours(json_key(n))) {
			strv_finish(&env);
			return json_error(r->root, n, r->shown, r->err,
			    "\"%s\" is no variable that can be set", json_key(n));
		}
		strv_add(&env, assignment);
	}
	r->agent->env = strv_steal(&env);
	return 0;
}

static int read_may(struct reading *r)
{
	const struct json *array = json_get(r->root, "may");

	for (const struct json *n = json_first(array); n; n = json_next(n)) {
		unsigned bit = 0;

		for (size_t i = 0; i < COUNT_OF(permissions); i++) {
			if (strcmp(permissions[i].name, json_string(n, "")) == 0)
				bit = permissions[i].bit;
		}
		if (bit == 0)
			return json_error(r->root, n, r->shown, r->err,
			    "\"may\" holds \"%s\"; there are \"send\", \"stop\" and \"new\"",
			    json_string(n, ""));
		r->agent->may |= bit;
	}
	return 0;
}

static int read_unset_env(struct reading *r)
{
	const struct json *array = json_get(r->root, "unset_env");

	for (const struct json *n = json_first(array); n; n = json_next(n)) {
		const char *name = json_string(n, "");

		if (!environment_is_pattern(name))
			return json_error(r->root, n, r->shown, r->err,
			    "\"unset_env\" holds \"%s\": it takes names of variables, with a * only at the "
			    "end",
			    name);
		if (environment_is_ours(name))
			return json_error(
			    r->root, n, r->shown, r->err, "\"%s\" is set for every session", name);
	}
	r->agent->unset_env = strv_from_json(array);
	return 0;
}

static int check_port_names(struct reading *r, const struct json *texts)
{
	char name[64];

	for (const struct json *n = json_first(texts); n; n = json_next(n)) {
		if (!ports_check(json_string(n, ""), name))
			return json_error(r->root, n, r->shown, r->err,
			    "\"%s\" is no name of a port: it has 1 to %d of a-z, 0-9, - and _", name,
			    (int)PORT_NAME_MAX);
	}
	return 0;
}

static int read_args(struct reading *r)
{
	const struct json *args = json_get(r->root, "args");
	struct plan_port ports[PORTS_MAX + 1];

	r->agent->args = strv_from_json(args);
	if (check_port_names(r, args) < 0 || check_port_names(r, json_get(r->root, "env")) < 0)
		return -1;
	if (ports_of_agent(r->agent, ports) > PORTS_MAX)
		return json_error(r->root, args ? args : json_get(r->root, "env"), r->shown, r->err,
		    "a session has at most %d ports", (int)PORTS_MAX);
	return 0;
}

static int refuse_policy(const struct reading *r, const char *what)
{
	err_set(r->err, ERR_POLICY_UNSUPPORTED,
	    "%s: the agent \"%s\" asks for %s, which this version of handler cannot enforce.", r->shown,
	    r->agent->name, what);
	return err_hint(
	    r->err, "It is not started without it.  Remove it from the file to start it with no isolation.");
}

static int read_policies(struct reading *r)
{
	const char *sandbox = json_get_string(r->root, "sandbox", "none");

	if (strcmp(sandbox, "none") != 0 && strcmp(sandbox, "local") != 0) {
		AUTO_FREE char *what = mem_printf("the sandbox \"%s\"", sandbox);
		return refuse_policy(r, what);
	}
	for (size_t i = 0; i < COUNT_OF(missing_policies); i++) {
		AUTO_FREE char *what = mem_printf("a policy \"%s\"", missing_policies[i]);

		if (json_get(r->root, missing_policies[i]))
			return refuse_policy(r, what);
	}
	r->agent->sandbox = mem_strdup("none");
	return 0;
}

static int read_harness(struct reading *r, const struct harness_set *set)
{
	const struct json *n = json_get(r->root, "harness");
	const struct descriptor *d = harness_set_find(set, json_string(n, ""), r->err);

	if (!d) {
		int line = json_line(r->root, n);
		return err_prefix(r->err, "%s:%d", r->shown, line);
	}
	r->agent->harness = mem_strdup(descriptor_name(d));
	r->agent->description =
	    mem_strdup(json_get_string(r->root, "description", descriptor_description(d)));
	if (!json_get(r->root, "model"))
		return 0;
	if (!json_get(descriptor_json(d), "model"))
		return json_error(r->root, json_get(r->root, "model"), r->shown, r->err,
		    "%s has no option for a model", descriptor_title(d));
	r->agent->model = mem_strdup(json_get_string(r->root, "model", NULL));
	return 0;
}

static int read_agent(struct reading *r, const struct harness_set *set)
{
	if (json_check(r->root, r->root, r->shown, agent_fields, r->err) < 0)
		return -1;
	if (read_harness(r, set) < 0 || read_env(r) < 0 || read_unset_env(r) < 0 || read_may(r) < 0 ||
	    read_policies(r) < 0 || read_args(r) < 0)
		return -1;
	if (agent_settings_read(
		r->agent, harness_set_find(set, r->agent->harness, NULL), r->root, r->shown, r->err) < 0)
		return -1;
	return read_instructions(r);
}

/* Takes path. */
static struct agent *agent_from_file(const char *name, char *path, const char *text, size_t len,
    const struct harness_set *set, struct err *err)
{
	AUTO_FREE char *shown = path_pretty(path);
	struct agent *a = mem_zalloc(1, sizeof(*a));

	a->name = mem_strdup(name);
	a->path = path;
	a->source = json_parse(text, len, shown, err);
	struct reading r = {.agent = a, .shown = shown, .root = a->source, .err = err};
	if (a->source && read_agent(&r, set) == 0)
		return a;
	agent_destroy(a);
	return NULL;
}

static struct agent *built_in(const struct descriptor *d)
{
	struct agent *a = mem_zalloc(1, sizeof(*a));

	a->name = mem_strdup(descriptor_name(d));
	a->harness = mem_strdup(descriptor_name(d));
	a->description = mem_strdup(descriptor_description(d));
	a->args = strv_copy(NULL);
	a->env = strv_copy(NULL);
	a->unset_env = strv_copy(NULL);
	a->sandbox = mem_strdup("none");
	agent_settings_read(a, d, NULL, NULL, NULL);
	return a;
}

static void no_agent(const char *name, const struct harness_set *set, struct err *err)
{
	char **names = agent_words(set, NULL);
	const char *nearest = names ? json_nearest(name, (const char *const *)names) : NULL;

	if (set->count == 0 && set->fault_count > 0)
		err_set(err, ERR_NO_AGENT, "There is no agent \"%s\". %s", name, set->faults[0].err.message);
	else
		err_set(err, ERR_NO_AGENT, "There is no agent \"%s\".", name);
	if (nearest)
		err_hint(err, "Did you mean \"%s\"?  All are listed by: handler agent list", nearest);
	else
		err_hint(err, "All are listed by: handler agent list");
	strv_destroy(names);
}

static struct agent *load_built_in(const char *name, const struct harness_set *set, struct err *err)
{
	struct err found = ERR_INIT;
	const struct descriptor *d = harness_set_find(set, name, &found);

	if (d)
		return built_in(d);
	if (found.code != ERR_NO_HARNESS && err)
		*err = found;
	else
		no_agent(name, set, err);
	return NULL;
}

struct agent *agent_load(const char *name, const struct harness_set *set, struct err *err)
{
	char *path = agent_path(name, err);
	AUTO_FREE char *text = NULL;
	size_t len;

	if (!path)
		return NULL;
	if (access(path, F_OK) < 0 && errno == ENOENT) {
		free(path);
		return load_built_in(name, set, err);
	}
	if (path_read_file(path, AGENT_FILE_MAX, &text, &len, err) < 0) {
		free(path);
		return NULL;
	}
	return agent_from_file(name, path, text, len, set, err);
}

/* What an agent's file says of its harness, "" if nothing; without a file the agent is a harness itself. */
static char *harness_of(const char *name)
{
	AUTO_FREE char *path = agent_path(name, NULL);
	AUTO_FREE char *text = NULL;
	struct json *root = NULL;
	size_t len;

	if (path && access(path, F_OK) < 0 && errno == ENOENT)
		return mem_strdup(name);
	if (path && path_read_file(path, AGENT_FILE_MAX, &text, &len, NULL) == 0)
		root = json_parse(text, len, path, NULL);
	char *harness = mem_strdup(json_get_string(root, "harness", ""));
	json_free(root);
	return harness;
}

int agent_load_harnesses(struct harness_set *set, char *const *agents, size_t count, struct err *err)
{
	struct strv names = STRV_INIT;

	for (size_t i = 0; i < count; i++)
		strv_take(&names, harness_of(agents[i]));
	char **list = strv_steal(&names);
	int result = harness_set_load_named(set, list, err);
	strv_destroy(list);
	return result;
}

void agent_destroy(struct agent *a)
{
	if (!a)
		return;
	free(a->name);
	free(a->path);
	free(a->harness);
	free(a->description);
	free(a->instructions);
	free(a->instructions_path);
	free(a->model);
	strv_destroy(a->args);
	strv_destroy(a->env);
	strv_destroy(a->unset_env);
	free(a->sandbox);
	agent_settings_finish(a);
	json_free(a->source);
	free(a);
}

/* Names */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_own_names(struct strv *names, struct err *err)
{
	AUTO_FREE char *path = agents_dir(err);
	struct dirent *entry;

	if (!path)
		return -1;
	DIR *dir = opendir(path);
	if (!dir)
		return errno == ENOENT
			   ? 0
			   : err_sys(err, errno, "The directory of agents %s cannot be read", path);
	while ((entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		AUTO_FREE char *name = mem_strndup(entry->d_name, len > 5 ? len - 5 : 0);

		if (len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0 && is_name(name))
			strv_add(names, name);
	}
	closedir(dir);
	if (names->count > 1)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
	return 0;
}

static bool holds(const struct strv *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names->items[i], name) == 0)
			return true;
	}
	return false;
}

char **agent_names(const struct harness_set *set, size_t *count, struct err *err)
{
	struct strv names = STRV_INIT;

	if (add_own_names(&names, err) < 0) {
		strv_finish(&names);
		return NULL;
	}
	size_t own = names.count;
	for (size_t i = 0; i < set->count; i++) {
		if (!holds(&names, own, descriptor_name(set->items[i])))
			strv_add(&names, descriptor_name(set->items[i]));
	}
	if (count)
		*count = names.count;
	return strv_steal(&names);
}

char **agent_words(const struct harness_set *set, struct err *err)
{
	char **own = agent_names(set, NULL, err);
	struct strv words = STRV_INIT;

	if (!own)
		return NULL;
	for (size_t i = 0; own[i]; i++)
		strv_add(&words, own[i]);
	for (size_t i = 0; i < set->count; i++) {
		const char *program = descriptor_program(set->items[i]);

		if (program && !holds(&words, words.count, path_base(program)))
			strv_add(&words, path_base(program));
	}
	strv_destroy(own);
	return strv_steal(&words);
}
