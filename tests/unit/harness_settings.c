/* harness/agent_settings, plan_settings: what an agent's settings make of a launch plan, and which are
 * refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "harness/plan.h"
#include "harness_home.h"

static struct harness_set set;
static char *session_dir, *project;
static char *environment[8];
static char path_variable[128];

static const char *const programs[] = {"claude", "codex", "opencode", "pi", "gemini", "vibe"};

static int enter(void **state)
{
	if (home_enter(state) < 0 || harness_set_load(&set, NULL) < 0)
		return -1;
	for (size_t i = 0; i < COUNT_OF(programs); i++)
		home_program(programs[i]);
	session_dir = home_path("session");
	project = home_path("project");
	snprintf(path_variable, sizeof(path_variable), "PATH=%s/bin", home);
	memset(environment, 0, sizeof(environment));
	environment[0] = path_variable;
	environment[1] = "SHELL=/bin/sh";
	return 0;
}

static int leave(void **state)
{
	free(session_dir);
	free(project);
	harness_set_finish(&set);
	return home_leave(state);
}

static struct plan_options options(void)
{
	return (struct plan_options){.session_id = "a1b2c3",
	    .session_dir = session_dir,
	    .dir = project,
	    .environ = environment,
	    .self = "/usr/bin/env"};
}

static struct agent *load(const char *text, struct err *err)
{
	home_text(".config/handler/agents/mine.json", text);
	return agent_load("mine", &set, err);
}

static struct plan *plan_with(const char *text, const struct plan_options *o, struct err *err)
{
	struct agent *a = load(text, err);
	struct plan *p = a ? plan_make(harness_set_find(&set, a->harness, NULL), a, o, err) : NULL;

	agent_destroy(a);
	return p;
}

static struct plan *plan_of(const char *text)
{
	struct plan_options o = options();
	struct err err = ERR_INIT;
	struct plan *p = plan_with(text, &o, &err);

	if (!p)
		fail_msg("%s: %s", text, err.message);
	return p;
}

static const char *variable(const struct plan *p, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; p->env[i]; i++) {
		if (strncmp(p->env[i], name, len) == 0 && p->env[i][len] == '=')
			return p->env[i] + len + 1;
	}
	return NULL;
}

static bool holds(char *const *list, const char *part)
{
	for (size_t i = 0; list[i]; i++) {
		if (strstr(list[i], part))
			return true;
	}
	return false;
}

static void expect_fault(const char *text, enum err_code code, const char *message)
{
	struct plan_options o = options();
	struct err err = ERR_INIT;

	assert_null(plan_with(text, &o, &err));
	if (err.code != code || !strstr(err.message, message))
		fail_msg("%s: %s: %s", text, err_code_name(err.code), err.message);
}

static void an_own_configuration_directory(void **state)
{
	struct plan *p = plan_of("{\"harness\": \"claude\", \"config_dir\": \"own\"}");
	AUTO_FREE char *dir = home_path(".local/state/handler/agents/mine");

	(void)state;
	assert_string_equal(variable(p, "CLAUDE_CONFIG_DIR"), dir);
	assert_string_equal(p->dirs[0], dir);
	assert_null(p->dirs[1]);
	assert_true(holds(p->shown_env, dir));
	assert_true(holds(p->notes, "it asks for a login once"));
	assert_int_not_equal(access(dir, F_OK), 0); /* a plan makes nothing */
	plan_destroy(p);

	home_text(".local/state/handler/agents/mine/.credentials.json", "{}");
	p = plan_of("{\"harness\": \"claude\", \"config_dir\": \"own\"}");
	assert_false(holds(p->notes, "it asks for a login once"));
	assert_true(holds(p->credentials, "agents/mine/.credentials.json"));
	plan_destroy(p);
}

static void a_plan_carries_directories_and_links(void **state)
{
	environment[2] = "SSH_AUTH_SOCK=/run/agent";
	struct plan *p =
	    plan_of("{\"harness\": \"claude\", \"config_dir\": \"own\", \"forward_agent\": true}");
	struct json *j = plan_to_json(p, true);
	struct plan *q = plan_from_json(j, NULL);
	AUTO_FREE char *link = home_path("session/ssh-agent");

	(void)state;
	assert_string_equal(q->dirs[0], p->dirs[0]);
	assert_string_equal(q->ssh_agent, "/run/agent");
	assert_string_equal(variable(q, "SSH_AUTH_SOCK"), link);
	assert_true(json_get_bool(q->settings, "forward_agent", false));
	json_free(j);
	plan_destroy(p);
	plan_destroy(q);
}

