/*
 * plan: making one.  Each step below resolves a part of the plan, in this order, or refuses the start; later
 * steps use what earlier ones found.  Knows descriptors and agents; starts and writes nothing.
 */
#include "harness/plan.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "harness/credentials.h"
#include "harness/environment.h"
#include "harness/expand.h"
#include "harness/plan_build.h"
#include "harness/quote.h"

static const char *title(const struct build *b)
{
	return descriptor_title(b->d);
}

void plan_set_value(struct build *b, enum expand_value name, char *s)
{
	strv_take(&b->owned, s);
	b->values.of[name] = s;
	b->shown_values.of[name] = s;
}

void plan_note(struct build *b, const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	strv_take(&b->notes, buf_steal(&text));
}

/* The mode of the harness */

static struct json *policies(const struct json *agent)
{
	static const char *const names[] = {"network", "secrets"};
	struct json *found = json_new_object();

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (json_get(agent, names[i]))
			json_set(found, names[i], json_copy(json_get(agent, names[i])));
	}
	return found;
}

static int step_mode(struct build *b)
{
	b->root = descriptor_json(b->d);
	b->mode = json_get(b->root, b->o->headless ? "headless" : "interactive");
	b->instructions = json_get(b->mode, "instructions");
	b->way = descriptor_instructions(b->d, b->o->headless);
	if (!b->mode)
		return err_set(b->err, ERR_REFUSED, "%s cannot run one turn without a terminal.", title(b));
	b->plan->agent = mem_strdup(b->a->name);
	b->plan->harness = mem_strdup(descriptor_name(b->d));
	b->plan->harness_title = mem_strdup(title(b));
	b->plan->sandbox = mem_strdup(b->a->sandbox);
	b->plan->policies = policies(b->a->source);
	b->plan->may = b->a->may;
	return 0;
}

/* The directory */

static char *working_directory(struct err *err)
{
	char dir[PATH_MAX];

	if (getcwd(dir, sizeof(dir)) && dir[0] == '/')
		return mem_strdup(dir);
	err_set(err, ERR_START, "The working directory does not exist any more.");
	err_hint(err, "Name one with -C DIR.");
	return NULL;
}

