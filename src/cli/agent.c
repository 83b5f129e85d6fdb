/* agent: the agents there are, what each would start, and why one cannot. */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/editor.h"
#include "cli/launch.h"

static const struct option_spec options[] = {
    {"harness", 0, "NAME", "of a new agent: its harness (default: claude-code)"},
    OPTION_JSON,
    {0},
};

/* Why an agent cannot start, as an error; ERR_NONE: it can. */
static void judge(const struct args *a, const struct harness_set *set, const char *name, struct err *fault)
{
	struct launch_options o = {.agent = name, .self = a->self, .harnesses = set};
	*fault = (struct err)ERR_INIT;
	launch_check(&o, fault);
}

static struct json *agent_json(const struct args *a, const struct harness_set *set, const char *name)
{
	struct err fault;
	struct json *j = json_new_object();
	struct agent *agent = agent_load(name, set, NULL);
	json_set_string(j, "name", name);
	json_set_string(j, "harness", agent ? agent->harness : NULL);
	json_set_string(j, "description", agent ? agent->description : NULL);
	json_set_string(j, "file", agent ? agent->path : NULL);
	json_set_bool(j, "instructions", agent && agent->instructions);
	json_set_string(j, "sandbox", agent ? agent->sandbox : NULL);
	judge(a, set, name, &fault);
	json_set_bool(j, "startable", fault.code == ERR_NONE);
	if (fault.code) {
		struct json *e = json_set(j, "error", json_new_object());
		json_set_string(e, "code", err_code_name(fault.code));
		json_set_string(e, "message", fault.message);
		json_set_string(e, "hint", fault.hint);
	}
	agent_destroy(agent);
	return j;
}

static void print_line(const struct json *j)
{
	const struct json *fault = json_get(j, "error");
	bool missing = !strcmp(json_get_string(fault, "code", ""), err_code_name(ERR_NOT_INSTALLED));
	printf("%-16s %-12s %s%s\n", json_get_string(j, "name", ""), json_get_string(j, "harness", "?"),
	    !fault    ? ""
	    : missing ? "not installed. "
		      : "cannot start: ",
	    !fault ? json_get_string(j, "description", "")
		   : json_get_string(fault, missing ? "hint" : "message", ""));
}

static int list(const struct args *a, struct harness_set *set, struct err *err)
{
	size_t count;
	char **names = agent_names(set, &count, err);
	if (!names)
		return -1;
	struct json *root = json_new_object();
	struct json *agents = json_set(root, "agents", json_new_array());
	for (size_t i = 0; i < count; i++) {
		struct json *j = json_append(agents, agent_json(a, set, names[i]));
		if (!a->json)
			print_line(j);
	}
	if (a->json)
		print_answer(root);
	for (size_t i = 0; i < set->fault_count && !a->json; i++)
		print_note("handler: %s", set->faults[i].err.message);
	json_free(root);
	strv_destroy(names);
	return 0;
}

static int show(const struct args *a, struct harness_set *set, const char *name, struct err *err)
{
	struct agent *agent = agent_load(name, set, err);
	if (!agent)
		return -1;
	struct launch_options o = {.agent = name, .self = a->self, .harnesses = set};
	struct err fault = ERR_INIT;
	struct plan *p = launch_plan(&o, &fault);
	if (a->json) {
		struct json *j = agent_json(a, set, name);
		if (p)
			json_set(j, "plan", plan_to_json(p, false));
		print_answer(j);
		json_free(j);
	} else {
		printf("%s: %s\nharness       %s\nfile          %s\n", agent->name,
		    agent->description ? agent->description : "", agent->harness,
		    agent->path ? agent->path : "built in");
		printf("instructions  %s\n", agent->instructions ? agent->instructions : "none");
		AUTO_FREE char *command = p ? plan_shell_command(p) : NULL;
		if (command)
			printf("starts        %s\n", command);
		for (char **note = p ? p->notes : NULL; note && *note; note++)
			printf("note          %s\n", *note);
		if (fault.code)
			printf("cannot start  %s\n              %s\n", fault.message, fault.hint);
	}
	plan_destroy(p);
	agent_destroy(agent);
	return 0;
}

