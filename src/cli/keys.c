/* keys, resize, rename: the small commands that change one session. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "client/call.h"
#include "harness/agent.h"
#include "key/key.h"

enum { CALL_MS = 10000 };

static const struct option_spec json_only[] = {OPTION_JSON, {0}};

/* A word is the name of a key, or characters to be typed. */
static void add_keys(struct json *keys, const char *word)
{
	struct key k;
	if (key_parse(word, &k)) {
		json_append_string(keys, word);
		return;
	}
	for (size_t i = 0, n, len = strlen(word); i < len; i += n) {
		uint32_t cp;
		n = (size_t)utf8_decode(word + i, len - i, &cp, NULL);
		if (n == 0)
			n = 1;
		AUTO_FREE char *one = mem_strndup(word + i, n);
		json_append_string(keys, !strcmp(one, " ") ? "Space" : one);
	}
}

static int finish(const struct record *r, struct json *body, const struct args *a, struct err *err)
{
	struct json *reply = call_once(r, body, CALL_MS, err);
	if (reply && a->json) {
		print_answer(reply);
	}
	int result = reply ? 0 : -1;
	json_free(reply);
	return result;
}

static int run_keys(const struct args *a, struct err *err)
{
	struct record_list list;
	int result = -1;
	struct record *r = find_session(&list, a->words[0], false, err);
	if (r && guard_change(&list, r, AGENT_MAY_SEND, err) == 0) {
		struct json *body = json_new_object();
		json_set_string(body, "op", "keys");
		struct json *keys = json_set(body, "keys", json_new_array());
		for (int i = 1; i < a->word_count; i++)
			add_keys(keys, a->words[i]);
		result = finish(r, body, a, err);
		json_free(body);
	}
	record_list_finish(&list);
	return result;
}

const struct command command_keys = {
    .name = "keys",
    .group = "from scripts",
    .synopsis = "SESSION KEY...",
    .help = "press keys: C-c Enter S-Enter M-x Up F5, or characters",
    .text = "Names are tmux's. What is not the name of a key is typed character by character. Unlike "
	    "`handler send`, nothing is checked.",
    .examples = "handler keys api C-c\nhandler keys api 'ls -l' Enter\nhandler keys api Escape Up Up",
    .min_words = 2,
    .max_words = -1,
    .options = json_only,
    .run = run_keys,
};

static const struct option_spec resize_options[] = {
    {"unpin", 0, NULL, "let the terminals that show it decide again"},
    OPTION_JSON,
    {0},
};

static int run_resize(const struct args *a, struct err *err)
{
	struct record_list list;
	int rows = 0, cols = 0, result = -1;
	bool unpin = args_has(a, "unpin");
	if (unpin != (a->word_count == 1))
		return err_set(err, ERR_USAGE, "handler resize takes a size, or --unpin");
	if (!unpin && args_size(a->words[1], &rows, &cols, err) < 0)
		return -1;
	struct record *r = find_session(&list, a->words[0], false, err);
	if (r && guard_change(&list, r, 0, err) == 0) {
		struct json *body = json_new_object();
		json_set_string(body, "op", "resize");
		json_set_bool(body, "unpin", unpin);
		json_set_number(body, "rows", rows);
		json_set_number(body, "cols", cols);
		result = finish(r, body, a, err);
		json_free(body);
	}
	record_list_finish(&list);
	return result;
}

const struct command command_resize = {
    .name = "resize",
    .group = "from scripts",
    .synopsis = "SESSION COLSxROWS | --unpin",
    .help = "give a session a size of its own, whoever shows it",
    .examples = "handler resize api 100x30\nhandler resize api --unpin",
    .min_words = 1,
    .max_words = 2,
    .options = resize_options,
    .run = run_resize,
};

static int run_rename(const struct args *a, struct err *err)
{
	struct record_list list;
	struct record *r = find_session(&list, a->words[0], false, err);
	int result = r && guard_change(&list, r, 0, err) == 0 ? record_rename(r, a->words[1], err) : -1;
	if (result == 0 && a->json) {
		struct record now;
		if (record_load(r->path, &now, err) == 0) {
			struct json *j = record_to_json(&now);
			print_answer(j);
			json_free(j);
			record_finish(&now);
		}
	}
	record_list_finish(&list);
	return result;
}

const struct command command_rename = {
    .name = "rename",
    .group = "from scripts",
    .synopsis = "SESSION NAME",
    .help = "give a session another name",
    .examples = "handler rename 2 review",
    .min_words = 2,
    .max_words = 2,
    .options = json_only,
    .run = run_rename,
};
