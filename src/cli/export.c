/* export: what a session showed as a file: text, text with SGR, a page, a picture, or a recording that can be
 * played. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/export.h"
#include "cli/source.h"

static const struct option_spec options[] = {
    {"format", 'f', "text|ansi|html|svg|cast",
	"what is made of it (default: by the ending of FILE, else text)"},
    {"output", 'o', "FILE", "the file to write (default: standard output)"},
    {"history", 0, "N|all", "lines of history before the screen (default: all; svg: none)"},
    {0},
};

/* name, what asks the source for the rows, endings of files */
static const struct format {
	const char *name, *rows, *ending, *history;
} formats[] = {
    {"text", "text", ".txt", "all"},
    {"ansi", "ansi", ".ansi", "all"},
    {"html", "json", ".html", "all"},
    {"svg", "json", ".svg", NULL},
    {"cast", NULL, ".cast", NULL},
};

static const struct format *format_named(const char *name, struct err *err)
{
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	err_set(err, ERR_USAGE, "--format takes text, ansi, html, svg or cast, not \"%s\"", name);
	return NULL;
}

static const struct format *choose_format(const struct args *a, struct err *err)
{
	const char *name = args_value(a, "format", NULL), *file = args_value(a, "output", "");
	const char *dot = strrchr(path_base(file), '.');
	if (name)
		return format_named(name, err);
	for (size_t i = 0; dot && i < COUNT_OF(formats); i++)
		if (!strcmp(formats[i].ending, dot))
			return &formats[i];
	return &formats[0];
}

/* The pieces of JSON put together; of text each as it comes. */
static int collect(struct source *s, const struct format *f, int64_t lines, struct buf *text,
    struct json **whole, struct err *err)
{
	struct source_wanted wanted = {.format = f->rows, .lines = lines};
	for (int64_t from = -1;;) {
		struct json *part = source_piece(s, &wanted, from, err);
		if (!part)
			return -1;
		from = json_get_int(part, "next", -1);
		buf_adds(text, json_get_string(part, "text", ""));
		if (!*whole) {
			*whole = part;
		} else {
			struct json *all = (struct json *)json_get(*whole, "lines");
			for (const struct json *l = json_first(json_get(part, "lines")); l; l = json_next(l))
				json_append(all, json_copy(l));
			json_free(part);
		}
		if (from < 0)
			return 0;
	}
}

static int export_rows(
    const struct record *r, const struct format *f, int64_t lines, struct buf *out, struct err *err)
{
	struct source source = {0};
	struct json *whole = NULL;
	int result = source_open(&source, r, err);
	if (result == 0)
		result = collect(&source, f, lines, out, &whole, err);
	source_close(&source);
	if (result == 0 && !strcmp(f->name, "html"))
		export_html(r, whole, out);
	else if (result == 0 && !strcmp(f->name, "svg"))
		export_svg(r, whole, out);
	json_free(whole);
	return result;
}

static int deliver(const char *file, const struct buf *out, struct err *err)
{
	if (file)
		return path_write_file(file, out->data, out->len, 0600, err);
	if (fwrite(out->data, 1, out->len, stdout) != out->len || fflush(stdout) != 0)
		return err_sys(err, errno, "cannot write to standard output");
	return 0;
}

static int run(const struct args *a, struct err *err)
{
	const struct format *f = choose_format(a, err);
	struct record_list list;
	AUTO_BUF out = BUF_INIT;
	int64_t lines;
	if (!f || source_parse_history(args_value(a, "history", f->history), &lines, err) < 0)
		return -1;
	if (!f->rows && args_has(a, "history"))
		return err_set(
		    err, ERR_USAGE, "--history is not for recordings: they have all of the journal");
	struct record *r = find_session(&list, a->words[0], true, err);
	int result = !r ? -1 : f->rows ? export_rows(r, f, lines, &out, err) : export_cast(r, &out, err);
	if (result == 0)
		result = deliver(args_value(a, "output", NULL), &out, err);
	record_list_finish(&list);
	return result;
}

const struct command command_export = {
    .name = "export",
    .group = "from scripts",
    .synopsis = "SESSION [--format text|ansi|html|svg|cast] [-o FILE]",
    .help = "write what a session showed as a file: text, a page, a picture, a recording",
    .text =
	"Text, ansi (text with SGR sequences) and html hold all history and the screen, svg the screen; html "
	"and "
	"svg need nothing else to be shown. cast is the session's journal as an asciicast (version 2), which "
	"asciinema plays; it holds what was on screen, and nothing that a program sent beside it.",
    .examples = "handler export api -o api.html\nhandler export 2 --format text > 2.txt\nhandler export api "
		"-o api.cast && "
		"asciinema play api.cast",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .run = run,
};
