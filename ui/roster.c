/* roster: see roster.h. */
#include "ui/roster.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "client/link.h"
#include "client/processes.h"
#include "ui/repository.h"
#include "wire/message.h"

enum { ROWS_KEPT = 4096, ANCESTORS_MAX = 64 };

struct roster {
	uv_loop_t *loop;
	struct roster_events events;
	void *user;
	struct cell_table *table;
	struct seat **seats; /* by number */
	size_t count;
	char *dir;
	char ancestor[SESSION_ID_LENGTH + 1]; /* "": none */
	struct json *outer;
	uint64_t waits; /* how many times a session began to wait */
};

static void open_link(struct seat *s);

struct roster *roster_create(struct uv_loop_s *loop, const struct roster_events *events, void *user)
{
	struct roster *r = mem_zalloc(1, sizeof(*r));

	r->loop = loop;
	r->events = *events;
	r->user = user;
	r->table = table_create();
	return r;
}

/* --- seats --- */

static struct seat *seat_create(struct roster *r)
{
	struct seat *s = mem_zalloc(1, sizeof(*s));

	s->roster = r;
	return s;
}

static void forget_told(struct seat *s)
{
	json_free(s->told);
	s->told = NULL;
}

static void close_link(struct seat *s)
{
	if (s->link)
		link_close(s->link);
	s->link = NULL;
	forget_told(s);
}

static void seat_destroy(struct seat *s)
{
	close_link(s);
	if (s->keeps_rows)
		row_cache_finish(&s->rows);
	if (s->mirrored)
		mirror_finish(&s->mirror);
	record_finish(&s->record);
	free(s->trouble);
	free(s->repository);
	free(s);
}

void roster_destroy(struct roster *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++)
		seat_destroy(r->seats[i]);
	free(r->seats);
	free(r->dir);
	json_free(r->outer);
	table_destroy(r->table);
	free(r);
}

size_t roster_count(const struct roster *r)
{
	return r->count;
}

struct seat *roster_at(const struct roster *r, size_t i)
{
	return i < r->count ? r->seats[i] : NULL;
}

struct seat *roster_find(const struct roster *r, const char *id)
{
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->seats[i]->record.id, id) == 0)
			return r->seats[i];
	return NULL;
}

bool seat_live(const struct seat *s)
{
	return s->record.live && !state_ended(s->record.state);
}

static void say_changed(struct seat *s, enum session_state before)
{
	if (state_waits(s->record.state) && (!state_waits(before) || !s->waits_order))
		s->waits_order = ++s->roster->waits;
	if (s->roster->events.changed)
		s->roster->events.changed(s, before, s->roster->user);
}

static void set_trouble(struct seat *s, const char *why)
{
	if (!why && !s->trouble)
		return;
	free(s->trouble);
	s->trouble = mem_strdup(why);
	say_changed(s, s->record.state);
}

/* --- records --- */

