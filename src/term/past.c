/* past: see past.h. */
#include "term/past.h"

#include <string.h>

#include "base/mem.h"
#include "term/grid.h"
#include "term/state.h"

static const char mark_text[] = "[cleared]";

static bool is_quiet(const struct term *t)
{
	return (t->flags & (TERM_QUIET | TERM_NO_HISTORY)) != 0;
}

uint64_t past_top(const struct term *t)
{
	return t->history ? history_end(t->history) : t->past.gone;
}

static void append(struct term *t, const struct row *r)
{
	if (t->history)
		history_append(t->history, r, t->table);
	else
		t->past.gone++;
}

/* --- marks --- */

static void append_mark(struct term *t)
{
	const struct style dim = {.attrs = ATTR_DIM};
	struct row *r;
	uint32_t style;

	if (past_top(t) == history_first(t->history) || past_top(t) == t->past.marked)
		return;
	r = row_new(most(t->cols, (int)sizeof(mark_text)), t->clock);
	style = table_style(t->table, &dim);
	for (size_t i = 0; mark_text[i]; i++)
		r->cells[i] = (struct cell){.glyph = (uint8_t)mark_text[i], .style = style};
	r->flags = ROW_MARK;
	append(t, r);
	row_free(r);
	t->past.marked = past_top(t);
}

/* --- a program that writes again what it cleared --- */

/* Begins to hold what comes against what there is, if it was a program that cleared, and more than its own
 * screen. */
static bool rewrite_begin(struct term *t)
{
	struct past *p = &t->past;
	uint64_t first = history_first(t->history), end = p->rewriting ? p->again_end : p->kept_from;

	p->rewriting = false;
	if (p->kept_at_home || p->kept_end != past_top(t))
		return false;
	p->again_from = p->marked > first ? p->marked : first;
	if (end <= p->again_from)
		return false;
	p->again = p->again_from;
	p->again_end = end;
	p->rewriting = true;
	return true;
}

/* It was something else: the mark, and what has come since, are appended now. */
static void rewrite_give_up(struct term *t)
{
	struct past *p = &t->past;
	struct row row;

	p->rewriting = false;
	append_mark(t);
	row_init(&row, SCREEN_MAX_COLS, 0);
	for (uint64_t n = p->again_from; n < p->again; n++) {
		if (!(history_flags(t->history, n) & ROW_SEEN) &&
		    history_row(t->history, n, t->table, &row) == 0)
			append(t, &row);
	}
	row_finish(&row);
}

/* Whether a row is the one that history has at this place; what is from the alternate screen is passed over.
 */
static bool is_again(struct term *t, const struct row *r)
{
	AUTO_BUF packed = BUF_INIT;
	const void *old;
	size_t len;

	while (t->past.again + 1 < t->past.again_end && history_flags(t->history, t->past.again) & ROW_SEEN)
		t->past.again++;
	row_pack(r, t->table, &packed);
	old = history_packed(t->history, t->past.again, &len);
	return old && len == packed.len && memcmp(old, packed.data, len) == 0;
}

/* Whether a row that leaves the screen stands in history already. */
static bool rewrite_take(struct term *t, const struct row *r)
{
	struct past *p = &t->past;

	if (!is_again(t, r)) {
		rewrite_give_up(t);
		return false;
	}
	p->again++;
	if (p->again == p->again_end) { /* what follows there was on the screen, and is being drawn again */
		history_truncate(t->history, p->again_end);
		p->pullable = p->again_end - p->again_from;
		p->rewriting = false;
	}
	return true;
}

/* --- rows that leave --- */

void past_push(struct term *t, const struct row *r)
{
	if (is_quiet(t)) {
		t->past.pullable = 0;
		return;
	}
	if (t->past.rewriting && rewrite_take(t, r))
		return;
	append(t, r);
	if (t->history)
		t->past.pullable++;
}

void past_append_seen(struct term *t, const void *packed, size_t len)
{
	if (!t->history || is_quiet(t))
		return;
	if (t->past.rewriting)
		rewrite_give_up(t);
	t->past.pullable = 0;
	history_append_packed(t->history, packed, len);
}

bool past_take_back_seen(struct term *t, uint64_t count)
{
	uint64_t end;

	if (!t->history || is_quiet(t))
		return false;
	end = history_end(t->history);
	if (count > end - history_first(t->history))
		return false;
	for (uint64_t n = end - count; n < end; n++) {
		if (!(history_flags(t->history, n) & ROW_SEEN))
			return false;
	}
	history_truncate(t->history, end - count);
	return true;
}

void past_keep_screen(struct term *t)
{
	struct past *p = &t->past;
	int used = t->rows;

	if (on_alternate(t))
		return;
	while (used > 0 && row_used(t->grid->row[used - 1]) == 0)
		used--;
	p->kept_from = p->rewriting ? p->again : past_top(t);
	for (int i = 0; i < used && !mode(t, MODE_SYNCHRONIZED); i++)
		past_push(t, t->grid->row[i]);
	p->kept_end = past_top(t);
	p->kept_at_home = t->row == 0 && t->col == 0;
	p->pullable = 0;
}

void past_clear(struct term *t)
{
	if (is_quiet(t))
		return;
	t->past.pullable = 0;
	if (t->history && t->drop_history_on_clear)
		history_clear(t->history);
	else if (t->history && !rewrite_begin(t))
		append_mark(t);
	event_number(t, TERM_HISTORY_CLEARED, t->drop_history_on_clear, 0);
}

/* --- rows that come back --- */

bool past_may_pull(const struct term *t)
{
	return t->history && t->past.pullable > 0 && history_end(t->history) > history_first(t->history) &&
	       !(history_flags(t->history, history_end(t->history) - 1) & ROW_SEEN) && !is_quiet(t);
}

bool past_newest_is_wrapped(const struct term *t)
{
	return past_may_pull(t) && history_flags(t->history, history_end(t->history) - 1) & ROW_WRAPPED;
}

struct row *past_pull(struct term *t)
{
	uint64_t number = history_end(t->history) - 1;
	size_t len;
	const void *packed = history_packed(t->history, number, &len);
	int used = packed ? row_packed_used(packed, len) : 0;
	struct row *r = row_new(clamp(used + 1, SCREEN_MIN_COLS, SCREEN_MAX_COLS), t->clock);

	if (history_row(t->history, number, t->table, r) < 0)
		row_blank(r, 0, t->clock);
	history_truncate(t->history, number);
	t->past.pullable--;
	if (r->flags & ROW_WRAPPED) /* full to its end; else what is behind its end was blank */
		row_resize(r, clamp(used, SCREEN_MIN_COLS, SCREEN_MAX_COLS));
	return r;
}
