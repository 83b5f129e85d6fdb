/*
 * decode: where a sequence from the terminal begins and ends, byte by byte, and what becomes of one that does
 * not end. What a complete one means is decided in decode_csi.c and decode_string.c.
 *
 * Bytes wait in `in` until decoder_next takes them, so text of a paste is handed out where it lies; `ready`
 * holds the few inputs that one byte or one deadline can yield.
 */
#include "key/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "key/decode_internal.h"
#include "key/table.h"

enum {
	ESC = 0x1B,
	BEL = 0x07,
	CAN = 0x18,
	SUB = 0x1A,
	DEL = 0x7F,
	SEQUENCE_MAX = 512, /* bytes of a control sequence; a longer one is swallowed */
	READY_MAX = 6,
	ORPHAN_WINDOW_MS = 1000, /* so long after an Escape a sequence without its ESC is looked for */
	ORPHAN_MS = 100,         /* what looks like one is typed text after this */
	ORPHAN_CERTAIN = 3,      /* nobody types this many bytes of one in that time */
};

static const char paste_end[] = "\033[201~";
enum { PASTE_END_LEN = sizeof(paste_end) - 1 };

enum state {
	GROUND,
	UTF8,       /* inside a character */
	ESCAPE,     /* after ESC */
	SS3,        /* after ESC O */
	CSI,        /* after ESC [ */
	LINUX,      /* after ESC [ [ */
	MOUSE,      /* after ESC [ M: three bytes */
	INTRODUCED, /* after ESC ], ESC P, ESC _: a string, or alt and that key */
	STRING,
	STRING_ESC, /* ESC in a string: ST, or the end of it without one */
	PASTE,
	STATES
};

struct decoder {
	enum state state;
	struct buf in;
	size_t taken;     /* of in */
	struct buf body;  /* of the sequence, without ESC and introducer; or the bytes of a character */
	size_t dropped;   /* bytes of it that were too many to keep */
	char introducer;  /* '[', 'O', ']', 'P' or '_' of the sequence */
	bool meta;        /* ESC stood before the character */
	bool doubled;     /* ESC ESC: Escape and a sequence, or alt and a key */
	bool orphan;      /* its ESC was given away as Escape before it came */
	bool split;       /* ... and the rest did not come at once */
	bool late;        /* its time is over: only a reply counts now */
	int64_t now;      /* of the last feed */
	int64_t since;    /* of the last byte of what is unfinished */
	int64_t orphans;  /* until when a sequence without ESC is looked for; the next byte decides */
	bool paste_first; /* the next piece is the first */
	bool expect_replies;
	uint8_t erase;
	struct decode_context context;
	struct input ready[READY_MAX];
	int ready_first, ready_end;
};

struct decoder *decoder_create(void)
{
	struct decoder *d = mem_zalloc(1, sizeof(*d));

	buf_init(&d->in);
	buf_init(&d->body);
	d->erase = DEL;
	d->orphans = -1;
	return d;
}

void decoder_destroy(struct decoder *d)
{
	if (!d)
		return;
	buf_free(&d->in);
	buf_free(&d->body);
	free(d);
}

void decoder_expect_cursor(struct decoder *d, int reports)
{
	d->context.cursor_reports = reports;
}

void decoder_expect_replies(struct decoder *d, bool expected)
{
	d->expect_replies = expected;
}

void decoder_set_erase(struct decoder *d, uint8_t erase)
{
	d->erase = erase == '\b' ? '\b' : DEL;
}

/* --- what comes out --- */

static void emit(struct decoder *d, const struct input *in)
{
	if (d->ready_first == d->ready_end)
		d->ready_first = d->ready_end = 0;
	if (d->ready_end < READY_MAX)
		d->ready[d->ready_end++] = *in;
}

static void emit_key(struct decoder *d, struct key key)
{
	struct input in = {.type = INPUT_KEY};

	key_complete(&key);
	in.key = key;
	emit(d, &in);
}

