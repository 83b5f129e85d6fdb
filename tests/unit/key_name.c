/* Names of keys, what a binding matches, and what follows from a code. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "key/key.h"

static struct key parsed(const char *name)
{
	struct key k;

	if (!key_parse(name, &k))
		fail_msg("\"%s\" is not taken for a key", name);
	return k;
}

static void assert_key(const char *name, uint32_t code, uint16_t mods)
{
	struct key k = parsed(name);

	if (k.code != code || k.mods != mods)
		fail_msg(
		    "%s: code %#x mods %d, not %#x %d", name, (unsigned)k.code, k.mods, (unsigned)code, mods);
}

static void test_parse(void **state)
{
	(void)state;
	assert_key("a", 'a', 0);
	assert_key("A", 'a', MOD_SHIFT);
	assert_key("-", '-', 0);
	assert_key("+", '+', 0);
	assert_key("C--", '-', MOD_CTRL);
	assert_key("Ctrl++", '+', MOD_CTRL);
	assert_key("M-+", '+', MOD_ALT);
	assert_key("C-c", 'c', MOD_CTRL);
	assert_key("c-C", 'c', MOD_CTRL | MOD_SHIFT);
	assert_key("^C", 'c', MOD_CTRL);
	assert_key("^c", 'c', MOD_CTRL);
	assert_key("^", '^', 0);
	assert_key("C-^", '^', MOD_CTRL);
	assert_key("M-x", 'x', MOD_ALT);
	assert_key("S-Enter", KEY_ENTER, MOD_SHIFT);
	assert_key("C-M-Up", KEY_UP, MOD_CTRL | MOD_ALT);
	assert_key("Alt+x", 'x', MOD_ALT);
	assert_key("Ctrl+Shift+Up", KEY_UP, MOD_CTRL | MOD_SHIFT);
	assert_key("Super+k", 'k', MOD_SUPER);
	assert_key("Meta+k", 'k', MOD_META);
	assert_key("space", ' ', 0);
	assert_key("C-Space", ' ', MOD_CTRL);
	assert_key("BTab", KEY_TAB, MOD_SHIFT);
	assert_key("F5", KEY_F5, 0);
	assert_key("f12", KEY_F12, 0);
	assert_key("PgUp", KEY_PAGE_UP, 0);
	assert_key("PageUp", KEY_PAGE_UP, 0);
	assert_key("KP*", KEY_KP_MULTIPLY, 0);
	assert_key("KPEnter", KEY_KP_ENTER, 0);
	assert_key("Esc", KEY_ESCAPE, 0);
	assert_key("\xc3\xa9", 0xE9, 0);
	assert_key("\xc3\x89", 0xE9, MOD_SHIFT);
	assert_key("U+1F600", 0x1F600, 0);
	assert_int_equal(parsed("F13").number, 57376);
	assert_int_equal(parsed("Other57500").number, 57500);
	assert_int_equal(parsed("MediaPlay").number, 57428);
}

static void test_parse_refuses(void **state)
{
	static const char *const bad[] = {"", "C-", "M-C-", "ab", "Ctrl+", "X-a", "F99", "\x01", "U+",
	    "U+D800", "U+110000", "U+1b", "Other1", "Other", "\xff", "\xc3", "None", "CC-a"};
	struct key k;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (key_parse(bad[i], &k))
			fail_msg("\"%s\" is taken for a key", bad[i]);
	}
}

static void test_canonical(void **state)
{
	static const char *const names[][2] = {
	    {"a", "a"},
	    {"A", "A"},
	    {"S-a", "A"},
	    {"M-A", "M-A"},
	    {"C-A", "C-S-a"},
	    {"Shift+Ctrl+a", "C-S-a"},
	    {"^c", "C-c"},
	    {"Space", "Space"},
	    {"C-M-S-up", "C-M-S-Up"},
	    {"Esc", "Escape"},
	    {"Insert", "IC"},
	    {"Delete", "DC"},
	    {"PageUp", "PPage"},
	    {"PageDown", "NPage"},
	    {"Backspace", "BSpace"},
	    {"BTab", "S-Tab"},
	    {"Cmd+k", "Super-k"},
	    {"Other57500", "Other57500"},
	    {"f35", "F35"},
	    {"KP.", "KP."},
	    {"Hyper+Super+Meta+Ctrl+Alt+Shift+MediaPlayPause", "Super-Hyper-Meta-C-M-S-MediaPlayPause"},
	    {"U+e9", "\xc3\xa9"},
	};
	char name[KEY_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct key k = parsed(names[i][0]);

		key_name(&k, name);
		assert_string_equal(name, names[i][1]);
	}
}

/* Every special key and every modifier: the name is parsed as the same key. */
static void test_names_return(void **state)
{
	static const uint16_t mods[] = {0, MOD_SHIFT, MOD_ALT, MOD_CTRL, MOD_CTRL | MOD_SHIFT, MOD_HELD};
	char name[KEY_NAME_MAX];

	(void)state;
	for (uint32_t code = KEY_SPECIAL_FIRST; code < KEY_OTHER; code++) {
		for (size_t i = 0; i < COUNT_OF(mods); i++) {
			struct key k = {.code = code, .mods = mods[i]}, back;

			key_complete(&k);
			key_name(&k, name);
			back = parsed(name);
			assert_true(key_equal(&k, &back));
		}
	}
	for (uint32_t number = 57344; number < 57344 + 200; number++) {
		struct key k = {.code = KEY_OTHER, .number = number, .event = KEY_PRESS}, back;

		key_name(&k, name);
		back = parsed(name);
		if (back.code == KEY_OTHER)
			assert_int_equal(back.number, number);
	}
	for (uint32_t c = 0x20; c < 0x250; c++) {
		struct key k = key_from_char(c), back;

		if (c >= 0x7F && c < 0xA0)
			continue;
		key_name(&k, name);
		back = parsed(name);
		assert_true(key_equal(&k, &back));
	}
}

