/*
 * display_scroll: rows of a surface that moved up or down since the last frame, and whether the terminal is
 * to scroll them.
 *
 * Owns: the hashes of rows, what a scroll saves.  Must not know: how a scroll is sent (expand), why rows
 * moved.
 */
#include "ui/scroll.h"
#include "ui/display_private.h"

enum {
	SCROLL_WORTH = 40, /* bytes, about, that a scroll must save */
	RUN_COST = 6,      /* bytes, about, to get to a run of changed cells */
	HASH_UNKNOWN = 2,  /* no row's: these are odd, or 0 */
};

static uint64_t hash_row(struct display *d, WINDOW *w, int row, int col, int cols)
{
	uint64_t h = 0xcbf29ce484222325u;
	bool blank = true;

	mvwin_wchnstr(w, row, col, d->line, cols);
	for (int x = 0; x < cols; x++) {
		h = (h ^ (uint64_t)d->line[x].chars[0] ^ (uint64_t)cell_style(&d->line[x]) << 24) *
		    0x9e3779b97f4a7c15u;
		h ^= h >> 29;
		blank = blank && d->line[x].chars[0] == L' ';
	}
	return blank ? 0 : h | 1;
}

static int count_touched(const struct surface *s)
{
	int touched = 0;

	for (int y = 0; y < s->rows; y++)
		touched += is_linetouched(s->window, y);
	return touched;
}

/* curses' picture of the terminal has what a row was that was not hashed in its frame. */
static void hash_former(struct surface *s, int y)
{
	if (s->before[y] == HASH_UNKNOWN)
		s->before[y] = s->now[y] = hash_row(s->display, curscr, s->row + y, s->col, s->cols);
}

/* Returns how many rows differ from the last frame; few touched ones are not looked at, as a key's echo. */
int surface_hash(struct surface *s)
{
	bool few = count_touched(s) < SCROLL_MIN_CHANGED;
	int changed = 0;

	for (int y = 0; y < s->rows; y++) {
		bool touched = is_linetouched(s->window, y);

		if (!few)
			hash_former(s, y);
		if (touched)
			s->now[y] = few ? HASH_UNKNOWN : hash_row(s->display, s->window, y, 0, s->cols);
		changed += !few && s->now[y] != s->before[y];
	}
	return changed;
}

/* What it costs, about, to turn row `from` of what the terminal shows (-1: a blank one) into row `to` of the
 * new picture. */
static int row_cost(struct display *d, int to, int from, int col, int cols)
{
	int cost = 0, run = -RUN_COST;

	mvwin_wchnstr(newscr, to, col, d->line_new, cols);
	if (from >= 0)
		mvwin_wchnstr(curscr, from, col, d->line_old, cols);
	for (int x = 0; x < cols; x++) {
		const cchar_t *a = &d->line_new[x], *b = &d->line_old[x];

		if (from >= 0 ? a->chars[0] == b->chars[0] && cell_style(a) == cell_style(b)
			      : a->chars[0] == L' ' && cell_style(a) == 0)
			continue;
		cost += x - run < RUN_COST ? x - run : 1 + RUN_COST;
		run = x;
	}
	return cost;
}

static bool worthwhile(struct display *d, const struct expand_scroll *s)
{
	int saved = 0;

	for (int y = s->row; y < s->row + s->rows; y++) {
		int from = y + s->lines;

		if (from < s->row || from >= s->row + s->rows)
			from = -1;
		saved += row_cost(d, y, y, s->col, s->cols) - row_cost(d, y, from, s->col, s->cols);
	}
	return saved > SCROLL_WORTH;
}

static void copy_row(struct display *d, int to, int from, int col, int cols)
{
	cchar_t blank = display_cell_in(d, 0);

	if (from >= 0)
		mvwin_wchnstr(curscr, from, col, d->line_old, cols);
	for (int x = 0; from < 0 && x < cols; x++)
		d->line_old[x] = blank;
	mvwadd_wchnstr(curscr, to, col, d->line_old, cols);
}

/* Does to curses' idea of the terminal what the scroll does to the terminal. */
static void move_picture(struct display *d, const struct expand_scroll *s)
{
	int end = s->row + s->rows;

	for (int i = 0; i < s->rows; i++) {
		int to = s->lines > 0 ? s->row + i : end - 1 - i, from = to + s->lines;

		copy_row(d, to, from >= s->row && from < end ? from : -1, s->col, s->cols);
	}
	wtouchln(newscr, s->row, s->rows, 1);
	for (int y = s->row; y < end; y++) {
		if (d->fragile[y])
			memset(d->fragile + s->row, 1, (size_t)s->rows);
	}
}

/*
 * The rectangle itself if the terminal can; else the rows in full width, where what stands beside is put
 * right again in the same frame: without mode 2026 that would be seen.
 */
static bool choose_scroll(struct display *d, const struct surface *s, struct expand_scroll *scroll)
{
	if (expand_can_scroll(d->expand, scroll) && worthwhile(d, scroll))
		return true;
	if (!d->sync || s->cols == d->cols)
		return false;
	scroll->col = 0;
	scroll->cols = d->cols;
	return expand_can_scroll(d->expand, scroll) && worthwhile(d, scroll);
}

static void find_scroll(struct display *d, struct surface *s)
{
	struct scroll_guess guess;
	struct expand_scroll scroll;

	if (d->scroll_count == SCROLLS_MAX || !scroll_guess(s->before, s->now, s->rows, &guess))
		return;
	scroll = (struct expand_scroll){s->row + guess.first, s->col, guess.rows, s->cols, guess.lines};
	if (!choose_scroll(d, s, &scroll))
		return;
	move_picture(d, &scroll);
	d->scrolls[d->scroll_count++] = scroll;
}

void display_find_scrolls(struct display *d)
{
	for (size_t i = 0; i < d->stack_count; i++)
		find_scroll(d, d->stack[i]);
}

void display_remember_hashes(struct display *d)
{
	for (size_t i = 0; i < d->stack_count; i++)
		memcpy(d->stack[i]->before, d->stack[i]->now, (size_t)d->stack[i]->rows * sizeof(uint64_t));
}
