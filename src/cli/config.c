/* config: the configuration file: where it is, what is in force, and changing it. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/editor.h"
#include "harness/config.h"

static const struct option_spec options[] = {OPTION_JSON, {0}};

static int show(const struct args *a, const struct config *c)
{
	struct json *root = json_new_object();
	json_set_string(root, "file", config_path(c));
	struct json *all = json_set(root, "keys", json_new_array());
	for (const struct config_key *k = config_keys; k->name; k++) {
		const struct json *node = config_node(c, k->name);
		AUTO_FREE char *value = node ? json_print(node, false) : mem_strdup("null");
		struct json *j = json_append(all, json_new_object());
		json_set_string(j, "key", k->name);
		json_set(j, "value", node ? json_copy(node) : json_new_null());
		json_set_string(j, "origin", config_is_default(c, k->name) ? "default" : "file");
		json_set_string(j, "default", k->preset);
		json_set_string(j, "help", k->help);
		if (!a->json)
			printf("%-20s %-24s %-8s %s\n", k->name, value,
			    config_is_default(c, k->name) ? "default" : "file", k->help);
	}
	if (a->json)
		print_answer(root);
	json_free(root);
	return 0;
}

static int check(const struct config *c, struct err *err)
{
	size_t count = config_fault_count(c);
	if (count == 0) {
		printf("%s: ok\n", config_path(c));
		return 0;
	}
	for (size_t i = 0; i + 1 < count; i++)
		print_note("handler: %s", config_fault(c, i)->message);
	*err = *config_fault(c, count - 1);
	return -1;
}

static int edit(const struct config *c, struct err *err)
{
	const char *path = config_path(c);
	AUTO_FREE char *dir = mem_strndup(path, (size_t)(path_base(path) - path - 1));
	if (path_make_dirs(dir, 0700, err) < 0)
		return -1;
	if (access(path, F_OK) != 0 && path_write_file(path, "{\n}\n", 4, 0600, err) < 0)
		return -1;
	if (editor_run(path, err) < 0)
		return -1;
	struct config *now = config_load();
	int result = check(now, err);
	config_destroy(now);
	return result;
}

static int run(const struct args *a, struct err *err)
{
	const char *verb = a->word_count ? a->words[0] : "show";
	if (!strcmp(verb, "set")) {
		if (a->word_count != 3)
			return err_set(err, ERR_USAGE, "handler config set takes a key and a value");
		return config_set(a->words[1], a->words[2], err);
	}
	struct config *c = config_load();
	int result = 0;
	if (!strcmp(verb, "path"))
		printf("%s\n", config_path(c));
	else if (!strcmp(verb, "show"))
		result = show(a, c);
	else if (!strcmp(verb, "check"))
		result = check(c, err);
	else if (!strcmp(verb, "edit"))
		result = edit(c, err);
	else
		result = err_set(
		    err, ERR_USAGE, "handler config takes path, show, check, edit or set, not \"%s\"", verb);
	config_destroy(c);
	return result;
}

const struct command command_config = {
    .name = "config",
    .group = "set up",
    .synopsis = "path|show|check|edit|set [KEY VALUE]",
    .help = "the configuration: where it is, what is in force",
    .examples = "handler config show\nhandler config set prefix C-a\nhandler config edit",
    .max_words = 3,
    .options = options,
    .run = run,
};
