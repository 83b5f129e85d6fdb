/*
 * descriptor: text that may be the description of a harness.  One that is accepted can be asked everything,
 * agents with and without instructions are planned with it, and its status rules take whatever happens.
 */
#include "harness/status.h"
#include "plans.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	scratch_init();
	plans_init();
	return 0;
}

static void ask(const struct descriptor *d)
{
	char version[DESCRIPTOR_VERSION_SIZE];
	char **args = descriptor_version_args(d);

	CHECK(*descriptor_name(d) && *descriptor_title(d));
	for (int headless = 0; headless < 2; headless++) {
		CHECK(*instructions_channel_phrase(descriptor_channel(d, headless)));
		if (descriptor_instructions(d, headless) != INSTRUCTIONS_REFUSE)
			CHECK(!descriptor_refusal(d, headless));
	}
	descriptor_program(d);
	descriptor_install(d);
	if (descriptor_read_version(d, "tool 1.22.333 (build 4)", version))
		CHECK(memchr(version, '\0', sizeof(version)));
	strv_destroy(args);
}

static void plan(const struct descriptor *d)
{
	static char *nothing[] = {NULL};
	struct agent a = {.name = (char *)"agent",
	    .harness = (char *)descriptor_name(d),
	    .args = nothing,
	    .env = nothing,
	    .unset_env = nothing,
	    .sandbox = (char *)"none",
	    .privacy = (char *)"reduced",
	    .config_dir = (char *)(json_get(descriptor_json(d), "config_dir") ? "own" : "shared"),
	    .screen = (char *)"inline",
	    .resume = (char *)"auto",
	    .grace = AGENT_GRACE_DEFAULT,
	    .journal = true};

	plans_make(d, &a);
	a.instructions = (char *)"Be \"brief\".\n${prompt} $$ \\ '\xc3\xa9'";
	a.instructions_len = strlen(a.instructions);
	a.model = json_get(descriptor_json(d), "model") ? (char *)"some-model" : NULL;
	plans_make(d, &a);
}

static void check_view(const struct status *s)
{
	const struct status_view *v = status_get(s);

	CHECK(v->state < STATE_COUNT && memchr(v->reason, '\0', sizeof(v->reason)));
	CHECK(memchr(v->explain, '\0', sizeof(v->explain)));
	CHECK(utf8_valid(v->reason, strlen(v->reason), NULL));
}

static void watch(const struct descriptor *d)
{
	static const char *const titles[] = {
	    "\xe2\x9c\xb3 idle", "working", "", "Action Required", "\xe2\xa0\x8b x"};
	struct err err = ERR_INIT;
	struct status *s = status_create(json_get(descriptor_json(d), "status"), 100, &err), *other;
	struct json *saved;

	CHECK(s);
	for (size_t i = 0; i < COUNT_OF(titles); i++) {
		status_title(s, titles[i], 101 + (int64_t)i);
		check_view(s);
		status_notification(s, titles[i], 101 + (int64_t)i);
		check_view(s);
	}
	status_bell(s, 110);
	status_program(s, "blocked", "permission", "rm -rf build", 111);
	check_view(s);
	status_program(s, "clear", NULL, NULL, 112);
	status_output(s, 112);
	status_tick(s, 1000);
	saved = status_to_json(s);
	other = status_create(json_get(descriptor_json(d), "status"), 100, NULL);
	status_restore(other, saved, 1001);
	CHECK(status_get(other)->state == status_get(s)->state);
	status_ended(s, 256, false, NULL, 1002);
	check_view(s);
	json_free(saved);
	status_destroy(s);
	status_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = mem_strndup((const char *)data, size);
	struct err err = ERR_INIT;
	struct descriptor *d = descriptor_parse(text, strlen(text), "fuzz.json", &err);

	if (!d) {
		CHECK(err.code == ERR_INVALID && err.message[0]);
		return 0;
	}
	ask(d);
	plan(d);
	watch(d);
	descriptor_destroy(d);
	return 0;
}
