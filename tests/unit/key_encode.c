/*
 * What programs read for a key.  Expected bytes: xterm ctlseqs ("PC-Style Function Keys", XTMODKEYS and the
 * table of modified keys), kitty keyboard protocol ("Legacy functional keys", "Legacy text keys", "Functional
 * key definitions").
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "key/key.h"

/* Bytes as in C source, so that a failure can be read. */
static char *visible(const struct buf *b)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < b->len; i++) {
		uint8_t c = (uint8_t)b->data[i];

		if (c == 0x1B)
			buf_adds(&out, "\\e");
		else if (c < 0x20 || c == 0x7F)
			buf_printf(&out, "\\x%02x", c);
		else
			buf_addc(&out, (char)c);
	}
	return buf_steal(&out);
}

static void assert_bytes(const char *what, const struct key *k, const struct key_modes *m, const char *want)
{
	AUTO_BUF out = BUF_INIT;
	AUTO_FREE char *got = NULL;

	key_encode(k, m, &out);
	got = visible(&out);
	if (strcmp(got, want) != 0)
		fail_msg("%s (kitty %d, other keys %d): \"%s\", not \"%s\"", what, m->kitty,
		    m->modify_other_keys, got, want);
}

static void assert_key(const char *name, const struct key_modes *m, const char *want)
{
	struct key k;

	if (!key_parse(name, &k))
		fail_msg("%s is no key", name);
	assert_bytes(name, &k, m, want);
}

struct expectation {
	const char *name, *bytes;
};

static void assert_all(const struct expectation *rows, size_t count, const struct key_modes *m)
{
	for (size_t i = 0; i < count; i++)
		assert_key(rows[i].name, m, rows[i].bytes);
}

static void test_legacy_plain(void **state)
{
	static const struct expectation rows[] = {
	    {"a", "a"},
	    {"A", "A"},
	    {"!", "!"},
	    {"\xc3\xa9", "\xc3\xa9"},
	    {"Space", " "},
	    {"Enter", "\\x0d"},
	    {"Tab", "\\x09"},
	    {"BSpace", "\\x7f"},
	    {"Escape", "\\e"},
	    {"S-Enter", "\\x0d"},
	    {"C-Enter", "\\x0d"},
	    {"M-Enter", "\\e\\x0d"},
	    {"C-S-Enter", "\\x0d"},
	    {"M-S-Enter", "\\e\\x0d"},
	    {"C-M-Enter", "\\e\\x0d"},
	    {"C-j", "\\x0a"},
	    {"C-m", "\\x0d"},
	    {"C-i", "\\x09"},
	    {"S-Escape", "\\e"},
	    {"M-Escape", "\\e\\e"},
	    {"C-BSpace", "\\x08"},
	    {"M-BSpace", "\\e\\x7f"},
	    {"S-BSpace", "\\x7f"},
	    {"C-M-BSpace", "\\e\\x08"},
	    {"S-Tab", "\\e[Z"},
	    {"C-Tab", "\\x09"},
	    {"M-Tab", "\\e\\x09"},
	    {"M-S-Tab", "\\e\\e[Z"},
	    {"C-S-Tab", "\\e[Z"},
	    {"S-Space", " "},
	    {"C-Space", "\\x00"},
	    {"M-Space", "\\e "},
	    {"C-M-Space", "\\e\\x00"},
	    {"M-a", "\\ea"},
	    {"M-A", "\\eA"},
	    {"C-a", "\\x01"},
	    {"C-z", "\\x1a"},
	    {"C-S-a", "\\x01"},
	    {"C-M-a", "\\e\\x01"},
	    {"C-[", "\\e"},
	    {"C-\\", "\\x1c"},
	    {"C-]", "\\x1d"},
	    {"C-^", "\\x1e"},
	    {"C-_", "\\x1f"},
	    {"C-@", "\\x00"},
	    {"C-/", "\\x1f"},
	    {"C-?", "\\x7f"},
	    {"C-2", "\\x00"},
	    {"C-3", "\\e"},
	    {"C-4", "\\x1c"},
	    {"C-5", "\\x1d"},
	    {"C-6", "\\x1e"},
	    {"C-7", "\\x1f"},
	    {"C-8", "\\x7f"},
	    {"C-1", "1"},
	    {"C-9", "9"},
	    {"C-0", "0"},
	    {"C-;", ";"},
	    {"C-.", "."},
	    {"C-M-.", "\\e."},
	    {"M-\xc3\xa9", "\\e\xc3\xa9"},
	    {"Meta+a", "\\ea"},
	};
	struct key_modes m = {0};

	(void)state;
	assert_all(rows, COUNT_OF(rows), &m);
}

