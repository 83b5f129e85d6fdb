/* doctor: what this machine, an agent or the terminal can and cannot do, and what to do about it. */
#include "cli/doctor.h"

#include "cli/cli.h"

static const struct option_spec options[] = {
    OPTION_JSON,
    {0},
};

static int examine(const struct args *a, struct findings *f, struct err *err)
{
	struct harness_set set;
	const char *word = a->word_count ? a->words[0] : NULL;
	int result = 0;

	if (word && !strcmp(word, "terminal"))
		return doctor_terminal(f, err);
	if (harness_set_load(&set, err) < 0)
		return -1;
	if (word) {
		result = doctor_agent(f, &set, word, a->self, err);
	} else {
		doctor_machine(f);
		doctor_sandboxes(f);
		doctor_harnesses(f, &set, a->self);
		doctor_sessions(f, &set);
	}
	harness_set_finish(&set);
	return result;
}

static int run(const struct args *a, struct err *err)
{
	struct findings f = {.count = 0};
	int result = examine(a, &f, err);

	if (result == 0)
		result = findings_print(&f, a->json);
	findings_finish(&f);
	return result;
}

const struct command command_doctor = {
    .name = "doctor",
    .group = "set up",
    .synopsis = "[AGENT|terminal] [--json]",
    .help = "what this machine, an agent, this terminal can and cannot do, and what to do about it",
    .text = "Exits with 1 if something blocks, else with 0. Credentials are named, their values never read.\n"
	    "For an agent: whether it can start, its version, what it could read, what keeps Remote Control "
	    "from working.",
    .examples = "handler doctor\nhandler doctor claude\nhandler doctor terminal",
    .max_words = 1,
    .options = options,
    .run = run,
};
