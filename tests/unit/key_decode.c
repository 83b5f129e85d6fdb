/*
 * The decoder.  Every row is fed whole, cut in two at every place, and byte by byte; the result must be the
 * same. Expected meanings: xterm ctlseqs, kitty keyboard protocol, console_codes(4), rxvt's key table, VT220
 * manual.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/mem.h"
#include "key/decode.h"

/* --- inputs as text --- */

static void trace_key(const struct key *k, struct buf *out)
{
	char name[KEY_NAME_MAX];

	key_name(k, name);
	buf_adds(out, name);
	if (k->event != KEY_PRESS)
		buf_adds(out, k->event == KEY_REPEAT ? "/again" : "/off");
	if (k->mods & (MOD_CAPS_LOCK | MOD_NUM_LOCK))
		buf_printf(out, "+%d", k->mods & (MOD_CAPS_LOCK | MOD_NUM_LOCK));
	if (k->text[0])
		buf_printf(out, "'%s'", k->text);
}

static void trace_mouse(const struct mouse *m, struct buf *out)
{
	static const char *const actions[] = {"press", "release", "motion", "wheel"};
	static const char *const buttons[] = {
	    "none", "left", "middle", "right", "up", "down", "wleft", "wright", "back", "forward"};

	buf_printf(out, "%s:%s@%d,%d", actions[m->action], buttons[m->button], m->row, m->col);
	if (m->mods)
		buf_printf(out, "+%d", m->mods);
	assert_int_equal(m->x, -1);
	assert_int_equal(m->y, -1);
}

static void trace_reply(const struct input *in, struct buf *out)
{
	static const char *const names[] = {"da1", "da2", "version", "mode", "kitty", "cursor", "color",
	    "theme", "size", "cell", "area", "termcap", "setting", "keymods", "clipboard", "other"};

	buf_printf(out, "<%s", names[in->reply]);
	if (in->reply != REPLY_OTHER) {
		for (int i = 0; i < in->count; i++)
			buf_printf(out, " %d", in->number[i]);
	}
	if (in->text_len)
		buf_printf(out, " %.*s", (int)in->text_len, in->text);
	buf_addc(out, '>');
}

/* Pieces of one paste are written as one, however many they are. */
static void trace(const struct input *in, struct buf *out)
{
	bool goes_on = in->type == INPUT_PASTE && !in->first;

	if (out->len && !goes_on)
		buf_addc(out, ' ');
	switch (in->type) {
	case INPUT_KEY:
		trace_key(&in->key, out);
		break;
	case INPUT_MOUSE:
		trace_mouse(&in->mouse, out);
		break;
	case INPUT_FOCUS:
		buf_adds(out, in->on ? "focus" : "blur");
		break;
	case INPUT_REPLY:
		trace_reply(in, out);
		break;
	case INPUT_PASTE:
		buf_printf(
		    out, "%s%.*s%s", in->first ? "{" : "", (int)in->text_len, in->text, in->last ? "}" : "");
		break;
	}
}

static void drain(struct decoder *d, struct buf *out)
{
	struct input in;

	while (decoder_next(d, &in))
		trace(&in, out);
}

static void feed(struct decoder *d, const char *data, size_t len, int64_t now, struct buf *out)
{
	decoder_feed(d, data, len, now);
	drain(d, out);
}

static void expire(struct decoder *d, int64_t now, struct buf *out)
{
	decoder_expire(d, now);
	drain(d, out);
}

static void check(const char *how, const char *data, size_t len, const struct buf *got, const char *want)
{
	AUTO_BUF shown = BUF_INIT;

	if (strcmp(got->data, want) == 0)
		return;
	for (size_t i = 0; i < len; i++)
		buf_printf(&shown, data[i] >= 0x20 && data[i] < 0x7F ? "%c" : "\\x%02x", (uint8_t)data[i]);
	fail_msg("%s, %s: [%s], not [%s]", shown.data, how, got->data, want);
}

static void assert_decodes_with(
    const char *data, size_t len, const char *want, void (*prepare)(struct decoder *))
{
	for (size_t cut = 0; cut <= len + 1; cut++) {
		struct decoder *d = decoder_create();
		AUTO_BUF got = BUF_INIT;
		size_t step = cut > len ? 1 : cut;

		if (prepare)
			prepare(d);
		if (cut <= len) {
			feed(d, data, cut, 0, &got);
			feed(d, data + cut, len - cut, 1, &got);
		} else {
			for (size_t at = 0; at < len; at += step)
				feed(d, data + at, 1, (int64_t)at, &got);
		}
		check(cut > len ? "byte by byte" : cut ? "cut" : "whole", data, len, &got, want);
		assert_int_equal(decoder_deadline(d), -1);
		decoder_destroy(d);
	}
}

#define DECODES(data, want) assert_decodes_with(data, sizeof(data) - 1, want, NULL)

/* --- keys --- */