static void test_legacy_functional(void **state)
{
	static const struct expectation rows[] = {
	    {"Up", "\\e[A"},
	    {"Down", "\\e[B"},
	    {"Right", "\\e[C"},
	    {"Left", "\\e[D"},
	    {"Home", "\\e[H"},
	    {"End", "\\e[F"},
	    {"IC", "\\e[2~"},
	    {"DC", "\\e[3~"},
	    {"PPage", "\\e[5~"},
	    {"NPage", "\\e[6~"},
	    {"F1", "\\eOP"},
	    {"F2", "\\eOQ"},
	    {"F3", "\\eOR"},
	    {"F4", "\\eOS"},
	    {"F5", "\\e[15~"},
	    {"F6", "\\e[17~"},
	    {"F7", "\\e[18~"},
	    {"F8", "\\e[19~"},
	    {"F9", "\\e[20~"},
	    {"F10", "\\e[21~"},
	    {"F11", "\\e[23~"},
	    {"F12", "\\e[24~"},
	    {"F13", "\\e[25~"},
	    {"F14", "\\e[26~"},
	    {"F15", "\\e[28~"},
	    {"F17", "\\e[31~"},
	    {"F20", "\\e[34~"},
	    {"Menu", "\\e[29~"},
	    {"KPBegin", "\\e[E"},
	    {"S-Up", "\\e[1;2A"},
	    {"M-Up", "\\e[1;3A"},
	    {"M-S-Up", "\\e[1;4A"},
	    {"C-Up", "\\e[1;5A"},
	    {"C-S-Up", "\\e[1;6A"},
	    {"C-M-Up", "\\e[1;7A"},
	    {"C-M-S-Up", "\\e[1;8A"},
	    {"Meta+Up", "\\e[1;9A"},
	    {"S-F1", "\\e[1;2P"},
	    {"C-F3", "\\e[1;5R"},
	    {"S-F5", "\\e[15;2~"},
	    {"C-DC", "\\e[3;5~"},
	    {"C-M-S-NPage", "\\e[6;8~"},
	    {"S-Home", "\\e[1;2H"},
	    {"C-End", "\\e[1;5F"},
	    {"S-F13", "\\e[25;2~"},
	    /* nothing says these */
	    {"F21", ""},
	    {"Print", ""},
	    {"Pause", ""},
	    {"CapsLock", ""},
	    {"LeftShift", ""},
	    {"MediaPlay", ""},
	    {"Super+a", ""},
	    {"Super+Up", ""},
	    {"Hyper+a", ""},
	};
	struct key_modes m = {0};

	(void)state;
	assert_all(rows, COUNT_OF(rows), &m);
}

static void test_application_cursor(void **state)
{
	static const struct expectation rows[] = {
	    {"Up", "\\eOA"},
	    {"Down", "\\eOB"},
	    {"Right", "\\eOC"},
	    {"Left", "\\eOD"},
	    {"Home", "\\eOH"},
	    {"End", "\\eOF"},
	    {"KPBegin", "\\eOE"},
	    {"C-Up", "\\e[1;5A"},
	    {"F1", "\\eOP"},
	    {"DC", "\\e[3~"},
	    {"PPage", "\\e[5~"},
	};
	struct key_modes m = {.cursor_keys = true};

	(void)state;
	assert_all(rows, COUNT_OF(rows), &m);
}

