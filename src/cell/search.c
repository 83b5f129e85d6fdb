/* search: see search.h. */
#include "cell/search.h"

#include <ctype.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { REGEX_REPEATS_MAX = 1000 /* product of all bounds: glibc unrolls them */ };

/* One row of a line: where its text begins in the line's, and where to ask for columns. */
struct part {
	uint64_t row;
	size_t start;
	bool packed; /* of history */
};

/* Rows that belong together, as text. */
struct line {
	struct buf text;
	struct part part[SEARCH_JOINED_ROWS];
	int parts;
};

struct search {
	char *pattern; /* folded unless case matters */
	size_t pattern_len;
	bool regex, fold;
	regex_t compiled;
	struct position from; /* matches begin after it, or before it */
	bool forward;
	uint64_t row; /* where the next slice goes on */
	struct line line;
};

/* What is searched: history and screen, or whatever a callback gives. */
struct target {
	const struct history *history;
	const struct screen *screen;
	const struct row_source *source; /* instead of these two */
	uint64_t first, end;
};

/* --- case --- */

/* Runs of capitals and how far their small letters are; step 2: capital and small letter alternate. */
static const struct {
	uint16_t first, last;
	int16_t offset;
	uint8_t step;
} folds[] = {
    {0x41, 0x5a, 32, 1},     /* A-Z */
    {0xc0, 0xd6, 32, 1},     /* À-Ö */
    {0xd8, 0xde, 32, 1},     /* Ø-Þ */
    {0x100, 0x12e, 1, 2},    /* Latin Extended-A, without dotted and dotless i */
    {0x132, 0x136, 1, 2},    /* */
    {0x139, 0x147, 1, 2},    /* */
    {0x14a, 0x176, 1, 2},    /* */
    {0x178, 0x178, -121, 1}, /* Ÿ */
    {0x179, 0x17d, 1, 2},    /* */
    {0x1cd, 0x1db, 1, 2},    /* Pinyin */
    {0x1de, 0x1ee, 1, 2},    /* */
    {0x1f8, 0x21e, 1, 2},    /* */
    {0x222, 0x232, 1, 2},    /* */
    {0x386, 0x386, 38, 1},   /* Greek with tonos */
    {0x388, 0x38a, 37, 1},   /* */
    {0x38c, 0x38c, 64, 1},   /* */
    {0x38e, 0x38f, 63, 1},   /* */
    {0x391, 0x3a1, 32, 1},   /* Greek */
    {0x3a3, 0x3ab, 32, 1},   /* */
    {0x3c2, 0x3c2, 1, 1},    /* final sigma */
    {0x3d8, 0x3ee, 1, 2},    /* archaic Greek, Coptic */
    {0x400, 0x40f, 80, 1},   /* Cyrillic */
    {0x410, 0x42f, 32, 1},   /* */
    {0x460, 0x480, 1, 2},    /* */
    {0x48a, 0x4be, 1, 2},    /* */
    {0x4c0, 0x4c0, 15, 1},   /* palochka */
    {0x4c1, 0x4cd, 1, 2},    /* */
    {0x4d0, 0x52e, 1, 2},    /* */
    {0x1e00, 0x1e94, 1, 2},  /* Latin Extended Additional */
    {0x1ea0, 0x1efe, 1, 2},  /* */
};

uint32_t search_fold(uint32_t cp)
{
	size_t low = 0, high = COUNT_OF(folds);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (cp > folds[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == COUNT_OF(folds) || cp < folds[low].first || (cp - folds[low].first) % folds[low].step != 0)
		return cp;
	return (uint32_t)((int32_t)cp + folds[low].offset);
}

/* Folds s[0..len) in place. */
static void fold_text(char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t cp;
		int n;

		if ((unsigned char)s[i] < 0x80) {
			s[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 32 : s[i]);
			i++;
			continue;
		}
		n = utf8_decode(s + i, len - i, &cp, NULL);
		if (n <= 0)
			return;
		if (search_fold(cp) != cp)
			utf8_encode(search_fold(cp), s + i);
		i += (size_t)n;
	}
}

/* A capital that means itself: in an expression, \W and its like are none. */
static bool has_capital(const char *pattern, bool regex)
{
	for (const char *p = pattern; *p;) {
		uint32_t cp;
		int n;

		if (regex && *p == '\\' && p[1]) {
			p += 2;
			continue;
		}
		n = utf8_decode(p, strlen(p), &cp, NULL);
		if (n <= 0)
			return false;
		if (search_fold(cp) != cp && cp != 0x3c2)
			return true;
		p += n;
	}
	return false;
}

