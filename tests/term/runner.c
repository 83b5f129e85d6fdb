/*
 * runner: runs the scripts of tests/term against the emulator, as TAP.  The language is described in
 * README.md here.
 *
 * Each test is run several times, with each engine: with its output fed as written, cut at every byte, and
 * with the terminal saved and loaded between the commands.  All must give what the script says, and end in
 * the same state.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cell/history.h"
#include "key/key.h"
#include "term/term.h"

enum run_mode { RUN_WHOLE, RUN_BYTES, RUN_SAVED, RUN_MODES };
static const char *const run_names[RUN_MODES] = {"whole", "byte by byte", "saved and loaded"};
static const char *const engine_names[] = {[TERM_NATIVE] = "native", [TERM_LIBVTERM] = "libvterm"};
enum { EVENTS_KEPT = 1024 };

struct run {
	const char *file;
	int line;
	enum run_mode how;
	enum term_engine engine;
	struct term_options options;
	struct term *term;
	struct term_outer outer; /* as last set, if it was */
	bool outer_set;
	struct term_event events[EVENTS_KEPT]; /* fetched before the terminal was saved */
	int event_first, event_count;
	unsigned flags; /* of PUSH */
	int failures;
	struct buf message; /* what went wrong */
	char **lines;       /* of the file; at: the next one */
	int count, at;
};

/* --- text of the language --- */

static void skip_space(const char **p)
{
	while (**p == ' ' || **p == '\t')
		(*p)++;
}

static int hex_digits(const char **p, int most, uint32_t *value)
{
	int n = 0;

	for (*value = 0; n < most; n++, (*p)++) {
		const char *digits = "0123456789abcdef", *d = **p ? strchr(digits, **p | 0x20) : NULL;

		if (!d)
			break;
		*value = *value * 16 + (uint32_t)(d - digits);
	}
	return n;
}

/* One escape after a backslash. */
static void parse_escape(const char **p, struct buf *out)
{
	uint32_t value;
	char c = *(*p)++;

	switch (c) {
	case 'e':
		buf_addc(out, '\033');
		break;
	case 'a':
		buf_addc(out, '\a');
		break;
	case 'n':
		buf_addc(out, '\n');
		break;
	case 'r':
		buf_addc(out, '\r');
		break;
	case 't':
		buf_addc(out, '\t');
		break;
	case 'b':
		buf_addc(out, '\b');
		break;
	case 'x':
		hex_digits(p, 2, &value);
		buf_addc(out, (char)value);
		break;
	case 'u': /* \u{1F600} */
		(*p)++;
		hex_digits(p, 6, &value);
		(*p)++;
		buf_add_utf8(out, value);
		break;
	default:
		buf_addc(out, c);
	}
}

/* "text" or "text"x12, appended; false if there is none. */
static bool parse_string(const char **p, struct buf *out)
{
	size_t start = out->len, len;

	skip_space(p);
	if (**p != '"')
		return false;
	(*p)++;
	while (**p && **p != '"') {
		if (**p == '\\') {
			(*p)++;
			parse_escape(p, out);
		} else {
			buf_addc(out, *(*p)++);
		}
	}
	if (**p == '"')
		(*p)++;
	len = out->len - start;
	if (**p == 'x') {
		long times = strtol(*p + 1, (char **)p, 10);
		AUTO_BUF once = BUF_INIT;

		buf_add(&once, out->data + start, len);
		for (long i = 1; i < times; i++)
			buf_add(out, once.data, once.len);
	}
	return true;
}

static void parse_strings(const char *p, struct buf *out)
{
	while (parse_string(&p, out))
		;
}

static void quote(const char *s, size_t len, struct buf *out)
{
	bool text = utf8_valid(s, len, NULL);

	buf_addc(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == 0x1b)
			buf_adds(out, "\\e");
		else if (c == '\a')
			buf_adds(out, "\\a");
		else if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f || (c >= 0x80 && !text))
			buf_printf(out, "\\x%02x", c);
		else
			buf_addc(out, (char)c);
	}
	buf_addc(out, '"');
}

/* --- reporting --- */

