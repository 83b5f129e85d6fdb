/* source: see source.h. */
#include "cli/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/capture.h"
#include "client/last_screen.h"
#include "client/ledger.h"

enum { CALL_MS = 10000, CALL_AGAIN = 3 };

int source_parse_history(const char *text, int64_t *lines, struct err *err)
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

int source_open(struct source *s, const struct record *r, struct err *err)
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

void source_close(struct source *s)
{
	call_close(s->call);
	if (s->table)
		mirror_finish(&s->mirror);
	history_destroy(s->history);
	table_destroy(s->table);
}

static enum capture_format format_of(const struct source_wanted *w)
{
	return !strcmp(w->format, "json")   ? CAPTURE_JSON
	       : !strcmp(w->format, "ansi") ? CAPTURE_ANSI
					    : CAPTURE_TEXT;
}

static struct json *turn_of_files(
    struct source *s, const struct source_wanted *w, int64_t from, struct err *err)
{
	const struct screen *screen = &s->mirror.screen;
	uint64_t end = UINT64_MAX;
	struct position begin = {0};
	struct json *part = NULL;
	struct ledger ledger;
	ledger_load(&ledger, s->record->path);
	const struct turn *t = turn_rows(&ledger, s->record->name, w->turn, &begin.row, &end, err);
	if (from >= 0)
		begin.row = (uint64_t)from;
	if (t)
		part = t->alternate ? capture_pages(screen, s->history, NULL, begin, end, format_of(w))
				    : capture(screen, s->history, begin, end, format_of(w), true);
	if (t)
		json_set(part, "turn", ledger_turn_json(t));
	ledger_finish(&ledger);
	return part;
}

static struct json *piece_of_files(
    struct source *s, const struct source_wanted *w, int64_t from, struct err *err)
{
	const struct screen *screen = &s->mirror.screen;
	struct position begin = {.row = from >= 0 ? (uint64_t)from : 0};
	if (w->turn)
		return turn_of_files(s, w, from, err);
	if (from < 0)
		begin = capture_begin(screen, s->history, w->lines);
	return capture(screen, s->history, begin, UINT64_MAX, format_of(w), true);
}

static struct json *piece_of_worker(
    struct source *s, const struct source_wanted *w, int64_t from, struct err *err)
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
struct json *source_piece(struct source *s, const struct source_wanted *w, int64_t from, struct err *err)
{
	struct err why = ERR_INIT;
	if (!s->call)
		return piece_of_files(s, w, from, err);
	struct json *part = piece_of_worker(s, w, from, &why);
	/* A worker that was replaced between two pieces has a successor with the same rows. */
	for (int again = 0; !part && again < CALL_AGAIN && why.code == ERR_CLOSED && !has_ended(s, &why);
	     again++) {
		call_close(s->call);
		s->call = call_open(s->record, &why);
		part = s->call ? piece_of_worker(s, w, from, &why) : NULL;
	}
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
