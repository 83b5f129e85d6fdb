/* sidebar: see sidebar.h */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "ui/compose.h"
#include "ui/sidebar.h"

enum {
	FIRST_ROW = 1,     /* below the title line */
	TEXT_COL = 6,      /* of names: marker, number, blank, symbol, blank */
	WORD_COL = 4,      /* of names and states in words, where there is no symbol */
	LINE_NAME_MAX = 20 /* columns of a name in the one-line form */
};

static int columns_of(const char *text)
{
	return text ? utf8_columns(text, strlen(text)) : 0;
}

static bool is_text(const char *s)
{
	return s && *s;
}

/* --- which item stands where --- */

static bool begins_group(const struct sidebar *b, size_t i)
{
	const char *group = b->items[i].group;

	if (!is_text(group))
		return false;
	return i == b->top || !b->items[i - 1].group || strcmp(b->items[i - 1].group, group) != 0;
}

/* The row after the last item that fits, and that item + 1; each item takes `height` rows. */
static int walk(const struct sidebar *b, int rows, int height, size_t *end)
{
	int row = FIRST_ROW;
	size_t i;

	for (i = b->top; i < b->count; i++) {
		int needed = height + begins_group(b, i);

		if (row + needed > rows)
			break;
		row += needed;
	}
	*end = i;
	return row;
}

/* Two rows each if all of them fit so; a last row that counts those that do not fit is kept free. */
struct form {
	int height; /* of an item */
	int rows;   /* for items and the title */
};

static struct form form_of(const struct sidebar *b, int rows)
{
	struct sidebar all = *b;
	size_t end;

	all.top = 0;
	for (int height = 2; height > 0; height--) {
		walk(&all, rows, height, &end);
		if (end == b->count)
			return (struct form){height, rows};
	}
	return (struct form){1, rows - 1};
}

/* Those that are left for the title and the items. */
static int item_rows(const struct sidebar *b, int rows)
{
	return b->ended > 0 ? rows - 1 : rows;
}

bool sidebar_hits_fold(const struct sidebar *b, int rows, int row)
{
	return b->ended > 0 && row == rows - 1;
}

size_t sidebar_follow(const struct sidebar *b, int all_rows)
{
	int rows = item_rows(b, all_rows);
	struct form form = form_of(b, rows);
	struct sidebar moved = *b;
	size_t at = b->cursor, end;

	for (size_t i = 0; i < b->count && at >= b->count; i++) {
		if (b->items[i].focused)
			at = i;
	}
	if (form.rows == rows) /* everything fits */
		return 0;
	if (at >= b->count)
		return b->top < b->count ? b->top : 0;
	if (at < moved.top)
		moved.top = at;
	while (walk(&moved, form.rows, form.height, &end), at >= end && moved.top < at)
		moved.top++;
	return moved.top;
}

int sidebar_hit(const struct sidebar *b, int rows, int row)
{
	struct form form = form_of(b, item_rows(b, rows));
	int at = FIRST_ROW;
	size_t end;

	walk(b, form.rows, form.height, &end);
	for (size_t i = b->top; i < end; i++) {
		at += begins_group(b, i);
		if (row >= at && row < at + form.height)
			return (int)i;
		at += form.height;
	}
	return -1;
}

/* --- drawing --- */

static enum theme_role background_of(const struct sidebar *b, size_t i)
{
	bool chosen = b->cursor < b->count ? i == b->cursor : b->items[i].focused;

	return chosen ? ROLE_SELECTED : ROLE_TEXT;
}

static void draw_marker(struct surface *s, int row, const struct sidebar_item *it, enum theme_role background)
{
	if (it->focused)
		surface_text_over(s, row, 0, 1, "▌", background, ROLE_BORDER_FOCUSED);
	else if (it->shown && !it->word) /* told from the focused one by its colour only */
		surface_text_over(s, row, 0, 1, "▌", background, ROLE_DIM);
}

static int text_col(const struct sidebar_item *it)
{
	return it->word ? WORD_COL : TEXT_COL;
}

/* The age, and before it "+1" for a prompt that waits and a note for a bell; returns the column where they
 * begin. */
static int draw_right(struct surface *s, int row, const struct sidebar_item *it, enum theme_role background,
    int height, int end)
{
	/* A single row has no place below for the state in words, which say more than the age. */
	const char *text = height == 1 && it->word ? it->word : it->age;
	int width = columns_of(text);

	if (width > 0) {
		end -= width;
		surface_text_over(s, row, end, width, text, background, ROLE_DIM);
		end--;
	}
	if (it->queued > 0) {
		char queued[16];

		end -= snprintf(queued, sizeof(queued), "+%d", it->queued);
		surface_text_over(s, row, end, it->queued > 9 ? 3 : 2, queued, background, ROLE_DIM);
		end--;
	}
	if (it->bell) {
		end -= 1;
		surface_text_over(s, row, end, 1, "♪", background, ROLE_NEEDS);
		end--;
	}
	return end;
}

