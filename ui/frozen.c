/* frozen: see frozen.h. */
#include "ui/frozen.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { KEPT_SCREENS = 8 /* of rows: a screen that becomes so many times as wide takes back as many */ };

static void copy_row(struct row *to, const struct row *from)
{
	row_init(to, from->cols > 0 ? from->cols : 1, 0);
	if (from->cols > 0)
		memcpy(to->cells, from->cells, (size_t)from->cols * sizeof(struct cell));
	to->flags = from->flags;
	to->version = from->version;
}

void frozen_init(struct frozen *f, const struct screen *s, frozen_history *history, void *context)
{
	uint64_t most = KEPT_SCREENS * (uint64_t)s->rows, kept = s->top - s->history_first;

	*f = (struct frozen){.screen = *s, .history = history, .context = context};
	f->kept_from = s->top - (kept < most ? kept : most);
	f->screen.palette = NULL;
	f->newest = mem_zalloc((size_t)(s->top - f->kept_from) + 1, sizeof(struct row));
	f->rows = mem_zalloc((size_t)s->rows, sizeof(struct row));
	f->screen.row = mem_zalloc((size_t)s->rows, sizeof(struct row *));
	for (int i = 0; i < s->rows; i++) {
		copy_row(&f->rows[i], s->row[i]);
		f->screen.row[i] = &f->rows[i];
	}
}

void frozen_finish(struct frozen *f)
{
	for (uint64_t n = f->kept_from; n < f->screen.top; n++)
		row_finish(&f->newest[n - f->kept_from]);
	for (int i = 0; i < f->screen.rows; i++)
		row_finish(&f->rows[i]);
	free(f->newest);
	free(f->rows);
	free(f->screen.row);
}

uint64_t frozen_end(const struct frozen *f)
{
	return f->screen.top + (uint64_t)f->screen.rows;
}

void frozen_keep(struct frozen *f)
{
	for (uint64_t n = f->kept_from; f->history && n < f->screen.top; n++) {
		struct row *kept = &f->newest[n - f->kept_from];
		const struct row *r = kept->cells ? NULL : f->history(f->context, n);

		if (r)
			copy_row(kept, r);
	}
}

const struct row *frozen_row(const struct frozen *f, uint64_t number)
{
	if (number >= f->screen.top)
		return number < frozen_end(f) ? f->screen.row[number - f->screen.top] : NULL;
	if (number < f->screen.history_first)
		return NULL;
	if (number >= f->kept_from && f->newest[number - f->kept_from].cells)
		return &f->newest[number - f->kept_from];
	return f->history ? f->history(f->context, number) : NULL;
}

void frozen_mark_cells(const struct frozen *f)
{
	for (uint64_t n = f->kept_from; n < f->screen.top; n++) {
		const struct row *r = &f->newest[n - f->kept_from];

		if (r->cells)
			table_mark_cells(f->screen.table, r->cells, (size_t)r->cols);
	}
	for (int i = 0; i < f->screen.rows; i++)
		table_mark_cells(f->screen.table, f->rows[i].cells, (size_t)f->rows[i].cols);
}
