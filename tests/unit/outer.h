/*
 * outer: a strict little terminal for tests: it understands only what ui/expand may send, and fails the
 * test at anything else, at a place outside the screen, and at any move that depends on what terminals differ
 * about (the pending wrap; the width of a cluster that has not been agreed on).  Included by test programs.
 */
#ifndef HANDLER_TESTS_OUTER_H
#define HANDLER_TESTS_OUTER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "cell/cell.h"
#include "ui/cluster.h"

enum { OUTER_TEXT = 72, OUTER_URI = 96 };

struct outer_cell {
	char text[OUTER_TEXT]; /* " " for a blank, "" for a tail */
	struct style style;    /* link: 0 */
	char uri[OUTER_URI];
};

struct outer {
	int rows, cols;
	struct outer_cell *cells;
	int row, col; /* col == cols: a wrap is pending */
	bool unknown; /* the place is one that terminals may differ about */
	struct style pen;
	char uri[OUTER_URI];
	int top, bottom, left, right; /* margins, inclusive */
	bool margins_mode, sync, cursor_visible;
	int shape;
	char cursor_color[32];
	bool erases_with_background; /* "bce" */
	/* how many columns a cluster that is not settled takes here; 0: as many as cluster_width says */
	int unsettled_columns;
	bool (*settled)(const struct text_cluster *c);
	size_t shows, hides, syncs, scrolls, clears;
};

static inline struct outer_cell *outer_at(const struct outer *o, int row, int col)
{
	return &o->cells[row * o->cols + col];
}

static inline void outer_fail(const char *what, const char *at, size_t len)
{
	fprintf(stderr, "outer: %s:", what);
	for (size_t i = 0; i < len && i < 40; i++)
		fprintf(stderr, (unsigned char)at[i] < 32 ? "<%02x>" : "%c", (unsigned char)at[i]);
	fprintf(stderr, "\n");
	fail();
}

static inline void outer_blank(struct outer *o, int row, int col)
{
	struct outer_cell *c = outer_at(o, row, col);

	memset(c, 0, sizeof(*c));
	c->text[0] = ' ';
	if (o->erases_with_background)
		c->style.bg = o->pen.bg;
}

static inline void outer_reset(struct outer *o, int rows, int cols)
{
	free(o->cells);
	o->rows = rows;
	o->cols = cols;
	o->cells = mem_zalloc((size_t)rows * (size_t)cols, sizeof(*o->cells));
	for (int i = 0; i < rows * cols; i++)
		snprintf(o->cells[i].text, OUTER_TEXT, "x"); /* what was there before */
	o->row = o->col = 0;
	o->unknown = true;
	o->top = o->left = 0;
	o->bottom = rows - 1;
	o->right = cols - 1;
}

/* --- printing --- */

static inline void outer_split(struct outer *o, int row, int col)
{
	if (col > 0 && col < o->cols && outer_at(o, row, col)->text[0] == '\0')
		outer_blank(o, row, col - 1);
	if (col + 1 < o->cols && outer_at(o, row, col + 1)->text[0] == '\0')
		outer_blank(o, row, col + 1);
}

static inline void outer_set(struct outer *o, int row, int col, const char *text, size_t len)
{
	struct outer_cell *c = outer_at(o, row, col);

	outer_split(o, row, col);
	memset(c, 0, sizeof(*c));
	if (len >= OUTER_TEXT)
		outer_fail("too long a cluster", text, len);
	memcpy(c->text, text, len);
	c->style = o->pen;
	memcpy(c->uri, o->uri, OUTER_URI);
}