static void fail(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void fail(struct run *r, const char *fmt, ...)
{
	va_list ap;

	r->failures++;
	buf_printf(
	    &r->message, "# %s:%d (%s, %s): ", r->file, r->line, engine_names[r->engine], run_names[r->how]);
	va_start(ap, fmt);
	buf_vprintf(&r->message, fmt, ap);
	va_end(ap);
	buf_addc(&r->message, '\n');
}

static void expect(struct run *r, const char *what, const char *is, const char *wanted)
{
	if (strcmp(is, wanted) != 0)
		fail(r, "%s is %s, should be %s", what, is, wanted);
}

/* Compares bytes with the strings of the script. */
static void expect_bytes(struct run *r, const char *what, const char *is, size_t len, const char *strings)
{
	AUTO_BUF wanted = BUF_INIT;
	AUTO_BUF a = BUF_INIT;
	AUTO_BUF b = BUF_INIT;

	parse_strings(strings, &wanted);
	quote(is, len, &a);
	quote(wanted.data, wanted.len, &b);
	expect(r, what, a.data, b.data);
}

/* --- describing --- */

static void describe_color(const char *name, color_t c, struct buf *out)
{
	if (COLOR_IS_INDEX(c))
		buf_printf(out, " %s=%u", name, (unsigned)COLOR_VALUE(c));
	else if (COLOR_IS_RGB(c))
		buf_printf(out, " %s=#%06x", name, (unsigned)COLOR_VALUE(c));
}

/* "bold fg=1 bg=#102030 underline=curly ul=5 link=URI"; "default" for the default style. */
static void describe_style(const struct cell_table *t, uint32_t handle, struct buf *out)
{
	static const char *const names[] = {
	    "bold", "dim", "italic", "blink", "reverse", "conceal", "strike", "overline", "protected"};
	static const char *const underlines[] = {"", "single", "double", "curly", "dotted", "dashed"};
	const struct style *s = table_style_value(t, handle);
	size_t start = out->len;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (s->attrs >> i & 1)
			buf_printf(out, " %s", names[i]);
	}
	if (s->underline)
		buf_printf(out, " underline=%s", underlines[s->underline]);
	describe_color("fg", s->fg, out);
	describe_color("bg", s->bg, out);
	describe_color("ul", s->underline_color, out);
	if (s->link)
		buf_printf(out, " link=%s", table_link_uri(t, s->link));
	if (s->link && table_link_id(t, s->link))
		buf_printf(out, " id=%s", table_link_id(t, s->link));
	if (out->len == start)
		buf_adds(out, " default");
}

static void describe_flags(uint16_t flags, struct buf *out)
{
	static const char *const names[] = {
	    "wrapped", "prompt", "output", "mark", "double-width", "seen", "gap"};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (flags >> i & 1)
			buf_printf(out, " %s", names[i]);
	}
}

static void describe_modes(uint32_t modes, struct buf *out)
{
	static const char *const names[] = {"alternate", "reversed", "mouse", "mouse-motion",
	    "alternate-scroll", "bracketed-paste", "focus", "synchronized", "kitty-keys"};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (modes >> i & 1)
			buf_printf(out, " %s", names[i]);
	}
}

static void describe_cursor(const struct cursor *c, struct buf *out)
{
	static const char *const shapes[] = {"", " block", " underline", " bar"};

	buf_printf(out, "%s%s%s", shapes[c->shape], c->blink ? " blink" : "", c->visible ? "" : " hidden");
	describe_color("color", c->color, out);
}

static void named(const char *name, const char *value, struct buf *out)
{
	if (!value)
		return;
	buf_printf(out, " %s=", name);
	quote(value, strlen(value), out);
}

static void describe_event(const struct term_event *e, struct buf *out)
{
	static const char *const names[] = {"bell", "title", "icon", "cwd", "notification", "progress",
	    "status", "clipboard", "pointer", "prompt", "history-cleared", "sync", "keys"};

	buf_adds(out, names[e->type]);
	if (e->text) {
		buf_addc(out, ' ');
		quote(e->text, e->len, out);
	}
	if (e->type == TERM_PROMPT)
		buf_printf(out, " %c %d", e->number, e->value);
	if (e->type == TERM_PROGRESS)
		buf_printf(out, " %d %d", e->number, e->value);
	if (e->type == TERM_SYNC || e->type == TERM_HISTORY_CLEARED)
		buf_printf(out, " %d", e->number);
	named("extra", e->extra, out);
	named("detail", e->detail, out);
}

static void row_line(const struct row *row, const struct cell_table *t, struct buf *out)
{
	row_text(row, t, 0, row->cols, true, out);
}

static void history_line(const struct run *r, uint64_t number, struct buf *out, uint16_t *flags)
{
	const struct screen *s = term_screen(r->term);
	struct row row;

	row_init(&row, SCREEN_MAX_COLS, 0);
	if (history_row(r->options.history, number, s->table, &row) == 0)
		row_line(&row, s->table, out);
	*flags = row.flags;
	row_finish(&row);
}

static void text_line(const struct run *r, int index, struct buf *out)
{
	struct row row;

	row_init(&row, 0, 0);
	term_text_row(r->term, index, &row);
	row_line(&row, term_screen(r->term)->table, out);
	row_finish(&row);
}

