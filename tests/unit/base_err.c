/* base/err: codes, exit statuses and names are a contract; texts are cut at a character. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"

static void setting(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&err, ERR_REFUSED, "The %s says %d.", "answer", 42), -1);
	assert_int_equal(err.code, ERR_REFUSED);
	assert_string_equal(err.message, "The answer says 42.");
	assert_string_equal(err.hint, "");
	assert_int_equal(err_hint(&err, "Try %s.", "again"), -1);
	assert_string_equal(err.hint, "Try again.");
	assert_int_equal(err_hint(&err, "Or not."), -1);
	assert_string_equal(err.hint, "Or not.");
	assert_int_equal(err_prefix(&err, "agent %s", "x"), -1);
	assert_string_equal(err.message, "agent x: The answer says 42.");
	assert_int_equal(err.code, ERR_REFUSED);
	assert_string_equal(err.hint, "Or not.");
	assert_int_equal(err_set(&err, ERR_FAILED, "new"), -1);
	assert_string_equal(err.hint, "");
}

static void system_errors(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(err_sys(&err, ENOENT, "%s cannot be read", "/x"), -1);
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_string_equal(err.message, "/x cannot be read: No such file or directory");
	assert_string_equal(err.hint, "");
}

static void null_drops_the_details(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_FAILED, "x"), -1);
	assert_int_equal(err_sys(NULL, ENOENT, "x"), -1);
	assert_int_equal(err_hint(NULL, "x"), -1);
	assert_int_equal(err_prefix(NULL, "x"), -1);
}

/* A prefix of every length shifts the characters over the end of the room. */
static void cut_at_a_character(void **state)
{
	static const char *const units[] = {"a", "é", "€", "😀"};
	char text[ERR_MESSAGE_SIZE * 2] = "";
	struct err err;
	size_t i, shift, len;

	(void)state;
	for (i = 0; i < COUNT_OF(units); i++) {
		for (len = 0; len + strlen(units[i]) < sizeof(text); len += strlen(units[i]))
			memcpy(text + len, units[i], strlen(units[i]) + 1);
		for (shift = 0; shift < 5; shift++) {
			err_set(&err, ERR_FAILED, "%.*s%s", (int)shift, "12345", text);
			assert_true(utf8_valid(err.message, strlen(err.message), NULL));
			assert_in_range(strlen(err.message), ERR_MESSAGE_SIZE - 4, ERR_MESSAGE_SIZE - 1);
			err_hint(&err, "%.*s%s", (int)shift, "12345", text);
			assert_true(utf8_valid(err.hint, strlen(err.hint), NULL));
			assert_in_range(strlen(err.hint), ERR_HINT_SIZE - 4, ERR_HINT_SIZE - 1);
			err_prefix(&err, "%.*s", (int)shift, "12345");
			assert_true(utf8_valid(err.message, strlen(err.message), NULL));
		}
	}
}

static void a_text_that_just_fits_is_whole(void **state)
{
	char text[ERR_MESSAGE_SIZE];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text + sizeof(text) - 4, "€", 4);
	err_set(&err, ERR_FAILED, "%s", text);
	assert_string_equal(err.message, text);
}

static void the_reason_is_added_to_a_long_text(void **state)
{
	struct err err;

	(void)state;
	err_sys(&err, EACCES, "%0900d", 0);
	assert_non_null(strstr(err.message, "0: Permission denied"));
}

/* What scripts rely on; a change here breaks them. */
static void codes_are_a_contract(void **state)
{
	static const struct {
		enum err_code code;
		int status;
		const char *name;
	} codes[] = {
	    {ERR_NONE, 0, "none"},
	    {ERR_FAILED, 1, "failed"},
	    {ERR_SYSTEM, 1, "system"},
	    {ERR_INVALID, 1, "invalid-file"},
	    {ERR_ENDED, 1, "session-ended"},
	    {ERR_USAGE, 2, "usage"},
	    {ERR_REFUSED, 3, "refused"},
	    {ERR_INSTRUCTIONS_UNSUPPORTED, 3, "instructions-unsupported"},
	    {ERR_POLICY_UNSUPPORTED, 3, "policy-unsupported"},
	    {ERR_NOT_FROM_A_SESSION, 3, "not-from-a-session"},
	    {ERR_NO_SESSION, 4, "no-such-session"},
	    {ERR_NO_AGENT, 4, "no-such-agent"},
	    {ERR_TIMEOUT, 5, "timeout"},
	    {ERR_NOT_READY, 6, "not-ready"},
	    {ERR_DIALOG, 6, "dialog-open"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(codes); i++) {
		assert_int_equal(err_exit_status(codes[i].code), codes[i].status);
		assert_string_equal(err_code_name(codes[i].code), codes[i].name);
		assert_int_equal(err_code_from_name(codes[i].name), codes[i].code);
	}
	assert_int_equal(err_code_from_name("of-a-later-version"), ERR_FAILED);
	assert_int_equal(err_exit_status((enum err_code)999), 1);
	assert_string_equal(err_code_name((enum err_code)999), "failed");
}

static void every_code_has_a_name_of_its_own(void **state)
{
	static const enum err_code all[] = {
#define X(code, status, name) code,
	    ERR_CODES(X)
#undef X
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(all); i++) {
		assert_int_equal(err_code_from_name(err_code_name(all[i])), all[i]);
		assert_in_range(err_exit_status(all[i]), 1, 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(setting),
	    cmocka_unit_test(system_errors),
	    cmocka_unit_test(null_drops_the_details),
	    cmocka_unit_test(cut_at_a_character),
	    cmocka_unit_test(a_text_that_just_fits_is_whole),
	    cmocka_unit_test(the_reason_is_added_to_a_long_text),
	    cmocka_unit_test(codes_are_a_contract),
	    cmocka_unit_test(every_code_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