static int by_number(const void *a, const void *b)
{
	const struct record *x = &(*(struct seat *const *)a)->record,
			    *y = &(*(struct seat *const *)b)->record;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* The session that we run in, the one that was started from, and so on: showing one would show ourselves. */
static void mark_ancestors(struct roster *r)
{
	const char *id = r->ancestor;

	for (int i = 0; i < ANCESTORS_MAX && id && *id; i++) {
		struct seat *s = roster_find(r, id);

		if (!s)
			return;
		s->left_out = true;
		close_link(s);
		id = s->record.parent;
	}
}

/* Of a session that lost keeper and worker nobody counts what still runs but us; it is said wherever why it
 * is lost is said, with what ends it. */
static void say_left_running(struct record *r)
{
	int left = r->left ? 0 : processes_count_left(r);

	if (!left)
		return;
	char *reason = mem_printf("%d process%s still run%s (stop, resume end%s); %s", left,
	    left == 1 ? "" : "es", left == 1 ? "s" : "", left == 1 ? " it" : " them", r->reason);
	free(r->reason);
	r->reason = reason;
	r->left = left;
}

/* A worker tells its state before state.json says it. */
static void take_record(struct seat *s, struct record *record)
{
	enum session_state before = s->record.state;
	bool known = s->record.id[0] != '\0', was_live = s->record.live;

	/* Where nothing was left nothing comes any more: the machine's processes are not looked at again. */
	if (!known || s->record.state != STATE_LOST || s->record.left > 0)
		say_left_running(record);
	if (record->live && s->told)
		record_merge(record, s->told);
	record_finish(&s->record);
	s->record = *record;
	if (s->record.live != was_live)
		close_link(s); /* an ended session's link reads its files, a live one's asks its worker */
	s->found = true;
	if (!s->repository)
		s->repository = repository_of(s->record.dir);
	if ((s->record.live || s->visible) && !s->link && !s->left_out)
		open_link(s);
	if (known)
		say_changed(s, before);
}

static struct seat *add_seat(struct roster *r)
{
	r->seats = mem_realloc(r->seats, r->count + 1, sizeof(struct seat *));
	return r->seats[r->count++] = seat_create(r);
}

static void sort(struct roster *r)
{
	if (r->count)
		qsort(r->seats, r->count, sizeof(struct seat *), by_number);
	mark_ancestors(r);
}

/* Removes the seats whose records are gone. */
static bool drop_unfound(struct roster *r)
{
	bool dropped = false;

	for (size_t i = 0; i < r->count;) {
		struct seat *s = r->seats[i];

		if (s->found) {
			i++;
			continue;
		}
		memmove(&r->seats[i], &r->seats[i + 1], (r->count - i - 1) * sizeof(struct seat *));
		r->count--;
		if (r->events.gone)
			r->events.gone(s, r->user);
		seat_destroy(s);
		dropped = true;
	}
	return dropped;
}

static int reload(struct roster *r, struct err *err)
{
	struct record_list list;
	bool changed = false;

	if (record_list_load(&list, err) < 0)
		return -1;
	for (size_t i = 0; i < r->count; i++)
		r->seats[i]->found = false;
	for (size_t i = 0; i < list.count; i++) {
		struct seat *s = roster_find(r, list.items[i].id);

		changed = changed || !s;
		take_record(s ? s : add_seat(r), &list.items[i]);
	}
	free(list.items); /* the records themselves have gone to the seats */
	changed = drop_unfound(r) || changed;
	sort(r);
	if (changed && r->events.listed)
		r->events.listed(r->user);
	return 0;
}

int roster_load(struct roster *r, const char *ancestor, struct err *err)
{
	snprintf(r->ancestor, sizeof(r->ancestor), "%s", ancestor ? ancestor : "");
	r->dir = sessions_dir(err);
	if (!r->dir)
		return -1;
	return reload(r, err);
}

void roster_update(struct roster *r, const char *id)
{
	struct seat *s = id ? roster_find(r, id) : NULL;
	struct record record;

	if (!s) { /* new, or all of them */
		reload(r, NULL);
		return;
	}
	AUTO_FREE char *path = path_join(r->dir, id);

	if (record_load(path, &record, NULL) < 0) {
		reload(r, NULL);
		return;
	}
	take_record(s, &record);
}

/* --- finding --- */

struct seat *roster_named(const struct roster *r, const char *word, struct err *err)
{
	struct record_list list = {
	    .items = mem_zalloc(r->count + 1, sizeof(struct record)), .count = r->count};

	for (size_t i = 0; i < r->count; i++)
		list.items[i] = r->seats[i]->record; /* borrowed */
	struct record *found = record_find(&list, word, true, err);
	struct seat *s = found ? roster_find(r, found->id) : NULL;

	free(list.items);
	return s;
}

struct seat *roster_next(const struct roster *r, const char *id, int step)
{
	size_t at = 0;

	while (at < r->count && strcmp(r->seats[at]->record.id, id) != 0)
		at++;
	if (at == r->count) /* from nowhere: the first, or the last */
		at = step > 0 ? r->count - 1 : 0;
	for (size_t n = 0; n < r->count; n++) {
		at = (at + (step > 0 ? 1 : r->count - 1)) % r->count;
		if (!r->seats[at]->left_out)
			return strcmp(r->seats[at]->record.id, id) == 0 ? NULL : r->seats[at];
	}
	return NULL;
}

static bool waits_longer(const struct seat *a, const struct seat *b)
{
	if (a->record.since != b->record.since)
		return a->record.since < b->record.since;
	return a->waits_order < b->waits_order;
}

struct seat *roster_waiting(const struct roster *r)
{
	struct seat *longest = NULL;

	for (size_t i = 0; i < r->count; i++) {
		struct seat *s = r->seats[i];

		if (s->left_out || !state_waits(s->record.state) || state_ended(s->record.state))
			continue;
		if (!longest || waits_longer(s, longest))
			longest = s;
	}
	return longest;
}

/* --- what comes over the link --- */

static struct json *parse(const void *data, size_t len)
{
	struct err err = ERR_INIT;
	struct json *j = json_parse(data, len, "message", &err);

	if (!j)
		log_error("roster", "%s", err.message);
	return j;
}

static void take_state(struct seat *s, uint32_t sequence, const void *data, size_t len)
{
	struct json *j = parse(data, len);
	enum session_state before = s->record.state;
	int number = s->record.number;

	(void)sequence;
	record_merge(&s->record, j);
	forget_told(s);
	s->told = j;
	json_remove(j, "name"); /* what session.json says is not older */
	json_remove(j, "number");
	if (s->record.number != number)
		sort(s->roster);
	say_changed(s, before);
}

static void refresh(struct seat *s)
{
	AUTO_BUF payload = BUF_INIT;
	struct wire_view view = {.visible = s->visible,
	    .preview = s->preview,
	    .refresh = true,
	    .rows = (uint16_t)s->view_rows,
	    .cols = (uint16_t)s->view_cols};

	wire_view_encode(&view, &payload);
	if (s->link)
		link_send(s->link, WIRE_VIEW, payload.data, payload.len);
}

static void take_screen(struct seat *s, uint32_t sequence, const void *data, size_t len)
{
	struct err err = ERR_INIT;

	(void)sequence;
	if (!s->mirrored)
		return;
	if (mirror_apply(&s->mirror, data, len, &err) < 0) {
		log_error("roster", "%s: %s", s->record.id, err.message);
		refresh(s);
		return;
	}
	if (s->keeps_rows)
		row_cache_forget(&s->rows, s->mirror.screen.top);
	if (!s->mirror.more && s->roster->events.screen)
		s->roster->events.screen(s, s->roster->user);
}

static void take_event(struct seat *s, uint32_t sequence, const void *data, size_t len)
{
	struct json *j = parse(data, len);

	(void)sequence;
	if (j && s->roster->events.event)
		s->roster->events.event(s, j, s->roster->user);
	json_free(j);
}

static void take_rows(struct seat *s, uint32_t sequence, const void *data, size_t len)
{
	struct err err = ERR_INIT;

	/* The answer to an earlier question says nothing about the rows that were asked for last. */
	if (sequence == s->asked_sequence)
		s->asked_count = 0;
	if (!s->keeps_rows)
		return;
	if (mirror_rows_apply(&s->rows, data, len, NULL, NULL, &err) < 0)
		log_error("roster", "%s: %s", s->record.id, err.message);
	else if (s->roster->events.rows)
		s->roster->events.rows(s, s->roster->user);
}

static void take_found(struct seat *s, uint32_t sequence, const void *data, size_t len)
{
	struct json *j = parse(data, len);

	if (j && s->roster->events.found)
		s->roster->events.found(s, sequence, j, s->roster->user);
	json_free(j);
}

static const struct {
	uint16_t type;
	void (*take)(struct seat *s, uint32_t sequence, const void *data, size_t len);
} takers[] = {
    {WIRE_STATE, take_state},
    {WIRE_SCREEN, take_screen},
    {WIRE_EVENT, take_event},
    {WIRE_ROWS, take_rows},
    {WIRE_FOUND, take_found},
};

static void on_message(
    struct link *l, uint16_t type, uint32_t sequence, const void *data, size_t len, void *user)
{
	struct seat *s = user;

	(void)l;
	if (s->trouble)
		set_trouble(s, NULL);
	for (size_t i = 0; i < COUNT_OF(takers); i++)
		if (takers[i].type == type) {
			takers[i].take(s, sequence, data, len);
			return;
		}
}

static void on_connected(struct link *l, void *user)
{
	struct seat *s = user;

	(void)l;
	s->asked_count = 0;
	set_trouble(s, NULL);
	if (s->greeted)
		s->roster->events.replaced(s, s->roster->user);
	s->greeted = true;
}

static void on_lost(struct link *l, bool ended, const struct err *why, void *user)
{
	struct seat *s = user;
	char id[SESSION_ID_LENGTH + 1];

	(void)l;
	if (!ended) {
		forget_told(s);
		set_trouble(s, why && why->message[0] ? why->message : "its worker is being replaced");
		return;
	}
	close_link(s);
	snprintf(id, sizeof(id), "%s", s->record.id);
	s->record.live = false;
	set_trouble(s, NULL);
	if (s->visible) /* its last screen, from the file */
		open_link(s);
	roster_update(s->roster, id);
}

static void send_view(struct seat *s, int cell_width, int cell_height)
{
	if (s->link)
		link_view(
		    s->link, s->visible, s->preview, s->view_rows, s->view_cols, cell_width, cell_height);
}

static void open_link(struct seat *s)
{
	static const struct link_callbacks callbacks = {
	    .message = on_message, .connected = on_connected, .lost = on_lost};
	struct err err = ERR_INIT;

	s->greeted = false;
	s->link = link_open(s->roster->loop, &s->record, &callbacks, s, &err);
	if (!s->link) {
		set_trouble(s, err.message);
		return;
	}
	if (s->record.live && s->roster->outer)
		link_send_json(s->link, WIRE_OUTER, s->roster->outer);
	if (s->visible)
		send_view(s, 0, 0);
}

/* --- showing --- */

static void make_mirror(struct seat *s)
{
	if (s->mirrored)
		return;
	mirror_init(&s->mirror, s->roster->table);
	s->mirrored = true;
}

void roster_show(struct seat *s, bool preview, int rows, int cols, int cell_width, int cell_height)
{
	if (s->left_out)
		return;
	bool same = s->visible && s->preview == preview && s->view_rows == rows && s->view_cols == cols;

	make_mirror(s);
	s->visible = true;
	s->preview = preview;
	s->view_rows = rows;
	s->view_cols = cols;
	if (!same)
		s->view_since = clock_mono_ms();
	if (!s->link)
		open_link(s);
	if (!same)
		send_view(s, cell_width, cell_height);
}

void roster_hide(struct seat *s)
{
	if (!s->visible)
		return;
	s->visible = false;
	s->view_rows = s->view_cols = 0;
	if (s->record.live)
		send_view(s, 0, 0);
	else
		close_link(s); /* the mirror stays: an ended session does not change */
}

void seat_key(struct seat *s, const struct key *k)
{
	if (s->link)
		link_key(s->link, k);
}

void seat_mouse(struct seat *s, const struct mouse *m)
{
	if (s->link)
		link_mouse(s->link, m);
}

void seat_paste(struct seat *s, const char *text, size_t len, bool first, bool last)
{
	if (s->link)
		link_paste(s->link, text, len, first, last);
}

void seat_focus(struct seat *s, bool in)
{
	if (s->link && seat_live(s))
		link_focus(s->link, in);
}

void roster_tell_outer(struct roster *r, const struct json *outer)
{
	json_free(r->outer);
	r->outer = json_copy(outer);
	for (size_t i = 0; i < r->count; i++)
		if (r->seats[i]->link && r->seats[i]->record.live)
			link_send_json(r->seats[i]->link, WIRE_OUTER, outer);
}

/* --- history --- */

void roster_keep_rows(struct seat *s, bool keep)
{
	int before = s->keeps_rows;

	s->keeps_rows += keep ? 1 : before > 0 ? -1 : 0;
	if (!before && s->keeps_rows)
		row_cache_init(&s->rows, s->roster->table, ROWS_KEPT);
	if (before && !s->keeps_rows)
		row_cache_finish(&s->rows);
	s->asked_count = 0;
}

void seat_ask_rows(struct seat *s, uint64_t from, uint32_t count)
{
	AUTO_BUF payload = BUF_INIT;
	struct wire_rows_get get = {.from = from, .count = count < WIRE_ROWS_MAX ? count : WIRE_ROWS_MAX};

	if (!s->link || (s->asked_count && s->asked_from == from && s->asked_count == get.count))
		return;
	s->asked_from = from;
	s->asked_count = get.count;
	wire_rows_get_encode(&get, &payload);
	s->asked_sequence = link_send(s->link, WIRE_ROWS_GET, payload.data, payload.len);
}

uint32_t seat_search(struct seat *s, const char *pattern, bool regex, bool forward, uint64_t row, int column)
{
	struct json *j = json_new_object();
	uint32_t sequence = 0;

	json_set_string(j, "pattern", pattern);
	json_set_bool(j, "regex", regex);
	json_set_bool(j, "forward", forward);
	json_set_number(j, "row", (double)row);
	json_set_number(j, "column", column);
	if (s->link)
		sequence = link_send_json(s->link, WIRE_SEARCH, j);
	json_free(j);
	return sequence;
}

void roster_acknowledge(struct roster *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->seats[i]->link)
			link_acknowledge(r->seats[i]->link);
}

void roster_sweep(struct roster *r, void (*mark)(void *user), void *user)
{
	if (!table_full(r->table))
		return;
	for (size_t i = 0; i < r->count; i++) {
		if (r->seats[i]->mirrored)
			mirror_mark(&r->seats[i]->mirror);
		if (r->seats[i]->keeps_rows)
			row_cache_mark(&r->seats[i]->rows);
	}
	if (mark)
		mark(user);
	table_sweep(r->table);
	for (size_t i = 0; i < r->count; i++)
		if (r->seats[i]->mirrored && r->seats[i]->mirror.stale)
			refresh(r->seats[i]);
}
