/*
 * descriptor_check: the shape of a descriptor as tables, what its parts must hold together, and what none may
 * say.
 *
 * The same shape is written for editors in descriptor.schema.json; a test holds both against the same files.
 */
#include "harness/descriptor_check.h"

#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "harness/descriptor.h"
#include "harness/environment.h"
#include "harness/expand.h"
#include "harness/status.h"

static const struct json_field root_fields[] = {
    {.key = "format", .types = "i", .required = true},
    {.key = "name", .types = "s", .required = true},
    {.key = "title", .types = "s", .required = true},
    {.key = "description", .types = "s", .required = true},
    {.key = "command", .types = "s", .required = true},
    {.key = "install", .types = "s"},
    {.key = "checked", .types = "o"},
    {.key = "version", .types = "o"},
    {.key = "args", .types = "S"},
    {.key = "model", .types = "o"},
    {.key = "interactive", .types = "o", .required = true},
    {.key = "headless", .types = "o"},
    {.key = "conversation", .types = "o"},
    {.key = "config_dir", .types = "o"},
    {.key = "login", .types = "o"},
    {.key = "environment", .types = "o"},
    {.key = "certificates", .types = "S"},
    {.key = "privacy", .types = "o"},
    {.key = "features", .types = "a"},
    {.key = "keys", .types = "o"},
    {.key = "stop", .types = "o"},
    {.key = "on_exit", .types = "s", .choices = "stop|keep"},
    {.key = "status", .types = "o", .required = true},
    {.key = "screen", .types = "s", .choices = "alternate|inline"},
    {.key = "screens", .types = "o"},
    {.key = "notes", .types = "S"},
    {.key = NULL},
};

static const struct json_field checked_fields[] = {
    {.key = "version", .types = "s", .required = true},
    {.key = "level", .types = "s", .choices = "found|started|full turn", .required = true},
    {.key = "how", .types = "s", .choices = "run|read", .required = true},
    {.key = "note", .types = "s"},
    {.key = NULL},
};

static const struct json_field version_fields[] = {
    {.key = "args", .types = "S", .required = true},
    {.key = "pattern", .types = "s", .required = true},
    {.key = NULL},
};
static const struct json_field model_fields[] = {
    {.key = "args", .types = "S"},
    {.key = "env", .types = "o"},
    {.key = NULL},
};

static const struct json_field interactive_fields[] = {
    {.key = "args", .types = "S"},
    {.key = "instructions", .types = "o", .required = true},
    {.key = "prompt", .types = "o", .required = true},
    {.key = NULL},
};

static const struct json_field headless_fields[] = {
    {.key = "args", .types = "S"},
    {.key = "text_args", .types = "S"},
    {.key = "json_args", .types = "S"},
    {.key = "instructions", .types = "o", .required = true},
    {.key = "prompt", .types = "o", .required = true},
    {.key = "approval", .types = "S"},
    {.key = NULL},
};

static const struct json_field instructions_fields[] = {
    {.key = "way", .types = "s", .choices = "refuse|file|argv|env|generated|first-prompt", .required = true},
    {.key = "channel", .types = "s", .choices = "system|developer|user|screen"},
    {.key = "args", .types = "S"},
    {.key = "env", .types = "o"},
    {.key = "env_list", .types = "o"},
    {.key = "env_json", .types = "o"},
    {.key = "files", .types = "a"},
    {.key = "reason", .types = "s"},
    {.key = "instead", .types = "s"},
    {.key = "note", .types = "s"},
    {.key = NULL},
};

static const struct json_field file_fields[] = {
    {.key = "path", .types = "s", .required = true},
    {.key = "text", .types = "s", .required = true},
    {.key = NULL},
};

static const struct json_field prompt_fields[] = {
    {.key = "way", .types = "s", .choices = "argv|typed|stdin", .required = true},
    {.key = "args", .types = "S"},
    {.key = "unless", .types = "s"},
    {.key = NULL},
};

static const struct json_field conversation_fields[] = {
    {.key = "id", .types = "s", .choices = "assigned|learnt|none", .required = true},
    {.key = "new", .types = "S"},
    {.key = "resume", .types = "S"},
    {.key = "instructions", .types = "s", .choices = "reread|kept"},
    {.key = "refresh", .types = "S"},
    {.key = "learn", .types = "o"},
    {.key = NULL},
};