/* All that can be seen of the terminal from outside, for comparing runs. */
static void dump(struct run *r, struct buf *out)
{
	const struct screen *s = term_screen(r->term);
	uint32_t style = 0;

	buf_printf(out, "%dx%d cursor %d,%d%s top %" PRIu64, s->rows, s->cols, s->cursor.row, s->cursor.col,
	    s->cursor.wrap_pending ? " pending" : "", s->top);
	describe_cursor(&s->cursor, out);
	describe_modes(s->modes, out);
	for (int i = 0; i < s->rows; i++) {
		buf_printf(out, "\n%d", i);
		describe_flags(s->row[i]->flags, out);
		buf_adds(out, ": ");
		for (int c = 0; c < s->cols; c++) {
			if (s->row[i]->cells[c].style != style) {
				buf_addc(out, '<');
				describe_style(s->table, style = s->row[i]->cells[c].style, out);
				buf_addc(out, '>');
			}
			table_glyph_utf8(s->table, s->row[i]->cells[c].glyph, out);
		}
	}
	for (uint64_t n = history_first(r->options.history); n < history_end(r->options.history); n++) {
		uint16_t flags;

		buf_printf(out, "\nhistory %" PRIu64 ": ", n);
		history_line(r, n, out, &flags);
		describe_flags(flags, out);
	}
	for (int i = 0; i < term_text_rows(r->term); i++) {
		buf_printf(out, "\ntext %d: ", i);
		text_line(r, i, out);
	}
	buf_addc(out, '\n');
}

/* --- checks: "?name arguments = value" --- */

static void check_text(struct run *r, const char *what, const struct buf *is, const char *value)
{
	expect_bytes(r, what, is->data, is->len, value);
}

static void check_row(struct run *r, const char *args, const char *value)
{
	const struct screen *s = term_screen(r->term);
	AUTO_BUF is = BUF_INIT;
	int row = atoi(args);

	if (row >= 0 && row < s->rows)
		row_line(s->row[row], s->table, &is);
	check_text(r, "the row", &is, value);
}

/* The lines that begin with | and follow, against lines made of the terminal. */
static void check_lines(struct run *r, const char *what, const struct buf *is)
{
	AUTO_BUF wanted = BUF_INIT;

	while (r->at < r->count && r->lines[r->at][0] == '|') {
		const char *end = strrchr(r->lines[r->at] + 1, '$');
		size_t len = strlen(r->lines[r->at] + 1);

		if (end && !end[1])
			len--;
		buf_add(&wanted, r->lines[r->at] + 1, len);
		buf_addc(&wanted, '\n');
		r->at++;
	}
	if (strcmp(wanted.data, is->data) != 0)
		fail(r, "%s is\n%sshould be\n%s", what, is->data, wanted.data);
}

static void check_screen(struct run *r, const char *args, const char *value)
{
	const struct screen *s = term_screen(r->term);
	AUTO_BUF is = BUF_INIT;
	size_t used = 0;

	(void)args;
	(void)value;
	for (int i = 0; i < s->rows; i++) {
		size_t before = is.len;

		row_line(s->row[i], s->table, &is);
		if (is.len > before)
			used = is.len + 1;
		buf_addc(&is, '\n');
	}
	buf_truncate(&is, used);
	check_lines(r, "the screen", &is);
}

static void check_history(struct run *r, const char *args, const char *value)
{
	uint64_t first = history_first(r->options.history), end = history_end(r->options.history);
	AUTO_BUF is = BUF_INIT;
	uint16_t flags;

	if (*args) {
		uint64_t number = first + strtoull(args, NULL, 10);

		if (number < end)
			history_line(r, number, &is, &flags);
		check_text(r, "the row of history", &is, value);
		return;
	}
	for (uint64_t n = first; n < end; n++) {
		history_line(r, n, &is, &flags);
		buf_addc(&is, '\n');
	}
	check_lines(r, "history", &is);
}

/* Rows that left the alternate screen. */
static void check_seen(struct run *r, const char *args, const char *value)
{
	AUTO_BUF is = BUF_INIT;

	(void)args;
	(void)value;
	for (uint64_t n = history_first(r->options.history); n < history_end(r->options.history); n++) {
		uint16_t flags;

		if (!(history_flags(r->options.history, n) & ROW_SEEN))
			continue;
		history_line(r, n, &is, &flags);
		buf_addc(&is, '\n');
	}
	check_lines(r, "what was seen to leave", &is);
}

/* Rows of the alternate screen's text that have not left. */
static void check_text_rows(struct run *r, const char *args, const char *value)
{
	AUTO_BUF is = BUF_INIT;

	(void)args;
	(void)value;
	for (int i = 0; i < term_text_rows(r->term); i++) {
		text_line(r, i, &is);
		buf_addc(&is, '\n');
	}
	check_lines(r, "the text that has not left", &is);
}

static void check_number(struct run *r, const char *what, uint64_t is, const char *value)
{
	if (is != strtoull(value, NULL, 10))
		fail(r, "%s is %" PRIu64 ", should be %s", what, is, value);
}

static void check_history_rows(struct run *r, const char *args, const char *value)
{
	(void)args;
	check_number(r, "the number of rows in history",
	    history_end(r->options.history) - history_first(r->options.history), value);
}

static void check_top(struct run *r, const char *args, const char *value)
{
	(void)args;
	check_number(r, "the number of the first row", term_screen(r->term)->top, value);
}

static void check_cursor(struct run *r, const char *args, const char *value)
{
	const struct cursor *c = &term_screen(r->term)->cursor;
	AUTO_BUF is = BUF_INIT;

	(void)args;
	buf_printf(&is, "%d,%d%s", c->row, c->col, c->wrap_pending ? " pending" : "");
	expect(r, "the cursor", is.data, value);
}