static inline size_t outer_print(struct outer *o, const char *s, size_t len)
{
	struct text_cluster c;
	int width;
	bool settled;

	if (o->unknown || o->col >= o->cols)
		outer_fail("printed at an unknown place", s, len);
	cluster_next(s, len, &c);
	settled = !o->settled || o->unsettled_columns == 0 || o->settled(&c);
	width = settled ? c.width : o->unsettled_columns;
	if (c.width < 1)
		outer_fail("printed nothing", s, len);
	if (settled && o->col + width > o->cols)
		outer_fail("printed over the border", s, len);
	outer_set(o, o->row, o->col, s, c.bytes);
	for (int i = 1; i < width && o->col + i < o->cols; i++)
		outer_set(o, o->row, o->col + i, "", 0);
	o->col += width;
	o->unknown = !settled || o->col >= o->cols;
	return c.bytes;
}

/* --- controls --- */

/* "38;5;n", "38;2;r;g;b" in words: *i stays at the last one used. */
static inline color_t outer_color(char **word, int n, int *i)
{
	if (*i + 2 < n && strcmp(word[*i + 1], "5") == 0) {
		*i += 2;
		return COLOR_INDEX(atoi(word[*i]));
	}
	if (*i + 4 < n && strcmp(word[*i + 1], "2") == 0) {
		*i += 4;
		return COLOR_RGB(atoi(word[*i - 2]), atoi(word[*i - 1]), atoi(word[*i]));
	}
	outer_fail("faulty colour", word[*i], strlen(word[*i]));
	return 0;
}

static inline bool outer_attribute(struct outer *o, int p)
{
	static const struct {
		int on, off;
		uint16_t attr;
	} table[] = {
	    {1, 22, ATTR_BOLD},
	    {2, 22, ATTR_DIM},
	    {3, 23, ATTR_ITALIC},
	    {5, 25, ATTR_BLINK},
	    {7, 27, ATTR_REVERSE},
	    {8, 28, ATTR_CONCEAL},
	    {9, 29, ATTR_STRIKE},
	    {53, 55, ATTR_OVERLINE},
	};
	bool known = false;

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		if (p == table[i].on)
			o->pen.attrs |= table[i].attr;
		if (p == table[i].off)
			o->pen.attrs &= (uint16_t)~table[i].attr;
		known |= p == table[i].on || p == table[i].off;
	}
	return known;
}

static inline bool outer_basic_color(struct outer *o, int p)
{
	if ((p >= 30 && p <= 37) || (p >= 90 && p <= 97))
		o->pen.fg = COLOR_INDEX(p < 90 ? p - 30 : p - 82);
	else if ((p >= 40 && p <= 47) || (p >= 100 && p <= 107))
		o->pen.bg = COLOR_INDEX(p < 100 ? p - 40 : p - 92);
	else if (p == 39)
		o->pen.fg = COLOR_DEFAULT;
	else if (p == 49)
		o->pen.bg = COLOR_DEFAULT;
	else
		return false;
	return true;
}

/* Sub-parameters: "4:3", "58:5:n", "58:2::r:g:b". */
static inline void outer_colon(struct outer *o, const char *word)
{
	int kind, r, g, b, v;

	if (sscanf(word, "4:%d", &kind) == 1)
		o->pen.underline = (uint8_t)kind;
	else if (sscanf(word, "58:2::%d:%d:%d", &r, &g, &b) == 3)
		o->pen.underline_color = COLOR_RGB(r, g, b);
	else if (sscanf(word, "58:5:%d", &v) == 1)
		o->pen.underline_color = COLOR_INDEX(v);
	else
		outer_fail("unknown sub-parameters", word, strlen(word));
}

static inline void outer_parameter(struct outer *o, char **word, int n, int *i)
{
	int p = atoi(word[*i]);

	if (strchr(word[*i], ':'))
		outer_colon(o, word[*i]);
	else if (p == 0)
		memset(&o->pen, 0, sizeof(o->pen));
	else if (p == 4 || p == 24)
		o->pen.underline = p == 4 ? UNDERLINE_SINGLE : UNDERLINE_NONE;
	else if (p == 59)
		o->pen.underline_color = COLOR_DEFAULT;
	else if (p == 38)
		o->pen.fg = outer_color(word, n, i);
	else if (p == 48)
		o->pen.bg = outer_color(word, n, i);
	else if (!outer_basic_color(o, p) && !outer_attribute(o, p))
		outer_fail("unknown SGR", word[*i], strlen(word[*i]));
}

