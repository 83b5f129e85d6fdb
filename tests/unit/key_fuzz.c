/*
 * The decoder on anything: 100,000 inputs made of fragments of real sequences and of noise, from a fixed
 * seed.  However an input is cut the result is the same, every input that comes out is well-formed, and with
 * time passing in between it always comes to rest.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "key/decode.h"

enum { INPUTS = 100000, FRAGMENTS_MAX = 10 };

static const char *const fragments[] = {
    "\033",
    "\033[",
    "\033]",
    "\033O",
    "\033P",
    "\033_",
    "\033\\",
    "\a",
    "[",
    "]",
    "M",
    "<",
    ">",
    "?",
    ";",
    ":",
    "$",
    "0",
    "1",
    "27",
    "200~",
    "201~",
    "\033[200~",
    "\033[201~",
    "\033[<35;10;5M",
    "\033[M",
    "\033]11;rgb:ffff/0000/8080\a",
    "\033]4;1;rgb:1/2/3\033\\",
    "\033[?2026;2$y",
    "\033[97:65:99;6:2;65:66u",
    "\033[27;5;9~",
    "\033[1;5A",
    "\033OP",
    "\033[[A",
    "\033P>|term\033\\",
    "u",
    "~",
    "R",
    "t",
    "c",
    "a",
    "\r",
    "\n",
    "\x7f",
    "\xc3",
    "\xa9",
    "\xf0\x9f\x98\x80",
    "\xff",
    "\x80",
    "\x18",
    "99999999999",
    "\033[48;1;2;3;4t",
};

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void random_input(uint32_t *seed, struct buf *out)
{
	uint32_t count = 1 + random_next(seed) % FRAGMENTS_MAX;

	for (uint32_t i = 0; i < count; i++) {
		if (random_next(seed) % 8 == 0)
			buf_addc(out, (char)random_next(seed));
		else
			buf_adds(out, fragments[random_next(seed) % COUNT_OF(fragments)]);
	}
}

static bool is_scalar(uint32_t cp)
{
	return cp <= 0x10FFFF && (cp < 0xD800 || cp > 0xDFFF);
}

static void assert_key_ok(const struct key *k)
{
	static const struct key_modes modes[] = {
	    {0}, {.modify_other_keys = 2}, {.kitty = KITTY_DISAMBIGUATE}, {.kitty = KITTY_ALL_FLAGS}};
	char name[KEY_NAME_MAX];
	AUTO_BUF bytes = BUF_INIT;

	assert_true(is_scalar(k->code) || (k->code >= KEY_SPECIAL_FIRST && k->code < KEY_SPECIAL_END));
	assert_true(is_scalar(k->shifted) && is_scalar(k->base));
	assert_true(k->event >= KEY_PRESS && k->event <= KEY_RELEASE);
	assert_true(k->mods <= 255);
	assert_true(memchr(k->text, 0, sizeof(k->text)) != NULL);
	assert_true(utf8_valid(k->text, strlen(k->text), NULL));
	assert_true(k->code != 0 || k->text[0]);
	key_name(k, name);
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		key_encode(k, &modes[i], &bytes);
}

static void assert_mouse_ok(const struct mouse *m)
{
	AUTO_BUF bytes = BUF_INIT;

	assert_true(m->action <= MOUSE_WHEEL && m->button <= BUTTON_FORWARD);
	assert_true(m->row >= 0 && m->col >= 0);
	for (uint8_t format = FORMAT_X10; format <= FORMAT_SGR_PIXELS; format++)
		mouse_encode(m, &(struct key_modes){.tracking = TRACK_ANY, .format = format}, 24, 80, &bytes);
}

/* Appends what was found in a form that can be compared; pieces of a paste run together. */
static void record(const struct input *in, struct buf *out)
{
	switch (in->type) {
	case INPUT_KEY:
		assert_key_ok(&in->key);
		buf_add(out, &in->key, sizeof(in->key));
		break;
	case INPUT_MOUSE:
		assert_mouse_ok(&in->mouse);
		buf_add(out, &in->mouse, sizeof(in->mouse));
		break;
	case INPUT_FOCUS:
		buf_addc(out, in->on ? 'I' : 'O');
		break;
	case INPUT_PASTE:
		assert_true(in->text_len <= DECODER_PIECE_MAX);
		assert_true(in->text_len || in->last);
		buf_adds(out, in->first ? "{" : "");
		buf_add(out, in->text, in->text_len);
		buf_adds(out, in->last ? "}" : "");
		break;
	case INPUT_REPLY:
		assert_true(in->reply <= REPLY_OTHER);
		assert_true(in->count >= 0 && in->count <= REPLY_NUMBERS);
		buf_add(out, in->number, sizeof(in->number[0]) * (size_t)in->count);
		buf_add(out, in->text, in->text_len);
		break;
	}
}

static void feed(struct decoder *d, const char *data, size_t len, int64_t now, struct buf *out)
{
	struct input in;

	decoder_feed(d, data, len, now);
	while (decoder_next(d, &in))
		record(&in, out);
}

/* Lets time pass until nothing is left to decide. */
static void rest(struct decoder *d, struct buf *out)
{
	struct input in;
	int64_t deadline;

	for (int rounds = 0; (deadline = decoder_deadline(d)) >= 0; rounds++) {
		assert_true(rounds < 4);
		decoder_expire(d, deadline);
		while (decoder_next(d, &in))
			record(&in, out);
	}
}

static void test_cuts(void **state)
{
	uint32_t seed = 20260131;

	(void)state;
	for (int i = 0; i < INPUTS; i++) {
		struct decoder *whole = decoder_create(), *cut = decoder_create();
		AUTO_BUF data = BUF_INIT;
		AUTO_BUF want = BUF_INIT;
		AUTO_BUF got = BUF_INIT;

		random_input(&seed, &data);
		feed(whole, data.data, data.len, 0, &want);
		rest(whole, &want);
		for (size_t at = 0, n; at < data.len; at += n) {
			n = 1 + random_next(&seed) % 5;
			n = n < data.len - at ? n : data.len - at;
			feed(cut, data.data + at, n, 0, &got);
		}
		rest(cut, &got);
		if (want.len != got.len || memcmp(want.data, got.data, want.len) != 0)
			fail_msg("input %d (%s) depends on how it is cut", i, data.data);
		decoder_destroy(whole);
		decoder_destroy(cut);
	}
}

/* One decoder for everything, with time going by at random between the cuts, also too fast for the deadlines.
 */
static void test_time(void **state)
{
	struct decoder *d = decoder_create();
	uint32_t seed = 7;
	int64_t now = 0;

	(void)state;
	for (int i = 0; i < INPUTS; i++) {
		AUTO_BUF data = BUF_INIT;
		AUTO_BUF got = BUF_INIT;
		size_t at;

		random_input(&seed, &data);
		at = random_next(&seed) % (data.len + 1);
		decoder_expect_replies(d, random_next(&seed) % 2);
		decoder_expect_cursor(d, (int)(random_next(&seed) % 3));
		feed(d, data.data, at, now, &got);
		now += (int64_t)(random_next(&seed) % 700);
		if (random_next(&seed) % 2)
			decoder_expire(d, now);
		feed(d, data.data + at, data.len - at, now, &got);
		assert_true(decoder_deadline(d) < 0 || decoder_deadline(d) >= now);
		now += (int64_t)(random_next(&seed) % 7000);
	}
	decoder_destroy(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cuts),
	    cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