static void test_text_and_controls(void **state)
{
	(void)state;
	DECODES("aZ 1!", "a'a' Z'Z' Space' ' 1'1' !'!'");
	DECODES("\r\t\x7f", "Enter Tab BSpace");
	DECODES("\n\x08\x01\x1a", "C-j C-BSpace C-a C-z");
	DECODES("\0\x1c\x1d\x1e\x1f", "C-Space C-\\ C-] C-^ C-_");
	DECODES("\xc3\xa9\xc3\x89", "\xc3\xa9'\xc3\xa9' \xc3\x89'\xc3\x89'");
	DECODES(
	    "\xe4\xbd\xa0\xf0\x9f\x98\x80", "\xe4\xbd\xa0'\xe4\xbd\xa0' \xf0\x9f\x98\x80'\xf0\x9f\x98\x80'");
	DECODES("\xff\xfe"
		"a\xc3(\x80\xe4\xbd"
		"b",
	    "a'a' ('(' b'b'"); /* ill-formed UTF-8 is dropped */
	DECODES("\xc2\x9b"
		"A",
	    "A'A'"); /* C1 is no key, and no CSI either */
}

static void test_alt(void **state)
{
	(void)state;
	DECODES("\033a", "M-a");
	DECODES("\033A", "M-A");
	DECODES("\033\r", "M-Enter");
	DECODES("\033\x7f", "M-BSpace");
	DECODES("\033\t", "M-Tab");
	DECODES("\033\x01", "C-M-a");
	DECODES("\033 ", "M-Space");
	DECODES("\033\xc3\xa9", "M-\xc3\xa9");
	DECODES("\033\033a", "Escape M-a");
	DECODES("\033\033[A", "M-Up");
	DECODES("\033\033OA", "M-Up");
	DECODES("\033\033[3~", "M-DC");
	DECODES("\033\033[<0;5;6M", "Escape press:left@5,4");
	DECODES("\033\033[I", "Escape focus");
	DECODES("\033\033[0;;229u", "Escape \xc3\xa5'\xc3\xa5'");
	DECODES("\033\033]11;rgb:00/00/00\a", "Escape <color 11 0 0>");
	DECODES("\033\033\033b", "Escape Escape M-b");
	DECODES("\033X\033^", "M-X M-^");
	/* introducers of strings that cannot begin one */
	DECODES("\033]]", "M-] ]']'");
	DECODES("\033Pq", "M-P q'q'");
	DECODES("\033_x", "M-_ x'x'");
	DECODES("\033]\r", "M-] Enter");
	DECODES("\033[\033a", "M-[ M-a");
	DECODES("\033[\r", "M-[ Enter");
	DECODES("\033O\033a", "M-O M-a");
}

static void test_cursor_and_editing_keys(void **state)
{
	(void)state;
	DECODES("\033[A\033[B\033[C\033[D", "Up Down Right Left");
	DECODES("\033OA\033OB\033OC\033OD", "Up Down Right Left");
	DECODES("\033[H\033[F\033OH\033OF", "Home End Home End");
	DECODES("\033[1~\033[4~\033[7~\033[8~", "Home End Home End");
	DECODES("\033[2~\033[3~\033[5~\033[6~", "IC DC PPage NPage");
	DECODES("\033[E\033OE", "KPBegin KPBegin");
	DECODES("\033[Z", "S-Tab");
	DECODES("\033[1;5Z", "C-S-Tab");
}

static void test_function_keys(void **state)
{
	(void)state;
	DECODES("\033OP\033OQ\033OR\033OS", "F1 F2 F3 F4");
	DECODES("\033[P\033[Q\033[R\033[S", "F1 F2 F3 F4");
	DECODES("\033[11~\033[12~\033[13~\033[14~\033[15~", "F1 F2 F3 F4 F5");
	DECODES("\033[17~\033[18~\033[19~\033[20~\033[21~\033[23~\033[24~", "F6 F7 F8 F9 F10 F11 F12");
	DECODES("\033[25~\033[26~\033[28~\033[29~\033[31~\033[34~", "F13 F14 F15 Menu F17 F20");
	DECODES("\033[[A\033[[B\033[[C\033[[D\033[[E", "F1 F2 F3 F4 F5"); /* linux console */
}

/* Every modifier of every functional key in xterm's form. */
static void test_modifiers(void **state)
{
	static const struct {
		const char *format, *name;
	} keys[] = {
	    {"\033[1;%dA", "Up"},
	    {"\033[1;%dB", "Down"},
	    {"\033[1;%dC", "Right"},
	    {"\033[1;%dD", "Left"},
	    {"\033[1;%dH", "Home"},
	    {"\033[1;%dF", "End"},
	    {"\033[1;%dP", "F1"},
	    {"\033[1;%dQ", "F2"},
	    {"\033[1;%dR", "F3"},
	    {"\033[1;%dS", "F4"},
	    {"\033[2;%d~", "IC"},
	    {"\033[3;%d~", "DC"},
	    {"\033[5;%d~", "PPage"},
	    {"\033[6;%d~", "NPage"},
	    {"\033[15;%d~", "F5"},
	    {"\033[24;%d~", "F12"},
	    {"\033O%dP", "F1"},
	    {"\033O1;%dA", "Up"},
	    {"\033[%dA", "Up"},
	};
	static const char *const prefixes[] = {
	    [2] = "S-", "M-", "M-S-", "C-", "C-S-", "C-M-", "C-M-S-", "Super-", "Super-S-"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		for (int mod = 2; mod <= 10; mod++) {
			AUTO_FREE char *want = mem_printf("%s%s", prefixes[mod], keys[i].name);
			AUTO_BUF data = BUF_INIT;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			buf_printf(&data, keys[i].format, mod);
#pragma GCC diagnostic pop
			assert_decodes_with(data.data, data.len, want, NULL);
		}
	}
}