static void test_name_of_odd_keys(void **state)
{
	struct key text = {.code = 0, .event = KEY_PRESS, .text = "\xe4\xbd\xa0\xe5\xa5\xbd"};
	struct key control = {.code = 1, .event = KEY_PRESS};
	struct key wrong = {.code = KEY_SPECIAL_END + 7, .event = KEY_PRESS};
	char name[KEY_NAME_MAX];

	(void)state;
	key_name(&text, name);
	assert_string_equal(name, "\xe4\xbd\xa0\xe5\xa5\xbd");
	key_name(&control, name);
	assert_string_equal(name, "U+0001");
	key_name(&wrong, name);
}

static void test_complete(void **state)
{
	struct key k;

	(void)state;
	k = key_from_char('a');
	assert_int_equal(k.shifted, 'A');
	assert_string_equal(k.text, "a");
	k = key_from_char('A');
	assert_int_equal(k.code, 'a');
	assert_int_equal(k.mods, MOD_SHIFT);
	assert_string_equal(k.text, "A");
	k = key_from_char('!');
	assert_int_equal(k.code, '!');
	assert_int_equal(k.mods, 0);
	k = key_from_char(0x42F); /* Я */
	assert_int_equal(k.code, 0x44F);
	assert_string_equal(k.text, "\xd0\xaf");
	k = (struct key){.code = 'a', .mods = MOD_CAPS_LOCK};
	key_complete(&k);
	assert_string_equal(k.text, "A");
	k = (struct key){.code = 'a', .mods = MOD_CAPS_LOCK | MOD_SHIFT};
	key_complete(&k);
	assert_string_equal(k.text, "a");
	k = (struct key){.code = 'a', .mods = MOD_CTRL};
	key_complete(&k);
	assert_string_equal(k.text, "");
	k = (struct key){.code = '1', .mods = MOD_SHIFT}; /* what that makes depends on the layout */
	key_complete(&k);
	assert_string_equal(k.text, "");
	k = (struct key){.code = ' ', .mods = MOD_SHIFT};
	key_complete(&k);
	assert_string_equal(k.text, " ");
	k = (struct key){.code = KEY_KP_5};
	key_complete(&k);
	assert_string_equal(k.text, "5");
	k = (struct key){.code = 'a', .event = KEY_RELEASE, .text = "a"};
	key_complete(&k);
	assert_string_equal(k.text, "");
	k = (struct key){.code = KEY_ENTER};
	key_complete(&k);
	assert_string_equal(k.text, "");
}

