/*
 * config: the user's config.json.  One table names every key with its kind, default and help; the file is
 * held against it when it is read, and a value when it is written.
 */
#include "harness/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "harness/jsonc_edit.h"

enum { CONFIG_MAX_BYTES = 1 << 20 };

/* clang-format off */
const struct config_key config_keys[] = {
    {"prefix", "string", NULL, "\"auto\"",
        "The key before a command: C-b, or C-a inside a multiplexer that has C-b itself.", 0, 0},
    {"keys", "object", NULL, "{}",
        "Commands by key after the prefix, over the built-in table; null takes a key away.", 0, 0},
    {"direct_keys", "object", NULL, "{}",
        "Commands by key without the prefix.", 0, 0},
    {"preset", "choice", "tmux|vi", "\"tmux\"",
        "The table of keys to begin with.", 0, 0},
    {"mouse", "boolean", NULL, "true",
        "Whether clicks, wheel and drags are used.", 0, 0},
    {"theme", "choice", "auto|dark|light", "\"auto\"",
        "The colours of the front-end; auto follows the terminal's background.", 0, 0},
    {"sidebar", "choice", "auto|full|line|off", "\"auto\"",
        "The list of sessions; auto: hidden with one session, a line below 110 columns.", 0, 0},
    {"accessible", "boolean", NULL, "false",
        "States in words, no colour alone, no decoration: for screen readers.", 0, 0},
    {"history_lines", "integer", NULL, "100000",
        "Lines of history a session keeps.", 0, 10000000},
    {"clear_history", "choice", "keep|drop", "\"keep\"",
        "What CSI 3 J from a program does to history: keep it with a mark, or drop it.", 0, 0},
    {"emulator", "choice", "native|libvterm", "\"native\"",
        "The terminal engine of new sessions.", 0, 0},
    {"journal", "boolean", NULL, "true",
        "Whether sessions keep on disk what they showed, with times: for replay, export, and the last screen after a crash.", 0, 0},
    {"journal_limit", "integer", NULL, "64",
        "MiB of journal a session keeps; the oldest goes first.", 1, 65536},
    {"state_limit", "integer", NULL, "2048",
        "MiB that all sessions together keep on disk; the oldest journals go first, then ended sessions.", 16, 1048576},
    {"keep_ended", "integer", NULL, "14",
        "Days that ended sessions are remembered; 0: until handler rm or prune.", 0, 36500},
    {"grace", "number", NULL, "5",
        "Seconds between asking a session's processes to end and ending them.", 0, 3600},
    {"notify", "choice", "auto|bell|desktop|off", "\"auto\"",
        "How a session that waits makes itself known outside; auto: as its program does.", 0, 0},
    {"default_agent", "string", NULL, "\"\"",
        "The agent that a new session suggests first.", 0, 0},
    {"repositories", "object", NULL, "{}",
        "Checked, but without effect in this version: per path of a repository: what a new worktree copies, links and runs.", 0, 0},
    {"terminal.color", "choice", "auto|truecolor|256|16|mono", "\"auto\"",
        "Colours of the terminal that handler runs in.", 0, 0},
    {"terminal.keys", "choice", "auto|kitty|plain", "\"auto\"",
        "Keyboard protocol of that terminal.", 0, 0},
    {"terminal.sync", "choice", "auto|on|off", "\"auto\"",
        "Whether frames are synchronized updates (mode 2026).", 0, 0},
    {"terminal.clipboard", "choice", "focused|all|off", "\"focused\"",
        "Which panes may set the clipboard (OSC 52); none may read it.", 0, 0},
    {"terminal.copy_command", "array", NULL, "[]",
        "A program that takes copied text on standard input, and its arguments.", 0, 0},
    {NULL, NULL, NULL, NULL, NULL, 0, 0},
};
/* clang-format on */

static const struct {
	const char *kind, *types;
} kinds[] = {
    {"string", "s"},
    {"choice", "s"},
    {"integer", "i"},
    {"number", "n"},
    {"boolean", "b"},
    {"object", "o"},
    {"array", "S"},
};

/* Groups of keys: an object of the file whose members are keys "GROUP.NAME". */
static const char *const groups[] = {"terminal"};

struct config {
	char *path;
	struct json *values;   /* flat: the keys that the file sets right */
	struct json *defaults; /* flat: all keys */
	struct err *faults;
	size_t fault_count;
};

static const char *types_of(const char *kind)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].types;
	}
	return "";
}

static const struct config_key *find_key(const char *name)
{
	const struct config_key *k = config_keys;

	while (k->name && strcmp(k->name, name) != 0)
		k++;
	return k->name ? k : NULL;
}