static void test_keypad(void **state)
{
	static const struct expectation numeric[] = {
	    {"KP0", "0"},
	    {"KP9", "9"},
	    {"KP.", "."},
	    {"KP/", "/"},
	    {"KP*", "*"},
	    {"KP-", "-"},
	    {"KP+", "+"},
	    {"KP=", "="},
	    {"KP,", ","},
	    {"KPEnter", "\\x0d"},
	    {"M-KP5", "\\e5"},
	    {"KPLeft", "\\e[D"},
	    {"C-KPUp", "\\e[1;5A"},
	    {"KPDC", "\\e[3~"},
	    {"KPHome", "\\e[H"},
	    {"KPNPage", "\\e[6~"},
	};
	static const struct expectation application[] = {
	    {"KP0", "\\eOp"},
	    {"KP1", "\\eOq"},
	    {"KP2", "\\eOr"},
	    {"KP3", "\\eOs"},
	    {"KP4", "\\eOt"},
	    {"KP5", "\\eOu"},
	    {"KP6", "\\eOv"},
	    {"KP7", "\\eOw"},
	    {"KP8", "\\eOx"},
	    {"KP9", "\\eOy"},
	    {"KP.", "\\eOn"},
	    {"KP/", "\\eOo"},
	    {"KP*", "\\eOj"},
	    {"KP-", "\\eOm"},
	    {"KP+", "\\eOk"},
	    {"KP=", "\\eOX"},
	    {"KP,", "\\eOl"},
	    {"KPEnter", "\\eOM"},
	};
	struct key_modes m = {0};
	struct key locked = {.code = KEY_KP_5, .mods = MOD_NUM_LOCK, .event = KEY_PRESS};

	(void)state;
	assert_all(numeric, COUNT_OF(numeric), &m);
	m.keypad = true;
	assert_all(application, COUNT_OF(application), &m);
	assert_bytes("KP5 with Num Lock", &locked, &m, "5");
}

static void test_enter_and_backspace_modes(void **state)
{
	struct key_modes m = {.newline = true, .backspace_is_bs = true};

	(void)state;
	assert_key("Enter", &m, "\\x0d\\x0a");
	assert_key("KPEnter", &m, "\\x0d\\x0a");
	assert_key("BSpace", &m, "\\x08");
	assert_key("C-BSpace", &m, "\\x7f");
}

static void test_legacy_events(void **state)
{
	struct key_modes m = {0};
	struct key k = {.code = 'a', .event = KEY_RELEASE};

	(void)state;
	assert_bytes("release", &k, &m, "");
	k.event = KEY_REPEAT;
	assert_bytes("repeat", &k, &m, "a");
}

static void test_texts(void **state)
{
	struct key_modes m = {0};
	struct key composed = {.code = 0, .event = KEY_PRESS, .text = "\xe4\xbd\xa0\xe5\xa5\xbd"};
	struct key shifted = {
	    .code = '1', .shifted = '!', .mods = MOD_SHIFT, .event = KEY_PRESS, .text = "!"};
	struct key caps = {.code = 'a', .mods = MOD_CAPS_LOCK, .event = KEY_PRESS, .text = "A"};
	struct key cyrillic = {.code = 0x441, .base = 'c', .mods = MOD_CTRL, .event = KEY_PRESS};
	struct key ctrl_shift = {
	    .code = '2', .shifted = '@', .mods = MOD_CTRL | MOD_SHIFT, .event = KEY_PRESS};

	(void)state;
	assert_bytes("input method", &composed, &m, "\xe4\xbd\xa0\xe5\xa5\xbd");
	assert_bytes("shift 1", &shifted, &m, "!");
	assert_bytes("caps lock a", &caps, &m, "A");
	assert_bytes("ctrl and the key of c", &cyrillic, &m, "\\x03");
	assert_bytes("ctrl shift 2", &ctrl_shift, &m, "\\x00");
	m.kitty = KITTY_DISAMBIGUATE;
	assert_bytes("input method", &composed, &m, "\xe4\xbd\xa0\xe5\xa5\xbd");
	assert_bytes("shift 1", &shifted, &m, "!");
	assert_bytes("caps lock a", &caps, &m, "A");
	m.kitty = KITTY_ALL_ESCAPES;
	assert_bytes("input method", &composed, &m, "\xe4\xbd\xa0\xe5\xa5\xbd");
	m.kitty = KITTY_ALL_ESCAPES | KITTY_TEXT;
	assert_bytes("input method", &composed, &m, "\\e[0;;20320:22909u");
}

