/* seen_back: see seen_back.h. */
#include "term/seen_back.h"

#include <string.h>

#include "term/letters.h"
#include "term/past.h"
#include "term/seen.h"
#include "term/state.h"

/* What is on the page and kept. */
struct kept {
	struct letters letters;
	int blank; /* so many of its rows have no letters, at the beginning */
};

static void find_kept(struct kept *k, const struct term *t)
{
	const struct seen *s = &t->seen;

	*k = (struct kept){0};
	for (int i = s->from; i < s->from + s->back; i++) {
		letters_add(&k->letters, &s->page.row[i].row, t->table, s->left, seen_right(s, s->page.cols));
		k->blank += k->letters.count == 0;
	}
	if (s->skip > 0 && s->from + s->back < s->to) {
		size_t before = k->letters.count;

		letters_add(&k->letters, &s->page.row[s->from + s->back].row, t->table, s->left,
		    seen_right(s, s->page.cols));
		if (before + s->skip < k->letters.count)
			k->letters.count = before + s->skip;
	}
}

static size_t letters_of_row(const struct term *t, uint64_t number, struct letters *l)
{
	size_t len;
	const void *packed = history_packed(t->history, number, &len);

	l->count = 0;
	if (packed)
		letters_add_packed(l, packed, len);
	return l->count;
}

/*
 * Goes back from the end of history to the row where these letters begin; *head: so many letters of that row
 * come before.  false: they are not what history ends with.
 */
static bool find_begin(const struct term *t, const struct kept *k, uint64_t *begin, size_t *head)
{
	struct letters l = {0};
	size_t left = k->letters.count;
	bool same = true;

	*head = 0;
	for (*begin = history_end(t->history); same && left > 0 && *begin > history_first(t->history);) {
		size_t of_row = letters_of_row(t, --*begin, &l), count = of_row < left ? of_row : left;

		*head = of_row - count;
		same = count == 0 ||
		       memcmp(l.cp + *head, k->letters.cp + left - count, count * sizeof(*l.cp)) == 0;
		left -= count;
	}
	for (int i = 0; *head == 0 && i<k->blank && * begin> history_first(t->history); i++)
		*begin -= letters_of_row(t, *begin - 1, &l) == 0;
	letters_finish(&l);
	return same && left == 0;
}

/* Takes back all from a row on, but for its first letters. */
static bool take_from(struct term *t, uint64_t begin, size_t head)
{
	AUTO_BUF packed = BUF_INIT;
	struct row row;

	row_init(&row, SCREEN_MAX_COLS, 0);
	if (head > 0 && history_row(t->history, begin, t->table, &row) == 0)
		seen_pack(t, &row, 0, letters_columns(&row, t->table, 0, head), &packed);
	row_finish(&row);
	if (!past_take_back_seen(t, history_end(t->history) - begin))
		return false;
	if (packed.len > 0)
		past_append_seen(t, packed.data, packed.len);
	return true;
}

void seen_take_back(struct term *t)
{
	struct seen *s = &t->seen;
	struct kept k;
	uint64_t begin;
	size_t head;

	if (!t->history || s->held_count > 0 || s->back > s->to - s->from || (s->back == 0 && s->skip == 0))
		return;
	find_kept(&k, t);
	if (find_begin(t, &k, &begin, &head) && begin < history_end(t->history) &&
	    take_from(t, begin, head)) {
		s->back = 0;
		s->skip = 0;
	}
	letters_finish(&k.letters);
}
