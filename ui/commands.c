/* commands: the table as data, and finding a command by what somebody typed. */
#include "ui/commands.h"

#include <ctype.h>

#include "base/mem.h"

/* clang-format off */
static const struct ui_command commands[CMD_COUNT] = {
#define X(id, name, argument, keys, vi_keys, group, flags, brief, help) \
	[CMD_##id] = {CMD_##id, name, argument, keys, vi_keys, group, flags, brief, help},
	COMMANDS(X)
#undef X
};
/* clang-format on */

static const char *const group_titles[GROUP_COUNT] = {
    [GROUP_SESSIONS] = "Sessions",
    [GROUP_PANES] = "Panes",
    [GROUP_HISTORY] = "History",
    [GROUP_VIEWS] = "Views and the screen",
    [GROUP_PROGRAM] = "The program",
};

const struct ui_command *commands_get(enum command_id id)
{
	return id >= 0 && id < CMD_COUNT ? &commands[id] : NULL;
}

const char *commands_group_title(enum command_group g)
{
	return group_titles[g];
}

const char *commands_keys(const struct ui_command *c, bool vi)
{
	return vi && c->vi_keys ? c->vi_keys : c->keys;
}

/* The whole name; or the only command whose name begins like this. */
static enum command_id find_by_name(const char *word, size_t len)
{
	enum command_id found = CMD_NONE;
	int matches = 0;

	for (int i = 0; i < CMD_COUNT; i++) {
		if (strncmp(commands[i].name, word, len) != 0)
			continue;
		if (commands[i].name[len] == '\0')
			return commands[i].id;
		found = commands[i].id;
		matches++;
	}
	return matches == 1 ? found : CMD_NONE;
}

enum command_id commands_parse(const char *line, const char **argument)
{
	while (isspace((unsigned char)*line))
		line++;
	size_t len = strcspn(line, " \t");
	const char *rest = line + len;

	while (isspace((unsigned char)*rest))
		rest++;
	if (argument)
		*argument = rest;
	return len == 0 ? CMD_NONE : find_by_name(line, len);
}

/* "M-Left=5" is shown as "M-Left (5)", the ten digits as "0-9". */
static void print_keys(const char *keys, struct buf *out)
{
	bool digits = false;

	for (keys += strspn(keys, " "); *keys; keys += strspn(keys, " ")) {
		size_t len = strcspn(keys, " "), name = 1 + strcspn(keys + 1, "= ");

		if (name < len && keys[0] == keys[name + 1] && len == 3) {
			buf_adds(out, digits ? "" : "0-9 ");
			digits = true;
		} else if (name + 1 < len) {
			buf_printf(
			    out, "%.*s (%.*s) ", (int)name, keys, (int)(len - name - 1), keys + name + 1);
		} else {
			buf_printf(out, "%.*s ", (int)len, keys);
		}
		keys += len;
	}
}

static void print_command(const struct ui_command *c, struct buf *out)
{
	AUTO_BUF keys = BUF_INIT;

	print_keys(*c->keys ? c->keys : c->id == CMD_SEND_PREFIX ? "prefix" : "none", &keys);
	buf_printf(out, "  %-22s %s%s%s\n", keys.data, c->name, *c->argument ? " " : "", c->argument);
	if (c->vi_keys) {
		buf_clear(&keys);
		print_keys(c->vi_keys, &keys);
		buf_printf(out, "  %-22s with the preset vi: %.*s\n", "", (int)keys.len - 1, keys.data);
	}
	buf_printf(out, "  %-22s %s\n", "", c->help);
}

void commands_print(struct buf *out)
{
	for (int g = 0; g < GROUP_COUNT; g++) {
		buf_printf(out, ".Ss %s\n.Bd -literal\n", commands_group_title((enum command_group)g));
		for (int i = 0; i < CMD_COUNT; i++)
			if (commands[i].group == (enum command_group)g)
				print_command(&commands[i], out);
		buf_adds(out, ".Ed\n");
	}
}