/* As the code of a key a character for private use would be one of kitty's functional keys. */
static void test_private_use_has_no_key(void **state)
{
	struct key icon = key_from_char(0xe0b0), held = icon;
	struct key_modes m = {.kitty = KITTY_DISAMBIGUATE};

	(void)state;
	held.mods = MOD_CTRL;
	held.text[0] = '\0';
	assert_bytes("icon", &icon, &m, "\xee\x82\xb0");
	m.kitty = KITTY_ALL_ESCAPES;
	assert_bytes("icon", &icon, &m, "\xee\x82\xb0");
	m.kitty = KITTY_ALL_FLAGS;
	assert_bytes("icon", &icon, &m, "\\e[0;;57520u");
	assert_bytes("ctrl icon", &held, &m, "");
	icon.event = KEY_RELEASE;
	assert_bytes("release of an icon", &icon, &m, "");
}

static void test_modify_other_keys_1(void **state)
{
	static const struct expectation rows[] = {
	    {"a", "a"},
	    {"A", "A"},
	    {"C-a", "\\x01"},
	    {"C-S-a", "\\x01"},
	    {"C-M-a", "\\e\\x01"},
	    {"M-a", "\\ea"},
	    {"C-i", "\\x09"},
	    {"C-m", "\\x0d"},
	    {"C-Space", "\\x00"},
	    {"C-/", "\\x1f"},
	    {"C-3", "\\e"},
	    {"C-1", "\\e[27;5;49~"},
	    {"C-.", "\\e[27;5;46~"},
	    {"C-;", "\\e[27;5;59~"},
	    {"C-M-,", "\\e[27;7;44~"},
	    {"C-=", "\\e[27;5;61~"},
	    {"Enter", "\\x0d"},
	    {"S-Enter", "\\e[27;2;13~"},
	    {"C-Enter", "\\e[27;5;13~"},
	    {"M-Enter", "\\e\\x0d"},
	    {"C-S-Enter", "\\e[27;6;13~"},
	    {"Tab", "\\x09"},
	    {"S-Tab", "\\e[Z"},
	    {"C-Tab", "\\e[27;5;9~"},
	    {"C-S-Tab", "\\e[27;6;9~"},
	    {"M-Tab", "\\e\\x09"},
	    {"BSpace", "\\x7f"},
	    {"C-BSpace", "\\x08"},
	    {"S-Escape", "\\e"},
	    {"C-Up", "\\e[1;5A"},
	    {"F1", "\\eOP"},
	};
	struct key_modes m = {.modify_other_keys = 1};

	(void)state;
	assert_all(rows, COUNT_OF(rows), &m);
}