static void check_words(struct run *r, const char *what, const struct buf *is, const char *value)
{
	expect(r, what, is->len > 0 ? is->data + 1 : "none", value);
}

static void check_cursor_style(struct run *r, const char *args, const char *value)
{
	AUTO_BUF is = BUF_INIT;

	(void)args;
	describe_cursor(&term_screen(r->term)->cursor, &is);
	check_words(r, "the cursor's style", &is, value);
}

static const struct cell *cell_at(struct run *r, const char *args)
{
	static const struct cell nothing;
	const struct screen *s = term_screen(r->term);
	int row = -1, col = -1;

	if (sscanf(args, "%d,%d", &row, &col) != 2 || row < 0 || row >= s->rows || col < 0 ||
	    col >= s->cols) {
		fail(r, "there is no cell %s", args);
		return &nothing;
	}
	return &s->row[row]->cells[col];
}

static void check_style(struct run *r, const char *args, const char *value)
{
	AUTO_BUF is = BUF_INIT;

	describe_style(term_screen(r->term)->table, cell_at(r, args)->style, &is);
	check_words(r, "the style", &is, value);
}

/* "text", "text" wide, blank, tail */
static void check_cell(struct run *r, const char *args, const char *value)
{
	const struct cell *c = cell_at(r, args);
	AUTO_BUF text = BUF_INIT;
	AUTO_BUF is = BUF_INIT;
	AUTO_BUF string = BUF_INIT;
	AUTO_BUF wanted = BUF_INIT;

	table_glyph_utf8(term_screen(r->term)->table, c->glyph, &text);
	if (c->glyph == 0)
		buf_adds(&is, "blank");
	else if (c->glyph & GLYPH_TAIL)
		buf_adds(&is, "tail");
	else
		quote(text.data, text.len, &is);
	if (c->glyph & GLYPH_WIDE)
		buf_adds(&is, " wide");
	if (parse_string(&value, &string))
		quote(string.data, string.len, &wanted);
	buf_adds(&wanted, value);
	expect(r, "the cell", is.data, wanted.data);
}

static void check_flags(struct run *r, const char *args, const char *value)
{
	const struct screen *s = term_screen(r->term);
	AUTO_BUF is = BUF_INIT;
	int row = atoi(args);

	if (row >= 0 && row < s->rows)
		describe_flags(s->row[row]->flags, &is);
	check_words(r, "the row's flags", &is, value);
}

static void check_history_flags(struct run *r, const char *args, const char *value)
{
	uint64_t number = history_first(r->options.history) + strtoull(args, NULL, 10);
	AUTO_BUF text = BUF_INIT;
	AUTO_BUF is = BUF_INIT;
	uint16_t flags;

	history_line(r, number, &text, &flags);
	describe_flags(flags, &is);
	check_words(r, "the flags of the row in history", &is, value);
}

static void check_modes(struct run *r, const char *args, const char *value)
{
	AUTO_BUF is = BUF_INIT;

	(void)args;
	describe_modes(term_screen(r->term)->modes, &is);
	check_words(r, "the modes", &is, value);
}

static void check_reply(struct run *r, const char *args, const char *value)
{
	struct buf *replies = term_replies(r->term);

	(void)args;
	check_text(r, "the reply", replies, value);
	buf_consume(replies, replies->len);
}

static void check_reply_bytes(struct run *r, const char *args, const char *value)
{
	struct buf *replies = term_replies(r->term);

	(void)args;
	check_number(r, "the length of the replies", replies->len, value);
	buf_consume(replies, replies->len);
}

static void check_title(struct run *r, const char *args, const char *value)
{
	const char *title = term_title(r->term);

	(void)args;
	expect_bytes(r, "the title", title, strlen(title), value);
}

static bool next_event(struct run *r, struct term_event *e)
{
	if (r->event_first == r->event_count)
		return term_next_event(r->term, e);
	*e = r->events[r->event_first++];
	return true;
}

/* The next event; changes of key modes are passed over where another one is meant. */
static void check_event(struct run *r, const char *args, const char *value)
{
	struct term_event e;
	AUTO_BUF is = BUF_INIT;
	bool found, keys = strcmp(value, "keys") == 0;

	(void)args;
	while ((found = next_event(r, &e)) && e.type == TERM_KEY_MODES && !keys)
		term_event_finish(&e);
	if (found) {
		describe_event(&e, &is);
		term_event_finish(&e);
	} else {
		buf_adds(&is, "none");
	}
	expect(r, "the event", is.data, value);
}

/* How many events of any kind wait; they are dropped. */
static void check_events(struct run *r, const char *args, const char *value)
{
	struct term_event e;
	uint64_t count = 0;

	(void)args;
	while (next_event(r, &e)) {
		count += e.type != TERM_KEY_MODES;
		term_event_finish(&e);
	}
	check_number(r, "the number of events", count, value);
}

