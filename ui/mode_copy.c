/* mode_copy: see mode_copy.h.  What the cursor and the selection do is copy.c; here are keys, search and the
 * clipboard. */
#include "ui/mode_copy.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/copy.h"
#include "ui/mode_prompt.h"
#include "ui/ui.h"

enum { MATCHES_MAX = 400, GATHER_ROWS = 1024, SEARCH_SLICE = 4096, QUEUED_MAX = 64 };

struct mode_copy {
	struct mode m;
	int pane;
	char session[SESSION_ID_LENGTH + 1];
	struct copy *copy;
	bool by_wheel;
	char status[96];

	/* search */
	char *pattern;
	struct search *marking; /* for the matches in view */
	bool forward, wrapped, has_current;
	uint32_t asked; /* sequence of the question to the worker, 0: none */
	struct key
	    queue[QUEUED_MAX]; /* pressed while the answer is on its way: they mean what comes after it */
	int queued;
	bool asked_forward;
	struct search_match current, matches[MATCHES_MAX];

	/* copying a selection whose rows have to come first */
	bool gathering;
	struct copy_gather gather;
	uint64_t waited_for;
};

static const struct mode_class class;

static struct seat *seat_of(const struct mode_copy *c)
{
	return roster_find(ui_roster(c->m.ui), c->session);
}

static const struct row *row_of_history(void *context, uint64_t number)
{
	struct seat *s = seat_of(context);

	return s && s->keeps_rows ? row_cache_get(&s->rows, number) : NULL;
}

static void show_state(struct mode_copy *c)
{
	uint64_t below, total;

	copy_place(c->copy, &below, &total);
	snprintf(c->status, sizeof(c->status), "HISTORY %llu/%llu", (unsigned long long)below,
	    (unsigned long long)total);
	c->m.status = c->status;
}

/* Whatever rows are wanted are asked for; the picture is made again. */
static void changed(struct mode_copy *c)
{
	struct seat *s = seat_of(c);
	uint64_t from;
	uint32_t count;

	if (s && copy_wanted(c->copy, &from, &count))
		seat_ask_rows(s, from, count);
	show_state(c);
	ui_redraw(c->m.ui);
}

static void done(struct mode_copy *c)
{
	ui_set_pane_mode(c->m.ui, c->pane, NULL);
}

/* --- copying --- */

static void gathered(struct mode_copy *c)
{
	struct ui *ui = c->m.ui;
	char *text = buf_steal(&c->gather.text);

	c->gathering = false;
	if (*text)
		ui_copy(ui, text, strlen(text));
	else
		ui_say(ui, SAY_INFO, "the selection is empty: nothing was copied");
	done(c);
	free(text);
}

/* Goes on as far as rows are here; false: one has to come first. */
static bool gather(struct mode_copy *c)
{
	struct seat *s = seat_of(c);
	uint64_t missing;

	while (!copy_gather(c->copy, &c->gather, &missing)) {
		if (s && s->link && missing != c->waited_for) {
			c->waited_for = missing;
			seat_ask_rows(s, missing, GATHER_ROWS);
			return false;
		}
		copy_gather_skip(&c->gather); /* it was asked for and did not come */
	}
	gathered(c);
	return true;
}

void mode_copy_take(struct mode *m)
{
	struct mode_copy *c = (struct mode_copy *)m;

	if (c->gathering)
		return;
	if (!copy_gather_begin(c->copy, &c->gather)) {
		ui_say(m->ui, SAY_INFO, "nothing is selected: Space begins a selection, V one of lines");
		return;
	}
	c->gathering = true;
	c->waited_for = UINT64_MAX;
	gather(c);
}

/* --- searching --- */

static void found(struct mode_copy *c, const struct search_match *match)
{
	c->current = *match;
	c->has_current = true;
	copy_extend(c->copy, match->from);
	if (c->wrapped)
		ui_say(c->m.ui, SAY_INFO, "search went on from the other end");
	changed(c);
}

static void look(struct mode_copy *c, struct position from, bool forward);

/* Nothing between there and the end: once more from the other end, then it is not there. */
static void look_around(struct mode_copy *c, bool forward)
{
	struct row_source all = copy_source(c->copy);

	if (c->wrapped) {
		ui_say(c->m.ui, SAY_INFO, "not found: %s", c->pattern);
		return;
	}
	c->wrapped = true;
	look(c, forward ? (struct position){all.first, -1} : (struct position){all.end, 0}, forward);
}

/* The frozen screen is searched here: the session's own has gone on. */
static bool look_at_screen(struct mode_copy *c, struct position from, bool forward)
{
	struct pane_view v = {0};
	struct search_match match;
	enum search_result result;

	copy_view(c->copy, &v);
	search_start(c->marking, from, forward);
	do
		result = search_step(c->marking, NULL, v.screen, SEARCH_SLICE, &match);
	while (result == SEARCH_MORE);
	if (result != SEARCH_FOUND)
		return false;
	found(c, &match);
	return true;
}

