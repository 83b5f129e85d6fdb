/* Frames: the header's bytes, splitting anywhere, limits, JSON payloads, agreement on a version, errors as
 * JSON. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/mem.h"
#include "wire/wire.h"

static void header_is_little_endian(void **state)
{
	static const uint8_t want[] = {3, 0, 0, 0, 6, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 'a', 'b', 'c'};
	AUTO_BUF out = BUF_INIT;

	(void)state;
	assert_int_equal(wire_frame_write(&out, WIRE_KEY, 0x01020304, 0x05060708, "abc", 3, NULL), 0);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.data, want, sizeof(want));
}

static void numbers_never_change(void **state)
{
	(void)state;
	assert_int_equal(WIRE_HELLO, 1);
	assert_int_equal(WIRE_SCREEN, 4);
	assert_int_equal(WIRE_INPUT_DONE, 10);
	assert_int_equal(WIRE_REPLY, 18);
	assert_int_equal(WIRE_BYE, 22);
	assert_string_equal(wire_message(WIRE_ROWS_GET)->name, "rows-get");
	assert_int_equal(wire_message(WIRE_ROWS_GET)->direction, TO_WORKER);
	assert_int_equal(wire_message(WIRE_STATE)->form, FORM_JSON);
	assert_null(wire_message(0));
	assert_null(wire_message(23));
	assert_null(wire_message(65535));
}

/* Three frames, the second of a type nobody knows. */
static void write_three(struct buf *out)
{
	size_t mark;

	wire_frame_write(out, WIRE_PING, 0, 1, "x", 1, NULL);
	mark = wire_begin(out, (enum wire_type)999, 7, 2);
	buf_adds(out, "unknown");
	assert_int_equal(wire_end(out, mark, NULL), 0);
	wire_frame_write(out, WIRE_ACK, 0, 3, "", 0, NULL);
}

static void frames_arrive_however_they_are_split(void **state)
{
	AUTO_BUF bytes = BUF_INIT;

	(void)state;
	write_three(&bytes);
	for (size_t step = 1; step <= bytes.len; step++) {
		struct wire_reader r;
		struct wire_frame f;
		int count = 0, got;

		wire_reader_init(&r);
		for (size_t at = 0; at < bytes.len; at += step) {
			wire_reader_feed(&r, bytes.data + at, at + step < bytes.len ? step : bytes.len - at);
			while ((got = wire_reader_next(&r, &f, NULL)) == 1) {
				count++;
				assert_int_equal(f.sequence, count);
				assert_int_equal(f.message == NULL, count == 2);
				if (count == 2) {
					assert_int_equal(f.type, 999);
					assert_int_equal(f.channel, 7);
					assert_int_equal(f.length, 7);
					assert_memory_equal(f.payload, "unknown", 7);
				}
			}
			assert_int_equal(got, 0);
		}
		assert_int_equal(count, 3);
		wire_reader_finish(&r);
	}
}

