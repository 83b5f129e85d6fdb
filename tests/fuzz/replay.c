/*
 * replay: the inputs of a corpus through a fuzz target, without libFuzzer: TARGET-replay FILE...
 *
 * Prints TAP.  The inputs run in a child process one after the other; when one ends it, the next child goes
 * on behind that input.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "fuzz.h"

enum { INPUT_SECONDS = 60, INPUT_MAX = 16 << 20 };

extern int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

/* `data` is a copy of its own, so that reading beyond its end is seen. */
static int run_file(const char *path)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE uint8_t *data = NULL;
	struct err err = ERR_INIT;
	size_t len;

	if (path_read_file(path, INPUT_MAX, &text, &len, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return -1;
	}
	data = mem_alloc(len);
	memcpy(data, text, len);
	alarm(INPUT_SECONDS);
	LLVMFuzzerTestOneInput(data, len);
	alarm(0);
	return 0;
}

/* Runs file[*at] and those behind it; *at is where it is, as the parent sees it. */
static _Noreturn void run_files(char **file, volatile int *at, int count)
{
	for (; *at < count; ++*at) {
		if (run_file(file[*at]) < 0)
			exit(1);
		printf("ok %d - %s\n", *at + 1, path_base(file[*at]));
		fflush(stdout);
	}
	exit(0); /* with a look at what has leaked */
}

static void report_end(int status, const char *file, int number)
{
	printf("not ok %d - %s\n", number, file);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("# it took more than %d seconds\n", INPUT_SECONDS);
	else if (WIFSIGNALED(status))
		printf("# it was ended by signal %d\n", WTERMSIG(status));
	else
		printf("# exit status %d\n", WEXITSTATUS(status));
	fflush(stdout);
}

/* One child; returns whether it went well. */
static bool run_child(char **file, volatile int *at, int count)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		run_files(file, at, count);
	if (child < 0 || waitpid(child, &status, 0) != child) {
		printf("Bail out! No child process.\n");
		exit(1);
	}
	if (status == 0)
		return true;
	report_end(status, *at < count ? path_base(file[*at]) : "nothing is left over", *at + 1);
	++*at;
	return false;
}

int main(int argc, char **argv)
{
	int count = argc - 1;
	volatile int *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool well = true;

	if (at == MAP_FAILED)
		return 1;
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	printf("1..%d\n", count);
	fflush(stdout);
	while (*at < count)
		well = run_child(argv + 1, at, count) && well;
	return well ? 0 : 1;
}
