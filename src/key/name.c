/* name: keys as people write them, and back.  Names are tmux's (key-string table of its manual page), with
 * aliases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "key/table.h"

struct modifier_name {
	const char *word; /* before '+' or '-'; the first row of a modifier is how it is written */
	uint16_t mod;
};

static const struct modifier_name modifiers[] = {
    {"Super", MOD_SUPER},
    {"Hyper", MOD_HYPER},
    {"Meta", MOD_META},
    {"C", MOD_CTRL},
    {"M", MOD_ALT},
    {"S", MOD_SHIFT},
    {"A", MOD_ALT},
    {"Ctrl", MOD_CTRL},
    {"Control", MOD_CTRL},
    {"Alt", MOD_ALT},
    {"Option", MOD_ALT},
    {"Shift", MOD_SHIFT},
    {"Cmd", MOD_SUPER},
    {"Win", MOD_SUPER},
};

static const struct {
	const char *name;
	uint32_t code;
} specials[] = {
#define X(code, name) {name, code},
    KEY_SPECIALS(X)
#undef X
	{"Esc", KEY_ESCAPE},
    {"Return", KEY_ENTER},
    {"Backspace", KEY_BACKSPACE},
    {"Insert", KEY_INSERT},
    {"Ins", KEY_INSERT},
    {"Delete", KEY_DELETE},
    {"Del", KEY_DELETE},
    {"PageUp", KEY_PAGE_UP},
    {"PgUp", KEY_PAGE_UP},
    {"PageDown", KEY_PAGE_DOWN},
    {"PgDn", KEY_PAGE_DOWN},
    {"PgDown", KEY_PAGE_DOWN},
    {"PrintScreen", KEY_PRINT_SCREEN},
    {"Space", ' '},
    {"Plus", '+'},
    {"Minus", '-'},
};

/* Takes one modifier off the front of *name; 0: there is none.  "-" and "+" alone are keys, so something must
 * follow. */
static uint16_t take_modifier(const char **name)
{
	for (size_t i = 0; i < COUNT_OF(modifiers); i++) {
		size_t len = strlen(modifiers[i].word);
		const char *s = *name;

		if (strncasecmp(s, modifiers[i].word, len) != 0 || (s[len] != '-' && s[len] != '+'))
			continue;
		if (s[len] == '+' && len == 1 && s[len + 1] == '\0')
			continue;
		if (s[len + 1] == '\0')
			continue;
		*name = s + len + 1;
		return modifiers[i].mod;
	}
	return 0;
}

/* "U+1F600" */
static bool parse_code_point(const char *name, struct key *out)
{
	char *end;
	unsigned long value;

	if (strncasecmp(name, "U+", 2) != 0 || name[2] == '\0')
		return false;
	value = strtoul(name + 2, &end, 16);
	if (*end || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF) ||
	    char_is_control((uint32_t)value))
		return false;
	out->code = (uint32_t)value;
	return true;
}

static bool parse_char(const char *name, struct key *out)
{
	size_t len = strlen(name);
	uint32_t cp;
	bool ok;
	int used = utf8_decode(name, len, &cp, &ok);

	if (used <= 0 || !ok || (size_t)used != len || char_is_control(cp))
		return false;
	out->code = cp;
	return true;
}

static bool parse_word(const char *name, struct key *out)
{
	char *end;
	unsigned long number;

	for (size_t i = 0; i < COUNT_OF(specials); i++) {
		if (specials[i].code == KEY_OTHER || strcasecmp(specials[i].name, name) != 0)
			continue;
		out->code = specials[i].code;
		return true;
	}
	out->number = other_number(name);
	if (out->number == 0 && strncasecmp(name, "Other", 5) == 0) {
		number = strtoul(name + 5, &end, 10);
		if (!*end && number >= KITTY_CODE_FIRST && number <= KITTY_CODE_LAST)
			out->number = (uint32_t)number;
	}
	if (out->number)
		out->code = KEY_OTHER;
	else if (strcasecmp(name, "BTab") == 0) {
		out->code = KEY_TAB;
		out->mods |= MOD_SHIFT;
	}
	return out->code != 0;
}

bool key_parse(const char *name, struct key *out)
{
	struct key k = {.event = KEY_PRESS};
	bool caret = name[0] == '^' && name[1];
	uint16_t mod;

	if (caret) {
		k.mods |= MOD_CTRL;
		name++;
	}
	while ((mod = take_modifier(&name)) != 0)
		k.mods |= mod;
	if (!parse_char(name, &k) && !parse_code_point(name, &k) && !parse_word(name, &k))
		return false;
	if ((k.mods & MOD_CTRL) &&
	    name[-1] == '^') /* "^C" is what control characters are called: without shift */
		k.code = char_lower(k.code);
	key_complete(&k);
	*out = k;
	return true;
}

/* The part of the name after the modifiers; room for KEY_NAME_MAX. */
static void base_name(const struct key *k, char out[KEY_NAME_MAX])
{
	const char *other = k->code == KEY_OTHER ? other_name(k->number) : NULL;
	char utf8[UTF8_MAX];

	if (k->code == 0) {
		snprintf(out, KEY_NAME_MAX, "%s", k->text);
	} else if (other) {
		snprintf(out, KEY_NAME_MAX, "%s", other);
	} else if (k->code == KEY_OTHER) {
		snprintf(out, KEY_NAME_MAX, "Other%u", (unsigned)k->number);
	} else if (k->code == ' ') {
		snprintf(out, KEY_NAME_MAX, "Space");
	} else if (k->code >= KEY_SPECIAL_FIRST) {
		snprintf(out, KEY_NAME_MAX, "%s", specials[k->code - KEY_SPECIAL_FIRST].name);
	} else if (char_is_control(k->code)) {
		snprintf(out, KEY_NAME_MAX, "U+%04X", (unsigned)k->code);
	} else {
		int len = utf8_encode(k->code, utf8);

		snprintf(out, KEY_NAME_MAX, "%.*s", len, utf8);
	}
}

void key_name(const struct key *k, char out[KEY_NAME_MAX])
{
	struct key shown = *k;
	char base[KEY_NAME_MAX];
	size_t len = 0;
	uint16_t left = k->mods & MOD_HELD;

	if (key_is_char(k) && (left & MOD_SHIFT) && !(left & MOD_CTRL) && key_produced(k) != k->code) {
		shown.code = key_produced(k);
		left &= ~MOD_SHIFT;
	}
	if (shown.code > KEY_OTHER)
		shown.code = ' ';
	base_name(&shown, base);
	for (size_t i = 0; i < COUNT_OF(modifiers) && left; i++) {
		if (!(left & modifiers[i].mod))
			continue;
		len += (size_t)snprintf(out + len, KEY_NAME_MAX - len, "%s-", modifiers[i].word);
		left &= ~modifiers[i].mod;
	}
	snprintf(out + len, KEY_NAME_MAX - len, "%s", base);
}
