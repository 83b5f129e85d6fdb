/* features: see features.h. */
#include "harness/features.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "harness/expand.h"

static const char *variable(char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; *env; env++) {
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	}
	return NULL;
}

static char *config_dir(const struct json *root, char *const *env, const struct expand_values *values)
{
	const struct json *config = json_get(root, "config_dir");
	const char *set = config ? variable(env, json_get_string(config, "variable", "")) : NULL;
	struct buf path = BUF_INIT;

	if (set && *set)
		return mem_strdup(set);
	expand(&path, json_get_string(config, "default", ""), values, NULL);
	return buf_steal(&path);
}

char *login_file(const struct descriptor *d, char *const *env, bool exclusive)
{
	const struct json *root = descriptor_json(d);
	AUTO_FREE char *home = path_home(NULL);
	struct expand_values values = {.of = {[VALUE_HOME] = home ? home : ""}};
	AUTO_FREE char *dir = config_dir(root, env, &values);

	values.of[VALUE_CONFIG_DIR] = dir;
	for (const struct json *n = json_first(json_path(root, "login.files")); n; n = json_next(n)) {
		struct buf path = BUF_INIT;
		bool wanted = !exclusive || json_get_bool(n, "exclusive", false);

		if (wanted && expand(&path, json_get_string(n, "path", ""), &values, NULL) == 0 &&
		    access(path.data, F_OK) == 0)
			return buf_steal(&path);
		buf_free(&path);
	}
	return NULL;
}

static bool matches(const char *pattern, const char *text)
{
	regex_t re;

	if (!pattern || regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	bool found = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

static bool is_login_variable(const struct json *root, const char *name)
{
	for (const struct json *n = json_first(json_path(root, "login.variables")); n; n = json_next(n)) {
		if (strcmp(json_get_string(n, "name", ""), name) == 0)
			return true;
	}
	return false;
}

size_t feature_causes(const struct descriptor *d, const struct json *feature, char *const *env,
    const struct json *out[FEATURE_CAUSES_MAX])
{
	const struct json *root = descriptor_json(d);
	AUTO_FREE char *login = login_file(d, env, false);
	bool by_variable = false; /* what is said of the variable says it all */
	size_t count = 0;

	for (const struct json *n = json_first(json_get(feature, "causes")); n; n = json_next(n)) {
		const char *name = json_get_string(n, "variable", NULL);
		const char *value = name ? variable(env, name) : NULL;
		bool there = name ? value && *value && !matches(json_get_string(n, "unless", NULL), value)
				  : json_get_bool(n, "no_login", false) && !login && !by_variable;

		if (!there || count == FEATURE_CAUSES_MAX)
			continue;
		by_variable = by_variable || (name && is_login_variable(root, name));
		out[count++] = n;
	}
	return count;
}
