/* base/buf: the invariants of buf.h hold after every call. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

static void check(const struct buf *b, const char *text)
{
	size_t len = strlen(text);

	assert_non_null(b->data);
	assert_int_equal(b->len, len);
	assert_memory_equal(b->data, text, len + 1);
	if (b->cap == 0)
		assert_ptr_equal(b->data, buf_empty);
	else
		assert_true(b->cap > b->len);
	assert_int_equal(buf_empty[0], 0);
}

static void an_empty_one_allocates_nothing(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b);
	check(&b, "");
	buf_clear(&b);
	buf_truncate(&b, 0);
	buf_consume(&b, 0);
	buf_add(&b, NULL, 0);
	buf_adds(&b, "");
	buf_reserve(&b, 0);
	check(&b, "");
	assert_int_equal(b.cap, 0);
	buf_free(&b);
	check(&b, "");
}

static void adding(void **state)
{
	AUTO_BUF b = BUF_INIT;

	(void)state;
	buf_adds(&b, "ab");
	check(&b, "ab");
	buf_addc(&b, 'c');
	check(&b, "abc");
	buf_add(&b, "defgh", 2);
	check(&b, "abcde");
	buf_printf(&b, "%03d", 7);
	check(&b, "abcde007");
	buf_printf(&b, "%s", "");
	check(&b, "abcde007");
}

static void bytes_may_be_nul(void **state)
{
	AUTO_BUF b = BUF_INIT;

	(void)state;
	buf_add(&b, "a\0b", 3);
	buf_addc(&b, '\0');
	assert_int_equal(b.len, 4);
	assert_memory_equal(b.data, "a\0b\0", 5);
}

/* Around every size at which the memory grows. */
static void growing_byte_by_byte(void **state)
{
	AUTO_BUF b = BUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		buf_addc(&b, (char)('a' + i % 26));
		assert_int_equal(b.len, i + 1);
		assert_int_equal(b.data[b.len], 0);
	}
	for (i = 0; i < 5000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
}

static void printing_at_every_fill(void **state)
{
	size_t fill, width;

	(void)state;
	for (fill = 0; fill < 140; fill++) {
		for (width = 0; width < 140; width++) {
			AUTO_BUF b = BUF_INIT;
			size_t i;

			for (i = 0; i < fill; i++)
				buf_addc(&b, '.');
			buf_printf(&b, "%*s", (int)width, "");
			assert_int_equal(b.len, fill + width);
			assert_int_equal(strlen(b.data), fill + width);
			assert_true(b.cap == 0 || b.cap > b.len);
		}
	}
}

static void reserved_room_is_kept(void **state)
{
	AUTO_BUF b = BUF_INIT;
	const char *data;

	(void)state;
	buf_reserve(&b, 1000);
	check(&b, "");
	data = b.data;
	buf_printf(&b, "%1000s", "x");
	assert_ptr_equal(b.data, data);
	buf_clear(&b);
	check(&b, "");
	assert_ptr_equal(b.data, data);
}

static void consume_and_truncate(void **state)
{
	AUTO_BUF b = BUF_INIT;

	(void)state;
	buf_adds(&b, "0123456789");
	buf_consume(&b, 3);
	check(&b, "3456789");
	buf_truncate(&b, 4);
	check(&b, "3456");
	buf_truncate(&b, 4);
	check(&b, "3456");
	buf_consume(&b, 4);
	check(&b, "");
	buf_adds(&b, "again");
	check(&b, "again");
}

static void utf8(void **state)
{
	AUTO_BUF b = BUF_INIT;

	(void)state;
	buf_add_utf8(&b, 'a');
	buf_add_utf8(&b, 0xE9);
	buf_add_utf8(&b, 0x20AC);
	buf_add_utf8(&b, 0x1F600);
	buf_add_utf8(&b, 0xD800);
	buf_add_utf8(&b, 0x110000);
	check(&b, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD");
}

static void stealing_leaves_it_empty(void **state)
{
	AUTO_BUF b = BUF_INIT;
	AUTO_FREE char *nothing = buf_steal(&b);
	AUTO_FREE char *text = NULL;

	(void)state;
	assert_string_equal(nothing, "");
	assert_ptr_not_equal(nothing, buf_empty);
	buf_adds(&b, "text");
	text = buf_steal(&b);
	assert_string_equal(text, "text");
	check(&b, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_empty_one_allocates_nothing),
	    cmocka_unit_test(adding),
	    cmocka_unit_test(bytes_may_be_nul),
	    cmocka_unit_test(growing_byte_by_byte),
	    cmocka_unit_test(printing_at_every_fill),
	    cmocka_unit_test(reserved_room_is_kept),
	    cmocka_unit_test(consume_and_truncate),
	    cmocka_unit_test(utf8),
	    cmocka_unit_test(stealing_leaves_it_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
