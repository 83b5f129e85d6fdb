/* player: see player.h.  One segment is in memory at a time. */
#include "client/player.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "client/journal.h"

struct player {
	char *dir; /* NULL: one segment of the caller's */
	struct journal_list list;
	size_t segment; /* that is open: index in the list */
	char *bytes;    /* of it */
	struct journal_in in;
	struct cell_table *table;
	struct mirror mirror;
	bool open;
	int64_t time, begin, end;
	char *state, *gap, *damage;
};

static void set_text(char **at, char *text)
{
	free(*at);
	*at = text;
}

static int load_segment(struct player *p, size_t i, struct err *err)
{
	AUTO_FREE char *path = journal_segment_path(p->dir, p->list.items[i].number);
	size_t len;

	free(p->bytes);
	p->bytes = NULL;
	p->open = false;
	p->segment = i;
	if (path_read_file(path, JOURNAL_READ_MAX, &p->bytes, &len, err) < 0)
		return -1;
	/* Made, and not yet written: no damage. */
	if (len == 0 || journal_in_start(&p->in, p->bytes, len, err) < 0)
		return -1;
	p->open = true;
	return 0;
}

/* The next segment that can be read; false: there is none. */
static bool open_from(struct player *p, size_t i)
{
	for (; p->dir && i < p->list.count; i++) {
		struct err err = ERR_INIT;

		if (load_segment(p, i, &err) == 0)
			return true;
		if (err.code)
			set_text(&p->damage, mem_strdup(err.message));
	}
	return false;
}

/* The next whole record, of whichever segment. */
static bool next_record(struct player *p, struct journal_record *r)
{
	while (p->open) {
		struct err err = ERR_INIT;
		int got = journal_in_next(&p->in, r, &err);

		if (got > 0)
			return true;
		if (got < 0)
			set_text(&p->damage, mem_strdup(err.message));
		if (!open_from(p, p->segment + 1))
			p->open = false;
	}
	return false;
}

static void skip_segment(struct player *p)
{
	p->in.at = p->in.end;
}

/* --- records --- */

static struct json *parse(const struct journal_record *r)
{
	return json_parse((const char *)r->data, r->len, "journal", NULL);
}

static void take_state(struct player *p, const struct journal_record *r)
{
	struct json *j = parse(r);
	const char *state = json_get_string(j, "state", ""), *reason = json_get_string(j, "reason", "");
	AUTO_FREE char *text = mem_printf("%s%s%s", state, *reason ? ": " : "", reason);

	set_text(&p->state, utf8_sanitize(text, strlen(text), 0));
	json_free(j);
}

static void take_gap(struct player *p, const struct journal_record *r)
{
	struct json *j = parse(r);
	const char *why = json_get_string(j, "why", "");

	set_text(&p->gap, utf8_sanitize(why, strlen(why), 0));
	json_free(j);
}

/* Styles and clusters that no row has any more make room for others. */
static void collect(struct player *p)
{
	if (!table_full(p->table))
		return;
	mirror_mark(&p->mirror);
	table_sweep(p->table);
}

/* A delta that does not fit makes the rest of its segment useless. */
static bool take_screen(struct player *p, const struct journal_record *r)
{
	struct err err = ERR_INIT;

	collect(p);
	if (mirror_apply(&p->mirror, r->data, r->len, &err) == 0)
		return !(r->flags & JOURNAL_MORE);
	set_text(&p->damage, mem_strdup(err.message));
	skip_segment(p);
	return false;
}

bool player_next(struct player *p)
{
	struct journal_record r;

	set_text(&p->gap, NULL);
	while (next_record(p, &r)) {
		if (r.time > p->time)
			p->time = r.time;
		if (r.type == JOURNAL_STATE)
			take_state(p, &r);
		else if (r.type == JOURNAL_GAP)
			take_gap(p, &r);
		else if (r.type == JOURNAL_SCREEN && take_screen(p, &r))
			return true;
	}
	return false;
}

