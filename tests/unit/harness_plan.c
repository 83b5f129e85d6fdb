/* harness/plan: what is executed for each harness, what is refused, and carrying a plan to another process.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>

#include "base/buf.h"
#include "harness/plan.h"
#include "harness_home.h"

static struct harness_set set;
static char *session_dir, *project;
static char path_variable[128], home_variable[128];

/* The caller's environment of a test; further variables behind the first three. */
static char *environment[16];

static const char *const programs[] = {
    "claude", "codex", "opencode", "pi", "gemini", "qwen", "copilot", "vibe"};

static int enter(void **state)
{
	if (home_enter(state) < 0 || harness_set_load(&set, NULL) < 0)
		return -1;
	for (size_t i = 0; i < COUNT_OF(programs); i++)
		home_program(programs[i]);
	session_dir = home_path("session");
	project = home_path("project");
	snprintf(path_variable, sizeof(path_variable), "PATH=%s/bin", home);
	snprintf(home_variable, sizeof(home_variable), "HOME=%s", home);
	memset(environment, 0, sizeof(environment));
	environment[0] = path_variable;
	environment[1] = home_variable;
	environment[2] = "SHELL=/bin/sh";
	return 0;
}

static int leave(void **state)
{
	free(session_dir);
	free(project);
	harness_set_finish(&set);
	return home_leave(state);
}

static struct plan_options options(void)
{
	return (struct plan_options){
	    .session_id = "a1b2c3",
	    .session_dir = session_dir,
	    .dir = project,
	    .environ = environment,
	    .self = "/usr/bin/env",
	};
}

static struct plan *plan_for(const struct agent *a, const struct plan_options *o, struct err *err)
{
	const struct descriptor *d = harness_set_find(&set, a->harness, NULL);

	assert_non_null(d);
	return plan_make(d, a, o, err);
}

/* An agent file's text, or the built-in agent of a harness. */
static struct agent *agent_of(const char *text)
{
	struct err err = ERR_INIT;
	struct agent *a;

	if (text[0] == '{')
		home_text(".config/handler/agents/reviewer.json", text);
	a = agent_load(text[0] == '{' ? "reviewer" : text, &set, &err);
	if (!a)
		fail_msg("%s", err.message);
	return a;
}

static struct plan *plan_of(const char *agent, const struct plan_options *o)
{
	struct agent *a = agent_of(agent);
	struct err err = ERR_INIT;
	struct plan *p = plan_for(a, o, &err);

	if (!p)
		fail_msg("%s: %s", agent, err.message);
	agent_destroy(a);
	return p;
}

static void expect_refusal(
    const char *agent, const struct plan_options *o, enum err_code code, const char *message)
{
	struct agent *a = agent_of(agent);
	struct err err = ERR_INIT;
	struct plan *p = plan_for(a, o, &err);

	if (p || err.code != code || !strstr(err.message, message))
		fail_msg("%s: %s: %s", agent, err_code_name(err.code), err.message);
	agent_destroy(a);
}

static const char *variable(const struct plan *p, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; p->env[i]; i++) {
		if (strncmp(p->env[i], name, len) == 0 && p->env[i][len] == '=')
			return p->env[i] + len + 1;
	}
	return NULL;
}

/* argv behind argv[0] as one string, '|' between; the session's directory and a conversation's id by a name.
 */
static char *arguments(const struct plan *p)
{
	struct buf out = BUF_INIT;

	for (size_t i = 1; p->argv[i]; i++) {
		const char *s = p->argv[i];
		const char *at = strstr(s, session_dir);

		buf_adds(&out, i > 1 ? "|" : "");
		if (p->conversation && strcmp(s, p->conversation) == 0)
			buf_adds(&out, "ID");
		else if (at)
			buf_printf(&out, "%.*sDIR%s", (int)(at - s), s, at + strlen(session_dir));
		else
			buf_adds(&out, s);
	}
	return buf_steal(&out);
}

static void expect_arguments(const struct plan *p, const char *expected)
{
	AUTO_FREE char *found = arguments(p);

	assert_string_equal(found, expected);
}

static bool holds(char *const *list, const char *part)
{
	for (size_t i = 0; list[i]; i++) {
		if (strstr(list[i], part))
			return true;
	}
	return false;
}

#define INSTRUCTED(harness)                                                                                  \
	"{\"harness\": \"" harness                                                                           \
	"\", \"instructions\": \"You --review \\\"all\\\" $HOME\\nü \\uD83D\\uDE00\"}"
static const char instructions[] = "You --review \"all\" $HOME\nü \U0001F600";

