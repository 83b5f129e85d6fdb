/* harness/status: the state machine, with what the real harnesses say (facts of their descriptors). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/descriptor.h"
#include "harness/status.h"

/* The status rules of a descriptor in the tree. */
static struct harness_set set;

static int load_set(void **state)
{
	(void)state;
	return harness_set_load(&set, NULL);
}

static int free_set(void **state)
{
	(void)state;
	harness_set_finish(&set);
	return 0;
}

static struct status *machine(const char *harness)
{
	const struct descriptor *d = harness_set_find(&set, harness, NULL);
	struct status *s;

	assert_non_null(d);
	s = status_create(json_get(descriptor_json(d), "status"), 1000, NULL);
	assert_non_null(s);
	return s;
}

static struct status *machine_of(const char *rules)
{
	struct json *j = json_parse(rules, strlen(rules), "rules", NULL);
	struct status *s;

	assert_non_null(j);
	assert_int_equal(status_check_rules(j, j, "rules", NULL), 0);
	s = status_create(j, 1000, NULL);
	assert_non_null(s);
	json_free(j);
	return s;
}

static void expect(const struct status *s, enum session_state state, const char *reason)
{
	assert_string_equal(state_name(status_get(s)->state), state_name(state));
	assert_string_equal(status_get(s)->reason, reason);
}

static int exited(int code)
{
	return code << 8;
}

static void names_of_states(void **state)
{
	(void)state;
	assert_string_equal(state_name(STATE_NEEDS_INPUT), "needs-input");
	assert_int_equal(state_from_name("limited"), STATE_LIMITED);
	assert_int_equal(state_from_name("hovering"), -1);
	assert_true(state_ended(STATE_LOST));
	assert_false(state_ended(STATE_SUSPENDED));
	assert_true(state_waits(STATE_DONE));
	assert_false(state_waits(STATE_IDLE));
}

/* A turn of Claude Code with an approval in it. */
static void a_turn_by_osc_7501(void **state)
{
	struct status *s = machine("claude-code");

	(void)state;
	expect(s, STATE_STARTING, "");
	assert_true(status_program(s, "idle", NULL, NULL, 1001));
	expect(s, STATE_IDLE, "");
	assert_true(status_program(s, "working", NULL, NULL, 1002));
	expect(s, STATE_WORKING, "");
	assert_int_equal(status_get(s)->turn, 1);
	assert_true(status_program(s, "blocked", "permission", "approve Bash: rm -rf build", 1005));
	expect(s, STATE_NEEDS_INPUT, "approve Bash: rm -rf build");
	assert_int_equal(status_get(s)->since, 1005);
	assert_true(status_program(s, "working", NULL, NULL, 1009));
	assert_int_equal(status_get(s)->turn, 1);
	assert_true(status_program(s, "done", NULL, NULL, 1020));
	expect(s, STATE_DONE, "");
	assert_string_equal(status_get(s)->source, "OSC 7501");
	assert_true(status_program(s, "working", NULL, NULL, 1030));
	assert_int_equal(status_get(s)->turn, 2);
	status_destroy(s);
}

static void blocked_without_a_message_says_its_kind(void **state)
{
	struct status *s = machine("codex");

	(void)state;
	status_program(s, "blocked", "auth", NULL, 1001);
	expect(s, STATE_NEEDS_INPUT, "wants you to log in");
	status_program(s, "blocked", NULL, NULL, 1002);
	expect(s, STATE_NEEDS_INPUT, "waits for you");
	status_destroy(s);
}

/* done is for somebody to look at: a key or two seconds in view make it idle, the program's own word does
 * not. */
