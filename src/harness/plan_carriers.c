/*
 * plan_carriers: variables that carry instructions or the model.  What the user's variable holds already
 * stays in front.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "harness/environment.h"
#include "harness/plan_build.h"

static int put_expanded(struct build *b, const struct json *map)
{
	for (const struct json *n = json_first(map); n; n = json_next(n)) {
		AUTO_BUF value = BUF_INIT;
		AUTO_BUF shown = BUF_INIT;

		if (expand(&value, json_string(n, ""), &b->values, b->err) < 0 ||
		    expand(&shown, json_string(n, ""), &b->shown_values, b->err) < 0)
			return -1;
		environment_set(&b->env, json_key(n), value.data);
		environment_set(&b->shown_env, json_key(n), shown.data);
	}
	return 0;
}

/* {"NAME": {"value": ..., "separator": ...}}: behind what the user's variable holds already */
static int put_lists(struct build *b, const struct json *map)
{
	for (const struct json *n = json_first(map); n; n = json_next(n)) {
		const char *former = environment_get(&b->env, json_key(n));
		AUTO_BUF value = BUF_INIT;

		if (former && *former)
			buf_printf(&value, "%s%s", former, json_get_string(n, "separator", ","));
		if (expand(&value, json_get_string(n, "value", ""), &b->values, b->err) < 0)
			return -1;
		environment_set(&b->env, json_key(n), value.data);
		environment_set(&b->shown_env, json_key(n), value.data);
	}
	return 0;
}

static struct json *expand_strings(struct build *b, const struct json *array)
{
	struct json *out = json_new_array();

	for (const struct json *n = json_first(array); n; n = json_next(n)) {
		AUTO_BUF text = BUF_INIT;

		if (expand(&text, json_string(n, ""), &b->values, b->err) < 0) {
			json_free(out);
			return NULL;
		}
		json_append_string(out, text.data);
	}
	return out;
}

/* Appends the strings of each array in `ours` to the array of the same name in `into`. */
static int merge_arrays(struct build *b, struct json *into, const struct json *ours, const char *variable)
{
	for (const struct json *n = json_first(ours); n; n = json_next(n)) {
		const struct json *former = json_get(into, json_key(n));
		struct json *added;

		if (former && json_type(former) != JSON_ARRAY)
			return err_set(b->err, ERR_REFUSED,
			    "%s is set, and its \"%s\" is not an array: the instructions cannot "
			    "be added.",
			    variable, json_key(n));
		added = expand_strings(b, n);
		if (!added)
			return -1;
		struct json *all = former ? json_copy(former) : json_new_array();
		for (const struct json *item = json_first(added); item; item = json_next(item))
			json_append(all, json_copy(item));
		json_free(added);
		json_set(into, json_key(n), all);
	}
	return 0;
}

static struct json *variable_as_json(struct build *b, const char *name)
{
	const char *former = environment_get(&b->env, name);
	struct json *j;

	if (!former || !*former)
		return json_new_object();
	j = json_parse(former, strlen(former), name, NULL);
	if (j && json_type(j) == JSON_OBJECT)
		return j;
	json_free(j);
	err_set(b->err, ERR_REFUSED,
	    "%s is set to something that is not a JSON object: the instructions cannot be added "
	    "to it.",
	    name);
	err_hint(b->err, "Correct or unset the variable.");
	return NULL;
}

/* {"NAME": {"key": ["..."]}}: JSON in a variable; arrays are appended to those of the user's value */
static int put_json(struct build *b, const struct json *map)
{
	for (const struct json *n = json_first(map); n; n = json_next(n)) {
		struct json *value = variable_as_json(b, json_key(n));
		AUTO_FREE char *text = NULL;

		if (!value)
			return -1;
		int rc = merge_arrays(b, value, n, json_key(n));
		text = json_print(value, false);
		json_free(value);
		if (rc < 0)
			return -1;
		environment_set(&b->env, json_key(n), text);
		environment_set(&b->shown_env, json_key(n), text);
	}
	return 0;
}

int plan_carriers(struct build *b)
{
	if (b->a->model && put_expanded(b, json_path(b->root, "model.env")) < 0)
		return -1;
	if (!b->a->instructions)
		return 0;
	if (put_expanded(b, json_get(b->instructions, "env")) < 0 ||
	    put_lists(b, json_get(b->instructions, "env_list")) < 0)
		return -1;
	return put_json(b, json_get(b->instructions, "env_json"));
}