static void a_plan_without_anything(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of("claude", &o);
	AUTO_FREE char *program = home_path("bin/claude");

	(void)state;
	assert_string_equal(p->agent, "claude-code");
	assert_string_equal(p->harness, "claude-code");
	assert_string_equal(p->harness_title, "Claude Code");
	assert_string_equal(p->program, program);
	assert_string_equal(p->argv[0], "claude");
	expect_arguments(p, "--session-id|ID");
	assert_string_equal(p->dir, project);
	assert_int_equal(p->file_count, 0);
	assert_int_equal(p->prompt_way, PROMPT_NONE);
	assert_null(p->instructions_hash);
	assert_string_equal(p->sandbox, "none");
	assert_false(p->resumed);
	plan_destroy(p);
	plan_destroy(NULL);
}

static void a_conversation_gets_a_uuid(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of("claude", &o), *q = plan_of("claude", &o);
	const char *id = p->conversation;

	(void)state;
	assert_int_equal(strlen(id), 36);
	for (size_t i = 0; i < 36; i++)
		assert_true(
		    i == 8 || i == 13 || i == 18 || i == 23 ? id[i] == '-' : isxdigit((unsigned char)id[i]));
	assert_int_equal(id[14], '4');
	assert_non_null(strchr("89ab", id[19]));
	assert_string_not_equal(id, q->conversation);
	plan_destroy(p);
	plan_destroy(q);
}

static void expect_file(const struct plan *p, const char *name, const char *data)
{
	AUTO_FREE char *path = path_join(session_dir, name);

	assert_int_equal(p->file_count, 1);
	assert_string_equal(p->files[0].path, path);
	assert_int_equal(p->files[0].mode, 0600);
	assert_int_equal(p->files[0].len, strlen(data));
	assert_string_equal(p->files[0].data, data);
}

/* Each harness takes them its own way, exactly. */

static void instructions_of_claude_code(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of(INSTRUCTED("claude"), &o);

	(void)state;
	expect_arguments(p, "--append-system-prompt-file|DIR/instructions.md|--session-id|ID");
	expect_file(p, "instructions.md", instructions);
	assert_int_equal(strlen(p->instructions_hash), 32);
	plan_destroy(p);
}

static void instructions_of_codex(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of(INSTRUCTED("codex"), &o);

	(void)state;
	expect_arguments(p, "--no-daemon|-c|analytics.enabled=false|-c|check_for_update_on_startup=false|-c|"
			    "developer_instructions=\"You --review \\\"all\\\" $HOME\\nü \U0001F600\"");
	assert_int_equal(p->file_count, 0);
	assert_null(p->conversation);
	plan_destroy(p);
}

static void instructions_of_opencode(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of(INSTRUCTED("opencode"), &o);
	AUTO_FREE char *content = mem_printf("{\"instructions\":[\"%s/instructions.md\"]}", session_dir);

	(void)state;
	expect_arguments(p, "");
	expect_file(p, "instructions.md", instructions);
	assert_string_equal(variable(p, "OPENCODE_CONFIG_CONTENT"), content);
	plan_destroy(p);
}

/* The user's own variable goes on saying what it said. */
static void opencode_with_a_variable_of_the_users(void **state)
{
	struct plan_options o = options();
	struct plan *p;
	AUTO_FREE char *content =
	    mem_printf("{\"model\":\"a/b\",\"instructions\":[\"x.md\",\"%s/instructions.md\"]}", session_dir);

	(void)state;
	environment[3] = "OPENCODE_CONFIG_CONTENT={\"model\": \"a/b\", \"instructions\": [\"x.md\"]}";
	p = plan_of(INSTRUCTED("opencode"), &o);
	assert_string_equal(variable(p, "OPENCODE_CONFIG_CONTENT"), content);
	plan_destroy(p);
	environment[3] = "OPENCODE_CONFIG_CONTENT={nonsense";
	expect_refusal(INSTRUCTED("opencode"), &o, ERR_REFUSED,
	    "OPENCODE_CONFIG_CONTENT is set to something that is not a JSON object");
	environment[3] = "OPENCODE_CONFIG_CONTENT={\"instructions\": \"x.md\"}";
	expect_refusal(INSTRUCTED("opencode"), &o, ERR_REFUSED, "is not an array");
	p = plan_of("opencode", &o);
	assert_string_equal(variable(p, "OPENCODE_CONFIG_CONTENT"), "{\"instructions\": \"x.md\"}");
	plan_destroy(p);
}

