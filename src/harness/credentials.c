/* credentials: which logins and keys lie open to a program that runs as the user. */
#include "harness/credentials.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

/* Names that variables with a secret have by habit */
static const char *const secret_names[] = {
    "*_API_KEY",
    "*_TOKEN",
    "*_SECRET",
    "*_SECRET_KEY",
    "*_SECRET_ACCESS_KEY",
    "*_PASSWORD",
    "*_CREDENTIALS",
    "SSH_AUTH_SOCK",
};

/* Below the home directory */
static const char *const secret_files[] = {
    ".ssh/id_rsa",
    ".ssh/id_ed25519",
    ".ssh/id_ecdsa",
    ".ssh/id_dsa",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh/hosts.yml",
    ".aws/credentials",
    ".config/gcloud/application_default_credentials.json",
    ".azure/msal_token_cache.json",
    ".kube/config",
    ".docker/config.json",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
};

static bool looks_secret(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(secret_names); i++) {
		if (fnmatch(secret_names[i], name, 0) == 0)
			return true;
	}
	return false;
}

static void add_variables(struct strv *found, const struct json *login, const struct strv *env)
{
	for (const struct json *n = json_first(json_get(login, "variables")); n; n = json_next(n)) {
		const char *name = json_get_string(n, "name", "");
		const char *value = environment_get(env, name);

		if (value && *value)
			strv_add(found, name);
	}
	for (size_t i = 0; i < env->count; i++) {
		size_t len = strcspn(env->items[i], "=");
		AUTO_FREE char *name = mem_strndup(env->items[i], len);

		if (env->items[i][len] == '=' && env->items[i][len + 1] && looks_secret(name))
			strv_add(found, name);
	}
}

static void add_file(struct strv *found, const char *path)
{
	if (path[0] == '/' && access(path, R_OK) == 0)
		strv_take(found, path_pretty(path));
}

static void add_files(struct strv *found, const struct json *login, const struct expand_values *values)
{
	for (const struct json *n = json_first(json_get(login, "files")); n; n = json_next(n)) {
		AUTO_BUF path = BUF_INIT;

		if (expand(&path, json_get_string(n, "path", ""), values, NULL) == 0)
			add_file(found, path.data);
	}
	for (size_t i = 0; values->of[VALUE_HOME] && i < COUNT_OF(secret_files); i++) {
		AUTO_FREE char *path = path_join(values->of[VALUE_HOME], secret_files[i]);

		add_file(found, path);
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **credentials_find(const struct json *login, const struct strv *env, const struct expand_values *values)
{
	struct strv found = STRV_INIT;

	add_variables(&found, login, env);
	add_files(&found, login, values);
	if (found.count > 1)
		qsort(found.items, found.count, sizeof(*found.items), compare);
	for (size_t i = found.count; i > 1; i--) {
		if (strcmp(found.items[i - 1], found.items[i - 2]) == 0)
			strv_remove(&found, i - 1);
	}
	return strv_steal(&found);
}