static inline void outer_sgr(struct outer *o, const char *s, size_t len)
{
	char text[256], *save = NULL, *word[64];
	int n = 0;

	assert_true(len < sizeof(text));
	memcpy(text, s, len);
	text[len] = '\0';
	for (char *w = strtok_r(text, ";", &save); w; w = strtok_r(NULL, ";", &save))
		word[n++] = w;
	if (n == 0)
		memset(&o->pen, 0, sizeof(o->pen));
	for (int i = 0; i < n; i++)
		outer_parameter(o, word, n, &i);
}

static inline void outer_scroll(struct outer *o, int lines)
{
	struct outer_cell *copy = mem_alloc((size_t)o->rows * (size_t)o->cols * sizeof(*copy));

	memcpy(copy, o->cells, (size_t)o->rows * (size_t)o->cols * sizeof(*copy));
	for (int y = o->top; y <= o->bottom; y++) {
		for (int x = o->left; x <= o->right; x++) {
			int from = y + lines;

			if (from >= o->top && from <= o->bottom)
				*outer_at(o, y, x) = copy[from * o->cols + x];
			else
				outer_blank(o, y, x);
		}
	}
	free(copy);
	o->scrolls++;
}

static inline void outer_place(struct outer *o, int row, int col, const char *s, size_t len)
{
	if (row < 0 || row >= o->rows || col < 0 || col >= o->cols)
		outer_fail("moved outside", s, len);
	o->row = row;
	o->col = col;
	o->unknown = false;
}

static inline void outer_relative(struct outer *o, int rows, int cols, const char *s, size_t len)
{
	if (o->unknown)
		outer_fail("relative move from an unknown place", s, len);
	outer_place(o, o->row + rows, o->col + cols, s, len);
}

/* IND, RI: the region scrolls when the cursor is at its last or first row, within its columns. */
static inline void outer_index(struct outer *o, int rows, const char *s, size_t len)
{
	bool inside = o->col >= o->left && o->col <= o->right;

	if (inside && o->row == (rows > 0 ? o->bottom : o->top))
		outer_scroll(o, rows);
	else
		outer_relative(o, rows, 0, s, len);
}

static inline void outer_mode(struct outer *o, int mode, bool on)
{
	switch (mode) {
	case 25:
		o->cursor_visible = on;
		*(on ? &o->shows : &o->hides) += 1;
		break;
	case 69:
		o->margins_mode = on;
		o->left = 0;
		o->right = o->cols - 1;
		break;
	case 2026:
		assert_int_not_equal(o->sync, on);
		o->sync = on;
		o->syncs += on;
		break;
	default:
		outer_fail("unknown mode", "", 0);
	}
}

