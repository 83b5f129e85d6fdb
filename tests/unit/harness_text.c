/* harness: quoting, ${names}, variables, arrays of strings, and the digest of a text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "harness/environment.h"
#include "harness/expand.h"
#include "harness/plan.h"
#include "harness/quote.h"

static const char *const hard_words[] = {
    "",
    "plain",
    "two words",
    "it's",
    "\"quoted\"",
    "$HOME `id` \\n",
    "-n",
    "a\nb",
    "tab\there",
    "\033[31m",
    "~",
    "~/x",
    "a=b",
    "=cmd",
    "*",
    "!",
    "#",
    "\U0001F600",
    "é",
    "'",
    "'''",
    "\\",
    "\x01\x7f",
    "a&&b;c|d>e<f",
    "[x]{y}",
    "100%",
};

static void words_for_a_shell(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
	    {"plain", "plain"},
	    {"--opt=a/b.c", "--opt=a/b.c"},
	    {"", "''"},
	    {"two words", "'two words'"},
	    {"it's", "'it'\\''s'"},
	    {"a\nb", "$'a\\nb'"},
	    {"\033[0m", "$'\\033[0m'"},
	    {"~/x", "'~/x'"},
	    {"=cmd", "'=cmd'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		AUTO_BUF out = BUF_INIT;

		shell_quote(&out, cases[i].word);
		assert_string_equal(out.data, cases[i].quoted);
	}
}

/* What a program printed, in full. */
static void run(char *const argv[], struct buf *out)
{
	int ends[2], status;
	char data[4096];
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	while ((n = read(ends[0], data, sizeof(data))) > 0)
		buf_add(out, data, (size_t)n);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void bash_reads_back_what_was_quoted(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(hard_words); i++) {
		AUTO_BUF command = BUF_INIT;
		AUTO_BUF out = BUF_INIT;

		buf_adds(&command, "printf %s ");
		shell_quote(&command, hard_words[i]);
		run((char *[]){"/bin/bash", "-c", command.data, NULL}, &out);
		assert_string_equal(out.data, hard_words[i]);
	}
}

