/*
 * lineedit: text being edited: by grapheme cluster, with emacs keys, one line or several.
 *
 * Pure but for lineedit_draw.  The text is well-formed UTF-8 without control characters (line feeds in the
 * several-line form).  Enter, Escape, Tab and what it does not know are left to the caller.
 */
#ifndef HANDLER_UI_LINEEDIT_H
#define HANDLER_UI_LINEEDIT_H

#include "base/buf.h"
#include "key/key.h"
#include "ui/theme.h"

struct surface;

enum { LINEEDIT_MAX_BYTES = 1 << 20 };

struct lineedit;

enum lineedit_result {
	LINEEDIT_IGNORED, /* not a key of the editor */
	LINEEDIT_MOVED,   /* done, the text is the same (also: nothing to delete) */
	LINEEDIT_CHANGED, /* the text changed */
};

/* multiline: S-Enter, M-Enter and C-j make a line, Up and Down move between lines (IGNORED at the first and
 * last). */
struct lineedit *lineedit_create(bool multiline);
void lineedit_destroy(struct lineedit *e);

const char *lineedit_text(const struct lineedit *e); /* valid until the next change */
size_t lineedit_length(const struct lineedit *e);    /* bytes */
size_t lineedit_cursor(const struct lineedit *e);    /* byte offset, at a cluster's border */
bool lineedit_empty(const struct lineedit *e);
void lineedit_set(struct lineedit *e, const char *text); /* cursor at the end; forgets what could be undone */
void lineedit_clear(struct lineedit *e);
void lineedit_set_cursor(struct lineedit *e, size_t offset); /* moved back to a cluster's border */
/* Replaces bytes [from, to) (clusters' borders) with text, cursor behind it: completion. */
void lineedit_replace(struct lineedit *e, size_t from, size_t to, const char *text);
/* Typed or pasted text at the cursor: controls dropped; line ends become LF, or spaces in the one-line form.
 */
enum lineedit_result lineedit_insert(struct lineedit *e, const char *text, size_t len);
enum lineedit_result lineedit_key(struct lineedit *e, const struct key *k);

/* Rows that the text takes when wrapped to `cols` columns: at least 1. */
int lineedit_height(const struct lineedit *e, int cols);
/*
 * Draws it into rows x cols cells at row, col of a surface: the one-line form scrolls sideways, the other
 * wraps and scrolls.  placeholder (may be NULL) is shown dim while it is empty.  *cursor_row, *cursor_col
 * (may be NULL): where the cursor lies, in the surface.
 */
void lineedit_draw(struct lineedit *e, struct surface *s, int row, int col, int rows, int cols,
    const char *placeholder, enum theme_role role, int *cursor_row, int *cursor_col);
/* A click at a cell of what was drawn last (0-based from its first cell) moves the cursor there. */
void lineedit_click(struct lineedit *e, int row, int col);

#endif
