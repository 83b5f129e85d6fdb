/*
 * encode: a key press as the bytes that a program expects, by its modes.  Three languages: what a PC-style
 * xterm sends (legacy), xterm's modifyOtherKeys on top of it, and the kitty keyboard protocol.
 */
#include <string.h>

#include "base/utf8.h"
#include "key/table.h"

enum { ESC = 0x1B, DEL = 0x7F, NO_CONTROL = -1 };

/* The control character of a key with ctrl (VT100 user guide table 3-5 and what xterm adds), or NO_CONTROL.
 */
static int control_char(uint32_t c)
{
	static const char digits[] = {0x00, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x7F}; /* 2 to 8 */

	if (c >= '@' && c <= '~')
		return (int)(c & 0x1F);
	if (c >= '2' && c <= '8')
		return digits[c - '2'];
	if (c == ' ')
		return 0;
	if (c == '/')
		return 0x1F;
	return c == '?' ? DEL : NO_CONTROL;
}

/* xterm's modifier parameter: its meta is bit 8, where kitty has super. */
static int xterm_modifiers(uint16_t mods)
{
	return 1 + (mods & (MOD_SHIFT | MOD_ALT | MOD_CTRL)) + (mods & MOD_META ? 8 : 0);
}

/* `CSI param ; modifiers final`; without modifiers a letter stands alone. */
static void add_form(struct buf *out, int param, int modifiers, char final)
{
	if (modifiers > 1)
		buf_printf(out, "\033[%d;%d%c", param, modifiers, final);
	else if (final == '~')
		buf_printf(out, "\033[%d~", param);
	else
		buf_printf(out, "\033[%c", final);
}

static void add_char(struct buf *out, uint16_t mods, uint32_t c)
{
	if (mods & (MOD_ALT | MOD_META))
		buf_addc(out, ESC);
	buf_add_utf8(out, c);
}

/* --- modifyOtherKeys --- */

/* The number that stands for a key in `CSI 27 ; modifiers ; number ~`; 0: it is not one of the "other" keys.
 */
static uint32_t other_key_number(const struct key *k)
{
	if (key_is_char(k))
		return key_produced(k);
	switch (k->code) {
	case KEY_ENTER:
		return '\r';
	case KEY_TAB:
		return '\t';
	case KEY_ESCAPE:
		return ESC;
	case KEY_BACKSPACE:
		return DEL;
	default:
		return 0;
	}
}

/*
 * What xterm says with `CSI 27` at level 1: only what has no meaning of its own.  Ctrl with a key that makes
 * a control character, and everything with alt alone, stays as it was.
 */
static bool wanted_at_level_1(const struct key *k, uint16_t mods)
{
	bool alt = mods & (MOD_ALT | MOD_META);

	if (key_is_char(k))
		return (mods & MOD_CTRL) && control_char(key_produced(k)) == NO_CONTROL;
	return (k->code == KEY_ENTER || k->code == KEY_TAB) && !alt;
}

/* Shift alone makes text or, with Tab, has a sequence of its own; nobody expects a report of it. */
static bool encode_other_key(const struct key *k, int level, struct buf *out)
{
	uint16_t mods = k->mods & (MOD_SHIFT | MOD_ALT | MOD_CTRL | MOD_META);
	uint32_t number = other_key_number(k);

	if (level == 0 || mods == 0 || number == 0)
		return false;
	if (mods == MOD_SHIFT && k->code == KEY_TAB)
		return false;
	if (level == 1 && !wanted_at_level_1(k, mods))
		return false;
	buf_printf(out, "\033[27;%d;%u~", xterm_modifiers(mods), (unsigned)number);
	return true;
}

/* --- legacy --- */

static void legacy_enter(uint16_t mods, const struct key_modes *m, struct buf *out)
{
	add_char(out, mods, '\r');
	if (m->newline)
		buf_addc(out, '\n');
}

static void legacy_backspace(uint16_t mods, const struct key_modes *m, struct buf *out)
{
	bool bs = m->backspace_is_bs != !!(mods & MOD_CTRL);

	add_char(out, mods, bs ? '\b' : DEL);
}

static void legacy_tab(uint16_t mods, struct buf *out)
{
	if (!(mods & MOD_SHIFT)) {
		add_char(out, mods, '\t');
		return;
	}
	if (mods & (MOD_ALT | MOD_META))
		buf_addc(out, ESC);
	buf_adds(out, "\033[Z");
}