/* --- the pattern --- */

/* The bounds of "{m,n}" multiply when they are nested, and the compiled expression with them. */
static bool repeats_too_much(const char *pattern)
{
	unsigned long product = 1;

	for (const char *p = strchr(pattern, '{'); p; p = strchr(p + 1, '{')) {
		unsigned long most = 1;

		for (const char *d = p + 1; isdigit((unsigned char)*d) || *d == ','; d++) {
			unsigned long n = strtoul(d, (char **)&d, 10);

			most = n > most ? n : most;
			if (*d != ',')
				break;
		}
		product = most > REGEX_REPEATS_MAX ? most : product * most;
		if (product > REGEX_REPEATS_MAX)
			return true;
	}
	return false;
}

static int compile(struct search *s, struct err *err)
{
	char reason[256];
	int failed;

	if (repeats_too_much(s->pattern))
		return err_set(err, ERR_USAGE, "The search expression repeats too much.");
	failed = regcomp(&s->compiled, s->pattern, REG_EXTENDED | (s->fold ? REG_ICASE : 0));
	if (failed) {
		regerror(failed, &s->compiled, reason, sizeof(reason));
		return err_set(err, ERR_USAGE, "The search expression is faulty: %s.", reason);
	}
	s->regex = true;
	return 0;
}

struct search *search_create(const char *pattern, unsigned flags, struct err *err)
{
	bool regex = flags & SEARCH_REGEX;
	struct search *s;

	if (!*pattern || strlen(pattern) > SEARCH_PATTERN_MAX ||
	    !utf8_valid(pattern, strlen(pattern), NULL)) {
		err_set(err, ERR_USAGE, "A search needs 1 to %d bytes of text.", SEARCH_PATTERN_MAX);
		return NULL;
	}
	s = mem_zalloc(1, sizeof(*s));
	buf_init(&s->line.text);
	s->pattern = mem_strdup(pattern);
	s->pattern_len = strlen(pattern);
	s->fold = !(flags & SEARCH_EXACT_CASE) && !has_capital(pattern, regex);
	s->forward = true;
	if (regex && compile(s, err) != 0) {
		search_destroy(s);
		return NULL;
	}
	if (s->fold && !regex)
		fold_text(s->pattern, s->pattern_len);
	return s;
}

void search_destroy(struct search *s)
{
	if (!s)
		return;
	if (s->regex)
		regfree(&s->compiled);
	buf_free(&s->line.text);
	free(s->pattern);
	free(s);
}

void search_start(struct search *s, struct position from, bool forward)
{
	s->from = from;
	s->forward = forward;
	s->row = from.row;
}

/* --- lines --- */

/* The row as cells, NULL if it is in history or nowhere. */
static const struct row *target_row(const struct target *t, uint64_t number)
{
	if (t->source)
		return t->source->get(t->source->context, number);
	if (number < t->screen->top || number - t->screen->top >= (uint64_t)t->screen->rows)
		return NULL;
	return t->screen->row[number - t->screen->top];
}

static const void *target_packed(const struct target *t, uint64_t number, size_t *len)
{
	return t->history ? history_packed(t->history, number, len) : NULL;
}

/* Whether the text of the row goes on in the next one. */
static bool target_wrapped(const struct target *t, uint64_t number)
{
	const struct row *r = target_row(t, number);
	const char *text;
	const void *packed;
	size_t len;
	uint16_t flags;

	if (r)
		return r->flags & ROW_WRAPPED;
	packed = target_packed(t, number, &len);
	return packed && row_packed_text(packed, len, &text, &len, &flags) == 0 && flags & ROW_WRAPPED;
}

/* Appends the text of a row to the line; true if the next row belongs to it. */
static bool add_row(struct line *line, const struct target *t, uint64_t number)
{
	const struct cell_table *table = t->source ? t->source->table : t->screen->table;
	const struct row *r = target_row(t, number);
	const void *packed;
	const char *text;
	size_t len;
	uint16_t flags;

	line->part[line->parts++] = (struct part){.row = number, .start = line->text.len, .packed = !r};
	if (r) {
		row_text(r, table, 0, row_text_end(r), false, &line->text);
		return r->flags & ROW_WRAPPED;
	}
	packed = target_packed(t, number, &len);
	if (!packed || row_packed_text(packed, len, &text, &len, &flags) != 0)
		return false;
	buf_add(&line->text, text, len);
	return flags & ROW_WRAPPED;
}

