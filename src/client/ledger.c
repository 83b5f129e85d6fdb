/* ledger: see ledger.h. */
#include "client/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "client/record.h"
#include "os/fd.h"

enum { LEDGER_BYTES_MAX = 8 << 20, LEDGER_LINES_MAX = 4 * LEDGER_TURNS };

static void finish_turn(struct turn *t)
{
	free(t->reason);
	json_free(t->from);
}

static void close_file(struct ledger *l)
{
	if (l->open)
		close(l->fd);
	l->open = false;
}

void ledger_finish(struct ledger *l)
{
	for (size_t i = 0; i < l->count; i++)
		finish_turn(&l->turns[i]);
	free(l->turns);
	free(l->path);
	json_free(l->note);
	close_file(l);
	*l = (struct ledger){0};
}

/* --- in memory --- */

static struct turn *find(const struct ledger *l, uint32_t number)
{
	for (size_t i = l->count; i > 0 && l->turns[i - 1].number >= number; i--)
		if (l->turns[i - 1].number == number)
			return &l->turns[i - 1];
	return NULL;
}

/* The turn of a number, at the end of the list; NULL for one that is older than the last. */
static struct turn *add_turn(struct ledger *l, uint32_t number)
{
	struct turn *known = find(l, number);
	if (known || (l->count && l->turns[l->count - 1].number > number))
		return known;
	if (l->count == LEDGER_TURNS) {
		finish_turn(&l->turns[0]);
		memmove(l->turns, l->turns + 1, --l->count * sizeof *l->turns);
	} else {
		l->turns = mem_realloc(l->turns, l->count + 1, sizeof *l->turns);
	}
	l->turns[l->count] = (struct turn){.number = number, .ended = -1};
	return &l->turns[l->count++];
}

static struct ledger_key *add_key(struct ledger *l, const char *key)
{
	struct ledger_key *k = (struct ledger_key *)ledger_key(l, key);
	if (k)
		return k;
	k = &l->keys[l->next_key++ % LEDGER_KEYS];
	*k = (struct ledger_key){0};
	snprintf(k->key, sizeof k->key, "%s", key);
	return k;
}

static void take_turn(struct ledger *l, const struct json *line)
{
	int64_t number = json_get_int(line, "turn", 0);
	struct turn *t = number > 0 && number <= INT32_MAX ? add_turn(l, (uint32_t)number) : NULL;
	if (!t)
		return;
	if (json_get(line, "ended")) {
		int state = state_from_name(json_get_string(line, "state", ""));
		t->ended = clock_parse_rfc3339(json_get_string(line, "ended", ""));
		t->row = (uint64_t)json_get_int(line, "row", (int64_t)t->row);
		t->state = state < 0 ? STATE_UNKNOWN : (enum session_state)state;
		free(t->reason);
		t->reason = mem_strdup(json_get_string(line, "reason", ""));
		return;
	}
	t->begun = clock_parse_rfc3339(json_get_string(line, "begun", ""));
	t->row = (uint64_t)json_get_int(line, "row", 0);
	t->alternate = json_get_bool(line, "alternate", false);
	json_free(t->from);
	t->from = json_type(json_get(line, "from")) == JSON_OBJECT ? json_copy(json_get(line, "from")) : NULL;
}

static void take_key(struct ledger *l, const struct json *line)
{
	struct ledger_key *k = add_key(l, json_get_string(line, "given", ""));
	k->submitted = json_get(line, "turn") != NULL;
	k->turn = (uint32_t)json_get_int(line, "turn", 0);
}

static struct json *copy_of(const struct json *n)
{
	return n ? json_copy(n) : json_new_null();
}

static void take_note(struct ledger *l, const struct json *line)
{
	json_free(l->note);
	l->note = json_new_object();
	json_set_string(l->note, "text", json_get_string(line, "note", ""));
	json_set_string(l->note, "time", json_get_string(line, "time", ""));
	json_set(l->note, "from", copy_of(json_get(line, "from")));
}

static void take_line(struct ledger *l, const struct json *line)
{
	if (json_get(line, "given"))
		take_key(l, line);
	else if (json_get(line, "note"))
		take_note(l, line);
	else
		take_turn(l, line);
}

/* --- the file --- */

static void set_time(struct json *line, const char *key, int64_t seconds)
{
	char text[32];
	clock_rfc3339(seconds, text);
	json_set_string(line, key, text);
}

static struct json *begin_line(const struct turn *t)
{
	struct json *line = json_new_object();
	json_set_number(line, "turn", t->number);
	set_time(line, "begun", t->begun);
	json_set_number(line, "row", (double)t->row);
	json_set_bool(line, "alternate", t->alternate);
	if (t->from)
		json_set(line, "from", json_copy(t->from));
	return line;
}

static struct json *end_line(const struct turn *t)
{
	struct json *line = json_new_object();
	json_set_number(line, "turn", t->number);
	set_time(line, "ended", t->ended);
	json_set_number(line, "row", (double)t->row);
	json_set_string(line, "state", state_name(t->state));
	json_set_string(line, "reason", t->reason);
	return line;
}

static struct json *key_line(const struct ledger_key *k)
{
	struct json *line = json_new_object();
	json_set_string(line, "given", k->key);
	if (k->submitted)
		json_set_number(line, "turn", k->turn);
	return line;
}

static struct json *note_line(const struct json *note)
{
	struct json *line = json_new_object();
	json_set_string(line, "note", json_get_string(note, "text", ""));
	json_set_string(line, "time", json_get_string(note, "time", ""));
	json_set(line, "from", copy_of(json_get(note, "from")));
	return line;
}

static void add_line(struct buf *out, struct json *line)
{
	AUTO_FREE char *text = json_print(line, false);
	buf_adds(out, text);
	buf_addc(out, '\n');
	json_free(line);
}