static void legacy_form(const struct key_form *f, uint16_t mods, const struct key_modes *m, struct buf *out)
{
	int modifiers = xterm_modifiers(mods);
	bool function_key = f->final >= 'P' && f->final <= 'S';

	if (modifiers == 1 && f->final != '~' && (function_key || m->cursor_keys))
		buf_printf(out, "\033O%c", f->final);
	else
		add_form(out, f->param, modifiers, f->final);
}

static void legacy_char(const struct key *k, uint16_t mods, struct buf *out)
{
	uint32_t c = key_produced(k);
	int control;

	if ((mods & MOD_CTRL) && c >= 0x80 && k->base != 0 && k->base < 0x80)
		c = k->base;
	control = mods & MOD_CTRL ? control_char(c) : NO_CONTROL;
	add_char(out, mods, control == NO_CONTROL ? c : (uint32_t)control);
}

static void legacy_special(const struct key *k, uint16_t mods, const struct key_modes *m, struct buf *out)
{
	const struct key_form *f = form_of_key(k->code);

	if (k->code == KEY_ENTER)
		legacy_enter(mods, m, out);
	else if (k->code == KEY_TAB)
		legacy_tab(mods, out);
	else if (k->code == KEY_BACKSPACE)
		legacy_backspace(mods, m, out);
	else if (k->code == KEY_ESCAPE)
		add_char(out, mods, ESC);
	else if (f && f->final)
		legacy_form(f, mods, m, out);
	else if (k->code == KEY_OTHER && other_tilde_param(k->number))
		add_form(out, other_tilde_param(k->number), xterm_modifiers(mods), '~');
}

/* The keypad sends what the plain keys send, unless DECKPAM is on; with Num Lock its digits are digits even
 * then (xterm). */
static bool legacy_keypad(const struct key *k, uint16_t mods, const struct key_modes *m, struct buf *out)
{
	const struct keypad_form *pad = keypad_of_key(k);
	uint32_t plain = k->code == KEY_OTHER ? other_plain_code(k->number) : 0;

	if (plain) {
		legacy_special(&(struct key){.code = plain}, mods, m, out);
		return true;
	}
	if (!pad)
		return false;
	if (m->keypad && !(k->mods & MOD_NUM_LOCK))
		buf_printf(out, "\033O%c", pad->letter);
	else if (pad->text == '\r')
		legacy_enter(mods, m, out);
	else
		add_char(out, mods, (uint8_t)pad->text);
	return true;
}

static void legacy_encode(const struct key *k, const struct key_modes *m, struct buf *out)
{
	uint16_t mods = k->mods & MOD_HELD;
	char text[KEY_TEXT_MAX + 1];

	if (k->event == KEY_RELEASE || (mods & (MOD_SUPER | MOD_HYPER)))
		return;
	if (legacy_keypad(k, mods, m, out))
		return;
	if (key_text(k, text)) {
		buf_adds(out, text);
		return;
	}
	if (encode_other_key(k, m->modify_other_keys, out))
		return;
	if (key_is_char(k))
		legacy_char(k, mods, out);
	else
		legacy_special(k, mods, m, out);
}

/* --- kitty --- */

/* The part of a `CSI ... u` that says the key: code, shifted key, key of the standard layout. */
static void kitty_add_code(const struct key *k, uint32_t code, int flags, struct buf *out)
{
	uint32_t shifted = (k->mods & MOD_SHIFT) && k->shifted != code ? k->shifted : 0;
	uint32_t base = k->base != code ? k->base : 0;

	buf_printf(out, "%u", (unsigned)code);
	if (!(flags & KITTY_ALTERNATES) || !key_is_char(k))
		return;
	if (shifted)
		buf_printf(out, ":%u", (unsigned)shifted);
	if (base)
		buf_printf(out, "%s:%u", shifted ? "" : ":", (unsigned)base);
}

/* The text as code points, `;` before and `:` between them. */
static void kitty_add_text(const char *text, struct buf *out)
{
	size_t len = strlen(text);
	char separator = ';';
	uint32_t cp;
	int used;

	for (size_t at = 0; at < len; at += (size_t)used) {
		used = utf8_decode(text + at, len - at, &cp, NULL);
		if (used <= 0)
			return;
		if (char_is_control(cp))
			continue;
		buf_printf(out, "%c%u", separator, (unsigned)cp);
		separator = ':';
	}
}