static void test_keypad(void **state)
{
	(void)state;
	DECODES("\033Op\033Oq\033Or\033Os\033Ot", "KP0'0' KP1'1' KP2'2' KP3'3' KP4'4'");
	DECODES("\033Ou\033Ov\033Ow\033Ox\033Oy", "KP5'5' KP6'6' KP7'7' KP8'8' KP9'9'");
	DECODES(
	    "\033Oj\033Ok\033Ol\033Om\033On\033Oo\033OX", "KP*'*' KP+'+' KP,',' KP-'-' KP.'.' KP/'/' KP='='");
	DECODES("\033OM", "KPEnter");
}

static void test_rxvt(void **state)
{
	(void)state;
	DECODES("\033[a\033[b\033[c\033[d", "S-Up S-Down S-Right S-Left");
	DECODES("\033Oa\033Ob\033Oc\033Od", "C-Up C-Down C-Right C-Left");
	DECODES("\033[3$\033[3^\033[3@", "S-DC C-DC C-S-DC");
	DECODES("\033[7$\033[8^\033[23@\033[24$", "S-Home C-End C-S-F11 S-F12");
	DECODES("\033\033[a", "M-S-Up");
}

static void test_kitty(void **state)
{
	(void)state;
	DECODES("\033[27u\033[13u\033[9u\033[127u", "Escape Enter Tab BSpace");
	DECODES("\033[97u", "a'a'");
	DECODES("\033[97;5u\033[97;6u\033[97;3u\033[97;9u", "C-a C-S-a M-a Super-a");
	DECODES("\033[13;2u\033[13;3u\033[13;5u", "S-Enter M-Enter C-Enter");
	DECODES("\033[97;1:1u\033[97;1:2u\033[97;1:3u", "a'a' a/again'a' a/off");
	DECODES("\033[1;1:3A\033[3;5:2~\033[1;2:3P", "Up/off C-DC/again S-F1/off");
	DECODES("\033[97:65;2u", "A'A'");
	DECODES("\033[97;2;65u", "A'A'");
	DECODES("\033[97;;229u", "a'\xc3\xa5'");
	DECODES("\033[0;;20320:22909u", "\xe4\xbd\xa0\xe5\xa5\xbd'\xe4\xbd\xa0\xe5\xa5\xbd'");
	DECODES("\033[97;65u\033[97;129u\033[97;193u", "a+64'A' a+128'a' a+192'A'");
	DECODES("\033[49:33;2;33u", "!'!'");
	DECODES("\033[57358u\033[57441;2u\033[57376u", "CapsLock S-LeftShift F13");
	DECODES("\033[57399u\033[57414u\033[57427u\033[57427~", "KP0'0' KPEnter KPBegin KPBegin");
	DECODES("\033[57417u\033[57428u\033[57500u", "KPLeft MediaPlay Other57500");
	DECODES("\033[65;5u", "C-S-a");                        /* terminals that send the shifted letter */
	DECODES("\033[0u\033[1114112u\033[55296u\033[3u", ""); /* no keys */
	DECODES("\033[0;1:3;229u", "");                        /* a text cannot be released */
	DECODES("\033[99;133u", "C-c+128");
}

static void test_kitty_alternates(void **state)
{
	struct decoder *d = decoder_create();
	struct input in;

	(void)state;
	decoder_feed(d, "\033[1089:1057:99;6u\033[1089::99;5u\033[97:1114112:55296;2u", 51, 0);
	assert_true(decoder_next(d, &in));
	assert_int_equal(in.key.code, 0x441);
	assert_int_equal(in.key.shifted, 0x421);
	assert_int_equal(in.key.base, 'c');
	assert_true(decoder_next(d, &in));
	assert_int_equal(in.key.base, 'c');
	assert_int_equal(in.key.shifted, 0x421); /* from the case of the letter */
	assert_true(decoder_next(d, &in));
	assert_int_equal(in.key.shifted, 'A');
	assert_int_equal(in.key.base, 0);
	assert_false(decoder_next(d, &in));
	decoder_destroy(d);
}

static void test_modify_other_keys(void **state)
{
	(void)state;
	DECODES("\033[27;2;13~\033[27;5;13~\033[27;3;13~", "S-Enter C-Enter M-Enter");
	DECODES("\033[27;5;9~\033[27;6;9~", "C-Tab C-S-Tab");
	DECODES("\033[27;5;97~\033[27;6;65~\033[27;2;65~", "C-a C-S-a A'A'");
	DECODES("\033[27;2;33~\033[27;6;33~", "!'!' C-!");
	DECODES("\033[27;2;32~\033[27;5;32~", "S-Space' ' C-Space");
	DECODES("\033[27;5;127~\033[27;3;27~", "C-BSpace M-Escape");
	DECODES("\033[27;5;1~", "C-a");
	DECODES("\033[27;5;0~\033[27;5~", "");
}

static void test_erase(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;

	(void)state;
	decoder_set_erase(d, 8);
	feed(d, "\x08\x7f\033\x08", 4, 0, &got);
	assert_string_equal(got.data, "BSpace C-BSpace M-BSpace");
	decoder_destroy(d);
}

/* --- mouse, focus, pastes --- */