/* --- seeking --- */

static void begin_at(struct player *p, size_t segment)
{
	p->time = 0;
	set_text(&p->state, NULL);
	if (p->dir) {
		p->open = open_from(p, segment);
		return;
	}
	p->in.at = p->in.first;
	p->open = true;
}

/* When a segment begins: 8 bytes of its header are enough, but a file is small and in the cache. */
static int64_t segment_time(struct player *p, size_t i)
{
	return load_segment(p, i, NULL) == 0 ? p->in.time : INT64_MAX;
}

/* The last segment that begins at or before a time. */
static size_t segment_at(struct player *p, int64_t time)
{
	size_t low = 0, high = p->list.count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (segment_time(p, middle) <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool player_peek(const struct player *p, int64_t *time)
{
	struct journal_in ahead = p->in;
	struct journal_record r;

	while (p->open && journal_in_next(&ahead, &r, NULL) > 0) {
		if (r.type != JOURNAL_SCREEN || r.flags & JOURNAL_MORE)
			continue;
		*time = r.time;
		return true;
	}
	return false;
}

void player_seek(struct player *p, int64_t time)
{
	int64_t next;

	begin_at(p, segment_at(p, time));
	if (!player_next(p))
		return;
	while (player_peek(p, &next) && next <= time)
		if (!player_next(p))
			break;
}

void player_seek_end(struct player *p)
{
	size_t last = p->list.count ? p->list.count - 1 : 0;

	begin_at(p, last);
	/* The newest may have no screen yet. */
	while (!player_next(p) && last > 0)
		begin_at(p, --last);
	while (player_next(p))
		;
}

/* --- opening --- */

static struct player *player_new(void)
{
	struct player *p = mem_zalloc(1, sizeof(*p));

	p->table = table_create();
	mirror_init(&p->mirror, p->table);
	return p;
}

static int find_times(struct player *p, struct err *err)
{
	player_seek_end(p);
	p->end = p->time;
	begin_at(p, 0);
	if (!player_next(p))
		return err_set(err, ERR_FAILED, "the journal holds no screen%s%s", p->damage ? ": " : "",
		    p->damage ? p->damage : "");
	p->begin = p->time;
	set_text(&p->damage, NULL);
	begin_at(p, 0);
	return 0;
}

static struct player *opened(struct player *p, int result, struct err *err)
{
	if (result == 0)
		result = find_times(p, err);
	if (result == 0)
		return p;
	player_close(p);
	return NULL;
}

struct player *player_open(const char *dir, struct err *err)
{
	struct player *p = player_new();
	int result = journal_list_load(&p->list, dir, err);

	p->dir = mem_strdup(dir);
	if (result == 0 && p->list.count == 0)
		result = err_set(err, ERR_NO_JOURNAL,
		    "this session has no journal: it was switched off, or nothing has been written to it "
		    "yet");
	return opened(p, result, err);
}

struct player *player_open_bytes(const void *data, size_t len, struct err *err)
{
	struct player *p = player_new();

	return opened(p, journal_in_start(&p->in, data, len, err), err);
}

void player_close(struct player *p)
{
	if (!p)
		return;
	mirror_finish(&p->mirror);
	table_destroy(p->table);
	journal_list_finish(&p->list);
	free(p->bytes);
	free(p->dir);
	free(p->state);
	free(p->gap);
	free(p->damage);
	free(p);
}

const struct screen *player_screen(const struct player *p)
{
	return &p->mirror.screen;
}

int64_t player_time(const struct player *p)
{
	return p->time;
}

int64_t player_begin(const struct player *p)
{
	return p->begin;
}

int64_t player_end(const struct player *p)
{
	return p->end;
}

const char *player_state(const struct player *p)
{
	return p->state ? p->state : "";
}

const char *player_gap(const struct player *p)
{
	return p->gap;
}

const char *player_damage(const struct player *p)
{
	return p->damage;
}
