/* harness/descriptor: reading one, what none may hold, and finding them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "harness/descriptor.h"
#include "harness/strv.h"
#include "harness_home.h"

/* The least a descriptor holds; % is where a test puts something. */
#define HEAD                                                                                                 \
	"{\"format\": 1, \"name\": \"toy\", \"title\": \"Toy\", \"description\": \"a toy\", \"command\": "   \
	"\"toy\", \"status\": {}, "
#define REFUSES "\"instructions\": {\"way\": \"refuse\", \"reason\": \"R.\", \"instead\": \"I.\"}"
#define TYPED   "\"prompt\": {\"way\": \"typed\"}"
#define TOY     HEAD "\"interactive\": {" REFUSES ", " TYPED "}}"

static struct descriptor *parse(const char *text, struct err *err)
{
	return descriptor_parse(text, strlen(text), "toy.json", err);
}

static void the_least(void **state)
{
	struct descriptor *d = parse(TOY, NULL);

	(void)state;
	assert_non_null(d);
	assert_string_equal(descriptor_name(d), "toy");
	assert_string_equal(descriptor_title(d), "Toy");
	assert_string_equal(descriptor_program(d), "toy");
	assert_string_equal(descriptor_path(d), "toy.json");
	assert_null(descriptor_install(d));
	assert_null(descriptor_checked(d));
	assert_null(descriptor_version_args(d));
	assert_false(descriptor_has_headless(d));
	assert_int_equal(descriptor_instructions(d, false), INSTRUCTIONS_REFUSE);
	assert_string_equal(descriptor_refusal(d, false), "R. I.");
	descriptor_destroy(d);
	descriptor_destroy(NULL);
}

#define INTERACTIVE(instructions, prompt)                                                                    \
	HEAD "\"interactive\": {\"instructions\": {" instructions "}, \"prompt\": {" prompt "}}}"
#define WITH(part) HEAD part ", \"interactive\": {" REFUSES ", " TYPED "}}"
#define FILE_WAY   "\"way\": \"file\", \"channel\": \"system\", \"args\": [\"-f\", \"${instructions_file}\"]"
#define TYPED_WAY  "\"way\": \"typed\""

static void faults_name_file_line_and_key(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"[", "toy.json:1: "},
	    {"[]", "there must be an object here"},
	    {"{\"format\": 2, \"name\": \"x\"}", "the key \"title\" is missing"},
	    {WITH("\"comand\": 1"), "unknown key \"comand\" (did you mean \"command\"?)"},
	    {WITH("\"args\": [1]"), "\"args\" must be an array of strings"},
	    {WITH("\"args\": [\"${promt}\"]"), "there is no value ${promt}"},
	    {WITH("\"headless\": {}"), "the key \"instructions\" is missing"},
	    {WITH("\"keys\": {\"new_line\": []}"), "unknown key \"new_line\" (did you mean \"newline\"?)"},
	    {WITH("\"stop\": {\"signal\": \"KILL\", \"to\": \"group\"}"),
		"\"signal\" must be \"HUP\", \"TERM\" or \"INT\""},
	    {WITH("\"version\": {\"args\": [], \"pattern\": \"(\"}"),
		"is not a POSIX extended regular expression"},
	    {WITH("\"login\": {\"files\": [{\"path\": \"x\"}]}"), "the key \"stand_in\" is missing"},
	    {WITH("\"login\": {\"files\": [\"x\"]}"), "there must be an object here"},
	    {WITH("\"environment\": {\"set\": {\"A\": 1}}"), "\"A\" must be a string"},
	    {WITH("\"environment\": {\"set\": {\"A B\": \"1\"}}"), "\"A B\" is no name of a variable"},
	    {INTERACTIVE("\"way\": \"file\", \"channel\": \"system\"", TYPED_WAY),
		"the way \"file\" needs \"args\""},
	    {INTERACTIVE("\"way\": \"argv\", \"args\": []", TYPED_WAY),
		"\"channel\" must say where the instructions arrive"},
	    {INTERACTIVE("\"way\": \"refuse\", \"reason\": \"x\"", TYPED_WAY),
		"\"instead\" must say what to do"},
	    {INTERACTIVE("\"way\": \"first-prompt\", \"channel\": \"user\"", TYPED_WAY),
		"is a way of \"headless\" only"},
	    {INTERACTIVE(FILE_WAY, "\"way\": \"stdin\""), "is a way of \"headless\" only"},
	    {INTERACTIVE("\"way\": \"generated\", \"channel\": \"user\", \"files\": [{\"path\": \"/etc/x\", "
			 "\"text\": \"\"}]",
		 TYPED_WAY),
		"\"path\" must be relative"},
	    {INTERACTIVE("\"way\": \"generated\", \"channel\": \"user\", \"files\": [{\"path\": "
			 "\"a/../../x\", \"text\": \"\"}]",
		 TYPED_WAY),
		"\"path\" must be relative"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = ERR_INIT;

		assert_null(parse(cases[i].text, &err));
		assert_int_equal(err.code, ERR_INVALID);
		if (!strstr(err.message, cases[i].message))
			fail_msg("%s: %s", cases[i].message, err.message);
		assert_int_equal(strncmp(err.message, "toy.json:", 9), 0);
	}
}

