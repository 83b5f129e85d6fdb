/*
 * Mouse reports (xterm ctlseqs, "Mouse Tracking"), pastes and focus as programs read them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "key/key.h"

enum { ROWS = 40, COLS = 300 };

static void assert_report(const struct mouse *e, const struct key_modes *m, const char *want)
{
	AUTO_BUF out = BUF_INIT;

	mouse_encode(e, m, ROWS, COLS, &out);
	assert_string_equal(out.data, want);
}

static struct mouse at(int action, int button, int row, int col)
{
	return (struct mouse){
	    .action = (uint8_t)action, .button = (uint8_t)button, .row = row, .col = col, .x = -1, .y = -1};
}

static const struct mouse press = {MOUSE_PRESS, BUTTON_LEFT, 0, 4, 9, -1, -1};
static const struct mouse release = {MOUSE_RELEASE, BUTTON_LEFT, 0, 4, 9, -1, -1};
static const struct mouse drag = {MOUSE_MOTION, BUTTON_LEFT, 0, 4, 9, -1, -1};
static const struct mouse motion = {MOUSE_MOTION, BUTTON_NONE, 0, 4, 9, -1, -1};
static const struct mouse wheel = {MOUSE_WHEEL, BUTTON_WHEEL_UP, 0, 4, 9, -1, -1};

/* What each tracking mode lets through; order: press, release, drag, motion, wheel. */
static void test_tracking(void **state)
{
	static const struct {
		uint8_t tracking;
		const char *want[5];
	} rows[] = {
	    {TRACK_NONE, {"", "", "", "", ""}},
	    {TRACK_X10, {"\033[<0;10;5M", "", "", "", ""}},
	    {TRACK_NORMAL, {"\033[<0;10;5M", "\033[<0;10;5m", "", "", "\033[<64;10;5M"}},
	    {TRACK_BUTTON, {"\033[<0;10;5M", "\033[<0;10;5m", "\033[<32;10;5M", "", "\033[<64;10;5M"}},
	    {TRACK_ANY,
		{"\033[<0;10;5M", "\033[<0;10;5m", "\033[<32;10;5M", "\033[<35;10;5M", "\033[<64;10;5M"}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct key_modes m = {.tracking = rows[i].tracking, .format = FORMAT_SGR};

		assert_report(&press, &m, rows[i].want[0]);
		assert_report(&release, &m, rows[i].want[1]);
		assert_report(&drag, &m, rows[i].want[2]);
		assert_report(&motion, &m, rows[i].want[3]);
		assert_report(&wheel, &m, rows[i].want[4]);
	}
}

static void test_buttons_and_modifiers(void **state)
{
	static const struct {
		int action, button, mods;
		const char *want;
	} rows[] = {
	    {MOUSE_PRESS, BUTTON_MIDDLE, 0, "\033[<1;1;1M"},
	    {MOUSE_PRESS, BUTTON_RIGHT, MOD_SHIFT, "\033[<6;1;1M"},
	    {MOUSE_RELEASE, BUTTON_RIGHT, MOD_ALT, "\033[<10;1;1m"},
	    {MOUSE_PRESS, BUTTON_LEFT, MOD_CTRL | MOD_ALT | MOD_SHIFT, "\033[<28;1;1M"},
	    {MOUSE_WHEEL, BUTTON_WHEEL_UP, MOD_CTRL, "\033[<80;1;1M"},
	    {MOUSE_WHEEL, BUTTON_WHEEL_DOWN, 0, "\033[<65;1;1M"},
	    {MOUSE_WHEEL, BUTTON_WHEEL_LEFT, 0, "\033[<66;1;1M"},
	    {MOUSE_WHEEL, BUTTON_WHEEL_RIGHT, 0, "\033[<67;1;1M"},
	    {MOUSE_PRESS, BUTTON_BACK, 0, "\033[<128;1;1M"},
	    {MOUSE_PRESS, BUTTON_FORWARD, 0, "\033[<129;1;1M"},
	    {MOUSE_MOTION, BUTTON_RIGHT, MOD_SHIFT, "\033[<38;1;1M"},
	};
	struct key_modes m = {.tracking = TRACK_ANY, .format = FORMAT_SGR};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct mouse e = at(rows[i].action, rows[i].button, 0, 0);

		e.mods = (uint16_t)rows[i].mods;
		assert_report(&e, &m, rows[i].want);
	}
}

