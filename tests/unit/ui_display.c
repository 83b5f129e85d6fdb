/*
 * Surfaces drawn at random, by frames sent to a strict little terminal, which must show exactly what a simple
 * model of the same surfaces shows.
 */
#include "cell_random.h"
#include "outer.h"

#include "ui/display.h"
#include "ui/widths.h"
#include "ui/expand.h"

static const struct outer_caps full_caps = {
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
    .dark = true,
};

/* --- the model --- */

struct picture {
	int rows, cols;
	struct outer_cell *cells;
};

struct model_surface {
	struct surface *surface;
	int row, col;
	struct picture picture;
};

enum { SURFACES = 6 };

struct model {
	struct display *display;
	struct cell_table *table;
	struct outer outer;
	struct model_surface stack[SURFACES]; /* the last lies above */
	int count;
	struct random random;
};

static struct outer_cell *at(const struct picture *p, int row, int col)
{
	return &p->cells[row * p->cols + col];
}

static void blank_cell(struct outer_cell *c)
{
	memset(c, 0, sizeof(*c));
	c->text[0] = ' ';
}

static void picture_init(struct picture *p, int rows, int cols)
{
	p->rows = rows;
	p->cols = cols;
	p->cells = mem_zalloc((size_t)rows * (size_t)cols, sizeof(*p->cells));
	for (int i = 0; i < rows * cols; i++)
		blank_cell(&p->cells[i]);
}

static bool is_wide_text(const char *text)
{
	struct text_cluster c;

	return cluster_next(text, strlen(text), &c) && c.width == 2;
}

/* A half without its other half is a blank that keeps the style. */
static void blank_half_cells(struct picture *p)
{
	for (int y = 0; y < p->rows; y++) {
		for (int x = 0; x < p->cols; x++) {
			struct outer_cell *c = at(p, y, x);

			if (is_wide_text(c->text) && x + 1 < p->cols && !at(p, y, x + 1)->text[0]) {
				x++;
				continue;
			}
			if (is_wide_text(c->text) || !c->text[0])
				snprintf(c->text, OUTER_TEXT, " ");
		}
	}
}

static void model_cell(
    const struct cell_table *t, const struct cell *cell, struct outer_cell *out, enum theme_role overlay)
{
	struct buf text = BUF_INIT;
	const char *uri;

	memset(out, 0, sizeof(*out));
	table_glyph_utf8(t, cell->glyph, &text);
	snprintf(out->text, OUTER_TEXT, "%s", text.data);
	out->style = *table_style_value(t, cell->style);
	uri = table_link_uri(t, out->style.link);
	if (uri)
		snprintf(out->uri, OUTER_URI, "%s", uri);
	out->style.link = 0;
	if (overlay != ROLE_NONE)
		out->style = theme_merge(&out->style, theme_style(overlay, true, false));
	buf_free(&text);
}

static void compose(const struct model *m, struct picture *p)
{
	picture_init(p, display_rows(m->display), display_cols(m->display));
	for (int i = 0; i < m->count; i++) {
		const struct model_surface *s = &m->stack[i];

		for (int y = 0; y < s->picture.rows; y++) {
			for (int x = 0; x < s->picture.cols; x++) {
				if (s->row + y < p->rows && s->col + x < p->cols)
					*at(p, s->row + y, s->col + x) = *at(&s->picture, y, x);
			}
		}
	}
	blank_half_cells(p);
}

/* What can be seen of a style: nothing of the text's colour on a blank, no underline colour without an
 * underline. */
static struct style seen(const struct outer_cell *c)
{
	struct style s = c->style;

	s.attrs &= (uint16_t)~ATTR_PROTECTED;
	if (s.underline == UNDERLINE_NONE)
		s.underline_color = COLOR_DEFAULT;
	if (strcmp(c->text, " ") != 0)
		return s;
	s.attrs &= ATTR_REVERSE | ATTR_STRIKE | ATTR_OVERLINE;
	if (!s.attrs && s.underline == UNDERLINE_NONE)
		s.fg = COLOR_DEFAULT;
	return s;
}

