/* requests: what commands ask of a worker: one table of operations. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "client/capture.h"
#include "client/find.h"
#include "session/parts.h"

void request_reply_error(struct peer *p, uint32_t sequence, const struct err *err)
{
	struct json *j = wire_error_json(err);
	peer_send_json(p, WIRE_REPLY, sequence, j);
	json_free(j);
}

/* --- rows and search, for the front-end's history mode --- */

void request_rows(struct peer *p, uint32_t sequence, const struct wire_rows_get *g)
{
	AUTO_BUF out = BUF_INIT;
	delta_encode_rows(p->worker->history, term_screen(p->worker->term), g->from, g->count, &out);
	peer_send(p, WIRE_ROWS, sequence, out.data, out.len);
}

/* A search goes on in slices between everything else, by an idle handle of its own. */
struct search_job {
	uv_idle_t idle;
	struct worker *worker;
	uint64_t peer;
	uint32_t sequence;
	struct find *find;
	struct search_job *next;
};

static void on_search_closed(uv_handle_t *handle)
{
	struct search_job *job = handle->data;
	find_destroy(job->find);
	free(job);
}

static void end_search(struct search_job *job)
{
	for (struct search_job **at = &job->worker->searches; *at; at = &(*at)->next) {
		if (*at == job) {
			*at = job->next;
			break;
		}
	}
	uv_close((uv_handle_t *)&job->idle, on_search_closed);
}

static void on_search_slice(uv_idle_t *idle)
{
	struct search_job *job = idle->data;
	struct worker *w = job->worker;
	struct peer *p = peer_by_id(w, job->peer);
	struct json *found = p ? find_step(job->find, w->history, term_screen(w->term)) : NULL;
	if (found)
		peer_send_json(p, WIRE_FOUND, job->sequence, found);
	if (found || !p)
		end_search(job);
	json_free(found);
}

void request_search(struct peer *p, uint32_t sequence, const struct json *body)
{
	struct err err = ERR_INIT;
	struct find *find = find_create(body, &err);
	if (!find) {
		struct json *answer = find_error(&err);
		peer_send_json(p, WIRE_FOUND, sequence, answer);
		json_free(answer);
		return;
	}
	struct search_job *job = mem_zalloc(1, sizeof *job);
	job->worker = p->worker;
	job->peer = p->id;
	job->sequence = sequence;
	job->find = find;
	job->next = p->worker->searches;
	p->worker->searches = job;
	uv_idle_init(&p->worker->loop, &job->idle);
	job->idle.data = job;
	uv_idle_start(&job->idle, on_search_slice);
}

void searches_end(struct worker *w)
{
	while (w->searches)
		end_search(w->searches);
}

/* --- operations --- */

static int op_state(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	(void)sequence;
	(void)body;
	(void)err;
	json_set(reply, "session", report_state(p->worker));
	return 0;
}

static int op_keys(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct worker *w = p->worker;
	const struct json *keys = json_get(body, "keys");
	struct key k;
	(void)sequence;
	for (const struct json *e = json_first(keys); e; e = json_next(e))
		if (!key_parse(json_string(e, ""), &k))
			return err_set(err, ERR_USAGE, "\"%s\" is not the name of a key", json_string(e, ""));
	for (const struct json *e = json_first(keys); e; e = json_next(e)) {
		key_parse(json_string(e, ""), &k);
		if (input_submits(&k))
			turns_submitted(w, p->origin);
		input_key(w, NULL, 0, &k);
	}
	json_set_number(reply, "keys", json_count(keys));
	return 0;
}

/* A row of the text that has not left the alternate screen. */
struct page_row {
	struct term *term;
	struct row row;
};

static const struct row *page_row(void *context, int index)
{
	struct page_row *r = context;
	term_text_row(r->term, index, &r->row);
	return &r->row;
}

static struct json *capture_text(
    struct worker *w, struct position from, uint64_t end, enum capture_format format)
{
	const struct screen *s = term_screen(w->term);
	struct page_row r = {.term = w->term};
	struct capture_page page = {.rows = term_text_rows(w->term), .row = page_row, .context = &r};
	row_init(&r.row, 0, 0);
	struct json *j =
	    capture_pages(s, w->history, s->modes & SCREEN_ALTERNATE ? &page : NULL, from, end, format);
	row_finish(&r.row);
	return j;
}