static void emit_escape(struct decoder *d)
{
	emit_key(d, (struct key){.code = KEY_ESCAPE});
}

/* A character below 0x80 as the terminal sends it for a key. */
static struct key key_of_byte(const struct decoder *d, uint8_t byte)
{
	struct key k = {.event = KEY_PRESS};

	if (byte == '\t' || byte == '\r') {
		k.code = byte == '\t' ? KEY_TAB : KEY_ENTER;
	} else if (byte == DEL || byte == '\b') {
		k.code = KEY_BACKSPACE;
		k.mods = byte == d->erase ? 0 : MOD_CTRL;
	} else if (byte == ESC) {
		k.code = KEY_ESCAPE;
	} else if (byte < 0x20) {
		k.mods = MOD_CTRL;
		k.code = byte == 0 ? ' ' : char_lower(byte + '@');
	} else {
		k.code = byte;
	}
	return k;
}

static void emit_byte(struct decoder *d, uint8_t byte, bool meta)
{
	struct key k = key_of_byte(d, byte);

	if (meta)
		k.mods |= MOD_ALT;
	emit_key(d, k);
}

/* Back to the ground state: what was collected is done with. */
static void reset(struct decoder *d)
{
	d->state = GROUND;
	d->meta = d->doubled = d->orphan = d->split = d->late = false;
	d->dropped = 0;
}

static void enter(struct decoder *d, enum state state, char introducer)
{
	d->state = state;
	d->introducer = introducer;
	d->dropped = 0;
	buf_clear(&d->body);
}

static void collect(struct decoder *d, uint8_t byte, size_t max)
{
	if (d->body.len < max)
		buf_addc(&d->body, (char)byte);
	else
		d->dropped++;
}

/* What is left when a sequence turns out to be none after its introducer: alt and that key. */
static void emit_introducer(struct decoder *d)
{
	if (d->doubled)
		emit_escape(d);
	emit_byte(d, (uint8_t)d->introducer, true);
}

/*
 * A sequence is complete.  ESC ESC before a key is alt (rxvt, and terminals whose alt is an ESC in front of
 * everything); before anything else, also a text without a key, the first ESC was the key.
 */
static void finish(struct decoder *d, struct input *in)
{
	bool doubled = d->doubled, late = d->late, is_key = in->type == INPUT_KEY && in->key.code != 0;

	reset(d);
	if (late && in->type != INPUT_REPLY)
		return;
	if (doubled && !is_key)
		emit_escape(d);
	if (doubled && is_key) {
		in->key.mods |= MOD_ALT;
		in->key.text[0] = '\0';
	}
	emit(d, in);
}

static void start_paste(struct decoder *d)
{
	if (d->doubled)
		emit_escape(d);
	reset(d);
	d->state = PASTE;
	d->paste_first = true;
}

/* --- states; false: the byte is not used up, the new state takes it --- */

/* DCS is only ever an answer; the others may be one to an old question, or a report of mouse, size, theme. */
static bool starts_orphan(const struct decoder *d, uint8_t byte)
{
	return byte == '[' || byte == ']' || (byte == 'P' && d->expect_replies);
}

static bool in_ground(struct decoder *d, uint8_t byte)
{
	bool orphan = d->now < d->orphans && starts_orphan(d, byte);

	d->orphans = -1;
	if (byte == ESC || orphan) {
		d->state = ESCAPE;
		d->orphan = orphan;
		return !orphan;
	}
	if (byte >= 0x80) {
		enter(d, UTF8, 0);
		return false;
	}
	emit_byte(d, byte, false);
	return true;
}

static void emit_char(struct decoder *d, uint32_t cp)
{
	struct key k = {.code = cp, .mods = d->meta ? MOD_ALT : 0};

	if (!char_is_control(cp))
		emit_key(d, k);
}