static const struct json_field learn_fields[] = {
    {.key = "screen", .types = "s"},
    {.key = "open_file", .types = "o"},
    {.key = NULL},
};

static const struct json_field open_file_fields[] = {
    {.key = "path", .types = "s", .required = true},
    {.key = "head", .types = "s"},
    {.key = NULL},
};

static const struct json_field config_dir_fields[] = {
    {.key = "variable", .types = "s", .required = true},
    {.key = "default", .types = "s", .required = true},
    {.key = "note", .types = "s"},
    {.key = NULL},
};
static const struct json_field login_fields[] = {
    {.key = "variables", .types = "a"},
    {.key = "files", .types = "a"},
    {.key = NULL},
};

static const struct json_field login_variable_fields[] = {
    {.key = "name", .types = "s", .required = true},
    {.key = "stand_in", .types = "b", .required = true},
    {.key = "note", .types = "s"},
    {.key = NULL},
};

static const struct json_field login_file_fields[] = {
    {.key = "path", .types = "s", .required = true},
    {.key = "stand_in", .types = "b", .required = true},
    {.key = "exclusive", .types = "b"},
    {.key = "note", .types = "s"},
    {.key = NULL},
};

static const struct json_field environment_fields[] = {
    {.key = "set", .types = "o"},
    {.key = "unset", .types = "S"},
    {.key = NULL},
};
static const struct json_field privacy_fields[] = {
    {.key = "full", .types = "o"},
    {.key = "reduced", .types = "o"},
    {.key = "note", .types = "s"},
    {.key = NULL},
};
static const struct json_field level_fields[] = {
    {.key = "args", .types = "S"},
    {.key = "env", .types = "o"},
    {.key = NULL},
};
static const struct json_field feature_fields[] = {
    {.key = "name", .types = "s", .required = true},
    {.key = "causes", .types = "a", .required = true},
    {.key = "note", .types = "s"},
    {.key = NULL},
};
static const struct json_field cause_fields[] = {
    {.key = "variable", .types = "s"},
    {.key = "unless", .types = "s"},
    {.key = "no_login", .types = "b"},
    {.key = "says", .types = "s", .required = true},
    {.key = "do", .types = "s", .required = true},
    {.key = NULL},
};
static const struct json_field screens_fields[] = {
    {.key = "inline", .types = "o"},
    {.key = "full", .types = "o"},
    {.key = NULL},
};
static const struct json_field list_entry_fields[] = {
    {.key = "value", .types = "s", .required = true},
    {.key = "separator", .types = "s", .required = true},
    {.key = NULL},
};
static const struct json_field objects_fields[] = {
    {.key = "*", .types = "o"},
    {.key = NULL},
};

static const struct json_field keys_fields[] = {
    {.key = "newline", .types = "S"},
    {.key = "interrupt", .types = "S"},
    {.key = "exit", .types = "S"},
    {.key = "transcript", .types = "S"},
    {.key = NULL},
};

static const struct json_field stop_fields[] = {
    {.key = "signal", .types = "s", .choices = "HUP|TERM|INT", .required = true},
    {.key = "to", .types = "s", .choices = "leader|group", .required = true},
    {.key = NULL},
};