static inline void outer_csi(struct outer *o, const char *s, size_t len)
{
	char final = s[len - 1];
	int a = 0, b = 0, n = sscanf(s, "%d;%d", &a, &b);

	if (s[0] == '?') {
		outer_mode(o, atoi(s + 1), final == 'h');
	} else if (final == 'm') {
		outer_sgr(o, s, len - 1);
	} else if (final == 'H') {
		outer_place(o, n > 0 ? a - 1 : 0, n > 1 ? b - 1 : 0, s, len);
	} else if (final == 'G') {
		outer_place(o, o->row, a - 1, s, len);
	} else if (final == 'C') {
		outer_relative(o, 0, n > 0 ? a : 1, s, len);
	} else if (final == 'B') {
		outer_relative(o, n > 0 ? a : 1, 0, s, len);
	} else if (final == 'K' && len == 1) {
		outer_relative(o, 0, 0, s, len);
		outer_split(o, o->row, o->col);
		for (int x = o->col; x < o->cols; x++)
			outer_blank(o, o->row, x);
	} else if (final == 'X') {
		outer_relative(o, 0, 0, s, len);
		for (int x = o->col; x < o->col + a; x++) {
			outer_split(o, o->row, x);
			outer_blank(o, o->row, x);
		}
	} else if (final == 'J' && a == 2) {
		for (int i = 0; i < o->rows * o->cols; i++)
			outer_blank(o, i / o->cols, i % o->cols);
		o->clears++;
	} else if (final == 'r') {
		o->top = n > 0 ? a - 1 : 0;
		o->bottom = n > 1 ? b - 1 : o->rows - 1;
		o->unknown = true; /* home, or not: origin mode */
	} else if (final == 's' && o->margins_mode) {
		o->left = a - 1;
		o->right = b - 1;
		o->unknown = true;
	} else if (final == 'q' && len > 1 && s[len - 2] == ' ') {
		o->shape = a;
	} else {
		outer_fail("unknown CSI", s, len);
	}
}

static inline void outer_osc(struct outer *o, const char *s, size_t len)
{
	const char *uri;

	if (len > 2 && memcmp(s, "8;", 2) == 0) {
		uri = memchr(s + 2, ';', len - 2);
		assert_non_null(uri);
		uri++;
		memset(o->uri, 0, sizeof(o->uri));
		assert_true((size_t)(s + len - uri) < OUTER_URI);
		memcpy(o->uri, uri, (size_t)(s + len - uri));
	} else if (len > 3 && memcmp(s, "12;", 3) == 0) {
		snprintf(o->cursor_color, sizeof(o->cursor_color), "%.*s", (int)(len - 3), s + 3);
	} else if (len == 3 && memcmp(s, "112", 3) == 0) {
		o->cursor_color[0] = '\0';
	} else {
		outer_fail("unknown OSC", s, len);
	}
}

/* s: after the ESC; returns the bytes taken. */
static inline size_t outer_escape(struct outer *o, const char *s, size_t len)
{
	size_t n = 1;

	if (len > 0 && s[0] == '[') {
		while (n < len && (s[n] < 0x40 || s[n] > 0x7e))
			n++;
		if (n >= len)
			outer_fail("cut off", s, len);
		outer_csi(o, s + 1, n);
		return n + 1;
	}
	if (len > 0 && s[0] == ']') {
		while (n + 1 < len && !(s[n] == '\033' && s[n + 1] == '\\'))
			n++;
		if (n + 1 >= len)
			outer_fail("cut off", s, len);
		outer_osc(o, s + 1, n - 1);
		return n + 2;
	}
	if (len > 0 && s[0] == 'M') {
		outer_index(o, -1, s, len);
		return 1;
	}
	outer_fail("unknown escape", s, len);
	return 0;
}

/* One frame, whole: everything that was opened has to be closed in it. */
static inline void outer_feed(struct outer *o, const char *s, size_t len)
{
	while (len > 0) {
		size_t n = 1;

		if (*s == '\033')
			n = 1 + outer_escape(o, s + 1, len - 1);
		else if (*s == '\r' && o->col < o->cols)
			outer_place(o, o->row, 0, s, len);
		else if (*s == '\n')
			outer_index(o, 1, s, len);
		else if (*s == '\b')
			outer_relative(o, 0, -1, s, len);
		else if ((unsigned char)*s < 32)
			outer_fail("unknown control", s, len);
		else
			n = outer_print(o, s, len);
		s += n;
		len -= n;
	}
	assert_false(o->sync);
	assert_false(o->margins_mode);
	assert_int_equal(o->top, 0);
	assert_int_equal(o->bottom, o->rows - 1);
	assert_string_equal(o->uri, "");
}

static inline void outer_finish(struct outer *o)
{
	free(o->cells);
	o->cells = NULL;
}

#endif
