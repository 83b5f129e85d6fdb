/*
 * view_files: views on disk: $XDG_STATE_HOME/handler/views/NAME.json, and NAME.lock, which the terminal that
 * shows the view holds, so that two terminals never show and save the same one.
 */
#ifndef HANDLER_UI_VIEW_FILES_H
#define HANDLER_UI_VIEW_FILES_H

#include "ui/views.h"

struct view_files;

/* Without a directory that can be written (err says why), NULL: views are then not saved. */
struct view_files *view_files_open(struct err *err);
void view_files_close(struct view_files *f); /* releases the lock; NULL is fine */
/*
 * Adds what is on disk to `v`; a view of `v` that this terminal shows (current) stays as it is, others are
 * replaced by what is newer on disk.  A file that cannot be read is left out, and kept.
 */
void view_files_load(struct view_files *f, struct views *v);
int view_files_save(struct view_files *f, const struct view *view, struct err *err);
void view_files_remove(struct view_files *f, const char *name);
/* Takes the lock of a view and gives back that of the one before (NULL: only gives back).  false: another
 * terminal has it. */
bool view_files_lock(struct view_files *f, const char *name);
bool view_files_shown_elsewhere(const struct view_files *f, const char *name);

#endif