static void check_key(struct run *r, const char *args, const char *value)
{
	AUTO_BUF is = BUF_INIT;
	struct key key;

	if (!key_parse(args, &key))
		fail(r, "%s is no key", args);
	else
		key_encode(&key, term_key_modes(r->term), &is);
	check_text(r, "the key", &is, value);
}

static void check_mouse(struct run *r, const char *args, const char *value)
{
	static const struct {
		const char *name;
		uint8_t action, button;
	} actions[] = {
	    {"press", MOUSE_PRESS, BUTTON_LEFT},
	    {"release", MOUSE_RELEASE, BUTTON_LEFT},
	    {"drag", MOUSE_MOTION, BUTTON_LEFT},
	    {"motion", MOUSE_MOTION, BUTTON_NONE},
	    {"wheel-up", MOUSE_WHEEL, BUTTON_WHEEL_UP},
	    {"wheel-down", MOUSE_WHEEL, BUTTON_WHEEL_DOWN},
	};
	const struct screen *s = term_screen(r->term);
	struct mouse m = {.x = -1, .y = -1};
	AUTO_BUF is = BUF_INIT;
	char name[32] = "";

	sscanf(args, "%31s %d,%d", name, &m.row, &m.col);
	for (size_t i = 0; i < COUNT_OF(actions); i++) {
		if (strcmp(actions[i].name, name) == 0) {
			m.action = actions[i].action;
			m.button = actions[i].button;
		}
	}
	mouse_encode(&m, term_key_modes(r->term), s->rows, s->cols, &is);
	check_text(r, "the mouse report", &is, value);
}

static void check_paste(struct run *r, const char *args, const char *value)
{
	AUTO_BUF text = BUF_INIT;
	AUTO_BUF is = BUF_INIT;

	parse_strings(args, &text);
	paste_encode(text.data, text.len, term_key_modes(r->term), true, true, &is);
	check_text(r, "the paste", &is, value);
}

static void check_focus(struct run *r, const char *args, const char *value)
{
	AUTO_BUF is = BUF_INIT;

	focus_encode(strcmp(args, "in") == 0, term_key_modes(r->term), &is);
	check_text(r, "the focus report", &is, value);
}

/* ?palette fg|bg|N = #rrggbb or default */
static void check_palette(struct run *r, const char *args, const char *value)
{
	const struct palette *p = term_screen(r->term)->palette;
	AUTO_BUF is = BUF_INIT;
	color_t c = COLOR_DEFAULT;

	if (p)
		c = strcmp(args, "fg") == 0   ? p->fg
		    : strcmp(args, "bg") == 0 ? p->bg
					      : p->index[atoi(args) & 255];
	if (c == COLOR_DEFAULT)
		buf_adds(&is, p ? "default" : "none");
	else
		buf_printf(&is, "#%06x", (unsigned)COLOR_VALUE(c));
	expect(r, "the colour", is.data, value);
}

/* The rows of history and screen, in order. */
static void all_rows(struct run *r, struct buf *out)
{
	const struct screen *s = term_screen(r->term);
	uint16_t flags;

	for (uint64_t n = history_first(r->options.history); n < history_end(r->options.history); n++) {
		history_line(r, n, out, &flags);
		buf_addc(out, '\n');
	}
	for (int i = 0; i < s->rows; i++) {
		row_line(s->row[i], s->table, out);
		buf_addc(out, '\n');
	}
}

/* ?each "turn %d" = 1..300: these rows stand in history and on the screen, each once and in order. */
static void check_each(struct run *r, const char *args, const char *value)
{
	AUTO_BUF rows = BUF_INIT;
	AUTO_BUF text = BUF_INIT;
	const char *at, *mark;
	int from = 0, to = 0;

	all_rows(r, &rows);
	parse_strings(args, &text);
	mark = strstr(text.data, "%d");
	if (!mark || sscanf(value, "%d..%d", &from, &to) != 2) {
		fail(r, "a number is missing");
		return;
	}
	at = rows.data;
	for (int i = from; i <= to; i++) {
		AUTO_BUF row = BUF_INIT;
		const char *found;

		buf_printf(&row, "\n%.*s%d%s\n", (int)(mark - text.data), text.data, i, mark + 2);
		found = strncmp(rows.data, row.data + 1, row.len - 1) == 0 ? rows.data
									   : strstr(rows.data, row.data);
		if (!found || found < at || strstr(found + 1, row.data)) {
			fail(r, "row %d is missing, twice or out of order in\n%s", i, rows.data);
			return;
		}
		at = found;
	}
}

static void check_styles(struct run *r, const char *args, const char *value)
{
	size_t count = table_style_count(term_screen(r->term)->table);

	(void)args;
	if (count > strtoull(value, NULL, 10))
		fail(r, "there are %zu styles, more than %s", count, value);
}