static void test_modify_other_keys_2(void **state)
{
	static const struct expectation rows[] = {
	    {"a", "a"},
	    {"A", "A"},
	    {"!", "!"},
	    {"C-a", "\\e[27;5;97~"},
	    {"C-S-a", "\\e[27;6;65~"},
	    {"M-a", "\\e[27;3;97~"},
	    {"M-A", "\\e[27;4;65~"},
	    {"C-M-a", "\\e[27;7;97~"},
	    {"C-i", "\\e[27;5;105~"},
	    {"C-Space", "\\e[27;5;32~"},
	    {"Enter", "\\x0d"},
	    {"S-Enter", "\\e[27;2;13~"},
	    {"C-Enter", "\\e[27;5;13~"},
	    {"M-Enter", "\\e[27;3;13~"},
	    {"C-j", "\\e[27;5;106~"},
	    {"Tab", "\\x09"},
	    {"S-Tab", "\\e[Z"},
	    {"C-Tab", "\\e[27;5;9~"},
	    {"C-S-Tab", "\\e[27;6;9~"},
	    {"Escape", "\\e"},
	    {"S-Escape", "\\e[27;2;27~"},
	    {"BSpace", "\\x7f"},
	    {"C-BSpace", "\\e[27;5;127~"},
	    {"Meta+a", "\\e[27;9;97~"},
	    {"C-\xc3\xa9", "\\e[27;5;233~"},
	    {"C-Up", "\\e[1;5A"},
	    {"S-F5", "\\e[15;2~"},
	};
	struct key_modes m = {.modify_other_keys = 2};

	(void)state;
	assert_all(rows, COUNT_OF(rows), &m);
	m.kitty = KITTY_DISAMBIGUATE; /* kitty's protocol goes before it */
	assert_key("S-Enter", &m, "\\e[13;2u");
}

static void test_kitty_disambiguate(void **state)
{
	static const struct expectation rows[] = {
	    {"a", "a"},
	    {"A", "A"},
	    {"Space", " "},
	    {"Enter", "\\x0d"},
	    {"Tab", "\\x09"},
	    {"BSpace", "\\x7f"},
	    {"Escape", "\\e[27u"},
	    {"S-Enter", "\\e[13;2u"},
	    {"M-Enter", "\\e[13;3u"},
	    {"C-Enter", "\\e[13;5u"},
	    {"C-j", "\\e[106;5u"},
	    {"S-Tab", "\\e[9;2u"},
	    {"C-Tab", "\\e[9;5u"},
	    {"C-BSpace", "\\e[127;5u"},
	    {"S-Escape", "\\e[27;2u"},
	    {"C-a", "\\e[97;5u"},
	    {"C-S-a", "\\e[97;6u"},
	    {"M-a", "\\e[97;3u"},
	    {"M-A", "\\e[97;4u"},
	    {"C-M-a", "\\e[97;7u"},
	    {"C-Space", "\\e[32;5u"},
	    {"Super+a", "\\e[97;9u"},
	    {"Hyper+a", "\\e[97;17u"},
	    {"Meta+a", "\\e[97;33u"},
	    {"Up", "\\e[A"},
	    {"C-Up", "\\e[1;5A"},
	    {"Super+Up", "\\e[1;9A"},
	    {"Home", "\\e[H"},
	    {"IC", "\\e[2~"},
	    {"DC", "\\e[3~"},
	    {"C-DC", "\\e[3;5~"},
	    {"PPage", "\\e[5~"},
	    {"F1", "\\e[P"},
	    {"F2", "\\e[Q"},
	    {"F3", "\\e[13~"},
	    {"F4", "\\e[S"},
	    {"S-F1", "\\e[1;2P"},
	    {"S-F3", "\\e[13;2~"},
	    {"F5", "\\e[15~"},
	    {"F12", "\\e[24~"},
	    {"F13", "\\e[57376u"},
	    {"F35", "\\e[57398u"},
	    {"Menu", "\\e[57363u"},
	    {"Print", "\\e[57361u"},
	    {"Pause", "\\e[57362u"},
	    {"KP5", "5"},
	    {"C-KP5", "\\e[57404;5u"},
	    {"KPEnter", "\\e[57414u"},
	    {"KPLeft", "\\e[57417u"},
	    {"KPBegin", "\\e[E"},
	    {"MediaPlay", "\\e[57428u"},
	    {"VolumeUp", "\\e[57439u"},
	    {"CapsLock", ""},
	    {"LeftShift", ""},
	};
	struct key_modes m = {.kitty = KITTY_DISAMBIGUATE, .cursor_keys = true};
	struct key locked = {.code = 'c', .mods = MOD_CTRL | MOD_NUM_LOCK, .event = KEY_PRESS};
	struct key enter = {.code = KEY_ENTER, .mods = MOD_NUM_LOCK, .event = KEY_PRESS};

	(void)state;
	assert_all(rows, COUNT_OF(rows), &m);
	assert_bytes("ctrl c with Num Lock", &locked, &m, "\\e[99;133u");
	assert_bytes("Enter with Num Lock", &enter, &m, "\\x0d");
}