static void strings_of_toml(void **state)
{
	static const struct {
		const char *text, *quoted;
	} cases[] = {
	    {"", "\"\""},
	    {"plain", "\"plain\""},
	    {"say \"hi\"", "\"say \\\"hi\\\"\""},
	    {"a\nb\\c", "\"a\\nb\\\\c\""},
	    {"--dash = $HOME", "\"--dash = $HOME\""},
	    {"\t\r\x01\x7f", "\"\\u0009\\u000D\\u0001\\u007F\""},
	    {"\U0001F600 é", "\"\U0001F600 é\""},
	    {"'''\"\"\"", "\"'''\\\"\\\"\\\"\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		AUTO_BUF out = BUF_INIT;

		toml_quote(&out, cases[i].text);
		assert_string_equal(out.data, cases[i].quoted);
	}
}

static void names_are_replaced(void **state)
{
	struct expand_values values = {{NULL}};
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	values.of[VALUE_MODEL] = "opus";
	values.of[VALUE_PROMPT] = "${model} $$ \"";
	assert_int_equal(expand(&out, "-m=${model} ${prompt} $5 $$ ${ $", &values, NULL), 0);
	assert_string_equal(out.data, "-m=opus ${model} $$ \" $5 $ ${ $");
	assert_int_equal(expand(&out, "${conversation}", &values, &err), -1);
	assert_string_equal(err.message, "The descriptor uses ${conversation}, which has no value here.");
}

static void unknown_names(void **state)
{
	char name[64] = "";

	(void)state;
	assert_true(expand_check("${session_dir}/x ${home} $HOME ${", name));
	assert_false(expand_check("a ${promt}", name));
	assert_string_equal(name, "promt");
	assert_false(expand_check("${}", name));
	assert_non_null(strstr(expand_names(), "${instructions_file}"));
}

static void the_outer_terminals_variables_are_dropped(void **state)
{
	static char *const caller[] = {"PATH=/bin", "TMUX=/tmp/tmux-0/default,1,0", "TMUX_PANE=%3", "STY=1.x",
	    "TERM_PROGRAM=ghostty", "TERM_PROGRAM_VERSION=1", "KITTY_WINDOW_ID=4", "KITTY_PUBLIC_KEY=x",
	    "WT_SESSION=abc", "ZELLIJ=0", "ZELLIJ_SESSION_NAME=s", "WEZTERM_PANE=1", "ALACRITTY_WINDOW_ID=1",
	    "GHOSTTY_RESOURCES_DIR=/x", "VTE_VERSION=7000", "KONSOLE_VERSION=1", "ITERM_SESSION_ID=1",
	    "LC_TERMINAL=iTerm2", "LC_TERMINAL_VERSION=3", "TERMCAP=x", "COLUMNS=80", "LINES=24",
	    "WINDOWID=12", "HANDLER_SESSION=aaaaaa", "HANDLER_TEST_RUN=1", "DISPLAY=:0",
	    "SSH_AUTH_SOCK=/run/x", "TMUXINATOR_CONFIG=/x", "LANG=C.UTF-8", "PATH=/other", "no assignment",
	    NULL};
	static const char *const kept[] = {
	    "PATH=/bin", "DISPLAY=:0", "SSH_AUTH_SOCK=/run/x", "TMUXINATOR_CONFIG=/x", "LANG=C.UTF-8"};
	struct strv env;

	(void)state;
	environment_init(&env, caller);
	assert_int_equal(env.count, COUNT_OF(kept));
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		assert_string_equal(env.items[i], kept[i]);
	strv_finish(&env);
}

static void variables_are_set_and_unset(void **state)
{
	static char *const caller[] = {"A=1", "AB=2", "CLAUDE_CODE_X=3", "EMPTY=", NULL};
	struct strv env;

	(void)state;
	environment_init(&env, caller);
	environment_set(&env, "A", "one=1");
	environment_put(&env, "NEW=2");
	environment_unset(&env, "CLAUDE_*");
	environment_unset(&env, "ABSENT");
	assert_string_equal(environment_get(&env, "A"), "one=1");
	assert_string_equal(environment_get(&env, "AB"), "2");
	assert_string_equal(environment_get(&env, "NEW"), "2");
	assert_string_equal(environment_get(&env, "EMPTY"), "");
	assert_null(environment_get(&env, "CLAUDE_CODE_X"));
	assert_int_equal(env.count, 4);
	strv_finish(&env);
}

static void assignments(void **state)
{
	(void)state;
	assert_true(environment_is_assignment("A=1"));
	assert_true(environment_is_assignment("_a9="));
	assert_false(environment_is_assignment("9A=1"));
	assert_false(environment_is_assignment("A"));
	assert_false(environment_is_assignment("=x"));
	assert_false(environment_is_assignment("A B=1"));
	assert_false(environment_is_assignment(""));
}

static void arrays_of_strings(void **state)
{
	struct strv v = STRV_INIT;
	static const char text[] = "[\"a\", 1, \"b\"]";
	struct json *array = json_parse(text, strlen(text), "x", NULL);
	char **items;

	(void)state;
	strv_add(&v, "x");
	strv_add(&v, "y");
	strv_add(&v, "z");
	strv_remove(&v, 1);
	assert_int_equal(v.count, 2);
	assert_string_equal(v.items[1], "z");
	assert_null(v.items[2]);
	items = strv_steal(&v);
	assert_int_equal(strv_count(items), 2);
	strv_destroy(items);
	items = strv_steal(&v);
	assert_non_null(items);
	assert_null(items[0]);
	strv_destroy(items);
	strv_destroy(NULL);
	assert_int_equal(strv_count(NULL), 0);
	items = strv_from_json(array);
	assert_int_equal(strv_count(items), 2);
	assert_string_equal(items[1], "b");
	strv_destroy(items);
	json_free(array);
}

/* FNV-1a, 128 bits: the published values of the empty text, and that one bit tells texts apart. */
static void digests(void **state)
{
	char a[TEXT_DIGEST_SIZE], b[TEXT_DIGEST_SIZE];

	(void)state;
	text_digest("", 0, a);
	assert_string_equal(a, "6c62272e07bb014262b821756295c58d");
	text_digest("a", 1, a);
	assert_string_equal(a, "d228cb696f1a8caf78912b704e4a8964");
	text_digest("b", 1, b);
	assert_string_not_equal(a, b);
	text_digest("a\0b", 3, a);
	text_digest("a\0c", 3, b);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words_for_a_shell),
	    cmocka_unit_test(bash_reads_back_what_was_quoted),
	    cmocka_unit_test(strings_of_toml),
	    cmocka_unit_test(names_are_replaced),
	    cmocka_unit_test(unknown_names),
	    cmocka_unit_test(the_outer_terminals_variables_are_dropped),
	    cmocka_unit_test(variables_are_set_and_unset),
	    cmocka_unit_test(assignments),
	    cmocka_unit_test(arrays_of_strings),
	    cmocka_unit_test(digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