static void test_mouse(void **state)
{
	(void)state;
	DECODES("\033[<0;10;5M\033[<0;10;5m", "press:left@4,9 release:left@4,9");
	DECODES("\033[<35;10;5M\033[<32;10;5M", "motion:none@4,9 motion:left@4,9");
	DECODES("\033[<64;1;1M\033[<65;1;1M\033[<66;1;1M\033[<67;1;1M",
	    "wheel:up@0,0 wheel:down@0,0 wheel:wleft@0,0 wheel:wright@0,0");
	DECODES("\033[<64;1;1m", ""); /* the wheel is not released */
	DECODES("\033[<128;1;1M\033[<129;1;1M\033[<130;1;1M", "press:back@0,0 press:forward@0,0");
	DECODES("\033[<28;1000;2000M", "press:left@1999,999+7");
	DECODES("\033[M *%\033[M#*%", "press:left@4,9 release:left@4,9");
	DECODES("\033[M`*%\033[MC*%", "wheel:up@4,9 motion:none@4,9");
	DECODES("\033[M \xff\xfe", "press:left@221,222");
	DECODES("\033[M\"*%\033[M#*%", "press:right@4,9 release:right@4,9");
	DECODES("\033[32;10;5M\033[35;10;5M", "press:left@4,9 release:left@4,9");
	DECODES("\033[<1;2M\033[<;;M\033[<999;1;1M\033[<0;1;1;1M", "");
	DECODES("\033[<0;0;0M", "press:left@0,0");
}

static void test_focus(void **state)
{
	(void)state;
	DECODES("\033[I\033[O", "focus blur");
}

static void test_paste(void **state)
{
	(void)state;
	DECODES("\033[200~one\ntwo\033[201~x", "{one\ntwo} x'x'");
	DECODES("\033[200~\033[201~", "{}");
	DECODES("\033[200~a\033[201b\033[20\033[A\033\033[201~", "{a\033[201b\033[20\033[A\033}");
	DECODES("\033[200~\xc3\xa9\xf0\x9f\x98\x80\xff\033[201~", "{\xc3\xa9\xf0\x9f\x98\x80\xff}");
	DECODES("\033[200~a\r\nb\r\033[201~", "{a\r\nb\r}");
	DECODES("\033\033[200~a\033[201~", "Escape {a}");
	DECODES("\033[201~a", "a'a'");
	DECODES("\033[200~a\033[201~\033[200~b\033[201~", "{a} {b}");
}

/* Half a megabyte: no piece above the limit, none cut inside a character, all of it there. */
static void test_long_paste(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF text = BUF_INIT;
	AUTO_BUF framed = BUF_INIT;
	AUTO_BUF got = BUF_INIT;
	struct input in;
	int pieces = 0;

	(void)state;
	while (text.len < 512 << 10)
		buf_adds(&text, "na\xc3\xafve \xf0\x9f\x98\x80\033[201 line\r\n");
	buf_adds(&framed, "\033[200~");
	buf_add(&framed, text.data, text.len);
	buf_adds(&framed, "\033[201~");
	decoder_feed(d, framed.data, framed.len, 0);
	while (decoder_next(d, &in)) {
		assert_int_equal(in.type, INPUT_PASTE);
		assert_int_equal(in.first, pieces == 0);
		assert_true(in.text_len <= DECODER_PIECE_MAX);
		buf_add(&got, in.text, in.text_len);
		if (!in.last) {
			assert_true(in.text_len > 0);
			assert_false(((uint8_t)in.text[in.text_len] & 0xC0) == 0x80);
			assert_false(in.text[in.text_len - 1] == '\r');
		}
		pieces++;
	}
	assert_true(in.last);
	assert_true(pieces >= 8);
	assert_int_equal(got.len, text.len);
	assert_memory_equal(got.data, text.data, text.len);
	decoder_destroy(d);
}

/* A paste waits for its end for ever. */
static void test_paste_has_no_deadline(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;

	(void)state;
	feed(d, "\033[200~a\033[20", 11, 0, &got);
	assert_int_equal(decoder_deadline(d), -1);
	expire(d, 1000000, &got);
	feed(d, "1~b", 3, 2000000, &got);
	assert_string_equal(got.data, "{a} b'b'");
	decoder_destroy(d);
}

/* --- replies --- */

static void test_replies(void **state)
{
	(void)state;
	DECODES("\033[?62;4;22c", "<da1 62 4 22>");
	DECODES("\033[?6c", "<da1 6>");
	DECODES("\033[>41;380;0c", "<da2 41 380 0>");
	DECODES("\033P>|XTerm(380)\033\\", "<version XTerm(380)>");
	DECODES("\033[?2026;2$y\033[?2027;0$y", "<mode 2026 2> <mode 2027 0>");
	DECODES("\033[4;1$y", "<other>");
	DECODES("\033[?5u", "<kitty 5>");
	DECODES("\033[?997;1n\033[?997;2n\033[?996n", "<theme 1> <theme 2> <other>");
	DECODES("\033[48;24;80;480;640t", "<size 24 80 480 640>");
	DECODES("\033[6;20;10t\033[4;480;640t\033[8;24;80t", "<cell 20 10> <area 480 640> <other>");
	DECODES("\033P1+r524742=382F382F38\033\\\033P0+r\033\\", "<termcap 524742=382F382F38> <other>");
	DECODES("\033P1$r0;48:2:1:2:3m\033\\", "<setting 0;48:2:1:2:3m>");
	DECODES("\033[>4;2m", "<keymods 4 2>");
	DECODES("\033[0n\033[>0q\033[=1;2;3;4;5;6u", "<other> <other> <other>");
	DECODES("\033P!|00000000\033\\", "<other>");
	DECODES("\033_Gi=31;OK\033\\", "<other>");
	DECODES("\033]52;c;aGVsbG8=\033\\", "<clipboard>");
	DECODES("\033]7501;ok\a\033]Ltitle\033\\", "<other> <other>");
	DECODES("\033[24;80R", "<other>"); /* nobody asked */
	DECODES("\033[1;2R", "S-F3");
}

