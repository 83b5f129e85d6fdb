/*
 * History of the alternate screen, with stand-ins for the interfaces of agents: a conversation that grows,
 * shown in a part of the screen between a title and an input line, with a spinner, a footer and a sidebar
 * that change at will, drawn in all the ways there are.  Whatever leaves the screen at the top must stand in
 * history once and in order, and nothing else.
 */
#include "term_random.h"

enum drawing {
	DRAW_CLEARED,  /* clear, then every row */
	DRAW_ROWS,     /* every row, erased to its end */
	DRAW_CHANGED,  /* rows that changed */
	DRAW_SCROLLED, /* SU or SD inside margins, then rows that changed */
	DRAWINGS
};

enum { LINES_MAX = 4000, WIDEST = 400 };

struct agent {
	struct term *term;
	struct history *history;
	struct random random;
	enum drawing drawing;
	bool synchronized;
	int rows, cols, title, sidebar; /* rows of the title, columns of the sidebar */
	int composer;                   /* rows of the input */
	bool cursor;                    /* shown, in the input */
	bool wraps;                     /* lines may be longer than the screen is wide */
	bool anchored;                  /* the input stands at the bottom, else it follows the text */
	char *line[LINES_MAX];
	int count;  /* lines of the conversation */
	int base;   /* those before it were cleared away */
	char **row; /* what they are at the present width: from `base` on */
	int row_count;
	int first;              /* row at the top of the part that scrolls */
	int highest;            /* of `first` */
	const char *help;       /* shown instead of all */
	int spinner;            /* 0: none is shown */
	int drawn_first, input; /* row of the input */
	char **drawn;           /* what the program has drawn, row by row */
};

static char **rows_new(const struct agent *a)
{
	char **row = mem_zalloc((size_t)a->rows, sizeof(*row));

	for (int i = 0; i < a->rows; i++)
		row[i] = mem_strdup("");
	return row;
}

static void rows_free(char **row, int rows)
{
	for (int i = 0; i < rows && row; i++)
		free(row[i]);
	free(row);
}

static void agent_init(struct agent *a, uint64_t seed)
{
	struct random r = {seed * 0x9e3779b97f4a7c15u + 1};

	*a = (struct agent){.random = r};
	a->rows = 22 + (int)below(&a->random, 30);
	a->cols = 60 + (int)below(&a->random, 60);
	a->drawing = below(&a->random, DRAWINGS);
	a->synchronized = below(&a->random, 4) > 0;
	a->title = (int)below(&a->random, 3);
	a->sidebar = below(&a->random, 3) == 0 ? 20 : 0;
	a->composer = 3 + (int)below(&a->random, 2);
	a->anchored = below(&a->random, 2);
	a->cursor = below(&a->random, 2);
}

static void agent_start(struct agent *a)
{
	struct term_options o = {.rows = a->rows, .cols = a->cols, .version = "handler(0.0.0)"};

	a->history = o.history = history_create(-1, NULL, 10000, NULL);
	a->term = term_create(&o, NULL);
	term_feed(a->term, "$ agent\r\n\033[?1049h", 17, 0);
}

static void agent_finish(struct agent *a)
{
	for (int i = 0; i < a->count; i++)
		free(a->line[i]);
	rows_free(a->row, a->row_count);
	rows_free(a->drawn, a->rows);
	term_destroy(a->term);
	history_destroy(a->history);
}

/* --- what it shows --- */

/* Rows of the part that scrolls. */
static int body(const struct agent *a)
{
	return a->rows - a->title - a->composer - 1 - 2;
}

/* Columns of the text. */
static int width(const struct agent *a)
{
	return a->cols - (a->sidebar ? a->sidebar + 1 : 0) - 2;
}

static int rows_of(const char *line, int columns)
{
	int len = (int)strlen(line);

	return len == 0 ? 1 : (len + columns - 1) / columns;
}

/* Breaks the lines for the width that there is. */
static void wrap(struct agent *a)
{
	rows_free(a->row, a->row_count);
	a->row = NULL;
	a->row_count = 0;
	for (int i = a->base; i < a->count; i++) {
		int n = rows_of(a->line[i], width(a));

		a->row = mem_realloc(a->row, (size_t)(a->row_count + n), sizeof(*a->row));
		for (int k = 0; k < n; k++) {
			const char *from = a->line[i] + (size_t)k * (size_t)width(a);

			a->row[a->row_count++] = mem_strndup(from, strnlen(from, (size_t)width(a)));
		}
	}
}

