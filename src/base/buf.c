/* buf: see buf.h for the invariants. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { BUF_FIRST_CAPACITY = 64 };

/* Every empty buffer points here.  Never written: the NUL is there already, and cap 0 says it is not ours. */
char buf_empty[1];

void buf_init(struct buf *b)
{
	*b = (struct buf)BUF_INIT;
}

void buf_free(struct buf *b)
{
	if (b->cap)
		free(b->data);
	buf_init(b);
}

void buf_clear(struct buf *b)
{
	buf_truncate(b, 0);
}

/* Doubles, so that adding byte by byte costs linear time. */
void buf_reserve(struct buf *b, size_t extra)
{
	size_t need, cap;

	if (extra == 0 || (b->cap > b->len && extra < b->cap - b->len))
		return;
	if (__builtin_add_overflow(b->len, extra, &need) || __builtin_add_overflow(need, 1, &need))
		mem_exhausted((size_t)-1);
	cap = b->cap ? b->cap : BUF_FIRST_CAPACITY;
	while (cap < need)
		cap = cap > (size_t)-1 / 2 ? need : cap * 2;
	b->data = mem_realloc(b->cap ? b->data : NULL, cap, 1);
	b->data[b->len] = '\0';
	b->cap = cap;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (len == 0)
		return;
	buf_reserve(b, len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

/* Into what room there is first: most texts are short, and then the format is run once. */
void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	size_t room;
	va_list again;
	int len;

	buf_reserve(b, BUF_FIRST_CAPACITY - 1);
	room = b->cap - b->len;
	va_copy(again, ap);
	len = vsnprintf(b->data + b->len, room, fmt, ap);
	if (len < 0) {
		len = 0;
		b->data[b->len] = '\0';
	} else if ((size_t)len >= room) {
		buf_reserve(b, (size_t)len);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
	}
	va_end(again);
	b->len += (size_t)len;
}

void buf_add_utf8(struct buf *b, uint32_t cp)
{
	char bytes[UTF8_MAX];

	buf_add(b, bytes, (size_t)utf8_encode(cp, bytes));
}

void buf_consume(struct buf *b, size_t n)
{
	if (n == 0)
		return;
	b->len -= n;
	memmove(b->data, b->data + n, b->len + 1);
}

void buf_truncate(struct buf *b, size_t len)
{
	if (!b->cap)
		return;
	b->len = len;
	b->data[len] = '\0';
}

char *buf_steal(struct buf *b)
{
	char *data = b->cap ? b->data : mem_strdup("");

	buf_init(b);
	return data;
}

void buf_cleanup(struct buf *b)
{
	buf_free(b);
}
