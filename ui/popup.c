/* popup: see popup.h */
#include <string.h>

#include "base/utf8.h"
#include "ui/popup.h"

enum { FRAME_ROWS = 2, FRAME_COLS = 4 /* a line and a blank at each side */ };

static int limited(int n, int min, int max)
{
	n = n < max ? n : max;
	return n > min ? n : min;
}

struct surface *popup_create(struct display *d, int rows, int cols)
{
	int height = limited(rows + FRAME_ROWS, FRAME_ROWS + 1, display_rows(d));
	int width = limited(cols + FRAME_COLS, FRAME_COLS + 1, display_cols(d));
	int spare = display_rows(d) - height, raised = display_rows(d) / 12;

	return surface_create(d, limited(spare / 2 - raised, 0, spare > 0 ? spare : 0),
	    (display_cols(d) - width) / 2, height, width);
}

struct surface *popup_create_foot(struct display *d, int rows)
{
	int height = limited(rows + FRAME_ROWS, FRAME_ROWS + 1, display_rows(d) - 1);

	return surface_create(d, display_rows(d) - 1 - height, 0, height, display_cols(d));
}

int popup_rows(const struct surface *s)
{
	return surface_rows(s) - FRAME_ROWS;
}

int popup_cols(const struct surface *s)
{
	return surface_cols(s) - FRAME_COLS;
}

/* As many keys as fit whole. */
static void draw_keys(struct surface *s, const struct popup_key *keys, size_t count)
{
	int row = surface_rows(s) - 1, at = 2, end = surface_cols(s) - 2;

	for (size_t i = 0; i < count; i++) {
		int key = utf8_columns(keys[i].key, strlen(keys[i].key)),
		    help = utf8_columns(keys[i].help, strlen(keys[i].help));

		if (at + key + help + 3 > end)
			return;
		surface_fill(s, row, at, 1, key + help + 3, ROLE_BORDER_FOCUSED);
		surface_text(s, row, at + 1, key, keys[i].key, ROLE_STATUS_KEY);
		surface_text(s, row, at + key + 2, help, keys[i].help, ROLE_DIM);
		at += key + help + 3;
	}
}

void popup_frame(struct surface *s, const char *title, const struct popup_key *keys, size_t count)
{
	surface_clear(s, ROLE_TEXT);
	surface_box(s, title, ROLE_BORDER_FOCUSED, ROLE_TITLE_FOCUSED);
	draw_keys(s, keys, count);
}

/* The bytes of the next line of at most `cols` columns: up to a line feed, a space, or cut where it must be.
 */
static size_t line_length(const char *text, int cols)
{
	size_t whole = strcspn(text, "\n"), fits = utf8_fit(text, whole, cols, NULL), at = fits;

	if (fits == whole || text[fits] == ' ')
		return fits;
	while (at > 0 && text[at - 1] != ' ')
		at--;
	while (at > 0 && text[at - 1] == ' ')
		at--;
	if (at > 0)
		return at;
	return fits > 0 ? fits : utf8_fit(text, whole, 2, NULL);
}

int popup_text(
    struct surface *s, int row, int col, int rows, int cols, const char *text, enum theme_role role)
{
	char line[1024];
	int used = 0;

	while (*text && used < rows && cols > 0) {
		size_t len = line_length(text, cols),
		       shown = len < sizeof(line) ? len : utf8_fit(text, sizeof(line) - 4, cols, NULL);

		memcpy(line, text, shown);
		line[shown] = '\0';
		if (s)
			surface_text(s, row + used, col, cols, line, role);
		used++;
		text += len;
		while (*text == ' ')
			text++;
		if (*text == '\n')
			text++;
		else if (len == 0)
			break;
	}
	return used;
}