static int newest_first(struct agent *a)
{
	int shown = body(a) - (a->spinner ? 2 : 0);

	wrap(a);
	return a->row_count > shown ? a->row_count - shown : 0;
}

static void say(struct agent *a, const char *text)
{
	size_t most = a->wraps ? strlen(text) : (size_t)width(a),
	       len = strlen(text) < most ? strlen(text) : most;

	assert_true(a->count < LINES_MAX);
	while (len > 0 && text[len - 1] == ' ')
		len--;
	a->line[a->count++] = mem_strndup(text, len);
}

/* Lines like those of an answer: text, lists, blank ones, code with its closing brackets. */
static void say_something(struct agent *a, int lines)
{
	static const char *const words[] = {"the", "request", "handler", "returns", "early", "src/main.c",
	    "when", "queue", "is", "empty", "so", "nothing", "waits", "for"};
	char text[800];

	for (; lines > 0; lines--) {
		uint32_t kind = below(&a->random, 12);
		int len = snprintf(text, sizeof(text),
		    kind == 1                ? "  - %d"
		    : kind == 2 && !a->wraps ? "\xe2\x97\x8f Bash(ls %d)"
					     : "  %d",
		    a->count);

		if (kind == 0) {
			say(a, "");
			continue;
		}
		if (kind == 3) {
			say(a, "  }");
			continue;
		}
		for (int n = (int)below(&a->random, a->wraps ? 40 : 6); n > 0; n--)
			len += snprintf(text + len, sizeof(text) - (size_t)len, " %s",
			    words[below(&a->random, COUNT_OF(words))]);
		say(a, text);
	}
}

static void put(char **row, int i, const char *text)
{
	free(row[i]);
	row[i] = mem_strdup(text);
}

static char **compose(struct agent *a)
{
	static const char *const turning[] = {
	    "\xe2\xa0\x8b", "\xe2\xa0\x99", "\xe2\x9c\xbb", "*", "\xc2\xb7"};
	char **row = rows_new(a), text[400];
	int at = a->title, end = a->title + body(a);

	for (int i = 0; a->help && i < a->rows - 1; i++) {
		snprintf(text, sizeof(text), "%s %d", a->help, i);
		put(row, i, text);
	}
	if (a->help)
		return row;
	for (int i = 0; i < a->title; i++) {
		snprintf(text, sizeof(text),
		    i == 0 ? "agent in ~/src, %u tokens" : "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80",
		    below(&a->random, 90000));
		put(row, i, text);
	}
	wrap(a);
	for (int i = a->first; i < a->row_count && at < end - (a->spinner ? 2 : 0); i++)
		put(row, at++, a->row[i]);
	if (a->spinner) {
		snprintf(text, sizeof(text), "%s Thinking (%ds)",
		    turning[below(&a->random, COUNT_OF(turning))], a->spinner++);
		put(row, at + 1, text);
		at += 2;
	}
	if (a->anchored)
		at = end;
	put(row, at + 1, "\xe2\x95\xad\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x95\xae");
	a->input = at + 2;
	put(row, at + 2, "\xe2\x94\x82 > what is typed");
	put(row, at + a->composer, "\xe2\x95\xb0\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x95\xaf");
	snprintf(text, sizeof(text), "  ? for shortcuts, %u%% left", below(&a->random, 100));
	put(row, at + a->composer + 1, text);
	return row;
}

static void put_row(struct agent *a, struct buf *out, int i, const char *text)
{
	buf_printf(out, "\033[%d;1H\033[K%s", i + 1, text);
	if (a->sidebar > 0)
		buf_printf(out, "\033[%d;%dH\xe2\x94\x82 %.*s", i + 1, a->cols - a->sidebar + 1, i * 7 % 11,
		    &"context 12%, two files changed"[i % 19]);
}

static void draw_scrolled(struct agent *a, struct buf *out)
{
	int by = a->first - a->drawn_first, top = a->title, rows = body(a);
	char **old = a->drawn;

	if (a->drawing != DRAW_SCROLLED || by == 0 || abs(by) >= rows || !old || a->sidebar)
		return;
	buf_printf(out, "\033[%d;%dr\033[%d%c\033[r", top + 1, top + rows, abs(by), by > 0 ? 'S' : 'T');
	a->drawn = rows_new(a);
	for (int i = 0; i < a->rows; i++) {
		bool inside = i >= top && i < top + rows;
		int from = inside ? i + by : i;

		if (!inside || (from >= top && from < top + rows))
			put(a->drawn, i, old[from]);
	}
	rows_free(old, a->rows);
}

