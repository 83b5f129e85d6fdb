/* screen: the text of a screen.  See screen.h. */
#include "cell/screen.h"

void screen_text(const struct screen *s, bool join, struct buf *out)
{
	size_t before = out->len, end = before; /* end: of the last line that is not empty */

	for (int i = 0; i < s->rows; i++) {
		const struct row *r = s->row[i];
		size_t start = out->len;

		row_text(r, s->table, 0, row_text_end(r), !join, out);
		if (out->len > start)
			end = out->len;
		if (!join || !(r->flags & ROW_WRAPPED))
			buf_addc(out, '\n');
	}
	buf_truncate(out, end);
	if (end > before)
		buf_addc(out, '\n');
}
