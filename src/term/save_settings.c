/*
 * save_settings: what a program has set, as fields: cursor, margins, tabs, pen, modes, keyboard, titles and
 * colours; and what it is in the middle of, a notification or a sequence.  Nothing that is read is trusted:
 * each value is brought into its range.
 */
#include <string.h>

#include "base/mem.h"
#include "term/save_private.h"

/* --- cursor, margins, tabs, pen --- */

void save_cursor_state(struct saver *s)
{
	const struct term *t = s->t;

	save_u32(s->out, (uint32_t)t->row);
	save_u32(s->out, (uint32_t)t->col);
	save_u8(s->out, t->wrap_pending);
	save_u32(s->out, (uint32_t)t->top);
	save_u32(s->out, (uint32_t)t->bottom);
	save_u32(s->out, (uint32_t)t->left);
	save_u32(s->out, (uint32_t)t->right);
	save_bytes(s->out, t->tabs, (size_t)t->cols);
}

void load_cursor_state(struct loader *l)
{
	struct term *t = l->t;
	const uint8_t *tabs;
	size_t len;

	t->row = load_within(&l->in, 0, t->rows - 1);
	t->col = load_within(&l->in, 0, t->cols - 1);
	t->wrap_pending = load_u8(&l->in) != 0;
	t->top = load_within(&l->in, 0, t->rows - 1);
	t->bottom = load_within(&l->in, t->top, t->rows - 1);
	t->left = load_within(&l->in, 0, t->cols - 1);
	t->right = load_within(&l->in, t->left, t->cols - 1);
	tabs = load_bytes(&l->in, &len);
	if (len == (size_t)t->cols)
		memcpy(t->tabs, tabs, len);
}

static void save_charsets(struct buf *out, const struct charsets *c)
{
	for (int i = 0; i < 4; i++)
		save_u8(out, c->g[i]);
	save_u8(out, c->gl);
	save_u8(out, c->single);
}

static struct charsets load_charsets(struct load *in)
{
	struct charsets c;

	for (int i = 0; i < 4; i++)
		c.g[i] = load_u8(in) % (CHARSET_UK + 1);
	c.gl = load_u8(in) & 3;
	c.single = load_u8(in) & 3;
	return c;
}

void save_saved_cursors(struct saver *s)
{
	for (int i = 0; i < 2; i++) {
		const struct saved_cursor *c = &s->t->saved[i];

		save_u32(s->out, (uint32_t)c->row);
		save_u32(s->out, (uint32_t)c->col);
		save_u8(s->out, c->wrap_pending);
		save_u8(s->out, c->origin);
		save_style(s->out, &c->pen);
		save_charsets(s->out, &c->charsets);
	}
}

void load_saved_cursors(struct loader *l)
{
	for (int i = 0; i < 2; i++) {
		struct saved_cursor *c = &l->t->saved[i];

		c->row = load_within(&l->in, 0, SCREEN_MAX_ROWS);
		c->col = load_within(&l->in, 0, SCREEN_MAX_COLS);
		c->wrap_pending = load_u8(&l->in) != 0;
		c->origin = load_u8(&l->in) != 0;
		c->pen = load_style(l);
		c->charsets = load_charsets(&l->in);
	}
}

void save_pen(struct saver *s)
{
	save_style(s->out, &s->t->pen);
	save_u8(s->out, s->t->protection);
	save_u8(s->out, s->t->attribute_extent);
	save_charsets(s->out, &s->t->charsets);
}

void load_pen(struct loader *l)
{
	l->t->pen = load_style(l);
	l->t->protection = load_u8(&l->in) % (PROTECT_DEC + 1);
	l->t->attribute_extent = (uint8_t)load_u8(&l->in);
	l->t->charsets = load_charsets(&l->in);
}

void save_last(struct saver *s)
{
	const struct last_print *p = &s->t->last;

	save_code_points(s->out, p->cps, p->count);
	save_u8(s->out, p->width);
	save_u8(s->out, p->joinable);
	save_u8(s->out, p->wrap_pending);
	save_u32(s->out, (uint32_t)p->row);
	save_u32(s->out, (uint32_t)p->col);
	save_u32(s->out, (uint32_t)p->after);
}