static void done_until_looked_at(void **state)
{
	struct status *s = machine("claude-code");

	(void)state;
	status_program(s, "working", NULL, NULL, 1001);
	status_program(s, "done", NULL, NULL, 1002);
	assert_false(status_program(s, "idle", NULL, NULL, 1060));
	expect(s, STATE_DONE, "");
	assert_true(status_input(s, false, 1061));
	expect(s, STATE_IDLE, "");

	status_program(s, "working", NULL, NULL, 1070);
	status_program(s, "done", NULL, NULL, 1071);
	assert_true(status_viewed(s, 1073));
	expect(s, STATE_IDLE, "");
	assert_false(status_program(s, "done", NULL, NULL, 1074));
	expect(s, STATE_IDLE, "");
	assert_false(status_viewed(s, 1075));
	status_destroy(s);
}

static void an_interrupt_is_idle(void **state)
{
	struct status *s = machine("claude-code");

	(void)state;
	status_program(s, "working", NULL, NULL, 1001);
	assert_true(status_program(s, "idle", NULL, NULL, 1002));
	expect(s, STATE_IDLE, "");
	status_destroy(s);
}

static void an_error_ends_the_turn(void **state)
{
	struct status *s = machine("pi");

	(void)state;
	status_program(s, "working", NULL, NULL, 1001);
	status_program(s, "error", NULL, "rate limit", 1002);
	expect(s, STATE_DONE, "error: rate limit");
	status_input(s, true, 1003);
	expect(s, STATE_IDLE, "");
	status_destroy(s);
}

static void clear_is_unknown_and_lets_the_title_speak(void **state)
{
	struct status *s = machine("codex");

	(void)state;
	status_program(s, "working", NULL, NULL, 1001);
	assert_false(status_title(s, "[ ! ] Action Required", 1002));
	expect(s, STATE_WORKING, "");
	status_program(s, "clear", NULL, NULL, 1003);
	expect(s, STATE_UNKNOWN, "");
	assert_true(status_title(s, "[ ! ] Action Required", 1004));
	expect(s, STATE_NEEDS_INPUT, "asks for permission");
	status_destroy(s);
}

static void states_of_the_protocol_that_nobody_knows_are_ignored(void **state)
{
	struct status *s = machine("claude-code");

	(void)state;
	assert_false(status_program(s, "dreaming", NULL, NULL, 1001));
	expect(s, STATE_STARTING, "");
	status_destroy(s);
}

/* Titles as they were recorded. */
static void titles(void **state)
{
	static const struct {
		const char *harness, *title;
		enum session_state state;
	} cases[] = {
	    {"claude-code", "◐ Claude Code", STATE_WORKING},
	    {"claude-code", "◑ Claude Code", STATE_WORKING},
	    {"claude-code", "✳ Claude Code", STATE_IDLE},
	    {"codex", "⠹ api", STATE_WORKING},
	    {"codex", "[ ! ] Action Required", STATE_NEEDS_INPUT},
	    {"codex", "[ . ] Action Required", STATE_NEEDS_INPUT},
	    {"gemini", "✦  Working… (api)", STATE_WORKING},
	    {"gemini", "✦ Working… (api)", STATE_WORKING},
	    {"gemini", "✋  Action Required (api)", STATE_NEEDS_INPUT},
	    {"gemini", "◇  Ready (api)", STATE_STARTING},
	    {"qwen", "◐\uFE0E Qwen - api", STATE_WORKING},
	    {"qwen", "✳\uFE0E Qwen - api", STATE_NEEDS_INPUT},
	    {"qwen", "Qwen - api", STATE_IDLE},
	    {"vibe", "Vibe - Action Required", STATE_NEEDS_INPUT},
	    {"vibe", "Vibe - Task Complete", STATE_DONE},
	    {"copilot", "Fix the failing test", STATE_STARTING},
	    {"opencode", "OpenCode", STATE_STARTING},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct status *s = machine(cases[i].harness);

		status_title(s, cases[i].title, 1001);
		assert_string_equal(state_name(status_get(s)->state), state_name(cases[i].state));
		status_destroy(s);
	}
}