static void test_kitty_events(void **state)
{
	struct key_modes m = {.kitty = KITTY_DISAMBIGUATE | KITTY_EVENTS};
	struct key k = {.code = KEY_UP, .event = KEY_REPEAT};

	(void)state;
	assert_bytes("Up again", &k, &m, "\\e[1;1:2A");
	k.event = KEY_RELEASE;
	assert_bytes("Up off", &k, &m, "\\e[1;1:3A");
	k.mods = MOD_CTRL;
	assert_bytes("C-Up off", &k, &m, "\\e[1;5:3A");
	k = (struct key){.code = KEY_F5, .event = KEY_RELEASE};
	assert_bytes("F5 off", &k, &m, "\\e[15;1:3~");
	k = (struct key){.code = 'a', .mods = MOD_CTRL, .event = KEY_RELEASE};
	assert_bytes("C-a off", &k, &m, "\\e[97;5:3u");
	k.event = KEY_REPEAT;
	assert_bytes("C-a again", &k, &m, "\\e[97;5:2u");
	k = (struct key){.code = 'a', .event = KEY_REPEAT, .text = "a"};
	assert_bytes("a again", &k, &m, "a");
	k = (struct key){.code = KEY_ENTER, .event = KEY_RELEASE};
	assert_bytes("Enter off", &k, &m, "");
	k.mods = MOD_SHIFT;
	assert_bytes("S-Enter off", &k, &m, "");
	k.event = KEY_REPEAT;
	assert_bytes("S-Enter again", &k, &m, "\\e[13;2:2u");
	m.kitty |= KITTY_ALL_ESCAPES;
	k.event = KEY_RELEASE;
	assert_bytes("S-Enter off, all", &k, &m, "\\e[13;2:3u");
	k = (struct key){.code = 'a', .event = KEY_RELEASE};
	assert_bytes("a off, all", &k, &m, "\\e[97;1:3u");
	m.kitty = KITTY_DISAMBIGUATE;
	assert_bytes("a off, no events", &k, &m, "");
	m.kitty = KITTY_EVENTS; /* alone: presses stay as they were */
	assert_key("C-a", &m, "\\x01");
	k = (struct key){.code = KEY_UP, .event = KEY_RELEASE};
	assert_bytes("Up off, events alone", &k, &m, "\\e[1;1:3A");
}

static void test_kitty_alternates(void **state)
{
	struct key_modes m = {.kitty = KITTY_DISAMBIGUATE | KITTY_ALTERNATES};
	struct key k = {.code = 'a', .shifted = 'A', .mods = MOD_CTRL | MOD_SHIFT, .event = KEY_PRESS};

	(void)state;
	assert_bytes("C-S-a", &k, &m, "\\e[97:65;6u");
	k.mods = MOD_CTRL; /* the shifted key only with shift */
	assert_bytes("C-a", &k, &m, "\\e[97;5u");
	k = (struct key){.code = 0x441, .base = 'c', .mods = MOD_CTRL, .event = KEY_PRESS};
	assert_bytes("ctrl and the key of c", &k, &m, "\\e[1089::99;5u");
	k.mods |= MOD_SHIFT;
	k.shifted = 0x421;
	assert_bytes("ctrl, shift and the key of c", &k, &m, "\\e[1089:1057:99;6u");
	assert_key("A", &m, "A");
	m.kitty = KITTY_ALTERNATES; /* alone: nothing becomes an escape */
	assert_key("C-a", &m, "\\x01");
}