static bool is_group(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(groups); i++) {
		if (strcmp(groups[i], name) == 0)
			return true;
	}
	return false;
}

static struct json *read_defaults(void)
{
	struct json *defaults = json_new_object();

	for (const struct config_key *k = config_keys; k->name; k++)
		json_set(defaults, k->name, json_parse(k->preset, strlen(k->preset), k->name, NULL));
	return defaults;
}

static void add_fault(struct config *c, const struct err *err)
{
	c->faults = mem_realloc(c->faults, c->fault_count + 1, sizeof(*c->faults));
	c->faults[c->fault_count++] = *err;
}

/* Keys of the group (NULL: of the file itself, groups included) that are nearest to what was written. */
static const char *nearest_key(const char *group, const char *written)
{
	const char *names[COUNT_OF(config_keys) + COUNT_OF(groups) + 1];
	size_t n = 0, skip = group ? strlen(group) + 1 : 0;

	for (const struct config_key *k = config_keys; k->name; k++) {
		bool inside = group ? strncmp(k->name, group, skip - 1) == 0 && k->name[skip - 1] == '.'
				    : !strchr(k->name, '.');

		if (inside)
			names[n++] = k->name + skip;
	}
	for (size_t i = 0; !group && i < COUNT_OF(groups); i++)
		names[n++] = groups[i];
	names[n] = NULL;
	return json_nearest(written, names);
}

static int unknown_key(
    const struct json *root, const struct json *n, const char *shown, const char *group, struct err *err)
{
	const char *nearest = nearest_key(group, json_key(n));

	if (nearest)
		return json_error(
		    root, n, shown, err, "unknown key \"%s\" (did you mean \"%s\"?)", json_key(n), nearest);
	return json_error(root, n, shown, err, "unknown key \"%s\"", json_key(n));
}

/* Whether the member of object that k names is what k says; other members are not looked at. */
static int check_value(const struct json *root, const struct json *object, const char *shown,
    const struct config_key *k, struct err *err)
{
	const char *dot = strchr(k->name, '.');
	struct json_field fields[] = {
	    {.key = dot ? dot + 1 : k->name,
		.types = types_of(k->kind),
		.choices = k->choices,
		.min = k->min,
		.max = k->max},
	    {.key = "*", .types = "snboaz"},
	    {.key = NULL},
	};

	return json_check(root, object, shown, fields, err);
}

/* Takes the members of an object of the file: right ones as values, wrong ones as faults. */
static void read_members(struct config *c, const struct json *root, const struct json *object,
    const char *shown, const char *group)
{
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		AUTO_FREE char *name =
		    group ? mem_printf("%s.%s", group, json_key(n)) : mem_strdup(json_key(n));
		const struct config_key *k = strchr(json_key(n), '.') ? NULL : find_key(name);
		struct err err = ERR_INIT;

		if (!group && strcmp(name, "$schema") == 0)
			continue;
		if (!group && is_group(name) && json_type(n) == JSON_OBJECT) {
			read_members(c, root, n, shown, name);
			continue;
		}
		if (k ? check_value(root, object, shown, k, &err) < 0
		      : unknown_key(root, n, shown, group, &err) < 0)
			add_fault(c, &err);
		else
			json_set(c->values, name, json_copy(n));
	}
}

static void read_file(struct config *c)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *shown = path_pretty(c->path);
	struct err err = ERR_INIT;
	struct json *root;
	struct stat st;
	size_t len;

	if (stat(c->path, &st) < 0 && errno == ENOENT)
		return;
	root = path_read_file(c->path, CONFIG_MAX_BYTES, &text, &len, &err) < 0
		   ? NULL
		   : json_parse(text, len, shown, &err);
	if (!root)
		add_fault(c, &err);
	else if (json_type(root) != JSON_OBJECT &&
		 json_error(root, root, shown, &err, "there must be an object here") < 0)
		add_fault(c, &err);
	else
		read_members(c, root, root, shown, NULL);
	json_free(root);
}

static char *find_path(struct err *err)
{
	AUTO_FREE char *dir = path_config_dir(err);

	return dir ? path_join(dir, "config.json") : NULL;
}

struct config *config_load(void)
{
	struct config *c = mem_zalloc(1, sizeof(*c));
	struct err err = ERR_INIT;

	c->defaults = read_defaults();
	c->values = json_new_object();
	c->path = find_path(&err);
	if (c->path)
		read_file(c);
	else
		add_fault(c, &err);
	return c;
}