static void test_formats(void **state)
{
	struct key_modes m = {.tracking = TRACK_NORMAL};
	struct mouse far_right = at(MOUSE_PRESS, BUTTON_LEFT, 0, 222),
		     too_far = at(MOUSE_PRESS, BUTTON_LEFT, 0, 223);
	struct mouse pixels = press;

	(void)state;
	assert_report(&press, &m, "\033[M *%");
	assert_report(&release, &m, "\033[M#*%");
	assert_report(&wheel, &m, "\033[M`*%");
	assert_report(&far_right, &m, "\033[M \xff!");
	assert_report(&too_far, &m, "");
	m.format = FORMAT_UTF8;
	assert_report(&press, &m, "\033[M *%");
	assert_report(&far_right, &m, "\033[M \xc3\xbf!");
	assert_report(&too_far, &m, "\033[M \xc4\x80!");
	m.format = FORMAT_URXVT;
	assert_report(&press, &m, "\033[32;10;5M");
	assert_report(&release, &m, "\033[35;10;5M");
	assert_report(&wheel, &m, "\033[96;10;5M");
	m.format = FORMAT_SGR_PIXELS;
	assert_report(&pixels, &m, "");
	pixels.x = 100;
	pixels.y = 64;
	assert_report(&pixels, &m, "\033[<0;101;65M");
	m = (struct key_modes){.tracking = TRACK_X10};
	pixels.mods = MOD_CTRL; /* mode 9 tells no modifiers */
	assert_report(&pixels, &m, "\033[M *%");
}

static void test_clipping(void **state)
{
	struct key_modes m = {.tracking = TRACK_NORMAL, .format = FORMAT_SGR};
	struct mouse outside = at(MOUSE_RELEASE, BUTTON_LEFT, ROWS + 3, COLS);
	struct mouse before = at(MOUSE_RELEASE, BUTTON_LEFT, -1, -7);

	(void)state;
	assert_report(&outside, &m, "\033[<0;300;40m");
	assert_report(&before, &m, "\033[<0;1;1m");
}

static void test_alternate_scroll(void **state)
{
	struct key_modes m = {.alternate_scroll = true, .alternate_screen = true};
	struct mouse down = at(MOUSE_WHEEL, BUTTON_WHEEL_DOWN, 0, 0),
		     left = at(MOUSE_WHEEL, BUTTON_WHEEL_LEFT, 0, 0);

	(void)state;
	assert_report(&wheel, &m, "\033[A\033[A\033[A");
	assert_report(&down, &m, "\033[B\033[B\033[B");
	assert_report(&left, &m, "");
	assert_report(&press, &m, "");
	m.cursor_keys = true;
	assert_report(&wheel, &m, "\033OA\033OA\033OA");
	m.alternate_screen = false;
	assert_report(&wheel, &m, "");
	m.alternate_screen = true;
	m.tracking = TRACK_NORMAL; /* who asked for the mouse gets the mouse */
	m.format = FORMAT_SGR;
	assert_report(&wheel, &m, "\033[<64;10;5M");
	m.tracking = TRACK_NONE;
	m.alternate_scroll = false;
	assert_report(&wheel, &m, "");
}

static void assert_paste(const char *text, size_t len, bool framed, const char *want)
{
	struct key_modes m = {.bracketed_paste = framed};
	AUTO_BUF out = BUF_INIT;

	paste_encode(text, len, &m, true, true, &out);
	assert_int_equal(out.len, strlen(want));
	assert_string_equal(out.data, want);
}

#define PASTE(text, framed, want) assert_paste(text, sizeof(text) - 1, framed, want)

