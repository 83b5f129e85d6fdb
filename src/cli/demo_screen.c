/* demo_screen: see demo_screen.h. */
#include "cli/demo_screen.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

void demo_screen_init(struct demo_screen *s, int rows, int cols)
{
	*s = (struct demo_screen){.rows = rows, .cols = cols, .history = BUF_INIT, .out = BUF_INIT};
}

void demo_screen_finish(struct demo_screen *s)
{
	buf_free(&s->history);
	buf_free(&s->out);
}

static void add_styled(struct buf *out, const char *sgr, const char *text, size_t len)
{
	if (*sgr)
		buf_printf(out, "\033[%sm", sgr);
	buf_add(out, text, len);
	if (*sgr)
		buf_adds(out, "\033[m");
}

/* Blanks stay as they are; a tab is four of them, other controls and ill-formed bytes show as U+FFFD. */
static void add_clean(struct buf *out, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		uint32_t cp = UTF8_REPLACEMENT;
		int n = utf8_decode(text, len, &cp, NULL);

		if (n == 0)
			n = (int)len;
		if (cp == '\t')
			buf_adds(out, "    ");
		else
			buf_add_utf8(out, cp < 0x20 || (cp >= 0x7F && cp < 0xA0) ? UTF8_REPLACEMENT : cp);
		text += n;
		len -= (size_t)n;
	}
}

void demo_screen_line(struct demo_screen *s, const char *sgr, const char *text)
{
	AUTO_BUF clean = BUF_INIT;

	add_clean(&clean, text);
	add_styled(&s->history, sgr, clean.data, clean.len);
	buf_adds(&s->history, "\r\n");
}

void demo_screen_text(
    struct demo_screen *s, const char *sgr, const char *prefix, const char *text, int max_lines)
{
	for (int i = 0; *text; i++) {
		size_t len = strcspn(text, "\n");
		AUTO_FREE char *line = mem_strndup(text, len);
		AUTO_FREE char *whole = mem_printf("%s%s", prefix, line);

		if (max_lines > 0 && i == max_lines) {
			AUTO_FREE char *more = mem_printf("%s...", prefix);
			demo_screen_line(s, sgr, more);
			return;
		}
		demo_screen_line(s, sgr, whole);
		text += len + (text[len] == '\n');
	}
}

/* Rows of the footer, in order; the cursor stands behind the row that is marked. */
struct footer {
	struct buf text;
	int rows, cursor_row, cursor_col;
};

/* The end of a text is not cut off at an edge but left out: a wrapped line would not be erased rightly. */
static void add_row(
    struct footer *f, const struct demo_screen *s, const char *sgr, const char *text, size_t len)
{
	size_t fits = utf8_fit(text, len, s->cols - 1, NULL);

	if (f->rows > 0)
		buf_adds(&f->text, "\r\n");
	add_styled(&f->text, sgr, text, fits);
	f->rows++;
}

/* A text with lines, wrapped, behind "> " and two blanks; the last `room` rows of it. */
static void add_composer(struct footer *f, const struct demo_screen *s, const char *text, int room)
{
	const char *starts[256];
	size_t lengths[256];
	int count = 0, width = s->cols > 8 ? s->cols - 4 : 4, used = 0;

	for (const char *p = text;;) {
		size_t line = strcspn(p, "\n");
		size_t fits = utf8_fit(p, line, width, &used);

		if (fits == 0 && line > 0)
			fits = line;
		starts[count % 256] = p;
		lengths[count % 256] = fits;
		count++;
		p += fits;
		if (fits < line)
			continue;
		if (*p == '\0')
			break;
		p++;
	}
	int first = count > room ? count - room : 0;
	if (first < count - 256)
		first = count - 256;
	for (int i = first; i < count; i++) {
		AUTO_FREE char *row =
		    mem_printf("%s%.*s", i == 0 ? "> " : "  ", (int)lengths[i % 256], starts[i % 256]);

		add_row(f, s, "", row, strlen(row));
	}
	f->cursor_row = f->rows - 1;
	f->cursor_col = 2 + utf8_columns(starts[(count - 1) % 256], lengths[(count - 1) % 256]);
}

static void add_question(struct footer *f, const struct demo_screen *s, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		add_row(f, s, "1", text, len);
		text += len + (text[len] == '\n');
	}
	f->cursor_row = f->rows - 1;
	f->cursor_col = 0;
}

static void build_footer(struct footer *out, const struct demo_screen *s, const struct demo_footer *f)
{
	bool roomy = s->rows >= 6;

	if (*f->line)
		add_row(out, s, "", f->line, strlen(f->line));
	if (roomy) {
		add_row(out, s, "", "", 0);
		add_row(out, s, "36", f->status, strlen(f->status));
	}
	if (f->question)
		add_question(out, s, f->question);
	else
		add_composer(out, s, f->composer, roomy ? s->rows - 5 : 1);
	if (roomy)
		add_row(out, s, "2", f->info, strlen(f->info));
}

static void erase_footer(struct demo_screen *s)
{
	buf_adds(&s->out, "\r");
	if (s->cursor_row > 0)
		buf_printf(&s->out, "\033[%dA", s->cursor_row);
	buf_adds(&s->out, "\033[J");
	s->cursor_row = 0;
}

void demo_screen_draw(struct demo_screen *s, const struct demo_footer *f)
{
	struct footer footer = {.text = BUF_INIT};

	build_footer(&footer, s, f);
	buf_adds(&s->out, "\033[?2026h");
	erase_footer(s);
	buf_add(&s->out, s->history.data, s->history.len);
	buf_clear(&s->history);
	buf_add(&s->out, footer.text.data, footer.text.len);
	if (footer.rows - 1 > footer.cursor_row)
		buf_printf(&s->out, "\033[%dA", footer.rows - 1 - footer.cursor_row);
	buf_printf(&s->out, "\033[%dG\033[?2026l", footer.cursor_col + 1);
	s->cursor_row = footer.cursor_row;
	buf_free(&footer.text);
}

void demo_screen_leave(struct demo_screen *s)
{
	erase_footer(s);
	buf_add(&s->out, s->history.data, s->history.len);
	buf_clear(&s->history);
}
