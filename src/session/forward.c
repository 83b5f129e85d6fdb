/*
 * forward: "forward_agent" of an agent: SSH_AUTH_SOCK of the session is a link in its directory, and leads to
 * the SSH agent of the terminal that came or was used last.  Without any it stays as it is: an agent of this
 * machine goes on without terminals.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "harness/plan.h"
#include "session/parts.h"

static bool forwards(const struct worker *w)
{
	return json_get_bool(json_get(w->record.session, "settings"), "forward_agent", false);
}

/* A terminal inside of this session has our own link: it leads nowhere. */
void forward_hello(struct peer *p, const struct json *hello)
{
	struct worker *w = p->worker;
	const char *path = json_get_string(hello, "ssh_agent", "");
	AUTO_FREE char *own = path_join(w->path, PLAN_SSH_AGENT);

	p->last_used = worker_now(w);
	if (p->terminal && path[0] == '/' && strcmp(path, own) != 0) {
		free(p->ssh_agent);
		p->ssh_agent = mem_strdup(path);
	}
	forward_update(w);
}

/* Replaced by rename(2): at no time is there none. */
static void lead_to(struct worker *w, const char *path)
{
	static const char next[] = PLAN_SSH_AGENT ".new";

	unlinkat(w->directory, next, 0);
	if (symlinkat(path, w->directory, next) < 0 ||
	    renameat(w->directory, next, w->directory, PLAN_SSH_AGENT) < 0) {
		log_error("forward", "the link to the SSH agent cannot be changed: %m");
		return;
	}
	free(w->forwarded);
	w->forwarded = mem_strdup(path);
}

void forward_update(struct worker *w)
{
	const struct peer *last = NULL;

	if (!forwards(w))
		return;
	for (const struct peer *p = w->peers; p; p = p->next) {
		if (p->ssh_agent && !p->closing && (!last || p->last_used > last->last_used))
			last = p;
	}
	if (last && (!w->forwarded || strcmp(w->forwarded, last->ssh_agent) != 0))
		lead_to(w, last->ssh_agent);
}
