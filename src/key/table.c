/* table: see table.h.  Data, and the look-ups into it. */
#include "key/table.h"

#include <strings.h>

#include "base/mem.h"

enum {
	KITTY_F13 = 57376,
	KITTY_F35 = 57398,
	KITTY_KP_LEFT = 57417,
	KITTY_KP_DELETE = 57426,
	KITTY_KP_BEGIN = 57427,
	KITTY_KP_SEPARATOR = 57416,
	KITTY_LEFT_SHIFT = 57441,
	KITTY_LEVEL5_SHIFT = 57454,
};

static const struct key_form forms[] = {
    {KEY_ESCAPE, 0, 0, 27, 'u'},
    {KEY_ENTER, 0, 0, 13, 'u'},
    {KEY_TAB, 0, 0, 9, 'u'},
    {KEY_BACKSPACE, 0, 0, 127, 'u'},
    {KEY_INSERT, 2, '~', 2, '~'},
    {KEY_DELETE, 3, '~', 3, '~'},
    {KEY_LEFT, 1, 'D', 1, 'D'},
    {KEY_RIGHT, 1, 'C', 1, 'C'},
    {KEY_UP, 1, 'A', 1, 'A'},
    {KEY_DOWN, 1, 'B', 1, 'B'},
    {KEY_PAGE_UP, 5, '~', 5, '~'},
    {KEY_PAGE_DOWN, 6, '~', 6, '~'},
    {KEY_HOME, 1, 'H', 1, 'H'},
    {KEY_END, 1, 'F', 1, 'F'},
    {KEY_F1, 1, 'P', 1, 'P'},
    {KEY_F2, 1, 'Q', 1, 'Q'},
    {KEY_F3, 1, 'R', 13, '~'}, /* kitty's: CSI R is the cursor position report */
    {KEY_F4, 1, 'S', 1, 'S'},
    {KEY_F5, 15, '~', 15, '~'},
    {KEY_F6, 17, '~', 17, '~'},
    {KEY_F7, 18, '~', 18, '~'},
    {KEY_F8, 19, '~', 19, '~'},
    {KEY_F9, 20, '~', 20, '~'},
    {KEY_F10, 21, '~', 21, '~'},
    {KEY_F11, 23, '~', 23, '~'},
    {KEY_F12, 24, '~', 24, '~'},
    {KEY_KP_0, 0, 0, 57399, 'u'},
    {KEY_KP_1, 0, 0, 57400, 'u'},
    {KEY_KP_2, 0, 0, 57401, 'u'},
    {KEY_KP_3, 0, 0, 57402, 'u'},
    {KEY_KP_4, 0, 0, 57403, 'u'},
    {KEY_KP_5, 0, 0, 57404, 'u'},
    {KEY_KP_6, 0, 0, 57405, 'u'},
    {KEY_KP_7, 0, 0, 57406, 'u'},
    {KEY_KP_8, 0, 0, 57407, 'u'},
    {KEY_KP_9, 0, 0, 57408, 'u'},
    {KEY_KP_DECIMAL, 0, 0, 57409, 'u'},
    {KEY_KP_DIVIDE, 0, 0, 57410, 'u'},
    {KEY_KP_MULTIPLY, 0, 0, 57411, 'u'},
    {KEY_KP_SUBTRACT, 0, 0, 57412, 'u'},
    {KEY_KP_ADD, 0, 0, 57413, 'u'},
    {KEY_KP_ENTER, 0, 0, 57414, 'u'},
    {KEY_KP_EQUAL, 0, 0, 57415, 'u'},
    {KEY_KP_BEGIN, 1, 'E', 1, 'E'},
    {KEY_MENU, 29, '~', 57363, 'u'},
    {KEY_PRINT_SCREEN, 0, 0, 57361, 'u'},
    {KEY_PAUSE, 0, 0, 57362, 'u'},
    {KEY_SCROLL_LOCK, 0, 0, 57359, 'u'},
    {KEY_CAPS_LOCK, 0, 0, 57358, 'u'},
    {KEY_NUM_LOCK, 0, 0, 57360, 'u'},
};

