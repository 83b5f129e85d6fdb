/* Golden frames of what the front-end draws: tests/golden/NAME.frame (golden.h says how they are made anew).
 */
#include "cell_random.h"
#include "golden.h"

#include "ui/compose.h"
#include "ui/lineedit.h"
#include "ui/list.h"
#include "ui/popup.h"
#include "ui/sidebar.h"
#include "ui/statusline.h"

static const struct outer_caps caps = {
    .depth = DEPTH_TRUE,
    .sync = true,
    .graphemes = true,
    .scroll_region = true,
    .styled_underline = true,
    .underline_color = true,
    .strike = true,
    .overline = true,
    .hyperlinks = true,
    .cursor_shape = true,
    .cursor_color = true,
};

struct scene {
	struct display *display;
	struct outer outer;
};

static void scene_init(struct scene *s, int rows, int cols)
{
	*s = (struct scene){0};
	s->display = display_create(rows, cols, NULL);
	assert_non_null(s->display);
	display_set_caps(s->display, &caps);
	outer_reset(&s->outer, rows, cols);
}

static void scene_show(struct scene *s)
{
	AUTO_BUF out = BUF_INIT;

	display_frame(s->display, &out);
	outer_feed(&s->outer, out.data, out.len);
}

static void scene_check(struct scene *s, const char *name)
{
	scene_show(s);
	golden_check(&s->outer, name);
}

static void scene_finish(struct scene *s)
{
	display_destroy(s->display);
	outer_finish(&s->outer);
}

/* --- a session's screen --- */

struct session {
	struct screen screen;
	struct row rows[64];
	struct row *order[64];
};

static void session_init(struct session *m, int rows, int cols)
{
	m->screen = (struct screen){.rows = rows,
	    .cols = cols,
	    .row = m->order,
	    .top = 100,
	    .history_first = 0,
	    .version = 1,
	    .table = table_create(),
	    .cursor = {.visible = true}};
	for (int i = 0; i < rows; i++) {
		row_init(&m->rows[i], cols, 0);
		m->rows[i].version = 1;
		m->order[i] = &m->rows[i];
	}
}

static void session_finish(struct session *m)
{
	for (int i = 0; i < m->screen.rows; i++)
		row_finish(&m->rows[i]);
	table_destroy(m->screen.table);
}

static int session_write(struct session *m, int row, int col, const char *text, const struct style *style)
{
	struct text_cluster c;
	size_t len = strlen(text);

	for (; cluster_next(text, len, &c); text += c.bytes, len -= c.bytes) {
		put_glyph(m->order[row], col,
		    table_cluster(m->screen.table, c.cps, c.count) | (c.width == 2 ? GLYPH_WIDE : 0),
		    table_style(m->screen.table, style));
		col += c.width;
	}
	m->order[row]->version = ++m->screen.version;
	return col;
}

static const struct style plain,
    bold = {.attrs = ATTR_BOLD}, dim = {.attrs = ATTR_DIM}, orange = {.fg = COLOR_RGB(215, 119, 87)},
    added = {.fg = COLOR_RGB(220, 255, 220), .bg = COLOR_RGB(20, 60, 30)},
    removed = {.fg = COLOR_RGB(255, 220, 220), .bg = COLOR_RGB(70, 25, 30)},
    wrong = {.underline = UNDERLINE_CURLY, .underline_color = COLOR_INDEX(9)}, blue = {.fg = COLOR_INDEX(12)};

/* An agent that asks for an approval. */
static void paint_agent(struct session *m)
{
	int cols = m->screen.cols, last = m->screen.rows - 1;

	session_write(m, 0, 0, "❯ Fix the login test", &bold);
	session_write(m, 2, 0, "●", &orange);
	session_write(m, 2, 2, "Update(src/login.c)", &bold);
	session_write(m, 3, 2, "12 -  if (token = NULL)", &removed);
	session_write(m, 4, 2, "12 +  if (token == NULL)", &added);
	session_write(m, 6, 0, "The compiler warned about ", &plain);
	session_write(m, 6, 26, "tokne", &wrong);
	session_write(m, 6, 31, "; 日本語 and 👩‍💻 stay in line.", &plain);
	for (int x = 0; x < cols; x++)
		session_write(m, last - 3, x, "─", &dim);
	session_write(m, last - 2, 0, "Run make test?", &bold);
	session_write(m, last - 1, 0, "❯ 1. Yes", &blue);
	session_write(m, last, 2, "2. No, and tell the agent what to do", &plain);
	m->screen.cursor.row = last - 1;
	m->screen.cursor.col = 2;
}

