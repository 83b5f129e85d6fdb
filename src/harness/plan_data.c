/*
 * plan: one that was made: destroying it, showing it, and carrying it to another process as JSON.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "harness/plan.h"

enum { PLAN_JSON_VERSION = 1 };

static const struct {
	const char *key;
	size_t offset;
	bool required;
} strings[] = {
    {"agent", offsetof(struct plan, agent), true},
    {"harness", offsetof(struct plan, harness), true},
    {"harness_title", offsetof(struct plan, harness_title), true},
    {"program", offsetof(struct plan, program), true},
    {"dir", offsetof(struct plan, dir), true},
    {"prompt", offsetof(struct plan, prompt), false},
    {"sandbox", offsetof(struct plan, sandbox), true},
    {"conversation", offsetof(struct plan, conversation), false},
    {"instructions_hash", offsetof(struct plan, instructions_hash), false},
    {"ssh_agent", offsetof(struct plan, ssh_agent), false},
};

static const struct {
	const char *key;
	size_t offset;
} lists[] = {
    {"argv", offsetof(struct plan, argv)},
    {"shown", offsetof(struct plan, shown)},
    {"shown_env", offsetof(struct plan, shown_env)},
    {"notes", offsetof(struct plan, notes)},
    {"credentials", offsetof(struct plan, credentials)},
    {"dirs", offsetof(struct plan, dirs)},
};

static const char *const prompt_ways[] = {"none", "argv", "typed", "stdin"};

/* The address of a member by its offset. */
static void *member(const struct plan *p, size_t offset)
{
	return (char *)(uintptr_t)p + offset;
}

void plan_destroy(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < COUNT_OF(strings); i++)
		free(*(char **)member(p, strings[i].offset));
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		strv_destroy(*(char ***)member(p, lists[i].offset));
	for (size_t i = 0; i < p->file_count; i++) {
		free(p->files[i].path);
		free(p->files[i].data);
	}
	free(p->files);
	strv_destroy(p->env);
	json_free(p->policies);
	json_free(p->status_rules);
	json_free(p->settings);
	free(p);
}

static struct json *files_to_json(const struct plan *p)
{
	struct json *array = json_new_array();

	for (size_t i = 0; i < p->file_count; i++) {
		struct json *file = json_append(array, json_new_object());

		json_set_string(file, "path", p->files[i].path);
		json_set_string(file, "data", p->files[i].data);
		json_set_number(file, "mode", p->files[i].mode);
	}
	return array;
}

static struct json *copy_object(const struct json *j)
{
	return j ? json_copy(j) : json_new_object();
}

struct json *plan_to_json(const struct plan *p, bool with_env)
{
	struct json *j = json_new_object();

	json_set_number(j, "version", PLAN_JSON_VERSION);
	for (size_t i = 0; i < COUNT_OF(strings); i++)
		json_set_string(j, strings[i].key, *(char **)member(p, strings[i].offset));
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		json_set(j, lists[i].key, strv_to_json(*(char ***)member(p, lists[i].offset)));
	json_set(j, "files", files_to_json(p));
	json_set_string(j, "prompt_way", prompt_ways[p->prompt_way]);
	json_set_bool(j, "resumed", p->resumed);
	json_set_number(j, "may", p->may);
	json_set(j, "policies", copy_object(p->policies));
	json_set(j, "status_rules", copy_object(p->status_rules));
	json_set(j, "settings", copy_object(p->settings));
	if (with_env)
		json_set(j, "env", strv_to_json(p->env));
	return j;
}

static void files_from_json(struct plan *p, const struct json *array)
{
	p->files = mem_zalloc((size_t)json_count(array) + 1, sizeof(*p->files));
	for (const struct json *n = json_first(array); n; n = json_next(n)) {
		struct plan_file *file = &p->files[p->file_count++];

		file->path = mem_strdup(json_get_string(n, "path", ""));
		file->data = mem_strdup(json_get_string(n, "data", ""));
		file->len = strlen(file->data);
		file->mode = (unsigned)json_get_int(n, "mode", 0600);
	}
}

static enum prompt_way prompt_way_from_name(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(prompt_ways); i++) {
		if (strcmp(prompt_ways[i], name) == 0)
			return (enum prompt_way)i;
	}
	return PROMPT_NONE;
}

static int check_json(const struct plan *p, const struct json *j, struct err *err)
{
	if (json_get_int(j, "version", 0) != PLAN_JSON_VERSION)
		return err_set(err, ERR_PROTOCOL, "The launch plan is of another version of handler.");
	for (size_t i = 0; i < COUNT_OF(strings); i++) {
		if (strings[i].required && !*(char **)member(p, strings[i].offset))
			return err_set(err, ERR_PROTOCOL, "The launch plan has no \"%s\".", strings[i].key);
	}
	if (!p->argv[0])
		return err_set(err, ERR_PROTOCOL, "The launch plan has no arguments.");
	return 0;
}

struct plan *plan_from_json(const struct json *j, struct err *err)
{
	struct plan *p = mem_zalloc(1, sizeof(*p));

	for (size_t i = 0; i < COUNT_OF(strings); i++)
		*(char **)member(p, strings[i].offset) = mem_strdup(json_get_string(j, strings[i].key, NULL));
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		*(char ***)member(p, lists[i].offset) = strv_from_json(json_get(j, lists[i].key));
	files_from_json(p, json_get(j, "files"));
	p->env = strv_from_json(json_get(j, "env"));
	p->prompt_way = prompt_way_from_name(json_get_string(j, "prompt_way", "none"));
	p->resumed = json_get_bool(j, "resumed", false);
	p->may = (unsigned)json_get_int(j, "may", 0);
	p->policies = copy_object(json_get(j, "policies"));
	p->status_rules = copy_object(json_get(j, "status_rules"));
	p->settings = copy_object(json_get(j, "settings"));
	if (check_json(p, j, err) == 0)
		return p;
	plan_destroy(p);
	return NULL;
}

char *plan_shell_command(const struct plan *p)
{
	struct buf out = BUF_INIT;

	buf_adds(&out, "cd ");
	shell_quote(&out, p->dir);
	buf_adds(&out, " && ");
	for (size_t i = 0; p->shown_env[i]; i++) {
		size_t name = strcspn(p->shown_env[i], "=") + 1;

		buf_add(&out, p->shown_env[i], name);
		shell_quote(&out, p->shown_env[i] + name);
		buf_addc(&out, ' ');
	}
	for (size_t i = 0; p->shown[i]; i++) {
		if (i > 0)
			buf_addc(&out, ' ');
		shell_quote(&out, p->shown[i]);
	}
	return buf_steal(&out);
}