/* Objects at fixed places; "*" stands for each element of an array or each member of an object. */
static const struct {
	const char *path;
	const struct json_field *fields;
} objects[] = {
    {"", root_fields},
    {"checked", checked_fields},
    {"version", version_fields},
    {"model", model_fields},
    {"interactive", interactive_fields},
    {"interactive.instructions", instructions_fields},
    {"interactive.instructions.files.*", file_fields},
    {"interactive.instructions.env_list", objects_fields},
    {"interactive.instructions.env_list.*", list_entry_fields},
    {"interactive.instructions.env_json", objects_fields},
    {"interactive.prompt", prompt_fields},
    {"headless", headless_fields},
    {"headless.instructions", instructions_fields},
    {"headless.instructions.files.*", file_fields},
    {"headless.instructions.env_list", objects_fields},
    {"headless.instructions.env_list.*", list_entry_fields},
    {"headless.instructions.env_json", objects_fields},
    {"headless.prompt", prompt_fields},
    {"conversation", conversation_fields},
    {"conversation.learn", learn_fields},
    {"conversation.learn.open_file", open_file_fields},
    {"config_dir", config_dir_fields},
    {"login", login_fields},
    {"login.variables.*", login_variable_fields},
    {"login.files.*", login_file_fields},
    {"environment", environment_fields},
    {"privacy", privacy_fields},
    {"privacy.full", level_fields},
    {"privacy.reduced", level_fields},
    {"features.*", feature_fields},
    {"features.*.causes.*", cause_fields},
    {"screens", screens_fields},
    {"screens.inline", level_fields},
    {"screens.full", level_fields},
    {"keys", keys_fields},
    {"stop", stop_fields},
};

/* Arrays of arguments */
static const char *const argument_lists[] = {
    "args",
    "version.args",
    "model.args",
    "interactive.args",
    "interactive.instructions.args",
    "interactive.prompt.args",
    "headless.args",
    "headless.text_args",
    "headless.json_args",
    "headless.instructions.args",
    "headless.prompt.args",
    "conversation.new",
    "conversation.resume",
    "conversation.refresh",
    "privacy.full.args",
    "privacy.reduced.args",
    "screens.inline.args",
    "screens.full.args",
};

/* Objects whose members are variables and their values */
static const char *const variable_maps[] = {
    "model.env",
    "interactive.instructions.env",
    "headless.instructions.env",
    "environment.set",
    "privacy.full.env",
    "privacy.reduced.env",
    "screens.inline.env",
    "screens.full.env",
};

/* Objects whose members are variables, with something else than a string */
static const char *const variable_objects[] = {
    "interactive.instructions.env_list",
    "interactive.instructions.env_json",
    "headless.instructions.env_list",
    "headless.instructions.env_json",
};

/* Further strings in which ${name} is replaced */
static const char *const templates[] = {
    "command",
    "interactive.instructions.instead",
    "interactive.instructions.files.*.path",
    "interactive.instructions.files.*.text",
    "interactive.instructions.env_list.*.value",
    "headless.instructions.instead",
    "headless.instructions.files.*.path",
    "headless.instructions.files.*.text",
    "headless.instructions.env_list.*.value",
    "config_dir.default",
    "login.files.*.path",
};

static const char *const relative_paths[] = {
    "interactive.instructions.files.*.path",
    "headless.instructions.files.*.path",
};

/* Strings that are regular expressions (POSIX extended) */
static const char *const patterns[] = {
    "version.pattern",
    "conversation.learn.screen",
    "conversation.learn.open_file.path",
    "conversation.learn.open_file.head",
    "interactive.prompt.unless",
    "headless.prompt.unless",
    "headless.approval.*",
    "features.*.causes.*.unless",
};

/*
 * Answers to questions of trust and permission that harnesses ask: only the user gives them.  Globs for
 * arguments and for names of variables.
 */
static const char *const answering_arguments[] = {
    "--trust*",
    "--yolo*",
    "-y",
    "-a",
    "--dangerous*",
    "--allow-dangerous*",
    "--allow-all*",
    "--skip-trust*",
    "--skip-git-repo-check*",
    "--skip-permission*",
    "--full-auto*",
    "--auto",
    "--auto-approve*",
    "--approve*",
    "--approval*",
    "--ask-for-approval*",
    "--assisted-approval*",
    "--permission-mode*",
    "*hasTrustDialogAccepted*",
    "*trust_level*",
    "*approval_policy*",
    "*danger-full-access*",
    "*bypass*",
};

static const char *const answering_variables[] = {
    "*TRUST*",
    "*YOLO*",
    "*APPROV*",
    "*BYPASS*",
    "*ALLOW_ALL*",
    "*PERMISSION*",
    "*DANGER*",
};

struct check {
	const struct json *root;
	const char *name;
	struct err *err;
	const struct json_field *fields; /* of the object that is visited */
};

typedef int visit_fn(const struct check *c, const struct json *n);