static void assert_shown(const struct outer *o, const struct picture *p)
{
	for (int i = 0; i < p->rows * p->cols; i++) {
		struct style want = seen(&p->cells[i]), have = seen(&o->cells[i]);

		if (strcmp(p->cells[i].text, o->cells[i].text) != 0 ||
		    memcmp(&want, &have, sizeof(want)) != 0 ||
		    strcmp(p->cells[i].uri, o->cells[i].uri) != 0) {
			fail_msg(
			    "row %d column %d: [%s] should be [%s]; fg %x %x bg %x %x attrs %x %x uri %s %s",
			    i / p->cols, i % p->cols, o->cells[i].text, p->cells[i].text, have.fg, want.fg,
			    have.bg, want.bg, have.attrs, want.attrs, o->cells[i].uri, p->cells[i].uri);
		}
	}
}

static void check_frame(struct model *m)
{
	struct buf out = BUF_INIT;
	struct picture p;

	display_frame(m->display, &out);
	outer_feed(&m->outer, out.data, out.len);
	compose(m, &p);
	assert_shown(&m->outer, &p);
	free(p.cells);
	buf_clear(&out);
	assert_false(display_frame(m->display, &out)); /* nothing changed: nothing is sent */
	buf_free(&out);
}

/* --- random changes, the same to both --- */

static void drop_surfaces(struct model *m, bool display_too)
{
	while (m->count > 0) {
		struct model_surface *s = &m->stack[--m->count];

		if (display_too)
			surface_destroy(s->surface);
		free(s->picture.cells);
	}
}

static void add_surface(struct model *m)
{
	struct model_surface *s;
	int rows = 1 + random_below(&m->random, display_rows(m->display)),
	    cols = 1 + random_below(&m->random, display_cols(m->display));

	if (m->count == SURFACES)
		return;
	s = &m->stack[m->count++];
	s->row = random_below(&m->random, display_rows(m->display));
	s->col = random_below(&m->random, display_cols(m->display));
	s->surface = surface_create(m->display, s->row, s->col, rows, cols);
	assert_int_equal(surface_row(s->surface), s->row);
	assert_int_equal(surface_col(s->surface), s->col);
	picture_init(&s->picture, surface_rows(s->surface), surface_cols(s->surface));
}

static void remove_surface(struct model *m)
{
	int i = random_below(&m->random, m->count);

	surface_destroy(m->stack[i].surface);
	free(m->stack[i].picture.cells);
	m->count--;
	memmove(&m->stack[i], &m->stack[i + 1], (size_t)(m->count - i) * sizeof(m->stack[0]));
}

static void raise_surface(struct model *m)
{
	int i = random_below(&m->random, m->count);
	struct model_surface s = m->stack[i];

	surface_raise(s.surface);
	memmove(&m->stack[i], &m->stack[i + 1], (size_t)(m->count - 1 - i) * sizeof(m->stack[0]));
	m->stack[m->count - 1] = s;
}

static void model_set(struct picture *p, int row, int col, const struct outer_cell *c)
{
	if (row >= 0 && row < p->rows && col >= 0 && col < p->cols)
		*at(p, row, col) = *c;
}

/* A row that would be cut in half at `columns` is drawn with blanks there. */
static void draw_row(struct model *m, struct model_surface *s, int row, const struct row *r)
{
	int col = random_below(&m->random, 6) - 3, from = random_below(&m->random, 3),
	    columns = 1 + random_below(&m->random, s->picture.cols + 4);
	enum theme_role overlay = random_below(&m->random, 4) ? ROLE_NONE : ROLE_MATCH_CURRENT;
	struct cell_look look = {.table = m->table, .overlay = overlay};
	struct picture strip;
	int first = col < 0 ? -col : 0;

	surface_cells(s->surface, row, col, r->cells, r->cols, from, columns, &look);
	if (columns > s->picture.cols - col)
		columns = s->picture.cols - col;
	if (columns <= first)
		return;
	picture_init(&strip, 1, columns - first);
	for (int x = 0; x < strip.cols; x++) {
		static const struct cell nothing;
		int source = from + first + x;

		model_cell(
		    m->table, source < r->cols ? &r->cells[source] : &nothing, at(&strip, 0, x), overlay);
	}
	blank_half_cells(&strip);
	for (int x = 0; x < strip.cols; x++)
		model_set(&s->picture, row, col + first + x, at(&strip, 0, x));
	blank_half_cells(&s->picture);
	free(strip.cells);
}

