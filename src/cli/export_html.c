/*
 * export_html: captured rows as a page (HTML) or a picture (SVG).  Both hold everything they need; every text
 * is escaped, and of links only those to the web or to a mailbox are links.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cell/style.h"
#include "cli/export.h"

#define FONT "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

enum {
	FOREGROUND = 0xd8d8d8,
	BACKGROUND = 0x16181c,
	CELL_WIDTH = 9,
	CELL_HEIGHT = 19,
	BASELINE = 14,
	MARGIN = 12
};

static void add_escaped(struct buf *out, const char *text)
{
	static const struct {
		char c;
		const char *entity;
	} entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

	for (; *text; text++) {
		const char *entity = NULL;

		for (size_t i = 0; i < COUNT_OF(entities); i++)
			if (entities[i].c == *text)
				entity = entities[i].entity;
		if (entity)
			buf_adds(out, entity);
		else if ((unsigned char)*text >= 0x20)
			buf_addc(out, *text);
	}
}

/* --- how a run looks --- */

struct look {
	uint32_t fg, bg;
	bool has_fg, has_bg; /* else the page's own */
	bool bold, dim, italic, conceal, strike, overline;
	const char *underline; /* or NULL */
	const char *link;      /* that may be followed, or NULL */
};

static bool color_of(const struct json *style, const char *key, uint32_t *rgb)
{
	const struct json *j = json_get(style, key);

	if (json_type(j) == JSON_NUMBER) {
		*rgb = color_palette_rgb((uint8_t)json_int(j, 0));
		return true;
	}
	return json_type(j) == JSON_STRING && color_parse(json_string(j, ""), rgb);
}

static bool may_be_followed(const char *uri)
{
	static const char *const schemes[] = {"https://", "http://", "mailto:"};

	for (size_t i = 0; i < COUNT_OF(schemes); i++)
		if (strncmp(uri, schemes[i], strlen(schemes[i])) == 0)
			return true;
	return false;
}

static struct look look_of(const struct json *style)
{
	struct look l = {.fg = FOREGROUND, .bg = BACKGROUND};
	const char *link = json_get_string(style, "link", "");

	l.has_fg = color_of(style, "fg", &l.fg);
	l.has_bg = color_of(style, "bg", &l.bg);
	if (json_get_bool(style, "reverse", false)) {
		uint32_t fg = l.fg;

		l.fg = l.bg;
		l.bg = fg;
		l.has_fg = l.has_bg = true;
	}
	l.bold = json_get_bool(style, "bold", false);
	l.dim = json_get_bool(style, "dim", false);
	l.italic = json_get_bool(style, "italic", false);
	l.conceal = json_get_bool(style, "conceal", false);
	l.strike = json_get_bool(style, "strike", false);
	l.overline = json_get_bool(style, "overline", false);
	l.underline = json_get_string(style, "underline", NULL);
	l.link = may_be_followed(link) ? link : NULL;
	return l;
}

static const char *decoration_style(const char *underline)
{
	static const struct {
		const char *name, *css;
	} styles[] = {{"double", "double"}, {"curly", "wavy"}, {"dotted", "dotted"}, {"dashed", "dashed"}};

	for (size_t i = 0; underline && i < COUNT_OF(styles); i++)
		if (strcmp(styles[i].name, underline) == 0)
			return styles[i].css;
	return "solid";
}

/* What CSS and SVG's presentation say in the same words. */
static void add_font(struct buf *out, const struct look *l)
{
	if (l->bold)
		buf_adds(out, "font-weight:bold;");
	if (l->italic)
		buf_adds(out, "font-style:italic;");
	if (l->dim)
		buf_adds(out, "opacity:.6;");
	if (l->conceal)
		buf_adds(out, "visibility:hidden;");
	if (l->underline || l->strike || l->overline)
		buf_printf(out, "text-decoration:%s%s%s %s;", l->underline ? "underline" : "",
		    l->strike ? " line-through" : "", l->overline ? " overline" : "",
		    decoration_style(l->underline));
}

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			return false;
	return true;
}

/* --- a page --- */