static void the_format_and_the_name(void **state)
{
	static const char *const texts[] = {
	    "{\"format\": 2, \"name\": \"toy\", \"title\": \"T\", \"description\": \"\", \"command\": \"t\", "
	    "\"status\": {}, \"interactive\": {" REFUSES ", " TYPED "}}",
	    "{\"format\": 1, \"name\": \"../toy\", \"title\": \"T\", \"description\": \"\", \"command\": "
	    "\"t\", \"status\": {}, "
	    "\"interactive\": {" REFUSES ", " TYPED "}}",
	    "{\"format\": 1, \"name\": \"-toy\", \"title\": \"T\", \"description\": \"\", \"command\": "
	    "\"t\", \"status\": {}, "
	    "\"interactive\": {" REFUSES ", " TYPED "}}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_null(parse(texts[i], NULL));
}

/* Only the user answers what a harness asks about trust and permission. */
static void nothing_answers_for_the_user(void **state)
{
	static const char *const arguments[] = {
	    "--trust",
	    "--trust-folder",
	    "--yolo",
	    "-y",
	    "--dangerously-skip-permissions",
	    "--allow-dangerously-skip-permissions",
	    "--dangerously-bypass-approvals-and-sandbox",
	    "--dangerously-bypass-hook-trust",
	    "--skip-trust",
	    "--allow-all-tools",
	    "--allow-all",
	    "--full-auto",
	    "--auto",
	    "--auto-approve",
	    "--approve",
	    "-a",
	    "--approval-mode=yolo",
	    "--permission-mode",
	    "--ask-for-approval=never",
	    "approval_policy=never",
	    "projects.x.trust_level=trusted",
	    "hasTrustDialogAccepted",
	    "--skip-git-repo-check",
	};
	static const char *const variables[] = {"GEMINI_CLI_TRUST_WORKSPACE", "COPILOT_ALLOW_ALL",
	    "OPENCODE_PERMISSION", "X_YOLO", "X_AUTO_APPROVE", "BYPASS_X"};
	static const char *const lists[] = {
	    WITH("\"args\": [\"%s\"]"),
	    WITH("\"model\": {\"args\": [\"%s\"]}"),
	    WITH("\"conversation\": {\"id\": \"none\", \"resume\": [\"%s\"]}"),
	    WITH("\"privacy\": {\"full\": {\"args\": [\"%s\"]}}"),
	    WITH("\"headless\": {\"args\": [\"%s\"], " REFUSES ", \"prompt\": {\"way\": \"stdin\"}}"),
	    WITH("\"headless\": {" REFUSES ", \"prompt\": {\"way\": \"stdin\", \"args\": [\"%s\"]}}"),
	};
	static const char *const maps[] = {
	    WITH("\"environment\": {\"set\": {\"%s\": \"1\"}}"),
	    WITH("\"privacy\": {\"reduced\": {\"env\": {\"%s\": \"1\"}}}"),
	    INTERACTIVE("\"way\": \"env\", \"channel\": \"system\", \"env_json\": {\"%s\": {}}", TYPED_WAY),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lists) + COUNT_OF(maps); i++) {
		bool args = i < COUNT_OF(lists);
		size_t count = args ? COUNT_OF(arguments) : COUNT_OF(variables);

		for (size_t j = 0; j < count; j++) {
			const char *what = args ? arguments[j] : variables[j];
			const char *form = args ? lists[i] : maps[i - COUNT_OF(lists)];
			const char *at = strstr(form, "%s");
			AUTO_FREE char *text = mem_printf("%.*s%s%s", (int)(at - form), form, what, at + 2);
			struct err err = ERR_INIT;

			assert_null(parse(text, &err));
			if (!strstr(err.message, "answers a question of trust or permission"))
				fail_msg("%s: %s", text, err.message);
		}
	}
}

/* Those in the tree, that are installed. */

static struct harness_set set;

static int load_set(void **state)
{
	return home_enter(state) < 0 ? -1 : harness_set_load(&set, NULL);
}

static int free_set(void **state)
{
	harness_set_finish(&set);
	return home_leave(state);
}