static void instructions_of_pi(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of(INSTRUCTED("pi"), &o);

	(void)state;
	expect_arguments(p, "--append-system-prompt|DIR/instructions.md|--session-id|ID");
	expect_file(p, "instructions.md", instructions);
	plan_destroy(p);
}

static void instructions_of_gemini(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of(INSTRUCTED("gemini"), &o);

	(void)state;
	expect_arguments(p, "--include-directories|DIR/gemini");
	expect_file(p, "gemini/GEMINI.md", instructions);
	assert_true(holds(p->notes, "The instructions reach the first user turn, not the system prompt."));
	plan_destroy(p);
}

static void instructions_of_qwen(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of(INSTRUCTED("qwen"), &o);
	AUTO_FREE char *expected = mem_printf("--append-system-prompt=\"%s\"|--session-id|ID", instructions);

	(void)state;
	expect_arguments(p, expected);
	plan_destroy(p);
}

static void instructions_of_copilot(void **state)
{
	struct plan_options o = options();
	AUTO_FREE char *file = mem_printf("---\napplyTo: \"**\"\n---\n%s", instructions);
	AUTO_FREE char *dir = mem_printf("%s/copilot", session_dir);
	AUTO_FREE char *dirs = mem_printf("/mine,%s", dir);
	struct plan *p = plan_of(INSTRUCTED("copilot"), &o);

	(void)state;
	expect_arguments(p, "--disable-client-telemetry|--session-id|ID");
	expect_file(p, "copilot/.github/instructions/handler.instructions.md", file);
	assert_string_equal(variable(p, "COPILOT_CUSTOM_INSTRUCTIONS_DIRS"), dir);
	assert_string_equal(variable(p, "COPILOT_MULTIPLEXER"), "none");
	plan_destroy(p);
	environment[3] = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS=/mine";
	p = plan_of(INSTRUCTED("copilot"), &o);
	assert_string_equal(variable(p, "COPILOT_CUSTOM_INSTRUCTIONS_DIRS"), dirs);
	plan_destroy(p);
}

/* Refused before anything exists, with the way that works; without instructions it starts. */
static void vibe_is_refused_with_instructions(void **state)
{
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	expect_refusal(INSTRUCTED("vibe"), &o, ERR_INSTRUCTIONS_UNSUPPORTED, "handler run reviewer PROMPT");
	expect_refusal(INSTRUCTED("vibe"), &o, ERR_INSTRUCTIONS_UNSUPPORTED,
	    "The agent \"reviewer\" has instructions, and Mistral Vibe cannot take them in an interactive "
	    "session.");
	assert_int_equal(err_exit_status(ERR_INSTRUCTIONS_UNSUPPORTED), 3);
	p = plan_of("vibe", &o);
	expect_arguments(p, "");
	plan_destroy(p);

	o.headless = true;
	o.prompt = "--go";
	p = plan_of(INSTRUCTED("vibe"), &o);
	AUTO_FREE char *prompt = mem_printf("%s\n\n--go", instructions);
	expect_arguments(p, "-p|--output|text");
	assert_int_equal(p->prompt_way, PROMPT_STDIN);
	assert_string_equal(p->prompt, prompt);
	plan_destroy(p);
}

static void a_shell_follows_no_instructions(void **state)
{
	struct plan_options o = options();

	(void)state;
	expect_refusal(
	    INSTRUCTED("shell"), &o, ERR_INSTRUCTIONS_UNSUPPORTED, "A shell follows no instructions.");
}

/* {"harness": HARNESS, "instructions_file": a file of len bytes of c} */
static char *long_agent(const char *harness, size_t len, char c)
{
	AUTO_FREE char *text = mem_alloc(len);

	memset(text, c, len);
	home_write(".config/handler/agents/long.md", text, len, 0600);
	return mem_printf("{\"harness\": \"%s\", \"instructions_file\": \"long.md\"}", harness);
}

static void a_megabyte_goes_by_file(void **state)
{
	static const char *const names[] = {"claude", "opencode", "pi", "gemini", "copilot"};
	struct plan_options o = options();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		AUTO_FREE char *agent = long_agent(names[i], 1 << 20, 'x');
		struct plan *p = plan_of(agent, &o);

		assert_int_equal(p->file_count, 1);
		assert_in_range(p->files[0].len, 1 << 20, (1 << 20) + 64);
		plan_destroy(p);
	}
}

