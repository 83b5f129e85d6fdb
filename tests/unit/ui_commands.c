/*
 * The tables of commands and bindings: complete, free of doubles, and what a key press means.  With --print:
 * the tables as the manual holds them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/path.h"
#include "ui/bindings.h"
#include "ui/copy.h"

static void test_every_command_is_described(void **state)
{
	(void)state;
	for (int id = 0; id < CMD_COUNT; id++) {
		const struct ui_command *c = commands_get(id);

		assert_int_equal(c->id, id);
		assert_true(*c->name);
		assert_true(*c->help);
		assert_true(c->group < GROUP_COUNT);
		assert_int_equal(commands_parse(c->name, NULL), id);
	}
	assert_null(commands_get(CMD_NONE));
	assert_null(commands_get(CMD_COUNT));
}

static void test_lines_become_commands(void **state)
{
	const char *argument;

	(void)state;
	assert_int_equal(commands_parse("resize-left 5", &argument), CMD_RESIZE_LEFT);
	assert_string_equal(argument, "5");
	assert_int_equal(commands_parse("  zoom  ", &argument), CMD_ZOOM);
	assert_string_equal(argument, "");
	assert_int_equal(commands_parse("zo", NULL), CMD_ZOOM);
	assert_int_equal(commands_parse("go-to api server", &argument), CMD_GO_TO);
	assert_string_equal(argument, "api server");
	assert_int_equal(commands_parse("split", NULL), CMD_NONE); /* two of them */
	assert_int_equal(commands_parse("fly", NULL), CMD_NONE);
	assert_int_equal(commands_parse("", NULL), CMD_NONE);
	/* the name of one is the beginning of another */
	assert_int_equal(commands_parse("history", NULL), CMD_HISTORY);
}

/* What the manual promises, key by key. */
static const struct {
	const char *key;
	enum command_id id;
	const char *argument;
} promised[] = {
    {"c", CMD_NEW_SESSION, ""},
    {"s", CMD_FIND_SESSION, ""},
    {"n", CMD_NEXT_SESSION, ""},
    {"p", CMD_PREVIOUS_SESSION, ""},
    {"0", CMD_GO_TO, "0"},
    {"9", CMD_GO_TO, "9"},
    {"'", CMD_GO_TO, ""},
    {"l", CMD_UNDO_GO_TO, ""},
    {";", CMD_LAST_PANE, ""},
    {"a", CMD_GO_TO_WAITING, ""},
    {"%", CMD_SPLIT_RIGHT, ""},
    {"v", CMD_SPLIT_RIGHT, ""},
    {"\"", CMD_SPLIT_BELOW, ""},
    {"-", CMD_SPLIT_BELOW, ""},
    {"Left", CMD_FOCUS_LEFT, ""},
    {"Down", CMD_FOCUS_DOWN, ""},
    {"Up", CMD_FOCUS_UP, ""},
    {"Right", CMD_FOCUS_RIGHT, ""},
    {"o", CMD_FOCUS_NEXT, ""},
    {"C-Left", CMD_RESIZE_LEFT, ""},
    {"C-Down", CMD_RESIZE_DOWN, ""},
    {"C-Up", CMD_RESIZE_UP, ""},
    {"C-Right", CMD_RESIZE_RIGHT, ""},
    {"M-Left", CMD_RESIZE_LEFT, "5"},
    {"E", CMD_EQUAL_SIZES, ""},
    {"{", CMD_SWAP_PREVIOUS, ""},
    {"}", CMD_SWAP_NEXT, ""},
    {"!", CMD_BREAK_PANE, ""},
    {"z", CMD_ZOOM, ""},
    {"Space", CMD_NEXT_LAYOUT, ""},
    {"x", CMD_CLOSE_PANE, ""},
    {"X", CMD_STOP_SESSION, ""},
    {"[", CMD_HISTORY, ""},
    {"PPage", CMD_HISTORY_PAGE_UP, ""},
    {"]", CMD_PASTE, ""},
    {"IC", CMD_PASTE, ""},
    {",", CMD_RENAME_SESSION, ""},
    {"b", CMD_SIDEBAR, ""},
    {"e", CMD_FOLD_ENDED, ""},
    {"S", CMD_TYPE_INTO_ALL, ""},
    {"w", CMD_VIEWS, ""},
    {"r", CMD_RESUME_SESSION, ""},
    {"Enter", CMD_NEWLINE, ""},
    {"q", CMD_PANE_NUMBERS, ""},
    {"~", CMD_MESSAGES, ""},
    {"m", CMD_MOUSE, ""},
    {"?", CMD_HELP, ""},
    {":", CMD_PALETTE, ""},
    {"d", CMD_LEAVE, ""},
};

static struct key press(const char *name)
{
	struct key k;

