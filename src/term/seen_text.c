/* seen_text: the text of the alternate screen by numbers that its rows keep (term.h). */
#include "term/past.h"
#include "term/seen.h"
#include "term/state.h"

void seen_text_on_page(const struct term *t, int *from, int *to)
{
	const struct seen *s = &t->seen;

	*from = s->from + s->back;
	*to = *from + least(seen_unkept_end(t, 0), seen_unkept_on_page(s));
}

int term_text_rows(const struct term *t)
{
	return on_alternate(t) ? seen_unkept_end(t, 0) : 0;
}

void term_text_row(const struct term *t, int index, struct row *out)
{
	AUTO_BUF packed = BUF_INIT;

	seen_unkept_pack(t, index, SIZE_MAX, &packed);
	row_resize(out, row_packed_used(packed.data, packed.len));
	row_unpack(packed.data, packed.len, t->table, out);
}

uint64_t term_text_end(const struct term *t)
{
	return past_top(t) + (t->seen.established || t->seen.away ? (uint64_t)term_text_rows(t) : 0);
}