/* The first row of the line that `number` belongs to. */
static uint64_t line_start(const struct target *t, uint64_t number)
{
	uint64_t start = number;

	while (start > t->first && number - start < SEARCH_JOINED_ROWS - 1 && target_wrapped(t, start - 1))
		start--;
	return start;
}

/* Collects the line that begins at `start`; returns the row after it. */
static uint64_t collect(struct search *s, const struct target *t, uint64_t start)
{
	bool more = true;

	buf_clear(&s->line.text);
	s->line.parts = 0;
	while (more && start < t->end && s->line.parts < SEARCH_JOINED_ROWS)
		more = add_row(&s->line, t, start++);
	if (s->fold && !s->regex)
		fold_text(s->line.text.data, s->line.text.len);
	return start;
}

/* --- matches --- */

/* The byte after the character at `at`. */
static size_t next_character(const struct buf *text, size_t at)
{
	do
		at++;
	while (at < text->len && ((unsigned char)text->data[at] & 0xc0) == 0x80);
	return at;
}

/* The first match in the line that begins at or after byte `at`; empty ones do not count. */
static bool next_match(const struct search *s, size_t at, size_t *from, size_t *to)
{
	const struct buf *text = &s->line.text;
	regmatch_t m;

	if (!s->regex) {
		const char *found = at < text->len
					? memmem(text->data + at, text->len - at, s->pattern, s->pattern_len)
					: NULL;

		*from = found ? (size_t)(found - text->data) : 0;
		*to = *from + s->pattern_len;
		return found;
	}
	for (; at < text->len; at = next_character(text, *to)) {
		m = (regmatch_t){.rm_so = (regoff_t)at, .rm_eo = (regoff_t)text->len};
		if (regexec(&s->compiled, text->data, 1, &m, REG_STARTEND | (at > 0 ? REG_NOTBOL : 0)) != 0)
			return false;
		*from = (size_t)m.rm_so;
		*to = (size_t)m.rm_eo;
		if (m.rm_eo > m.rm_so)
			return true;
	}
	return false;
}

/* The column of the cell of a row that holds byte `offset` of its text; its text's end for the end. */
static int cells_column(const struct row *r, const struct cell_table *table, size_t offset)
{
	int end = row_text_end(r);
	AUTO_BUF text = BUF_INIT;

	for (int col = 0; col < end; col++) {
		row_text(r, table, col, col + 1, false, &text);
		if (text.len > offset)
			return col;
	}
	return end;
}

/* The byte of a row's text where the cell at `col` begins; the text's length beyond it. */
static size_t cells_offset(const struct row *r, const struct cell_table *table, int col)
{
	int end = row_text_end(r);
	AUTO_BUF text = BUF_INIT;

	row_text(r, table, 0, col < end ? col : end, false, &text);
	return text.len;
}

/* The column of byte `byte` of the line, which is in this part or its end. */
static int column_of(const struct target *t, const struct part *p, size_t byte)
{
	const struct cell_table *table = t->source ? t->source->table : t->screen->table;
	const struct row *r = p->packed ? NULL : target_row(t, p->row);
	const void *packed;
	size_t len;
	int col = 0;

	if (r)
		return cells_column(r, table, byte - p->start);
	packed = target_packed(t, p->row, &len);
	if (packed)
		col = row_packed_column(packed, len, byte - p->start);
	return col < 0 ? 0 : col;
}

/* The byte after the cell that holds byte `at` of the line, which is in this part. */
static size_t cell_end(const struct search *s, const struct target *t, const struct part *p, size_t at)
{
	const struct line *line = &s->line;
	size_t end = p + 1 < line->part + line->parts ? p[1].start : line->text.len;
	int col = column_of(t, p, at);

	do
		at = next_character(&line->text, at);
	while (at < end && column_of(t, p, at) == col);
	return at;
}

/* The part that a position lies in or behind; NULL: it lies before the line. */
static const struct part *part_before(const struct line *line, struct position at)
{
	const struct part *p = NULL;

	for (int i = 0; i < line->parts && line->part[i].row <= at.row; i++)
		p = &line->part[i];
	return p;
}

/* The byte of the part where the cell at column `col` begins; the part's end beyond its text. */
static size_t part_byte(const struct target *t, const struct part *p, int col)
{
	const struct cell_table *table = t->source ? t->source->table : t->screen->table;
	const struct row *r = p->packed ? NULL : target_row(t, p->row);
	const void *packed;
	size_t len;

	if (r)
		return p->start + cells_offset(r, table, col);
	packed = target_packed(t, p->row, &len);
	return p->start + (packed ? row_packed_offset(packed, len, col) : 0);
}