static void a_turn_by_titles(void **state)
{
	struct status *s = machine("gemini");

	(void)state;
	status_output(s, 1001);
	status_title(s, "◇  Ready (api)", 1001);
	status_tick(s, 1001 + STATUS_READY_REST);
	expect(s, STATE_IDLE, "");
	status_title(s, "✦  Working… (api)", 1004);
	status_title(s, "✋  Action Required (api)", 1003);
	expect(s, STATE_NEEDS_INPUT, "asks for permission");
	status_title(s, "✦  Working… (api)", 1004);
	assert_int_equal(status_get(s)->turn, 1);
	status_title(s, "◇  Ready (api)", 1005);
	expect(s, STATE_DONE, "");
	assert_false(status_title(s, "◇  Ready (api)", 1006));
	expect(s, STATE_DONE, "");
	status_input(s, false, 1007);
	status_title(s, "◇  Ready (api)", 1008);
	expect(s, STATE_IDLE, "");
	status_title(s, "Something new", 1009);
	expect(s, STATE_UNKNOWN, "");
	status_destroy(s);
}

/* Output that rests is not `idle`. */
static void a_start_that_tells_nothing_becomes_unknown(void **state)
{
	struct status *s = machine("copilot");

	(void)state;
	assert_int_equal(status_deadline(s), 0);
	assert_false(status_output(s, 1001));
	assert_false(status_output(s, 1002));
	assert_int_equal(status_deadline(s), 1002 + STATUS_START_REST);
	assert_false(status_tick(s, 1004));
	assert_true(status_tick(s, 1005));
	expect(s, STATE_UNKNOWN, "");
	assert_int_equal(status_get(s)->quiet_since, 1002);
	assert_int_equal(status_deadline(s), 0);
	assert_false(status_output(s, 1010));
	assert_int_equal(status_get(s)->quiet_since, 1010);
	assert_true(status_output(s, 1070));
	status_destroy(s);
}

/* OpenCode draws nothing for a long time: starting lasts until its first title. */
static void a_slow_start_waits_for_the_title(void **state)
{
	struct status *s = machine("opencode");

	(void)state;
	status_output(s, 1001);
	assert_false(status_tick(s, 1080));
	status_title(s, "OpenCode", 1081);
	status_output(s, 1081);
	assert_true(status_tick(s, 1081 + STATUS_START_REST));
	expect(s, STATE_UNKNOWN, "");
	status_destroy(s);
}

static void without_signals_a_submitted_line_is_a_turn(void **state)
{
	struct status *s = machine("copilot");

	(void)state;
	assert_false(status_input(s, false, 1001));
	assert_true(status_input(s, true, 1002));
	assert_int_equal(status_get(s)->turn, 1);
	status_destroy(s);

	s = machine("claude-code");
	status_input(s, true, 1002);
	assert_int_equal(status_get(s)->turn, 0);
	status_destroy(s);
}

static void a_shell_works_while_a_command_is_in_the_foreground(void **state)
{
	struct status *s = machine("shell");

	(void)state;
	assert_true(status_foreground(s, false, NULL, 1001));
	expect(s, STATE_IDLE, "");
	assert_true(status_foreground(s, true, "make", 1002));
	expect(s, STATE_WORKING, "make");
	assert_true(status_foreground(s, false, NULL, 1010));
	expect(s, STATE_DONE, "");
	status_input(s, false, 1011);
	status_foreground(s, true, "ls", 1012);
	status_foreground(s, false, NULL, 1013);
	expect(s, STATE_IDLE, "");
	assert_int_equal(status_get(s)->turn, 2);
	status_destroy(s);
}

/* A command that is over before anybody looks is a turn too; so is an empty line, which does no harm. */
static void a_line_given_to_a_shell_is_a_turn(void **state)
{
	struct status *s = machine("shell");

	(void)state;
	status_foreground(s, false, NULL, 1001);
	assert_true(status_input(s, true, 1002));
	expect(s, STATE_WORKING, "");
	assert_int_equal(status_get(s)->turn, 1);
	assert_true(status_foreground(s, false, NULL, 1002));
	expect(s, STATE_IDLE, "");
	status_input(s, true, 1003);
	status_foreground(s, true, "make", 1004);
	expect(s, STATE_WORKING, "make");
	assert_int_equal(status_get(s)->turn, 2);
	status_destroy(s);
}

