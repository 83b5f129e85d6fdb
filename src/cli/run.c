/* run: one headless turn of an agent: the answer on standard output, everything else on standard error. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/ports.h"
#include "cli/relay.h"
#include "client/record.h"
#include "harness/plan.h"
#include "os/fd.h"
#include "session/start.h"

static const struct option_spec options[] = {
    {"dir", 'C', "DIR", "run there (default: the working directory)"},
    {"env", 0, "K=V", "set a variable for it; may be given several times"},
    {"json", 0, NULL, "the harness's own JSON output"},
    {0},
};

extern char **environ;

/* Standard input of the program: the prompt, or nothing. */
static int open_input(const struct plan *p, struct err *err)
{
	int fd;
	if (p->prompt_way != PROMPT_STDIN) {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} else {
		fd = memfd_create("prompt", MFD_CLOEXEC);
		if (fd >= 0 &&
		    (fd_write_full(fd, p->prompt, strlen(p->prompt)) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
			close(fd);
			fd = -1;
		}
	}
	return fd < 0 ? err_sys(err, errno, "cannot prepare the program's input") : fd;
}

static _Noreturn void child(const struct plan *p, struct relay *relay, int input, int report)
{
	if (dup2(input, STDIN_FILENO) < 0 || relay_child(relay) < 0 || chdir(p->dir) < 0)
		_exit(126);
	execve(p->program, p->argv, p->env);
	int errnum = errno;
	ssize_t n = write(report, &errnum, sizeof errnum);
	_exit(n < 0 ? 127 : 126);
}

/* How the program ended; that it would have asked somebody is more than how. */
static int judge(const struct plan *p, const struct relay *relay, int status, struct err *err)
{
	if (relay->matched) {
		err_set(err, ERR_NOT_READY,
		    "%s would have needed an approval, and went on without what it asked for",
		    p->harness_title);
		return err_hint(err,
		    "Start it in a terminal: `handler %s`; or allow it in the harness's own settings.",
		    p->agent);
	}
	if (WIFSIGNALED(status))
		return err_set(err, ERR_FAILED, "%s was ended by SIG%s", p->harness_title,
		    sigabbrev_np(WTERMSIG(status)));
	if (WEXITSTATUS(status) != 0)
		return err_set(
		    err, ERR_FAILED, "%s ended with status %d", p->harness_title, WEXITSTATUS(status));
	return 0;
}

/* A Ctrl+C at the terminal reaches the program too; we only wait for it. */
static int execute(const struct plan *p, struct relay *relay, int input, struct err *err)
{
	int report[2], status, errnum = 0;
	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot start %s", p->program);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		child(p, relay, input, report[1]);
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		return err_sys(err, errno, "cannot start %s", p->program);
	}
	ssize_t n = fd_read_full(report[0], &errnum, sizeof errnum);
	close(report[0]);
	signal(SIGINT, SIG_IGN);
	relay_run(relay, pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	if (n > 0)
		return err_set(err, ERR_START, "%s cannot be executed: %s", p->program, strerror(errnum));
	return judge(p, relay, status, err);
}

/* A directory of its own for the files of the turn, removed afterwards. */
static int run_in(const char *path, const struct descriptor *d, const struct agent *agent,
    const struct args *a, const char *prompt, const char *dir, struct err *err)
{
	char **env = args_values(a, "env");
	struct leased_ports ports;
	if (leased_ports_take(&ports, agent, NULL, err) < 0) {
		free(env);
		return -1;
	}
	struct plan_options o = {.session_id = path_base(path),
	    .session_dir = path,
	    .dir = dir,
	    .prompt = prompt,
	    .extra_args = a->rest_count ? a->rest : NULL,
	    .extra_env = env,
	    .environ = environ,
	    .self = a->self,
	    .headless = true,
	    .ports = ports.ports,
	    .port_count = ports.count,
	    .note = ports.note,
	    .json_output = a->json};
	struct plan *p = plan_make(d, agent, &o, err);
	struct relay relay;
	int opened = relay_open(&relay, json_path(descriptor_json(d), "headless.approval"), err);
	int result = -1, input = -1;
	if (p && opened == 0 && start_write_files(p, path, err) == 0 && (input = open_input(p, err)) >= 0) {
		for (char **note = p->notes; note && *note; note++)
			print_note("%s", *note);
		result = execute(p, &relay, input, err);
	}
	if (input >= 0)
		close(input);
	leased_ports_finish(&ports);
	relay_close(&relay);
	plan_destroy(p);
	free(env);
	return result;
}

static int run(const struct args *a, struct err *err)
{
	struct harness_set set;
	int result = -1;
	AUTO_FREE char *prompt = args_text(a->words[1], err);
	AUTO_FREE char *dir = path_absolute(args_value(a, "dir", "."), err);
	AUTO_FREE char *state = path_state_dir(err);
	if (!prompt || !dir || !state || harness_set_load(&set, err) < 0)
		return -1;
	AUTO_FREE char *path = mem_printf("%s/runs/r%05d", state, (int)(getpid() % 100000));
	struct agent *agent = agent_load(a->words[0], &set, err);
	const struct descriptor *d = agent ? harness_set_find(&set, agent->harness, err) : NULL;
	if (d && path_make_dirs(path, 0700, err) == 0) {
		result = run_in(path, d, agent, a, prompt, dir, err);
		record_remove(path, NULL);
	}
	agent_destroy(agent);
	harness_set_finish(&set);
	return result;
}

const struct command command_run = {
    .name = "run",
    .group = "from scripts",
    .synopsis = "AGENT PROMPT|-|@FILE [-C DIR] [--env K=V]... [--json] [-- ARG...]",
    .help = "one headless turn; the answer on standard output",
    .text = "Instructions reach the harness by its headless way; where it has none (Mistral Vibe), they "
	    "travel with the prompt. Status 6 where the harness says that it would have needed an approval.",
    .examples = "handler run claude 'Summarise the last commit'\nhandler run vibe @task.md -C ~/src/api",
    .min_words = 2,
    .max_words = 2,
    .rest = true,
    .options = options,
    .run = run,
};
