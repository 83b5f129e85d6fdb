/*
 * buf: a growing run of bytes.
 *
 * Invariants: data is never NULL after buf_init (an empty buffer points at a shared NUL), data[len] is always
 * NUL, so a buffer of text is a C string.  buf_free returns it to the state after buf_init.
 */
#ifndef HANDLER_BASE_BUF_H
#define HANDLER_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;
	size_t len;
	size_t cap; /* 0: nothing allocated */
};

extern char buf_empty[1];
#define BUF_INIT                                                                                             \
	{                                                                                                    \
		.data = buf_empty, .len = 0, .cap = 0                                                        \
	}

void buf_init(struct buf *b);
void buf_free(struct buf *b);
void buf_clear(struct buf *b); /* length 0, memory kept */
void buf_reserve(struct buf *b, size_t extra);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void buf_add_utf8(struct buf *b, uint32_t cp); /* U+FFFD for what is not a scalar value */
void buf_consume(struct buf *b, size_t n);     /* drops the first n bytes; n <= len */
void buf_truncate(struct buf *b, size_t len);  /* len <= b->len */
char *buf_steal(struct buf *b);                /* returns an owned string, leaves b empty */

void buf_cleanup(struct buf *b);
#define AUTO_BUF __attribute__((cleanup(buf_cleanup))) struct buf

#endif