static void draw_rows(struct model *m, struct model_surface *s)
{
	int first = random_below(&m->random, s->picture.rows), rows = 1 + random_below(&m->random, 6);
	struct row r;

	for (int y = first; y < first + rows; y++) {
		row_init(&r, 1 + random_below(&m->random, s->picture.cols + 10), 0);
		random_fill(&m->random, &r, m->table);
		draw_row(m, s, y, &r);
		row_finish(&r);
	}
}

static void clear_surface(struct model_surface *s)
{
	surface_clear(s->surface, ROLE_SELECTED);
	for (int i = 0; i < s->picture.rows * s->picture.cols; i++) {
		blank_cell(&s->picture.cells[i]);
		s->picture.cells[i].style = *theme_style(ROLE_SELECTED, true, false);
	}
}

/* The content of the surface moves: drawn again elsewhere, as a pane that has scrolled is. */
static void shift_surface(struct model *m, struct model_surface *s)
{
	int rows = s->picture.rows, cols = s->picture.cols, lines = random_below(&m->random, 2 * rows) - rows;
	struct picture old;
	struct cell_table *t = m->table;
	struct cell *cells = mem_zalloc((size_t)cols, sizeof(*cells));
	struct cell_look look = {.table = t, .overlay = ROLE_NONE};

	picture_init(&old, rows, cols);
	memcpy(old.cells, s->picture.cells, (size_t)rows * (size_t)cols * sizeof(*old.cells));
	for (int y = 0; y < rows; y++) {
		int from = y + lines;

		if (from < 0 || from >= rows)
			continue;
		for (int x = 0; x < cols; x++) {
			struct outer_cell *c = at(&old, from, x);
			struct style style = c->style;
			struct text_cluster cluster;

			style.link = c->uri[0] ? table_link(t, "x", c->uri) : 0;
			cells[x] = (struct cell){.style = table_style(t, &style), .glyph = GLYPH_TAIL};
			if (cluster_next(c->text, strlen(c->text), &cluster))
				cells[x].glyph = table_cluster(t, cluster.cps, cluster.count) |
						 (cluster.width == 2 ? GLYPH_WIDE : 0);
			*at(&s->picture, y, x) = *c;
		}
		surface_cells(s->surface, y, 0, cells, cols, 0, cols, &look);
	}
	free(old.cells);
	free(cells);
}

static void resize(struct model *m)
{
	int rows = 1 + random_below(&m->random, 40), cols = 1 + random_below(&m->random, 100);

	drop_surfaces(m, false);
	display_resize(m->display, rows, cols);
	outer_reset(&m->outer, rows, cols);
	assert_int_equal(display_rows(m->display), rows);
	assert_int_equal(display_cols(m->display), cols);
	add_surface(m);
}

static void change(struct model *m)
{
	struct model_surface *s = m->count ? &m->stack[random_below(&m->random, m->count)] : NULL;
	int what = random_below(&m->random, 100);

	if (what < 10 || !s)
		add_surface(m);
	else if (what < 15)
		remove_surface(m);
	else if (what < 20)
		raise_surface(m);
	else if (what < 23)
		clear_surface(s);
	else if (what < 43)
		shift_surface(m, s);
	else if (what < 44)
		resize(m);
	else if (what < 45)
		display_invalidate(m->display);
	else
		draw_rows(m, s);
}

static void model_init(struct model *m, uint64_t seed, int rows, int cols, const struct outer_caps *caps)
{
	*m = (struct model){.random = {seed}};
	m->display = display_create(rows, cols, NULL);
	assert_non_null(m->display);
	m->table = table_create();
	display_set_caps(m->display, caps);
	outer_reset(&m->outer, rows, cols);
}

static void model_finish(struct model *m)
{
	drop_surfaces(m, true);
	display_destroy(m->display);
	table_destroy(m->table);
	outer_finish(&m->outer);
}

static void run_random(uint64_t seed, int frames, const struct outer_caps *caps, bool erases)
{
	struct model m;

	model_init(&m, seed, 24, 80, caps);
	m.outer.erases_with_background = erases;
	for (int i = 0; i < frames; i++) {
		for (int n = random_below(&m.random, 4); n >= 0; n--)
			change(&m);
		check_frame(&m);
	}
	model_finish(&m);
}

static void random_frames_show_the_surfaces(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		run_random(seed, 60, &full_caps, seed % 2);
}

