/* versions: see versions.h. */
#include "ui/versions.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "ui/spawn.h"

struct versions {
	struct uv_loop_s *loop;
	struct catalog *catalog;
	void (*changed)(void *user);
	void *user;
	struct json *cache; /* {"version": 1, "programs": {PATH: {"stamp": "...", "version": "..."}}} */
	char *path;
	size_t at; /* entry that is being asked */
	struct spawn *asking;
};

static void go_on(struct versions *v);

static char *cache_path(void)
{
	AUTO_FREE char *dir = path_cache_dir(NULL);

	return dir ? path_join(dir, "versions.json") : NULL;
}

static struct json *read_cache(const char *path)
{
	struct json *root = path ? json_parse_file(path, NULL) : NULL;

	if (json_type(root) == JSON_OBJECT && json_type(json_get(root, "programs")) == JSON_OBJECT)
		return root;
	json_free(root);
	root = json_new_object();
	json_set_number(root, "version", 1);
	json_set(root, "programs", json_new_object());
	return root;
}

/* What another program at the same path would differ in.  false: it is not there. */
static bool stamp(const char *program, char out[64])
{
	struct stat st;

	if (stat(program, &st) < 0)
		return false;
	snprintf(out, 64, "%lld.%09ld-%lld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
	    (long long)st.st_size);
	return true;
}

static bool from_cache(const struct versions *v, struct catalog_entry *e)
{
	const struct json *known = json_get(json_get(v->cache, "programs"), e->program);
	char now[64];

	if (!known || !stamp(e->program, now) || strcmp(json_get_string(known, "stamp", ""), now) != 0)
		return false;
	snprintf(e->version, sizeof(e->version), "%s", json_get_string(known, "version", ""));
	return true;
}

static void save(struct versions *v, const struct catalog_entry *e)
{
	struct json *known = json_new_object();
	char now[64];

	if (!stamp(e->program, now) || !v->path) {
		json_free(known);
		return;
	}
	json_set_string(known, "stamp", now);
	json_set_string(known, "version", e->version);
	json_set((struct json *)json_get(v->cache, "programs"), e->program, known);
	AUTO_FREE char *text = json_print(v->cache, true);
	AUTO_FREE char *dir = path_cache_dir(NULL);

	if (path_make_dirs(dir, 0700, NULL) == 0)
		path_write_file(v->path, text, strlen(text), 0600, NULL);
}

static void on_answer(const struct spawn_result *r, void *user)
{
	struct versions *v = user;
	struct catalog_entry *e = &v->catalog->items[v->at++];

	v->asking = NULL;
	if (r->status == 0 && (descriptor_read_version(e->descriptor, r->out, e->version) ||
				  descriptor_read_version(e->descriptor, r->errors, e->version))) {
		save(v, e);
		v->changed(v->user);
	}
	go_on(v);
}

static void ask(struct versions *v, const struct catalog_entry *e, char *const *args)
{
	struct strv argv = STRV_INIT;

	strv_add(&argv, e->program);
	for (; *args; args++)
		strv_add(&argv, *args);
	char **list = strv_steal(&argv);
	struct spawn_options o = {.argv = list, .limit_ms = VERSION_LIMIT_MS};

	v->asking = spawn_run(v->loop, &o, on_answer, v);
	strv_destroy(list);
}

/* Another agent of the same harness has been told already. */
static bool from_twin(const struct versions *v, struct catalog_entry *e)
{
	for (size_t i = 0; i < v->at; i++)
		if (v->catalog->items[i].descriptor == e->descriptor) {
			memcpy(e->version, v->catalog->items[i].version, sizeof(e->version));
			return true;
		}
	return false;
}

static void go_on(struct versions *v)
{
	for (; !v->asking && v->at < v->catalog->count; v->at++) {
		struct catalog_entry *e = &v->catalog->items[v->at];
		char **args = e->descriptor && e->program ? descriptor_version_args(e->descriptor) : NULL;

		if (args && !from_twin(v, e) && !from_cache(v, e)) {
			ask(v, e, args);
			strv_destroy(args);
			return;
		}
		if (args)
			strv_destroy(args);
	}
}

struct versions *versions_start(
    struct uv_loop_s *loop, struct catalog *catalog, void (*changed)(void *user), void *user)
{
	struct versions *v = mem_zalloc(1, sizeof(*v));

	v->loop = loop;
	v->catalog = catalog;
	v->changed = changed;
	v->user = user;
	v->path = cache_path();
	v->cache = read_cache(v->path);
	go_on(v);
	return v;
}

void versions_stop(struct versions *v)
{
	if (!v)
		return;
	if (v->asking)
		spawn_forget(v->asking);
	json_free(v->cache);
	free(v->path);
	free(v);
}