static int check(const struct args *a, struct harness_set *set, const char *name, struct err *err)
{
	struct err fault;
	size_t count = 0;
	char **names = name ? NULL : agent_names(set, &count, err);
	int bad = 0;
	for (size_t i = 0; name ? i < 1 : i < count; i++) {
		const char *one = name ? name : names[i];
		judge(a, set, one, &fault);
		if (fault.code == ERR_NONE) {
			printf("%s: ok\n", one);
		} else if (name) {
			*err = fault;
			return -1;
		} else if (fault.code != ERR_NOT_INSTALLED) {
			printf("%s: %s\n", one, fault.message);
			bad++;
		} else {
			printf("%s: not installed\n", one);
		}
	}
	strv_destroy(names);
	return bad ? 1 : 0;
}

static int make_new(const struct args *a, struct harness_set *set, const char *name, struct err *err)
{
	const struct descriptor *d = harness_set_find(set, args_value(a, "harness", "claude-code"), err);
	AUTO_FREE char *path = d ? agent_path(name, err) : NULL;
	if (!path)
		return -1;
	if (access(path, F_OK) == 0) {
		err_set(err, ERR_USAGE, "the agent %s exists already: %s", name, path);
		return err_hint(err, "`handler agent edit %s` changes it.", name);
	}
	AUTO_BUF text = BUF_INIT;
	buf_printf(&text,
	    "{\n  \"harness\": \"%s\",\n  \"description\": \"\",\n  // A string or lines; or "
	    "\"instructions_file\"; see handler-agent(5).\n"
	    "  \"instructions\": [\n  ],\n  \"args\": [],\n  \"env\": {},\n  \"sandbox\": \"none\"\n}\n",
	    descriptor_name(d));
	AUTO_FREE char *dir = mem_strndup(path, (size_t)(path_base(path) - path - 1));
	if (path_make_dirs(dir, 0700, err) < 0 || path_write_file(path, text.data, text.len, 0600, err) < 0)
		return -1;
	printf("%s\n", path);
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? editor_run(path, err) : 0;
}

static int edit(const char *name, struct harness_set *set, struct err *err)
{
	AUTO_FREE char *path = agent_path(name, err);
	if (!path)
		return -1;
	if (access(path, F_OK) != 0) {
		err_set(err, ERR_NO_AGENT, "there is no agent file %s", path);
		return err_hint(err, "`handler agent new %s` makes one.", name);
	}
	if (editor_run(path, err) < 0)
		return -1;
	struct agent *agent = agent_load(name, set, err);
	agent_destroy(agent);
	return agent ? 0 : -1;
}

static int run(const struct args *a, struct err *err)
{
	struct harness_set set;
	const char *verb = a->word_count ? a->words[0] : "list",
		   *name = a->word_count > 1 ? a->words[1] : NULL;
	bool needs_name = !strcmp(verb, "show") || !strcmp(verb, "new") || !strcmp(verb, "edit");
	int result;
	if (needs_name && !name)
		return err_set(err, ERR_USAGE, "handler agent %s takes the name of an agent", verb);
	if (harness_set_load(&set, err) < 0)
		return -1;
	if (!strcmp(verb, "list"))
		result = list(a, &set, err);
	else if (!strcmp(verb, "show"))
		result = show(a, &set, name, err);
	else if (!strcmp(verb, "check"))
		result = check(a, &set, name, err);
	else if (!strcmp(verb, "new"))
		result = make_new(a, &set, name, err);
	else if (!strcmp(verb, "edit"))
		result = edit(name, &set, err);
	else
		result = err_set(
		    err, ERR_USAGE, "handler agent takes list, show, check, new or edit, not \"%s\"", verb);
	harness_set_finish(&set);
	return result;
}

const struct command command_agent = {
    .name = "agent",
    .group = "set up",
    .synopsis = "list|show|check|new|edit [NAME] [--harness NAME]",
    .help = "built-in and own agents, what each starts, and why one cannot",
    .examples =
	"handler agent list\nhandler agent new reviewer --harness claude-code\nhandler agent show reviewer",
    .max_words = 2,
    .options = options,
    .run = run,
};