static bool matches(const char *binding, struct key pressed)
{
	struct key b = parsed(binding);

	pressed.event = pressed.event ? pressed.event : KEY_PRESS;
	return key_matches(&b, &pressed);
}

static void test_matches(void **state)
{
	(void)state;
	assert_true(matches("a", key_from_char('a')));
	assert_false(matches("a", key_from_char('A')));
	assert_true(matches("A", key_from_char('A')));
	assert_true(matches("?", key_from_char('?')));
	/* shift and / of a kitty terminal */
	assert_true(matches("?", (struct key){.code = '/', .shifted = '?', .mods = MOD_SHIFT, .text = "?"}));
	assert_true(matches("?", (struct key){.code = '/', .shifted = '?', .mods = MOD_SHIFT}));
	/* and of a French keyboard, where 1 needs shift */
	assert_true(matches("1", (struct key){.code = '&', .shifted = '1', .mods = MOD_SHIFT, .text = "1"}));
	assert_true(matches("A", (struct key){.code = 'a', .mods = MOD_CAPS_LOCK, .text = "A"}));
	assert_true(matches("C-b", (struct key){.code = 'b', .mods = MOD_CTRL}));
	assert_true(
	    matches("C-b", (struct key){.code = 'b', .mods = MOD_CTRL | MOD_NUM_LOCK | MOD_CAPS_LOCK}));
	assert_true(matches("C-b", (struct key){.code = 'b', .mods = MOD_CTRL, .event = KEY_REPEAT}));
	assert_false(matches("C-b", (struct key){.code = 'b', .mods = MOD_CTRL, .event = KEY_RELEASE}));
	assert_false(matches("C-b", (struct key){.code = 'b', .mods = MOD_CTRL | MOD_SHIFT, .shifted = 'B'}));
	assert_true(
	    matches("C-S-b", (struct key){.code = 'b', .mods = MOD_CTRL | MOD_SHIFT, .shifted = 'B'}));
	assert_false(matches("C-b", (struct key){.code = 'b', .mods = MOD_CTRL | MOD_ALT}));
	/* ctrl and the key of b on a Cyrillic layout */
	assert_true(matches("C-b", (struct key){.code = 0x438, .base = 'b', .mods = MOD_CTRL}));
	assert_false(matches("b", (struct key){.code = 0x438, .base = 'b', .text = "\xd0\xb8"}));
	/* Dvorak: the letter counts, not the place */
	assert_false(matches("C-n", (struct key){.code = 'b', .base = 'n', .mods = MOD_CTRL}));
	assert_true(matches("C-Up", (struct key){.code = KEY_UP, .mods = MOD_CTRL}));
	assert_false(matches("Up", (struct key){.code = KEY_UP, .mods = MOD_SHIFT}));
	assert_true(matches("Enter", (struct key){.code = KEY_KP_ENTER}));
	assert_true(matches("5", (struct key){.code = KEY_KP_5, .text = "5"}));
	assert_true(matches("Left", (struct key){.code = KEY_OTHER, .number = 57417}));
	assert_true(matches("F13", (struct key){.code = KEY_OTHER, .number = 57376}));
	assert_false(matches("F13", (struct key){.code = KEY_OTHER, .number = 57377}));
	assert_true(matches("\xc3\xa9", (struct key){.code = 0, .text = "\xc3\xa9"}));
	assert_true(matches("Space", key_from_char(' ')));
	assert_true(matches("S-Tab", (struct key){.code = KEY_TAB, .mods = MOD_SHIFT}));
}

static void test_equal(void **state)
{
	struct key a = key_from_char('a'), b = key_from_char('a');

	(void)state;
	b.mods |= MOD_NUM_LOCK;
	assert_true(key_equal(&a, &b));
	b.event = KEY_REPEAT;
	assert_false(key_equal(&a, &b));
	b = key_from_char('A');
	assert_false(key_equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parse),
	    cmocka_unit_test(test_parse_refuses),
	    cmocka_unit_test(test_canonical),
	    cmocka_unit_test(test_names_return),
	    cmocka_unit_test(test_name_of_odd_keys),
	    cmocka_unit_test(test_complete),
	    cmocka_unit_test(test_matches),
	    cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
