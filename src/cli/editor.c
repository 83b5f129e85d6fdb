/* editor: see editor.h. */
#include "cli/editor.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

int editor_run(const char *path, struct err *err)
{
	const char *editor = getenv("VISUAL");
	int status;
	if (!editor || !*editor)
		editor = getenv("EDITOR");
	if (!editor || !*editor)
		editor = "vi";
	if (access("/bin/bash", X_OK) != 0)
		return err_sys(err, errno, "the editor is run by /bin/bash, which cannot be executed");
	AUTO_FREE char *script = mem_printf("%s \"$1\"", editor);
	char *argv[] = {"bash", "-c", script, "bash", (char *)path, NULL};
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		execv("/bin/bash", argv);
		_exit(127);
	}
	if (pid < 0)
		return err_sys(err, errno, "cannot start the editor");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		err_set(err, ERR_FAILED, "the editor \"%s\" ended with a failure", editor);
		return err_hint(err, "Set VISUAL or EDITOR, or edit %s yourself.", path);
	}
	return 0;
}
