/* harness: the descriptors there are, for authors of descriptors. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "harness/descriptor.h"

static const struct option_spec options[] = {OPTION_JSON, {0}};

static struct json *harness_json(const struct descriptor *d)
{
	struct err err = ERR_INIT;
	const char *program = descriptor_program(d);
	AUTO_FREE char *path = program ? path_find_program(program, NULL, NULL, &err) : NULL;
	struct json *j = json_new_object();
	json_set_string(j, "name", descriptor_name(d));
	json_set_string(j, "title", descriptor_title(d));
	json_set_string(j, "program", program);
	json_set_string(j, "path", path);
	json_set_bool(j, "installed", !program || path);
	json_set_string(j, "checked", descriptor_checked(d));
	json_set_string(j, "file", descriptor_path(d));
	json_set_string(j, "description", descriptor_description(d));
	return j;
}

static int list(const struct args *a, const struct harness_set *set)
{
	struct json *root = json_new_object();
	struct json *all = json_set(root, "harnesses", json_new_array());
	for (size_t i = 0; i < set->count; i++) {
		struct json *j = json_append(all, harness_json(set->items[i]));
		if (!a->json)
			printf("%-12s %-20s checked with %-10s %s\n", json_get_string(j, "name", ""),
			    json_get_bool(j, "installed", false) ? json_get_string(j, "path", "built in")
								 : "not installed",
			    json_get_string(j, "checked", "-"), json_get_string(j, "title", ""));
	}
	if (a->json)
		print_answer(root);
	json_free(root);
	for (size_t i = 0; i < set->fault_count; i++)
		print_note("handler: %s", set->faults[i].err.message);
	return set->fault_count ? 1 : 0;
}

static int show(const struct args *a, const struct harness_set *set, struct err *err)
{
	const struct descriptor *d = harness_set_find(set, a->words[1], err);
	if (!d)
		return -1;
	if (!a->json)
		printf("// %s\n", descriptor_path(d));
	print_json(descriptor_json(d));
	return 0;
}

/* A name, or the path of a file that is not installed yet. */
static int check(const char *word, const struct harness_set *set, struct err *err)
{
	if (!strchr(word, '/') && access(word, R_OK) != 0) {
		if (!harness_set_find(set, word, err))
			return -1;
		printf("%s: ok\n", word);
		return 0;
	}
	AUTO_FREE char *text = NULL;
	size_t len;
	if (path_read_file(word, JSON_MAX_BYTES, &text, &len, err) < 0)
		return -1;
	struct descriptor *d = descriptor_parse(text, len, word, err);
	if (d)
		printf("%s: ok\n", word);
	descriptor_destroy(d);
	return d ? 0 : -1;
}

static int run(const struct args *a, struct err *err)
{
	struct harness_set set;
	const char *verb = a->word_count ? a->words[0] : "list";
	int result;
	if (strcmp(verb, "list") != 0 && a->word_count < 2)
		return err_set(err, ERR_USAGE, "handler harness %s takes the name of a harness", verb);
	if (harness_set_load(&set, err) < 0)
		return -1;
	if (!strcmp(verb, "list"))
		result = list(a, &set);
	else if (!strcmp(verb, "show"))
		result = show(a, &set, err);
	else if (!strcmp(verb, "check"))
		result = check(a->words[1], &set, err);
	else
		result =
		    err_set(err, ERR_USAGE, "handler harness takes list, show or check, not \"%s\"", verb);
	harness_set_finish(&set);
	return result;
}

const struct command command_harness = {
    .name = "harness",
    .group = "set up",
    .synopsis = "list|show|check [NAME|FILE]",
    .help = "the descriptors of agent programs, for those who write one",
    .examples = "handler harness list\nhandler harness show claude\nhandler harness check ./my-agent.json",
    .max_words = 2,
    .options = options,
    .run = run,
};
