/*
 * config: a config.json that may hold anything.  Every key has a value of its kind; changing one of them
 * changes that and nothing else of the file.
 */
#include "harness/config.h"
#include "harness/jsonc_edit.h"
#include "scratch.h"

static const char file[] = "home/.config/handler/config.json";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	scratch_init();
	scratch_dir("home/.config");
	scratch_dir("home/.config/handler");
	return 0;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t len = strlen(value);

	for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
		if (strncmp(at, value, len) == 0 && (at[len] == '|' || at[len] == '\0'))
			return true;
	}
	return false;
}

static void check_value(const struct config *c, const struct config_key *k)
{
	const struct json *n = config_node(c, k->name);
	double number = config_number(c, k->name);

	CHECK(n);
	if (strcmp(k->kind, "choice") == 0)
		CHECK(is_choice(k->choices, config_string(c, k->name)));
	if (strcmp(k->kind, "string") == 0)
		CHECK(json_type(n) == JSON_STRING);
	if (strcmp(k->kind, "boolean") == 0)
		CHECK(json_type(n) == JSON_BOOL);
	if ((strcmp(k->kind, "integer") == 0 || strcmp(k->kind, "number") == 0) && k->min < k->max)
		CHECK(json_type(n) == JSON_NUMBER && number >= k->min && number <= k->max);
	if (strcmp(k->kind, "integer") == 0)
		CHECK((double)config_int(c, k->name) == number);
}

/* All values but one, as text. */
static void describe(const struct config *c, const char *except, struct buf *out)
{
	for (const struct config_key *k = config_keys; k->name; k++) {
		AUTO_FREE char *text = json_print(config_node(c, k->name), false);

		check_value(c, k);
		if (!except || strcmp(except, k->name) != 0)
			buf_printf(out, "%s %d %s\n", k->name, config_is_default(c, k->name), text);
	}
	for (size_t i = 0; i < config_fault_count(c); i++)
		CHECK(config_fault(c, i)->message[0]);
}

/* What a person could set each kind to. */
static const char *value_for(const struct config_key *k)
{
	if (k->choices)
		return "none of the choices";
	if (strcmp(k->kind, "boolean") == 0)
		return "false";
	if (strcmp(k->kind, "object") == 0)
		return "{\"x\": \"y\"}";
	if (strcmp(k->kind, "array") == 0)
		return "[\"x\"]";
	return strcmp(k->kind, "string") == 0 ? "C-\"b" : "100";
}

static void change(const struct config_key *k)
{
	struct config *before = config_load(), *after;
	struct err err = ERR_INIT;
	AUTO_BUF want = BUF_INIT;
	AUTO_BUF got = BUF_INIT;
	bool well = config_set(k->name, value_for(k), &err) == 0;

	after = config_load();
	describe(before, well ? k->name : NULL, &want);
	describe(after, well ? k->name : NULL, &got);
	check_same(&want, &got, "the values that were not changed");
	CHECK(well || err.message[0]);
	CHECK(!well || !config_is_default(after, k->name));
	config_destroy(before);
	config_destroy(after);
}

/* --- the editing of the text alone, with any key --- */

static void edit(const char *text, const struct json *root, const char *path)
{
	const char *dot = strchr(path, '.');
	AUTO_FREE char *key = mem_strndup(path, dot ? (size_t)(dot - path) : strlen(path));
	struct json *want = json_copy(root), *got, *inside = NULL;
	AUTO_FREE char *want_text = NULL;
	AUTO_FREE char *got_text = NULL;
	AUTO_BUF changed = BUF_INIT;

	jsonc_set(&changed, text, path, "\"changed\"");
	got = json_parse(changed.data, changed.len, "changed", NULL);
	CHECK(got);
	if (dot) {
		inside = json_type(json_get(want, key)) == JSON_OBJECT ? json_copy(json_get(want, key))
								       : json_new_object();
		json_set_string(inside, dot + 1, "changed");
		json_set(want, key, inside);
	} else {
		json_set_string(want, key, "changed");
	}
	want_text = json_print(want, true);
	got_text = json_print(got, true);
	if (strcmp(want_text, got_text) != 0)
		fprintf(stderr, "%s\nset %s:\n%s\n", text, path, changed.data);
	CHECK(strcmp(want_text, got_text) == 0);
	json_free(want);
	json_free(got);
}

static void edit_all(const char *text)
{
	struct json *root = json_parse(text, strlen(text), "text", NULL);
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	int count = 0;

	if (!root || json_type(root) != JSON_OBJECT) {
		json_free(root);
		return;
	}
	edit(text, root, "fresh");
	edit(text, root, "fresh.inside");
	for (const struct json *n = json_first(root); n && count < 6; n = json_next(n), count++) {
		AUTO_FREE char *inside = mem_printf("%s.inside", json_key(n));

		if (!*json_key(n) ||
		    json_key(n)[strspn(json_key(n), letters)]) /* none that a key of ours has */
			continue;
		edit(text, root, json_key(n));
		edit(text, root, inside);
	}
	json_free(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = mem_strndup((const char *)data, size);
	size_t which = 0, count = 0;

	edit_all(text);
	scratch_write(file, data, size, 0600);
	while (config_keys[count].name)
		count++;
	for (size_t i = 0; i < size; i++)
		which += data[i];
	change(&config_keys[which % count]);
	return 0;
}
