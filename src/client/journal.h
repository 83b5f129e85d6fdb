/*
 * journal: what a session showed, with times, as records in files: the format, written by the session's
 * worker (session/recorder) and read for replay, export, and for the last screen of a session that could not
 * write one.
 *
 * RECORD_JOURNAL_DIR of a session holds segments NNNNNNNN, numbered upwards.  A segment is a header of
 * JOURNAL_HEADER_SIZE bytes, little endian:
 *
 *     magic "hndrjrnl"   version u32   size of the header u32   number u64   time u64 (ms since 1970)
 *
 * and records, each with a header of JOURNAL_RECORD_SIZE bytes:
 *
 *     length u32 (of the payload)   type u16   flags u16   time u64   checksum u32 (FNV-1a of all else)
 *
 * Every segment begins with a START and a whole screen, so that any of them can be the first one: the oldest
 * are dropped as a whole.  A writer never goes on with a segment of another one, which may end in half a
 * record: a reader stops at such a place, says so, and goes on with the next segment.  Types that it does not
 * know it skips.
 */
#ifndef HANDLER_CLIENT_JOURNAL_H
#define HANDLER_CLIENT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
	JOURNAL_VERSION = 1,
	JOURNAL_HEADER_SIZE = 32,
	JOURNAL_RECORD_SIZE = 20,
	JOURNAL_PAYLOAD_MAX = 1 << 20,
	JOURNAL_SEGMENT_MAX = 8 << 20, /* a segment ends after this, or an eighth of the limit */
	JOURNAL_SEGMENTS = 8,          /* of this size make the limit */
	JOURNAL_READ_MAX = 16 << 20,   /* a larger file is none of ours */
};
#define JOURNAL_TIME_MAX INT64_C(253402300799000) /* the end of the year 9999: a later time is damage */

/* Numbers are never used again for something else. */
enum journal_type {
	JOURNAL_START = 1,  /* {"id","name","agent","rows","cols"} */
	JOURNAL_SCREEN = 2, /* a delta (wire/delta.h); the first of a segment is a whole screen */
	JOURNAL_STATE = 3,  /* {"state","reason","title"}: it has changed */
	JOURNAL_GAP = 4,    /* {"since": ms, "why"}: what was on screen since then was not written */
};
/* The picture is not whole before the next SCREEN. */
enum journal_flag { JOURNAL_MORE = 1 };

struct journal_record {
	unsigned type, flags;
	int64_t time;        /* ms since 1970 */
	const uint8_t *data; /* borrowed; behind it is another record or a NUL */
	size_t len;
};

void journal_put_header(struct buf *out, uint64_t number, int64_t time);
void journal_put(
    struct buf *out, enum journal_type type, unsigned flags, int64_t time, const void *data, size_t len);

/* --- one segment, as bytes --- */

struct journal_in {
	const uint8_t *start, *first, *at, *end; /* first: record */
	uint64_t number;
	int64_t time; /* of its beginning */
};

/* -1 with err: these are not a segment, or one of a later version. */
int journal_in_start(struct journal_in *in, const void *data, size_t len, struct err *err);
/* 1: a record; 0: the end; -1 with err: what follows is not a whole record. */
int journal_in_next(struct journal_in *in, struct journal_record *out, struct err *err);

/* --- the segments of a session --- */

struct journal_segment {
	uint64_t number, bytes;
	int64_t modified; /* seconds since 1970 */
};

struct journal_list {
	struct journal_segment *items; /* by number */
	size_t count;
};

/* dir: the session's directory.  No journal is an empty list. */
int journal_list_load(struct journal_list *list, const char *dir, struct err *err);
void journal_list_finish(struct journal_list *list);
uint64_t journal_list_bytes(const struct journal_list *list);
char *journal_segment_path(const char *dir, uint64_t number); /* owned */

#endif