/* Written anew with what is kept, once it holds several times as much. */
static int rewrite(struct ledger *l, struct err *err)
{
	AUTO_BUF out = BUF_INIT;
	close_file(l); /* it is another file then */
	l->cut = false;
	l->lines = 0;
	for (size_t i = 0; i < l->count; i++) {
		add_line(&out, begin_line(&l->turns[i]));
		if (l->turns[i].ended >= 0)
			add_line(&out, end_line(&l->turns[i]));
		l->lines += 2;
	}
	for (size_t i = 0; i < LEDGER_KEYS; i++) {
		const struct ledger_key *k = &l->keys[(l->next_key + i) % LEDGER_KEYS];
		if (k->key[0])
			add_line(&out, key_line(k));
	}
	if (l->note)
		add_line(&out, note_line(l->note));
	return path_write_file(l->path, out.data, out.len, 0600, err);
}

/* Nobody else writes to it, so it stays open. */
static bool open_file(struct ledger *l)
{
	if (l->open)
		return true;
	l->fd = open(l->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	l->open = l->fd >= 0;
	return l->open;
}

/*
 * Takes the line; effect in memory first.  One write: a crash cuts a line, never mixes two, nor is one joined
 * to what a crash has left.
 */
static int append(struct ledger *l, struct json *line, struct err *err)
{
	AUTO_BUF out = BUF_INIT;
	take_line(l, line);
	if (++l->lines > LEDGER_LINES_MAX || l->cut) {
		json_free(line);
		return rewrite(l, err);
	}
	add_line(&out, line);
	if (!open_file(l) || fd_write_full(l->fd, out.data, out.len) < 0)
		return err_sys(err, errno, "cannot write %s", l->path);
	return 0;
}

void ledger_load(struct ledger *l, const char *session_path)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	*l = (struct ledger){.path = path_join(session_path, RECORD_TURNS_FILE)};
	if (path_read_file(l->path, LEDGER_BYTES_MAX, &text, &len, NULL) < 0)
		return;
	for (char *at = text, *end; *at; at = end + (*end == '\n'), l->lines++) {
		end = at + strcspn(at, "\n");
		struct json *line = json_parse(at, (size_t)(end - at), RECORD_TURNS_FILE, NULL);
		if (json_type(line) == JSON_OBJECT)
			take_line(l, line);
		json_free(line);
	}
	l->cut = len && text[len - 1] != '\n';
}

/* --- asking --- */

const struct turn *ledger_turn(const struct ledger *l, uint32_t number)
{
	return find(l, number);
}

const struct turn *ledger_last(const struct ledger *l)
{
	return l->count ? &l->turns[l->count - 1] : NULL;
}

const struct ledger_key *ledger_key(const struct ledger *l, const char *key)
{
	for (size_t i = 0; key && *key && i < LEDGER_KEYS; i++)
		if (!strcmp(l->keys[i].key, key))
			return &l->keys[i];
	return NULL;
}

const struct turn *turn_rows(const struct ledger *l, const char *session, int64_t number, uint64_t *from,
    uint64_t *end, struct err *err)
{
	const struct turn *last = ledger_last(l);
	const struct turn *t = number > 0 && number <= INT32_MAX ? find(l, (uint32_t)number) : NULL;
	if (!t) {
		err_set(err, ERR_FAILED, "session %s has no turn %lld", session, (long long)number);
		if (last)
			err_hint(err, "Its turns are %u to %u.", l->turns[0].number, last->number);
		else
			err_hint(err, "It has had no turn yet.");
		return NULL;
	}
	*from = t->row;
	if (t != last && (t[1].row > t->row || (t->alternate && t[1].alternate)))
		*end = t[1].row;
	return t;
}

struct json *ledger_turn_json(const struct turn *t)
{
	struct json *j = json_new_object();
	json_set_number(j, "number", t->number);
	set_time(j, "begun", t->begun);
	if (t->ended >= 0) {
		set_time(j, "ended", t->ended);
		json_set_string(j, "state", state_name(t->state));
		json_set_string(j, "reason", t->reason);
	}
	json_set(j, "from", copy_of(t->from));
	return j;
}

/* --- writing down --- */

int ledger_begin(struct ledger *l, const struct turn *t, struct err *err)
{
	return append(l, begin_line(t), err);
}

int ledger_end(struct ledger *l, enum session_state state, const char *reason, uint64_t row, int64_t now,
    struct err *err)
{
	if (!l->count)
		return 0;
	struct turn t = {.number = l->turns[l->count - 1].number,
	    .ended = now,
	    .row = row,
	    .state = state,
	    .reason = (char *)(reason ? reason : "")};
	return append(l, end_line(&t), err);
}

int ledger_move(struct ledger *l, const struct turn *t, uint64_t row, struct err *err)
{
	struct turn moved = *t;
	moved.row = row;
	return append(l, begin_line(&moved), err);
}

int ledger_given(struct ledger *l, const char *key, struct err *err)
{
	struct ledger_key k = {0};
	if (!*key)
		return 0;
	snprintf(k.key, sizeof k.key, "%s", key);
	return append(l, key_line(&k), err);
}

int ledger_submitted(struct ledger *l, const char *key, uint32_t turn, struct err *err)
{
	struct ledger_key k = {.submitted = true, .turn = turn};
	if (!*key)
		return 0;
	snprintf(k.key, sizeof k.key, "%s", key);
	return append(l, key_line(&k), err);
}

int ledger_note(struct ledger *l, const char *text, const struct json *from, int64_t now, struct err *err)
{
	struct json *line = json_new_object();
	json_set_string(line, "note", text);
	set_time(line, "time", now);
	json_set(line, "from", copy_of(from));
	return append(l, line, err);
}