/* An agent that was started by hand in a shell speaks for itself while it is there. */
static void osc_7501_inside_a_shell(void **state)
{
	struct status *s = machine("shell");

	(void)state;
	status_foreground(s, true, "claude", 1001);
	status_program(s, "idle", NULL, NULL, 1002);
	expect(s, STATE_IDLE, "");
	assert_false(status_foreground(s, true, "claude", 1003));
	expect(s, STATE_IDLE, "");
	status_program(s, "working", NULL, NULL, 1004);
	assert_true(status_foreground(s, false, NULL, 1020));
	expect(s, STATE_DONE, "");
	assert_true(status_foreground(s, true, "make", 1030));
	expect(s, STATE_WORKING, "make");
	status_destroy(s);
}

static void foreground_is_a_signal_of_shells_only(void **state)
{
	struct status *s = machine("claude-code");

	(void)state;
	assert_false(status_foreground(s, true, "git", 1001));
	expect(s, STATE_STARTING, "");
	status_destroy(s);
}

static void notifications_and_bells(void **state)
{
	struct status *s =
	    machine_of("{\"notification\": [{\"match\": \"^Approval requested: (.*)\", \"state\": "
		       "\"needs-input\", \"reason\": \"approve ${1}\"}],"
		       "\"bell\": {\"state\": \"done\", \"reason\": \"rang\"}}");

	(void)state;
	assert_true(status_notification(s, "Approval requested: rm -rf build", 1001));
	expect(s, STATE_NEEDS_INPUT, "approve rm -rf build");
	assert_false(status_notification(s, "Good morning", 1002));
	assert_true(status_bell(s, 1003));
	expect(s, STATE_DONE, "rang");
	status_destroy(s);

	s = machine("claude-code");
	assert_false(status_bell(s, 1001));
	expect(s, STATE_STARTING, "");
	status_destroy(s);
}

static void a_suspended_session_is_what_it_was(void **state)
{
	struct status *s = machine("claude-code");

	(void)state;
	status_program(s, "working", NULL, NULL, 1001);
	assert_true(status_suspended(s, true, 1002));
	expect(s, STATE_SUSPENDED, "");
	assert_false(status_suspended(s, true, 1003));
	status_program(s, "done", NULL, NULL, 1004);
	expect(s, STATE_SUSPENDED, "");
	assert_true(status_suspended(s, false, 1005));
	expect(s, STATE_WORKING, "");
	assert_int_equal(status_get(s)->turn, 1);
	assert_false(status_suspended(s, false, 1006));
	status_program(s, "working", NULL, "x", 1006);
	assert_int_equal(status_get(s)->turn, 1);
	status_destroy(s);
}

