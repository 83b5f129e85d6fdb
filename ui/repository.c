/* repository: see repository.h. */
#include "ui/repository.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"

enum { GIT_FILE_MAX = 8192, NAME_COLUMNS = 40 };

/* "gitdir: /main/.git/worktrees/NAME" leads to /main; of a submodule (".git/modules/...") the top is the
 * submodule itself. */
static char *main_worktree(const char *git_file)
{
	AUTO_FREE char *text = NULL;
	static const char label[] = "gitdir: ", middle[] = "/.git/worktrees/";

	if (path_read_file(git_file, GIT_FILE_MAX, &text, NULL, NULL) < 0 ||
	    strncmp(text, label, sizeof(label) - 1) != 0)
		return NULL;
	const char *path = text + sizeof(label) - 1;
	const char *end = strstr(path, middle);

	return *path == '/' && end ? mem_strndup(path, (size_t)(end - path)) : NULL;
}

/* NULL: there is no ".git" in it. */
static char *top_if_here(const char *dir)
{
	AUTO_FREE char *git = path_join(dir, ".git");
	struct stat st;

	if (stat(git, &st) < 0)
		return NULL;
	char *top = S_ISREG(st.st_mode) ? main_worktree(git) : NULL;

	return top ? top : mem_strdup(dir);
}

char *repository_of(const char *dir)
{
	char *absolute = path_absolute(dir, NULL);
	AUTO_FREE char *at = mem_strdup(absolute ? absolute : dir);

	for (;;) {
		char *top = top_if_here(at);
		char *slash = strrchr(at, '/');

		if (top) {
			free(absolute);
			return top;
		}
		if (!slash || slash == at)
			break;
		*slash = '\0';
	}
	return absolute ? absolute : mem_strdup(dir);
}

char *repository_name(const char *repository)
{
	const char *base = path_base(repository);
	char *name = utf8_sanitize(base, strlen(base), NAME_COLUMNS);

	if (*name)
		return name;
	free(name);
	return mem_strdup("root");
}