/* Calls fn for every node that path stands for; none is fine. */
static int visit(const struct check *c, const struct json *n, const char *path, visit_fn *fn)
{
	size_t len = strcspn(path, ".");
	const char *rest = path + len + (path[len] == '.');

	if (!n)
		return 0;
	if (len == 0)
		return fn(c, n);
	if (strncmp(path, "*", len) != 0) {
		AUTO_FREE char *key = mem_strndup(path, len);

		return visit(c, json_get(n, key), rest, fn);
	}
	for (const struct json *child = json_first(n); child; child = json_next(child)) {
		if (visit(c, child, rest, fn) < 0)
			return -1;
	}
	return 0;
}

static int visit_all(const struct check *c, const char *const *paths, size_t count, visit_fn *fn)
{
	for (size_t i = 0; i < count; i++) {
		if (visit(c, c->root, paths[i], fn) < 0)
			return -1;
	}
	return 0;
}

#define VISIT_ALL(c, paths, fn) visit_all((c), (paths), COUNT_OF(paths), (fn))

static bool any_matches(const char *const *globs, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		/* fnmatch converts both to wide characters first: most are told apart by how they begin. */
		if (strncmp(globs[i], text, strcspn(globs[i], "*?[\\")) == 0 &&
		    fnmatch(globs[i], text, 0) == 0)
			return true;
	}
	return false;
}

static int answers(const struct check *c, const struct json *n, const char *what)
{
	return json_error(c->root, n, c->name, c->err,
	    "\"%s\" answers a question of trust or permission; only the user may, in an agent of their own",
	    what);
}

static int check_object(const struct check *c, const struct json *n)
{
	return json_check(c->root, n, c->name, c->fields, c->err);
}

static int check_template(const struct check *c, const struct json *n)
{
	char unknown[64];

	if (expand_check(json_string(n, ""), unknown))
		return 0;
	return json_error(
	    c->root, n, c->name, c->err, "there is no value ${%s}; there are %s", unknown, expand_names());
}

static int check_arguments(const struct check *c, const struct json *n)
{
	for (const struct json *arg = json_first(n); arg; arg = json_next(arg)) {
		if (any_matches(answering_arguments, COUNT_OF(answering_arguments), json_string(arg, "")))
			return answers(c, arg, json_string(arg, ""));
		if (check_template(c, arg) < 0)
			return -1;
	}
	return 0;
}

static int check_variable(const struct check *c, const struct json *n)
{
	AUTO_FREE char *assignment = mem_printf("%s=", json_key(n));

	if (!environment_is_assignment(assignment))
		return json_error(
		    c->root, n, c->name, c->err, "\"%s\" is no name of a variable", json_key(n));
	if (any_matches(answering_variables, COUNT_OF(answering_variables), json_key(n)))
		return answers(c, n, json_key(n));
	return 0;
}

static int check_variable_objects(const struct check *c, const struct json *n)
{
	for (const struct json *v = json_first(n); v; v = json_next(v)) {
		if (check_variable(c, v) < 0)
			return -1;
	}
	return 0;
}

static int check_variables(const struct check *c, const struct json *n)
{
	static const struct json_field strings[] = {
	    {.key = "*", .types = "s"},
	    {.key = NULL},
	};

	if (json_check(c->root, n, c->name, strings, c->err) < 0 || check_variable_objects(c, n) < 0)
		return -1;
	return visit(c, n, "*", check_template);
}

/* Below the session's directory, whatever it says. */
static int check_relative(const struct check *c, const struct json *n)
{
	const char *path = json_string(n, "");

	if (*path && path[0] != '/' && path[0] != '$' && !strstr(path, ".."))
		return 0;
	return json_error(c->root, n, c->name, c->err,
	    "\"path\" must be relative (to the session's directory) and without \"..\"");
}

static int check_pattern(const struct check *c, const struct json *n)
{
	return status_check_pattern(c->root, n, c->name, c->err);
}

/* The parts that a way of taking instructions needs, beside "channel". */
static const struct {
	const char *way;
	const char *needs; /* one of these keys, separated by '|' */
} way_needs[] = {
    {"refuse", "reason"},
    {"file", "args"},
    {"argv", "args"},
    {"env", "env|env_json|env_list"},
    {"generated", "files"},
    {"first-prompt", "channel"},
};

