/* record_find: the session that people mean by a word. */
#include "client/record.h"

#include <stdlib.h>

#include "base/mem.h"

static struct record *find_exact(struct record_list *list, const char *word)
{
	bool number = record_is_number(word);
	for (size_t i = 0; i < list->count; i++) {
		struct record *r = &list->items[i];
		if (number ? r->number == atoi(word) : (!strcmp(r->id, word) || !strcmp(r->name, word)))
			return r;
	}
	return NULL;
}

static struct record *find_prefix(struct record_list *list, const char *word, struct err *err)
{
	struct record *found = NULL;
	size_t len = strlen(word);
	for (size_t i = 0; i < list->count && len; i++) {
		struct record *r = &list->items[i];
		if (strncmp(r->id, word, len) != 0 && strncmp(r->name, word, len) != 0)
			continue;
		if (found) {
			err_set(err, ERR_AMBIGUOUS, "\"%s\" is the beginning of several sessions: %s, %s",
			    word, found->name, r->name);
			err_hint(err, "Write more of the name, or the number.");
			return NULL;
		}
		found = r;
	}
	return found;
}

static void say_not_found(const struct record_list *list, const char *word, struct err *err)
{
	err_set(err, ERR_NO_SESSION, "there is no session \"%s\"", word);
	const char **names = mem_zalloc(list->count + 1, sizeof *names);
	for (size_t i = 0; i < list->count; i++)
		names[i] = list->items[i].name;
	const char *near = json_nearest(word, names);
	if (near)
		err_hint(err, "Did you mean %s?", near);
	else
		err_hint(err, "`handler ls -a` shows all sessions.");
	free(names);
}

struct record *record_find(struct record_list *list, const char *word, bool prefix, struct err *err)
{
	if (!strcmp(word, ".")) {
		word = getenv("HANDLER_SESSION");
		if (!word || !*word) {
			err_set(err, ERR_NO_SESSION,
			    "\".\" is the session a command runs in, and this is not inside one");
			return NULL;
		}
	}
	struct record *r = find_exact(list, word);
	if (r)
		return r;
	struct err ambiguous = ERR_INIT;
	if (prefix && !record_is_number(word))
		r = find_prefix(list, word, &ambiguous);
	if (r)
		return r;
	if (ambiguous.code && err)
		*err = ambiguous;
	else
		say_not_found(list, word, err);
	return NULL;
}