static bool ask_worker(struct mode_copy *c, struct position from, bool forward)
{
	struct seat *s = seat_of(c);

	c->asked_forward = forward;
	c->asked = s && s->link ? seat_search(s, c->pattern, false, forward, from.row, from.col) : 0;
	return c->asked != 0;
}

static void look(struct mode_copy *c, struct position from, bool forward)
{
	uint64_t top = copy_top(c->copy);
	bool below = from.row >= top;

	if (below && look_at_screen(c, from, forward))
		return;
	if (below && forward) {
		look_around(c, true);
		return;
	}
	if (below)
		from = (struct position){top, 0};
	if (copy_source(c->copy).first < top && ask_worker(c, from, forward))
		return;
	if (forward && look_at_screen(c, (struct position){top, -1}, true))
		return;
	look_around(c, forward);
}

static void press(struct mode_copy *c, const struct key *k);

/* What was typed ahead, until another search has to be waited for or the mode is left. */
static void drain_queue(struct mode_copy *c)
{
	struct ui *ui = c->m.ui;
	int pane = c->pane;

	while (ui_pane_mode(ui, pane) == &c->m && !c->asked && c->queued > 0) {
		struct key k = c->queue[0];

		memmove(c->queue, c->queue + 1, (size_t)--c->queued * sizeof(k));
		press(c, &k);
	}
}

static void take_answer(struct mode_copy *c, const struct json *answer);

static void on_found(struct mode *m, struct seat *s, uint32_t sequence, const struct json *answer)
{
	struct mode_copy *c = (struct mode_copy *)m;

	if (!c->asked || sequence != c->asked || strcmp(s->record.id, c->session) != 0)
		return;
	c->asked = 0;
	take_answer(c, answer);
	drain_queue(c);
}

static void take_answer(struct mode_copy *c, const struct json *answer)
{
	bool forward = c->asked_forward;
	struct search_match match;

	match.from = (struct position){
	    (uint64_t)json_get_int(answer, "row", 0), (int)json_get_int(answer, "column", 0)};
	match.to = (struct position){(uint64_t)json_get_int(answer, "to_row", (int64_t)match.from.row),
	    (int)json_get_int(answer, "to_column", match.from.col)};
	if (json_get_bool(answer, "found", false) && match.from.row < copy_top(c->copy))
		found(c, &match);
	else if (!forward || !look_at_screen(c, (struct position){copy_top(c->copy), -1}, true))
		look_around(c, forward);
}

static void search_again(struct mode_copy *c, bool same_way)
{
	if (!c->pattern) {
		ui_say(c->m.ui, SAY_INFO, "nothing was searched for yet: / and ? do");
		return;
	}
	c->wrapped = false;
	look(c, copy_cursor(c->copy), c->forward == same_way);
}

static void on_pattern(struct ui *ui, const char *text, int argument)
{
	struct mode *m = ui_pane_mode(ui, argument < 0 ? -argument : argument);
	struct mode_copy *c = (struct mode_copy *)m;
	struct err err = ERR_INIT;

	if (!m || m->class != &class || !text || !*text)
		return;
	struct search *marking = search_create(text, 0, &err);

	if (!marking) {
		ui_say_err(ui, &err);
		return;
	}
	search_destroy(c->marking);
	free(c->pattern);
	c->marking = marking;
	c->pattern = mem_strdup(text);
	c->forward = argument > 0;
	search_again(c, true);
}

static void ask_pattern(struct mode_copy *c, bool forward)
{
	ui_push(c->m.ui, mode_prompt_create(c->m.ui, forward ? "search forward:" : "search backward:", "",
			     on_pattern, forward ? c->pane : -c->pane));
}

/* --- keys --- */

static void do_action(struct mode_copy *c, enum copy_action a)
{
	switch (a) {
	case COPY_LEAVE:
		done(c);
		return;
	case COPY_TAKE:
		mode_copy_take(&c->m);
		return;
	case COPY_SEARCH:
	case COPY_SEARCH_BACK:
		ask_pattern(c, a == COPY_SEARCH);
		return;
	case COPY_NEXT:
	case COPY_PREVIOUS:
		search_again(c, a == COPY_NEXT);
		return;
	default:
		break;
	}
	if (!copy_do(c->copy, a))
		ui_say(c->m.ui, SAY_INFO, "%s: already there", copy_action_help(a));
	changed(c);
}

static void press(struct mode_copy *c, const struct key *k)
{
	struct ui *ui = c->m.ui;
	enum copy_action a = copy_action_of(k, ui_vi_keys(ui));
	char name[KEY_NAME_MAX];

	if (a != COPY_NO_ACTION) {
		do_action(c, a);
		return;
	}
	key_name(k, name);
	ui_say(ui, SAY_INFO, "%s does nothing in the history: q leaves it, %s ? shows the keys", name,
	    ui_prefix(ui));
}

