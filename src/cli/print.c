/* print: what commands write: data on standard output, sentences on standard error. */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"

void print_json(const struct json *j)
{
	AUTO_FREE char *text = json_print(j, true);
	printf("%s\n", text);
}

void print_answer(struct json *j)
{
	json_set_number(j, "version", 1);
	print_json(j);
}

void print_note(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void print_failure(const struct err *err, bool json)
{
	if (json) {
		struct json *root = json_new_object();
		struct json *e = json_set(root, "error", json_new_object());
		json_set_string(e, "code", err_code_name(err->code));
		json_set_string(e, "message", err->message);
		json_set_string(e, "hint", err->hint);
		print_answer(root);
		json_free(root);
	}
	fflush(stdout);
	fprintf(stderr, "handler: %s\n", err->message);
	if (*err->hint)
		fprintf(stderr, "  %s\n", err->hint);
}

bool color_wanted(void)
{
	const char *no = getenv("NO_COLOR");
	return isatty(STDOUT_FILENO) && !(no && *no);
}
