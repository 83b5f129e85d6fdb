/*
 * decode_csi: what a complete control sequence from the terminal means: a key (xterm, VT220, linux console,
 * rxvt, kitty, modifyOtherKeys), a mouse report, a change of focus, or a reply.
 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "key/decode_internal.h"
#include "key/table.h"

enum { NUMBER_MAX = 0x1FFFFF }; /* a parameter beyond it is that */

/* --- taking apart --- */

static bool is_mark(char c)
{
	return c >= '<' && c <= '?';
}

static void next_field(struct csi *c)
{
	if (c->fields == CSI_FIELDS)
		return;
	c->value[c->fields][0] = CSI_MISSING;
	c->subs[c->fields++] = 1;
}

static void next_sub(struct csi *c)
{
	int *subs = &c->subs[c->fields - 1];

	if (*subs < CSI_SUBS)
		c->value[c->fields - 1][(*subs)++] = CSI_MISSING;
}

static void add_digit(struct csi *c, int digit)
{
	int *value = &c->value[c->fields - 1][c->subs[c->fields - 1] - 1];
	int number = (*value == CSI_MISSING ? 0 : *value) * 10 + digit;

	*value = number < NUMBER_MAX ? number : NUMBER_MAX;
}

void csi_parse(const char *body, size_t len, char final, struct csi *out)
{
	*out = (struct csi){.final = final};
	for (size_t i = 0; i < len; i++) {
		char b = body[i];

		if (is_mark(b)) {
			out->mark = b;
			continue;
		}
		if (b < '0') {
			out->intermediate = b;
			continue;
		}
		if (out->fields == 0)
			next_field(out);
		if (b == ';')
			next_field(out);
		else if (b == ':')
			next_sub(out);
		else
			add_digit(out, b - '0');
	}
}

static int csi_sub(const struct csi *c, int field, int sub, int missing)
{
	if (field >= c->fields || sub >= c->subs[field] || c->value[field][sub] == CSI_MISSING)
		return missing;
	return c->value[field][sub];
}

int csi_number(const struct csi *c, int field, int missing)
{
	return csi_sub(c, field, 0, missing);
}

/* --- keys --- */

void csi_modifiers(const struct csi *c, int field, struct key *k)
{
	int mods = csi_sub(c, field, 0, 1);
	int event = csi_sub(c, field, 1, KEY_PRESS);

	if (mods > 1 && mods <= 256)
		k->mods |= (uint16_t)(mods - 1);
	k->event = event >= KEY_PRESS && event <= KEY_RELEASE ? (uint8_t)event : KEY_PRESS;
}

static enum csi_meaning is_key(struct input *in)
{
	in->type = INPUT_KEY;
	key_complete(&in->key);
	return CSI_INPUT;
}

/* `CSI 1 ; modifiers X`, `CSI modifiers X` of old terminals, `CSI X`. */
static enum csi_meaning letter_key(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	(void)ctx;
	if (!key_from_letter(c->final, &in->key))
		return CSI_NOTHING;
	csi_modifiers(c, c->fields == 1 ? 0 : 1, &in->key);
	return is_key(in);
}

static enum csi_meaning back_tab(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	(void)ctx;
	in->key.code = KEY_TAB;
	csi_modifiers(c, c->fields == 1 ? 0 : 1, &in->key);
	in->key.mods |= MOD_SHIFT;
	return is_key(in);
}

/* rxvt: small letters are arrows with shift. */
static enum csi_meaning rxvt_arrow(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	(void)ctx;
	key_from_letter((char)(c->final - 'a' + 'A'), &in->key);
	in->key.mods = MOD_SHIFT;
	return is_key(in);
}

/* rxvt: `CSI number` and $ for shift, ^ for ctrl, @ for both. */
static enum csi_meaning rxvt_key(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	(void)ctx;
	if (c->fields != 1 || !key_from_tilde(csi_number(c, 0, 0), &in->key))
		return CSI_NOTHING;
	in->key.mods = c->final == '$' ? MOD_SHIFT : c->final == '^' ? MOD_CTRL : MOD_SHIFT | MOD_CTRL;
	return is_key(in);
}

/*
 * `CSI 27 ; modifiers ; number ~` (modifyOtherKeys).  The number is the character that was produced, so a
 * shift that is not a letter's has been used up.
 */