static void random_frames_with_margins(void **state)
{
	struct outer_caps caps = full_caps;

	(void)state;
	caps.margins = true;
	for (uint64_t seed = 100; seed < 110; seed++)
		run_random(seed, 60, &caps, seed % 2);
}

static void random_frames_without_scrolling(void **state)
{
	struct outer_caps caps = full_caps;

	(void)state;
	caps.scroll_region = caps.sync = false;
	for (uint64_t seed = 200; seed < 206; seed++)
		run_random(seed, 60, &caps, seed % 2);
}

/* --- handles run out --- */

static void fill_with(struct model *m, struct cell (*make)(struct model *m))
{
	struct model_surface *s = &m->stack[0];
	struct cell_look look = {.table = m->table, .overlay = ROLE_NONE};
	struct row r;

	row_init(&r, s->picture.cols, 0);
	for (int y = 0; y < s->picture.rows; y++) {
		for (int x = 0; x < r.cols; x++) {
			struct cell c = make(m);

			row_erase(&r, x, x + 1, 0);
			put_glyph(&r, x, c.glyph, c.style);
		}
		surface_cells(s->surface, y, 0, r.cells, r.cols, 0, r.cols, &look);
		for (int x = 0; x < r.cols; x++)
			model_cell(m->table, &r.cells[x], at(&s->picture, y, x), ROLE_NONE);
	}
	row_finish(&r);
}

static struct cell colourful_cell(struct model *m)
{
	struct style s = {.fg = COLOR_RGB(random_below(&m->random, 256), random_below(&m->random, 256),
			      random_below(&m->random, 256)),
	    .bg = COLOR_RGB(random_below(&m->random, 256), 0, 0)};

	return (struct cell){
	    .glyph = 'a' + (uint32_t)random_below(&m->random, 26), .style = table_style(m->table, &s)};
}

/* One of 131,072 wide characters, or of 100,000 clusters. */
static struct cell rare_cell(struct model *m)
{
	uint32_t cps[3] = {'a' + (uint32_t)random_below(&m->random, 10),
	    0x300 + (uint32_t)random_below(&m->random, 100), 0x300 + (uint32_t)random_below(&m->random, 100)};

	if (random_below(&m->random, 2))
		return (struct cell){.glyph = table_cluster(m->table, cps, 3)};
	return (struct cell){.glyph = (0x20000u + (uint32_t)random_below(&m->random, 0x1fffd)) | GLYPH_WIDE};
}

/* What the table of the mirrors does when it is full: everything on the screen keeps its handle, the rest is
 * freed. */
static void fill_again_and_again(struct cell (*make)(struct model *m), int frames)
{
	struct model m;

	model_init(&m, 7, 50, 100, &full_caps);
	m.stack[0] = (struct model_surface){.surface = surface_create(m.display, 0, 0, 50, 100)};
	picture_init(&m.stack[0].picture, 50, 100);
	m.count = 1;
	for (int i = 0; i < frames; i++) {
		if (table_full(m.table))
			table_sweep(m.table);
		fill_with(&m, make);
		check_frame(&m);
	}
	model_finish(&m);
}

static void more_styles_than_handles(void **state)
{
	(void)state;
	fill_again_and_again(colourful_cell, 32);
}

static void more_glyphs_than_handles(void **state)
{
	(void)state;
	fill_again_and_again(rare_cell, 80);
}

/* --- clusters that terminals measure differently --- */

static bool is_settled_cluster(const struct text_cluster *c)
{
	return c->count == 1 || c->cps[1] != 0x200d;
}

/*
 * The outer terminal gives a family 1, 4 or 6 columns.  The cells of the family itself and what it hides are
 * the terminal's affair; everything else in the row stands where it should.
 */
static void assert_lined_up(const struct outer *o, const struct picture *p)
{
	for (int y = 0; y < p->rows; y++) {
		int beyond = 0; /* columns that a cluster covers too many */

		for (int x = 0; x < p->cols; x++) {
			struct text_cluster c;
			bool some = cluster_next(at(p, y, x)->text, strlen(at(p, y, x)->text), &c);

			if (some && !is_settled_cluster(&c)) {
				beyond = 2;
				continue;
			}
			if (beyond-- > 0)
				continue;
			assert_string_equal(outer_at(o, y, x)->text, at(p, y, x)->text);
		}
	}
}