void load_last(struct loader *l)
{
	struct last_print *p = &l->t->last;

	p->count = load_code_points(&l->in, p->cps);
	p->width = load_u8(&l->in) == 2 ? 2 : 1;
	p->joinable = load_u8(&l->in) != 0 && p->count > 0;
	p->wrap_pending = load_u8(&l->in) != 0;
	p->row = load_within(&l->in, 0, SCREEN_MAX_ROWS);
	p->col = load_within(&l->in, 0, SCREEN_MAX_COLS);
	p->after = load_within(&l->in, 0, SCREEN_MAX_COLS);
	p->joinable = p->joinable && p->col < l->t->cols && p->row < l->t->rows;
	if (p->count > 0)
		p->glyph = table_cluster(l->t->table, p->cps, p->count);
}

/* --- modes and keyboard --- */

void save_modes(struct saver *s)
{
	const struct term *t = s->t;

	save_u8(s->out, t->cursor_shape);
	save_u8(s->out, t->cursor_blink);
	save_u8(s->out, t->replies_8bit);
	save_u8(s->out, t->level);
	modes_save(t, s->out);
}

void load_modes(struct loader *l)
{
	struct term *t = l->t;

	t->cursor_shape = load_u8(&l->in) % (CURSOR_BAR + 1);
	t->cursor_blink = load_u8(&l->in) != 0;
	t->replies_8bit = load_u8(&l->in) != 0;
	t->level = (uint8_t)clamp((int)load_u8(&l->in), 61, LEVEL_MOST);
	modes_load(t, &l->in);
}

void save_keyboard(struct saver *s)
{
	save_u8(s->out, s->t->modify_other_keys);
	for (int i = 0; i < 2; i++) {
		const struct keyboard *k = &s->t->keyboard[i];

		save_u8(s->out, k->flags);
		save_bytes(s->out, k->stack, k->depth);
	}
}

void load_keyboard(struct loader *l)
{
	l->t->modify_other_keys = load_u8(&l->in) % 3;
	for (int i = 0; i < 2; i++) {
		struct keyboard *k = &l->t->keyboard[i];
		const uint8_t *stack;
		size_t depth;

		k->flags = load_u8(&l->in) & 31;
		stack = load_bytes(&l->in, &depth);
		k->depth = (uint8_t)(depth < TERM_KITTY_STACK ? depth : TERM_KITTY_STACK);
		memcpy(k->stack, stack, k->depth);
	}
}

/* --- titles, colours, notification --- */

void save_titles(struct saver *s)
{
	const struct titles *t = &s->t->titles;

	save_string(s->out, t->window);
	save_string(s->out, t->icon);
	save_u8(s->out, (unsigned)t->depth);
	for (int i = 0; i < t->depth; i++) {
		save_string(s->out, t->stack[i].window);
		save_string(s->out, t->stack[i].icon);
	}
}

void load_titles(struct loader *l)
{
	struct titles *t = &l->t->titles;
	int depth;

	t->window = load_string(&l->in);
	t->icon = load_string(&l->in);
	depth = least((int)load_u8(&l->in), TERM_TITLE_STACK);
	for (t->depth = 0; t->depth < depth; t->depth++) {
		t->stack[t->depth].window = load_string(&l->in);
		t->stack[t->depth].icon = load_string(&l->in);
	}
}

void save_colors(struct saver *s)
{
	const struct colors *c = &s->t->colors;

	for (int i = 0; i < (int)COUNT_OF(c->dynamic); i++)
		save_u32(s->out, c->dynamic[i]);
	for (int i = 0; i < SPECIAL_COLORS; i++)
		save_u32(s->out, c->special[i]);
	save_u16(s->out, (unsigned)c->changed);
	for (int i = 0; i < PALETTE_COLORS; i++) {
		if (c->palette.index[i] == COLOR_DEFAULT)
			continue;
		save_u8(s->out, (unsigned)i);
		save_u32(s->out, c->palette.index[i]);
	}
}

static color_t load_color(struct load *in)
{
	color_t c = load_u32(in);

	return COLOR_IS_RGB(c) ? c : COLOR_DEFAULT;
}

