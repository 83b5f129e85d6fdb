/* foreign: see foreign.h. */
#include "client/foreign.h"

#include "client/record.h"

bool foreign_keeper(const struct proc_info *p)
{
	struct record_list list;
	bool found = false;
	if (strncmp(p->name, "handler keeper", 14) != 0 || record_list_load(&list, NULL) < 0)
		return false;
	for (size_t i = 0; i < list.count; i++)
		found = found || (list.items[i].keeper == p->pid && list.items[i].keeper_start == p->start);
	record_list_finish(&list);
	return found;
}

bool foreign_process(const struct proc_info *p)
{
	struct proc_info parent;
	if (foreign_keeper(p))
		return true;
	return !strncmp(p->name, "handler worker", 14) && proc_read(p->ppid, &parent) &&
	       foreign_keeper(&parent);
}
