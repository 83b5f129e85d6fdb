/* mem: see mem.h.  The only place that decides what happens when memory runs out. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Written without allocating: this is the one moment when nothing may. */
_Noreturn void mem_exhausted(size_t size)
{
	char text[80];
	int len = snprintf(text, sizeof(text), "handler: out of memory (%zu bytes wanted)\n", size);

	if (write(STDERR_FILENO, text, (size_t)len) < 0)
		abort();
	abort();
}

void *mem_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		mem_exhausted(size);
	return p;
}

void *mem_zalloc(size_t count, size_t size)
{
	void *p = calloc(count && size ? count : 1, count && size ? size : 1);

	if (!p)
		mem_exhausted(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
	return p;
}

void *mem_realloc(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		mem_exhausted(SIZE_MAX);
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		mem_exhausted(bytes);
	return p;
}

char *mem_strdup(const char *s)
{
	return s ? mem_strndup(s, strlen(s)) : NULL;
}

char *mem_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = mem_alloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (len < 0)
		mem_exhausted(0);
	return s;
}

void mem_cleanup_free(void *pointer_to_pointer)
{
	void *p;

	memcpy(&p, pointer_to_pointer, sizeof(p));
	free(p);
}