static void test_paste(void **state)
{
	(void)state;
	PASTE("one", false, "one");
	PASTE("one", true, "\033[200~one\033[201~");
	PASTE("", true, "\033[200~\033[201~");
	PASTE("a\nb\r\nc\rd\n\ne", true, "\033[200~a\rb\rc\rd\r\re\033[201~");
	PASTE("a\tb", false, "a\tb");
	PASTE("x\033[201~y", true, "\033[200~x[201~y\033[201~");
	PASTE("x\xc2\x9b"
	      "201~y",
	    true, "\033[200~x201~y\033[201~"); /* CSI as C1 */
	PASTE("x\x9b"
	      "201~y",
	    true,
	    "\033[200~x\xef\xbf\xbd"
	    "201~y\033[201~"); /* as a byte: not UTF-8 */
	PASTE("a\0b\a\b\x7f\x1f\x18z", false, "abz");
	PASTE("na\xc3\xafve \xf0\x9f\x98\x80", false, "na\xc3\xafve \xf0\x9f\x98\x80");
	PASTE("cut \xf0\x9f", false, "cut \xef\xbf\xbd");
	PASTE("\033\033[201~[201~\033", true, "\033[200~[201~[201~\033[201~");
}

/* Whatever is pasted: between the frames stands no ESC, no C1, no control but TAB and CR. */
static void test_paste_random(void **state)
{
	static const char *const bits[] = {"\033", "[201~", "\033[201~", "\xc2", "\x9b", "\xc2\x9b", "a",
	    "\r", "\n", "\xf0\x9f\x98\x80", "\x80", "\x7f", "\x01", "201~", "["};
	struct key_modes m = {.bracketed_paste = true};
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		AUTO_BUF in = BUF_INIT;
		AUTO_BUF out = BUF_INIT;

		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525 + 1013904223;
			buf_adds(&in, bits[(seed >> 16) % COUNT_OF(bits)]);
		}
		paste_encode(in.data, in.len, &m, true, true, &out);
		assert_memory_equal(out.data, "\033[200~", 6);
		assert_memory_equal(out.data + out.len - 6, "\033[201~", 6);
		for (size_t i = 6; i < out.len - 6; i++) {
			uint8_t c = (uint8_t)out.data[i];

			assert_true(c >= 0x20 || c == '\r' || c == '\t');
			assert_false(c == 0xC2 && (uint8_t)out.data[i + 1] < 0xA0);
		}
	}
}

/* Cut anywhere that paste_cut allows, the pieces say what the whole does. */
static void test_paste_pieces(void **state)
{
	static const char text[] = "a\r\nb\n\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x98\x80\r\r\n\xff\xf0\x9fz\r";
	struct key_modes m = {.bracketed_paste = true};
	AUTO_BUF whole = BUF_INIT;

	(void)state;
	paste_encode(text, sizeof(text) - 1, &m, true, true, &whole);
	for (size_t max = 4; max < sizeof(text) + 2; max++) {
		AUTO_BUF out = BUF_INIT;
		size_t at_byte = 0, len = sizeof(text) - 1;
		bool last = false;

		while (!last) {
			size_t left = len - at_byte,
			       n = left <= max ? left : paste_cut(text + at_byte, left, max);

			assert_true(n > 0 && n <= max);
			last = at_byte + n == len;
			paste_encode(text + at_byte, n, &m, at_byte == 0, last, &out);
			at_byte += n;
		}
		assert_string_equal(out.data, whole.data);
	}
	assert_int_equal(paste_cut("abc", 3, 100), 3);
	assert_int_equal(paste_cut("ab\r", 3, 100), 2); /* LF may follow */
	assert_int_equal(paste_cut("ab\xf0\x9f\x98", 5, 100), 2);
	assert_int_equal(paste_cut("\xf0\x9f", 2, 100), 0);
	assert_int_equal(paste_cut("", 0, 100), 0);
}

static void test_focus(void **state)
{
	struct key_modes m = {0};
	AUTO_BUF out = BUF_INIT;

	(void)state;
	focus_encode(true, &m, &out);
	assert_int_equal(out.len, 0);
	m.focus = true;
	focus_encode(true, &m, &out);
	focus_encode(false, &m, &out);
	assert_string_equal(out.data, "\033[I\033[O");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tracking),
	    cmocka_unit_test(test_buttons_and_modifiers),
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_clipping),
	    cmocka_unit_test(test_alternate_scroll),
	    cmocka_unit_test(test_paste),
	    cmocka_unit_test(test_paste_random),
	    cmocka_unit_test(test_paste_pieces),
	    cmocka_unit_test(test_focus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