static void an_ssh_agent_that_is_not_there_yet(void **state)
{
	struct plan *p = plan_of("{\"harness\": \"shell\", \"forward_agent\": true}");

	(void)state;
	assert_null(p->ssh_agent);
	assert_non_null(variable(p, "SSH_AUTH_SOCK"));
	assert_true(holds(p->notes, "There is no SSH agent here"));
	plan_destroy(p);
}

/* unix(7): 107 bytes and a NUL */
static void the_name_of_a_socket_has_an_end(void **state)
{
	struct plan_options o = options();
	char dir[112], text[] = "{\"harness\": \"shell\", \"forward_agent\": true}";
	struct err err = ERR_INIT;

	(void)state;
	memset(dir, 'd', sizeof(dir));
	dir[0] = '/';
	o.session_dir = dir;
	dir[107 - strlen("/" PLAN_SSH_AGENT)] = '\0';
	struct plan *p = plan_with(text, &o, &err);
	assert_non_null(p);
	assert_int_equal(strlen(variable(p, "SSH_AUTH_SOCK")), 107);
	plan_destroy(p);
	dir[strlen(dir)] = 'd';
	dir[108 - strlen("/" PLAN_SSH_AGENT)] = '\0';
	assert_null(plan_with(text, &o, &err));
	assert_int_equal(err.code, ERR_REFUSED);
}

static void screens(void **state)
{
	struct plan_options o = options();
	struct plan *p = plan_of("{\"harness\": \"claude\", \"screen\": \"inline\"}");

	(void)state;
	assert_string_equal(variable(p, "CLAUDE_CODE_NO_FLICKER"), "0");
	assert_string_equal(json_get_string(p->settings, "screen", ""), "inline");
	plan_destroy(p);
	p = plan_of("{\"harness\": \"claude\", \"screen\": \"full\"}");
	assert_string_equal(variable(p, "CLAUDE_CODE_NO_FLICKER"), "1");
	assert_string_equal(json_get_string(p->settings, "screen", ""), "alternate");
	plan_destroy(p);
	p = plan_of("{\"harness\": \"pi\", \"screen\": \"inline\"}");
	assert_true(holds(p->argv, "--tui-mode") && holds(p->argv, "regular"));
	plan_destroy(p);
	p = plan_of("{\"harness\": \"codex\", \"screen\": \"full\"}");
	assert_false(holds(p->argv, "alt-screen"));
	plan_destroy(p);

	o.headless = true; /* it has no screen */
	o.prompt = "x";
	p = plan_with("{\"harness\": \"codex\", \"screen\": \"inline\"}", &o, NULL);
	assert_non_null(p);
	assert_false(holds(p->argv, "alt-screen"));
	plan_destroy(p);
}

static void what_keeper_and_worker_go_by(void **state)
{
	struct plan *p = plan_of("{\"harness\": \"shell\"}");

	(void)state;
	assert_string_equal(json_get_string(p->settings, "on_exit", ""), "keep");
	assert_null(json_get(p->settings, "grace"));
	assert_null(json_get(p->settings, "journal"));
	assert_null(json_get(p->settings, "forward_agent"));
	plan_destroy(p);
	p = plan_of("{\"harness\": \"shell\", \"on_exit\": \"stop\", \"grace\": 0, \"journal\": false}");
	assert_string_equal(json_get_string(p->settings, "on_exit", ""), "stop");
	assert_true(json_get_number(p->settings, "grace", -1) == 0);
	assert_false(json_get_bool(p->settings, "journal", true));
	plan_destroy(p);
}

static void resume(void **state)
{
	struct plan_options o = options();
	struct json *known = json_new_object(), *unknown = json_new_object();
	struct err err = ERR_INIT;

	(void)state;
	json_set_string(known, "conversation", "the-id");
	o.resume = known;
	struct plan *p = plan_with("{\"harness\": \"claude\", \"resume\": \"fresh\"}", &o, NULL);
	assert_false(p->resumed);
	assert_false(holds(p->argv, "the-id"));
	assert_true(holds(p->notes, "\"fresh\": this is a new conversation"));
	plan_destroy(p);
	p = plan_with("{\"harness\": \"claude\", \"resume\": \"conversation\"}", &o, NULL);
	assert_true(p->resumed);
	plan_destroy(p);

	o.resume = unknown;
	assert_null(plan_with("{\"harness\": \"claude\", \"resume\": \"conversation\"}", &o, &err));
	assert_int_equal(err.code, ERR_NO_CONVERSATION);
	assert_string_equal(err.hint, "A new session starts with: handler new mine");
	o.resume = NULL; /* the first start is none */
	p = plan_with("{\"harness\": \"claude\", \"resume\": \"conversation\"}", &o, NULL);
	assert_non_null(p);
	plan_destroy(p);
	json_free(known);
	json_free(unknown);
}

