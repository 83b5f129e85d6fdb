/* popup: frames of dialogs: where they stand, their border, title, and the line of keys at their foot. */
#ifndef HANDLER_UI_POPUP_H
#define HANDLER_UI_POPUP_H

#include "ui/display.h"

struct popup_key {
	const char *key;  /* "Enter" */
	const char *help; /* "start" */
};

/* In the middle, a little above; rows and cols of the inside, made smaller to fit the screen (2 rows and 4
 * columns are the frame's). */
struct surface *popup_create(struct display *d, int rows, int cols);
/* At the foot of the screen, above the bottom line, full width: the pending prefix. */
struct surface *popup_create_foot(struct display *d, int rows);
/* Clears it, draws frame, title and keys (count 0: none) in the lower border. */
void popup_frame(struct surface *s, const char *title, const struct popup_key *keys, size_t count);
/* The inside: rows and columns left for content, which starts at row 1, column 2. */
int popup_rows(const struct surface *s);
int popup_cols(const struct surface *s);

/*
 * Text broken into lines at spaces, at most `rows`; returns the rows used.  s NULL: only counts.  LF breaks a
 * line.
 */
int popup_text(
    struct surface *s, int row, int col, int rows, int cols, const char *text, enum theme_role role);

#endif