static void largest_frame_passes_and_no_larger_one(void **state)
{
	AUTO_FREE char *data = mem_zalloc(1, WIRE_PAYLOAD_MAX + 1);
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;
	struct wire_reader r;
	struct wire_frame f;

	(void)state;
	assert_int_equal(wire_frame_write(&out, WIRE_PASTE, 0, 0, data, WIRE_PAYLOAD_MAX + 1, &err), -1);
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_int_equal(out.len, 0);
	assert_int_equal(wire_frame_write(&out, WIRE_PASTE, 0, 0, data, WIRE_PAYLOAD_MAX, &err), 0);
	wire_reader_init(&r);
	wire_reader_feed(&r, out.data, out.len);
	assert_int_equal(wire_reader_next(&r, &f, &err), 1);
	assert_int_equal(f.length, WIRE_PAYLOAD_MAX);
	assert_int_equal(wire_reader_next(&r, &f, &err), 0);
	wire_reader_feed(&r, "\1\0\x10\0\1\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(wire_reader_next(&r, &f, &err), -1);
	assert_int_equal(err.code, ERR_PROTOCOL);
	wire_reader_finish(&r);
}

static void reader_gives_memory_back(void **state)
{
	AUTO_FREE char *data = mem_zalloc(1, WIRE_PAYLOAD_MAX);
	AUTO_BUF out = BUF_INIT;
	struct wire_reader r;
	struct wire_frame f;

	(void)state;
	wire_frame_write(&out, WIRE_PASTE, 0, 0, data, WIRE_PAYLOAD_MAX, NULL);
	wire_reader_init(&r);
	wire_reader_feed(&r, out.data, out.len);
	assert_int_equal(wire_reader_next(&r, &f, NULL), 1);
	assert_int_equal(wire_reader_next(&r, &f, NULL), 0);
	assert_true(r.in.cap <= 256 << 10);
	wire_reader_finish(&r);
}

static void json_payloads(void **state)
{
	struct json *root = json_new_object(), *back;
	AUTO_BUF out = BUF_INIT;
	struct err err = ERR_INIT;
	struct wire_reader r;
	struct wire_frame f;

	(void)state;
	json_set_string(root, "op", "resize");
	assert_int_equal(wire_frame_write_json(&out, WIRE_REQUEST, 0, 9, root, NULL), 0);
	wire_frame_write(&out, WIRE_REQUEST, 0, 10, "[1]", 3, NULL);
	wire_frame_write(&out, WIRE_REQUEST, 0, 11, "{", 1, NULL);
	wire_reader_init(&r);
	wire_reader_feed(&r, out.data, out.len);
	assert_int_equal(wire_reader_next(&r, &f, NULL), 1);
	back = wire_frame_json(&f, &err);
	assert_string_equal(json_get_string(back, "op", ""), "resize");
	json_free(back);
	assert_int_equal(wire_reader_next(&r, &f, NULL), 1);
	assert_null(wire_frame_json(&f, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_int_equal(wire_reader_next(&r, &f, NULL), 1);
	assert_null(wire_frame_json(&f, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	wire_reader_finish(&r);
	json_free(root);
}

static void ends_agree_on_a_version(void **state)
{
	static const struct {
		const char *hello;
		int version;
		const char *word;
	} cases[] = {
	    {"{\"protocol\":[1,1]}", 1, NULL},
	    {"{\"protocol\":[1,7]}", 1, NULL},
	    {"{\"protocol\":[2,7]}", -1, "It runs an older version"},
	    {"{}", -1, "does not say"},
	    {"{\"protocol\":[3,2]}", -1, "does not say"},
	    {"{\"protocol\":\"1\"}", -1, "does not say"},
	    {"{\"protocol\":[1]}", -1, "does not say"},
	    {"{\"protocol\":[0,0]}", -1, "does not say"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json *hello = json_parse(cases[i].hello, strlen(cases[i].hello), "hello", NULL);
		struct err err = ERR_INIT;

		assert_int_equal(wire_agree(hello, &err), cases[i].version);
		if (cases[i].word) {
			assert_int_equal(err.code, ERR_PROTOCOL);
			assert_non_null(strstr(err.message, cases[i].word));
		}
		json_free(hello);
	}
}

static void errors_cross_the_wire(void **state)
{
	struct err err = ERR_INIT, back = ERR_INIT;
	struct json *reply;

	(void)state;
	err_set(&err, ERR_DIALOG, "A dialog is open in %s.", "x");
	err_hint(&err, "Answer it first.");
	reply = wire_error_json(&err);
	assert_true(wire_reply_error(reply, &back));
	assert_int_equal(back.code, ERR_DIALOG);
	assert_string_equal(back.message, "A dialog is open in x.");
	assert_string_equal(back.hint, "Answer it first.");
	assert_true(wire_reply_error(reply, NULL));
	json_free(reply);
	reply = json_new_object();
	assert_false(wire_reply_error(reply, &back));
	json_free(reply);
}

static void values_end_where_the_bytes_end(void **state)
{
	AUTO_BUF out = BUF_INIT;
	struct wire_in in;
	size_t len;
	const char *s;

	(void)state;
	wire_put_u8(&out, 0xf1);
	wire_put_u16(&out, 0xf1f2);
	wire_put_u32(&out, 0xf1f2f3f4);
	wire_put_u64(&out, 0xf1f2f3f4f5f6f7f8);
	wire_put_string(&out, "text", 4);
	in = wire_in(out.data, out.len);
	assert_int_equal(wire_u8(&in), 0xf1);
	assert_int_equal(wire_u16(&in), 0xf1f2);
	assert_int_equal(wire_u32(&in), 0xf1f2f3f4);
	assert_true(wire_u64(&in) == 0xf1f2f3f4f5f6f7f8);
	s = wire_string(&in, &len);
	assert_int_equal(len, 4);
	assert_memory_equal(s, "text", 4);
	assert_true(wire_in_done(&in));
	/* Too short by one: zeros, and failed for good. */
	in = wire_in(out.data, 3);
	assert_int_equal(wire_u32(&in), 0);
	assert_true(in.failed);
	assert_int_equal(wire_u8(&in), 0);
	assert_int_equal(wire_in_left(&in), 0);
	assert_null(wire_bytes(&in, 0));
	assert_false(wire_in_done(&in));
	in = wire_in(out.data + 15, 5);
	assert_null(wire_string(&in, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(header_is_little_endian),
	    cmocka_unit_test(numbers_never_change),
	    cmocka_unit_test(frames_arrive_however_they_are_split),
	    cmocka_unit_test(largest_frame_passes_and_no_larger_one),
	    cmocka_unit_test(reader_gives_memory_back),
	    cmocka_unit_test(json_payloads),
	    cmocka_unit_test(ends_agree_on_a_version),
	    cmocka_unit_test(errors_cross_the_wire),
	    cmocka_unit_test(values_end_where_the_bytes_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