/* Text that may be wider or narrower in the reader's font than in cells is given its width in cells. */
static void add_span_style(struct buf *out, const struct look *l, const char *text, int columns)
{
	if (l->has_fg)
		buf_printf(out, "color:#%06x;", (unsigned)l->fg);
	if (l->has_bg)
		buf_printf(out, "background:#%06x;", (unsigned)l->bg);
	add_font(out, l);
	if (!is_ascii(text))
		buf_printf(out, "display:inline-block;width:%dch;", columns);
}

static void add_run_html(const struct json *run, struct buf *out)
{
	struct look l = look_of(json_get(run, "style"));
	const char *text = json_get_string(run, "text", "");
	AUTO_BUF css = BUF_INIT;

	add_span_style(&css, &l, text, (int)json_get_int(run, "columns", 0));
	if (l.link) {
		buf_adds(out, "<a rel=\"noopener noreferrer\" href=\"");
		add_escaped(out, l.link);
		buf_adds(out, "\">");
	}
	if (css.len)
		buf_printf(out, "<span style=\"%s\">", css.data);
	add_escaped(out, text);
	if (css.len)
		buf_adds(out, "</span>");
	if (l.link)
		buf_adds(out, "</a>");
}

void export_html(const struct record *r, const struct json *capture, struct buf *out)
{
	char created[32];

	clock_rfc3339(r->created, created);
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
		      "'unsafe-inline'\">\n<title>");
	add_escaped(out, r->name);
	buf_printf(out,
	    "</title>\n<style>body{background:#%06x;color:#%06x;margin:1em}"
	    "pre{font-family:%s;font-size:14px;line-height:1.3;margin:0}"
	    "a{color:inherit}h1{font:16px sans-serif}p{font:13px sans-serif;opacity:.7}</style>\n</head>\n"
	    "<body>\n<h1>",
	    BACKGROUND, FOREGROUND, FONT);
	add_escaped(out, r->name);
	buf_adds(out, "</h1>\n<p>");
	add_escaped(out, r->harness_title);
	buf_adds(out, ", ");
	add_escaped(out, r->dir);
	buf_printf(out, ", %s</p>\n<pre>", created);
	for (const struct json *line = json_first(json_get(capture, "lines")); line; line = json_next(line)) {
		for (const struct json *run = json_first(json_get(line, "runs")); run; run = json_next(run))
			add_run_html(run, out);
		buf_addc(out, '\n');
	}
	buf_adds(out, "</pre>\n</body>\n</html>\n");
}

/* --- a picture --- */

static void add_run_svg(const struct json *run, int row, int col, struct buf *out)
{
	struct look l = look_of(json_get(run, "style"));
	const char *text = json_get_string(run, "text", "");
	int columns = (int)json_get_int(run, "columns", 0);
	int x = MARGIN + col * CELL_WIDTH, y = MARGIN + row * CELL_HEIGHT;
	AUTO_BUF css = BUF_INIT;

	if (l.has_bg)
		buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", x, y,
		    columns * CELL_WIDTH, CELL_HEIGHT, (unsigned)l.bg);
	if (strspn(text, " ") == strlen(text) && !l.underline && !l.strike && !l.overline)
		return;
	add_font(&css, &l);
	buf_printf(out,
	    "<text x=\"%d\" y=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06x\"", x,
	    y + BASELINE, columns * CELL_WIDTH, (unsigned)l.fg);
	if (css.len)
		buf_printf(out, " style=\"%s\"", css.data);
	buf_adds(out, " xml:space=\"preserve\">");
	add_escaped(out, text);
	buf_adds(out, "</text>\n");
}

void export_svg(const struct record *r, const struct json *capture, struct buf *out)
{
	int cols = (int)json_get_int(capture, "cols", 80), row = 0;
	int lines = json_count(json_get(capture, "lines"));
	int width = 2 * MARGIN + cols * CELL_WIDTH, height = 2 * MARGIN + lines * CELL_HEIGHT;

	buf_printf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
	    "font-family=\"%s\" font-size=\"15\">\n<title>",
	    width, height, width, height, FONT);
	add_escaped(out, r->name);
	buf_printf(out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n", BACKGROUND);
	for (const struct json *line = json_first(json_get(capture, "lines")); line; line = json_next(line)) {
		int col = 0;

		for (const struct json *run = json_first(json_get(line, "runs")); run; run = json_next(run)) {
			add_run_svg(run, row, col, out);
			col += (int)json_get_int(run, "columns", 0);
		}
		row++;
	}
	buf_adds(out, "</svg>\n");
}
