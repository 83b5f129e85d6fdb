/*
 * lineedit: see lineedit.h.
 *
 * The cursor is a byte offset at a cluster's border.  For drawing and for moving between lines the text is
 * laid out in `lines`: each a run of bytes that stands in one row; a line that is full is followed by
 * another, so that the cursor behind its last cluster has a place.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/cluster.h"
#include "ui/display.h"
#include "ui/lineedit.h"

enum { UNDO_MAX = 100, DEFAULT_COLS = 80, TAB_COLUMNS = 4 };

struct snapshot {
	char *text;
	size_t cursor;
};

struct lineedit {
	bool multiline;
	struct buf text;
	size_t cursor;
	struct buf killed;
	struct snapshot undo[UNDO_MAX];
	size_t undo_count;
	bool typing;   /* the last change inserted a character: the next one belongs to it */
	bool killing;  /* the last key killed: the next one adds to it */
	int cols;      /* as drawn last */
	int left, top; /* first column (one line) or row (several) in view */
	int goal;      /* column that Up and Down aim at; -1: none yet */
};

/* --- clusters and words --- */

static size_t before(const struct lineedit *e, size_t at)
{
	return cluster_before(e->text.data, at);
}

static size_t after(const struct lineedit *e, size_t at)
{
	struct text_cluster c;

	if (at < e->text.len && e->text.data[at] == '\n')
		return at + 1;
	return cluster_next(e->text.data + at, e->text.len - at, &c) ? at + c.bytes : at;
}

