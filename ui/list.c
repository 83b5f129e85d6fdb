/* list: see list.h */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cell/search.h"
#include "ui/display.h"
#include "ui/list.h"

enum { TEXT_MAX = 512 /* code points of an item that are looked at */, WORDS_MAX = 16 };

struct list {
	struct list_item *items; /* owned strings */
	size_t count;
	char *filter;
	size_t *match; /* indices of the items shown, headings included, the best first */
	size_t match_count;
	size_t selected; /* in match; match_count if there is nothing to select */
	size_t top;      /* in match: the first drawn */
	int drawn_rows;
};

/* --- finding --- */

struct folded {
	uint32_t cp[TEXT_MAX];
	size_t len;
};

static void fold(struct folded *f, const char *s, size_t len)
{
	f->len = 0;
	while (len > 0 && f->len < TEXT_MAX) {
		uint32_t cp;
		int n = utf8_decode(s, len, &cp, NULL);

		if (n == 0)
			return;
		f->cp[f->len++] = search_fold(cp);
		s += n;
		len -= (size_t)n;
	}
}

static bool divides_words(uint32_t cp)
{
	return cp == ' ' || cp == '-' || cp == '_' || cp == '/' || cp == '.' || cp == ':' || cp == '(' ||
	       cp == '@';
}

static bool begins_word(const struct folded *t, size_t at)
{
	return at == 0 || (divides_words(t->cp[at - 1]) && !divides_words(t->cp[at]));
}

static bool stands_at(const struct folded *t, size_t at, const struct folded *word)
{
	return at + word->len <= t->len && memcmp(&t->cp[at], word->cp, word->len * sizeof(uint32_t)) == 0;
}

/* A run: the whole word in one piece.  The best place counts. */
static int score_run(const struct folded *t, const struct folded *word)
{
	int best = 0;

	for (size_t at = 0; at + word->len <= t->len; at++) {
		int score = 400 - (int)(at < 100 ? at : 100);

		if (!stands_at(t, at, word))
			continue;
		if (begins_word(t, at))
			score += 300;
		if (at + word->len == t->len || divides_words(t->cp[at + word->len]))
			score += 100;
		if (at == 0)
			score += 200;
		best = score > best ? score : best;
	}
	return best;
}

/* A subsequence, taken from the left; letters at the starts of words are worth most. */
static int score_subsequence(const struct folded *t, const struct folded *word)
{
	size_t next = 0;
	int score = 0;

	for (size_t at = 0; at < t->len && next < word->len; at++) {
		if (t->cp[at] != word->cp[next])
			continue;
		score += begins_word(t, at) ? 10 : 2;
		next++;
	}
	return next == word->len ? score : 0;
}

static int score_in(const char *text, const struct folded *word)
{
	struct folded t;
	int score;

	if (!text || word->len == 0)
		return 0;
	fold(&t, text, strlen(text));
	score = score_run(&t, word);
	return score ? score : score_subsequence(&t, word);
}

/* 0: some word is neither in the text nor in the detail. */
static int score_item(const struct list_item *it, const struct folded *words, size_t count)
{
	int sum = 1;

	for (size_t i = 0; i < count; i++) {
		int text = score_in(it->text, &words[i]), detail = score_in(it->detail, &words[i]) / 2;
		int best = text > detail ? text : detail;

		if (best == 0)
			return 0;
		sum += best;
	}
	return sum;
}

static size_t split_words(const char *filter, struct folded *words)
{
	size_t count = 0;

	while (*filter && count < WORDS_MAX) {
		size_t len = strcspn(filter, " ");

		if (len > 0)
			fold(&words[count++], filter, len);
		filter += len;
		filter += strspn(filter, " ");
	}
	return count;
}

/* Stable: of equal scores the earlier item comes first. */
static void insert_match(struct list *l, int *scores, size_t item, int score)
{
	size_t at = l->match_count++;

	for (; at > 0 && scores[at - 1] < score; at--) {
		l->match[at] = l->match[at - 1];
		scores[at] = scores[at - 1];
	}
	l->match[at] = item;
	scores[at] = score;
}

static void find_matches(struct list *l)
{
	struct folded *words = mem_alloc(WORDS_MAX * sizeof(*words));
	size_t count = split_words(l->filter, words);
	int *scores = mem_zalloc(l->count + 1, sizeof(*scores));

	l->match_count = 0;
	for (size_t i = 0; i < l->count; i++) {
		int score = l->items[i].heading ? count == 0 : score_item(&l->items[i], words, count);

		if (score > 0)
			insert_match(l, scores, i, score);
	}
	free(words);
	free(scores);
}