static void the_harnesses(void **state)
{
	static const char *const names[] = {
	    "claude-code", "codex", "copilot", "demo", "gemini", "opencode", "pi", "qwen", "shell", "vibe"};

	(void)state;
	for (size_t i = 0; i < set.fault_count; i++)
		print_message("%s\n", set.faults[i].err.message);
	assert_int_equal(set.fault_count, 0);
	assert_int_equal(set.count, COUNT_OF(names));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_string_equal(descriptor_name(set.items[i]), names[i]);
}

static void how_they_take_instructions(void **state)
{
	static const struct {
		const char *name;
		enum instructions_way interactive;
		enum instructions_channel channel;
		enum instructions_way headless;
	} cases[] = {
	    {"claude-code", INSTRUCTIONS_FILE, CHANNEL_SYSTEM, INSTRUCTIONS_FILE},
	    {"codex", INSTRUCTIONS_ARGV, CHANNEL_DEVELOPER, INSTRUCTIONS_ARGV},
	    {"opencode", INSTRUCTIONS_ENV, CHANNEL_SYSTEM, INSTRUCTIONS_ENV},
	    {"pi", INSTRUCTIONS_FILE, CHANNEL_SYSTEM, INSTRUCTIONS_FILE},
	    {"gemini", INSTRUCTIONS_GENERATED, CHANNEL_USER, INSTRUCTIONS_GENERATED},
	    {"qwen", INSTRUCTIONS_ARGV, CHANNEL_SYSTEM, INSTRUCTIONS_ARGV},
	    {"copilot", INSTRUCTIONS_GENERATED, CHANNEL_SYSTEM, INSTRUCTIONS_GENERATED},
	    {"vibe", INSTRUCTIONS_REFUSE, CHANNEL_SYSTEM, INSTRUCTIONS_FIRST_PROMPT},
	    {"shell", INSTRUCTIONS_REFUSE, CHANNEL_SYSTEM, INSTRUCTIONS_REFUSE},
	    {"demo", INSTRUCTIONS_FILE, CHANNEL_SCREEN, INSTRUCTIONS_FILE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct descriptor *d = harness_set_find(&set, cases[i].name, NULL);

		assert_int_equal(descriptor_instructions(d, false), cases[i].interactive);
		assert_int_equal(descriptor_channel(d, false), cases[i].channel);
		assert_int_equal(descriptor_instructions(d, true), cases[i].headless);
		assert_int_equal(descriptor_has_headless(d), strcmp(cases[i].name, "shell") != 0);
	}
	assert_string_equal(
	    instructions_channel_phrase(CHANNEL_USER), "the first user turn, not the system prompt");
}

static void found_by_name_and_by_program(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_string_equal(descriptor_name(harness_set_find(&set, "claude-code", NULL)), "claude-code");
	assert_string_equal(descriptor_name(harness_set_find(&set, "claude", NULL)), "claude-code");
	assert_null(harness_set_find(&set, "claud", &err));
	assert_int_equal(err.code, ERR_NO_HARNESS);
	assert_non_null(strstr(err.hint, "Did you mean \"claude\"?"));
	assert_null(harness_set_find(&set, "somethingelse", &err));
	assert_string_equal(err.hint, "All are listed by: handler harness list");
	assert_null(descriptor_program(harness_set_find(&set, "shell", NULL)));
	assert_null(descriptor_program(harness_set_find(&set, "demo", NULL)));
}

/* What the programs print. */
static void versions(void **state)
{
	static const struct {
		const char *name, *output, *version;
	} cases[] = {
	    {"claude-code", "2.1.332 (Claude Code)\n", "2.1.332"},
	    {"codex", "WARNING: proceeding, even though 1.2.3 failed\ncodex-cli 0.171.0\n", "0.171.0"},
	    {"copilot", "GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n",
		"1.0.102"},
	    {"gemini", "0.61.0\n", "0.61.0"},
	    {"vibe", "vibe 2.18.4\n", "2.18.4"},
	};
	char version[DESCRIPTOR_VERSION_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct descriptor *d = harness_set_find(&set, cases[i].name, NULL);
		char **args = descriptor_version_args(d);

		assert_string_equal(args[0], "--version");
		strv_destroy(args);
		assert_true(descriptor_read_version(d, cases[i].output, version));
		assert_string_equal(version, cases[i].version);
		assert_string_equal(descriptor_checked(d), cases[i].version);
		assert_false(descriptor_read_version(d, "command not found", version));
	}
	assert_false(descriptor_read_version(harness_set_find(&set, "shell", NULL), "5.2.15", version));
}

/* Places */

static void own_ones_come_first(void **state)
{
	AUTO_FREE char *more = home_path("more");
	AUTO_FREE char *search = mem_printf("relative::%s:/nonexistent", more);
	struct harness_set found;

	(void)state;
	home_text(".config/handler/harnesses/toy.json", TOY);
	home_text("more/toy.json", "{}");
	home_text("more/toy.schema.json", "{}");
	home_text("more/.hidden.json", "{}");
	home_text("more/notes.txt", "{}");
	home_text("more/aider.json", "{\"format\": 1, \"name\": \"aider\", \"title\": \"Aider\", "
				     "\"description\": \"\", \"command\": \"aider\", \"status\": {}, "
				     "\"interactive\": {" REFUSES ", " TYPED "}}");
	setenv("HANDLER_HARNESS_PATH", search, 1);
	assert_int_equal(harness_set_load(&found, NULL), 0);
	assert_int_equal(found.fault_count, 0);
	assert_non_null(harness_set_find(&found, "toy", NULL));
	assert_non_null(harness_set_find(&found, "aider", NULL));
	assert_string_equal(descriptor_name(found.items[0]), "aider");
	harness_set_finish(&found);
}

/* A faulty file is not silently replaced by the one it was to override. */
static void a_faulty_one_hides_what_it_overrides(void **state)
{
	struct harness_set found;
	struct err err = ERR_INIT;

	(void)state;
	home_text(".config/handler/harnesses/codex.json", "{\n\"format\": 1,\n\"nam\": \"codex\"}");
	home_text(".config/handler/harnesses/toy.json", HEAD "\"interactive\": 1}");
	home_text(".config/handler/harnesses/other.json", TOY);
	assert_int_equal(harness_set_load(&found, NULL), 0);
	assert_int_equal(found.fault_count, 3);
	assert_null(harness_set_find(&found, "codex", &err));
	assert_int_equal(err.code, ERR_INVALID);
	assert_non_null(strstr(err.message, "~/.config/handler/harnesses/codex.json:3: unknown key \"nam\""));
	assert_non_null(strstr(found.faults[1].err.message, "must be named toy.json"));
	assert_non_null(harness_set_find(&found, "claude-code", NULL));
	harness_set_finish(&found);
}

/* A start reads the descriptors that it needs, with the same precedence; what is amiss needs them all. */
static void by_name_only_those_are_read(void **state)
{
	char *named[] = {"shell", "codex", NULL}, *faulty[] = {"shell", "toy", NULL},
	     *unknown[] = {"claude", NULL}, *outside[] = {"../harnesses/codex", NULL};
	struct harness_set found;
	struct err err = ERR_INIT;

	(void)state;
	home_text(".config/handler/harnesses/toy.json", HEAD "\"interactive\": 1}");
	assert_int_equal(harness_set_load_named(&found, named, NULL), 0);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.fault_count, 0);
	assert_non_null(harness_set_find(&found, "codex", NULL));
	harness_set_finish(&found);
	assert_int_equal(harness_set_load_named(&found, faulty, NULL), 0);
	assert_null(harness_set_find(&found, "toy", &err));
	assert_int_equal(err.code, ERR_INVALID);
	assert_non_null(harness_set_find(&found, "claude-code", NULL));
	harness_set_finish(&found);
	assert_int_equal(harness_set_load_named(&found, unknown, NULL), 0);
	assert_string_equal(descriptor_name(harness_set_find(&found, "claude", NULL)), "claude-code");
	harness_set_finish(&found);
	home_text(".config/handler/harnesses/codex.json", "{\n\"format\": 1,\n\"nam\": \"codex\"}");
	assert_int_equal(harness_set_load_named(&found, named, NULL), 0);
	assert_null(harness_set_find(&found, "codex", NULL));
	harness_set_finish(&found);
	assert_int_equal(harness_set_load_named(&found, outside, NULL), 0);
	assert_null(harness_set_find(&found, outside[0], NULL));
	harness_set_finish(&found);
}

int main(void)
{
	const struct CMUnitTest forms[] = {
	    cmocka_unit_test(the_least),
	    cmocka_unit_test(faults_name_file_line_and_key),
	    cmocka_unit_test(the_format_and_the_name),
	    cmocka_unit_test(nothing_answers_for_the_user),
	};
	const struct CMUnitTest ours[] = {
	    cmocka_unit_test(the_harnesses),
	    cmocka_unit_test(how_they_take_instructions),
	    cmocka_unit_test(found_by_name_and_by_program),
	    cmocka_unit_test(versions),
	};
	const struct CMUnitTest places[] = {
	    cmocka_unit_test_setup_teardown(own_ones_come_first, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(a_faulty_one_hides_what_it_overrides, home_enter, home_leave),
	    cmocka_unit_test_setup_teardown(by_name_only_those_are_read, home_enter, home_leave),
	};

	return cmocka_run_group_tests_name("forms", forms, NULL, NULL) +
	       cmocka_run_group_tests_name("ours", ours, load_set, free_set) +
	       cmocka_run_group_tests_name("places", places, NULL, NULL);
}