static void unsettled_clusters_line_up(void **state)
{
	static const int columns[] = {1, 4, 6};
	struct outer_caps caps = full_caps;
	struct buf out = BUF_INIT;
	struct picture p;
	struct model m;

	(void)state;
	caps.doubtful = 1u << WIDTH_ZWJ;
	for (size_t i = 0; i < COUNT_OF(columns); i++) {
		model_init(&m, 40 + i, 24, 80, &caps);
		m.outer.settled = is_settled_cluster;
		m.outer.unsettled_columns = columns[i];
		for (int frame = 0; frame < 100; frame++) {
			change(&m);
			buf_clear(&out);
			display_frame(m.display, &out);
			outer_feed(&m.outer, out.data, out.len);
			compose(&m, &p);
			assert_lined_up(&m.outer, &p);
			free(p.cells);
		}
		model_finish(&m);
	}
	buf_free(&out);
}

/* --- what is sent --- */

static void assert_frame(struct display *d, const char *want)
{
	struct buf out = BUF_INIT;

	assert_int_equal(display_frame(d, &out), *want != '\0');
	assert_string_equal(out.data, want);
	buf_free(&out);
}

static struct display *small_display(const struct outer_caps *caps, struct surface **s)
{
	struct display *d = display_create(5, 20, NULL);
	struct buf out = BUF_INIT;

