/* term: see term.h.  Puts the parts together; the work is done by the files named in state.h. */
#include "term/term.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "term/engine.h"
#include "term/past.h"
#include "term/print.h"
#include "term/reply.h"
#include "term/reset.h"
#include "term/screens.h"
#include "term/sgr.h"
#include "term/state.h"

/* So much is fed between two looks at whether the table of cells must be collected: far less than what fills
 * its rest. */
enum { FEED_SLICE = 4096 };

/* --- creation --- */

static struct term_outer default_outer(void)
{
	struct term_outer o = {
	    .fg = COLOR_RGB(0xd0, 0xd0, 0xd0),
	    .bg = COLOR_RGB(0, 0, 0),
	    .cursor = COLOR_RGB(0xd0, 0xd0, 0xd0),
	    .cell_width = 10,
	    .cell_height = 20,
	    .dark = true,
	};

	for (int i = 0; i < 16; i++)
		o.palette[i] = color_palette_rgb((uint8_t)i);
	return o;
}

static const struct engine *find_engine(enum term_engine engine)
{
	static const struct engine *const engines[] = {
	    [TERM_NATIVE] = &engine_native,
	    [TERM_LIBVTERM] = &engine_libvterm,
	};

	return (size_t)engine < COUNT_OF(engines) ? engines[engine] : NULL;
}

struct term *term_create(const struct term_options *options, struct err *err)
{
	const struct engine *engine = find_engine(options->engine);
	struct term *t;

	if (!engine) {
		err_set(err, ERR_FAILED, "There is no such emulator as number %d.", options->engine);
		return NULL;
	}
	t = mem_zalloc(1, sizeof(*t));
	t->rows = clamp(options->rows, SCREEN_MIN_ROWS, SCREEN_MAX_ROWS);
	t->cols = clamp(options->cols, SCREEN_MIN_COLS, SCREEN_MAX_COLS);
	t->history = options->history;
	t->drop_history_on_clear = options->drop_history_on_clear;
	t->version = mem_strdup(options->version ? options->version : "handler");
	t->clock = 1;
	t->outer = default_outer();
	t->table = table_create();
	t->engine = engine;
	parser_init(&t->parser, engine->handler, t);
	buf_init(&t->replies);
	buf_init(&t->notification.title);
	buf_init(&t->notification.body);
	grid_init(&t->main, t->rows, t->cols, t->clock);
	t->grid = &t->main;
	seen_finish(&t->seen);
	if (engine->start)
		engine->start(t);
	reset_state(t);
	while (t->events.count > 0) {
		struct term_event e;

		term_next_event(t, &e);
		term_event_finish(&e);
	}
	return t;
}

void term_destroy(struct term *t)
{
	if (!t)
		return;
	if (t->engine->finish)
		t->engine->finish(t);
	parser_finish(&t->parser);
	seen_finish(&t->seen);
	grid_finish(&t->main);
	grid_finish(&t->alternate);
	title_finish(&t->titles);
	event_finish(&t->events);
	buf_free(&t->replies);
	buf_free(&t->notification.title);
	buf_free(&t->notification.body);
	free(t->notification.id);
	free(t->tabs);
	free(t->version);
	table_destroy(t->table);
	free(t);
}

/* --- feeding --- */

static void mark_grid(struct term *t, const struct grid *g)
{
	for (int i = 0; i < g->rows; i++)
		table_mark_cells(t->table, g->row[i]->cells, (size_t)g->cols);
}

/* Everything that handles lead to: both screens, pens, and the cluster that REP repeats. */
static void collect(struct term *t)
{
	const struct cell last = {.glyph = t->last.glyph};

	mark_grid(t, &t->main);
	mark_grid(t, &t->alternate);
	seen_mark(t);
	table_mark_cells(t->table, &last, 1);
	table_mark_style(t->table, pen_style(t));
	table_mark_style(t->table, pen_blank(t));
	for (int i = 0; i < 2; i++)
		table_mark_style(t->table, table_style(t->table, &t->saved[i].pen));
	table_sweep(t->table);
	pen_forget(t);
}

void term_feed(struct term *t, const void *data, size_t len, unsigned flags)
{
	const uint8_t *at = data;

	t->clock++;
	t->flags = flags;
	while (len > 0) {
		size_t n = len < FEED_SLICE ? len : FEED_SLICE;

		parser_feed(&t->parser, at, n);
		at += n;
		len -= n;
		if (table_full(t->table))
			collect(t);
	}
	t->flags = 0;
}

void term_resize(struct term *t, int rows, int cols)
{
	rows = clamp(rows, SCREEN_MIN_ROWS, SCREEN_MAX_ROWS);
	cols = clamp(cols, SCREEN_MIN_COLS, SCREEN_MAX_COLS);
	t->clock++;
	if (mode(t, MODE_SYNCHRONIZED))
		modes_set(t, true, 2026, false);
	if (rows != t->rows || cols != t->cols)
		screens_resize(t, rows, cols);
	if (mode(t, MODE_IN_BAND_RESIZE))
		reply_in_band_resize(t);
}