static const struct {
	const char *name;
	void (*check)(struct run *r, const char *args, const char *value);
} checks[] = {
    {"row", check_row},
    {"screen", check_screen},
    {"history", check_history},
    {"history-rows", check_history_rows},
    {"seen", check_seen},
    {"text", check_text_rows},
    {"history-flags", check_history_flags},
    {"top", check_top},
    {"cursor", check_cursor},
    {"cursor-style", check_cursor_style},
    {"style", check_style},
    {"styles-at-most", check_styles},
    {"each", check_each},
    {"cell", check_cell},
    {"flags", check_flags},
    {"modes", check_modes},
    {"reply", check_reply},
    {"reply-bytes", check_reply_bytes},
    {"title", check_title},
    {"event", check_event},
    {"events", check_events},
    {"key", check_key},
    {"mouse", check_mouse},
    {"paste", check_paste},
    {"focus", check_focus},
    {"palette", check_palette},
};

/* --- commands --- */

static void make_terminal(struct run *r)
{
	term_destroy(r->term);
	history_destroy(r->options.history);
	r->options.history = history_create(-1, NULL, 1000, NULL);
	r->term = term_create(&r->options, NULL);
}

/* Keeps an event for later checks; of kinds of which only the newest counts it replaces the older one. */
static void keep_event(struct run *r, struct term_event *e)
{
	bool newest = e->type != TERM_STATUS && e->type != TERM_NOTIFICATION && e->type != TERM_PROMPT;

	for (int i = r->event_first; newest && i < r->event_count; i++) {
		if (r->events[i].type != e->type)
			continue;
		term_event_finish(&r->events[i]);
		r->event_count--;
		memmove(&r->events[i], &r->events[i + 1], (size_t)(r->event_count - i) * sizeof(*e));
	}
	if (r->event_count < EVENTS_KEPT)
		r->events[r->event_count++] = *e;
	else
		term_event_finish(e);
}

/* Puts the terminal down as bytes and goes on with what comes of them. */
static void save_and_load(struct run *r)
{
	AUTO_BUF saved = BUF_INIT;
	AUTO_BUF again = BUF_INIT;
	struct err err = ERR_INIT;
	struct term_event e;
	struct term *t;

	while (term_next_event(r->term, &e))
		keep_event(r, &e);
	term_save(r->term, &saved);
	t = term_load(&r->options, saved.data, saved.len, &err);
	if (!t) {
		fail(r, "the terminal cannot be loaded: %s", err.message);
		return;
	}
	if (r->outer_set)
		term_set_outer(t, &r->outer);
	buf_clear(term_replies(t));
	buf_add(term_replies(t), term_replies(r->term)->data, term_replies(r->term)->len);
	term_destroy(r->term);
	r->term = t;
	term_save(t, &again);
	if (again.len != saved.len)
		fail(r, "saved again, %zu bytes have become %zu", saved.len, again.len);
}

static void feed(struct run *r, const char *text, size_t len)
{
	size_t step = r->how == RUN_BYTES ? 1 : r->how == RUN_SAVED ? len / 3 + 1 : len;

	for (size_t at = 0; at < len; at += step) {
		term_feed(r->term, text + at, len - at < step ? len - at : step, r->flags);
		if (r->how == RUN_SAVED)
			save_and_load(r);
	}
}

static void do_size(struct run *r, const char *args)
{
	sscanf(args, "%dx%d", &r->options.rows, &r->options.cols);
	make_terminal(r);
}

static void do_option(struct run *r, const char *args)
{
	if (strcmp(args, "drop-history") == 0)
		r->options.drop_history_on_clear = true;
	else
		fail(r, "there is no option %s", args);
	make_terminal(r);
}

static void do_push(struct run *r, const char *args)
{
	AUTO_BUF text = BUF_INIT;

	parse_strings(args, &text);
	feed(r, text.data, text.len);
}

/* The first %d in the text becomes the number. */
static void add_numbered(const struct buf *text, int number, struct buf *out)
{
	const char *mark = strstr(text->data, "%d");

	if (mark) {
		buf_add(out, text->data, (size_t)(mark - text->data));
		buf_printf(out, "%d%s", number, mark + 2);
	} else {
		buf_add(out, text->data, text->len);
	}
}

/* LINES 1..80 "line %d\r\n": the string once for each number */
static void do_lines(struct run *r, const char *args)
{
	AUTO_BUF text = BUF_INIT;
	int from = 0, to = 0, n = 0;
	AUTO_BUF all = BUF_INIT;

	sscanf(args, "%d..%d %n", &from, &to, &n);
	parse_strings(args + n, &text);
	for (int i = from; i <= to; i++)
		add_numbered(&text, i, &all);
	feed(r, all.data, all.len);
}

/* FRAMES 6..20 5 "\e[H" "line %d\e[K\r\n" "footer %d": for each number a frame of a program that shows the
 * last five lines; output rests after it */
static void do_frames(struct run *r, const char *args)
{
	AUTO_BUF head = BUF_INIT;
	AUTO_BUF line = BUF_INIT;
	AUTO_BUF foot = BUF_INIT;
	int from = 0, to = 0, body = 0, n = 0, step;

	sscanf(args, "%d..%d %d %n", &from, &to, &body, &n);
	args += n;
	if (!parse_string(&args, &head) || !parse_string(&args, &line) || !parse_string(&args, &foot)) {
		fail(r, "FRAMES takes three strings");
		return;
	}
	step = from <= to ? 1 : -1;
	for (int i = from; i != to + step; i += step) {
		AUTO_BUF frame = BUF_INIT;

		add_numbered(&head, i, &frame);
		for (int k = i < body ? 1 : i - body + 1; k <= i; k++)
			add_numbered(&line, k, &frame);
		add_numbered(&foot, i, &frame);
		feed(r, frame.data, frame.len);
		term_rest(r->term);
	}
}

