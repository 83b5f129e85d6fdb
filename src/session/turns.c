/*
 * turns: when turns begin and end, on which row, and who gave them: followed in the status and written to the
 * ledger.
 *
 * Who gave a turn's prompt is who pressed Enter last before it began; where nobody did lately it is not
 * known.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "session/parts.h"
#include "term/letters.h"

enum {
	SUBMIT_MS = 30000, /* from Enter to the turn that it began, at most */
	NOTE_COLUMNS = 200,
	MOVED_ROWS = 12,   /* a prompt that left the composer stands at most so far above */
	PROMPT_BYTES = 24, /* of a prompt that is looked for */
	COMPOSER_ROWS = 8, /* with more rows it is not told from what is above */
};

static void log_fault(int result, const struct err *err)
{
	if (result < 0)
		log_error("turns", "%s", err->message);
}

static uint64_t cursor_row(struct worker *w)
{
	const struct screen *s = term_screen(w->term);
	return s->top + (uint64_t)s->cursor.row;
}

/* --- the composer --- */

void turns_composing(struct worker *w)
{
	w->composer_row = cursor_row(w);
	w->composer_row_known = true;
}

static bool on_alternate(struct worker *w)
{
	return term_screen(w->term)->modes & SCREEN_ALTERNATE;
}

/* Without white space, borders, and the sign that a composer puts before it.  Owned; NULL: nothing is left.
 */
static char *words_of(const struct buf *text)
{
	AUTO_BUF words = BUF_INIT;
	for (size_t i = 0; i < text->len;) {
		uint32_t cp;
		size_t n = (size_t)utf8_decode(text->data + i, text->len - i, &cp, NULL);
		if (letters_has(cp) && (words.len || cp >= 0x80 || isalnum((int)cp)))
			buf_add(&words, text->data + i, n);
		i += n;
	}
	return words.len ? buf_steal(&words) : NULL;
}

/* What a row of the screen or of history says. */
static char *row_words(struct worker *w, uint64_t number)
{
	AUTO_BUF text = BUF_INIT;
	const struct screen *s = term_screen(w->term);
	struct row scratch;
	row_init(&scratch, s->cols, 0);
	if (number < s->top && w->history && history_row(w->history, number, s->table, &scratch) == 0)
		row_text(&scratch, s->table, 0, scratch.cols, true, &text);
	else if (number >= s->top && number - s->top < (uint64_t)s->rows)
		row_text(s->row[number - s->top], s->table, 0, s->cols, true, &text);
	row_finish(&scratch);
	return words_of(&text);
}

/* The same of a row of the alternate screen's text. */
static char *text_words(struct worker *w, uint64_t number)
{
	AUTO_BUF text = BUF_INIT;
	const struct screen *s = term_screen(w->term);
	struct row scratch;
	if (number < s->top)
		return row_words(w, number);
	if (number - s->top >= (uint64_t)term_text_rows(w->term))
		return NULL;
	row_init(&scratch, 0, 0);
	term_text_row(w->term, (int)(number - s->top), &scratch);
	row_text(&scratch, s->table, 0, scratch.cols, true, &text);
	row_finish(&scratch);
	return words_of(&text);
}

/* Takes the words. */
static bool says(char *words, const char *begin)
{
	bool same = words && !strncmp(words, begin, strlen(begin));
	free(words);
	return same;
}

/* The row nearest above that begins with what the composer said. */
static uint64_t find_prompt(struct worker *w, uint64_t row)
{
	for (uint64_t up = 0; w->composer_text && up <= MOVED_ROWS && up <= row; up++) {
		if (says(row_words(w, row - up), w->composer_text))
			return row - up;
	}
	return row;
}

/* Behind the text of the alternate screen. */
static uint64_t page_end(struct worker *w)
{
	return term_screen(w->term)->top + (uint64_t)term_text_rows(w->term);
}

/* With the row before it, if that is blank or a border. */
static uint64_t with_border(struct worker *w, uint64_t row)
{
	AUTO_FREE char *above = row > 0 ? text_words(w, row - 1) : NULL;
	return row > 0 && !above ? row - 1 : row;
}