/* One frame. */
static void draw(struct agent *a)
{
	AUTO_BUF out = BUF_INIT;
	char **now = compose(a);

	if (a->synchronized)
		buf_adds(&out, "\033[?2026h");
	if (a->drawing == DRAW_CLEARED)
		buf_adds(&out, "\033[H\033[2J");
	draw_scrolled(a, &out);
	for (int i = 0; i < a->rows; i++) {
		if (a->drawing <= DRAW_ROWS || !a->drawn || strcmp(a->drawn[i], now[i]) != 0)
			put_row(a, &out, i, now[i]);
	}
	buf_printf(&out, "\033[?25%c\033[%d;10H", a->cursor ? 'h' : 'l', a->input + 1);
	if (a->synchronized)
		buf_adds(&out, "\033[?2026l");
	rows_free(a->drawn, a->rows);
	a->drawn = now;
	a->drawn_first = a->first;
	if (!a->help && a->first > a->highest)
		a->highest = a->first;
	term_feed(a->term, out.data, out.len, 0);
	term_rest(a->term);
}

static void draw_newest(struct agent *a)
{
	a->first = newest_first(a);
	draw(a);
}

/* A turn whose answer comes by at most `most` lines a frame. */
static void turn(struct agent *a, int lines, int most)
{
	a->spinner = 1;
	while (lines > 0) {
		int n = 1 + (int)below(&a->random, (uint32_t)most);

		n = n < lines ? n : lines;
		lines -= n;
		say_something(a, n);
		draw_newest(a);
		if (below(&a->random, 3) == 0)
			draw_newest(a);
	}
	a->spinner = 0;
	draw_newest(a);
	term_turn_ended(a->term);
}

/* --- what history must hold --- */

static void add_history(const struct agent *a, struct buf *out)
{
	const struct screen *s = term_screen(a->term);
	struct row row;

	row_init(&row, SCREEN_MAX_COLS, 0);
	for (uint64_t n = history_first(a->history); n < history_end(a->history); n++) {
		history_row(a->history, n, s->table, &row);
		if (row.flags & ROW_SEEN) {
			row_text(&row, s->table, 0, row.cols, true, out);
			buf_addc(out, '\n');
		}
	}
	row_finish(&row);
}

static void add_lines(const struct agent *a, int from, int to, struct buf *out)
{
	for (int i = from; i < to; i++)
		buf_printf(out, "%s\n", a->line[i]);
}

static void describe_agent(const struct agent *a, char out[200])
{
	snprintf(out, 200, "%dx%d, drawing %d, synchronized %d, title %d, sidebar %d, anchored %d, cursor %d",
	    a->rows, a->cols, a->drawing, a->synchronized, a->title, a->sidebar, a->anchored, a->cursor);
}

static void compare_text(const struct agent *a, uint64_t seed, const char *is, const char *wanted)
{
	char who[200];
	size_t at = 0, start;
	int line = 0;

	if (strcmp(is, wanted) == 0)
		return;
	describe_agent(a, who);
	while (is[at] && is[at] == wanted[at])
		line += is[at++] == '\n';
	for (start = at; start > 0 && at - start < 120; start--)
		;
	fail_msg("seed %llu (%s): from line %d on there is\n...%.*s...\nshould be\n...%.*s...",
	    (unsigned long long)seed, who, line, (int)(at - start) + 150, is + start, (int)(at - start) + 150,
	    wanted + start);
}

static void compare(const struct agent *a, uint64_t seed, const struct buf *wanted)
{
	AUTO_BUF is = BUF_INIT;

	add_history(a, &is);
	compare_text(a, seed, is.data, wanted->data);
}

static void expect_lines(const struct agent *a, uint64_t seed, int count)
{
	AUTO_BUF wanted = BUF_INIT;

	add_lines(a, 0, count, &wanted);
	compare(a, seed, &wanted);
}

/* --- tests --- */

enum { SEEDS = 12 };

static void what_scrolls_off_is_there_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct agent a;

		agent_init(&a, seed);
		agent_start(&a);
		draw(&a);
		for (int i = 0; i < 6; i++)
			turn(&a, 5 + (int)below(&a.random, 40),
			    1 + (int)below(&a.random, (uint32_t)body(&a) / 2));
		expect_lines(&a, seed, a.first);
		agent_finish(&a);
	}
}

