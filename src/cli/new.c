/* new: starts a session without a terminal. */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/launch.h"

static const struct option_spec options[] = {
    {"dir", 'C', "DIR", "run there (default: the working directory)"},
    {"name", 'n', "NAME", "name of the session (default: DIR-AGENT)"},
    {"prompt", 'p', "TEXT|-|@FILE", "first prompt: as it is, from standard input, from a file"},
    {"size", 0, "COLSxROWS", "size of its terminal (default: the last pane's, else 120x40)"},
    {"env", 0, "K=V", "set a variable for it; may be given several times"},
    OPTION_JSON,
    {0},
};

/* The size of the most recent session that still has one. */
static void last_size(int *rows, int *cols)
{
	struct record_list list;
	int64_t newest = -1;
	if (record_list_load(&list, NULL) < 0)
		return;
	for (size_t i = 0; i < list.count; i++) {
		const struct record *r = &list.items[i];
		if (r->live && r->rows > 0 && r->cols > 0 && r->created >= newest) {
			newest = r->created;
			*rows = r->rows;
			*cols = r->cols;
		}
	}
	record_list_finish(&list);
}

static int check_env(char *const *env, struct err *err)
{
	for (; *env; env++)
		if (!strchr(*env, '=') || **env == '=')
			return err_set(err, ERR_USAGE, "--env takes NAME=VALUE, not \"%s\"", *env);
	return 0;
}

static int run(const struct args *a, struct err *err)
{
	struct launch_options o = {.agent = a->words[0],
	    .self = a->self,
	    .dir = args_value(a, "dir", NULL),
	    .name = args_value(a, "name", NULL),
	    .extra_args = a->rest_count ? a->rest : NULL};
	const char *size = args_value(a, "size", NULL), *prompt = args_value(a, "prompt", NULL);
	AUTO_FREE char *text = prompt ? args_text(prompt, err) : NULL;
	if ((prompt && !text) || guard_new(err) < 0)
		return -1;
	if (size && args_size(size, &o.rows, &o.cols, err) < 0)
		return -1;
	if (!size)
		last_size(&o.rows, &o.cols);
	char **env = args_values(a, "env");
	struct record r;
	o.prompt = text;
	o.extra_env = env;
	int result = check_env(env, err) < 0 ? -1 : launch(&o, &r, err);
	free(env);
	if (result < 0)
		return -1;
	if (a->json) {
		struct json *j = record_to_json(&r);
		print_answer(j);
		json_free(j);
	} else {
		printf("%s\n", r.id);
	}
	launch_say_notes(&r);
	record_finish(&r);
	fflush(NULL);
	launch_tidy();
	return 0;
}

const struct command command_new = {
    .name = "new",
    .group = "every day",
    .synopsis = "AGENT [-C DIR] [-n NAME] [-p TEXT|-|@FILE] [--size COLSxROWS] [--env K=V]... [-- ARG...]",
    .help = "start a session in the background; prints its id",
    .text =
	"AGENT is one of `handler agent list`, or a harness. What stands after -- is handed to its program.",
    .examples = "handler new claude -C ~/src/api -p 'Fix the failing test'\nhandler new shell -n build -- -c "
		"'make; exec bash'",
    .min_words = 1,
    .max_words = 1,
    .rest = true,
    .options = options,
    .run = run,
};