static bool in_utf8(struct decoder *d, uint8_t byte)
{
	uint32_t cp;
	bool ok;
	int used;

	buf_addc(&d->body, (char)byte);
	used = utf8_decode(d->body.data, d->body.len, &cp, &ok);
	if (used == 0)
		return true;
	if (ok)
		emit_char(d, cp);
	reset(d);
	return (size_t)used == d->body.len;
}

/* What begins with ESC and this byte; GROUND: nothing, it is alt and a key. */
static enum state introduced_by(uint8_t byte)
{
	switch (byte) {
	case '[':
		return CSI;
	case 'O':
		return SS3;
	case ']':
	case 'P':
	case '_':
		return INTRODUCED;
	default:
		return GROUND;
	}
}

static bool in_escape(struct decoder *d, uint8_t byte)
{
	enum state next = introduced_by(byte);

	if (next != GROUND) {
		enter(d, next, (char)byte);
		return true;
	}
	if (d->doubled)
		emit_escape(d);
	if (byte == ESC) {
		d->doubled = true;
		return true;
	}
	reset(d);
	if (byte < 0x80) {
		emit_byte(d, byte, true);
		return true;
	}
	enter(d, UTF8, 0);
	d->meta = true;
	return false;
}

/* Enough of a sequence without its ESC that it cannot be typed text. */
static bool is_certain(const struct decoder *d)
{
	return !d->orphan || d->body.len >= ORPHAN_CERTAIN;
}

/* What looked like a sequence without its ESC was typed. */
static void emit_typed(struct decoder *d)
{
	emit_byte(d, (uint8_t)d->introducer, false);
	for (size_t i = 0; i < d->body.len; i++)
		emit_byte(d, (uint8_t)d->body.data[i], false);
	reset(d);
}

/*
 * A byte that cannot be there.  Right after the introducer: it was alt and a key; later: what came is
 * dropped.  The byte starts anew.
 */
static bool break_off(struct decoder *d)
{
	if (!is_certain(d))
		emit_typed(d);
	else if (d->body.len == 0)
		emit_introducer(d);
	reset(d);
	return false;
}

static bool in_ss3(struct decoder *d, uint8_t byte)
{
	struct input in = {.type = INPUT_KEY};
	const struct keypad_form *pad = keypad_of_letter((char)byte);
	struct csi c;

	if (byte < 0x20 || byte >= 0x7F)
		return break_off(d);
	if ((byte >= '0' && byte <= '9') || byte == ';') { /* modifiers, as some terminals have them */
		collect(d, byte, SEQUENCE_MAX);
		return true;
	}
	csi_parse(d->body.data, d->body.len, (char)byte, &c);
	csi_modifiers(&c, c.fields == 1 ? 0 : 1, &in.key);
	if (byte >= 'a' && byte <= 'd') { /* rxvt: arrows with ctrl */
		key_from_letter((char)(byte - 'a' + 'A'), &in.key);
		in.key.mods |= MOD_CTRL;
	} else if (pad) {
		in.key.code = pad->code;
		in.key.number = pad->number;
	} else if (!key_from_letter((char)byte, &in.key)) {
		reset(d);
		return true;
	}
	key_complete(&in.key);
	finish(d, &in);
	return true;
}

/* "[c" after an Escape, key by key, is no key of rxvt's: only what comes at once is taken for one. */
static bool is_typed(const struct decoder *d, enum csi_meaning meaning, const struct input *in)
{
	if (is_certain(d) || !d->split)
		return false;
	return meaning == CSI_NOTHING || (meaning == CSI_INPUT && in->type == INPUT_KEY);
}

static void finish_csi(struct decoder *d, uint8_t final)
{
	struct input in = {0};
	enum csi_meaning meaning;
	struct csi c;

	csi_parse(d->body.data, d->body.len, (char) final, &c);
	meaning = d->dropped ? CSI_NOTHING : csi_decode(&c, &d->context, &in);
	if (is_typed(d, meaning, &in)) {
		emit_typed(d);
		emit_byte(d, final, false);
	} else if (meaning == CSI_INPUT) {
		finish(d, &in);
	} else if (meaning == CSI_PASTE_START) {
		start_paste(d);
	} else {
		reset(d);
	}
}

