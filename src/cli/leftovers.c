/* leftovers: see leftovers.h. */
#include "cli/leftovers.h"

#include "cli/cli.h"
#include "os/proc.h"
#include "session/orphans.h"

void leftovers_end(const struct record *r)
{
	char boot[40];
	proc_boot_id(boot);
	if (r->state != STATE_LOST || strcmp(boot, r->boot_id) != 0)
		return;
	orphans_await_worker(r);
	unsigned ended = orphans_end(r->id, r->leader, r->leader_start);
	if (ended)
		print_note("%u process%s of the lost session %s %s still running and %s ended first.", ended,
		    ended == 1 ? "" : "es", r->name, ended == 1 ? "was" : "were",
		    ended == 1 ? "was" : "were");
}
