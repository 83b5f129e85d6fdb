/* The filtered list: what matches, in which order, and what stays selected. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ui/list.h"

static const struct list_item sessions[] = {
    {.id = 10, .text = "handler", .heading = true},
    {.id = 1, .text = "handler-claude-code", .detail = "Fix the login test"},
    {.id = 2, .text = "handler-codex", .detail = "Write documentation"},
    {.id = 11, .text = "website", .heading = true},
    {.id = 3, .text = "website-pi", .detail = "Login page", .disabled = true},
    {.id = 4, .text = "Über-Straße", .detail = NULL},
};

static struct list *make(void)
{
	struct list *l = list_create();

	list_set_items(l, sessions, COUNT_OF(sessions));
	return l;
}

static uint64_t selected(const struct list *l)
{
	struct list_item it;

	return list_selected(l, &it) ? it.id : 0;
}

static void press(struct list *l, const char *name)
{
	struct key k;

	assert_true(key_parse(name, &k));
	assert_true(list_key(l, &k, 3));
}

static void headings_are_not_chosen(void **state)
{
	struct list *l = make();

	(void)state;
	assert_int_equal(list_count(l), 4);
	assert_int_equal(list_total(l), 4);
	assert_int_equal(selected(l), 1);
	list_move(l, 2, false);
	assert_int_equal(selected(l), 3); /* over the heading; a disabled item says why */
	list_move(l, -1, false);
	assert_int_equal(selected(l), 2);
	assert_false(list_select(l, 11));
	assert_true(list_select(l, 4));
	list_destroy(l);
}

static void keys(void **state)
{
	struct list *l = make();
	struct key k;

	(void)state;
	press(l, "Up"); /* around */
	assert_int_equal(selected(l), 4);
	press(l, "C-n");
	assert_int_equal(selected(l), 1);
	press(l, "Down");
	press(l, "C-p");
	assert_int_equal(selected(l), 1);
	press(l, "NPage");
	assert_int_equal(selected(l), 3);
	press(l, "NPage");
	assert_int_equal(selected(l), 4); /* stops */
	press(l, "PPage");
	press(l, "PPage");
	assert_int_equal(selected(l), 1);
	press(l, "C-End");
	assert_int_equal(selected(l), 4);
	press(l, "C-Home");
	assert_int_equal(selected(l), 1);
	assert_true(key_parse("Left", &k));
	assert_false(list_key(l, &k, 3));
	list_destroy(l);
}

static void assert_filter(struct list *l, const char *filter, const uint64_t *ids, size_t count)
{
	list_set_filter(l, "");
	list_set_filter(l, filter);
	if (list_count(l) != count)
		fail_msg("\"%s\": %zu items", filter, list_count(l));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(selected(l), ids[i]);
		list_move(l, 1, false);
	}
}

#define IDS(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

static void filters(void **state)
{
	struct list *l = make();

	(void)state;
	assert_filter(l, "claude", IDS(1));
	assert_filter(l, "HANDLER", IDS(1, 2)); /* case does not matter; ties stay in order */
	assert_filter(l, "code", IDS(1, 2));    /* a whole word before the start of another */
	assert_filter(l, "login", IDS(3, 1));   /* at the very start of the detail, then within */
	assert_filter(l, "hand doc", IDS(2));   /* every word, anywhere */
	assert_filter(l, "hcc", IDS(1));        /* the letters in their order */
	assert_filter(l, "über", IDS(4));
	assert_filter(l, "STRASSE", NULL, 0);    /* no length-changing folding */
	assert_filter(l, "  ", IDS(1, 2, 3, 4)); /* no word at all */
	assert_filter(l, "zzz", NULL, 0);
	list_destroy(l);
}

static void the_better_match_comes_first(void **state)
{
	static const struct list_item items[] = {
	    {.id = 1, .text = "split below"},
	    {.id = 2, .text = "help: keys"},
	    {.id = 3, .text = "sell p"},
	    {.id = 4, .text = "sp"},
	    {.id = 5, .text = "display"},
	};
	struct list *l = list_create();

	(void)state;
	list_set_items(l, items, COUNT_OF(items));
	/* the whole text, the start of it, a run inside, the starts of words, letters here and there */
	assert_filter(l, "sp", IDS(4, 1, 5, 3));
	list_destroy(l);
}

static void the_selection_stays_on_its_item(void **state)
{
	struct list *l = make();
	struct list_item fewer[] = {sessions[1], sessions[5], sessions[2]};

	(void)state;
	list_select(l, 2);
	list_set_items(l, fewer, 3);
	assert_int_equal(selected(l), 2);
	list_set_items(l, fewer, 2); /* it is gone: what stands in its place, or the last */
	assert_int_equal(selected(l), 4);
	list_set_items(l, NULL, 0);
	assert_int_equal(selected(l), 0);
	list_move(l, 1, true);
	list_set_items(l, fewer, 3);
	assert_int_equal(selected(l), 1);
	list_destroy(l);
}

static void items_are_copied(void **state)
{
	char text[] = "text", detail[] = "detail";
	struct list_item it = {.id = 1, .text = text, .detail = detail};
	struct list *l = list_create();
	struct list_item out;

	(void)state;
	list_set_items(l, &it, 1);
	memset(text, 'x', 4);
	memset(detail, 'x', 6);
	assert_true(list_selected(l, &out));
	assert_string_equal(out.text, "text");
	assert_string_equal(out.detail, "detail");
	list_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(headings_are_not_chosen),
	    cmocka_unit_test(keys),
	    cmocka_unit_test(filters),
	    cmocka_unit_test(the_better_match_comes_first),
	    cmocka_unit_test(the_selection_stays_on_its_item),
	    cmocka_unit_test(items_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