/* rxvt ends keys with a $, which is an intermediate byte elsewhere: there it never follows a single number.
 */
static bool is_rxvt_shift(const struct decoder *d, uint8_t byte)
{
	if (byte != '$' || d->body.len == 0)
		return false;
	for (size_t i = 0; i < d->body.len; i++) {
		if (d->body.data[i] < '0' || d->body.data[i] > '9')
			return false;
	}
	return true;
}

static bool in_csi(struct decoder *d, uint8_t byte)
{
	if (byte < 0x20 || byte >= 0x7F)
		return break_off(d);
	if (d->body.len == 0 && (byte == '[' || byte == 'M')) {
		d->state = byte == 'M' ? MOUSE : LINUX;
		collect(d, byte, SEQUENCE_MAX);
		return true;
	}
	if (byte >= 0x40 || is_rxvt_shift(d, byte))
		finish_csi(d, byte);
	else
		collect(d, byte, SEQUENCE_MAX);
	return true;
}

/* F1 to F5 of the linux console. */
static bool in_linux(struct decoder *d, uint8_t byte)
{
	struct input in = {.type = INPUT_KEY};

	if (byte < 'A' || byte > 'E')
		return break_off(d);
	in.key.code = KEY_F1 + (byte - 'A');
	key_complete(&in.key);
	finish(d, &in);
	return true;
}

static bool in_mouse(struct decoder *d, uint8_t byte)
{
	struct input in = {.type = INPUT_MOUSE};
	const uint8_t *b;

	if (byte < 0x20)
		return break_off(d);
	collect(d, byte, SEQUENCE_MAX);
	if (d->body.len < 4)
		return true;
	b = (const uint8_t *)d->body.data;
	if (mouse_decode(b[1] - 32, b[2] - 32, b[3] - 32, false, &d->context, &in.mouse))
		finish(d, &in);
	else
		reset(d);
	return true;
}

/* Whether a string of this kind that a terminal sends can begin so.  Else it was alt and a key, and then
 * another key. */
static bool starts_string(char introducer, uint8_t byte)
{
	bool digit = byte >= '0' && byte <= '9';

	if (introducer == ']')
		return digit || byte == 'l' || byte == 'L'; /* XTWINOPS 20, 21 */
	if (introducer == 'P')
		return digit || byte == '>' || byte == '!' || byte == '$';
	return byte == 'G';
}

static bool in_introduced(struct decoder *d, uint8_t byte)
{
	if (!starts_string(d->introducer, byte))
		return break_off(d);
	d->state = STRING;
	return false;
}

static void finish_string(struct decoder *d)
{
	struct input in = {0};

	if (d->dropped)
		buf_clear(&d->body);
	string_decode(d->introducer, d->body.data, d->body.len, &in);
	finish(d, &in);
}

/* Controls in a string mean nothing, but for its ends (ECMA-48 5.6; BEL is xterm's). */
static bool in_string(struct decoder *d, uint8_t byte)
{
	if (byte == ESC)
		d->state = STRING_ESC;
	else if (byte == BEL && d->introducer == ']')
		finish_string(d);
	else if (byte == CAN || byte == SUB)
		reset(d);
	else if (byte >= 0x20)
		collect(d, byte, DECODER_STRING_MAX);
	return true;
}

static bool in_string_esc(struct decoder *d, uint8_t byte)
{
	if (byte == '\\') {
		finish_string(d);
		return true;
	}
	reset(d);
	d->state = ESCAPE;
	return false;
}

static bool (*const states[STATES])(struct decoder *, uint8_t) = {
    [GROUND] = in_ground,
    [UTF8] = in_utf8,
    [ESCAPE] = in_escape,
    [SS3] = in_ss3,
    [CSI] = in_csi,
    [LINUX] = in_linux,
    [MOUSE] = in_mouse,
    [INTRODUCED] = in_introduced,
    [STRING] = in_string,
    [STRING_ESC] = in_string_esc,
};