static void an_argument_has_an_end(void **state)
{
	static const char *const names[] = {"codex", "qwen"};
	struct plan_options o = options();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		AUTO_FREE char *fits = long_agent(names[i], PLAN_TEXT_MAX, 'x');
		struct plan *p = plan_of(fits, &o);

		plan_destroy(p);
		AUTO_FREE char *longer = long_agent(names[i], PLAN_TEXT_MAX + 1, 'x');
		expect_refusal(longer, &o, ERR_INSTRUCTIONS_TOO_LONG, "have 122881 bytes");
	}
	/* Short enough as a text, too long with the escapes of TOML. */
	AUTO_FREE char *quotes = long_agent("codex", 100 << 10, '"');
	expect_refusal(quotes, &o, ERR_INSTRUCTIONS_TOO_LONG, "have 102400 bytes");
	assert_int_equal(err_exit_status(ERR_INSTRUCTIONS_TOO_LONG), 3);
}

/* Prompts */

static void expect_prompt(const char *harness, const char *prompt, enum prompt_way way, const char *args)
{
	struct plan_options o = options();
	struct plan *p;

	o.prompt = prompt;
	p = plan_of(harness, &o);
	AUTO_FREE char *found = arguments(p);
	size_t len = strlen(found), tail = strlen(args);
	if (p->prompt_way != way || len < tail || strcmp(found + len - tail, args) != 0)
		fail_msg("%s: way %d: %s", harness, (int)p->prompt_way, found);
	if (way == PROMPT_TYPED)
		assert_string_equal(p->prompt, prompt);
	plan_destroy(p);
}

static void a_first_prompt(void **state)
{
	(void)state;
	expect_prompt("claude", "fix the test", PROMPT_ARGV, "|fix the test");
	expect_prompt("codex", "fix \"it\"\nnow", PROMPT_ARGV, "|fix \"it\"\nnow");
	expect_prompt("opencode", "-fix", PROMPT_ARGV, "--prompt=\"-fix\"");
	expect_prompt("gemini", "fix", PROMPT_TYPED, "");
	expect_prompt("qwen", "fix", PROMPT_ARGV, "|--prompt-interactive=\"fix\"");
	expect_prompt("copilot", "-fix", PROMPT_ARGV, "|--interactive=-fix");
	expect_prompt("vibe", "fix", PROMPT_ARGV, "fix");
	expect_prompt("shell", "make test", PROMPT_TYPED, "");
}

/* What a program would take for an option, a command or a file is typed. */
static void a_first_prompt_that_is_no_argument(void **state)
{
	AUTO_FREE char *longer = mem_zalloc(1, PLAN_TEXT_MAX + 2);

	(void)state;
	expect_prompt("claude", "doctor", PROMPT_TYPED, "--session-id|ID");
	expect_prompt("claude", "--version please", PROMPT_TYPED, "--session-id|ID");
	expect_prompt("codex", "resume", PROMPT_TYPED, "check_for_update_on_startup=false");
	expect_prompt("codex", "- a list\n- of things", PROMPT_TYPED, "check_for_update_on_startup=false");
	expect_prompt("pi", "@secrets.txt read it", PROMPT_TYPED, "--session-id|ID");
	expect_prompt("vibe", "-p x", PROMPT_TYPED, "");
	memset(longer, 'x', PLAN_TEXT_MAX + 1);
	longer[3] = ' ';
	expect_prompt("claude", longer, PROMPT_TYPED, "--session-id|ID");
	expect_prompt("qwen", longer, PROMPT_TYPED, "--session-id|ID");
}

/* In headless mode it goes to standard input: no dash, word or length matters. */
static void a_headless_prompt(void **state)
{
	static const struct {
		const char *harness, *text, *json;
	} cases[] = {
	    {"claude", "-p|--output-format|text", "-p|--output-format|stream-json|--verbose"},
	    {"codex", "exec|-c|analytics.enabled=false|-c|check_for_update_on_startup=false|-",
		"exec|--json|-c|analytics.enabled=false|-c|check_for_update_on_startup=false|-"},
	    {"opencode", "run", "run|--format|json"},
	    {"pi", "-p|--mode|text", "-p|--mode|json"},
	    {"gemini", "-o|text", "-o|stream-json"},
	    {"qwen", "-o|text", "-o|stream-json"},
	    {"copilot", "-s|--disable-client-telemetry",
		"-s|--output-format|json|--disable-client-telemetry"},
	    {"vibe", "-p|--output|text", "-p|--output|streaming"},
	    {"demo", "demo-agent|--print", "demo-agent|--print|--json"},
	};
	struct plan_options o = options();

	(void)state;
	o.headless = true;
	o.prompt = "--resume";
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (int json = 0; json < 2; json++) {
			o.json_output = json;
			struct plan *p = plan_of(cases[i].harness, &o);

			expect_arguments(p, json ? cases[i].json : cases[i].text);
			assert_int_equal(p->prompt_way, PROMPT_STDIN);
			assert_string_equal(p->prompt, "--resume");
			assert_null(p->conversation);
			plan_destroy(p);
		}
	}
	o.prompt = NULL;
	expect_refusal("claude", &o, ERR_USAGE, "There is no prompt to run.");
	expect_refusal("shell", &o, ERR_REFUSED, "cannot run one turn");
}