/* --- the selection --- */

static const struct list_item *item_at(const struct list *l, size_t at)
{
	return &l->items[l->match[at]];
}

static bool is_choice(const struct list *l, size_t at)
{
	return at < l->match_count && !item_at(l, at)->heading;
}

/* The choice at or nearest after `at`, else the last before it. */
static void select_near(struct list *l, size_t at)
{
	size_t i = at;

	while (i < l->match_count && !is_choice(l, i))
		i++;
	if (!is_choice(l, i))
		for (i = at < l->match_count ? at : l->match_count; i > 0 && !is_choice(l, i); i--)
			;
	l->selected = is_choice(l, i) ? i : l->match_count;
}

bool list_select(struct list *l, uint64_t id)
{
	for (size_t i = 0; i < l->match_count; i++) {
		if (is_choice(l, i) && item_at(l, i)->id == id) {
			l->selected = i;
			return true;
		}
	}
	return false;
}

bool list_selected(const struct list *l, struct list_item *out)
{
	if (!is_choice(l, l->selected))
		return false;
	*out = *item_at(l, l->selected);
	return true;
}

static bool step(struct list *l, int direction, bool wrap)
{
	size_t i = l->selected;

	for (size_t tries = 0; tries < l->match_count; tries++) {
		if (direction < 0 && i == 0) {
			if (!wrap)
				return false;
			i = l->match_count;
		}
		i = direction < 0 ? i - 1 : i + 1;
		if (i >= l->match_count) {
			if (!wrap)
				return false;
			i = 0;
		}
		if (is_choice(l, i)) {
			l->selected = i;
			return true;
		}
	}
	return false;
}

void list_move(struct list *l, int by, bool wrap)
{
	int direction = by < 0 ? -1 : 1;

	if (l->selected >= l->match_count)
		return;
	for (; by != 0; by -= direction) {
		if (!step(l, direction, wrap))
			return;
	}
}

static bool is_ctrl(const struct key *k, uint32_t letter)
{
	return (k->mods & MOD_HELD) == MOD_CTRL && k->code == letter;
}

bool list_key(struct list *l, const struct key *k, int rows)
{
	bool plain = !(k->mods & MOD_HELD), ctrl = (k->mods & MOD_HELD) == MOD_CTRL;
	int page = rows > 2 ? rows - 1 : 1;

	if (k->event == KEY_RELEASE)
		return false;
	if ((plain && k->code == KEY_UP) || is_ctrl(k, 'p'))
		list_move(l, -1, true);
	else if ((plain && k->code == KEY_DOWN) || is_ctrl(k, 'n'))
		list_move(l, 1, true);
	else if (plain && k->code == KEY_PAGE_UP)
		list_move(l, -page, false);
	else if (plain && k->code == KEY_PAGE_DOWN)
		list_move(l, page, false);
	else if (ctrl && k->code == KEY_HOME)
		select_near(l, 0);
	else if (ctrl && k->code == KEY_END)
		select_near(l, l->match_count);
	else
		return false;
	return true;
}

/* --- items --- */

struct list *list_create(void)
{
	struct list *l = mem_zalloc(1, sizeof(*l));

	l->filter = mem_strdup("");
	return l;
}

static void free_items(struct list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free((char *)l->items[i].symbol);
		free((char *)l->items[i].text);
		free((char *)l->items[i].detail);
		free((char *)l->items[i].right);
	}
	free(l->items);
	free(l->match);
}

void list_destroy(struct list *l)
{
	if (!l)
		return;
	free_items(l);
	free(l->filter);
	free(l);
}

static void copy_item(struct list_item *to, const struct list_item *from)
{
	*to = *from;
	to->symbol = mem_strdup(from->symbol);
	to->text = mem_strdup(from->text ? from->text : "");
	to->detail = mem_strdup(from->detail);
	to->right = mem_strdup(from->right);
}