	assert_true(key_parse(name, &k));
	return k;
}

static const struct binding *find(const struct bindings *b, const char *name)
{
	struct key k = press(name);

	return bindings_find(b, &k, false);
}

static void test_default_keys(void **state)
{
	struct bindings *b = bindings_create(false, NULL, NULL);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(promised); i++) {
		const struct binding *it = find(b, promised[i].key);

		if (!it)
			fail_msg("no binding for %s", promised[i].key);
		assert_int_equal(it->command, promised[i].id);
		assert_string_equal(it->argument, promised[i].argument);
	}
	assert_null(find(b, "y"));
	assert_null(bindings_fault(b, 0));
	bindings_destroy(b);
}

/* No two commands want the same key, in either preset; every key named in the table is one. */
static void test_no_key_is_bound_twice(void **state)
{
	(void)state;
	for (int vi = 0; vi < 2; vi++) {
		struct bindings *b = bindings_create(vi, NULL, NULL);
		size_t named = 0, bound = 0;

		for (int id = 0; id < CMD_COUNT; id++) {
			const char *keys = commands_keys(commands_get(id), vi);

			for (keys += strspn(keys, " "); *keys; keys += strspn(keys, " ")) {
				keys += strcspn(keys, " ");
				named++;
			}
		}
		while (bindings_at(b, bound))
			bound++;
		assert_int_equal(bound, named);
		bindings_destroy(b);
	}
}

static void test_a_character_counts_whatever_made_it(void **state)
{
	struct bindings *b = bindings_create(false, NULL, NULL);
	/* kitty's protocol: the unshifted key, what shift makes of it, no text */
	struct key percent = {.code = '5', .shifted = '%', .mods = MOD_SHIFT, .event = KEY_PRESS};
	/* AltGr and other ways: only the text says it */
	struct key brace = {.code = '7', .mods = 0, .event = KEY_PRESS, .text = "{"};
	/* caps lock and num lock do not change what Ctrl+arrow is */
	struct key left = {
	    .code = KEY_LEFT, .mods = MOD_CTRL | MOD_NUM_LOCK | MOD_CAPS_LOCK, .event = KEY_PRESS};
	struct key enter = {.code = KEY_KP_ENTER, .event = KEY_PRESS};
	struct key control_c = {.code = 'c', .mods = MOD_CTRL, .event = KEY_PRESS};

	(void)state;
	assert_int_equal(bindings_find(b, &percent, false)->command, CMD_SPLIT_RIGHT);
	assert_int_equal(bindings_find(b, &brace, false)->command, CMD_SWAP_PREVIOUS);
	assert_int_equal(bindings_find(b, &left, false)->command, CMD_RESIZE_LEFT);
	assert_int_equal(bindings_find(b, &enter, false)->command, CMD_NEWLINE);
	assert_null(bindings_find(b, &control_c, false)); /* not "c" */
	bindings_destroy(b);
}

/* Ctrl+b on a Russian layout: the key of the standard layout counts. */
static void test_control_keys_of_other_layouts(void **state)
{
	struct key k = {.code = 0x438, .base = 'b', .mods = MOD_CTRL, .event = KEY_PRESS};
	struct key underscore = {
	    .code = '-', .shifted = '_', .mods = MOD_CTRL | MOD_SHIFT, .event = KEY_PRESS};
	struct chord c;

	(void)state;
	assert_true(chord_parse("C-b", &c));
	assert_true(chord_matches(&c, &k));
	k.mods = MOD_CTRL | MOD_ALT;
	assert_false(chord_matches(&c, &k));
	assert_true(chord_parse("C-_", &c));
	assert_true(chord_matches(&c, &underscore));
}

static struct json *parse(const char *text)
{
	struct json *j = json_parse(text, strlen(text), "test", NULL);

	assert_non_null(j);
	return j;
}

static void test_configuration_changes_bindings(void **state)
{
	struct json *keys = parse(
	    "{\"g\": \"go-waiting\", \"c\": null, \"x\": \"resize-right 3\", \"nokey-at-all\": \"zoom\", "
	    "\"y\": \"fly away\"}");
	struct json *direct = parse("{\"M-n\": \"go-next\"}");
	struct bindings *b = bindings_create(false, keys, direct);
	struct key alt_n = press("M-n");

	(void)state;
	assert_int_equal(find(b, "g")->command, CMD_GO_TO_WAITING);
	assert_null(find(b, "c"));
	assert_int_equal(find(b, "x")->command, CMD_RESIZE_RIGHT);
	assert_string_equal(find(b, "x")->argument, "3");
	assert_int_equal(bindings_find(b, &alt_n, true)->command, CMD_NEXT_SESSION);
	assert_null(bindings_find(b, &alt_n, false));
	assert_non_null(strstr(bindings_fault(b, 0), "nokey-at-all"));
	assert_non_null(strstr(bindings_fault(b, 1), "fly away"));
	assert_null(bindings_fault(b, 2));
	bindings_destroy(b);
	json_free(keys);
	json_free(direct);
}

