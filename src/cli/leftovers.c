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
	struct orphans_report o;
	orphans_end(r->id, r->leader, r->leader_start, &o);
	if (o.ended)
		print_note("%u process%s of the lost session %s %s still running and %s ended first.",
		    o.ended, o.ended == 1 ? "" : "es", r->name, o.ended == 1 ? "was" : "were",
		    o.ended == 1 ? "was" : "were");
	if (o.survivors)
		print_note("%u process%s of the lost session %s could not be ended, the first is %s.",
		    o.survivors, o.survivors == 1 ? "" : "es", r->name, o.first_survivor);
}
