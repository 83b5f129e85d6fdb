/* painter: see painter.h. */
#include "client/painter.h"

#include <stdlib.h>

#include "base/mem.h"
#include "client/capture.h"

struct painter {
	int rows, cols; /* 0: nothing was painted yet */
	char **row;     /* what stands in each */
	char *tail;     /* cursor and modes, as last sent */
};

struct painter *painter_create(void)
{
	return mem_zalloc(1, sizeof(struct painter));
}

static void forget(struct painter *p)
{
	for (int i = 0; i < p->rows; i++)
		free(p->row[i]);
	free(p->row);
	free(p->tail);
	*p = (struct painter){0};
}

void painter_destroy(struct painter *p)
{
	if (!p)
		return;
	forget(p);
	free(p);
}

/* An empty screen in the default style. */
static void begin_again(struct painter *p, const struct screen *s, struct buf *out)
{
	forget(p);
	p->rows = s->rows;
	p->cols = s->cols;
	p->row = mem_zalloc((size_t)s->rows, sizeof(*p->row));
	for (int i = 0; i < s->rows; i++)
		p->row[i] = mem_strdup("");
	p->tail = mem_strdup("");
	buf_adds(out, "\033[0m\033[2J");
}

static void paint_row(struct painter *p, const struct screen *s, int i, struct buf *out)
{
	AUTO_BUF text = BUF_INIT;

	capture_row_ansi(s->row[i], s->table, &text);
	if (strcmp(text.data, p->row[i]) == 0)
		return;
	buf_printf(out, "\033[%d;1H\033[2K%s", i + 1, text.data);
	free(p->row[i]);
	p->row[i] = buf_steal(&text);
}

/* DECSCUSR: blinking block 1, steady block 2, underline 3 and 4, bar 5 and 6; 0: the terminal's own. */
static int cursor_style(const struct cursor *c)
{
	return c->shape == CURSOR_DEFAULT ? 0 : 2 * c->shape - (c->blink ? 1 : 0);
}

static void paint_tail(struct painter *p, const struct screen *s, bool moved, struct buf *out)
{
	const struct cursor *c = &s->cursor;
	char *tail =
	    mem_printf("\033[?5%c\033[%d q\033[?25%c\033[%d;%dH", s->modes & SCREEN_REVERSED ? 'h' : 'l',
		cursor_style(c), c->visible ? 'h' : 'l', c->row + 1, c->col + 1);

	if (moved || strcmp(tail, p->tail) != 0)
		buf_adds(out, tail);
	free(p->tail);
	p->tail = tail;
}

bool painter_paint(struct painter *p, const struct screen *s, struct buf *out)
{
	size_t start = out->len;

	if (p->rows != s->rows || p->cols != s->cols)
		begin_again(p, s, out);
	for (int i = 0; i < s->rows; i++)
		paint_row(p, s, i, out);
	paint_tail(p, s, out->len > start, out);
	return out->len > start;
}