/* Where a match of the line begins at the earliest (forward), or before which byte (backward). */
static size_t limit_of(const struct search *s, const struct target *t)
{
	const struct line *line = &s->line;
	struct position at = s->from;
	const struct part *p = part_before(line, at);
	size_t end, byte;

	if (!p)
		return 0;
	if (p->row < at.row)
		return line->text.len;
	end = p + 1 < line->part + line->parts ? p[1].start : line->text.len;
	byte = at.col < 0 ? p->start : part_byte(t, p, at.col);
	return s->forward && at.col >= 0 && byte < end ? cell_end(s, t, p, byte) : byte;
}

/* The part of the line that holds byte `at`. */
static int part_at(const struct line *line, size_t at)
{
	int i = line->parts - 1;

	while (i > 0 && line->part[i].start > at)
		i--;
	return i;
}

static struct search_match match_of(const struct search *s, const struct target *t, size_t from, size_t to)
{
	const struct part *first = &s->line.part[part_at(&s->line, from)];
	const struct part *last = &s->line.part[part_at(&s->line, to - 1)];
	int end = column_of(t, last, cell_end(s, t, last, to - 1));

	return (struct search_match){
	    .from = {.row = first->row, .col = column_of(t, first, from)},
	    .to = {.row = last->row, .col = end > 0 ? end - 1 : 0},
	};
}

/*
 * The match of the collected line that comes next in the direction of the search.  Matches of a line follow
 * each other from the left and do not overlap, whichever way the search goes.
 */
static bool match_in_line(const struct search *s, const struct target *t, struct search_match *out)
{
	size_t limit = limit_of(s, t), from, to, best_from = 0, best_to = 0;

	for (size_t at = 0; best_to == 0 || !s->forward; at = to) {
		if (!next_match(s, at, &from, &to) || (!s->forward && from >= limit))
			break;
		if (!s->forward || from >= limit) {
			best_from = from;
			best_to = to;
		}
	}
	if (best_to > 0)
		*out = match_of(s, t, best_from, best_to);
	return best_to > 0;
}

static enum search_result found(struct search *s, const struct search_match *m)
{
	s->from = m->from;
	s->row = m->from.row;
	return SEARCH_FOUND;
}

static enum search_result step_forward(
    struct search *s, const struct target *t, unsigned max_rows, struct search_match *out)
{
	uint64_t row = line_start(t, s->row < t->first ? t->first : s->row), looked = 0;

	while (row < t->end && looked < max_rows) {
		uint64_t next = collect(s, t, row);

		if (match_in_line(s, t, out))
			return found(s, out);
		looked += next - row;
		row = next;
	}
	s->row = row;
	return row < t->end ? SEARCH_MORE : SEARCH_END;
}

static enum search_result step_backward(
    struct search *s, const struct target *t, unsigned max_rows, struct search_match *out)
{
	uint64_t row = s->row, looked = 0;

	if (row >= t->end)
		row = t->end > t->first ? t->end - 1 : t->first;
	while (row >= t->first && row < t->end && looked < max_rows) {
		uint64_t start = line_start(t, row);

		collect(s, t, start);
		if (match_in_line(s, t, out))
			return found(s, out);
		looked += row - start + 1;
		if (start == t->first)
			return SEARCH_END;
		s->row = row = start - 1;
	}
	return row >= t->first && row < t->end ? SEARCH_MORE : SEARCH_END;
}

enum search_result search_step(struct search *s, const struct history *history, const struct screen *screen,
    unsigned max_rows, struct search_match *out)
{
	struct target t = {.history = history, .screen = screen, .first = screen->top};

	t.end = screen->top + (uint64_t)screen->rows;
	if (history && history_first(history) < t.first)
		t.first = history_first(history);
	return s->forward ? step_forward(s, &t, max_rows, out) : step_backward(s, &t, max_rows, out);
}

size_t search_matches(struct search *s, const struct row_source *source, uint64_t first, uint64_t end,
    struct search_match *out, size_t max)
{
	struct target t = {.source = source, .first = source->first, .end = source->end};
	size_t count = 0, from, to;

	for (uint64_t row = line_start(&t, first); row < end && row < t.end && count < max;) {
		uint64_t next = collect(s, &t, row);

		for (size_t at = 0; count < max && next_match(s, at, &from, &to); at = to) {
			struct search_match m = match_of(s, &t, from, to);

			if (m.to.row >= first && m.from.row < end)
				out[count++] = m;
		}
		row = next;
	}
	return count;
}
