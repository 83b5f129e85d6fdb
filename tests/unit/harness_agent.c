/* harness/agent: the files of agents, and what is refused in them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "harness/agent.h"
#include "harness_home.h"

static struct harness_set set;

static int enter(void **state)
{
	return home_enter(state) < 0 ? -1 : harness_set_load(&set, NULL);
}

static int leave(void **state)
{
	harness_set_finish(&set);
	return home_leave(state);
}

#define AGENTS ".config/handler/agents/"

static struct agent *load_text(const char *text, struct err *err)
{
	home_text(AGENTS "reviewer.json", text);
	return agent_load("reviewer", &set, err);
}

static void expect_fault(const char *text, enum err_code code, const char *message)
{
	struct err err = ERR_INIT;
	struct agent *a = load_text(text, &err);

	if (a || err.code != code || !strstr(err.message, message))
		fail_msg("%s: %s: %s", text, err_code_name(err.code), err.message);
}

static void everything_an_agent_says(void **state)
{
	struct agent *a =
	    load_text("// mine\n{\"harness\": \"claude-code\", \"description\": \"reviews, never edits\",\n"
		      "\"instructions\": [\"You review changes.\", \"\", \"Do not edit files.\"],\n"
		      "\"model\": \"opus\", \"args\": [\"--verbose\"], \"env\": {\"LANG\": \"C.UTF-8\", "
		      "\"X\": \"a=b\"},\n"
		      "\"unset_env\": [\"AWS_*\"], \"sandbox\": \"local\", \"privacy\": \"reduced\", "
		      "\"config_dir\": \"own\", \"screen\": \"inline\", \"resume\": \"conversation\", "
		      "\"on_exit\": \"keep\", \"grace\": 0.5, \"journal\": false, \"forward_agent\": true, "
		      "\"may\": [\"send\", \"new\"],}",
		NULL);

	(void)state;
	assert_non_null(a);
	assert_string_equal(a->name, "reviewer");
	assert_non_null(strstr(a->path, AGENTS "reviewer.json"));
	assert_string_equal(a->harness, "claude-code");
	assert_string_equal(a->description, "reviews, never edits");
	assert_string_equal(a->instructions, "You review changes.\n\nDo not edit files.");
	assert_int_equal(a->instructions_len, strlen(a->instructions));
	assert_null(a->instructions_path);
	assert_string_equal(a->model, "opus");
	assert_string_equal(a->args[0], "--verbose");
	assert_null(a->args[1]);
	assert_string_equal(a->env[0], "LANG=C.UTF-8");
	assert_string_equal(a->env[1], "X=a=b");
	assert_string_equal(a->unset_env[0], "AWS_*");
	assert_string_equal(a->sandbox, "none");
	assert_string_equal(a->privacy, "reduced");
	assert_string_equal(a->config_dir, "own");
	assert_string_equal(a->screen, "inline");
	assert_string_equal(a->resume, "conversation");
	assert_string_equal(a->on_exit, "keep");
	assert_true(a->grace == 0.5);
	assert_false(a->journal);
	assert_true(a->forward_agent);
	assert_int_equal(a->may, AGENT_MAY_SEND | AGENT_MAY_NEW);
	assert_non_null(a->source);
	agent_destroy(a);
	agent_destroy(NULL);
}

static void built_in_agents(void **state)
{
	struct agent *a = agent_load("claude", &set, NULL);

	(void)state;
	assert_non_null(a);
	assert_string_equal(a->name, "claude-code");
	assert_string_equal(a->harness, "claude-code");
	assert_null(a->instructions);
	assert_null(a->path);
	assert_string_equal(a->sandbox, "none");
	assert_string_equal(a->privacy, "full");
	assert_string_equal(a->description, "Anthropic's coding agent");
	assert_string_equal(a->config_dir, "shared");
	assert_string_equal(a->screen, "harness");
	assert_string_equal(a->resume, "auto");
	assert_null(a->on_exit);
	assert_true(a->grace == AGENT_GRACE_DEFAULT);
	assert_true(a->journal);
	assert_false(a->forward_agent);
	assert_null(a->args[0]);
	agent_destroy(a);
}

static void a_harness_by_its_program(void **state)
{
	struct agent *a = load_text("{\"harness\": \"claude\"}", NULL);

	(void)state;
	assert_string_equal(a->harness, "claude-code");
	agent_destroy(a);
}

static void exact_instructions(void **state)
{
	static const char text[] = "--dash \"q\" 'q' $HOME `id` \\n\r\n\t\U0001F600\n\n";
	struct agent *a;

	(void)state;
	home_write("notes/rules.txt", text, strlen(text), 0600);
	a = load_text("{\"harness\": \"claude\", \"instructions_file\": \"~/notes/rules.txt\"}", NULL);
	assert_non_null(a);
	assert_int_equal(a->instructions_len, strlen(text));
	assert_string_equal(a->instructions, text);
	assert_non_null(strstr(a->instructions_path, "notes/rules.txt"));
	agent_destroy(a);

	home_write(AGENTS "rules.md", text, strlen(text), 0600);
	a = load_text("{\"harness\": \"claude\", \"instructions_file\": \"rules.md\"}", NULL);
	assert_string_equal(a->instructions, text);
	agent_destroy(a);

	a = load_text(
	    "{\"harness\": \"claude\", \"instructions\": \"\\u0022--x\\u0022 $y \\uD83D\\uDE00\\n\"}", NULL);
	assert_string_equal(a->instructions, "\"--x\" $y \U0001F600\n");
	agent_destroy(a);
}

static void a_megabyte_of_instructions(void **state)
{
	size_t len = 1 << 20;
	AUTO_FREE char *text = mem_alloc(len);
	struct agent *a;

	(void)state;
	memset(text, 'x', len);
	home_write(AGENTS "reviewer.md", text, len, 0600);
	a = load_text("{\"harness\": \"claude\"}", NULL);
	assert_non_null(a);
	assert_int_equal(a->instructions_len, len);
	assert_memory_equal(a->instructions, text, len);
	agent_destroy(a);
}

/* The text beside the file counts only where the file says nothing of instructions. */
static void instructions_beside_the_file(void **state)
{
	struct agent *a;

	(void)state;
	home_text(AGENTS "reviewer.md", "You review.\n");
	a = load_text("{\"harness\": \"codex\"}", NULL);
	assert_string_equal(a->instructions, "You review.\n");
	assert_non_null(strstr(a->instructions_path, AGENTS "reviewer.md"));
	agent_destroy(a);
	a = load_text("{\"harness\": \"codex\", \"instructions\": \"\"}", NULL);
	assert_null(a->instructions);
	agent_destroy(a);
}