/* Rows that the new history holds already belong to what was before: a taller screen takes none of them back.
 */
void term_set_history(struct term *t, struct history *history)
{
	t->history = history;
	t->past = (struct past){.gone = t->past.gone};
	t->clock++;
}

void term_rest(struct term *t)
{
	if (on_alternate(t))
		seen_rest(t);
}

void term_turn_ended(struct term *t)
{
	if (on_alternate(t))
		seen_turn(t);
}

void term_mark(struct term *t, const char *text)
{
	static const struct style dim = {.attrs = ATTR_DIM};
	struct style pen = t->pen;
	char *line = utf8_sanitize(text, strlen(text), t->cols);

	t->clock++;
	charset_reset(t);
	screens_below(t);
	pen_set(t, &dim);
	touch(t, t->row)->flags |= ROW_MARK;
	for (size_t at = 0, len = strlen(line); at < len;) {
		uint32_t cp;

		at += (size_t)utf8_decode(line + at, len - at, &cp, NULL);
		print_text(t, &cp, 1);
	}
	free(line);
	pen_set(t, &pen);
	screens_below(t);
}

/* --- reading --- */

static uint32_t screen_modes(const struct term *t)
{
	uint32_t modes = 0;

	modes |= on_alternate(t) ? SCREEN_ALTERNATE : 0;
	modes |= mode(t, MODE_REVERSE) ? SCREEN_REVERSED : 0;
	modes |= t->tracking != TRACK_NONE ? SCREEN_MOUSE : 0;
	modes |= t->tracking == TRACK_ANY ? SCREEN_MOUSE_MOTION : 0;
	modes |= mode(t, MODE_ALTERNATE_SCROLL) ? SCREEN_ALTERNATE_SCROLL : 0;
	modes |= mode(t, MODE_BRACKETED_PASTE) ? SCREEN_BRACKETED_PASTE : 0;
	modes |= mode(t, MODE_FOCUS) ? SCREEN_FOCUS : 0;
	modes |= mode(t, MODE_SYNCHRONIZED) ? SCREEN_SYNCHRONIZED : 0;
	modes |= t->key_modes.kitty || t->modify_other_keys ? SCREEN_KITTY_KEYS : 0;
	modes |= t->key_modes.kitty & KITTY_EVENTS ? SCREEN_KEY_EVENTS : 0;
	modes |= t->key_modes.kitty & KITTY_ALL_ESCAPES ? SCREEN_KEY_ESCAPES : 0;
	return modes;
}

static bool palette_changed(const struct term *t)
{
	const struct palette *p = &t->colors.palette;

	return t->colors.changed > 0 || p->fg != COLOR_DEFAULT || p->bg != COLOR_DEFAULT;
}

const struct screen *term_screen(struct term *t)
{
	t->view = (struct screen){
	    .rows = t->rows,
	    .cols = t->cols,
	    .row = t->grid->row,
	    .top = past_top(t),
	    .history_first = t->history ? history_first(t->history) : t->past.gone,
	    .version = t->clock,
	    .cursor =
		{
		    .row = t->row,
		    .col = t->col,
		    .visible = mode(t, MODE_CURSOR_VISIBLE),
		    .blink = t->cursor_blink,
		    .shape = t->cursor_shape,
		    .wrap_pending = t->wrap_pending,
		    .color = t->colors.dynamic[DYNAMIC_CURSOR - DYNAMIC_FIRST],
		},
	    .modes = screen_modes(t),
	    .palette = palette_changed(t) ? &t->colors.palette : NULL,
	    .table = t->table,
	};
	return &t->view;
}

struct buf *term_replies(struct term *t)
{
	return &t->replies;
}

/* --- the outer terminal --- */

void term_set_outer(struct term *t, const struct term_outer *outer)
{
	struct term_outer old = t->outer;

	t->outer = *outer;
	t->outer.cell_width = outer->cell_width > 0 ? outer->cell_width : old.cell_width;
	t->outer.cell_height = outer->cell_height > 0 ? outer->cell_height : old.cell_height;
	if (old.dark != outer->dark)
		term_report_theme(t);
	if (mode(t, MODE_IN_BAND_RESIZE) &&
	    (old.cell_width != t->outer.cell_width || old.cell_height != t->outer.cell_height))
		reply_in_band_resize(t);
}

void term_report_theme(struct term *t)
{
	if (mode(t, MODE_THEME))
		reply_theme(t);
}

bool term_in_band_resize(const struct term *t)
{
	return mode(t, MODE_IN_BAND_RESIZE);
}