static void key(struct mode *m, const struct key *k)
{
	struct mode_copy *c = (struct mode_copy *)m;

	if (!c->asked || copy_action_of(k, ui_vi_keys(m->ui)) == COPY_LEAVE)
		press(c, k);
	else if (c->queued < QUEUED_MAX)
		c->queue[c->queued++] = *k;
}

/* --- the mouse --- */

void mode_copy_page_up(struct mode *m)
{
	do_action((struct mode_copy *)m, COPY_PAGE_UP);
}

void mode_copy_wheel(struct mode *m, int rows)
{
	struct mode_copy *c = (struct mode_copy *)m;

	copy_scroll(c->copy, rows);
	if (rows > 0 && c->by_wheel && copy_at_bottom(c->copy) && !copy_selection(c->copy))
		done(c);
	else
		changed(c);
}

void mode_copy_drag(struct mode *m, struct position from, struct position to)
{
	struct mode_copy *c = (struct mode_copy *)m;

	if (from.row != UINT64_MAX)
		copy_select(c->copy, SELECT_CHARACTERS, from);
	copy_extend(c->copy, to);
	changed(c);
}

void mode_copy_word(struct mode *m, struct position p)
{
	copy_select(((struct mode_copy *)m)->copy, SELECT_WORDS, p);
}

void mode_copy_line(struct mode *m, struct position p)
{
	copy_select(((struct mode_copy *)m)->copy, SELECT_LINES, p);
}

/* --- showing --- */

static void view(struct mode *m, struct pane_view *v)
{
	struct mode_copy *c = (struct mode_copy *)m;
	struct row_source source = copy_source(c->copy);
	uint64_t first, end;

	copy_view(c->copy, v);
	copy_shown(c->copy, &first, &end);
	if (!c->marking)
		return;
	v->matches = c->matches;
	v->match_count = search_matches(c->marking, &source, first, end, c->matches, MATCHES_MAX);
	v->current = c->has_current ? &c->current : NULL;
}

static void draw(struct mode *m)
{
	(void)m; /* the pane is drawn by what `view` says */
}

/* As wide as the pane, but no wider than the session is now. */
static int width_of(const struct seat *s, const struct rect *at)
{
	bool narrower = s && s->mirrored && s->mirror.valid && s->mirror.screen.cols < at->cols;

	return narrower ? s->mirror.screen.cols : at->cols;
}

static void take_size(struct mode_copy *c)
{
	struct rect at;

	if (ui_pane_content(c->m.ui, c->pane, &at))
		copy_resize(c->copy, at.rows, width_of(seat_of(c), &at));
}

static void resized(struct mode *m)
{
	struct mode_copy *c = (struct mode_copy *)m;

	take_size(c);
	changed(c);
}

/* Rows of the history came, or the session's oldest row is another one. */
static void on_screen(struct mode *m, struct seat *s)
{
	struct mode_copy *c = (struct mode_copy *)m;

	if (strcmp(s->record.id, c->session) != 0)
		return;
	if (s->mirror.valid)
		copy_set_first(c->copy, s->mirror.screen.history_first);
	take_size(c);
	if (c->gathering && s->asked_count == 0) {
		gather(c);
		return; /* it may be gone */
	}
	changed(c);
}

static void mark(struct mode *m)
{
	copy_mark_cells(((struct mode_copy *)m)->copy);
}

static void leave(struct mode *m)
{
	struct mode_copy *c = (struct mode_copy *)m;
	struct seat *s = seat_of(c);

	if (s)
		roster_keep_rows(s, false);
	mode_finish(m);
	search_destroy(c->marking);
	copy_destroy(c->copy);
	buf_free(&c->gather.text);
	free(c->pattern);
	free(c);
}

static const struct mode_class class = {
    .name = "history",
    .key = key,
    .draw = draw,
    .resized = resized,
    .screen = on_screen,
    .found = on_found,
    .view = view,
    .mark = mark,
    .leave = leave,
};

struct mode *mode_copy_create(struct ui *ui, int pane, bool by_wheel)
{
	struct seat *s = roster_find(ui_roster(ui), view_session(ui_view(ui), pane));
	struct rect at;

	if (!s || !s->mirrored || !s->mirror.valid || !ui_pane_content(ui, pane, &at))
		return NULL;
	struct mode_copy *c = mem_zalloc(1, sizeof(*c));

	mode_init(&c->m, &class, ui);
	buf_init(&c->gather.text);
	c->pane = pane;
	c->by_wheel = by_wheel;
	snprintf(c->session, sizeof(c->session), "%s", s->record.id);
	roster_keep_rows(s, true);
	c->copy = copy_create(&s->mirror.screen, at.rows, width_of(s, &at), row_of_history, c);
	changed(c);
	return &c->m;
}
