/* statusline: see statusline.h */
#include <string.h>

#include "base/utf8.h"
#include "ui/statusline.h"

enum { LEFT_MIN = 12 /* columns for what is said, before the last key gives way */ };

/* What stands where. */
struct places {
	int mode_end;        /* column after the mode */
	int left, left_cols; /* message, sessions or hint */
	bool view;
	size_t first_key; /* keys before it have no room */
	int right;        /* where view and keys begin */
};

static int columns_of(const char *text)
{
	return text ? utf8_columns(text, strlen(text)) : 0;
}

static int key_columns(const struct statusline_key *k)
{
	return columns_of(k->key) + (k->help ? 1 + columns_of(k->help) : 0);
}

static int right_columns(const struct statusline *m, bool view, size_t first_key)
{
	int sum = view ? columns_of(m->view) + 2 : 0;

	for (size_t i = first_key; i < m->key_count; i++)
		sum += key_columns(&m->keys[i]) + 2;
	return sum;
}

static int left_wanted(const struct statusline *m)
{
	if (m->message)
		return columns_of(m->message);
	if (m->count > 0)
		return sidebar_line_columns(m->items, m->count);
	return columns_of(m->hint);
}

/* The left has its room first; keys give way from the left, then the view, the last key only to LEFT_MIN. */
static struct places place(const struct statusline *m, int cols)
{
	struct places p = {.view = m->view && *m->view};
	int wanted = left_wanted(m), least = wanted < LEFT_MIN ? wanted : LEFT_MIN;

	p.mode_end = m->mode ? columns_of(m->mode) + 2 : 0;
	p.left = p.mode_end + 1;
	while (p.first_key + 1 < m->key_count &&
	       p.left + wanted + 1 + right_columns(m, p.view, p.first_key) > cols)
		p.first_key++;
	if (p.view && p.left + wanted + 1 + right_columns(m, true, p.first_key) > cols)
		p.view = false;
	if (p.left + least + 1 + right_columns(m, false, p.first_key) > cols)
		p.first_key = m->key_count;
	p.right = cols - right_columns(m, p.view, p.first_key);
	p.left_cols = p.right - 1 - p.left;
	return p;
}

static void draw_right(struct surface *s, int row, const struct statusline *m, const struct places *p)
{
	int at = p->right + 1, cols = surface_cols(s);

	if (p->view)
		at += surface_text(s, row, at, cols - at, m->view, ROLE_DIM) + 2;
	for (size_t i = p->first_key; i < m->key_count; i++) {
		at += surface_text(s, row, at, cols - at, m->keys[i].key, ROLE_STATUS_KEY);
		if (m->keys[i].help)
			at += 1 + surface_text(s, row, at + 1, cols - at - 1, m->keys[i].help, ROLE_DIM);
		at += 2;
	}
}

static void draw_left(struct surface *s, int row, const struct statusline *m, const struct places *p)
{
	if (p->left_cols <= 0)
		return;
	if (m->message)
		surface_text(s, row, p->left, p->left_cols, m->message, m->message_role);
	else if (m->count > 0)
		sidebar_line(s, row, p->left, p->left_cols, m->items, m->count);
	else if (m->hint)
		surface_text(s, row, p->left, p->left_cols, m->hint, ROLE_DIM);
}

void statusline_draw(struct surface *s, int row, const struct statusline *m)
{
	struct places p = place(m, surface_cols(s));

	surface_fill(s, row, 0, 1, surface_cols(s), ROLE_STATUS);
	if (m->mode) {
		surface_fill(s, row, 0, 1, p.mode_end, m->mode_role);
		surface_text(s, row, 1, p.mode_end - 2, m->mode, m->mode_role);
	}
	draw_left(s, row, m, &p);
	draw_right(s, row, m, &p);
}

int statusline_hit(const struct statusline *m, int cols, int col)
{
	struct places p = place(m, cols);

	if (m->message || m->count == 0 || col < p.left || col >= p.left + p.left_cols)
		return -1;
	return sidebar_line_hit(m->items, m->count, p.left_cols, col - p.left);
}