/* On the alternate screen: the nearest row of the text that says so, at most a page away. */
static uint64_t find_prompt_in_text(struct worker *w, const char *prompt, uint64_t row)
{
	uint64_t end = page_end(w), most = (uint64_t)term_screen(w->term)->rows;
	for (uint64_t by = 0; prompt && by <= most; by++) {
		if (row + by < end && says(text_words(w, row + by), prompt))
			return with_border(w, row + by);
		if (by <= row && says(text_words(w, row - by), prompt))
			return with_border(w, row - by);
	}
	return row;
}

/* The turn that goes on, on the alternate screen; NULL: there is none. */
static const struct turn *open_on_alternate(struct worker *w)
{
	const struct turn *last = ledger_last(&w->ledger);
	return last && last->ended < 0 && last->alternate && on_alternate(w) ? last : NULL;
}

static void settle(struct worker *w, const struct turn *t)
{
	const char *prompt = w->prompt_words[t->number % TURN_PROMPTS];
	uint64_t row = find_prompt_in_text(w, prompt, t->row);
	struct err err = ERR_INIT;
	if (row != t->row)
		log_fault(ledger_move(&w->ledger, t, row, &err), &err);
}

void turns_settle(struct worker *w)
{
	const struct ledger *l = &w->ledger;
	size_t count = l->count < TURN_PROMPTS ? l->count : TURN_PROMPTS;
	for (size_t i = l->count - count; on_alternate(w) && i < l->count; i++)
		if (l->turns[i].alternate)
			settle(w, &l->turns[i]);
}

/* What the composer's first row says.  On the alternate screen that is where it was only if nothing came or
 * went above: it is the first one of those with text that end at the cursor. */
static char *composer_words(struct worker *w)
{
	uint64_t cursor = cursor_row(w), row = cursor, top = term_screen(w->term)->top;
	char *above = NULL;
	if (!on_alternate(w))
		return row_words(w, w->composer_row);
	while (row > top && cursor - row < COMPOSER_ROWS && (above = row_words(w, row - 1))) {
		free(above);
		row--;
	}
	return row_words(w, cursor - row < COMPOSER_ROWS ? row : cursor);
}

void turns_submitted(struct worker *w, const struct json *origin)
{
	turns_settle(w);
	json_free(w->submitter);
	w->submitter = origin ? json_copy(origin) : NULL;
	w->submitted_at = worker_now(w);
	free(w->composer_text);
	w->composer_text = w->composer_row_known ? composer_words(w) : NULL;
	w->text_row = open_on_alternate(w) ? page_end(w) : term_text_end(w->term);
}

/* The beginning of its first line, which is in one row however the program breaks it. */
void turns_submitted_text(struct worker *w, const char *text, size_t len)
{
	AUTO_BUF begin = BUF_INIT;
	for (size_t at = 0; on_alternate(w) && at < len && begin.len < PROMPT_BYTES && text[at] != '\n';) {
		uint32_t cp;
		size_t n = (size_t)utf8_decode(text + at, len - at, &cp, NULL);
		buf_add(&begin, text + at, n);
		at += n;
	}
	char *words = words_of(&begin);
	if (!words)
		return;
	free(w->composer_text);
	w->composer_text = words;
}

/* --- a new width --- */

static bool row_goes_on(struct worker *w, uint64_t number)
{
	const struct screen *s = term_screen(w->term);
	struct row scratch;
	bool wrapped = false;
	if (number >= s->top)
		return number - s->top < (uint64_t)s->rows && s->row[number - s->top]->flags & ROW_WRAPPED;
	row_init(&scratch, s->cols, 0);
	if (w->history && history_row(w->history, number, s->table, &scratch) == 0)
		wrapped = scratch.flags & ROW_WRAPPED;
	row_finish(&scratch);
	return wrapped;
}

/* How many lines the cursor's is below that of a row, however many rows each takes; -1: it is above. */
static int lines_below(struct worker *w, uint64_t row)
{
	uint64_t cursor = cursor_row(w);
	int lines = 0;
	if (row > cursor)
		return -1;
	for (uint64_t r = row; r < cursor; r++)
		lines += !row_goes_on(w, r);
	return lines;
}