static void test_keys_are_listed(void **state)
{
	struct bindings *b = bindings_create(false, NULL, NULL), *vi = bindings_create(true, NULL, NULL);
	struct buf out = BUF_INIT;

	(void)state;
	bindings_keys_of(b, CMD_SPLIT_RIGHT, "", &out);
	assert_string_equal(out.data, "% v");
	buf_clear(&out);
	bindings_keys_of(b, CMD_GO_TO, "3", &out);
	assert_string_equal(out.data, "3");
	buf_clear(&out);
	bindings_keys_of(vi, CMD_FOCUS_RIGHT, "", &out);
	assert_string_equal(out.data, "Right l");
	buf_free(&out);
	bindings_destroy(b);
	bindings_destroy(vi);
}

static void test_history_keys(void **state)
{
	static const struct {
		const char *key;
		enum copy_action vi, emacs;
	} cases[] = {
	    {"Up", COPY_UP, COPY_UP},
	    {"k", COPY_UP, COPY_NO_ACTION},
	    {"C-p", COPY_NO_ACTION, COPY_UP},
	    {"PPage", COPY_PAGE_UP, COPY_PAGE_UP},
	    {"C-b", COPY_PAGE_UP, COPY_LEFT},
	    {"C-f", COPY_PAGE_DOWN, COPY_RIGHT},
	    {"C-u", COPY_HALF_UP, COPY_HALF_UP},
	    {"C-d", COPY_HALF_DOWN, COPY_HALF_DOWN},
	    {"g", COPY_FIRST, COPY_FIRST},
	    {"G", COPY_LAST, COPY_LAST},
	    {"/", COPY_SEARCH, COPY_SEARCH},
	    {"?", COPY_SEARCH_BACK, COPY_SEARCH_BACK},
	    {"C-s", COPY_NO_ACTION, COPY_SEARCH},
	    {"n", COPY_NEXT, COPY_NEXT},
	    {"N", COPY_PREVIOUS, COPY_PREVIOUS},
	    {"Space", COPY_SELECT, COPY_SELECT},
	    {"v", COPY_SELECT, COPY_SELECT},
	    {"V", COPY_SELECT_LINES, COPY_SELECT_LINES},
	    {"y", COPY_TAKE, COPY_TAKE},
	    {"Enter", COPY_TAKE, COPY_TAKE},
	    {"M-w", COPY_NO_ACTION, COPY_TAKE},
	    {"q", COPY_LEAVE, COPY_LEAVE},
	    {"Escape", COPY_LEAVE, COPY_LEAVE},
	    {"F5", COPY_NO_ACTION, COPY_NO_ACTION},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct key k = press(cases[i].key);

		if (copy_action_of(&k, true) != cases[i].vi || copy_action_of(&k, false) != cases[i].emacs)
			fail_msg("%s: vi %d, emacs %d", cases[i].key, copy_action_of(&k, true),
			    copy_action_of(&k, false));
	}
}

static void assert_page_holds(const char *page, void (*print)(struct buf *out))
{
	struct buf table = BUF_INIT;
	bool there;

	print(&table);
	there = strstr(page, table.data) != NULL;
	buf_free(&table);
	assert_true(there); /* `ui_commands --print` prints what it should hold */
}

static void test_the_manual_has_the_tables(void **state)
{
	AUTO_FREE char *page = NULL;
	struct err err = ERR_INIT;

	(void)state;
	if (path_read_file("man/handler-keys.7", 1 << 20, &page, NULL, &err) < 0)
		fail_msg("%s", err.message);
	assert_page_holds(page, commands_print);
	assert_page_holds(page, copy_actions_print);
}

static int print_tables(void)
{
	struct buf out = BUF_INIT;

	commands_print(&out);
	copy_actions_print(&out);
	fputs(out.data, stdout);
	buf_free(&out);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--print") == 0)
		return print_tables();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_command_is_described),
	    cmocka_unit_test(test_lines_become_commands),
	    cmocka_unit_test(test_default_keys),
	    cmocka_unit_test(test_no_key_is_bound_twice),
	    cmocka_unit_test(test_a_character_counts_whatever_made_it),
	    cmocka_unit_test(test_control_keys_of_other_layouts),
	    cmocka_unit_test(test_configuration_changes_bindings),
	    cmocka_unit_test(test_keys_are_listed),
	    cmocka_unit_test(test_history_keys),
	    cmocka_unit_test(test_the_manual_has_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