static int step_dir(struct build *b)
{
	char *dir = b->o->dir ? path_absolute(b->o->dir, b->err) : working_directory(b->err);

	b->plan->dir = dir;
	if (!dir)
		return -1;
	if (access(dir, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(b->err, ERR_START, "The directory %s does not exist.", dir);
	if (!path_is_dir(dir))
		return err_set(b->err, ERR_START, "%s is not a directory.", dir);
	if (access(dir, X_OK) < 0)
		return err_set(
		    b->err, ERR_START, "The directory %s cannot be entered: permission denied.", dir);
	return 0;
}

/* The environment, all but what carries instructions */

void plan_set_variable(struct build *b, const char *name, const char *value)
{
	environment_set(&b->env, name, value);
	environment_set(&b->shown_env, name, value);
}

static void set_variables(struct build *b, const struct json *map)
{
	for (const struct json *n = json_first(map); n; n = json_next(n))
		plan_set_variable(b, json_key(n), json_string(n, ""));
}

static void unset_variables(struct build *b)
{
	for (const struct json *n = json_first(json_path(b->root, "environment.unset")); n; n = json_next(n))
		environment_unset(&b->env, json_string(n, ""));
	for (size_t i = 0; b->a->unset_env[i]; i++)
		environment_unset(&b->env, b->a->unset_env[i]);
}

static int put_extra(struct build *b)
{
	for (size_t i = 0; b->o->extra_env && b->o->extra_env[i]; i++) {
		const char *s = b->o->extra_env[i];

		AUTO_FREE char *name = mem_strndup(s, strcspn(s, "="));

		if (!environment_is_assignment(s) || environment_is_ours(name))
			return err_set(
			    b->err, ERR_USAGE, "\"%s\" is no variable that can be set: write NAME=VALUE.", s);
		environment_put(&b->env, s);
	}
	return 0;
}

static void put_port(struct build *b)
{
	if (b->o->port_count == 0)
		return;
	AUTO_FREE char *number = mem_printf("%d", b->o->ports[0].number);
	environment_set(&b->env, "HANDLER_PORT", number);
}

/* The user's own settings come last, but for what the pane is. */
static int step_environment(struct build *b)
{
	environment_init(&b->env, b->o->environ);
	unset_variables(b);
	environment_set(&b->env, "TERM", "xterm-256color");
	environment_set(&b->env, "COLORTERM", "truecolor");
	set_variables(b, json_path(b->root, "environment.set"));
	if (plan_settings_environment(b) < 0)
		return -1;
	for (size_t i = 0; b->a->env[i]; i++) {
		AUTO_BUF text = BUF_INIT;

		ports_expand(&text, b->a->env[i], b->o->ports, b->o->port_count);
		environment_put(&b->env, text.data);
	}
	if (put_extra(b) < 0)
		return -1;
	if (b->o->note)
		plan_note(b, "%s", b->o->note);
	environment_set(&b->env, "HANDLER_SESSION", b->o->session_id);
	put_port(b);
	environment_set(&b->env, "PWD", b->plan->dir);
	return 0;
}

/* What ${name} stands for */

static int find_shell(struct build *b)
{
	const char *shell = environment_get(&b->env, "SHELL");

	if (shell && shell[0] == '/' && access(shell, X_OK) == 0) {
		plan_set_value(b, VALUE_SHELL, mem_strdup(shell));
		return 0;
	}
	if (access("/bin/bash", X_OK) < 0)
		return err_set(b->err, ERR_START,
		    "There is no shell to run: SHELL is \"%s\" and /bin/bash is missing.",
		    shell ? shell : "");
	if (shell && *shell)
		plan_note(b, "SHELL is %s, which cannot be executed: /bin/bash runs instead.", shell);
	plan_set_value(b, VALUE_SHELL, mem_strdup("/bin/bash"));
	return 0;
}

static int find_config_dir(struct build *b)
{
	const struct json *config_dir = json_get(b->root, "config_dir");
	const char *set = environment_get(&b->env, json_get_string(config_dir, "variable", ""));
	AUTO_BUF path = BUF_INIT;

	if (!config_dir)
		return 0;
	if (!set || !*set) {
		if (expand(&path, json_get_string(config_dir, "default", ""), &b->values, b->err) < 0)
			return -1;
		set = path.data;
	}
	plan_set_value(b, VALUE_CONFIG_DIR, mem_strdup(set));
	return 0;
}

static void set_instructions(struct build *b)
{
	const char *from = b->a->instructions_path ? b->a->instructions_path : b->a->path;
	AUTO_FREE char *pretty = path_pretty(from ? from : b->a->name);
	struct buf toml = BUF_INIT;

	if (!b->a->instructions)
		return;
	toml_quote(&toml, b->a->instructions);
	plan_set_value(b, VALUE_INSTRUCTIONS_TOML, buf_steal(&toml));
	plan_set_value(b, VALUE_INSTRUCTIONS, mem_printf("<%s>", pretty));
	b->shown_values.of[VALUE_INSTRUCTIONS_TOML] = b->shown_values.of[VALUE_INSTRUCTIONS];
	b->values.of[VALUE_INSTRUCTIONS] = b->a->instructions;
	plan_set_value(b, VALUE_INSTRUCTIONS_FILE, path_join(b->o->session_dir, "instructions.md"));
}

static int step_values(struct build *b)
{
	char *home = path_home(b->err);

	if (!home)
		return -1;
	plan_set_value(b, VALUE_HOME, home);
	plan_set_value(b, VALUE_SESSION, mem_strdup(b->o->session_id));
	plan_set_value(b, VALUE_SESSION_DIR, mem_strdup(b->o->session_dir));
	plan_set_value(b, VALUE_DIR, mem_strdup(b->plan->dir));
	plan_set_value(b, VALUE_AGENT, mem_strdup(b->a->name));
	if (b->o->self)
		plan_set_value(b, VALUE_SELF, mem_strdup(b->o->self));
	if (b->a->model)
		plan_set_value(b, VALUE_MODEL, mem_strdup(b->a->model));
	if (strstr(json_get_string(b->root, "command", ""), "${shell}") && find_shell(b) < 0)
		return -1;
	set_instructions(b);
	return find_config_dir(b);
}

/* Whether the harness takes the instructions */

static int refuse_instructions(struct build *b)
{
	const char *text = descriptor_refusal(b->d, b->o->headless);
	AUTO_BUF why = BUF_INIT;

	if (expand(&why, text, &b->values, b->err) < 0)
		return -1;
	err_set(b->err, ERR_INSTRUCTIONS_UNSUPPORTED,
	    "The agent \"%s\" has instructions, and %s cannot take them%s. %s", b->a->name, title(b),
	    b->o->headless ? "" : " in an interactive session", why.data);
	return err_hint(b->err, "An agent without instructions starts.");
}

static int too_long(struct build *b, size_t len)
{
	err_set(b->err, ERR_INSTRUCTIONS_TOO_LONG,
	    "The instructions of the agent \"%s\" have %zu bytes; %s takes them as an argument, and an "
	    "argument has room "
	    "for %d.",
	    b->a->name, len, title(b), (int)PLAN_TEXT_MAX);
	return err_hint(
	    b->err, "Shorten them, or keep the longer part in a file of the project and name it in them.");
}

static int step_instructions(struct build *b)
{
	char digest[TEXT_DIGEST_SIZE];

	if (!b->a->instructions)
		return 0;
	if (b->way == INSTRUCTIONS_REFUSE)
		return refuse_instructions(b);
	if (b->way == INSTRUCTIONS_ARGV && b->a->instructions_len > PLAN_TEXT_MAX)
		return too_long(b, b->a->instructions_len);
	text_digest(b->a->instructions, b->a->instructions_len, digest);
	b->plan->instructions_hash = mem_strdup(digest);
	if (descriptor_channel(b->d, b->o->headless) == CHANNEL_USER)
		plan_note(b, "The instructions reach %s.", instructions_channel_phrase(CHANNEL_USER));
	if (json_get(b->instructions, "note"))
		plan_note(b, "%s", json_get_string(b->instructions, "note", ""));
	return 0;
}

/* Arguments */

/* Appends the expanded elements of an array to argv, and what is shown of them to shown. */
int plan_add_args(struct build *b, const struct json *array)
{
	for (const struct json *n = json_first(array); n; n = json_next(n)) {
		struct buf arg = BUF_INIT, shown = BUF_INIT;

		if (expand(&arg, json_string(n, ""), &b->values, b->err) < 0 ||
		    expand(&shown, json_string(n, ""), &b->shown_values, b->err) < 0) {
			buf_free(&arg);
			buf_free(&shown);
			return -1;
		}
		strv_take(&b->argv, buf_steal(&arg));
		strv_take(&b->shown, buf_steal(&shown));
	}
	return 0;
}

static void add_plain(struct build *b, char *const *args)
{
	for (size_t i = 0; args && args[i]; i++) {
		strv_add(&b->argv, args[i]);
		strv_add(&b->shown, args[i]);
	}
}

static void add_agents_own(struct build *b)
{
	for (size_t i = 0; b->a->args[i]; i++) {
		AUTO_BUF text = BUF_INIT;

		ports_expand(&text, b->a->args[i], b->o->ports, b->o->port_count);
		strv_add(&b->argv, text.data);
		strv_add(&b->shown, text.data);
	}
}

static int add_instructions(struct build *b)
{
	size_t first = b->argv.count;

	if (!b->a->instructions)
		return 0;
	if (plan_add_args(b, json_get(b->instructions, "args")) < 0)
		return -1;
	for (size_t i = first; i < b->argv.count; i++) {
		if (strlen(b->argv.items[i]) > PLAN_STRING_MAX)
			return too_long(b, b->a->instructions_len);
	}
	return 0;
}

/* The prompt */

static bool matches(const char *pattern, const char *text)
{
	regex_t re;

	if (!pattern || regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	bool found = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

/* What the program is given: the prompt, behind the instructions where they have no other way. */
static char *whole_prompt(const struct build *b)
{
	if (b->a->instructions && b->way == INSTRUCTIONS_FIRST_PROMPT)
		return mem_printf("%s\n\n%s", b->a->instructions, b->o->prompt);
	return mem_strdup(b->o->prompt);
}

static int prompt_too_long(struct build *b, size_t len)
{
	return err_set(b->err, ERR_FAILED,
	    "The prompt has %zu bytes; %s takes it as an argument, which has room for %d.", len, title(b),
	    (int)PLAN_TEXT_MAX);
}

static int give_as_argument(struct build *b, const struct json *prompt, char *text)
{
	b->plan->prompt_way = PROMPT_ARGV;
	plan_set_value(b, VALUE_PROMPT, text);
	return plan_add_args(b, json_get(prompt, "args"));
}

/*
 * As an argument if the harness takes it so: it holds it back behind its own dialogs.  What it would take for
 * an option or a command ("unless"), or has no room for, is typed.
 */
static int add_prompt(struct build *b)
{
	const struct json *prompt = json_get(b->mode, "prompt");
	const char *way = json_get_string(prompt, "way", "typed");

	if (!b->o->prompt || !*b->o->prompt)
		return b->o->headless ? err_set(b->err, ERR_USAGE, "There is no prompt to run.") : 0;
	if (!utf8_valid(b->o->prompt, strlen(b->o->prompt), NULL))
		return err_set(b->err, ERR_USAGE, "The prompt is not UTF-8.");
	char *text = whole_prompt(b);
	bool fits = strlen(text) <= PLAN_TEXT_MAX && !matches(json_get_string(prompt, "unless", NULL), text);
	if (strcmp(way, "argv") == 0 && fits)
		return give_as_argument(b, prompt, text);
	b->plan->prompt = text;
	if (strcmp(way, "argv") == 0 && b->o->headless)
		return prompt_too_long(b, strlen(text));
	b->plan->prompt_way = b->o->headless ? PROMPT_STDIN : PROMPT_TYPED;
	return b->o->headless ? plan_add_args(b, json_get(prompt, "args")) : 0;
}

static int step_argv(struct build *b)
{
	const char *output = b->o->json_output ? "json_args" : "text_args";

	if (plan_add_args(b, json_get(b->root, "args")) < 0 ||
	    plan_add_args(b, json_get(b->mode, "args")) < 0 ||
	    plan_add_args(b, json_get(b->mode, output)) < 0 || plan_settings_arguments(b) < 0)
		return -1;
	if (b->a->model && plan_add_args(b, json_path(b->root, "model.args")) < 0)
		return -1;
	if (add_instructions(b) < 0 || plan_add_conversation(b) < 0 || add_prompt(b) < 0)
		return -1;
	add_agents_own(b);
	add_plain(b, b->o->extra_args);
	return 0;
}

/* Files */

/* Takes path and data. */
static void add_file(struct plan *p, char *path, char *data, size_t len)
{
	p->files = mem_realloc(p->files, p->file_count + 1, sizeof(*p->files));
	p->files[p->file_count++] = (struct plan_file){.path = path, .data = data, .len = len, .mode = 0600};
}

static int step_files(struct build *b)
{
	if (!b->a->instructions)
		return 0;
	if (b->way == INSTRUCTIONS_FILE || b->way == INSTRUCTIONS_ENV)
		add_file(b->plan, mem_strdup(b->values.of[VALUE_INSTRUCTIONS_FILE]),
		    mem_strdup(b->a->instructions), b->a->instructions_len);
	for (const struct json *n = json_first(json_get(b->instructions, "files")); n; n = json_next(n)) {
		AUTO_BUF path = BUF_INIT;
		struct buf text = BUF_INIT;

		if (expand(&path, json_get_string(n, "path", ""), &b->values, b->err) < 0 ||
		    expand(&text, json_get_string(n, "text", ""), &b->values, b->err) < 0) {
			buf_free(&text);
			return -1;
		}
		size_t len = text.len;
		add_file(b->plan, path_join(b->o->session_dir, path.data), buf_steal(&text), len);
	}
	return 0;
}

/* The program */

static int step_program(struct build *b)
{
	AUTO_BUF command = BUF_INIT;
	struct err found = ERR_INIT;

	if (expand(&command, json_get_string(b->root, "command", ""), &b->values, b->err) < 0)
		return -1;
	b->plan->program =
	    path_find_program(command.data, environment_get(&b->env, "PATH"), b->plan->dir, &found);
	strv_add(&b->argv, command.data);
	strv_add(&b->shown, command.data);
	if (b->plan->program)
		return 0;
	err_set(b->err, ERR_NOT_INSTALLED, "%s is not installed: %s", title(b), found.message);
	if (descriptor_install(b->d))
		err_hint(b->err, "%s", descriptor_install(b->d));
	return -1;
}

/* Sizes: what execve would refuse with E2BIG and no word about the cause */

static int check_string(struct build *b, const char *kind, const char *s)
{
	size_t len = strlen(s);

	if (len <= PLAN_STRING_MAX)
		return 0;
	return err_set(b->err, ERR_START,
	    "The %s \"%.32s...\" has %zu bytes; the kernel takes at most %d in one argument or variable.",
	    kind, s, len, (int)PLAN_STRING_MAX);
}

static int step_sizes(struct build *b)
{
	long room = sysconf(_SC_ARG_MAX);
	size_t total = 0;

	for (size_t i = 0; i < b->argv.count; i++) {
		if (check_string(b, "argument", b->argv.items[i]) < 0)
			return -1;
		total += strlen(b->argv.items[i]) + 1 + sizeof(char *);
	}
	for (size_t i = 0; i < b->env.count; i++) {
		if (check_string(b, "variable", b->env.items[i]) < 0)
			return -1;
		total += strlen(b->env.items[i]) + 1 + sizeof(char *);
	}
	if (room > 0 && total + 4096 > (size_t)room)
		return err_set(b->err, ERR_START,
		    "Arguments and environment together have %zu bytes; the kernel takes at most %ld.", total,
		    room);
	return 0;
}

/* What others must know */

static void copy_setting(struct json *settings, const char *key, const struct json *value)
{
	if (value)
		json_set(settings, key, json_copy(value));
}

static int step_settings(struct build *b)
{
	const struct json *status = json_get(b->root, "status");
	struct json *settings = json_new_object();

	copy_setting(settings, "newline", json_path(b->root, "keys.newline"));
	copy_setting(settings, "interrupt", json_path(b->root, "keys.interrupt"));
	copy_setting(settings, "exit", json_path(b->root, "keys.exit"));
	copy_setting(settings, "transcript", json_path(b->root, "keys.transcript"));
	copy_setting(settings, "stop", json_get(b->root, "stop"));
	copy_setting(settings, "on_exit", json_get(b->root, "on_exit"));
	copy_setting(settings, "screen", json_get(b->root, "screen"));
	b->plan->settings = settings;
	b->plan->status_rules = json_copy(status);
	return plan_settings_for_session(b, settings);
}

/* Said first: it is the one thing that nobody should overlook. */
static int step_isolation(struct build *b)
{
	struct buf text = BUF_INIT;
	char **list = credentials_find(json_get(b->root, "login"), &b->env, &b->values);
	size_t count = strv_count(list);

	b->plan->credentials = list;
	buf_printf(&text, "no sandbox: %s runs as you and can read all that you can", title(b));
	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%s%s", i == 0 ? ", among it " : i + 1 == count ? " and " : ", ", list[i]);
	strv_take(&b->notes, buf_steal(&text));
	for (size_t i = b->notes.count - 1; i > 0; i--) {
		char *last = b->notes.items[i];

		b->notes.items[i] = b->notes.items[i - 1];
		b->notes.items[i - 1] = last;
	}
	return 0;
}

static int run_steps(struct build *b)
{
	static int (*const steps[])(struct build *) = {
	    step_mode,
	    step_dir,
	    step_environment,
	    step_values,
	    step_instructions,
	    step_program,
	    step_argv,
	    plan_carriers,
	    step_files,
	    step_sizes,
	    step_settings,
	    step_isolation,
	};

	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		if (steps[i](b) < 0)
			return -1;
	}
	return 0;
}

struct plan *plan_make(
    const struct descriptor *d, const struct agent *a, const struct plan_options *o, struct err *err)
{
	struct build b = {.d = d, .a = a, .o = o, .err = err, .plan = mem_zalloc(1, sizeof(struct plan))};
	int rc = run_steps(&b);

	b.plan->argv = strv_steal(&b.argv);
	b.plan->shown = strv_steal(&b.shown);
	b.plan->env = strv_steal(&b.env);
	b.plan->shown_env = strv_steal(&b.shown_env);
	b.plan->notes = strv_steal(&b.notes);
	strv_finish(&b.owned);
	if (rc == 0)
		return b.plan;
	plan_destroy(b.plan);
	return NULL;
}