static uint64_t row_above(struct worker *w, int lines)
{
	uint64_t row = cursor_row(w), first = w->history ? history_first(w->history) : 0;
	for (; lines > 0 && row > first; row--)
		lines -= !row_goes_on(w, row - 1);
	while (row > first && row_goes_on(w, row - 1))
		row--;
	return row;
}

/* Rows that have long been in history stay what they are; a screen full of them, broken anew, may come back.
 */
void turns_before_resize(struct worker *w, int rows, int cols, struct turn_lines *out)
{
	const struct screen *s = term_screen(w->term);
	const struct ledger *l = &w->ledger;
	uint64_t back = (uint64_t)rows * (uint64_t)(cols / s->cols + 1);
	uint64_t from = s->top > back ? s->top - back : 0;
	*out = (struct turn_lines){.first = l->count, .composer = -1};
	if (s->modes & SCREEN_ALTERNATE)
		return;
	while (out->first > 0 && l->turns[out->first - 1].row >= from)
		out->first--;
	out->lines = mem_zalloc(l->count - out->first + 1, sizeof *out->lines);
	for (size_t i = out->first; i < l->count; i++)
		out->lines[i - out->first] = lines_below(w, l->turns[i].row);
	if (w->composer_row_known && w->composer_row >= from)
		out->composer = lines_below(w, w->composer_row);
}

void turns_after_resize(struct worker *w, struct turn_lines *lines)
{
	const struct ledger *l = &w->ledger;
	struct err err = ERR_INIT;
	for (size_t i = lines->first; lines->lines && i < l->count; i++) {
		int above = lines->lines[i - lines->first];
		uint64_t row = above < 0 ? l->turns[i].row : row_above(w, above);
		if (row != l->turns[i].row)
			log_fault(ledger_move(&w->ledger, &l->turns[i], row, &err), &err);
	}
	if (lines->composer >= 0)
		w->composer_row = row_above(w, lines->composer);
	free(lines->lines);
}

/* --- the program is gone --- */

static uint16_t flags_of(struct worker *w, uint64_t number)
{
	const struct screen *s = term_screen(w->term);
	if (number >= s->top)
		return s->row[number - s->top]->flags;
	return w->history ? history_flags(w->history, number) : 0;
}

/* Text that was on the page of the alternate screen follows on what the main screen shows. */
void turns_reset_modes(struct worker *w)
{
	const struct ledger *l = &w->ledger;
	uint64_t top = term_screen(w->term)->top, row = top, end;
	bool alternate = on_alternate(w);
	struct err err = ERR_INIT;
	turns_settle(w);
	term_reset_modes(w->term);
	end = term_screen(w->term)->top + (uint64_t)term_screen(w->term)->rows;
	while (row < end && !(flags_of(w, row) & ROW_SEEN))
		row++;
	for (size_t i = 0; alternate && row < end && i < l->count; i++) {
		const struct turn *t = &l->turns[i];
		if (t->alternate && t->row >= top)
			log_fault(ledger_move(&w->ledger, t, t->row - top + row, &err), &err);
	}
}

/* --- turns --- */

static void begin(struct worker *w, uint32_t number)
{
	struct err err = ERR_INIT;
	bool lately = w->submitter && worker_now(w) <= w->submitted_at + SUBMIT_MS;
	uint64_t row = on_alternate(w) ? w->text_row : w->composer_row;
	struct turn t = {.number = number,
	    .begun = clock_now(),
	    .row = w->composer_row_known ? row : w->run_row,
	    .alternate = on_alternate(w),
	    .from = lately ? w->submitter : NULL};
	log_fault(ledger_begin(&w->ledger, &t, &err), &err);
	free(w->prompt_words[number % TURN_PROMPTS]);
	w->prompt_words[number % TURN_PROMPTS] =
	    lately && w->composer_text ? mem_strdup(w->composer_text) : NULL;
	json_free(w->submitter);
	w->submitter = NULL;
	w->composer_row_known = false;
	learn_turn_begun(w);
}

