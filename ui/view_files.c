/* view_files: see view_files.h. */
#include "ui/view_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/fd.h"

struct view_files {
	char *dir;
	int dirfd;
	int lock;     /* descriptor, -1: none */
	char *locked; /* name of the view whose lock it is */
};

struct view_files *view_files_open(struct err *err)
{
	AUTO_FREE char *state = path_state_dir(err);

	if (!state)
		return NULL;
	char *dir = path_join(state, "views");
	int fd = path_make_dirs(dir, 0700, err) < 0 ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		free(dir);
		return NULL;
	}
	struct view_files *f = mem_alloc(sizeof(*f));

	*f = (struct view_files){.dir = dir, .dirfd = fd, .lock = -1};
	return f;
}

static void unlock(struct view_files *f)
{
	if (f->lock >= 0)
		close(f->lock);
	free(f->locked);
	f->lock = -1;
	f->locked = NULL;
}

void view_files_close(struct view_files *f)
{
	if (!f)
		return;
	unlock(f);
	close(f->dirfd);
	free(f->dir);
	free(f);
}

/* A name as the name of a file: no slash, no dot in front. */
static char *file_name(const char *name, const char *suffix)
{
	char *file = mem_printf("%s%s", name, suffix);

	for (char *p = file; *p; p++)
		if (*p == '/')
			*p = '_';
	if (*file == '.')
		*file = '_';
	return file;
}

static bool is_view_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return *name != '.' && dot && strcmp(dot, ".json") == 0;
}

static struct view *read_view(const struct view_files *f, const char *file)
{
	AUTO_FREE char *path = path_join(f->dir, file);
	struct err err = ERR_INIT;
	struct json *root = json_parse_file(path, &err);
	struct view *view = root ? view_from_json(root, path, &err) : NULL;

	json_free(root);
	if (!view)
		log_info("views", "left out: %s", err.message);
	return view;
}

static void merge(struct views *v, struct view *view)
{
	struct view *known = views_named(v, view->name);

	if (known && known == v->current)
		view_destroy(view);
	else
		views_add(v, view);
}

void view_files_load(struct view_files *f, struct views *v)
{
	DIR *d = f ? opendir(f->dir) : NULL;

	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		struct view *view = is_view_file(e->d_name) ? read_view(f, e->d_name) : NULL;

		if (view)
			merge(v, view);
	}
	closedir(d);
}

int view_files_save(struct view_files *f, const struct view *view, struct err *err)
{
	AUTO_FREE char *file = file_name(view->name, ".json");
	AUTO_FREE char *path = path_join(f->dir, file);
	struct json *root = view_to_json(view);
	AUTO_FREE char *text = json_print(root, true);

	json_free(root);
	return path_write_file(path, text, strlen(text), 0600, err);
}

void view_files_remove(struct view_files *f, const char *name)
{
	AUTO_FREE char *file = file_name(name, ".json");
	AUTO_FREE char *lock = file_name(name, ".lock");

	if (!f)
		return;
	unlinkat(f->dirfd, file, 0);
	if (f->locked && strcmp(f->locked, name) == 0)
		unlock(f);
	if (!lock_held(f->dirfd, lock))
		unlinkat(f->dirfd, lock, 0);
}

bool view_files_lock(struct view_files *f, const char *name)
{
	if (!f)
		return true;
	if (!name) {
		unlock(f);
		return true;
	}
	if (f->locked && strcmp(f->locked, name) == 0)
		return true;
	AUTO_FREE char *file = file_name(name, ".lock");
	int fd = lock_take(f->dirfd, file, false);

	if (fd < 0 && (errno == EAGAIN || errno == EACCES))
		return false;
	unlock(f); /* a file system without locks: the view is shown all the same */
	f->lock = fd;
	f->locked = mem_strdup(name);
	return true;
}

bool view_files_shown_elsewhere(const struct view_files *f, const char *name)
{
	if (!f || (f->locked && strcmp(f->locked, name) == 0))
		return false;
	AUTO_FREE char *file = file_name(name, ".lock");

	return lock_held(f->dirfd, file);
}
