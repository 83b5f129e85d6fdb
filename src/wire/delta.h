/*
 * delta: what of a screen changed since it was last sent, as bytes, and the copy of the screen at the other
 * end.
 *
 * The payload of a SCREEN message: rows, columns, top, first row of history, modes, cursor; then operations:
 * scroll a region; define a style, a cluster or a link under a handle of this connection; write columns of a
 * row.  A definition may replace an earlier one of the same handle: cells that were written keep what they
 * meant, because the mirror translates at once into handles of its own table.  So a sender whose handles have
 * run out just begins again.
 *
 * Colours that the program in the pane redefined (screen->palette) are resolved here: a mirror has no
 * palette.
 */
#ifndef HANDLER_WIRE_DELTA_H
#define HANDLER_WIRE_DELTA_H

#include "base/err.h"
#include "cell/history.h"
#include "cell/screen.h"

enum {
	DELTA_STYLES_MAX = 4096, /* handles a sender uses; a mirror accepts up to the CELL_*_MAX of cell.h */
	DELTA_CLUSTERS_MAX = 4096,
	DELTA_LINKS_MAX = 512,
	DELTA_BYTES = 256 << 10, /* a payload stops growing here; the rest of the rows goes with the next */
};

/* --- the worker's end --- */

/*
 * One for each connection.  Remembers what was last sent (not what was acknowledged: the stream is reliable,
 * and holding back frames for lack of credit is the caller's matter).
 */
struct delta_sender;

struct delta_sender *delta_sender_create(void);
struct delta_sender *delta_sender_create_limited(
    uint32_t styles, uint32_t clusters, uint32_t links); /* for tests */
void delta_sender_destroy(struct delta_sender *s);
/* The next delta is a whole screen that does not depend on earlier ones. */
void delta_sender_reset(struct delta_sender *s);

/*
 * Appends the payload of one SCREEN message to `out`.  false: nothing has changed, nothing appended.  Not
 * everything may fit into one message (DELTA_BYTES): delta_sender_more says that a further call has something
 * to send already. Relies on: a row that has changed since the last call has a version above screen->version
 * at that call, or is another struct row.
 */
bool delta_encode(struct delta_sender *s, const struct screen *screen, struct buf *out);
bool delta_sender_more(const struct delta_sender *s);

/*
 * Appends the payload of one ROWS message: up to `count` rows from number `from`, those of history and then
 * those of the screen.  Complete in itself: needs no sender.  history may be NULL.  Returns how many rows it
 * holds (it stops at DELTA_BYTES, but holds at least one if one was there to send).
 */
uint32_t delta_encode_rows(const struct history *history, const struct screen *screen, uint64_t from,
    uint32_t count, struct buf *out);

/* --- the client's end --- */

/* Rows [top, bottom) moved up by `count` (down if negative); the rows that came free are blank. */
struct mirror_scroll {
	int top, bottom, count;
};

enum { MIRROR_SCROLLS_MAX = 8 };

struct mirror_dictionary; /* what the handles of the connection mean */

/*
 * A session's screen as the client has it.  The handles in its rows are those of `screen.table`, which is
 * shared by everything that the front-end draws.
 *
 * Who draws rows: a picture of row i is current exactly if screen.row[i] is the same struct row *and* has the
 * same version as when it was drawn (a scroll moves the pointers, the versions stay).  scroll[0..scrolls) are
 * the moves since mirror_scrolls_clear, oldest first, for those who can move a picture cheaply; it is safe to
 * ignore them.
 */
struct mirror {
	struct screen screen; /* .palette is always NULL; .version grows with each delta */
	bool valid;           /* something was applied */
	bool more;            /* the last delta was not all: better not drawn yet */
	bool stale; /* the table was full and styles were lost: ask for VIEW refresh after the sweep */
	int scrolls;
	struct mirror_scroll scroll[MIRROR_SCROLLS_MAX];
	struct mirror_dictionary *dictionary;
};

/* Borrows the table; 24 blank rows of 80 columns until the first delta. */
void mirror_init(struct mirror *m, struct cell_table *shared);
void mirror_finish(struct mirror *m);
/*
 * Applies a SCREEN payload.  -1: the bytes are no delta (ERR_PROTOCOL); the rows are still whole rows, but
 * what they show is undefined: ask for a refresh or drop the connection.
 */
int mirror_apply(struct mirror *m, const void *data, size_t len, struct err *err);
void mirror_scrolls_clear(struct mirror *m);
/* Marks every handle that the rows use.  After table_sweep the mirror goes on by itself. */
void mirror_mark(const struct mirror *m);

/*
 * Rows by number, as ROWS messages brought them: a fixed number of slots, a newer row replaces one with the
 * same number modulo the capacity.
 */
struct row_cache {
	struct cell_table *table;
	uint64_t history_first, top; /* of the session, as last told */
	uint64_t version;            /* clock of the rows' versions */
	uint32_t capacity;
	bool stale; /* the table was full and styles were lost: forget the rows after the sweep */
	struct row_slot *slots;
};

void row_cache_init(struct row_cache *c, struct cell_table *shared, uint32_t capacity);
void row_cache_finish(struct row_cache *c);
/* Applies a ROWS payload.  *from and *count (may be NULL) say which rows came. */
int mirror_rows_apply(
    struct row_cache *c, const void *data, size_t len, uint64_t *from, uint32_t *count, struct err *err);
/* The row (as many columns as are in use; what is beyond is blank), or NULL: ask for it.  Valid until the
 * next apply. */
const struct row *row_cache_get(const struct row_cache *c, uint64_t number);
/* Forgets rows from this number on: those of the screen change under the same number. */
void row_cache_forget(struct row_cache *c, uint64_t from);
void row_cache_mark(const struct row_cache *c);

#endif