static void test_kitty_all(void **state)
{
	static const struct expectation rows[] = {
	    {"a", "\\e[97u"},
	    {"A", "\\e[97;2u"},
	    {"Enter", "\\e[13u"},
	    {"Tab", "\\e[9u"},
	    {"BSpace", "\\e[127u"},
	    {"Space", "\\e[32u"},
	    {"CapsLock", "\\e[57358u"},
	    {"LeftShift", "\\e[57441u"},
	    {"KP5", "\\e[57404u"},
	    {"Up", "\\e[A"},
	};
	static const struct expectation text[] = {
	    {"a", "\\e[97;;97u"},
	    {"A", "\\e[97;2;65u"},
	    {"Enter", "\\e[13u"},
	    {"C-a", "\\e[97;5u"},
	    {"KP5", "\\e[57404;;53u"},
	    {"Up", "\\e[A"},
	};
	struct key_modes m = {.kitty = KITTY_ALL_ESCAPES};
	struct key k = {.code = 'a', .mods = MOD_NUM_LOCK, .event = KEY_PRESS, .text = "a"};

	(void)state;
	assert_all(rows, COUNT_OF(rows), &m);
	assert_bytes("a with Num Lock", &k, &m, "\\e[97;129u");
	m.kitty |= KITTY_TEXT;
	assert_all(text, COUNT_OF(text), &m);
	m.kitty = KITTY_ALL_FLAGS;
	k = (struct key){.code = 'a', .shifted = 'A', .mods = MOD_SHIFT, .event = KEY_REPEAT, .text = "A"};
	assert_bytes("A again", &k, &m, "\\e[97:65;2:2;65u");
	k.event = KEY_RELEASE;
	assert_bytes("A off", &k, &m, "\\e[97:65;2:3u");
	k = (struct key){.code = 'a', .event = KEY_PRESS, .text = "\x01"};
	assert_bytes("a control is no text", &k, &m, "\\e[97u");
}

/* The newline keys that agents look for (Shift+Enter, Alt+Enter, Ctrl+Enter, Ctrl+J) stay apart wherever they
 * can. */
static void test_newline_keys(void **state)
{
	static const struct {
		struct key_modes modes;
		const char *shift, *alt, *ctrl, *j;
	} rows[] = {
	    {{0}, "\\x0d", "\\e\\x0d", "\\x0d", "\\x0a"},
	    {{.modify_other_keys = 1}, "\\e[27;2;13~", "\\e\\x0d", "\\e[27;5;13~", "\\x0a"},
	    {{.modify_other_keys = 2}, "\\e[27;2;13~", "\\e[27;3;13~", "\\e[27;5;13~", "\\e[27;5;106~"},
	    {{.kitty = 1}, "\\e[13;2u", "\\e[13;3u", "\\e[13;5u", "\\e[106;5u"},
	    {{.kitty = 5}, "\\e[13;2u", "\\e[13;3u", "\\e[13;5u", "\\e[106;5u"},
	    {{.kitty = 7}, "\\e[13;2u", "\\e[13;3u", "\\e[13;5u", "\\e[106;5u"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_key("S-Enter", &rows[i].modes, rows[i].shift);
		assert_key("M-Enter", &rows[i].modes, rows[i].alt);
		assert_key("C-Enter", &rows[i].modes, rows[i].ctrl);
		assert_key("C-j", &rows[i].modes, rows[i].j);
		assert_key("Enter", &rows[i].modes, "\\x0d");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_legacy_plain),
	    cmocka_unit_test(test_legacy_functional),
	    cmocka_unit_test(test_application_cursor),
	    cmocka_unit_test(test_keypad),
	    cmocka_unit_test(test_enter_and_backspace_modes),
	    cmocka_unit_test(test_legacy_events),
	    cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_private_use_has_no_key),
	    cmocka_unit_test(test_modify_other_keys_1),
	    cmocka_unit_test(test_modify_other_keys_2),
	    cmocka_unit_test(test_kitty_disambiguate),
	    cmocka_unit_test(test_kitty_events),
	    cmocka_unit_test(test_kitty_alternates),
	    cmocka_unit_test(test_kitty_all),
	    cmocka_unit_test(test_newline_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
