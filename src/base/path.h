/* path: the directories of the XDG base directory specification 0.8, names of files, and writing them whole.
 */
#ifndef HANDLER_BASE_PATH_H
#define HANDLER_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Owned strings "…/handler": $XDG_CONFIG_HOME or ~/.config, $XDG_STATE_HOME or ~/.local/state,
 * $XDG_CACHE_HOME or ~/.cache. A relative value of the variable is ignored, as the specification says.  HOME
 * missing: the home of the user database.  NULL with err set if there is neither.
 */
char *path_config_dir(struct err *err);
char *path_state_dir(struct err *err);
char *path_cache_dir(struct err *err);
char *path_home(struct err *err);

char *path_join(const char *a, const char *b); /* one '/' between; b absolute: b */
char *path_absolute(
    const char *path, struct err *err); /* against the working directory, "~" expanded, not resolved */
char *path_real(const char *path, struct err *err); /* realpath(3) */
const char *path_base(const char *path);            /* after the last '/' */
char *path_pretty(const char *path);                /* "~" for the home directory */
bool path_is_dir(const char *path);

/* mkdir -p; each directory made gets the mode.  The last one, if it exists, must be a directory of ours. */
int path_make_dirs(const char *path, mode_t mode, struct err *err);

/* A directory of ours (no link) that nobody else can enter: ERR_REFUSED if it is none.  Make: 0700, if it is
 * missing. */
int path_check_private(const char *path, struct err *err);
int path_make_private(const char *path, struct err *err);

/* Reads a regular file of at most max bytes.  *data is owned, NUL-terminated; *len may be NULL. */
int path_read_file(const char *path, size_t max, char **data, size_t *len, struct err *err);
/*
 * Writes a temporary file in the same directory and renames it: readers see the old text or the new.  A
 * symbolic link stays one, what it leads to is replaced.  Not synced to disk.
 */
int path_write_file(const char *path, const void *data, size_t len, mode_t mode, struct err *err);

/*
 * The program that execvp would run: `name` with a '/' as it is (against dir), else searched in the
 * colon-separated `search` (NULL: $PATH), whose empty and relative entries are ignored.  Owned; NULL with err
 * ERR_NOT_INSTALLED, whose message names what was looked for and where.
 */
char *path_find_program(const char *name, const char *search, const char *dir, struct err *err);

#endif