static void paint_shell(struct session *m)
{
	static const char *const lines[] = {"~/src/handler $ make test", "  CC src/term/print.c",
	    "  CC src/term/scroll.c", "  LD build/asan/handler", "412 passed, 0 failed, 3 skipped",
	    "~/src/handler $ "};

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		session_write(m, (int)i, 0, lines[i], i == 4 ? &bold : &plain);
	m->screen.cursor.row = 5;
	m->screen.cursor.col = 16;
}

static const struct sidebar_item items[] = {
    {.number = 1,
	.name = "login-claude",
	.agent = "claude-code",
	.text = "approve Bash: make test",
	.age = "2m",
	.state = STATE_NEEDS_INPUT,
	.focused = true,
	.shown = true},
    {.number = 2,
	.name = "login-codex",
	.agent = "codex",
	.text = "Reading files",
	.age = "12m",
	.state = STATE_WORKING,
	.shown = true},
    {.number = 3, .name = "docs", .agent = "pi", .age = "1h", .state = STATE_DONE, .bell = true},
    {.number = 4,
	.name = "handler-shell",
	.agent = "shell",
	.text = "make bench",
	.age = "3h",
	.state = STATE_IDLE,
	.shown = true},
    {.number = 5,
	.name = "a-name-that-is-far-too-long",
	.agent = "gemini",
	.age = "4d",
	.state = STATE_UNKNOWN},
    {.number = 6,
	.name = "quota",
	.agent = "qwen",
	.text = "until 19:00",
	.age = "5m",
	.state = STATE_LIMITED},
    {.number = 12, .name = "old", .agent = "opencode", .age = "2d", .state = STATE_EXITED, .left = 2},
    {.number = 13,
	.name = "broken",
	.agent = "vibe",
	.text = "exit code 1",
	.age = "2d",
	.state = STATE_FAILED},
};

static const struct statusline_key keys[] = {{"C-b c", "new"}, {"C-b s", "find"}, {"C-b ?", "keys"}};

/* --- scenes --- */

struct whole {
	struct session agent, shell;
	struct surface *sidebar, *bottom, *lines;
	struct canvas *left, *top, *low;
	struct layout *layout;
};

static void draw_canvas(struct layout *l, struct display *d, int pane, struct canvas **c,
    const struct pane_title *title, const struct pane_view *view)
{
	struct rect at;

	assert_true(layout_rect(l, pane, &at));
	*c = canvas_create(d, at);
	canvas_title(*c, title);
	canvas_draw(*c, view);
}

static bool in_words; /* the states of the scene */