static void draw_first(struct surface *s, int row, const struct sidebar_item *it, enum theme_role background,
    int height, int cols)
{
	const struct state_look *look = state_look(it->state);
	char number[16];
	int end, at;

	surface_fill(s, row, 0, 1, cols, background);
	draw_marker(s, row, it, background);
	snprintf(number, sizeof(number), "%2d", it->number);
	at = 1 + surface_text_over(s, row, 1, cols - 1, number, background, ROLE_DIM);
	if (!it->word)
		at += 1 + surface_text_over(s, row, at + 1, 1, look->symbol, background, look->role);
	end = draw_right(s, row, it, background, height, cols - 1);
	at = at + 1 > text_col(it) ? at + 1 : text_col(it);
	if (end > at)
		surface_text_over(s, row, at, end - at, it->name ? it->name : "", background,
		    state_ended(it->state)   ? ROLE_DIM
		    : state_waits(it->state) ? look->role
					     : ROLE_NONE);
}

/* What is said below the name. */
static const char *second_text(const struct sidebar_item *it, char *left, size_t size)
{
	if (it->left > 0 && it->state != STATE_LOST) { /* why it is lost says so, with what ends them */
		snprintf(left, size, "%d process%s left", it->left, it->left == 1 ? "" : "es");
		return left;
	}
	if (is_text(it->text))
		return it->text;
	return it->agent ? it->agent : "";
}

static void draw_second(
    struct surface *s, int row, const struct sidebar_item *it, enum theme_role background, int cols)
{
	char left[40];
	const char *text = second_text(it, left, sizeof(left));
	AUTO_FREE char *said = it->word ? mem_printf("%s: %s", it->word, text) : NULL;
	int col = text_col(it);

	surface_fill(s, row, 0, 1, cols, background);
	draw_marker(s, row, it, background);
	surface_text_over(s, row, col, cols - col - 1, said ? said : text, background, ROLE_DIM);
}

static size_t waiting(const struct sidebar_item *items, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += state_waits(items[i].state) && !state_ended(items[i].state);
	return n;
}

/* The view's name, and how many wait. */
static void draw_title(struct surface *s, const struct sidebar *b, int cols)
{
	size_t n = waiting(b->items, b->count);
	char text[32] = "";
	int width;

	if (n > 0)
		snprintf(text, sizeof(text), "%zu waiting", n);
	width = columns_of(text);
	surface_fill(s, 0, 0, 1, cols, ROLE_TITLE);
	if (width > 0)
		surface_text(s, 0, cols - 1 - width, width, text, ROLE_NEEDS);
	surface_text(s, 0, 1, cols - width - 3, b->view ? b->view : "sessions", ROLE_TITLE);
}

static void draw_heading(struct surface *s, int row, const char *group, int cols)
{
	int used = surface_text(s, row, 1, cols - 2, group, ROLE_DIM);

	surface_hline(s, row, used + 2, cols - used - 3, ROLE_BORDER);
}

static int draw_items(
    struct surface *s, const struct sidebar *b, const struct form *form, size_t end, int cols)
{
	int row = FIRST_ROW;

	for (size_t i = b->top; i < end; i++) {
		enum theme_role background = background_of(b, i);

		if (begins_group(b, i))
			draw_heading(s, row++, b->items[i].group, cols);
		draw_first(s, row++, &b->items[i], background, form->height, cols);
		if (form->height == 2)
			draw_second(s, row++, &b->items[i], background, cols);
	}
	return row;
}

static void draw_fold(struct surface *s, const struct sidebar *b, int row, int cols)
{
	char text[40];

	if (b->ended == 0)
		return;
	snprintf(text, sizeof(text), "%c %zu ended", b->unfolded ? '-' : '+', b->ended);
	surface_text(s, row, TEXT_COL - 2, cols - TEXT_COL, text, ROLE_DIM);
}

void sidebar_draw(struct surface *s, const struct sidebar *b)
{
	int rows = item_rows(b, surface_rows(s)), cols = surface_cols(s) - 1, row;
	struct form form = form_of(b, rows);
	char more[32];
	size_t end;

	surface_clear(s, ROLE_TEXT);
	surface_vline(s, 0, cols, surface_rows(s), ROLE_BORDER);
	draw_fold(s, b, surface_rows(s) - 1, cols);
	draw_title(s, b, cols);
	walk(b, form.rows, form.height, &end);
	row = draw_items(s, b, &form, end, cols);
	if (b->count == 0 && is_text(b->empty))
		surface_text(s, row + 1, 1, cols - 2, b->empty, ROLE_DIM);
	if (end - b->top < b->count) {
		snprintf(more, sizeof(more), "%zu more", b->count - (end - b->top));
		surface_text(s, rows - 1, TEXT_COL, cols - TEXT_COL, more, ROLE_DIM);
	}
}

/* --- the one-line form --- */

struct slot {
	size_t item;
	int at, width;
};