static void instructions_that_are_no_text(void **state)
{
	static const char nul[] = "You review.\0Secretly.", latin[] = "You r\xE9view.";
	struct err err = ERR_INIT;

	(void)state;
	home_text(AGENTS "reviewer.json", "{\"harness\": \"claude\"}");
	home_write(AGENTS "reviewer.md", nul, sizeof(nul) - 1, 0600);
	assert_null(agent_load("reviewer", &set, &err));
	assert_int_equal(err.code, ERR_INSTRUCTIONS_INVALID);
	assert_int_equal(err_exit_status(err.code), 3);
	assert_non_null(strstr(err.message, "reviewer.md: the instructions have a NUL at byte 11."));

	home_write(AGENTS "reviewer.md", latin, sizeof(latin) - 1, 0600);
	assert_null(agent_load("reviewer", &set, &err));
	assert_int_equal(err.code, ERR_INSTRUCTIONS_INVALID);
	assert_non_null(strstr(err.message, "a byte that is not UTF-8 at byte 5."));
}

static void faults(void **state)
{
	(void)state;
	expect_fault("{\"harness\": \"claude\",\n\"modle\": \"x\"}", ERR_INVALID,
	    "reviewer.json:2: unknown key \"modle\" (did you mean \"model\"?)");
	expect_fault("{\"model\": \"x\"}", ERR_INVALID, "the key \"harness\" is missing");
	expect_fault("{\n\n\"harness\": \"claud\"}", ERR_NO_HARNESS,
	    "reviewer.json:3: There is no harness \"claud\".");
	expect_fault("{\"harness\": \"claude\", \"instructions\": \"x\", \"instructions_file\": \"y\"}",
	    ERR_INVALID, "exclude each other");
	expect_fault("{\"harness\": \"claude\", \"instructions\": 1}", ERR_INVALID,
	    "\"instructions\" must be a string or an array of strings");
	expect_fault("{\"harness\": \"claude\", \"instructions_file\": \"none.md\"}", ERR_SYSTEM,
	    "The instructions of the agent \"reviewer\"");
	expect_fault("{\"harness\": \"claude\", \"env\": {\"HANDLER_SESSION\": \"x\"}}", ERR_INVALID,
	    "no variable that can be set");
	expect_fault("{\"harness\": \"claude\", \"env\": {\"A B\": \"x\"}}", ERR_INVALID,
	    "no variable that can be set");
	expect_fault("{\"harness\": \"claude\", \"env\": {\"A\": 1}}", ERR_INVALID, "\"A\" must be a string");
	expect_fault("{\"harness\": \"claude\", \"may\": [\"kill\"]}", ERR_INVALID,
	    "there are \"send\", \"stop\" and \"new\"");
	expect_fault(
	    "{\"harness\": \"shell\", \"model\": \"x\"}", ERR_INVALID, "Shell has no option for a model");
	expect_fault("{\"harness\": \"claude\"", ERR_INVALID, "reviewer.json:1: ");
	expect_fault("[]", ERR_INVALID, "there must be an object here");
}

