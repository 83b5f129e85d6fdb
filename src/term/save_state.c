/*
 * save_state: a terminal as bytes and back (term_save, term_load): which fields there are, in which order,
 * and those of its size and its history.  What is in the others see save_private.h.
 *
 * Cells go out as they are, with handles; the styles, clusters and links that those mean go before them, and
 * are interned anew by the reader.  Not saved: answers and events that nobody has fetched, history, and the
 * outer terminal's facts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/cursor.h"
#include "term/past.h"
#include "term/save_private.h"
#include "term/scroll.h"
#include "term/sgr.h"

#ifndef TERM_SAVE_VERSION
#define TERM_SAVE_VERSION 1 /* tests build programs with another one */
#endif

enum { SAVE_MAGIC = 0x4d524554 /* "TERM" */, SAVE_VERSION = TERM_SAVE_VERSION, SAVE_HEADER = 6 };

/* --- size and history --- */

static void save_size(struct saver *s)
{
	save_u32(s->out, (uint32_t)s->t->rows);
	save_u32(s->out, (uint32_t)s->t->cols);
	save_u64(s->out, s->t->clock);
	save_u8(s->out, on_alternate(s->t));
}

static void load_size(struct loader *l)
{
	struct term *t = l->t;
	int rows = load_within(&l->in, SCREEN_MIN_ROWS, SCREEN_MAX_ROWS);
	int cols = load_within(&l->in, SCREEN_MIN_COLS, SCREEN_MAX_COLS);

	t->clock = load_u64(&l->in) + 1;
	t->rows = rows;
	t->cols = cols;
	grid_finish(&t->main);
	grid_init(&t->main, rows, cols, t->clock);
	if (load_u8(&l->in)) {
		grid_init(&t->alternate, rows, cols, t->clock);
		t->grid = &t->alternate;
	}
	margins_reset(t);
	tabs_reset(t);
}

static void save_history(struct saver *s)
{
	const struct past *p = &s->t->past;

	save_u64(s->out, p->gone);
	save_u64(s->out, p->pullable);
	save_u64(s->out, p->marked);
	save_u64(s->out, p->kept_from);
	save_u64(s->out, p->kept_end);
	save_u8(s->out, p->kept_at_home);
	save_u8(s->out, p->rewriting);
	save_u64(s->out, p->again_from);
	save_u64(s->out, p->again);
	save_u64(s->out, p->again_end);
}

static void load_history(struct loader *l)
{
	struct past *p = &l->t->past;

	p->gone = load_u64(&l->in);
	p->pullable = load_u64(&l->in);
	p->marked = load_u64(&l->in);
	p->kept_from = load_u64(&l->in);
	p->kept_end = load_u64(&l->in);
	p->kept_at_home = load_u8(&l->in) != 0;
	p->rewriting = load_u8(&l->in) != 0 && l->t->history;
	p->again_from = load_u64(&l->in);
	p->again = load_u64(&l->in);
	p->again_end = load_u64(&l->in);
	if (p->again_from > p->again || p->again >= p->again_end ||
	    (p->rewriting && p->again_end > past_top(l->t)))
		p->rewriting = false;
}

/* --- fields --- */

/* In the order in which they are written: each needs only those before it.  Tags are never used again. */
static const struct {
	uint16_t tag;
	void (*save)(struct saver *s);
	void (*load)(struct loader *l);
} fields[] = {
    {1, save_size, load_size},
    {2, save_history, load_history},
    {3, save_links, load_links},
    {4, save_styles, load_styles},
    {5, save_clusters, load_clusters},
    {6, save_main, load_main},
    {7, save_alternate, load_alternate},
    {8, save_cursor_state, load_cursor_state},
    {9, save_saved_cursors, load_saved_cursors},
    {10, save_pen, load_pen},
    {11, save_last, load_last},
    {12, save_modes, load_modes},
    {13, save_keyboard, load_keyboard},
    {14, save_titles, load_titles},
    {15, save_colors, load_colors},
    {16, save_notification, load_notification},
    {17, save_parser, load_parser},
    {18, save_seen, load_seen},
};

void term_save(struct term *t, struct buf *out)
{
	struct saver *s = mem_zalloc(1, sizeof(*s));

	s->t = t;
	s->out = out;
	save_find_used(s);
	save_u32(out, SAVE_MAGIC);
	save_u16(out, SAVE_VERSION);
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		struct buf len = BUF_INIT;
		size_t at;

		save_u16(out, fields[i].tag);
		at = out->len;
		save_u32(out, 0);
		fields[i].save(s);
		save_u32(&len, (uint32_t)(out->len - at - 4));
		memcpy(out->data + at, len.data, 4);
		buf_free(&len);
	}
	free(s);
}

static void load_field(struct loader *l, unsigned tag)
{
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (fields[i].tag == tag)
			fields[i].load(l);
	}
}

int term_can_load(const void *data, size_t len, struct err *err)
{
	struct load all = {data, (const uint8_t *)data + len, false};
	bool ours = load_u32(&all) == SAVE_MAGIC;
	unsigned version = load_u16(&all);

	if (!ours || version == 0)
		return err_set(err, ERR_FAILED, "This is not a saved terminal.");
	if (version > SAVE_VERSION)
		return err_set(err, ERR_FAILED,
		    "The saved terminal has the form %u, this version of the program reads up to form %d.",
		    version, SAVE_VERSION);
	return 0;
}

static int load_fields(struct loader *l, struct load all, struct err *err)
{
	unsigned expected = fields[0].tag;

	if (term_can_load(all.at, (size_t)(all.end - all.at), err) < 0)
		return -1;
	all.at += SAVE_HEADER;
	while (all.at < all.end) {
		unsigned tag = load_u16(&all);
		size_t len;
		const uint8_t *value = load_bytes(&all, &len);

		if (all.bad || tag < expected)
			return err_set(err, ERR_FAILED, "The saved terminal is damaged.");
		expected = tag + 1;
		l->in = (struct load){value, value + len, false};
		load_field(l, tag);
		if (l->in.bad)
			return err_set(err, ERR_FAILED, "Field %u of the saved terminal is damaged.", tag);
	}
	return 0;
}

struct term *term_load(const struct term_options *options, const void *data, size_t len, struct err *err)
{
	struct loader *l;
	struct term *t = term_create(options, err);
	int status;

	if (!t)
		return NULL;
	l = mem_zalloc(1, sizeof(*l));
	l->t = t;
	status = load_fields(l, (struct load){data, (const uint8_t *)data + len, false}, err);
	free(l);
	if (status < 0) {
		term_destroy(t);
		return NULL;
	}
	pen_forget(t);
	charset_update(t);
	t->flags = TERM_QUIET;
	keyboard_update(t);
	t->flags = 0;
	return t;
}