/* Letters, digits and everything beyond ASCII make words. */
static bool in_word(const struct lineedit *e, size_t at)
{
	unsigned char c = (unsigned char)e->text.data[at];

	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_blank(const struct lineedit *e, size_t at)
{
	return e->text.data[at] == ' ' || e->text.data[at] == '\n';
}

static size_t word_left(const struct lineedit *e, size_t at)
{
	while (at > 0 && !in_word(e, before(e, at)))
		at = before(e, at);
	while (at > 0 && in_word(e, before(e, at)))
		at = before(e, at);
	return at;
}

static size_t word_right(const struct lineedit *e, size_t at)
{
	while (at < e->text.len && !in_word(e, at))
		at = after(e, at);
	while (at < e->text.len && in_word(e, at))
		at = after(e, at);
	return at;
}

/* Where the blank-delimited word before `at` begins (C-w). */
static size_t blank_left(const struct lineedit *e, size_t at)
{
	while (at > 0 && is_blank(e, before(e, at)))
		at = before(e, at);
	while (at > 0 && !is_blank(e, before(e, at)))
		at = before(e, at);
	return at;
}

static size_t line_start(const struct lineedit *e, size_t at)
{
	while (at > 0 && e->text.data[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_end(const struct lineedit *e, size_t at)
{
	while (at < e->text.len && e->text.data[at] != '\n')
		at++;
	return at;
}

/* --- changing --- */

static void forget_undo(struct lineedit *e)
{
	while (e->undo_count > 0)
		free(e->undo[--e->undo_count].text);
	e->typing = false;
}

static void remember(struct lineedit *e)
{
	if (e->undo_count == UNDO_MAX) {
		free(e->undo[0].text);
		memmove(&e->undo[0], &e->undo[1], (UNDO_MAX - 1) * sizeof(e->undo[0]));
		e->undo_count--;
	}
	e->undo[e->undo_count++] = (struct snapshot){.text = mem_strdup(e->text.data), .cursor = e->cursor};
}

static enum lineedit_result undo(struct lineedit *e)
{
	struct snapshot s;

	if (e->undo_count == 0)
		return LINEEDIT_MOVED;
	s = e->undo[--e->undo_count];
	buf_clear(&e->text);
	buf_adds(&e->text, s.text);
	free(s.text);
	e->cursor = s.cursor;
	e->typing = false;
	return LINEEDIT_CHANGED;
}

static void splice(struct lineedit *e, size_t from, size_t to, const char *with, size_t len)
{
	struct buf rest = BUF_INIT;

	buf_add(&rest, e->text.data + to, e->text.len - to);
	buf_truncate(&e->text, from);
	buf_add(&e->text, with, len);
	buf_add(&e->text, rest.data, rest.len);
	buf_free(&rest);
	e->cursor = from + len;
}

static enum lineedit_result erase(struct lineedit *e, size_t from, size_t to)
{
	if (from >= to)
		return LINEEDIT_MOVED;
	remember(e);
	splice(e, from, to, "", 0);
	return LINEEDIT_CHANGED;
}

/* Erased text that C-y brings back; kills right after each other are one. */
static enum lineedit_result cut(struct lineedit *e, size_t from, size_t to, bool was_killing)
{
	struct buf sum = BUF_INIT;
	bool backwards = to == e->cursor && from < to;

	if (from >= to)
		return LINEEDIT_MOVED;
	if (was_killing && !backwards)
		buf_add(&sum, e->killed.data, e->killed.len);
	buf_add(&sum, e->text.data + from, to - from);
	if (was_killing && backwards)
		buf_add(&sum, e->killed.data, e->killed.len);
	buf_free(&e->killed);
	e->killed = sum;
	e->killing = true;
	return erase(e, from, to);
}

/* What may stand in the text; the rest of the bytes of a paste is dropped. */
static void clean(const struct lineedit *e, const char *s, size_t len, struct buf *out)
{
	while (len > 0) {
		uint32_t cp;
		int n = utf8_decode(s, len, &cp, NULL);
		bool crlf = len > 1 && s[0] == '\r' && s[1] == '\n';

		if (n == 0) {
			n = (int)len;
			cp = UTF8_REPLACEMENT;
		}
		if (cp == '\n' || (cp == '\r' && !crlf))
			buf_addc(out, e->multiline ? '\n' : ' ');
		else if (cp == '\t')
			buf_printf(out, "%*s", e->multiline ? TAB_COLUMNS : 1, "");
		else if (cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0))
			buf_add_utf8(out, cp);
		s += n;
		len -= (size_t)n;
	}
}

static enum lineedit_result insert(struct lineedit *e, const char *text, size_t len, bool typed)
{
	AUTO_BUF cleaned = BUF_INIT;

	clean(e, text, len, &cleaned);
	if (cleaned.len == 0 || e->text.len + cleaned.len > LINEEDIT_MAX_BYTES)
		return LINEEDIT_MOVED;
	if (!typed || !e->typing)
		remember(e);
	splice(e, e->cursor, e->cursor, cleaned.data, cleaned.len);
	e->typing = typed && cleaned.data[0] != ' ';
	lineedit_set_cursor(e, e->cursor);
	return LINEEDIT_CHANGED;
}

enum lineedit_result lineedit_insert(struct lineedit *e, const char *text, size_t len)
{
	e->killing = false;
	e->goal = -1;
	while (!e->multiline && len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--; /* of a copied line: not a blank at its end */
	return insert(e, text, len, false);
}

/* --- lines as they are drawn --- */

struct line {
	size_t start, end;
};

struct lines {
	struct line *line;
	int count;
};

static void add_line(struct lines *l, size_t start, size_t end)
{
	l->line = mem_realloc(l->line, (size_t)l->count + 1, sizeof(*l->line));
	l->line[l->count++] = (struct line){start, end};
}

/* A line on its way: where it began, how wide it is, and behind which blank it may be broken. */
struct wrapping {
	size_t start, at, after_blank;
	int width, cols;
};

static void break_line(struct lines *l, const struct lineedit *e, struct wrapping *w)
{
	size_t end = w->after_blank > w->start ? w->after_blank : w->at;

	add_line(l, w->start, end);
	w->start = end;
	w->width = utf8_columns(e->text.data + end, w->at - end);
}

/* Wraps between words at `cols`; blanks that no longer fit hang over the border.  The one-line form is not
 * wrapped. */
static struct lines lay_out(const struct lineedit *e, int cols)
{
	struct wrapping w = {.cols = cols};
	struct lines l = {0};
	struct text_cluster c;

	while (cluster_next(e->text.data + w.at, e->text.len - w.at, &c)) {
		bool blank = e->text.data[w.at] == ' ';

		if (e->text.data[w.at] == '\n') {
			add_line(&l, w.start, w.at);
			w = (struct wrapping){.start = w.at + 1, .at = w.at + 1, .cols = cols};
			continue;
		}
		if (e->multiline && !blank && w.width > 0 && w.width + c.width > cols)
			break_line(&l, e, &w);
		w.width += c.width;
		w.at += c.bytes;
		if (blank)
			w.after_blank = w.at;
	}
	add_line(&l, w.start, w.at);
	if (e->multiline && w.width >= cols)
		add_line(&l, w.at, w.at);
	return l;
}

static int columns_between(const struct lineedit *e, size_t from, size_t to)
{
	return utf8_columns(e->text.data + from, to - from);
}

/* The row of an offset; of two lines that meet there, the second. */
static int row_of(const struct lines *l, size_t at)
{
	int row = l->count - 1;

	while (row > 0 && l->line[row].start > at)
		row--;
	return row;
}

/* The offset in a line nearest to a column. */
static size_t offset_at(const struct lineedit *e, const struct line *line, int col)
{
	return line->start + utf8_fit(e->text.data + line->start, line->end - line->start, col, NULL);
}

static enum lineedit_result move_rows(struct lineedit *e, int by)
{
	struct lines l = lay_out(e, e->cols);
	int row = row_of(&l, e->cursor), to = row + by;
	bool inside = to >= 0 && to < l.count;

	if (inside) {
		if (e->goal < 0)
			e->goal = columns_between(e, l.line[row].start, e->cursor);
		e->cursor = offset_at(e, &l.line[to], e->goal);
		/* the end of a full line is the start of the next */
		if (row_of(&l, e->cursor) != to && e->cursor > l.line[to].start)
			e->cursor = before(e, e->cursor);
	}
	free(l.line);
	return inside ? LINEEDIT_MOVED : LINEEDIT_IGNORED;
}

int lineedit_height(const struct lineedit *e, int cols)
{
	struct lines l = lay_out(e, cols > 0 ? cols : 1);
	int count = l.count;

	free(l.line);
	return count;
}

/* --- keys --- */

static enum lineedit_result go(struct lineedit *e, size_t to)
{
	e->cursor = to;
	return LINEEDIT_MOVED;
}

static enum lineedit_result do_left(struct lineedit *e)
{
	return go(e, before(e, e->cursor));
}

static enum lineedit_result do_right(struct lineedit *e)
{
	return go(e, after(e, e->cursor));
}

static enum lineedit_result do_word_left(struct lineedit *e)
{
	return go(e, word_left(e, e->cursor));
}

static enum lineedit_result do_word_right(struct lineedit *e)
{
	return go(e, word_right(e, e->cursor));
}

static enum lineedit_result do_home(struct lineedit *e)
{
	return go(e, line_start(e, e->cursor));
}

static enum lineedit_result do_end(struct lineedit *e)
{
	return go(e, line_end(e, e->cursor));
}

static enum lineedit_result do_up(struct lineedit *e)
{
	return e->multiline ? move_rows(e, -1) : LINEEDIT_IGNORED;
}

static enum lineedit_result do_down(struct lineedit *e)
{
	return e->multiline ? move_rows(e, 1) : LINEEDIT_IGNORED;
}

static enum lineedit_result do_delete_left(struct lineedit *e)
{
	return erase(e, before(e, e->cursor), e->cursor);
}

static enum lineedit_result do_delete_right(struct lineedit *e)
{
	return erase(e, e->cursor, after(e, e->cursor));
}

/* C-d with nothing to edit means the dialog, as it means the end of input elsewhere. */
static enum lineedit_result do_delete_or_leave(struct lineedit *e)
{
	return lineedit_empty(e) ? LINEEDIT_IGNORED : do_delete_right(e);
}

static enum lineedit_result do_newline(struct lineedit *e)
{
	return e->multiline ? insert(e, "\n", 1, false) : LINEEDIT_IGNORED;
}

static enum lineedit_result do_yank(struct lineedit *e)
{
	return insert(e, e->killed.data, e->killed.len, false);
}

/* Swaps the clusters around the cursor; at the end of the line, the two before it. */
static enum lineedit_result do_transpose(struct lineedit *e)
{
	AUTO_BUF swapped = BUF_INIT;
	size_t end = e->cursor == line_end(e, e->cursor) ? e->cursor : after(e, e->cursor);
	size_t middle = before(e, end), start = before(e, middle);

	if (middle <= line_start(e, e->cursor) || middle == start)
		return LINEEDIT_MOVED;
	remember(e);
	buf_add(&swapped, e->text.data + middle, end - middle);
	buf_add(&swapped, e->text.data + start, middle - start);
	splice(e, start, end, swapped.data, swapped.len);
	return LINEEDIT_CHANGED;
}

enum { KILL_NONE, KILL_LINE_END, KILL_LINE_START, KILL_BLANK_WORD, KILL_WORD_LEFT, KILL_WORD_RIGHT };

static enum lineedit_result kill_part(struct lineedit *e, int what, bool was_killing)
{
	size_t at = e->cursor, end = line_end(e, at);

	switch (what) {
	case KILL_LINE_END: /* at the end of a line, the line feed */
		return cut(e, at, end > at || end == e->text.len ? end : end + 1, was_killing);
	case KILL_LINE_START:
		return cut(e, line_start(e, at), at, was_killing);
	case KILL_BLANK_WORD:
		return cut(e, blank_left(e, at), at, was_killing);
	case KILL_WORD_LEFT:
		return cut(e, word_left(e, at), at, was_killing);
	default:
		return cut(e, at, word_right(e, at), was_killing);
	}
}

static const struct {
	uint16_t mods;
	uint32_t code;
	enum lineedit_result (*action)(struct lineedit *e);
	int kill; /* instead of an action */
} keys[] = {
    {0, KEY_LEFT, do_left, 0},
    {MOD_CTRL, 'b', do_left, 0},
    {0, KEY_RIGHT, do_right, 0},
    {MOD_CTRL, 'f', do_right, 0},
    {MOD_CTRL, KEY_LEFT, do_word_left, 0},
    {MOD_ALT, KEY_LEFT, do_word_left, 0},
    {MOD_ALT, 'b', do_word_left, 0},
    {MOD_CTRL, KEY_RIGHT, do_word_right, 0},
    {MOD_ALT, KEY_RIGHT, do_word_right, 0},
    {MOD_ALT, 'f', do_word_right, 0},
    {0, KEY_HOME, do_home, 0},
    {MOD_CTRL, 'a', do_home, 0},
    {0, KEY_END, do_end, 0},
    {MOD_CTRL, 'e', do_end, 0},
    {0, KEY_UP, do_up, 0},
    {0, KEY_DOWN, do_down, 0},
    {0, KEY_BACKSPACE, do_delete_left, 0},
    {MOD_SHIFT, KEY_BACKSPACE, do_delete_left, 0},
    {MOD_CTRL, 'h', do_delete_left, 0},
    {0, KEY_DELETE, do_delete_right, 0},
    {MOD_CTRL, 'd', do_delete_or_leave, 0},
    {MOD_CTRL, 'k', NULL, KILL_LINE_END},
    {MOD_CTRL, 'u', NULL, KILL_LINE_START},
    {MOD_CTRL, 'w', NULL, KILL_BLANK_WORD},
    {MOD_CTRL, KEY_BACKSPACE, NULL, KILL_WORD_LEFT},
    {MOD_ALT, KEY_BACKSPACE, NULL, KILL_WORD_LEFT},
    {MOD_ALT, 'd', NULL, KILL_WORD_RIGHT},
    {MOD_CTRL, KEY_DELETE, NULL, KILL_WORD_RIGHT},
    {MOD_CTRL, 'y', do_yank, 0},
    {MOD_CTRL, 't', do_transpose, 0},
    {MOD_CTRL, '_', undo, 0},
    {MOD_CTRL, '/', undo, 0},
    {MOD_CTRL | MOD_SHIFT, '-', undo, 0},
    {MOD_CTRL, 'j', do_newline, 0},
    {MOD_SHIFT, KEY_ENTER, do_newline, 0},
    {MOD_ALT, KEY_ENTER, do_newline, 0},
};

static enum lineedit_result bound_key(struct lineedit *e, const struct key *k, bool was_killing)
{
	uint16_t mods = k->mods & MOD_HELD;

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (keys[i].mods != mods || keys[i].code != k->code)
			continue;
		if (keys[i].action != do_up && keys[i].action != do_down)
			e->goal = -1;
		e->typing = false;
		return keys[i].action ? keys[i].action(e) : kill_part(e, keys[i].kill, was_killing);
	}
	return LINEEDIT_IGNORED;
}

enum lineedit_result lineedit_key(struct lineedit *e, const struct key *k)
{
	bool was_killing = e->killing;
	enum lineedit_result result;

	if (k->event == KEY_RELEASE)
		return LINEEDIT_IGNORED;
	e->killing = false;
	result = bound_key(e, k, was_killing);
	if (result != LINEEDIT_IGNORED || k->code == KEY_ENTER || k->code == KEY_TAB || k->code == KEY_ESCAPE)
		return result;
	if (!k->text[0] || k->mods & MOD_HELD & ~MOD_SHIFT)
		return LINEEDIT_IGNORED;
	e->goal = -1;
	return insert(e, k->text, strlen(k->text), true);
}

/* --- the whole text --- */

struct lineedit *lineedit_create(bool multiline)
{
	struct lineedit *e = mem_zalloc(1, sizeof(*e));

	e->multiline = multiline;
	e->cols = DEFAULT_COLS;
	e->goal = -1;
	buf_init(&e->text);
	buf_init(&e->killed);
	return e;
}

void lineedit_destroy(struct lineedit *e)
{
	if (!e)
		return;
	forget_undo(e);
	buf_free(&e->text);
	buf_free(&e->killed);
	free(e);
}

const char *lineedit_text(const struct lineedit *e)
{
	return e->text.data;
}

size_t lineedit_length(const struct lineedit *e)
{
	return e->text.len;
}

size_t lineedit_cursor(const struct lineedit *e)
{
	return e->cursor;
}

bool lineedit_empty(const struct lineedit *e)
{
	return e->text.len == 0;
}

void lineedit_set(struct lineedit *e, const char *text)
{
	forget_undo(e);
	buf_clear(&e->text);
	e->cursor = 0;
	e->left = e->top = 0;
	e->goal = -1;
	insert(e, text, strlen(text), true);
	forget_undo(e);
}

void lineedit_clear(struct lineedit *e)
{
	lineedit_set(e, "");
}

void lineedit_set_cursor(struct lineedit *e, size_t offset)
{
	size_t at;

	if (offset > e->text.len)
		offset = e->text.len;
	for (at = line_start(e, offset); at < offset && after(e, at) <= offset; at = after(e, at))
		;
	e->cursor = at;
	e->goal = -1;
}

void lineedit_replace(struct lineedit *e, size_t from, size_t to, const char *text)
{
	AUTO_BUF cleaned = BUF_INIT;

	clean(e, text, strlen(text), &cleaned);
	if (from > to || to > e->text.len)
		return;
	remember(e);
	splice(e, from, to, cleaned.data, cleaned.len);
	e->typing = e->killing = false;
	e->goal = -1;
}

/* --- drawing --- */

static void draw_run(const struct lineedit *e, struct surface *s, int row, int col, int cols, size_t from,
    size_t to, enum theme_role role)
{
	char *text = mem_strndup(e->text.data + from, to - from);

	surface_text(s, row, col, cols, text, role);
	free(text);
}

static int scrolled(int at, int first, int room)
{
	if (at < first)
		return at;
	return at >= first + room ? at - room + 1 : first;
}

/* The first cluster that begins at or after a column; *col becomes its column. */
static size_t offset_from(const struct lineedit *e, int *col)
{
	struct text_cluster c;
	size_t at = 0;
	int width = 0;

	while (width < *col && cluster_next(e->text.data + at, e->text.len - at, &c)) {
		width += c.width;
		at += c.bytes;
	}
	*col = width;
	return at;
}

static void draw_one_line(
    struct lineedit *e, struct surface *s, int row, int col, int cols, enum theme_role role, int *cursor_col)
{
	int at = columns_between(e, 0, e->cursor), from, shown;
	size_t start, end;

	e->left = scrolled(at, e->left, cols);
	if (columns_between(e, 0, e->text.len) < e->left)
		e->left = 0;
	from = e->left;
	start = offset_from(e, &from);
	end = start + utf8_fit(e->text.data + start, e->text.len - start, cols - (from - e->left), &shown);
	draw_run(e, s, row, col + from - e->left, cols - (from - e->left), start, end, role);
	if (e->left > 0 && at > e->left)
		surface_text(s, row, col, 1, "‹", ROLE_DIM);
	if (end < e->text.len && at < e->left + cols - 1)
		surface_text(s, row, col + cols - 1, 1, "›", ROLE_DIM);
	*cursor_col = at - e->left;
}

static void draw_lines(struct lineedit *e, struct surface *s, int row, int col, int rows, int cols,
    enum theme_role role, int *cursor_row, int *cursor_col)
{
	struct lines l = lay_out(e, cols);
	int at = row_of(&l, e->cursor);

	e->top = scrolled(at, e->top, rows);
	if (e->top + rows > l.count)
		e->top = l.count > rows ? l.count - rows : 0;
	for (int y = 0; y < rows && e->top + y < l.count; y++) {
		const struct line *line = &l.line[e->top + y];

		draw_run(e, s, row + y, col, cols, line->start, offset_at(e, line, cols), role);
	}
	*cursor_row = at - e->top;
	*cursor_col = columns_between(e, l.line[at].start, e->cursor);
	free(l.line);
}

void lineedit_draw(struct lineedit *e, struct surface *s, int row, int col, int rows, int cols,
    const char *placeholder, enum theme_role role, int *cursor_row, int *cursor_col)
{
	int at_row = 0, at_col = 0;

	if (rows < 1 || cols < 1)
		return;
	e->cols = cols;
	surface_fill(s, row, col, rows, cols, role);
	if (lineedit_empty(e) && placeholder)
		surface_text_over(s, row, col, cols, placeholder, role, ROLE_DIM);
	else if (e->multiline)
		draw_lines(e, s, row, col, rows, cols, role, &at_row, &at_col);
	else
		draw_one_line(e, s, row, col, cols, role, &at_col);
	if (cursor_row)
		*cursor_row = row + at_row;
	if (cursor_col)
		*cursor_col = col + (at_col < cols ? at_col : cols - 1);
}

void lineedit_click(struct lineedit *e, int row, int col)
{
	struct lines l = lay_out(e, e->cols);
	int at = row + (e->multiline ? e->top : 0), first = e->multiline ? 0 : e->left;

	if (at >= l.count)
		at = l.count - 1;
	if (at >= 0 && col >= 0)
		lineedit_set_cursor(e, offset_at(e, &l.line[at], first + col));
	free(l.line);
}
