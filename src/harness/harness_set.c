/*
 * harness_set: all descriptors that can be found, and the names they answer to.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "harness/descriptor.h"
#include "harness/strv.h"

enum { DESCRIPTOR_MAX_BYTES = 1 << 20 };

/* "…/claude-code.json" is of the harness claude-code, whatever it says inside. */
static char *name_of_file(const char *path)
{
	const char *base = path_base(path);
	size_t len = strlen(base), suffix = strlen(".json");

	return mem_strndup(base, len > suffix ? len - suffix : len);
}

static bool is_descriptor_file(const char *name)
{
	size_t len = strlen(name);

	if (name[0] == '.' || len <= 5 || strcmp(name + len - 5, ".json") != 0)
		return false;
	return len <= 12 || strcmp(name + len - 12, ".schema.json") != 0;
}

static const struct harness_fault *find_fault(const struct harness_set *set, const char *name)
{
	for (size_t i = 0; i < set->fault_count; i++) {
		AUTO_FREE char *faulty = name_of_file(set->faults[i].path);

		if (strcmp(faulty, name) == 0)
			return &set->faults[i];
	}
	return NULL;
}

static const struct descriptor *find_name(const struct harness_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++) {
		if (strcmp(descriptor_name(set->items[i]), name) == 0)
			return set->items[i];
	}
	return NULL;
}

static struct descriptor *load_file(const char *path, const char *name, struct err *err)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *shown = path_pretty(path);
	size_t len;

	if (path_read_file(path, DESCRIPTOR_MAX_BYTES, &text, &len, err) < 0)
		return NULL;
	struct descriptor *d = descriptor_parse(text, len, shown, err);
	if (!d || strcmp(descriptor_name(d), name) == 0)
		return d;
	err_set(err, ERR_INVALID, "%s: the file of the harness \"%s\" must be named %s.json", shown,
	    descriptor_name(d), descriptor_name(d));
	descriptor_destroy(d);
	return NULL;
}

static void add_fault(struct harness_set *set, const char *path, const struct err *err)
{
	set->faults = mem_realloc(set->faults, set->fault_count + 1, sizeof(*set->faults));
	set->faults[set->fault_count++] = (struct harness_fault){.path = mem_strdup(path), .err = *err};
}

static void add_file(struct harness_set *set, const char *path)
{
	AUTO_FREE char *name = name_of_file(path);
	struct err err = ERR_INIT;

	if (find_name(set, name) || find_fault(set, name))
		return;
	struct descriptor *d = load_file(path, name, &err);
	if (!d) {
		add_fault(set, path, &err);
		return;
	}
	set->items = mem_realloc(set->items, set->count + 1, sizeof(struct descriptor *));
	set->items[set->count++] = d;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * A directory of the user's that is not there holds none; any other trouble with it is a fault of its own,
 * and so it is if the program's own one (`needed`) is not there.
 */
static void add_directory(struct harness_set *set, const char *path, bool needed)
{
	struct strv names = STRV_INIT;
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir) {
		struct err err = ERR_INIT;

		if ((errno == ENOENT || errno == ENOTDIR) && !needed)
			return;
		err_sys(&err, errno, "The directory of harness descriptors %s cannot be read", path);
		add_fault(set, path, &err);
		return;
	}
	while ((entry = readdir(dir))) {
		if (is_descriptor_file(entry->d_name))
			strv_add(&names, entry->d_name);
	}
	closedir(dir);
	if (names.count > 1)
		qsort(names.items, names.count, sizeof(*names.items), compare_strings);
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *file = path_join(path, names.items[i]);

		add_file(set, file);
	}
	strv_finish(&names);
}

/* A relative entry would mean another directory in each place; it is ignored, as in $PATH
 * (path_find_program). */
static void add_search_path(struct strv *directories, const char *search)
{
	while (search && *search) {
		size_t len = strcspn(search, ":");
		AUTO_FREE char *dir = mem_strndup(search, len);

		if (dir[0] == '/')
			strv_add(directories, dir);
		search += len + (search[len] == ':');
	}
}