void list_set_items(struct list *l, const struct list_item *items, size_t count)
{
	struct list_item was;
	bool any = list_selected(l, &was);
	size_t at = any ? l->selected : 0;

	free_items(l);
	l->items = mem_zalloc(count + 1, sizeof(*l->items));
	l->match = mem_zalloc(count + 1, sizeof(*l->match));
	l->count = count;
	for (size_t i = 0; i < count; i++)
		copy_item(&l->items[i], &items[i]);
	find_matches(l);
	if (!any || !list_select(l, was.id))
		select_near(l, at);
}

void list_set_filter(struct list *l, const char *text)
{
	if (strcmp(text, l->filter) == 0)
		return;
	free(l->filter);
	l->filter = mem_strdup(text);
	find_matches(l);
	l->top = 0;
	select_near(l, 0);
}

size_t list_count(const struct list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->match_count; i++)
		n += is_choice(l, i);
	return n;
}

size_t list_total(const struct list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++)
		n += !l->items[i].heading;
	return n;
}

/* --- drawing --- */

static int columns_of(const char *text)
{
	return text ? utf8_columns(text, strlen(text)) : 0;
}

static void draw_heading(struct surface *s, int row, int col, int cols, const struct list_item *it)
{
	surface_fill(s, row, col, 1, cols, ROLE_TEXT);
	surface_text(s, row, col + 1, cols - 1, it->text, ROLE_DIM);
}

static void draw_item(
    struct surface *s, int row, int col, int cols, const struct list_item *it, bool selected)
{
	enum theme_role base = selected ? ROLE_SELECTED : ROLE_TEXT,
			text = it->disabled ? ROLE_DIM : ROLE_NONE;
	int at = col + 2, end = col + cols - 1, right = columns_of(it->right);

	surface_fill(s, row, col, 1, cols, base);
	if (selected)
		surface_text_over(s, row, col, 1, "▌", base, ROLE_BORDER_FOCUSED);
	if (right > 0 && right + 4 < cols) {
		end -= right;
		surface_text_over(s, row, end, right, it->right, base, ROLE_DIM);
		end -= 2;
	}
	if (it->symbol)
		at += 1 + surface_text_over(
			      s, row, at, 1, it->symbol, base, it->disabled ? ROLE_DIM : it->symbol_role);
	at += surface_text_over(s, row, at, end - at, it->text, base, text);
	if (it->detail && at + 2 < end)
		surface_text_over(s, row, at + 2, end - at - 2, it->detail, base, ROLE_DIM);
}

/* Keeps the selection in view, and the heading right above it. */
static void scroll_to_selection(struct list *l, size_t rows)
{
	size_t first = l->selected;

	if (l->top + rows > l->match_count)
		l->top = l->match_count > rows ? l->match_count - rows : 0;
	if (!is_choice(l, l->selected))
		return;
	if (first > 0 && rows > 1 && item_at(l, first - 1)->heading)
		first--;
	if (first < l->top)
		l->top = first;
	if (l->selected >= l->top + rows)
		l->top = l->selected - rows + 1;
}

/* At the right border, when not everything is in view: how much, and where. */
static void draw_bar(const struct list *l, struct surface *s, int row, int col, int rows)
{
	int total = (int)l->match_count, size = rows * rows / total, from;

	size = size > 0 ? size : 1;
	from = (int)l->top * (rows - size) / (total - rows);
	surface_vline(s, row + from, col, size, ROLE_DIM);
}

void list_draw(struct list *l, struct surface *s, int row, int col, int rows, int cols, const char *empty)
{
	bool bar = (int)l->match_count > rows;

	if (rows < 1 || cols < 1)
		return;
	scroll_to_selection(l, (size_t)rows);
	l->drawn_rows = rows;
	surface_fill(s, row, col, rows, cols, ROLE_TEXT);
	for (int y = 0; y < rows && l->top + (size_t)y < l->match_count; y++) {
		size_t at = l->top + (size_t)y;
		const struct list_item *it = item_at(l, at);

		if (it->heading)
			draw_heading(s, row + y, col, cols - bar, it);
		else
			draw_item(s, row + y, col, cols - bar, it, at == l->selected);
	}
	if (bar)
		draw_bar(l, s, row, col + cols - 1, rows);
	if (l->match_count == 0 && empty)
		surface_text(s, row, col + 2, cols - 2, empty, ROLE_DIM);
}

bool list_click(struct list *l, int row)
{
	size_t at = l->top + (size_t)row;

	if (row < 0 || row >= l->drawn_rows || !is_choice(l, at))
		return false;
	l->selected = at;
	return true;
}
