/* strv: NULL-terminated arrays of owned strings, as argv and envp are. */
#ifndef HANDLER_HARNESS_STRV_H
#define HANDLER_HARNESS_STRV_H

#include <stddef.h>

#include "base/json.h"

/* A growing one.  items is NULL while nothing was added. */
struct strv {
	char **items;
	size_t count;
};
#define STRV_INIT                                                                                            \
	{                                                                                                    \
		.items = NULL, .count = 0                                                                    \
	}

void strv_add(struct strv *v, const char *s);
void strv_take(struct strv *v, char *s); /* the string becomes v's */
void strv_remove(struct strv *v, size_t i);
char **strv_steal(struct strv *v); /* owned and never NULL; v is empty afterwards */
void strv_finish(struct strv *v);

/* The plain form: destroy(NULL) is fine; a NULL source copies as an empty one. */
void strv_destroy(char **items);
char **strv_copy(char *const *items);
size_t strv_count(char *const *items);
/* From and to arrays of strings; what is not a string is left out. */
char **strv_from_json(const struct json *array);
struct json *strv_to_json(char *const *items);

#endif