	display_set_caps(d, caps);
	*s = surface_create(d, 0, 0, 5, 20);
	display_cursor(d, 0, 0, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	assert_true(display_frame(d, &out));
	buf_free(&out);
	return d;
}

static void a_key_echo_is_one_byte(void **state)
{
	struct surface *s;
	struct display *d = small_display(&full_caps, &s);

	(void)state;
	surface_text(s, 0, 0, 20, "a", ROLE_TEXT);
	display_cursor(d, 0, 1, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	assert_frame(d, "a");
	surface_text(s, 0, 1, 20, "b", ROLE_TEXT);
	display_cursor(d, 0, 2, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	assert_frame(d, "b");
	assert_frame(d, "");
	display_destroy(d);
}

/* A program that draws elsewhere and puts the cursor back: no hiding, no showing (cc#73944's kind). */
static void the_cursor_is_not_flashed(void **state)
{
	struct outer_caps caps = full_caps;
	struct surface *s;
	struct display *d = small_display(&caps, &s);

	(void)state;
	surface_text(s, 2, 5, 20, "x", ROLE_TEXT);
	assert_frame(d, "\033[3;6Hx\033[H");
	surface_text(s, 2, 0, 20, "a text as long as it", ROLE_TEXT);
	assert_frame(d, "\033[?2026h\033[3Ha text as long as it\033[H\033[?2026l");
	caps.sync = false;
	display_set_caps(d, &caps);
	surface_text(s, 2, 0, 20, "the next, as long   ", ROLE_TEXT);
	assert_frame(d, "\033[3Hthe next, as long\033[K\033[H");
	display_destroy(d);
}

static void the_cursor_is_hidden_and_shown(void **state)
{
	struct surface *s;
	struct display *d = small_display(&full_caps, &s);

	(void)state;
	display_cursor(d, -1, 0, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	assert_frame(d, "\033[?25l");
	assert_frame(d, "");
	display_cursor(d, 1, 1, CURSOR_BAR, true, COLOR_RGB(255, 128, 0));
	assert_frame(d, "\033[2;2H\033[5 q\033]12;#ff8000\033\\\033[?25h");
	display_cursor(d, 1, 1, CURSOR_DEFAULT, false, COLOR_DEFAULT);
	assert_frame(d, "\033[0 q\033]112\033\\");
	display_destroy(d);
}

static void text_is_cut_with_an_ellipsis(void **state)
{
	struct surface *s;
	struct display *d = small_display(&full_caps, &s);

	(void)state;
	assert_int_equal(surface_text(s, 0, 0, 5, "abcdefg", ROLE_TEXT), 5);
	assert_int_equal(surface_text(s, 1, 0, 5, "abcde", ROLE_TEXT), 5);
	assert_int_equal(surface_text(s, 2, 0, 4, "日本語", ROLE_TEXT), 3); /* 日, ellipsis; no half */
	assert_int_equal(surface_text(s, 3, 18, 9, "abcd", ROLE_TEXT), 4);  /* clipped by the surface */
	assert_int_equal(surface_text(s, 9, 0, 9, "abcd", ROLE_TEXT), 0);
	assert_frame(d, "\033[?2026habcd…\r\nabcde\r\n日…\033[4;19Hab\033[H\033[?2026l");
	display_destroy(d);
}

static void a_box_has_a_title(void **state)
{
	struct outer_caps caps = full_caps;
	struct surface *s;
	struct display *d = small_display(&caps, &s);

	(void)state;
	surface_box(s, "Title", ROLE_TEXT, ROLE_TEXT);
	assert_frame(d, "\033[?2026h"
			"╭─ Title ──────────╮"
			"\033[2H│\033[18C│"
			"\033[3H│\033[18C│"
			"\033[4H│\033[18C│"
			"\033[5H╰──────────────────╯"
			"\033[H\033[?2026l");
	display_destroy(d);
}

static void show_frame(struct model *m, struct buf *out)
{
	buf_clear(out);
	display_frame(m->display, out);
	outer_feed(&m->outer, out->data, out->len);
}

/* An agent's screen of which all but the composer moves up by a line; by_rows: first drawn a row in a frame.
 */
static size_t bytes_of_a_scroll(const struct outer_caps *caps, int sidebar, bool by_rows)
{
	struct model m;
	struct buf out = BUF_INIT;
	struct surface *pane, *side;
	size_t len;
	char line[200];

	model_init(&m, 5, 30, 120, caps);
	pane = surface_create(m.display, 0, sidebar, 30, 120 - sidebar);
	side = sidebar ? surface_create(m.display, 0, 0, 30, sidebar) : NULL;
	for (int i = 0; i < 2; i++) {
		for (int y = 0; y < 30; y++) {
			unsigned number = (unsigned)(y < 26 ? y + i : y);

			snprintf(line, sizeof(line), "%-4u %x %x %x %x %x %x", number, number * 2654435761u,
			    number * 40503001u, number * 2246822519u, number * 3266489917u,
			    number * 668265263u, number * 374761393u);
			surface_fill(pane, y, 0, 1, 120, ROLE_TEXT);
			surface_text(pane, y, 0, 120, line, ROLE_TEXT);
			if (side && y % 3 == 0)
				surface_text(side, y, 0, sidebar, "3 ! a-session-name  12m", ROLE_TEXT);
			if (i == 0 && by_rows)
				show_frame(&m, &out);
		}
		show_frame(&m, &out);
	}
	for (int y = 0; y < 30; y++) {
		int number = y < 26 ? y + 1 : y;

		snprintf(line, sizeof(line), "%d", number);
		assert_string_equal(
		    outer_at(&m.outer, y, sidebar + (int)strlen(line) - 1)->text, line + strlen(line) - 1);
	}
	len = out.len;
	buf_free(&out);
	model_finish(&m);
	return len;
}

static void a_movement_is_scrolled(void **state)
{
	struct outer_caps caps = full_caps;

	(void)state;
	assert_in_range(bytes_of_a_scroll(&caps, 0, false), 1, 120);
	assert_in_range(bytes_of_a_scroll(&caps, 0, true), 1, 120);
	assert_in_range(bytes_of_a_scroll(&caps, 28, false), 1, 900); /* the sidebar is put right again */
	caps.margins = true;
	assert_in_range(bytes_of_a_scroll(&caps, 28, false), 1, 140);
	caps.margins = caps.sync = false;
	assert_in_range(bytes_of_a_scroll(&caps, 28, false), 1000, 3000); /* would be seen */
	assert_in_range(bytes_of_a_scroll(&caps, 0, false), 1, 120);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_frames_show_the_surfaces),
	    cmocka_unit_test(random_frames_with_margins),
	    cmocka_unit_test(random_frames_without_scrolling),
	    cmocka_unit_test(more_styles_than_handles),
	    cmocka_unit_test(more_glyphs_than_handles),
	    cmocka_unit_test(unsettled_clusters_line_up),
	    cmocka_unit_test(a_key_echo_is_one_byte),
	    cmocka_unit_test(the_cursor_is_not_flashed),
	    cmocka_unit_test(the_cursor_is_hidden_and_shown),
	    cmocka_unit_test(text_is_cut_with_an_ellipsis),
	    cmocka_unit_test(a_box_has_a_title),
	    cmocka_unit_test(a_movement_is_scrolled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