/* --- pastes --- */

/* Whether s could be the beginning of the end, cut off. */
static bool may_be_end(const char *s, size_t len)
{
	return len < PASTE_END_LEN && memcmp(s, paste_end, len) == 0;
}

/* Length of the text before the end of the paste, or before what may be it; *found: the end is there. */
static size_t paste_text(const char *s, size_t len, bool *found)
{
	size_t at = 0;

	*found = false;
	while (at < len) {
		const char *esc = memchr(s + at, ESC, len - at);

		if (!esc)
			return len;
		at = (size_t)(esc - s);
		*found = len - at >= PASTE_END_LEN && memcmp(esc, paste_end, PASTE_END_LEN) == 0;
		if (*found || may_be_end(esc, len - at))
			return at;
		at++;
	}
	return len;
}

/* Hands out the next piece; false: there is nothing to say until more comes. */
static bool take_paste(struct decoder *d)
{
	const char *s = d->in.data + d->taken;
	struct input in = {.type = INPUT_PASTE, .text = s};
	bool found;
	size_t len = paste_text(s, d->in.len - d->taken, &found);

	in.last = found && len <= DECODER_PIECE_MAX;
	in.text_len = in.last ? len : paste_cut(s, len, DECODER_PIECE_MAX);
	if (!in.last && in.text_len == 0)
		return false;
	in.first = d->paste_first;
	d->paste_first = false;
	d->taken += in.text_len;
	if (in.last) {
		d->taken += PASTE_END_LEN;
		reset(d);
	}
	emit(d, &in);
	return true;
}

/* --- from outside --- */

void decoder_feed(struct decoder *d, const void *data, size_t len, int64_t now)
{
	if (d->taken == d->in.len)
		decoder_expire(d, now);
	buf_consume(&d->in, d->taken);
	d->taken = 0;
	buf_add(&d->in, data, len);
	d->split = d->orphan;
	d->now = now;
}

bool decoder_next(struct decoder *d, struct input *out)
{
	while (d->ready_first == d->ready_end) {
		if (d->taken == d->in.len)
			return false;
		if (d->state == PASTE) {
			if (!take_paste(d))
				return false;
			continue;
		}
		d->since = d->now;
		if (states[d->state](d, (uint8_t)d->in.data[d->taken]))
			d->taken++;
	}
	*out = d->ready[d->ready_first++];
	return true;
}

int64_t decoder_deadline(const struct decoder *d)
{
	if (d->state == GROUND || d->state == PASTE)
		return -1;
	if (d->state == ESCAPE)
		return d->since + (d->expect_replies ? DECODER_SEQUENCE_MS : DECODER_ESCAPE_MS);
	if (d->late)
		return d->since + DECODER_LATE_MS;
	return d->since + (is_certain(d) ? DECODER_SEQUENCE_MS : ORPHAN_MS);
}

/* A lone ESC is a key.  If the rest of a sequence comes after all, it is known by what it looks like. */
static void expire_escape(struct decoder *d, int64_t now)
{
	if (d->doubled)
		emit_escape(d);
	emit_escape(d);
	reset(d);
	d->orphans = now + ORPHAN_WINDOW_MS;
}

void decoder_expire(struct decoder *d, int64_t now)
{
	int64_t deadline = decoder_deadline(d);

	if (deadline < 0 || now < deadline || d->taken < d->in.len)
		return;
	if (d->state == ESCAPE) {
		expire_escape(d, now);
	} else if (d->state == UTF8 || d->late) {
		reset(d);
	} else if (!is_certain(d)) {
		emit_typed(d);
	} else if (d->body.len == 0) {
		emit_introducer(d);
		reset(d);
	} else {
		d->late = true;
	}
}
