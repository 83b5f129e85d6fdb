/* capture: the screen and history of a session, live or ended. */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/source.h"
#include "client/capture.h"

static const struct option_spec options[] = {
    {"history", 0, "N|all", "N lines of history before the screen, or all"},
    {"turn", 0, "N", "the rows of a turn, from where its prompt stood to the next one's"},
    {"ansi", 0, NULL, "with colours and attributes, as SGR sequences"},
    OPTION_JSON,
    {0},
};

static int parse_turn(const char *text, int64_t *turn, struct err *err)
{
	char *end;
	if (!text)
		return 0;
	*turn = strtoll(text, &end, 10);
	if (end == text || *end || *turn <= 0)
		return err_set(err, ERR_USAGE, "--turn takes the number of a turn, not \"%s\"", text);
	return 0;
}

/* History was asked for, and there is none to be had of a program that draws the whole screen itself. */
static void say_nothing_left(const struct source *s, const struct source_wanted *w, const struct json *part)
{
	if (w->lines == 0 || !json_get_bool(part, "alternate", false) ||
	    json_get_int(part, "first", 0) < json_get_int(part, "top", 0))
		return;
	AUTO_FREE char *text = capture_nothing_left(s->record);
	fprintf(stderr, "%s\n", text);
}

static void say_may_miss(const struct source *s)
{
	AUTO_FREE char *text = capture_may_miss(s->record);
	fprintf(stderr, "%s\n", text);
}

/* Long answers come in pieces; JSON is put together, text printed as it comes. */
static int print_capture(struct source *s, const struct source_wanted *w, struct err *err)
{
	struct json *whole = NULL;
	bool gaps = false;
	for (int64_t from = -1;;) {
		struct json *part = source_piece(s, w, from, err);
		if (!part) {
			json_free(whole);
			return -1;
		}
		if (from < 0)
			say_nothing_left(s, w, part);
		from = json_get_int(part, "next", -1);
		gaps = gaps || json_get_bool(part, "gaps", false);
		if (strcmp(w->format, "json") != 0) {
			fputs(json_get_string(part, "text", ""), stdout);
			json_free(part);
		} else if (!whole) {
			whole = part;
		} else {
			struct json *all = (struct json *)json_get(whole, "lines");
			for (const struct json *l = json_first(json_get(part, "lines")); l; l = json_next(l))
				json_append(all, json_copy(l));
			json_free(part);
		}
		if (from < 0)
			break;
	}
	if (gaps)
		say_may_miss(s);
	if (whole) {
		if (json_get(whole, "gaps"))
			json_set_bool(whole, "gaps", gaps);
		json_remove(whole, "next");
		json_set_string(whole, "id", s->record->id);
		print_json(whole);
		json_free(whole);
	}
	return 0;
}

static int run(const struct args *a, struct err *err)
{
	struct record_list list;
	struct source source = {0};
	struct source_wanted wanted = {0};
	if (source_parse_history(args_value(a, "history", NULL), &wanted.lines, err) < 0 ||
	    parse_turn(args_value(a, "turn", NULL), &wanted.turn, err) < 0)
		return -1;
	if (wanted.turn && args_has(a, "history"))
		return err_set(err, ERR_USAGE, "--turn and --history contradict each other");
	if (a->json && args_has(a, "ansi"))
		return err_set(err, ERR_USAGE, "--ansi and --json contradict each other");
	wanted.format = a->json ? "json" : args_has(a, "ansi") ? "ansi" : "text";
	struct record *r = find_session(&list, a->words[0], true, err);
	int result = r ? source_open(&source, r, err) : -1;
	if (result == 0)
		result = print_capture(&source, &wanted, err);
	if (r)
		source_close(&source);
	record_list_finish(&list);
	return result;
}

const struct command command_capture = {
    .name = "capture",
    .group = "from scripts",
    .synopsis = "SESSION [--history N|all | --turn N] [--ansi]",
    .help = "print the screen and history of a session, also of an ended one",
    .text = "As text, with --ansi as text with colours, with --json as runs of text with style, the cursor, "
	    "modes and the size.",
    .examples = "handler capture api\nhandler capture api --history all > api.log\nhandler capture 2 --json "
		"| jq .cursor\nhandler capture api --turn 3",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .run = run,
};