static void test_colors(void **state)
{
	(void)state;
	DECODES("\033]11;rgb:ffff/8080/0000\a", "<color 11 0 16744448>");
	DECODES("\033]11;rgb:ffff/8080/0000\033\\", "<color 11 0 16744448>");
	DECODES("\033]10;rgb:ff/80/00\a", "<color 10 0 16744448>");
	DECODES("\033]12;rgb:f/8/0\a", "<color 12 0 16746496>");
	DECODES("\033]12;#ff8000\a\033]12;#ffff80000000\a", "<color 12 0 16744448> <color 12 0 16744448>");
	DECODES("\033]11;rgba:ffff/8080/0000/ffff\a", "<color 11 0 16744448>");
	DECODES("\033]4;7;rgb:0000/0000/0100\a", "<color 4 7 1>");
	DECODES("\033]4;256;rgb:00/00/00\a\033]11;rgb:0/0\a\033]11;?\a\033]13;rgb:0/0/0\a",
	    "<other> <other> <other> <other>");
	DECODES("\033]4;rgb:00/00/00\a\033]10\a\033]11;rgb:/0/0\a", "<other> <other> <other>");
	/* XParseColor: up to four digits each */
	DECODES("\033]11;#000000000000\a\033]11;#ffffffffffffffffffffffffffffff\a", "<color 11 0 0> <other>");
}

static void expect_cursor(struct decoder *d)
{
	decoder_expect_cursor(d, 1);
}

static void test_cursor_report(void **state)
{
	static const char data[] = "\033[1;5R\033[1;5R";

	(void)state;
	assert_decodes_with(data, sizeof(data) - 1, "<cursor 1 5> C-F3", expect_cursor);
}

static void test_numbers_are_limited(void **state)
{
	static const char many[] = "\033[?1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;"
				   "26;27;28;29;30;31;32;33;34c";

	(void)state;
	assert_decodes_with(many, sizeof(many) - 1, "<da1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16>", NULL);
	DECODES("\033[?99999999999999999999;2$y", "<mode 2097151 2>");
}

/* --- what is nothing --- */

static void test_unknown(void **state)
{
	(void)state;
	DECODES("\033[99~\033[1;2;3;4x\033[5n\033[zq", "<other> q'q'");
	DECODES("\033Oz", "");
	DECODES("\033[<1\rx", "Enter x'x'"); /* broken off: the rest is input again */
	DECODES("\033[1;5\033[A", "Up");
	DECODES("\033]11;rgb:ff\033[A", "Up"); /* a string that another sequence ends */
	DECODES("\033]11;rgb:ff\033[?1;2c", "<da1 1 2>");
	DECODES("\033]11;rgb\x18"
		"a",
	    "a'a'");
	DECODES("\033P1$r\x1a"
		"a",
	    "a'a'");
	DECODES("\033[[x", "x'x'");
	DECODES("\033[M\001", "C-a");
}

static void test_long_sequences(void **state)
{
	AUTO_BUF data = BUF_INIT;
	AUTO_BUF got = BUF_INIT;
	struct decoder *d = decoder_create();

	(void)state;
	buf_adds(&data, "\033[?");
	for (int i = 0; i < 3000; i++)
		buf_adds(&data, "1;");
	buf_adds(&data, "1ca");
	feed(d, data.data, data.len, 0, &got);
	assert_string_equal(got.data, "a'a'");
	buf_clear(&data);
	buf_adds(&data, "\033]52;c;");
	for (int i = 0; i < DECODER_STRING_MAX; i++)
		buf_adds(&data, "AA");
	buf_adds(&data, "\ab");
	feed(d, data.data, data.len, 0, &got);
	assert_string_equal(got.data, "a'a' <other> b'b'");
	decoder_destroy(d);
}

/* --- deadlines --- */

/* ESC, then more after `gap` ms. */
static void assert_after_escape(const char *rest, int64_t gap, const char *want)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;
	int64_t deadline;

	feed(d, "\033", 1, 1000, &got);
	assert_int_equal(decoder_deadline(d), 1000 + DECODER_ESCAPE_MS);
	feed(d, rest, strlen(rest), 1000 + gap, &got);
	while ((deadline = decoder_deadline(d)) >= 0)
		expire(d, deadline, &got);
	check("after Escape", rest, strlen(rest), &got, want);
	decoder_destroy(d);
}

