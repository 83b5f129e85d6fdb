/* findings: see findings.h. */
#include "cli/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/cli.h"

static const struct {
	const char *name, *sgr;
} levels[] = {
    [FINDING_OK] = {"ok", "32"},
    [FINDING_INFO] = {"info", "36"},
    [FINDING_WARN] = {"warn", "1;33"},
    [FINDING_BLOCK] = {"BLOCK", "1;31"},
};

void finding_add(
    struct findings *f, enum finding_level level, const char *name, const char *hint, const char *fmt, ...)
{
	AUTO_BUF text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	f->items = mem_realloc(f->items, f->count + 1, sizeof(*f->items));
	f->items[f->count++] = (struct finding){.level = level,
	    .section = mem_strdup(f->section),
	    .name = utf8_sanitize(name, strlen(name), 0),
	    .message = utf8_sanitize(text.data, text.len, 0),
	    .hint = hint ? mem_strdup(hint) : NULL};
}

static void print_one(const struct finding *i, bool color)
{
	const char *word = levels[i->level].name;

	printf("  ");
	if (color)
		printf("\033[%sm%-5s\033[0m", levels[i->level].sgr, word);
	else
		printf("%-5s", word);
	printf("  %s: %s\n", i->name, i->message);
	if (i->hint)
		printf("         %s\n", i->hint);
}

static void print_text(const struct findings *f)
{
	const char *section = NULL;
	bool color = color_wanted();

	for (size_t i = 0; i < f->count; i++) {
		if (!section || strcmp(f->items[i].section, section) != 0)
			printf("%s%s\n", section ? "\n" : "", f->items[i].section);
		section = f->items[i].section;
		print_one(&f->items[i], color);
	}
}

static void print_as_json(const struct findings *f, int blocks)
{
	static const char *const names[] = {"ok", "info", "warn", "block"};
	struct json *root = json_new_object();
	struct json *list = json_set(root, "findings", json_new_array());

	for (size_t i = 0; i < f->count; i++) {
		struct json *j = json_append(list, json_new_object());

		json_set_string(j, "section", f->items[i].section);
		json_set_string(j, "name", f->items[i].name);
		json_set_string(j, "level", names[f->items[i].level]);
		json_set_string(j, "message", f->items[i].message);
		json_set_string(j, "hint", f->items[i].hint);
	}
	json_set_number(root, "blocks", blocks);
	print_answer(root);
	json_free(root);
}

int findings_print(const struct findings *f, bool json)
{
	int blocks = 0;

	for (size_t i = 0; i < f->count; i++)
		blocks += f->items[i].level == FINDING_BLOCK;
	if (json)
		print_as_json(f, blocks);
	else
		print_text(f);
	return blocks ? 1 : 0;
}

void findings_finish(struct findings *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->items[i].section);
		free(f->items[i].name);
		free(f->items[i].message);
		free(f->items[i].hint);
	}
	free(f->items);
	*f = (struct findings){.count = 0};
}
