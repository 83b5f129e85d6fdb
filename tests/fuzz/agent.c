/*
 * agent: a file that may be an agent's.  One that is accepted is planned with its harness; a refusal says
 * why.
 */
#include "plans.h"

static struct harness_set set;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	scratch_init();
	plans_init();
	scratch_dir("home/.config");
	scratch_dir("home/.config/handler");
	scratch_dir("home/.config/handler/agents");
	CHECK(harness_set_load(&set, NULL) == 0 && set.count > 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	const struct descriptor *d;
	struct agent *a;

	scratch_write("home/.config/handler/agents/fuzz.json", data, size, 0600);
	a = agent_load("fuzz", &set, &err);
	if (!a) {
		CHECK(err.code != ERR_NONE && err.message[0] &&
		      utf8_valid(err.message, strlen(err.message), NULL));
		return 0;
	}
	d = harness_set_find(&set, a->harness, NULL);
	CHECK(d && a->args && a->env && a->unset_env && strcmp(a->sandbox, "none") == 0);
	CHECK(!a->instructions || strlen(a->instructions) == a->instructions_len);
	plans_make(d, a);
	agent_destroy(a);
	return 0;
}