static void scroll_to(struct agent *a, int first)
{
	int newest = newest_first(a);

	a->first = first < 0 ? 0 : first > newest ? newest : first;
	draw(a);
}

/* By the wheel, by half pages and pages with a line in common. */
static void wander(struct agent *a, int steps)
{
	for (; steps > 0; steps--) {
		int by[] = {1, 3, 3, body(a) / 2, body(a) - 1};
		int n = by[below(&a->random, COUNT_OF(by))];

		scroll_to(a, a->first + (below(&a->random, 2) ? n : -n));
	}
}

static void scroll_down(struct agent *a)
{
	while (a->first < newest_first(a))
		scroll_to(a, a->first + 1 + (int)below(&a->random, (uint32_t)body(a) - 3));
}

static void scrolling_back_and_forth_adds_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct agent a;

		agent_init(&a, seed);
		agent_start(&a);
		draw(&a);
		for (int i = 0; i < 4; i++) {
			turn(&a, 20 + (int)below(&a.random, 40), 1 + (int)below(&a.random, 6));
			wander(&a, 12);
			scroll_down(&a);
		}
		expect_lines(&a, seed, a.first);
		agent_finish(&a);
	}
}

/* The same while the answer goes on, and with jumps to anywhere and to the end. */
static void jumps_lose_and_add_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct agent a;

		agent_init(&a, seed);
		agent_start(&a);
		draw(&a);
		turn(&a, 3 * body(&a), 1 + (int)below(&a.random, 6));
		for (int i = 0; i < 8; i++) {
			wander(&a, (int)below(&a.random, 4));
			scroll_to(&a, (int)below(&a.random, (uint32_t)a.count));
			wander(&a, (int)below(&a.random, 4));
			if (below(&a.random, 2))
				say_something(&a, 1 + (int)below(&a.random, (uint32_t)body(&a) / 2));
			draw_newest(&a);
			if (below(&a.random, 2))
				turn(&a, 1 + (int)below(&a.random, 20), 3);
		}
		expect_lines(&a, seed, a.first);
		agent_finish(&a);
	}
}

/* --- pages that are replaced --- */

/* History and, below it, the conversation on the screen, without blank rows. */
static void add_text(const struct agent *a, bool with_screen, struct buf *out)
{
	AUTO_BUF all = BUF_INIT;
	char *save = NULL;

	add_history(a, &all);
	for (int i = a->first; with_screen && i < a->row_count && i < a->first + body(a); i++)
		buf_printf(&all, "%s\n", a->row[i]);
	for (char *line = strtok_r(all.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		buf_printf(out, "%s\n", line);
}

static void add_text_of_lines(const struct agent *a, struct buf *out)
{
	for (int i = 0; i < a->count; i++) {
		if (*a->line[i])
			buf_printf(out, "%s\n", a->line[i]);
	}
}

static void leave(struct agent *a)
{
	term_feed(a->term, "\033[?1049l", 8, 0);
}

/* A conversation that fits on the screen, cleared by the user; then the next one. */
static void what_a_turn_left_is_kept_when_it_is_cleared(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		AUTO_BUF is = BUF_INIT;
		AUTO_BUF wanted = BUF_INIT;
		struct agent a;

		agent_init(&a, seed);
		a.sidebar = 0; /* what scrolls is not known before something has scrolled */
		agent_start(&a);
		draw(&a);
		for (int i = 0; i < 5; i++) {
			turn(&a, 3 + (int)below(&a.random, (uint32_t)body(&a) - 6), 3);
			if (below(&a.random, 3) == 0)
				turn(&a, 3, 3);
			a.base = a.count;
			a.first = 0;
			draw(&a);
		}
		turn(&a, 4, 2);
		leave(&a);
		add_text(&a, false, &is);
		add_text_of_lines(&a, &wanted);
		compare_text(&a, seed, is.data, wanted.data);
		agent_finish(&a);
	}
}

static void what_only_passes_is_not_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct agent a;

		agent_init(&a, seed);
		a.sidebar = 0;
		agent_start(&a);
		draw(&a);
		for (int i = 0; i < 5; i++) {
			turn(&a, 5 + (int)below(&a.random, 40), 3);
			a.help = "what the help says in row";
			draw(&a);
			draw(&a);
			if (below(&a.random, 2)) {
				a.help = "and another page of it in row";
				draw(&a);
			}
			a.help = NULL;
			draw_newest(&a);
		}
		expect_lines(&a, seed, a.first);
		agent_finish(&a);
	}
}

