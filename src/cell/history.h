/*
 * history: the rows that have left the top of the screen, packed, in a file or in memory.
 *
 * Rows have numbers that never change: the first row that ever left the screen is 0.  The oldest are dropped
 * beyond the limit.  With a file (mapped shared, append only in blocks), rows survive a SIGKILL of the
 * process that appends, and whoever opens the file next finds them again: everything up to the last row
 * whose append returned.  Damaged parts (a machine that lost power) are left out.
 * The file stops growing at the limit, and at 1 KiB for each row of it if the rows are larger than that.
 */
#ifndef HANDLER_CELL_HISTORY_H
#define HANDLER_CELL_HISTORY_H

#include "base/err.h"
#include "cell/row.h"

struct history;

enum { HISTORY_DEFAULT_ROWS = 100000, HISTORY_MAX_ROWS = 10000000 };

/* dirfd/name: the file (made with mode 0600, or gone on with); dirfd -1: memory only. */
struct history *history_create(int dirfd, const char *name, uint64_t limit_rows, struct err *err);
/* For readers of an ended session: never written, and everything in it is doubted. */
struct history *history_open_readonly(int dirfd, const char *name, struct err *err);
void history_destroy(struct history *h);

uint64_t history_first(const struct history *h); /* number of the oldest row kept */
uint64_t history_end(const struct history *h);   /* number after the newest: the screen's row 0 */

/*
 * Appends and returns the row's number.  An append that cannot be stored (ENOSPC) is kept in memory instead
 * and history_error says so once.
 */
uint64_t history_append(struct history *h, const struct row *r, const struct cell_table *t);
/* The same for a row in its packed form (row.h). */
uint64_t history_append_packed(struct history *h, const void *packed, size_t len);
/* Drops rows from the newest end: what was appended after `end` is forgotten (recovery; a resize that pulls
 * rows back). */
void history_truncate(struct history *h, uint64_t end);
/* Forgets all rows before history_end (CSI 3 J with clear_history "drop"). Numbers go on. */
void history_clear(struct history *h);
/* Packed bytes of a row, or NULL if it is not kept; valid until the next call on the history. */
const void *history_packed(const struct history *h, uint64_t number, size_t *len);
uint16_t history_flags(const struct history *h, uint64_t number); /* of a row; 0 if it is not kept */
/* Unpacks into *out (initialised by the caller with the wanted number of columns).  -1: not kept. */
int history_row(const struct history *h, uint64_t number, struct cell_table *t, struct row *out);
int history_descriptor(const struct history *h);   /* of the file, for fdatasync(2); -1: memory only */
int history_error(const struct history *h);        /* errno of the first failure to store, or 0 */
void history_failed(struct history *h, int error); /* for whoever uses history_descriptor */
uint32_t history_damaged(const struct history *h); /* blocks that were not whole when the file was opened */

#endif
