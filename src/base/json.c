/*
 * json: see json.h.  The only user of cJSON: a `struct json` is a cJSON item under another name, so that no
 * header but this file's needs cJSON.h.  The text is checked and freed of comments by json_text.
 *
 * valueint holds the line of a node (0: it was not read from a text).  Numbers are read from and written to
 * valuedouble only, and written by json_write.c, because cJSON's printer rounds large whole numbers.
 */
#include "base/json.h"

#include <cJSON.h>

#include <assert.h>
#include <math.h> /* macros only: no libm */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_text.h"
#include "base/mem.h"
#include "base/path.h"

static const cJSON *item_of(const struct json *n)
{
	return (const cJSON *)n;
}

static cJSON *mutable_item_of(struct json *n)
{
	return (cJSON *)n;
}

static const struct json *node_of(const cJSON *item)
{
	return (const struct json *)item;
}

/* For an item that cJSON has just made. */
static struct json *new_node(cJSON *item)
{
	if (!item)
		mem_exhausted(sizeof(cJSON));
	item->valueint = 0;
	return (struct json *)item;
}

/* ---- reading ---- */

static int by_key(const void *a, const void *b)
{
	const cJSON *const *left = a, *const *right = b;
	int order = strcmp((*left)->string, (*right)->string);

	return order ? order
		     : ((*left)->valueint > (*right)->valueint) - ((*left)->valueint < (*right)->valueint);
}

static int check_duplicates(const cJSON *object, const char *name, struct err *err)
{
	size_t i = 0, count = (size_t)cJSON_GetArraySize(object);
	AUTO_FREE const cJSON **items = mem_zalloc(count, sizeof(*items));
	const cJSON *item;

	for (item = object->child; item; item = item->next)
		items[i++] = item;
	qsort(items, count, sizeof(*items), by_key);
	for (i = 1; i < count; i++) {
		if (strcmp(items[i - 1]->string, items[i]->string) == 0)
			return json_error(NULL, node_of(items[i]), name, err,
			    "the key \"%s\" is there twice (first in line %d)", items[i]->string,
			    items[i - 1]->valueint);
	}
	return 0;
}

/* Gives every node its line, and checks what can only be seen in the tree.  *lines goes through them in step.
 */
static int settle(cJSON *item, const int **lines, const char *name, struct err *err)
{
	cJSON *child;

	item->valueint = *(*lines)++;
	if (cJSON_IsNumber(item) && !isfinite(item->valuedouble))
		return json_error(NULL, node_of(item), name, err, "the number is too large");
	for (child = item->child; child; child = child->next) {
		if (settle(child, lines, name, err) < 0)
			return -1;
	}
	return cJSON_IsObject(item) ? check_duplicates(item, name, err) : 0;
}

struct json *json_parse(const char *text, size_t len, const char *name, struct err *err)
{
	struct json_text checked;
	const int *lines;
	cJSON *root;

	if (json_text_init(&checked, text, len, name, err) < 0)
		return NULL;
	root = cJSON_ParseWithLengthOpts(checked.text, checked.len, NULL, false);
	lines = checked.lines;
	if (!root) {
		err_set(err, ERR_INVALID, "%s: cJSON cannot read it", name);
	} else if (settle(root, &lines, name, err) < 0) {
		cJSON_Delete(root);
		root = NULL;
	}
	json_text_finish(&checked);
	return (struct json *)root;
}

struct json *json_parse_file(const char *path, struct err *err)
{
	AUTO_FREE char *text = NULL;
	size_t len;

	if (path_read_file(path, JSON_MAX_BYTES, &text, &len, err) < 0)
		return NULL;
	return json_parse(text, len, path, err);
}

void json_free(struct json *root)
{
	cJSON_Delete(mutable_item_of(root));
}

/* ---- looking at a tree ---- */

