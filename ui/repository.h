/*
 * repository: which repository a directory belongs to: views are made one for each, and named after it.
 */
#ifndef HANDLER_UI_REPOSITORY_H
#define HANDLER_UI_REPOSITORY_H

/*
 * The absolute path of the repository that `dir` lies in: the nearest directory upwards that holds ".git";
 * for a worktree (".git" is a file, gitrepository-layout(5)) that of the main one; without any, dir itself.
 * Owned.
 */
char *repository_of(const char *dir);
/* What a view of it is called: its last component, sanitized.  Owned. */
char *repository_name(const char *repository);

#endif