static void test_escape_and_key(void **state)
{
	(void)state;
	DECODES("\033j", "M-j");
	assert_after_escape("j", 1, "M-j");
	assert_after_escape("j", 30, "M-j");
	assert_after_escape("j", DECODER_ESCAPE_MS, "Escape j'j'");
	assert_after_escape("j", 100, "Escape j'j'");
	assert_after_escape("\033", 10, "Escape Escape");
	assert_after_escape("\033", 100, "Escape Escape");
	assert_after_escape("\r", 100, "Escape Enter");
	assert_after_escape("O", 100, "Escape O'O'");
	assert_after_escape("[", 100, "Escape ['['");
	assert_after_escape("]", 100, "Escape ]']'");
	assert_after_escape("P", 100, "Escape P'P'");
	assert_after_escape("]\r", 100, "Escape ]']' Enter");
}

static void test_escape_deadline(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;

	(void)state;
	feed(d, "\033", 1, 1000, &got);
	expire(d, 1000 + DECODER_ESCAPE_MS - 1, &got); /* too early */
	assert_string_equal(got.data, "");
	expire(d, 1000 + DECODER_ESCAPE_MS, &got);
	assert_string_equal(got.data, "Escape");
	assert_int_equal(decoder_deadline(d), -1);
	decoder_destroy(d);
}

/* While answers are on their way a cut one is waited for. */
static void test_escape_while_replies_come(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;

	(void)state;
	decoder_expect_replies(d, true);
	feed(d, "\033", 1, 1000, &got);
	assert_int_equal(decoder_deadline(d), 1000 + DECODER_SEQUENCE_MS);
	feed(d, "]11;rgb:00/00/00\a", 17, 1300, &got);
	assert_string_equal(got.data, "<color 11 0 0>");
	feed(d, "\033", 1, 2000, &got);
	decoder_expect_replies(d, false);
	expire(d, 2000 + DECODER_ESCAPE_MS, &got);
	assert_string_equal(got.data, "<color 11 0 0> Escape");
	decoder_destroy(d);
}

/* Alt and an introducer, with nothing behind it. */
static void test_alt_introducer_deadline(void **state)
{
	static const char *const rows[][2] = {{"\033[", "M-["}, {"\033O", "M-O"}, {"\033]", "M-]"},
	    {"\033P", "M-P"}, {"\033_", "M-_"}, {"\033\033[", "Escape M-["}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct decoder *d = decoder_create();
		AUTO_BUF got = BUF_INIT;

		feed(d, rows[i][0], strlen(rows[i][0]), 0, &got);
		assert_int_equal(decoder_deadline(d), DECODER_SEQUENCE_MS);
		expire(d, DECODER_SEQUENCE_MS, &got);
		assert_string_equal(got.data, rows[i][1]);
		decoder_destroy(d);
	}
}

/*
 * Reports and replies cut at every place, with a gap before the rest: nothing of them is ever typed.  A gap
 * right after the ESC may yield an Escape; that is all.
 */
static void assert_never_leaks(const char *data, bool expected, int64_t gap)
{
	size_t len = strlen(data);

	for (size_t cut = 1; cut < len; cut++) {
		struct decoder *d = decoder_create();
		AUTO_BUF got = BUF_INIT;
		struct input in;

		decoder_expect_replies(d, expected);
		decoder_feed(d, data, cut, 0);
		for (int half = 0; half < 2; half++) {
			while (decoder_next(d, &in)) {
				if (in.type == INPUT_KEY &&
				    (in.key.code != KEY_ESCAPE || cut > 1 || expected))
					fail_msg("%s cut at %zu, %d ms: leaks", data + 1, cut, (int)gap);
			}
			if (half == 0) {
				decoder_expire(d, gap);
				while (decoder_next(d, &in)) {
					if (in.type == INPUT_KEY && in.key.code != KEY_ESCAPE &&
					    in.key.mods != MOD_ALT)
						fail_msg("%s cut at %zu: leaks", data + 1, cut);
				}
				decoder_feed(d, data + cut, len - cut, gap);
			}
		}
		feed(d, "z", 1, gap + 1, &got); /* and what comes then is input again */
		assert_string_equal(got.data, "z'z'");
		decoder_destroy(d);
	}
}

static const char *const reports[] = {
    "\033[<35;100;40M",
    "\033[<0;1;1m",
    "\033]11;rgb:1e1e/1e1e/2e2e\a",
    "\033]11;rgb:1e1e/1e1e/2e2e\033\\",
    "\033]4;12;rgb:1e1e/1e1e/2e2e\033\\",
    "\033]10;rgb:1e/1e/2e\a",
    "\033[?997;1n",
    "\033[?62;22;52c",
    "\033[?2026;2$y",
    "\033[48;40;120;800;1200t",
    "\033[?5u",
};

static void test_nothing_leaks(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(reports); i++) {
		assert_never_leaks(reports[i], false, 1);
		assert_never_leaks(reports[i], false, DECODER_ESCAPE_MS + 15);
		assert_never_leaks(reports[i], false, 300);
		assert_never_leaks(reports[i], true, 300);
	}
	assert_never_leaks("\033P1+r524742=38\033\\", true, 300);
	assert_never_leaks("\033P>|XTerm(380)\033\\", true, 300);
}

/* The same, byte by byte, 20 ms between two bytes. */
static void test_slow_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(reports); i++) {
		struct decoder *d = decoder_create();
		AUTO_BUF got = BUF_INIT;

		for (size_t at = 0; reports[i][at]; at++)
			feed(d, reports[i] + at, 1, (int64_t)at * 20, &got);
		assert_null(strchr(got.data, '\''));
		assert_null(strstr(got.data, "Escape"));
		assert_true(got.len > 0);
		decoder_destroy(d);
	}
}

