/* key: what follows from a key press, and how two of them compare. */
#include "key/key.h"

#include <string.h>

#include "base/utf8.h"
#include "key/table.h"

/* Modifiers with which a press makes no text. */
enum { MOD_TEXTLESS = MOD_HELD & ~MOD_SHIFT };

struct key key_from_char(uint32_t cp)
{
	struct key k = {.code = cp, .event = KEY_PRESS};

	key_complete(&k);
	return k;
}

uint32_t key_produced(const struct key *k)
{
	if (!(k->mods & MOD_SHIFT))
		return k->code;
	return k->shifted ? k->shifted : char_upper(k->code);
}

/* Caps Lock changes letters only. */
static uint32_t typed_char(const struct key *k)
{
	uint32_t cp = key_produced(k);

	if (!(k->mods & MOD_CAPS_LOCK))
		return cp;
	return char_lower(cp) != cp ? char_lower(cp) : char_upper(cp);
}

size_t key_text(const struct key *k, char out[KEY_TEXT_MAX + 1])
{
	const struct keypad_form *pad = keypad_of_key(k);
	uint32_t cp = 0;
	size_t len;

	out[0] = '\0';
	if (k->mods & MOD_TEXTLESS)
		return 0;
	len = strnlen(k->text, KEY_TEXT_MAX);
	if (len) {
		memcpy(out, k->text, len);
		out[len] = '\0';
		return len;
	}
	if (key_is_char(k) && (!(k->mods & MOD_SHIFT) || key_produced(k) != k->code || k->code == ' '))
		cp = typed_char(k);
	else if (pad && pad->text != '\r')
		cp = (uint8_t)pad->text;
	if (cp == 0 || char_is_control(cp))
		return 0;
	len = (size_t)utf8_encode(cp, out);
	out[len] = '\0';
	return len;
}

void key_complete(struct key *k)
{
	if (k->event == 0)
		k->event = KEY_PRESS;
	if (key_is_char(k) && char_lower(k->code) != k->code) {
		if (k->shifted == 0)
			k->shifted = k->code;
		k->code = char_lower(k->code);
		k->mods |= MOD_SHIFT;
	}
	if (key_is_char(k) && k->shifted == 0 && char_upper(k->code) != k->code)
		k->shifted = char_upper(k->code);
	if (k->event == KEY_RELEASE)
		k->text[0] = '\0';
	else if (k->text[0] == '\0')
		key_text(k, k->text);
}

bool key_equal(const struct key *a, const struct key *b)
{
	if (a->code != b->code || ((a->mods ^ b->mods) & MOD_HELD) || a->event != b->event)
		return false;
	if (a->code == KEY_OTHER)
		return a->number == b->number;
	return a->code != 0 || strcmp(a->text, b->text) == 0;
}

/* A key reduced to what bindings compare: a character or special key, and modifiers that the character does
 * not tell. */
struct essence {
	uint32_t code, number;
	uint16_t mods;
};

/* The one code point of s, or 0 if there is none or more. */
static uint32_t single_char(const char *s)
{
	size_t len = strlen(s);
	uint32_t cp;
	bool ok;
	int used = utf8_decode(s, len, &cp, &ok);

	return used > 0 && ok && (size_t)used == len ? cp : 0;
}

static struct essence key_essence(const struct key *k)
{
	struct essence e = {.code = k->code, .number = k->number, .mods = k->mods & MOD_HELD};
	const struct keypad_form *pad = keypad_of_key(k);
	uint32_t typed = e.mods & MOD_TEXTLESS ? 0 : single_char(k->text);

	if (typed && !(e.mods & MOD_SHIFT && typed == k->code))
		e.code = typed;
	else if (pad)
		e.code = pad->text == '\r' ? KEY_ENTER : (uint8_t)pad->text;
	else if (k->code == KEY_OTHER && other_plain_code(k->number))
		e.code = other_plain_code(k->number);
	else if (key_is_char(k))
		e.code = key_produced(k);
	if (e.code < KEY_SPECIAL_FIRST && e.code != k->code)
		e.mods &= ~MOD_SHIFT;
	if (e.code != KEY_OTHER)
		e.number = 0;
	return e;
}

static bool essence_equal(struct essence a, struct essence b)
{
	return a.code == b.code && a.number == b.number && a.mods == b.mods;
}

bool key_matches(const struct key *binding, const struct key *pressed)
{
	struct essence want = key_essence(binding);
	struct key at_base;

	if (pressed->event == KEY_RELEASE)
		return false;
	if (binding->code == 0 || pressed->code == 0)
		return binding->text[0] && strcmp(binding->text, pressed->text) == 0;
	if (essence_equal(want, key_essence(pressed)))
		return true;
	if (!(pressed->mods & MOD_TEXTLESS) || pressed->base == 0 || pressed->code < 0x80)
		return false;
	at_base = (struct key){.code = pressed->base, .mods = pressed->mods, .event = KEY_PRESS};
	key_complete(&at_base);
	return essence_equal(want, key_essence(&at_base));
}
