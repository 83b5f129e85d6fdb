/*
 * decode: bytes of the outer terminal into the decoder of keys.  However they are cut the inputs are the
 * same; each is well-formed, a key can be named and written for every program, and the decoder comes to rest.
 *
 * 0xFF and t N: N * 8 ms go by.  T: a deadline passes, if there is one.  c N: so many CPR replies are
 * awaited. r: replies are awaited, or no more.  b: the erase key is BS, or DEL again.  Any other byte: fed,
 * and 0xFF before it.
 */
#include "base/utf8.h"
#include "fuzz.h"
#include "key/decode.h"
#include "key/table.h"

enum { ESCAPE_REMEMBERED_MS = 1000 };

struct pair {
	struct decoder *whole, *pieces;
	struct buf got[2];
	struct cutter cutter;
	int64_t now;
	int64_t uncut; /* until when both are fed whole */
	bool replies, backspace;
};

static bool is_scalar(uint32_t cp)
{
	return cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
}

/* Whether the text is what the key makes by itself: a terminal may say any other, which means nothing for
 * names. */
static bool has_own_text(const struct key *k)
{
	struct key plain = *k;
	char text[KEY_TEXT_MAX + 1];

	if (k->shifted && k->shifted == k->code) /* a shift that changes nothing: no layout has that */
		return false;
	plain.text[0] = '\0';
	key_text(&plain, text);
	return strcmp(text, k->text) == 0;
}

/* Text of an input method and characters for private use have none. */
static bool has_code(const struct key *k)
{
	return k->code != 0 && (k->code < KITTY_CODE_FIRST || k->code > KITTY_CODE_LAST);
}

/* What kitty's protocol tells of a key with all its flags comes back as it was. */
static void check_round_trip(const struct key *k)
{
	static const struct key_modes all = {.kitty = KITTY_ALL_FLAGS};
	struct decoder *d = decoder_create();
	struct input in;
	AUTO_BUF bytes = BUF_INIT;

	key_encode(k, &all, &bytes);
	decoder_feed(d, bytes.data, bytes.len, 0);
	if (has_code(k) && bytes.len > 1) {
		CHECK(decoder_next(d, &in));
		CHECK(in.type == INPUT_KEY && key_equal(&in.key, k));
		CHECK(!has_own_text(k) || strcmp(in.key.text, k->text) == 0);
		CHECK(!decoder_next(d, &in));
	}
	decoder_destroy(d);
}

/* A name says neither locks nor what a layout has on the key. */
static bool is_nameable(const struct key *k)
{
	return k->code != 0 && k->event != KEY_RELEASE && k->shifted == 0 && k->base == 0 &&
	       !(k->mods & ~MOD_HELD) && has_own_text(k);
}

static void check_key(const struct key *k)
{
	static const struct key_modes modes[] = {{0}, {.modify_other_keys = 1}, {.modify_other_keys = 2},
	    {.kitty = KITTY_DISAMBIGUATE}, {.cursor_keys = true},
	    {.keypad = true, .newline = true, .backspace_is_bs = true}};
	char name[KEY_NAME_MAX];
	struct key named;
	AUTO_BUF bytes = BUF_INIT;

	CHECK(is_scalar(k->code) || (k->code >= KEY_SPECIAL_FIRST && k->code < KEY_SPECIAL_END));
	CHECK(is_scalar(k->shifted) && is_scalar(k->base));
	CHECK(k->event >= KEY_PRESS && k->event <= KEY_RELEASE && k->mods <= 255);
	CHECK(memchr(k->text, 0, sizeof(k->text)) && utf8_valid(k->text, strlen(k->text), NULL));
	CHECK(k->code != 0 || k->text[0]);
	key_name(k, name);
	CHECK(memchr(name, 0, sizeof(name)));
	if (is_nameable(k) && key_parse(name, &named))
		CHECK(key_matches(&named, k));
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		key_encode(k, &modes[i], &bytes);
	check_round_trip(k);
}

static void check_mouse(const struct mouse *m)
{
	AUTO_BUF bytes = BUF_INIT;

	CHECK(m->action <= MOUSE_WHEEL && m->button <= BUTTON_FORWARD && m->row >= 0 && m->col >= 0);
	for (uint8_t format = FORMAT_X10; format <= FORMAT_SGR_PIXELS; format++)
		mouse_encode(m, &(struct key_modes){.tracking = TRACK_ANY, .format = format}, 24, 80, &bytes);
}

static void check_paste(const struct input *in)
{
	static const struct key_modes bracketed = {.bracketed_paste = true};
	AUTO_BUF bytes = BUF_INIT;

	CHECK(in->text_len <= DECODER_PIECE_MAX);
	CHECK(in->text_len || in->last);
	for (size_t at = 0, n; at < in->text_len; at += n) {
		n = in->text_len - at;
		n = n <= UTF8_MAX ? n : paste_cut(in->text + at, n, UTF8_MAX);
		CHECK(n > 0);
		paste_encode(in->text + at, n, &bracketed, at == 0, at + n == in->text_len, &bytes);
	}
	if (in->text_len) { /* nothing of a paste ends the paste, or is a control */
		const char *end = bytes.len ? memchr(bytes.data + 1, '\033', bytes.len - 1) : NULL;

		CHECK(end == bytes.data + bytes.len - 6);
		CHECK(utf8_valid(bytes.data, bytes.len, NULL));
	}
}