static void a_prompt_that_is_no_text(void **state)
{
	struct plan_options o = options();

	(void)state;
	o.prompt = "caf\xE9";
	expect_refusal("claude", &o, ERR_USAGE, "The prompt is not UTF-8.");
}

/* Models, arguments */

static void models(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of("{\"harness\": \"claude\", \"model\": \"opus\"}", &o);

	(void)state;
	expect_arguments(p, "--model|opus|--session-id|ID");
	plan_destroy(p);
	p = plan_of("{\"harness\": \"vibe\", \"model\": \"devstral\"}", &o);
	expect_arguments(p, "");
	assert_string_equal(variable(p, "VIBE_ACTIVE_MODEL"), "devstral");
	plan_destroy(p);
}

/* The user's own arguments stand last: an option that takes several words would swallow the prompt. */
static void arguments_of_the_user(void **state)
{
	static char *const extra[] = {"--verbose", "x y", NULL};
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	o.extra_args = extra;
	o.prompt = "do it";
	p = plan_of("{\"harness\": \"claude\", \"args\": [\"--allowedTools\", \"Bash\"]}", &o);
	expect_arguments(p, "--session-id|ID|do it|--allowedTools|Bash|--verbose|x y");
	plan_destroy(p);
}

/* Shells */

static void the_users_shell(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of("{\"harness\": \"shell\", \"args\": [\"-c\", \"exec make\"]}", &o);

	(void)state;
	assert_string_equal(p->program, "/bin/sh");
	expect_arguments(p, "-c|exec make");
	assert_true(json_get_bool(p->status_rules, "foreground", false));
	assert_string_equal(json_get_string(p->settings, "on_exit", ""), "keep");
	plan_destroy(p);
}

static void without_a_shell_bash_runs(void **state)
{
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	environment[2] = "SHELL=/usr/bin/no-such-shell";
	p = plan_of("shell", &o);
	assert_string_equal(p->program, "/bin/bash");
	assert_true(holds(p->notes, "/usr/bin/no-such-shell"));
	plan_destroy(p);
	environment[2] = "SHELL=sh";
	p = plan_of("shell", &o);
	assert_string_equal(p->program, "/bin/bash");
	plan_destroy(p);
	environment[2] = NULL;
	p = plan_of("shell", &o);
	assert_string_equal(p->program, "/bin/bash");
	assert_false(holds(p->notes, "SHELL"));
	plan_destroy(p);
}

static void the_demo_is_ourselves(void **state)
{
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	o.prompt = "-approve";
	p = plan_of(INSTRUCTED("demo"), &o);
	assert_string_equal(p->program, "/usr/bin/env");
	expect_arguments(
	    p, "demo-agent|--instructions-file|DIR/instructions.md|--conversation|ID|--prompt|-approve");
	plan_destroy(p);
}

/* Environment */

static void what_a_pane_is_told(void **state)
{
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	environment[3] = "TERM=screen";
	environment[4] = "HANDLER_SESSION=zzzzzz";
	environment[5] = "TMUX=x";
	environment[6] = "CLAUDECODE=1";
	environment[7] = "PWD=/somewhere";
	p = plan_of("claude", &o);
	assert_string_equal(variable(p, "TERM"), "xterm-256color");
	assert_string_equal(variable(p, "COLORTERM"), "truecolor");
	assert_string_equal(variable(p, "HANDLER_SESSION"), "a1b2c3");
	assert_string_equal(variable(p, "PWD"), project);
	assert_string_equal(variable(p, "SHELL"), "/bin/sh");
	assert_null(variable(p, "TMUX"));
	assert_null(variable(p, "CLAUDECODE"));
	plan_destroy(p);
}

