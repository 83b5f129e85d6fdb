/* record_merge: what a worker tells of its session (STATE, see wire.h) becomes part of its record. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "client/record.h"

static void replace(char **member, const struct json *j, const char *key)
{
	const char *value = json_get_string(j, key, NULL);
	if (!value)
		return;
	free(*member);
	*member = mem_strdup(value);
}

static void replace_object(struct json **member, const struct json *j, const char *key)
{
	const struct json *value = json_get(j, key);
	if (!value)
		return;
	json_free(*member);
	*member = json_type(value) == JSON_OBJECT ? json_copy(value) : NULL;
}

static void replace_title(struct record *r, const struct json *j)
{
	const char *title = json_get_string(j, "title", NULL);
	if (!title)
		return;
	free(r->title);
	r->title = utf8_sanitize(title, strlen(title), 0);
}

static void replace_fault(struct record *r, const struct json *j)
{
	const char *fault = json_get_string(j, "fault", NULL);
	if (!json_get(j, "fault"))
		return;
	free(r->fault);
	r->fault = fault ? utf8_sanitize(fault, strlen(fault), 0) : NULL;
}

void record_merge(struct record *r, const struct json *j)
{
	int state = state_from_name(json_get_string(j, "state", state_name(r->state)));
	int64_t since = clock_parse_rfc3339(json_get_string(j, "since", ""));
	r->state = state < 0 ? STATE_UNKNOWN : (enum session_state)state;
	if (since >= 0)
		r->since = since;
	replace(&r->reason, j, "reason");
	replace(&r->explain, j, "explain");
	replace(&r->cwd, j, "cwd");
	replace(&r->name, j, "name");
	replace_title(r, j);
	replace_fault(r, j);
	replace_object(&r->from, j, "from");
	replace_object(&r->note, j, "note");
	r->turn = (uint32_t)json_get_int(j, "turn", r->turn);
	r->rows = (int)json_get_int(j, "rows", r->rows);
	r->cols = (int)json_get_int(j, "cols", r->cols);
	r->left = (int)json_get_int(j, "left", r->left);
	r->queued = (int)json_get_int(j, "queued", r->queued);
	r->number = (int)json_get_int(j, "number", r->number);
	r->viewed = json_get_bool(j, "viewed", r->viewed);
}