static void resize(struct agent *a, int rows, int cols)
{
	rows_free(a->drawn, a->rows);
	a->drawn = NULL;
	a->rows = rows;
	a->cols = cols;
	term_resize(a->term, rows, cols);
	a->first = newest_first(a);
	draw(a);
}

static void letters(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (*text != ' ' && *text != '\n')
			buf_addc(out, *text);
	}
}

static void expect_letters(const struct agent *a, uint64_t seed)
{
	AUTO_BUF is = BUF_INIT;
	AUTO_BUF wanted = BUF_INIT;
	AUTO_BUF is_letters = BUF_INIT;
	AUTO_BUF wanted_letters = BUF_INIT;

	add_text(a, true, &is);
	add_text_of_lines(a, &wanted);
	letters(is.data, &is_letters);
	letters(wanted.data, &wanted_letters);
	compare_text(a, seed, is_letters.data, wanted_letters.data);
}

/* Each line is broken anew, more or fewer of them are on the screen: each letter is there once. */
static void resizes_lose_and_add_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct agent a;

		agent_init(&a, seed);
		a.sidebar = 0;
		a.wraps = true;
		agent_start(&a);
		draw(&a);
		for (int i = 0; i < 5; i++) {
			turn(&a, 10 + (int)below(&a.random, 20), 2);
			resize(&a, 24 + (int)below(&a.random, 26), 60 + (int)below(&a.random, 70));
			expect_letters(&a, seed);
			if (below(&a.random, 2))
				resize(&a, 24 + (int)below(&a.random, 26), a.cols);
			expect_letters(&a, seed);
			if (below(&a.random, 2))
				resize(&a, a.rows, 60 + (int)below(&a.random, 70));
			expect_letters(&a, seed);
		}
		agent_finish(&a);
	}
}

/* --- a worker that died --- */

static void replace(struct agent *a)
{
	struct term_options o = {.history = a->history, .version = "handler(0.0.0)"};
	AUTO_BUF saved = BUF_INIT;

	term_save(a->term, &saved);
	term_destroy(a->term);
	a->term = term_load(&o, saved.data, saved.len, NULL);
	assert_non_null(a->term);
}

static void live(struct agent *a, uint64_t seed, bool replaced)
{
	agent_init(a, seed);
	agent_start(a);
	draw(a);
	for (int i = 0; i < 4; i++) {
		turn(a, 5 + (int)below(&a->random, 60), 4);
		if (replaced)
			replace(a);
		wander(a, 3);
		if (replaced)
			replace(a);
		scroll_to(a, (int)below(&a->random, (uint32_t)a->count));
		if (replaced)
			replace(a);
		draw_newest(a);
	}
	leave(a);
}

/* Where nothing is held, kept or shown there is nothing to look for: blank pages, one after the other. */
static void blank_pages_find_nothing(void **state)
{
	static const char *const pages[] = {"\033[?2026h\033[2J\033[?2026l",
	    "\033P=1s\033\\\033[H\033[J\033P=2s\033\\", "\033[?1049l\033[?1049h",
	    "\033[?2026h\033[H \033[?2026l"};
	struct agent a;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		agent_init(&a, seed);
		agent_start(&a);
		for (size_t i = 0; i < 4 * COUNT_OF(pages); i++) {
			const char *page = pages[(i * (seed + 1) + seed) % COUNT_OF(pages)];

			term_feed(a.term, page, strlen(page), 0);
			if (i % 5 == 4)
				term_resize(a.term, a.rows + (int)i % 3, a.cols);
		}
		assert_int_equal(history_end(a.history), 0);
		agent_finish(&a);
	}
}

static void saved_and_loaded_it_goes_on(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct agent a, b;
		AUTO_BUF wanted = BUF_INIT;

		live(&a, seed, false);
		live(&b, seed, true);
		add_history(&a, &wanted);
		compare(&b, seed, &wanted);
		agent_finish(&a);
		agent_finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_scrolls_off_is_there_once),
	    cmocka_unit_test(scrolling_back_and_forth_adds_nothing),
	    cmocka_unit_test(jumps_lose_and_add_nothing),
	    cmocka_unit_test(what_a_turn_left_is_kept_when_it_is_cleared),
	    cmocka_unit_test(what_only_passes_is_not_kept),
	    cmocka_unit_test(resizes_lose_and_add_nothing),
	    cmocka_unit_test(blank_pages_find_nothing),
	    cmocka_unit_test(saved_and_loaded_it_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
