/* find: see find.h. */
#include "client/find.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cell/search.h"

struct find {
	struct search *search;
};

struct find *find_create(const struct json *body, struct err *err)
{
	unsigned flags = json_get_bool(body, "regex", false) ? SEARCH_REGEX : 0;
	if (json_get_bool(body, "exact_case", false))
		flags |= SEARCH_EXACT_CASE;
	struct search *search = search_create(json_get_string(body, "pattern", ""), flags, err);
	if (!search)
		return NULL;
	struct find *f = mem_zalloc(1, sizeof *f);
	f->search = search;
	struct position from = {
	    .row = (uint64_t)json_get_int(body, "row", 0), .col = (int)json_get_int(body, "column", 0)};
	search_start(search, from, json_get_bool(body, "forward", true));
	return f;
}

void find_destroy(struct find *f)
{
	if (!f)
		return;
	search_destroy(f->search);
	free(f);
}

static struct json *found_json(const struct search_match *m)
{
	struct json *j = json_new_object();
	json_set_bool(j, "found", m != NULL);
	if (m) {
		json_set_number(j, "row", (double)m->from.row);
		json_set_number(j, "column", m->from.col);
		json_set_number(j, "end_row", (double)m->to.row);
		json_set_number(j, "end_column", m->to.col);
	}
	return j;
}

struct json *find_step(struct find *f, const struct history *h, const struct screen *s)
{
	struct search_match match;
	switch (search_step(f->search, h, s, FIND_SLICE_ROWS, &match)) {
	case SEARCH_FOUND:
		return found_json(&match);
	case SEARCH_END:
		return found_json(NULL);
	case SEARCH_MORE:
		break;
	}
	return NULL;
}

struct json *find_error(const struct err *err)
{
	struct json *j = found_json(NULL);
	json_set_string(j, "error", err->message);
	return j;
}