static void whole_init(struct whole *w, struct scene *s)
{
	struct sidebar_item listed[COUNT_OF(items)];
	struct rect area = {0, SIDEBAR_COLS, 29, 132 - SIDEBAR_COLS};
	struct sidebar b = {
	    .items = listed, .count = COUNT_OF(items), .view = "handler", .cursor = COUNT_OF(items)};
	struct statusline m = {
	    .hint = "C-b c starts a session", .view = "handler", .keys = keys, .key_count = COUNT_OF(keys)};
	struct pane_title t1 = {.number = 1,
	    .name = "login-claude",
	    .harness = "claude-code",
	    .text = "approve Bash: make test",
	    .state = STATE_NEEDS_INPUT,
	    .focused = true,
	    .unconfined = true};
	struct pane_title t2 = {.number = 2,
	    .name = "login-codex",
	    .harness = "codex",
	    .text = "Reading files",
	    .state = STATE_WORKING,
	    .unconfined = true};
	struct pane_title t4 = {
	    .number = 4, .name = "handler-shell", .harness = "shell", .state = STATE_IDLE};
	struct pane_view v = {0}, nothing = {.message = "starting ..."};
	int row, col;

	memcpy(listed, items, sizeof(listed));
	for (size_t i = 0; i < COUNT_OF(items); i++)
		listed[i].word = in_words ? state_look(items[i].state)->word : NULL;
	t1.word = in_words ? state_look(t1.state)->word : NULL;
	t2.word = in_words ? state_look(t2.state)->word : NULL;
	t4.word = in_words ? state_look(t4.state)->word : NULL;
	w->layout = layout_create(1);
	layout_arrange(w->layout, area);
	layout_split(w->layout, 1, true, 2);
	layout_split(w->layout, 2, false, 4);
	w->lines = surface_create(s->display, area.row, area.col, area.rows, area.cols);
	compose_dividers(w->lines, w->layout, area, 1);
	session_init(&w->agent, 28, 52);
	paint_agent(&w->agent);
	session_init(&w->shell, 13, 51);
	paint_shell(&w->shell);
	v.screen = &w->agent.screen;
	draw_canvas(w->layout, s->display, 1, &w->left, &t1, &v);
	assert_true(canvas_cursor(w->left, &v, &row, &col));
	display_cursor(s->display, row, col, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	draw_canvas(w->layout, s->display, 2, &w->top, &t2, &nothing);
	v.screen = &w->shell.screen;
	draw_canvas(w->layout, s->display, 4, &w->low, &t4, &v);
	w->sidebar = surface_create(s->display, 0, 0, 29, SIDEBAR_COLS);
	sidebar_draw(w->sidebar, &b);
	w->bottom = surface_create(s->display, 29, 0, 1, 132);
	statusline_draw(w->bottom, 0, &m);
}

static void whole_finish(struct whole *w)
{
	canvas_destroy(w->left);
	canvas_destroy(w->top);
	canvas_destroy(w->low);
	layout_destroy(w->layout);
	session_finish(&w->agent);
	session_finish(&w->shell);
}

static void panes(void **state)
{
	struct scene s;
	struct whole w;

	(void)state;
	scene_init(&s, 30, 132);
	whole_init(&w, &s);
	scene_check(&s, "panes");
	whole_finish(&w);
	scene_finish(&s);
}

static void panes_light_and_mono(void **state)
{
	struct scene s;
	struct whole w;

	(void)state;
	scene_init(&s, 30, 132);
	display_set_theme(s.display, false, false);
	whole_init(&w, &s);
	scene_check(&s, "panes-light");
	whole_finish(&w);
	display_resize(s.display, 30, 132);
	display_set_theme(s.display, true, true);
	whole_init(&w, &s);
	scene_check(&s, "panes-mono");
	whole_finish(&w);
	scene_finish(&s);
}

/* For a screen reader: the same scene with every state in words, ASCII lines and no colour of ours. */
static void panes_accessible(void **state)
{
	struct scene s;
	struct whole w;

	(void)state;
	scene_init(&s, 30, 132);
	display_set_plain(s.display, true);
	display_set_theme(s.display, true, true);
	in_words = true;
	whole_init(&w, &s);
	in_words = false;
	scene_check(&s, "panes-accessible");
	whole_finish(&w);
	scene_finish(&s);
}

static void pane_numbers(void **state)
{
	struct scene s;
	struct whole w;

	(void)state;
	scene_init(&s, 30, 132);
	whole_init(&w, &s);
	canvas_number(w.left, 1, true);
	canvas_number(w.top, 2, false);
	canvas_number(w.low, 40, false);
	display_cursor(s.display, -1, 0, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	scene_check(&s, "pane-numbers");
	whole_finish(&w);
	scene_finish(&s);
}

static void a_dialog(void **state)
{
	static const struct popup_key popup_keys[] = {
	    {"Enter", "start"}, {"Tab", "next field"}, {"Esc", "leave"}};
	static const struct list_item agents[] = {
	    {.id = 1, .heading = true, .text = "your agents"},
	    {.id = 2,
		.symbol = "●",
		.symbol_role = ROLE_DONE,
		.text = "reviewer",
		.detail = "reviews, never edits",
		.right = "claude-code"},
	    {.id = 3, .heading = true, .text = "harnesses"},
	    {.id = 4, .symbol = "●", .symbol_role = ROLE_DONE, .text = "claude-code", .right = "2.1.332"},
	    {.id = 5, .symbol = "●", .symbol_role = ROLE_DONE, .text = "codex", .right = "0.171.0"},
	    {.id = 6,
		.symbol = "○",
		.symbol_role = ROLE_DIM,
		.text = "gemini",
		.detail = "not installed",
		.disabled = true},
	};
	struct list *list = list_create();
	struct lineedit *dir = lineedit_create(false), *prompt = lineedit_create(true);
	struct surface *p;
	struct scene s;
	struct whole w;
	int row, col;

	(void)state;
	scene_init(&s, 30, 132);
	whole_init(&w, &s);
	p = popup_create(s.display, 17, 66);
	popup_frame(p, "New session", popup_keys, COUNT_OF(popup_keys));
	list_set_items(list, agents, COUNT_OF(agents));
	assert_true(list_select(list, 4));
	list_draw(list, p, 1, 2, 7, popup_cols(p), NULL);
	surface_text(p, 9, 2, 11, "Directory", ROLE_DIM);
	lineedit_set(dir, "~/src/handler");
	lineedit_draw(dir, p, 9, 13, 1, popup_cols(p) - 11, NULL, ROLE_INPUT, NULL, NULL);
	surface_text(p, 11, 2, 11, "Prompt", ROLE_DIM);
	lineedit_set(
	    prompt, "Fix the login test,\nthen run all of them and say which ones were wrong before.");
	lineedit_draw(prompt, p, 11, 13, 3, popup_cols(p) - 11, NULL, ROLE_INPUT, &row, &col);
	popup_text(p, 15, 2, 2, popup_cols(p),
	    "handler new claude-code -C ~/src/handler -p 'Fix the login test, ...'", ROLE_DIM);
	display_cursor(
	    s.display, surface_row(p) + row, surface_col(p) + col, CURSOR_BAR, true, COLOR_DEFAULT);
	scene_check(&s, "dialog");
	surface_destroy(p);
	list_destroy(list);
	lineedit_destroy(dir);
	lineedit_destroy(prompt);
	whole_finish(&w);
	scene_finish(&s);
}

/* Dense, with groups, more than there is room for; the chosen item is in view. */
static void a_long_sidebar(void **state)
{
	struct sidebar_item many[20];
	struct sidebar b = {
	    .items = many, .count = COUNT_OF(many), .view = "a view with a long name", .cursor = 17};
	struct surface *side;
	struct scene s;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(many); i++) {
		many[i] = items[i % COUNT_OF(items)];
		many[i].number = (int)i + 1;
		many[i].focused = i == 2;
		many[i].group = i < 10 ? "handler" : "website";
	}
	scene_init(&s, 14, SIDEBAR_COLS);
	side = surface_create(s.display, 0, 0, 14, SIDEBAR_COLS);
	b.top = sidebar_follow(&b, 14);
	sidebar_draw(side, &b);
	assert_int_equal(sidebar_hit(&b, 14, 0), -1);
	scene_check(&s, "sidebar-dense");
	scene_finish(&s);
}

static void bottom_lines(void **state)
{
	static const struct statusline models[] = {
	    {.hint = "a hint", .view = "handler", .keys = keys, .key_count = 3},
	    {.message = "Closed the pane; docs goes on.",
		.message_role = ROLE_STATUS,
		.view = "handler",
		.keys = keys,
		.key_count = 3},
	    {.message = "A message that is much longer than all of the line has columns for it, so that it "
			"is cut",
		.message_role = ROLE_ERROR,
		.keys = keys,
		.key_count = 3},
	    {.items = items, .count = COUNT_OF(items), .keys = keys + 2, .key_count = 1},
	    {.mode = "HISTORY",
		.mode_role = ROLE_HISTORY,
		.hint = "1204 rows above",
		.keys = keys,
		.key_count = 3},
	    {.mode = "TYPING INTO ALL 3 PANES",
		.mode_role = ROLE_WARNING,
		.items = items,
		.count = 3,
		.keys = keys,
		.key_count = 3},
	};
	struct surface *line;
	struct scene s;

	(void)state;
	scene_init(&s, COUNT_OF(models), 80);
	line = surface_create(s.display, 0, 0, COUNT_OF(models), 80);
	for (size_t i = 0; i < COUNT_OF(models); i++)
		statusline_draw(line, (int)i, &models[i]);
	scene_check(&s, "bottom-lines");
	scene_finish(&s);
}

/* A session larger than its pane, and one smaller. */
static void viewports(void **state)
{
	struct pane_title t = {
	    .number = 1, .name = "shared", .state = STATE_WORKING, .badge = "sized elsewhere"};
	struct session m, small;
	struct pane_view v = {0};
	struct canvas *a, *b;
	struct scene s;

	(void)state;
	scene_init(&s, 12, 80);
	session_init(&m, 28, 52);
	paint_agent(&m);
	session_init(&small, 6, 30);
	session_write(&small, 0, 0, "handler $ ls", &plain);
	a = canvas_create(s.display, (struct rect){0, 0, 12, 30});
	b = canvas_create(s.display, (struct rect){0, 31, 12, 49});
	v.screen = &m.screen;
	canvas_title(a, &t);
	canvas_draw(a, &v);
	v.screen = &small.screen;
	canvas_title(b, &t);
	canvas_draw(b, &v);
	scene_check(&s, "viewports");
	m.screen.cursor.col = 48; /* far right: the viewport follows */
	v.screen = &m.screen;
	canvas_draw(a, &v);
	scene_check(&s, "viewports-right");
	canvas_destroy(a);
	canvas_destroy(b);
	session_finish(&m);
	session_finish(&small);
	scene_finish(&s);
}

static const struct row *past_row(void *context, uint64_t number)
{
	struct session *past = context;

	return number >= 90 && number < 100 ? past->order[number - 90] : NULL;
}

/* Rows 86-89 are not here yet; a selection over three rows, two hits, one of them the current one. */
static void history(void **state)
{
	struct pane_title t = {.number = 1,
	    .name = "login",
	    .state = STATE_DONE,
	    .focused = true,
	    .badge = " history ",
	    .badge_role = ROLE_HISTORY};
	struct search_match hits[] = {{{91, 8}, {91, 11}}, {{96, 8}, {96, 11}}};
	struct position cursor = {96, 8};
	struct selection selection;
	struct session m, past;
	struct pane_view v = {0};
	struct canvas *c;
	struct scene s;
	int row, col;

	(void)state;
	scene_init(&s, 18, 50);
	session_init(&m, 16, 40);
	paint_shell(&m);
	session_init(&past, 10, 40);
	table_destroy(past.screen.table);
	past.screen.table = m.screen.table; /* as a mirror's history rows have it */
	for (int i = 0; i < 10; i++) {
		char text[64];

		snprintf(text, sizeof(text), "row %d of what was said 日本語", 90 + i);
		session_write(&past, i, 0, text, i % 2 ? &orange : &plain);
	}
	c = canvas_create(s.display, (struct rect){0, 0, 18, 50});
	select_start(&selection, SELECT_CHARACTERS, (struct position){93, 24}, NULL);
	select_extend(&selection, (struct position){95, 5}, NULL);
	v = (struct pane_view){.screen = &m.screen,
	    .scrolled = true,
	    .first = {86, 0},
	    .width = 40,
	    .history = past_row,
	    .context = &past,
	    .selection = &selection,
	    .matches = hits,
	    .match_count = 2,
	    .current = &hits[1],
	    .copy_cursor = &cursor};
	canvas_title(c, &t);
	canvas_draw(c, &v);
	assert_true(canvas_cursor(c, &v, &row, &col));
	assert_int_equal(row, 1 + 10);
	assert_int_equal(col, 8);
	display_cursor(s.display, row, col, CURSOR_BLOCK, false, COLOR_DEFAULT);
	scene_check(&s, "history");
	canvas_destroy(c);
	past.screen.table = NULL;
	session_finish(&m);
	session_finish(&past);
	scene_finish(&s);
}

static void titles(void **state)
{
	struct pane_title t = {.number = 3,
	    .name = "a-session",
	    .harness = "claude-code",
	    .text = "approve Bash: rm -rf build",
	    .state = STATE_NEEDS_INPUT,
	    .unconfined = true,
	    .zoomed = true,
	    .focused = true};
	static const int widths[] = {80, 60, 44, 30, 20, 10};
	struct canvas *c[2 * COUNT_OF(widths)];
	struct scene s;

	(void)state;
	scene_init(&s, 2 * COUNT_OF(widths), 80);
	for (size_t i = 0; i < COUNT_OF(c); i++) {
		c[i] = canvas_create(s.display, (struct rect){(int)i, 0, 1, widths[i / 2]});
		t.badge = i % 2 ? "mirror" : NULL;
		t.input_all = i % 2;
		canvas_title(c[i], &t);
	}
	scene_check(&s, "titles");
	for (size_t i = 0; i < COUNT_OF(c); i++)
		canvas_destroy(c[i]);
	scene_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(panes),
	    cmocka_unit_test(panes_light_and_mono),
	    cmocka_unit_test(panes_accessible),
	    cmocka_unit_test(pane_numbers),
	    cmocka_unit_test(a_dialog),
	    cmocka_unit_test(a_long_sidebar),
	    cmocka_unit_test(bottom_lines),
	    cmocka_unit_test(viewports),
	    cmocka_unit_test(history),
	    cmocka_unit_test(titles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
