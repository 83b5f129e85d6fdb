/*
 * fuzz: what the targets share: the entry of libFuzzer, a reader of its bytes, checks that end the process.
 *
 * A target is a file tests/fuzz/TARGET.c.  clang links it with libFuzzer (make fuzz), gcc with replay.c,
 * which runs the files of tests/fuzz/corpus/TARGET (make test).  It must be a function of its input alone.
 *
 * Where the input is text for the thing that is tested, it stands in the file as it is, so that a recording
 * is an input; what else is to happen in the midst of it is said by 0xFF, which is in no UTF-8, and the bytes
 * after it, which each target explains.
 */
#ifndef HANDLER_FUZZ_H
#define HANDLER_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* only in some targets */

/* What has to be true of every input. */
#define CHECK(condition)                                                                                     \
	do {                                                                                                 \
		if (!(condition))                                                                            \
			fuzz_fail(__FILE__, __LINE__, #condition);                                           \
	} while (0)

_Noreturn static inline void fuzz_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

/* Two descriptions of what must be the same; shows where they part. */
static inline void check_same(const struct buf *a, const struct buf *b, const char *what)
{
	size_t at = 0, from;

	if (a->len == b->len && memcmp(a->data, b->data, a->len) == 0)
		return;
	while (at < a->len && at < b->len && a->data[at] == b->data[at])
		at++;
	from = at > 200 ? at - 200 : 0;
	fprintf(stderr, "%s: they part at byte %zu:\n%.400s\n--- and ---\n%.400s\n", what, at, a->data + from,
	    b->data + from);
	abort();
}

/* --- reading the input: zeros after its end --- */

struct source {
	const uint8_t *at, *end;
};

static inline struct source source_of(const uint8_t *data, size_t size)
{
	return (struct source){.at = data, .end = data + size};
}

static inline size_t source_left(const struct source *s)
{
	return (size_t)(s->end - s->at);
}

static inline unsigned source_u8(struct source *s)
{
	return s->at < s->end ? *s->at++ : 0;
}

static inline unsigned source_u16(struct source *s)
{
	unsigned low = source_u8(s);

	return low | source_u8(s) << 8;
}

/* from..to, both included, at most 256 of them */
static inline int source_range(struct source *s, int from, int to)
{
	return from + (int)(source_u8(s) % (unsigned)(to - from + 1));
}

/* The next `len` bytes or as many as there are; *len is set to that. */
static inline const char *source_bytes(struct source *s, size_t *len)
{
	const char *bytes = (const char *)s->at;

	if (*len > source_left(s))
		*len = source_left(s);
	s->at += *len;
	return bytes;
}

/* The text up to the next 0xFF or the end. */
static inline const char *source_text(struct source *s, size_t *len)
{
	const uint8_t *stop = source_left(s) ? memchr(s->at, 0xff, source_left(s)) : NULL;

	*len = (size_t)((stop ? stop : s->end) - s->at);
	return source_bytes(s, len);
}

/* The byte after a 0xFF that source_text stopped at; -1 at the end. */
static inline int source_operation(struct source *s)
{
	if (!source_left(s))
		return -1;
	s->at++;
	return (int)source_u8(s);
}

/* --- cutting: the same input is always cut in the same places --- */

struct cutter {
	uint32_t state;
};

static inline size_t cutter_next(struct cutter *c, size_t left)
{
	size_t n;

	c->state = c->state * 1664525 + 1013904223;
	n = c->state >> 31 ? 1 + (c->state >> 8) % 3 : 1 + (c->state >> 8) % 61;
	return n < left ? n : left;
}

#endif