static enum csi_meaning other_key(const struct csi *c, struct input *in)
{
	uint32_t number = (uint32_t)csi_number(c, 2, 0);
	struct key *k = &in->key;

	csi_modifiers(c, 1, k);
	if (number >= 1 && number <= 26 && number != '\t' && number != '\r' && number != '\b') {
		number += 'a' - 1;
		k->mods |= MOD_CTRL;
	}
	if (number == 0 || !key_from_kitty(number, k))
		return CSI_NOTHING;
	if (key_is_char(k) && k->code != ' ' && char_lower(k->code) == k->code &&
	    char_upper(k->code) == k->code)
		k->mods &= ~MOD_SHIFT;
	return is_key(in);
}

static enum csi_meaning tilde_key(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	int number = csi_number(c, 0, 0);

	(void)ctx;
	if (number == 200)
		return CSI_PASTE_START;
	if (number == 27 && c->fields >= 3)
		return other_key(c, in);
	if (!key_from_tilde(number, &in->key))
		return CSI_NOTHING;
	csi_modifiers(c, 1, &in->key);
	return is_key(in);
}

/* The text that kitty reports with a key, as code points in field 2. */
static void take_text(const struct csi *c, struct key *k)
{
	size_t len = 0;

	for (int i = 0; c->fields > 2 && i < c->subs[2]; i++) {
		uint32_t cp = (uint32_t)csi_sub(c, 2, i, 0);
		char utf8[UTF8_MAX];
		size_t n = (size_t)utf8_encode(cp, utf8);

		if (char_is_control(cp) || len + n > KEY_TEXT_MAX)
			continue;
		memcpy(k->text + len, utf8, n);
		len += n;
	}
	k->text[len] = '\0';
}

static uint32_t alternate_code(const struct csi *c, int sub)
{
	struct key k = {0};
	int code = csi_sub(c, 0, sub, 0);

	return key_from_kitty((uint32_t)code, &k) && key_is_char(&k) ? k.code : 0;
}

/* `CSI code:shifted:base ; modifiers:event ; text u` */
static enum csi_meaning kitty_key(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	struct key *k = &in->key;

	(void)ctx;
	if (!key_from_kitty((uint32_t)csi_number(c, 0, 0), k))
		return CSI_NOTHING;
	k->shifted = alternate_code(c, 1);
	k->base = alternate_code(c, 2);
	csi_modifiers(c, 1, k);
	take_text(c, k);
	if (k->code == 0 && (k->text[0] == '\0' || k->event == KEY_RELEASE))
		return CSI_NOTHING;
	return is_key(in);
}

/* --- mouse and focus --- */

bool mouse_decode(int code, int col, int row, bool release, struct decode_context *ctx, struct mouse *out)
{
	static const uint8_t buttons[] = {BUTTON_LEFT, BUTTON_MIDDLE, BUTTON_RIGHT, BUTTON_NONE,
	    BUTTON_WHEEL_UP, BUTTON_WHEEL_DOWN, BUTTON_WHEEL_LEFT, BUTTON_WHEEL_RIGHT, BUTTON_BACK,
	    BUTTON_FORWARD};
	size_t index = (size_t)((code & 3) | (code & 0xC0) >> 4);

	if (code < 0 || code > 0xFF || index >= COUNT_OF(buttons))
		return false;
	*out = (struct mouse){.button = buttons[index], .x = -1, .y = -1};
	out->row = row > 0 ? row - 1 : 0;
	out->col = col > 0 ? col - 1 : 0;
	out->mods = (code & 4 ? MOD_SHIFT : 0) | (code & 8 ? MOD_ALT : 0) | (code & 16 ? MOD_CTRL : 0);
	if (out->button >= BUTTON_WHEEL_UP && out->button <= BUTTON_WHEEL_RIGHT) {
		out->action = MOUSE_WHEEL;
		return !release;
	}
	if (code & 32) {
		out->action = MOUSE_MOTION;
		return true;
	}
	out->action = release || out->button == BUTTON_NONE ? MOUSE_RELEASE : MOUSE_PRESS;
	if (out->button == BUTTON_NONE)
		out->button = ctx->held_button;
	ctx->held_button = out->action == MOUSE_PRESS ? out->button : BUTTON_NONE;
	return true;
}

