/*
 * mem: allocation that cannot fail.
 *
 * A process of this program that runs out of memory cannot do anything useful for its caller: it says so on
 * standard error and aborts.  A worker that aborts is replaced by its keeper; nothing else depends on one.
 * Everything that outside input can make grow has a limit of its own, so this is never how input is refused.
 */
#ifndef HANDLER_BASE_MEM_H
#define HANDLER_BASE_MEM_H

#include <stddef.h>

/* size 0 is allowed and returns a pointer that free() takes. */
void *mem_alloc(size_t size);
void *mem_zalloc(size_t count, size_t size); /* zeroed; the product is checked for overflow */
void *mem_realloc(void *p, size_t count, size_t size);
char *mem_strdup(const char *s); /* NULL stays NULL */
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What all of these do when there is no memory: says so and aborts.  For those who call another allocator. */
_Noreturn void mem_exhausted(size_t size);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A variable that is freed when its scope ends: `AUTO_FREE char *path = ...`. */
void mem_cleanup_free(void *pointer_to_pointer);
#define AUTO_FREE __attribute__((cleanup(mem_cleanup_free)))

#endif