/* Appends what was found in a form that can be compared; pieces of a paste run together. */
static void record(const struct input *in, struct buf *out)
{
	switch (in->type) {
	case INPUT_KEY:
		check_key(&in->key);
		buf_add(out, &in->key, sizeof(in->key));
		break;
	case INPUT_MOUSE:
		check_mouse(&in->mouse);
		buf_add(out, &in->mouse, sizeof(in->mouse));
		break;
	case INPUT_FOCUS:
		buf_addc(out, in->on ? 'I' : 'O');
		break;
	case INPUT_PASTE:
		check_paste(in);
		buf_adds(out, in->first ? "{" : "");
		buf_add(out, in->text, in->text_len);
		buf_adds(out, in->last ? "}" : "");
		break;
	case INPUT_REPLY:
		CHECK(in->reply <= REPLY_OTHER && in->count >= 0 && in->count <= REPLY_NUMBERS);
		buf_printf(out, "<%d", in->reply);
		buf_add(out, in->number, sizeof(in->number[0]) * (size_t)in->count);
		buf_add(out, in->text, in->text_len);
		break;
	}
}

static void fetch(struct decoder *d, struct buf *out)
{
	struct input in;

	while (decoder_next(d, &in))
		record(&in, out);
}

/*
 * Where an ESC was given away as a key its rest is known by coming at once: then it does matter how it comes.
 */
static size_t next_piece(struct pair *p, size_t left)
{
	return p->now <= p->uncut ? left : cutter_next(&p->cutter, left);
}

static void let_time_pass(struct pair *p, int64_t now)
{
	if (decoder_deadline(p->whole) >= 0)
		p->uncut = now + ESCAPE_REMEMBERED_MS;
	p->now = now;
}

static void pair_feed(struct pair *p, const char *text, size_t len)
{
	decoder_feed(p->whole, text, len, p->now);
	fetch(p->whole, &p->got[0]);
	if (len == 0)
		decoder_feed(p->pieces, text, 0, p->now);
	for (size_t n; len > 0; text += n, len -= n) {
		n = next_piece(p, len);
		decoder_feed(p->pieces, text, n, p->now);
		fetch(p->pieces, &p->got[1]);
	}
	fetch(p->pieces, &p->got[1]);
	CHECK(decoder_deadline(p->whole) == decoder_deadline(p->pieces));
	CHECK(decoder_deadline(p->whole) < 0 || decoder_deadline(p->whole) >= p->now);
	check_same(&p->got[0], &p->got[1], "keys fed whole, and in pieces");
	buf_clear(&p->got[0]);
	buf_clear(&p->got[1]);
}

/* Returns whether there was one. */
static bool pass_deadline(struct pair *p)
{
	int64_t deadline = decoder_deadline(p->whole);

	if (deadline < 0)
		return false;
	let_time_pass(p, deadline);
	decoder_expire(p->whole, p->now);
	decoder_expire(p->pieces, p->now);
	pair_feed(p, "", 0);
	return true;
}

static void operate(struct pair *p, struct source *s, int operation)
{
	const char raw[2] = {(char)0xff, (char)operation};
	int count;

	switch (operation) {
	case 't':
		let_time_pass(p, p->now + 8 * (int64_t)source_u8(s));
		break;
	case 'T':
		pass_deadline(p);
		break;
	case 'c':
		count = source_range(s, 0, 3);
		decoder_expect_cursor(p->whole, count);
		decoder_expect_cursor(p->pieces, count);
		break;
	case 'r':
		p->replies = !p->replies;
		decoder_expect_replies(p->whole, p->replies);
		decoder_expect_replies(p->pieces, p->replies);
		break;
	case 'b':
		p->backspace = !p->backspace;
		decoder_set_erase(p->whole, p->backspace ? 0x08 : 0x7f);
		decoder_set_erase(p->pieces, p->backspace ? 0x08 : 0x7f);
		break;
	default:
		pair_feed(p, raw, sizeof(raw));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source s = source_of(data, size);
	struct pair p = {.whole = decoder_create(),
	    .pieces = decoder_create(),
	    .got = {BUF_INIT, BUF_INIT},
	    .cutter = {1},
	    .uncut = -1};
	int rounds = 0;

	for (int operation = 0; operation >= 0; operation = source_operation(&s)) {
		size_t len;
		const char *text;

		if (operation)
			operate(&p, &s, operation);
		text = source_text(&s, &len);
		pair_feed(&p, text, len);
	}
	while (pass_deadline(&p))
		CHECK(++rounds < 4);
	decoder_destroy(p.whole);
	decoder_destroy(p.pieces);
	buf_free(&p.got[0]);
	buf_free(&p.got[1]);
	return 0;
}
