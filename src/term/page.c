/*
 * page: see page.h.  The memory of a page and a frame, and which rows changed; two rows held against each
 * other are page_rows.c's, what was scrolled is page_moved.c's.
 */
#include "term/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "term/letters.h"
#include "term/page_private.h"

/* --- memory --- */

static void free_rows(struct page *p, int from)
{
	for (int i = from; i < p->rows; i++)
		row_finish(&p->row[i].row);
}

void page_make(struct page *p, int rows, int cols)
{
	*p = (struct page){.rows = rows, .cols = cols, .row = mem_zalloc((size_t)rows, sizeof(*p->row))};
	for (int i = 0; i < rows; i++)
		row_init(&p->row[i].row, cols, 0);
}

void page_finish(struct page *p)
{
	free_rows(p, 0);
	free(p->row);
	*p = (struct page){0};
}

void frame_finish(struct frame *f)
{
	free(f->text);
	free(f->changed);
	free(f->rewritten);
	free(f->origin);
	free(f->state);
	free(f->left);
	*f = (struct frame){0};
}

static void make_room(struct frame *f, int rows, int page_rows)
{
	if (rows > f->room) {
		f->room = rows;
		f->text = mem_realloc(f->text, (size_t)rows, sizeof(*f->text));
		f->changed = mem_realloc(f->changed, (size_t)rows, sizeof(*f->changed));
		f->rewritten = mem_realloc(f->rewritten, (size_t)rows, sizeof(*f->rewritten));
		f->origin = mem_realloc(f->origin, (size_t)rows, sizeof(*f->origin));
		f->state = mem_realloc(f->state, (size_t)rows, sizeof(*f->state));
	}
	if (page_rows > f->left_room) {
		f->left_room = page_rows;
		f->left = mem_realloc(f->left, (size_t)page_rows, sizeof(*f->left));
	}
}

static void take_row(struct page_row *to, const struct row *from)
{
	if (to->row.cols != from->cols)
		row_resize(&to->row, from->cols);
	memcpy(to->row.cells, from->cells, (size_t)from->cols * sizeof(*from->cells));
	to->row.flags = from->flags;
}

void page_take(struct page *p, const struct frame *f, uint64_t clock)
{
	if (f->rows != p->rows) {
		free_rows(p, f->rows);
		p->row = mem_realloc(p->row, (size_t)f->rows, sizeof(*p->row));
		for (int i = p->rows; i < f->rows; i++)
			p->row[i] = (struct page_row){0};
	}
	for (int i = 0; i < f->rows; i++) {
		if (f->changed[i])
			take_row(&p->row[i], f->row[i]);
		p->row[i].seen_at = f->row[i];
		p->row[i].text = f->text[i];
		p->row[i].state = f->state[i];
	}
	p->rows = f->rows;
	p->cols = f->cols;
	p->clock = clock;
}

/* --- what changed --- */

bool page_rows_equal(const struct row *a, const struct row *b)
{
	return a->cols == b->cols && memcmp(a->cells, b->cells, (size_t)a->cols * sizeof(*a->cells)) == 0;
}

static void look_at_row(struct frame *f, const struct page *p, int i)
{
	const struct page_row *old = i < p->rows ? &p->row[i] : NULL;
	const struct row *now = f->row[i];
	bool same = old && old->seen_at == now && now->version <= p->clock && old->row.cols == now->cols;

	f->changed[i] = !same && !(old && page_rows_equal(&old->row, now));
	f->text[i] = f->changed[i] ? letters_of(now, f->table, 0, now->cols) : old->text;
	f->rewritten[i] = f->changed[i] && (!old || old->text != f->text[i]);
	f->rewrites += f->rewritten[i];
	f->origin[i] = -1;
	f->state[i] = old ? old->state : 0;
}

void places_init(struct places *t, int rows)
{
	t->size = 16;
	while (t->size < 2 * (size_t)rows)
		t->size *= 2;
	t->place = mem_zalloc(t->size, sizeof(*t->place));
}

static struct place *places_at(const struct places *t, uint64_t text)
{
	size_t at = (size_t)(text >> 20) & (t->size - 1);

	while (t->place[at].text != 0 && t->place[at].text != text)
		at = (at + 1) & (t->size - 1);
	return &t->place[at];
}

void places_add(struct places *t, uint64_t text, int row)
{
	struct place *at;

	if (text == 0)
		return;
	at = places_at(t, text);
	at->row = at->text == 0 ? row : -1;
	at->text = text;
}

int places_find(const struct places *t, uint64_t text, bool *known)
{
	const struct place *at = places_at(t, text);

	*known = text != 0 && at->text == text;
	return *known ? at->row : -1;
}

/* Of the rewritten rows: where on the page their text was, and which texts of the page are gone. */
static void find_origins(struct frame *f, const struct page *p)
{
	struct places before, now;
	bool known;

	places_init(&before, p->rows);
	places_init(&now, f->rows);
	for (int i = 0; i < p->rows; i++) {
		if (i >= f->rows || f->rewritten[i])
			places_add(&before, p->row[i].text, i);
	}
	for (int i = 0; i < f->rows; i++) {
		if (!f->rewritten[i])
			continue;
		f->origin[i] = places_find(&before, f->text[i], &known);
		places_add(&now, f->text[i], i);
	}
	f->left_rows = 0;
	for (int i = 0; i < p->rows; i++) {
		places_find(&now, p->row[i].text, &known);
		f->left[i] = p->row[i].text != 0 && (i >= f->rows || f->rewritten[i]) && !known;
		f->left_rows += f->left[i];
	}
	free(before.place);
	free(now.place);
}

bool frame_look(struct frame *f, const struct page *p, struct row *const *row, int rows, int cols,
    const struct cell_table *table)
{
	bool any = rows != p->rows || cols != p->cols;

	make_room(f, rows, p->rows);
	f->row = row;
	f->rows = rows;
	f->cols = cols;
	f->table = table;
	f->rewrites = f->left_rows = 0;
	for (int i = 0; i < rows; i++) {
		look_at_row(f, p, i);
		any = any || f->changed[i];
	}
	if (f->rewrites > 0 || rows < p->rows)
		find_origins(f, p);
	return any;
}