static bool has_one_of(const struct json *object, const char *keys)
{
	while (*keys) {
		size_t len = strcspn(keys, "|");
		AUTO_FREE char *key = mem_strndup(keys, len);

		if (json_get(object, key))
			return true;
		keys += len + (keys[len] == '|');
	}
	return false;
}

static int check_way(const struct check *c, const struct json *n)
{
	const char *way = json_get_string(n, "way", "");
	bool refuses = strcmp(way, "refuse") == 0;

	for (size_t i = 0; i < COUNT_OF(way_needs); i++) {
		if (strcmp(way_needs[i].way, way) == 0 && !has_one_of(n, way_needs[i].needs))
			return json_error(c->root, n, c->name, c->err, "the way \"%s\" needs \"%s\"", way,
			    way_needs[i].needs);
	}
	if (refuses && !json_get(n, "instead"))
		return json_error(
		    c->root, n, c->name, c->err, "\"instead\" must say what to do where it is refused");
	if (!refuses && !json_get(n, "channel"))
		return json_error(
		    c->root, n, c->name, c->err, "\"channel\" must say where the instructions arrive");
	return 0;
}

static int check_mode(const struct check *c, const char *mode)
{
	const struct json *object = json_get(c->root, mode);
	const struct json *instructions = json_get(object, "instructions");
	const struct json *prompt = json_get(object, "prompt");
	bool headless = strcmp(mode, "headless") == 0;

	if (!object)
		return 0;
	if (check_way(c, instructions) < 0)
		return -1;
	if (!headless && strcmp(json_get_string(instructions, "way", ""), "first-prompt") == 0)
		return json_error(
		    c->root, instructions, c->name, c->err, "\"first-prompt\" is a way of \"headless\" only");
	if (!headless && strcmp(json_get_string(prompt, "way", ""), "stdin") == 0)
		return json_error(
		    c->root, prompt, c->name, c->err, "\"stdin\" is a way of \"headless\" only");
	if (headless && strcmp(json_get_string(prompt, "way", ""), "typed") == 0)
		return json_error(
		    c->root, prompt, c->name, c->err, "\"typed\" is a way of \"interactive\" only");
	return 0;
}

static int check_format(const struct check *c)
{
	const struct json *n = json_get(c->root, "format");

	if (json_int(n, 0) == DESCRIPTOR_FORMAT)
		return 0;
	return json_error(c->root, n, c->name, c->err, "\"format\" must be %d, the one this version reads",
	    DESCRIPTOR_FORMAT);
}

static int check_name(const struct check *c)
{
	const struct json *n = json_get(c->root, "name");
	const char *name = json_string(n, "");

	if (*name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(name) &&
	    *name != '-' && *name != '.')
		return 0;
	return json_error(c->root, n, c->name, c->err,
	    "\"name\" must be of small letters, digits, '-', '_' and '.', and begin with a letter or digit");
}

static int check_objects(struct check *c)
{
	for (size_t i = 0; i < COUNT_OF(objects); i++) {
		c->fields = objects[i].fields;
		if (visit(c, c->root, objects[i].path, check_object) < 0)
			return -1;
	}
	return 0;
}

int descriptor_check(const struct json *root, const char *name, struct err *err)
{
	struct check c = {.root = root, .name = name, .err = err};

	if (check_objects(&c) < 0 || check_format(&c) < 0 || check_name(&c) < 0)
		return -1;
	if (VISIT_ALL(&c, argument_lists, check_arguments) < 0 ||
	    VISIT_ALL(&c, variable_maps, check_variables) < 0 ||
	    VISIT_ALL(&c, variable_objects, check_variable_objects) < 0 ||
	    VISIT_ALL(&c, templates, check_template) < 0 ||
	    VISIT_ALL(&c, relative_paths, check_relative) < 0 || VISIT_ALL(&c, patterns, check_pattern) < 0)
		return -1;
	if (check_mode(&c, "interactive") < 0 || check_mode(&c, "headless") < 0)
		return -1;
	return status_check_rules(root, json_get(root, "status"), name, err);
}
