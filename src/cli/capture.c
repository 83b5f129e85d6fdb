/* capture: the screen and history of a session, live or ended. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "client/call.h"
#include "client/capture.h"
#include "client/last_screen.h"
#include "client/ledger.h"
#include "client/record.h"
#include "wire/delta.h"
#include "wire/wire.h"

static const struct option_spec options[] = {
    {"history", 0, "N|all", "N lines of history before the screen, or all"},
    {"turn", 0, "N", "the rows of a turn, from where its prompt stood to the next one's"},
    {"ansi", 0, NULL, "with colours and attributes, as SGR sequences"},
    OPTION_JSON,
    {0},
};

enum { CALL_MS = 10000 };

static int parse_history(const char *text, int64_t *lines, struct err *err)
{
	char *end;
	*lines = 0;
	if (!text)
		return 0;
	if (!strcmp(text, "all")) {
		*lines = -1;
		return 0;
	}
	*lines = strtoll(text, &end, 10);
	if (end == text || *end || *lines < 0)
		return err_set(
		    err, ERR_USAGE, "--history takes a number of lines or \"all\", not \"%s\"", text);
	return 0;
}

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

/* Where a piece of the answer comes from: from < 0: the beginning. */
struct source {
	const struct record *record;
	struct call *call;        /* live */
	struct cell_table *table; /* ended: */
	struct mirror mirror;
	struct history *history;
};

static int open_files(struct source *s, struct err *err)
{
	s->table = table_create();
	mirror_init(&s->mirror, s->table);
	int dirfd = open(s->record->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dirfd >= 0)
		s->history = history_open_readonly(dirfd, RECORD_HISTORY_FILE, NULL);
	if (dirfd >= 0)
		close(dirfd);
	if (last_screen_load(s->record->path, &s->mirror, NULL) == 0)
		return 0;
	if (!s->history)
		return err_set(err, ERR_FAILED, "nothing is kept of what session %s showed", s->record->name);
	s->mirror.screen.top = history_end(s->history);
	return 0;
}

/* Whether a session that could not be asked has ended meanwhile: then its files have what it showed. */
static bool has_ended(const struct source *s, const struct err *why)
{
	return why->code == ERR_ENDED || !record_still_live(s->record);
}

static int open_source(struct source *s, const struct record *r, struct err *err)
{
	struct err why = ERR_INIT;
	*s = (struct source){.record = r};
	if (r->live && (s->call = call_open(r, &why)))
		return 0;
	if (!r->live || has_ended(s, &why))
		return open_files(s, err);
	*err = why;
	return -1;
}

static void close_source(struct source *s)
{
	call_close(s->call);
	if (s->table)
		mirror_finish(&s->mirror);
	history_destroy(s->history);
	table_destroy(s->table);
}

/* What is asked for: lines of history (-1: all) before the screen, or the rows of a turn (> 0). */
struct wanted {
	const char *format;
	int64_t lines, turn;
};

static enum capture_format format_of(const struct wanted *w)
{
	return !strcmp(w->format, "json")   ? CAPTURE_JSON
	       : !strcmp(w->format, "ansi") ? CAPTURE_ANSI
					    : CAPTURE_TEXT;
}

/* The rows of a turn of an ended session, and the turn itself as JSON.  NULL with err: there is none. */
static struct json *turn_of_files(
    const struct record *r, int64_t number, uint64_t *begin, uint64_t *end, struct err *err)
{
	struct ledger ledger;
	ledger_load(&ledger, r->path);
	const struct turn *t = turn_rows(&ledger, r->name, number, begin, end, err);
	struct json *j = t ? ledger_turn_json(t) : NULL;
	ledger_finish(&ledger);
	return j;
}

static struct json *piece_of_files(struct source *s, const struct wanted *w, int64_t from, struct err *err)
{
	const struct screen *screen = &s->mirror.screen;
	uint64_t first = s->history ? history_first(s->history) : screen->top;
	uint64_t end = screen->top + (uint64_t)screen->rows;
	uint64_t begin = w->lines < 0 || (uint64_t)w->lines > screen->top - first
			     ? first
			     : screen->top - (uint64_t)w->lines;
	struct json *turn = w->turn ? turn_of_files(s->record, w->turn, &begin, &end, err) : NULL;
	if (w->turn && !turn)
		return NULL;
	if (from >= 0)
		begin = (uint64_t)from;
	struct json *part = capture(screen, s->history, begin, end, format_of(w), true);
	if (turn)
		json_set(part, "turn", turn);
	return part;
}

static struct json *piece_of_worker(struct source *s, const struct wanted *w, int64_t from, struct err *err)
{
	struct json *body = json_new_object();
	json_set_string(body, "op", "capture");
	json_set_string(body, "format", w->format);
	json_set_number(body, "history", (double)w->lines);
	if (w->turn)
		json_set_number(body, "turn", (double)w->turn);
	if (from >= 0)
		json_set_number(body, "from", (double)from);
	struct json *reply = call_request(s->call, body, CALL_MS, err);
	json_free(body);
	struct json *inner = reply ? json_copy(json_get(reply, "capture")) : NULL;
	if (inner && json_get(reply, "turn"))
		json_set(inner, "turn", json_copy(json_get(reply, "turn")));
	json_free(reply);
	return inner;
}

/* A first piece that the worker could not give any more comes from the files. */
static struct json *piece(struct source *s, const struct wanted *w, int64_t from, struct err *err)
{
	struct err why = ERR_INIT;
	if (!s->call)
		return piece_of_files(s, w, from, err);
	struct json *part = piece_of_worker(s, w, from, &why);
	if (part)
		return part;
	if (from >= 0 || !has_ended(s, &why)) {
		*err = why;
		return NULL;
	}
	call_close(s->call);
	s->call = NULL;
	return open_files(s, err) < 0 ? NULL : piece_of_files(s, w, from, err);
}

/* Long answers come in pieces; JSON is put together, text printed as it comes. */
static int print_capture(struct source *s, const struct wanted *w, struct err *err)
{
	struct json *whole = NULL;
	for (int64_t from = -1;;) {
		struct json *part = piece(s, w, from, err);
		if (!part) {
			json_free(whole);
			return -1;
		}
		from = json_get_int(part, "next", -1);
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
	if (whole) {
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
	struct wanted wanted = {0};
	if (parse_history(args_value(a, "history", NULL), &wanted.lines, err) < 0 ||
	    parse_turn(args_value(a, "turn", NULL), &wanted.turn, err) < 0)
		return -1;
	if (wanted.turn && args_has(a, "history"))
		return err_set(err, ERR_USAGE, "--turn and --history contradict each other");
	if (a->json && args_has(a, "ansi"))
		return err_set(err, ERR_USAGE, "--ansi and --json contradict each other");
	wanted.format = a->json ? "json" : args_has(a, "ansi") ? "ansi" : "text";
	struct record *r = find_session(&list, a->words[0], true, err);
	int result = r ? open_source(&source, r, err) : -1;
	if (result == 0)
		result = print_capture(&source, &wanted, err);
	if (r)
		close_source(&source);
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