static void privacy(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of("claude", &o);

	(void)state;
	assert_string_equal(variable(p, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"), "1");
	plan_destroy(p);
	p = plan_of("{\"harness\": \"claude\", \"privacy\": \"reduced\"}", &o);
	assert_null(variable(p, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"));
	assert_string_equal(variable(p, "DISABLE_AUTOUPDATER"), "1");
	plan_destroy(p);
	p = plan_of("{\"harness\": \"claude\", \"privacy\": \"off\"}", &o);
	assert_null(variable(p, "DISABLE_AUTOUPDATER"));
	assert_true(holds(p->notes, "Claude Code may send usage data"));
	plan_destroy(p);
}

static void variables_of_the_user(void **state)
{
	static char *const extra[] = {"B=3", "TERM=dumb", NULL};
	static char *const bad[] = {"HANDLER_SESSION=x", NULL}, *const none[] = {"B", NULL};
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	environment[3] = "SECRET_X=1";
	o.extra_env = extra;
	p = plan_of(
	    "{\"harness\": \"claude\", \"env\": {\"A\": \"1\", \"B\": \"2\"}, \"unset_env\": [\"SECRET_*\"]}",
	    &o);
	assert_string_equal(variable(p, "A"), "1");
	assert_string_equal(variable(p, "B"), "3");
	assert_string_equal(variable(p, "TERM"), "dumb");
	assert_null(variable(p, "SECRET_X"));
	plan_destroy(p);
	o.extra_env = bad;
	expect_refusal("claude", &o, ERR_USAGE, "no variable that can be set");
	o.extra_env = none;
	expect_refusal("claude", &o, ERR_USAGE, "write NAME=VALUE");
}

static void a_path_of_the_agents_own(void **state)
{
	struct plan_options o = options();
	AUTO_FREE char *agent =
	    mem_printf("{\"harness\": \"claude\", \"env\": {\"PATH\": \"%s/other\"}}", home);
	AUTO_FREE char *program = home_path("other/claude");
	struct plan *p;

	(void)state;
	home_write("other/claude", "#!/bin/sh\n", 10, 0755);
	p = plan_of(agent, &o);
	assert_string_equal(p->program, program);
	plan_destroy(p);
}

/* Credentials: names, never values */

static void credentials(void **state)
{
	static const char *const names[] = {
	    "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "~/.claude/.credentials.json", "~/.netrc"};
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	environment[3] = "ANTHROPIC_API_KEY=sk-value";
	environment[4] = "GITHUB_TOKEN=gh-value";
	environment[5] = "CLAUDE_CODE_OAUTH_TOKEN=";
	environment[6] = "SSH_AUTH_SOCK=/run/agent";
	environment[7] = "MAX_TOKENS=5";
	home_text(".claude/.credentials.json", "{}");
	home_text(".netrc", "x");
	p = plan_of("claude", &o);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_string_equal(p->credentials[i], names[i]);
	assert_null(p->credentials[COUNT_OF(names)]);
	assert_string_equal(p->notes[0], "no sandbox: Claude Code runs as you and can read all that you can, "
					 "among it ANTHROPIC_API_KEY, GITHUB_TOKEN, "
					 "SSH_AUTH_SOCK, ~/.claude/.credentials.json and ~/.netrc");
	plan_destroy(p);
}

static void a_configuration_directory_of_the_users(void **state)
{
	struct plan_options o = options();
	AUTO_FREE char *assignment = mem_printf("CODEX_HOME=%s/codex", home);
	struct plan *p;

	(void)state;
	environment[3] = assignment;
	home_text("codex/auth.json", "{}");
	p = plan_of("codex", &o);
	assert_string_equal(p->credentials[0], "~/codex/auth.json");
	plan_destroy(p);
}

/* Resuming */

static struct json *former(const char *conversation, const char *hash)
{
	struct json *j = json_new_object();

	json_set_string(j, "conversation", conversation);
	json_set_string(j, "instructions_hash", hash);
	return j;
}

static void a_conversation_is_resumed(void **state)
{
	static const struct {
		const char *harness, *arguments;
	} cases[] = {
	    {"claude", "--resume|ID"},
	    {"codex",
		"--no-daemon|-c|analytics.enabled=false|-c|check_for_update_on_startup=false|resume|ID"},
	    {"opencode", "--session|ID"},
	    {"pi", "--session-id|ID"},
	    {"gemini", "--resume|ID"},
	    {"qwen", "--resume|ID"},
	    {"copilot", "--disable-client-telemetry|--resume=the-id"},
	    {"vibe", "--resume|ID"},
	    {"demo", "demo-agent|--resume|ID"},
	};
	struct plan_options o = options();
	struct json *record = former("the-id", NULL);

	(void)state;
	o.resume = record;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan *p = plan_of(cases[i].harness, &o);

		expect_arguments(p, cases[i].arguments);
		assert_string_equal(p->conversation, "the-id");
		assert_true(p->resumed);
		assert_int_equal(strv_count(p->notes), 1);
		plan_destroy(p);
	}
	json_free(record);
}

/* Never silently the old ones. */
static void changed_instructions_of_a_resumed_conversation(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of(INSTRUCTED("claude"), &o);
	struct json *same = former("the-id", p->instructions_hash), *other = former("the-id", "0123"),
		    *none = former("the-id", NULL);

	(void)state;
	plan_destroy(p);
	o.resume = same;
	p = plan_of(INSTRUCTED("claude"), &o);
	expect_arguments(p, "--append-system-prompt-file|DIR/instructions.md|--resume|ID");
	plan_destroy(p);
	o.resume = other;
	p = plan_of(INSTRUCTED("claude"), &o);
	expect_arguments(
	    p, "--append-system-prompt-file|DIR/instructions.md|--resume|ID|--system-prompt-snapshot|off");
	plan_destroy(p);
	p = plan_of("claude", &o);
	expect_arguments(p, "--resume|ID|--system-prompt-snapshot|off");
	plan_destroy(p);

	p = plan_of(INSTRUCTED("codex"), &o);
	assert_true(holds(p->notes, "The conversation goes on with the instructions it began with"));
	plan_destroy(p);
	o.resume = none;
	p = plan_of(INSTRUCTED("codex"), &o);
	assert_true(holds(p->notes, "The conversation goes on with the instructions it began with"));
	plan_destroy(p);
	o.resume = other;
	p = plan_of(INSTRUCTED("pi"), &o);
	assert_false(holds(p->notes, "The conversation"));
	plan_destroy(p);
	json_free(same);
	json_free(other);
	json_free(none);
}

static void what_cannot_be_resumed_is_new(void **state)
{
	struct plan_options o = options();
	struct json *record = former(NULL, NULL);
	struct plan *p;

	(void)state;
	o.resume = record;
	p = plan_of("claude", &o);
	expect_arguments(p, "--session-id|ID");
	assert_false(p->resumed);
	assert_true(holds(p->notes, "The conversation of the former run is not known: this is a new one."));
	plan_destroy(p);
	p = plan_of("shell", &o);
	assert_true(holds(p->notes, "Shell cannot resume a conversation: this is a new one."));
	plan_destroy(p);
	json_free(record);
}

/* Starts that cannot be */

static void no_such_program(void **state)
{
	struct plan_options o = options();
	struct agent *a = agent_of("claude");
	AUTO_FREE char *program = home_path("bin/claude");
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(unlink(program), 0);
	assert_null(plan_for(a, &o, &err));
	assert_int_equal(err.code, ERR_NOT_INSTALLED);
	assert_int_equal(strncmp(err.message, "Claude Code is not installed: ", 30), 0);
	assert_non_null(strstr(err.message, "claude"));
	assert_string_equal(err.hint, "Install it with: npm install -g @anthropic-ai/claude-code");
	agent_destroy(a);
}

static void no_such_directory(void **state)
{
	struct plan_options o = options();
	AUTO_FREE char *gone = home_path("gone"), *file = home_path("file");

	(void)state;
	o.dir = gone;
	expect_refusal("claude", &o, ERR_START, "/gone does not exist.");
	home_text("file", "");
	o.dir = file;
	expect_refusal("claude", &o, ERR_START, "/file is not a directory.");
}

static void the_working_directory(void **state)
{
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	assert_int_equal(chdir(project), 0);
	o.dir = NULL;
	p = plan_of("claude", &o);
	assert_string_equal(p->dir, project);
	plan_destroy(p);
	assert_int_equal(rmdir(project), 0);
	expect_refusal("claude", &o, ERR_START, "The working directory does not exist any more.");
	assert_int_equal(chdir("/"), 0);
}

static void what_the_kernel_would_not_take(void **state)
{
	struct plan_options o = options();
	AUTO_FREE char *value = mem_zalloc(1, PLAN_STRING_MAX + 2);
	char *extra[] = {value, NULL};

	(void)state;
	memset(value, 'x', PLAN_STRING_MAX + 1);
	o.extra_args = extra;
	expect_refusal("claude", &o, ERR_START, "has 131072 bytes; the kernel takes at most 131071");
	value[PLAN_STRING_MAX] = '\0';
	struct plan *p = plan_of("claude", &o);
	plan_destroy(p);
}

/* Showing and carrying */

static void as_a_command(void **state)
{
	struct plan_options o = options();
	struct plan *p;

	(void)state;
	o.prompt = "it's done";
	p = plan_of(INSTRUCTED("codex"), &o);
	AUTO_FREE char *command = plan_shell_command(p);
	AUTO_FREE char *expected = mem_printf(
	    "cd %s && codex --no-daemon -c analytics.enabled=false -c check_for_update_on_startup=false -c "
	    "'developer_instructions=<~/.config/handler/agents/reviewer.json>' 'it'\\''s done'",
	    project);
	assert_string_equal(command, expected);
	plan_destroy(p);

	o.prompt = NULL;
	environment[3] = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS=/mine";
	p = plan_of("{\"harness\": \"copilot\", \"env\": {\"TOKEN\": \"secret\"}}", &o);
	AUTO_FREE char *other = plan_shell_command(p);
	assert_non_null(
	    strstr(other, "&& COPILOT_MULTIPLEXER=none COPILOT_AUTO_UPDATE=false copilot --disable"));
	assert_null(strstr(other, "secret"));
	plan_destroy(p);
}

static void expect_same_strings(char *const *a, char *const *b)
{
	assert_int_equal(strv_count(a), strv_count(b));
	for (size_t i = 0; a[i]; i++)
		assert_string_equal(a[i], b[i]);
}

static void to_another_process(void **state)
{
	struct plan_options o = options();
	struct plan *p, *q;
	struct json *j;

	(void)state;
	o.prompt = "doctor";
	p = plan_of(INSTRUCTED("claude"), &o);
	j = plan_to_json(p, true);
	AUTO_FREE char *text = json_print(j, false);
	json_free(j);
	j = json_parse(text, strlen(text), "plan", NULL);
	q = plan_from_json(j, NULL);
	assert_non_null(q);
	assert_string_equal(q->program, p->program);
	assert_string_equal(q->dir, p->dir);
	assert_string_equal(q->conversation, p->conversation);
	assert_string_equal(q->instructions_hash, p->instructions_hash);
	assert_string_equal(q->prompt, "doctor");
	assert_int_equal(q->prompt_way, PROMPT_TYPED);
	expect_same_strings(q->argv, p->argv);
	expect_same_strings(q->env, p->env);
	expect_same_strings(q->notes, p->notes);
	expect_same_strings(q->credentials, p->credentials);
	expect_file(q, "instructions.md", instructions);
	AUTO_FREE char *settings = json_print(p->settings, false), *again = json_print(q->settings, false);
	assert_string_equal(settings, again);
	assert_non_null(strstr(settings, "\"newline\":[\"S-Enter\",\"C-j\"]"));
	assert_true(json_get_bool(q->status_rules, "osc7501", false));
	json_free(j);
	plan_destroy(q);

	j = plan_to_json(p, false);
	assert_null(json_get(j, "env"));
	json_remove(j, "program");
	assert_null(plan_from_json(j, NULL));
	json_free(j);
	plan_destroy(p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_plan_without_anything),
	    TEST(a_conversation_gets_a_uuid),
	    TEST(instructions_of_claude_code),
	    TEST(instructions_of_codex),
	    TEST(instructions_of_opencode),
	    TEST(opencode_with_a_variable_of_the_users),
	    TEST(instructions_of_pi),
	    TEST(instructions_of_gemini),
	    TEST(instructions_of_qwen),
	    TEST(instructions_of_copilot),
	    TEST(vibe_is_refused_with_instructions),
	    TEST(a_shell_follows_no_instructions),
	    TEST(a_megabyte_goes_by_file),
	    TEST(an_argument_has_an_end),
	    TEST(a_first_prompt),
	    TEST(a_first_prompt_that_is_no_argument),
	    TEST(a_headless_prompt),
	    TEST(a_prompt_that_is_no_text),
	    TEST(models),
	    TEST(arguments_of_the_user),
	    TEST(the_users_shell),
	    TEST(without_a_shell_bash_runs),
	    TEST(the_demo_is_ourselves),
	    TEST(what_a_pane_is_told),
	    TEST(privacy),
	    TEST(variables_of_the_user),
	    TEST(a_path_of_the_agents_own),
	    TEST(credentials),
	    TEST(a_configuration_directory_of_the_users),
	    TEST(a_conversation_is_resumed),
	    TEST(changed_instructions_of_a_resumed_conversation),
	    TEST(what_cannot_be_resumed_is_new),
	    TEST(no_such_program),
	    TEST(no_such_directory),
	    TEST(the_working_directory),
	    TEST(what_the_kernel_would_not_take),
	    TEST(as_a_command),
	    TEST(to_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