void load_colors(struct loader *l)
{
	struct colors *c = &l->t->colors;

	for (int i = 0; i < (int)COUNT_OF(c->dynamic); i++)
		c->dynamic[i] = load_color(&l->in);
	for (int i = 0; i < SPECIAL_COLORS; i++)
		c->special[i] = load_color(&l->in);
	for (unsigned n = load_u16(&l->in); n > 0 && !l->in.bad; n--) {
		unsigned index = load_u8(&l->in);

		c->palette.index[index] = load_color(&l->in);
	}
	for (int i = 0; i < PALETTE_COLORS; i++)
		c->changed += c->palette.index[i] != COLOR_DEFAULT;
	c->palette.fg = c->dynamic[DYNAMIC_FG - DYNAMIC_FIRST];
	c->palette.bg = c->dynamic[DYNAMIC_BG - DYNAMIC_FIRST];
}

void save_notification(struct saver *s)
{
	const struct notification *n = &s->t->notification;

	save_string(s->out, n->id);
	save_bytes(s->out, n->title.data, n->title.len);
	save_bytes(s->out, n->body.data, n->body.len);
}

void load_notification(struct loader *l)
{
	struct notification *n = &l->t->notification;
	const uint8_t *bytes;
	size_t len;

	n->id = load_string(&l->in);
	bytes = load_bytes(&l->in, &len);
	buf_add(&n->title, bytes, len);
	bytes = load_bytes(&l->in, &len);
	buf_add(&n->body, bytes, len);
}

/* --- the parser in the middle of a sequence --- */

void save_parser(struct saver *s)
{
	const struct parser *p = &s->t->parser;

	save_u8(s->out, p->state);
	save_u8(s->out, p->string);
	save_u8(s->out, p->keep);
	save_u8(s->out, p->after_c2);
	save_u8(s->out, p->digits);
	save_u8(s->out, p->intermediates);
	save_u32(s->out, (uint32_t)p->number);
	save_bytes(s->out, p->partial, p->partial_len);
	save_u8(s->out, (unsigned char)p->seq.marker);
	save_u8(s->out, (unsigned char)p->seq.intermediate);
	save_u8(s->out, (unsigned char)p->seq.final);
	save_u32(s->out, p->seq.sub);
	save_u8(s->out, p->seq.count);
	for (int i = 0; i < p->seq.count; i++)
		save_u32(s->out, (uint32_t)p->seq.value[i]);
	save_bytes(s->out, p->data.data, p->data.len);
}

static void load_sequence(struct load *in, struct sequence *s)
{
	s->marker = (char)load_u8(in);
	s->intermediate = (char)load_u8(in);
	s->final = (char)load_u8(in);
	s->sub = load_u32(in);
	s->count = (uint8_t)least((int)load_u8(in), TERM_PARAMETERS_MAX);
	for (int i = 0; i < s->count; i++)
		s->value[i] = load_within(in, PARAMETER_OMITTED, PARAMETER_MAX);
}

void load_parser(struct loader *l)
{
	struct parser *p = &l->t->parser;
	const uint8_t *bytes;
	size_t len;

	p->state = load_u8(&l->in) % PARSE_STATES;
	p->string = load_u8(&l->in) % (STRING_APC + 1);
	p->keep = load_u8(&l->in) != 0;
	p->after_c2 = load_u8(&l->in) != 0;
	p->digits = load_u8(&l->in) != 0;
	p->intermediates = (uint8_t)least((int)load_u8(&l->in), TERM_INTERMEDIATES_MAX);
	p->number = load_within(&l->in, 0, PARAMETER_MAX);
	bytes = load_bytes(&l->in, &len);
	p->partial_len = (uint8_t)(len < sizeof(p->partial) ? len : 0);
	memcpy(p->partial, bytes, p->partial_len);
	load_sequence(&l->in, &p->seq);
	bytes = load_bytes(&l->in, &len);
	buf_add(&p->data, bytes, len < TERM_STRING_MAX ? len : TERM_STRING_MAX);
	p->keep = p->keep && (p->string == STRING_OSC || p->string == STRING_DCS);
	p->after_c2 = p->after_c2 && (!p->keep || p->data.len > 0);
}