/* A sequence that stalls for longer than a key may: its rest is swallowed, a reply still counts. */
static void test_late_rest(void **state)
{
	static const struct {
		const char *head, *rest, *want;
	} rows[] = {
	    {"\033[<35;1", "00;40M", "z'z'"},
	    {"\033[1;5", "A", "z'z'"},
	    {"\033]11;rgb:", "00/00/00\a", "<color 11 0 0> z'z'"},
	    {"\033[?62;", "4c", "<da1 62 4> z'z'"},
	    {"\033[M !", "!", "z'z'"},
	    {"\033[20", "0~paste\033[201~", "{paste} z'z'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct decoder *d = decoder_create();
		AUTO_BUF got = BUF_INIT;

		feed(d, rows[i].head, strlen(rows[i].head), 0, &got);
		assert_int_equal(decoder_deadline(d), DECODER_SEQUENCE_MS);
		expire(d, DECODER_SEQUENCE_MS, &got);
		assert_int_equal(decoder_deadline(d), DECODER_LATE_MS);
		feed(d, rows[i].rest, strlen(rows[i].rest), 3000, &got);
		feed(d, "z", 1, 3000, &got);
		check("late", rows[i].head, strlen(rows[i].head), &got, rows[i].want);
		decoder_destroy(d);
	}
}

static void test_given_up(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;

	(void)state;
	feed(d, "\033]11;rgb:", 9, 0, &got);
	expire(d, DECODER_SEQUENCE_MS, &got);
	expire(d, DECODER_LATE_MS, &got);
	assert_int_equal(decoder_deadline(d), -1);
	feed(d, "z", 1, DECODER_LATE_MS + 1, &got);
	assert_string_equal(got.data, "z'z'");
	feed(d, "\xe4\xbd", 2, 10000, &got);
	expire(d, 10000 + DECODER_SEQUENCE_MS, &got);
	feed(d, "y", 1, 11000, &got);
	assert_string_equal(got.data, "z'z' y'y'");
	decoder_destroy(d);
}

/* After an Escape people type brackets, too: only what comes at once is a sequence that lost its ESC. */
static void test_brackets_after_escape(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;
	int64_t now = 0;

	(void)state;
	for (const char *key = "[c]c[[{"; *key; key++) {
		feed(d, "\033", 1, now, &got);
		expire(d, now + DECODER_ESCAPE_MS, &got);
		feed(d, key, 1, now + 200, &got);
		if (key[1])
			feed(d, ++key, 1, now + 260, &got);
		now += 2000;
		expire(d, now, &got);
		expire(d, now, &got);
	}
	assert_string_equal(got.data, "Escape ['[' c'c' Escape ]']' c'c' Escape ['[' ['[' Escape {'{'");
	decoder_destroy(d);
}

/* A key that was cut after its ESC is that key, if the rest comes at once. */
static void test_orphaned_key(void **state)
{
	struct decoder *d = decoder_create();
	AUTO_BUF got = BUF_INIT;

	(void)state;
	feed(d, "\033", 1, 0, &got);
	expire(d, 50, &got);
	feed(d, "[1;5A", 5, 60, &got);
	assert_string_equal(got.data, "Escape C-Up");
	feed(d, "[A", 2, 61, &got); /* the next one is text */
	assert_string_equal(got.data, "Escape C-Up ['[' A'A'");
	feed(d, "\033", 1, 100, &got);
	expire(d, 150, &got);
	feed(d, "[", 1, 2000, &got); /* and so is what comes much later */
	assert_string_equal(got.data, "Escape C-Up ['[' A'A' Escape ['['");
	decoder_destroy(d);
}

/* --- there and back --- */

static void assert_returns(const struct key *k, const struct key_modes *m)
{
	struct decoder *d = decoder_create();
	AUTO_BUF bytes = BUF_INIT;
	struct input in;
	char name[KEY_NAME_MAX];

	key_encode(k, m, &bytes);
	key_name(k, name);
	decoder_feed(d, bytes.data, bytes.len, 0);
	if (!decoder_next(d, &in) || in.type != INPUT_KEY)
		fail_msg("%s event %d mods %d: \"%s\" is no key", name, k->event, k->mods, bytes.data + 1);
	if (!key_equal(&in.key, k) || in.key.mods != k->mods || in.key.base != k->base ||
	    strcmp(in.key.text, k->text) != 0)
		fail_msg(
		    "%s event %d mods %d: \"%s\" is another key", name, k->event, k->mods, bytes.data + 1);
	if ((k->mods & MOD_SHIFT) && in.key.shifted != k->shifted)
		fail_msg("%s: shifted %x", name, (unsigned)in.key.shifted);
	assert_false(decoder_next(d, &in));
	decoder_destroy(d);
}

/* With all flags of kitty's protocol nothing about a key is lost. */
static void test_round_trip_kitty(void **state)
{
	static const struct key keys[] = {
	    {.code = 'a'},
	    {.code = '1', .shifted = '!'},
	    {.code = ' '},
	    {.code = 0xE9},
	    {.code = 0x441, .base = 'c'},
	    {.code = 0x3042},
	    {.code = 0x1F600},
	    {.code = ';', .shifted = ':', .base = 'z'},
	    {.code = KEY_OTHER, .number = 57376},
	    {.code = KEY_OTHER, .number = 57417},
	    {.code = KEY_OTHER, .number = 57441},
	    {.code = KEY_OTHER, .number = 63743},
	};
	struct key_modes m = {.kitty = KITTY_ALL_FLAGS};

	(void)state;
	for (uint32_t i = 0; i < COUNT_OF(keys) + (KEY_OTHER - KEY_ESCAPE); i++) {
		for (int mods = 0; mods < 256; mods++) {
			for (int event = KEY_PRESS; event <= KEY_RELEASE; event++) {
				struct key k =
				    i < COUNT_OF(keys)
					? keys[i]
					: (struct key){.code = KEY_ESCAPE + i - (uint32_t)COUNT_OF(keys)};

				k.mods = (uint16_t)mods;
				k.event = (uint8_t)event;
				key_complete(&k);
				assert_returns(&k, &m);
			}
		}
	}
}

/* In the legacy form what can be said comes back as it was. */
static void test_round_trip_legacy(void **state)
{
	static const char *const names[] = {"a", "A", "C-a", "M-a", "C-M-a", "C-Space", "M-Enter", "Enter",
	    "Tab", "S-Tab", "BSpace", "C-BSpace", "M-BSpace", "Up", "C-Up", "C-M-S-Left", "S-Home", "DC",
	    "C-DC", "F1", "S-F1", "C-F4", "F5", "M-F12", "F13", "C-j", "C-_", "C-\\", "C-]", "C-^",
	    "\xc3\xa9", "\xc3\x89", "M-\xc3\xa9", "Menu", "KPBegin"};
	static const struct key_modes modes[] = {{0}, {.cursor_keys = true}, {.keypad = true},
	    {.modify_other_keys = 1}, {.modify_other_keys = 2}, {.kitty = KITTY_DISAMBIGUATE},
	    {.kitty = KITTY_DISAMBIGUATE | KITTY_ALTERNATES}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		for (size_t j = 0; j < COUNT_OF(modes); j++) {
			struct key k;

			assert_true(key_parse(names[i], &k));
			assert_returns(&k, &modes[j]);
		}
	}
}

static void test_round_trip_mouse(void **state)
{
	static const uint8_t formats[] = {FORMAT_X10, FORMAT_SGR, FORMAT_URXVT};

	(void)state;
	for (size_t f = 0; f < COUNT_OF(formats); f++) {
		struct key_modes m = {.tracking = TRACK_ANY, .format = formats[f]};
		struct decoder *d = decoder_create();

		for (int button = BUTTON_LEFT; button <= BUTTON_FORWARD; button++) {
			for (int action = MOUSE_PRESS; action <= MOUSE_MOTION; action++) {
				bool turns = button >= BUTTON_WHEEL_UP && button <= BUTTON_WHEEL_RIGHT;
				struct mouse e = {.action = (uint8_t)(turns ? MOUSE_WHEEL : action),
				    .button = (uint8_t)button,
				    .mods = MOD_CTRL,
				    .row = 39,
				    .col = 119,
				    .x = -1,
				    .y = -1};
				AUTO_BUF bytes = BUF_INIT;
				struct input in;

				mouse_encode(&e, &m, 40, 120, &bytes);
				decoder_feed(d, bytes.data, bytes.len, 0);
				assert_true(decoder_next(d, &in));
				assert_int_equal(in.type, INPUT_MOUSE);
				assert_memory_equal(&in.mouse, &e, sizeof(e));
			}
		}
		decoder_destroy(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_and_controls),
	    cmocka_unit_test(test_alt),
	    cmocka_unit_test(test_cursor_and_editing_keys),
	    cmocka_unit_test(test_function_keys),
	    cmocka_unit_test(test_modifiers),
	    cmocka_unit_test(test_keypad),
	    cmocka_unit_test(test_rxvt),
	    cmocka_unit_test(test_kitty),
	    cmocka_unit_test(test_kitty_alternates),
	    cmocka_unit_test(test_modify_other_keys),
	    cmocka_unit_test(test_erase),
	    cmocka_unit_test(test_mouse),
	    cmocka_unit_test(test_focus),
	    cmocka_unit_test(test_paste),
	    cmocka_unit_test(test_long_paste),
	    cmocka_unit_test(test_paste_has_no_deadline),
	    cmocka_unit_test(test_replies),
	    cmocka_unit_test(test_colors),
	    cmocka_unit_test(test_cursor_report),
	    cmocka_unit_test(test_numbers_are_limited),
	    cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_long_sequences),
	    cmocka_unit_test(test_escape_and_key),
	    cmocka_unit_test(test_escape_deadline),
	    cmocka_unit_test(test_escape_while_replies_come),
	    cmocka_unit_test(test_alt_introducer_deadline),
	    cmocka_unit_test(test_nothing_leaks),
	    cmocka_unit_test(test_slow_bytes),
	    cmocka_unit_test(test_late_rest),
	    cmocka_unit_test(test_given_up),
	    cmocka_unit_test(test_brackets_after_escape),
	    cmocka_unit_test(test_orphaned_key),
	    cmocka_unit_test(test_round_trip_kitty),
	    cmocka_unit_test(test_round_trip_legacy),
	    cmocka_unit_test(test_round_trip_mouse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
