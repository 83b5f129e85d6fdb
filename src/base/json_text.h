/*
 * json_text: the text of a JSON file before it is parsed.  Checks all of the grammar of RFC 8259, so that
 * what is wrong can be said with a line, and takes out what we accept beyond it: comments, trailing commas, a
 * byte order mark. Private to json.c; knows no tree.
 */
#ifndef HANDLER_BASE_JSON_TEXT_H
#define HANDLER_BASE_JSON_TEXT_H

#include <stddef.h>

#include "base/err.h"

struct json_text {
	char *text; /* strict JSON of the same length as what was read, NUL-terminated */
	size_t len;
	int *lines; /* of each value in the order of the text; a member of an object is where its key is */
	size_t count;
};

/* Returns -1 with err, named "NAME:LINE: ...", if it is no JSON.  Finish it only after success. */
int json_text_init(struct json_text *t, const char *text, size_t len, const char *name, struct err *err);
void json_text_finish(struct json_text *t);

#endif
