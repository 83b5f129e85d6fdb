/* args: options and operands of a command, by getopt_long. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cell/screen.h"
#include "cli/cli.h"
#include "cli/parse.h"

enum { OPTIONS_MAX = 32, TEXT_MAX = 4 << 20 };

bool args_has(const struct args *a, const char *name)
{
	return args_value(a, name, NULL) != NULL;
}

const char *args_value(const struct args *a, const char *name, const char *fallback)
{
	for (int i = a->option_count - 1; i >= 0; i--)
		if (!strcmp(a->options[i].name, name))
			return a->options[i].value;
	return fallback;
}

char **args_values(const struct args *a, const char *name)
{
	char **out = mem_zalloc((size_t)a->option_count + 1, sizeof *out);
	int n = 0;
	for (int i = 0; i < a->option_count; i++)
		if (!strcmp(a->options[i].name, name))
			out[n++] = (char *)a->options[i].value;
	return out;
}

int args_seconds(const struct args *a, const char *name, double fallback, double *out, struct err *err)
{
	const char *text = args_value(a, name, NULL);
	*out = fallback;
	if (!text)
		return 0;
	char *end;
	errno = 0;
	*out = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(*out) || *out < 0 || *out > 1e9)
		return err_set(err, ERR_USAGE, "--%s takes a number of seconds, not \"%s\"", name, text);
	return 0;
}

static char *read_all(int fd, struct err *err)
{
	AUTO_BUF b = BUF_INIT;
	char chunk[65536];
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err_sys(err, errno, "cannot read standard input");
			return NULL;
		}
		if (n == 0)
			break;
		buf_add(&b, chunk, (size_t)n);
		if (b.len > TEXT_MAX) {
			err_set(err, ERR_USAGE, "the text on standard input is longer than 4 MiB");
			return NULL;
		}
	}
	if (memchr(b.data, '\0', b.len)) {
		err_set(err, ERR_USAGE, "the text on standard input holds a NUL byte");
		return NULL;
	}
	return buf_steal(&b);
}

char *args_text(const char *value, struct err *err)
{
	char *text;
	size_t at;
	if (!strcmp(value, "-"))
		text = read_all(STDIN_FILENO, err);
	else if (value[0] == '@') {
		if (path_read_file(value + 1, TEXT_MAX, &text, NULL, err) < 0)
			return NULL;
	} else
		text = mem_strdup(value);
	if (text && !utf8_valid(text, strlen(text), &at)) {
		err_set(err, ERR_USAGE, "the text is not valid UTF-8 (byte %zu)", at);
		free(text);
		return NULL;
	}
	return text;
}

int args_size(const char *text, int *rows, int *cols, struct err *err)
{
	char extra;
	if (sscanf(text, "%dx%d%c", cols, rows, &extra) != 2 || *rows < SCREEN_MIN_ROWS ||
	    *cols < SCREEN_MIN_COLS || *rows > SCREEN_MAX_ROWS || *cols > SCREEN_MAX_COLS)
		return err_set(err, ERR_USAGE, "a size is COLSxROWS, from %dx%d to %dx%d, not \"%s\"",
		    SCREEN_MIN_COLS, SCREEN_MIN_ROWS, SCREEN_MAX_COLS, SCREEN_MAX_ROWS, text);
	return 0;
}

/* getopt_long's two tables, made from ours. */
static void build_tables(const struct option_spec *specs, struct option *longs, struct buf *shorts)
{
	buf_adds(shorts, "-:"); /* operands in order as option 1; a missing argument is ':' */
	int n = 0;
	for (const struct option_spec *s = specs; s && s->name && n < OPTIONS_MAX; s++, n++) {
		int kind = !s->argument            ? no_argument
			   : s->argument[0] == '[' ? optional_argument
						   : required_argument;
		longs[n] = (struct option){.name = s->name, .has_arg = kind, .val = 1000 + n};
		if (s->letter) {
			buf_addc(shorts, s->letter);
			buf_adds(shorts, kind == required_argument   ? ":"
					 : kind == optional_argument ? "::"
								     : "");
		}
	}
	longs[n] = (struct option){0};
}

static const struct option_spec *spec_of(const struct option_spec *specs, int value)
{
	if (value >= 1000)
		return &specs[value - 1000];
	for (const struct option_spec *s = specs; s && s->name; s++)
		if (s->letter && s->letter == value)
			return s;
	return NULL;
}

static int option_fault(const struct command *c, int value, char **argv, struct err *err)
{
	const char *word = optind > 0 && argv[optind - 1] ? argv[optind - 1] : "";
	if (value == ':')
		err_set(err, ERR_USAGE, "handler %s: %s needs a value", c->name, word);
	else if (optopt && optopt < 1000)
		err_set(err, ERR_USAGE, "handler %s: there is no option -%c", c->name, optopt);
	else
		err_set(err, ERR_USAGE, "handler %s: there is no option %s", c->name, word);
	return err_hint(err, "`handler help %s` lists them.", c->name);
}

static int count_fault(const struct command *c, const struct args *a, struct err *err)
{
	if (a->word_count < c->min_words)
		err_set(err, ERR_USAGE, "handler %s: something is missing: handler %s %s", c->name, c->name,
		    c->synopsis);
	else if (c->max_words >= 0 && a->word_count > c->max_words)
		err_set(err, ERR_USAGE, "handler %s: \"%s\" is one word too many: handler %s %s", c->name,
		    a->words[c->max_words], c->name, c->synopsis);
	else
		return 0;
	return err_hint(err, "`handler help %s` explains it.", c->name);
}

/* argv: the words after the command's name, NULL-terminated, with argv[-1] the name. */
int args_parse(const struct command *c, int argc, char **argv, struct args *a, struct err *err)
{
	struct option longs[OPTIONS_MAX + 1];
	AUTO_BUF shorts = BUF_INIT;
	build_tables(c->options, longs, &shorts);
	a->command = c->name;
	optind = 0;
	opterr = 0;
	int count = argc;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			count = i;
			a->has_rest = true;
			break;
		}
	}
	for (int value; (value = getopt_long(count, argv, shorts.data, longs, NULL)) != -1;) {
		if (value == '?' || value == ':')
			return option_fault(c, value, argv, err);
		if (a->word_count >= ARGS_MAX || a->option_count >= ARGS_MAX)
			return err_set(err, ERR_USAGE, "handler %s: too many arguments", c->name);
		if (value == 1) {
			a->words[a->word_count++] = optarg;
			continue;
		}
		const struct option_spec *s = spec_of(c->options, value);
		if (!s)
			return option_fault(c, '?', argv, err);
		a->options[a->option_count++] =
		    (struct args_value){.name = s->name, .value = optarg ? optarg : ""};
	}
	for (int i = count + 1; i < argc; i++) {
		int *n = c->rest ? &a->rest_count : &a->word_count;
		if (*n >= ARGS_MAX)
			return err_set(err, ERR_USAGE, "handler %s: too many arguments", c->name);
		(c->rest ? a->rest : a->words)[(*n)++] = argv[i];
	}
	a->json = args_has(a, "json");
	return count_fault(c, a, err);
}