static void do_rest(struct run *r, const char *args)
{
	(void)args;
	term_rest(r->term);
}

static void do_turn(struct run *r, const char *args)
{
	(void)args;
	term_turn_ended(r->term);
}

static void do_resize(struct run *r, const char *args)
{
	int rows = 0, cols = 0;

	sscanf(args, "%dx%d", &rows, &cols);
	term_resize(r->term, rows, cols);
}

static void do_quiet(struct run *r, const char *args)
{
	r->flags = strcmp(args, "off") == 0 ? 0 : strcmp(args, "history") == 0 ? TERM_NO_HISTORY : TERM_QUIET;
}

static void do_mark(struct run *r, const char *args)
{
	AUTO_BUF text = BUF_INIT;

	parse_strings(args, &text);
	term_mark(r->term, text.data);
}

static void do_end(struct run *r, const char *args)
{
	(void)args;
	term_reset_modes(r->term);
}

/* OUTER fg=#rrggbb bg= cursor= N= cell=WxH dark|light */
static void do_outer(struct run *r, const char *args)
{
	struct term_outer o = {.cell_width = 10, .cell_height = 20, .dark = true};
	char word[64];
	int n;

	for (int i = 0; i < 16; i++)
		o.palette[i] = color_palette_rgb((uint8_t)i);
	for (; sscanf(args, "%63s%n", word, &n) == 1; args += n) {
		char *value = strchr(word, '=');
		uint32_t rgb = 0;

		if (value)
			*value++ = '\0';
		if (value && strcmp(word, "cell") == 0)
			sscanf(value, "%dx%d", &o.cell_width, &o.cell_height);
		else if (value && !color_parse(value, &rgb))
			fail(r, "%s is no colour", value);
		else if (strcmp(word, "fg") == 0)
			o.fg = COLOR_RGB(rgb >> 16, rgb >> 8, rgb);
		else if (strcmp(word, "bg") == 0)
			o.bg = COLOR_RGB(rgb >> 16, rgb >> 8, rgb);
		else if (strcmp(word, "cursor") == 0)
			o.cursor = COLOR_RGB(rgb >> 16, rgb >> 8, rgb);
		else if (strcmp(word, "light") == 0)
			o.dark = false;
		else if (value)
			o.palette[atoi(word) & 15] = rgb;
	}
	term_set_outer(r->term, &o);
	r->outer = o;
	r->outer_set = true;
}

static void do_theme(struct run *r, const char *args)
{
	(void)args;
	term_report_theme(r->term);
}

static const struct {
	const char *name;
	void (*run)(struct run *r, const char *args);
} commands[] = {
    {"SIZE", do_size},
    {"OPTION", do_option},
    {"PUSH", do_push},
    {"LINES", do_lines},
    {"FRAMES", do_frames},
    {"REST", do_rest},
    {"TURN", do_turn},
    {"RESIZE", do_resize},
    {"QUIET", do_quiet},
    {"MARK", do_mark},
    {"END", do_end},
    {"OUTER", do_outer},
    {"THEME", do_theme},
};

/* --- running --- */

static void run_check(struct run *r, const char *line)
{
	size_t name = strcspn(line, " =");
	const char *equals = strstr(line, " = ");
	AUTO_BUF args = BUF_INIT;

	buf_add(&args, line + name, equals ? (size_t)(equals - line) - name : strlen(line + name));
	for (size_t i = 0; i < COUNT_OF(checks); i++) {
		if (strlen(checks[i].name) == name && strncmp(checks[i].name, line, name) == 0) {
			checks[i].check(r, args.data + (args.len > 0), equals ? equals + 3 : "");
			return;
		}
	}
	fail(r, "there is no check ?%s", line);
}

static void run_command(struct run *r, const char *line)
{
	size_t name = strcspn(line, " ");

	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (strlen(commands[i].name) == name && strncmp(commands[i].name, line, name) == 0) {
			line += name;
			skip_space(&line);
			commands[i].run(r, line);
			if (r->how == RUN_SAVED)
				save_and_load(r);
			return;
		}
	}
	fail(r, "there is no command %s", line);
}

static bool is_note(const char *line)
{
	return strncmp(line, "ENGINE ", 7) == 0 || strncmp(line, "DIFFERS ", 8) == 0;
}