/* The source tree of a binary below its build/ directory, or NULL. */
static char *source_tree(void)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *build = NULL;

	if (len <= 0)
		return NULL;
	exe[len] = '\0';
	for (char *at = exe; (at = strstr(at, "/build/")); at++)
		build = at;
	if (!build)
		return NULL;
	*build = '\0';
	return path_join(exe, "harness-descriptors");
}

/* Where descriptors are, in order of precedence. */
static int find_directories(struct strv *directories, struct err *err)
{
	AUTO_FREE char *config = path_config_dir(err);
	AUTO_FREE char *source = source_tree();

	if (!config)
		return -1;
	strv_take(directories, path_join(config, "harnesses"));
	add_search_path(directories, getenv("HANDLER_HARNESS_PATH"));
	/* One that is there but may not be looked into is a fault to be told, no reason to look elsewhere. */
	bool in_source = source && (access(source, F_OK) == 0 || errno == EACCES);
	strv_add(directories, in_source ? source : HANDLER_DATADIR "/harness-descriptors");
	return 0;
}

static int compare_descriptors(const void *a, const void *b)
{
	return strcmp(
	    descriptor_name(*(struct descriptor *const *)a), descriptor_name(*(struct descriptor *const *)b));
}

int harness_set_load(struct harness_set *set, struct err *err)
{
	struct strv directories = STRV_INIT;

	*set = (struct harness_set){0};
	if (find_directories(&directories, err) < 0)
		return -1;
	for (size_t i = 0; i < directories.count; i++)
		add_directory(set, directories.items[i], i + 1 == directories.count);
	strv_finish(&directories);
	if (set->count > 1)
		qsort(set->items, set->count, sizeof(struct descriptor *), compare_descriptors);
	return 0;
}

static void add_named(struct harness_set *set, const struct strv *directories, const char *name)
{
	AUTO_FREE char *file = mem_printf("%s.json", name);

	for (size_t i = 0; i < directories->count && is_descriptor_file(file) && !strchr(name, '/'); i++) {
		AUTO_FREE char *path = path_join(directories->items[i], file);

		if (access(path, F_OK) == 0)
			add_file(set, path);
	}
}

int harness_set_load_named(struct harness_set *set, char *const *names, struct err *err)
{
	struct strv directories = STRV_INIT;
	bool all = true;

	*set = (struct harness_set){0};
	if (find_directories(&directories, err) < 0)
		return -1;
	for (; *names && all; names++) {
		add_named(set, &directories, *names);
		all = find_name(set, *names) != NULL;
	}
	strv_finish(&directories);
	if (all)
		return 0;
	harness_set_finish(set);
	return harness_set_load(set, err);
}

void harness_set_finish(struct harness_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		descriptor_destroy(set->items[i]);
	for (size_t i = 0; i < set->fault_count; i++)
		free(set->faults[i].path);
	free(set->items);
	free(set->faults);
	*set = (struct harness_set){0};
}

static const struct descriptor *find_program(const struct harness_set *set, const char *word)
{
	for (size_t i = 0; i < set->count; i++) {
		const char *program = descriptor_program(set->items[i]);

		if (program && strcmp(path_base(program), word) == 0)
			return set->items[i];
	}
	return NULL;
}

static int no_harness(const struct harness_set *set, const char *word, struct err *err)
{
	AUTO_FREE const char **names = mem_zalloc(2 * set->count + 1, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < set->count; i++) {
		names[n++] = descriptor_name(set->items[i]);
		if (descriptor_program(set->items[i]))
			names[n++] = descriptor_program(set->items[i]);
	}
	const char *nearest = json_nearest(word, names);
	err_set(err, ERR_NO_HARNESS, "There is no harness \"%s\".", word);
	if (nearest)
		return err_hint(
		    err, "Did you mean \"%s\"?  All are listed by: handler harness list", nearest);
	return err_hint(err, "All are listed by: handler harness list");
}

const struct descriptor *harness_set_find(const struct harness_set *set, const char *word, struct err *err)
{
	const struct descriptor *d = find_name(set, word);
	const struct harness_fault *fault = d ? NULL : find_fault(set, word);

	if (fault && err)
		*err = fault->err;
	if (d || fault)
		return d;
	d = find_program(set, word);
	if (!d)
		no_harness(set, word, err);
	return d;
}