static int capture_turn(struct worker *w, int64_t number, int64_t next, enum capture_format format, bool trim,
    struct json *reply, struct err *err)
{
	const struct screen *s = term_screen(w->term);
	uint64_t end = UINT64_MAX, first = w->history ? history_first(w->history) : s->top;
	struct position from = {0};
	turns_settle(w);
	const struct turn *t = turn_rows(&w->ledger, w->record.name, number, &from.row, &end, err);
	if (!t)
		return -1;
	if (next >= 0)
		from.row = (uint64_t)next < first ? first : (uint64_t)next;
	json_set(reply, "turn", ledger_turn_json(t));
	json_set(reply, "capture",
	    t->alternate ? capture_text(w, from, end, format)
			 : capture(s, w->history, from, end, format, trim));
	return 0;
}

static int op_capture(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct worker *w = p->worker;
	const struct screen *s = term_screen(w->term);
	const char *name = json_get_string(body, "format", "text");
	enum capture_format format = !strcmp(name, "json")   ? CAPTURE_JSON
				     : !strcmp(name, "ansi") ? CAPTURE_ANSI
							     : CAPTURE_TEXT;
	uint64_t first = w->history ? history_first(w->history) : s->top;
	bool trim = json_get_bool(body, "trim", true);
	struct position from = {0};
	(void)sequence;
	int64_t turn = json_get_int(body, "turn", -1), next = json_get_int(body, "from", -1);
	if (turn >= 0)
		return capture_turn(w, turn, next, format, trim, reply, err);
	if (next >= 0)
		from.row = (uint64_t)next < first ? first : (uint64_t)next;
	else
		from = capture_begin(s, w->history, json_get_int(body, "history", 0));
	json_set(reply, "capture", capture(s, w->history, from, UINT64_MAX, format, trim));
	return 0;
}

static int op_resize(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct worker *w = p->worker;
	(void)sequence;
	if (json_get_bool(body, "unpin", false)) {
		w->pinned = false;
		report_save(w);
		return 0;
	}
	int64_t rows = json_get_int(body, "rows", 0), cols = json_get_int(body, "cols", 0);
	if (rows < SCREEN_MIN_ROWS || rows > SCREEN_MAX_ROWS || cols < SCREEN_MIN_COLS ||
	    cols > SCREEN_MAX_COLS)
		return err_set(err, ERR_USAGE, "a session has %dx%d to %dx%d columns and rows",
		    SCREEN_MIN_COLS, SCREEN_MIN_ROWS, SCREEN_MAX_COLS, SCREEN_MAX_ROWS);
	w->pinned = true;
	frames_resize(w, (int)rows, (int)cols, 0, 0);
	report_save(w);
	json_set_number(reply, "rows", (double)rows);
	json_set_number(reply, "cols", (double)cols);
	return 0;
}

static int op_detach(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	struct json *j = json_new_object();
	(void)sequence;
	(void)body;
	(void)err;
	json_set_string(j, "event", "detach");
	int count = 0;
	for (struct peer *q = p->worker->peers; q; q = q->next)
		count += q->hello && q->terminal && q != p;
	peers_send_terminals(p->worker, WIRE_EVENT, j);
	json_free(j);
	json_set_number(reply, "detached", count);
	return 0;
}

static int op_wait(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	(void)reply;
	return waiter_request(p, sequence, body, err);
}

static int op_note(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	(void)sequence;
	if (turns_note(p->worker, json_get_string(body, "text", ""), p->origin, err) < 0)
		return -1;
	json_set(reply, "note", json_copy(p->worker->ledger.note));
	return 0;
}

static int op_send(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err)
{
	(void)reply;
	(void)err;
	prompt_request(p, sequence, body);
	return 1;
}

/* 0: `reply` is the answer; 1: the answer comes later; -1: err is. */
typedef int (*op_fn)(
    struct peer *p, uint32_t sequence, const struct json *body, struct json *reply, struct err *err);

static const struct {
	const char *name;
	op_fn run;
} operations[] = {
    {"capture", op_capture},
    {"detach", op_detach},
    {"keys", op_keys},
    {"note", op_note},
    {"resize", op_resize},
    {"send", op_send},
    {"state", op_state},
    {"wait", op_wait},
};

void request_serve(struct peer *p, uint32_t sequence, const struct json *body)
{
	const char *name = json_get_string(body, "op", "");
	struct err err = ERR_INIT;
	struct json *reply = json_new_object();
	int result = -1;
	op_fn run = NULL;
	for (size_t i = 0; i < COUNT_OF(operations) && !run; i++)
		if (!strcmp(operations[i].name, name))
			run = operations[i].run;
	if (run)
		result = run(p, sequence, body, reply, &err);
	else
		err_set(&err, ERR_PROTOCOL,
		    "this session's worker (version %s) does not know the request \"%s\"", HANDLER_VERSION,
		    name);
	if (result == 0)
		peer_send_json(p, WIRE_REPLY, sequence, reply);
	else if (result < 0)
		request_reply_error(p, sequence, &err);
	json_free(reply);
}