/* Lines [from, to) of the file in one way; the final state is appended to `end`. */
static void run_once(struct run *r, int from, int to, enum run_mode how, struct buf *end)
{
	r->how = how;
	r->flags = 0;
	r->outer_set = false;
	r->options =
	    (struct term_options){.engine = r->engine, .rows = 24, .cols = 80, .version = "handler(1.2.3)"};
	make_terminal(r);
	for (r->at = from; r->at < to;) {
		const char *line = r->lines[r->at++];

		r->line = r->at;
		if (*line == '?')
			run_check(r, line + 1);
		else if (*line && *line != '#' && !is_note(line))
			run_command(r, line);
	}
	dump(r, end);
	while (r->event_first < r->event_count)
		term_event_finish(&r->events[r->event_first++]);
	r->event_first = r->event_count = 0;
	term_destroy(r->term);
	history_destroy(r->options.history);
	r->term = NULL;
	r->options.history = NULL;
}

/* In every way; failures of checks stay in r->failures, an end that depends on the way is returned. */
static int run_all_ways(struct run *r, int from, int to)
{
	AUTO_BUF whole = BUF_INIT;
	int unequal = 0;

	r->failures = 0;
	buf_clear(&r->message);
	run_once(r, from, to, RUN_WHOLE, &whole);
	for (int how = RUN_WHOLE + 1; how < RUN_MODES; how++) {
		AUTO_BUF end = BUF_INIT;

		run_once(r, from, to, (enum run_mode)how, &end);
		if (strcmp(whole.data, end.data) != 0) {
			fail(r, "ends as\n%sbut fed whole as\n%s", end.data, whole.data);
			r->failures--;
			unequal++;
		}
	}
	return unequal;
}

/* ENGINE native "why": what libvterm cannot be asked.  DIFFERS libvterm "what is right, by which source". */
enum note { NOTE_NONE, NOTE_NATIVE_ONLY, NOTE_DIFFERS };

static enum note find_note(const struct run *r, int from, int to)
{
	for (int i = from; i < to; i++) {
		if (strncmp(r->lines[i], "ENGINE native \"", 15) == 0)
			return NOTE_NATIVE_ONLY;
		if (strncmp(r->lines[i], "DIFFERS libvterm \"", 18) == 0)
			return NOTE_DIFFERS;
	}
	return NOTE_NONE;
}

static bool run_test(struct run *r, int from, int to, enum note note)
{
	bool differs = r->engine == TERM_LIBVTERM && note == NOTE_DIFFERS;
	int unequal = run_all_ways(r, from, to);

	if (differs && r->failures > 0 && unequal == 0)
		buf_clear(&r->message);
	else if (differs && r->failures == 0)
		fail(r, "libvterm does not differ (any more)");
	else
		differs = false;
	return differs ? r->failures > 0 && r->message.len == 0 : r->failures == 0 && unequal == 0;
}

struct totals {
	int tests, failed;
};

static void run_named(struct run *r, int from, int to, struct totals *n)
{
	enum note note = find_note(r, from + 1, to);

	for (int engine = TERM_NATIVE; engine <= TERM_LIBVTERM; engine++) {
		bool ok;

		if (engine != TERM_NATIVE && note == NOTE_NATIVE_ONLY)
			continue;
		r->engine = (enum term_engine)engine;
		ok = run_test(r, from + 1, to, note);
		n->tests++;
		n->failed += !ok;
		printf("%s %d - %s: %s%s\n", ok ? "ok" : "not ok", n->tests, r->file, r->lines[from] + 3,
		    engine == TERM_NATIVE ? "" : " (libvterm)");
		fputs(r->message.data, stdout);
	}
}

/* A test begins with a line "== NAME" and goes to the next one. */
static void run_file(struct run *r, struct totals *n)
{
	int start = -1;

	for (int i = 0; i <= r->count; i++) {
		if (i < r->count && strncmp(r->lines[i], "== ", 3) != 0)
			continue;
		if (start >= 0)
			run_named(r, start, i, n);
		start = i;
	}
}

static char **read_lines(const char *path, int *count)
{
	FILE *f = fopen(path, "r");
	char *line = NULL, **lines = NULL;
	size_t size = 0;
	ssize_t len;

	*count = 0;
	if (!f)
		return NULL;
	while ((len = getline(&line, &size, f)) >= 0) {
		while (len > 0 && (line[len - 1] == '\n' || (line[0] != '|' && line[len - 1] == ' ')))
			line[--len] = '\0';
		lines = mem_realloc(lines, (size_t)*count + 1, sizeof(*lines));
		lines[(*count)++] = mem_strdup(line);
	}
	free(line);
	fclose(f);
	return lines;
}

int main(int argc, char **argv)
{
	struct totals n = {0};

	for (int i = 1; i < argc; i++) {
		static struct run r;

		r = (struct run){.file = argv[i], .message = BUF_INIT};

		r.lines = read_lines(argv[i], &r.count);
		if (!r.lines)
			printf("Bail out! %s cannot be read, or is empty\n", argv[i]);
		run_file(&r, &n);
		n.failed += !r.lines;
		for (int k = 0; k < r.count; k++)
			free(r.lines[k]);
		free(r.lines);
		buf_free(&r.message);
	}
	printf("1..%d\n", n.tests);
	return n.failed > 0;
}
