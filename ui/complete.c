/* complete: see complete.h. */
#include "ui/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"

/* "~/src/ha" is looked for in "/home/me/src". */
static char *directory_to_read(const char *head, const char *base)
{
	if (*head == '\0')
		return mem_strdup(base);
	if (*head == '~')
		return path_absolute(head, NULL);
	return path_join(base, head); /* an absolute head stays as it is */
}

static bool is_directory(const char *dir, const struct dirent *e)
{
	if (e->d_type == DT_DIR)
		return true;
	if (e->d_type != DT_LNK && e->d_type != DT_UNKNOWN)
		return false;
	AUTO_FREE char *path = path_join(dir, e->d_name);

	return path_is_dir(path);
}

static bool wanted(const char *name, const char *start)
{
	size_t len = strlen(start);

	if (strncmp(name, start, len) != 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	return (name[0] != '.' || start[0] == '.') && utf8_valid(name, strlen(name), NULL);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_matches(struct strv *out, const char *dir, const char *head, const char *start)
{
	DIR *d = opendir(dir);

	if (!d)
		return;
	for (struct dirent *e; out->count < COMPLETE_MAX && (e = readdir(d));)
		if (wanted(e->d_name, start) && is_directory(dir, e))
			strv_take(out, mem_printf("%s%s/", head, e->d_name));
	closedir(d);
}

char **complete_directories(const char *text, const char *base)
{
	const char *slash = strrchr(text, '/');
	struct strv out = STRV_INIT;

	if (strcmp(text, "~") == 0) {
		strv_add(&out, "~/");
		return strv_steal(&out);
	}
	AUTO_FREE char *head = mem_strndup(text, slash ? (size_t)(slash - text) + 1 : 0);
	AUTO_FREE char *dir = directory_to_read(head, base);

	if (dir)
		read_matches(&out, dir, head, slash ? slash + 1 : text);
	if (out.count)
		qsort(out.items, out.count, sizeof(char *), by_name);
	return strv_steal(&out);
}

char *complete_common(char *const *matches)
{
	size_t len = *matches ? strlen(*matches) : 0;

	for (char *const *m = matches; *m; m++) {
		size_t same = 0;

		while (same < len && (*m)[same] == (*matches)[same])
			same++;
		len = same;
	}
	while (len && ((unsigned char)(*matches)[len] & 0xc0) == 0x80)
		len--; /* not inside a character */
	return mem_strndup(*matches ? *matches : "", len);
}

static bool is_complete(const char *text, const char *base)
{
	size_t len = strlen(text);
	AUTO_FREE char *path = *text == '~' ? path_absolute(text, NULL) : path_join(base, text);

	return len && text[len - 1] != '/' && path && path_is_dir(path);
}

char *complete_text(const char *text, const char *base)
{
	if (is_complete(text, base))
		return NULL;
	char **matches = complete_directories(text, base);
	char *common = complete_common(matches);

	strv_destroy(matches);
	if (strlen(common) > strlen(text))
		return common;
	free(common);
	return NULL;
}
