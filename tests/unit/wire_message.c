/* The small binary payloads: what is encoded comes back, what is malformed is refused. */
#include "tests/unit/cell_random.h"

#include "wire/message.h"

static struct key random_key(struct random *r)
{
	static const char *const texts[] = {
	    "", "a", "\xc3\xa4", "\xe2\x82\xac", "0123456789012345678901234567890"};
	struct key k = {
	    .code = random_below(r, 2)
			? (uint32_t)random_below(r, 0xd800)
			: KEY_SPECIAL_FIRST + (uint32_t)random_below(r, KEY_SPECIAL_END - KEY_SPECIAL_FIRST),
	    .shifted = (uint32_t)random_below(r, 0x100),
	    .base = (uint32_t)random_below(r, 0x100),
	    .number = (uint32_t)random_next(r),
	    .mods = (uint16_t)random_below(r, 256),
	    .event = (uint8_t)(1 + random_below(r, 3)),
	};

	snprintf(k.text, sizeof(k.text), "%s", texts[random_below(r, 5)]);
	return k;
}

static void keys_come_back(void **state)
{
	struct random random = {1};

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct key k = random_key(&random), back;
		AUTO_BUF out = BUF_INIT;

		wire_key_encode(&k, &out);
		assert_int_equal(wire_key_decode(out.data, out.len, &back, NULL), 0);
		assert_memory_equal(&back.text, &k.text, sizeof(k.text));
		assert_int_equal(back.code, k.code);
		assert_int_equal(back.shifted, k.shifted);
		assert_int_equal(back.base, k.base);
		assert_int_equal(back.number, k.number);
		assert_int_equal(back.mods, k.mods);
		assert_int_equal(back.event, k.event);
		for (size_t len = 0; len < out.len; len++)
			assert_int_equal(wire_key_decode(out.data, len, &back, NULL), -1);
		buf_addc(&out, 'x');
		assert_int_equal(wire_key_decode(out.data, out.len, &back, NULL), -1);
	}
}

static void faulty_keys_are_refused(void **state)
{
	struct key good = key_from_char('a'), k;
	struct err err = ERR_INIT;

	(void)state;
	for (int fault = 0; fault < 6; fault++) {
		AUTO_BUF out = BUF_INIT;

		k = good;
		if (fault == 0)
			k.code = 0xd800;
		if (fault == 1)
			k.code = KEY_SPECIAL_END;
		if (fault == 2)
			k.event = 4;
		if (fault == 3)
			k.event = 0;
		if (fault == 4)
			snprintf(k.text, sizeof(k.text), "\xff");
		wire_key_encode(&k, &out);
		if (fault == 5)
			out.data[19] = 'b'; /* the text's length */
		assert_int_equal(wire_key_decode(out.data, out.len, &k, &err), -1);
		assert_int_equal(err.code, ERR_PROTOCOL);
	}
}

static void mouse_actions_come_back(void **state)
{
	struct random random = {2};

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct mouse m = {
		    .action = (uint8_t)random_below(&random, 4),
		    .button = (uint8_t)random_below(&random, 10),
		    .mods = (uint16_t)random_below(&random, 256),
		    .row = random_below(&random, 1000),
		    .col = random_below(&random, 2000),
		    .x = random_below(&random, 20000) - 1,
		    .y = random_below(&random, 20000) - 1,
		};
		struct mouse back;
		AUTO_BUF out = BUF_INIT;

		wire_mouse_encode(&m, &out);
		assert_int_equal(wire_mouse_decode(out.data, out.len, &back, NULL), 0);
		assert_memory_equal(&back, &m, sizeof(m));
		assert_int_equal(wire_mouse_decode(out.data, out.len - 1, &back, NULL), -1);
		out.data[0] = 4;
		assert_int_equal(wire_mouse_decode(out.data, out.len, &back, NULL), -1);
	}
}

static void a_pointer_outside_is_at_the_edge(void **state)
{
	struct mouse m = {.row = -3, .col = -1, .x = -7, .y = 1 << 30}, back;
	AUTO_BUF out = BUF_INIT;

	(void)state;
	wire_mouse_encode(&m, &out);
	assert_int_equal(wire_mouse_decode(out.data, out.len, &back, NULL), 0);
	assert_int_equal(back.row, 0);
	assert_int_equal(back.col, 0);
	assert_int_equal(back.x, -1);
	assert_int_equal(back.y, 1 << 20);
}

static void views_come_back(void **state)
{
	struct wire_view v = {.visible = true,
			     .readonly = true,
			     .rows = 40,
			     .cols = 120,
			     .xpixel = 9,
			     .ypixel = 18},
			 back;
	AUTO_BUF out = BUF_INIT;

	(void)state;
	wire_view_encode(&v, &out);
	assert_int_equal(wire_view_decode(out.data, out.len, &back, NULL), 0);
	assert_true(back.visible && back.readonly && !back.preview && !back.refresh);
	assert_int_equal(back.rows, 40);
	assert_int_equal(back.cols, 120);
	assert_int_equal(back.xpixel, 9);
	assert_int_equal(back.ypixel, 18);
	assert_int_equal(wire_view_decode(out.data, out.len - 1, &back, NULL), -1);
}

static void pastes_come_back(void **state)
{
	struct wire_paste p = {.first = true, .text = "a\nb", .len = 3}, back;
	AUTO_BUF out = BUF_INIT;

	(void)state;
	wire_paste_encode(&p, &out);
	assert_int_equal(wire_paste_decode(out.data, out.len, &back, NULL), 0);
	assert_true(back.first && !back.last);
	assert_int_equal(back.len, 3);
	assert_memory_equal(back.text, "a\nb", 3);
	assert_int_equal(wire_paste_decode(out.data, 1, &back, NULL), 0);
	assert_int_equal(back.len, 0);
	assert_int_equal(wire_paste_decode(out.data, 0, &back, NULL), -1);
}

static void focus_and_rows_get_come_back(void **state)
{
	struct wire_rows_get g = {.from = 0x123456789a, .count = 100}, back;
	AUTO_BUF out = BUF_INIT;
	bool on = false;

	(void)state;
	wire_focus_encode(true, &out);
	assert_int_equal(wire_focus_decode(out.data, out.len, &on, NULL), 0);
	assert_true(on);
	assert_int_equal(wire_focus_decode("\2", 1, &on, NULL), -1);
	assert_int_equal(wire_focus_decode("", 0, &on, NULL), -1);
	buf_clear(&out);
	wire_rows_get_encode(&g, &out);
	assert_int_equal(wire_rows_get_decode(out.data, out.len, &back, NULL), 0);
	assert_int_equal(back.from, g.from);
	assert_int_equal(back.count, 100);
	g.count = WIRE_ROWS_MAX + 1;
	buf_clear(&out);
	wire_rows_get_encode(&g, &out);
	assert_int_equal(wire_rows_get_decode(out.data, out.len, &back, NULL), -1);
	g = (struct wire_rows_get){.from = UINT64_MAX, .count = 1};
	buf_clear(&out);
	wire_rows_get_encode(&g, &out);
	assert_int_equal(wire_rows_get_decode(out.data, out.len, &back, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys_come_back),
	    cmocka_unit_test(faulty_keys_are_refused),
	    cmocka_unit_test(mouse_actions_come_back),
	    cmocka_unit_test(a_pointer_outside_is_at_the_edge),
	    cmocka_unit_test(views_come_back),
	    cmocka_unit_test(pastes_come_back),
	    cmocka_unit_test(focus_and_rows_get_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