static void refused_by_what_the_harness_can_do(void **state)
{
	(void)state;
	expect_fault("{\"harness\": \"shell\", \"config_dir\": \"own\"}", ERR_REFUSED,
	    "mine.json:1: Shell has no variable");
	expect_fault("{\"harness\": \"gemini\",\n\"privacy\": \"full\"}", ERR_REFUSED,
	    "mine.json:2: Gemini CLI takes no setting");
	expect_fault("{\"harness\": \"opencode\", \"screen\": \"inline\"}", ERR_REFUSED,
	    "OpenCode has no option for \"screen\"");
	expect_fault("{\"harness\": \"gemini\", \"screen\": \"full\"}", ERR_REFUSED,
	    "Gemini CLI has no option for \"screen\"");
	expect_fault(
	    "{\"harness\": \"shell\", \"resume\": \"conversation\"}", ERR_REFUSED, "Shell cannot resume");
	plan_destroy(plan_of("{\"harness\": \"gemini\", \"privacy\": \"off\", \"screen\": \"inline\"}"));
	plan_destroy(plan_of("{\"harness\": \"demo\", \"privacy\": \"full\", \"screen\": \"inline\"}"));
}

static void faults(void **state)
{
	(void)state;
	expect_fault("{\"harness\": \"pi\", \"screen\": \"ful\"}", ERR_INVALID, "did you mean \"full\"?");
	expect_fault("{\"harness\": \"pi\", \"config_dir\": true}", ERR_INVALID, "\"config_dir\"");
	expect_fault("{\"harness\": \"pi\", \"grace\": 3601}", ERR_INVALID, "from 0 to 3600");
	expect_fault("{\"harness\": \"pi\", \"unset_env\": [\"*\"]}", ERR_INVALID, "names of variables");
	expect_fault("{\"harness\": \"pi\", \"unset_env\": [\"A\", \"1B\"]}", ERR_INVALID, "\"1B\"");
	expect_fault(
	    "{\"harness\": \"pi\", \"env\": {\"HANDLER_PORT\": \"1\"}}", ERR_INVALID, "HANDLER_PORT");
	expect_fault(
	    "{\"harness\": \"claude\", \"config_dir\": \"own\", \"env\": {\"CLAUDE_CONFIG_DIR\": \"/x\"}}",
	    ERR_INVALID, "is what \"config_dir\" sets");
}

static void expect_expanded(const char *text, const char *expected)
{
	static const struct plan_port ports[] = {{"", 23001}, {"web", 23002}};
	AUTO_BUF out = BUF_INIT;

	ports_expand(&out, text, ports, COUNT_OF(ports));
	assert_string_equal(out.data ? out.data : "", expected);
}

static void ports_in_texts(void **state)
{
	char name[64];

	(void)state;
	expect_expanded("--port=${port}", "--port=23001");
	expect_expanded("${port:web}:${port}${port:web}", "23002:2300123002");
	expect_expanded("$${port} $${port:web} $$ $HOME ${HOME}", "${port} ${port:web} $$ $HOME ${HOME}");
	expect_expanded("${ports} ${port ${port:other} ${port", "${ports} ${port ${port:other} ${port");
	expect_expanded("", "");
	assert_true(ports_check("${port} ${port:a-b_1} $${port:} ${portal}", name));
	assert_false(ports_check("x ${port:}", name));
	assert_string_equal(name, "");
	assert_false(ports_check("${port:web} ${port:We b}", name));
	assert_string_equal(name, "We b");
	assert_false(ports_check(
	    "${port:0123456789012345678901234567890123456789012345678901234567890\u00fc\u00fc}", name));
	assert_string_equal(name, "0123456789012345678901234567890123456789012345678901234567890\u00fc");
	assert_false(ports_check(
	    "${port:01234567890123456789012345678901234567890123456789012345678901\u00fc}", name));
	assert_string_equal(name, "01234567890123456789012345678901234567890123456789012345678901");
	assert_true(ports_check("${port:abcdefghijklmnopqrstuvwxyz012345}", name));
	assert_false(ports_check("${port:abcdefghijklmnopqrstuvwxyz0123456}", name));
}

