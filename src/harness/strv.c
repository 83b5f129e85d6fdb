/* strv: NULL-terminated arrays of owned strings. */
#include "harness/strv.h"

#include <stdlib.h>

#include "base/mem.h"

void strv_take(struct strv *v, char *s)
{
	v->items = mem_realloc(v->items, v->count + 2, sizeof(*v->items));
	v->items[v->count++] = s;
	v->items[v->count] = NULL;
}

void strv_add(struct strv *v, const char *s)
{
	strv_take(v, mem_strdup(s));
}

void strv_remove(struct strv *v, size_t i)
{
	free(v->items[i]);
	memmove(&v->items[i], &v->items[i + 1], (v->count - i) * sizeof(*v->items));
	v->count--;
}

char **strv_steal(struct strv *v)
{
	char **items = v->items ? v->items : mem_zalloc(1, sizeof(*items));

	*v = (struct strv)STRV_INIT;
	return items;
}

void strv_finish(struct strv *v)
{
	strv_destroy(v->items);
	*v = (struct strv)STRV_INIT;
}

void strv_destroy(char **items)
{
	for (size_t i = 0; items && items[i]; i++)
		free(items[i]);
	free(items);
}

char **strv_copy(char *const *items)
{
	struct strv v = STRV_INIT;

	for (size_t i = 0; items && items[i]; i++)
		strv_add(&v, items[i]);
	return strv_steal(&v);
}

size_t strv_count(char *const *items)
{
	size_t n = 0;

	while (items && items[n])
		n++;
	return n;
}

char **strv_from_json(const struct json *array)
{
	struct strv v = STRV_INIT;

	for (const struct json *j = json_first(array); j; j = json_next(j)) {
		if (json_type(j) == JSON_STRING)
			strv_add(&v, json_string(j, ""));
	}
	return strv_steal(&v);
}

struct json *strv_to_json(char *const *items)
{
	struct json *array = json_new_array();

	for (size_t i = 0; items && items[i]; i++)
		json_append_string(array, items[i]);
	return array;
}