enum { WORD_BRACKETS = 3 /* " ()" */ };

static int name_columns(const struct sidebar_item *it)
{
	int columns = columns_of(it->name);

	return columns < LINE_NAME_MAX ? columns : LINE_NAME_MAX;
}

static int slot_width(const struct sidebar_item *it)
{
	char number[16];

	return snprintf(number, sizeof(number), "%d", it->number) + 1 + name_columns(it) +
	       (it->word ? columns_of(it->word) + WORD_BRACKETS : 0);
}

/* Those that wait before those that do not, then by number. */
static bool comes_before(const struct sidebar_item *a, const struct sidebar_item *b)
{
	bool a_waits = state_waits(a->state), b_waits = state_waits(b->state);

	return a_waits != b_waits ? a_waits : a->number < b->number;
}

static void sort_slots(struct slot *slots, const struct sidebar_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct slot s = slots[i];
		size_t k = i;

		for (; k > 0 && comes_before(&items[s.item], &items[slots[k - 1].item]); k--)
			slots[k] = slots[k - 1];
		slots[k] = s;
	}
}

enum { MORE_COLUMNS = 4 /* " +12" */ };

/* Fills slots[0..count); returns how many of them fit. */
static size_t plan_line(const struct sidebar_item *items, size_t count, int columns, struct slot *slots)
{
	int at = 0;
	size_t i;

	for (i = 0; i < count; i++)
		slots[i] = (struct slot){.item = i};
	sort_slots(slots, items, count);
	for (i = 0; i < count; i++) {
		int room = columns - (i + 1 < count ? MORE_COLUMNS : 0);

		slots[i].at = at;
		slots[i].width = slot_width(&items[slots[i].item]);
		if (at + slots[i].width > room)
			break;
		at += slots[i].width + 1;
	}
	return i;
}

static int draw_slot(struct surface *s, int row, int col, const struct sidebar_item *it)
{
	const struct state_look *look = state_look(it->state);
	enum theme_role role = it->focused              ? ROLE_TITLE_FOCUSED
			       : state_ended(it->state) ? ROLE_DIM
							: ROLE_STATUS;
	char number[16], letter[2] = {it->word ? ' ' : look->letter, '\0'};
	AUTO_FREE char *word = it->word ? mem_printf(" (%s)", it->word) : NULL;
	int used;

	snprintf(number, sizeof(number), "%d", it->number);
	used = surface_text(s, row, col, 8, number, it->focused ? role : ROLE_DIM);
	used += surface_text(s, row, col + used, 1, letter, look->role);
	used += surface_text(s, row, col + used, name_columns(it), it->name ? it->name : "", role);
	if (word)
		used += surface_text(s, row, col + used, columns_of(word), word, look->role);
	return used;
}

int sidebar_line(
    struct surface *s, int row, int col, int columns, const struct sidebar_item *items, size_t count)
{
	struct slot *slots = mem_zalloc(count + 1, sizeof(*slots));
	size_t shown = plan_line(items, count, columns, slots);
	int used = 0;
	char more[32];

	for (size_t i = 0; i < shown; i++)
		used = slots[i].at + draw_slot(s, row, col + slots[i].at, &items[slots[i].item]);
	if (shown < count) {
		snprintf(more, sizeof(more), "%s+%zu", used ? " " : "", count - shown);
		used += surface_text(s, row, col + used, columns - used, more, ROLE_DIM);
	}
	free(slots);
	return used;
}

int sidebar_line_hit(const struct sidebar_item *items, size_t count, int columns, int at)
{
	struct slot *slots = mem_zalloc(count + 1, sizeof(*slots));
	size_t shown = plan_line(items, count, columns, slots);
	int hit = -1;

	for (size_t i = 0; i < shown; i++) {
		if (at >= slots[i].at && at < slots[i].at + slots[i].width)
			hit = (int)slots[i].item;
	}
	free(slots);
	return hit;
}

int sidebar_line_columns(const struct sidebar_item *items, size_t count)
{
	int sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += slot_width(&items[i]) + (i > 0);
	return sum;
}

/* --- the summary --- */

static void summarize(struct buf *out, size_t n, const char *what)
{
	if (n > 0)
		buf_printf(out, "%s%zu %s", out->len ? ", " : "", n, what);
}

void sidebar_summary(const struct sidebar_item *items, size_t count, struct buf *out)
{
	size_t needs = 0, done = 0, limited = 0, failed = 0;

	for (size_t i = 0; i < count; i++) {
		needs += items[i].state == STATE_NEEDS_INPUT;
		done += items[i].state == STATE_DONE;
		limited += items[i].state == STATE_LIMITED;
		failed += state_ended(items[i].state) && state_waits(items[i].state);
	}
	summarize(out, needs, needs == 1 ? "needs you" : "need you");
	summarize(out, done, "done");
	summarize(out, limited, "limited");
	summarize(out, failed, "failed");
}