void config_destroy(struct config *c)
{
	if (!c)
		return;
	free(c->path);
	json_free(c->values);
	json_free(c->defaults);
	free(c->faults);
	free(c);
}

const char *config_path(const struct config *c)
{
	return c->path;
}

const struct json *config_node(const struct config *c, const char *key)
{
	const struct json *value = json_get(c->values, key);

	return value ? value : json_get(c->defaults, key);
}

const char *config_string(const struct config *c, const char *key)
{
	return json_string(config_node(c, key), "");
}

int64_t config_int(const struct config *c, const char *key)
{
	return json_int(config_node(c, key), 0);
}

double config_number(const struct config *c, const char *key)
{
	return json_number(config_node(c, key), 0);
}

bool config_bool(const struct config *c, const char *key)
{
	return json_bool(config_node(c, key), false);
}

bool config_is_default(const struct config *c, const char *key)
{
	return !json_get(c->values, key);
}

size_t config_fault_count(const struct config *c)
{
	return c->fault_count;
}

const struct err *config_fault(const struct config *c, size_t i)
{
	return &c->faults[i];
}

/* Writing */

static int no_such_key(const char *key, struct err *err)
{
	const char *names[COUNT_OF(config_keys)];
	size_t n = 0;

	for (const struct config_key *k = config_keys; k->name; k++)
		names[n++] = k->name;
	names[n] = NULL;
	const char *nearest = json_nearest(key, names);
	err_set(err, ERR_USAGE, "There is no key \"%s\" in config.json.", key);
	if (nearest)
		return err_hint(err, "Did you mean \"%s\"?  All are listed by: handler config show", nearest);
	return err_hint(err, "All are listed by: handler config show");
}

/* JSON as it is typed; what is none, and what is none of a key that takes a string, is that string. */
static struct json *parse_value(const struct config_key *k, const char *value)
{
	struct json *j = json_parse(value, strlen(value), k->name, NULL);
	bool takes_string = strcmp(types_of(k->kind), "s") == 0;

	if (j && takes_string && json_type(j) != JSON_STRING) {
		json_free(j);
		j = NULL;
	}
	return j ? j : json_new_string(value);
}

static int check_typed(const struct config_key *k, const struct json *value, struct err *err)
{
	const char *dot = strchr(k->name, '.');
	struct json *object = json_new_object();

	json_set(object, dot ? dot + 1 : k->name, json_copy(value));
	int rc = check_value(object, object, k->name, k, err);
	json_free(object);
	if (rc < 0 && err)
		err->code = ERR_USAGE;
	return rc;
}

/* The text of the file that has to be changed, "" if there is none; *path is what a link leads to. */
static int read_for_change(char **path, char **text, mode_t *mode, struct err *err)
{
	struct json *root;
	struct stat st;
	size_t len;

	*mode = 0600;
	if (stat(*path, &st) < 0 && errno == ENOENT) {
		*text = mem_strdup("");
		return 0;
	}
	*mode = st.st_mode & 0777;
	char *real = path_real(*path, err);
	if (!real)
		return -1;
	free(*path);
	*path = real;
	if (path_read_file(real, CONFIG_MAX_BYTES, text, &len, err) < 0)
		return -1;
	AUTO_FREE char *shown = path_pretty(real);
	root = json_parse(*text, len, shown, err);
	int rc = !root ? -1
		 : json_type(root) == JSON_OBJECT
		     ? 0
		     : json_error(root, root, shown, err, "there must be an object here");
	json_free(root);
	return rc < 0 ? err_hint(err, "Correct it first: handler config edit") : 0;
}

static int write_changed(const char *path, const struct buf *text, mode_t mode, struct err *err)
{
	AUTO_FREE char *dir = mem_strndup(path, (size_t)(path_base(path) - path));

	if (path_make_dirs(dir, 0700, err) < 0)
		return -1;
	return path_write_file(path, text->data, text->len, mode, err);
}

int config_set(const char *key, const char *value, struct err *err)
{
	const struct config_key *k = find_key(key);
	AUTO_FREE char *path = find_path(err);
	AUTO_FREE char *text = NULL;
	AUTO_BUF changed = BUF_INIT;
	mode_t mode;

	if (!path)
		return -1;
	if (!k)
		return no_such_key(key, err);
	struct json *parsed = parse_value(k, value);
	AUTO_FREE char *printed = json_print(parsed, false);
	int rc = check_typed(k, parsed, err);
	json_free(parsed);
	if (rc < 0 || read_for_change(&path, &text, &mode, err) < 0)
		return -1;
	jsonc_set(&changed, text, key, printed);
	return write_changed(path, &changed, mode, err);
}