/* by_next: another turn has begun, and what stood in the composer last was its prompt. */
static void end(struct worker *w, const struct status_view *v, bool by_next)
{
	struct err err = ERR_INIT;
	uint64_t row = ledger_last(&w->ledger)->row;
	if (ledger_last(&w->ledger)->alternate) {
		turns_settle(w);
		row = ledger_last(&w->ledger)->row;
	} else if (!by_next) {
		row = find_prompt(w, row);
	}
	term_turn_ended(w->term);
	w->run_row = on_alternate(w) ? term_text_end(w->term) : cursor_row(w);
	log_fault(ledger_end(&w->ledger, v->state, v->reason, row, clock_now(), &err), &err);
	learn_look(w);
}

/* States in which a turn that has begun goes on: where nothing is told, until the next one. */
static bool goes_on(struct worker *w, enum session_state state)
{
	static const unsigned open = 1u << STATE_STARTING | 1u << STATE_WORKING | 1u << STATE_NEEDS_INPUT |
				     1u << STATE_LIMITED | 1u << STATE_SUSPENDED;
	return open & 1u << state || (state == STATE_UNKNOWN && !status_tells(w->status));
}

void turns_update(struct worker *w)
{
	const struct status_view *v = status_get(w->status);
	const struct turn *last = ledger_last(&w->ledger);
	bool open = last && last->ended < 0;
	if (v->turn > (last ? last->number : 0)) {
		if (open)
			end(w, v, true);
		begin(w, v->turn);
		open = true;
	}
	if (open && !goes_on(w, v->state))
		end(w, v, false);
}

void turns_init(struct worker *w)
{
	ledger_load(&w->ledger, w->path);
	w->run_row = term_screen(w->term)->top;
	const struct turn *last = ledger_last(&w->ledger);
	if (w->successor)
		return;
	if (json_get_bool(w->record.session, "prompted", false)) {
		w->submitter = turns_starter(w);
		w->submitted_at = INT64_MAX / 2; /* however long the program takes to begin */
	}
	if (!last)
		return;
	if (last->ended < 0) {
		struct status_view lost = {.state = STATE_LOST};
		end(w, &lost, true);
	}
	status_count_from(w->status, last->number);
}

/* A session is named as it is called now: a name may change, an id never does. */
struct json *turns_origin(struct worker *w, const struct json *hello)
{
	const char *from = json_get_string(hello, "from", NULL);
	bool terminal = !strcmp(json_get_string(hello, "client", ""), "terminal");
	struct json *origin = json_new_object();
	struct record r;
	if (terminal || !from || strlen(from) != SESSION_ID_LENGTH || strchr(from, '/')) {
		json_set_string(origin, "kind", terminal ? "terminal" : "script");
		return origin;
	}
	AUTO_FREE char *sessions = mem_strndup(w->path, (size_t)(path_base(w->path) - w->path));
	AUTO_FREE char *path = path_join(sessions, from);
	json_set_string(origin, "kind", "session");
	json_set_string(origin, "id", from);
	bool known = record_load(path, &r, NULL) == 0;
	json_set_string(origin, "name", known ? r.name : NULL);
	if (known)
		record_finish(&r);
	return origin;
}

/* Another session, or somebody outside of any. */
struct json *turns_starter(struct worker *w)
{
	struct json *hello = json_new_object();
	json_set_string(hello, "from", w->record.parent);
	struct json *origin = turns_origin(w, hello);
	json_free(hello);
	if (!w->record.parent)
		json_set_string(origin, "kind", "start");
	return origin;
}

int turns_note(struct worker *w, const char *text, const struct json *origin, struct err *err)
{
	AUTO_FREE char *clean = utf8_sanitize(text, strlen(text), NOTE_COLUMNS);
	if (!*clean)
		return err_set(err, ERR_USAGE, "there is no text in the note");
	log_fault(ledger_note(&w->ledger, clean, origin, clock_now(), err), err);
	struct json *event = json_copy(w->ledger.note);
	json_set_string(event, "event", "note");
	peers_send_terminals(w, WIRE_EVENT, event);
	json_free(event);
	report_changed(w);
	return 0;
}

void turns_finish(struct worker *w)
{
	ledger_finish(&w->ledger);
	json_free(w->submitter);
	free(w->composer_text);
	for (size_t i = 0; i < TURN_PROMPTS; i++)
		free(w->prompt_words[i]);
}
