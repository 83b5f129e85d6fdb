/*
 * table: the functional keys and every number and letter that stands for one of them; for the files of this
 * layer.
 *
 * Sources: xterm ctlseqs, "PC-Style Function Keys" and "VT220-Style Function Keys"; kitty keyboard protocol,
 * "Functional key definitions" and "Legacy functional keys".
 */
#ifndef HANDLER_KEY_TABLE_H
#define HANDLER_KEY_TABLE_H

#include "key/key.h"

/* Kitty's codes of functional keys lie in this part of the private use area. */
enum { KITTY_CODE_FIRST = 57344, KITTY_CODE_LAST = 63743 };

/* How a key of its own is written: `CSI param final`; a param of 1 before a letter is left out when nothing
 * follows. */
struct key_form {
	uint32_t code;
	uint16_t param; /* xterm's form; final 0: it has none */
	char final;
	uint16_t kitty_param; /* kitty's form */
	char kitty_final;
};

/* A key of the keypad: the character on it (CR for Enter) and its letter after SS3 (DECKPAM). */
struct keypad_form {
	uint32_t code;
	char text;
	char letter;
	uint16_t number; /* of KEY_OTHER */
};

const struct key_form *form_of_key(uint32_t code); /* NULL for characters and KEY_OTHER */
const struct keypad_form *keypad_of_key(
    const struct key *k); /* NULL if it is not on the keypad or has no character */
const struct keypad_form *keypad_of_letter(char letter);

/* xterm's number of a key that only kitty names (F13 to F20), for `CSI param ~`; 0: none. */
int other_tilde_param(uint32_t number);
/* The plain key of an arrow or editing key of the keypad, as KEY_OTHER has it ("KPLeft"); 0: none. */
uint32_t other_plain_code(uint32_t number);
/* Keys that are modifiers or locks: they do nothing alone. */
bool key_is_modifier(const struct key *k);
/* Names of what is KEY_OTHER; NULL, 0: none. */
const char *other_name(uint32_t number);
uint32_t other_number(const char *name);

/* Set k->code (and number) from what was read; false: no such key. */
bool key_from_letter(char final, struct key *k);     /* CSI X, SS3 X */
bool key_from_tilde(int param, struct key *k);       /* CSI param ~ */
bool key_from_kitty(uint32_t number, struct key *k); /* CSI number u: also characters */

/* Simple case mapping (UnicodeData.txt) of the scripts that have keyboards with shift: Latin, Greek,
 * Cyrillic, Armenian. */
uint32_t char_lower(uint32_t cp);
uint32_t char_upper(uint32_t cp);
bool char_is_control(uint32_t cp); /* C0, DEL, C1 */

/*
 * The character that a key with its shift makes: "A" for shift and a, "?" for shift and / if that is known.
 * Only for keys that are characters.
 */
uint32_t key_produced(const struct key *k);
/* UTF-8 of the text a press makes, reported or derived; its length, 0 for none (ctrl, alt, super ... are
 * held). */
size_t key_text(const struct key *k, char out[KEY_TEXT_MAX + 1]);

static inline bool key_is_char(const struct key *k)
{
	return k->code != 0 && k->code < KEY_SPECIAL_FIRST;
}

#endif