static void ends(void **state)
{
	static const struct {
		int wait_status;
		bool stopped;
		const char *lost;
		enum session_state state;
		const char *reason;
	} cases[] = {
	    {0, false, NULL, STATE_EXITED, ""},
	    {1 << 8, false, NULL, STATE_FAILED, "exit code 1"},
	    {130 << 8, false, NULL, STATE_FAILED, "exit code 130"},
	    {SIGSEGV, false, NULL, STATE_CRASHED, "SIGSEGV"},
	    {SIGHUP, false, NULL, STATE_CRASHED, "SIGHUP"},
	    {SIGKILL, true, NULL, STATE_STOPPED, ""},
	    {0, false, "machine restarted 08:12", STATE_LOST, "machine restarted 08:12"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct status *s = machine("codex");

		status_program(s, "working", NULL, NULL, 1001);
		assert_true(status_ended(s, cases[i].wait_status, cases[i].stopped, cases[i].lost, 1002));
		expect(s, cases[i].state, cases[i].reason);
		assert_false(status_ended(s, 0, false, NULL, 1003));
		assert_false(status_program(s, "done", NULL, NULL, 1004));
		expect(s, cases[i].state, cases[i].reason);
		status_destroy(s);
	}
}

/* C-c ends Codex with 130 or, pressed twice, by SIGINT: both are the user's wish.  A crash after C-c is one.
 */
static void ends_by_the_users_own_key(void **state)
{
	struct status *s = machine("codex");

	(void)state;
	status_input(s, false, 1001);
	status_interrupt(s, 1001);
	status_ended(s, exited(130), false, NULL, 1003);
	expect(s, STATE_EXITED, "exit code 130");
	status_destroy(s);

	s = machine("codex");
	status_interrupt(s, 1001);
	status_ended(s, SIGINT, false, NULL, 1003);
	expect(s, STATE_EXITED, "SIGINT");
	status_destroy(s);

	s = machine("codex");
	status_interrupt(s, 1001);
	status_ended(s, SIGSEGV, false, NULL, 1003);
	expect(s, STATE_CRASHED, "SIGSEGV");
	status_destroy(s);

	s = machine("codex");
	status_interrupt(s, 1001);
	status_ended(s, exited(1), false, NULL, 1001 + STATUS_INTERRUPT_EXIT + 1);
	expect(s, STATE_FAILED, "exit code 1");
	status_destroy(s);
}

/* A shell ends with the status of its last command; "exit" after a failed one is no failure of the shell. */
static void a_shell_that_is_left(void **state)
{
	struct status *s = machine("shell");

	(void)state;
	status_input(s, true, 1001);
	status_ended(s, exited(2), false, NULL, 1001);
	expect(s, STATE_EXITED, "exit code 2");
	status_destroy(s);

	s = machine("shell");
	status_ended(s, exited(2), false, NULL, 1001);
	expect(s, STATE_FAILED, "exit code 2");
	status_destroy(s);

	s = machine("claude-code");
	status_input(s, true, 1001);
	status_ended(s, exited(2), false, NULL, 1001);
	expect(s, STATE_FAILED, "exit code 2");
	status_destroy(s);
}

static void a_new_worker_goes_on(void **state)
{
	struct status *s = machine("claude-code"), *t = machine("claude-code");
	struct json *saved;

	(void)state;
	status_program(s, "working", NULL, NULL, 1001);
	status_program(s, "blocked", "permission", "approve Bash: ls", 1002);
	saved = status_to_json(s);
	assert_string_equal(json_get_string(saved, "state", ""), "needs-input");
	assert_int_equal(json_get_int(saved, "since", 0), 1002);
	assert_true(status_restore(t, saved, 1100));
	expect(t, STATE_NEEDS_INPUT, "approve Bash: ls");
	assert_int_equal(status_get(t)->since, 1002);
	assert_string_equal(status_get(t)->source, "OSC 7501");
	assert_false(status_title(t, "✳ Claude Code", 1101));
	status_program(t, "working", NULL, NULL, 1102);
	assert_int_equal(status_get(t)->turn, 1);
	json_free(saved);
	status_destroy(s);
	status_destroy(t);
}

static void a_state_of_a_newer_version_is_unknown(void **state)
{
	struct status *s = machine("claude-code");
	struct json *saved = json_new_object();

	(void)state;
	json_set_string(saved, "state", "meditating");
	status_restore(s, saved, 1001);
	expect(s, STATE_UNKNOWN, "");
	json_free(saved);
	status_destroy(s);
}

/* What a pane says reaches lists and messages: no controls, and no more than there is room for, cut at a
 * character. */
static void reasons_are_clean_and_short(void **state)
{
	struct status *s = machine("claude-code");
	char longer[1024] = "";

	(void)state;
	status_program(s, "blocked", "permission", "approve \033[31mBash\a:\n ls", 1001);
	assert_null(strpbrk(status_get(s)->reason, "\033\a\n"));
	for (size_t i = 0; i < 300; i++)
		memcpy(longer + 3 * i, "\u20AC", 4);
	status_program(s, "blocked", "permission", longer, 1002);
	assert_in_range(strlen(status_get(s)->reason), 200, STATUS_REASON_SIZE - 1);
	assert_int_equal(strlen(status_get(s)->reason) % 3, 0);
	status_destroy(s);
}

/* Gemini says that it is ready, and then asks; what is typed into that would answer it. */
static void a_dialog_at_the_start(void **state)
{
	struct status *s = machine("gemini");

	(void)state;
	status_output(s, 1001);
	assert_false(status_title(s, "◇  Ready (api)", 1001));
	assert_true(status_reads_screen(s));
	assert_false(status_screen(s, "Tips for getting started:", 1001));
	assert_false(status_ready(s));
	assert_int_equal(status_deadline(s), 1001 + STATUS_READY_REST);
	assert_true(status_screen(s, "x\n Do you trust the files in this folder?\n 1. Trust folder", 1002));
	expect(s, STATE_NEEDS_INPUT, "asks whether you trust this folder");
	assert_string_equal(status_get(s)->source, "screen");
	assert_int_equal(status_deadline(s), 0);
	assert_false(status_title(s, "◇  Ready (api)", 1003));
	expect(s, STATE_NEEDS_INPUT, "asks whether you trust this folder");
	status_output(s, 1010);
	assert_true(status_screen(
	    s, "Do you trust the files in this folder?\n 1. Trust folder\n > Type your message", 1010));
	expect(s, STATE_STARTING, "");
	assert_true(status_tick(s, 1010 + STATUS_READY_REST));
	expect(s, STATE_IDLE, "");
	assert_true(status_ready(s));
	status_title(s, "✦ Working…", 1020);
	assert_false(status_reads_screen(s));
	assert_false(status_screen(s, "Do you trust the files in this folder?", 1021));
	expect(s, STATE_WORKING, "");
	status_destroy(s);
}

/* Answered, and at work at once: the screen need not be looked at for that. */
static void work_ends_a_dialog(void **state)
{
	struct status *s = machine("codex");

	(void)state;
	status_output(s, 1001);
	assert_true(status_screen(s, "Trust this folder? Codex can read", 1001));
	expect(s, STATE_NEEDS_INPUT, "asks whether you trust this folder");
	assert_true(status_program(s, "working", NULL, NULL, 1005));
	expect(s, STATE_WORKING, "");
	status_destroy(s);
}

static void a_dialog_of_a_program_that_tells_nothing(void **state)
{
	struct status *s = machine("copilot");

	(void)state;
	status_output(s, 1001);
	assert_true(status_screen(s, "| Confirm folder trust |", 1001));
	assert_false(status_ready(s));
	assert_false(status_tick(s, 1100));
	status_input(s, true, 1101);
	assert_int_equal(status_get(s)->turn, 0);
	assert_true(status_reads_screen(s));
	status_output(s, 1101);
	assert_true(status_screen(s, "Type a message", 1101));
	assert_true(status_tick(s, 1101 + STATUS_START_REST));
	expect(s, STATE_UNKNOWN, "");
	assert_true(status_ready(s));
	status_destroy(s);
}

/* Claude Code tells of its trust dialog by itself, and clears before it begins. */
static void a_dialog_that_is_told(void **state)
{
	struct status *s = machine("claude-code");

	(void)state;
	status_output(s, 1001);
	status_program(s, "blocked", "permission", "trust this folder", 1001);
	expect(s, STATE_NEEDS_INPUT, "trust this folder");
	assert_false(status_reads_screen(s));
	status_program(s, "clear", NULL, NULL, 1002);
	expect(s, STATE_STARTING, "");
	assert_false(status_ready(s));
	status_program(s, "idle", NULL, NULL, 1002);
	assert_true(status_ready(s));
	status_destroy(s);
}

/* Where a program tells its state, unknown is no invitation. */
static void ready_for_a_prompt(void **state)
{
	static const struct {
		const char *harness;
		bool ready;
	} cases[] = {{"codex", false}, {"claude-code", false}, {"shell", false}, {"opencode", true},
	    {"copilot", true}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct status *s = machine(cases[i].harness);

		assert_false(status_ready(s));
		status_title(s, "a title", 1001);
		status_output(s, 1001);
		status_tick(s, 1001 + STATUS_START_REST);
		expect(s, STATE_UNKNOWN, "");
		assert_int_equal(status_ready(s), cases[i].ready);
		status_destroy(s);
	}
}

static void explanations(void **state)
{
	struct status *s = machine("gemini");

	(void)state;
	status_title(s, "✋ Action Required (api)", 1001);
	assert_string_equal(status_get(s)->explain, "the title \"✋ Action Required (api)\" matches ^✋");
	status_destroy(s);
}

static void faulty_rules(void **state)
{
	static const struct {
		const char *rules, *message;
	} cases[] = {
	    {"{\"titel\": []}", "unknown key \"titel\" (did you mean \"title\"?)"},
	    {"{\"title\": [{\"match\": \"x\"}]}", "the key \"state\" is missing"},
	    {"{\"title\": [{\"match\": \"(\", \"state\": \"idle\"}]}",
		"is not a POSIX extended regular expression"},
	    {"{\"title\": [{\"match\": \"[◐◑]\", \"state\": \"idle\"}]}", "write (a|b) instead"},
	    {"{\"title\": [{\"match\": \"x\", \"state\": \"stopped\"}]}", "\"state\" must be"},
	    {"{\"title\": [1]}", "a rule must be an object"},
	    {"{\"dialogs\": [{\"match\": \"x\"}]}", "the key \"reason\" is missing"},
	    {"{\"bell\": {}}", "the key \"state\" is missing"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json *j = json_parse(cases[i].rules, strlen(cases[i].rules), "x.json", NULL);
		struct err err = ERR_INIT;

		assert_int_equal(status_check_rules(j, j, "x.json", &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		assert_non_null(strstr(err.message, cases[i].message));
		json_free(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_of_states),
	    cmocka_unit_test(a_turn_by_osc_7501),
	    cmocka_unit_test(blocked_without_a_message_says_its_kind),
	    cmocka_unit_test(done_until_looked_at),
	    cmocka_unit_test(an_interrupt_is_idle),
	    cmocka_unit_test(an_error_ends_the_turn),
	    cmocka_unit_test(clear_is_unknown_and_lets_the_title_speak),
	    cmocka_unit_test(states_of_the_protocol_that_nobody_knows_are_ignored),
	    cmocka_unit_test(titles),
	    cmocka_unit_test(a_turn_by_titles),
	    cmocka_unit_test(a_start_that_tells_nothing_becomes_unknown),
	    cmocka_unit_test(a_slow_start_waits_for_the_title),
	    cmocka_unit_test(without_signals_a_submitted_line_is_a_turn),
	    cmocka_unit_test(a_shell_works_while_a_command_is_in_the_foreground),
	    cmocka_unit_test(a_line_given_to_a_shell_is_a_turn),
	    cmocka_unit_test(osc_7501_inside_a_shell),
	    cmocka_unit_test(foreground_is_a_signal_of_shells_only),
	    cmocka_unit_test(notifications_and_bells),
	    cmocka_unit_test(a_suspended_session_is_what_it_was),
	    cmocka_unit_test(ends),
	    cmocka_unit_test(ends_by_the_users_own_key),
	    cmocka_unit_test(a_shell_that_is_left),
	    cmocka_unit_test(a_new_worker_goes_on),
	    cmocka_unit_test(a_state_of_a_newer_version_is_unknown),
	    cmocka_unit_test(reasons_are_clean_and_short),
	    cmocka_unit_test(a_dialog_at_the_start),
	    cmocka_unit_test(work_ends_a_dialog),
	    cmocka_unit_test(a_dialog_of_a_program_that_tells_nothing),
	    cmocka_unit_test(a_dialog_that_is_told),
	    cmocka_unit_test(ready_for_a_prompt),
	    cmocka_unit_test(explanations),
	    cmocka_unit_test(faulty_rules),
	};

	return cmocka_run_group_tests(tests, load_set, free_set);
}
