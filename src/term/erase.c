/* erase: see erase.h.  ECMA-48 8.3.39 (ED), 8.3.41 (EL), 8.3.38 (ECH); DEC STD 070 for the selective ones. */
#include "term/erase.h"

#include "term/cursor.h"
#include "term/past.h"
#include "term/scroll.h"
#include "term/sgr.h"
#include "term/state.h"

static bool respects_protection(const struct term *t, enum erase_kind kind)
{
	switch (kind) {
	case ERASE_PLAIN:
		return t->protection == PROTECT_ISO;
	case ERASE_SELECTIVE:
		return t->protection != PROTECT_NONE;
	case ERASE_AREA_SELECTIVE:
		return t->protection == PROTECT_DEC;
	default:
		return false;
	}
}

static bool is_protected(const struct term *t, const struct row *r, int col)
{
	return (table_style_value(t->table, r->cells[col].style)->attrs & ATTR_PROTECTED) != 0;
}

void erase_columns(struct term *t, int row, int from, int to, enum erase_kind kind)
{
	struct row *r = touch(t, row);
	uint32_t blank = pen_blank(t);

	if (to >= t->cols)
		r->flags &= (uint16_t)~ROW_WRAPPED;
	if (!respects_protection(t, kind)) {
		row_erase(r, from, to, blank);
		return;
	}
	for (int col = from; col < to; col++) {
		if (!is_protected(t, r, col))
			row_erase(r, col, col + 1, blank);
	}
}

void erase_rows(struct term *t, int from, int to, enum erase_kind kind)
{
	for (int row = from; row < to; row++) {
		erase_columns(t, row, 0, t->cols, kind);
		if (!respects_protection(t, kind))
			t->grid->row[row]->flags = 0;
	}
}

void erase_break(struct term *t)
{
	if (t->row > 0 && t->col == 0 && t->grid->row[t->row - 1]->flags & ROW_WRAPPED)
		touch(t, t->row - 1)->flags &= (uint16_t)~ROW_WRAPPED;
}

static void erase_below(struct term *t, enum erase_kind kind)
{
	erase_break(t);
	erase_columns(t, t->row, t->col, t->cols, kind);
	erase_rows(t, t->row + 1, t->rows, kind);
}

void erase_keep(struct term *t, enum erase_kind kind)
{
	if (!respects_protection(t, kind))
		past_keep_screen(t);
}

void erase_display(struct term *t, int part, enum erase_kind kind)
{
	switch (part) {
	case 0:
		erase_below(t, kind);
		break;
	case 1:
		erase_rows(t, 0, t->row, kind);
		erase_columns(t, t->row, 0, t->col + 1, kind);
		break;
	case 2:
		erase_keep(t, kind);
		erase_rows(t, 0, t->rows, kind);
		break;
	case 3:
		if (kind == ERASE_PLAIN && !on_alternate(t))
			past_clear(t);
		return;
	}
	t->wrap_pending = false;
}

void erase_line(struct term *t, int part, enum erase_kind kind)
{
	switch (part) {
	case 0:
		erase_break(t);
		erase_columns(t, t->row, t->col, t->cols, kind);
		break;
	case 1:
		erase_columns(t, t->row, 0, t->col + 1, kind);
		break;
	case 2:
		erase_columns(t, t->row, 0, t->cols, kind);
		break;
	}
	t->wrap_pending = false;
}

void erase_characters(struct term *t, int count)
{
	erase_columns(t, t->row, t->col, least(t->col + count, t->cols), ERASE_PLAIN);
	t->wrap_pending = false;
}

void erase_align(struct term *t)
{
	margins_reset(t);
	for (int i = 0; i < t->rows; i++) {
		struct row *r = touch(t, i);

		cells_fill(r->cells, t->cols, (struct cell){.glyph = 'E'});
		r->flags = 0;
	}
	cursor_set(t, 0, 0);
}