static const struct keypad_form keypad[] = {
    {KEY_KP_0, '0', 'p', 0},
    {KEY_KP_1, '1', 'q', 0},
    {KEY_KP_2, '2', 'r', 0},
    {KEY_KP_3, '3', 's', 0},
    {KEY_KP_4, '4', 't', 0},
    {KEY_KP_5, '5', 'u', 0},
    {KEY_KP_6, '6', 'v', 0},
    {KEY_KP_7, '7', 'w', 0},
    {KEY_KP_8, '8', 'x', 0},
    {KEY_KP_9, '9', 'y', 0},
    {KEY_KP_DECIMAL, '.', 'n', 0},
    {KEY_KP_DIVIDE, '/', 'o', 0},
    {KEY_KP_MULTIPLY, '*', 'j', 0},
    {KEY_KP_SUBTRACT, '-', 'm', 0},
    {KEY_KP_ADD, '+', 'k', 0},
    {KEY_KP_ENTER, '\r', 'M', 0},
    {KEY_KP_EQUAL, '=', 'X', 0},
    {KEY_OTHER, ',', 'l', KITTY_KP_SEPARATOR},
};

/*
 * `CSI param ~` beside those of forms[]: what VT220, the linux console and rxvt send.  29 is F16 of a VT220
 * and Menu everywhere since.
 */
static const struct {
	int param;
	uint32_t code;
} tildes[] = {
    {1, KEY_HOME},
    {4, KEY_END},
    {7, KEY_HOME},
    {8, KEY_END},
    {11, KEY_F1},
    {12, KEY_F2},
    {13, KEY_F3},
    {14, KEY_F4},
    {KITTY_KP_BEGIN, KEY_KP_BEGIN},
};

static const struct {
	uint32_t number;
	int param;
} vt220_keys[] = {
    {KITTY_F13, 25},
    {KITTY_F13 + 1, 26},
    {KITTY_F13 + 2, 28},
    {KITTY_F13 + 4, 31},
    {KITTY_F13 + 5, 32},
    {KITTY_F13 + 6, 33},
    {KITTY_F13 + 7, 34},
};

/* KITTY_KP_LEFT and those after it. */
static const uint32_t keypad_plain[] = {
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_INSERT,
    KEY_DELETE,
};

static const struct {
	uint32_t number;
	const char *name;
} other_names[] = {
    {KITTY_F13, "F13"},
    {57377, "F14"},
    {57378, "F15"},
    {57379, "F16"},
    {57380, "F17"},
    {57381, "F18"},
    {57382, "F19"},
    {57383, "F20"},
    {57384, "F21"},
    {57385, "F22"},
    {57386, "F23"},
    {57387, "F24"},
    {57388, "F25"},
    {57389, "F26"},
    {57390, "F27"},
    {57391, "F28"},
    {57392, "F29"},
    {57393, "F30"},
    {57394, "F31"},
    {57395, "F32"},
    {57396, "F33"},
    {57397, "F34"},
    {KITTY_F35, "F35"},
    {KITTY_KP_SEPARATOR, "KP,"},
    {KITTY_KP_LEFT, "KPLeft"},
    {57418, "KPRight"},
    {57419, "KPUp"},
    {57420, "KPDown"},
    {57421, "KPPPage"},
    {57422, "KPNPage"},
    {57423, "KPHome"},
    {57424, "KPEnd"},
    {57425, "KPIC"},
    {KITTY_KP_DELETE, "KPDC"},
    {57428, "MediaPlay"},
    {57429, "MediaPause"},
    {57430, "MediaPlayPause"},
    {57431, "MediaReverse"},
    {57432, "MediaStop"},
    {57433, "MediaForward"},
    {57434, "MediaRewind"},
    {57435, "MediaNext"},
    {57436, "MediaPrevious"},
    {57437, "MediaRecord"},
    {57438, "VolumeDown"},
    {57439, "VolumeUp"},
    {57440, "VolumeMute"},
    {KITTY_LEFT_SHIFT, "LeftShift"},
    {57442, "LeftCtrl"},
    {57443, "LeftAlt"},
    {57444, "LeftSuper"},
    {57445, "LeftHyper"},
    {57446, "LeftMeta"},
    {57447, "RightShift"},
    {57448, "RightCtrl"},
    {57449, "RightAlt"},
    {57450, "RightSuper"},
    {57451, "RightHyper"},
    {57452, "RightMeta"},
    {57453, "Level3Shift"},
    {KITTY_LEVEL5_SHIFT, "Level5Shift"},
};

const struct key_form *form_of_key(uint32_t code)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (forms[i].code == code)
			return &forms[i];
	}
	return NULL;
}

const struct keypad_form *keypad_of_key(const struct key *k)
{
	if (k->code == KEY_OTHER && k->number != KITTY_KP_SEPARATOR)
		return NULL;
	for (size_t i = 0; i < COUNT_OF(keypad); i++) {
		if (keypad[i].code == k->code)
			return &keypad[i];
	}
	return NULL;
}

const struct keypad_form *keypad_of_letter(char letter)
{
	for (size_t i = 0; i < COUNT_OF(keypad); i++) {
		if (keypad[i].letter == letter)
			return &keypad[i];
	}
	return NULL;
}