enum json_type json_type(const struct json *n)
{
	if (!n)
		return JSON_NULL;
	switch (item_of(n)->type & 0xFF) {
	case cJSON_False:
	case cJSON_True:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

const char *json_type_name(const struct json *n)
{
	static const char *const names[] = {
	    [JSON_NULL] = "null",
	    [JSON_BOOL] = "a boolean",
	    [JSON_NUMBER] = "a number",
	    [JSON_STRING] = "a string",
	    [JSON_ARRAY] = "an array",
	    [JSON_OBJECT] = "an object",
	};

	return n ? names[json_type(n)] : "nothing";
}

const char *json_key(const struct json *n)
{
	return item_of(n)->string;
}

int json_line(const struct json *root, const struct json *n)
{
	(void)root;
	return n ? item_of(n)->valueint : 0;
}

const struct json *json_first(const struct json *n)
{
	return n ? node_of(item_of(n)->child) : NULL;
}

const struct json *json_next(const struct json *n)
{
	return node_of(item_of(n)->next);
}

int json_count(const struct json *n)
{
	return n ? cJSON_GetArraySize(item_of(n)) : 0;
}

const struct json *json_get(const struct json *object, const char *key)
{
	if (!object || json_type(object) != JSON_OBJECT)
		return NULL;
	return node_of(cJSON_GetObjectItemCaseSensitive(item_of(object), key));
}

const struct json *json_path(const struct json *object, const char *path)
{
	while (object) {
		size_t len = strcspn(path, ".");
		AUTO_FREE char *key = mem_strndup(path, len);

		object = json_get(object, key);
		if (path[len] == '\0')
			break;
		path += len + 1;
	}
	return object;
}

const char *json_string(const struct json *n, const char *fallback)
{
	return n && json_type(n) == JSON_STRING ? item_of(n)->valuestring : fallback;
}

double json_number(const struct json *n, double fallback)
{
	return n && json_type(n) == JSON_NUMBER ? item_of(n)->valuedouble : fallback;
}

/* What a double holds without a gap. */
static bool is_whole(double n)
{
	return n >= -9007199254740992.0 && n <= 9007199254740992.0 && (double)(int64_t)n == n;
}

int64_t json_int(const struct json *n, int64_t fallback)
{
	double value = json_number(n, NAN);

	return is_whole(value) ? (int64_t)value : fallback;
}

bool json_bool(const struct json *n, bool fallback)
{
	return n && json_type(n) == JSON_BOOL ? cJSON_IsTrue(item_of(n)) != 0 : fallback;
}

const char *json_get_string(const struct json *object, const char *key, const char *fallback)
{
	return json_string(json_get(object, key), fallback);
}

int64_t json_get_int(const struct json *object, const char *key, int64_t fallback)
{
	return json_int(json_get(object, key), fallback);
}

double json_get_number(const struct json *object, const char *key, double fallback)
{
	return json_number(json_get(object, key), fallback);
}

bool json_get_bool(const struct json *object, const char *key, bool fallback)
{
	return json_bool(json_get(object, key), fallback);
}

/* ---- building ---- */

struct json *json_new_object(void)
{
	return new_node(cJSON_CreateObject());
}

struct json *json_new_array(void)
{
	return new_node(cJSON_CreateArray());
}

struct json *json_new_string(const char *s)
{
	return new_node(cJSON_CreateString(s));
}

struct json *json_new_number(double n)
{
	return new_node(cJSON_CreateNumber(n));
}

struct json *json_new_bool(bool b)
{
	return new_node(cJSON_CreateBool(b));
}

struct json *json_new_null(void)
{
	return new_node(cJSON_CreateNull());
}

static void drop_key(cJSON *item)
{
	free(item->string);
	item->string = NULL;
}

struct json *json_copy(const struct json *n)
{
	cJSON *copy = cJSON_Duplicate(item_of(n), true);

	if (!copy)
		mem_exhausted(sizeof(cJSON));
	drop_key(copy);
	return (struct json *)copy;
}

struct json *json_set(struct json *object, const char *key, struct json *value)
{
	cJSON *into = mutable_item_of(object), *item = mutable_item_of(value);
	bool done;

	assert(json_type(object) == JSON_OBJECT);
	if (cJSON_GetObjectItemCaseSensitive(into, key))
		done = cJSON_ReplaceItemInObjectCaseSensitive(into, key, item);
	else
		done = cJSON_AddItemToObject(into, key, item);
	if (!done)
		mem_exhausted(strlen(key) + 1);
	return value;
}

void json_set_string(struct json *object, const char *key, const char *s)
{
	json_set(object, key, s ? json_new_string(s) : json_new_null());
}

void json_set_number(struct json *object, const char *key, double n)
{
	json_set(object, key, json_new_number(n));
}

void json_set_bool(struct json *object, const char *key, bool b)
{
	json_set(object, key, json_new_bool(b));
}

struct json *json_append(struct json *array, struct json *value)
{
	assert(json_type(array) == JSON_ARRAY);
	cJSON_AddItemToArray(mutable_item_of(array), mutable_item_of(value));
	return value;
}

void json_append_string(struct json *array, const char *s)
{
	json_append(array, json_new_string(s));
}

void json_remove(struct json *object, const char *key)
{
	cJSON_DeleteItemFromObjectCaseSensitive(mutable_item_of(object), key);
}
