/* capture: rows of a screen and its history as text, text with SGR, or JSON runs: what `handler capture`
 * prints. */
#ifndef HANDLER_CLIENT_CAPTURE_H
#define HANDLER_CLIENT_CAPTURE_H

#include "base/json.h"
#include "cell/history.h"
#include "cell/screen.h"
#include "cell/select.h"
#include "client/record.h"

enum capture_format { CAPTURE_TEXT, CAPTURE_ANSI, CAPTURE_JSON };

enum { CAPTURE_BYTES = 256 << 10 }; /* an answer stops growing here: `next` says where to go on */

/* Where so many lines of history before the screen begin; -1: all.  history may be NULL. */
struct position capture_begin(const struct screen *s, const struct history *h, int64_t lines);
/*
 * From a place to the row of that stable number (at most s->top + s->rows) as an object: "rows", "cols",
 * "cursor", "first" (oldest row kept), "top", and "text" or (JSON) "lines"; "next" (a row) if there are more.
 * Rows of history of another width are broken as they would be on the screen (cell/rebreak.h): a line's
 * "number" and "column" are where it begins, "wrapped" says that its text goes on in the next.  history may
 * be NULL.  With `trim`, empty lines at the end of the screen are left out.
 */
struct json *capture(const struct screen *s, const struct history *h, struct position from, uint64_t end,
    enum capture_format format, bool trim);
/*
 * The text of a program on the alternate screen, by its own numbers (term_text_rows in term/term.h): rows of
 * history and of the main screen that are of it (ROW_SEEN), and of a program that is there now those that
 * have not left its page.  Also "gaps": whether rows among them may have passed unseen.
 */
struct capture_page {
	int rows; /* numbered from s->top on */
	/* Valid until the next call. */
	const struct row *(*row)(void *context, int index);
	void *context;
};
/* page: NULL: the program is not there any more. */
struct json *capture_pages(const struct screen *s, const struct history *h, const struct capture_page *page,
    struct position from, uint64_t end, enum capture_format format);
/* One row with SGR sequences; the pen is in its default style before and after it. */
void capture_row_ansi(const struct row *r, const struct cell_table *t, struct buf *out);

/*
 * What to say to who asks for the history of a program on the alternate screen whose rows were not seen to
 * leave it yet: that, and the program's own key for what was said before where its descriptor knows one.
 */
char *capture_nothing_left(const struct record *r);
/* The same for rows that may have passed unseen. */
char *capture_may_miss(const struct record *r);

#endif
