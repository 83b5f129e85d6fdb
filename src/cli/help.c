/* help: what the program can do, from the table of commands alone. */
#include "base/buf.h"
#include "base/mem.h"
#include "cli/cli.h"

static void print_group(const char *group)
{
	/* Three groups and the examples fit 24 lines: every day's commands with a line each, the others as
	 * names. */
	if (!strcmp(group, "every day")) {
		for (const struct command *const *c = commands; *c; c++)
			if ((*c)->group && !strcmp((*c)->group, group))
				printf("  %-9s %s\n", (*c)->name, (*c)->help);
		return;
	}
	printf("  ");
	for (const struct command *const *c = commands; *c; c++)
		if ((*c)->group && !strcmp((*c)->group, group))
			printf("%s ", (*c)->name);
	printf("\n");
}

void print_help(void)
{
	printf("handler %s: many coding agents in one terminal\n\n", HANDLER_VERSION);
	printf("every day:\n");
	print_group("every day");
	printf("from scripts:\n");
	print_group("from scripts");
	printf("set up:\n");
	print_group("set up");
	printf("\n"
	       "  handler                                 the view used last, or the start screen\n"
	       "  handler claude codex                    two agents side by side, here\n"
	       "  handler new claude -C ~/src/api -p @task.md\n"
	       "  handler send api 'Run the tests' --wait\n"
	       "  handler stop --all\n\n"
	       "`handler help COMMAND` explains one; the manual is handler(1).\n");
}

static void print_lines(const char *text, const char *indent)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");
		printf("%s%.*s\n", indent, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

void print_command_help(const struct command *c)
{
	if (c->examples) {
		printf("EXAMPLES\n");
		print_lines(c->examples, "  ");
		printf("\n");
	}
	printf("handler %s %s\n  %s\n", c->name, c->synopsis, c->help);
	if (c->text) {
		printf("\n");
		print_lines(c->text, "");
	}
	if (c->options && c->options->name)
		printf("\n");
	for (const struct option_spec *o = c->options; o && o->name; o++) {
		AUTO_BUF left = BUF_INIT;
		if (o->letter)
			buf_printf(&left, "-%c, ", o->letter);
		buf_printf(&left, "--%s", o->name);
		if (o->argument)
			buf_printf(&left, " %s", o->argument);
		printf("  %-28s %s%s\n", left.data, left.len > 28 ? "\n                               " : "",
		    o->help);
	}
}

static int run(const struct args *a, struct err *err)
{
	if (!a->word_count) {
		print_help();
		return 0;
	}
	const struct command *c = command_find(a->words[0]);
	if (!c) {
		err_set(err, ERR_USAGE, "there is no command \"%s\"", a->words[0]);
		return err_hint(err, "`handler help` lists them.");
	}
	print_command_help(c);
	return 0;
}

static const struct option_spec options[] = {{0}};

const struct command command_help = {
    .name = "help",
    .group = "set up",
    .synopsis = "[COMMAND]",
    .help = "explain a command",
    .examples = "handler help send",
    .max_words = 1,
    .options = options,
    .run = run,
};
