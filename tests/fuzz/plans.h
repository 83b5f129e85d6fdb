/* plans: what follows from a descriptor and an agent: plans in every way to start, carried to another
 * process. */
#ifndef HANDLER_FUZZ_PLANS_H
#define HANDLER_FUZZ_PLANS_H

#include "base/utf8.h"
#include "harness/plan.h"
#include "scratch.h"

static char *plans_environment[8];

static inline void plans_variable(size_t i, const char *name, const char *folder)
{
	plans_environment[i] = mem_printf("%s=%s/%s", name, scratch, folder);
}

/* After scratch_init: programs that can be found, and a project. */
static inline void plans_init(void)
{
	static const char *const programs[] = {
	    "claude", "codex", "opencode", "pi", "gemini", "qwen", "copilot", "vibe"};

	scratch_dir("bin");
	scratch_dir("project");
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		AUTO_FREE char *name = mem_printf("bin/%s", programs[i]);

		scratch_write(name, "#!/bin/sh\n", 10, 0755);
	}
	plans_variable(0, "PATH", "bin");
	plans_variable(1, "HOME", "home");
	plans_environment[2] = mem_strdup("SHELL=/bin/sh");
	plans_environment[3] = mem_strdup("OPENCODE_CONFIG_CONTENT={\"instructions\":[\"x\"]}");
}

static inline void plans_check_words(char *const *words)
{
	CHECK(words);
	for (size_t i = 0; words[i]; i++)
		CHECK(strlen(words[i]) <= PLAN_STRING_MAX);
}

static inline void plans_check(const struct plan *p)
{
	struct json *j = plan_to_json(p, true);
	AUTO_FREE char *text = json_print(j, false);
	AUTO_FREE char *command = plan_shell_command(p);
	struct json *read = json_parse(text, strlen(text), "plan", NULL);
	struct plan *again = plan_from_json(read, NULL);
	struct json *j_again;
	AUTO_FREE char *text_again = NULL;

	CHECK(p->program && p->program[0] == '/' && p->dir[0] == '/' && command && p->notes[0]);
	plans_check_words(p->argv);
	plans_check_words(p->env);
	for (size_t i = 0; i < p->file_count; i++)
		CHECK(strncmp(p->files[i].path, scratch, strlen(scratch)) == 0 &&
		      !strstr(p->files[i].path, "/../"));
	CHECK(again);
	j_again = plan_to_json(again, true);
	text_again = json_print(j_again, false);
	CHECK(strcmp(text, text_again) == 0);
	json_free(j);
	json_free(j_again);
	json_free(read);
	plan_destroy(again);
}

static inline void plans_make(const struct descriptor *d, const struct agent *a)
{
	AUTO_FREE char *session_dir = scratch_path("session");
	AUTO_FREE char *project = scratch_path("project");

	for (unsigned way = 0; way < 4; way++) {
		struct plan_options o = {.session_id = "a1b2c3",
		    .session_dir = session_dir,
		    .dir = project,
		    .environ = plans_environment,
		    .self = "/usr/bin/env",
		    .headless = way & 1,
		    .prompt = way ? "--do \"it\" '$x'\n\xc3\xa9" : NULL,
		    .json_output = way == 3};
		struct err err = ERR_INIT;
		struct plan *p = plan_make(d, a, &o, &err);

		CHECK(p || (err.code != ERR_NONE && err.message[0] &&
			       utf8_valid(err.message, strlen(err.message), NULL)));
		if (p)
			plans_check(p);
		plan_destroy(p);
	}
}

#endif