static void ports_of_an_agent(void **state)
{
	struct plan_port ports[PORTS_MAX + 1];
	struct agent *a =
	    load("{\"harness\": \"shell\", \"args\": [\"${port:web}\", \"${port}\", \"${port:web}\"], "
		 "\"env\": {\"DB\": \"localhost:${port:db}\", \"X\": \"$${port:none}\"}}",
		NULL);

	(void)state;
	assert_int_equal(ports_of_agent(a, ports), 3);
	assert_string_equal(ports[0].name, "");
	assert_string_equal(ports[1].name, "web");
	assert_string_equal(ports[2].name, "db");
	agent_destroy(a);
	a = agent_load("shell", &set, NULL);
	assert_int_equal(ports_of_agent(a, ports), 1);
	agent_destroy(a);
	expect_fault("{\"harness\": \"shell\",\n\"args\": [\"${port:Web}\"]}", ERR_INVALID,
	    "mine.json:2: \"Web\" is no name of a port");
	expect_fault(
	    "{\"harness\": \"shell\", \"env\": {\"A\": \"${port:}\"}}", ERR_INVALID, "is no name of a port");
	expect_fault("{\"harness\": \"shell\", \"args\": "
		     "[\"${port:a}${port:b}${port:c}${port:d}${port:e}${port:f}${port:g}${port:h}\"]}",
	    ERR_INVALID, "at most 8 ports");
}

static void a_plan_with_ports(void **state)
{
	static const struct plan_port ports[] = {{"", 23001}, {"web", 23002}};
	static const char text[] = "{\"harness\": \"shell\", \"args\": [\"-c\", \"serve ${port:web}\"], "
				   "\"env\": {\"URL\": \"http://localhost:${port}/\"}}";
	struct plan_options o = options();
	struct plan *p = plan_of(text);

	(void)state;
	assert_true(holds(p->argv, "serve ${port:web}")); /* nothing is held: to be looked at */
	assert_null(variable(p, "HANDLER_PORT"));
	plan_destroy(p);
	o.ports = ports;
	o.port_count = COUNT_OF(ports);
	o.note = "a note";
	p = plan_with(text, &o, NULL);
	assert_true(holds(p->argv, "serve 23002"));
	assert_true(holds(p->shown, "serve 23002"));
	assert_string_equal(variable(p, "URL"), "http://localhost:23001/");
	assert_string_equal(variable(p, "HANDLER_PORT"), "23001");
	assert_int_equal(json_get_int(p->settings, "port", 0), 23001);
	assert_int_equal(json_get_int(json_get(p->settings, "ports"), "web", 0), 23002);
	assert_true(holds(p->notes, "a note"));
	plan_destroy(p);
}

static void names_that_nearly_name_an_agent(void **state)
{
	static const struct {
		const char *word, *near;
	} cases[] = {{"cluade", "claude"}, {"codexx", "codex"}, {"mien", "mine"}, {"vib", "vibe"}};

	(void)state;
	home_text(".config/handler/agents/mine.json", "{\"harness\": \"pi\"}");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = ERR_INIT;
		AUTO_FREE char *quoted = mem_printf("\"%s\"", cases[i].near);

		assert_null(agent_load(cases[i].word, &set, &err));
		assert_int_equal(err.code, ERR_NO_AGENT);
		if (!strstr(err.hint, quoted))
			fail_msg("%s: %s", cases[i].word, err.hint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(an_own_configuration_directory, enter, leave),
	    cmocka_unit_test_setup_teardown(a_plan_carries_directories_and_links, enter, leave),
	    cmocka_unit_test_setup_teardown(an_ssh_agent_that_is_not_there_yet, enter, leave),
	    cmocka_unit_test_setup_teardown(the_name_of_a_socket_has_an_end, enter, leave),
	    cmocka_unit_test_setup_teardown(screens, enter, leave),
	    cmocka_unit_test_setup_teardown(what_keeper_and_worker_go_by, enter, leave),
	    cmocka_unit_test_setup_teardown(resume, enter, leave),
	    cmocka_unit_test_setup_teardown(refused_by_what_the_harness_can_do, enter, leave),
	    cmocka_unit_test_setup_teardown(faults, enter, leave),
	    cmocka_unit_test_setup_teardown(ports_in_texts, enter, leave),
	    cmocka_unit_test_setup_teardown(ports_of_an_agent, enter, leave),
	    cmocka_unit_test_setup_teardown(a_plan_with_ports, enter, leave),
	    cmocka_unit_test_setup_teardown(names_that_nearly_name_an_agent, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