/* A policy that cannot be enforced is no reason to start without it. */
static void policies_that_are_not_there(void **state)
{
	static const char *const policies[] = {"\"sandbox\": \"bwrap\"", "\"sandbox\": \"podman\"",
	    "\"network\": \"none\"", "\"network\": {\"allow\": []}", "\"secrets\": {}"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(policies); i++) {
		AUTO_FREE char *text = mem_printf("{\"harness\": \"claude\", %s}", policies[i]);

		expect_fault(text, ERR_POLICY_UNSUPPORTED, "cannot enforce");
	}
	assert_int_equal(err_exit_status(ERR_POLICY_UNSUPPORTED), 3);
	expect_fault("{\"harness\": \"claude\", \"sandbox\": \"jail\"}", ERR_INVALID, "\"sandbox\" must be");
}

static void no_such_agent(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	home_text(AGENTS "reviewer.json", "{\"harness\": \"claude\"}");
	assert_null(agent_load("reviewr", &set, &err));
	assert_int_equal(err.code, ERR_NO_AGENT);
	assert_string_equal(err.message, "There is no agent \"reviewr\".");
	assert_non_null(strstr(err.hint, "Did you mean \"reviewer\"?"));
	assert_null(agent_load("../../etc/passwd", &set, &err));
	assert_int_equal(err.code, ERR_NO_AGENT);
	assert_null(agent_load("", &set, &err));
	assert_null(agent_load(".hidden", &set, &err));
	assert_null(agent_path("a/b", &err));
}

static void names_of_agents(void **state)
{
	char **names;
	size_t count;

	(void)state;
	names = agent_names(&set, &count, NULL);
	assert_int_equal(count, set.count);
	strv_destroy(names);
	home_text(AGENTS "web.json", "{}");
	home_text(AGENTS "api.json", "nonsense");
	home_text(AGENTS "codex.json", "{\"harness\": \"codex\"}");
	home_text(AGENTS "api.md", "text");
	home_text(AGENTS ".swap.json", "{}");
	names = agent_names(&set, &count, NULL);
	assert_int_equal(count, set.count + 2);
	assert_string_equal(names[0], "api");
	assert_string_equal(names[1], "codex");
	assert_string_equal(names[2], "web");
	assert_string_equal(names[3], "claude-code");
	assert_string_equal(names[4], "copilot");
	strv_destroy(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(everything_an_agent_says, enter, leave),
	    cmocka_unit_test_setup_teardown(built_in_agents, enter, leave),
	    cmocka_unit_test_setup_teardown(a_harness_by_its_program, enter, leave),
	    cmocka_unit_test_setup_teardown(exact_instructions, enter, leave),
	    cmocka_unit_test_setup_teardown(a_megabyte_of_instructions, enter, leave),
	    cmocka_unit_test_setup_teardown(instructions_beside_the_file, enter, leave),
	    cmocka_unit_test_setup_teardown(instructions_that_are_no_text, enter, leave),
	    cmocka_unit_test_setup_teardown(faults, enter, leave),
	    cmocka_unit_test_setup_teardown(policies_that_are_not_there, enter, leave),
	    cmocka_unit_test_setup_teardown(no_such_agent, enter, leave),
	    cmocka_unit_test_setup_teardown(names_of_agents, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