static enum csi_meaning mouse_report(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	int code = csi_number(c, 0, -1);

	if (c->fields != 3)
		return CSI_NOTHING;
	if (c->mark == 0) /* urxvt's form */
		code -= 32;
	in->type = INPUT_MOUSE;
	return mouse_decode(code, csi_number(c, 1, 0), csi_number(c, 2, 0), c->final == 'm', ctx, &in->mouse)
		   ? CSI_INPUT
		   : CSI_NOTHING;
}

static enum csi_meaning focus_change(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	(void)ctx;
	in->type = INPUT_FOCUS;
	in->on = c->final == 'I';
	return CSI_INPUT;
}

/* --- replies --- */

static enum csi_meaning is_reply(const struct csi *c, enum reply_type type, int first, struct input *in)
{
	in->type = INPUT_REPLY;
	in->reply = type;
	for (int i = first; i < c->fields && in->count < REPLY_NUMBERS; i++)
		in->number[in->count++] = csi_number(c, i, 0);
	return CSI_INPUT;
}

/* A cursor position, or F3 with modifiers: only who has asked can tell. */
static enum csi_meaning cursor_report(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	if (c->fields == 2 && ctx->cursor_reports > 0) {
		ctx->cursor_reports--;
		return is_reply(c, REPLY_CURSOR, 0, in);
	}
	if (c->fields == 2 && csi_number(c, 0, 1) != 1)
		return is_reply(c, REPLY_OTHER, 0, in);
	return letter_key(c, ctx, in);
}

static enum csi_meaning window_report(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	(void)ctx;
	switch (csi_number(c, 0, 0)) {
	case 4:
		return is_reply(c, c->fields == 3 ? REPLY_AREA_PIXELS : REPLY_OTHER, 1, in);
	case 6:
		return is_reply(c, c->fields == 3 ? REPLY_CELL_PIXELS : REPLY_OTHER, 1, in);
	case 48:
		return is_reply(c, c->fields >= 5 ? REPLY_SIZE : REPLY_OTHER, 1, in);
	default:
		return is_reply(c, REPLY_OTHER, 0, in);
	}
}

static enum csi_meaning status_report(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	(void)ctx;
	if (csi_number(c, 0, 0) == 997 && c->fields == 2)
		return is_reply(c, REPLY_THEME, 1, in);
	return is_reply(c, REPLY_OTHER, 0, in);
}

/* --- the table --- */

/* Rows without a function are replies whose numbers are kept as they came. */
static const struct {
	char mark, intermediate, final;
	enum csi_meaning (*decode)(const struct csi *, struct decode_context *, struct input *);
	enum reply_type reply;
} rules[] = {
    {0, 0, '~', tilde_key, 0},
    {0, 0, 'u', kitty_key, 0},
    {0, 0, 'Z', back_tab, 0},
    {0, 0, 'R', cursor_report, 0},
    {0, 0, 'a', rxvt_arrow, 0},
    {0, 0, 'b', rxvt_arrow, 0},
    {0, 0, 'c', rxvt_arrow, 0},
    {0, 0, 'd', rxvt_arrow, 0},
    {0, 0, '$', rxvt_key, 0},
    {0, 0, '^', rxvt_key, 0},
    {0, 0, '@', rxvt_key, 0},
    {0, 0, 'I', focus_change, 0},
    {0, 0, 'O', focus_change, 0},
    {0, 0, 'M', mouse_report, 0},
    {'<', 0, 'M', mouse_report, 0},
    {'<', 0, 'm', mouse_report, 0},
    {0, 0, 't', window_report, 0},
    {'?', 0, 'n', status_report, 0},
    {0, 0, 'n', NULL, REPLY_OTHER},
    {'?', 0, 'c', NULL, REPLY_DA1},
    {'>', 0, 'c', NULL, REPLY_DA2},
    {'?', '$', 'y', NULL, REPLY_DECRPM},
    {'?', 0, 'u', NULL, REPLY_KITTY_FLAGS},
    {'>', 0, 'm', NULL, REPLY_KEY_MODIFIERS},
};

enum csi_meaning csi_decode(const struct csi *c, struct decode_context *ctx, struct input *in)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		if (rules[i].mark != c->mark || rules[i].intermediate != c->intermediate ||
		    rules[i].final != c->final)
			continue;
		if (rules[i].decode)
			return rules[i].decode(c, ctx, in);
		return is_reply(c, rules[i].reply, 0, in);
	}
	if (c->mark || c->intermediate)
		return is_reply(c, REPLY_OTHER, 0, in);
	return letter_key(c, ctx, in);
}