static void kitty_add_form(const struct key *k, int flags, uint32_t param, char final, struct buf *out)
{
	bool event = (flags & KITTY_EVENTS) && k->event > KEY_PRESS;
	char text[KEY_TEXT_MAX + 1] = "";
	size_t start;

	if ((flags & KITTY_ALL_ESCAPES) && (flags & KITTY_TEXT) && k->event != KEY_RELEASE)
		key_text(k, text);
	buf_adds(out, "\033[");
	start = out->len;
	if (final == 'u' || final == '~' || k->mods || event)
		kitty_add_code(k, param, flags, out);
	if (k->mods || event || text[0])
		buf_addc(out, ';');
	if (k->mods || event)
		buf_printf(out, "%u", (unsigned)k->mods + 1);
	if (event)
		buf_printf(out, ":%u", (unsigned)k->event);
	kitty_add_text(text, out);
	if (out->len > start && out->data[out->len - 1] == ';') /* the text was all controls */
		buf_truncate(out, out->len - 1);
	buf_addc(out, final);
}

/*
 * Enter, Tab and Backspace keep their bytes, so that `reset` can be typed after a program that did not clean
 * up; for the same reason their release is not told.
 */
static bool kitty_keeps_legacy(const struct key *k)
{
	return k->code == KEY_ENTER || k->code == KEY_TAB || k->code == KEY_BACKSPACE;
}

/* The keys that go as they always did although the protocol is on; true: nothing more is to be sent. */
static bool kitty_plain(const struct key *k, const struct key_modes *m, struct buf *out)
{
	char text[KEY_TEXT_MAX + 1];

	if (key_is_modifier(k))
		return true;
	if (kitty_keeps_legacy(k)) {
		if (k->event == KEY_RELEASE)
			return true;
		if (k->mods & MOD_HELD)
			return false;
		legacy_special(k, 0, m, out);
		return true;
	}
	if (k->event == KEY_RELEASE || !key_text(k, text))
		return false;
	buf_adds(out, text);
	return true;
}

/* Whether a code says which key it is: text of an input method has none, and that of a character for private
 * use (an icon) means one of kitty's functional keys. */
static bool kitty_has_code(const struct key *k)
{
	return k->code != 0 && (k->code < KITTY_CODE_FIRST || k->code > KITTY_CODE_LAST);
}

static void kitty_text_alone(const struct key *k, int flags, struct buf *out)
{
	char text[KEY_TEXT_MAX + 1];

	if (k->event == KEY_RELEASE || !key_text(k, text))
		return;
	if (flags & KITTY_TEXT)
		kitty_add_form(k, flags, 0, 'u', out);
	else
		buf_adds(out, text);
}

static void kitty_encode(const struct key *k, const struct key_modes *m, struct buf *out)
{
	const struct key_form *f = form_of_key(k->code);
	int flags = m->kitty;

	if (k->event == KEY_RELEASE && !(flags & KITTY_EVENTS))
		return;
	if (!(flags & KITTY_ALL_ESCAPES) && kitty_plain(k, m, out))
		return;
	if (!kitty_has_code(k)) {
		kitty_text_alone(k, flags, out);
	} else if (f) {
		kitty_add_form(k, flags, f->kitty_param, f->kitty_final, out);
	} else if (k->code == KEY_OTHER) {
		kitty_add_form(k, flags, k->number, 'u', out);
	} else if (k->code < KEY_SPECIAL_FIRST) {
		kitty_add_form(k, flags, k->code, 'u', out);
	}
}

/* Alternates or text alone change nothing about which keys are escapes; nor do events, but for repeat and
 * release. */
static bool kitty_applies(const struct key *k, int flags)
{
	if (flags & (KITTY_DISAMBIGUATE | KITTY_ALL_ESCAPES))
		return true;
	return (flags & KITTY_EVENTS) && k->event > KEY_PRESS;
}

void key_encode(const struct key *k, const struct key_modes *m, struct buf *out)
{
	if (kitty_applies(k, m->kitty))
		kitty_encode(k, m, out);
	else
		legacy_encode(k, m, out);
}