int other_tilde_param(uint32_t number)
{
	for (size_t i = 0; i < COUNT_OF(vt220_keys); i++) {
		if (vt220_keys[i].number == number)
			return vt220_keys[i].param;
	}
	return 0;
}

uint32_t other_plain_code(uint32_t number)
{
	if (number < KITTY_KP_LEFT || number > KITTY_KP_DELETE)
		return 0;
	return keypad_plain[number - KITTY_KP_LEFT];
}

bool key_is_modifier(const struct key *k)
{
	if (k->code == KEY_OTHER)
		return k->number >= KITTY_LEFT_SHIFT && k->number <= KITTY_LEVEL5_SHIFT;
	return k->code == KEY_CAPS_LOCK || k->code == KEY_NUM_LOCK || k->code == KEY_SCROLL_LOCK;
}

const char *other_name(uint32_t number)
{
	for (size_t i = 0; i < COUNT_OF(other_names); i++) {
		if (other_names[i].number == number)
			return other_names[i].name;
	}
	return NULL;
}

uint32_t other_number(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(other_names); i++) {
		if (strcasecmp(other_names[i].name, name) == 0)
			return other_names[i].number;
	}
	return 0;
}

bool key_from_letter(char final, struct key *k)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (forms[i].final != final || final == '~' || final == 0)
			continue;
		k->code = forms[i].code;
		return true;
	}
	return false;
}

bool key_from_tilde(int param, struct key *k)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (forms[i].final == '~' && forms[i].param == param) {
			k->code = forms[i].code;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT_OF(tildes); i++) {
		if (tildes[i].param == param) {
			k->code = tildes[i].code;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT_OF(vt220_keys); i++) {
		if (vt220_keys[i].param == param) {
			k->code = KEY_OTHER;
			k->number = vt220_keys[i].number;
			return true;
		}
	}
	return false;
}

bool key_from_kitty(uint32_t number, struct key *k)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (forms[i].kitty_final == 'u' && forms[i].kitty_param == number) {
			k->code = forms[i].code;
			return true;
		}
	}
	if (number == KITTY_KP_BEGIN) {
		k->code = KEY_KP_BEGIN;
		return true;
	}
	if (number >= KITTY_CODE_FIRST && number <= KITTY_CODE_LAST) {
		k->code = KEY_OTHER;
		k->number = number;
		return true;
	}
	if (number == 8) { /* from terminals that take Backspace for what it once sent */
		k->code = KEY_BACKSPACE;
		return true;
	}
	if ((number != 0 && char_is_control(number)) || number > 0x10FFFF ||
	    (number >= 0xD800 && number <= 0xDFFF))
		return false;
	k->code = number;
	return true;
}

/* Upper case letters first, first + step ... last have their lower case letter `delta` further on. */
static const struct {
	uint32_t first, last;
	int delta;
	int step;
} cases[] = {
    {'A', 'Z', 32, 1},
    {0xC0, 0xD6, 32, 1},
    {0xD8, 0xDE, 32, 1},
    {0x100, 0x12E, 1, 2},
    {0x132, 0x136, 1, 2},
    {0x139, 0x147, 1, 2},
    {0x14A, 0x176, 1, 2},
    {0x178, 0x178, -121, 1},
    {0x179, 0x17D, 1, 2},
    {0x386, 0x386, 38, 1},
    {0x388, 0x38A, 37, 1},
    {0x38C, 0x38C, 64, 1},
    {0x38E, 0x38F, 63, 1},
    {0x391, 0x3A1, 32, 1},
    {0x3A3, 0x3AB, 32, 1},
    {0x400, 0x40F, 80, 1},
    {0x410, 0x42F, 32, 1},
    {0x48A, 0x4BE, 1, 2},
    {0x4D0, 0x52E, 1, 2},
    {0x531, 0x556, 48, 1},
    {0x1E00, 0x1E94, 1, 2},
    {0x1EA0, 0x1EFE, 1, 2},
};

uint32_t char_lower(uint32_t cp)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (cp >= cases[i].first && cp <= cases[i].last &&
		    (cp - cases[i].first) % (uint32_t)cases[i].step == 0)
			return cp + (uint32_t)cases[i].delta;
	}
	return cp;
}

uint32_t char_upper(uint32_t cp)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint32_t upper = cp - (uint32_t)cases[i].delta;

		if (upper >= cases[i].first && upper <= cases[i].last &&
		    (upper - cases[i].first) % (uint32_t)cases[i].step == 0)
			return upper;
	}
	return cp;
}

bool char_is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp < 0xA0);
}
